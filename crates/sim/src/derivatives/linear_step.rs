//! A step as a linear map: its types. [`linearise_step`](super::linearise_step) fills them.

use gradbody_contact::ContactColumnsWork;
use gradbody_dynamics::{Chains, MassColumns, RneaJacobianWork, SpatialAxes, TreeMotion};
use gradbody_math::Force;
use gradbody_model::Model;

use crate::StepCotangents;

/// Which inputs a [`LinearStep`] has columns for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputColumns {
    /// The controls of actuators.
    #[default]
    Controls,
    /// The commanded joint forces.
    JointForces,
    /// The controls, then the commanded joint forces.
    Both,
}

/// The derivatives of a step: `dx⁺ = A dx + B du`.
///
/// A change of state dx has 2 nv + na numbers: those of the configuration (in local coordinates: a rotation changes by a
/// turn about the link's own axes), the velocity and the actuator states. A has as many rows and columns, B as many rows and
/// a column for each input. Both are parts of one matrix, which is stored row by row.
#[derive(Clone, Debug)]
pub struct LinearStep {
    states: usize,
    controls: usize,
    forces: usize,
    stride: usize,
    numbers: Vec<f64>,
}

/// Rows fill whole vectors of eight numbers.
const ALIGNED: usize = 8;

impl LinearStep {
    /// All zero, sized for a model.
    pub fn new(model: &Model<f64>, inputs: InputColumns) -> Self {
        let states = 2 * model.nv() + model.topology.na;
        let controls = match inputs {
            InputColumns::Controls | InputColumns::Both => model.topology.actuators.len(),
            InputColumns::JointForces => 0,
        };
        let forces = match inputs {
            InputColumns::JointForces | InputColumns::Both => model.nv(),
            InputColumns::Controls => 0,
        };
        let stride = (states + controls + forces).next_multiple_of(ALIGNED);
        LinearStep { states, controls, forces, stride, numbers: vec![0.0; states * stride] }
    }

    /// Number of rows, and of columns of A.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Number of columns of B.
    pub fn inputs(&self) -> usize {
        self.controls + self.forces
    }

    /// A row of A.
    pub fn by_state(&self, row: usize) -> &[f64] {
        &self.row(row)[..self.states]
    }

    /// A row of B.
    pub fn by_input(&self, row: usize) -> &[f64] {
        &self.row(row)[self.states..]
    }

    /// A row of A, then of B.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.stride..][..self.states + self.inputs()]
    }

    /// All rows, and how many numbers each takes: [`LinearStep::row`], then padding.
    pub(super) fn rows_mut(&mut self) -> (&mut [f64], usize) {
        (&mut self.numbers, self.stride)
    }

    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// The first column of the controls, and their number.
    pub(super) fn control_columns(&self) -> (usize, usize) {
        (self.states, self.controls)
    }

    /// The first column of the commanded joint forces, and their number.
    pub(super) fn force_columns(&self) -> (usize, usize) {
        (self.states + self.controls, self.forces)
    }
}

/// How a step was linearised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearPath {
    /// From formulas for whole matrices.
    Analytical,
    /// Row by row by [`step_vjp`](crate::step_vjp()): exact too, but slower.
    RowsOfAdjoint(NotAnalytical),
}

/// Why a step was linearised row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnalytical {
    /// The scheme is Runge-Kutta.
    #[error("the integration scheme is Runge-Kutta")]
    RungeKutta,
    /// The step had taps.
    #[error("networks change the step")]
    Taps,
    /// The contact gradient is not the implicit one.
    #[error("the contact gradient is not the implicit one")]
    ContactGradient,
    /// A contact bounces: its demanded velocity depends on the velocity without impulses.
    #[error("a contact bounces")]
    Bounces,
    /// There are too many rows of contacts to factorise their system.
    #[error("there are too many contacts to factorise their system")]
    TooManyRows,
    /// The system of the contacts could not be solved accurately.
    #[error("the system of the contacts could not be solved accurately")]
    Inaccurate,
}

/// Buffers of [`linearise_step`](super::linearise_step), allocated once for a model.
#[derive(Clone, Debug)]
pub struct LinearWork {
    pub(super) chains: Chains,
    pub(super) axes: SpatialAxes,
    /// Motions at the start of the step.
    pub(super) start: TreeMotion,
    /// Motions with the velocity at the end, in the poses of the start.
    pub(super) end: TreeMotion,
    pub(super) rnea: RneaJacobianWork,
    pub(super) mass: MassColumns,
    pub(super) contacts: ContactColumnsWork,
    /// The average acceleration over the step, impulses included, (nv).
    pub(super) qdd: Vec<f64>,
    /// The average force on each link from input and contacts, (n_links).
    pub(super) forces: Vec<Force<f64>>,
    pub(super) bars: StepCotangents<f64>,
}

impl LinearWork {
    /// Buffers for a model.
    pub fn new(model: &Model<f64>) -> Self {
        let chains = Chains::new(model);
        LinearWork {
            axes: SpatialAxes::new(model),
            start: TreeMotion::new(model),
            end: TreeMotion::new(model),
            rnea: RneaJacobianWork::new(model, &chains),
            mass: MassColumns::new(model),
            contacts: ContactColumnsWork::new(model),
            qdd: vec![0.0; model.nv()],
            forces: vec![Force::ZERO; model.n_links()],
            bars: StepCotangents::zero(model),
            chains,
        }
    }
}

//! Buffers of a step and its adjoint. Their contents have no meaning between calls, except for tables of the model's
//! structure (which links may touch, which tree a coordinate belongs to).

use gradbody_contact::{CollideWork, Contact, ContactCotangents, ImpulsesVjpWork, SolverWork};
use gradbody_dynamics::{ForwardDynamicsVjpWork, Kinematics, KinematicsCotangents, Response};
use gradbody_math::{Force, Motion, Scalar};
use gradbody_model::Model;

use crate::runge_kutta_vjp::RungeKuttaScratch;
use crate::trace::Evaluation;

/// Buffers of [`step`](crate::step) and [`step_vjp`](crate::step_vjp), allocated once, so that neither allocates. The
/// same step with new buffers gives the same bits.
#[derive(Clone, Debug)]
pub struct StepScratch<S> {
    pub(crate) collide: CollideWork<S>,
    pub(crate) solver: SolverWork<S>,
    pub(crate) response: Response<S>,
    /// Joint forces of input and actuators, later of all sources, (nv).
    pub(crate) tau: Vec<S>,
    /// Joint forces of springs, dampers, friction and soft limits, (nv).
    pub(crate) passive: Vec<S>,
    /// Joint forces before implicit damping changed them, restored for joints that taps replace, (nv).
    pub(crate) explicit_tau: Vec<S>,
    /// Inertia that implicit damping adds to each velocity coordinate, (nv).
    pub(crate) added_inertia: Vec<S>,
    /// Gᵀ times the product of impulses and their start times, (nv).
    pub(crate) delayed_u: Vec<S>,
    /// The root link of the tree that each velocity coordinate belongs to, (nv).
    pub(crate) roots: Vec<usize>,
    pub(crate) back: BackScratch<S>,
}

/// Cotangents inside a step, for the backward pass.
#[derive(Clone, Debug)]
pub(crate) struct BackScratch<S> {
    /// Of poses and velocities of the links.
    pub(crate) kin: KinematicsCotangents<S>,
    /// Of each contact.
    pub(crate) contacts: Vec<ContactCotangents<S>>,
    /// Whether anything after the step depends on the forces of its contacts.
    pub(crate) forces_are_read: bool,
    pub(crate) impulses: ImpulsesVjpWork<S>,
    pub(crate) dynamics: ForwardDynamicsVjpWork<S>,
    /// Of the accelerations, (nv).
    pub(crate) qdd: Vec<S>,
    /// Accelerations to multiply by the mass matrix, (nv).
    pub(crate) mass_times: Vec<S>,
    /// Of the rates of actuator states, (na).
    pub(crate) activation_rate: Vec<S>,
    /// Of the inertia that implicit damping adds, (nv).
    pub(crate) added_inertia: Vec<S>,
    /// Of the change of configuration that is not caused by the end velocity, (nv).
    pub(crate) dq: Vec<S>,
    /// Of the displacement correction for impacts in mid-step, (nv).
    pub(crate) delay: Vec<S>,
    /// Joint forces of input and actuators before clamping to effort limits, (nv).
    pub(crate) unlimited_tau: Vec<S>,
    /// Of passive joint forces, (nv).
    pub(crate) passive: Vec<S>,
    /// Of the link forces.
    pub(crate) external: Vec<Motion<S>>,
    pub(crate) before_taps: BeforeTaps<S>,
    pub(crate) runge_kutta: RungeKuttaScratch<S>,
}

/// Copies of what taps changed in an evaluation. In the backward pass, taps restore in them what they had replaced,
/// change by change.
#[derive(Clone, Debug)]
pub(crate) struct BeforeTaps<S> {
    pub(crate) kin: Kinematics<S>,
    pub(crate) contacts: Vec<Contact<S>>,
    pub(crate) external: Vec<Force<S>>,
}

impl<S: Scalar> StepScratch<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        let zeros = || vec![S::ZERO; model.nv()];
        StepScratch {
            collide: CollideWork::new(model),
            solver: SolverWork::new(model),
            response: Response::new(model),
            tau: zeros(),
            passive: zeros(),
            explicit_tau: zeros(),
            added_inertia: zeros(),
            delayed_u: zeros(),
            roots: roots(model),
            back: BackScratch::new(model),
        }
    }
}

impl<S: Scalar> BackScratch<S> {
    fn new(model: &Model<S>) -> Self {
        let zeros = || vec![S::ZERO; model.nv()];
        BackScratch {
            kin: KinematicsCotangents::new(model),
            contacts: Vec::new(),
            forces_are_read: false,
            impulses: ImpulsesVjpWork::new(model),
            dynamics: ForwardDynamicsVjpWork::new(model),
            qdd: zeros(),
            mass_times: zeros(),
            activation_rate: vec![S::ZERO; model.topology.na],
            added_inertia: zeros(),
            dq: zeros(),
            delay: zeros(),
            unlimited_tau: zeros(),
            passive: zeros(),
            external: vec![Motion::ZERO; model.n_links()],
            before_taps: BeforeTaps {
                kin: Kinematics::new(model),
                contacts: Vec::new(),
                external: vec![Force::ZERO; model.n_links()],
            },
            runge_kutta: RungeKuttaScratch::new(model),
        }
    }

    /// Begins the backward pass of an evaluation: all cotangents inside it are zero.
    pub(crate) fn begin(&mut self, evaluation: &Evaluation<S>) {
        self.kin.clear();
        self.contacts.clear();
        self.contacts.resize(evaluation.collisions.contacts.len(), ContactCotangents::zero());
        self.added_inertia.fill(S::ZERO);
    }
}

impl<S: Scalar> BeforeTaps<S> {
    pub(crate) fn copy_from(&mut self, evaluation: &Evaluation<S>) {
        self.kin.copy_from(&evaluation.kin);
        self.contacts.clear();
        self.contacts.extend_from_slice(&evaluation.collisions.contacts);
        // The solver has added to the forces of rigid contacts since.
        for (contact, applied_w) in self.contacts.iter_mut().zip(&evaluation.applied_w) {
            contact.force_w = *applied_w;
        }
        if let Some(external) = evaluation.external.get() {
            self.external.copy_from_slice(external);
        }
    }
}

fn roots<S: Scalar>(model: &Model<S>) -> Vec<usize> {
    let mut of_links: Vec<usize> = Vec::with_capacity(model.n_links());
    let mut roots = Vec::with_capacity(model.nv());
    for (i, link) in model.topology.links.iter().enumerate() {
        of_links.push(link.parent.map_or(i, |p| of_links[p.index()]));
        roots.extend(link.joint.v_range().map(|_| of_links[i]));
    }
    roots
}

pub(crate) fn add_scaled<S: Scalar>(to: &mut [S], weight: S, from: &[S]) {
    S::vectorised(
        #[inline(always)]
        || {
            for (to, from) in to.iter_mut().zip(from) {
                *to = from.mul_add(weight, *to);
            }
        },
    );
}

/// `to` = `a` + `weight` · `b`.
pub(crate) fn sum_scaled<S: Scalar>(to: &mut [S], a: &[S], weight: S, b: &[S]) {
    S::vectorised(
        #[inline(always)]
        || {
            for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
                *to = b.mul_add(weight, *a);
            }
        },
    );
}

pub(crate) fn scale_by<S: Scalar>(numbers: &mut [S], factor: S) {
    S::vectorised(
        #[inline(always)]
        || {
            for x in numbers.iter_mut() {
                *x *= factor;
            }
        },
    );
}

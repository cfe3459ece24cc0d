//! Every buffer of a step.

use gradbody_contact::{Collisions, Contact, Problem, SolverWork};
use gradbody_dynamics::{AbaWork, Kinematics, Response};
use gradbody_math::{Force, Motion, Scalar};
use gradbody_model::Model;

use crate::State;

/// Every buffer of a step, sized once; a step allocates nothing. Nothing in it outlives a step: the
/// same step with a new workspace gives the same bits.
#[derive(Clone, Debug)]
pub struct Workspace<S> {
    /// Poses and velocities at the start of the step.
    pub kin: Kinematics<S>,
    /// Accelerations without rigid contacts.
    pub aba: AbaWork<S>,
    /// Joint forces, (nv).
    pub tau: Vec<S>,
    /// Where bodies touch.
    pub collisions: Collisions<S>,
    /// The impulses there.
    pub problem: Problem<S>,
    pub(crate) solver: SolverWork<S>,
    pub(crate) response: Response<S>,
    /// Motions of the links at the end of the step, were there no rigid contacts.
    pub(crate) free_motions_w: Vec<Motion<S>>,
    /// Forces on links from input and compliant contacts.
    pub(crate) external: Vec<Force<S>>,
    /// Velocities at the end of the step, without rigid contacts and then with them.
    pub(crate) v: Vec<S>,
    /// Change of the configuration over the step, in local coordinates.
    pub(crate) dq: Vec<S>,
    /// What a bounce that begins within the step falls short of one at its start; and whether there is
    /// one.
    pub(crate) delay: Vec<S>,
    pub(crate) bounces: bool,
    /// The root link of the tree that each velocity coordinate belongs to.
    pub(crate) roots: Vec<usize>,
    /// For each root link, whether impulses act on its tree.
    pub(crate) touched: Vec<S>,
    pub(crate) added: Vec<S>,
    pub(crate) activation_rate: Vec<S>,
    /// Joint forces of springs, dampers and the like, (nv).
    pub(crate) passive: Vec<S>,
    /// The state that the step began with, if taps change it.
    pub(crate) begun: State<S>,
    pub(crate) start: State<S>,
    pub(crate) rates: Rates<S>,
    pub(crate) sum: Rates<S>,
}

/// The rate of a state, in local coordinates of the configuration.
#[derive(Clone, Debug)]
pub(crate) struct Rates<S> {
    pub(crate) q: Vec<S>,
    pub(crate) v: Vec<S>,
    pub(crate) activation: Vec<S>,
}

impl<S: Scalar> Workspace<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        let zeros = |n| vec![S::ZERO; n];
        Workspace {
            kin: Kinematics::new(model),
            aba: AbaWork::new(model),
            tau: zeros(model.nv()),
            collisions: Collisions::new(model),
            problem: Problem::new(model),
            solver: SolverWork::new(model),
            response: Response::new(model),
            free_motions_w: vec![Motion::ZERO; model.n_links()],
            external: vec![Force::ZERO; model.n_links()],
            v: zeros(model.nv()),
            dq: zeros(model.nv()),
            delay: zeros(model.nv()),
            bounces: false,
            roots: roots(model),
            touched: zeros(model.n_links()),
            added: zeros(model.nv()),
            activation_rate: zeros(model.topology.na),
            passive: zeros(model.nv()),
            begun: State::neutral(model),
            start: State::neutral(model),
            rates: Rates::new(model),
            sum: Rates::new(model),
        }
    }

    /// From now on the solver's sweeps are recorded, or not: for
    /// [`ContactGradient::Unrolled`](gradbody_contact::ContactGradient).
    pub fn record(&mut self, records: bool) {
        self.solver.record(records);
    }

    /// The contacts of the last step, with their forces.
    pub fn contacts(&self) -> &[Contact<S>] {
        &self.collisions.contacts
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

impl<S: Scalar> Rates<S> {
    pub(crate) fn new(model: &Model<S>) -> Self {
        let zeros = |n| vec![S::ZERO; n];
        Rates { q: zeros(model.nv()), v: zeros(model.nv()), activation: zeros(model.topology.na) }
    }

    /// The sum of all products.
    pub(crate) fn dot(&self, other: &Rates<S>) -> S {
        let product =
            |a: &[S], b: &[S]| a.iter().zip(b).fold(S::ZERO, |s, (a, b)| a.mul_add(*b, s));
        product(&self.q, &other.q)
            + product(&self.v, &other.v)
            + product(&self.activation, &other.activation)
    }

    pub(crate) fn clear(&mut self) {
        self.q.fill(S::ZERO);
        self.v.fill(S::ZERO);
        self.activation.fill(S::ZERO);
    }

    pub(crate) fn add(&mut self, weight: S, rates: &Rates<S>) {
        add_scaled(&mut self.q, weight, &rates.q);
        add_scaled(&mut self.v, weight, &rates.v);
        add_scaled(&mut self.activation, weight, &rates.activation);
    }
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

//! Everything a rollout depends on, in a scalar type: plain, dual, or many worlds side by side.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use gradbody_contact::Contact;
use gradbody_dynamics::difference;
use gradbody_math::Scalar;
use gradbody_model::Model;
use gradbody_sim::{
    ContactOptions, Gradient, GradientOptions, Input, Loss, NoTaps, Rollout, RolloutTrace,
    Sequence, Simulated, State, StepOptions, StepScratch, StepTrace, rollout_vjp, step,
};

use crate::watch::{Stop, Watch};

/// Everything a rollout depends on, in a scalar type.
#[derive(Clone, Debug)]
pub struct World<S> {
    /// The model.
    pub model: Model<S>,
    /// The initial state.
    pub start: State<S>,
    /// The input of each step, with a force on each link, (steps).
    pub inputs: Vec<Input<S>>,
    /// Options of a step.
    pub options: StepOptions<S>,
}

/// Result of a rollout.
#[derive(Clone, Debug)]
pub struct Run<S> {
    /// The last state.
    pub end: State<S>,
    /// Largest velocity error that the solver left in a contact [m/s].
    pub residual: f64,
    /// The most sweeps (or pivots) in a step.
    pub sweeps: u32,
    /// Whether any bodies touched.
    pub touched: bool,
    /// Whether, in some step, the motion depends on how more supports than a body needs share its load.
    pub shares_decide: bool,
    /// Which contacts pressed, stuck and slid in each step, as one number.
    pub(crate) pattern: u64,
}

impl<S: Simulated> World<S> {
    /// Rolls out; `look` sees the number of each step, from 0, and the state after it.
    pub fn roll(
        &self,
        watch: &dyn Watch,
        mut look: impl FnMut(usize, &State<S>),
    ) -> Result<Run<S>, Stop> {
        let World { model, start, inputs, options } = self;
        let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
        let mut state = start.clone();
        let mut pattern = DefaultHasher::new();
        let (mut residual, mut sweeps, mut touched, mut shares_decide) = (0.0_f64, 0, false, false);
        for (k, input) in inputs.iter().enumerate() {
            if watch.asks_to_stop() {
                return Err(Stop::Interrupted);
            }
            state.time = self.time_before(k);
            let report =
                step(model, &mut state, input, options, &mut NoTaps, &mut trace, &mut scratch);
            state.time = self.time_before(k + 1);
            if let Some(link) = report.diverged {
                return Err(Stop::Diverged { link, time: state.time.lane(0) });
            }
            residual = residual.max(report.solved.residual);
            sweeps = sweeps.max(report.solved.sweeps);
            for contact in trace.contacts() {
                touched |= hash_contact(k, contact, options, 0, &mut pattern);
            }
            // Only the plain rollout is asked for it.
            shares_decide |= S::ORDER == 0 && S::LANES == 1 && trace.problem().shares_decide(0);
            look(k, &state);
        }
        watch.done(1);
        Ok(Run { end: state, residual, sweeps, touched, shares_decide, pattern: pattern.finish() })
    }

    /// The gradient of a loss by the adjoint: of the start, the model and the time step, and of the inputs.
    pub fn adjoint(
        self,
        loss: &mut impl Loss<S>,
        how: &GradientOptions,
    ) -> (Gradient<S>, Sequence<S>) {
        let World { model, start, inputs, options } = self;
        let steps = inputs.len();
        let rollout = Rollout { model: &model, start: &start, steps, options: &options };
        let mut inputs = Sequence::new(&model, inputs);
        let mut kept = RolloutTrace::new(&model);
        let gradient = rollout_vjp(&rollout, &mut inputs, loss, &mut NoTaps, how, &mut kept);
        (gradient, inputs)
    }
}

impl<S: Scalar> World<S> {
    /// When a step begins [s]: a product, as `rollout` has it.
    pub(crate) fn time_before(&self, step: usize) -> S {
        self.options.dt.mul_add(S::from_f64(step as f64), self.start.time)
    }
}

/// Difference of two states: configurations on their manifold, velocities, actuator states.
pub(crate) fn between<S: Scalar>(model: &Model<S>, from: &State<S>, to: &State<S>) -> Vec<S> {
    let mut way = vec![S::ZERO; model.nv()];
    difference(model, &from.q, &to.q, &mut way);
    way.extend(to.v.iter().zip(&from.v).map(|(to, from)| *to - *from));
    way.extend(to.activation.iter().zip(&from.activation).map(|(to, from)| *to - *from));
    way
}

/// Adds to a pattern that this contact presses in a lane, whether it slides, and what it demands: to close a gap, to stay,
/// or to recover from penetration, at most at some speed. Gives whether it presses.
pub(crate) fn hash_contact<S: Scalar>(
    step: usize,
    contact: &Contact<S>,
    options: &StepOptions<S>,
    lane: usize,
    pattern: &mut DefaultHasher,
) -> bool {
    /// Friction nearer to the cone than this is on it.
    const ON_CONE: f64 = 1e-6;
    let force = contact.force_w.map(|x| x.lane(lane));
    let normal = contact.normal_w.map(|x| x.lane(lane));
    let push = force.dot(normal);
    if push == 0.0 {
        return false;
    }
    let friction = (force - normal * push).norm();
    let slides = friction >= (1.0 - ON_CONE) * contact.material.friction.lane(lane) * push;
    let ContactOptions { slop, recovery_speed, .. } = options.contact;
    let gap = contact.gap.lane(lane);
    let excess = -gap - slop;
    let gain = contact.material.position_gain.lane(lane);
    let fast = excess * gain > recovery_speed * options.dt.lane(lane);
    (step, contact.id, slides, gap > 0.0, excess > 0.0, fast).hash(pattern);
    true
}

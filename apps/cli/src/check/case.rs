//! The rollout under test, in any number: plain, dual, and a little changed.

use std::hash::{DefaultHasher, Hash as _, Hasher};

use gradbody::contact::{Contact, ContactGradient};
use gradbody::dynamics::difference;
use gradbody::math::{Force, Scalar};
use gradbody::model::Model;
use gradbody::sim::{
    Gradient, GradientOptions, Input, LinearAbout, NoTaps, Rollout, RolloutTrace, Sequence,
    Simulated, State, StepOptions, StepScratch, StepTrace, Terminal, rollout_vjp, step,
};

use super::groups::Group;
use super::random::Random;
use super::watch::{Stop, Watch};

/// A rollout to differentiate.
pub(super) struct Case {
    pub(super) model: Model<f64>,
    pub(super) start: State<f64>,
    /// One for each step.
    pub(super) inputs: Vec<Input<f64>>,
    pub(super) options: StepOptions<f64>,
    pub(super) gradient: ContactGradient,
}

/// All that a rollout depends on, in some number.
pub(super) struct World<S> {
    pub(super) model: Model<S>,
    pub(super) start: State<S>,
    pub(super) inputs: Vec<Input<S>>,
    pub(super) options: StepOptions<S>,
}

/// What a rollout left.
pub(super) struct Run<S> {
    pub(super) end: State<S>,
    /// Which contacts pressed, stuck and slid in each step, as one number.
    pub(super) pattern: u64,
    /// The largest velocity by which the solver left a contact wrong [m/s].
    pub(super) residual: f64,
    /// The most sweeps (or pivots) in a step.
    pub(super) sweeps: u32,
    /// Whether any bodies touched.
    pub(super) touched: bool,
}

impl Case {
    pub(super) fn steps(&self) -> usize {
        self.inputs.len()
    }

    /// The time after a step [s].
    pub(super) fn time_after(&self, step: usize) -> f64 {
        self.start.time + (step + 1) as f64 * self.options.dt
    }

    /// Everything in another number, with these groups changed by so much.
    pub(super) fn world<S: Scalar>(&self, changes: &[(&Group, S)]) -> World<S> {
        let mut world = World {
            model: self.model.cast(),
            start: self.start.cast(),
            inputs: self.inputs.iter().map(|input| self.cast_input(input)).collect(),
            options: self.options.cast(),
        };
        changes.iter().for_each(|(group, t)| group.change(&mut world, *t));
        world
    }

    /// An input in another number, with a force on each link, so that a change has somewhere to go.
    fn cast_input<S: Scalar>(&self, input: &Input<f64>) -> Input<S> {
        let mut input = input.cast();
        input.external.resize(self.model.n_links(), Force::ZERO);
        input
    }

    /// Rolls out with these groups changed by so much; `look` sees the state after each step.
    pub(super) fn roll<S: Simulated>(
        &self,
        changes: &[(&Group, S)],
        watch: &Watch,
        mut look: impl FnMut(usize, &State<S>),
    ) -> Result<Run<S>, Stop> {
        let World { model, start, inputs, options } = self.world(changes);
        let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
        let mut state = start.clone();
        let mut pattern = DefaultHasher::new();
        let (mut residual, mut sweeps, mut touched) = (0.0_f64, 0, false);
        // A product, as `rollout` has it.
        let time = |k: usize| options.dt.mul_add(S::from_f64(k as f64), start.time);
        for (k, input) in inputs.iter().enumerate() {
            watch.go_on()?;
            state.time = time(k);
            let report =
                step(&model, &mut state, input, &options, &mut NoTaps, &mut trace, &mut scratch);
            state.time = time(k + 1);
            if let Some(link) = report.diverged {
                return Err(Stop::Diverged { link, time: self.time_after(k) });
            }
            residual = residual.max(report.solved.residual);
            sweeps = sweeps.max(report.solved.sweeps);
            for contact in trace.contacts() {
                touched |= hash_contact(k, contact, 0, &mut pattern);
            }
            look(k, &state);
        }
        watch.done(1);
        Ok(Run { end: state, pattern: pattern.finish(), residual, sweeps, touched })
    }

    /// The gradient of a probe by the adjoint.
    pub(super) fn adjoint(&self, probe: LinearAbout<f64>) -> (Gradient<f64>, Sequence<f64>) {
        let World { model, start, inputs, options } = self.world::<f64>(&[]);
        let steps = inputs.len();
        let rollout = Rollout { model: &model, start: &start, steps, options: &options };
        let mut inputs = Sequence::new(&model, inputs);
        let mut kept = RolloutTrace::new(&model);
        let mut at_end = Terminal(probe);
        let how = GradientOptions { contact: self.gradient, ..GradientOptions::default() };
        let gradient =
            rollout_vjp(&rollout, &mut inputs, &mut at_end, &mut NoTaps, &how, &mut kept);
        (gradient, inputs)
    }

    /// What separates two states: configurations on their manifold, velocities, actuator states.
    pub(super) fn between<S: Scalar>(model: &Model<S>, from: &State<S>, to: &State<S>) -> Vec<S> {
        let mut way = vec![S::ZERO; model.nv()];
        difference(model, &from.q, &to.q, &mut way);
        way.extend(to.v.iter().zip(&from.v).map(|(to, from)| *to - *from));
        way.extend(to.activation.iter().zip(&from.activation).map(|(to, from)| *to - *from));
        way
    }
}

/// Adds to a pattern that this contact presses in a lane, and whether it slides. Gives whether it presses.
pub(super) fn hash_contact<S: Scalar>(
    step: usize,
    contact: &Contact<S>,
    lane: usize,
    pattern: &mut DefaultHasher,
) -> bool {
    /// Nearer to the cone than this, friction is on it.
    const ON_CONE: f64 = 1e-6;
    let force = contact.force_w.map(|x| x.lane(lane));
    let normal = contact.normal_w.map(|x| x.lane(lane));
    let push = force.dot(normal);
    if push == 0.0 {
        return false;
    }
    let friction = (force - normal * push).norm();
    let slides = friction >= (1.0 - ON_CONE) * contact.material.friction.lane(lane) * push;
    (step, contact.id, slides).hash(pattern);
    true
}

/// What is differentiated: a linear function of the last state with random weights, about where the plain
/// rollout ends.
pub(super) fn random_probe(
    model: &Model<f64>,
    end: &State<f64>,
    random: &mut Random,
) -> LinearAbout<f64> {
    let mut numbers = |n: usize| (0..n).map(|_| random.unit()).collect();
    let (q, v) = (numbers(model.nv()), numbers(model.nv()));
    LinearAbout { about: end.q.clone(), q, v, activation: numbers(model.topology.na) }
}

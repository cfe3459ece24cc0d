//! Losses of a rollout: one number, and its derivative.
//!
//! A [`Loss`] is evaluated at each moment of a rollout, that is after every step, and the values are summed.
//! [`Terminal`] keeps only the last moment; [`Mean`] turns the sum into the mean over the moments. A tuple or a list of
//! losses is their sum:
//!
//! ```text
//!   (Terminal(FramePosition::new(…)), Mean(ControlCost { control: 1e-3, tau: 0.0 }))
//! ```
//!
//! Losses hold their own buffers, so that evaluating them allocates nothing (except [`LinearAbout`]).

use gradbody_contact::Contact;
use gradbody_dynamics::{
    CoordinateCotangents, Kinematics, KinematicsCotangents, difference, difference_vjp,
    elastic_energy_vjp, frame_pose, frame_pose_vjp, gravitational_energy_vjp, kinematics,
    kinematics_vjp, kinetic_energy_vjp, velocities,
};
use gradbody_math::{Quat, Scalar, Vec3};
use gradbody_model::{FrameId, JointKind, Model, Params};

use crate::scratch::add_scaled;
use crate::{Energy, Input, InputCotangents, State, StateCotangents};

/// A moment of a rollout: the end of a step.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a, S> {
    /// The model of the rollout.
    pub model: &'a Model<S>,
    /// The step, from 0.
    pub step: usize,
    /// Number of steps of the rollout.
    pub steps: usize,
    /// The state after the step.
    pub state: &'a State<S>,
    /// The input of the step.
    pub input: &'a Input<S>,
    /// The contacts of the step, with their forces.
    pub contacts: &'a [Contact<S>],
}

impl<S> Moment<'_, S> {
    /// Whether the rollout ends here.
    pub fn is_last(&self) -> bool {
        self.step + 1 == self.steps
    }
}

/// A cost, summed over all moments of a rollout.
pub trait Loss<S: Scalar> {
    /// Checks that the loss is defined at every moment of a rollout of `steps` steps.
    fn check(&self, steps: usize) -> Result<(), TooFewTargets> {
        let _ = steps;
        Ok(())
    }

    /// The cost of one moment.
    fn cost(&mut self, at: &Moment<'_, S>) -> S;

    /// Adds `cost_bar` times the derivative of [`cost`](Loss::cost) to the cotangents. Moments may come
    /// in any order.
    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>);
}

/// The cotangents that a loss adds to.
#[derive(Debug)]
pub struct LossCotangents<'a, S> {
    /// Of the state after the step.
    pub state: &'a mut StateCotangents<S>,
    /// Of the input of the step.
    pub input: &'a mut InputCotangents<S>,
    /// Of the model's parameters.
    pub params: &'a mut Params<S>,
    /// Of the force of each contact: as many as [`Moment::contacts`], or none if nothing depends on them.
    pub contact_forces: &'a mut Vec<Vec3<S>>,
    /// Of the point of each contact, likewise.
    pub contact_points: &'a mut Vec<Vec3<S>>,
}

// --- when, and sums ----------------------------------------------------------------------------

/// A loss at the last moment only.
#[derive(Clone, Debug)]
pub struct Terminal<L>(pub L);

impl<S: Scalar, L: Loss<S>> Loss<S> for Terminal<L> {
    fn check(&self, steps: usize) -> Result<(), TooFewTargets> {
        self.0.check(steps)
    }

    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        if at.is_last() { self.0.cost(at) } else { S::ZERO }
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>) {
        if at.is_last() {
            self.0.cost_vjp(at, cost_bar, bars);
        }
    }
}

/// The mean of a loss over the moments, in place of the sum.
#[derive(Clone, Debug)]
pub struct Mean<L>(pub L);

impl<S: Scalar, L: Loss<S>> Loss<S> for Mean<L> {
    fn check(&self, steps: usize) -> Result<(), TooFewTargets> {
        self.0.check(steps)
    }

    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        self.0.cost(at) * S::from_f64(1.0 / at.steps as f64)
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>) {
        self.0.cost_vjp(at, cost_bar * S::from_f64(1.0 / at.steps as f64), bars);
    }
}

macro_rules! sum_of_losses {
    ($($name:ident $i:tt),+) => {
        impl<S: Scalar, $($name: Loss<S>),+> Loss<S> for ($($name,)+) {
            fn check(&self, steps: usize) -> Result<(), TooFewTargets> {
                $(self.$i.check(steps)?;)+
                Ok(())
            }

            fn cost(&mut self, at: &Moment<'_, S>) -> S {
                let mut sum = S::ZERO;
                $(sum += self.$i.cost(at);)+
                sum
            }

            fn cost_vjp(
                &mut self,
                at: &Moment<'_, S>,
                cost_bar: S,
                bars: &mut LossCotangents<'_, S>,
            ) {
                $(self.$i.cost_vjp(at, cost_bar, bars);)+
            }
        }
    };
}
sum_of_losses!(A 0, B 1);
sum_of_losses!(A 0, B 1, C 2);
sum_of_losses!(A 0, B 1, C 2, D 3);

impl<S: Scalar, L: Loss<S>> Loss<S> for Vec<L> {
    fn check(&self, steps: usize) -> Result<(), TooFewTargets> {
        self.iter().try_for_each(|loss| loss.check(steps))
    }

    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        self.iter_mut().fold(S::ZERO, |sum, loss| sum + loss.cost(at))
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>) {
        self.iter_mut().for_each(|loss| loss.cost_vjp(at, cost_bar, bars));
    }
}

macro_rules! pointer_to_loss {
    ($pointer:ty) => {
        impl<S: Scalar, L: Loss<S> + ?Sized> Loss<S> for $pointer {
            fn check(&self, steps: usize) -> Result<(), TooFewTargets> {
                (**self).check(steps)
            }

            fn cost(&mut self, at: &Moment<'_, S>) -> S {
                (**self).cost(at)
            }

            fn cost_vjp(
                &mut self,
                at: &Moment<'_, S>,
                cost_bar: S,
                bars: &mut LossCotangents<'_, S>,
            ) {
                (**self).cost_vjp(at, cost_bar, bars);
            }
        }
    };
}
pointer_to_loss!(Box<L>);
pointer_to_loss!(&mut L);

// --- targets -----------------------------------------------------------------------------------

/// The target of a loss.
#[derive(Clone, Debug, PartialEq)]
pub enum Target<T> {
    /// The same at every moment.
    Constant(T),
    /// One for the state after each step. Where a target is missing, the cost is NaN without a derivative;
    /// [`check`](Target::check) reports it beforehand.
    PerStep(Vec<T>),
}

/// There are fewer targets than the rollout has steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given} targets for a rollout of {steps} steps; give one for the state after each step")]
pub struct TooFewTargets {
    /// Number of targets.
    pub given: usize,
    /// Number of steps of the rollout.
    pub steps: usize,
}

impl<T> Target<T> {
    /// The target of the state after a step, if there is one.
    pub fn at(&self, step: usize) -> Option<&T> {
        match self {
            Target::Constant(target) => Some(target),
            Target::PerStep(targets) => targets.get(step),
        }
    }

    /// Checks that there is a target for each of `steps` steps.
    pub fn check(&self, steps: usize) -> Result<(), TooFewTargets> {
        match self {
            Target::PerStep(targets) if targets.len() < steps => {
                Err(TooFewTargets { given: targets.len(), steps })
            }
            _ => Ok(()),
        }
    }
}

/// A configuration and a velocity.
#[derive(Clone, Debug, PartialEq)]
pub struct StateTarget<S> {
    /// Configuration, (nq).
    pub q: Vec<S>,
    /// Velocity, (nv).
    pub v: Vec<S>,
}

impl<S: Scalar> From<&State<S>> for StateTarget<S> {
    fn from(state: &State<S>) -> Self {
        StateTarget { q: state.q.clone(), v: state.v.clone() }
    }
}

// --- losses ------------------------------------------------------------------------------------

/// Distance of the state from a target or, with a target per step, from a trajectory:
/// `Σ q_weights[k] dq[k]² + Σ v_weights[k] (v[k] − v_target[k])²`, where `dq` is the [`difference`] from the target to
/// the configuration.
#[derive(Clone, Debug)]
pub struct StateCost<S> {
    /// Weight of each local coordinate of the configuration, (nv).
    pub q_weights: Vec<S>,
    /// Weight of each velocity, (nv).
    pub v_weights: Vec<S>,
    /// The target state.
    pub target: Target<StateTarget<S>>,
    dq: Vec<S>,
    target_bar: Vec<S>,
}

impl<S: Scalar> StateCost<S> {
    /// One weight for all coordinates, and one for all velocities.
    pub fn new(model: &Model<S>, q_weight: S, v_weight: S, target: Target<StateTarget<S>>) -> Self {
        let nv = model.nv();
        StateCost {
            q_weights: vec![q_weight; nv],
            v_weights: vec![v_weight; nv],
            target,
            dq: vec![S::ZERO; nv],
            target_bar: vec![S::ZERO; nv],
        }
    }
}

impl<S: Scalar> StateCost<S> {
    /// Distance of the configuration from that of a state: all coordinates have weight one, velocities zero.
    pub fn from_configuration(model: &Model<S>, of: &State<S>) -> Self {
        StateCost::new(model, S::ONE, S::ZERO, Target::Constant(StateTarget::from(of)))
    }
}

impl<S: Scalar> Loss<S> for StateCost<S> {
    fn check(&self, steps: usize) -> Result<(), TooFewTargets> {
        self.target.check(steps)
    }

    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        let Some(target) = self.target.at(at.step) else { return no_number() };
        difference(at.model, &target.q, &at.state.q, &mut self.dq);
        let mut sum = S::ZERO;
        for k in 0..self.dq.len() {
            let dv = at.state.v[k] - target.v[k];
            sum = self.q_weights[k].mul_add(self.dq[k] * self.dq[k], sum);
            sum = self.v_weights[k].mul_add(dv * dv, sum);
        }
        sum
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>) {
        let Some(target) = self.target.at(at.step) else { return };
        difference(at.model, &target.q, &at.state.q, &mut self.dq);
        let twice = cost_bar + cost_bar;
        for k in 0..self.dq.len() {
            let dv = at.state.v[k] - target.v[k];
            self.dq[k] = self.q_weights[k] * self.dq[k] * twice;
            bars.state.v[k] = (self.v_weights[k] * dv).mul_add(twice, bars.state.v[k]);
        }
        let (from, to) = (&target.q, &at.state.q);
        difference_vjp(at.model, from, to, &self.dq, &mut self.target_bar, &mut bars.state.q);
        self.target_bar.fill(S::ZERO);
    }
}

/// A linear function of the state: `Σ q_coefficients[k] q[k] + Σ v_coefficients[k] v[k]`. A quaternion counts as four
/// numbers.
#[derive(Clone, Debug)]
pub struct LinearState<S> {
    /// Coefficient of each number of the configuration, (nq).
    pub q_coefficients: Vec<S>,
    /// Coefficient of each velocity, (nv).
    pub v_coefficients: Vec<S>,
}

impl<S: Scalar> LinearState<S> {
    /// The mean of the numbers of the configuration.
    pub fn mean_of_q(model: &Model<S>) -> Self {
        let share = S::from_f64(1.0 / model.nq() as f64);
        LinearState {
            q_coefficients: vec![share; model.nq()],
            v_coefficients: vec![S::ZERO; model.nv()],
        }
    }
}

impl<S: Scalar> Loss<S> for LinearState<S> {
    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        dot(&self.q_coefficients, &at.state.q) + dot(&self.v_coefficients, &at.state.v)
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>) {
        for link in &at.model.topology.links {
            let joint = &link.joint;
            let q = &at.state.q[joint.q_range()];
            let slopes = &self.q_coefficients[joint.q_range()];
            let bar = &mut bars.state.q[joint.v_range()];
            let straight = match joint.kind {
                JointKind::Spherical => 0,
                JointKind::Free => 3,
                kind => kind.nv(),
            };
            for k in 0..straight {
                bar[k] = slopes[k].mul_add(cost_bar, bar[k]);
            }
            if straight < bar.len() {
                // quat exp(δ) = quat + ½ quat (0, δ), so δ̄ is half the vector part of quat* c.
                let quat = Quat::from_slice(&q[straight..]).normalized();
                let turn = (quat.conjugate() * Quat::from_slice(&slopes[straight..]))
                    .imaginary()
                    .to_array();
                let half = cost_bar * S::from_f64(0.5);
                for k in 0..3 {
                    bar[straight + k] = turn[k].mul_add(half, bar[straight + k]);
                }
            }
        }
        for (bar, slope) in bars.state.v.iter_mut().zip(&self.v_coefficients) {
            *bar = slope.mul_add(cost_bar, *bar);
        }
    }
}

/// A linear function of the state in local coordinates about a configuration:
/// `Σ q[k] dq[k] + Σ v[k] state.v[k] + Σ activation[k] state.activation[k]`, where `dq` is the [`difference`] from
/// `about` to the configuration. With random weights it probes all derivatives at once.
#[derive(Clone, Debug)]
pub struct LinearAbout<S> {
    /// The origin of the local coordinates, (nq).
    pub about: Vec<S>,
    /// Weight of each local coordinate, (nv).
    pub q: Vec<S>,
    /// Weight of each velocity, (nv).
    pub v: Vec<S>,
    /// Weight of each actuator state, (na).
    pub activation: Vec<S>,
}

impl<S: Scalar> LinearAbout<S> {
    /// The value in a state.
    pub fn value(&self, model: &Model<S>, state: &State<S>) -> S {
        let mut dq = vec![S::ZERO; self.q.len()];
        difference(model, &self.about, &state.q, &mut dq);
        dot(&self.q, &dq) + dot(&self.v, &state.v) + dot(&self.activation, &state.activation)
    }
}

impl LinearAbout<f64> {
    /// The same loss in another scalar: equal in every lane, with zero derivatives.
    pub fn cast<T: Scalar>(&self) -> LinearAbout<T> {
        let cast = |from: &[f64]| from.iter().map(|x| T::from_f64(*x)).collect();
        let LinearAbout { about, q, v, activation } = self;
        LinearAbout { about: cast(about), q: cast(q), v: cast(v), activation: cast(activation) }
    }
}

impl<S: Scalar> Loss<S> for LinearAbout<S> {
    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        self.value(at.model, at.state)
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>) {
        let dq_bar: Vec<S> = self.q.iter().map(|x| *x * cost_bar).collect();
        let mut about_bar = vec![S::ZERO; self.q.len()];
        let StateCotangents { q, v, activation, .. } = &mut *bars.state;
        difference_vjp(at.model, &self.about, &at.state.q, &dq_bar, &mut about_bar, q);
        add_scaled(v, cost_bar, &self.v);
        add_scaled(activation, cost_bar, &self.activation);
    }
}

/// Cost of the inputs: `control Σ control[k]² + tau Σ tau[k]²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlCost<S> {
    /// Weight of the actuators' controls.
    pub control: S,
    /// Weight of the commanded joint forces.
    pub tau: S,
}

impl<S: Scalar> Loss<S> for ControlCost<S> {
    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        let Input { control, tau, .. } = at.input;
        self.control.mul_add(dot(control, control), self.tau * dot(tau, tau))
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>) {
        let twice = cost_bar + cost_bar;
        add_scaled(&mut bars.input.control, self.control * twice, &at.input.control);
        add_scaled(&mut bars.input.tau, self.tau * twice, &at.input.tau);
    }
}

/// Squared distance of a frame's origin from a point of the world: `weight |p − target|²`.
#[derive(Clone, Debug)]
pub struct FramePosition<S> {
    /// The frame.
    pub frame: FrameId,
    /// Weight [1/m²].
    pub weight: S,
    /// The target position [m].
    pub target: Target<Vec3<S>>,
    poses: Poses<S>,
}

impl<S: Scalar> FramePosition<S> {
    /// Makes the loss for a frame of this model.
    pub fn new(model: &Model<S>, frame: FrameId, weight: S, target: Target<Vec3<S>>) -> Self {
        FramePosition { frame, weight, target, poses: Poses::new(model) }
    }

    fn miss(&mut self, at: &Moment<'_, S>) -> Option<Vec3<S>> {
        let target = *self.target.at(at.step)?;
        self.poses.compute(at);
        Some(frame_pose(at.model, &self.poses.kin, self.frame).pos - target)
    }
}

impl<S: Scalar> Loss<S> for FramePosition<S> {
    fn check(&self, steps: usize) -> Result<(), TooFewTargets> {
        self.target.check(steps)
    }

    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        self.miss(at).map_or_else(no_number, |miss| miss.norm_squared() * self.weight)
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>) {
        let Some(miss) = self.miss(at) else { return };
        let pos_bar = miss * (self.weight * (cost_bar + cost_bar));
        let Poses { kin, bar } = &mut self.poses;
        frame_pose_vjp(at.model, kin, self.frame, Vec3::ZERO, pos_bar, bar, bars.params);
        self.poses.back(at, bars);
    }
}

/// Squared difference of the model's energy (kinetic, gravitational, elastic) from a target: `weight (E − target)²`.
#[derive(Clone, Debug)]
pub struct EnergyCost<S> {
    /// Weight [1/J²].
    pub weight: S,
    /// The target energy [J].
    pub target: Target<S>,
    poses: Poses<S>,
}

impl<S: Scalar> EnergyCost<S> {
    /// Makes the loss for this model.
    pub fn new(model: &Model<S>, weight: S, target: Target<S>) -> Self {
        EnergyCost { weight, target, poses: Poses::new(model) }
    }

    fn excess(&mut self, at: &Moment<'_, S>) -> Option<S> {
        let target = *self.target.at(at.step)?;
        self.poses.compute(at);
        let State { q, v, .. } = at.state;
        Some(Energy::of(at.model, &self.poses.kin, q, v).total() - target)
    }
}

impl<S: Scalar> Loss<S> for EnergyCost<S> {
    fn check(&self, steps: usize) -> Result<(), TooFewTargets> {
        self.target.check(steps)
    }

    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        self.excess(at).map_or_else(no_number, |excess| excess.squared() * self.weight)
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>) {
        let Some(excess) = self.excess(at) else { return };
        let energy_bar = excess * (self.weight * (cost_bar + cost_bar));
        let (model, State { q, v, .. }) = (at.model, at.state);
        let LossCotangents { state, params, .. } = bars;
        let Poses { kin, bar } = &mut self.poses;
        kinetic_energy_vjp(model, kin, v, energy_bar, bar, &mut state.v, params);
        gravitational_energy_vjp(model, kin, energy_bar, bar, params);
        elastic_energy_vjp(model, q, energy_bar, &mut state.q, params);
        self.poses.back(at, bars);
    }
}

/// Poses and velocities of the links at a moment, and their cotangents.
#[derive(Clone, Debug)]
struct Poses<S> {
    kin: Kinematics<S>,
    /// Zero between calls.
    bar: KinematicsCotangents<S>,
}

impl<S: Scalar> Poses<S> {
    fn new(model: &Model<S>) -> Self {
        Poses { kin: Kinematics::new(model), bar: KinematicsCotangents::new(model) }
    }

    fn compute(&mut self, at: &Moment<'_, S>) {
        kinematics(at.model, &at.state.q, &mut self.kin);
        velocities(at.model, &at.state.v, &mut self.kin);
    }

    fn back(&mut self, at: &Moment<'_, S>, bars: &mut LossCotangents<'_, S>) {
        let State { q, v, .. } = at.state;
        let StateCotangents { q: q_bar, v: v_bar, .. } = &mut *bars.state;
        let out = CoordinateCotangents { q: q_bar, v: v_bar, params: bars.params };
        kinematics_vjp(at.model, q, v, &self.kin, &mut self.bar, out);
        self.bar.clear();
    }
}

/// The cost of a moment without a target: NaN, so that it cannot pass unnoticed.
fn no_number<S: Scalar>() -> S {
    S::from_f64(f64::NAN)
}

fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(S::ZERO, |sum, (a, b)| a.mul_add(*b, sum))
}

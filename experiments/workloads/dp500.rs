//! A double pendulum, differentiated with respect to its lengths.

use gradbody::math::{Inertia, Scalar, Sym3, Transform, Vec3};
use gradbody::model::{FrameId, JointSpec, Model, ModelBuilder};
use gradbody::sim::Simulated;
use gradbody::sim::{
    Checkpointing, Constant, GradientOptions, Integrator, Mean, NoTaps, Rollout, RolloutTrace,
    State, StateCost, StateTarget, StepOptions, Target, rollout, rollout_vjp,
};

use super::Workload;

const STEPS: usize = 500;
/// Time step [s].
const DT: f64 = 0.01;
/// (L₁, L₂) [m].
const LENGTHS: [f64; 2] = [3.0, 4.0];
/// Target of each angle at every step [rad].
const TARGET: f64 = 0.1;

/// Link masses 1 kg, centres of mass at (0, Lᵢ, 0), the second joint at y = L₂ (as in the reference), released at
/// rest. The cost, a function of (L₁, L₂), is the mean over 500 steps of Σ (q − 0.1)².
pub(crate) struct Dp500 {
    model: Model<f64>,
}

impl Dp500 {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let ball = 0.4 * 0.15 * 0.15;
        let link = |length: f64| Inertia {
            mass: 1.0,
            com: Vec3::new(0.0, length, 0.0),
            rotational: Sym3::diagonal(Vec3::new(ball, ball, ball)),
        };
        let mut builder = ModelBuilder::new("dp500");
        let first = JointSpec::revolute("first", Vec3::X);
        let upper = builder.link("upper", FrameId::WORLD, first, link(LENGTHS[0]))?;
        let place = Transform::from_translation(Vec3::new(0.0, LENGTHS[1], 0.0));
        let second = JointSpec::revolute("second", Vec3::X).at(place);
        builder.link("lower", upper, second, link(LENGTHS[1]))?;
        Ok(Dp500 { model: builder.build()? })
    }

    fn options<S: Scalar>(&self) -> StepOptions<S> {
        StepOptions::new(DT).with(Integrator::SemiImplicitEuler)
    }
}

/// Sets the lengths of the pendulum.
fn set<S: Scalar>(model: &mut Model<S>, lengths: &[S]) {
    model.params.links[0].com.y = lengths[0];
    model.params.links[1].com.y = lengths[1];
    model.params.joints[1].placement.pos.y = lengths[1];
}

fn loss<S: Scalar>(model: &Model<S>) -> Mean<StateCost<S>> {
    let target = StateTarget { q: vec![S::from_f64(TARGET); 2], v: vec![S::ZERO; 2] };
    Mean(StateCost::new(model, S::ONE, S::ZERO, Target::Constant(target)))
}

impl Workload for Dp500 {
    fn numbers(&self) -> Vec<f64> {
        LENGTHS.to_vec()
    }

    #[inline(always)]
    fn cost<S: Simulated>(&self) -> impl FnMut(&[S]) -> S {
        let mut model: Model<S> = self.model.cast();
        let (start, options) = (State::neutral(&model), self.options());
        let (mut loss, mut work) = (loss(&model), RolloutTrace::new(&model));
        let mut inputs = Constant::none(&model);
        move |lengths| {
            set(&mut model, lengths);
            let rolled = Rollout { model: &model, start: &start, steps: STEPS, options: &options };
            rollout(&rolled, &mut inputs, &mut loss, &mut NoTaps, &mut work).cost
        }
    }

    #[inline(always)]
    fn gradient<S: Simulated>(&self) -> impl FnMut(&[S], &mut [S]) -> S {
        let mut model: Model<S> = self.model.cast();
        let (start, options) = (State::neutral(&model), self.options());
        let (mut loss, mut work) = (loss(&model), RolloutTrace::new(&model));
        let mut inputs = Constant::none(&model);
        let how = GradientOptions {
            checkpointing: Checkpointing::StoreAll,
            ..GradientOptions::default()
        };
        move |lengths, lengths_bar| {
            set(&mut model, lengths);
            let rolled = Rollout { model: &model, start: &start, steps: STEPS, options: &options };
            let found = rollout_vjp(&rolled, &mut inputs, &mut loss, &mut NoTaps, &how, &mut work);
            let (links, joints) = (&found.params.links, &found.params.joints);
            lengths_bar[0] = links[0].com.y;
            lengths_bar[1] = links[1].com.y + joints[1].placement.pos.y;
            found.cost
        }
    }
}

//! A batch of worlds with networks inside: each world as it is alone.

use std::sync::Arc;

use crate::support::{STEPS, Scene, augmented};
use gradbody_augment::{Blueprint, Bound, bind};
use gradbody_contact::{Ncp, Solver};
use gradbody_math::Scalar;
use gradbody_math::random::Random;
use gradbody_model::{Model, Selection};
use gradbody_sim::{
    Batch, BatchError, BatchInputs, BatchLoss, Constant, Ensemble, Failure, GradientOptions, Input,
    Integrator, LinearState, Mean, NoInputs, NoTaps, Rollout, RolloutTrace, Simulated, State,
    World, rollout_backward, rollout_forward, rollout_vjp,
};

/// The mean of all positions.
struct MeanOfPositions;

impl BatchLoss for MeanOfPositions {
    type Loss<S: Scalar> = Mean<LinearState<S>>;

    fn for_worlds<S: Scalar>(&self, model: &Model<S>, _: &[usize]) -> Self::Loss<S> {
        Mean(LinearState::mean_of_q(model))
    }
}

#[test]
fn worlds_of_a_batch_have_the_gradients_that_they_have_alone() {
    let scene = Scene::new("ncp", Solver::Ncp(Ncp::default()), Integrator::ImplicitDamping);
    let mut blueprint: Blueprint = augmented("contact/*/friction_coefficient", &[]);
    let torque = augmented("joint/arm/passive_torque", &["joint/arm/position"]);
    blueprint.augmentations.extend(torque.augmentations);
    blueprint.augmentations[1].name = "torque".into();
    blueprint.augmentations[1].network.recurrent = 3;
    let plan = Arc::new(bind(&blueprint, &scene.model, &scene.options.contact).unwrap());
    let mut random = Random::new(5);
    let mut bound = Bound::new(plan.clone(), random.numbers(plan.n_weights())).unwrap();
    let starts: Vec<State<f64>> = (0..11)
        .map(|_| {
            let mut start = scene.start.clone();
            bound.begin(&mut start);
            start.v.iter_mut().for_each(|v| *v += 0.1 * random.signed());
            start
        })
        .collect();
    let inputs = vec![scene.input.clone(); STEPS];
    let worlds: Vec<World<'_>> =
        starts.iter().map(|start| World { model: &scene.model, start, inputs: &inputs }).collect();
    let batch = Ensemble::new(STEPS, scene.options).with_threads(2).unwrap();
    let found = batch.gradients_with::<f64>(&worlds, &MeanOfPositions, &bound).unwrap();
    let ends = batch.run_with::<f64>(&worlds, &MeanOfPositions, &bound).unwrap();
    let (model, options) = (&scene.model, &scene.options);
    for ((start, found), end) in starts.iter().zip(found).zip(ends) {
        let alone = rollout_vjp(
            &Rollout { model, start, steps: STEPS, options },
            &mut Constant::new(model, scene.input.clone()),
            &mut Mean(LinearState::mean_of_q(model)),
            &mut bound,
            &GradientOptions::default(),
            &mut RolloutTrace::new(model),
        );
        let (alone, found) = (alone.checked().unwrap(), found.unwrap());
        assert_eq!(found.cost, alone.cost);
        // Summed the other way round.
        assert!((end.unwrap().cost - alone.cost).abs() < 1e-15);
        assert_eq!(found.start.v, alone.start.v);
        assert_eq!(found.start.memory, alone.start.memory);
        assert_eq!(found.weights, bound.weights_bar);
        assert!(found.weights.iter().filter(|bar| **bar != 0.0).count() > plan.n_weights() / 2);
    }
}

/// The same input in all worlds and steps.
struct Steady<'a>(&'a Input<f64>);

impl BatchInputs for Steady<'_> {
    type Inputs<S: Simulated> = Constant<S>;

    fn make<S: Simulated>(&self, model: &Model<S>) -> Constant<S> {
        Constant::new(model, self.0.cast())
    }
}

/// Networks with memory, in worlds that stay in lanes: forwards and back as each world alone.
#[test]
fn worlds_that_stay_have_the_gradients_that_they_have_alone() {
    let scene = Scene::new("ncp", Solver::Ncp(Ncp::default()), Integrator::ImplicitDamping);
    let mut blueprint: Blueprint =
        augmented("joint/arm/passive_torque", &["joint/arm/position", "joint/arm/velocity"]);
    blueprint.augmentations[0].network.recurrent = 3;
    let plan = Arc::new(bind(&blueprint, &scene.model, &scene.options.contact).unwrap());
    let mut random = Random::new(7);
    let mut bound = Bound::new(plan.clone(), random.numbers(plan.n_weights())).unwrap();
    let (model, options) = (&scene.model, &scene.options);
    let worlds = 11;
    let mut batch = Batch::<f64>::new(model, worlds, *options).with_threads(2).unwrap();
    let starts: Vec<State<f64>> = (0..worlds)
        .map(|world| {
            let mut start = scene.start.clone();
            start.v.iter_mut().for_each(|v| *v += 0.1 * random.signed());
            batch.reset(&[world], &start).unwrap();
            start
        })
        .collect();
    let none = Selection::none();
    let steady = Steady(&scene.input);
    batch.forward(STEPS, &steady, &bound).unwrap();
    let found = batch.backward(&steady, &bound, &MeanOfPositions, &none).unwrap();
    for (world, start) in starts.iter().enumerate() {
        let mut start = start.clone();
        bound.begin(&mut start);
        let alone = rollout_vjp(
            &Rollout { model, start: &start, steps: STEPS, options },
            &mut Constant::new(model, scene.input.clone()),
            &mut Mean(LinearState::mean_of_q(model)),
            &mut bound,
            &GradientOptions::default(),
            &mut RolloutTrace::new(model),
        )
        .checked()
        .unwrap();
        assert_eq!(found.costs[world], alone.cost);
        let n = plan.n_weights();
        assert_eq!(found.taps[world * n..][..n], bound.weights_bar);
        assert!(bound.weights_bar.iter().any(|bar| *bar != 0.0));
    }

    // Going on without networks leaves what they remember; other networks begin with nothing.
    let remembered = batch.state(4).unwrap().memory;
    assert!(remembered.iter().any(|x| *x != 0.0), "{remembered:?}");
    batch.rollout(1, &steady).unwrap();
    assert_eq!(batch.state(4).unwrap().memory, remembered);
    let other = augmented("joint/arm/passive_torque", &["joint/arm/position"]);
    let other = Arc::new(bind(&other, model, &options.contact).unwrap());
    let without = Bound::new(other.clone(), other.initial_weights()).unwrap();
    batch.rollout_with(1, &steady, &without).unwrap();
    assert!(batch.state(4).unwrap().memory.is_empty());
}

/// A network that reads a signal which the input does not have fails by name, alone and in batches, and networks other
/// than those of the way there are refused.
#[test]
fn missing_signals_and_other_networks_are_failures_not_panics() {
    let scene = Scene::new("ncp", Solver::Ncp(Ncp::default()), Integrator::ImplicitDamping);
    let (model, options) = (&scene.model, &scene.options);
    let mut blueprint: Blueprint = augmented("joint/arm/passive_torque", &["signal/wind"]);
    blueprint.signals.push("wind".into());
    let plan = Arc::new(bind(&blueprint, model, &options.contact).unwrap());
    let mut bound = Bound::new(plan.clone(), plan.initial_weights()).unwrap();
    let missing = Failure::MissingSignals { given: 0, needed: 2 };
    let rollout = Rollout { model, start: &scene.start, steps: STEPS, options };
    let (mut inputs, how) = (Constant::none(model), GradientOptions::default());
    let trace = &mut RolloutTrace::new(model);
    let ended = rollout_forward(&rollout, &mut inputs, &mut bound, &how, |_| {}, trace);
    assert_eq!(ended.failures, [Some(missing)]);
    assert!(missing.to_string().contains("2 signals"), "{missing}");

    let mut batch = Batch::<f64>::new(model, 3, *options);
    let refused = BatchError::Signals { given: 0, needed: 2 };
    assert_eq!(batch.rollout_with(2, &NoInputs, &bound), Err(refused.clone()));
    assert_eq!(batch.forward(2, &NoInputs, &bound), Err(refused));
    assert_eq!(batch.failures(), [None; 3]);
    let no_signals = [Input::none(model)];
    let world = World { model, start: &scene.start, inputs: &no_signals };
    let refused = Ensemble::new(1, *options).run_with::<f64>(&[world], &MeanOfPositions, &bound);
    let part = BatchError::Input { world: 0, step: 0, part: "signals", given: 0, needed: 2 };
    assert_eq!(refused.unwrap_err(), part);

    rollout_forward(&rollout, &mut inputs, &mut NoTaps, &how, |_| {}, trace);
    let found = rollout_backward(model, &mut inputs, &mut bound, |_, _| 0.0, trace);
    assert_eq!(found.failures, [Some(Failure::OtherTaps)]);
    // The rollout is still there for the taps that it had.
    rollout_backward(model, &mut inputs, &mut NoTaps, |_, _| 0.0, trace).checked().unwrap();
}

#[test]
fn networks_of_another_plan_or_memory_are_refused() {
    let scene = Scene::new("ncp", Solver::Ncp(Ncp::default()), Integrator::ImplicitDamping);
    let (model, options) = (&scene.model, &scene.options);
    let blueprint: Blueprint = augmented("joint/arm/passive_torque", &["joint/arm/position"]);
    let bound = || {
        let plan = Arc::new(bind(&blueprint, model, &options.contact).unwrap());
        Bound::new(plan.clone(), plan.initial_weights()).unwrap()
    };
    let (mut first, mut second) = (bound(), bound());
    let rollout = Rollout { model, start: &scene.start, steps: STEPS, options };
    let mut inputs = Constant::new(model, scene.input.clone());
    let (how, trace) = (GradientOptions::default(), &mut RolloutTrace::new(model));
    rollout_forward(&rollout, &mut inputs, &mut first, &how, |_| {}, trace);
    let found = rollout_backward(model, &mut inputs, &mut second, |_, _| 0.0, trace);
    assert_eq!(found.failures, [Some(Failure::OtherTaps)]);

    let mut start = scene.start.clone();
    start.memory = vec![0.0; 2];
    let rollout = Rollout { start: &start, ..rollout };
    let ended = rollout_forward(&rollout, &mut inputs, &mut first, &how, |_| {}, trace);
    assert_eq!(ended.failures, [Some(Failure::OtherMemory { given: 2, needed: 0 })]);
}

/// A world without inputs has zero signals, alone and beside others.
#[test]
fn a_world_without_inputs_is_the_same_alone_and_beside_others() {
    let scene = Scene::new("ncp", Solver::Ncp(Ncp::default()), Integrator::ImplicitDamping);
    let (model, options) = (&scene.model, &scene.options);
    let blueprint: Blueprint = augmented("joint/arm/passive_torque", &["joint/arm/position"]);
    let plan = Arc::new(bind(&blueprint, model, &options.contact).unwrap());
    let bound = Bound::new(plan.clone(), plan.initial_weights()).unwrap();
    let inputs = vec![scene.input.clone(); STEPS];
    let without = World { model, start: &scene.start, inputs: &[] };
    let with = World { model, start: &scene.start, inputs: &inputs };
    let ensemble = Ensemble::new(STEPS, *options);
    let alone = ensemble.run_with::<f64>(&[without], &MeanOfPositions, &bound).unwrap();
    let beside = ensemble.run_with::<f64>(&[with, without], &MeanOfPositions, &bound).unwrap();
    let ends = [&alone[0], &beside[1]].map(|ended| ended.as_ref().unwrap().end.q.clone());
    assert_eq!(ends[0], ends[1]);
}

//! What networks remember from step to step: past values and recurrent units, and gradients through both.

use std::sync::Arc;

use crate::support::training::{Episode, Training};
use crate::support::{Scene, augmented, check_gradients};
use gradbody_augment::{Augmentation, Blueprint, Bound, Mode, Reading, ReadingOptions, bind};
use gradbody_contact::{Ncp, Solver};
use gradbody_math::random::Random;
use gradbody_math::{Inertia, Sym3, Vec3};
use gradbody_model::{FrameId, JointSpec, Model, ModelBuilder};
use gradbody_neural::NetworkTrace;
use gradbody_sim::{
    Checkpointing, GradientOptions, Input, Integrator, Rollout, RolloutTrace, Sequence, State,
    StepOptions, StepScratch, StepTrace, rollout_vjp, step,
};

fn past(site: &str, previous: bool, history: usize) -> Reading {
    let site = site.to_owned();
    Reading::With(ReadingOptions { site, previous, history, mean: 0.0, scale: 1.0 })
}

/// A cart on a rail, with nothing else.
fn cart() -> Model<f64> {
    let mut cart = ModelBuilder::new("cart");
    cart.gravity(Vec3::ZERO);
    let body = Inertia {
        mass: 2.0,
        com: Vec3::ZERO,
        rotational: Sym3::diagonal(Vec3::from_f64([0.1; 3])),
    };
    cart.link("cart", FrameId::WORLD, JointSpec::prismatic("rail", Vec3::X), body).unwrap();
    cart.build().unwrap()
}

/// One linear layer that makes an output of a signal and of its values before.
fn linear(output: &'static str, reading: Reading) -> Blueprint {
    let mut augmentation = Augmentation::new("net", [output], []);
    augmentation.inputs = vec![reading];
    augmentation.network.hidden = Vec::new();
    Blueprint { signals: vec!["command".into()], augmentations: vec![augmentation] }
}

/// The velocity that a cart ends each step with if a network replaces it, with a 1 for one of its inputs.
fn copied(reading: Reading, which: usize, commands: &[f64]) -> Vec<f64> {
    let (model, options) = (cart(), StepOptions::new(1e-3));
    let mut blueprint = linear("joint/rail/end_velocity", reading);
    blueprint.augmentations[0].mode = Mode::Replace;
    let plan = Arc::new(bind(&blueprint, &model, &options.contact).unwrap());
    let mut weights = vec![0.0; plan.n_weights()];
    weights[which] = 1.0;
    let mut bound = Bound::new(plan, weights).unwrap();
    let mut state = State::neutral(&model);
    let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
    bound.begin(&mut state);
    let mut input = Input::none(&model);
    let mut after = |command: f64| {
        input.signals = vec![command];
        step(&model, &mut state, &input, &options, &mut bound, &mut trace, &mut scratch);
        state.v[0]
    };
    commands.iter().map(|command| after(*command)).collect()
}

fn check_late(found: &[f64], commands: &[f64], by: usize) {
    for (k, found) in found.iter().enumerate() {
        let expected = if k < by { 0.0 } else { commands[k - by] };
        assert!((found - expected).abs() < 1e-15, "{by} late, step {k}: {found} for {expected}");
    }
}

#[test]
fn a_history_is_the_value_and_those_of_the_steps_before_in_order() {
    let commands = Random::new(3).numbers(9);
    for late in 0..4 {
        let found = copied(past("signal/command", false, 3), late, &commands);
        check_late(&found, &commands, late);
    }
}

#[test]
fn a_previous_value_is_that_of_the_step_before_and_its_history_those_before_it() {
    let commands = Random::new(4).numbers(9);
    for which in 0..3 {
        let found = copied(past("signal/command", true, 2), which, &commands);
        check_late(&found, &commands, which + 1);
    }
}

#[test]
fn a_history_has_as_many_inputs_and_as_much_memory_as_it_says() {
    let (model, options) = (cart(), StepOptions::<f64>::new(1e-3));
    for (previous, history, inputs, memory) in
        [(false, 0, 1, 0), (false, 3, 4, 3), (true, 0, 1, 1), (true, 2, 3, 3)]
    {
        let blueprint =
            linear("joint/rail/end_velocity", past("signal/command", previous, history));
        let plan = bind(&blueprint, &model, &options.contact).unwrap();
        assert_eq!((plan.n_weights(), plan.n_memory()), (inputs + 1, memory));
    }
}

#[test]
fn a_recurrent_unit_is_carried_in_the_state() {
    let (model, options) = (cart(), StepOptions::new(1e-3));
    let mut blueprint = linear("joint/rail/passive_torque", past("signal/command", false, 0));
    blueprint.augmentations[0].network.recurrent = 3;
    blueprint.augmentations[0].network.hidden = vec![4];
    let plan = Arc::new(bind(&blueprint, &model, &options.contact).unwrap());
    assert_eq!(plan.n_memory(), 3);
    let mut bound = Bound::new(plan.clone(), plan.initial_weights()).unwrap();
    let (_, network, range) = plan.networks().next().unwrap();
    let mut alone = NetworkTrace::new(network);
    let (mut memory, mut v) = (vec![0.0; 3], 0.0);
    let mut state = State::neutral(&model);
    let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
    bound.begin(&mut state);
    let mut input = Input::none(&model);
    for command in Random::new(5).numbers(20) {
        input.signals = vec![command];
        step(&model, &mut state, &input, &options, &mut bound, &mut trace, &mut scratch);
        network.forward(&bound.weights[range.clone()], &[command], &memory, &mut alone);
        memory.copy_from_slice(alone.memory());
        v += 1e-3 * alone.outputs()[0] / 2.0;
        assert_eq!(state.memory, memory);
        assert!((state.v[0] - v).abs() < 1e-15, "{} for {v}", state.v[0]);
    }
    assert!(memory.iter().all(|m| *m != 0.0) && v != 0.0, "nothing is remembered");
}

#[test]
fn a_shared_network_remembers_for_each_of_its_places() {
    let scene = &Scene::all()[0];
    let mut of = Augmentation::new("net", ["joint/*/position"], []);
    of.inputs = vec![past("joint/*/velocity", false, 3)];
    of.network.recurrent = 2;
    let plan = bind(&Blueprint::default().with(of), &scene.model, &scene.options.contact).unwrap();
    assert_eq!(plan.networks().count(), 1);
    assert_eq!(plan.n_memory(), 2 * (3 + 2));
}

/// What networks at every stage remember, of every stage.
fn remembering() -> Vec<(String, Blueprint)> {
    let outputs = [
        ("joint/slider/position", 2e-4),
        ("joint/arm/velocity", 0.02),
        ("link/arm/mass", 0.02),
        ("link/trunk/spin/x", 0.02),
        ("link/arm/force/y", 0.2),
        ("joint/arm/actuator_force", 0.1),
        ("joint/slider/passive_torque", 0.1),
        ("joint/base/acceleration/vz", 0.1),
        ("joint/arm/end_velocity", 0.02),
    ];
    let mut all = Vec::new();
    for (output, scale) in outputs {
        for (what, previous, history, recurrent) in
            [("previous", true, 0, 0), ("history", false, 2, 0), ("recurrent", false, 0, 3)]
        {
            let mut blueprint = augmented(output, &[]);
            let of = &mut blueprint.augmentations[0];
            of.output_scale = scale;
            // Known before every output, and known after every output but the last.
            let reads =
                if previous { "joint/slider/end_velocity" } else { "joint/slider/velocity" };
            of.inputs.push(past(reads, previous, history));
            of.network.recurrent = recurrent;
            all.push((format!("{output}, {what}"), blueprint));
        }
    }
    all
}

#[test]
fn gradients_through_memory_are_those_of_dual_numbers() {
    let mut worst = 0.0_f64;
    for scene in Scene::all() {
        for (what, blueprint) in remembering() {
            let found = check_gradients(&scene, &blueprint, &format!("{}: {what}", scene.name));
            assert!(found.slope != 0.0, "{}: {what} does nothing", scene.name);
            worst = worst.max(found.error);
        }
    }
    println!("worst {worst:.1e}");
}

/// The gradient of a rollout with memory, by one way of keeping states.
fn gradient(scene: &Scene, blueprint: &Blueprint, checkpointing: Checkpointing) -> Vec<f64> {
    const STEPS: usize = 13;
    let plan = Arc::new(bind(blueprint, &scene.model, &scene.options.contact).unwrap());
    let mut bound = Bound::new(plan.clone(), plan.initial_weights()).unwrap();
    let mut start = scene.start.clone();
    bound.begin(&mut start);
    let model = &scene.model;
    let rolled = Rollout { model, start: &start, steps: STEPS, options: &scene.options };
    let mut random = Random::new(11);
    let inputs = (0..STEPS).map(|_| Input { signals: random.numbers(1), ..scene.input.clone() });
    let mut inputs = Sequence::new(model, inputs.collect());
    let mut loss = gradbody_sim::LinearState::mean_of_q(model);
    let how = GradientOptions { checkpointing, ..GradientOptions::default() };
    let trace = &mut RolloutTrace::new(model);
    let found = rollout_vjp(&rolled, &mut inputs, &mut loss, &mut bound, &how, trace);
    let found = found.checked().unwrap();
    let signals = inputs.bars.iter().flat_map(|bar| bar.signals.iter());
    let start = found.start.q.iter().chain(&found.start.v).chain(&found.start.memory);
    let numbers = bound.weights_bar.iter().chain(start).chain(signals).chain([&found.cost]);
    numbers.copied().collect()
}

#[test]
fn every_way_of_keeping_states_gives_the_same_bits() {
    for scene in Scene::all() {
        for (what, blueprint) in remembering().into_iter().step_by(4) {
            let of = |checkpointing| gradient(&scene, &blueprint, checkpointing);
            let every_step = of(Checkpointing::EveryStep);
            assert!(every_step.iter().filter(|x| **x != 0.0).count() > 20, "{what}: zeros");
            for other in [Checkpointing::StoreAll, Checkpointing::Revolve { snapshots: 3 }] {
                let same =
                    of(other).iter().zip(&every_step).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same, "{}: {what}: {other:?} differs", scene.name);
            }
        }
    }
}

/// Where the motion is known from its state alone, networks that have seen another motion in between give
/// the same.
#[test]
fn networks_remember_in_the_state_only() {
    let scene = Scene::new("hunt-crossley", Solver::HuntCrossley, Integrator::SemiImplicitEuler);
    let mut blueprint =
        augmented("joint/arm/passive_torque", &["contact/foot-ground/normal_force"]);
    blueprint.augmentations[0].inputs.push(past("contact/foot-ground/friction/x", false, 2));
    let plan = Arc::new(bind(&blueprint, &scene.model, &scene.options.contact).unwrap());
    let fresh = Bound::new(plan.clone(), plan.initial_weights()).unwrap();
    let Scene { model, input, options, .. } = &scene;
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    let mut flying = scene.start.clone();
    fresh.begin(&mut flying);
    flying.q[2] += 1.0;
    let mut touching = scene.start.clone();
    fresh.begin(&mut touching);
    let mut go = |bound: &mut Bound<f64>, state: &State<f64>| {
        let mut state = state.clone();
        for _ in 0..5 {
            step(model, &mut state, input, options, bound, &mut trace, &mut scratch);
        }
        (state.q, state.v, state.memory)
    };
    let alone = go(&mut fresh.clone(), &flying);
    let mut used = fresh.clone();
    let touched = go(&mut used, &touching);
    assert!(touched.2.iter().any(|m| *m != 0.0), "nothing touches");
    assert_eq!(go(&mut used, &flying), alone);
}

#[test]
fn a_delay_is_learnt() {
    const LATE: usize = 2;
    let model = cart();
    let options = StepOptions::new(0.02).with_solver(Solver::Ncp(Ncp::converged()));
    let mut random = Random::new(21);
    let episodes: Vec<Episode> = (0..12)
        .map(|_| {
            let commands = random.numbers(8);
            // The true cart is pushed by what was commanded two steps ago.
            let pushed = |k: usize| if k < LATE { 0.0 } else { commands[k - LATE] };
            let inputs = (0..commands.len()).map(|k| Input {
                tau: vec![pushed(k)],
                signals: vec![commands[k]],
                ..Input::none(&model)
            });
            let mut episode =
                Episode::recorded(&model, &options, State::neutral(&model), inputs.collect());
            episode.inputs.iter_mut().for_each(|input| input.tau[0] = 0.0);
            episode
        })
        .collect();
    let blueprint = linear("joint/rail/passive_torque", past("signal/command", false, 4));
    let mut training = Training::new(&blueprint, &model, &options, episodes);
    let (before, after) = training.descend(800, 0.05);
    println!("loss {before:.2e} → {after:.2e}, weights {:.4?}", training.bound.weights);
    assert!(after < 1e-6 * before, "{before:e} → {after:e}");
    for (k, weight) in training.bound.weights.iter().enumerate() {
        let expected = if k == LATE { 1.0 } else { 0.0 };
        assert!((weight - expected).abs() < 0.02, "weight {k} is {weight}");
    }
}

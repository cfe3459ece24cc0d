//! Steps with networks, and the way back over them, allocate nothing after the first ones.

#[path = "../../../tests/support/counting.rs"]
mod counting;
#[path = "whole/support/mod.rs"]
mod support;

use std::sync::Arc;

use counting::allocations;
use gradbody_augment::{
    Augmentation, Blueprint, Bound, Kind, Networks, Reading, ReadingOptions, bind,
};
use gradbody_math::Lanes;
use gradbody_model::Model;
use gradbody_neural::Damping;
use gradbody_sim::{
    Input, Simulated, State, StepCotangents, StepOptions, StepScratch, StepTrace, step, step_vjp,
};
use support::Scene;

/// Networks at every stage of a step, of every kind, with memory of both kinds.
fn blueprint(scene: &Scene) -> Blueprint {
    let mut blueprint = Blueprint { signals: scene.signals(), augmentations: Vec::new() };
    let mut add = |name: &str, output: &'static str, inputs: &[&'static str], kind: Kind| {
        let mut of = Augmentation::new(name, [output], inputs.iter().copied());
        of.kind = kind;
        of.networks = Networks::Together;
        of.output_scale = 1e-3;
        of.network.hidden = vec![4];
        if kind == Kind::Symmetric {
            of.outputs.push("link/arm/wrench".into());
        }
        blueprint.augmentations.push(of);
    };
    let here = ["contact/*/sliding_velocity", "contact/*/gap"];
    let known = ["joint/arm/velocity", "signal/temperature", "time"];
    add("start", "joint/arm/velocity", &["joint/slider/position"], Kind::Free);
    add("model", "link/arm/mass", &known, Kind::Free);
    add("links", "link/arm/motion", &known, Kind::Free);
    add("contacts", "contact/*/friction_coefficient", &here, Kind::Free);
    add("wrenches", "link/trunk/wrench", &["link/trunk/pose"], Kind::Symmetric);
    add("drag", "link/tool/wrench", &[], Kind::Dissipative(Damping::Full));
    add("spring", "joint/arm/passive_torque", &[], Kind::Conservative);
    add("felt", "joint/arm/actuator_force", &["contact/foot-ground/gap"], Kind::Free);
    add("end", "joint/*/end_velocity", &["joint/*/acceleration"], Kind::Free);
    add("friction", "contact/*/friction", &here, Kind::Dissipative(Damping::Full));
    let site = "contact/foot-ground/normal_force".to_owned();
    let late = ReadingOptions { site, previous: true, history: 2, mean: 0.0, scale: 10.0 };
    blueprint.augmentations[8].inputs.push(Reading::With(late));
    blueprint.augmentations[8].network.recurrent = 3;
    blueprint
}

fn steps_allocate_nothing<S: Simulated>(scalar: &str) {
    for scene in Scene::all() {
        let plan = bind(&blueprint(&scene), &scene.model, &scene.options.contact);
        let plan = Arc::new(plan.unwrap_or_else(|e| panic!("{e}")));
        let weights = plan.initial_weights().into_iter().map(S::from_f64).collect();
        let mut bound = Bound::new(plan, weights).unwrap();
        let model: Model<S> = scene.model.cast();
        let mut first: State<S> = scene.start.cast();
        bound.begin(&mut first);
        let input: Input<S> = scene.input.cast();
        let options: StepOptions<S> = scene.options.cast();
        let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
        let mut bars = StepCotangents::zero(&model);
        let mut state = first.clone();
        let mut go = || {
            state.copy_from(&first);
            let mut counts = [0; 2];
            for _ in 0..10 {
                counts[0] += allocations(|| {
                    let report = step(
                        &model,
                        &mut state,
                        &input,
                        &options,
                        &mut bound,
                        &mut trace,
                        &mut scratch,
                    );
                    assert!(report.contacts > 0 && report.diverged.is_none(), "nothing touches");
                });
                bars.state.clear();
                bars.state.v.fill(S::ONE);
                counts[1] += allocations(|| {
                    step_vjp(&model, &trace, &mut bound, &mut scratch, &mut bars);
                });
            }
            counts
        };
        let (first, second) = (go(), go());
        assert!(first[0] > 0, "{}: room is made at first", scene.name);
        assert_eq!(second, [0; 2], "{scalar}, {}: forwards and back", scene.name);
        assert!(bound.weights_bar.iter().any(|bar| *bar != S::ZERO), "no way back");
    }
}

#[test]
fn steps_with_networks_allocate_nothing() {
    steps_allocate_nothing::<f64>("f64");
    steps_allocate_nothing::<f32>("f32");
}

#[test]
fn steps_with_networks_in_lanes_allocate_nothing() {
    steps_allocate_nothing::<Lanes<f64, 8>>("lanes");
}

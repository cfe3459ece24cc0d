//! Weights in files: they come back as they were, with the blueprint they belong to.

use std::path::PathBuf;

use crate::support::{Scene, augmented};
use gradbody_augment::{Augmentation, Blueprint, BlueprintError, Networks, Plan, Prior, bind};
use gradbody_contact::{Ncp, Solver};
use gradbody_math::random::Random;
use gradbody_neural::{NamedWeights, WeightsFile, write_weights};
use gradbody_sim::Integrator;

fn scene() -> Scene {
    Scene::new("ncp", Solver::Ncp(Ncp::converged()), Integrator::ImplicitDamping)
}

/// A network shared by all contacts, one for each of two joints, and a recurrent one.
fn blueprint() -> Blueprint {
    let contacts = ["contact/*/gap", "contact/*/sliding_velocity"];
    let ground = Augmentation::new("ground", ["contact/*/friction_coefficient"], contacts);
    let mut joints = Augmentation::new("joints", ["joint/*/position"], ["joint/*/velocity"]);
    joints.networks = Networks::Each;
    joints.network.hidden = vec![3];
    let mut slow = Augmentation::new("slow", ["link/arm/wrench"], ["signal/temperature", "time"]);
    slow.network.recurrent = 2;
    slow.network.input_bias = true;
    let blueprint = Blueprint { signals: vec!["temperature".into()], augmentations: Vec::new() };
    blueprint.with(ground).with(joints).with(slow)
}

fn bound(blueprint: &Blueprint) -> Plan {
    let scene = scene();
    bind(blueprint, &scene.model, &scene.options.contact).unwrap_or_else(|e| panic!("{e}"))
}

/// A file of this name in a place for tests.
fn place(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("gradbody-{}-{name}.safetensors", std::process::id()))
}

/// A file that goes when the test does.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Scratch(place(name))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn weights_come_back_bit_by_bit_with_their_blueprint() {
    let file = Scratch::new("round");
    let (blueprint, plan) = (blueprint(), bound(&blueprint()));
    let weights = Random::new(3).numbers(plan.n_weights());
    plan.save(&file.0, &weights).unwrap();
    let read = Blueprint::from_weights(&file.0).unwrap();
    assert_eq!(read, blueprint);
    let again = bound(&read).load(&file.0).unwrap();
    assert!(again.len() > 50, "{} weights", again.len());
    assert!(again.iter().zip(&weights).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn each_network_has_tensors_of_its_own_name() {
    let file = Scratch::new("names");
    let plan = bound(&blueprint());
    plan.save(&file.0, &plan.initial_weights()).unwrap();
    let opened = WeightsFile::open(&file.0).unwrap();
    let names: Vec<&str> = opened.tensor_names().collect();
    for expected in [
        "ground.layers.0.weight",
        "joints.arm.layers.1.bias",
        "joints.slider.layers.0.weight",
        "slow.layers.0.weight_hh_l0",
        "slow.input_bias",
    ] {
        assert!(names.contains(&expected), "{expected} of {names:?}");
    }
}

#[test]
fn the_same_weights_make_the_same_file() {
    let (one, other) = (Scratch::new("one"), Scratch::new("other"));
    let plan = bound(&blueprint());
    plan.save(&one.0, &plan.initial_weights()).unwrap();
    plan.save(&other.0, &bound(&blueprint()).initial_weights()).unwrap();
    assert_eq!(std::fs::read(&one.0).unwrap(), std::fs::read(&other.0).unwrap());
}

#[test]
fn names_that_begin_with_other_names_are_kept_apart() {
    let file = Scratch::new("prefix");
    let linear = |name: &str| {
        let mut of = Augmentation::new(name, ["joint/arm/passive_torque"], ["time"]);
        of.network.hidden = Vec::new();
        of
    };
    let plan = bound(&Blueprint::default().with(linear("drag")).with(linear("drag.air")));
    let weights = Random::new(4).numbers(plan.n_weights());
    plan.save(&file.0, &weights).unwrap();
    assert_eq!(plan.load(&file.0).unwrap(), weights);
}

#[test]
fn a_file_that_is_not_there_or_not_of_weights_is_refused_by_its_name() {
    let plan = bound(&blueprint());
    let absent = place("absent");
    let error = plan.load(&absent).unwrap_err().to_string();
    assert!(error.starts_with(&absent.display().to_string()), "{error}");
    let text = Scratch::new("text");
    std::fs::write(&text.0, "signals = []").unwrap();
    for error in [plan.load(&text.0).unwrap_err(), Blueprint::from_weights(&text.0).unwrap_err()] {
        let error = error.to_string();
        let expected = format!("{}: not a safetensors file: ", text.0.display());
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn weights_of_other_shapes_are_refused() {
    let file = Scratch::new("shapes");
    let plan = bound(&blueprint());
    plan.save(&file.0, &plan.initial_weights()).unwrap();
    let mut wider = blueprint();
    wider.augmentations[1].network.hidden = vec![5];
    let error = bound(&wider).load(&file.0).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "{} has weights of a different blueprint (see \"joints\"); bind the file's own \
             (Blueprint::from_weights)",
            file.0.display()
        )
    );
    let mut renamed = blueprint();
    renamed.augmentations[0].name = "floor".into();
    let error = bound(&renamed).load(&file.0).unwrap_err().to_string();
    assert!(error.contains("a different blueprint (see \"ground\")"), "{error}");
    let mut shallower = blueprint();
    shallower.augmentations[0].network.hidden = vec![16];
    let error = bound(&shallower).load(&file.0).unwrap_err().to_string();
    assert!(error.contains("a different blueprint (see \"ground\")"), "{error}");
    // How weights begin and what is thought of them does not matter.
    let mut alike = blueprint();
    alike.augmentations[0].initial.seed = 9;
    alike.augmentations[1].prior.l2 = 0.1;
    assert_eq!(bound(&alike).load(&file.0).unwrap(), plan.initial_weights());
}

#[test]
fn a_file_without_a_blueprint_says_so() {
    let file = Scratch::new("bare");
    let plan = bound(&blueprint());
    let (name, network, range) = plan.networks().next().unwrap();
    let weights = vec![0.5; range.len()];
    let bare = NamedWeights { name, network, weights: &weights };
    write_weights(&file.0, &[bare], &Default::default()).unwrap();
    let error = Blueprint::from_weights(&file.0).unwrap_err();
    assert!(matches!(error, BlueprintError::NoBlueprint(_)));
    assert_eq!(
        error.to_string(),
        format!("{} has weights but no blueprint in its metadata", file.0.display())
    );
}

#[test]
fn weights_that_are_not_as_many_are_refused() {
    let plan = bound(&blueprint());
    let n = plan.n_weights();
    let expected = format!("{} weights for a blueprint that needs {n}", n - 1);
    let few = vec![0.0; n - 1];
    assert_eq!(plan.save(place("few"), &few).unwrap_err().to_string(), expected);
    let error = gradbody_augment::Bound::new(std::sync::Arc::new(plan), few).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn priors_cost_what_they_say_and_have_its_gradient() {
    let scene = scene();
    let mut blueprint = augmented("joint/arm/passive_torque", &[]);
    blueprint.augmentations[0].prior = Prior { l1_inputs: 0.3, group_inputs: 0.7, l2: 0.5 };
    let plan = bind(&blueprint, &scene.model, &scene.options.contact).unwrap();
    let weights = Random::new(3).numbers(plan.n_weights());
    let mut bar = vec![0.0; weights.len()];
    let cost = plan.penalty(&weights, &mut bar).unwrap();
    // Three inputs, four neurons, one output: the first matrix by inputs, then its bias, the second, its bias.
    let first = &weights[..12];
    let groups: f64 = first.chunks(4).map(|w| w.iter().map(|w| w * w).sum::<f64>().sqrt()).sum();
    let l1: f64 = first.iter().map(|w| w.abs()).sum();
    let l2: f64 = weights[16..20].iter().map(|w| w * w).sum();
    assert!((cost - (0.3 * l1 + 0.7 * groups + 0.25 * l2)).abs() < 1e-14 * cost);
    for k in 0..weights.len() {
        let at = |step: f64| {
            let mut moved = weights.clone();
            moved[k] += step;
            plan.penalty(&moved, &mut vec![0.0; weights.len()]).unwrap()
        };
        let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
        assert!((slope - bar[k]).abs() < 1e-8, "weight {k}: {slope}, not {}", bar[k]);
    }
    assert!(bar[12..16].iter().chain(&bar[20..]).all(|bar| *bar == 0.0), "biases cost nothing");
    assert!(plan.penalty(&weights[1..], &mut bar).is_err());
}

//! What one network has changed is what those after it read, within a step and in the next.

use std::sync::Arc;

use crate::support::Scene;
use gradbody_augment::{Augmentation, Blueprint, Bound, Kind, Mode, Reading, ReadingOptions, bind};
use gradbody_contact::Solver;
use gradbody_neural::Damping;
use gradbody_sim::{Integrator, StepScratch, StepTrace, step};

/// A network that leaves the value of a site as the velocity of the arm, at the end of a step.
fn reader(site: &str, previous: bool) -> Augmentation {
    let mut reader = Augmentation::new("reader", ["joint/arm/end_velocity"], []);
    let site = site.to_owned();
    let reading = ReadingOptions { site, previous, history: 0, mean: 0.0, scale: 1.0 };
    reader.inputs = vec![Reading::With(reading)];
    reader.mode = Mode::Replace;
    reader.network.hidden = Vec::new();
    reader
}

/// What the reader reads of a site in the first step, or of that in the second, if a network before it
/// has this bias.
fn seen(scene: &Scene, writer: &Augmentation, site: &str, previous: bool, bias: f64) -> f64 {
    // The reader stands first, and yet runs after what it reads is changed.
    let blueprint = Blueprint { signals: scene.signals(), augmentations: Vec::new() };
    let blueprint = blueprint.with(reader(site, previous)).with(writer.clone());
    let plan = bind(&blueprint, &scene.model, &scene.options.contact);
    let plan = Arc::new(plan.unwrap_or_else(|e| panic!("{site}: {e}")));
    let mut weights = vec![0.0; plan.n_weights()];
    weights[0] = 1.0;
    *weights.last_mut().unwrap() = bias;
    let n_outputs = plan.networks().nth(1).unwrap().1.n_outputs();
    let first = weights.len() - n_outputs;
    weights[first..].fill(bias);
    let mut bound = Bound::new(plan, weights).unwrap();
    let Scene { model, input, options, .. } = scene;
    let mut state = scene.start.clone();
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    bound.begin(&mut state);
    // The foot touches.
    state.q[2] -= 0.01;
    for _ in 0..if previous { 2 } else { 1 } {
        step(model, &mut state, input, options, &mut bound, &mut trace, &mut scratch);
    }
    state.v[6]
}

fn writer(kind: Kind, outputs: &[&'static str], inputs: &[&'static str]) -> Augmentation {
    let mut of = Augmentation::new("writer", outputs.iter().copied(), inputs.iter().copied());
    of.kind = kind;
    of.network.hidden = Vec::new();
    of
}

fn check(scene: &Scene, writer: &Augmentation, site: &str, by: f64) {
    for previous in [false, true] {
        let (without, with) =
            (seen(scene, writer, site, previous, 0.0), seen(scene, writer, site, previous, 1.5));
        let label = format!("{:?} on {site}, previous: {previous}", writer.kind);
        let change = with - without;
        assert!((change - by).abs() < 1e-9 * (1.0 + without.abs()), "{label}: {change}, not {by}");
    }
}

#[test]
fn a_reader_sees_what_was_added() {
    let scene = Scene::new("hunt-crossley", Solver::HuntCrossley, Integrator::SemiImplicitEuler);
    for site in [
        "joint/slider/velocity",
        "link/tool/velocity/x",
        "link/arm/force/x",
        "link/arm/local_torque/z",
        "link/arm/mass",
        "joint/slider/actuator_force",
        "joint/slider/passive_torque",
        "joint/slider/acceleration",
        "contact/foot-ground/friction_coefficient",
        "contact/foot-ground/friction/y",
    ] {
        let mut writer = writer(Kind::Free, &[], &["time"]);
        writer.outputs = vec![site.into()];
        check(&scene, &writer, site, 1.5);
    }
}

#[test]
fn a_reader_sees_what_a_kind_has_added() {
    let scene = Scene::new("hunt-crossley", Solver::HuntCrossley, Integrator::SemiImplicitEuler);
    let drag = writer(Kind::Dissipative(Damping::Isotropic), &["joint/slider/passive_torque"], &[]);
    // −1.5² times the velocity at the start.
    let by = -1.5 * 1.5 * scene.start.v[7];
    let seen = |bias| seen(&scene, &drag, "joint/slider/passive_torque", false, bias);
    let change = seen(1.5) - seen(0.0);
    assert!((change - by).abs() < 1e-12, "{change}, not {by}");
    let outputs = ["link/trunk/force", "link/tool/force"];
    let push = writer(Kind::Symmetric, &outputs, &["time"]);
    check(&scene, &push, "link/trunk/force/x", 1.5);
    check(&scene, &push, "link/tool/force/x", -1.5);
}

/// A force in the world's axes is one in the link's; a push at a distance is a torque, too.
#[test]
fn a_reader_sees_what_was_added_by_another_name() {
    let scene = Scene::new("hunt-crossley", Solver::HuntCrossley, Integrator::SemiImplicitEuler);
    let changes = |writer: &Augmentation, site: &str| {
        [false, true].map(|previous| {
            seen(&scene, writer, site, previous, 1.5) - seen(&scene, writer, site, previous, 0.0)
        })
    };
    let force = writer(Kind::Free, &["link/arm/force/x"], &["time"]);
    for change in changes(&force, "link/arm/local_force/z") {
        assert!(change.abs() > 0.1, "{change}");
    }
    let push = writer(Kind::Symmetric, &["link/trunk/force", "link/tool/force"], &["time"]);
    for change in changes(&push, "link/trunk/torque/y") {
        assert!(change.abs() > 0.01, "{change}");
    }
}

/// Networks that change one thing do so in the order in which they are written.
#[test]
fn what_is_replaced_and_then_added_to_is_both() {
    let scene = Scene::new("hunt-crossley", Solver::HuntCrossley, Integrator::SemiImplicitEuler);
    let one = |name: &str, mode: Mode| {
        let mut one = Augmentation::new(name, ["joint/arm/end_velocity"], ["time"]);
        one.mode = mode;
        one.network.hidden = Vec::new();
        one
    };
    for (first, second, expected) in [
        (Mode::Replace, Mode::Add, 5.0),
        (Mode::Add, Mode::Replace, 3.0),
        (Mode::Replace, Mode::Scale, 8.0),
    ] {
        let blueprint = Blueprint::default().with(one("a", first)).with(one("b", second));
        let plan = Arc::new(bind(&blueprint, &scene.model, &scene.options.contact).unwrap());
        // A weight of time and a bias, twice.
        let mut bound = Bound::new(plan, vec![0.0, 2.0, 0.0, 3.0]).unwrap();
        let mut state = scene.start.clone();
        let Scene { model, input, options, .. } = &scene;
        let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
        step(model, &mut state, input, options, &mut bound, &mut trace, &mut scratch);
        assert!((state.v[6] - expected).abs() < 1e-12, "{first:?}, {second:?}: {}", state.v[6]);
    }
}

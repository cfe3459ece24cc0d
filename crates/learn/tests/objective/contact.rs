//! A viscous drag under a body that slides on a rigid ground, which the model lacks: a network at the contact learns it,
//! and `discover` finds it.

use std::ops::ControlFlow;
use std::path::Path;

use gradbody_contact::Contact;
use gradbody_learn::data::{Channel, DataSet, Dimension, Trajectory, Unit};
use gradbody_learn::discover::{Discovery, discover};
use gradbody_learn::judge::Predictor;
use gradbody_learn::run::{FitStage, Run};
use gradbody_learn::{DataPart, Experiment, Setup};
use gradbody_math::random::Random;
use gradbody_math::{Inertia, Sym3, Transform, Vec3};
use gradbody_model::import::{ImportReport, Imported};
use gradbody_model::{FrameId, JointSpec, Material, Model, ModelBuilder, ShapeKind, ShapeParams};
use gradbody_sim::{Simulation, State, StepOptions, TapRecord, Taps};

/// Time between samples [s], and their number.
const PERIOD: f64 = 0.01;
const SAMPLES: usize = 60;
/// The drag of the ground [N s/m].
const DRAG: f64 = 3.0;
/// Noise of the positions [m].
const NOISE: f64 = 1e-4;

const EXPERIMENT: &str = r#"
name = "puck"

[model]
file = "puck"

[data]
files = "tosses"
split = { named = { train = ["1?"], validation = ["2?"], test = ["3?"] } }

[channels]
x = { is = "joint/x/position", unit = "m", noise = 1e-4 }
y = { is = "joint/y/position", unit = "m", noise = 1e-4 }
z = { is = "joint/z/position", unit = "m", noise = 1e-4 }

[change]
parameters = ["shape/ball/friction"]

[objective]
window = 15

[prediction]
warm-up = 4
baselines = []

[training]
optimiser = { method = "levenberg-marquardt" }
limits = { iterations = 20 }

[discover]
shares = [0.1]
iterations = 12
windows = 16
"#;

/// A ball that does not turn, above a rough ground.
fn puck() -> Model<f64> {
    let body = |mass: f64| Inertia {
        mass,
        com: Vec3::ZERO,
        rotational: Sym3::diagonal(Vec3::new(0.02, 0.03, 0.04)),
    };
    let mut puck = ModelBuilder::new("puck");
    let x = JointSpec::prismatic("x", Vec3::X);
    let x = puck.link("rail", FrameId::WORLD, x, body(0.05)).unwrap();
    let y = puck.link("carriage", x, JointSpec::prismatic("y", Vec3::Y), body(0.05)).unwrap();
    let z = puck.link("puck", y, JointSpec::prismatic("z", Vec3::Z), body(1.0)).unwrap();
    // The larger friction of two surfaces counts.
    let shape = |size: f64, friction: f64| ShapeParams {
        placement: Transform::IDENTITY,
        size: Vec3::new(size, 0.0, 0.0),
        material: Material::with_friction(friction),
    };
    puck.shape("ball", z, ShapeKind::Sphere, shape(0.1, 0.1)).unwrap();
    puck.shape("ground", FrameId::WORLD, ShapeKind::Plane, shape(0.0, 0.0)).unwrap();
    puck.build().unwrap()
}

/// The ground as it is: it drags at what slides on it.
struct Sticky;

impl Taps<f64> for Sticky {
    fn acts_at_rigid_contacts(&self) -> bool {
        true
    }

    fn contact_forces(&mut self, _: &mut TapRecord, contacts: &mut [Contact<f64>]) {
        for contact in contacts.iter_mut().filter(|contact| contact.gap < 1e-9) {
            let Contact { velocity_w, normal_w, .. } = *contact;
            contact.force_w -= (velocity_w - normal_w * velocity_w.dot(normal_w)) * DRAG;
        }
    }
}

/// Tosses of the puck: it falls some centimetres and slides on.
fn tosses() -> DataSet {
    let model = puck();
    let mut random = Random::new(5);
    let mut toss = |name: String| {
        let mut start = State::neutral(&model);
        start.q[2] = 0.1 + random.between(0.0, 0.06);
        start.v[0] = random.between(-2.0, 2.0);
        start.v[1] = random.between(-2.0, 2.0);
        let mut world = Simulation::new(&model, StepOptions::new(PERIOD)).from_state(start);
        let mut seen = vec![Vec::new(); 3];
        for _ in 0..SAMPLES {
            for (values, q) in seen.iter_mut().zip(&world.state.q) {
                values.push(q + NOISE * random.normal());
            }
            world.step_with(&mut Sticky);
        }
        let channel = |(name, values): (&str, Vec<f64>)| Channel {
            name: name.into(),
            unit: Unit::si(Dimension::Length),
            values,
        };
        Trajectory {
            name: name.clone(),
            origin: name.clone(),
            file: name,
            t: (0..SAMPLES).map(|k| PERIOD * k as f64).collect(),
            channels: ["x", "y", "z"].into_iter().zip(seen).map(channel).collect(),
        }
    };
    let names = [10, 11, 12, 13, 20, 21, 30, 31];
    let trajectories = names.into_iter().map(|k| toss(k.to_string())).collect();
    DataSet { trajectories, files: Vec::new() }
}

fn setup(text: &str) -> Setup {
    let experiment = Experiment::from_toml(text, "puck").unwrap();
    let load = |_: &Path, _: &_| Ok(Imported { model: puck(), report: ImportReport::default() });
    Setup::with_data(experiment, Path::new(""), &load, tosses()).unwrap()
}

/// The root mean square errors of x and y on the test part [m].
fn errors(setup: &Setup, by: &Predictor) -> [f64; 2] {
    let trials = setup.trials(DataPart::Test).unwrap();
    let predicted = setup.predict(by, &trials).unwrap();
    let table = setup.errors("", 0, &trials, &predicted);
    assert_eq!(table.diverged, 0);
    [table.channels[0].rms, table.channels[1].rms]
}

#[test]
fn a_dissipative_network_at_a_rigid_contact_learns_the_drag_of_the_ground() {
    let network = r#"
[[augmentation]]
name = "drag"
outputs = ["contact/*/friction"]
inputs = ["contact/*/sliding_speed"]
kind = { dissipative = "isotropic" }
network = { hidden = [3] }
"#;
    let text = format!("{EXPERIMENT}{network}");
    let mut run = Run::new(setup(&text), &text);
    assert!(run.go(&mut |_| ControlFlow::Continue(())).unwrap());
    let without = run.after(FitStage::Parameters).unwrap().unwrap();
    let with = run.after(FitStage::Networks).unwrap().unwrap();
    let (before, after) = (errors(run.setup(), &without), errors(run.setup(), &with));
    println!("test errors [m]: {before:?} without the network, {after:?} with it");
    for (before, after) in before.into_iter().zip(after) {
        assert!(after < 0.1 * before, "{before} → {after}");
    }
}

#[test]
fn discover_names_the_contact_and_its_damping() {
    let setup = setup(EXPERIMENT);
    let options = setup.experiment.discover.clone();
    let go_on = &mut |_: &str, _: usize, _: usize| ControlFlow::Continue(());
    let found: Discovery = discover(&setup, EXPERIMENT, &options, go_on).unwrap().unwrap();
    println!("{}", found.words().join("\n"));
    for candidate in &found.candidates {
        println!("{} {:.1} % ({:?})", candidate.site, candidate.gain, candidate.kept);
    }
    let best = &found.candidates[0];
    assert_eq!(best.site, "contact/*/friction");
    assert_eq!(best.kept, ["contact/*/sliding_speed"]);
    assert!(best.gain > 80.0 && best.test_gain.unwrap() > 80.0, "{best:?}");
    let law = best.law.as_ref().unwrap();
    // Without the drag, dry friction had to stand in for it.
    let (_, without, with) = best.parameters[0];
    assert!(without > 0.2 && (with - 0.1).abs() < 0.01, "{:?}", best.parameters);
    assert!((law.slope + DRAG).abs() < 0.05 * DRAG, "{law:?}");
    assert!(found.words()[0].contains("viscous damping"), "{:?}", found.words());
    // Sites of joints have their own inputs.
    let joint = found.candidates.iter().find(|c| c.site == "joint/x/passive_torque").unwrap();
    assert!(joint.inputs.iter().all(|(input, _)| input.starts_with("joint/")), "{joint:?}");
}

//! A double pendulum in a plane, shared by several experiments.

use gradbody::contact::Solver;
use gradbody::learn::objective::{NoiseLaw, Observer, Recording, Sees, Sensor};
use gradbody::math::{Inertia, Sym3, Transform, Vec3};
use gradbody::model::{FrameId, JointSpec, Model, ModelBuilder};
use gradbody::sim::{Input, NoTaps, State, StepOptions, StepScratch, StepTrace, step};

/// Its joints, in order.
pub(super) const JOINTS: [&str; 2] = ["shoulder", "elbow"];

/// Mass of each link [kg] and its central moment of inertia, that of a ball of radius 15 cm [kg m²].
const MASS: f64 = 1.0;
const MOMENT: f64 = 0.4 * MASS * 0.15 * 0.15;

/// The model with the given link lengths [m] and joint damping [N m s/rad]. Each mass is at the end of its link. At
/// q = 0 the pendulum hangs.
pub(super) fn model(lengths: [f64; 2], damping: [f64; 2]) -> anyhow::Result<Model<f64>> {
    let mut builder = ModelBuilder::new("double pendulum");
    let mut parent = FrameId::WORLD;
    let mut hinge = Vec3::ZERO;
    for ((link, joint), (length, damping)) in
        ["upper", "lower"].into_iter().zip(JOINTS).zip(lengths.into_iter().zip(damping))
    {
        let end = Vec3::new(0.0, 0.0, -length);
        let inertia = Inertia {
            mass: MASS,
            com: end,
            rotational: Sym3::diagonal(Vec3::new(MOMENT, MOMENT, MOMENT)),
        };
        let mut joint = JointSpec::revolute(joint, Vec3::Y).at(Transform::from_translation(hinge));
        joint.params.damping = damping;
        parent = builder.link(link, parent, joint, inertia)?;
        hinge = end;
    }
    Ok(builder.build()?)
}

/// Step options.
pub(super) fn options(dt: f64) -> StepOptions<f64> {
    StepOptions::new(dt).with_solver(Solver::Off)
}

/// The states at the sample times, the first at the start. Only gravity acts.
pub(super) fn motion(
    model: &Model<f64>,
    (q, v): ([f64; 2], [f64; 2]),
    samples: usize,
    options: &StepOptions<f64>,
) -> Vec<State<f64>> {
    let input = Input::none(model);
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    let mut state = State::neutral(model);
    state.q.copy_from_slice(&q);
    state.v.copy_from_slice(&v);
    let mut states = vec![state.clone()];
    while states.len() < samples {
        step(model, &mut state, &input, options, &mut NoTaps, &mut trace, &mut scratch);
        states.push(state.clone());
    }
    states
}

/// A sensor for the angle of each joint, with this standard deviation [rad].
pub(super) fn angles(noise: f64) -> Vec<Sensor> {
    let sensor = |(k, joint): (usize, &str)| Sensor {
        name: format!("joint/{joint}/position"),
        sees: Sees::Position(k, k),
        noise,
        estimated: false,
        law: NoiseLaw::Gaussian,
    };
    JOINTS.into_iter().enumerate().map(sensor).collect()
}

/// A sensor for the velocity of each joint, with this standard deviation [rad/s].
pub(super) fn velocities(noise: f64) -> Vec<Sensor> {
    let sensor = |(k, joint): (usize, &str)| Sensor {
        name: format!("joint/{joint}/velocity"),
        sees: Sees::Velocity(k),
        noise,
        estimated: false,
        law: NoiseLaw::Gaussian,
    };
    JOINTS.into_iter().enumerate().map(sensor).collect()
}

/// The sensor readings along a motion, each passed through `noisy`.
pub(super) fn recording(
    model: &Model<f64>,
    states: &[State<f64>],
    sensors: &[Sensor],
    noisy: impl FnMut(f64) -> f64,
) -> Recording {
    let mut observer = Observer::new(model, sensors);
    let mut measured = Vec::new();
    for state in states {
        observer.predict(sensors, model, state, &mut measured);
    }
    Recording {
        name: "simulated".into(),
        begin: 0.0,
        measured: measured.into_iter().map(noisy).collect(),
        present: vec![1.0; states.len() * sensors.len()],
        inputs: Vec::new(),
        samples: states.len(),
    }
}

//! The measured scenes: a quadruped that stands and one that trots, an ant, a pendulum that falls onto the ground, and
//! heaps of boxes.

use std::path::Path;

use gradbody::math::{Inertia, Mat3, Scalar, Sym3, Transform, Vec3};
use gradbody::model::import::{ImportOptions, from_text, load};
use gradbody::model::{
    Activation, Actuator, ActuatorParams, FrameId, JointId, JointSpec, Keyframe, Material, Model,
    ModelBuilder, ShapeKind, ShapeParams,
};
use gradbody::sim::{Input, State, StepOptions};

use super::boxes::{self, FallingBox, Heap};
use super::clock::Stretch;
use crate::workloads::pend5;

pub(super) const SCENES: [&str; 7] =
    ["laikago_stand", "laikago_trot", "ant_stand", "pend5", "pile10", "pile50", "pile200"];

/// A world to step, and which of its steps are measured.
pub(super) struct Scene {
    pub(super) model: Model<f64>,
    pub(super) options: StepOptions<f64>,
    pub(super) start: State<f64>,
    pub(super) drive: Drive,
    /// Steps until everything has come to rest, in one world.
    pub(super) settle: usize,
    /// Largest random velocity change given after that to every world of a batch but the first [m/s, rad/s].
    pub(super) jolt: f64,
    /// Steps after the velocity change, before the measured ones.
    pub(super) resettle: usize,
    pub(super) measured: Stretch,
}

impl Scene {
    /// The scene in a given state and scalar, with the controls that hold the pose.
    pub(super) fn cast<S: Scalar>(
        &self,
        state: &State<f64>,
    ) -> (Model<S>, State<S>, Input<S>, StepOptions<S>) {
        let model: Model<S> = self.model.cast();
        let mut input = Input::none(&model);
        for (control, home) in input.control.iter_mut().zip(&self.drive.home) {
            *control = S::from_f64(*home);
        }
        (model, state.cast(), input, self.options.cast())
    }
}

/// The controls of the actuators.
pub(super) struct Drive {
    /// The controls that hold the pose.
    pub(super) home: Vec<f64>,
    /// Whether the measured steps are a trot around it.
    pub(super) trots: bool,
}

impl Drive {
    /// The controls of the trot at a time [s] after the start of the measured steps.
    pub(super) fn trot(&self, time: f64, mut set: impl FnMut(usize, f64)) {
        for (leg, home) in self.home.as_chunks::<3>().0.iter().enumerate() {
            // Two strides per second, diagonal legs together. A calf is drawn in while its thigh swings forward.
            let side = if leg == 0 || leg == 3 { 1.0 } else { -1.0 };
            let swing = side * 0.08 * (4.0 * std::f64::consts::PI * time).sin();
            set(3 * leg, home[0]);
            set(3 * leg + 1, home[1] + swing);
            set(3 * leg + 2, home[2] - 2.0 * swing.max(0.0));
        }
    }
}

pub(super) fn scene(name: &str, folder: Option<&Path>) -> anyhow::Result<Scene> {
    match name {
        "laikago_stand" => laikago(folder, false, Stretch { steps: 200, chunk: 25 }),
        "laikago_trot" => laikago(folder, true, Stretch { steps: 1000, chunk: 25 }),
        "ant_stand" => ant(folder),
        "pend5" => pendulum(),
        "pile10" => heap(10, Stretch { steps: 100, chunk: 5 }),
        "pile50" => heap(50, Stretch { steps: 40, chunk: 1 }),
        _ => heap(200, Stretch { steps: 20, chunk: 1 }),
    }
}

/// Laikago on the ground, held by position servos; from the given folder, or the built-in model.
fn laikago(folder: Option<&Path>, trots: bool, measured: Stretch) -> anyhow::Result<Scene> {
    let model = match folder {
        Some(folder) => load(folder.join("laikago_plane.xml"), &ImportOptions::default())?.model,
        None => standing_laikago(true)?,
    };
    // The first keyframe of an MJCF is the pose of the file itself; the last is the standing pose.
    let Some(home) = model.topology.keyframes.last() else {
        anyhow::bail!("laikago_plane.xml has no keyframe to stand in");
    };
    Ok(Scene {
        start: State::from_keyframe(&model, home),
        drive: Drive { home: home.control.clone(), trots },
        options: StepOptions::new(model.topology.timestep.unwrap_or(0.002)),
        model,
        // It sways for a long time because the servos have little damping.
        settle: 20_000,
        jolt: 0.1,
        resettle: 20_000,
        measured,
    })
}

/// The ant of reinforcement learning, without controls: its ankles rest on their stops. From the given folder, or the
/// built-in model.
fn ant(folder: Option<&Path>) -> anyhow::Result<Scene> {
    let model = match folder {
        Some(folder) => load(folder.join("ant.xml"), &ImportOptions::default())?.model,
        None => {
            let text = include_str!("../../models/ant.xml");
            from_text(text, Path::new("ant.xml"), &ImportOptions::default())?.model
        }
    };
    let Some(stand) = model.topology.keyframes.last() else {
        anyhow::bail!("ant.xml has no keyframe to stand in");
    };
    Ok(Scene {
        start: State::from_keyframe(&model, stand),
        drive: Drive { home: vec![0.0; model.topology.actuators.len()], trots: false },
        options: StepOptions::new(model.topology.timestep.unwrap_or(0.01)),
        model,
        settle: 2000,
        jolt: 0.1,
        resettle: 2000,
        measured: Stretch { steps: 200, chunk: 25 },
    })
}

fn standing_laikago(on_ground: bool) -> anyhow::Result<Model<f64>> {
    let text = include_str!("../../models/laikago.urdf");
    let file = Path::new("laikago.urdf");
    let mut model = from_text(text, file, &ImportOptions::default())?.model;
    let surface = Material::with_friction(0.8);
    model.params.shapes.iter_mut().for_each(|shape| shape.material = surface);
    if on_ground {
        model.add_ground(0.0, surface)?;
    }
    for (i, link) in model.topology.links.iter().enumerate().skip(1) {
        model.topology.actuators.push(Actuator {
            name: link.joint.name.clone(),
            joint: JointId::new(i),
            activation: Activation::Direct,
        });
        model.params.actuators.push(ActuatorParams::position(150.0, 2.0));
    }
    let control = [0.0, 0.7, -1.4].repeat(4);
    let mut q = vec![0.0, 0.0, 0.409, 1.0, 0.0, 0.0, 0.0];
    q.extend(&control);
    let home = Keyframe { name: "home".into(), q, v: vec![], activation: vec![], control };
    model.topology.keyframes.push(home);
    model.topology.timestep = Some(0.002);
    Ok(model)
}

/// Robots that stand side by side on one ground.
pub(super) fn standing_robots(n: usize, folder: Option<&Path>) -> anyhow::Result<Scene> {
    let mut scene = laikago(folder, false, Stretch { steps: 1, chunk: 1 })?;
    if n == 1 {
        return Ok(scene);
    }
    let robot = standing_laikago(false)?;
    let mut model = robot.clone();
    for i in 1..n {
        model.append(&robot, &format!("robot{i}-"))?;
    }
    model.add_ground(0.0, Material::with_friction(0.8))?;
    let Some(home) = model.topology.keyframes.last() else {
        anyhow::bail!("the robot has no keyframe to stand in");
    };
    scene.start = State::from_keyframe(&model, home);
    for i in 0..n {
        scene.start.q[i * robot.nq()] = 2.0 * i as f64;
    }
    scene.drive.home = home.control.clone();
    scene.model = model;
    Ok(scene)
}

/// The five-link pendulum of the Tiny Differentiable Simulator, with its settings: only penetrating bodies are
/// contacts, and fifty sweeps start from zero in each step.
fn pendulum() -> anyhow::Result<Scene> {
    let model = pend5::model()?;
    Ok(Scene {
        options: pend5::options(pend5::SWEEPS),
        start: pend5::start(&model),
        model,
        drive: Drive { home: vec![], trots: false },
        settle: 0,
        jolt: 0.01,
        resettle: 0,
        measured: Stretch { steps: pend5::STEPS, chunk: 50 },
    })
}

/// Boxes that have fallen into a pit.
fn heap(n: usize, measured: Stretch) -> anyhow::Result<Scene> {
    let Heap { half_width, boxes } = Heap::new(n);
    let mut builder = ModelBuilder::new(format!("pile{n}"));
    let material = Material::with_friction(boxes::FRICTION);
    let plane = |placement| ShapeParams { placement, size: Vec3::ZERO, material };
    let floor = plane(Transform::IDENTITY);
    builder.shape("floor", FrameId::WORLD, ShapeKind::Plane, floor)?;
    // A wall is a plane with its z axis turned inwards.
    let walls = [("-x", Vec3::X), ("+x", -Vec3::X), ("-y", Vec3::Y), ("+y", -Vec3::Y)];
    for (name, inwards) in walls {
        let turned = Mat3 { cols: [Vec3::Z.cross(inwards), Vec3::Z, inwards] };
        let wall = plane(Transform::new(turned, inwards * -half_width));
        builder.shape(format!("wall {name}"), FrameId::WORLD, ShapeKind::Plane, wall)?;
    }
    let mut q = Vec::new();
    for (i, FallingBox { half: [a, b, c], position, rotation }) in boxes.into_iter().enumerate() {
        let mass = boxes::DENSITY * 8.0 * a * b * c;
        let inertia = Vec3::new(b * b + c * c, c * c + a * a, a * a + b * b) * (mass / 3.0);
        let inertia = Inertia { mass, com: Vec3::ZERO, rotational: Sym3::diagonal(inertia) };
        let name = format!("box{i}");
        let link = builder.link(&name, FrameId::WORLD, JointSpec::free(&name), inertia)?;
        let size = Vec3::new(a, b, c);
        let shape = ShapeParams { placement: Transform::IDENTITY, size, material };
        builder.shape(&name, link, ShapeKind::Box, shape)?;
        q.extend(position);
        q.extend(rotation);
    }
    let model = builder.build()?;
    let mut start = State::neutral(&model);
    start.q.copy_from_slice(&q);
    Ok(Scene {
        model,
        options: StepOptions::new(boxes::DT),
        start,
        drive: Drive { home: vec![], trots: false },
        settle: boxes::SETTLE,
        jolt: 0.3,
        resettle: 150,
        measured,
    })
}

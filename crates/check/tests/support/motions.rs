//! Motions with contact to check gradients on: a robot that stands, lands, slides and lies, in given and random poses.

use gradbody_contact::exclude_overlaps;
use gradbody_dynamics::integrate;
use gradbody_math::random::{Random, SplitMix64};
use gradbody_math::{Inertia, Sym3, Transform, Vec3};
use gradbody_model::import::{Format, ImportError, ImportOptions, load};
use gradbody_model::{
    FrameId, JointKind, JointSpec, Material, Model, ModelBuilder, ShapeKind, ShapeParams,
};
use gradbody_sim::{Simulation, State, StepOptions};

/// A motion to check.
pub(crate) struct Motion {
    /// What the robot does: "stand", "random 2 slide".
    #[allow(dead_code, reason = "not every program prints it")]
    pub(crate) name: String,
    /// The model, on a ground.
    pub(crate) model: Model<f64>,
    /// Where it begins.
    pub(crate) start: State<f64>,
    /// Time step [s].
    pub(crate) dt: f64,
}

/// The motions of a model file, or of `boxes`, one on the other: from its last keyframe, and from `random` poses around
/// it.
pub(crate) fn motions(file: &str, random: usize) -> Result<Vec<Motion>, ImportError> {
    let (mut model, is_urdf) = match file {
        "boxes" => (boxes(), false),
        _ => {
            let imported = load(file, &ImportOptions::default())?;
            (imported.model, imported.report.format == Format::Urdf)
        }
    };
    if !model.topology.shapes.iter().any(|shape| matches!(shape.kind, ShapeKind::Plane)) {
        model.add_ground(0.0, Material::with_friction(0.8)).expect("a ground fits every model");
    }
    let dt = model.topology.timestep.unwrap_or(1e-3);
    let mut numbers = Random::split_mix(1);
    let pose = match model.topology.keyframes.last() {
        Some(key) => key.q.clone(),
        None => Simulation::new(&model, StepOptions::new(dt)).state.q,
    };
    let mut all = Vec::new();
    for k in 0..=random {
        let mut q = pose.clone();
        let mut prefix = String::new();
        if k > 0 {
            let by: Vec<f64> = (0..model.nv()).map(|_| 0.7 * numbers.signed()).collect();
            integrate(&model, &mut q, &by);
            prefix = format!("random {k} ");
        }
        for (name, start) in of_pose(&model, q, dt, &mut numbers) {
            let mut model = model.clone();
            if is_urdf {
                exclude_overlaps(&mut model, &start.q);
            }
            all.push(Motion { name: format!("{prefix}{name}"), model, start, dt });
        }
    }
    Ok(all)
}

/// A short name of a model file: Gymnasium's files are called as ours are.
#[allow(dead_code, reason = "tests give names themselves")]
pub(crate) fn name(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    match file.contains("gymnasium") {
        true => format!("gymnasium {name}"),
        false => name.into(),
    }
}

/// Starts of motions from one pose: around the first touch when dropped. A robot that cannot be dropped moves.
fn of_pose(
    model: &Model<f64>,
    q: Vec<f64>,
    dt: f64,
    numbers: &mut Random<SplitMix64>,
) -> Vec<(&'static str, State<f64>)> {
    let Some((land, landed)) = dropped(model, &q, dt) else {
        let mut start = State::neutral(model);
        start.q = q;
        start.v.iter_mut().for_each(|v| *v = numbers.signed());
        return vec![("move", start)];
    };
    let mut stand = landed;
    stand.v.fill(0.0);
    let mut slide = stand.clone();
    // Along x, of a free root and of a planar one.
    slide.v[0] = 0.5;
    let mut fallen = Simulation::new(model, StepOptions::new(dt)).from_state(stand.clone());
    fallen.state.v.iter_mut().for_each(|v| *v += 0.1 * numbers.signed());
    let lies = fallen.run((0.7 / dt) as usize).is_ok();
    let mut all = vec![("stand", stand), ("land", land), ("slide", slide)];
    if lies {
        all.push(("lie", fallen.state.clone()));
    }
    for (_, start) in &mut all {
        start.time = 0.0;
        start.contact.clear();
    }
    all
}

/// The states before and after the step in which something presses first, if the robot is lifted and dropped; `None` if
/// it cannot be lifted or nothing ever presses.
fn dropped(model: &Model<f64>, q: &[f64], dt: f64) -> Option<(State<f64>, State<f64>)> {
    let mut world = Simulation::new(model, StepOptions::new(dt));
    world.state.q.copy_from_slice(q);
    let mut lifted = false;
    for link in &model.topology.links {
        let height = match link.joint.kind {
            JointKind::Free if link.parent.is_none() => 2,
            _ if ["rootz", "root_z"].contains(&link.joint.name.as_str()) => 0,
            _ => continue,
        };
        world.state.q[link.joint.q_start + height] += 0.8;
        lifted = true;
    }
    for _ in 0..if lifted { (2.0 / dt) as usize } else { 0 } {
        world.step();
        if world.contacts().iter().any(|contact| contact.force_w.norm() > 0.0) {
            return Some((world.trace().start().clone(), world.state.clone()));
        }
    }
    None
}

/// Two boxes, one above the other.
fn boxes() -> Model<f64> {
    let mut builder = ModelBuilder::new("boxes");
    let half = Vec3::new(0.1, 0.12, 0.05);
    for i in 0..2 {
        let inertia = Inertia {
            mass: 1.0,
            com: Vec3::ZERO,
            rotational: Sym3::diagonal(Vec3::new(0.0056, 0.0042, 0.0081)),
        };
        let placement = Transform::from_translation(Vec3::new(0.0, 0.0, 0.05 + 0.1002 * i as f64));
        let joint = JointSpec::free(format!("free {i}")).at(placement);
        let link = builder.link(format!("box {i}"), FrameId::WORLD, joint, inertia);
        let material = Material::with_friction(0.6);
        let shape = ShapeParams { placement: Transform::IDENTITY, size: half, material };
        let link = link.expect("a valid link");
        builder.shape(format!("box {i}"), link, ShapeKind::Box, shape).expect("a valid shape");
    }
    builder.build().expect("a valid model")
}

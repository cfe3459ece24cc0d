//! The simulated models, each with a start from which it touches the ground within a few steps.
//!
//! They are the files of `models/` and the robot of `mixture.rs`. Starts and inputs come from random numbers with
//! fixed seeds, in sizes that fit the mass of a model.

use std::error::Error;
use std::path::Path;

use gradbody::contact::{
    CollideOptions, CollideWork, Collisions, ContactId, Detection, collide, exclude_overlaps,
};
use gradbody::dynamics::total_mass;
use gradbody::math::Force;
use gradbody::model::JointKind;
use gradbody::prelude::*;
use gradbody::sim::{Mean, StateCost, StateTarget, Target};

use crate::mixture::mixture;

/// Initial distance of the ground below the lowest point of a floating robot [m]; other robots start this deep in it.
const CLEARANCE: f64 = 2e-3;
/// Initial downward velocity of a floating robot [m/s].
const FALL: f64 = 0.6;

/// A model with its start and inputs.
pub(crate) struct Specimen {
    pub(crate) name: String,
    pub(crate) model: Model<f64>,
    pub(crate) start: State<f64>,
    /// One for each step.
    pub(crate) inputs: Vec<Input<f64>>,
}

/// Steps of the longest rollout.
pub(crate) const STEPS: usize = 12;

/// Every model of `models/`, by name, and the robot with all kinds of joints.
pub(crate) fn all() -> Result<Vec<Specimen>, Box<dyn Error>> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models"));
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "urdf" || end == "xml") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut specimens = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let model = load(&path, &ImportOptions::default())?.model;
        specimens.push(Specimen::new(name, model)?);
    }
    specimens.push(Specimen::new("mixture".into(), mixture()?)?);
    Ok(specimens)
}

impl Specimen {
    fn new(name: String, mut model: Model<f64>) -> Result<Self, Box<dyn Error>> {
        let mut random = Random::new(1);
        let start = start(&model, &mut random);
        end_a_range(&mut model, &start);
        exclude_overlaps(&mut model, &start.q);
        place_ground(&mut model, &start)?;
        let size = total_mass(&model);
        let inputs = (0..STEPS).map(|step| input(&model, step, size, &mut random)).collect();
        Ok(Specimen { name, model, start, inputs })
    }

    /// The same robot with slightly different masses and start.
    pub(crate) fn variant(&self, seed: u64) -> (Model<f64>, State<f64>) {
        let mut random = Random::new(seed);
        let mut model = self.model.clone();
        for link in &mut model.params.links {
            link.mass *= 1.0 + 0.02 * random.next();
        }
        let mut start = self.start.clone();
        integrate(&model, &mut start.q, &random.many(model.nv(), 0.005));
        start.v.iter_mut().for_each(|v| *v += 0.1 * random.next());
        (model, start)
    }
}

/// The cost: mean distance of a rollout from this start at rest.
pub(crate) fn distance_from<S: Scalar>(model: &Model<S>, start: &State<f64>) -> Mean<StateCost<S>> {
    let mut target = StateTarget::from(&start.cast());
    target.v.fill(S::ZERO);
    let [q_weight, v_weight] = [1.0, 0.1].map(S::from_f64);
    Mean(StateCost::new(model, q_weight, v_weight, Target::Constant(target)))
}

/// A start near the first keyframe, or near zero (near the middle of its range for a joint that cannot be at zero).
fn start(model: &Model<f64>, random: &mut Random) -> State<f64> {
    let keyframe = model.topology.keyframes.first();
    let mut state =
        keyframe.map_or_else(|| State::neutral(model), |key| State::from_keyframe(model, key));
    let joints = model.topology.links.iter().map(|link| &link.joint).zip(&model.params.joints);
    if keyframe.is_none() {
        for (joint, params) in joints.clone() {
            let range = params.limit_lower..=params.limit_upper;
            if !range.contains(&0.0) {
                state.q[joint.q_start] = 0.5 * (params.limit_lower + params.limit_upper);
            }
        }
    }
    integrate(model, &mut state.q, &random.many(model.nv(), 0.02));
    state.v = random.many(model.nv(), 0.1);
    state.activation = random.many(model.topology.na, 0.3);
    if floats(model) {
        let root = &model.topology.links[0].joint;
        state.v[root.v_start + LINEAR_Z] = -FALL;
    }
    state
}

/// Moves the upper limit of the last joint that has a range and moves upwards to its initial position, so that it hits
/// the stop at once.
fn end_a_range(model: &mut Model<f64>, start: &State<f64>) {
    let joints = model.topology.links.iter().map(|link| &link.joint).zip(&mut model.params.joints);
    let mut limited = joints.filter(|(joint, params)| {
        joint.kind.nv() == 1 && params.limit_upper.is_finite() && start.v[joint.v_start] > 0.0
    });
    if let Some((joint, params)) = limited.next_back() {
        params.limit_upper = start.q[joint.q_start];
    }
}

/// Which velocity coordinate of a free joint is the linear one along z.
const LINEAR_Z: usize = 2;

fn floats(model: &Model<f64>) -> bool {
    model.topology.links.first().is_some_and(|link| link.joint.kind == JointKind::Free)
}

/// Brings the ground near the lowest point of a model. The height is rounded to a tenth of a millimetre, so that it
/// does not depend on the last bits of a gap.
fn place_ground(model: &mut Model<f64>, start: &State<f64>) -> Result<(), Box<dyn Error>> {
    /// Above every model [m].
    const HIGH: f64 = 10.0;
    let there = model.topology.shapes.iter().position(|shape| shape.kind == ShapeKind::Plane);
    let ground = match there {
        Some(ground) => ground,
        None => model.add_ground(0.0, Material::with_friction(0.7))?.index(),
    };
    let height = |model: &mut Model<f64>, z| model.params.shapes[ground].placement.pos.z = z;
    height(model, HIGH);
    let kin = Kinematics::at(model, &start.q, &start.v);
    let mut collisions = Collisions::new(model);
    let options = CollideOptions { dt: 0.0, detection: Detection::default(), all_compliant: false };
    collide(model, &kin, &options, &mut CollideWork::new(model), &mut collisions);
    let of_ground = |id: ContactId| [id.a.index(), id.b.index()].contains(&ground);
    let gaps = collisions.contacts.iter().filter(|c| of_ground(c.id)).map(|c| c.gap);
    let deepest = gaps.fold(f64::INFINITY, f64::min);
    let lowest = if deepest.is_finite() { HIGH + deepest } else { 0.0 };
    let clearance = if floats(model) { CLEARANCE } else { -CLEARANCE };
    height(model, ((lowest - clearance) * 1e4).round() * 1e-4);
    Ok(())
}

/// The input of a step for a model of some mass [kg], with forces on the links at every third step.
fn input(model: &Model<f64>, step: usize, mass: f64, random: &mut Random) -> Input<f64> {
    let mut input = Input::none(model);
    input.control = random.many(input.control.len(), 0.02);
    input.tau = random.many(model.nv(), 0.02 * mass);
    if step % 3 == 1 {
        let mut vector = |size: f64| Vec3::from_slice(&random.many(3, size));
        let push = |_| Force::new(vector(0.01 * mass), vector(0.1 * mass));
        input.external = (0..model.n_links()).map(push).collect();
    }
    input
}

/// Numbers between −1 and 1 [Knuth's MMIX generator]. This is not `gradbody::math::random`, because a comparison with
/// an earlier revision needs the same specimens.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// This many numbers between −`size` and `size`.
    pub(crate) fn many(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| size * self.next()).collect()
    }
}

//! Pushes as fits: one for each body, over the same unknowns.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context as _;
use gradbody::augment::{Blueprint, Bound, bind};
use gradbody::learn::objective::{Fit, FitParts, NoiseLaw, Recording, Sees, Sensor, Unknowns, cut};
use gradbody::model::{FrameId, Model, Selection};

use super::measured::{Body, Push, Sample};
use super::scene;

/// What an error of position [m] and of angle [rad] counts by: one degree as much as a millimetre.
const UNITS: (f64, f64) = (1e-3, std::f64::consts::PI / 180.0);

/// Numbers of the analytical model: friction of the table and of the tip, where the tip is measured, and how far apart
/// the points are that carry a body, which says how hard it is to turn.
pub(super) const NUMBERS: [&str; 7] = [
    "contact/ground-points/friction",
    "contact/ground-points/static_friction",
    "contact/tip-body/friction",
    "joint/tip_x/placement/x",
    "joint/tip_y/placement/y",
    "shape/points/size/x",
    "shape/points/size/y",
];

/// Of these the second is as the first: points are stretched alike along both axes, and what slides holds as well as what
/// rests.
pub(super) const SAME: [[&str; 2]; 2] = [
    ["shape/points/size/x", "shape/points/size/y"],
    ["contact/ground-points/friction", "contact/ground-points/static_friction"],
];

/// What else one body has for itself: where its weight is.
pub(super) const OF_ONE_BODY: [&str; 2] = ["link/body/com/x", "link/body/com/y"];

/// Pushes in a step of Adam, of each body.
const PUSHES_IN_PART: usize = 5;

/// What may change.
pub(super) struct Problem<'a> {
    pub(super) bodies: &'a BTreeMap<String, Body>,
    pub(super) parameters: &'a [&'a str],
    pub(super) blueprint: &'a Blueprint,
}

impl Problem<'_> {
    /// A fit for each body among the pushes.
    pub(super) fn fits(&self, pushes: &[Push]) -> anyhow::Result<Vec<Fit>> {
        let mut shapes: Vec<&str> = pushes.iter().map(|push| push.shape.as_str()).collect();
        shapes.sort_unstable();
        shapes.dedup();
        shapes.into_iter().map(|shape| self.fit(shape, pushes)).collect()
    }

    fn fit(&self, shape: &str, pushes: &[Push]) -> anyhow::Result<Fit> {
        let body = &self.bodies[shape];
        let model = scene::model(body)?;
        let options = scene::options();
        let plan = bind(self.blueprint, &model, &options.contact)?;
        let weights = plan.initial_weights();
        let networks = Bound::new(Arc::new(plan.clone()), weights.clone())?;
        let of: Vec<&Push> = pushes.iter().filter(|push| push.shape == shape).collect();
        let (mut recordings, mut starts) = (Vec::new(), Vec::new());
        for push in of {
            let samples = &push.samples[begin(&push.samples)..];
            let mut start = scene::start(&model, body, &samples[0]);
            networks.begin(&mut start);
            starts.push(start);
            recordings.push(recording(&model, push, samples));
        }
        let windows = cut(&recordings, usize::MAX, usize::MAX, 1);
        let mut unknowns = Unknowns::of(&model, Selection::of(&model, self.parameters)?);
        unknowns.weights = weights.len();
        let mut fit = Fit::new(FitParts {
            plan: Arc::new(plan),
            weights,
            unknowns,
            sensors: sensors(&model)?,
            recordings,
            windows,
            starts,
            options,
            substeps: 1,
            model,
        });
        fit.windows_in_part = PUSHES_IN_PART;
        Ok(fit)
    }
}

/// Position and angle of the body.
fn sensors(model: &Model<f64>) -> anyhow::Result<Vec<Sensor>> {
    let frame = model.topology.frames.iter().position(|frame| frame.name == "body");
    let frame = FrameId::new(frame.context("the model has no body")?);
    let sensor = |name: &str, sees, noise| Sensor {
        name: name.into(),
        sees,
        noise,
        estimated: false,
        law: NoiseLaw::Gaussian,
    };
    Ok(vec![
        sensor("x", Sees::Place(frame, 0), UNITS.0),
        sensor("y", Sees::Place(frame, 1), UNITS.0),
        sensor("yaw", Sees::Heading(frame), UNITS.1),
    ])
}

/// The sample at which the tip begins to move.
pub(super) fn begin(samples: &[Sample]) -> usize {
    let first = samples[0].tip;
    let moved = |s: &Sample| f64::hypot(s.tip[0] - first[0], s.tip[1] - first[1]) > 3e-4;
    samples.iter().position(moved).unwrap_or(0).saturating_sub(2)
}

/// A step a sample.
fn recording(model: &Model<f64>, push: &Push, samples: &[Sample]) -> Recording {
    let tip: Vec<[f64; 2]> = samples.iter().map(|sample| sample.tip).collect();
    let pose = |s: &Sample| [s.position[0], s.position[1], s.yaw];
    Recording {
        name: push.name.clone(),
        begin: 0.0,
        measured: samples.iter().flat_map(pose).collect(),
        present: vec![1.0; 3 * samples.len()],
        inputs: scene::inputs(model, &tip),
        samples: samples.len(),
    }
}

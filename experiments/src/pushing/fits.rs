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

/// A number that is looked for, in SI units.
pub(super) struct Number {
    path: &'static str,
    /// About what it may well change by.
    scale: f64,
    /// Between what it may be.
    bounds: (f64, f64),
}

const fn number(path: &'static str, scale: f64, bounds: (f64, f64)) -> Number {
    Number { path, scale, bounds }
}

/// Bounds: of hard surfaces.
const FRICTION: (f64, f64) = (0.02, 1.0);
/// Points from near a body's middle to beyond its rim.
const STRETCH: (f64, f64) = (0.2, 2.0);
/// The error of a calibrated robot [m].
const OFFSET: (f64, f64) = (-0.005, 0.005);
/// A centre of mass well within the smallest body [m].
const CENTRE: (f64, f64) = (-0.02, 0.02);

/// Paths that are named more than once.
pub(super) const TIP_FRICTION: &str = "contact/tip-body/friction";
pub(super) const TIP_X: &str = "joint/tip_x/placement/x";
pub(super) const TIP_Y: &str = "joint/tip_y/placement/y";
pub(super) const STRETCH_X: &str = "shape/points/size/x";
const STRETCH_Y: &str = "shape/points/size/y";
const SLIDING: &str = "contact/ground-points/friction";
const RESTING: &str = "contact/ground-points/static_friction";
pub(super) const CENTRE_OF_MASS: [&str; 2] = ["link/body/com/x", "link/body/com/y"];

/// Of the analytical model: friction of the table and of the tip, where the tip is measured, and how far apart the
/// points are that carry a body, which says how hard it is to turn.
pub(super) const NUMBERS: [Number; 7] = [
    number(SLIDING, 0.2, FRICTION),
    number(RESTING, 0.2, FRICTION),
    number(TIP_FRICTION, 0.2, FRICTION),
    number(TIP_X, 1e-3, OFFSET),
    number(TIP_Y, 1e-3, OFFSET),
    number(STRETCH_X, 1.0, STRETCH),
    number(STRETCH_Y, 1.0, STRETCH),
];

/// Of these the second is as the first: points are stretched alike along both axes, and what slides holds as well as what
/// rests.
pub(super) const SAME: [[&str; 2]; 2] = [[STRETCH_X, STRETCH_Y], [SLIDING, RESTING]];

/// What else one body has for itself: where its weight is.
pub(super) const OF_ONE_BODY: [Number; 2] =
    [number(CENTRE_OF_MASS[0], 5e-3, CENTRE), number(CENTRE_OF_MASS[1], 5e-3, CENTRE)];

/// Pushes in a step of Adam, of each body.
const PUSHES_IN_PART: usize = 5;

/// What may change.
pub(super) struct Problem<'a> {
    pub(super) bodies: &'a BTreeMap<String, Body>,
    pub(super) numbers: &'a [&'a Number],
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
        let paths: Vec<&str> = self.numbers.iter().map(|number| number.path).collect();
        let mut unknowns = Unknowns::of(&model, Selection::of(&model, &paths)?);
        for unknown in &mut unknowns.params {
            if let Some(number) = self.numbers.iter().find(|number| number.path == unknown.name) {
                (unknown.scale, unknown.bounds) = (number.scale, number.bounds);
            }
        }
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

//! Pushes as fits: one per body, over shared unknowns.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context as _;
use gradbody::augment::{Blueprint, Bound, bind};
use gradbody::learn::objective::{Fit, FitParts, NoiseLaw, Recording, Sees, Sensor, Unknowns, cut};
use gradbody::model::{FrameId, Model, Selection};

use super::measured::{Body, Push, Sample};
use super::scene;

/// Units of position [m] and angle [rad] errors: one degree counts as much as one millimetre.
pub(super) const UNITS: (f64, f64) = (1e-3, std::f64::consts::PI / 180.0);

/// An unknown number, in SI units.
pub(super) struct Number {
    pub(super) path: &'static str,
    /// Typical change.
    scale: f64,
    /// Bounds.
    pub(super) bounds: (f64, f64),
}

const fn number(path: &'static str, scale: f64, bounds: (f64, f64)) -> Number {
    Number { path, scale, bounds }
}

/// Bounds of a coefficient of friction between hard surfaces.
const FRICTION: (f64, f64) = (0.02, 1.0);
/// Bounds of the stretch: support points from near a body's middle to beyond its rim.
const STRETCH: (f64, f64) = (0.2, 2.0);
/// Bounds of the tip's offset: the error of a calibrated robot [m].
const OFFSET: (f64, f64) = (-0.005, 0.005);
/// Bounds of the centre of mass: well within the smallest body [m].
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

/// Unknowns of the analytical model: friction of the table and of the tip, the offset of the measured tip position, and
/// the spacing of the points that support a body, which determines its resistance to turning.
pub(super) const NUMBERS: [Number; 7] = [
    number(SLIDING, 0.2, FRICTION),
    number(RESTING, 0.2, FRICTION),
    number(TIP_FRICTION, 0.2, FRICTION),
    number(TIP_X, 1e-3, OFFSET),
    number(TIP_Y, 1e-3, OFFSET),
    number(STRETCH_X, 1.0, STRETCH),
    number(STRETCH_Y, 1.0, STRETCH),
];

/// Tied pairs; the second equals the first. Points stretch equally along both axes, and static equals sliding friction.
pub(super) const SAME: [[&str; 2]; 2] = [[STRETCH_X, STRETCH_Y], [SLIDING, RESTING]];

/// Additional unknowns of a single body: its centre of mass.
pub(super) const OF_ONE_BODY: [Number; 2] =
    [number(CENTRE_OF_MASS[0], 5e-3, CENTRE), number(CENTRE_OF_MASS[1], 5e-3, CENTRE)];

/// Pushes of each body per step of Adam.
const PUSHES_IN_PART: usize = 5;

/// The unknowns and networks of a fit.
pub(super) struct Problem<'a> {
    pub(super) bodies: &'a BTreeMap<String, Body>,
    pub(super) numbers: &'a [&'a Number],
    pub(super) blueprint: &'a Blueprint,
}

impl Problem<'_> {
    /// One fit for each body among the pushes.
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

/// Sensors for the position and angle of the body.
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

/// The sample at which the tip starts to move.
pub(super) fn begin(samples: &[Sample]) -> usize {
    let first = samples[0].tip;
    let moved = |s: &Sample| f64::hypot(s.tip[0] - first[0], s.tip[1] - first[1]) > 3e-4;
    samples.iter().position(moved).unwrap_or(0).saturating_sub(2)
}

/// One step per sample.
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

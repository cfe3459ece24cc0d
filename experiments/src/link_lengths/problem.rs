//! What is to be found, and from what.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use gradbody::augment::{Blueprint, bind};
use gradbody::learn::objective::{Fit, FitParts, Unknowns, cut};
use gradbody::learn::optimise::{Random, Tie, Tied};
use gradbody::model::Selection;

use crate::double_pendulum as pendulum;

/// The lengths [m], as in the paper.
pub(super) const TRUTH: [f64; 2] = [3.0, 4.0];
/// Where they may be, and where guesses are [m].
pub(super) const BOUNDS: (f64, f64) = (0.5, 8.0);
/// Let go at rest, the upper link level and the lower one upright on its end [rad].
pub(super) const START: [f64; 2] = [FRAC_PI_2, FRAC_PI_2];
/// Time step, which is also that of the samples, and length of the recording [s]. Let go with both links in line, or
/// looked at for two seconds only, nine of ten local searches end at the truth: too easy.
pub(super) const DT: f64 = 0.01;
pub(super) const SECONDS: f64 = 4.0;
/// Standard deviation of a recorded angle [rad].
pub(super) const NOISE: f64 = 0.01;

/// A length is in two places of the model: the mass is at the end of its link, and so is the next hinge.
const PLACES: [(&str, usize); 3] =
    [("link/upper/com/z", 0), ("joint/elbow/placement/z", 0), ("link/lower/com/z", 1)];

/// A recorded swing, and a model of it.
pub(super) struct Problem {
    fit: Fit,
}

impl Problem {
    pub(super) fn new(seed: u64) -> anyhow::Result<Self> {
        let model = pendulum::model(TRUTH, [0.0; 2])?;
        let samples = (SECONDS / DT).round() as usize + 1;
        let options = pendulum::options(DT);
        let states = pendulum::motion(&model, (START, [0.0; 2]), samples, &options);
        let mut random = Random::new(seed);
        let sensors = pendulum::angles(NOISE);
        let noisy = |angle: f64| angle + NOISE * random.normal();
        let recordings = vec![pendulum::recording(&model, &states, &sensors, noisy)];
        let places = Selection::of(&model, PLACES.map(|(path, _)| path))?;
        let mut unknowns = Unknowns::of(&model, places);
        // As they are, in metres: what follows a length is minus that length.
        unknowns.params.iter_mut().for_each(|unknown| unknown.scale = 1.0);
        let fit = Fit::new(FitParts {
            plan: Arc::new(bind(&Blueprint::default(), &model, &options.contact)?),
            weights: Vec::new(),
            unknowns,
            sensors,
            windows: cut(&recordings, samples, samples, 1),
            recordings,
            starts: vec![states[0].clone()],
            options,
            substeps: 1,
            model,
        });
        Ok(Problem { fit })
    }

    /// Half the sum of squared errors in standard deviations, over the two lengths.
    pub(super) fn objective(&self) -> Tied<'_> {
        let of = |path: &String| PLACES.iter().find(|(place, _)| place == path).map(|(_, k)| *k);
        let paths = self.fit.unknowns.selection.names().iter();
        let ties = paths.filter_map(of).map(|to| Tie { to, factor: -1.0 }).collect();
        Tied::new(&self.fit, ties, vec![BOUNDS; 2])
    }

    /// A cost that noise alone explains: half a square an error is expected, and a fifth more than that is many
    /// standard deviations off.
    pub(super) fn noise_cost(&self) -> f64 {
        1.2 * 0.5 * self.fit.n_errors() as f64
    }

    /// The root mean square error of an angle at a cost [rad].
    pub(super) fn angle_error(&self, cost: f64) -> f64 {
        NOISE * (2.0 * cost / self.fit.n_errors() as f64).sqrt()
    }
}

//! The unknown lengths and the recording they are found from.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use gradbody::augment::{Blueprint, bind};
use gradbody::learn::objective::{Fit, FitParts, Unknowns, cut};
use gradbody::learn::optimise::{Tie, Tied};
use gradbody::math::random::Random;
use gradbody::model::Selection;

use crate::double_pendulum as pendulum;

/// The true lengths [m], as in the paper.
pub(super) const TRUTH: [f64; 2] = [3.0, 4.0];
/// Bounds of the lengths, and range of the guesses [m].
pub(super) const BOUNDS: (f64, f64) = (0.5, 8.0);
/// Start at rest, the upper link level and the lower one upright on its end [rad].
pub(super) const START: [f64; 2] = [FRAC_PI_2, FRAC_PI_2];
/// Time step, also the sampling period, and length of the recording [s]. With both links in line at the start, or with
/// only two seconds recorded, the problem is too easy: nine of ten local searches succeed.
pub(super) const DT: f64 = 0.01;
pub(super) const SECONDS: f64 = 4.0;
/// Standard deviation of a recorded angle [rad].
pub(super) const NOISE: f64 = 0.01;

/// A length sets two parameters of the model: the mass and the next hinge are both at the end of the link.
pub(super) const PLACES: [(&str, usize); 3] =
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
        // Unscaled, in metres: each tied parameter is minus its length.
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

    /// The recorded angles [rad], with noise.
    pub(super) fn angles(&self) -> impl Iterator<Item = [f64; 2]> {
        let measured =
            self.fit.recordings.iter().flat_map(|recording| recording.measured.chunks(2));
        measured.map(|angles| [angles[0], angles[1]])
    }

    /// The cost at noise level. Noise alone gives half per error on average; a fifth more is many standard deviations
    /// above that.
    pub(super) fn noise_cost(&self) -> f64 {
        1.2 * 0.5 * self.fit.n_errors() as f64
    }

    /// The root mean square error of an angle at a cost [rad].
    pub(super) fn angle_error(&self, cost: f64) -> f64 {
        NOISE * (2.0 * cost / self.fit.n_errors() as f64).sqrt()
    }
}

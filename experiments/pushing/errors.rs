//! Errors of the predictions of pushes.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use super::fits;
use super::measured::Push;

/// Poses of a body at each sample of a push, from the sample at which the tip starts to move: position [m] and angle
/// [rad].
pub(super) type Path = Vec<[f64; 3]>;

/// Paths by name of the push; `None` if its simulation diverged.
pub(super) type Paths = BTreeMap<String, Option<Path>>;

/// Number of evenly spaced instants at which a push is evaluated.
pub(super) const INSTANTS: usize = 25;

/// The errors of one push, at each instant after the first.
#[derive(Clone, Debug)]
pub(super) struct PushError {
    /// Position error [mm].
    pub(super) position: Vec<f64>,
    /// Angle error [°].
    pub(super) angle: Vec<f64>,
}

/// The indices of the instants among `samples` samples, including the first.
pub(super) fn instants(samples: usize) -> impl Iterator<Item = usize> {
    (0..=INSTANTS).map(move |k| k * (samples - 1) / INSTANTS)
}

/// The measured path.
pub(super) fn measured(push: &Push) -> Path {
    let samples = &push.samples[fits::begin(&push.samples)..];
    samples.iter().map(|s| [s.position[0], s.position[1], s.yaw]).collect()
}

impl PushError {
    /// The errors of a path with the same samples.
    pub(super) fn of(push: &Push, path: &[[f64; 3]]) -> Self {
        let measured = measured(push);
        let mut error = PushError { position: Vec::new(), angle: Vec::new() };
        for k in instants(measured.len()).skip(1) {
            let [millimetres, degrees] = apart(path[k.min(path.len() - 1)], measured[k]);
            error.position.push(millimetres);
            error.angle.push(degrees);
        }
        error
    }

    /// The errors of a path that diverges.
    pub(super) fn infinite() -> Self {
        let infinite = vec![f64::INFINITY; INSTANTS];
        PushError { position: infinite.clone(), angle: infinite }
    }

    /// The error at the end [mm, °].
    pub(super) fn last(&self) -> [f64; 2] {
        [self.position[INSTANTS - 1], self.angle[INSTANTS - 1]]
    }
}

/// The distance between two poses [mm, °].
pub(super) fn apart([x, y, yaw]: [f64; 3], [x0, y0, yaw0]: [f64; 3]) -> [f64; 2] {
    let turn = (yaw - yaw0 + PI).rem_euclid(TAU) - PI;
    [1e3 * f64::hypot(x - x0, y - y0), turn.abs().to_degrees()]
}

/// The mean over pushes at each instant [mm, °].
pub(super) fn over_time(errors: &[PushError]) -> Vec<[f64; 2]> {
    let mean = |of: &dyn Fn(&PushError) -> f64| {
        errors.iter().map(of).sum::<f64>() / errors.len().max(1) as f64
    };
    (0..INSTANTS).map(|k| [mean(&|e| e.position[k]), mean(&|e| e.angle[k])]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::measured::Sample;
    use super::*;

    #[test]
    fn a_turn_is_the_short_way_round_and_a_path_may_be_short() {
        let sample =
            |k: usize| Sample { tip: [0.01 * k as f64, 0.0], position: [0.0; 2], yaw: 3.1 };
        let push = Push {
            name: String::new(),
            shape: String::new(),
            samples: (0..60).map(sample).collect(),
            forces: Vec::new(),
        };
        let path = vec![[0.003, -0.004, -3.1]; 3];
        let error = PushError::of(&push, &path);
        let [millimetres, degrees] = error.last();
        assert!((millimetres - 5.0).abs() < 1e-9);
        assert!((degrees - (TAU - 6.2).to_degrees()).abs() < 1e-9);
        assert_eq!(over_time(&[error.clone(), error]).len(), INSTANTS);
    }
}

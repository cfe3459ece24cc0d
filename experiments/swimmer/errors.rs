//! Errors of predicted motions against recorded ones.

use super::recorded::Motion;

/// Errors over a set of motions, at each recorded step.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Errors {
    pub(super) steps: Vec<usize>,
    /// Root mean square over motions of the errors of all hinge angles and of the heading of the first link [rad].
    pub(super) angle: Vec<f64>,
    /// Root mean square over motions of the position error of the first link's middle [m].
    pub(super) position: Vec<f64>,
}

impl Errors {
    /// The errors of predictions, which give the positions of each motion after every step. All motions have the same
    /// recorded steps. Steps after a divergence have infinite errors.
    pub(super) fn of(motions: &[Motion], predicted: &[Vec<Vec<f64>>]) -> Self {
        let steps = motions.first().map_or_else(Vec::new, |motion| motion.steps.clone());
        let rms = |coordinates: fn(&[f64]) -> &[f64], together: bool| {
            let at = |(k, step): (usize, &usize)| {
                let of = motions.iter().zip(predicted).map(|(motion, predicted)| {
                    let measured = coordinates(&motion.positions[k]);
                    let count = if together { 1 } else { measured.len() };
                    let off = predicted
                        .get(step - 1)
                        .map_or(f64::INFINITY, |row| squared_distance(coordinates(row), measured));
                    off / count as f64
                });
                (of.sum::<f64>() / motions.len() as f64).sqrt()
            };
            steps.iter().enumerate().map(at).collect()
        };
        let angle = rms(|q| &q[2..], false);
        let position = rms(|q| &q[..2], true);
        Errors { steps, angle, position }
    }

    /// The errors of an angle [rad] and of the position [m] at the last step.
    pub(super) fn last(&self) -> (f64, f64) {
        let last = |errors: &[f64]| errors.last().copied().unwrap_or(0.0);
        (last(&self.angle), last(&self.position))
    }
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::swimmer::corrected::model;
    use crate::swimmer::recorded::{MEDIA, SWIMMERS, read};

    #[test]
    fn angles_are_averaged_and_positions_are_distances() {
        let model = model(SWIMMERS[0]).expect("built in");
        let mut motions = read(SWIMMERS[0], MEDIA[0], &model).expect("recorded").test;
        motions.truncate(2);
        for motion in &mut motions {
            motion.steps = vec![1, 3];
            motion.positions = vec![vec![0.0; 4]; 2];
        }
        let off = vec![vec![3.0, 4.0, 0.1, 0.7]; 3];
        let errors = Errors::of(&motions, &[off.clone(), off]);
        assert_eq!(errors.position, [5.0, 5.0]);
        assert!(errors.angle.iter().all(|error| (error - 0.5).abs() < 1e-12));
        let diverged = Errors::of(&motions, &[vec![vec![0.0; 4]; 3], vec![vec![0.0; 4]]]);
        assert_eq!(diverged.position, [0.0, f64::INFINITY]);
    }
}

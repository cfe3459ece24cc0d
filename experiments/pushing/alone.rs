//! Identifies each body from its own pushes. The spread over bodies shows what is unknown about a body that was never
//! pushed.

use serde::{Deserialize, Serialize};

use super::errors::{Paths, apart};
use super::fits::{NUMBERS, Number, OF_ONE_BODY, Problem, TIP_FRICTION};
use super::measured::Push;
use super::results::Judged;
use super::tip_friction;
use super::training::{identify, predict};
use super::{Plan, Split};
use crate::distribution::Distribution;

/// Folds of cross-validation for the new shape, when it is identified from its own pushes.
pub(super) const FOLDS: usize = 2;

/// The results of identifying each body alone.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Alone {
    /// Predictions with parameters identified on other pushes of the same body.
    pub(super) judged: Judged,
    /// Predictions of the new shape's pushes with parameters identified on the same pushes.
    pub(super) of_itself: Paths,
    /// Bodies of the training set.
    pub(super) known: Vec<OneBody>,
    /// The new body.
    pub(super) unknown: OneBody,
}

/// A body identified alone.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct OneBody {
    pub(super) shape: String,
    pub(super) pushes: usize,
    /// Parameters by path, identified on its pushes.
    numbers: Vec<(String, f64)>,
    /// Friction of the tip, measured by the force sensor in each push in which the tip slides for long enough.
    tip_friction: Vec<f64>,
}

impl OneBody {
    /// One of [`NUMBERS`] or [`OF_ONE_BODY`].
    pub(super) fn number(&self, path: &str) -> f64 {
        let found = self.numbers.iter().find(|(name, _)| name == path);
        found.map_or(f64::NAN, |(_, value)| *value)
    }

    /// The number of pushes with a measured tip friction, and its smallest, median and largest value.
    pub(super) fn measured_friction(&self) -> Option<(usize, [f64; 3])> {
        let measured = Distribution::of(self.tip_friction.clone());
        let quantiles = || [0.0, 0.5, 1.0].map(|share| measured.quantile(share));
        (!self.tip_friction.is_empty()).then(|| (self.tip_friction.len(), quantiles()))
    }
}

/// Identifies the analytical model for one body at a time, including its centre of mass. `offset` shifts the tip from
/// its measured position.
pub(super) fn find(
    analytical: &Problem<'_>,
    split: &Split,
    plan: &Plan,
    offset: [f64; 2],
) -> anyhow::Result<Alone> {
    let numbers: Vec<&Number> = NUMBERS.iter().chain(&OF_ONE_BODY).collect();
    let problem = Problem { numbers: &numbers, ..*analytical };
    let (mut judged, mut known) = (Judged::default(), Vec::new());
    for seen in split.train.chunk_by(|a, b| a.shape == b.shape) {
        let is_same = |push: &&Push| push.shape == seen[0].shape;
        let new: Vec<Push> = split.new.iter().filter(is_same).cloned().collect();
        // The sensor data need no training, so all pushes may be used.
        let felt = tip_frictions(&problem, seen.iter().chain(&new), offset);
        let (body, x) = one_body(&problem, seen, felt, plan)?;
        judged.new.extend(predict(&problem, &new, &x)?);
        known.push(body);
    }
    let felt = tip_frictions(&problem, split.test.iter(), offset);
    let (unknown, x) = one_body(&problem, &split.test, felt, plan)?;
    let of_itself = predict(&problem, &split.test, &x)?;
    for fold in 0..FOLDS {
        let numbered = split.test.iter().cloned().enumerate();
        let (held_out, seen): (Vec<_>, Vec<_>) = numbered.partition(|(k, _)| k % FOLDS == fold);
        let [held_out, seen] =
            [held_out, seen].map(|part| part.into_iter().map(|(_, push)| push).collect::<Vec<_>>());
        let what = format!("{}, fold {}", unknown.shape, fold + 1);
        let x = identify(&problem, &seen, plan.generations, &what)?.x;
        judged.test.extend(predict(&problem, &held_out, &x)?);
    }
    Ok(Alone { judged, of_itself, known, unknown })
}

/// The tip friction in each push in which the tip slides for long enough.
fn tip_frictions<'a>(
    problem: &Problem<'_>,
    pushes: impl Iterator<Item = &'a Push>,
    offset: [f64; 2],
) -> Vec<f64> {
    let of = |push: &Push| tip_friction::while_sliding(&problem.bodies[&push.shape], push, offset);
    pushes.filter_map(of).collect()
}

/// Identifies a body on its pushes.
fn one_body(
    problem: &Problem<'_>,
    pushes: &[Push],
    tip_friction: Vec<f64>,
    plan: &Plan,
) -> anyhow::Result<(OneBody, Vec<f64>)> {
    let shape = pushes[0].shape.clone();
    let found = identify(problem, pushes, plan.generations, &format!("{shape} alone"))?;
    let unknowns = &problem.fits(pushes)?[0].unknowns;
    let names = unknowns.named().map(|unknown| unknown.name.clone());
    let numbers = names.zip(unknowns.values(&found.x)).collect();
    Ok((OneBody { shape, pushes: pushes.len(), numbers, tip_friction }, found.x))
}

/// The distance between the ends of pushes [mm, °] simulated with the smallest and with the largest tip friction
/// measured on `body`: the mean over the pushes that can be simulated with both. `None` if no friction was measured.
pub(super) fn sway(
    problem: &Problem<'_>,
    pushes: &[Push],
    x: &[f64],
    body: &OneBody,
) -> anyhow::Result<Option<[f64; 2]>> {
    let Some((_, [low, _, high])) = body.measured_friction() else { return Ok(None) };
    let unknowns = &problem.fits(pushes)?[0].unknowns;
    let with = |friction: f64| -> anyhow::Result<Paths> {
        let mut x = x.to_vec();
        for (x, unknown) in x.iter_mut().zip(unknowns.named()) {
            if unknown.name == TIP_FRICTION {
                *x = friction.clamp(unknown.bounds.0, unknown.bounds.1) / unknown.scale;
            }
        }
        predict(problem, pushes, &x)
    };
    let both = [with(low)?, with(high)?];
    let end = |paths: &Paths, push: &Push| paths.get(&push.name)?.as_ref()?.last().copied();
    let pairs =
        pushes.iter().filter_map(|push| Some(apart(end(&both[0], push)?, end(&both[1], push)?)));
    let pairs: Vec<[f64; 2]> = pairs.collect();
    let mean = |k: usize| pairs.iter().map(|pair| pair[k]).sum::<f64>() / pairs.len() as f64;
    Ok((!pairs.is_empty()).then(|| [mean(0), mean(1)]))
}

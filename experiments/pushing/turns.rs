//! Leaves each known shape out of training in turn, to see whether a network trained on other shapes helps on it.

use serde::{Deserialize, Serialize};

use super::errors::Paths;
use super::fits::Problem;
use super::measured::Push;
use super::networks::Friction;
use super::results::mean_end;
use super::training::{identify, predict, train};
use super::{Plan, Split};
use crate::effort::Effort;
use crate::parts::Parts;

/// Seed of the networks: the first one.
const SEED: u64 = 1;

/// A left-out shape, and the mean errors at the end of its pushes [mm, °].
pub(super) struct Turn {
    pub(super) shape: String,
    pub(super) pushes: usize,
    pub(super) tuned: [f64; 2],
    pub(super) network: [f64; 2],
}

/// The predictions for a left-out shape.
#[derive(Serialize, Deserialize)]
struct Predicted {
    tuned: Paths,
    network: Paths,
    effort: Effort,
}

/// One turn for each training shape. The new shape is never trained on.
pub(super) fn find(
    analytical: &Problem<'_>,
    split: &Split,
    plan: &Plan,
    parts: &Parts,
) -> anyhow::Result<(Vec<Turn>, Effort)> {
    let (mut turns, mut effort) = (Vec::new(), Effort::default());
    for of_shape in split.train.chunk_by(|a, b| a.shape == b.shape) {
        let shape = &of_shape[0].shape;
        let all = split.train.iter().chain(&split.new);
        let judged: Vec<Push> = all.filter(|push| push.shape == *shape).cloned().collect();
        let predicted = parts.get(&format!("without-{shape}"), || {
            let seen: Vec<Push> =
                split.train.iter().filter(|push| push.shape != *shape).cloned().collect();
            predict_without(shape, analytical, (&seen, &judged), plan)
        })?;
        turns.push(Turn {
            shape: shape.clone(),
            pushes: judged.len(),
            tuned: mean_end(&judged, &predicted.tuned),
            network: mean_end(&judged, &predicted.network),
        });
        effort = effort.and(predicted.effort);
    }
    Ok((turns, effort))
}

fn predict_without(
    shape: &str,
    analytical: &Problem<'_>,
    (seen, judged): (&[Push], &[Push]),
    plan: &Plan,
) -> anyhow::Result<Predicted> {
    let tuned = identify(analytical, seen, plan.generations, &format!("without {shape}"))?;
    let blueprint = Friction::Free.blueprint(SEED);
    let corrected = Problem { blueprint: &blueprint, ..*analytical };
    let what = format!("network without {shape}");
    let trained = train(&corrected, seen, &tuned.x, (plan.steps, SEED), &what)?;
    Ok(Predicted {
        tuned: predict(analytical, judged, &tuned.x)?,
        network: predict(&corrected, judged, &trained.x)?,
        effort: trained.effort,
    })
}

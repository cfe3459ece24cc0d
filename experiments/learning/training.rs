//! A training with its curve, and sets of them.

use std::time::Instant;

use anyhow::Context as _;
use gradbody::env::Description;
use gradbody::policy::{Evaluation, Learner};
use serde::{Deserialize, Serialize};

/// Episodes of an evaluation, without noise.
const EPISODES: usize = 20;

/// How far a training goes, and how often it is judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Samples at most.
    pub(super) samples: u64,
    /// Seconds at most, without those of evaluations.
    pub(super) seconds: f64,
    /// Samples between evaluations.
    pub(super) every: u64,
    /// It ends when an evaluation has this mean return.
    pub(super) reach: f64,
}

/// A training and its curve.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Trained {
    pub(super) method: String,
    pub(super) environment: String,
    pub(super) seed: u64,
    pub(super) curve: Vec<Judged>,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Judged {
    pub(super) samples: u64,
    pub(super) gradient_samples: u64,
    pub(super) updates: u64,
    /// By the clock, without evaluations [s].
    pub(super) seconds: f64,
    /// Mean return of episodes without noise.
    pub(super) mean: f64,
    /// Their standard deviation.
    pub(super) deviation: f64,
}

impl Trained {
    /// The best mean return of the curve.
    pub(super) fn best(&self) -> f64 {
        self.curve.iter().fold(f64::NEG_INFINITY, |best, point| best.max(point.mean))
    }

    /// The mean return at the end: of the last fifth of the curve, since single evaluations vary.
    pub(super) fn last(&self) -> f64 {
        let n = self.curve.len().div_ceil(5).max(1);
        let last = &self.curve[self.curve.len().saturating_sub(n)..];
        last.iter().map(|point| point.mean).sum::<f64>() / last.len().max(1) as f64
    }

    /// The seconds until an evaluation reached a return, if one did.
    pub(super) fn seconds_to(&self, reach: f64) -> Option<f64> {
        self.curve.iter().find(|point| point.mean >= reach).map(|point| point.seconds)
    }
}

/// Trains until the extent is used up. `of` is the environment with the observations that the actor sees.
pub(super) fn train(
    (method, seed): (&str, u64),
    learner: &mut dyn Learner,
    of: &Description,
    extent: Extent,
) -> anyhow::Result<Trained> {
    let told = || format!("{method} in {}, seed {seed}", of.name);
    let mut curve: Vec<Judged> = Vec::new();
    let mut now = Judged {
        samples: 0,
        gradient_samples: 0,
        updates: 0,
        seconds: 0.0,
        mean: 0.0,
        deviation: 0.0,
    };
    let mut next = 0;
    loop {
        if now.samples >= next {
            let found = Evaluation::run::<f64>(learner.actor(), of, EPISODES, 1_000 + seed)
                .with_context(told)?;
            (now.mean, now.deviation) = (found.mean(), found.deviation());
            curve.push(now);
            next = now.samples + extent.every;
            let spent = now.samples >= extent.samples || now.seconds >= extent.seconds;
            if spent || now.mean >= extent.reach {
                break;
            }
        }
        let began = Instant::now();
        let progress = learner.advance().with_context(told)?;
        now.seconds += began.elapsed().as_secs_f64();
        now.samples += progress.samples;
        now.gradient_samples += progress.gradient_samples;
        now.updates += progress.updates;
    }
    Ok(Trained { method: method.to_owned(), environment: of.name.clone(), seed, curve })
}

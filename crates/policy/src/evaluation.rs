//! How good an actor is: whole episodes, without the noise of learning.

use gradbody_env::{Autoreset, Description, EnvBatch};
use gradbody_sim::Precision;

use crate::{Actor, DenseRows, TrainError};

/// Returns of whole episodes of an actor without noise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// The sum of rewards of each episode.
    pub returns: Vec<f64>,
    /// The number of steps of each.
    pub lengths: Vec<usize>,
}

impl Evaluation {
    /// Runs one episode in each of `episodes` worlds, with starts that are drawn from `seed`.
    pub fn run<T: Precision>(
        actor: &Actor,
        description: &Description,
        episodes: usize,
        seed: u64,
    ) -> Result<Evaluation, TrainError> {
        actor.check(description)?;
        let mut worlds: EnvBatch<T> =
            EnvBatch::with_description(description.clone(), episodes, seed, None)?
                .with_autoreset(Autoreset::NextStep);
        let mut rows = DenseRows::new(&actor.network, "actor")?;
        let mut actions = Vec::new();
        let mut found: Vec<Option<(f64, usize)>> = vec![None; episodes];
        while found.contains(&None) {
            actor.act(&mut rows, &worlds.outcome().observations, &mut actions);
            let outcome = worlds.step(&actions)?;
            for (world, found) in found.iter_mut().enumerate() {
                if found.is_none() && (outcome.terminated[world] || outcome.truncated[world]) {
                    *found = Some((outcome.episode_returns[world], outcome.episode_lengths[world]));
                }
            }
        }
        let (returns, lengths) = found.into_iter().flatten().unzip();
        Ok(Evaluation { returns, lengths })
    }

    /// Mean of the returns.
    pub fn mean(&self) -> f64 {
        self.returns.iter().sum::<f64>() / self.returns.len() as f64
    }

    /// Standard deviation of the returns.
    pub fn deviation(&self) -> f64 {
        let mean = self.mean();
        let squares = self.returns.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        (squares / (self.returns.len().max(2) - 1) as f64).sqrt()
    }
}

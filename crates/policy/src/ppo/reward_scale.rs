//! The size of returns, by which rewards are divided so that values are near one.

use crate::{Snapshot, SnapshotError};

/// The running variance of discounted returns.
#[derive(Clone, Debug)]
pub(crate) struct RewardScale {
    discount: f64,
    /// The discounted return of each world up to now, (worlds).
    returns: Vec<f64>,
    count: f64,
    mean: f64,
    squares: f64,
    /// What rewards are multiplied by; changes only in [`settle`](RewardScale::settle).
    factor: f64,
}

/// Scaled rewards are between minus and plus this.
const LARGEST: f64 = 10.0;

impl RewardScale {
    pub(crate) fn new(worlds: usize, discount: f64) -> Self {
        let returns = vec![0.0; worlds];
        RewardScale { discount, returns, count: 0.0, mean: 0.0, squares: 0.0, factor: 1.0 }
    }

    /// Takes the reward of a world into account.
    pub(crate) fn see(&mut self, world: usize, reward: f64, ended: bool) {
        let sum = self.discount * self.returns[world] + reward;
        self.returns[world] = if ended { 0.0 } else { sum };
        self.count += 1.0;
        let before = sum - self.mean;
        self.mean += before / self.count;
        self.squares += before * (sum - self.mean);
    }

    /// Makes what it has seen act from now on.
    pub(crate) fn settle(&mut self) {
        if self.count > 1.0 {
            self.factor = 1.0 / (self.squares / self.count + 1e-8).sqrt();
        }
    }

    pub(crate) fn scaled(&self, reward: f64) -> f32 {
        (reward * self.factor).clamp(-LARGEST, LARGEST) as f32
    }

    pub(crate) fn save(&self, to: &mut Snapshot) {
        to.put("rewards/returns", self.returns.clone());
        to.put("rewards/moments", vec![self.count, self.mean, self.squares, self.factor]);
    }

    pub(crate) fn restore(&mut self, from: &Snapshot) -> Result<(), SnapshotError> {
        from.fill("rewards/returns", &mut self.returns)?;
        let mut moments = [0.0; 4];
        from.fill("rewards/moments", &mut moments)?;
        [self.count, self.mean, self.squares, self.factor] = moments;
        Ok(())
    }
}

//! What a step tells.

use crate::Description;

/// The outcome of a step of all worlds.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The observation of each world, (worlds, n_observations): of its new start, if it was started anew.
    pub observations: Vec<f64>,
    /// The reward of each world.
    pub rewards: Vec<f64>,
    /// The terms of each reward, (worlds, terms), in the order of [`Description::reward`].
    pub terms: Vec<f64>,
    /// Whether the episode ended in an unhealthy state, or because the world diverged.
    pub terminated: Vec<bool>,
    /// Whether the episode reached its time limit.
    pub truncated: Vec<bool>,
    /// The last observation of the episode in worlds that terminated or were truncated, (worlds, n_observations). Rows
    /// of other worlds are left over from earlier.
    pub final_observations: Vec<f64>,
    /// The rewarded position at the end of the episode in these worlds, (worlds) [m].
    pub final_positions: Vec<f64>,
    /// Whether the observation is that of a new start.
    pub was_reset: Vec<bool>,
    /// Whether the world diverged in this step: its numbers were no longer finite. It then terminates with a reward of
    /// zero, and its last observation is the one before.
    pub diverged: Vec<bool>,
    /// The position whose rate is rewarded, (worlds) [m]: of the new start, if the world was started anew.
    pub positions: Vec<f64>,
    /// Sum of the rewards of the episode so far, this step included.
    pub episode_returns: Vec<f64>,
    /// Number of steps of the episode so far, this one included.
    pub episode_lengths: Vec<usize>,
}

impl Outcome {
    pub(crate) fn new(of: &Description, worlds: usize) -> Self {
        let zeros = |width: usize| vec![0.0; worlds * width];
        let no = vec![false; worlds];
        Outcome {
            observations: zeros(of.n_observations()),
            rewards: zeros(1),
            terms: zeros(of.reward.len()),
            terminated: no.clone(),
            truncated: no.clone(),
            final_observations: zeros(of.n_observations()),
            final_positions: zeros(1),
            was_reset: no.clone(),
            diverged: no,
            positions: zeros(1),
            episode_returns: zeros(1),
            episode_lengths: vec![0; worlds],
        }
    }

    pub(crate) fn observation_of(&mut self, world: usize) -> &mut [f64] {
        row_of(&mut self.observations, self.rewards.len(), world)
    }

    pub(crate) fn terms_of(&mut self, world: usize) -> &mut [f64] {
        row_of(&mut self.terms, self.rewards.len(), world)
    }

    /// Leaves no reward and no end of an episode.
    pub(crate) fn forget_end(&mut self, world: usize) {
        self.terms_of(world).fill(0.0);
        self.rewards[world] = 0.0;
        (self.terminated[world], self.truncated[world]) = (false, false);
        self.diverged[world] = false;
    }

    pub(crate) fn keep_final(&mut self, world: usize) {
        let worlds = self.rewards.len();
        let kept = row_of(&mut self.final_observations, worlds, world);
        kept.copy_from_slice(row_of(&mut self.observations, worlds, world));
        self.final_positions[world] = self.positions[world];
    }
}

fn row_of(numbers: &mut [f64], worlds: usize, world: usize) -> &mut [f64] {
    let width = numbers.len() / worlds;
    &mut numbers[world * width..(world + 1) * width]
}

//! Friction that a model lacks, found by what its correction depends on (NeuralSim, figure 10), and how many
//! recordings that takes beside a network that learns the whole motion.

mod comparison;
mod discovery;
mod page;
mod swings;

use indicatif::{ProgressBar, ProgressStyle};

use super::Prepared;

/// What draws states, weights and orders alike.
const SEED: u64 = 1;
/// Damping of the true joints [N m s/rad]; the model has none.
const DAMPING: [f64; 2] = [0.4, 0.2];

/// How much is done.
struct Plan {
    /// Swings to learn from, set after set.
    sizes: Vec<usize>,
    /// How often each set is drawn.
    repeats: u64,
    /// Steps of the learned model's training.
    steps: usize,
}

impl Plan {
    fn of(quick: bool) -> Self {
        match quick {
            true => Plan { sizes: vec![1, 10, 100], repeats: 1, steps: 600 },
            false => Plan { sizes: vec![1, 3, 10, 30, 100, 300, 1000], repeats: 3, steps: 6000 },
        }
    }
}

pub(super) fn prepare(quick: bool) -> Prepared {
    Box::new(move |_| {
        let plan = Plan::of(quick);
        let found = discovery::example()?;
        let bar = ProgressBar::new(plan.sizes.len() as u64 * plan.repeats);
        let template = "learning from more and more swings {wide_bar} {pos}/{len}, {eta} left";
        bar.set_style(ProgressStyle::with_template(template)?);
        let compared = comparison::compare(&plan, &bar)?;
        bar.finish_and_clear();
        Ok(page::outcome(&found, &compared))
    })
}

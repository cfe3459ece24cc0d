//! Finds the friction that a model lacks from the inputs its correction needs (NeuralSim, figure 10), and counts the
//! recordings this takes, compared with a network that learns the whole motion.

mod comparison;
mod discovery;
mod fit_folder;
mod page;
mod swings;

use gradbody_cli::progress;

use super::Prepared;

/// Seed of all random numbers.
const SEED: u64 = 1;
/// Damping of the true joints [N m s/rad]; the model has none.
const DAMPING: [f64; 2] = [0.4, 0.2];

/// The extent of a run.
struct Plan {
    /// Number of training swings in each set.
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
    Box::new(move |parts| {
        let plan = Plan::of(quick);
        let (seen, found) = discovery::example()?;
        fit_folder::write(&parts.results().join("fit"), &seen, &found)?;
        let bar = progress::bar(plan.sizes.len() as u64 * plan.repeats, "fits");
        bar.set_message("training on growing numbers of swings");
        let compared = comparison::compare(&plan, &bar)?;
        bar.finish_and_clear();
        Ok(page::outcome(&found, &compared))
    })
}

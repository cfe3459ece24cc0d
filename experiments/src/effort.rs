//! A search with its effort: how many rollouts were differentiated, and how long that took.

use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::Context as _;
use gradbody::learn::optimise::{Limits, Method, Objective, Search};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

/// What searches took.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Effort {
    /// Rollouts with their gradient.
    pub(super) gradients: f64,
    /// All the time of the searches that made them, with what else they did; none of searches without gradients [s].
    pub(super) seconds: f64,
}

impl Effort {
    pub(super) fn and(self, more: Effort) -> Effort {
        Effort { gradients: self.gradients + more.gradients, seconds: self.seconds + more.seconds }
    }

    pub(super) fn gradients_a_second(self) -> f64 {
        self.gradients / self.seconds.max(1e-9)
    }
}

/// What a search came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Found {
    pub(super) x: Vec<f64>,
    pub(super) cost: f64,
    /// The cost after each iteration.
    pub(super) costs: Vec<f64>,
    pub(super) effort: Effort,
}

/// A bar for a search of so many iterations; its message says what is searched for.
pub(super) fn progress(iterations: u64) -> ProgressBar {
    let bar = ProgressBar::new(iterations);
    let shape = "{msg:34} {bar:24} {pos}/{len}, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(shape) {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar
}

/// Makes an objective small that is a sum over `rollouts` rollouts; `what` is said beside the progress.
pub(super) fn minimise(
    objective: &dyn Objective,
    (method, limits): (&Method, &Limits),
    start: Vec<f64>,
    seed: u64,
    (what, rollouts): (&str, usize),
) -> anyhow::Result<Found> {
    let begun = Instant::now();
    let mut search = Search::begin(method, objective, start, seed)
        .with_context(|| format!("{what}: the search cannot begin"))?;
    let bar = progress(limits.iterations.unwrap_or(0));
    let mut costs = Vec::new();
    search.run(objective, limits, &mut |search| {
        let (_, best) = search.best();
        costs.push(best);
        bar.set_message(format!("{what}: {best:.4e}"));
        bar.set_position(search.iteration());
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    let asked = search.evaluations();
    // A gradient of a part is one of a share of the rollouts.
    let gradients = asked.gradients as f64 * rollouts as f64 / objective.parts() as f64
        + asked.quadratics as f64 * rollouts as f64;
    let (mut x, mut cost) = search.best();
    // Of parts of an objective, a search judges the whole only now and then: its last point may be better than its best.
    let of_last = objective.cost(search.current());
    if of_last < cost {
        (x, cost) = (search.current(), of_last);
    }
    let seconds = if gradients > 0.0 { begun.elapsed().as_secs_f64() } else { 0.0 };
    let effort = Effort { gradients, seconds };
    Ok(Found { x: x.to_vec(), cost, costs, effort })
}

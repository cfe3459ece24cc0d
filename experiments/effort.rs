//! Runs a search and counts its effort: the number of differentiated rollouts and the time.

use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::Context as _;
use gradbody::learn::optimise::{Limits, Method, Objective, Search};
use gradbody_cli::progress;
use serde::{Deserialize, Serialize};

/// The effort of one or more searches.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Effort {
    /// Number of differentiated rollouts.
    pub(super) gradients: f64,
    /// Total time of the searches that use gradients [s]; searches without gradients do not count.
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

/// The result of a search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Found {
    pub(super) x: Vec<f64>,
    pub(super) cost: f64,
    /// The cost after each iteration.
    pub(super) costs: Vec<f64>,
    pub(super) effort: Effort,
}

/// Minimises an objective that sums over `rollouts` rollouts; `what` labels the progress bar.
pub(super) fn minimise(
    objective: &dyn Objective,
    (method, limits): (&Method, &Limits),
    start: Vec<f64>,
    seed: u64,
    (what, rollouts): (&str, usize),
) -> anyhow::Result<Found> {
    let started = Instant::now();
    let mut search = Search::begin(method, objective, start, seed)
        .with_context(|| format!("{what}: the search cannot start"))?;
    let bar = progress::bar(limits.iterations.unwrap_or(0), "iterations");
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
    // The gradient of a minibatch counts as its share of the rollouts.
    let gradients = asked.gradients as f64 * rollouts as f64 / objective.parts() as f64
        + asked.quadratics as f64 * rollouts as f64;
    let (mut x, mut cost) = search.best();
    // With minibatches the full objective is evaluated only now and then, so the last point may beat the recorded best.
    let of_last = objective.cost(search.current());
    if of_last < cost {
        (x, cost) = (search.current(), of_last);
    }
    let seconds = if gradients > 0.0 { started.elapsed().as_secs_f64() } else { 0.0 };
    let effort = Effort { gradients, seconds };
    Ok(Found { x: x.to_vec(), cost, costs, effort })
}

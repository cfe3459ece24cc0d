//! The results as a table, JSON and heat maps.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::problem::{BOUNDS, DT, NOISE, Problem, SECONDS, START, TRUTH};
use super::{FOUND, Landscape, SEED, Trial, Trials, heat_map};
use crate::Findings;
use gradbody_report::text::{Align, Table, fixed};
use gradbody_report::{Figure, Section};
use maud::html;

pub(super) fn outcome(problem: &Problem, landscape: &Landscape, all: &[Trials]) -> Findings {
    let starts = all.first().map_or(0, |trials| trials.trials.len());
    let mut text = format!(
        "link lengths {} and {} m from {SECONDS} s of joint angles, {starts} guesses from {} to {} m\n",
        TRUTH[0], TRUTH[1], BOUNDS.0, BOUNDS.1
    );
    table(all).write(&mut text);
    let _ = writeln!(
        text,
        "reached: both lengths within {} %; rollouts: mean (largest) per start, with and without derivatives",
        100.0 * FOUND
    );
    let figures = all.iter().map(|trials| {
        Figure::new(fixed(share(trials), 1), "%", format!("reached by {}", trials.name))
    });
    let markup = html! {
        div.plots { @for trials in all { (heat_map::figure(landscape, trials)) } }
    };
    let section = Section {
        heading: "The end of a search depends on its start".into(),
        text: vec![
            format!(
                "A double pendulum has links of {} m and {} m with 1 kg at the end of each. It is released at rest \
                 with the upper link level and the lower one upright on its end. Both angles are recorded for \
                 {SECONDS} s, every {DT} s, with noise of {NOISE} rad. The task is to find the two lengths from this \
                 recording.",
                TRUTH[0], TRUTH[1]
            ),
            "Shades show the error of the model's swing at each pair of lengths on a logarithmic scale; darker is \
             worse. A green disc is a guess from which the search reached the truth (the circle), an orange cross \
             one from which it did not. Local search descends to the nearest minimum. Basin hopping starts many local \
             searches around the best point so far, and some anywhere, until errors are at noise level."
                .into(),
        ],
        figures: figures.collect(),
        markup,
        ..Section::default()
    };
    Findings {
        title: "Two lengths of a double pendulum".into(),
        lead: "Local search against parallel basin hopping, from a grid of guesses (NeuralSim, 2021, figure 4).".into(),
        sections: vec![section],
        text,
        json: json(problem, landscape, all),
    }
}

/// Percentage of starts that reached the truth.
fn share(trials: &Trials) -> f64 {
    100.0 * trials.found() as f64 / trials.trials.len().max(1) as f64
}

fn table(all: &[Trials]) -> Table {
    let mut table = Table::new(&[
        ("method", Align::Left),
        ("reached", Align::Right),
        ("%", Align::Right),
        ("with derivatives", Align::Right),
        ("without", Align::Right),
        ("time [s]", Align::Right),
    ]);
    for trials in all {
        let rollouts = |number: fn(&Trial) -> u64| {
            let (mean, most) = trials.mean_and_most(number);
            format!("{mean:.0} ({most})")
        };
        table.row(vec![
            trials.name.to_owned(),
            format!("{} of {}", trials.found(), trials.trials.len()),
            fixed(share(trials), 1),
            rollouts(|trial| trial.derivatives),
            rollouts(|trial| trial.costs),
            fixed(trials.seconds, 1),
        ]);
    }
    table
}

fn json(problem: &Problem, landscape: &Landscape, all: &[Trials]) -> Value {
    let of = |trials: &Trials| {
        let (derivatives, most_derivatives) = trials.mean_and_most(|trial| trial.derivatives);
        let (costs, most_costs) = trials.mean_and_most(|trial| trial.costs);
        let each = trials.trials.iter().map(
            |trial| json!({ "start": trial.start, "end": trial.end, "reached": trial.found() }),
        );
        json!({
            "method": trials.name,
            "reached": trials.found(),
            "reached_percent": share(trials),
            "seconds": trials.seconds,
            "rollouts_with_derivatives": { "mean": derivatives, "most": most_derivatives },
            "rollouts_without": { "mean": costs, "most": most_costs },
            "starts": each.collect::<Vec<_>>(),
        })
    };
    // A length that makes the model diverge has no error: null.
    let errors: Vec<Option<f64>> =
        landscape.errors.iter().map(|e| e.is_finite().then_some(*e)).collect();
    json!({
        "seed": SEED,
        "truth": TRUTH,
        "bounds": [BOUNDS.0, BOUNDS.1],
        "start_angles": START,
        "seconds": SECONDS,
        "time_step": DT,
        "noise_rad": NOISE,
        "target_cost": problem.noise_cost(),
        "methods": all.iter().map(of).collect::<Vec<_>>(),
        "landscape": { "side": landscape.side, "angle_error_rad": errors },
    })
}

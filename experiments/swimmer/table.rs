//! The results as a table for the terminal and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::networks::Correction;
use super::results::{Case, Judged, Method};
use super::{DT, Plan, TEST_STEPS, TRAIN_STEPS};
use crate::distribution::Distribution;
use crate::effort::Effort;
use gradbody_report::text::{Align, Table, number, several};

/// The correction that is compared with the LSTM first.
pub(super) const PSI: Method = Method::Model(Correction::OwnAxes);

impl Judged {
    /// The errors of each seed at the last step: angle [rad] and position [m].
    pub(super) fn last(&self) -> (Distribution, Distribution) {
        let of = |pick: fn((f64, f64)) -> f64| {
            Distribution::of(self.runs.iter().map(|run| pick(run.errors.last())).collect())
        };
        (of(|(angle, _)| angle), of(|(_, position)| position))
    }
}

impl Case {
    /// Ratio of the LSTM's error to that of a method at the last step, for angles and position.
    pub(super) fn advantage(&self, method: Method) -> Option<(f64, f64)> {
        let (theirs, ours) = (self.of(Method::Recurrent)?.last(), self.of(method)?.last());
        Some((theirs.0.mean() / ours.0.mean(), theirs.1.mean() / ours.1.mean()))
    }
}

/// To three digits.
pub(super) fn short(x: f64) -> String {
    number(format!("{x:.2e}").parse().unwrap_or(x))
}

/// `0.012 (0.011 … 0.014)`, or the value alone if there is only one.
pub(super) fn spread(errors: &Distribution, count: usize) -> String {
    match count {
        1 => short(errors.mean()),
        _ => format!(
            "{} ({} … {})",
            short(errors.mean()),
            short(errors.quantile(0.0)),
            short(errors.quantile(1.0))
        ),
    }
}

/// The cells of a row: model, weights, errors, and the ratio of the LSTM's errors to them.
pub(super) fn cells(case: &Case, judged: &Judged) -> [String; 5] {
    let (angle, position) = judged.last();
    let count = judged.runs.len();
    let times = match (judged.method, case.advantage(judged.method)) {
        (Method::Recurrent, _) | (_, None) => String::new(),
        (_, Some((angle, position))) => format!("{}, {}", times(angle), times(position)),
    };
    [
        judged.method.title().into(),
        judged.weights.to_string(),
        spread(&angle, count),
        spread(&position, count),
        times,
    ]
}

/// To two digits.
pub(super) fn times(x: f64) -> String {
    number(format!("{x:.1e}").parse().unwrap_or(x))
}

pub(super) fn text(plan: &Plan, cases: &[Case]) -> String {
    let mut text = format!(
        "trained on {TRAIN_STEPS} steps of 10 motions and their mirror images; errors at step {TEST_STEPS} \
         ({} s)\nof 6 others, root mean square; for several seeds: mean (least … most); last column: ratio of \
         the\nLSTM's error to that of the row, angles and position\n",
        number(TEST_STEPS as f64 * DT),
    );
    for case in cases {
        let seeds = several(plan.seeds(case.medium) as usize, "seed");
        let _ = writeln!(text, "\n{} in {}, {seeds}", case.swimmer.title, case.medium.title);
        let mut table = Table::new(&[
            ("", Align::Left),
            ("weights", Align::Right),
            ("angles [rad]", Align::Left),
            ("position [m]", Align::Left),
            ("LSTM ratio", Align::Right),
        ]);
        case.judged.iter().for_each(|judged| table.row(cells(case, judged).to_vec()));
        table.write(&mut text);
    }
    let _ = writeln!(text, "\n{}", rates(cases));
    text
}

/// The total effort of training a swimmer's networks.
pub(super) fn effort(cases: &[Case], hinges: usize) -> Effort {
    let of = cases.iter().filter(|case| case.swimmer.hinges == hinges);
    let efforts = of.flat_map(|case| &case.judged).map(|judged| judged.effort);
    efforts.fold(Effort::default(), Effort::and)
}

/// The number of rollout gradients per second.
pub(super) fn rates(cases: &[Case]) -> String {
    let rate = |hinges: usize, links: &str| {
        let effort = effort(cases, hinges);
        format!(
            "{:.0} rollout gradients per second with {links} ({:.1e} in {:.0} s)",
            effort.gradients_a_second(),
            effort.gradients,
            effort.seconds
        )
    };
    format!("{}, {}", rate(1, "two links"), rate(5, "six"))
}

pub(super) fn json(cases: &[Case]) -> Value {
    let summary = |errors: &Distribution| {
        let (least, most) = (errors.quantile(0.0), errors.quantile(1.0));
        json!({ "mean": errors.mean(), "least": least, "most": most })
    };
    let model = |case: &Case, judged: &Judged| {
        let (angle, position) = judged.last();
        let each = |pick: fn(&super::errors::Errors) -> &Vec<f64>| -> Vec<Vec<f64>> {
            judged.runs.iter().map(|run| pick(&run.errors).clone()).collect()
        };
        json!({
            "model": judged.method.key(),
            "weights": judged.weights,
            "seeds": judged.runs.len(),
            "angle_error_rad": summary(&angle),
            "position_error_m": summary(&position),
            "lstm_by_it": case.advantage(judged.method),
            "rollout_gradients_per_second": judged.effort.gradients_a_second(),
            "steps": judged.runs.first().map(|run| &run.errors.steps),
            "angle_errors_rad": each(|errors| &errors.angle),
            "position_errors_m": each(|errors| &errors.position),
        })
    };
    let case = |case: &Case| {
        json!({
            "swimmer": case.swimmer.key,
            "medium": case.medium.key,
            "models": case.judged.iter().map(|judged| model(case, judged)).collect::<Vec<_>>(),
        })
    };
    let rate = |hinges: usize| effort(cases, hinges).gradients_a_second();
    json!({
        "train_steps": TRAIN_STEPS,
        "test_steps": TEST_STEPS,
        "errors": "root mean square over 6 motions not trained on, at the last step",
        "rollout_gradients_per_second": { "swimmer2": rate(1), "swimmer6": rate(5) },
        "cases": cases.iter().map(case).collect::<Vec<_>>(),
    })
}

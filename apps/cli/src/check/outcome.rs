//! A check as a table, as JSON and as a drawing.

use serde_json::{Value, json};

use gradbody::contact::ContactGradient;

use super::Outcome;
use super::advice::advice;
use super::compare::{Compared, Verdict};
use gradbody_report::text::{Align, Table, number};
use gradbody_report::{Plot, Series};

impl Verdict {
    /// For the table.
    fn words(self) -> &'static str {
        match self {
            Verdict::Agree => "agree",
            Verdict::RoughContacts | Verdict::RoughRounding => "agree, differences rough",
            Verdict::Kink => "at a kink",
            Verdict::DifferencesDiffer => "agree, differences differ",
            Verdict::Smoothed => "smoothed",
            Verdict::DualsUnsettled => "agrees with differences, duals unsettled",
            Verdict::Differ => "differ",
            Verdict::NoInfluence => "has no influence on this motion",
            Verdict::NotFinite => "not finite",
        }
    }

    /// For programs.
    fn key(self) -> &'static str {
        match self {
            Verdict::Agree => "agree",
            Verdict::RoughContacts => "rough_contacts",
            Verdict::RoughRounding => "rough_rounding",
            Verdict::Kink => "kink",
            Verdict::DifferencesDiffer => "differences_differ",
            Verdict::Smoothed => "smoothed",
            Verdict::DualsUnsettled => "duals_unsettled",
            Verdict::Differ => "differ",
            Verdict::NoInfluence => "no_influence",
            Verdict::NotFinite => "not_finite",
        }
    }
}

impl Outcome {
    /// For the terminal.
    pub(super) fn text(&self) -> String {
        let case = &self.case;
        let mut text = format!(
            "{}: {} steps of {} s, {} gradient; derivatives of a random function of the last state, in a \
             random\ndirection of each group\n\n",
            self.model_name,
            case.steps(),
            number(case.options.dt),
            self.gradient_words()
        );
        let mut table = Table::new(&[
            ("group", Align::Left),
            ("numbers", Align::Right),
            ("adjoint", Align::Right),
            ("duals", Align::Right),
            ("differences", Align::Right),
            ("verdict", Align::Left),
        ]);
        let is_idle = |c: &&Compared| c.verdict == Verdict::NoInfluence;
        let groups = &self.comparison.groups;
        for c in groups.iter().filter(|c| !is_idle(c)) {
            let slopes = [c.adjoint, c.dual, c.differences.slope].map(number);
            let mut row = vec![c.name.clone(), c.count.to_string()];
            row.extend(slopes);
            row.push(c.verdict.words().into());
            table.row(row);
        }
        for c in groups.iter().filter(is_idle) {
            let empty = String::new;
            let words = c.verdict.words().into();
            table.row(vec![c.name.clone(), c.count.to_string(), empty(), empty(), empty(), words]);
        }
        table.write(&mut text);
        if self.infinite > 0 {
            let numbers = if self.infinite == 1 { "number" } else { "numbers" };
            text.push_str(&format!(
                "\n{} infinite {numbers} of the model (limits that are not there) left out\n",
                self.infinite
            ));
        }
        text.push('\n');
        for line in advice(self) {
            text.push_str(&format!("- {line}\n"));
        }
        text
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        let groups: Vec<Value> = self.comparison.groups.iter().map(group_json).collect();
        let sensitivity = &self.sensitivity;
        json!({
            "model": self.model_name,
            "steps": self.case.steps(),
            "dt": self.case.options.dt,
            "gradient": self.gradient_words(),
            "seed": self.seed,
            "adjoint_and_duals_agree": !self.is_bad(),
            "infinite_numbers_left_out": self.infinite,
            "solver": { "largest_residual": self.plain.residual, "most_sweeps": self.plain.sweeps },
            "groups": groups,
            "sensitivity": {
                // Step counts from 1; null if differences follow to the end.
                "differences_lost_at_step": sensitivity.lost_at.map(|step| step + 1),
                "jacobian_norm": sensitivity.norms,
                "differences_error": sensitivity.errors,
            },
            "advice": advice(self),
        })
    }

    /// How a change of the start grows.
    pub(super) fn svg(&self) -> String {
        let points = self.sensitivity.norms.iter().enumerate();
        let line = points.map(|(k, norm)| (self.case.time_after(k), *norm)).collect();
        let plot = Plot::new(
            format!("{}: how a small change of the start grows", self.model_name),
            "time [s]",
            "norm of the Jacobian",
        )
        .logarithmic()
        .line(Series::new("norm", line));
        match self.sensitivity.lost_at {
            Some(step) => {
                plot.mark(self.case.time_after(step), "differences part from duals").svg()
            }
            None => plot.svg(),
        }
    }

    /// Whether adjoint and duals differ where they must not, or are not finite.
    pub(super) fn is_bad(&self) -> bool {
        let bad = |c: &Compared| matches!(c.verdict, Verdict::Differ | Verdict::NotFinite);
        self.comparison.groups.iter().any(bad)
    }

    fn gradient_words(&self) -> String {
        match self.case.gradient {
            ContactGradient::Implicit => "implicit".into(),
            ContactGradient::Unrolled => "unrolled".into(),
            ContactGradient::Smoothed { kappa } => format!("smoothed={}", number(kappa)),
        }
    }
}

fn group_json(c: &Compared) -> Value {
    json!({
        "name": c.name,
        "paths": c.paths,
        "numbers": c.count,
        "numbers_with_influence": c.with_influence,
        "adjoint": c.adjoint,
        "duals": c.dual,
        "differences": c.differences.slope,
        "differences_step": c.differences.step,
        "differences_spread": c.differences.spread,
        // Slopes to both sides, if they differ however small the step.
        "slopes_at_kink": c.differences.kink.filter(|_| c.verdict == Verdict::Kink),
        "error": c.error,
        "verdict": c.verdict.key(),
    })
}

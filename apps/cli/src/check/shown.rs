//! A check as a table, as JSON and as a drawing.

use serde_json::{Value, json};

use gradbody::contact::ContactGradient;
use gradbody_check::{Compared, Outcome, Verdict};
use gradbody_report::text::{Align, Table, number};
use gradbody_report::{Plot, Series};

/// An outcome and the name of its model.
pub(super) struct Shown<'a> {
    pub(super) model_name: &'a str,
    pub(super) outcome: &'a Outcome<'a>,
}

impl Shown<'_> {
    /// For the terminal.
    pub(super) fn text(&self) -> String {
        let Outcome { case, groups, infinite, .. } = self.outcome;
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
        for c in groups.iter().filter(|c| !is_idle(c)) {
            let slopes = [c.adjoint, c.dual, c.differences.slope].map(number);
            let mut row = vec![c.name.clone(), c.count.to_string()];
            row.extend(slopes);
            row.push(words(c.verdict).into());
            table.row(row);
        }
        for c in groups.iter().filter(is_idle) {
            let empty = String::new;
            let verdict = words(c.verdict).into();
            table.row(vec![
                c.name.clone(),
                c.count.to_string(),
                empty(),
                empty(),
                empty(),
                verdict,
            ]);
        }
        table.write(&mut text);
        if *infinite > 0 {
            let numbers = if *infinite == 1 { "number" } else { "numbers" };
            text.push_str(&format!(
                "\nleft out {infinite} infinite {numbers} of the model (absent limits)\n"
            ));
        }
        text.push('\n');
        for line in self.outcome.advice() {
            text.push_str(&format!("- {line}\n"));
        }
        text
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        let Outcome { case, seed, plain, groups, sensitivity, infinite, .. } = self.outcome;
        let groups: Vec<Value> = groups.iter().map(group_json).collect();
        json!({
            "model": self.model_name,
            "steps": case.steps(),
            "dt": case.options.dt,
            "gradient": self.gradient_words(),
            "seed": seed,
            "adjoint_and_duals_agree": !self.outcome.is_bad(),
            "infinite_numbers_left_out": infinite,
            "solver": { "largest_residual": plain.residual, "most_sweeps": plain.sweeps },
            "groups": groups,
            "sensitivity": {
                // Steps count from 1; null if differences agree to the end.
                "differences_lost_at_step": sensitivity.lost_at.map(|step| step + 1),
                "jacobian_norm": sensitivity.norms,
                "differences_error": sensitivity.errors,
            },
            "advice": self.outcome.advice(),
        })
    }

    /// How a change of the start grows.
    pub(super) fn svg(&self) -> String {
        let Outcome { case, sensitivity, .. } = self.outcome;
        let points = sensitivity.norms.iter().enumerate();
        let line = points.map(|(k, norm)| (case.time_after(k), *norm)).collect();
        let plot = Plot::new(
            format!("{}: how a small change of the start grows", self.model_name),
            "time [s]",
            "norm of the Jacobian",
        )
        .logarithmic()
        .line(Series::new("norm", line));
        match sensitivity.lost_at {
            Some(step) => plot.mark(case.time_after(step), "differences depart from duals").svg(),
            None => plot.svg(),
        }
    }

    fn gradient_words(&self) -> String {
        match self.outcome.case.gradient {
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
        // Slopes on both sides, if they differ however small the step.
        "slopes_at_kink": c.differences.kink.filter(|_| c.verdict == Verdict::Kink),
        "error": c.error,
        "verdict": key(c.verdict),
    })
}

/// A verdict for the table.
fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agree => "agree",
        Verdict::RoughContacts | Verdict::RoughRounding => "agree, differences rough",
        Verdict::Kink => "at a kink",
        Verdict::DifferencesDiffer => "agree, differences differ",
        Verdict::Smoothed => "smoothed",
        Verdict::DualsUnsettled => "agrees with differences, duals unsettled",
        Verdict::TooSensitive => "too sensitive to tell",
        Verdict::LoadShares => "has no one derivative",
        Verdict::Differ => "differ",
        Verdict::NoInfluence => "has no influence on this motion",
        Verdict::NotFinite => "not finite",
    }
}

/// A verdict for programs.
fn key(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agree => "agree",
        Verdict::RoughContacts => "rough_contacts",
        Verdict::RoughRounding => "rough_rounding",
        Verdict::Kink => "kink",
        Verdict::DifferencesDiffer => "differences_differ",
        Verdict::Smoothed => "smoothed",
        Verdict::DualsUnsettled => "duals_unsettled",
        Verdict::TooSensitive => "too_sensitive",
        Verdict::LoadShares => "load_shares",
        Verdict::Differ => "differ",
        Verdict::NoInfluence => "no_influence",
        Verdict::NotFinite => "not_finite",
    }
}

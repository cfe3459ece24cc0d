//! The plans that were made on the way: what came of each, and what should be known of all.

use gradbody_control::{Begun, ClosedLoop, Replan, rounded_time};
use serde::{Deserialize, Serialize};

use crate::RecedingSpec;
use crate::outcome::{Note, UNSOLVED, finite};

/// A plan that was made on the way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplanOutcome {
    /// The time at which it begins [s].
    pub time: f64,
    /// What it began with.
    pub begun: Begun,
    /// Its cost before it was improved; none if its motion diverged.
    pub before: Option<f64>,
    /// Its cost.
    pub cost: Option<f64>,
    /// The share of the step that its last iteration took; 0 if none.
    pub length: f64,
    /// The largest residual of the contact solver in its motion [m/s].
    pub residual: f64,
    /// How long it took to make, by the clock [µs].
    pub micros: f64,
}

/// The plans of a run.
pub(crate) fn replans(record: &ClosedLoop) -> Vec<ReplanOutcome> {
    let of = |(replan, micros): (&Replan, &f64)| {
        let Replan { time, begun, before, cost, length, residual } = *replan;
        let (time, before, cost) = (rounded_time(time), finite(before), finite(cost));
        ReplanOutcome { time, begun, before, cost, length, residual, micros: *micros }
    };
    record.replans.iter().zip(&record.micros).map(of).collect()
}

/// How long plans took to make, by the clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanTimes {
    /// The median [ms].
    pub median: f64,
    /// 99 of 100 took at most this long [ms].
    pub p99: f64,
    /// The longest [ms].
    pub longest: f64,
}

impl PlanTimes {
    /// Of all plans but the first one, which has more iterations. None if there was no other.
    pub fn of(replans: &[ReplanOutcome]) -> Option<Self> {
        let mut times: Vec<f64> = replans.iter().skip(1).map(|r| 1e-3 * r.micros).collect();
        times.sort_unstable_by(f64::total_cmp);
        let longest = *times.last()?;
        // The least of the times that are not exceeded by this share of all.
        let quantile = |share: f64| times[(share * times.len() as f64).ceil() as usize - 1];
        Some(PlanTimes { median: quantile(0.5), p99: quantile(0.99), longest })
    }
}

/// What should be known of the plans. `knot` is the duration of a knot [s].
pub(crate) fn notes(replans: &[ReplanOutcome], spec: &RecedingSpec, knot: f64) -> Vec<Note> {
    let all = replans.len();
    let count = |is: &dyn Fn(&ReplanOutcome) -> bool| replans.iter().filter(|r| is(r)).count();
    let mut notes = Vec::new();
    // The first plan always begins with the first actions.
    let anew = count(&|r| r.begun == Begun::FirstActions).saturating_sub(1);
    if anew > 0 {
        notes.push(format!(
            "{anew} of {all} plans began anew with the first actions, because what was left of the last plan diverged"
        ));
    }
    let without = count(&|r| r.begun == Begun::OpenLoop);
    if without > 0 {
        notes.push(format!(
            "{without} of {all} plans began without the feedback of the last one, because there was none or its motion diverged"
        ));
    }
    let improved = |r: &ReplanOutcome| r.cost.zip(r.before).is_some_and(|(is, was)| is < was);
    let idle = count(&|r| !improved(r));
    if idle > 0 {
        notes.push(format!("{idle} of {all} plans were not improved: no step lowered their cost"));
    }
    let unsolved = count(&|r| r.residual > UNSOLVED);
    if unsolved > 0 {
        let worst = replans.iter().fold(0.0_f64, |worst, r| worst.max(r.residual));
        notes.push(format!(
            "Contacts were not solved to the end inside {unsolved} of {all} plans (residual up to {worst:.1e} m/s), so \
             derivatives there are inexact"
        ));
    }
    if let Some(PlanTimes { p99, .. }) = PlanTimes::of(replans) {
        let (knots, waits) = match spec.delay {
            0 => (spec.replan, "the robot waits for each plan, however long it takes".to_owned()),
            delay => {
                let allowed = millis(knot, delay);
                (delay, format!("each plan counts as made after {allowed} ms"))
            }
        };
        let allowed = millis(knot, knots);
        let late = replans.iter().skip(1).filter(|r| 1e-3 * r.micros > allowed).count();
        let others = all - 1;
        notes.push(format!(
            "In this simulation {waits}. By the clock, 99 of 100 plans after the first one took at most {p99:.2} ms; {late} of \
             {others} took longer than {allowed} ms, {knots} knot{}",
            if knots == 1 { "" } else { "s" }
        ));
    }
    notes
}

/// The duration of some knots [ms].
fn millis(knot: f64, knots: usize) -> f64 {
    rounded_time(1e3 * knot * knots as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replan(index: usize) -> ReplanOutcome {
        ReplanOutcome {
            time: 0.01 * index as f64,
            begun: if index == 0 { Begun::FirstActions } else { Begun::Feedback },
            before: Some(2.0),
            cost: Some(1.0),
            length: 1.0,
            residual: 1e-12,
            micros: 1000.0 * index as f64,
        }
    }

    fn spec(text: &str) -> RecedingSpec {
        toml::from_str(text).expect("a table")
    }

    #[test]
    fn quantiles_are_times_that_were_measured() {
        let replans: Vec<ReplanOutcome> = (0..=200).rev().map(replan).collect();
        // The first one, of 200 ms, does not count.
        let times = PlanTimes::of(&replans).expect("times");
        assert_eq!(times, PlanTimes { median: 99.0, p99: 197.0, longest: 199.0 });
        assert_eq!(PlanTimes::of(&replans[..1]), None);
        let one = PlanTimes::of(&[replan(1), replan(7)]).expect("a time");
        assert_eq!(one, PlanTimes { median: 7.0, p99: 7.0, longest: 7.0 });
    }

    #[test]
    fn notes_tell_how_plans_went() {
        let mut replans: Vec<ReplanOutcome> = (0..5).map(replan).collect();
        let told = notes(&replans, &spec("seconds = 1"), 0.003);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].starts_with("In this simulation the robot waits for each plan"),
            "{told:?}"
        );
        assert!(told[0].ends_with("1 of 4 took longer than 3 ms, 1 knot"), "{told:?}");
        replans[1].begun = Begun::FirstActions;
        replans[2].begun = Begun::OpenLoop;
        replans[3].cost = replans[3].before;
        replans[4].residual = 0.97;
        let told = notes(&replans, &spec("seconds = 1\nreplan = 3\ndelay = 2"), 0.001);
        let beginnings = [
            "1 of 5 plans began anew with the first actions",
            "1 of 5 plans began without the feedback of the last one",
            "1 of 5 plans were not improved",
            "Contacts were not solved to the end inside 1 of 5 plans (residual up to 9.7e-1 m/s)",
            "In this simulation each plan counts as made after 2 ms",
        ];
        assert_eq!(told.len(), beginnings.len(), "{told:?}");
        for (note, beginning) in told.iter().zip(beginnings) {
            assert!(note.starts_with(beginning), "{note}\n{beginning}");
        }
        assert!(told[4].ends_with("2 of 4 took longer than 2 ms, 2 knots"), "{told:?}");
    }
}

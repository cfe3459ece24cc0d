//! Three control experiments of Qiao, Liang, Koltun and Lin (2021), whose figures 6 and 7 show them: an arm throws a ball,
//! a club strikes one, and the friction is found with which a car comes as far as it should.

mod car;
mod page;
mod search;
mod starts;

use gradbody::control::Ilqr;
use gradbody::learn::optimise::Lbfgs;
use gradbody::plan::{PlanMethod, PlanOutcome, Task};
use gradbody_cli::{atomic_file, progress};
use serde::{Deserialize, Serialize};

use super::{Findings, Prepared};
use crate::parts::Parts;
use search::Trial;

/// One of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    Throw,
    Golf,
    Racecar,
}

/// Random starts in a full and in a quick run.
const STARTS: u64 = 20;
const QUICK_STARTS: u64 = 4;
/// CMA-ES has this many times the simulations of the search with gradients, if it needs as many, and at most these seconds.
const RIVAL_SHARE: u64 = 100;
const RIVAL_SECONDS: f64 = 900.0;

/// What was published, and how it is done here.
struct Facts {
    name: &'static str,
    task: &'static str,
    title: &'static str,
    lead: &'static str,
    /// Gradient steps to success, as published.
    published_steps: u64,
    published: &'static str,
}

impl Control {
    fn facts(self) -> Facts {
        match self {
            Control::Throw => Facts {
                name: "throw",
                task: include_str!("../tasks/throw.toml"),
                title: "An arm throws a ball",
                lead: "The torques of nine joints in every time step are found so that the ball is at its target in the end.",
                published_steps: 20,
                published: "20 gradient steps; CMA-ES not there after 500 iterations",
            },
            Control::Golf => Facts {
                name: "golf",
                task: include_str!("../tasks/golf.toml"),
                title: "A club strikes a ball",
                lead: "The torques of two joints in every time step are found so that the ball is at its target in the end.",
                published_steps: 50,
                published: "50 gradient steps; CMA-ES not there after 1500 iterations",
            },
            Control::Racecar => Facts {
                name: "racecar",
                task: include_str!("../tasks/racecar.toml"),
                title: "The friction that lets a car come 0.8 m far",
                lead: "A car with locked wheels starts with 1 m/s on ice; the friction is found with which it is at 0.8 m in the end.",
                published_steps: 10,
                published: "10 gradient steps, from a friction of 0.002 to 0.21; braking and time are not stated",
            },
        }
    }

    fn task(self) -> anyhow::Result<Task> {
        let facts = self.facts();
        Ok(Task::from_toml(facts.task, &format!("{}.toml", facts.name))?)
    }

    /// Another method with gradients, for comparison. The car has one unknown, for which iLQR has no use.
    fn other_method(self) -> Option<PlanMethod> {
        match self {
            Control::Throw => Some(PlanMethod::Lbfgs(Lbfgs::default())),
            Control::Golf => Some(PlanMethod::Ilqr(Ilqr::default())),
            Control::Racecar => None,
        }
    }
}

/// Searches by one method from all random starts.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Searches {
    method: String,
    trials: Vec<Trial>,
}

/// Everything that was tried.
struct Tried {
    /// From the start of the task's file.
    own: Trial,
    outcome: PlanOutcome,
    rival: Option<Trial>,
    /// From random starts; the task's method first.
    random: Vec<Searches>,
}

pub(super) fn prepare(control: Control, quick: bool) -> Prepared {
    Box::new(move |parts| experiment(control, quick, parts))
}

fn experiment(control: Control, quick: bool, parts: &Parts) -> anyhow::Result<Findings> {
    let text = control.facts().task;
    let task = control.task()?;
    let target = starts::target(&task);
    let (own, outcome) = search::search(task.clone(), text, None, &target)?;
    let page = gradbody_report::plan::page(&outcome);
    atomic_file::write(&parts.results().join("plan.html"), &page)?;
    let rival = match quick {
        true => None,
        false => Some(parts.get("rival", || {
            let most = own.last().simulations.max(1) * RIVAL_SHARE;
            search::rival(task.clone(), text, &target, most, RIVAL_SECONDS)
        })?),
    };
    let mut random = vec![from_random_starts(control, &task, quick, parts)?];
    if let Some(method) = control.other_method().filter(|_| !quick) {
        let task = Task { search: method, ..task.clone() };
        random.push(from_random_starts(control, &task, quick, parts)?);
    }
    let car = match control {
        Control::Racecar => Some(car::compare(&own, &random[0])?),
        _ => None,
    };
    Ok(page::outcome(&control.facts(), &Tried { own, outcome, rival, random }, car.as_ref()))
}

/// Searches by the method of the task.
fn from_random_starts(
    control: Control,
    task: &Task,
    quick: bool,
    parts: &Parts,
) -> anyhow::Result<Searches> {
    let method = task.search.name();
    let count = if quick { QUICK_STARTS } else { STARTS };
    let bar = progress::bar(count, "starts").with_message(method);
    let mut trials = Vec::new();
    for seed in 0..count {
        let trial = parts.get(&format!("{method}-{seed}"), || {
            let (task, target) = starts::varied(control, task.clone(), seed)?;
            Ok(search::search(task, control.facts().task, Some(seed), &target)?.0)
        })?;
        trials.push(trial);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(Searches { method: method.to_owned(), trials })
}

#[cfg(test)]
mod tests;

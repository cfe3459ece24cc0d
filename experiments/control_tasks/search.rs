//! Searches for the plan of a task, by gradients and without.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use anyhow::anyhow;
use gradbody::learn::optimise::CmaEs;
use gradbody::model::import::{ImportOptions, from_text};
use gradbody::plan::{PlanMethod, PlanOutcome, Point, Run, Setup, Task};
use gradbody_cli::builtin;
use serde::{Deserialize, Serialize};

/// A search from one start for one target.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Trial {
    /// The seed that the start and the target were drawn with; none for those of the task's file.
    pub(super) seed: Option<u64>,
    pub(super) target: Vec<f64>,
    /// Whether the task is done.
    pub(super) done: bool,
    /// How far from the target the plan ends [m].
    pub(super) miss: f64,
    /// The cost over the iterations; 0 is the first motion.
    pub(super) points: Vec<Point>,
    pub(super) ended: String,
    /// The parameters that were chosen.
    pub(super) parameters: Vec<f64>,
}

impl Trial {
    /// What an ended search is.
    fn of(outcome: &PlanOutcome, seed: Option<u64>, target: Vec<f64>) -> Self {
        let miss = (2.0 * outcome.cost).sqrt();
        let within = outcome.costs.iter().find_map(|cost| cost.within);
        Trial {
            seed,
            target,
            // The outcome itself compares each coordinate, which is less strict.
            done: within.is_some_and(|within| miss <= within),
            miss,
            points: outcome.points.clone(),
            ended: outcome.ended.map_or("given up", |ended| ended.in_words()).to_owned(),
            parameters: outcome.parameters.iter().map(|chosen| chosen.chosen).collect(),
        }
    }

    pub(super) fn last(&self) -> Point {
        self.points.last().copied().unwrap_or_default()
    }
}

/// A task with the built-in model that it names.
pub(super) fn setup(task: Task) -> anyhow::Result<Setup> {
    let load = |path: &Path, options: &ImportOptions| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let model = builtin::find(&name).ok_or_else(|| format!("no built-in model \"{name}\""))?;
        from_text(model.text, path, options).map_err(|error| error.to_string())
    };
    Setup::new(task, Path::new(""), &load).map_err(|error| anyhow!("{error}"))
}

/// Searches by the method of the task, from its own start.
pub(super) fn search(
    task: Task,
    text: &str,
    seed: Option<u64>,
    target: &[f64],
) -> anyhow::Result<(Trial, PlanOutcome)> {
    let mut run = begin(task, text)?;
    run.go(&mut |_| ControlFlow::Continue(()));
    ended(&run, seed, target)
}

/// Searches for the same plan by CMA-ES, which knows no gradient, until it succeeds or has had `simulations` motions or
/// `seconds`.
pub(super) fn rival(
    task: Task,
    text: &str,
    target: &[f64],
    simulations: u64,
    seconds: f64,
) -> anyhow::Result<Trial> {
    let mut run = begin(by_cma_es(task), text)?;
    let began = Instant::now();
    let mut stopped = None;
    run.go(&mut |glimpse| {
        if glimpse.point.simulations >= simulations {
            stopped = Some("used all its simulations");
        } else if began.elapsed().as_secs_f64() >= seconds {
            stopped = Some("used all its time");
        }
        stopped.map_or(ControlFlow::Continue(()), |_| ControlFlow::Break(()))
    });
    let (mut trial, _) = ended(&run, None, target)?;
    if let Some(stopped) = stopped.filter(|_| !trial.done) {
        trial.ended = stopped.to_owned();
    }
    Ok(trial)
}

/// The same task for CMA-ES, with as many iterations as it takes. A task without a limit of them would end after the usual
/// number.
pub(super) fn by_cma_es(mut task: Task) -> Task {
    task.search = PlanMethod::CmaEs(CmaEs::default());
    task.limits.get_or_insert_default().iterations = Some(u64::MAX);
    task
}

fn begin(task: Task, text: &str) -> anyhow::Result<Run> {
    Run::new(setup(task)?, text).map_err(|error| anyhow!("{error}"))
}

fn ended(run: &Run, seed: Option<u64>, target: &[f64]) -> anyhow::Result<(Trial, PlanOutcome)> {
    let outcome = run.outcome().ok_or_else(|| anyhow!("no plan has a finite cost"))?;
    Ok((Trial::of(&outcome, seed, target.to_vec()), outcome))
}

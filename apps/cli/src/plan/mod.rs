//! `gradbody plan`: finds a plan for a task.

mod folder;

use crate::ExitStatus;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use gradbody::plan::{Glimpse, Journal, RecedingRun, Run, Setup, Task};

use crate::interrupt::{self, Interrupt};
use crate::model_args;
use crate::out_folder::OutFolder;
use crate::progress::{self, ProgressBar};
use crate::usage::Usage;

const AFTER_HELP: &str = "\
The task is a TOML file: the model, its start, the horizon, what may act, and what the motion costs (docs/plan.md explains
one; experiments/tasks has more).
The folder gets report.html (for a browser), plan.csv (the motion), controls.csv (for `gradbody simulate --controls`),
model.xml (the model as it was planned for), gains.npy (feedback, if the method gives it), outcome.json, progress.csv and a checkpoint. Ctrl-C writes all of them for the
best plan so far; --resume continues it. A task with [receding] is simulated with plans that are made on the way; it begins
again when resumed.";

/// Options of `gradbody plan`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct PlanArgs {
    /// The task, a TOML file.
    #[arg(value_name = "TASK")]
    task: PathBuf,
    /// The folder to write to. Without it, NAME-plan in the current folder, with the task's name.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Continue a search that was interrupted.
    #[arg(long, conflicts_with_all = ["restart", "seed"])]
    resume: bool,
    /// Replace the plan in the folder by a new one.
    #[arg(long)]
    restart: bool,
    /// Seed to use instead of the task's; a resumed search keeps its own.
    #[arg(long)]
    seed: Option<u64>,
    /// Run the task with methods that need no derivatives too (CMA-ES, MPPI), for comparison: until they are as good as
    /// the plan, or have simulated 100 times as many motions or worked 20 times as long, and at least 30 s.
    #[arg(long)]
    peers: bool,
    /// Seconds between checkpoints: at most this much work is lost if the search is killed.
    #[arg(long, value_name = "SECONDS", default_value_t = 15.0)]
    checkpoint: f64,
}

const WORK: &str = "plan";
const PLAN_AGAIN: &str = "plan again with --restart, or into another folder with --out";

pub(crate) fn run(args: &PlanArgs) -> anyhow::Result<ExitStatus> {
    if args.checkpoint.is_nan() || args.checkpoint < 0.0 {
        return Err(Usage(
            "--checkpoint: a number of seconds that is not negative is needed".into(),
        )
        .into());
    }
    let (text, setup) = load(&args.task, args.seed)?;
    let name = setup.task.name.clone();
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{name}-plan")));
    let has_checkpoint = OutFolder::has_checkpoint(&out);
    if args.resume && !has_checkpoint {
        bail!("{}: there is no plan to resume", out.display());
    }
    if has_checkpoint && !args.resume && !args.restart {
        bail!(
            "{}: already contains a plan; --resume continues it, --restart replaces it, or choose another --out",
            out.display()
        );
    }
    if setup.task.receding.is_some() {
        return on_the_way(args, &text, setup, &out);
    }
    let mut err = io::stderr();
    let notes = setup.notes();
    // The first motion is tried before anything in the folder changes.
    let begun = match args.resume {
        false => Some(begin(&args.task, &text, || Run::new(setup.clone(), &text))?),
        true => None,
    };
    let (folder, _lock) = OutFolder::open(&out, WORK)?;
    let mut run = match begun {
        Some(run) => {
            folder.clear(&folder::RESULTS)?;
            run
        }
        None => {
            let journal: Option<Journal> = folder.checkpoint()?;
            let Some(journal) = journal else {
                bail!("{}: there is no plan to resume", out.display());
            };
            Run::resume(setup, &text, journal).map_err(|error| anyhow!("{error}; {PLAN_AGAIN}"))?
        }
    };
    for note in notes {
        let _ = writeln!(err, "note: {note}");
    }
    folder.write("task.toml", &text)?;
    let done = go(&mut run, &folder, args)?;
    Ok(if done { ExitStatus::SUCCESS } else { ExitStatus::from(interrupt::EXIT_STATUS) })
}

/// Moves a robot by plans that are made on the way, and writes what it did.
fn on_the_way(args: &PlanArgs, text: &str, setup: Setup, out: &Path) -> anyhow::Result<ExitStatus> {
    if args.peers {
        bail!("--peers compares searches for one plan; this task has [receding]");
    }
    let ready = begin(&args.task, text, || RecedingRun::new(setup))?;
    let Some(mut run) = ready else { bail!("{}: no [receding]", args.task.display()) };
    let (folder, _lock) = OutFolder::open(out, WORK)?;
    folder.clear(&folder::RESULTS)?;
    folder.write("task.toml", text)?;
    let interrupt = Interrupt::listen();
    let bar = progress::spinner();
    let seconds = run.seconds();
    let done = begin(&args.task, text, || {
        run.go(&mut |moment| {
            let (time, cost) = (moment.state.time, moment.plan.cost);
            bar.set_message(format!("{time:.2} of {seconds} s, cost of the plan {cost:.4e}"));
            if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    })?;
    bar.finish_and_clear();
    let Some(outcome) = run.outcome() else { bail!("there is no plan from the start") };
    folder::write_plan(&folder, &outcome)?;
    folder.write("report.html", &gradbody_report::plan::page(&outcome))?;
    // The same work again gives the same bits, so this only marks the folder.
    folder.write_checkpoint(&Journal { task: text.to_owned(), ..Journal::default() })?;
    write!(io::stdout(), "{}", gradbody_report::plan::summary(&outcome))?;
    writeln!(io::stdout(), "wrote {}", folder.path("report.html").display())?;
    Ok(match (done, interrupt.asked()) {
        (true, _) => ExitStatus::SUCCESS,
        (false, true) => ExitStatus::from(interrupt::EXIT_STATUS),
        (false, false) => ExitStatus::FAILURE,
    })
}

/// Reads a task and everything it names.
fn load(path: &Path, seed: Option<u64>) -> anyhow::Result<(String, Setup)> {
    let name = path.display();
    if path.is_dir() {
        bail!("{name} is a folder; give the task's TOML file in it");
    }
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if matches!(ending.as_str(), "urdf" | "xml" | "mjcf") {
        bail!(
            "{name} is a model, not a task; write a TOML file with [model] file = \"{name}\" (docs/plan.md)"
        );
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("{name}: cannot be read"))?;
    let mut task = Task::from_toml(&text, &name.to_string())?;
    if let Some(seed) = seed {
        task.seed = seed;
    }
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let setup = begin(path, &text, || Setup::new(task, &folder, &model_args::read_for_experiment))?;
    Ok((text, setup))
}

/// Names the file and the line in an error.
fn begin<T>(
    path: &Path,
    text: &str,
    work: impl FnOnce() -> Result<T, gradbody::learn::ExperimentError>,
) -> anyhow::Result<T> {
    work().map_err(|error| anyhow!(error.in_file(text, &path.display().to_string())))
}

/// Runs a search to its end or until Ctrl-C, and writes the results. Returns whether it reached its end.
fn go(run: &mut Run, folder: &OutFolder, args: &PlanArgs) -> anyhow::Result<bool> {
    let interrupt = Interrupt::listen();
    let bar = progress::spinner();
    let often = Duration::try_from_secs_f64(args.checkpoint).unwrap_or(Duration::from_secs(15));
    let mut last = Instant::now();
    let mut failed = false;
    let mut watch = |glimpse: &Glimpse<'_>| {
        show(&bar, glimpse);
        if last.elapsed() >= often {
            last = Instant::now();
            if let Err(error) = folder.write_checkpoint(&glimpse.snapshot())
                && !std::mem::replace(&mut failed, true)
            {
                let _ = writeln!(
                    io::stderr(),
                    "note: no checkpoint: {error:#}; the search continues without"
                );
            }
        }
        if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut done = run.go(&mut watch);
    if done && args.peers {
        done = run.go_rivals(&mut watch)?;
    }
    bar.finish_and_clear();
    let Some(outcome) = run.outcome() else {
        folder.write_checkpoint(&run.journal())?;
        bail!(
            "no plan with a finite cost was found: begin with other actions, or use method = \"ilqr\""
        );
    };
    // On a disk that is nearly full, the results find room before the checkpoint does. All are tried, whether or not the
    // ones before failed.
    let written = [
        folder::write_plan(folder, &outcome),
        folder::write_gains(folder, run.feedback().as_deref()),
        folder::write_model(folder, run.model()),
        folder.write("report.html", &gradbody_report::plan::page(&outcome)),
        folder.write_checkpoint(&run.journal()),
    ];
    let failed: Vec<String> =
        written.into_iter().filter_map(|one| Some(format!("{:#}", one.err()?))).collect();
    write!(io::stdout(), "{}", gradbody_report::plan::summary(&outcome))?;
    if !failed.is_empty() {
        bail!(failed.join("; "));
    }
    writeln!(io::stdout(), "wrote {}", folder.path("report.html").display())?;
    if folder.path(folder::MODEL).exists() {
        let (model, controls) = (folder.path(folder::MODEL), folder.path("controls.csv"));
        let Setup { problem, task, .. } = run.setup();
        writeln!(
            io::stdout(),
            "again without feedback: gradbody simulate {} --key start --controls {} --time {} --dt {}",
            model.display(),
            controls.display(),
            task.horizon.seconds,
            problem.options.dt
        )?;
    }
    Ok(done)
}

fn show(bar: &ProgressBar, glimpse: &Glimpse<'_>) {
    let of = glimpse.most.map_or(String::new(), |most| format!(" of {most}"));
    let cost = glimpse.point.cost.map_or("no finite cost yet".into(), |c| format!("cost {c:.6e}"));
    bar.set_message(format!(
        "{}: iteration {}{of}, {cost}, {:.0} s",
        glimpse.method, glimpse.point.iteration, glimpse.point.seconds
    ));
}

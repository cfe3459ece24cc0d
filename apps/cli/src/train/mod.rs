//! `gradbody train`: trains a policy for a task.

mod curve;
mod folder;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use gradbody::learn::ExperimentError;
use gradbody::train::{Ending, Run, Setup, Task, builtin};

use crate::ExitStatus;
use crate::interrupt::{self, Interrupt};
use crate::out_folder::OutFolder;
use crate::usage::Usage;

use curve::LiveCurve;

const AFTER_HELP: &str = "\
TASK is a TOML file (docs/train.md explains one and lists every key) or the name of a built-in task: ant, half-cheetah, hopper,
humanoid, inverted-pendulum, laikago, swimmer, walker2d.
The folder gets policy.safetensors (the best policy by evaluations), last.safetensors (the policy at the end), curve.csv,
outcome.json, report.html (for a browser), task.toml and a checkpoint. Ctrl-C writes all of them for the policy so far; --resume
continues the training. `gradbody play` plays episodes of a policy.";

/// Options of `gradbody train`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct TrainArgs {
    /// The task: a TOML file, or the name of a built-in one such as ant.
    #[arg(value_name = "TASK")]
    task: PathBuf,
    /// The folder to write to. Without it, NAME-train in the current folder, with the task's name.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Continue a training that was interrupted, or that reached its limits.
    #[arg(long, conflicts_with_all = ["restart", "seed"])]
    resume: bool,
    /// Replace the training in the folder by a new one.
    #[arg(long)]
    restart: bool,
    /// Train so long [s], in place of the task's limits of time and samples; a resumed training counts from its beginning.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// Train on so many steps of the environment, in place of the task's limits of time and samples.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    samples: Option<f64>,
    /// Seed to use instead of the task's; a resumed training keeps its own.
    #[arg(long, allow_negative_numbers = true, value_parser = crate::seed::parse)]
    seed: Option<u64>,
    /// Threads to compute on; without it as many as there are cores. The number changes no bit of the result.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Seconds between checkpoints: at most this much work is lost if the training is killed [default: 30].
    #[arg(long, value_name = "SECONDS")]
    checkpoint: Option<f64>,
}

/// Time between checkpoints, if none is given.
const CHECKPOINT: Duration = Duration::from_secs(30);

const WORK: &str = "training";
const AGAIN: &str = "train again with --restart, or into another folder with --out";

/// The text of a task and the name of its file.
struct Source {
    text: String,
    file: String,
    /// None if the task is built in.
    path: Option<PathBuf>,
}

pub(crate) fn run(args: &TrainArgs) -> anyhow::Result<ExitStatus> {
    if args.checkpoint.is_some_and(|seconds| seconds.is_nan() || seconds < 0.0) {
        let why = "--checkpoint: a number of seconds that is not negative is needed";
        return Err(Usage(why.into()).into());
    }
    let source = read(&args.task)?;
    let setup = setup(&source, args)?;
    let name = setup.task.name.clone();
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{name}-train")));
    let has_checkpoint = OutFolder::has_checkpoint(&out);
    if args.resume && !has_checkpoint {
        bail!("{}: there is no training to resume", out.display());
    }
    if has_checkpoint && !args.resume && !args.restart {
        bail!(
            "{}: already contains a training; --resume continues it, --restart replaces it, or choose another --out",
            out.display()
        );
    }
    let inputs: Vec<PathBuf> = source.path.iter().cloned().collect();
    let is_own = args.resume && inputs.iter().any(|input| is_same(input, &out.join("task.toml")));
    if !is_own {
        OutFolder::refuse_foreign(&out, &folder::RESULTS, &inputs)?;
    }
    if !args.restart {
        OutFolder::refuse_results(&out, &folder::RESULTS, WORK)?;
    }
    for note in notes(&setup) {
        // A note that cannot be printed is not an error.
        let _ = writeln!(io::stderr(), "note: {note}");
    }
    // The worlds are made before anything in the folder changes.
    let begun = match args.resume {
        false => Some(told(&source, Run::new(setup.clone(), &source.text))?),
        true => None,
    };
    let (folder, _lock) = OutFolder::open(&out, WORK)?;
    let run = match begun {
        Some(run) => {
            folder.clear(&folder::RESULTS)?;
            run
        }
        None => {
            let Some((path, bytes)) = folder.binary_checkpoint()? else {
                bail!("{}: there is no training to resume", out.display());
            };
            Run::resume(setup, &source.text, &bytes)
                .map_err(|error| anyhow!("{}: {error}; {AGAIN}", path.display()))?
        }
    };
    let mut run = match args.threads {
        Some(threads) => run.with_threads(threads.into())?,
        None => run,
    };
    folder.write("task.toml", &named(&source.text, &name))?;
    go(&mut run, &folder, args)
}

/// Whether two paths are one file.
fn is_same(a: &Path, b: &Path) -> bool {
    a.canonicalize().ok().zip(b.canonicalize().ok()).is_some_and(|(a, b)| a == b)
}

/// Reads a task's text.
fn read(path: &Path) -> anyhow::Result<Source> {
    let file = path.display().to_string();
    if path.is_dir() {
        bail!("{file} is a folder; give the task's TOML file in it");
    }
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !path.exists() {
        if let Some(task) = builtin::find(&file) {
            return Ok(Source { text: task.text.to_owned(), file, path: None });
        }
        if ending.is_empty() && path.components().count() == 1 {
            let hint = builtin::hint(&file);
            bail!("{file}: no such file, and no built-in task of that name{hint}");
        }
    }
    if matches!(ending.as_str(), "urdf" | "xml" | "mjcf") {
        bail!("{file} is a model, not a task; docs/train.md says what a task is");
    }
    if ending == "safetensors" {
        bail!("{file} is a policy, not a task; `gradbody play` plays episodes of it");
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("{file}: cannot be read"))?;
    Ok(Source { text, file, path: Some(path.to_owned()) })
}

/// The task with its environment, and with what the command line changes.
fn setup(source: &Source, args: &TrainArgs) -> anyhow::Result<Setup> {
    let mut task = told(source, Task::from_toml(&source.text, &source.file))?;
    if args.seconds.is_some() || args.samples.is_some() {
        (task.limits.seconds, task.limits.samples) = (args.seconds, args.samples);
    }
    if let Some(seed) = args.seed {
        task.seed = seed;
    }
    told(source, Setup::new(task))
}

/// Names the file and the line in an error.
fn told<T>(source: &Source, found: Result<T, ExperimentError>) -> anyhow::Result<T> {
    found.map_err(|error| anyhow!(error.in_file(&source.text, &source.file)))
}

/// The text of a task that says its name.
fn named(text: &str, name: &str) -> String {
    match Task::from_toml(text, "") {
        // Text in JSON is text in TOML.
        Ok(task) if task.name.is_empty() => format!("name = {}\n{text}", serde_json::json!(name)),
        _ => text.to_owned(),
    }
}

/// What should be known before the training.
fn notes(setup: &Setup) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(table) = setup.task.unused() {
        let method = setup.task.method.name();
        notes.push(format!("[{table}] changes nothing: the method is {method}"));
    }
    notes
}

/// Trains to the end or until Ctrl-C, and writes the results.
fn go(run: &mut Run, folder: &OutFolder, args: &TrainArgs) -> anyhow::Result<ExitStatus> {
    let interrupt = Interrupt::listen();
    // A time that is too long to be written is never over.
    let often = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let often = args.checkpoint.map_or(CHECKPOINT, often);
    let mut last = Instant::now();
    let mut failed = false;
    let mut curve = LiveCurve::new();
    while run.advance() && !interrupt.asked() {
        curve.show(run);
        if last.elapsed() >= often {
            if let Err(error) = folder::write_progress(folder, run)
                && !std::mem::replace(&mut failed, true)
            {
                curve.note(&format!("no checkpoint: {error:#}; the training continues without"));
            }
            last = Instant::now();
        }
    }
    let broken = match &run.journal().ended {
        Some(Ending::Failed(why)) => Some(why.clone()),
        _ => None,
    };
    run.finish();
    curve.show(run);
    curve.end();
    let outcome = run.outcome();
    let written = folder::write_results(folder, run, &outcome, broken.is_none());
    write!(io::stdout(), "{}", gradbody_report::train::summary(&outcome))?;
    let problems: Vec<String> =
        written.into_iter().filter_map(|one| Some(format!("{:#}", one.err()?))).collect();
    if !problems.is_empty() {
        bail!(problems.join("; "));
    }
    writeln!(io::stdout(), "wrote {}", folder.path("report.html").display())?;
    if run.best().is_some() {
        let policy = folder.path(folder::POLICY).display().to_string();
        writeln!(io::stdout(), "play it: gradbody play {}", crate::plan::shell_word(&policy))?;
    }
    match broken {
        Some(why) => bail!("{}: training ended: {why}", run.setup().task.name),
        None if run.journal().ended.is_none() => Ok(ExitStatus::from(interrupt::EXIT_STATUS)),
        None => Ok(ExitStatus::SUCCESS),
    }
}

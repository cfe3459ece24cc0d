//! `gradbody plan`: finds a plan for a task.

mod folder;

use crate::ExitStatus;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use gradbody::contact::Solver;
use gradbody::plan::{Glimpse, Journal, PlanOutcome, RecedingRun, Run, Setup, Task};
use gradbody::sim::{Integrator, StepOptions};

use crate::interrupt::{self, Interrupt};
use crate::model_args;
use crate::out_folder::OutFolder;
use crate::progress::{self, ProgressBar};
use crate::usage::Usage;

const AFTER_HELP: &str = "\
The task is a TOML file: the model, its start, the horizon, what may act, and what the motion costs (docs/plan.md explains
one; experiments/tasks has more).
The folder gets report.html (for a browser), plan.csv (the motion), controls.csv (for `gradbody simulate --controls`),
model.xml (the model as it was planned for), gains.npy (feedback, if the method gives it), outcome.json, progress.csv and a
checkpoint. Ctrl-C writes all of them for the best plan so far; --resume continues it.
A task with [receding] is simulated with plans that are made on the way. It has replans.csv in place of gains.npy and
progress.csv, and begins again when it is resumed.";

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
    #[arg(long, allow_negative_numbers = true, value_parser = crate::seed::parse)]
    seed: Option<u64>,
    /// Run the task with methods that need no derivatives too (CMA-ES, MPPI), for comparison: until they are as good as
    /// the plan, or have simulated 100 times as many motions or worked 20 times as long, and at least 30 s.
    #[arg(long)]
    peers: bool,
    /// Seconds between checkpoints: at most this much work is lost if the search is killed [default: 15].
    #[arg(long, value_name = "SECONDS")]
    checkpoint: Option<f64>,
}

/// Time between checkpoints, if none is given.
const CHECKPOINT: Duration = Duration::from_secs(15);

const WORK: &str = "plan";
const PLAN_AGAIN: &str = "plan again with --restart, or into another folder with --out";

pub(crate) fn run(args: &PlanArgs) -> anyhow::Result<ExitStatus> {
    if args.checkpoint.is_some_and(|seconds| seconds.is_nan() || seconds < 0.0) {
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
    let beside = args.task.parent().unwrap_or(Path::new(""));
    let inputs = [args.task.clone(), beside.join(&setup.task.model.file)];
    OutFolder::refuse_foreign(&out, &folder::RESULTS, &inputs)?;
    if !args.restart {
        OutFolder::refuse_results(&out, &folder::RESULTS, WORK)?;
    }
    model_args::tell_notes(&setup.imported.report);
    for note in notes(args, &setup, &text) {
        // A note that cannot be printed is not an error.
        let _ = writeln!(io::stderr(), "note: {note}");
    }
    if setup.task.receding.is_some() {
        return on_the_way(args, &text, setup, &out);
    }
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
            let journal = to_resume(&folder, &setup, &text)?;
            Run::resume(setup, &text, journal).map_err(|error| anyhow!("{error}; {PLAN_AGAIN}"))?
        }
    };
    folder.write("task.toml", &text)?;
    let done = go(&mut run, &folder, args)?;
    Ok(if done { ExitStatus::SUCCESS } else { ExitStatus::from(interrupt::EXIT_STATUS) })
}

/// What should be known before the search.
fn notes(args: &PlanArgs, setup: &Setup, text: &str) -> Vec<String> {
    let mut notes = setup.notes(text, &args.task.display().to_string());
    let method = &setup.task.search;
    if args.seed.is_some() && !args.peers && !method.is_random() {
        notes.push(format!("--seed changes nothing: {} draws no random numbers", method.name()));
    }
    notes
}

/// The journal of the plan in a folder, which must be of this task.
fn to_resume(folder: &OutFolder, setup: &Setup, text: &str) -> anyhow::Result<Journal> {
    let Some(journal) = folder.checkpoint::<Journal>()? else {
        bail!("{}: there is no plan to resume", folder.path("").display());
    };
    journal.check(setup, text).map_err(|error| anyhow!("{error}; {PLAN_AGAIN}"))?;
    Ok(journal)
}

/// Moves a robot by plans that are made on the way, and writes what it did.
fn on_the_way(args: &PlanArgs, text: &str, setup: Setup, out: &Path) -> anyhow::Result<ExitStatus> {
    if args.peers {
        bail!("--peers compares searches for one plan; this task has [receding]");
    }
    if args.checkpoint.is_some() {
        bail!(
            "--checkpoint is about searches for one plan; this task has [receding], and begins again when resumed"
        );
    }
    let ready = begin(&args.task, text, || RecedingRun::new(setup))?;
    let Some(mut run) = ready else { bail!("{}: no [receding]", args.task.display()) };
    let (folder, _lock) = OutFolder::open(out, WORK)?;
    if args.resume {
        to_resume(&folder, run.setup(), text)?;
    }
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
    let Some(outcome) = run.outcome() else {
        bail!("nothing was done: {}", run.ended().unwrap_or_default());
    };
    folder.clear(&folder::RESULTS)?;
    let mut written =
        vec![folder.write("task.toml", text), folder::write_model(&folder, Some(run.model()))];
    // The same work again gives the same bits, so the journal only marks the folder.
    written.extend(folder::write_outcome(&folder, &outcome, &Journal::new(run.setup(), text)));
    tell(&folder, &outcome, written)?;
    match run.setup().task.receding.as_ref().is_some_and(|receding| receding.pushes.is_empty()) {
        true => tell_again(&folder, run.setup(), seconds)?,
        false => writeln!(
            io::stdout(),
            "`gradbody simulate` cannot repeat this motion: a file of controls has no pushes"
        )?,
    }
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
    // A time that is too long to be written is never over.
    let often = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let often = args.checkpoint.map_or(CHECKPOINT, often);
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
    let Some(mut outcome) = run.outcome() else {
        bar.finish_and_clear();
        folder.write_checkpoint(&run.journal())?;
        bail!(
            "no plan with a finite cost was found: begin with other actions, or use method = \"ilqr\""
        );
    };
    let mut written = vec![
        bar.suspend(|| folder::write_model(folder, run.model())),
        folder::write_gains(folder, run.feedback().as_deref()),
    ];
    written.extend(folder::write_outcome(folder, &outcome, &run.journal()));
    bar.suspend(|| {
        tell(folder, &outcome, written)?;
        tell_again(folder, run.setup(), run.setup().task.horizon.seconds)
    })?;
    let (rivals, seconds) = run.rivals_ahead();
    if done && args.peers && !rivals.is_empty() {
        let rivals = rivals.join(" and ");
        bar.suspend(|| {
            writeln!(
                io::stdout(),
                "comparing with {rivals}, at most {seconds:.0} s each; Ctrl-C ends the comparison"
            )
        })?;
        done = run.go_rivals(&mut watch);
        let known = outcome.notes.len();
        outcome = run.outcome().unwrap_or(outcome);
        let written = folder::write_outcome(folder, &outcome, &run.journal());
        bar.finish_and_clear();
        write!(io::stdout(), "{}", gradbody_report::plan::comparison(&outcome))?;
        for note in outcome.notes.iter().skip(known) {
            writeln!(io::stdout(), "note: {note}")?;
        }
        if !done {
            let again = "--resume --peers runs the methods that did not come to their end again";
            writeln!(io::stdout(), "the comparison was interrupted; {again}")?;
        }
        all_written(written)?;
    }
    bar.finish_and_clear();
    Ok(done)
}

/// Prints what was found. Fails if a file was not written.
fn tell(
    folder: &OutFolder,
    outcome: &PlanOutcome,
    written: Vec<anyhow::Result<()>>,
) -> anyhow::Result<()> {
    write!(io::stdout(), "{}", gradbody_report::plan::summary(outcome))?;
    all_written(written)?;
    writeln!(io::stdout(), "wrote {}", folder.path("report.html").display())?;
    Ok(())
}

/// Fails if a file was not written.
fn all_written(written: impl IntoIterator<Item = anyhow::Result<()>>) -> anyhow::Result<()> {
    let failed: Vec<String> =
        written.into_iter().filter_map(|one| Some(format!("{:#}", one.err()?))).collect();
    if !failed.is_empty() {
        bail!(failed.join("; "));
    }
    Ok(())
}

/// Prints the command that simulates the plan again, if the model was written.
fn tell_again(folder: &OutFolder, setup: &Setup, seconds: f64) -> anyhow::Result<()> {
    if folder.path(folder::MODEL).exists() {
        let of = |file: &str| shell_word(&folder.path(file).display().to_string());
        writeln!(
            io::stdout(),
            "again without feedback: gradbody simulate {} --key start --controls {} --time {seconds} {} --out {}",
            of(folder::MODEL),
            of("controls.csv"),
            stepping_args(&setup.problem.options),
            of("again.csv"),
        )?;
    }
    Ok(())
}

/// The arguments of `simulate` for how a task steps its model.
fn stepping_args(options: &StepOptions<f64>) -> String {
    let integrator = match options.integrator {
        Integrator::ImplicitDamping => "",
        Integrator::SemiImplicitEuler => " --integrator semi-implicit",
        Integrator::Rk4 => " --integrator rk4",
    };
    let solver = match options.contact.solver {
        Solver::Ncp(_) => "",
        Solver::Lcp(_) => " --solver lcp",
        Solver::HuntCrossley => " --solver hunt-crossley",
        Solver::Off => " --solver off",
    };
    format!("--dt {}{integrator}{solver}", options.dt)
}

/// A path as one word of a command line.
pub(crate) fn shell_word(path: &str) -> String {
    // A backslash separates folders on Windows; elsewhere it is a character with a meaning, like those below.
    let is_plain =
        |c: char| c.is_alphanumeric() || "-_./:+,@".contains(c) || cfg!(windows) && c == '\\';
    let has_meaning = |c: char| "\"$`\\!".contains(c);
    if path.chars().all(is_plain) {
        path.to_owned()
    } else if cfg!(unix) && path.contains(has_meaning) {
        format!("'{}'", path.replace('\'', r"'\''"))
    } else {
        format!("\"{path}\"")
    }
}

fn show(bar: &ProgressBar, glimpse: &Glimpse<'_>) {
    let of = glimpse.most.map_or(String::new(), |most| format!(" of {most}"));
    let cost = glimpse.point.cost.map_or("no finite cost yet".into(), |c| format!("cost {c:.6e}"));
    bar.set_message(format!(
        "{}: iteration {}{of}, {cost}, {:.0} s",
        glimpse.method, glimpse.point.iteration, glimpse.point.seconds
    ));
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    #[test]
    fn a_path_is_one_word_whatever_is_in_it() {
        use std::process::Command;

        for path in ["plan/a.csv", "a plan", "it's", "$HOME", "a \"b\"", "`id`", r"a\b", "a'$b!"] {
            let word = super::shell_word(path);
            let said = Command::new("sh").args(["-c", &format!("printf %s {word}")]).output();
            assert_eq!(String::from_utf8_lossy(&said.expect("a shell").stdout), path, "{word}");
        }
        assert_eq!(super::shell_word("plan/a.csv"), "plan/a.csv");
        assert_eq!(super::shell_word("a plan"), "\"a plan\"");
    }
}

//! `gradbody fit`: fits a model to recordings.

mod folder;
mod origin;
mod progress;

use crate::ExitStatus;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use gradbody::learn::outcome::FitOutcome;
use gradbody::learn::run::{FitStage, Run};
use gradbody::learn::{Experiment, ExperimentError, Setup};

use crate::interrupt::{self, Interrupt};
use crate::model_args;
use crate::out_folder::OutFolder;

pub use folder::Folder;
pub(crate) use origin::Origin;
use progress::Bar;

const AFTER_HELP: &str = "\
The experiment is a TOML file: the model, the data, and what may change (docs/fit-your-robot.md explains one).
The folder gets report.html (for a browser), metrics.json, the fitted model, weights of networks, progress.csv and a
checkpoint. Ctrl-C writes all of them for the best fit so far; --resume continues it.";

/// Options of `gradbody fit`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct FitArgs {
    /// The experiment, a TOML file.
    #[arg(value_name = "EXPERIMENT")]
    experiment: PathBuf,
    /// The folder to write to. Without it, NAME-fit in the current folder, with the experiment's name.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Continue a fit that was interrupted.
    #[arg(long, conflicts_with_all = ["restart", "seed"])]
    resume: bool,
    /// Replace the fit in the folder by a new one.
    #[arg(long)]
    restart: bool,
    /// Seed to use instead of the experiment's; a resumed fit keeps its own.
    #[arg(long, allow_negative_numbers = true, value_parser = crate::seed::parse)]
    seed: Option<u64>,
    /// Seconds between checkpoints: at most this much work is lost if the fit is killed.
    #[arg(long, value_name = "SECONDS", default_value_t = 15.0)]
    checkpoint: f64,
}

/// Advice for a fit whose model or data have changed.
const FIT_AGAIN: &str = "fit again with --restart, or into another folder with --out";

/// An experiment: its text, and everything it names.
pub(crate) struct Loaded {
    pub(crate) text: String,
    pub(crate) setup: Setup,
}

/// Reads an experiment and everything it names.
pub(crate) fn load(path: &Path, change: impl FnOnce(&mut Experiment)) -> anyhow::Result<Loaded> {
    refuse_other_files(path)?;
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{}: cannot be read", path.display()))?;
    let mut experiment = Experiment::from_toml(&text, &path.display().to_string())?;
    change(&mut experiment);
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let setup = Setup::new(experiment, &folder, &model_args::read_for_experiment)
        .and_then(|setup| check(&setup).map(|()| setup))
        .map_err(|error| anyhow!(error.in_file(&text, &path.display().to_string())))?;
    Ok(Loaded { text, setup })
}

/// Refuses a folder, a model or a recording with a message of its own; the TOML error would not help.
fn refuse_other_files(path: &Path) -> anyhow::Result<()> {
    let name = path.display();
    if path.is_dir() {
        bail!("{name} is a folder; give the experiment's TOML file in it");
    }
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "urdf" | "xml" | "mjcf" => bail!(
            "{name} is a model, not an experiment; write a TOML file with [model] file = \"{name}\" \
             (docs/fit-your-robot.md)"
        ),
        "csv" | "tsv" | "npy" | "npz" | "mcap" => bail!(
            "{name} is a recording, not an experiment; write a TOML file with [data] files = \"{name}\" \
             (docs/fit-your-robot.md)"
        ),
        _ => Ok(()),
    }
}

/// Finds mistakes that would otherwise appear only when the fit begins or ends.
fn check(setup: &Setup) -> Result<(), ExperimentError> {
    setup.unknowns()?;
    setup.experiment.optimiser.check()?;
    setup.experiment.training.optimiser.check()?;
    Ok(())
}

pub(crate) fn run(args: &FitArgs) -> anyhow::Result<ExitStatus> {
    let loaded = load(&args.experiment, |experiment| {
        if let Some(seed) = args.seed {
            experiment.seed = seed;
        }
    })?;
    let name = loaded.setup.experiment.name.clone();
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{name}-fit")));
    if args.resume && !OutFolder::has_checkpoint(&out) {
        bail!("{}: there is no fit to resume", out.display());
    }
    let beside = args.experiment.parent().unwrap_or(Path::new(""));
    let model = beside.join(&loaded.setup.experiment.model.file);
    Folder::refuse_foreign(&out, &[args.experiment.clone(), model])?;
    if !args.restart {
        Folder::refuse_results(&out)?;
    }
    let (folder, _lock) = Folder::open(&out)?;
    let folder = folder.with_checkpoints_every(args.checkpoint);
    let mut err = io::stderr();
    for note in loaded.setup.notes() {
        let _ = writeln!(err, "note: {note}");
    }
    let Loaded { text, setup } = loaded;
    let origin = Origin::new(&args.experiment, &setup, &out)?;
    let earlier = if args.restart { None } else { folder.checkpoint()? };
    let mut fit = match (earlier, args.resume, args.restart) {
        (Some(journal), true, _) => {
            if let Some(earlier) = folder.origin()? {
                earlier.check_model(origin.experiment.parent().unwrap_or(Path::new("/")))?;
            }
            Run::resume(setup, &text, journal)
                .map_err(|changed| anyhow!("{changed}; {FIT_AGAIN}"))?
        }
        (None, true, _) => bail!("{}: there is no fit to resume", out.display()),
        (Some(_), false, false) => bail!(
            "{}: already contains a fit; --resume continues it, --restart replaces it, or choose another --out",
            out.display()
        ),
        _ => {
            folder.clear()?;
            Run::new(setup, &text)
        }
    };
    if fit.journal().points.is_empty() {
        // Only advice: a fit does not fail for want of it.
        let advice = fit.before().and_then(|before| fit.setup().foresee(&before));
        if let Ok(Some(advice)) = advice {
            let _ = writeln!(err, "note: {advice}");
        }
    }
    folder.write_origin(&origin)?;
    folder.write_experiment(&text)?;
    let (done, outcome) = go(&mut fit, &folder)?;
    for file in &fit.journal().files {
        if let Err(error) = file.check(&fit.setup().folder) {
            let _ = writeln!(
                err,
                "note: {error}; the fit used the files as they were at its beginning"
            );
        }
    }
    tell(&outcome)?;
    writeln!(io::stdout(), "wrote {}", folder.path("report.html").display())?;
    Ok(if done { ExitStatus::SUCCESS } else { ExitStatus::from(interrupt::EXIT_STATUS) })
}

/// Runs a fit to its end or until Ctrl-C, and writes the results. The flag is true if the fit reached its end.
pub fn go(fit: &mut Run, folder: &Folder) -> anyhow::Result<(bool, FitOutcome)> {
    let interrupt = Interrupt::listen();
    let mut bar = Bar::new();
    let mut saver = folder.saver();
    let done = fit.go(&mut |glimpse| {
        bar.show(glimpse);
        saver.maybe_write(glimpse);
        if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    bar.finish();
    let outcome = match fit.outcome() {
        Ok(outcome) => outcome,
        Err(error) => {
            folder.write_checkpoint(fit.journal())?;
            return Err(error.into());
        }
    };
    // On a disk that is nearly full, the results find room before the checkpoint does. All three are tried, whether or
    // not the ones before failed.
    let written = [
        write_model(fit, folder, &outcome),
        folder.write_outcome(&outcome, &gradbody_report::fit::page(&outcome)),
        folder.write_checkpoint(fit.journal()),
    ];
    let failed: Vec<String> =
        written.into_iter().filter_map(|one| Some(format!("{:#}", one.err()?))).collect();
    if !failed.is_empty() {
        // Print the results at least, as they could not all be written.
        tell(&outcome)?;
        bail!(failed.join("; "));
    }
    Ok((done, outcome))
}

/// Writes the fitted parameters, the model and its weights.
fn write_model(fit: &Run, folder: &Folder, outcome: &FitOutcome) -> anyhow::Result<()> {
    let after = match fit.after(FitStage::Networks)? {
        Some(after) => Some(after),
        None => fit.after(FitStage::Parameters)?,
    };
    match after {
        Some(after) => folder.write_model(&after, outcome, fit.setup().imported.report.format),
        None => Ok(()),
    }
}

/// Prints a short summary of the results.
pub fn tell(outcome: &FitOutcome) -> anyhow::Result<()> {
    write!(io::stdout(), "{}", gradbody_report::fit::summary(outcome))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use clap::error::ErrorKind;

    use super::FitArgs;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        _fit: FitArgs,
    }

    /// A resumed fit keeps its seed.
    #[test]
    fn a_seed_is_refused_where_it_would_do_nothing() {
        let line = ["fit", "arm.toml", "--seed", "7"];
        Line::try_parse_from(line).expect("a seed for a new fit");
        let error = Line::try_parse_from(line.into_iter().chain(["--resume"])).expect_err("both");
        assert_eq!((error.kind(), error.exit_code()), (ErrorKind::ArgumentConflict, 2));
    }
}

//! `gradbody fit`: from a model and recordings to a model that matches them.

mod folder;
mod lock;
mod origin;
mod progress;

use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use gradbody::learn::data::Fingerprint;
use gradbody::learn::outcome::Outcome;
use gradbody::learn::run::{Journal, Run, Stage};
use gradbody::learn::{Experiment, ExperimentError, Setup};

use crate::fit_report;
use crate::interrupt::{self, Interrupt};
use crate::model_args;
use gradbody_report::text::several;

pub use folder::Folder;
pub use lock::Lock;
pub(crate) use origin::Origin;
use progress::Bar;

const AFTER_HELP: &str = "\
The experiment is a TOML file: the model, the data, what may change (docs/fit-your-robot.md goes through one).
The folder gets report.html (opens by double-click), metrics.json, the fitted model, weights of networks,
progress.csv and a checkpoint; Ctrl-C leaves all of them for the best found so far, and --resume goes on.";

/// Options of `gradbody fit`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct FitArgs {
    /// The experiment, a TOML file.
    #[arg(value_name = "EXPERIMENT")]
    experiment: PathBuf,
    /// The folder for what comes of it; NAME-fit here, if nothing is said.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Go on with a fit that was interrupted.
    #[arg(long, conflicts_with_all = ["restart", "seed"])]
    resume: bool,
    /// Begin again in a folder that has a fit.
    #[arg(long)]
    restart: bool,
    /// Another seed than the experiment's; a fit that goes on keeps its own.
    #[arg(long)]
    seed: Option<u64>,
    /// Seconds from a checkpoint to the next: no more work than this is lost if the fit is killed.
    #[arg(long, value_name = "SECONDS", default_value_t = 15.0)]
    checkpoint: f64,
}

/// An experiment that was read: its text, and everything it names.
pub(crate) struct Loaded {
    pub(crate) text: String,
    pub(crate) setup: Setup,
}

/// Reads an experiment and all it names.
pub(crate) fn load(path: &Path, change: impl FnOnce(&mut Experiment)) -> anyhow::Result<Loaded> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{}: cannot be read", path.display()))?;
    let mut experiment = Experiment::from_toml(&text, &path.display().to_string())?;
    change(&mut experiment);
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let setup = Setup::new(experiment, &folder, &model_args::read_for_experiment)
        .and_then(|setup| check(&setup).map(|()| setup))
        .with_context(|| path.display().to_string())?;
    Ok(Loaded { text, setup })
}

/// Finds mistakes that would only show when the fit begins, or is done.
fn check(setup: &Setup) -> Result<(), ExperimentError> {
    setup.unknowns()?;
    setup.experiment.optimiser.check()?;
    setup.experiment.training.optimiser.check()?;
    Ok(())
}

pub(crate) fn run(args: &FitArgs) -> anyhow::Result<ExitCode> {
    let loaded = load(&args.experiment, |experiment| {
        if let Some(seed) = args.seed {
            experiment.seed = seed;
        }
    })?;
    let name = loaded.setup.experiment.name.clone();
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{name}-fit")));
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
            same_files(&journal, &setup)?;
            Run::resume(setup, &text, journal)?
        }
        (None, true, _) => bail!("{}: there is no fit to go on with", out.display()),
        (Some(_), false, false) => bail!(
            "{}: has a fit already; --resume goes on with it, --restart begins again, or choose another --out",
            out.display()
        ),
        _ => {
            folder.clear()?;
            Run::new(setup, &text)
        }
    };
    folder.write_origin(&origin)?;
    folder.write_experiment(&text)?;
    let (done, outcome) = go(&mut fit, &folder)?;
    for file in &fit.journal.files {
        if let Err(error) = file.check(&fit.setup.folder) {
            let _ = writeln!(err, "note: {error}; the fit is of what was read at the beginning");
        }
    }
    tell(&outcome)?;
    writeln!(io::stdout(), "wrote {}", folder.path("report.html").display())?;
    Ok(if done { ExitCode::SUCCESS } else { ExitCode::from(interrupt::EXIT_STATUS) })
}

/// Fails if a data file has come or gone since a fit began.
fn same_files(journal: &Journal, setup: &Setup) -> anyhow::Result<()> {
    let lacks = |of: &[Fingerprint], file: &Fingerprint| of.iter().all(|f| f.file != file.file);
    if let Some(new) = setup.files.iter().find(|file| lacks(&journal.files, file)) {
        bail!(
            "resume: {} was not there when this fit began; begin again with another folder",
            new.file
        );
    }
    if let Some(gone) = journal.files.iter().find(|file| lacks(&setup.files, file)) {
        bail!(
            "resume: {} is gone since this fit began; begin again with another folder",
            gone.file
        );
    }
    Ok(())
}

/// Runs a fit to its end or until Ctrl-C, and writes what came of it. Says whether it came to the end.
pub fn go(fit: &mut Run, folder: &Folder) -> anyhow::Result<(bool, Outcome)> {
    let interrupt = Interrupt::listen();
    let mut bar = Bar::new();
    let mut saver = folder.saver();
    let done = fit.go(&mut |glimpse| {
        bar.show(glimpse);
        saver.maybe_write(glimpse);
        if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    bar.finish();
    let saved = folder.write_checkpoint(&fit.journal);
    let outcome = fit.outcome()?;
    if let Err(error) = saved.and_then(|()| write(fit, folder, &outcome)) {
        // What was found is not to be lost with the disk.
        tell(&outcome)?;
        return Err(error);
    }
    Ok((done, outcome))
}

/// Writes what came of a fit.
fn write(fit: &Run, folder: &Folder, outcome: &Outcome) -> anyhow::Result<()> {
    let after = match fit.after(Stage::Networks)? {
        Some(after) => Some(after),
        None => fit.after(Stage::Parameters)?,
    };
    if let Some(after) = after {
        folder.write_model(&after, outcome, fit.setup.imported.report.format)?;
    }
    folder.write_outcome(outcome, &fit_report::page(outcome))
}

/// Says in a few lines what came out.
pub fn tell(outcome: &Outcome) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{}: {} after {}, {:.1} s",
        outcome.name,
        outcome.ended,
        several(outcome.iterations, "iteration"),
        outcome.seconds
    )?;
    for parameter in &outcome.parameters {
        let sigma = match parameter.sigma {
            Some(sigma) => format!(" ± {}", gradbody_report::text::number(sigma)),
            None => "   (the data do not determine it)".to_owned(),
        };
        let bound = if parameter.at_bound { "  at its bound" } else { "" };
        writeln!(
            out,
            "  {:<32} {:>12} → {}{sigma} {}{bound}",
            parameter.name,
            gradbody_report::text::number(parameter.initial),
            gradbody_report::text::number(parameter.fitted),
            parameter.unit
        )?;
    }
    let left: Vec<String> = outcome
        .residuals
        .iter()
        .map(|left| {
            format!("{} {} {}", left.name, gradbody_report::text::number(left.rms), left.unit)
        })
        .collect();
    if !left.is_empty() {
        writeln!(
            out,
            "left over the windows that were fitted: {} (root mean square)",
            left.join(", ")
        )?;
    }
    if let Some(sentence) = fit_report::against_noise(outcome) {
        writeln!(out, "{sentence}")?;
    }
    let part = ["test", "validation", "train"]
        .into_iter()
        .find(|part| outcome.errors.iter().any(|table| table.part == *part));
    if let Some(part) = part {
        writeln!(out, "errors on the part \"{part}\" (root mean square over the horizon):")?;
        for table in outcome.errors.iter().filter(|table| table.part == part) {
            let channels: Vec<String> = table
                .channels
                .iter()
                .map(|c| format!("{} {} {}", c.name, gradbody_report::text::number(c.rms), c.unit))
                .collect();
            let diverged = match table.diverged {
                0 => String::new(),
                n => format!("; {n} of {} diverged", table.windows),
            };
            writeln!(out, "  {:<18} {}{diverged}", table.by, channels.join(", "))?;
        }
    }
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

    /// A fit that goes on has its seed.
    #[test]
    fn a_seed_is_refused_where_it_would_do_nothing() {
        let line = ["fit", "arm.toml", "--seed", "7"];
        Line::try_parse_from(line).expect("a seed for a new fit");
        let error = Line::try_parse_from(line.into_iter().chain(["--resume"])).expect_err("both");
        assert_eq!((error.kind(), error.exit_code()), (ErrorKind::ArgumentConflict, 2));
    }
}

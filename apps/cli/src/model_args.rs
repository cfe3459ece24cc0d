//! The model a command works on: which file, and how to read it.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Args, ValueEnum};
use gradbody::contact::Solver;
use gradbody::model::Model;
use gradbody::model::import::{self, Base, ImportOptions, ImportReport, Imported};

use crate::builtin;
use crate::settings::{self, Setting};
use crate::suggest::did_you_mean;

/// Arguments that name a model.
#[derive(Args, Debug)]
pub(crate) struct ModelArgs {
    /// A URDF or MJCF file, or the name of a built-in model such as laikago.
    #[arg(value_name = "MODEL")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    reading: ReadingArgs,
}

/// Arguments that say how to read a model.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReadingArgs {
    /// Refuse a file with physical content that the simulation does not use.
    #[arg(long, help_heading = "Reading the model")]
    strict: bool,
    /// Whether the root link of a URDF is fixed or free; the file does not say.
    #[arg(long, value_enum, default_value_t = BaseArg::Auto, help_heading = "Reading the model")]
    base: BaseArg,
    /// Replace impossible inertias by the nearest possible ones instead of refusing them.
    #[arg(long, help_heading = "Reading the model")]
    repair_inertia: bool,
    /// Let joints that mimic others move on their own instead of refusing them.
    #[arg(long, help_heading = "Reading the model")]
    free_mimic: bool,
    /// Change a parameter of the model, as in link/trunk/mass=3.2; can be given several times. `gradbody inspect MODEL
    /// --params` lists all paths.
    #[arg(long, value_name = "PATH=VALUE", help_heading = "Reading the model")]
    set: Vec<Setting>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BaseArg {
    /// Free if the root has mass and carries several joints (or none), else fixed.
    Auto,
    /// Fixed to the world.
    Fixed,
    /// Free, on a joint named `root`.
    Free,
}

impl ModelArgs {
    /// Reads the model and applies `--set`.
    pub(crate) fn load(&self) -> anyhow::Result<Imported> {
        self.reading.load(&self.path)
    }

    /// Says on stderr which numbers of `--set` have no influence on the contacts of the finished model.
    pub(crate) fn tell_idle(&self, model: &Model<f64>, solver: &Solver) {
        settings::tell_idle(model, solver, &self.reading.set);
    }
}

impl ReadingArgs {
    /// Reads a model and applies `--set`.
    pub(crate) fn load(&self, path: &Path) -> anyhow::Result<Imported> {
        let options = ImportOptions {
            base: match self.base {
                BaseArg::Auto => Base::Auto,
                BaseArg::Fixed => Base::Fixed,
                BaseArg::Free => Base::Free,
            },
            strict: self.strict,
            repair_inertia: self.repair_inertia,
            free_mimic: self.free_mimic,
        };
        let mut imported = read(path, &options)?;
        settings::apply(&mut imported.model, &self.set)?;
        Ok(imported)
    }
}

/// Reads the model of an experiment: a file, or one that is built in.
pub(crate) fn read_for_experiment(
    path: &Path,
    options: &ImportOptions,
) -> Result<Imported, String> {
    read(path, options).map_err(|error| format!("{error:#}"))
}

fn read(path: &Path, options: &ImportOptions) -> anyhow::Result<Imported> {
    if path.exists() {
        return Ok(import::load(path, options)?);
    }
    let name = path.to_string_lossy();
    match builtin::find(&name) {
        Some(model) => Ok(import::from_text(model.text, Path::new(model.file), options)?),
        // A word without a slash or an ending was probably meant as a name.
        None if path.extension().is_none() && path.components().count() == 1 => {
            let hint = match did_you_mean(&name, builtin::names()) {
                hint if hint.is_empty() => {
                    format!(" (there are: {})", builtin::names().collect::<Vec<_>>().join(", "))
                }
                hint => hint,
            };
            bail!("{name}: no such file, and no built-in model of that name{hint}")
        }
        None => Ok(import::load(path, options)?),
    }
}

/// Prints the notes of an import on stderr.
pub(crate) fn tell_notes(report: &ImportReport) {
    const SHOWN: usize = 8;
    let mut err = io::stderr().lock();
    // A note that cannot be printed is not an error.
    for note in report.notes.iter().take(SHOWN) {
        let _ = writeln!(err, "note: {note}");
    }
    if let Some(more) = report.notes.len().checked_sub(SHOWN + 1) {
        let _ = writeln!(err, "note: {} more; `gradbody inspect` lists all", more + 1);
    }
}

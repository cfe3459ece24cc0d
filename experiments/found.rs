//! Numbers that an experiment found by a search of its own, as the folder of a fit, which `gradbody predict` runs on other
//! recordings.

use std::path::Path;

use gradbody::learn::run::Run;
use gradbody::learn::{Experiment, Setup};
use gradbody::model::import;
use gradbody_cli::atomic_file;
use gradbody_cli::fit::{self, Folder};

/// What stands in the folder beside the results.
pub(super) struct Found {
    /// It fits parameters or networks, not both. Its paths begin in the folder.
    pub(super) experiment: Experiment,
    /// Names and texts of the files that the experiment names.
    pub(super) files: Vec<(String, String)>,
    /// How the numbers were found.
    pub(super) ended: String,
}

/// Writes the folder. `unknowns` are the numbers that were found, in the order and the scales of the fit.
pub(super) fn write(
    path: &Path,
    found: Found,
    unknowns: impl FnOnce(&Setup) -> anyhow::Result<Vec<f64>>,
) -> anyhow::Result<()> {
    let (folder, _lock) = Folder::open(path)?;
    for (name, text) in &found.files {
        let file = folder.path(name);
        if let Some(parent) = file.parent() {
            atomic_file::make_folder(parent)?;
        }
        atomic_file::write(&file, text)?;
    }
    let text = found.experiment.to_toml()?;
    folder.write_experiment(&text)?;
    let setup = Setup::new(found.experiment, path, &|path, options| {
        import::load(path, options).map_err(|error| error.to_string())
    })?;
    let x = unknowns(&setup)?;
    let mut run = Run::found(setup, &text, x, &found.ended)?;
    fit::go(&mut run, &folder)?;
    Ok(())
}

//! Runs the fits of published data.

use std::io::{self, Write as _};
use std::path::Path;

use gradbody::learn::run::Run;
use gradbody::learn::{Experiment, Setup};
use gradbody::model::import;

use super::published::Published;
use gradbody_cli::atomic_file;
use gradbody_cli::fit::{self, Folder};

/// Runs a fit and writes its report.
pub(super) fn run(
    published: &Published,
    quick: bool,
    json: bool,
    out: &Path,
) -> anyhow::Result<()> {
    let mut experiment = Experiment::from_toml(published.experiment, published.name)?;
    let mut text = published.experiment.to_owned();
    if quick {
        (published.quick)(&mut experiment);
        // Write the settings of this run, not those of the full experiment.
        text = experiment.to_toml()?;
    }
    let setup = Setup::new(experiment, Path::new(""), &|path, options| {
        import::from_text(published.model, path, options).map_err(|error| error.to_string())
    })?;
    let (folder, _lock) = Folder::open(out)?;
    folder.write_experiment(&text)?;
    // So that `gradbody predict` finds the model.
    atomic_file::write(&folder.path(&setup.experiment.model.file), published.model)?;
    let mut run = Run::new(setup, &text);
    let (_, outcome) = fit::go(&mut run, &folder)?;
    if json {
        let metrics = gradbody::learn::outcome::FitOutcome { motions: Vec::new(), ..outcome };
        writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&metrics)?)?;
    } else {
        fit::tell(&outcome)?;
    }
    writeln!(io::stderr(), "wrote {}", folder.path("report.html").display())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::{MULTIARM_DOUBLE_PENDULUM, REAL_DOUBLE_PENDULUM};

    /// The written experiment file of a quick run equals the one that is run.
    #[test]
    fn a_quick_experiment_is_written_as_it_is_run() {
        for published in [&REAL_DOUBLE_PENDULUM, &MULTIARM_DOUBLE_PENDULUM] {
            let whole = Experiment::from_toml(published.experiment, published.name).expect("right");
            let mut quick = whole.clone();
            (published.quick)(&mut quick);
            let text = quick.to_toml().expect("TOML");
            let back = Experiment::from_toml(&text, published.name).expect("right");
            assert_eq!(back, quick);
            assert_ne!(back, whole);
        }
    }
}

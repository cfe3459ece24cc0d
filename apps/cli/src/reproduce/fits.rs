//! Experiments that are fits: a folder in `experiments/` with a model and an experiment file, run on published data.

use std::io::{self, Write as _};
use std::path::Path;

use gradbody::learn::run::Run;
use gradbody::learn::{Experiment, Setup};
use gradbody::model::import;

use crate::fit::{self, Folder};

/// A fit of published data.
pub(super) struct Published {
    /// Its name, that of its folder in `experiments/`.
    name: &'static str,
    experiment: &'static str,
    model: &'static str,
    /// What a quick look leaves out.
    quick: fn(&mut Experiment),
}

/// A filmed double pendulum.
pub(super) const REAL_DOUBLE_PENDULUM: Published = Published {
    name: "real-double-pendulum",
    experiment: include_str!("../../../../experiments/real-double-pendulum/experiment.toml"),
    model: include_str!("../../../../experiments/real-double-pendulum/pendulum.urdf"),
    quick: |experiment| {
        experiment.objective.windows = Some(60);
        experiment.training.limits.iterations = Some(3);
        for baseline in &mut experiment.prediction.baselines {
            baseline.seconds = Some(3.0);
        }
    },
};

/// A double pendulum with encoders.
pub(super) const MULTIARM_DOUBLE_PENDULUM: Published = Published {
    name: "multiarm-double-pendulum",
    experiment: include_str!("../../../../experiments/multiarm-double-pendulum/experiment.toml"),
    model: include_str!("../../../../experiments/multiarm-double-pendulum/pendulum.urdf"),
    quick: |experiment| experiment.objective.windows = Some(10),
};

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
        // What is run, and not what it was made from.
        text = experiment.to_toml()?;
    }
    let setup = Setup::new(experiment, Path::new(""), &|path, options| {
        import::from_text(published.model, path, options).map_err(|error| error.to_string())
    })?;
    let (folder, _lock) = Folder::open(out)?;
    folder.write_experiment(&text)?;
    let mut run = Run::new(setup, &text);
    let (_, outcome) = fit::go(&mut run, &folder)?;
    if json {
        let metrics = gradbody::learn::outcome::Outcome { motions: Vec::new(), ..outcome };
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

    /// What a quick run writes is what it runs.
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

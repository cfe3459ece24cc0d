//! Simulated tosses of two boxes on a hinge, fitted again and again: are the true numbers found, and do the stated
//! uncertainties cover them?

mod flights;
mod page;
mod tosses;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use gradbody::learn::experiment::ChannelLoss;
use gradbody::learn::run::Run;
use gradbody::learn::{Experiment, Setup};
use gradbody::model::{Model, Selection, import};
use gradbody_cli::progress;
use serde::{Deserialize, Serialize};

use super::Prepared;
use super::side_by_side::side_by_side;
pub(super) use flights::prepare as prepare_flights;
use tosses::Throws;

const BODY: &str = include_str!("body.urdf");
const EXPERIMENT: &str = include_str!("experiment.toml");

/// What is true, where the model before the fit is wrong by 10 to 50 %.
const TRUTH: [(&str, f64); 9] = [
    ("link/left/inertia/xx", 0.00023),
    ("link/left/inertia/yy", 0.00038),
    ("link/left/inertia/zz", 0.00048),
    ("link/right/inertia/xx", 0.00015),
    ("link/right/inertia/yy", 0.0002),
    ("link/right/inertia/zz", 0.0003),
    ("joint/hinge/damping", 0.003),
    ("shape/ground/friction", 0.22),
    ("shape/ground/restitution", 0.3),
];
/// Samples of a toss.
const SAMPLES: usize = 104;
/// Share of outliers in the second half of the study.
const OUTLIERS: f64 = 0.05;

/// Then errors count by Tukey's loss, and not at all beyond this many standard deviations.
const FARTHEST: f64 = 7.0;

/// The extent of a run.
#[derive(Clone, Copy)]
struct Extent {
    tosses: usize,
    /// Fits with normal noise, and with outliers.
    repeats: [u64; 2],
    /// At most, of each fit.
    iterations: u64,
}

/// A fit to tosses of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Repeat {
    outliers: f64,
    seed: u64,
    seconds: f64,
    ended: String,
    /// The fitted value and the standard deviation of each number of [`TRUTH`].
    found: Vec<(f64, Option<f64>)>,
}

impl Repeat {
    /// Errors in standard deviations, of the numbers that have one.
    fn errors(&self) -> impl Iterator<Item = (usize, f64)> {
        let error = |(k, (value, sigma)): (usize, &(f64, Option<f64>))| {
            Some((k, (value - TRUTH[k].1) / (*sigma)?))
        };
        self.found.iter().enumerate().filter_map(error)
    }
}

pub(super) fn prepare(quick: bool) -> Prepared {
    Box::new(move |parts| {
        let extent = match quick {
            true => Extent { tosses: 3, repeats: [1, 1], iterations: 3 },
            false => Extent { tosses: 40, repeats: [50, 20], iterations: 100 },
        };
        let seeds = |(outliers, repeats)| (0..repeats).map(move |seed| (outliers, seed));
        let halves = [0.0, OUTLIERS].into_iter().zip(extent.repeats);
        let jobs: Vec<(f64, u64)> = halves.flat_map(seeds).collect();
        let bar = progress::bar(jobs.len() as u64, "fits");
        let repeats = side_by_side(&jobs, |&(outliers, seed)| {
            let name = format!("outliers-{outliers}-{seed}");
            let found = parts.get(&name, || repeat(extent, outliers, seed))?;
            bar.inc(1);
            Ok(found)
        })?;
        bar.finish_and_clear();
        Ok(page::outcome(extent, &repeats))
    })
}

/// Throws the body, and fits its model to what the camera saw.
fn repeat(extent: Extent, outliers: f64, seed: u64) -> anyhow::Result<Repeat> {
    let mut experiment = Experiment::from_toml(EXPERIMENT, "tosses.toml")?;
    experiment.data.split = None;
    experiment.limits.iterations = Some(extent.iterations);
    experiment.simulation.substeps = tosses::SUBSTEPS;
    experiment.change.parameters = TRUTH.iter().map(|(name, _)| (*name).to_owned()).collect();
    if outliers > 0.0 {
        for spec in experiment.channels.values_mut() {
            spec.loss = Some(ChannelLoss::Tukey(FARTHEST));
        }
    }
    let load = loader(BODY.to_owned());
    // Only the model of this setup is used: its data do not matter.
    let model = Setup::with_data(experiment.clone(), Path::new(""), &load, tosses::still()?)?.model;
    let throws = Throws { samples: SAMPLES, outliers, seed };
    let recorded = tosses::record(&with(model, &TRUTH)?, extent.tosses, throws)?;
    let setup = Setup::with_data(experiment, Path::new(""), &load, recorded)?;
    let began = Instant::now();
    let mut run = Run::new(setup, EXPERIMENT);
    run.go(&mut |_| ControlFlow::Continue(()))?;
    let parameters = run.fitted_parameters()?;
    let found = TRUTH.iter().map(|(name, _)| {
        let fitted = parameters.iter().find(|parameter| parameter.name == *name);
        fitted.map_or((f64::NAN, None), |fitted| (fitted.fitted, fitted.sigma))
    });
    Ok(Repeat {
        outliers,
        seed,
        found: found.collect(),
        seconds: began.elapsed().as_secs_f64(),
        ended: run.journal().done.last().map_or_else(String::new, |done| done.ended.clone()),
    })
}

/// Reads the body from its text, whatever path an experiment names.
fn loader(
    body: String,
) -> impl Fn(&Path, &import::ImportOptions) -> Result<import::Imported, String> {
    move |path, options| import::from_text(&body, path, options).map_err(|error| error.to_string())
}

/// The model with these numbers.
fn with(mut model: Model<f64>, numbers: &[(&str, f64)]) -> anyhow::Result<Model<f64>> {
    for (name, value) in numbers {
        Selection::of(&model, [*name])?.apply(&mut model, &[*value])?;
    }
    Ok(model)
}

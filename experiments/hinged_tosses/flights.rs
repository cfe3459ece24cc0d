//! How long a large fit takes: 13 numbers, 200 recordings of 110 samples. The body of the tosses flies and never lands, and
//! its hinge has no stops, so that motion is smooth.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use gradbody::learn::data::DataSet;
use gradbody::learn::experiment::ContactSlope;
use gradbody::learn::run::Run;
use gradbody::learn::{Experiment, Setup};
use gradbody_report::Section;
use gradbody_report::text::{Align, Table, fixed, number, rounded};
use maud::html;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::tosses::{self, Throws};
use super::{BODY, EXPERIMENT, loader, with};
use crate::{Findings, Prepared};

/// What is true, where the model before the fit has the numbers of its drawing. Centres of mass are found from spins that are
/// not about them, moments of inertia beside the masses, which are known.
const TRUTH: [(&str, f64); 13] = [
    ("link/left/inertia/xx", 0.00023),
    ("link/left/inertia/yy", 0.00038),
    ("link/left/inertia/zz", 0.00048),
    ("link/left/com/x", -0.051),
    ("link/left/com/y", 0.004),
    ("link/left/com/z", -0.003),
    ("link/right/inertia/xx", 0.00015),
    ("link/right/inertia/yy", 0.0002),
    ("link/right/inertia/zz", 0.0003),
    ("link/right/com/x", 0.058),
    ("link/right/com/y", -0.002),
    ("link/right/com/z", 0.005),
    ("joint/hinge/damping", 0.003),
];
const SAMPLES: usize = 110;
/// Samples of a window.
const WINDOW: usize = 54;

/// A finished fit.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Timed {
    recordings: usize,
    /// Errors, of position [mm] and orientation [°] together, in standard deviations of the noise.
    errors: usize,
    seconds: f64,
    iterations: u64,
    ended: String,
    /// The value before, the fitted one and its standard deviation, of each number of [`TRUTH`].
    found: Vec<(f64, f64, Option<f64>)>,
}

pub(crate) fn prepare(quick: bool) -> Prepared {
    Box::new(move |_| {
        let recordings = if quick { 5 } else { 200 };
        Ok(outcome(&timed(recordings)?))
    })
}

/// Fits the 13 numbers to flights. The time is that of the search; ± takes more.
fn timed(recordings: usize) -> anyhow::Result<Timed> {
    let mut experiment = Experiment::from_toml(EXPERIMENT, "flights.toml")?;
    experiment.data.split = None;
    experiment.model.ground = None;
    experiment.simulation.gradient = Some(ContactSlope::Implicit);
    experiment.objective.window = Some(WINDOW);
    experiment.change.parameters = TRUTH.iter().map(|(name, _)| (*name).to_owned()).collect();
    let load = loader(BODY.replace("revolute", "continuous"));
    let setup = |data: DataSet| Setup::with_data(experiment.clone(), Path::new(""), &load, data);
    let truth = with(setup(tosses::still()?)?.model, &TRUTH)?;
    let throws = Throws { samples: SAMPLES, outliers: 0.0, seed: 0 };
    let setup = setup(tosses::record(&truth, recordings, throws)?)?;
    let began = Instant::now();
    let mut run = Run::new(setup, EXPERIMENT);
    run.go(&mut |_| ControlFlow::Continue(()))?;
    let seconds = began.elapsed().as_secs_f64();
    let parameters = run.fitted_parameters()?;
    let found = |(name, _): &(&str, f64)| {
        let of = parameters.iter().find(|parameter| parameter.name == *name);
        of.map_or((f64::NAN, f64::NAN, None), |of| (of.initial, of.fitted, of.sigma))
    };
    let done = run.journal().done.last();
    Ok(Timed {
        recordings,
        errors: recordings * SAMPLES * 9,
        seconds,
        iterations: done.map_or(0, |done| done.iterations),
        ended: done.map_or_else(String::new, |done| done.ended.clone()),
        found: TRUTH.iter().map(found).collect(),
    })
}

fn outcome(timed: &Timed) -> Findings {
    let mut table = Table::new(&[
        ("parameter", Align::Left),
        ("truth", Align::Right),
        ("before", Align::Right),
        ("fitted", Align::Right),
        ("±", Align::Right),
    ]);
    let short = |x: f64| number(rounded(x));
    for ((name, truth), (before, fitted, sigma)) in TRUTH.iter().zip(&timed.found) {
        let sigma = sigma.map_or_else(String::new, short);
        table.row(vec![(*name).to_owned(), number(*truth), short(*before), short(*fitted), sigma]);
    }
    let sentence = format!(
        "{} numbers fitted to {} recordings of {SAMPLES} samples ({} measured components) in {} s, {} iterations: {}",
        TRUTH.len(),
        timed.recordings,
        timed.errors,
        fixed(timed.seconds, 1),
        timed.iterations,
        timed.ended
    );
    let mut rows = String::new();
    table.write(&mut rows);
    let mut text = format!("{sentence}\n");
    let _ = writeln!(text, "{rows}");
    Findings {
        title: "Flights of two boxes on a hinge".into(),
        lead: "How long does a fit of 13 numbers to 200 recordings take?".into(),
        sections: vec![Section {
            heading: "Smooth motion".into(),
            text: vec![format!("{sentence}.")],
            markup: html! { pre { (rows) } },
            ..Section::default()
        }],
        text,
        json: json!(timed),
    }
}

//! Runs `discover` on two measured pendulums and on measured pushes, to find what their models lack.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::Context as _;
use gradbody::learn::data::process::Split;
use gradbody::learn::discover::{CandidateSite, Discovery, discover};
use gradbody::learn::{Experiment, Setup};
use gradbody::model::import;
use gradbody_cli::progress;
use serde_json::{Value, json};

use super::data::DataFolder;
use super::parts::Parts;
use super::published::{MULTIARM_DOUBLE_PENDULUM, Published, REAL_DOUBLE_PENDULUM};
use super::pushing;
use super::{Findings, Prepared};
use gradbody_report::text::{Align, Table, fixed};
use gradbody_report::{Plot, Section, Series};
use maud::html;

/// A data set with its model.
struct Asked {
    /// Heading of its table.
    title: &'static str,
    setup: Setup,
    text: String,
}

/// Training windows. The film needs more: its frame rate differs from the stated one and is fitted too.
const FILMED: usize = 300;
const ENCODED: usize = 60;
/// Iterations of each training of a network on a pendulum.
const ITERATIONS: u64 = 20;

/// The body whose pushes are used.
const PUSHED: &str = "hex";

pub(super) fn prepare(data: &DataFolder, quick: bool) -> anyhow::Result<Prepared> {
    let (setup, text) = pushing::setup(data, PUSHED)?;
    let pushes = Asked { title: "pushes of a hexagon", setup, text };
    let mut asked = vec![
        pendulum("filmed double pendulum", &REAL_DOUBLE_PENDULUM, "runs/", FILMED)?,
        pendulum(
            "double pendulum with encoders",
            &MULTIARM_DOUBLE_PENDULUM,
            "double_pendulum/id/",
            ENCODED,
        )?,
        pushes,
    ];
    if quick {
        asked.iter_mut().for_each(|asked| shorten(&mut asked.setup));
    }
    Ok(Box::new(move |parts| experiment(&asked, parts)))
}

/// A published fit. Of its training recordings, those with two-digit numbers become validation data.
fn pendulum(
    title: &'static str,
    published: &Published,
    numbered: &str,
    windows: usize,
) -> anyhow::Result<Asked> {
    let mut experiment = Experiment::from_toml(published.experiment, published.name)?;
    if let Some(Split::Named(named)) = &mut experiment.data.split {
        named.train = vec![format!("{numbered}?")];
        named.validation = vec![format!("{numbered}1?")];
    }
    experiment.discover.windows = windows;
    experiment.discover.iterations = ITERATIONS;
    experiment.prediction.baselines.clear();
    let text = experiment.to_toml()?;
    let setup = Setup::new(experiment, Path::new(""), &|path, options| {
        import::from_text(published.model, path, options).map_err(|error| error.to_string())
    })?;
    Ok(Asked { title, setup, text })
}

/// Shortens everything for a quick run.
fn shorten(setup: &mut Setup) {
    let options = &mut setup.experiment.discover;
    options.iterations = 2;
    options.windows = 8;
    options.shares.truncate(1);
    setup.experiment.limits.iterations = Some(3);
}

fn experiment(asked: &[Asked], parts: &Parts) -> anyhow::Result<Findings> {
    let mut found = Vec::new();
    for (k, asked) in asked.iter().enumerate() {
        found.push(parts.get(&format!("{}", k + 1), || ask(asked))?);
    }
    let titled: Vec<(&str, &Discovery)> = asked.iter().map(|a| a.title).zip(&found).collect();
    Ok(outcome(&titled))
}

fn ask(asked: &Asked) -> anyhow::Result<Discovery> {
    let bar = progress::bar(1, "fits");
    let options = asked.setup.experiment.discover.clone();
    let found = discover(&asked.setup, &asked.text, &options, &mut |what, done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        bar.set_message(format!("{}: {what}", asked.title));
        ControlFlow::Continue(())
    })?;
    bar.finish_and_clear();
    found.with_context(|| format!("{}: nothing was tried", asked.title))
}

/// `+12.3 %`.
fn percent(gain: f64) -> String {
    format!("{gain:+.1} %")
}

fn test_gain(candidate: &CandidateSite) -> String {
    candidate.test_gain.map_or_else(|| "–".into(), percent)
}

fn outcome(found: &[(&str, &Discovery)]) -> Findings {
    let mut text = String::from(
        "a small network at each site in turn; by how much the error falls on recordings outside the training set: \
         those that chose\nits inputs (validation), and those that chose nothing (test)\n",
    );
    for (title, discovery) in found {
        let _ = writeln!(text, "\n{title}");
        table(discovery).write(&mut text);
        for word in discovery.words() {
            let _ = writeln!(text, "{word}");
        }
    }
    Findings {
        title: "What the models of measured data lack".into(),
        lead: "A correction at each site of a model in turn, with only the inputs that reduce the error enough, \
               evaluated on recordings outside the training set."
            .into(),
        sections: found.iter().map(|(title, discovery)| section(title, discovery)).collect(),
        text,
        json: json!({
            "experiment": "discovery",
            "sets": found.iter().map(|(title, discovery)| set(title, discovery)).collect::<Vec<Value>>(),
        }),
    }
}

fn table(discovery: &Discovery) -> Table {
    let mut table = Table::new(&[
        ("site", Align::Left),
        ("validation", Align::Right),
        ("test", Align::Right),
        ("depends on", Align::Left),
    ]);
    for candidate in &discovery.candidates {
        let depends = candidate.depends();
        let depends = depends.strip_prefix("depends on ").unwrap_or(&depends).to_owned();
        let gain = percent(candidate.gain);
        table.row(vec![candidate.site.clone(), gain, test_gain(candidate), depends]);
    }
    table
}

fn section(title: &str, discovery: &Discovery) -> Section {
    let markup = html! {
        table {
            tr { th { "site" } th { "validation" } th { "test" } th {} }
            @for candidate in &discovery.candidates {
                tr {
                    td { (candidate.site) }
                    td { (percent(candidate.gain)) }
                    td { (test_gain(candidate)) }
                    td { (candidate.depends()) }
                }
            }
        }
    };
    let responses = discovery.candidates.iter().flat_map(|candidate| {
        candidate.responses.iter().map(|response| {
            let points = response.x.iter().copied().zip(response.y.iter().copied()).collect();
            Plot::new(&candidate.site, &response.input, "output of the network")
                .line(Series::new(&candidate.site, points))
                .max_points(400)
        })
    });
    let mut words = discovery.words();
    words.extend(discovery.notes.iter().cloned());
    words.push(format!(
        "Without a correction the error is {} standard deviations.",
        fixed(discovery.score, 3)
    ));
    Section {
        heading: title.to_owned(),
        text: words,
        plots: responses.collect(),
        markup,
        ..Section::default()
    }
}

fn set(title: &str, discovery: &Discovery) -> Value {
    let sites = discovery.candidates.iter().map(|candidate| {
        json!({
            "site": candidate.site,
            "kept": candidate.kept,
            "gain_on_validation_percent": candidate.gain,
            "gain_on_test_percent": candidate.test_gain,
            "law": candidate.law,
        })
    });
    json!({
        "set": title,
        "error_before": discovery.score,
        "sites": sites.collect::<Vec<Value>>(),
        "words": discovery.words(),
    })
}

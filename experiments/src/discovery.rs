//! What measured data say that a model lacks: `discover` on two pendulums and on pushes.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::Context as _;
use gradbody::learn::data::process::Split;
use gradbody::learn::discover::{CandidateSite, Discovery, discover};
use gradbody::learn::{Experiment, Setup};
use gradbody::model::import;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::data::DataFolder;
use super::parts::Parts;
use super::published::{MULTIARM_DOUBLE_PENDULUM, Published, REAL_DOUBLE_PENDULUM};
use super::pushing;
use super::{Outcome, Prepared};
use gradbody_report::text::{Align, Table, fixed};
use gradbody_report::{Plot, Section, Series, escape};

/// A set of data and the model that is asked.
struct Asked {
    /// For the table.
    title: &'static str,
    setup: Setup,
    text: String,
}

/// Windows that are trained on: the film's frames do not come at the rate that is said, and few of them do not tell the rate.
const FILMED: usize = 300;
const ENCODED: usize = 60;
/// Of each training of a network on a pendulum.
const ITERATIONS: u64 = 20;

/// The body whose pushes are looked at.
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

/// A published fit. Of the recordings to learn from, those with numbers of two digits are kept to choose by.
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

/// Does less of everything.
fn shorten(setup: &mut Setup) {
    let options = &mut setup.experiment.discover;
    options.iterations = 2;
    options.windows = 8;
    options.shares.truncate(1);
    setup.experiment.limits.iterations = Some(3);
}

fn experiment(asked: &[Asked], parts: &Parts) -> anyhow::Result<Outcome> {
    let mut found = Vec::new();
    for (k, asked) in asked.iter().enumerate() {
        found.push(parts.get(&format!("{}", k + 1), || ask(asked))?);
    }
    let titled: Vec<(&str, &Discovery)> = asked.iter().map(|a| a.title).zip(&found).collect();
    Ok(outcome(&titled))
}

fn ask(asked: &Asked) -> anyhow::Result<Discovery> {
    let bar = ProgressBar::new(1);
    if let Ok(style) = ProgressStyle::with_template("{prefix}: {pos}/{len} {wide_bar} {msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(asked.title);
    let options = asked.setup.experiment.discover.clone();
    let found = discover(&asked.setup, &asked.text, &options, &mut |what, done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        bar.set_message(what.to_owned());
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

fn outcome(found: &[(&str, &Discovery)]) -> Outcome {
    let mut text = String::from(
        "a small network at each site in turn; what the error falls by on recordings it was not trained on: those that chose \
         its\ninputs (validation), and those that chose nothing (test)\n",
    );
    for (title, discovery) in found {
        let _ = writeln!(text, "\n{title}");
        table(discovery).write(&mut text);
        for word in discovery.words() {
            let _ = writeln!(text, "{word}");
        }
    }
    Outcome {
        title: "What measured data say is missing".into(),
        lead: "A correction at each site of a model in turn, with only the inputs that pay for themselves, judged on recordings \
               it was not trained on."
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
    let mut markup =
        String::from("<table><tr><th>site</th><th>validation</th><th>test</th><th></th></tr>");
    for candidate in &discovery.candidates {
        let _ = write!(
            markup,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(&candidate.site),
            percent(candidate.gain),
            test_gain(candidate),
            escape(&candidate.depends())
        );
    }
    markup.push_str("</table>");
    let responses = discovery.candidates.iter().flat_map(|candidate| {
        candidate.responses.iter().map(|response| {
            let points = response.x.iter().copied().zip(response.y.iter().copied()).collect();
            Plot::new(&candidate.site, &response.input, "answer of the network")
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

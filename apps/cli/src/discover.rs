//! `gradbody discover`: which effect is missing in a model, as far as the data can tell.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use gradbody::learn::discover::{Discovery, discover};
use indicatif::{ProgressBar, ProgressStyle};

use crate::atomic_file;
use crate::fit::load;
use crate::interrupt::{self, Interrupt};
use gradbody_report::text::number;
use gradbody_report::{Page, Plot, Section, Series, escape};

/// Options of `gradbody discover`.
#[derive(Args, Debug)]
pub(crate) struct DiscoverArgs {
    /// The experiment, a TOML file; its table [discover] may name sites and inputs to try.
    #[arg(value_name = "EXPERIMENT")]
    experiment: PathBuf,
    /// The folder for discover.html and discover.json; NAME-discover here, if nothing is said.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &DiscoverArgs) -> anyhow::Result<ExitCode> {
    let loaded = load(&args.experiment, |_| ())?;
    let name = loaded.setup.experiment.name.clone();
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{name}-discover")));
    atomic_file::make_folder(&out)?;
    let interrupt = Interrupt::listen();
    let bar = ProgressBar::new(1);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {wide_bar} {msg}") {
        bar.set_style(style);
    }
    for note in loaded.setup.notes() {
        writeln!(io::stderr(), "note: {note}")?;
    }
    let options = loaded.setup.experiment.discover.clone();
    let found = discover(&loaded.setup, &loaded.text, &options, &mut |what, done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        bar.set_message(what.to_owned());
        if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    bar.finish_and_clear();
    let Some(found) = found else {
        writeln!(io::stderr(), "interrupted before a site was tried")?;
        return Ok(ExitCode::from(interrupt::EXIT_STATUS));
    };
    if interrupt.asked() && found.candidates.is_empty() {
        writeln!(io::stderr(), "interrupted before a site was tried")?;
        return Ok(ExitCode::from(interrupt::EXIT_STATUS));
    }
    if found.candidates.is_empty() {
        bail!(
            "no site was tried; name some in the table [discover], as in sites = [\"joint/*/passive_torque\"]"
        );
    }
    atomic_file::write(&out.join("discover.json"), &serde_json::to_string_pretty(&found)?)?;
    atomic_file::write(&out.join("discover.html"), &page(&found))?;
    let mut to = io::stdout().lock();
    for line in found.words() {
        writeln!(to, "{line}")?;
    }
    writeln!(to, "\nwhat the {} error falls by, and what it depends on:", found.part)?;
    for candidate in &found.candidates {
        let gain = format!("{:+.1}", candidate.gain);
        writeln!(to, "  {:<34} {gain:>7} %, {}", candidate.site, candidate.depends())?;
    }
    for note in &found.notes {
        writeln!(io::stderr(), "note: {note}")?;
    }
    writeln!(to, "wrote {}", out.join("discover.html").display())?;
    let interrupted = interrupt.asked();
    Ok(if interrupted { ExitCode::from(interrupt::EXIT_STATUS) } else { ExitCode::SUCCESS })
}

/// A page with the gains and what each site depends on.
fn page(found: &Discovery) -> String {
    let section = |heading: &str, text: Vec<String>, markup: String| Section {
        heading: heading.to_owned(),
        text,
        markup,
        ..Section::default()
    };
    let lead = format!(
        "With its parameters fitted, the model errs by {} standard deviations on the {} data. Each site below got a \
         correction of its own.",
        number(found.score),
        found.part
    );
    let page = Page {
        title: format!("What is missing: {}", found.name),
        lead,
        sections: vec![
            section("What the data ask for", found.words(), String::new()),
            section(
                &format!("What each site gains on the {} data", found.part),
                found.notes.clone(),
                gains(found),
            ),
            section("What each site depends on", Vec::new(), inputs(found)),
            Section {
                plots: answers(found),
                ..section("What the corrections do", Vec::new(), String::new())
            },
        ],
        footer: format!("Made by gradbody {}.", env!("CARGO_PKG_VERSION")),
    };
    page.html()
}

/// What each correction answers over each input that it kept.
fn answers(found: &Discovery) -> Vec<Plot> {
    let mut plots = Vec::new();
    for candidate in &found.candidates {
        for response in &candidate.responses {
            let points = response.x.iter().copied().zip(response.y.iter().copied()).collect();
            let title = format!("{} over {}", candidate.site, response.input);
            let plot = Plot::new(title, &response.input, &candidate.site)
                .line(Series::new(&candidate.site, points))
                .max_points(400);
            plots.push(plot);
        }
    }
    plots
}

const ROW: f64 = 26.0;
const LEFT: f64 = 300.0;

/// A bar for each site.
fn gains(found: &Discovery) -> String {
    let most = found.candidates.iter().map(|c| c.gain.abs()).fold(1.0, f64::max);
    let height = ROW * found.candidates.len() as f64;
    let mut svg = format!(r#"<svg viewBox="0 0 720 {height}" width="720" role="img">"#);
    for (k, candidate) in found.candidates.iter().enumerate() {
        let y = ROW * k as f64;
        let width = 320.0 * candidate.gain.max(0.0) / most;
        let _ = write!(
            svg,
            r##"<text x="{}" y="{}" text-anchor="end" font-size="13" fill="currentColor">{}</text><rect x="{LEFT}" y="{}" width="{width:.1}" height="16" fill="#2563c9"/><text x="{:.1}" y="{}" font-size="13" fill="currentColor">{:.1} %</text>"##,
            LEFT - 8.0,
            y + 17.0,
            escape(&candidate.site),
            y + 5.0,
            LEFT + width + 6.0,
            y + 17.0,
            candidate.gain
        );
    }
    svg.push_str("</svg>");
    svg
}

/// A table of how strongly each site depends on each input.
fn inputs(found: &Discovery) -> String {
    let mut html = String::from("<div style=\"overflow-x:auto\"><table><tr><th>site</th>");
    let names = found.candidates.first().map_or(&[][..], |c| &c.inputs[..]);
    for (name, _) in names {
        let _ = write!(html, "<th>{}</th>", escape(name));
    }
    html.push_str("</tr>");
    for candidate in &found.candidates {
        let most = candidate.inputs.iter().map(|(_, s)| *s).fold(0.0, f64::max).max(1e-300);
        let _ = write!(html, "<tr><td>{}</td>", escape(&candidate.site));
        for (_, strength) in &candidate.inputs {
            let shade = 0.6 * strength / most;
            let text = if *strength == 0.0 { "0".to_owned() } else { number(*strength) };
            let _ = write!(html, "<td style=\"background:rgba(37,99,201,{shade:.2})\">{text}</td>");
        }
        html.push_str("</tr>");
    }
    html.push_str("</table></div><p>The change of the site over the range of each input in the data, in the site's unit; zeros are inputs that did not earn their share of the gain.</p>");
    html
}

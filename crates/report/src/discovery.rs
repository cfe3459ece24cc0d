//! The page about a discovery: the gain of a correction at each site, its inputs, and its values.

use std::fmt::Write as _;

use gradbody_learn::discover::{CandidateSite, Discovery};
use maud::{Markup, PreEscaped, html};

use super::text::number;
use super::{Page, Plot, Section, Series, escape};

/// Height of a bar's row, and room for the names of sites.
const ROW: f64 = 26.0;
const LEFT: f64 = 300.0;

/// A report of a discovery, as a complete HTML file.
pub fn page(found: &Discovery) -> String {
    let section = |heading: &str| Section { heading: heading.to_owned(), ..Section::default() };
    let lead = format!(
        "With its parameters fitted, the model's error is {} standard deviations on the {} data. Each site below was \
         then given a correction of its own.",
        number(found.score),
        found.part
    );
    let page = Page {
        title: format!("What is missing: {}", found.name),
        lead,
        sections: vec![
            Section { text: found.words(), ..section("What the data show") },
            Section {
                text: found.notes.clone(),
                markup: PreEscaped(gains(found)),
                ..section(&format!("Gain of each site on the {} data", found.part))
            },
            Section { markup: inputs(found), ..section("What each site depends on") },
            Section { plots: answers(found), ..section("What the corrections do") },
        ],
        footer: format!("Made by gradbody {}.", env!("CARGO_PKG_VERSION")),
    };
    page.html()
}

/// The value of each correction over each input that it kept.
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

/// A bar for each site, as SVG.
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
fn inputs(found: &Discovery) -> Markup {
    // Sites of contacts and of joints have different inputs.
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in found.candidates.iter().flat_map(|candidate| &candidate.inputs) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    html! {
        div style="overflow-x:auto" { table {
            tr { th { "site" } @for name in &names { th { (name) } } }
            @for candidate in &found.candidates { (row(candidate, &names)) }
        } }
        p {
            "The change of the site over the range of each input in the data, in the site's unit; zeros are inputs \
             that contribute too little to the gain, and empty cells are inputs that were not tried there."
        }
    }
}

/// A row with a cell for each input; a stronger dependence is darker.
fn row(candidate: &CandidateSite, names: &[&str]) -> Markup {
    let most = candidate.inputs.iter().map(|(_, s)| *s).fold(0.0, f64::max).max(1e-300);
    let shade = |strength: f64| format!("background:rgba(37,99,201,{:.2})", 0.6 * strength / most);
    let strength = |name: &str| candidate.inputs.iter().find(|(n, _)| n == name).map(|(_, s)| *s);
    html! {
        tr {
            td { (candidate.site) }
            @for name in names {
                @if let Some(strength) = strength(name) {
                    td style=(shade(strength)) { (number(strength)) }
                } @else {
                    td {}
                }
            }
        }
    }
}

//! The page about a fit: what came out, how well it predicts, and what the data do not tell.
//!
//! [`page`] makes one HTML file that needs nothing else, a file here for each of its sections. Drawings are
//! SVG from [`gradbody_report`]; two small scripts show values under the pointer and play the motion, and
//! without them everything but the moving figures is still there. Nothing in an [`Outcome`] makes it fail:
//! what is missing or not finite is left out and shown as a dash.

mod clip;
mod errors;
mod figures;
mod headline;
mod horizon;
mod loss;
mod motions;
mod noise;
mod number;
mod parameters;
mod profiles;
mod responses;
mod score;
mod undetermined;

#[cfg(test)]
mod example;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use gradbody::learn::outcome::Outcome;

use gradbody_report::{STYLE, escape};

pub(crate) use noise::against_noise;

const FIT_STYLE: &str = include_str!("style.css");
const SCRIPTS: [&str; 3] =
    [include_str!("choose.js"), include_str!("values.js"), include_str!("player.js")];

/// A section: what it is called in addresses and in the list at the top, and its inside.
struct Part {
    id: &'static str,
    title: &'static str,
    html: String,
}

/// A report of a fit, as a complete HTML file.
pub(crate) fn page(outcome: &Outcome) -> String {
    let part = |id, title, html| Part { id, title, html };
    let parts = [
        part("loss", "How the cost fell", loss::section(outcome)),
        part("motions", "Motions", motions::section(outcome)),
        part("parameters", "Parameters", parameters::section(outcome)),
        part("errors", "Errors", errors::section(outcome)),
        part("networks", "What the networks answer", responses::section(outcome)),
        part("notes", "Notes", notes(outcome)),
    ];
    // A section about nothing is not there.
    let parts: Vec<Part> = parts.into_iter().filter(|part| !part.html.is_empty()).collect();

    let title = escape(&headline::title(outcome));
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{FIT_STYLE}</style>\n</head>\n<body>\n<main>\n\
         <header>\n<h1>{title}</h1>\n{}",
        headline::section(outcome)
    );
    html.push_str("<nav aria-label=\"sections\">");
    for Part { id, title, .. } in &parts {
        let _ = write!(html, "<a href=\"#{id}\">{title}</a>");
    }
    html.push_str("</nav>\n</header>\n");
    for Part { id, title, html: inside } in &parts {
        let _ = writeln!(html, "<section id=\"{id}\">\n<h2>{title}</h2>\n{inside}</section>");
    }
    let _ = writeln!(
        html,
        "<footer>Written by gradbody {}. The file needs no network and no other file.</footer>\n</main>",
        env!("CARGO_PKG_VERSION")
    );
    for script in SCRIPTS {
        let _ = writeln!(html, "<script>\n{script}</script>");
    }
    html.push_str("</body>\n</html>\n");
    html
}

fn notes(outcome: &Outcome) -> String {
    if outcome.notes.is_empty() {
        return String::new();
    }
    let items: String =
        outcome.notes.iter().map(|note| format!("<li>{}</li>\n", escape(note))).collect();
    format!("<ul class=\"notes\">\n{items}</ul>\n")
}

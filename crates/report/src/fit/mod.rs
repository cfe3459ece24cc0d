//! The page about a fit: the results, how well the model predicts, and what the data do not determine.
//!
//! [`page`] makes one HTML file that needs nothing else, a file here for each of its sections. Drawings are
//! SVG from [`Plot`](crate::Plot); small scripts show values under the pointer, the viewer's page plays the motions, and
//! without scripts everything but the motions is still there. Nothing in an [`FitOutcome`] makes it fail:
//! what is missing or not finite is left out and shown as a dash.

mod calibration;
mod errors;
mod headline;
mod horizon;
mod loss;
mod motions;
mod noise;
mod parameters;
mod profiles;
mod responses;
mod score;
mod text;
mod undetermined;

#[cfg(test)]
mod example;
#[cfg(test)]
mod tests;

use gradbody_learn::outcome::FitOutcome;
use maud::{Markup, html};

use crate::html::{OUTCOME_SCRIPTS, OUTCOME_STYLE, STYLE, file};
use crate::players::Players;

pub use crate::number::readable;
pub use noise::against_noise;
pub use text::{error_table, summary};

/// A section: what it is called in addresses and in the list at the top, and its inside.
struct Chapter {
    id: &'static str,
    title: &'static str,
    inside: Markup,
}

/// A report of a fit, as a complete HTML file.
pub fn page(outcome: &FitOutcome) -> String {
    let mut players = Players::default();
    let parts = [
        ("loss", "How the cost fell", loss::section(outcome)),
        ("motions", "Motions", motions::section(outcome, &mut players)),
        ("parameters", "Parameters", parameters::section(outcome)),
        ("errors", "Errors", errors::section(outcome)),
        ("residuals", "Residuals and the noise", calibration::section(outcome)),
        ("networks", "Outputs of the networks", responses::section(outcome)),
        ("notes", "Notes", notes(outcome)),
    ];
    // Empty sections are left out.
    let parts: Vec<Chapter> = parts
        .into_iter()
        .filter_map(|(id, title, inside)| Some(Chapter { id, title, inside: inside? }))
        .collect();
    let title = headline::title(outcome);
    let body = html! {
        header {
            h1 { (title) }
            (headline::section(outcome))
            nav aria-label="sections" {
                @for Chapter { id, title, .. } in &parts { a href={ "#" (id) } { (title) } }
            }
        }
        @for Chapter { id, title, inside } in &parts {
            section id=(id) {
                h2 { (title) }
                (inside)
            }
        }
        footer {
            "Written by gradbody " (env!("CARGO_PKG_VERSION"))
            ". The file needs no network and no other file."
        }
    };
    file(&title, &[STYLE, OUTCOME_STYLE], &body, &OUTCOME_SCRIPTS, &players)
}

fn notes(outcome: &FitOutcome) -> Option<Markup> {
    let notes = &outcome.notes;
    (!notes.is_empty()).then(|| html! { ul.notes { @for note in notes { li { (note) } } } })
}

//! What the networks answer over each of their inputs: small plots side by side.

use std::fmt::Write as _;

use gradbody::learn::outcome::Outcome;

use super::number::axis;
use crate::report::{Plot, Series, escape};

/// The plots, network by network; empty without networks.
pub(super) fn section(outcome: &Outcome) -> String {
    let mut networks: Vec<&str> = vec![];
    for response in &outcome.responses {
        if !networks.contains(&response.network.as_str()) {
            networks.push(&response.network);
        }
    }
    if networks.is_empty() {
        return String::new();
    }
    let mut html = String::from(
        "<p class=\"quiet\">Each output over one input, across the range that the data have; the other \
         inputs are held at the middle of theirs.</p>\n",
    );
    for network in networks {
        let _ = writeln!(html, "<h3>{}</h3>\n<div class=\"plots small\">", escape(network));
        for response in outcome.responses.iter().filter(|r| r.network == network) {
            let points = response.x.iter().copied().zip(response.y.iter().copied()).collect();
            let title = format!("{} over {}", response.output, response.input);
            Plot::new(title, &response.input, axis("output", unit(&response.output)))
                .line(Series::new(&response.output, points).paint("after"))
                .size(400.0, 220.0)
                .max_points(400)
                .shows_values()
                .write(&mut html);
        }
        html.push_str("</div>\n");
    }
    html
}

/// What stands in brackets at the end of a name.
fn unit(name: &str) -> &str {
    let inside = name.trim_end().strip_suffix(']').and_then(|name| name.rsplit_once('['));
    inside.map_or("", |(_, unit)| unit)
}

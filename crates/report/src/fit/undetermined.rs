//! Which parameters the data do not tell apart, in words.

use std::fmt::Write as _;

use gradbody_learn::outcome::{FitOutcome, Undetermined};
use maud::{Markup, html};

use crate::minus;
use crate::number::{list, number, several};

/// Parameters with smaller shares are not named.
const SMALL: f64 = 0.1;

/// Above this uncertainty, relative to their size, parameters count as unknown.
const AT_ALL: f64 = 1e4;

/// A list of sentences; none if the data determine everything.
pub(super) fn block(outcome: &FitOutcome) -> Option<Markup> {
    let directions = &outcome.undetermined;
    let block = html! {
        h3 { "What the data do not determine" }
        ul.notes { @for direction in directions { li { (sentence(direction)) } } }
    };
    (!directions.is_empty()).then_some(block)
}

fn sentence(direction: &Undetermined) -> String {
    let largest = direction.parameters.first().map_or(1.0, |(_, share)| share.abs());
    let counts = |share: f64| share.is_finite() && share.abs() >= SMALL * largest;
    let (named, rest): (Vec<_>, Vec<_>) =
        direction.parameters.iter().partition(|(_, share)| counts(*share));
    let names: Vec<String> = named.iter().map(|(name, _)| name.clone()).collect();
    let mut text = match names.as_slice() {
        [] => {
            return "There is a direction of the parameters that the data do not determine.".into();
        }
        [one] => format!("The data do not determine {one}"),
        _ => format!("The data do not tell {} apart", list(&names)),
    };
    if names.len() > 1 {
        let _ = write!(text, ": {}", combination(&named));
    }
    if !rest.is_empty() {
        let _ = write!(text, " (and small shares of {})", several(rest.len(), "other"));
    }
    if direction.reach.is_nan() || direction.reach > AT_ALL {
        text.push_str(if names.len() == 1 { " at all." } else { " is not determined at all." });
        return text;
    }
    if names.len() == 1 {
        text.push_str(" well: it");
    }
    let _ = write!(
        text,
        " can change by {} before the cost rises by one unit of ½χ².",
        reach(direction.reach)
    );
    text
}

/// `0.71 a − 0.70 b`.
fn combination(named: &[&(String, f64)]) -> String {
    let mut text = String::new();
    for (i, (name, share)) in named.iter().enumerate() {
        let sign = match (i, *share < 0.0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        let _ = write!(text, "{}{:.2} {name}", minus(sign), share.abs());
    }
    text
}

/// A change relative to the size of the parameters.
fn reach(reach: f64) -> String {
    match reach {
        r if r < 3.0 => format!("{} % of the size of the parameters", number(100.0 * r, 2)),
        r => format!("{} times the size of the parameters", number(r, 2)),
    }
}

#[cfg(test)]
mod tests {
    use gradbody_learn::outcome::Undetermined;

    use super::sentence;

    #[test]
    fn a_pair_is_told_in_words() {
        let parameters =
            vec![("a/mass".into(), 0.71), ("b/damping".into(), -0.7), ("c".into(), 0.01)];
        assert_eq!(
            sentence(&Undetermined { reach: 0.35, parameters }),
            "The data do not tell a/mass and b/damping apart: 0.71 a/mass − 0.70 b/damping (and small \
             shares of 1 other) can change by 35 % of the size of the parameters before the cost rises by \
             one unit of ½χ²."
        );
        let one = Undetermined { reach: f64::INFINITY, parameters: vec![("k".into(), -1.0)] };
        assert_eq!(sentence(&one), "The data do not determine k at all.");
        let pair = vec![("a".into(), 0.71), ("b".into(), -0.7)];
        assert_eq!(
            sentence(&Undetermined { reach: 1e150, parameters: pair }),
            "The data do not tell a and b apart: 0.71 a − 0.70 b is not determined at all."
        );
        let weak = Undetermined { reach: 0.7, parameters: vec![("k".into(), 1.0)] };
        assert_eq!(
            sentence(&weak),
            "The data do not determine k well: it can change by 70 % of the size of the parameters before the cost \
             rises by one unit of ½χ²."
        );
        assert!(!sentence(&Undetermined { reach: f64::NAN, parameters: vec![] }).contains("NaN"));
    }
}

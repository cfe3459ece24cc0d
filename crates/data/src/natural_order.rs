//! The order people expect names in.

use std::cmp::Ordering;

/// The order of names in which numbers in them count as numbers: `run 2` is before `run 10`.
pub(super) fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut a_rest, mut b_rest) = (a, b);
    loop {
        let (a_part, b_part) = (first_part(a_rest), first_part(b_rest));
        if a_part.is_empty() || b_part.is_empty() {
            return a_rest.len().cmp(&b_rest.len()).then_with(|| a.cmp(b));
        }
        let order = match (number(a_part), number(b_part)) {
            // Of two numbers without leading zeros the longer one is larger, whatever their size.
            (Some(x), Some(y)) => x.len().cmp(&y.len()).then_with(|| x.cmp(y)),
            _ => a_part.cmp(b_part),
        };
        if order != Ordering::Equal {
            return order;
        }
        (a_rest, b_rest) = (&a_rest[a_part.len()..], &b_rest[b_part.len()..]);
    }
}

/// The leading digits of a text, or its leading non-digits.
fn first_part(text: &str) -> &str {
    let is_digit = |c: char| c.is_ascii_digit();
    let digits = text.starts_with(is_digit);
    let end = text.find(|c| is_digit(c) != digits).unwrap_or(text.len());
    &text[..end]
}

fn number(part: &str) -> Option<&str> {
    part.starts_with(|c: char| c.is_ascii_digit()).then(|| part.trim_start_matches('0'))
}

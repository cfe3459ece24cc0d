//! Patterns of names, and the order people expect names in.

use std::cmp::Ordering;

/// Whether a name is what a pattern stands for: `*` is any characters, `?` any one of them.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where to go on if what follows the last star does not fit: the star takes one character more.
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match retry {
                Some((star, taken)) => {
                    retry = Some((star, taken + 1));
                    (p, n) = (star + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Whether a name is a pattern.
pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// The order of names in which numbers in them count as numbers: `run 2` is before `run 10`.
pub(super) fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut a_rest, mut b_rest) = (a, b);
    loop {
        let (a_part, b_part) = (first_part(a_rest), first_part(b_rest));
        if a_part.is_empty() || b_part.is_empty() {
            return a_rest.len().cmp(&b_rest.len()).then_with(|| a.cmp(b));
        }
        let order = match (number(a_part), number(b_part)) {
            // Of numbers without leading zeros the longer is the larger, whatever their size.
            (Some(x), Some(y)) => x.len().cmp(&y.len()).then_with(|| x.cmp(y)),
            _ => a_part.cmp(b_part),
        };
        if order != Ordering::Equal {
            return order;
        }
        (a_rest, b_rest) = (&a_rest[a_part.len()..], &b_rest[b_part.len()..]);
    }
}

/// The digits, or what is not digits, that a text begins with.
fn first_part(text: &str) -> &str {
    let is_digit = |c: char| c.is_ascii_digit();
    let digits = text.starts_with(is_digit);
    let end = text.find(|c| is_digit(c) != digits).unwrap_or(text.len());
    &text[..end]
}

fn number(part: &str) -> Option<&str> {
    part.starts_with(|c: char| c.is_ascii_digit()).then(|| part.trim_start_matches('0'))
}

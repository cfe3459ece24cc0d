//! Places in the text of a TOML file: the line that a message is about.

use std::str::FromStr as _;

use serde::Serialize;
use toml::Value;
use toml::de::{DeTable, DeValue};

use crate::toml_error;

/// Explains an error of `toml` in one line: `arm.toml:12: [objective] windo = 5: unknown key "windo"; did you mean "window"?`
pub fn explain(error: &toml::de::Error, text: &str, file: &str) -> String {
    toml_error::explain(error, text, file)
}

/// Puts the file and the line before a message about `place`, a key such as `model.set."link/*/mass"`. The line is that of
/// the deepest part of the place that the text has; without any, only the file is named.
pub fn at(place: &str, message: &str, text: &str, file: &str) -> String {
    match line_of(place, text) {
        Some(line) => format!("{file}:{line}: {message}"),
        None => format!("{file}: {message}"),
    }
}

/// What is wrong with a list that is longer than what was made of it, of which serde says nothing: a range has two numbers,
/// a place three. `read` is what was read from the text.
pub fn too_long(text: &str, read: &impl Serialize, file: &str) -> Option<String> {
    let given = toml::Table::from_str(text).ok()?;
    let read = toml::Table::try_from(read).ok()?;
    let (place, given, needed) = longer(String::new(), &given.into(), &read.into())?;
    let message = format!("{place}: {given} values are given where {needed} are needed");
    Some(at(&place, &message, text, file))
}

/// The first list of `given` that is longer than that of `read`, with both lengths.
fn longer(place: String, given: &Value, read: &Value) -> Option<(String, usize, usize)> {
    match (given, read) {
        (Value::Table(given), Value::Table(read)) => given.iter().find_map(|(key, given)| {
            let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            let key_in_text = match key.chars().all(is_bare) {
                true => key.clone(),
                false => format!("\"{key}\""),
            };
            let dot = if place.is_empty() { "" } else { "." };
            longer(format!("{place}{dot}{key_in_text}"), given, read.get(key)?)
        }),
        (Value::Array(given), Value::Array(read)) if given.len() > read.len() => {
            Some((place, given.len(), read.len()))
        }
        (Value::Array(given), Value::Array(read)) => {
            let mut pairs = given.iter().zip(read).enumerate();
            pairs.find_map(|(k, (given, read))| longer(format!("{place}[{k}]"), given, read))
        }
        _ => None,
    }
}

/// The line of the deepest part of `place` that the text has, from 1.
fn line_of(place: &str, text: &str) -> Option<usize> {
    let document = DeTable::parse(text).ok()?;
    let mut table = document.get_ref();
    let mut rest = place;
    let mut start = None;
    loop {
        let found = table.iter().filter_map(|(key, value)| {
            let after = after_key(rest, key.get_ref())?;
            Some((key, value, after))
        });
        // Names may contain dots: the longest key that fits is meant.
        let Some((key, value, after)) = found.max_by_key(|(key, ..)| key.get_ref().len()) else {
            break;
        };
        start = Some(key.span().start);
        let (value, after) = match (value.get_ref(), item(after)) {
            (DeValue::Array(items), Some((index, after))) => {
                let Some(value) = items.get(index) else { break };
                start = Some(value.span().start);
                (value.get_ref(), after)
            }
            (value, _) => (value, after),
        };
        match (value, after.strip_prefix('.')) {
            (DeValue::Table(inner), Some(after)) => (table, rest) = (inner, after),
            _ => break,
        }
    }
    let before = text.get(..start?)?;
    Some(1 + before.matches('\n').count())
}

/// What follows a key, bare or in quotes, at the beginning of a place: nothing, or a dot or an index.
fn after_key<'a>(place: &'a str, key: &str) -> Option<&'a str> {
    let quoted = format!("\"{key}\"");
    let after = place.strip_prefix(key).or_else(|| place.strip_prefix(&quoted))?;
    (after.is_empty() || after.starts_with(['.', '['])).then_some(after)
}

/// The index in `[2].radius`, and what follows it.
fn item(place: &str) -> Option<(usize, &str)> {
    let (index, after) = place.strip_prefix('[')?.split_once(']')?;
    Some((index.parse().ok()?, after))
}

#[cfg(test)]
mod tests {
    use super::{at, line_of, too_long};

    const TEXT: &str = "name = 'a'\n[model]\nfile = 'arm.urdf'\n\n[model.set]\n'link/*/mass' = 2\n[channels]\n\
                        'a.b' = { is = 'x' }\na = { is = 'y' }\n";

    #[test]
    fn a_place_has_the_line_of_its_key() {
        assert_eq!(line_of("name", TEXT), Some(1));
        assert_eq!(line_of("model.file", TEXT), Some(3));
        assert_eq!(line_of("model.set.\"link/*/mass\"", TEXT), Some(6));
        assert_eq!(line_of("channels.a.b", TEXT), Some(8));
        assert_eq!(line_of("channels.a.is", TEXT), Some(9));
        let pairs = "[model]\n[[model.pairs]]\nname = 1\n[[model.pairs]]\nfriction = -1\n";
        assert_eq!(line_of("model.pairs[1].friction", pairs), Some(5));
        assert_eq!(line_of("model.pairs[1].shapes", pairs), Some(4));
    }

    #[test]
    fn a_list_that_is_too_long_is_told() {
        #[derive(serde::Deserialize, serde::Serialize)]
        struct Box {
            sides: std::collections::BTreeMap<String, [f64; 2]>,
            ranges: Vec<(f64, f64)>,
        }
        let told = |text: &str| {
            let read: Box = toml::from_str(text).expect("serde says nothing");
            too_long(text, &read, "a.toml")
        };
        let right = "ranges = [[1, 2], [3, 4]]\n[sides]\n\"a/b\" = [1, 2]";
        assert_eq!(told(right), None);
        let message = "a.toml:1: ranges[1]: 3 values are given where 2 are needed";
        assert_eq!(told(&right.replace("[3, 4]", "[3, 4, 5]")).as_deref(), Some(message));
        let message = "a.toml:3: sides.\"a/b\": 3 values are given where 2 are needed";
        assert_eq!(told(&right.replace("= [1, 2]", "= [1, 2, 3]")).as_deref(), Some(message));
    }

    #[test]
    fn a_missing_key_has_the_line_of_its_table() {
        assert_eq!(line_of("model.ground.friction", TEXT), Some(2));
        assert_eq!(line_of("objective.window", TEXT), None);
        assert_eq!(at("objective", "missing", TEXT, "a.toml"), "a.toml: missing");
        assert_eq!(at("name", "odd", TEXT, "a.toml"), "a.toml:1: odd");
    }
}

//! Places in the text of a TOML file: the line that a message is about.

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
    use super::{at, line_of};

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
    fn a_missing_key_has_the_line_of_its_table() {
        assert_eq!(line_of("model.ground.friction", TEXT), Some(2));
        assert_eq!(line_of("objective.window", TEXT), None);
        assert_eq!(at("objective", "missing", TEXT, "a.toml"), "a.toml: missing");
        assert_eq!(at("name", "odd", TEXT, "a.toml"), "a.toml:1: odd");
    }
}

//! The place in an experiment that an error of its data is about.

use std::str::FromStr as _;

use gradbody_data::DataError;
use toml::Value;

/// The place that an error is about: the channel or option that names what is wrong, else `data`.
pub(crate) fn place_of(error: &DataError, text: &str) -> String {
    let found = match error {
        DataError::NoFile { .. } | DataError::NoMatch { .. } | DataError::Folder { .. } => {
            Some("data.files".to_owned())
        }
        DataError::NoColumn { name, .. } => named_by_data(text, name)
            .or_else(|| channel(text, |key, spec| column(key, spec) == name.as_str())),
        DataError::UnknownUnit { name, .. } => {
            channel(text, |_, spec| spec.get("unit").and_then(Value::as_str) == Some(name))
        }
        DataError::WrongDimension { what, .. } => of_channel(what),
        DataError::Options(why) => of_channel(why),
        _ => None,
    };
    found.unwrap_or_else(|| "data".to_owned())
}

/// The place of a channel whose name is in quotes after the word "channel".
fn of_channel(message: &str) -> Option<String> {
    let (name, _) = message.strip_prefix("channel \"")?.split_once('"')?;
    Some(format!("channels.{name}"))
}

/// The first channel that is meant.
fn channel(text: &str, is_meant: impl Fn(&str, &Value) -> bool) -> Option<String> {
    let document = toml::Table::from_str(text).ok()?;
    let channels = document.get("channels")?.as_table()?;
    let (name, _) = channels.iter().find(|(key, spec)| is_meant(key, spec))?;
    Some(format!("channels.{name}"))
}

/// The column of a channel.
fn column<'a>(key: &'a str, spec: &'a Value) -> &'a str {
    spec.get("column").and_then(Value::as_str).unwrap_or(key)
}

/// The option of `[data]` that names a column.
fn named_by_data(text: &str, column: &str) -> Option<String> {
    let document = toml::Table::from_str(text).ok()?;
    let data = document.get("data")?;
    let names_it = |value: &Value| match value {
        Value::String(name) => name == column,
        Value::Array(names) => names.iter().any(|name| name.as_str() == Some(column)),
        Value::Table(of) => of.get("column").and_then(Value::as_str) == Some(column),
        _ => false,
    };
    let named = ["time", "trajectory"].into_iter().find(|key| data.get(key).is_some_and(names_it));
    named.map(|key| format!("data.{key}"))
}

#[cfg(test)]
mod tests {
    use gradbody_data::DataError;

    use crate::ExperimentError;

    const TEXT: &str = "[data]\nfiles = 'a.csv'\ntime = 't'\n[channels]\na = { unit = 'dag' }\nb = { column = 'c' }\n";

    #[test]
    fn an_error_of_data_has_the_line_of_what_names_it() {
        let told = |error: DataError| ExperimentError::Data(error).in_file(TEXT, "x.toml");
        let column = |name: &str| DataError::NoColumn {
            file: "a.csv".into(),
            name: name.into(),
            hint: String::new(),
        };
        assert_eq!(told(column("c")), "x.toml:6: channels.b: a.csv: no column \"c\"");
        assert_eq!(told(column("a")), "x.toml:5: channels.a: a.csv: no column \"a\"");
        assert_eq!(told(column("t")), "x.toml:3: data.time: a.csv: no column \"t\"");
        let unit = DataError::UnknownUnit { name: "dag".into(), hint: String::new() };
        assert_eq!(told(unit), "x.toml:5: channels.a: unknown unit \"dag\"");
        let option = DataError::Options("channel \"b\": scale must be finite".into());
        assert!(told(option).starts_with("x.toml:6: channels.b: "));
        let none = DataError::NoMatch { pattern: "a*".into() };
        assert_eq!(told(none), "x.toml:2: data: a*: no file matches this pattern");
        assert_eq!(
            told(DataError::Empty { file: "a.csv".into() }),
            "x.toml:1: data: a.csv: empty: it has no rows of numbers"
        );
    }
}

//! Explains an error in the text of an experiment in one line: where it is, and what to write instead.

use gradbody_math::names::did_you_mean;

/// `arm.toml:12: [objective] windo = 5: unknown key "windo"; did you mean "window"?`
pub(super) fn explain(error: &toml::de::Error, text: &str, file: &str) -> String {
    let message = plain(error.message());
    let Some(span) = error.span() else { return format!("{file}: {message}") };
    let before = text.get(..span.start).unwrap_or(text);
    let line = 1 + before.matches('\n').count();
    let whole = text.lines().nth(line - 1).unwrap_or("").trim();
    let table = text.lines().take(line).filter_map(header).last();
    match table {
        // A key that is missing from the file is nowhere in it.
        _ if whole.is_empty() || whole.starts_with('#') => format!("{file}: {message}"),
        _ if whole.contains(char::is_control) => {
            format!("{file}:{line}: {message}; this line is not text")
        }
        Some(table) if header(whole).is_none() => {
            format!("{file}:{line}: [{table}] {whole}: {message}")
        }
        _ => format!("{file}:{line}: {whole}: {message}"),
    }
}

/// Other spellings of a method, which lists of names leave out.
const SPELLINGS: [&str; 2] = ["l-bfgs", "l-bfgs-b"];

/// Each name once.
fn known(names: Vec<String>) -> Vec<String> {
    names.into_iter().filter(|name| !SPELLINGS.contains(&name.as_str())).collect()
}

/// The name of the table that a line begins, if it begins one.
fn header(line: &str) -> Option<&str> {
    let inside = line.trim().strip_prefix('[')?;
    let (name, _) = inside.trim_start_matches('[').split_once(']')?;
    Some(name.trim())
}

/// Serde's messages in words for people who write TOML and not Rust.
fn plain(message: &str) -> String {
    let message = message.trim().replace('\n', "; ");
    let names = |list: &str| -> Vec<String> {
        list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    for (serde, ours) in [("unknown field `", "unknown key"), ("unknown variant `", "unknown name")]
    {
        let Some((given, rest)) = message.strip_prefix(serde).and_then(|m| m.split_once('`'))
        else {
            continue;
        };
        let known = known(names(rest));
        let hint = did_you_mean(given, known.iter().map(String::as_str));
        return match (hint.is_empty(), known.is_empty()) {
            (false, _) => format!("{ours} \"{given}\"{hint}"),
            (true, false) => format!("{ours} \"{given}\"; known are {}", known.join(", ")),
            (true, true) => format!("{ours} \"{given}\""),
        };
    }
    if let Some(key) = message.strip_prefix("missing field `").and_then(|m| m.strip_suffix('`')) {
        return format!("the key \"{key}\" is missing");
    }
    let message = message
        .replace("invalid type: ", "")
        .replace("expected f64", "expected a number")
        .replace("expected usize", "expected a whole number that is not negative")
        .replace("expected u64", "expected a whole number that is not negative")
        .replace("expected a sequence", "expected a list")
        .replace("expected a map", "expected a table")
        .replace("expected struct ModelOptions", "expected a table such as [model]")
        .replace("expected a tuple of size", "expected a list of length")
        .replace("expected an array of length", "expected a list of length")
        .replace("floating point", "number");
    match message.split_once("expected struct ") {
        Some((before, _)) => format!("{before}expected a table"),
        None => message,
    }
}

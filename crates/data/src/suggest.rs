//! "Did you mean": the known name nearest to one that is not known.

/// Below this likeness, from 0 to 1, a suggestion would only confuse.
const ALIKE: f64 = 0.6;

/// `; did you mean "knee"?`, or nothing if no name is alike.
pub fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let likeness = |name: &str| strsim::normalized_damerau_levenshtein(given, name);
    known
        .into_iter()
        .map(|name| (likeness(name), name))
        .filter(|(likeness, _)| *likeness > ALIKE)
        // Of names as near, the first.
        .min_by(|a, b| b.0.total_cmp(&a.0))
        .map_or(String::new(), |(_, name)| format!("; did you mean \"{name}\"?"))
}

/// The names joined by commas, the end of a long list left out.
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const HEAD: usize = 16;
    let names: Vec<&str> = names.into_iter().collect();
    match names.len() {
        0..=HEAD => names.join(", "),
        n => format!("{}, … ({} more)", names[..HEAD].join(", "), n - HEAD),
    }
}

//! Names that people write: patterns of them, and what was meant by one that is not known.
//!
//! Every crate that gives its quantities names depends on this one, so that one rule holds for paths of parameters,
//! columns and files. In blueprints `*` captures the name of a joint or link: see [`captures`].

/// Below this likeness, from 0 to 1, a suggestion would only confuse.
const ALIKE: f64 = 0.6;
/// Longer names are not compared [bytes]: likeness takes time and memory in proportion to the product of the lengths.
const LONGEST: usize = 200;
/// Names of a list that are shown.
const SHOWN: usize = 16;

/// Whether a name is one that a pattern stands for: `*` is any characters or none, `?` any one character.
///
/// ```
/// use gradbody_math::names::matches;
///
/// assert!(matches("link/*/mass", "link/trunk/mass"));
/// assert!(!matches("link/*/mass", "link/trunk/com/x"));
/// ```
pub fn matches(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern.chars(), name.chars());
    // The pattern after the last star, and the part of the name that the star does not take.
    let mut retry = None;
    loop {
        let (mut pattern_rest, mut name_rest) = (pattern.clone(), name.clone());
        match (pattern_rest.next(), name_rest.next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                pattern = pattern_rest;
                retry = Some((pattern.clone(), name.clone()));
            }
            (Some(p), Some(c)) if p == '?' || p == c => (pattern, name) = (pattern_rest, name_rest),
            _ => {
                // The star takes one character more.
                let Some((after_star, rest)) = &mut retry else { return false };
                if rest.next().is_none() {
                    return false;
                }
                (pattern, name) = (after_star.clone(), rest.clone());
            }
        }
    }
}

/// Whether a name is a pattern.
pub fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// What the star of a pattern can stand for, at least one character, in a name that is the pattern or begins with it and
/// a slash after it. Several answers are possible, as names may have slashes.
pub fn captures<'a>(pattern: &str, name: &'a str) -> Vec<&'a str> {
    let Some((before, after)) = pattern.split_once('*') else { return Vec::new() };
    let Some(rest) = name.strip_prefix(before) else { return Vec::new() };
    let ends = |tail: &str| tail.is_empty() || tail.starts_with('/');
    rest.match_indices(after)
        .filter(|(at, _)| *at > 0 && ends(&rest[at + after.len()..]))
        .map(|(at, _)| &rest[..at])
        .collect()
}

/// The known name that is most like a given one, the first of several; nothing if none is alike.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .filter(|name| name.len() <= LONGEST && given.len() <= LONGEST)
        .map(|name| (strsim::normalized_damerau_levenshtein(given, name), name))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .min_by(|a, b| b.0.total_cmp(&a.0))
        .map(|(_, name)| name)
}

/// `did you mean "knee"?`
pub fn question(name: &str) -> String {
    format!("did you mean \"{name}\"?")
}

/// The end of a sentence that says that a name is not known: `; did you mean "knee"?`, or nothing if no name is alike.
pub fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    hint(nearest(given, known))
}

/// `; did you mean "knee"?`, or nothing.
pub fn hint(name: Option<&str>) -> String {
    name.map_or(String::new(), |name| format!("; {}", question(name)))
}

/// The names joined by commas, the end of a long list left out.
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    list_at_most(SHOWN, names)
}

/// So many of the names joined by commas, and how many more there are.
pub fn list_at_most<'a>(most: usize, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.get(..most).filter(|head| head.len() < names.len()) {
        Some(head) => format!("{}, … ({} more)", head.join(", "), names.len() - most),
        None => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_run_and_a_question_mark_one_character() {
        for (pattern, name, expected) in [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("*", "link/trunk", true),
            ("?", "é", true),
            ("?", "", false),
            ("a?c", "abc", true),
            ("a*c", "ac", true),
            ("a*bc", "abbbc", true),
            ("a*bc", "abbbcd", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b", "ba", false),
            ("link/*/mass", "link/é/mass", true),
            ("link/*/mass", "link/a/b/mass", true),
            ("link/*/mass", "link/*/mass", true),
            ("link/trunk", "link/trunk/mass", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} and {name}");
        }
    }

    #[test]
    fn captures_are_all_that_a_star_can_stand_for() {
        assert_eq!(captures("joint/*/q", "joint/knee/q"), ["knee"]);
        assert_eq!(captures("joint/*/q", "joint/knee/q/x"), ["knee"]);
        assert_eq!(captures("joint/*/q", "joint/a/q/b/q"), ["a", "a/q/b"]);
        assert!(captures("joint/*/q", "joint/knee/qdd").is_empty());
        assert!(captures("joint/knee/q", "joint/knee/q").is_empty());
    }

    #[test]
    fn the_nearest_name_is_suggested_if_it_is_alike() {
        assert_eq!(did_you_mean("kne", ["hip", "knee", "ankle"]), "; did you mean \"knee\"?");
        assert_eq!(nearest("leg3", ["leg1", "leg2"]), Some("leg1"));
        assert_eq!(did_you_mean("elbow", ["hip", "knee"]), "");
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(nearest(&long, [long.as_str()]), None);
    }

    #[test]
    fn the_end_of_a_long_list_is_left_out() {
        assert_eq!(list_at_most(3, ["a", "b", "c"]), "a, b, c");
        assert_eq!(list_at_most(2, ["a", "b", "c"]), "a, b, … (1 more)");
        assert_eq!(list([]), "");
    }
}

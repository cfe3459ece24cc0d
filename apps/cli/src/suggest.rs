//! What to say when a name is not known.

pub(crate) use gradbody::learn::data::suggest::did_you_mean;

/// The names joined by commas, the middle of a long list left out.
pub(crate) fn list(names: &[String]) -> String {
    const HEAD: usize = 24;
    match names.len() {
        0..=HEAD => names.join(", "),
        n => format!("{}, … ({} more)", names[..HEAD].join(", "), n - HEAD),
    }
}

//! Seeds of random numbers, on the command line.

/// A seed.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "a seed is a whole number that is not negative".to_owned())
}

//! Hints for unknown names.

use gradbody::math::names;
pub(crate) use names::did_you_mean;

/// Largest number of names shown in a list.
const SHOWN: usize = 24;

/// The names joined by commas; a long list is cut short.
pub(crate) fn list(names: &[String]) -> String {
    names::list_at_most(SHOWN, names.iter().map(String::as_str))
}

//! Published data sets: their folders, files and contents.
//!
//! Each loader takes the folder of its set. [`folder`] finds it in the folder of all sets.

pub mod contactnets_cube;
pub mod ibm_double_pendulum;
pub mod mcube_push;
pub mod multiarm_pendulum;

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::ChannelOptions;

/// The environment variable with the folder of all sets.
pub const VARIABLE: &str = "GRADBODY_DATA";

/// The folder of a set: in the folder given by the variable, otherwise in `data` of the current folder.
pub fn folder(set: &str) -> PathBuf {
    let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty());
    named.map_or_else(|| PathBuf::from("data"), PathBuf::from).join(set)
}

/// Channels that have the names of their columns.
fn channels<const N: usize>(units: [(&str, &str); N]) -> Option<BTreeMap<String, ChannelOptions>> {
    let channel = |(name, unit): (&str, &str)| (name.to_owned(), ChannelOptions::of_unit(unit));
    Some(units.into_iter().map(channel).collect())
}

//! Buffers of pairs that search for their touching features.

use std::fmt;

use super::FAR;
use super::clip::Clipper;
use super::place::Found;
use super::search::Search;

/// What a search for features needs, kept so that a step allocates nothing.
pub struct Scratch {
    /// Places with a larger gap need not be found [m]. Shapes farther apart than this are passed
    /// over quickly.
    pub reach: f64,
    pub(super) search: Search,
    pub(super) clipper: Clipper,
    /// The places of each world.
    pub(super) found: Vec<Vec<Found>>,
    /// Vertices by number.
    pub(super) vertices: Vec<u32>,
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch {
            reach: FAR,
            search: Search::default(),
            clipper: Clipper::default(),
            found: Vec::new(),
            vertices: Vec::new(),
        }
    }
}

impl Clone for Scratch {
    /// Buffers of its own, which are empty.
    fn clone(&self) -> Self {
        Scratch { reach: self.reach, ..Scratch::default() }
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").field("reach", &self.reach).finish_non_exhaustive()
    }
}

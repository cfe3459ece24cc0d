//! Buffers of pairs that search for their touching features.

use std::fmt;

use gradbody_math::Scalar;

use super::FAR;
use super::clip::Clipper;
use super::place::Found;
use super::search::Search;

/// What a search for features needs, kept so that a step allocates nothing.
pub struct Scratch {
    /// Of each world [m]; see [`Scratch::set_reach`].
    reach: Vec<f64>,
    pub(super) search: Search,
    pub(super) clipper: Clipper,
    /// The places of each world.
    pub(super) found: Vec<Vec<Found>>,
    /// Vertices by number.
    pub(super) vertices: Vec<u32>,
}

impl Scratch {
    /// Shapes farther apart than this [m] are passed over quickly, each world by its own number. At
    /// first nothing is.
    pub fn set_reach<S: Scalar>(&mut self, reach: S) {
        self.reach.clear();
        self.reach.extend((0..S::LANES).map(|lane| reach.lane(lane)));
    }

    /// The reach of one world [m].
    pub(super) fn reach(&self, lane: usize) -> f64 {
        self.reach.get(lane).copied().unwrap_or(FAR)
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch {
            // Room for as many worlds as run together.
            reach: Vec::with_capacity(16),
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
        Scratch { reach: self.reach.clone(), ..Scratch::default() }
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").field("reach", &self.reach).finish_non_exhaustive()
    }
}

//! Buffers of pairs that search for touching features.

use std::fmt;

use gradbody_math::Scalar;

use super::FAR;
use super::clip::Clipper;
use super::place::Found;
use super::search::Search;

/// Buffers of the search for features, kept so that a step does not allocate.
pub struct Scratch {
    /// The reach in each world [m]; see [`Scratch::set_reach`].
    reach: Vec<f64>,
    pub(super) search: Search,
    pub(super) clipper: Clipper,
    /// The places of each world.
    pub(super) found: Vec<Vec<Found>>,
    /// Indices of vertices.
    pub(super) vertices: Vec<u32>,
}

impl Scratch {
    /// Sets the distance beyond which shapes are skipped early [m], for each world. Initially nothing is skipped.
    #[inline(always)]
    pub fn set_reach<S: Scalar>(&mut self, reach: S) {
        self.reach.clear();
        for lane in 0..S::LANES {
            self.reach.push(reach.lane(lane));
        }
    }

    /// The reach of one world [m].
    pub(super) fn reach(&self, lane: usize) -> f64 {
        self.reach.get(lane).copied().unwrap_or(FAR)
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch {
            // Room for the worlds that run together.
            reach: Vec::with_capacity(16),
            search: Search::default(),
            clipper: Clipper::default(),
            found: Vec::new(),
            vertices: Vec::new(),
        }
    }
}

impl Clone for Scratch {
    /// The clone gets its own, empty buffers.
    fn clone(&self) -> Self {
        Scratch { reach: self.reach.clone(), ..Scratch::default() }
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").field("reach", &self.reach).finish_non_exhaustive()
    }
}

//! What a region or a loop changes: [`Scalar::when`] and [`Scalar::repeat`].
//!
//! Floats, duals and lanes run a loop as it stands. A recorder runs its body once: it must know which
//! numbers the body takes from the round before, and puts a variable of the loop in the place of each.
//! So a loop hands its numbers over as something [`Carried`], mostly a small struct that borrows them.

use crate::{Scalar, Vec3};

/// Numbers that a region or a loop changes.
pub trait Carried<S> {
    /// Visits each of them; at each call the same ones in the same order.
    fn each(&mut self, visit: &mut dyn FnMut(&mut S));
}

/// How often a loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// The most rounds.
    pub most: u32,
    /// Round `k` and round `k + period` do the same to what is carried; a recorder records rounds 0 to
    /// `period` − 1.
    pub period: u32,
}

impl<S: Scalar> Carried<S> for S {
    fn each(&mut self, visit: &mut dyn FnMut(&mut S)) {
        visit(self);
    }
}

impl<S: Scalar> Carried<S> for Vec3<S> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut S)) {
        [&mut self.x, &mut self.y, &mut self.z].into_iter().for_each(visit);
    }
}

impl<S: Scalar> Carried<S> for Vec<S> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut S)) {
        self.iter_mut().for_each(visit);
    }
}

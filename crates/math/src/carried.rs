//! The numbers that a region or a loop changes, for [`Scalar::when`] and [`Scalar::repeat`].
//!
//! Floats, duals and lanes run a loop directly. A recorder runs its body once: it must know which numbers the body
//! takes from the previous round, and replaces each by a variable of the loop. So a loop passes its numbers as
//! something [`Carried`], usually a small struct that borrows them.

use crate::{Scalar, Vec3};

/// Numbers that a region or a loop changes.
pub trait Carried<S> {
    /// Visits each number; every call visits the same ones in the same order.
    fn each(&mut self, visit: &mut dyn FnMut(&mut S));
}

/// Limits of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// Maximum number of rounds.
    pub most: u32,
    /// Rounds `k` and `k + period` do the same with the carried numbers; a recorder records rounds 0 to `period` − 1.
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

//! All impulses of a problem at once: copied, put back, and u computed from them again.

use gradbody_math::{Scalar, Vec3};

use super::Problem;

impl<S: Scalar> Problem<S> {
    /// Copies all impulses into a list.
    #[inline(always)]
    pub(crate) fn copy_impulses(&mut self, to: &mut Vec<S>) {
        to.clear();
        self.for_impulses(
            #[inline(always)]
            |x| to.push(*x),
        );
    }

    /// Copies all impulses into a list made by [`copy_impulses`](Problem::copy_impulses), in the lanes of the mask.
    #[inline(always)]
    pub(crate) fn keep_impulses(&mut self, to: &mut [S], mask: S) {
        let mut to = to.iter_mut();
        self.for_impulses(
            #[inline(always)]
            |x| {
                if let Some(to) = to.next() {
                    *to = S::ZERO.select_lt(mask, *x, *to);
                }
            },
        );
    }

    /// Puts impulses from such a list back, in the lanes of the mask.
    #[inline(always)]
    pub(crate) fn set_impulses(&mut self, from: &[S], mask: S) {
        let mut from = from.iter();
        self.for_impulses(
            #[inline(always)]
            |x| {
                if let Some(from) = from.next() {
                    *x = S::ZERO.select_lt(mask, *from, *x);
                }
            },
        );
        self.sum_impulses(mask);
    }

    /// Computes u = Gᵀ λ again in the lanes of the mask, so that it has no rounding of earlier impulses.
    #[inline(always)]
    pub(crate) fn sum_impulses(&mut self, mask: S) {
        let mut u = std::mem::take(&mut self.u);
        for u in &mut u {
            *u = S::ZERO.select_lt(mask, S::ZERO, *u);
        }
        for (i, rows) in self.contacts.iter().enumerate() {
            self.contact_spread(i, masked_triple(rows.impulse, mask), &mut u);
            if let Some(turning) = &rows.turning {
                self.turning_spread(i, masked_triple(turning.impulse, mask), &mut u);
            }
        }
        for (i, row) in self.joints.iter().enumerate() {
            self.single_spread(i, masked(row.impulse, mask), &mut u);
        }
        self.u = u;
    }

    /// Makes constants of all impulses, in the lanes that are live, and gives u its derivatives then; `before` is a buffer.
    #[inline(always)]
    pub(crate) fn stop_derivatives(&mut self, before: &mut Vec<S>) {
        let live = self.live;
        self.for_impulses(
            #[inline(always)]
            |x| *x = S::ZERO.select_lt(live, x.constant(), *x),
        );
        self.sum_derivatives(before);
    }

    /// Gives u the derivatives of Gᵀ λ in the lanes that are live, and keeps its values; `before` is a buffer.
    #[inline(always)]
    pub(crate) fn sum_derivatives(&mut self, before: &mut Vec<S>) {
        before.clear();
        before.extend_from_slice(&self.u);
        self.sum_impulses(self.live);
        for (u, before) in self.u.iter_mut().zip(before.iter()) {
            // Subtracting a positive zero keeps the sign of a zero.
            let with = before.constant() - (u.constant() - *u);
            *u = S::ZERO.select_lt(self.live, with, *before);
        }
    }

    #[inline(always)]
    fn for_impulses(&mut self, mut visit: impl FnMut(&mut S)) {
        for rows in &mut self.contacts {
            let Vec3 { x, y, z } = &mut rows.impulse;
            visit(x);
            visit(y);
            visit(z);
            if let Some(turning) = &mut rows.turning {
                let Vec3 { x, y, z } = &mut turning.impulse;
                visit(x);
                visit(y);
                visit(z);
            }
        }
        for row in &mut self.joints {
            visit(&mut row.impulse);
        }
    }
}

/// Zero outside the lanes of the mask.
#[inline(always)]
fn masked<S: Scalar>(x: S, mask: S) -> S {
    S::ZERO.select_lt(mask, x, S::ZERO)
}

#[inline(always)]
fn masked_triple<S: Scalar>(x: Vec3<S>, mask: S) -> Vec3<S> {
    Vec3::new(masked(x.x, mask), masked(x.y, mask), masked(x.z, mask))
}

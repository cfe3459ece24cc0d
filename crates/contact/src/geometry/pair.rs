//! Two solids, and their separation along a direction.

use gradbody_math::{Mat3, Scalar, Transform, Vec3};

use super::Placed;
use super::solid::Solid;

/// Two solids in the frame of the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'a> {
    pub(super) a: Solid<'a>,
    pub(super) b: Solid<'a>,
    /// The smaller of their extents, but not zero: the length scale of the pair [m].
    pub(super) length: f64,
}

impl<'a> Pair<'a> {
    /// Two pieces in one world; `None` if their numbers cannot be used.
    #[inline(always)]
    pub(super) fn of<S: Scalar>(
        (a, piece_a): (&Placed<'a, S>, usize),
        (b, piece_b): (&Placed<'a, S>, usize),
        lane: usize,
    ) -> Option<Pair<'a>> {
        let mut pose_ab = in_world(&a.pose_w, lane).inverse() * in_world(&b.pose_w, lane);
        pose_ab.rot = orthonormal(pose_ab.rot);
        let a = Solid::of(a, piece_a, lane, Transform::IDENTITY)?;
        let b = Solid::of(b, piece_b, lane, pose_ab)?;
        let smaller = a.extent().min(b.extent());
        let larger = a.extent().max(b.extent());
        // If one has no extent, use the other's; for two points, a metre.
        let length = if smaller > 1e-9 * larger { smaller } else { larger };
        Some(Pair { a, b, length: if length > 0.0 { length } else { 1.0 } })
    }

    /// The separation of the solids along the unit vector `n` from a to b [m]. Their distance (or minus their
    /// penetration) is the largest separation along any direction.
    #[inline(always)]
    pub(super) fn separation(&self, n: Vec3<f64>) -> f64 {
        let between = self.b.support_point(-n) - self.a.support_point(n);
        between.dot(n) - self.a.radius - self.b.radius
    }
}

/// The rotation nearest to a rounded matrix, such as one in single precision.
#[inline(always)]
fn orthonormal(rot: Mat3<f64>) -> Mat3<f64> {
    let [x, y, _] = rot.cols;
    let x = x.normalized_or(Vec3::X);
    let y = x.neg_scale_add(x.dot(y), y).normalized_or(Vec3::Y);
    Mat3::from_cols(x, y, x.cross(y))
}

/// A pose in one world.
#[inline(always)]
pub(super) fn in_world<S: Scalar>(pose: &Transform<S>, lane: usize) -> Transform<f64> {
    let vector = |v: Vec3<S>| v.map(|x| x.lane(lane));
    let mut out = Transform::IDENTITY;
    for (col, from) in out.rot.cols.iter_mut().zip(pose.rot.cols) {
        *col = vector(from);
    }
    out.pos = vector(pose.pos);
    out
}

//! Prisms: flat regions of the xy plane, from z = −h to h. A cylinder is the prism of a disc, an
//! extrusion that of a polygon.

use gradbody_math::{Scalar, Vec3};

use super::ball::Clearance;

/// How far a point of the xy plane is from the border of a flat region.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlatClearance<S> {
    /// Distance to the border; negative inside [m].
    pub(super) distance: S,
    /// Unit vector in the xy plane (its z is zero) outwards: the gradient of the distance.
    pub(super) outward_b: Vec3<S>,
}

/// How far a point at height `z` is from a prism, given how far it is from the region in the plane:
/// outside from the nearest place of side, cap or rim; inside from the nearer of side and cap.
#[inline(always)]
pub(super) fn prism_clearance<S: Scalar>(
    flat: FlatClearance<S>,
    z: S,
    half_height: S,
) -> Clearance<S> {
    let upward = z.select_lt(S::ZERO, -S::ONE, S::ONE);
    let from_side = flat.distance;
    let from_cap = z * upward - half_height;
    // In the plane through the point that is at right angles to the border: x is away from the
    // region, z away from the cap. The excess is zero inside.
    let excess = Vec3::new(S::ZERO.max(from_side), S::ZERO, S::ZERO.max(from_cap));
    let inside = Vec3::new(
        from_cap.select_le(from_side, S::ONE, S::ZERO),
        S::ZERO,
        from_cap.select_le(from_side, S::ZERO, S::ONE),
    );
    let way_out = excess.normalized_or(inside);
    // One of the two terms is zero.
    let distance = excess.dot(way_out) + from_side.max(from_cap).min(S::ZERO);
    let Vec3 { x, y, .. } = flat.outward_b * way_out.x;
    Clearance { distance, outward_b: Vec3::new(x, y, way_out.z * upward) }
}

//! Prisms: flat regions of the xy plane, extended from z = −h to h. A cylinder is the prism of a disc, an extrusion
//! that of a polygon.

use gradbody_math::{Scalar, Vec3};

use super::ball::{Clearance, ClearanceCotangents, normalized_or_vjp};

/// The distance of a point of the xy plane from the border of a flat region.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlatClearance<S> {
    /// Distance to the border; negative inside [m].
    pub(super) distance: S,
    /// Unit vector outwards in the xy plane (its z is zero): the gradient of the distance.
    pub(super) outward_b: Vec3<S>,
}

/// The clearance of a point at height `z` from a prism, given its clearance from the region in the plane. Outside it is
/// to the nearest point of side, cap or rim; inside to the nearer of side and cap.
#[inline(always)]
pub(super) fn prism_clearance<S: Scalar>(
    flat: FlatClearance<S>,
    z: S,
    half_height: S,
) -> Clearance<S> {
    let upward = z.select_lt(S::ZERO, -S::ONE, S::ONE);
    let from_side = flat.distance;
    let from_cap = z * upward - half_height;
    // In the plane through the point perpendicular to the border: x points away from the region, z away from the cap.
    // The excess is zero inside.
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

/// Cotangents of the arguments of [`prism_clearance`].
#[derive(Clone, Copy, Debug)]
pub(super) struct PrismCotangents<S> {
    pub(super) flat: ClearanceCotangents<S>,
    pub(super) z: S,
    pub(super) half_height: S,
}

/// Adjoint of [`prism_clearance`].
#[inline(always)]
pub(super) fn prism_clearance_vjp<S: Scalar>(
    flat: FlatClearance<S>,
    z: S,
    half_height: S,
    bar: ClearanceCotangents<S>,
) -> PrismCotangents<S> {
    let upward = z.select_lt(S::ZERO, -S::ONE, S::ONE);
    let from_side = flat.distance;
    let from_cap = z * upward - half_height;
    let excess = Vec3::new(S::ZERO.max(from_side), S::ZERO, S::ZERO.max(from_cap));
    let inside = Vec3::new(
        from_cap.select_le(from_side, S::ONE, S::ZERO),
        S::ZERO,
        from_cap.select_le(from_side, S::ZERO, S::ONE),
    );
    let way_out = excess.normalized_or(inside);

    // Where side or cap alone decides, outside or inside, the outward direction is constant.
    let Vec3 { x, y, z: up_bar } = bar.outward_b;
    let side_bar = x.mul_add(flat.outward_b.x, y * flat.outward_b.y);
    let way_bar = Vec3::new(side_bar, S::ZERO, up_bar * upward);
    let (excess_bar, _) = normalized_or_vjp(excess, excess.scale_add(bar.distance, way_bar));
    let excess_bar = way_out.scale_add(bar.distance, excess_bar);

    let inside_bar = from_side.max(from_cap).select_le(S::ZERO, bar.distance, S::ZERO);
    let side_bar = from_side.select_le(S::ZERO, S::ZERO, excess_bar.x)
        + from_cap.select_le(from_side, inside_bar, S::ZERO);
    let cap_bar = from_cap.select_le(S::ZERO, S::ZERO, excess_bar.z)
        + from_cap.select_le(from_side, S::ZERO, inside_bar);
    let outward_b = Vec3::new(x * way_out.x, y * way_out.x, S::ZERO);
    PrismCotangents {
        flat: ClearanceCotangents { distance: side_bar, outward_b },
        z: cap_bar * upward,
        half_height: -cap_bar,
    }
}

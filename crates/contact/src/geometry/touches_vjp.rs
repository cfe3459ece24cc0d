//! The adjoint of [`super::touches`]: from touches to poses and sizes.
//!
//! It differentiates what the forward pass computes, in the branches that it took. The cotangent of a shape's pose acts
//! like a force on the shape and a moment about its origin. A cotangent of a point fixed in the shape, at a lever from
//! its origin, adds lever × cotangent to the moment. For a point fixed elsewhere but expressed in the shape's frame,
//! both have the opposite sign.

use gradbody_math::Scalar;
use gradbody_model::ShapeKind;

use super::box_plane::box_plane_vjp;
use super::capsule_capsule::capsule_capsule_vjp;
use super::capsule_plane::capsule_plane_vjp;
use super::convex::convex_vjp;
use super::cylinder_plane::cylinder_plane_vjp;
use super::ellipsoid_plane::ellipsoid_plane_vjp;
use super::extrusion_plane::extrusion_plane_vjp;
use super::mesh_plane::mesh_plane_vjp;
use super::points::points_solid_vjp;
use super::sphere_box::sphere_box_vjp;
use super::sphere_capsule::sphere_capsule_vjp;
use super::sphere_cylinder::sphere_cylinder_vjp;
use super::sphere_extrusion::sphere_extrusion_vjp;
use super::sphere_plane::sphere_plane_vjp;
use super::sphere_sphere::sphere_sphere_vjp;
use super::{Placed, PlacedCotangents, Scratch, TouchCotangents, are_swapped, slots};

/// Takes the cotangents of touches back to poses and sizes; adds to `a_bar` and `b_bar`. `bars` has one entry for each
/// of the [`slots`], as [`touches`](super::touches) gives them at the same poses.
///
/// Features are searched for again: `scratch` must have the same reach as in the forward pass ([`Scratch::set_reach`]).
/// The cotangents of absent touches are ignored.
#[inline(always)]
pub fn touches_vjp<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    scratch: &mut Scratch,
    bars: &[TouchCotangents<S>],
    a_bar: &mut PlacedCotangents<S>,
    b_bar: &mut PlacedCotangents<S>,
) {
    use ShapeKind::*;
    debug_assert_eq!(bars.len(), slots(a.kind, b.kind), "one cotangent for each touch");
    let bars = Bars { list: bars, swapped: false };
    // Each pair is a separate function; inlined together they would be too much code.
    macro_rules! pair {
        ($vjp:ident) => {
            |a, b, _, bars, a_bar, b_bar| {
                S::vectorised(
                    #[inline(always)]
                    || $vjp(a, b, bars, a_bar, b_bar),
                );
            }
        };
        (searched $vjp:ident) => {
            |a, b, scratch, bars, a_bar, b_bar| {
                S::vectorised(
                    #[inline(always)]
                    || $vjp(a, b, scratch, bars, a_bar, b_bar),
                );
            }
        };
    }
    let swapped = are_swapped(a.kind, b.kind);
    let (first, second) = if swapped { (b, a) } else { (a, b) };
    let pair: PairVjp<S> = match (first.kind, second.kind) {
        (Sphere, Plane) => pair!(sphere_plane_vjp),
        (Ellipsoid, Plane) => pair!(ellipsoid_plane_vjp),
        (Capsule, Plane) => pair!(capsule_plane_vjp),
        (Cylinder, Plane) => pair!(cylinder_plane_vjp),
        (Box, Plane) => pair!(box_plane_vjp),
        (Extrusion(_), Plane) => pair!(extrusion_plane_vjp),

        (Sphere, Sphere) => pair!(sphere_sphere_vjp),
        (Sphere, Capsule) => pair!(sphere_capsule_vjp),
        (Sphere, Cylinder) => pair!(sphere_cylinder_vjp),
        (Sphere, Box) => pair!(sphere_box_vjp),
        (Sphere, Extrusion(_)) => pair!(sphere_extrusion_vjp),
        (Capsule, Capsule) => pair!(capsule_capsule_vjp),

        (Points(_), _) => pair!(points_solid_vjp),
        (Mesh(_), Plane) => pair!(searched mesh_plane_vjp),
        _ => pair!(searched convex_vjp),
    };
    if swapped {
        pair(b, a, scratch, bars.swapped(), b_bar, a_bar);
    } else {
        pair(a, b, scratch, bars, a_bar, b_bar);
    }
}

/// The adjoint of one pair.
type PairVjp<S> = fn(
    &Placed<'_, S>,
    &Placed<'_, S>,
    &mut Scratch,
    Bars<'_, S>,
    &mut PlacedCotangents<S>,
    &mut PlacedCotangents<S>,
);

/// The cotangents of a pair's touches. The function of the pair may take its shapes in the opposite order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bars<'a, S> {
    list: &'a [TouchCotangents<S>],
    swapped: bool,
}

impl<S: Scalar> Bars<'_, S> {
    /// With a and b exchanged.
    #[inline(always)]
    fn swapped(self) -> Self {
        Bars { swapped: !self.swapped, ..self }
    }

    /// The cotangents of touch number `k`.
    #[inline(always)]
    pub(super) fn at(&self, k: usize) -> TouchCotangents<S> {
        if self.swapped { self.list[k].swapped() } else { self.list[k] }
    }

    /// Whether all cotangents are zero in all lanes.
    #[inline(always)]
    pub(super) fn are_zero(&self) -> bool {
        self.list.iter().all(TouchCotangents::is_zero)
    }
}

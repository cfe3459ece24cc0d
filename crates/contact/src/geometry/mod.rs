//! Touches of pairs of shapes, one file for each pair.
//!
//! [`touches`] gives the points where two shapes touch or are nearest. Their number is fixed for each pair of shapes
//! ([`slots`]); a touch that is absent has the gap [`FAR`]. Between changes of the touching features, everything is a
//! smooth function of poses and sizes.
//!
//! In closed forms each touch has an identity: it is the same corner, end or point of a shape from step to step. For
//! pairs that search for features (`convex.rs`, and a mesh on a plane) the order is only as stable as the features
//! found. Touches keep their numbers while the same features touch, even if bodies vibrate, but all numbers may change
//! when a feature appears or disappears. Code that identifies touches by number must survive that.

mod ball;
mod bounds;
mod box_axes;
mod box_plane;
mod capsule_capsule;
mod capsule_plane;
mod clip;
mod convex;
mod cylinder_plane;
mod ellipsoid_plane;
mod extrusion_plane;
mod features;
mod manifold;
mod mesh_plane;
mod outline_clearance;
mod pair;
mod place;
mod points;
mod prism;
mod scratch;
mod search;
mod solid;
mod sphere_box;
mod sphere_capsule;
mod sphere_cylinder;
mod sphere_extrusion;
mod sphere_plane;
mod sphere_sphere;
mod tangent;
mod touch;
mod touches_vjp;

use gradbody_math::Scalar;
use gradbody_model::ShapeKind;

pub use bounds::bounding_radius;
pub use scratch::Scratch;
pub use touch::{FAR, Placed, PlacedCotangents, Touch, TouchCotangents};
pub use touches_vjp::touches_vjp;

use box_plane::box_plane;
use capsule_capsule::capsule_capsule;
use capsule_plane::capsule_plane;
use convex::{convex, convex_slots};
use cylinder_plane::cylinder_plane;
use ellipsoid_plane::ellipsoid_plane;
use extrusion_plane::extrusion_plane;
use mesh_plane::mesh_plane;
use points::points_solid;
use sphere_box::sphere_box;
use sphere_capsule::sphere_capsule;
use sphere_cylinder::sphere_cylinder;
use sphere_extrusion::sphere_extrusion;
use sphere_plane::sphere_plane;
use sphere_sphere::sphere_sphere;

/// The number of touches of a pair of shapes; 0 if such shapes never touch.
pub fn slots(a: &ShapeKind, b: &ShapeKind) -> usize {
    use ShapeKind::*;
    match (a, b) {
        (Sphere | Ellipsoid, Plane) | (Plane, Sphere | Ellipsoid) => 1,
        (Capsule, Plane) | (Plane, Capsule) => 2,
        (Cylinder, Plane) | (Plane, Cylinder) => cylinder_plane::RIM_POINTS,
        (Box, Plane) | (Plane, Box) => box_plane::CORNERS,
        (Extrusion(outline), Plane) | (Plane, Extrusion(outline)) => 2 * outline.corners.len(),

        (Sphere, Sphere | Capsule | Cylinder | Box) | (Capsule | Cylinder | Box, Sphere) => 1,
        (Sphere, Extrusion(outline)) | (Extrusion(outline), Sphere) => outline.pieces.len(),
        (Capsule, Capsule) => 2,

        (Points(points), Plane | Sphere | Capsule | Cylinder | Box | Extrusion(_)) => points.len(),
        (Plane | Sphere | Capsule | Cylinder | Box | Extrusion(_), Points(points)) => points.len(),

        (Mesh(mesh), Plane) | (Plane, Mesh(mesh)) => match mesh.hull {
            Some(_) => mesh_plane::MESH_POINTS,
            None => 0,
        },
        _ => convex_slots(a, b),
    }
}

/// Adds the touches of `a` and `b` to `out`: [`slots`] of them.
#[inline(always)]
pub fn touches<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    scratch: &mut Scratch,
    out: &mut Vec<Touch<S>>,
) {
    use ShapeKind::*;
    // Each pair except the most common is a separate function; inlined together they would be too much code.
    macro_rules! pair {
        ($touches:ident) => {
            |a, b, _, out| {
                S::vectorised(
                    #[inline(always)]
                    || $touches(a, b, out),
                );
            }
        };
        (searched $touches:ident) => {
            |a, b, scratch, out| {
                S::vectorised(
                    #[inline(always)]
                    || $touches(a, b, scratch, out),
                );
            }
        };
    }
    let start = out.len();
    let swapped = are_swapped(a.kind, b.kind);
    let (first, second) = if swapped { (b, a) } else { (a, b) };
    let pair: Pair<S> = match (first.kind, second.kind) {
        (Sphere, Plane) => {
            sphere_plane(first, second, out);
            if swapped {
                out[start] = out[start].swapped();
            }
            return;
        }
        (Ellipsoid, Plane) => pair!(ellipsoid_plane),
        (Capsule, Plane) => pair!(capsule_plane),
        (Cylinder, Plane) => pair!(cylinder_plane),
        (Box, Plane) => pair!(box_plane),
        (Extrusion(_), Plane) => pair!(extrusion_plane),

        (Sphere, Sphere) => pair!(sphere_sphere),
        (Sphere, Capsule) => pair!(sphere_capsule),
        (Sphere, Cylinder) => pair!(sphere_cylinder),
        (Sphere, Box) => pair!(sphere_box),
        (Sphere, Extrusion(_)) => pair!(sphere_extrusion),
        (Capsule, Capsule) => pair!(capsule_capsule),

        (Points(_), _) => pair!(points_solid),
        (Mesh(_), Plane) => pair!(searched mesh_plane),
        _ => pair!(searched convex),
    };
    pair(first, second, scratch, out);
    if swapped {
        out[start..].iter_mut().for_each(|touch| *touch = touch.swapped());
    }
}

/// Whether the function of a pair takes the second shape first.
#[inline(always)]
fn are_swapped(a: &ShapeKind, b: &ShapeKind) -> bool {
    use ShapeKind::*;
    match (a, b) {
        (Points(_), _) => false,
        (_, Points(_)) => true,
        (Plane, Sphere | Ellipsoid | Capsule | Cylinder | Box | Extrusion(_) | Mesh(_)) => true,
        (Capsule | Cylinder | Box | Extrusion(_), Sphere) => true,
        _ => false,
    }
}

/// The touches of one pair.
type Pair<S> = fn(&Placed<'_, S>, &Placed<'_, S>, &mut Scratch, &mut Vec<Touch<S>>);

//! Pairs of shapes, a file a pair.
//!
//! [`touches`] gives the places where two shapes touch or are nearest: always the same number of
//! them for two shapes ([`slots`]). A place that is not there has the gap [`FAR`]. Everything is a
//! smooth function of the poses and sizes between changes of the touching features.
//!
//! Of the closed forms each place has an identity: it is the same corner, end or point of a shape from
//! step to step. Of pairs that are searched for features (`convex.rs`, and a mesh on a plane) the order
//! is only as stable as what is found: places keep their numbers while the same features touch, also
//! if bodies tremble, and may change them all when one feature is found more or less. What remembers
//! places by number must survive that.

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

use gradbody_math::Scalar;
use gradbody_model::ShapeKind;

pub use bounds::bounding_radius;
pub use scratch::Scratch;
pub use touch::{FAR, Placed, Touch};

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

/// How many places a pair of shapes has; 0 if such shapes never touch.
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

/// Adds the places where `a` and `b` touch to `out`: [`slots`] of them.
#[inline(always)]
pub fn touches<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    scratch: &mut Scratch,
    out: &mut Vec<Touch<S>>,
) {
    use ShapeKind::*;
    match (a.kind, b.kind) {
        (Sphere, Plane) => sphere_plane(a, b, out),
        (Plane, Sphere) => swapped(sphere_plane, a, b, out),
        (Ellipsoid, Plane) => ellipsoid_plane(a, b, out),
        (Plane, Ellipsoid) => swapped(ellipsoid_plane, a, b, out),
        (Capsule, Plane) => capsule_plane(a, b, out),
        (Plane, Capsule) => swapped(capsule_plane, a, b, out),
        (Cylinder, Plane) => cylinder_plane(a, b, out),
        (Plane, Cylinder) => swapped(cylinder_plane, a, b, out),
        (Box, Plane) => box_plane(a, b, out),
        (Plane, Box) => swapped(box_plane, a, b, out),
        (Extrusion(_), Plane) => extrusion_plane(a, b, out),
        (Plane, Extrusion(_)) => swapped(extrusion_plane, a, b, out),

        (Sphere, Sphere) => sphere_sphere(a, b, out),
        (Sphere, Capsule) => sphere_capsule(a, b, out),
        (Capsule, Sphere) => swapped(sphere_capsule, a, b, out),
        (Sphere, Cylinder) => sphere_cylinder(a, b, out),
        (Cylinder, Sphere) => swapped(sphere_cylinder, a, b, out),
        (Sphere, Box) => sphere_box(a, b, out),
        (Box, Sphere) => swapped(sphere_box, a, b, out),
        (Sphere, Extrusion(_)) => sphere_extrusion(a, b, out),
        (Extrusion(_), Sphere) => swapped(sphere_extrusion, a, b, out),
        (Capsule, Capsule) => capsule_capsule(a, b, out),

        (Points(_), _) => points_solid(a, b, out),
        (_, Points(_)) => swapped(points_solid, a, b, out),

        (Mesh(_), Plane) => mesh_plane(a, b, scratch, out),
        (Plane, Mesh(_)) => {
            let start = out.len();
            mesh_plane(b, a, scratch, out);
            out[start..].iter_mut().for_each(|touch| *touch = touch.swapped());
        }
        _ => convex(a, b, scratch, out),
    }
}

/// A pair whose function takes its shapes the other way round.
#[inline(always)]
fn swapped<S: Scalar>(
    pair: impl Fn(&Placed<'_, S>, &Placed<'_, S>, &mut Vec<Touch<S>>),
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    let start = out.len();
    pair(b, a, out);
    for touch in &mut out[start..] {
        *touch = touch.swapped();
    }
}

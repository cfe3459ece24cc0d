//! A convex shape in one world, in plain numbers.
//!
//! A solid is a core and a radius around it: a capsule is a segment with a radius; most others have radius zero. Points
//! of the core are stored as *fractions*: multiplied by the solid's scale they are metres in its own frame. The same
//! fraction times a scale with derivatives is then the same point with its derivative with respect to the size.

use gradbody_math::{Scalar, Transform, Vec3};
use gradbody_model::{Hull, Outline, ShapeKind};

use super::Placed;

/// The kind of core.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form<'a> {
    /// The origin, for a sphere.
    Point,
    /// A segment along z, for a capsule.
    Segment,
    Box,
    /// A cylinder along z.
    Cylinder,
    Ellipsoid,
    Hull(&'a Hull),
    /// A convex piece of an extrusion.
    Prism {
        outline: &'a Outline,
        piece: &'a [u32],
    },
}

/// A convex shape in the frame of shape a.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid<'a> {
    pub(super) form: Form<'a>,
    /// Factor from fractions to metres, along each axis.
    pub(super) scale: Vec3<f64>,
    /// Radius of the ball swept along the core [m].
    pub(super) radius: f64,
    pub(super) pose_a: Transform<f64>,
}

/// The scale of a solid: metres per fraction along each axis.
#[inline(always)]
pub(super) fn scale_of<S: Scalar>(kind: &ShapeKind, size: Vec3<S>) -> Vec3<S> {
    match kind {
        ShapeKind::Sphere => Vec3::ZERO,
        ShapeKind::Capsule => Vec3::new(S::ZERO, S::ZERO, size.y),
        ShapeKind::Cylinder => Vec3::new(size.x, size.x, size.y),
        _ => size,
    }
}

/// Radius around the core [m].
#[inline(always)]
pub(super) fn radius_of<S: Scalar>(kind: &ShapeKind, size: Vec3<S>) -> S {
    match kind {
        ShapeKind::Sphere | ShapeKind::Capsule => size.x,
        _ => S::ZERO,
    }
}

/// The product by components.
#[inline(always)]
pub(super) fn scaled<S: Scalar>(v: Vec3<S>, by: Vec3<S>) -> Vec3<S> {
    Vec3::new(v.x * by.x, v.y * by.y, v.z * by.z)
}

/// The number of convex pieces of a shape; 0 for shapes that are not solids here.
#[inline(always)]
pub(super) fn pieces(kind: &ShapeKind) -> usize {
    match kind {
        ShapeKind::Plane | ShapeKind::Points(_) => 0,
        ShapeKind::Mesh(mesh) => usize::from(mesh.hull.is_some()),
        ShapeKind::Extrusion(outline) => outline.pieces.len(),
        _ => 1,
    }
}

impl<'a> Solid<'a> {
    /// A piece of a shape in one world; `None` if its numbers are not finite.
    #[inline(always)]
    pub(super) fn of<S: Scalar>(
        shape: &Placed<'a, S>,
        piece: usize,
        lane: usize,
        pose_a: Transform<f64>,
    ) -> Option<Solid<'a>> {
        let size = shape.size.map(|x| x.lane(lane));
        let form = match shape.kind {
            ShapeKind::Sphere => Form::Point,
            ShapeKind::Capsule => Form::Segment,
            ShapeKind::Box => Form::Box,
            ShapeKind::Cylinder => Form::Cylinder,
            ShapeKind::Ellipsoid => Form::Ellipsoid,
            ShapeKind::Mesh(mesh) => Form::Hull(mesh.hull.as_ref()?),
            ShapeKind::Extrusion(outline) => {
                Form::Prism { outline, piece: outline.pieces.get(piece)? }
            }
            ShapeKind::Plane | ShapeKind::Points(_) => return None,
        };
        let (scale, radius) = (scale_of(shape.kind, size), radius_of(shape.kind, size));
        let rot = pose_a.rot.cols;
        let finite = rot.iter().all(|c| c.is_finite()) && pose_a.pos.is_finite();
        let usable = finite && scale.is_finite() && radius.is_finite();
        usable.then_some(Solid { form, scale, radius, pose_a })
    }

    /// A fraction as a point in the frame of a [m].
    #[inline(always)]
    pub(super) fn point(&self, fraction: Vec3<f64>) -> Vec3<f64> {
        self.pose_a.point(scaled(fraction, self.scale))
    }

    /// A direction of frame a in the solid's own frame.
    #[inline(always)]
    pub(super) fn own(&self, direction_a: Vec3<f64>) -> Vec3<f64> {
        self.pose_a.rot.transpose_mul(direction_a)
    }

    /// The fraction of the core that reaches farthest along `d`, in the solid's own frame.
    #[inline(always)]
    pub(super) fn support(&self, d: Vec3<f64>) -> Vec3<f64> {
        // A negative scale mirrors, so search along d times the scale.
        let d = scaled(d, self.scale);
        let end = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
        match self.form {
            Form::Point => Vec3::ZERO,
            Form::Segment => Vec3::new(0.0, 0.0, end(d.z)),
            Form::Box => Vec3::new(end(d.x), end(d.y), end(d.z)),
            Form::Cylinder => {
                let out = Vec3::new(d.x, d.y, 0.0).normalized_or(Vec3::X);
                Vec3::new(out.x, out.y, end(d.z))
            }
            Form::Ellipsoid => d.normalized_or(Vec3::X),
            Form::Hull(hull) => hull.vertices[farthest(hull.vertices.iter().map(|v| v.dot(d)))],
            Form::Prism { outline, piece } => {
                let corner = |i: &u32| outline.corners[*i as usize];
                let along = piece.iter().map(|i| corner(i)[0] * d.x + corner(i)[1] * d.y);
                let [x, y] = corner(&piece[farthest(along)]);
                Vec3::new(x, y, end(d.z))
            }
        }
    }

    /// The point of the core that reaches farthest along `direction_a`, both in the frame of a [m].
    #[inline(always)]
    pub(super) fn support_point(&self, direction_a: Vec3<f64>) -> Vec3<f64> {
        self.point(self.support(self.own(direction_a)))
    }

    /// A point inside, in the frame of a [m].
    pub(super) fn centre(&self) -> Vec3<f64> {
        match self.form {
            Form::Hull(hull) => self.point(hull.centre()),
            Form::Prism { .. } => {
                let x = |d: Vec3<f64>| self.support(d);
                let middle = x(Vec3::X) + x(-Vec3::X) + x(Vec3::Y) + x(-Vec3::Y);
                self.point((middle + x(Vec3::Z) + x(-Vec3::Z)) * (1.0 / 6.0))
            }
            _ => self.pose_a.pos,
        }
    }

    /// Half the longest side of the bounding box in its own frame [m].
    #[inline(always)]
    pub(super) fn extent(&self) -> f64 {
        let half = match self.form {
            Form::Hull(hull) => scaled(hull.half_sides(), self.scale),
            Form::Prism { .. } => {
                let side = |d: Vec3<f64>| 0.5 * (self.support(d) - self.support(-d)).dot(d);
                scaled(Vec3::new(side(Vec3::X), side(Vec3::Y), side(Vec3::Z)), self.scale)
            }
            _ => self.scale,
        };
        half.x.abs().max(half.y.abs()).max(half.z.abs()) + self.radius
    }
}

/// The index of the largest number; the first of equal ones.
#[inline(always)]
fn farthest(numbers: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (i, x) in numbers.enumerate() {
        if x > best.1 {
            best = (i, x);
        }
    }
    best.0
}

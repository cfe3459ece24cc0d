//! Touches in the scalar, from places that were found in plain numbers.
//!
//! A place is stored in the bodies' frames, as fractions of their sizes. From it, the touch is computed again in any
//! scalar, so that it has derivatives:
//!
//! - *A face and a point.* The normal is the face's and moves with its body; the gap is the height of the point over
//!   the face. Where a corner of that face lies over the other's, the point moves with that corner, and the gap is its
//!   distance along the normal from the other face. All derivatives are exact but one: where an edge of one face
//!   crosses an edge of the other, the point is taken as fixed to the second body.
//! - *Edges, corners and round surfaces.* The normal `n` is the direction along which both surfaces face each other. It
//!   is found to all digits in plain numbers; one Newton step on its conditions (see `tangent.rs`) then gives its first
//!   derivatives, and those of the point. The gap is `n · (p_b − p_a)`, whose first derivative does not depend on that
//!   of `n`.

use gradbody_math::{Scalar, Transform, Vec3};
use gradbody_model::ShapeKind;

use super::features::{Foot, Round};
use super::solid::{radius_of, scale_of, scaled};
use super::{Placed, Touch};

/// A place, and what is needed to choose among places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) place: Place,
    /// The point in the frame of a [m].
    pub(super) at: Vec3<f64>,
    /// The gap [m].
    pub(super) gap: f64,
    /// Whether it is on a piece of an extrusion, but not on the surface of the whole extrusion.
    pub(super) inner: bool,
}

/// Where two solids are nearest.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A face of one solid and a point of the other.
    Face(FacePoint),
    /// A face of one solid and its own corner, over a face of the other.
    Corner(CornerPoint),
    /// No flat face: the normal is the direction along which both surfaces face each other.
    Tangent(Tangent),
}

/// A face of one solid and a point of the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct FacePoint {
    /// Whether the face is b's.
    pub(super) on_b: bool,
    /// The face's normal in fraction coordinates; see `features.rs`.
    pub(super) covector: Vec3<f64>,
    /// A point of the face, as a fraction.
    pub(super) foot: Vec3<f64>,
    /// The point of the other solid, as a fraction.
    pub(super) fraction: Vec3<f64>,
    /// How the other solid is curved there.
    pub(super) round: Round,
}

/// A corner of a face over a face of the other solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct CornerPoint {
    /// Whether the corner is b's.
    pub(super) on_b: bool,
    /// Normal of its face in fraction coordinates; also the touch's normal.
    pub(super) covector: Vec3<f64>,
    /// The corner, as a fraction.
    pub(super) corner: Vec3<f64>,
    /// The other face: its normal in fraction coordinates, of either sign, and a point of it.
    pub(super) other_covector: Vec3<f64>,
    pub(super) other_foot: Vec3<f64>,
}

/// Two surfaces that face each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tangent {
    /// The two feet; their edges have a length of one metre.
    pub(super) a: Foot,
    pub(super) b: Foot,
    /// Unit vector from a to b, in the frame of a.
    pub(super) normal: Vec3<f64>,
    /// Two unit vectors perpendicular to it.
    pub(super) across: [Vec3<f64>; 2],
    /// Inverse of the derivative of the conditions with respect to a turn of the normal towards `across`, by rows; zero
    /// where it does not exist.
    pub(super) inverse: [[f64; 2]; 2],
}

impl Place {
    /// Whether the same formulas apply to both places.
    #[inline(always)]
    fn is_like(&self, other: &Place) -> bool {
        match (self, other) {
            (Place::Face(x), Place::Face(y)) => (x.on_b, x.round) == (y.on_b, y.round),
            (Place::Corner(x), Place::Corner(y)) => x.on_b == y.on_b,
            (Place::Tangent(x), Place::Tangent(y)) => {
                let form = |f: &Foot| (f.round, f.edge.is_some());
                (form(&x.a), form(&x.b)) == (form(&y.a), form(&y.b))
            }
            _ => false,
        }
    }
}

/// The touch at place number `k` of each world's list; absent in worlds with fewer places. `pose_ab` is the pose of b
/// in the frame of a.
#[inline(always)]
pub(super) fn touch_at<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    pose_ab: &Transform<S>,
    found: &[Vec<Found>],
    k: usize,
) -> Touch<S> {
    let place = |lane: usize| found[lane].get(k).map(|f| &f.place);
    let mut touch = Touch::none();
    for lane in 0..S::LANES {
        let Some(form) = place(lane) else { continue };
        let like = |l: usize| place(l).filter(|p| p.is_like(form));
        if (0..lane).any(|l| like(l).is_some()) {
            continue;
        }
        // Worlds with places of other kinds compute with these numbers too; their results are not used.
        let numbers = |l: usize| if S::LANES == 1 { form } else { like(l).unwrap_or(form) };
        let here = match form {
            Place::Face(face) => face_touch(a, b, pose_ab, face, numbers),
            Place::Corner(corner) => corner_touch(a, b, pose_ab, corner, numbers),
            Place::Tangent(tangent) => tangent_touch(a, b, pose_ab, tangent, numbers),
        };
        let other = S::from_lanes(|l| if like(l).is_some() { 0.0 } else { 1.0 });
        let pick = |new: S, old: S| S::ZERO.select_lt(other, old, new);
        let pick3 = |new: Vec3<S>, old: Vec3<S>| {
            Vec3::new(pick(new.x, old.x), pick(new.y, old.y), pick(new.z, old.z))
        };
        touch = Touch {
            point_w: pick3(here.point_w, touch.point_w),
            normal_w: pick3(here.normal_w, touch.normal_w),
            gap: pick(here.gap, touch.gap),
        };
    }
    touch
}

/// Gathers a vector from the place of each world.
#[inline(always)]
fn gathered<S: Scalar>(of: impl Fn(usize) -> Vec3<f64>) -> Vec3<S> {
    Vec3::new(
        S::from_lanes(
            #[inline(always)]
            |l| of(l).x,
        ),
        S::from_lanes(
            #[inline(always)]
            |l| of(l).y,
        ),
        S::from_lanes(
            #[inline(always)]
            |l| of(l).z,
        ),
    )
}

#[inline(always)]
fn face_touch<'p, S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    pose_ab: &Transform<S>,
    form: &FacePoint,
    numbers: impl Fn(usize) -> &'p Place,
) -> Touch<S> {
    let face = |l: usize| match numbers(l) {
        Place::Face(face) => face,
        _ => form,
    };
    let (owner, other) = if form.on_b { (b, a) } else { (a, b) };
    let pose = if form.on_b { pose_ab.inverse() } else { *pose_ab };
    let scale = scale_of(owner.kind, owner.size);
    let normal = unit_normal(owner, gathered(|l| face(l).covector));
    let foot = scaled(gathered(|l| face(l).foot), scale);
    let fraction = gathered(|l| face(l).fraction);
    let point = surface(other, &pose, form.round, fraction, -normal);
    let gap = (point - foot).dot(normal);
    let middle = normal.neg_scale_add(gap * S::from_f64(0.5), point);
    let touch =
        Touch { point_w: owner.pose_w.point(middle), normal_w: owner.pose_w.vector(normal), gap };
    if form.on_b { touch.swapped() } else { touch }
}

#[inline(always)]
fn corner_touch<'p, S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    pose_ab: &Transform<S>,
    form: &CornerPoint,
    numbers: impl Fn(usize) -> &'p Place,
) -> Touch<S> {
    let at = |l: usize| match numbers(l) {
        Place::Corner(corner) => corner,
        _ => form,
    };
    let (owner, other) = if form.on_b { (b, a) } else { (a, b) };
    let pose = if form.on_b { pose_ab.inverse() } else { *pose_ab };
    let normal = unit_normal(owner, gathered(|l| at(l).covector));
    let corner = scaled(gathered(|l| at(l).corner), scale_of(owner.kind, owner.size));
    let other_normal = pose.vector(unit_normal(other, gathered(|l| at(l).other_covector)));
    let other_foot = scaled(gathered(|l| at(l).other_foot), scale_of(other.kind, other.size));
    // Along the normal n to the other face, which has the normal m: g = m · (q − p) / m · n
    let gap = other_normal.dot(pose.point(other_foot) - corner) / other_normal.dot(normal);
    let middle = normal.scale_add(gap * S::from_f64(0.5), corner);
    let touch =
        Touch { point_w: owner.pose_w.point(middle), normal_w: owner.pose_w.vector(normal), gap };
    if form.on_b { touch.swapped() } else { touch }
}

/// The unit normal of a shape's face in its own frame from its covector; see `features.rs`.
#[inline(always)]
fn unit_normal<S: Scalar>(shape: &Placed<'_, S>, covector: Vec3<S>) -> Vec3<S> {
    let scale = scale_of(shape.kind, shape.size);
    match shape.kind {
        ShapeKind::Mesh(_) | ShapeKind::Extrusion(_) => {
            let by = Vec3::new(scale.y * scale.z, scale.x * scale.z, scale.x * scale.y);
            scaled(covector, by).normalized_or(Vec3::Z)
        }
        _ => covector,
    }
}

#[inline(always)]
fn tangent_touch<'p, S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    pose_ab: &Transform<S>,
    form: &Tangent,
    numbers: impl Fn(usize) -> &'p Place,
) -> Touch<S> {
    let tangent = |l: usize| match numbers(l) {
        Place::Tangent(tangent) => tangent,
        _ => form,
    };
    let fraction_a = gathered(|l| tangent(l).a.fraction);
    let fraction_b = gathered(|l| tangent(l).b.fraction);
    let edge_a = form.a.edge.is_some().then(|| gathered(|l| tangent(l).a.edge.unwrap_or_default()));
    let edge_b = form.b.edge.is_some().then(|| gathered(|l| tangent(l).b.edge.unwrap_or_default()));
    let (edge_a, edge_b) = (placed(a, &Transform::IDENTITY, edge_a), placed(b, pose_ab, edge_b));

    // One Newton step from the plain solution, for the derivatives alone: the values of the conditions are rounding
    // errors, which a nearly singular inverse would magnify.
    let unrounded = |r: S| r - r.constant();
    let n0: Vec3<S> = gathered(|l| tangent(l).normal);
    let [t1, t2] = [0, 1].map(|i| gathered::<S>(|l| tangent(l).across[i]));
    let on_a = surface(a, &Transform::IDENTITY, form.a.round, fraction_a, n0);
    let on_b = surface(b, pose_ab, form.b.round, fraction_b, -n0);
    let [r1, r2] = conditions(n0, [t1, t2], on_b - on_a, edge_a, edge_b).map(unrounded);
    let inverse = |i: usize, j: usize| S::from_lanes(|l| tangent(l).inverse[i][j]);
    let u1 = -(inverse(0, 0) * r1 + inverse(0, 1) * r2);
    let u2 = -(inverse(1, 0) * r1 + inverse(1, 1) * r2);
    let n = t1.scale_add(u1, t2.scale_add(u2, n0)).normalized_or(n0);

    let on_a = surface(a, &Transform::IDENTITY, form.a.round, fraction_a, n);
    let on_b = surface(b, pose_ab, form.b.round, fraction_b, -n);
    let gap = (on_b - on_a).dot(n);
    let (on_a, on_b) = slid(on_a, on_b, n, edge_a, edge_b);
    let middle = (on_a + on_b) * S::from_f64(0.5);
    Touch { point_w: a.pose_w.point(middle), normal_w: a.pose_w.vector(n), gap }
}

/// An edge, from fractions of its shape to the frame in which the shape has the given pose.
#[inline(always)]
fn placed<S: Scalar>(
    shape: &Placed<'_, S>,
    pose: &Transform<S>,
    edge: Option<Vec3<S>>,
) -> Option<Vec3<S>> {
    let fraction = edge?;
    Some(pose.vector(scaled(fraction, scale_of(shape.kind, shape.size))))
}

/// Two conditions, both zero where two surfaces face each other along `n`: edges are perpendicular to `n`, and the
/// vector `delta` between the nearest points is parallel to `n`, except for a part along an edge.
#[inline(always)]
pub(super) fn conditions<S: Scalar>(
    n: Vec3<S>,
    across: [Vec3<S>; 2],
    delta: Vec3<S>,
    edge_a: Option<Vec3<S>>,
    edge_b: Option<Vec3<S>>,
) -> [S; 2] {
    match (edge_a, edge_b) {
        (Some(a), Some(b)) => [a.dot(n), b.dot(n)],
        (Some(edge), None) | (None, Some(edge)) => [n.cross(edge).dot(delta), edge.dot(n)],
        (None, None) => [across[0].dot(delta), across[1].dot(delta)],
    }
}

/// The nearest points, moved along their edges to where they face each other.
#[inline(always)]
pub(super) fn slid<S: Scalar>(
    on_a: Vec3<S>,
    on_b: Vec3<S>,
    n: Vec3<S>,
    edge_a: Option<Vec3<S>>,
    edge_b: Option<Vec3<S>>,
) -> (Vec3<S>, Vec3<S>) {
    let delta = on_b - on_a;
    match (edge_a, edge_b) {
        (Some(a), Some(b)) => {
            // (delta + s b − r a) is along n, so its products with a × n and b × n are zero.
            let (from_b, from_a) = (b.cross(n), a.cross(n));
            let r = ratio(delta.dot(from_b), a.dot(from_b));
            let s = -ratio(delta.dot(from_a), b.dot(from_a));
            (a.scale_add(r, on_a), b.scale_add(s, on_b))
        }
        (Some(a), None) => (a.scale_add(ratio(delta.dot(a), a.dot(a)), on_a), on_b),
        (None, Some(b)) => (on_a, b.neg_scale_add(ratio(delta.dot(b), b.dot(b)), on_b)),
        (None, None) => (on_a, on_b),
    }
}

/// x/y; zero if y is zero but for rounding, since parallel edges face each other everywhere.
#[inline(always)]
fn ratio<S: Scalar>(x: S, y: S) -> S {
    let little = S::from_f64(1e-9);
    let safe = y.abs().select_lt(little, S::ONE, y);
    y.abs().select_lt(little, S::ZERO, x / safe)
}

/// The point of a shape's surface that faces the unit vector `d`, near a fraction of its core; both in the frame in
/// which the shape has the given pose.
#[inline(always)]
fn surface<S: Scalar>(
    shape: &Placed<'_, S>,
    pose: &Transform<S>,
    round: Round,
    fraction: Vec3<S>,
    d: Vec3<S>,
) -> Vec3<S> {
    let (scale, radius) = (scale_of(shape.kind, shape.size), radius_of(shape.kind, shape.size));
    let own = pose.rot.transpose_mul(d);
    pose.point(surface_point(round, fraction, scale, radius, own))
}

/// [`surface`] in the solid's own frame.
#[inline(always)]
pub(super) fn surface_point<S: Scalar>(
    round: Round,
    fraction: Vec3<S>,
    scale: Vec3<S>,
    radius: S,
    d: Vec3<S>,
) -> Vec3<S> {
    let point = scaled(fraction, scale);
    match round {
        Round::Flat => point,
        Round::Ball => d.scale_add(radius, point),
        Round::Rim => {
            let out = Vec3::new(d.x, d.y, S::ZERO).normalized_or(Vec3::X);
            Vec3::new(out.x * scale.x, out.y * scale.y, point.z)
        }
        Round::Ellipsoid => {
            // p = A² d / |A d|, with A the half axes.
            let stretched = scaled(d, scale).normalized_or(Vec3::X);
            scaled(stretched, scale)
        }
    }
}

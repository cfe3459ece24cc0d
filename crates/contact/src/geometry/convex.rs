//! Any two convex shapes, and extrusions by their convex pieces.
//!
//! The touching features are searched for in plain numbers, one world at a time: first the direction of largest
//! separation (`box_axes.rs` or `search.rs`), then the faces, edges and points that face each other along it
//! (`manifold.rs`). The touches are then computed from these features in the scalar (`place.rs`).
//!
//! [`convex_vjp`] differentiates only that last part, by forward derivatives within the pair. The features found have
//! no derivative, and the rest is a function of at most twelve numbers (the pose of b relative to a, and the two
//! sizes). A dozen directions at once cost less than an adjoint of the normal's Newton step for each kind of place. It
//! also shares the code of the forward pass, so the two cannot disagree.

use gradbody_math::{Dual, Mat3, Scalar, Transform, Vec3};
use gradbody_model::ShapeKind;

use super::box_axes::{BoxAxes, box_axes};
use super::manifold::{MOST_PLACES, keep_spread, remove_doubles, remove_inner};
use super::pair::Pair;
use super::place::touch_at;
use super::solid::{Form, pieces};
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Scratch, Touch};

/// The number of touches of two convex shapes: 1 if one of them is round everywhere, 2 if one is a capsule, else 8.
/// Each piece of an extrusion has its own, up to 8 in all.
pub(super) fn convex_slots(a: &ShapeKind, b: &ShapeKind) -> usize {
    let count = |kind: &ShapeKind| match kind {
        ShapeKind::Sphere | ShapeKind::Ellipsoid => 1,
        ShapeKind::Capsule => 2,
        _ => MOST_PLACES,
    };
    (count(a).min(count(b)) * pieces(a) * pieces(b)).min(MOST_PLACES)
}

/// The touches of two convex shapes.
#[inline(always)]
pub(super) fn convex<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    scratch: &mut Scratch,
    out: &mut Vec<Touch<S>>,
) {
    let slots = convex_slots(a.kind, b.kind);
    find_in_all(a, b, slots, scratch);
    let pose_ab = a.pose_w.inverse() * b.pose_w;
    for k in 0..slots {
        out.push(touch_at(a, b, &pose_ab, &scratch.found, k));
    }
}

/// Number of directions differentiated at once.
const DIRECTIONS: usize = 6;

/// A number with its derivatives in these directions.
type Moved<S> = Dual<S, DIRECTIONS>;

/// Adjoint of [`convex`]; searches for the touching features again.
#[inline(always)]
pub(super) fn convex_vjp<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    scratch: &mut Scratch,
    bars: Bars<'_, S>,
    a_bar: &mut PlacedCotangents<S>,
    b_bar: &mut PlacedCotangents<S>,
) {
    if bars.are_zero() {
        return;
    }
    let slots = convex_slots(a.kind, b.kind);
    find_in_all(a, b, slots, scratch);
    let found = &scratch.found;
    let (a_fixed, b_fixed) = (constant(a), constant(b));
    // First b is rotated and translated, then the sizes grow.
    let moves = [
        [a_fixed, Placed { pose_w: moving(&b.pose_w), ..b_fixed }],
        [
            Placed { size: growing(a.size, 0), ..a_fixed },
            Placed { size: growing(b.size, 3), ..b_fixed },
        ],
    ];
    let mut pulls = [[S::ZERO; DIRECTIONS]; 2];
    // The effect of moving both shapes together about a's origin.
    let (mut turn, mut shift) = (Vec3::ZERO, Vec3::ZERO);
    for (i, [a_moved, b_moved]) in moves.iter().enumerate() {
        let pose_ab = a_moved.pose_w.inverse() * b_moved.pose_w;
        for k in 0..slots {
            let present = S::from_lanes(|l| if k < found[l].len() { 1.0 } else { 0.0 });
            let bar = bars.at(k).where_positive(present);
            if bar.is_zero() {
                continue;
            }
            let touch = touch_at(a_moved, b_moved, &pose_ab, found, k);
            for (direction, pull) in pulls[i].iter_mut().enumerate() {
                let rate = |v: Vec3<Moved<S>>| v.map(|x| x.eps[direction]);
                let of_point = bar.point_w.dot(rate(touch.point_w));
                let of_normal = bar.normal_w.dot(rate(touch.normal_w));
                *pull += of_point + bar.gap.mul_add(touch.gap.eps[direction], of_normal);
            }
            if i == 0 {
                let lever_w = touch.point_w.map(|x| x.re) - a.pose_w.pos;
                let normal_w = touch.normal_w.map(|x| x.re);
                turn = lever_w.cross_add(bar.point_w, turn);
                turn = normal_w.cross_add(bar.normal_w, turn);
                shift += bar.point_w;
            }
        }
    }

    let [of_b, of_sizes] = pulls;
    let (b_turn, b_shift) = (Vec3::from_slice(&of_b), Vec3::from_slice(&of_b[3..]));
    b_bar.turn_w += b_turn;
    b_bar.pos_w += b_shift;
    a_bar.size += Vec3::from_slice(&of_sizes);
    b_bar.size += Vec3::from_slice(&of_sizes[3..]);
    // Touches move along when both shapes move together: a's part is that effect minus b's part.
    a_bar.pos_w += shift - b_shift;
    a_bar.turn_w += turn - (b.pose_w.pos - a.pose_w.pos).cross_add(b_shift, b_turn);
}

/// A shape with zero derivatives.
#[inline(always)]
fn constant<'a, S: Scalar>(shape: &Placed<'a, S>) -> Placed<'a, Moved<S>> {
    let vector = |v: Vec3<S>| v.map(Dual::constant);
    let [x, y, z] = shape.pose_w.rot.cols;
    let rot = Mat3::from_cols(vector(x), vector(y), vector(z));
    let pose_w = Transform::new(rot, vector(shape.pose_w.pos));
    Placed { kind: shape.kind, pose_w, size: vector(shape.size) }
}

/// A pose that the first three directions rotate about the world's axes, and the others translate.
#[inline(always)]
fn moving<S: Scalar>(pose_w: &Transform<S>) -> Transform<Moved<S>> {
    let [x, y, z] = pose_w.rot.cols;
    let rot = Mat3::from_cols(turning(x), turning(y), turning(z));
    Transform::new(rot, growing(pose_w.pos, 3))
}

/// A vector that the first three directions rotate about the world's axes.
#[inline(always)]
fn turning<S: Scalar>(v: Vec3<S>) -> Vec3<Moved<S>> {
    let mut out = v.map(Dual::constant);
    for (i, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
        let rate = axis.cross(v);
        (out.x.eps[i], out.y.eps[i], out.z.eps[i]) = (rate.x, rate.y, rate.z);
    }
    out
}

/// A vector whose components are the variables of three directions from `first` on.
#[inline(always)]
fn growing<S: Scalar>(v: Vec3<S>, first: usize) -> Vec3<Moved<S>> {
    let component = |x: S, i: usize| Dual::variable(x, first + i);
    Vec3::new(component(v.x, 0), component(v.y, 1), component(v.z, 2))
}

/// Finds the places in every world.
#[inline(always)]
fn find_in_all<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    slots: usize,
    scratch: &mut Scratch,
) {
    if scratch.found.len() < S::LANES {
        scratch.found.resize_with(S::LANES, Vec::new);
    }
    for lane in 0..S::LANES {
        find(a, b, lane, slots, scratch);
    }
}

/// Finds the places in one world.
fn find<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    lane: usize,
    slots: usize,
    scratch: &mut Scratch,
) {
    f64::vectorised(
        #[inline(always)]
        || {
            let reach = scratch.reach(lane);
            let Scratch { search, clipper, found, .. } = scratch;
            let found = &mut found[lane];
            found.clear();
            let mut length = 0.0;
            for i in 0..pieces(a.kind) {
                for j in 0..pieces(b.kind) {
                    let Some(pair) = Pair::of((a, i), (b, j), lane) else { continue };
                    length = pair.length;
                    let axes = match (pair.a.form, pair.b.form) {
                        (Form::Box, Form::Box) => box_axes(&pair, reach),
                        _ => BoxAxes::Corners,
                    };
                    let direction = match axes {
                        BoxAxes::Apart => None,
                        BoxAxes::Direction(n) => Some(n),
                        BoxAxes::Corners => search.direction(&pair, reach),
                    };
                    if let Some(n) = direction {
                        clipper.places(&pair, n, found);
                    }
                }
            }
            found.retain(|f| f.at.is_finite() && f.gap.is_finite());
            // The choice of places does not depend on the reach, which changes with the speed.
            if found.iter().all(|f| f.gap > reach) {
                found.clear();
            }
            remove_inner(found);
            remove_doubles(found, 1e-9 * length);
            keep_spread(found, slots, length);
        },
    )
}

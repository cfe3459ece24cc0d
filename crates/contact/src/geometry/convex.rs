//! Any two convex shapes, and extrusions by their convex pieces.
//!
//! What touches is found in plain numbers, one world at a time: the direction in which the solids are
//! farthest apart (`box_axes.rs` or `search.rs`), then the faces, edges and points that face each
//! other along it (`manifold.rs`). From what was found the touches are computed over the scalar
//! (`place.rs`).

use gradbody_math::Scalar;
use gradbody_model::ShapeKind;

use super::box_axes::{BoxAxes, box_axes};
use super::manifold::{MOST_PLACES, keep_spread, remove_doubles, remove_inner};
use super::pair::Pair;
use super::place::touch_at;
use super::solid::{Form, pieces};
use super::{Placed, Scratch, Touch};

/// How many places two convex shapes have: 1 if one of them is round everywhere, 2 if one is a
/// capsule, else 8; the pieces of an extrusion each have their own, up to 8 in all.
pub(super) fn convex_slots(a: &ShapeKind, b: &ShapeKind) -> usize {
    let count = |kind: &ShapeKind| match kind {
        ShapeKind::Sphere | ShapeKind::Ellipsoid => 1,
        ShapeKind::Capsule => 2,
        _ => MOST_PLACES,
    };
    (count(a).min(count(b)) * pieces(a) * pieces(b)).min(MOST_PLACES)
}

/// The places where two convex shapes touch.
#[inline(always)]
pub(super) fn convex<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    scratch: &mut Scratch,
    out: &mut Vec<Touch<S>>,
) {
    let slots = convex_slots(a.kind, b.kind);
    if scratch.found.len() < S::LANES {
        scratch.found.resize_with(S::LANES, Vec::new);
    }
    for lane in 0..S::LANES {
        find(a, b, lane, slots, scratch);
    }
    let pose_ab = a.pose_w.inverse() * b.pose_w;
    for k in 0..slots {
        out.push(touch_at(a, b, &pose_ab, &scratch.found, k));
    }
}

/// Finds the places of one world.
fn find<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    lane: usize,
    slots: usize,
    scratch: &mut Scratch,
) {
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
    // Which places are kept does not depend on the reach, which changes with the speed.
    if found.iter().all(|f| f.gap > reach) {
        found.clear();
    }
    remove_inner(found);
    remove_doubles(found, 1e-9 * length);
    keep_spread(found, slots, length);
}

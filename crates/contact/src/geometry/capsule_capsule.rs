//! Two capsules.

use gradbody_math::{Scalar, Vec3};

use super::ball::Ball;
use super::sphere_capsule::capsule_clearance;
use super::{Placed, Touch};

/// Sine of the angle between the axes below which the capsules lie along each other and touch at two
/// places.
const ALONG: f64 = 0.05;

/// Sine of that angle below which the nearest points of the axes are decided by rounding: the ends of
/// the overlap stand for them. For axes that cross at such an angle this enlarges the gap by about
/// (1e-3 · half overlap)² / (2 · distance of the axes).
const PARALLEL: f64 = 1e-3;

/// The places of capsule a, as balls on its axis, that are nearest to capsule b. Two places.
///
/// Capsules that cross touch at one place, where the axes are nearest: the first; the second is not
/// there. Capsules that lie along each other ([`ALONG`]) touch at the two ends of the stretch in
/// which they overlap: the first is towards −z of a's axis, the second towards +z. Should the axes be
/// nearest somewhere between, that place stands for the end it is closer to. So the least gap is
/// always that of the nearest points, and a capsule that rocks on another keeps its two places.
#[inline(always)]
pub(super) fn capsule_capsule<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    // Seen from b, whose axis is z: a's axis is center + s·axis, |s| ≤ half_a.
    let axis_b = b.pose_w.rot.transpose_mul(a.pose_w.rot.cols[2]);
    let center_b = b.pose_w.rot.transpose_mul(a.pose_w.pos - b.pose_w.pos);
    let (half_a, half_b) = (a.size.y, b.size.y);
    let offset = center_b.dot(axis_b);
    let sin_sq = axis_b.x.mul_add(axis_b.x, axis_b.y * axis_b.y);
    let parallel = S::from_f64(PARALLEL * PARALLEL);

    // The stretch of a's axis that lies beside b's; empty if it ends before it starts.
    let reach = half_b * axis_b.z.abs();
    let start = (-half_a).max(-offset - reach);
    let end = half_a.min(reach - offset);

    // Nearest point of the infinite axes, held on a; nearest on b, held there; back to a.
    //                                                                  [Ericson 2005, 5.1.9]
    let crossing = axis_b.z.mul_add(center_b.z, -offset);
    let crossing = crossing / sin_sq.select_lt(parallel, S::ONE, sin_sq);
    let crossing = crossing.clamp(-half_a, half_a);
    let crossing_on_b = axis_b.z.mul_add(crossing, center_b.z).clamp(-half_b, half_b);
    let nearest = axis_b.z.mul_add(crossing_on_b, -offset).clamp(-half_a, half_a);
    let nearest = sin_sq.select_lt(parallel, start.min(half_a), nearest);

    // Positive if there are two places.
    let overlap = sin_sq.select_lt(S::from_f64(ALONG * ALONG), end - start, -S::ONE);
    let middle = (start + end) * S::from_f64(0.5);
    let first = S::ZERO.select_lt(overlap, nearest.select_le(middle, nearest, start), nearest);
    let second = nearest.select_le(middle, end, nearest);

    // Axes that cut each other part at right angles to both.
    let from_axis_b = Vec3::new(axis_b.y, -axis_b.x, S::ZERO).normalized_or(Vec3::X);
    let first_b = capsule_clearance(axis_b.scale_add(first, center_b), b.size, from_axis_b);
    let second_b = capsule_clearance(axis_b.scale_add(second, center_b), b.size, from_axis_b);
    out.push(ball_on_axis(a, first).touch(&b.pose_w, first_b));
    out.push(ball_on_axis(a, second).touch(&b.pose_w, second_b).where_positive(overlap));
}

/// The ball that a capsule is at `s` along its axis.
#[inline(always)]
fn ball_on_axis<S: Scalar>(capsule: &Placed<'_, S>, s: S) -> Ball<S> {
    let center_w = capsule.pose_w.rot.cols[2].scale_add(s, capsule.pose_w.pos);
    Ball { center_w, radius: capsule.size.x }
}

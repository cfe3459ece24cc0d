//! Two boxes: the direction of largest separation, by the separating axis test.
//!
//! The least penetration of two boxes is along a face normal or along the cross product of two edges: 15 directions.
//! One along which the boxes are apart ends the search [Gottschalk, Lin, Manocha 1996].

use gradbody_math::Vec3;

use super::manifold::EDGE_SLACK;
use super::pair::Pair;

/// Result of the test.
#[derive(Clone, Copy, Debug)]
pub(super) enum BoxAxes {
    /// The boxes are farther apart than `reach`.
    Apart,
    /// The direction from a to b.
    Direction(Vec3<f64>),
    /// The boxes are apart, and their nearest points may be corners, which the axes cannot decide.
    Corners,
}

/// Tests the axes of two boxes.
#[inline(always)]
pub(super) fn box_axes(pair: &Pair<'_>, reach: f64) -> BoxAxes {
    let (rot, t) = (&pair.b.pose_a.rot, pair.b.pose_a.pos);
    let (half_a, half_b) = (pair.a.scale.map(f64::abs), pair.b.scale.map(f64::abs));
    // Row i, column j: the cosine between axis i of a and axis j of b.
    let cos = |i: usize, j: usize| rot.cols[j][i];
    let mut best = (f64::NEG_INFINITY, Vec3::Z);
    let toward = |axis: Vec3<f64>| if axis.dot(t) < 0.0 { -axis } else { axis };
    for i in 0..3 {
        let reach_b: f64 = (0..3).map(|j| half_b[j] * cos(i, j).abs()).sum();
        let apart = t[i].abs() - half_a[i] - reach_b;
        if apart > reach {
            return BoxAxes::Apart;
        }
        if apart > best.0 {
            let mut axis = Vec3::ZERO;
            axis[i] = 1.0;
            best = (apart, toward(axis));
        }
    }
    let tiny = 1e-9 * pair.length;
    for j in 0..3 {
        let reach_a: f64 = (0..3).map(|i| half_a[i] * cos(i, j).abs()).sum();
        let axis = rot.cols[j];
        let apart = t.dot(axis).abs() - half_b[j] - reach_a;
        if apart > reach {
            return BoxAxes::Apart;
        }
        if apart > best.0 + tiny {
            best = (apart, toward(axis));
        }
    }
    let face = best;
    for i in 0..3 {
        for j in 0..3 {
            // Along axis i of a × axis j of b, only the two other axes of each box have an extent.
            let sine = (1.0 - cos(i, j) * cos(i, j)).max(0.0).sqrt();
            if sine < 1e-3 {
                continue;
            }
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            let reach_a = half_a[i1] * cos(i2, j).abs() + half_a[i2] * cos(i1, j).abs();
            let reach_b = half_b[j1] * cos(i, j2).abs() + half_b[j2] * cos(i, j1).abs();
            let along = t[i2] * cos(i1, j) - t[i1] * cos(i2, j);
            let apart = (along.abs() - reach_a - reach_b) / sine;
            if apart > reach {
                return BoxAxes::Apart;
            }
            if apart > best.0 && apart > face.0 + EDGE_SLACK * pair.length {
                let mut axis = Vec3::ZERO;
                axis[i] = 1.0;
                let cross = axis.cross(rot.cols[j]).normalized_or(Vec3::Z);
                best = (apart, toward(cross));
            }
        }
    }
    if best.0 > tiny && !over(pair, best.1) { BoxAxes::Corners } else { BoxAxes::Direction(best.1) }
}

/// Whether the nearest corner of the other box lies over the face with normal `n`: then the distance along `n` is the
/// distance of the boxes.
#[inline(always)]
fn over(pair: &Pair<'_>, n: Vec3<f64>) -> bool {
    for (owner, other, n) in [(&pair.a, &pair.b, n), (&pair.b, &pair.a, -n)] {
        let own = owner.own(n);
        let axis = (0..3).fold(0, |m, i| if own[i].abs() > own[m].abs() { i } else { m });
        if own[axis].abs() < 1.0 - 1e-12 {
            continue;
        }
        let corner = owner.pose_a.inverse().point(other.support_point(-n));
        let beside = |k: usize| k == axis || corner[k].abs() <= owner.scale[k].abs();
        if (0..3).all(beside) {
            return true;
        }
    }
    false
}

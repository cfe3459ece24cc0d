//! Where two surfaces face each other: the normal to all digits, in plain numbers.
//!
//! For a normal n from a to b let p_a(n), p_b(−n) be the points that face it, H_a and H_b the derivatives of those
//! points with respect to the direction they face (the radii of curvature), and Δ = p_b − p_a. Surfaces face each other
//! if Δ is along n. Turning n by a small vector u perpendicular to it changes the part of Δ perpendicular to n by
//! −(H_a + H_b + g) u, with g = n · Δ the gap: the derivative in Newton's iteration. An edge e requires e · n = 0
//! instead, and nothing of Δ along e.

use gradbody_math::{Scalar, Vec3};

use super::features::{Foot, Round};
use super::pair::Pair;
use super::place::{Found, Place, Tangent, conditions, slid, surface_point};
use super::solid::{Solid, scaled};

/// Turns of the normal below this are rounding [rad].
const TURNED_ENOUGH: f64 = 1e-14;

/// Maximum number of Newton steps; each doubles the digits.
const MOST_STEPS: usize = 12;

/// The place near the direction `n` where a foot of each solid faces the other.
pub(super) fn tangent(pair: &Pair<'_>, n: Vec3<f64>, a: Foot, b: Foot) -> Option<Found> {
    f64::vectorised(
        #[inline(always)]
        || {
            let (a, b) = (with_unit_edge(&pair.a, a)?, with_unit_edge(&pair.b, b)?);
            let edge = |solid: &Solid<'_>, foot: &Foot| {
                foot.edge.map(|e| solid.pose_a.vector(scaled(e, solid.scale)))
            };
            let (edge_a, edge_b) = (edge(&pair.a, &a), edge(&pair.b, &b));
            let mut normal = match (edge_a, edge_b) {
                (Some(e), Some(f)) => {
                    let cross = e.cross(f);
                    // Parallel edges do not determine a normal.
                    if cross.norm() < 1e-3 {
                        return None;
                    }
                    let along = cross.normalized_or(n);
                    if along.dot(n) < 0.0 { -along } else { along }
                }
                (Some(e), None) | (None, Some(e)) => e.neg_scale_add(e.dot(n), n).normalized_or(n),
                (None, None) => n,
            };
            let mut step = newton(pair, normal, &a, &b, edge_a, edge_b);
            for _ in 0..MOST_STEPS {
                let turn = step.turn.norm();
                if !turn.is_finite() {
                    return None;
                }
                // A long step is unreliable: limit it.
                let turn = if turn > 0.5 { step.turn * (0.5 / turn) } else { step.turn };
                normal = (normal + turn).normalized_or(normal);
                let done = turn.norm() < TURNED_ENOUGH;
                step = newton(pair, normal, &a, &b, edge_a, edge_b);
                if done {
                    break;
                }
            }
            let Step { across, inverse, on_a, on_b, .. } = step;
            let gap = (on_b - on_a).dot(normal);
            let (on_a, on_b) = slid(on_a, on_b, normal, edge_a, edge_b);
            let place = Place::Tangent(Tangent { a, b, normal, across, inverse });
            Some(Found { place, at: (on_a + on_b) * 0.5, gap, inner: false })
        },
    )
}

/// The foot with its edge scaled to one metre; `None` if the edge has no length.
#[inline(always)]
fn with_unit_edge(solid: &Solid<'_>, foot: Foot) -> Option<Foot> {
    let Some(edge) = foot.edge else { return Some(foot) };
    let length = scaled(edge, solid.scale).norm();
    (length > 0.0).then(|| Foot { edge: Some(edge * (1.0 / length)), ..foot })
}

struct Step {
    /// The change of the normal.
    turn: Vec3<f64>,
    across: [Vec3<f64>; 2],
    inverse: [[f64; 2]; 2],
    on_a: Vec3<f64>,
    on_b: Vec3<f64>,
}

#[inline(always)]
fn newton(
    pair: &Pair<'_>,
    n: Vec3<f64>,
    a: &Foot,
    b: &Foot,
    edge_a: Option<Vec3<f64>>,
    edge_b: Option<Vec3<f64>>,
) -> Step {
    let (on_a, on_b) = (facing(&pair.a, a, n), facing(&pair.b, b, -n));
    let delta = on_b - on_a;
    let gap = n.dot(delta);
    let first = any_across(n);
    let across = [first, n.cross(first)];
    let mut rows = [[0.0; 2]; 2];
    for j in 0..2 {
        let t = across[j];
        let column = match (edge_a, edge_b) {
            (Some(e), Some(f)) => [e.dot(t), f.dot(t)],
            (Some(e), None) | (None, Some(e)) => {
                let curved = curvatures(pair, a.round, b.round, n, t);
                [t.cross(e).dot(delta) - n.cross(e).dot(curved), e.dot(t)]
            }
            (None, None) => {
                let change = curvatures(pair, a.round, b.round, n, t) + t * gap;
                [-across[0].dot(change), -across[1].dot(change)]
            }
        };
        (rows[0][j], rows[1][j]) = (column[0], column[1]);
    }
    let [r1, r2] = conditions(n, across, delta, edge_a, edge_b);
    let [[p, q], [r, s]] = rows;
    let det = p * s - q * r;
    let size = (p.abs() + q.abs()) * (r.abs() + s.abs());
    // Two corners that touch face each other along any normal.
    let singular = det.abs() <= 1e-10 * size || size < 1e-200;
    let inverse = if singular { [[0.0; 2]; 2] } else { [[s / det, -q / det], [-r / det, p / det]] };
    let u = inverse.map(|row| -(row[0] * r1 + row[1] * r2));
    let turn = across[0] * u[0] + across[1] * u[1];
    Step { turn, across, inverse, on_a, on_b }
}

/// The point of a solid's surface near a foot that faces `d`.
#[inline(always)]
fn facing(solid: &Solid<'_>, foot: &Foot, d: Vec3<f64>) -> Vec3<f64> {
    let own = solid.own(d);
    let point = surface_point(foot.round, foot.fraction, solid.scale, solid.radius, own);
    solid.pose_a.point(point)
}

/// The sum of the [`curvature`]s of two solids that face each other along `n`.
#[inline(always)]
fn curvatures(pair: &Pair<'_>, a: Round, b: Round, n: Vec3<f64>, t: Vec3<f64>) -> Vec3<f64> {
    curvature(&pair.a, a, n, t) + curvature(&pair.b, b, -n, t)
}

/// The change of the point of a solid that faces `d`, when `d` turns by the perpendicular vector `t`.
#[inline(always)]
fn curvature(solid: &Solid<'_>, round: Round, d: Vec3<f64>, t: Vec3<f64>) -> Vec3<f64> {
    let (d, t) = (solid.own(d), solid.own(t));
    let own = match round {
        Round::Flat => Vec3::ZERO,
        Round::Ball => t * solid.radius,
        Round::Rim => {
            let (flat, turn) = (Vec3::new(d.x, d.y, 0.0), Vec3::new(t.x, t.y, 0.0));
            let length = flat.norm();
            if length < 1e-9 {
                return Vec3::ZERO;
            }
            let out = flat * (1.0 / length);
            scaled(out.neg_scale_add(out.dot(turn), turn) * (1.0 / length), solid.scale)
        }
        Round::Ellipsoid => {
            // The derivative of A² d / |A d|.
            let (stretched, turn) = (scaled(d, solid.scale), scaled(t, solid.scale));
            let length = stretched.norm();
            if length <= 0.0 {
                return Vec3::ZERO;
            }
            let out = stretched * (1.0 / length);
            scaled(out.neg_scale_add(out.dot(turn), turn) * (1.0 / length), solid.scale)
        }
    };
    solid.pose_a.vector(own)
}

/// A unit vector perpendicular to a unit vector.
#[inline(always)]
fn any_across(n: Vec3<f64>) -> Vec3<f64> {
    let away = if n.x.abs() < 0.6 { Vec3::X } else { Vec3::Y };
    n.cross(away).normalized_or(Vec3::Z)
}

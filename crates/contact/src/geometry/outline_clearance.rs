//! How far a point is from a polygon.

use gradbody_math::{Scalar, Vec3};

use super::FAR;
use super::prism::FlatClearance;

/// Edges whose squared length is below this are points [m²].
const SHORTEST_EDGE_SQUARED: f64 = 1e-30;

/// How far a point is, seen along z, from a polygon with these corners (counter-clockwise, scaled by
/// `size.x` and `size.y`). The polygon may be concave.
#[inline(always)]
pub(super) fn outline_clearance<S: Scalar>(
    corners: &[[f64; 2]],
    size: Vec3<S>,
    point_b: Vec3<S>,
) -> FlatClearance<S> {
    let (x, y) = (point_b.x, point_b.y);
    let mut nearest = Edge::none();
    let mut nearest_sq = S::from_f64(FAR * FAR);
    // How often the outline goes round the point: 1 inside, 0 outside.
    let mut turns = S::ZERO;

    let [x0, y0] = corners.last().copied().unwrap_or_default();
    let (mut start_x, mut start_y) = (S::from_f64(x0) * size.x, S::from_f64(y0) * size.y);
    let mut start_below = start_y.select_le(y, S::ONE, S::ZERO);
    for [x1, y1] in corners {
        let (end_x, end_y) = (S::from_f64(*x1) * size.x, S::from_f64(*y1) * size.y);
        let (edge_x, edge_y) = (end_x - start_x, end_y - start_y);
        let (from_x, from_y) = (x - start_x, y - start_y);

        // The nearest point of the edge.
        let length_sq = edge_x.mul_add(edge_x, edge_y * edge_y);
        let length_sq = length_sq.max(S::from_f64(SHORTEST_EDGE_SQUARED));
        let share = from_x.mul_add(edge_x, from_y * edge_y) / length_sq;
        let share = share.clamp(S::ZERO, S::ONE);
        let apart_x = share.neg_mul_add(edge_x, from_x);
        let apart_y = share.neg_mul_add(edge_y, from_y);
        let apart_sq = apart_x.mul_add(apart_x, apart_y * apart_y);
        let edge = Edge { start_x, start_y, end_x, end_y, share };
        nearest = edge.if_lt(apart_sq, nearest_sq, nearest);
        nearest_sq = apart_sq.min(nearest_sq);

        // An edge that crosses the point's height counts if the point is on its left (going up) or
        // right (going down).                                                   [winding number]
        let end_below = end_y.select_le(y, S::ONE, S::ZERO);
        let rise = start_below - end_below;
        let left = edge_x.mul_add(from_y, -(edge_y * from_x));
        turns += S::ZERO.select_lt(rise * left, rise, S::ZERO);

        (start_x, start_y, start_below) = (end_x, end_y, end_below);
    }
    let inside = S::from_f64(0.5).select_lt(turns, -S::ONE, S::ONE);
    nearest.clearance(x, y, inside)
}

/// An edge of the polygon, with the place on it that is nearest to the point.
#[derive(Clone, Copy)]
struct Edge<S> {
    start_x: S,
    start_y: S,
    end_x: S,
    end_y: S,
    /// 0 at the start, 1 at the end.
    share: S,
}

impl<S: Scalar> Edge<S> {
    /// An edge to start a search with: a point at the origin.
    #[inline(always)]
    fn none() -> Self {
        Edge { start_x: S::ZERO, start_y: S::ZERO, end_x: S::ZERO, end_y: S::ZERO, share: S::ZERO }
    }

    /// `self` where `a < b`, else `otherwise`.
    #[inline(always)]
    fn if_lt(self, a: S, b: S, otherwise: Self) -> Self {
        Edge {
            start_x: a.select_lt(b, self.start_x, otherwise.start_x),
            start_y: a.select_lt(b, self.start_y, otherwise.start_y),
            end_x: a.select_lt(b, self.end_x, otherwise.end_x),
            end_y: a.select_lt(b, self.end_y, otherwise.end_y),
            share: a.select_lt(b, self.share, otherwise.share),
        }
    }

    /// The clearance of the point (x, y), to which this edge is the nearest; `sign` is −1 if the
    /// point is inside the polygon, else 1.
    ///
    /// Between the corners the edge itself says which way is out, so that a point on the outline has
    /// an exact normal; at a corner the point does, or again the edge if the point is the corner.
    #[inline(always)]
    fn clearance(self, x: S, y: S, sign: S) -> FlatClearance<S> {
        // The outline runs counter-clockwise: outside is to the right.
        let right = Vec3::new(self.end_y - self.start_y, self.start_x - self.end_x, S::ZERO);
        let edge_outward = right.normalized_or(Vec3::X);
        let half = S::from_f64(0.5);
        let corner_x = self.share.select_lt(half, self.start_x, self.end_x);
        let corner_y = self.share.select_lt(half, self.start_y, self.end_y);
        let from_corner = Vec3::new(x - corner_x, y - corner_y, S::ZERO);
        let corner_outward = (from_corner * sign).normalized_or(edge_outward);

        let outward_b = Vec3::new(
            self.between_corners(edge_outward.x, corner_outward.x),
            self.between_corners(edge_outward.y, corner_outward.y),
            S::ZERO,
        );
        FlatClearance { distance: from_corner.dot(outward_b), outward_b }
    }

    /// `edge` if the nearest place is between the corners, `corner` if it is one.
    #[inline(always)]
    fn between_corners(self, edge: S, corner: S) -> S {
        let below_end = self.share.select_lt(S::ONE, edge, corner);
        S::ZERO.select_lt(self.share, below_end, corner)
    }
}

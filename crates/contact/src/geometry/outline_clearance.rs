//! The distance of a point from a polygon.

use gradbody_math::{Scalar, Vec3};
use gradbody_model::Outline;

use super::FAR;
use super::ball::{ClearanceCotangents, normalized_or_vjp};
use super::prism::FlatClearance;

/// Edges whose squared length is below this count as points [m²].
const SHORTEST_EDGE_SQUARED: f64 = 1e-30;

/// The edge where a point is nearest to one convex piece of the outline, and a number that is positive if there is one.
/// The place must be on the border of both the piece and the outline, and nearer than its surroundings. Each piece has
/// at most one such place, and no two pieces share one. Inside the outline only the first piece has one: the nearest of
/// the whole outline, from [`nearest_edge`].
#[inline(always)]
pub(super) fn piece_edge<S: Scalar>(
    outline: &Outline,
    piece: usize,
    size: Vec3<S>,
    point_b: Vec3<S>,
    (whole, sign): (Edge<S>, S),
) -> (Edge<S>, S) {
    let corners = &outline.corners;
    let n = corners.len();
    let (x, y) = (point_b.x, point_b.y);
    let of_whole = if piece == 0 { S::ZERO.max(-sign) } else { S::ZERO };
    let (mut here, mut found) = (Edge::none(), S::ZERO);
    let ends = &outline.pieces[piece];
    for (k, start) in ends.iter().enumerate() {
        if !outline.is_side(*start, ends[(k + 1) % ends.len()]) {
            continue;
        }
        let start = *start as usize;
        let [before, first, second] =
            [(start + n - 1) % n, start, (start + 1) % n].map(|i| corners[i]);
        let side = Side::of(first, second, size, x, y);
        // Over the side: the point is outside and faces it.
        let over = side.left.select_le(S::ZERO, S::ONE, S::ZERO);
        let over = side.share.select_lt(S::ONE, over, S::ZERO);
        // Over its first corner: beyond the end of the previous side. Concave corners are not nearest to any point
        // outside.
        let turns_outwards = (first[0] - before[0]) * (second[1] - first[1])
            > (first[1] - before[1]) * (second[0] - first[0]);
        let at_corner = if turns_outwards {
            let before = Side::of(before, first, size, x, y);
            S::ONE.select_le(before.share, S::ONE, S::ZERO)
        } else {
            S::ZERO
        };
        let nearest = S::ZERO.select_lt(side.share, over, at_corner);
        here = side.edge().if_lt(S::ZERO, nearest, here);
        found = found.max(nearest);
    }
    here = whole.if_lt(S::ZERO, of_whole, here);
    (here, S::ZERO.select_lt(sign, found, of_whole))
}

/// The edge of a polygon that is nearest to a point, seen along z, and a sign: −1 if the point is inside, else 1. The
/// polygon may be concave; its corners are counter-clockwise and scaled by `size.x` and `size.y`.
#[inline(always)]
pub(super) fn nearest_edge<S: Scalar>(
    corners: &[[f64; 2]],
    size: Vec3<S>,
    point_b: Vec3<S>,
) -> (Edge<S>, S) {
    let (x, y) = (point_b.x, point_b.y);
    let mut nearest = Edge::none();
    let mut nearest_sq = S::from_f64(FAR * FAR);
    // The winding number of the outline about the point: 1 inside, 0 outside.
    let mut turns = S::ZERO;

    let mut start = corners.last().copied().unwrap_or_default();
    let mut start_below = (S::from_f64(start[1]) * size.y).select_le(y, S::ONE, S::ZERO);
    for end in corners {
        let side = Side::of(start, *end, size, x, y);
        let edge = side.edge();
        let apart_x = edge.share.neg_mul_add(side.edge_x, side.from_x);
        let apart_y = edge.share.neg_mul_add(side.edge_y, side.from_y);
        let apart_sq = apart_x.mul_add(apart_x, apart_y * apart_y);
        nearest = edge.if_lt(apart_sq, nearest_sq, nearest);
        nearest_sq = apart_sq.min(nearest_sq);

        // An edge that crosses the point's height counts if the point is on its left (going up) or
        // right (going down).                                                   [winding number]
        let end_below = side.end_y.select_le(y, S::ONE, S::ZERO);
        let rise = start_below - end_below;
        turns += S::ZERO.select_lt(rise * side.left, rise, S::ZERO);
        (start, start_below) = (*end, end_below);
    }
    (nearest, S::from_f64(0.5).select_lt(turns, -S::ONE, S::ONE))
}

/// A side of the polygon, and a point relative to it.
#[derive(Clone, Copy)]
struct Side<S> {
    /// The ends as fractions.
    start: [f64; 2],
    end: [f64; 2],
    /// Height of the end [m].
    end_y: S,
    /// From start to end.
    edge_x: S,
    edge_y: S,
    /// From the start to the point.
    from_x: S,
    from_y: S,
    /// Coordinate of the point along the side: 0 at the start, 1 at the end; may lie beyond.
    share: S,
    /// Positive if the point is on the left of the side, that is inside.
    left: S,
}

impl<S: Scalar> Side<S> {
    #[inline(always)]
    fn of(start: [f64; 2], end: [f64; 2], size: Vec3<S>, x: S, y: S) -> Self {
        let (start_x, start_y) = (S::from_f64(start[0]) * size.x, S::from_f64(start[1]) * size.y);
        let (end_x, end_y) = (S::from_f64(end[0]) * size.x, S::from_f64(end[1]) * size.y);
        let (edge_x, edge_y) = (end_x - start_x, end_y - start_y);
        let (from_x, from_y) = (x - start_x, y - start_y);
        let length_sq = edge_x.mul_add(edge_x, edge_y * edge_y);
        let length_sq = length_sq.max(S::from_f64(SHORTEST_EDGE_SQUARED));
        let share = from_x.mul_add(edge_x, from_y * edge_y) / length_sq;
        let left = edge_x.mul_add(from_y, -(edge_y * from_x));
        Side { start, end, end_y, edge_x, edge_y, from_x, from_y, share, left }
    }

    /// The side with its nearest point.
    #[inline(always)]
    fn edge(self) -> Edge<S> {
        Edge {
            start_x: S::from_f64(self.start[0]),
            start_y: S::from_f64(self.start[1]),
            end_x: S::from_f64(self.end[0]),
            end_y: S::from_f64(self.end[1]),
            share: self.share.clamp(S::ZERO, S::ONE),
        }
    }
}

/// An edge of the polygon, with its nearest point to the given point. The ends are fractions; multiplied by the size
/// they are in metres.
#[derive(Clone, Copy)]
pub(super) struct Edge<S> {
    start_x: S,
    start_y: S,
    end_x: S,
    end_y: S,
    /// 0 at the start, 1 at the end.
    share: S,
}

impl<S: Scalar> Edge<S> {
    /// An initial edge for a search: a point at the origin.
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

    /// The clearance of a point, seen along z, for which this edge is nearest; `sign` is −1 if the point is inside the
    /// polygon, else 1.
    ///
    /// Between the corners the edge itself gives the outward direction, so that a point on the outline has an exact
    /// normal. At a corner it is the direction from the corner to the point, or that of the edge if the two coincide.
    #[inline(always)]
    pub(super) fn clearance(self, size: Vec3<S>, point_b: Vec3<S>, sign: S) -> FlatClearance<S> {
        let (right, from_corner) = self.right_and_from_corner(size, point_b);
        let edge_outward = right.normalized_or(Vec3::X);
        let corner_outward = (from_corner * sign).normalized_or(edge_outward);
        let outward_b = Vec3::new(
            self.between_corners(edge_outward.x, corner_outward.x),
            self.between_corners(edge_outward.y, corner_outward.y),
            S::ZERO,
        );
        FlatClearance { distance: from_corner.dot(outward_b), outward_b }
    }

    /// Adjoint of [`Edge::clearance`]: cotangents of the size and of the point.
    #[inline(always)]
    pub(super) fn clearance_vjp(
        self,
        size: Vec3<S>,
        point_b: Vec3<S>,
        sign: S,
        bar: ClearanceCotangents<S>,
    ) -> (Vec3<S>, Vec3<S>) {
        let (right, from_corner) = self.right_and_from_corner(size, point_b);
        let FlatClearance { outward_b, .. } = self.clearance(size, point_b, sign);
        let Vec3 { x, y, .. } = from_corner.scale_add(bar.distance, bar.outward_b);
        let zero = S::ZERO;
        let corner_outward_bar =
            Vec3::new(self.between_corners(zero, x), self.between_corners(zero, y), zero);
        let edge_outward_bar =
            Vec3::new(self.between_corners(x, zero), self.between_corners(y, zero), zero);
        let (signed_bar, fallback_bar) = normalized_or_vjp(from_corner * sign, corner_outward_bar);
        let from_bar = signed_bar.scale_add(sign, outward_b * bar.distance);
        let (right_bar, _) = normalized_or_vjp(right, edge_outward_bar + fallback_bar);

        // Moving the corner changes the vector from the corner to the point by the opposite amount.
        let half = S::from_f64(0.5);
        let at_start = |bar: S| self.share.select_lt(half, bar, zero);
        let at_end = |bar: S| self.share.select_lt(half, zero, bar);
        let start_x = right_bar.y - at_start(from_bar.x);
        let start_y = -right_bar.x - at_start(from_bar.y);
        let end_x = -right_bar.y - at_end(from_bar.x);
        let end_y = right_bar.x - at_end(from_bar.y);
        let size_bar = Vec3::new(
            self.start_x.mul_add(start_x, self.end_x * end_x),
            self.start_y.mul_add(start_y, self.end_y * end_y),
            zero,
        );
        (size_bar, from_bar)
    }

    /// The outward perpendicular of the edge, as long as the edge, and the vector from its nearer end to a point; seen
    /// along z [m].
    #[inline(always)]
    fn right_and_from_corner(self, size: Vec3<S>, point_b: Vec3<S>) -> (Vec3<S>, Vec3<S>) {
        let (start_x, start_y) = (self.start_x * size.x, self.start_y * size.y);
        let (end_x, end_y) = (self.end_x * size.x, self.end_y * size.y);
        // The outline is counter-clockwise, so outside is to the right.
        let right = Vec3::new(end_y - start_y, start_x - end_x, S::ZERO);
        let half = S::from_f64(0.5);
        let corner_x = self.share.select_lt(half, start_x, end_x);
        let corner_y = self.share.select_lt(half, start_y, end_y);
        (right, Vec3::new(point_b.x - corner_x, point_b.y - corner_y, S::ZERO))
    }

    /// `edge` if the nearest point is between the corners, `corner` if it is a corner.
    #[inline(always)]
    fn between_corners(self, edge: S, corner: S) -> S {
        let below_end = self.share.select_lt(S::ONE, edge, corner);
        S::ZERO.select_lt(self.share, below_end, corner)
    }
}

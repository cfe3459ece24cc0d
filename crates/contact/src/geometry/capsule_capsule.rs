//! Two capsules.

use gradbody_math::{Scalar, Vec3};

use super::ball::{Ball, clamp_vjp, normalized_or_vjp};
use super::sphere_capsule::{capsule_clearance, capsule_clearance_vjp};
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Touch};

/// Sine of the angle between the axes below which capsules count as parallel and touch at two points.
const ALONG: f64 = 0.05;

/// Sine of that angle below which rounding decides the nearest points of the axes; the ends of the overlap are used
/// instead. For axes that cross at such an angle, this enlarges the gap by about (1e-3 · half overlap)² / (2 · distance
/// of the axes).
const PARALLEL: f64 = 1e-3;

/// The points of capsule a, as balls on its axis, that are nearest to capsule b. Two touches.
///
/// Capsules that cross touch at one point, where the axes are nearest: the first touch; the second is absent. Capsules
/// that are nearly parallel ([`ALONG`]) touch at the two ends of their overlap: the first towards −z of a's axis, the
/// second towards +z. If the axes are nearest somewhere in between, that point replaces the end it is closer to. So the
/// least gap is always that of the nearest points, and a capsule that rocks on another keeps its two touches.
#[inline(always)]
pub(super) fn capsule_capsule<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    let Axes { axis_b, center_b, first, second, overlap, from_axis_b, .. } = Axes::of(a, b);
    let first_b = capsule_clearance(axis_b.scale_add(first, center_b), b.size, from_axis_b);
    let second_b = capsule_clearance(axis_b.scale_add(second, center_b), b.size, from_axis_b);
    out.push(ball_on_axis(a, first).touch(&b.pose_w, first_b));
    out.push(ball_on_axis(a, second).touch(&b.pose_w, second_b).where_positive(overlap));
}

/// Adjoint of [`capsule_capsule`].
#[inline(always)]
pub(super) fn capsule_capsule_vjp<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    bars: Bars<'_, S>,
    a_bar: &mut PlacedCotangents<S>,
    b_bar: &mut PlacedCotangents<S>,
) {
    let axes = Axes::of(a, b);
    let axis_w = a.pose_w.rot.cols[2];
    let (mut axis_b, mut center_b, mut from_axis_b) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    // One call, in a loop: a closure that is called twice would not be inlined, and so not be vectorised.
    let [mut first, mut second] = [S::ZERO; 2];
    let touches = [
        (axes.first, bars.at(0), &mut first),
        (axes.second, bars.at(1).where_positive(axes.overlap), &mut second),
    ];
    for (s, bar, s_bar) in touches {
        let ball = ball_on_axis(a, s);
        let point_b = axes.axis_b.scale_add(s, axes.center_b);
        let clearance = capsule_clearance(point_b, b.size, axes.from_axis_b);
        let (ball_bar, bar) = ball.touch_vjp(&b.pose_w, clearance, &bar, b_bar);
        let back = capsule_clearance_vjp(point_b, b.size, axes.from_axis_b, bar);
        b_bar.size += back.size;
        from_axis_b += back.from_axis_b;
        axis_b = back.point_b.scale_add(s, axis_b);
        center_b += back.point_b;
        a_bar.add_point(axis_w * s, ball_bar.center_w);
        a_bar.size.x += ball_bar.radius;
        *s_bar = axes.axis_b.dot(back.point_b) + axis_w.dot(ball_bar.center_w);
    }
    axes.vjp(a, b, AxesCotangents { axis_b, center_b, first, second, from_axis_b }, a_bar, b_bar);
}

/// The relative position of two capsules in the frame of b, whose axis is z: a's axis is center + s·axis, |s| ≤ half
/// length.
struct Axes<S> {
    axis_b: Vec3<S>,
    center_b: Vec3<S>,
    /// Square of the sine of the angle between the axes.
    sin_sq: S,
    /// `sin_sq`, or one if the axes are parallel.
    divisor: S,
    /// Coordinate of a's centre relative to b's, along a's axis.
    offset: S,
    /// Half length of b, projected on a's axis.
    reach: S,
    /// Start of the part of a's axis that overlaps with b's.
    start: S,
    /// Coordinate on a where the infinite axes are nearest: unclamped, and clamped to a.
    crossing_free: S,
    crossing: S,
    /// The nearest coordinate to it on b.
    crossing_on_b_free: S,
    crossing_on_b: S,
    /// The nearest coordinate to that on a; the clamped one also serves for parallel axes.
    nearest_free: S,
    nearest: S,
    /// Between start and end.
    middle: S,
    /// Positive if there are two touches.
    overlap: S,
    /// Coordinates of the touches on a's axis.
    first: S,
    second: S,
    /// The outward direction where the axes intersect.
    from_axis_b: Vec3<S>,
}

impl<S: Scalar> Axes<S> {
    #[inline(always)]
    fn of(a: &Placed<'_, S>, b: &Placed<'_, S>) -> Self {
        let axis_b = b.pose_w.rot.transpose_mul(a.pose_w.rot.cols[2]);
        let center_b = b.pose_w.rot.transpose_mul(a.pose_w.pos - b.pose_w.pos);
        let (half_a, half_b) = (a.size.y, b.size.y);
        let offset = center_b.dot(axis_b);
        let sin_sq = axis_b.x.mul_add(axis_b.x, axis_b.y * axis_b.y);
        let parallel = S::from_f64(PARALLEL * PARALLEL);

        // The part of a's axis that overlaps with b's; empty if it ends before it starts.
        let reach = half_b * axis_b.z.abs();
        let start = (-half_a).max(-offset - reach);
        let end = half_a.min(reach - offset);

        // Nearest point of the infinite axes, clamped to a; nearest to it on b, clamped; nearest to that on a.
        //                                                                  [Ericson 2005, 5.1.9]
        let divisor = sin_sq.select_lt(parallel, S::ONE, sin_sq);
        let crossing_free = axis_b.z.mul_add(center_b.z, -offset) / divisor;
        let crossing = crossing_free.clamp(-half_a, half_a);
        let crossing_on_b_free = axis_b.z.mul_add(crossing, center_b.z);
        let crossing_on_b = crossing_on_b_free.clamp(-half_b, half_b);
        let nearest_free = axis_b.z.mul_add(crossing_on_b, -offset);
        let nearest = nearest_free.clamp(-half_a, half_a);
        let nearest = sin_sq.select_lt(parallel, start.min(half_a), nearest);

        // Positive if there are two touches.
        let overlap = sin_sq.select_lt(S::from_f64(ALONG * ALONG), end - start, -S::ONE);
        let middle = (start + end) * S::from_f64(0.5);
        let first = S::ZERO.select_lt(overlap, nearest.select_le(middle, nearest, start), nearest);
        let second = nearest.select_le(middle, end, nearest);

        // Axes that intersect separate perpendicularly to both.
        let from_axis_b = Vec3::new(axis_b.y, -axis_b.x, S::ZERO).normalized_or(Vec3::X);
        Axes {
            axis_b,
            center_b,
            sin_sq,
            divisor,
            offset,
            reach,
            start,
            crossing_free,
            crossing,
            crossing_on_b_free,
            crossing_on_b,
            nearest_free,
            nearest,
            middle,
            overlap,
            first,
            second,
            from_axis_b,
        }
    }

    /// Adjoint, to the poses and lengths of two capsules, from the cotangents of a's axis and centre in the frame of b,
    /// of the two coordinates on a's axis and of the outward direction.
    #[inline(always)]
    fn vjp(
        &self,
        a: &Placed<'_, S>,
        b: &Placed<'_, S>,
        bar: AxesCotangents<S>,
        a_bar: &mut PlacedCotangents<S>,
        b_bar: &mut PlacedCotangents<S>,
    ) {
        let AxesCotangents { mut axis_b, mut center_b, first, second, from_axis_b } = bar;
        let (half_a, half_b) = (a.size.y, b.size.y);
        let (mut half_a_bar, mut half_b_bar) = (S::ZERO, S::ZERO);
        let zero = S::ZERO;

        let across = Vec3::new(self.axis_b.y, -self.axis_b.x, zero);
        let (across_bar, _) = normalized_or_vjp(across, from_axis_b);
        axis_b += Vec3::new(-across_bar.y, across_bar.x, zero);

        // Which of nearest, start and end each touch is.
        let by_middle = |nearer_start: S, nearer_end: S| {
            self.nearest.select_le(self.middle, nearer_start, nearer_end)
        };
        let by_overlap = |two: S, one: S| zero.select_lt(self.overlap, two, one);
        let nearest_bar = by_overlap(by_middle(first, zero), first) + by_middle(zero, second);
        let start_bar = by_overlap(by_middle(zero, first), zero);
        let end_bar = by_middle(second, zero);

        // Parallel axes: the start, or a's end if b's part begins beyond it.
        let parallel = S::from_f64(PARALLEL * PARALLEL);
        let at_start = self.sin_sq.select_lt(parallel, nearest_bar, zero);
        let start_bar = start_bar + self.start.select_le(half_a, at_start, zero);
        half_a_bar += self.start.select_le(half_a, zero, at_start);

        // From the point on a back to b, to a, and to the infinite axes.
        let regular = self.sin_sq.select_lt(parallel, zero, nearest_bar);
        let (nearest_bar, held_bar) = clamp_vjp(self.nearest_free, half_a, regular);
        half_a_bar += held_bar;
        let mut offset_bar = -nearest_bar;
        axis_b.z += self.crossing_on_b * nearest_bar;
        let on_b_bar = self.axis_b.z * nearest_bar;
        let (on_b_bar, held_bar) = clamp_vjp(self.crossing_on_b_free, half_b, on_b_bar);
        half_b_bar += held_bar;
        axis_b.z += self.crossing * on_b_bar;
        center_b.z += on_b_bar;
        let crossing_bar = self.axis_b.z * on_b_bar;
        let (crossing_bar, held_bar) = clamp_vjp(self.crossing_free, half_a, crossing_bar);
        half_a_bar += held_bar;
        let crossing_bar = crossing_bar / self.divisor;
        // Adjoint of crossing = (axis.z center.z − axis · center) / sin², in which the z terms cancel. The cotangent is
        // zero where the divisor is not the sine.
        let sin_bar = -(self.crossing_free * crossing_bar) * S::from_f64(2.0);
        axis_b.x += self.axis_b.x.mul_add(sin_bar, -(self.center_b.x * crossing_bar));
        axis_b.y += self.axis_b.y.mul_add(sin_bar, -(self.center_b.y * crossing_bar));
        center_b.x -= self.axis_b.x * crossing_bar;
        center_b.y -= self.axis_b.y * crossing_bar;

        // The ends of the overlap are a's own, or b's projected on a.
        let ends_on_a = |bar: S| half_a.select_le(self.reach - self.offset, bar, zero);
        let ends_on_b = |bar: S| half_a.select_le(self.reach - self.offset, zero, bar);
        let starts_on_a = |bar: S| (-self.offset - self.reach).select_le(-half_a, bar, zero);
        let starts_on_b = |bar: S| (-self.offset - self.reach).select_le(-half_a, zero, bar);
        half_a_bar += ends_on_a(end_bar) - starts_on_a(start_bar);
        offset_bar -= ends_on_b(end_bar) + starts_on_b(start_bar);
        let reach_bar = ends_on_b(end_bar) - starts_on_b(start_bar);
        half_b_bar += self.axis_b.z.abs() * reach_bar;
        axis_b.z += half_b * self.axis_b.z.signum() * reach_bar;
        axis_b = self.center_b.scale_add(offset_bar, axis_b);
        center_b = self.axis_b.scale_add(offset_bar, center_b);

        a_bar.size.y += half_a_bar;
        b_bar.size.y += half_b_bar;
        // In the frame of b, a turns opposite to b's own rotation.
        let axis_w = a.pose_w.rot.cols[2];
        let axis_bar_w = b.pose_w.vector(axis_b);
        a_bar.add_direction(axis_w, axis_bar_w);
        b_bar.add_direction(axis_w, -axis_bar_w);
        let center_bar_w = b.pose_w.vector(center_b);
        a_bar.pos_w += center_bar_w;
        b_bar.add_point(a.pose_w.pos - b.pose_w.pos, -center_bar_w);
    }
}

/// Cotangents of the quantities that the touches of two capsules read from [`Axes`].
struct AxesCotangents<S> {
    axis_b: Vec3<S>,
    center_b: Vec3<S>,
    first: S,
    second: S,
    from_axis_b: Vec3<S>,
}

/// The ball of a capsule at coordinate `s` of its axis.
#[inline(always)]
fn ball_on_axis<S: Scalar>(capsule: &Placed<'_, S>, s: S) -> Ball<S> {
    let center_w = capsule.pose_w.rot.cols[2].scale_add(s, capsule.pose_w.pos);
    Ball { center_w, radius: capsule.size.x }
}

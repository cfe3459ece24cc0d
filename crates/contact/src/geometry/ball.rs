//! Balls against solids. A sphere, the end of a capsule and a single point are balls; the solid provides the distance
//! of a point from its surface.

use gradbody_math::{Scalar, Transform, Vec3};

use super::{Placed, PlacedCotangents, Touch, TouchCotangents};

/// A ball in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball<S> {
    /// Its centre [m].
    pub(super) center_w: Vec3<S>,
    /// Its radius; zero for a point [m].
    pub(super) radius: S,
}

/// The distance of a point from the surface of a solid b.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clearance<S> {
    /// Distance to the surface; negative inside [m].
    pub(super) distance: S,
    /// Unit vector outwards from the nearest point of the surface: the gradient of the distance.
    pub(super) outward_b: Vec3<S>,
}

/// Cotangents of a [`Ball`].
#[derive(Clone, Copy, Debug)]
pub(super) struct BallCotangents<S> {
    /// Of its centre.
    pub(super) center_w: Vec3<S>,
    /// Of its radius.
    pub(super) radius: S,
}

/// Cotangents of a [`Clearance`].
#[derive(Clone, Copy, Debug)]
pub(super) struct ClearanceCotangents<S> {
    /// Of the distance.
    pub(super) distance: S,
    /// Of the outward direction.
    pub(super) outward_b: Vec3<S>,
}

impl<S: Scalar> Ball<S> {
    /// The ball of a sphere.
    #[inline(always)]
    pub(super) fn of_sphere(sphere: &Placed<'_, S>) -> Self {
        Ball { center_w: sphere.pose_w.pos, radius: sphere.size.x }
    }

    /// A ball of radius zero.
    #[inline(always)]
    pub(super) fn of_point(point_w: Vec3<S>) -> Self {
        Ball { center_w: point_w, radius: S::ZERO }
    }

    /// The centre in the frame of a solid [m].
    #[inline(always)]
    pub(super) fn center_in(self, pose_wb: &Transform<S>) -> Vec3<S> {
        pose_wb.rot.transpose_mul(self.center_w - pose_wb.pos)
    }

    /// The touch of the ball (a) and a solid (b), given the clearance of the ball's centre.
    #[inline(always)]
    pub(super) fn touch(self, pose_wb: &Transform<S>, center: Clearance<S>) -> Touch<S> {
        self.touch_along(pose_wb.vector(center.outward_b), center.distance)
    }

    /// The touch of the ball and a solid whose surface is `distance` away against `outward_w`.
    #[inline(always)]
    pub(super) fn touch_along(self, outward_w: Vec3<S>, distance: S) -> Touch<S> {
        let gap = distance - self.radius;
        // Midway between the ball's nearest point and the solid's.
        let back = gap.mul_add(S::from_f64(0.5), self.radius);
        let point_w = outward_w.neg_scale_add(back, self.center_w);
        Touch { point_w, normal_w: -outward_w, gap }
    }

    /// Adjoint of [`Ball::center_in`], from the cotangent of the centre in the solid's frame.
    #[inline(always)]
    pub(super) fn center_in_vjp(
        self,
        pose_wb: &Transform<S>,
        bar_b: Vec3<S>,
        ball_bar: &mut BallCotangents<S>,
        solid_bar: &mut PlacedCotangents<S>,
    ) {
        // In the solid's frame, the centre moves opposite to the solid's own motion.
        let bar_w = pose_wb.vector(bar_b);
        ball_bar.center_w += bar_w;
        solid_bar.add_point(self.center_w - pose_wb.pos, -bar_w);
    }

    /// Adjoint of [`Ball::touch`]: to the ball and its clearance. Adds to the solid, whose rotation turns the outward
    /// direction.
    #[inline(always)]
    pub(super) fn touch_vjp(
        self,
        pose_wb: &Transform<S>,
        center: Clearance<S>,
        bar: &TouchCotangents<S>,
        solid_bar: &mut PlacedCotangents<S>,
    ) -> (BallCotangents<S>, ClearanceCotangents<S>) {
        let outward_w = pose_wb.vector(center.outward_b);
        let (ball_bar, outward_bar, distance) =
            self.touch_along_vjp(outward_w, center.distance, bar);
        solid_bar.add_direction(outward_w, outward_bar);
        let outward_b = pose_wb.rot.transpose_mul(outward_bar);
        (ball_bar, ClearanceCotangents { distance, outward_b })
    }

    /// Adjoint of [`Ball::touch_along`]: cotangents of the ball, of the outward direction and of the distance.
    #[inline(always)]
    pub(super) fn touch_along_vjp(
        self,
        outward_w: Vec3<S>,
        distance: S,
        bar: &TouchCotangents<S>,
    ) -> (BallCotangents<S>, Vec3<S>, S) {
        // p = c − o (d + r) / 2, n = −o, g = d − r
        let half = S::from_f64(0.5);
        let back = (distance - self.radius).mul_add(half, self.radius);
        let half_back_bar = -outward_w.dot(bar.point_w) * half;
        let outward_bar = -bar.point_w.scale_add(back, bar.normal_w);
        let ball_bar = BallCotangents { center_w: bar.point_w, radius: half_back_bar - bar.gap };
        (ball_bar, outward_bar, half_back_bar + bar.gap)
    }
}

impl<S: Scalar> BallCotangents<S> {
    /// Adds to the cotangents of the ball's sphere.
    #[inline(always)]
    pub(super) fn add_to_sphere(self, sphere_bar: &mut PlacedCotangents<S>) {
        sphere_bar.pos_w += self.center_w;
        sphere_bar.size.x += self.radius;
    }
}

/// Adjoint of [`Vec3::normalized_or`]: cotangents of the vector and of the fallback, one of which
/// is zero.
#[inline(always)]
pub(super) fn normalized_or_vjp<S: Scalar>(v: Vec3<S>, bar: Vec3<S>) -> (Vec3<S>, Vec3<S>) {
    // Zero where the fallback is taken, else of length one.
    let unit = v.normalized_or(Vec3::ZERO);
    let (taken, half) = (unit.norm_squared(), S::from_f64(0.5));
    let scale = taken.select_lt(half, S::ONE, v.norm_squared()).sqrt().recip();
    // d(v/|v|) = (1 − u uᵀ) dv / |v|, and (1 − u uᵀ) c = (u × c) × u. For a short vector along an axis, the component
    // along that axis is then exactly zero; a difference would leave rounding errors, which the division magnifies.
    let across = unit.cross(bar).cross(unit) * scale;
    let pick = |fallback: Vec3<S>, regular: Vec3<S>| {
        Vec3::new(
            taken.select_lt(half, fallback.x, regular.x),
            taken.select_lt(half, fallback.y, regular.y),
            taken.select_lt(half, fallback.z, regular.z),
        )
    };
    (pick(Vec3::ZERO, across), pick(bar, Vec3::ZERO))
}

/// Adjoint of `x.clamp(-limit, limit)`: cotangents of both.
#[inline(always)]
pub(super) fn clamp_vjp<S: Scalar>(x: S, limit: S, bar: S) -> (S, S) {
    let x_bar = x.select_lt(-limit, S::ZERO, limit.select_lt(x, S::ZERO, bar));
    let limit_bar = x.select_lt(-limit, -bar, limit.select_lt(x, bar, S::ZERO));
    (x_bar, limit_bar)
}

/// Adjoint of `x - x.clamp(-limit, limit)`: cotangents of both.
#[inline(always)]
pub(super) fn excess_vjp<S: Scalar>(x: S, limit: S, bar: S) -> (S, S) {
    // Exactly zero within the limits.
    let x_bar = x.select_lt(-limit, bar, limit.select_lt(x, bar, S::ZERO));
    (x_bar, -clamp_vjp(x, limit, bar).1)
}

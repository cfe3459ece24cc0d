//! Balls. A sphere, the end of a capsule and a single point are balls; what they touch is a solid
//! that knows how far a point is from its surface.

use gradbody_math::{Scalar, Transform, Vec3};

use super::{Placed, Touch};

/// A ball in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball<S> {
    /// Its centre [m].
    pub(super) center_w: Vec3<S>,
    /// Its radius; zero for a point [m].
    pub(super) radius: S,
}

/// How far a point is from the surface of a solid b.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clearance<S> {
    /// Distance to the surface; negative inside [m].
    pub(super) distance: S,
    /// Unit vector from the nearest place of the surface outwards: the gradient of the distance.
    pub(super) outward_b: Vec3<S>,
}

impl<S: Scalar> Ball<S> {
    /// The ball that a sphere is.
    #[inline(always)]
    pub(super) fn of_sphere(sphere: &Placed<'_, S>) -> Self {
        Ball { center_w: sphere.pose_w.pos, radius: sphere.size.x }
    }

    /// A ball without extent.
    #[inline(always)]
    pub(super) fn of_point(point_w: Vec3<S>) -> Self {
        Ball { center_w: point_w, radius: S::ZERO }
    }

    /// The centre seen from a solid [m].
    #[inline(always)]
    pub(super) fn center_in(self, pose_wb: &Transform<S>) -> Vec3<S> {
        pose_wb.rot.transpose_mul(self.center_w - pose_wb.pos)
    }

    /// Where the ball touches a solid, given how far its centre is from it. The ball is a.
    #[inline(always)]
    pub(super) fn touch(self, pose_wb: &Transform<S>, center: Clearance<S>) -> Touch<S> {
        self.touch_along(pose_wb.vector(center.outward_b), center.distance)
    }

    /// Where the ball touches a solid whose surface is `distance` away against `outward_w`.
    #[inline(always)]
    pub(super) fn touch_along(self, outward_w: Vec3<S>, distance: S) -> Touch<S> {
        let gap = distance - self.radius;
        // Midway between the ball's nearest point and the solid's.
        let back = gap.mul_add(S::from_f64(0.5), self.radius);
        let point_w = outward_w.neg_scale_add(back, self.center_w);
        Touch { point_w, normal_w: -outward_w, gap }
    }
}

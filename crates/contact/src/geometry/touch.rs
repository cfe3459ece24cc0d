//! Where two shapes touch, or nearly so.

use gradbody_math::{Scalar, Transform, Vec3};
use gradbody_model::ShapeKind;

/// A shape in the world.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a, S> {
    /// What it is.
    pub kind: &'a ShapeKind,
    /// Its pose.
    pub pose_w: Transform<S>,
    /// Its size; see [`ShapeKind`].
    pub size: Vec3<S>,
}

/// A place where shape a is nearest to shape b, or deepest inside it.
#[derive(Clone, Copy, Debug)]
pub struct Touch<S> {
    /// Midway between the two surfaces [m].
    pub point_w: Vec3<S>,
    /// Unit vector from a to b: the way b has to go to part from a.
    pub normal_w: Vec3<S>,
    /// Distance of the surfaces along the normal; negative inside each other [m].
    pub gap: S,
}

/// A gap that never closes: farther than anything is, small enough to compute with.
pub const FAR: f64 = 1e6;

impl<S: Scalar> Touch<S> {
    /// A place that is not there: of shapes with several places, not all are always near.
    #[inline(always)]
    pub fn none() -> Self {
        Touch { point_w: Vec3::ZERO, normal_w: Vec3::Z, gap: S::from_f64(FAR) }
    }

    /// `self` where `present` is positive; elsewhere the place is not there.
    #[inline(always)]
    pub fn where_positive(self, present: S) -> Self {
        let none = Self::none();
        Touch {
            point_w: select_positive(present, self.point_w, none.point_w),
            normal_w: select_positive(present, self.normal_w, none.normal_w),
            gap: S::ZERO.select_lt(present, self.gap, none.gap),
        }
    }

    /// The same place seen with a and b exchanged.
    #[inline(always)]
    pub fn swapped(self) -> Self {
        Touch { normal_w: -self.normal_w, ..self }
    }
}

/// `yes` where `condition` is positive, else `no`.
#[inline(always)]
fn select_positive<S: Scalar>(condition: S, yes: Vec3<S>, no: Vec3<S>) -> Vec3<S> {
    Vec3::new(
        S::ZERO.select_lt(condition, yes.x, no.x),
        S::ZERO.select_lt(condition, yes.y, no.y),
        S::ZERO.select_lt(condition, yes.z, no.z),
    )
}

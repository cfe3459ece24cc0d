//! A touch: the nearest or deepest point between two shapes.

use gradbody_math::{Scalar, Transform, Vec3};
use gradbody_model::ShapeKind;

/// A shape in the world.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a, S> {
    /// Its kind.
    pub kind: &'a ShapeKind,
    /// Its pose.
    pub pose_w: Transform<S>,
    /// Its size; see [`ShapeKind`].
    pub size: Vec3<S>,
}

/// A point where shape a is nearest to shape b, or deepest inside it.
#[derive(Clone, Copy, Debug)]
pub struct Touch<S> {
    /// Midway between the two surfaces [m].
    pub point_w: Vec3<S>,
    /// Unit vector from a to b: the direction in which b separates from a.
    pub normal_w: Vec3<S>,
    /// Distance between the surfaces along the normal; negative where they penetrate [m].
    pub gap: S,
}

/// Cotangents of a [`Touch`].
#[derive(Clone, Copy, Debug)]
pub struct TouchCotangents<S> {
    /// Of the point.
    pub point_w: Vec3<S>,
    /// Of the normal.
    pub normal_w: Vec3<S>,
    /// Of the gap.
    pub gap: S,
}

/// Cotangents of a [`Placed`] shape.
#[derive(Clone, Copy, Debug)]
pub struct PlacedCotangents<S> {
    /// Of its orientation: growth of the result per turn about each of the world's axes.
    pub turn_w: Vec3<S>,
    /// Of its position.
    pub pos_w: Vec3<S>,
    /// Of its size.
    pub size: Vec3<S>,
}

/// A gap that never closes: larger than any real distance, small enough to compute with.
pub const FAR: f64 = 1e6;

impl<S: Scalar> Touch<S> {
    /// An absent touch: shapes with several touches do not always have all of them.
    #[inline(always)]
    pub fn none() -> Self {
        Touch { point_w: Vec3::ZERO, normal_w: Vec3::Z, gap: S::from_f64(FAR) }
    }

    /// `self` where `present` is positive; absent elsewhere.
    #[inline(always)]
    pub fn where_positive(self, present: S) -> Self {
        let none = Self::none();
        Touch {
            point_w: select_positive(present, self.point_w, none.point_w),
            normal_w: select_positive(present, self.normal_w, none.normal_w),
            gap: S::ZERO.select_lt(present, self.gap, none.gap),
        }
    }

    /// The same touch with a and b exchanged.
    #[inline(always)]
    pub fn swapped(self) -> Self {
        Touch { normal_w: -self.normal_w, ..self }
    }
}

impl<S: Scalar> TouchCotangents<S> {
    /// All zero.
    pub const ZERO: Self =
        TouchCotangents { point_w: Vec3::ZERO, normal_w: Vec3::ZERO, gap: S::ZERO };

    /// Whether all cotangents are zero in all lanes.
    #[inline(always)]
    pub(super) fn is_zero(&self) -> bool {
        self.point_w.is_zero() && self.normal_w.is_zero() && self.gap.is_zero()
    }

    /// Adjoint of [`Touch::where_positive`].
    #[inline(always)]
    pub(super) fn where_positive(self, present: S) -> Self {
        TouchCotangents {
            point_w: select_positive(present, self.point_w, Vec3::ZERO),
            normal_w: select_positive(present, self.normal_w, Vec3::ZERO),
            gap: S::ZERO.select_lt(present, self.gap, S::ZERO),
        }
    }

    /// Adjoint of [`Touch::swapped`].
    #[inline(always)]
    pub(super) fn swapped(self) -> Self {
        TouchCotangents { normal_w: -self.normal_w, ..self }
    }
}

impl<S: Scalar> PlacedCotangents<S> {
    /// All zero.
    pub const ZERO: Self =
        PlacedCotangents { turn_w: Vec3::ZERO, pos_w: Vec3::ZERO, size: Vec3::ZERO };

    /// Adds the cotangent of a direction fixed in the shape.
    #[inline(always)]
    pub(super) fn add_direction(&mut self, direction_w: Vec3<S>, bar_w: Vec3<S>) {
        self.turn_w = direction_w.cross_add(bar_w, self.turn_w);
    }

    /// Adds the cotangent of a point fixed in the shape, `lever_w` from its origin.
    #[inline(always)]
    pub(super) fn add_point(&mut self, lever_w: Vec3<S>, bar_w: Vec3<S>) {
        self.add_direction(lever_w, bar_w);
        self.pos_w += bar_w;
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

//! Rigid transforms.

use core::ops::Mul;

use crate::{Force, Mat3, Motion, Quat, Scalar, Vec3};

/// The pose of one frame in another. Its name has both: `pose_ab` maps coordinates in b to coordinates in a, so
/// adjacent letters cancel in `pose_ac = pose_ab * pose_bc`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform<S> {
    /// Orientation: the axes of b in frame a.
    pub rot: Mat3<S>,
    /// Position of b's origin in a [m].
    pub pos: Vec3<S>,
}

impl<S: Scalar> Default for Transform<S> {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl<S: Scalar> Transform<S> {
    /// The identity: the two frames coincide.
    pub const IDENTITY: Self = Transform { rot: Mat3::IDENTITY, pos: Vec3::ZERO };

    /// From orientation and position.
    #[inline(always)]
    pub const fn new(rot: Mat3<S>, pos: Vec3<S>) -> Self {
        Transform { rot, pos }
    }

    /// A pure translation.
    #[inline(always)]
    pub const fn from_translation(pos: Vec3<S>) -> Self {
        Transform { rot: Mat3::IDENTITY, pos }
    }

    /// From a quaternion (normalised) and a position.
    #[inline(always)]
    pub fn from_quat(quat: Quat<S>, pos: Vec3<S>) -> Self {
        Transform { rot: quat.normalized().to_mat3(), pos }
    }

    /// Maps a point from frame b to frame a.
    #[inline(always)]
    pub fn point(&self, p: Vec3<S>) -> Vec3<S> {
        self.rot.mul_add(p, self.pos)
    }

    /// Maps a direction from frame b to frame a.
    #[inline(always)]
    pub fn vector(&self, v: Vec3<S>) -> Vec3<S> {
        self.rot * v
    }

    /// `pose_ba` from `pose_ab`.
    #[inline(always)]
    pub fn inverse(&self) -> Self {
        Transform { rot: self.rot.transpose(), pos: -self.rot.transpose_mul(self.pos) }
    }

    /// Maps a spatial velocity from b's origin and axes to a's.
    #[inline(always)]
    pub fn motion(&self, m: Motion<S>) -> Motion<S> {
        let ang = self.rot * m.ang;
        Motion { ang, lin: self.pos.cross_add(ang, self.rot * m.lin) }
    }

    /// Maps a spatial force from b's origin and axes to a's.
    #[inline(always)]
    pub fn force(&self, f: Force<S>) -> Force<S> {
        let lin = self.rot * f.lin;
        Force { ang: self.pos.cross_add(lin, self.rot * f.ang), lin }
    }
}

impl<S: Scalar> Mul for Transform<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Transform { rot: self.rot * o.rot, pos: self.point(o.pos) }
    }
}

//! Collision shapes.

use std::path::PathBuf;

use gradbody_math::{Scalar, Transform, Vec3};

use crate::FrameId;

/// What a shape is. `size` below is the shape's size parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeKind {
    /// Radius `size.x`.
    Sphere,
    /// A cylinder with round caps along z: radius `size.x`, half length without caps `size.y`.
    Capsule,
    /// Along z: radius `size.x`, half length `size.y`.
    Cylinder,
    /// Half lengths `size`.
    Box,
    /// Half axes `size`.
    Ellipsoid,
    /// The half space below z = 0.
    Plane,
    /// A mesh file, as the source names it; scaled by `size`.
    Mesh {
        /// The path as written in the source.
        path: PathBuf,
    },
}

/// A collision shape's structure.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Unique name.
    pub name: String,
    /// The frame it is fixed to; its placement is relative to the link that carries that frame.
    pub frame: FrameId,
    /// What it is.
    pub kind: ShapeKind,
    /// Collides with shapes whose `collides_with` has one of these bits (and the other way round).
    pub collision_group: u32,
    /// See `collision_group`.
    pub collides_with: u32,
}

/// A collision shape's numbers.
#[derive(Clone, Copy, Debug)]
pub struct ShapeParams<S> {
    /// Pose in the frame of the link that carries it (or in the world).
    pub placement: Transform<S>,
    /// Sizes; their meaning depends on the kind [m].
    pub size: Vec3<S>,
    /// Surface.
    pub material: Material<S>,
}

/// A surface.
#[derive(Clone, Copy, Debug)]
pub struct Material<S> {
    /// Coefficient of sliding friction.
    pub friction: S,
    /// Coefficient of torsional friction [m].
    pub torsional_friction: S,
    /// Coefficient of rolling friction [m].
    pub rolling_friction: S,
}

impl<S: Scalar> ShapeParams<S> {
    /// Each number through `f`.
    pub fn map<T: Scalar>(&self, f: impl Fn(S) -> T + Copy) -> ShapeParams<T> {
        ShapeParams {
            placement: crate::params::map_transform(&self.placement, f),
            size: self.size.map(f),
            material: Material {
                friction: f(self.material.friction),
                torsional_friction: f(self.material.torsional_friction),
                rolling_friction: f(self.material.rolling_friction),
            },
        }
    }
}

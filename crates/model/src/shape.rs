//! Collision shapes.

use std::path::PathBuf;
use std::sync::Arc;

use gradbody_math::{Scalar, Transform, Vec3};

use crate::{FrameId, Hull, Material, Outline};

/// The kind of a shape. `size` below is the shape's size parameter.
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
    /// The half space below z = 0; it can have any pose on any link.
    Plane,
    /// The convex hull of a mesh, scaled by `size`.
    Mesh(Arc<Mesh>),
    /// An outline in the xy plane, scaled by `size.x` and `size.y`, from z = −`size.z` to `size.z`.
    Extrusion(Arc<Outline>),
    /// Points at which a body touches others, scaled by `size`. They do not touch each other, meshes or ellipsoids.
    Points(Arc<[Vec3<f64>]>),
}

/// A mesh file, and its hull.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// The path as written in the source; empty for a mesh made in code.
    pub path: PathBuf,
    /// The convex hull of its vertices; `None` if the file was not read. Such a shape touches nothing.
    pub hull: Option<Hull>,
}

/// How a shape acts on others that it touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactLaw {
    /// The step's contact solver keeps bodies from penetrating.
    #[default]
    Rigid,
    /// A force that grows with the penetration (Hunt-Crossley), whatever the solver.
    Compliant,
}

/// A collision shape's structure.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Unique name.
    pub name: String,
    /// The frame it is fixed to; its placement is relative to the link that carries that frame.
    pub frame: FrameId,
    /// The kind of shape.
    pub kind: ShapeKind,
    /// Collides with shapes whose `collides_with` has one of these bits (and vice versa).
    pub collision_group: u32,
    /// See `collision_group`.
    pub collides_with: u32,
    /// The contact law. A contact is compliant if either shape is.
    pub law: ContactLaw,
    /// Whether its contacts resist turning, by torsional and rolling friction. A contact does if either shape does.
    pub resists_turning: bool,
    /// Whether the friction of its surface was given. A URDF often says nothing of it, and then its number is the
    /// default: see [`FrictionOf::between`].
    pub friction_given: bool,
    /// The absolute path of its mesh's file; `None` if it was not found, or if there is no file.
    pub mesh_file: Option<PathBuf>,
}

/// What is known of a shape's friction, which decides whose coefficient counts where it touches another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrictionKnown {
    /// It was given for a shape of the world's own frame, such as a ground.
    OfWorld,
    /// It was given for another shape.
    Given,
    /// It was not given.
    No,
}

/// Whose coefficients of sliding and static friction count where two shapes, a and b, touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionOf {
    /// The larger of both.
    #[default]
    Larger,
    /// That of shape a.
    A,
    /// That of shape b.
    B,
}

impl FrictionOf {
    /// A shape whose friction was not given takes that of the world's shapes. Otherwise the larger counts.
    #[inline(always)]
    pub const fn between(a: FrictionKnown, b: FrictionKnown) -> Self {
        match (a, b) {
            (FrictionKnown::OfWorld, FrictionKnown::No) => FrictionOf::A,
            (FrictionKnown::No, FrictionKnown::OfWorld) => FrictionOf::B,
            _ => FrictionOf::Larger,
        }
    }
}

impl Shape {
    /// What is known of its friction.
    pub fn friction_known(&self) -> FrictionKnown {
        match self.friction_given {
            false => FrictionKnown::No,
            true if self.frame == FrameId::WORLD => FrictionKnown::OfWorld,
            true => FrictionKnown::Given,
        }
    }
}

/// A collision shape's parameters.
#[derive(Clone, Copy, Debug)]
pub struct ShapeParams<S> {
    /// Pose in the frame of the link that carries it (or in the world).
    pub placement: Transform<S>,
    /// Size parameters, whose meaning depends on the kind [m].
    pub size: Vec3<S>,
    /// Surface.
    pub material: Material<S>,
}

impl<S: Scalar> ShapeParams<S> {
    /// Applies `f` to each number.
    pub fn map<T: Scalar>(&self, f: impl Fn(S) -> T + Copy) -> ShapeParams<T> {
        ShapeParams {
            placement: crate::params::map_transform(&self.placement, f),
            size: self.size.map(f),
            material: self.material.map(f),
        }
    }
}

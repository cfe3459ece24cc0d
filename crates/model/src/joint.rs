//! Joint kinds and their parameters.
//!
//! A joint places its link's frame relative to the parent's: first the constant `placement`, then its own motion. Every
//! velocity coordinate turns about or slides along one axis ([`DofKind`]), which is all that the dynamics need; the
//! kinds differ only in their kinematics.

use gradbody_math::{Scalar, Transform, Vec3};

/// The direction of a one-axis joint: a coordinate axis, which is cheaper, or any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Along +x of the joint frame.
    X,
    /// Along +y.
    Y,
    /// Along +z.
    Z,
    /// Along the parameter `joint/NAME/axis`.
    Any,
}

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Turns about an axis. q: angle [rad].
    Revolute(Axis),
    /// Slides along an axis. q: distance [m].
    Prismatic(Axis),
    /// Turns about any axis. q: unit quaternion (w, x, y, z); v: angular velocity in the link's axes.
    Spherical,
    /// Slides in the joint frame's xy plane and turns about its z. q: (x, y, angle); v: their rates.
    Planar,
    /// Turns about a first axis fixed in the parent, then about a second fixed in the link.
    /// q: both angles.
    Universal,
    /// Moves freely. q: position, then quaternion (w, x, y, z); v: linear velocity in the joint
    /// frame's (for a root: the world's) axes, then angular velocity in the link's axes.
    Free,
}

/// One velocity coordinate: an axis to turn about or to slide along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DofKind {
    /// Angular velocity along the axis.
    Angular,
    /// Linear velocity along the axis.
    Linear,
}

impl JointKind {
    /// Number of position coordinates.
    #[inline(always)]
    pub const fn nq(self) -> usize {
        match self {
            JointKind::Revolute(_) | JointKind::Prismatic(_) => 1,
            JointKind::Universal => 2,
            JointKind::Planar => 3,
            JointKind::Spherical => 4,
            JointKind::Free => 7,
        }
    }

    /// Number of velocity coordinates.
    #[inline(always)]
    pub const fn nv(self) -> usize {
        self.dofs().len()
    }

    /// Whether each velocity coordinate is angular or linear.
    #[inline(always)]
    pub const fn dofs(self) -> &'static [DofKind] {
        use DofKind::{Angular, Linear};
        match self {
            JointKind::Revolute(_) => &[Angular],
            JointKind::Prismatic(_) => &[Linear],
            JointKind::Spherical => &[Angular; 3],
            JointKind::Planar => &[Linear, Linear, Angular],
            JointKind::Universal => &[Angular; 2],
            JointKind::Free => &[Linear, Linear, Linear, Angular, Angular, Angular],
        }
    }

    /// Whether `JointParams::axis` is used: the direction is not a coordinate axis.
    #[inline(always)]
    pub(crate) const fn has_axis(self) -> bool {
        matches!(
            self,
            JointKind::Revolute(Axis::Any) | JointKind::Prismatic(Axis::Any) | JointKind::Universal
        )
    }

    /// Whether `JointParams::axis2` is used.
    #[inline(always)]
    pub(crate) const fn has_axis2(self) -> bool {
        matches!(self, JointKind::Universal)
    }

    /// Whether its coordinates are plain numbers, which can have a range and a rest position.
    #[inline(always)]
    pub const fn is_flat(self) -> bool {
        !matches!(self, JointKind::Spherical | JointKind::Free)
    }

    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            JointKind::Revolute(_) => "revolute",
            JointKind::Prismatic(_) => "prismatic",
            JointKind::Spherical => "spherical",
            JointKind::Planar => "planar",
            JointKind::Universal => "universal",
            JointKind::Free => "free",
        }
    }

    /// The suffix of each velocity coordinate's name after the joint's; empty if there is only one.
    pub const fn velocity_suffixes(self) -> &'static [&'static str] {
        match self {
            JointKind::Revolute(_) | JointKind::Prismatic(_) => &[""],
            JointKind::Spherical => &["wx", "wy", "wz"],
            JointKind::Planar => &["vx", "vy", "wz"],
            JointKind::Universal => &["w1", "w2"],
            JointKind::Free => &["vx", "vy", "vz", "wx", "wy", "wz"],
        }
    }

    /// The suffix of each position coordinate's name after the joint's; empty if there is only one.
    pub const fn position_suffixes(self) -> &'static [&'static str] {
        match self {
            JointKind::Revolute(_) | JointKind::Prismatic(_) => &[""],
            JointKind::Spherical => &["qw", "qx", "qy", "qz"],
            JointKind::Planar => &["x", "y", "angle"],
            JointKind::Universal => &["angle1", "angle2"],
            JointKind::Free => &["x", "y", "z", "qw", "qx", "qy", "qz"],
        }
    }

    pub(crate) fn write_neutral<S: Scalar>(self, q: &mut [S]) {
        q.fill(S::ZERO);
        match self {
            JointKind::Spherical => q[0] = S::ONE,
            JointKind::Free => q[3] = S::ONE,
            _ => {}
        }
    }
}

/// A joint's parameters. Those after the axes apply equally to each of its degrees of freedom; range and rest position
/// only apply to joints whose coordinates are plain numbers ([`JointKind::is_flat`]).
#[derive(Clone, Copy, Debug)]
pub struct JointParams<S> {
    /// Pose of the joint at rest in the parent link's frame.
    pub placement: Transform<S>,
    /// Unit axis in the joint frame; the first of a universal joint.
    pub axis: Vec3<S>,
    /// Second unit axis of a universal joint, in the link's frame.
    pub axis2: Vec3<S>,
    /// Rotor inertia reflected to the joint [kg m² or kg].
    pub armature: S,
    /// Viscous damping [N m s/rad or N s/m].
    pub damping: S,
    /// Coulomb friction: its torque or force at high speed [N m or N].
    pub friction: S,
    /// Speed over which Coulomb friction changes its sign, as tanh(v / this) [rad/s or m/s].
    pub friction_velocity: S,
    /// Spring stiffness [N m/rad or N/m].
    pub stiffness: S,
    /// Position at which the spring is at rest [rad or m].
    pub rest: S,
    /// Lower end of the range; −∞ if none [rad or m].
    pub limit_lower: S,
    /// Upper end of the range; +∞ if none [rad or m].
    pub limit_upper: S,
    /// Stiffness of the soft limit [N m/rad or N/m].
    pub limit_stiffness: S,
    /// Damping inside the soft limit [N m s/rad or N s/m].
    pub limit_damping: S,
    /// Depth over which the soft limit sets in smoothly [rad or m].
    pub limit_softness: S,
    /// Largest torque or force that its actuators may apply; +∞ if unlimited [N m or N].
    pub effort_limit: S,
}

impl<S: Scalar> JointParams<S> {
    /// Applies `f` to each number.
    pub fn map<T: Scalar>(&self, f: impl Fn(S) -> T + Copy) -> JointParams<T> {
        JointParams {
            placement: crate::params::map_transform(&self.placement, f),
            axis: self.axis.map(f),
            axis2: self.axis2.map(f),
            armature: f(self.armature),
            damping: f(self.damping),
            friction: f(self.friction),
            friction_velocity: f(self.friction_velocity),
            stiffness: f(self.stiffness),
            rest: f(self.rest),
            limit_lower: f(self.limit_lower),
            limit_upper: f(self.limit_upper),
            limit_stiffness: f(self.limit_stiffness),
            limit_damping: f(self.limit_damping),
            limit_softness: f(self.limit_softness),
            effort_limit: f(self.effort_limit),
        }
    }
}

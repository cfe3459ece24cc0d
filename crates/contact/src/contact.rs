//! A contact: where two bodies touch, and the force there.

use gradbody_math::Vec3;
use gradbody_model::{ContactLaw, LinkId, Material, ShapeId};

/// Initial capacity for contacts, per shape; a step with more has to allocate.
pub(crate) const CONTACTS_PER_SHAPE: usize = 16;

/// A point where two shapes touch, or will touch within the step. The solver writes force and torque,
/// [`collide`](crate::collide) everything else.
#[derive(Clone, Copy, Debug)]
pub struct Contact<S> {
    /// Which point of which pair of shapes.
    pub id: ContactId,
    /// The link that carries shape a; `None` for the world.
    pub link_a: Option<LinkId>,
    /// The link that carries shape b; `None` for the world.
    pub link_b: Option<LinkId>,
    /// Rigid (the solver keeps the bodies apart) or compliant (a force does).
    pub law: ContactLaw,
    /// Whether it resists turning, by torsional and rolling friction.
    pub resists_turning: bool,
    /// The point midway between the surfaces [m].
    pub point_w: Vec3<S>,
    /// Unit vector from a to b.
    pub normal_w: Vec3<S>,
    /// Distance between the surfaces; negative where they penetrate [m]. It is [`FAR`](crate::geometry::FAR) in worlds
    /// (lanes) where this contact is not active.
    pub gap: S,
    /// Velocity of b relative to a at the point, at the start of the step [m/s].
    pub velocity_w: Vec3<S>,
    /// Angular velocity of b relative to a, at the start of the step [rad/s].
    pub spin_w: Vec3<S>,
    /// Properties of the surface.
    pub material: Material<S>,
    /// Force of a on b, the average over the step [N].
    pub force_w: Vec3<S>,
    /// Torque of a on b about the point, the average over the step [N m].
    pub torque_w: Vec3<S>,
}

/// The identity of a contact from step to step: a numbered point of a pair of shapes, a before b.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactId {
    /// The shape with the lower number.
    pub a: ShapeId,
    /// The shape with the higher number.
    pub b: ShapeId,
    /// The number of the point, among those of this pair.
    pub slot: u32,
}

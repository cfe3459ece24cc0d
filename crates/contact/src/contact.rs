//! A contact: where two bodies touch, and what they do to each other there.

use gradbody_math::Vec3;
use gradbody_model::{ContactLaw, LinkId, Material, ShapeId};

/// Contacts that buffers have room for per shape before a step has to allocate.
pub(crate) const CONTACTS_PER_SHAPE: usize = 16;

/// One place where two shapes touch, or will within the step. Force and torque are written by the
/// solver, everything else by [`collide`](crate::collide).
#[derive(Clone, Copy, Debug)]
pub struct Contact<S> {
    /// Which place of which shapes it is.
    pub id: ContactId,
    /// The link that carries shape a; none for the world.
    pub link_a: Option<LinkId>,
    /// The link that carries shape b; none for the world.
    pub link_b: Option<LinkId>,
    /// Whether the solver keeps the bodies apart, or a force does.
    pub law: ContactLaw,
    /// Whether it resists turning: torsional and rolling friction.
    pub resists_turning: bool,
    /// Midway between the surfaces [m].
    pub point_w: Vec3<S>,
    /// Unit vector from a to b.
    pub normal_w: Vec3<S>,
    /// Distance of the surfaces; negative inside each other [m]. In worlds (lanes) where this
    /// contact is not active: [`FAR`](crate::geometry::FAR).
    pub gap: S,
    /// Velocity of b relative to a at the point, at the start of the step [m/s].
    pub velocity_w: Vec3<S>,
    /// Angular velocity of b relative to a, at the start of the step [rad/s].
    pub spin_w: Vec3<S>,
    /// The surface.
    pub material: Material<S>,
    /// Force of a on b, the average over the step [N].
    pub force_w: Vec3<S>,
    /// Torque of a on b about the point, the average over the step [N m].
    pub torque_w: Vec3<S>,
}

/// The identity of a contact from step to step: a place of a pair of shapes, a before b.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactId {
    /// The shape with the lower number.
    pub a: ShapeId,
    /// The other.
    pub b: ShapeId,
    /// Which of the places that such shapes have.
    pub slot: u32,
}

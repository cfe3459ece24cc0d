//! The quantities of a step that networks can read and change, one number each, and the stage at which each is known.

use std::fmt;

use gradbody_model::{LinkId, ParamId, ShapeId};

/// One number inside a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signal {
    /// Time at the start of the step [s].
    Time,
    /// An external signal of the input.
    User(usize),
    /// A position coordinate that is a plain number.
    Position {
        /// Its index in q.
        q: usize,
        /// The index in v of its rate.
        v: usize,
    },
    /// A velocity coordinate.
    Velocity(usize),
    /// A parameter of the model.
    Param(ParamId),
    /// Position of a link's origin along an axis of the world [m].
    LinkPosition(LinkId, usize),
    /// Roll, pitch or yaw of a link [rad].
    LinkOrientation(LinkId, usize),
    /// The velocity of a link's origin, along an axis of the world [m/s].
    LinkVelocity(LinkId, usize),
    /// A link's angular velocity about an axis of the world [rad/s].
    LinkSpin(LinkId, usize),
    /// A quantity of a contact.
    Contact(Pair, ContactSignal),
    /// Force of input and actuators on a velocity coordinate [N m or N].
    ActuatorForce(usize),
    /// Force of springs, dampers, friction and soft limits on a velocity coordinate [N m or N].
    PassiveForce(usize),
    /// Force on a link at its origin, along an axis of the world [N].
    Force(LinkId, usize),
    /// Torque on a link about its origin, about an axis of the world [N m].
    Torque(LinkId, usize),
    /// The same force, along an axis of the link [N].
    LocalForce(LinkId, usize),
    /// The same torque, about an axis of the link [N m].
    LocalTorque(LinkId, usize),
    /// Acceleration of a velocity coordinate without rigid contacts.
    Acceleration(usize),
    /// A velocity coordinate at the end of the step.
    EndVelocity(usize),
}

/// Which contacts: those of two shapes, the one with the lower number first, or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair(pub Option<(ShapeId, ShapeId)>);

impl Pair {
    /// Whether it includes contacts of these shapes, the one with the lower number first.
    #[inline(always)]
    pub fn has(self, a: ShapeId, b: ShapeId) -> bool {
        self.0.is_none_or(|pair| pair == (a, b))
    }
}

/// A quantity of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContactSignal {
    /// Distance between the surfaces, negative inside [m].
    Gap,
    /// Speed of approach [m/s].
    Rate,
    /// Speed of parting [m/s]: the velocity that the normal force does work on. It has no name.
    Parting,
    /// Sliding velocity along a tangent [m/s].
    Slide(usize),
    /// Magnitude of the sliding velocity [m/s].
    Speed,
    /// Position of the contact along an axis of the world [m].
    Point(usize),
    /// Component of the normal along an axis of the world.
    Normal(usize),
    /// Coefficient of friction.
    Coefficient,
    /// Coefficient of restitution.
    Restitution,
    /// Force along the normal [N].
    NormalForce,
    /// Force along a tangent [N].
    Friction(usize),
}

/// The stages of a step, in order: when a quantity is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Time, signals, positions and velocities at the start.
    State,
    /// Numbers of the model.
    Model,
    /// Poses and velocities of links.
    Links,
    /// Contact points.
    Contacts,
    /// Forces of compliant contacts, and forces that are added at rigid ones.
    ContactForces,
    /// Forces on links.
    Wrenches,
    /// Forces of actuators.
    Actuators,
    /// Forces of springs, dampers and friction in joints.
    Passive,
    /// Accelerations without rigid contacts.
    Accelerations,
    /// Velocities at the end.
    Velocity,
    /// Forces of rigid contacts.
    End,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; 11] = [
        Stage::State,
        Stage::Model,
        Stage::Links,
        Stage::Contacts,
        Stage::ContactForces,
        Stage::Wrenches,
        Stage::Actuators,
        Stage::Passive,
        Stage::Accelerations,
        Stage::Velocity,
        Stage::End,
    ];

    /// Its index in the order.
    pub fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::State => "state",
            Stage::Model => "model",
            Stage::Links => "links",
            Stage::Contacts => "contacts",
            Stage::ContactForces => "contact forces",
            Stage::Actuators => "actuators",
            Stage::Passive => "passive joint forces",
            Stage::Wrenches => "forces on links",
            Stage::Accelerations => "accelerations",
            Stage::Velocity => "end velocity",
            Stage::End => "rigid contact forces",
        })
    }
}

impl Signal {
    /// The stage at which it is known; `rigid` if a solver finds the forces of its contacts.
    pub fn stage(self, rigid: bool) -> Stage {
        match self {
            Signal::Time | Signal::User(_) | Signal::Position { .. } | Signal::Velocity(_) => {
                Stage::State
            }
            Signal::Param(_) => Stage::Model,
            Signal::LinkPosition(..)
            | Signal::LinkOrientation(..)
            | Signal::LinkVelocity(..)
            | Signal::LinkSpin(..) => Stage::Links,
            Signal::Contact(_, ContactSignal::NormalForce | ContactSignal::Friction(_)) => {
                if rigid { Stage::End } else { Stage::ContactForces }
            }
            Signal::Contact(..) => Stage::Contacts,
            Signal::ActuatorForce(_) => Stage::Actuators,
            Signal::PassiveForce(_) => Stage::Passive,
            Signal::Force(..)
            | Signal::Torque(..)
            | Signal::LocalForce(..)
            | Signal::LocalTorque(..) => Stage::Wrenches,
            Signal::Acceleration(_) => Stage::Accelerations,
            Signal::EndVelocity(_) => Stage::Velocity,
        }
    }

    /// The stage at which a network changes it. A force that is added at a rigid contact acts before the solver finds
    /// the rest.
    pub fn change_stage(self, rigid: bool) -> Stage {
        match self.stage(rigid) {
            Stage::End => Stage::ContactForces,
            stage => stage,
        }
    }

    /// Whether a network can change it.
    pub fn can_change(self) -> bool {
        use ContactSignal::{Parting, Speed};
        !matches!(self, Signal::Time | Signal::User(_) | Signal::Contact(_, Parting | Speed))
    }
}

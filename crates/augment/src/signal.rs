//! The quantities of a step that networks can read and change, one number each, and when they are known.

use std::fmt;

use gradbody_model::{LinkId, ParamId, ShapeId};

/// One number inside a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signal {
    /// Time at the start of the step [s].
    Time,
    /// A signal of the input, given from outside.
    User(usize),
    /// A position coordinate; flat ones only.
    Position {
        /// Which of q.
        q: usize,
        /// Which of v moves it.
        v: usize,
    },
    /// A velocity coordinate.
    Velocity(usize),
    /// A number of the model.
    Param(ParamId),
    /// Where a link's origin is, along an axis of the world [m].
    LinkPosition(LinkId, usize),
    /// Roll, pitch or yaw of a link [rad].
    LinkOrientation(LinkId, usize),
    /// The velocity of a link's origin, along an axis of the world [m/s].
    LinkVelocity(LinkId, usize),
    /// A link's angular velocity about an axis of the world [rad/s].
    LinkSpin(LinkId, usize),
    /// Of a contact.
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

/// Which contacts: those of two shapes, the lower first, or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair(pub Option<(ShapeId, ShapeId)>);

impl Pair {
    /// Whether a contact of these shapes, the lower first, is one of them.
    #[inline(always)]
    pub fn has(self, a: ShapeId, b: ShapeId) -> bool {
        self.0.is_none_or(|pair| pair == (a, b))
    }
}

/// A number of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContactSignal {
    /// Distance of the surfaces, negative inside [m].
    Gap,
    /// How fast they approach [m/s].
    Rate,
    /// Sliding velocity along a tangent [m/s].
    Slide(usize),
    /// Its place, along an axis of the world [m].
    Point(usize),
    /// Its normal, along an axis of the world.
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

/// When within a step something is known, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Time, signals, positions and velocities at the start.
    State,
    /// Numbers of the model.
    Model,
    /// Poses and velocities of links.
    Links,
    /// Where bodies touch.
    Contacts,
    /// Forces of compliant contacts.
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
    /// All, in order.
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

    /// Its place in the order.
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
            Stage::ContactForces => "compliant contact forces",
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
    /// When it is known; `rigid` if forces of its contacts are found by a solver.
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

    /// Whether a network can change it.
    pub fn can_change(self) -> bool {
        !matches!(self, Signal::Time | Signal::User(_))
    }
}

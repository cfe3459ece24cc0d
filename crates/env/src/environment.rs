//! The names of the environments.

use crate::{Description, catalogue};

/// A learning environment by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Environment {
    /// A pole on a cart, to be kept upright.
    InvertedPendulum,
    /// A runner of two legs in a vertical plane.
    HalfCheetah,
    /// A jumper of one leg in a vertical plane.
    Hopper,
    /// A round body on four legs; it sees 105 numbers, 78 of which are contact forces.
    Ant,
    /// The same with 27 numbers, without contact forces.
    AntWithoutContactForces,
    /// A torso on two legs in a vertical plane.
    Walker2d,
    /// An arm of two links that reaches for a target.
    Reacher,
    /// A chain of three links in a fluid.
    Swimmer,
    /// A Laikago that walks forwards; its actions move the targets of twelve servos. Ours, not one of Gymnasium's.
    LaikagoWalk,
    /// The same robot, which follows commands: a velocity forwards and sideways, and a yaw rate. Ours.
    LaikagoCommands,
    /// A human figure; it sees 348 numbers: state, inertias and velocities of its bodies, joint forces, contact
    /// forces.
    Humanoid,
    /// One link that is swung up from the horizontal by a motor at its joint, to reach the highest point with its end.
    Pendulum1,
    /// The same with two links and a motor at each joint.
    Pendulum2,
    /// The same with three links and a motor at each joint.
    Pendulum3,
    /// The same with four links and a motor at each joint.
    Pendulum4,
    /// The same with five links and a motor at each joint.
    Pendulum5,
    /// The same with six links and a motor at each joint.
    Pendulum6,
    /// The same with seven links and a motor at each joint.
    Pendulum7,
}

impl Environment {
    /// All environments.
    pub const ALL: [Environment; 18] = [
        Environment::InvertedPendulum,
        Environment::HalfCheetah,
        Environment::Hopper,
        Environment::Ant,
        Environment::AntWithoutContactForces,
        Environment::Walker2d,
        Environment::Reacher,
        Environment::Swimmer,
        Environment::LaikagoWalk,
        Environment::LaikagoCommands,
        Environment::Humanoid,
        Environment::Pendulum1,
        Environment::Pendulum2,
        Environment::Pendulum3,
        Environment::Pendulum4,
        Environment::Pendulum5,
        Environment::Pendulum6,
        Environment::Pendulum7,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Environment::InvertedPendulum => "InvertedPendulum",
            Environment::HalfCheetah => "HalfCheetah",
            Environment::Hopper => "Hopper",
            Environment::Ant => "Ant",
            Environment::AntWithoutContactForces => "AntWithoutContactForces",
            Environment::Walker2d => "Walker2d",
            Environment::Reacher => "Reacher",
            Environment::Swimmer => "Swimmer",
            Environment::LaikagoWalk => "LaikagoWalk",
            Environment::LaikagoCommands => "LaikagoCommands",
            Environment::Humanoid => "Humanoid",
            Environment::Pendulum1 => "Pendulum1",
            Environment::Pendulum2 => "Pendulum2",
            Environment::Pendulum3 => "Pendulum3",
            Environment::Pendulum4 => "Pendulum4",
            Environment::Pendulum5 => "Pendulum5",
            Environment::Pendulum6 => "Pendulum6",
            Environment::Pendulum7 => "Pendulum7",
        }
    }

    /// The environment of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|environment| environment.name() == name)
    }

    /// What it consists of, with the default weights and ranges.
    pub fn describe(self) -> Description {
        catalogue::describe(self)
    }
}

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
    /// A human figure; it sees 348 numbers: state, inertias and velocities of its bodies, joint forces, contact
    /// forces.
    Humanoid,
}

impl Environment {
    /// All environments.
    pub const ALL: [Environment; 10] = [
        Environment::InvertedPendulum,
        Environment::HalfCheetah,
        Environment::Hopper,
        Environment::Ant,
        Environment::AntWithoutContactForces,
        Environment::Walker2d,
        Environment::Reacher,
        Environment::Swimmer,
        Environment::LaikagoWalk,
        Environment::Humanoid,
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
            Environment::Humanoid => "Humanoid",
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

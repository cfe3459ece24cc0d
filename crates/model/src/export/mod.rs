//! Writing models to files, so that fitted parameters can be used elsewhere.

mod losses;
mod mesh_path;
mod mjcf;
mod urdf;
mod xml;

pub use mjcf::{mjcf, mjcf_in};
pub use urdf::{urdf, urdf_in};

use crate::ModelError;

/// A file's text, and what the format cannot express.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The file.
    pub text: String,
    /// What is lost, one sentence each.
    pub notes: Vec<String>,
}

/// What no MJCF of a model has: the first note of each.
pub const NOT_OF_A_MODEL: &str =
    "sensors and solver options (integrator, …) are not part of a model, so none are written";

/// Why a model cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExportError {
    /// The format does not have this kind of joint.
    #[error(
        "joint \"{joint}\" is spherical, which URDF does not have; replace it by three revolute \
         joints"
    )]
    Spherical {
        /// Name of the joint.
        joint: String,
    },
    /// A name cannot be written in XML.
    #[error("the name {name:?} has a character that XML cannot hold; rename it")]
    Name {
        /// The name.
        name: String,
    },
    /// A number in the model is invalid.
    #[error(transparent)]
    Model(#[from] ModelError),
}

//! Models to files, so that fitted numbers can be used elsewhere.

mod losses;
mod mesh_path;
mod mjcf;
mod urdf;
mod xml;

pub use mjcf::{mjcf, mjcf_in};
pub use urdf::{urdf, urdf_in};

use crate::ModelError;

/// A file's text, and what the format cannot say.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The file.
    pub text: String,
    /// What is lost, a sentence each.
    pub notes: Vec<String>,
}

/// Why a model cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExportError {
    /// The format has no such joint.
    #[error(
        "joint \"{joint}\" is spherical, which URDF does not have; replace it by three revolute \
         joints"
    )]
    Spherical {
        /// Name of the joint.
        joint: String,
    },
    /// A name that no XML file can hold.
    #[error("the name {name:?} has a character that XML cannot hold; rename it")]
    Name {
        /// The name.
        name: String,
    },
    /// A number in the model is not usable.
    #[error(transparent)]
    Model(#[from] ModelError),
}

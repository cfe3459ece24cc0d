//! How a model is drawn: its whole scene of solid geometries, and where its bodies are.
//!
//! A [`Scene`] has everything that a viewer needs but the motion; [`poses`] says where the bodies are at a moment,
//! and [`Effects`] where networks act, and how much.

mod base64_text;
mod effects;
mod mesh;
mod poses;
mod scene;
mod simplify;
mod weld;

pub use effects::{Effect, EffectKind, EffectSite, EffectTrack, Effects};
pub use mesh::{MOST_TRIANGLES, TriangleMesh};
pub use poses::{POSE, add_pose, add_poses, poses};
pub use scene::{Geometry, Kind, MassBox, Role, Scene, SceneActuator, SceneJoint};

#[cfg(test)]
mod tests;

//! Rigid-body dynamics: free functions over `(model, inputs, workspace)`.
//!
//! ```text
//! q ──► kinematics ──► Kinematics ──┬─► rnea ──► tau          inverse dynamics
//! v ──► velocities ───────┘         ├─► aba  ──► qdd          forward dynamics
//!                                   ├─► crba ──► M ──► factorise, solve
//!                         aba ──────┼─► response ──► velocities from impulses
//!                                   └─► jacobians, centre of mass, momentum, energy
//! ```
//!
//! **Where quantities live.** Every body's motion, force and inertia is taken at the body's own
//! origin, in the *world's* axes, and linear accelerations are those of the origin itself. Then no
//! six-dimensional quantity is ever rotated on its way along the tree, only shifted; every velocity
//! coordinate is one axis to turn about or to slide along, so the algorithms know nothing of joint
//! kinds; and nothing depends on how far the robot is from the world's origin, so f32 keeps its
//! digits. See docs/decisions/0004-dynamics-in-world-axes.md.
//!
//! Workspaces are sized once; no function here allocates. Every function is generic over
//! [`Scalar`](gradbody_math::Scalar): run it on dual numbers and it returns its own derivative, on
//! lanes and it does many worlds at once.

mod aba;
mod actuator_forces;
pub mod batch;
mod centroidal;
mod crba;
mod factorise;
mod integrate;
mod jacobian;
mod joint_forces;
mod kinematics;
mod response;
mod rnea;

pub use aba::{AbaWork, aba, aba_with_added_inertia};
pub use actuator_forces::{actuator_forces, limit_activations};
pub use centroidal::{centre_of_mass, gravitational_energy, kinetic_energy, momentum, total_mass};
pub use crba::{CrbaWork, MassMatrix, crba};
pub use factorise::{MassFactors, factorise, solve};
pub use integrate::{difference, integrate, local_rate};
pub use jacobian::{frame_jacobian, frame_pose, frame_velocity, point_jacobian};
pub use joint_forces::{JointStops, elastic_energy, has_friction, implicit_damping, joint_forces};
pub use kinematics::{BodyKinematics, Kinematics, kinematics, velocities};
pub use response::{
    Pull, Response, joint_response_factors, link_motions, response_factors, velocity_change,
};
pub use rnea::{RneaWork, bias_forces, gravity_forces, rnea};

//! Rigid-body dynamics: free functions over `(model, inputs, workspace)`.
//!
//! ```text
//! q ──► kinematics ──► Kinematics ──┬─► rnea ──► tau          inverse dynamics
//! v ──► velocities ───────┘         ├─► aba  ──► qdd          forward dynamics
//!                                   ├─► crba ──► M ──► factorise, solve
//!                         aba ──────┼─► response ──► velocities from impulses
//!                                   ├─► rnea_jacobian, mass_columns ──► derivatives as matrices
//!                                   └─► jacobians, centre of mass, momentum, energy
//! ```
//!
//! **Frames.** Every body's motion, force and inertia refers to the body's own origin, in the *world's* axes, and
//! linear accelerations are those of the origin itself. So six-dimensional quantities are only shifted along the tree,
//! never rotated. Every velocity coordinate is one axis to turn about or to slide along, so the algorithms do not
//! depend on joint kinds. Nothing depends on the robot's distance from the world's origin, so f32 keeps its precision.
//! See docs/decisions/0004-dynamics-in-world-axes.md.
//!
//! Workspaces are allocated once; no function here allocates. Every function is generic over
//! [`Scalar`](gradbody_math::Scalar): on dual numbers it returns its own derivative, on lanes it computes many worlds
//! at once.

mod aba;
mod actuator_forces;
pub mod batch;
mod centroidal;
mod crba;
mod crba_vjp;
mod factorise;
mod forward_dynamics_vjp;
mod integrate;
mod jacobian;
mod joint_forces;
mod kinematics;
mod kinematics_vjp;
mod mass_columns;
mod response;
mod rnea;
mod rnea_jacobian;
mod rnea_vjp;
mod spatial_axes;

pub use aba::{AbaWork, aba, aba_with_added_inertia};
pub use actuator_forces::{
    ActuatorCotangents, ActuatorInputs, actuator_forces, actuator_forces_vjp, limit_activations,
    limit_activations_vjp,
};
pub use centroidal::{
    centre_of_mass, centre_of_mass_velocity, centre_of_mass_velocity_vjp, centre_of_mass_vjp,
    gravitational_energy, gravitational_energy_vjp, kinetic_energy, kinetic_energy_vjp, momentum,
    total_mass,
};
pub use crba::{CrbaWork, MassMatrix, crba};
pub use crba_vjp::{CrbaVjpWork, MassProductWork, crba_vjp, mass_product_vjp};
pub use factorise::{MassFactors, factorise, solve};
pub use forward_dynamics_vjp::{ForwardDynamicsVjpWork, forward_dynamics_vjp, solved_dynamics_vjp};
pub use integrate::{
    TurnJacobian, difference, difference_vjp, integrate, integrate_vjp, local_rate, local_rate_vjp,
    log_vjp, turn_jacobians,
};
pub use jacobian::{
    frame_jacobian, frame_pose, frame_pose_vjp, frame_velocity, frame_velocity_vjp, point_jacobian,
};
pub use joint_forces::{
    ImplicitDampingCotangents, JointStops, elastic_energy, elastic_energy_vjp, has_friction,
    implicit_damping, implicit_damping_vjp, joint_forces, joint_forces_vjp,
};
pub use kinematics::{BodyKinematics, Kinematics, kinematics, velocities};
pub use kinematics_vjp::{
    BodyCotangents, CoordinateCotangents, KinematicsCotangents, add_turn, kinematics_vjp,
};
pub use mass_columns::{MassColumns, into_factors, mass_columns, out_of_factors};
pub use response::{
    Pull, Response, impulse_response, joint_response_factors, link_motions, link_motions_vjp,
    response_factors, velocity_change,
};
pub use rnea::{RneaWork, bias_forces, gravity_forces, rnea};
pub use rnea_jacobian::{Addend, RneaAt, RneaJacobianWork, rnea_jacobian};
pub use rnea_vjp::{DynamicsCotangents, RneaCotangents, RneaVjpWork, rnea_vjp};
pub use spatial_axes::{
    Chains, SpatialAxes, TreeMotion, add_force_column, spatial_axes, tree_motion,
};

//! Adjoints against forward derivatives: ⟨ȳ, J dx⟩ = ⟨Jᵀ ȳ, dx⟩, for random trees of all joint kinds,
//! in the state, in whatever else a stage takes, and in every parameter. The same once more for
//! adjoints run on dual numbers, against second derivatives.

mod actuators;
mod check;
mod configurations;
mod dynamics;
mod energies;
mod jacobians;
mod joint_forces;
mod kinematics;
mod lanes;
mod stage;
mod trees;

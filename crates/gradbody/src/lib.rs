//! Differentiable simulation of articulated rigid bodies.
//!
//! This crate re-exports the libraries of the workspace: [`math`] (scalars and spatial algebra), [`model`] (robots and
//! their parameters, import and export), [`dynamics`] (kinematics, inverse and forward dynamics), [`contact`] (collision
//! detection and contact solvers), [`sim`] (time stepping and its gradients), [`check`] (a gradient checker), [`neural`]
//! (small networks), [`augment`] (networks inside a step), [`learn`] (fitting models to recordings), [`control`] (plans and
//! controllers), [`plan`] (tasks in files) and [`env`] (learning environments). The [`prelude`] has the names that most programs need.
//!
//! ```
//! use gradbody::prelude::*;
//!
//! // A pendulum: a rod of 1 kg on a hinge about y.
//! let rod = Inertia {
//!     mass: 1.0,
//!     com: Vec3::new(0.0, 0.0, -0.5),
//!     rotational: Sym3::diagonal(Vec3::new(0.083, 0.083, 0.001)),
//! };
//! let mut robot = ModelBuilder::new("pendulum");
//! robot.link("rod", FrameId::WORLD, JointSpec::revolute("hinge", Vec3::Y), rod)?;
//! let model = robot.build()?;
//!
//! // Release it at one radian and simulate one second.
//! let mut world = Simulation::new(&model, StepOptions::new(1e-3));
//! world.state.q[0] = 1.0;
//! world.run(1000)?;
//! assert!(world.state.q[0].abs() < 1.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use gradbody_augment as augment;
pub use gradbody_check as check;
pub use gradbody_contact as contact;
pub use gradbody_control as control;
pub use gradbody_dynamics as dynamics;
pub use gradbody_env as env;
pub use gradbody_learn as learn;
pub use gradbody_math as math;
pub use gradbody_model as model;
pub use gradbody_neural as neural;
pub use gradbody_plan as plan;
pub use gradbody_sim as sim;

/// The names that most programs need: models, simulation, gradients, networks, fitting.
pub mod prelude {
    pub use gradbody_augment::{Augmentation, Blueprint, Bound, bind};
    pub use gradbody_contact::{ContactGradient, Ncp, Solver};
    pub use gradbody_control::{
        Actions, Cost, Ilqr, IlqrSearch, Mpc, MpcOptions, Mppi, MppiSearch, PlannedMotion, Problem,
        Quantity, Shape, Shooting, When,
    };
    pub use gradbody_dynamics::{
        AbaWork, CrbaWork, Kinematics, RneaWork, aba, crba, integrate, kinematics, rnea, velocities,
    };
    pub use gradbody_env::{EnvBatch, Environment};
    pub use gradbody_learn::optimise::{Minimum, minimise};
    pub use gradbody_math::{Dual, Inertia, Lanes, Mat3, Quat, Scalar, Sym3, Transform, Vec3};
    pub use gradbody_model::import::{ImportOptions, load};
    pub use gradbody_model::{
        FrameId, JointSpec, Material, Model, ModelBuilder, Selection, ShapeKind, ShapeParams,
    };
    pub use gradbody_sim::{
        Batch, BatchError, BatchGradient, BatchInputs, BatchLoss, BatchTaps, Checkpointing,
        Constant, ControlCost, Controls, EnergyCost, Ensemble, Failure, FramePosition, Gradient,
        GradientOptions, GroupTaps, Input, InputCotangents, Inputs, Integrator, Loss,
        LossCotangents, Mean, Moment, NoInputs, NoLoss, NoTaps, Rollout, RolloutTrace, Sequence,
        Simulated, Simulation, State, StateCost, StateCotangents, StateTarget, StepCotangents,
        StepOptions, StepScratch, StepTrace, Target, Terminal, World, in_lanes, rollout,
        rollout_backward, rollout_forward, rollout_vjp, step, step_vjp,
    };
}

/// Compiles the code examples of the README, of docs/rust.md and of docs/environments.md as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/rust.md")]
#[doc = include_str!("../../../docs/environments.md")]
pub struct Readme;

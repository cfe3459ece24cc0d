//! Are the gradients of a model's motion right, and how far can they be trusted?
//!
//! The derivative of the same function is computed in three ways: the adjoint ([`World::adjoint`]), dual numbers
//! ([`Case::slopes`]), and central differences. [`check`] compares them for every [`Part`] that a motion depends on,
//! follows a small change of the start through time, and gives an [`Outcome`] with advice in plain words.
//!
//! ```
//! # use gradbody_math::{Inertia, Sym3, Vec3};
//! # use gradbody_model::{FrameId, JointSpec, ModelBuilder};
//! use gradbody_check::{Case, Unwatched, check};
//! use gradbody_sim::{Input, State, StepOptions};
//!
//! # let rod = Inertia {
//! #     mass: 1.0,
//! #     com: Vec3::new(0.0, 0.0, -0.5),
//! #     rotational: Sym3::diagonal(Vec3::new(0.083, 0.083, 0.001)),
//! # };
//! # let mut robot = ModelBuilder::new("pendulum");
//! # robot.link("rod", FrameId::WORLD, JointSpec::revolute("hinge", Vec3::Y), rod)?;
//! # let model = robot.build()?;
//! let mut start = State::neutral(&model);
//! start.q[0] = 1.0;
//! let inputs = vec![Input::none(&model); 20];
//! let case = Case::new(model, start, inputs, StepOptions::new(1e-3));
//! let outcome = check(&case, 0, &Unwatched)?;
//! assert!(!outcome.is_bad());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Tests that need other tolerances, or a function of their own to differentiate, take the parts: a [`Group`] is a
//! direction to change a part in, [`Case::world`] is the rollout with groups changed, [`World::roll`] runs it, and
//! [`Group::terms`] reads a derivative off a gradient.

mod advice;
mod case;
mod changed;
mod compare;
mod differences;
mod group;
mod outcome;
mod part;
mod sensitivity;
mod slopes;
mod watch;
mod world;

pub use case::Case;
pub use compare::{Compared, Verdict};
pub use differences::Differences;
pub use group::Group;
pub use outcome::{Outcome, check};
pub use part::{ParamKind, Part, finite_params};
pub use sensitivity::Sensitivity;
pub use slopes::Probe;
pub use watch::{Stop, Unwatched, Watch};
pub use world::{Run, World};

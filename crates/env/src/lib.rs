//! Learning environments: many worlds of one robot, with observations, rewards and gradients.
//!
//! An [`Environment`] is a name, such as `Ant`. Its [`Description`] says everything else in plain data: the model, the
//! time step, how many steps an action is held, where episodes start, what is observed and rewarded, and when an
//! episode ends. Weights and ranges can be changed before use. Three functions of a [`Seen`] moment do the work, on
//! any scalar and on vector lanes; two of them have an adjoint beside them:
//!
//! | function | what it gives | adjoint |
//! |---|---|---|
//! | [`observe`] | the observation, (n_observations) | [`observe_vjp`] |
//! | [`reward_terms`], [`progress`] | the terms of the reward; the position whose change is rewarded | [`reward_vjp`] |
//! | [`healthy`] | whether the episode may go on, 1 or 0 in each lane | piecewise constant, so none |
//!
//! [`EnvBatch`] runs them for thousands of worlds that stay in lanes: `reset`, `step`, `gradient`. [`Returns`] is the
//! discounted reward as a loss of [`Batch`](gradbody_sim::Batch), and [`Acting`] a policy in the loop as its inputs,
//! for programs that train a policy by its gradient. [`Transitions`] takes single steps from given states with their
//! adjoint, and [`ActionSlopes`] are the derivatives of such a step along directions of the action.
//!
//! ```
//! use gradbody_env::{EnvBatch, Environment};
//!
//! let mut worlds: EnvBatch<f64> = EnvBatch::new(Environment::InvertedPendulum, 4, 0, Some(1))?;
//! let observations = worlds.reset(Some(7)).to_vec(); // (4, 4)
//! let outcome = worlds.step(&[0.1, -0.1, 0.0, 3.0])?;
//! assert_eq!(outcome.rewards, [1.0; 4]);
//! assert_ne!(outcome.observations, observations);
//! # Ok::<(), gradbody_env::EnvError>(())
//! ```
//!
//! Observations, rewards, ends and starts are those of Gymnasium's MuJoCo environments, version 5, except that all
//! positions are those at the end of a step, where some of Gymnasium's are a moment older. Contacts and joint limits
//! are ours: docs/decisions/0023-environments.md says what agrees and how well.

mod acting;
mod action_slopes;
mod autoreset;
mod base_terms;
mod batch;
mod bodies;
mod body_numbers;
mod catalogue;
mod check;
mod commands;
mod contact_wrenches;
mod description;
mod disturbances;
mod environment;
mod error;
mod firm_limits;
mod gradient;
mod held_actions;
mod medium;
mod observation;
mod ours;
mod outcome;
mod returns;
mod reward;
mod seen;
mod situations;
mod snapshot;
mod start;
mod step_reader;
mod termination;
mod transitions;
mod window;

pub use acting::{Acting, Policy, PolicyInLanes};
pub use action_slopes::{ActionChanges, ActionSlopes};
pub use autoreset::Autoreset;
pub use batch::EnvBatch;
pub use bodies::{Bodies, Body};
pub use commands::Commands;
pub use contact_wrenches::{contact_wrenches, contact_wrenches_vjp};
pub use description::{
    Actions, Condition, Description, Goal, Noise, Observed, Position, RewardTerm, Start,
};
pub use disturbances::{Delay, Pushes, Randomised, Range};
pub use environment::Environment;
pub use error::EnvError;
pub use gradient::EnvGradient;
pub use held_actions::{HeldActions, LinkForce};
pub use medium::Medium;
pub use observation::{observe, observe_vjp};
pub use outcome::Outcome;
pub use returns::Returns;
pub use reward::{progress, reward_terms, reward_vjp};
pub use seen::{Seen, SeenCotangents, SeenWork};
pub use situations::Situations;
pub use snapshot::EnvSnapshot;
pub use termination::healthy;
pub use transitions::{Transition, TransitionGradient, Transitions};
pub use window::{NoValue, Value, ValueInLanes, Window};

//! Neural networks at named places inside a simulation step.
//!
//! - [`sites`] lists every quantity of a step that can be read, corrected, scaled or replaced.
//! - A [`Blueprint`] says, by names, which networks do so: TOML, JSON, or built in code.
//! - [`bind`] turns it into a [`Plan`] for models of one structure: indices, no names.
//! - A [`Bound`] is a plan with weights: taps for [`step`](gradbody_sim::step),
//!   [`rollout_vjp`](gradbody_sim::rollout_vjp) and everything else that accepts taps. Gradients with respect to the
//!   weights are in [`Bound::weights_bar`].

mod bind;
mod blueprint;
mod bound;
mod call;
mod compiled;
mod error;
mod names;
mod place;
mod plan;
mod signal;
mod taps;

pub use bind::bind;
pub use blueprint::{
    Augmentation, Blueprint, Kind, Mode, NetworkShape, Networks, Prior, Reading, ReadingOptions,
};
pub use bound::Bound;
pub use error::BlueprintError;
pub use names::{GROUPS, Site, sites};
pub use plan::Plan;
pub use signal::{ContactSignal, Pair, Signal, Stage};

//! What the tests of the whole have in common: models, states, reference values, comparison.

#![allow(dead_code, reason = "each test file is a crate of its own and uses a part of this")]

pub(crate) mod compare;
pub(crate) mod component;
pub(crate) mod duals;
pub(crate) mod fuzz;
pub(crate) mod golden;
pub(crate) mod gradient;
pub(crate) mod lanes;
pub(crate) mod models;
pub(crate) mod motion;
pub(crate) mod pinocchio;
pub(crate) mod random;
pub(crate) mod scenes;
pub(crate) mod worlds;

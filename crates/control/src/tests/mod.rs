//! Tests of the parts against each other, finite differences and closed forms.

mod derivatives;
mod linear;
mod mpc;
mod mppi;
mod search;
mod support;

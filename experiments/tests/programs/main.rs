//! Runs the programs as a user does.

mod measure;
mod reproduce;
mod support;

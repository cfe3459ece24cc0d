//! The programs as they are run.

mod measure;
mod reproduce;
mod support;

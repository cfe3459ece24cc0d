//! Tests of networks inside a step: one program, so that the step is compiled once for all of them.

mod batch;
mod binding;
mod every_site;
mod files;
mod memory;
mod order;
mod replaced;
mod rigid_contacts;
mod scalars;
mod support;
mod typed;
mod uses;

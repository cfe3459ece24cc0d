//! The program as its users run it.

mod check;
mod demo;
mod discover;
mod export;
mod fit;
mod inspect;
mod plan;
mod simulate;
mod simulate_contact;
mod sites;
mod support;
mod train;
mod view;

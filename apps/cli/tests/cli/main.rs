//! The program as its users run it.

mod demo;
mod export;
mod inspect;
mod simulate;
mod support;

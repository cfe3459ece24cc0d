//! The program as its users run it.

mod bench;
mod demo;
mod export;
mod inspect;
mod simulate;
mod support;

//! `cargo measure`: how long everything takes, here.

use std::process::ExitCode;

use clap::Parser as _;
use gradbody_experiments::measure::{self, MeasureArgs};

fn main() -> ExitCode {
    gradbody_cli::exit_code(measure::run(&MeasureArgs::parse()).map(|()| ExitCode::SUCCESS))
}

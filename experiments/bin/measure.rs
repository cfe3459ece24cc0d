//! `cargo measure`: times the engine on this machine.

use std::process::ExitCode;

use clap::Parser as _;
use gradbody_experiments::measure::{self, MeasureArgs};

fn main() -> ExitCode {
    gradbody_cli::exit_code(measure::run(&MeasureArgs::parse()).map(|()| ExitCode::SUCCESS))
}

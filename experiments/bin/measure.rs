//! `cargo measure`: times the engine on this machine.

use clap::Parser as _;
use gradbody_cli::ExitStatus;
use gradbody_experiments::measure::{self, MeasureArgs};

fn main() -> ExitStatus {
    gradbody_cli::exit_status(measure::run(&MeasureArgs::parse()).map(|()| ExitStatus::SUCCESS))
}

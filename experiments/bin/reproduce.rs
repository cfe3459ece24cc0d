//! `cargo reproduce NAME`: repeats a published experiment.

use clap::Parser as _;
use gradbody_cli::ExitStatus;
use gradbody_experiments::ReproduceArgs;

fn main() -> ExitStatus {
    let result = gradbody_experiments::run(&ReproduceArgs::parse());
    gradbody_cli::exit_status(result.map(|()| ExitStatus::SUCCESS))
}

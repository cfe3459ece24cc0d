//! `cargo reproduce NAME`: repeats a published experiment.

use std::process::ExitCode;

use clap::Parser as _;
use gradbody_experiments::ReproduceArgs;

fn main() -> ExitCode {
    let result = gradbody_experiments::run(&ReproduceArgs::parse());
    gradbody_cli::exit_code(result.map(|()| ExitCode::SUCCESS))
}

//! The program `gradbody`: inspect, simulate, fit and export models of robots from a terminal.
//!
//! Each command has a module. `model_args` and `state_args` hold arguments that several commands share; the crate
//! `gradbody-report` makes the pages they write. Every error ends here as one message and an exit status: 1 if the work
//! failed, 2 if the command line is wrong, 3 if `check` found a wrong gradient, 130 after Ctrl-C.

pub mod atomic_file;
pub mod builtin;
mod check;
mod demo;
mod discover;
mod exit_status;
mod export;
pub mod fit;
mod inspect;
mod interrupt;
mod model_args;
pub mod out_folder;
mod plan;
mod play;
mod predict;
pub mod progress;
mod seed;
mod settings;
mod simulate;
mod sites;
mod state_args;
mod state_file;
mod suggest;
mod train;
pub mod usage;
mod view;

use std::ffi::OsString;
use std::io::{self, Write as _};

use clap::{Parser, Subcommand};

pub use exit_status::ExitStatus;
use usage::Usage;

const EXAMPLES: &str = "\
Examples:
  gradbody demo
  gradbody view ant
  gradbody train inverted-pendulum
  gradbody inspect laikago
  gradbody inspect robot.urdf --q=0.1,0.2 --v=0,1 --json
  gradbody simulate robot.xml --time 2 --key stand --out run.csv
  gradbody simulate robot.urdf --ground --q=0,0,0.5,1,0,0,0 --time 2 --out run.csv
  gradbody check robot.urdf --ground --q=0,0,0.5,1,0,0,0 --time 0.5
  gradbody sites robot.urdf --ground --filter 'joint/*/passive_torque'
  gradbody export robot.urdf --set link/trunk/mass=3.2 --out heavier.urdf
  gradbody export robot.urdf --out robot.xml

Lengths are in metres, masses in kilograms, times in seconds, angles in radians.";

/// Differentiable simulation of articulated rigid bodies.
#[derive(Debug, Parser)]
#[command(name = "gradbody", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show a model's parts, and its dynamics at a state.
    Inspect(inspect::InspectArgs),
    /// Simulate a model and write its motion as CSV.
    Simulate(simulate::SimulateArgs),
    /// See a model move in the browser, and pull it with the mouse.
    View(view::ViewArgs),
    /// Check the gradients of a model's motion, and how far they can be trusted.
    Check(check::CheckArgs),
    /// List the quantities of a step that networks can read and change.
    Sites(sites::SitesArgs),
    /// Fit a model to recorded motion, and write a page about it.
    Fit(fit::FitArgs),
    /// Run a fitted model on its held-out data or on new data, and report its errors.
    Predict(predict::PredictArgs),
    /// Find a plan for a task: the actions that make a robot do it.
    Plan(plan::PlanArgs),
    /// Train a policy for a task: the reflexes that make a robot run.
    Train(train::TrainArgs),
    /// Play episodes of a trained policy, and tell their returns.
    Play(play::PlayArgs),
    /// Find which effect a model lacks.
    Discover(discover::DiscoverArgs),
    /// Write a model as URDF or MJCF, with parameters changed by --set.
    Export(export::ExportArgs),
    /// Fit an arm to its recording, simulate three small examples, and write pages about them.
    Demo(demo::DemoArgs),
}

/// The whole program. It is a library, so that cargo compiles it in parallel with the libraries it calls.
pub fn main() -> ExitStatus {
    exit_status(run(std::env::args_os()))
}

/// Runs the program with these arguments; the first is its own name. Ends the process if they are wrong.
pub fn run(
    args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> anyhow::Result<ExitStatus> {
    let done = |()| ExitStatus::SUCCESS;
    match Cli::parse_from(args).command {
        Command::Inspect(args) => inspect::run(&args).map(done),
        Command::Simulate(args) => simulate::run(&args),
        Command::View(args) => view::run(args),
        Command::Check(args) => check::run(&args),
        Command::Sites(args) => sites::run(&args).map(done),
        Command::Fit(args) => fit::run(&args),
        Command::Predict(args) => predict::run(&args).map(done),
        Command::Plan(args) => plan::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Play(args) => play::run(&args).map(done),
        Command::Discover(args) => discover::run(&args),
        Command::Export(args) => export::run(&args).map(done),
        Command::Demo(args) => demo::run(&args).map(done),
    }
}

/// Prints an error as one message and returns the exit status.
pub fn exit_status(result: anyhow::Result<ExitStatus>) -> ExitStatus {
    result.unwrap_or_else(|error| {
        // The reader has closed our output (`| head`).
        if is_broken_pipe(&error) {
            return ExitStatus::SUCCESS;
        }
        // If stderr is closed too, there is nowhere to report the error.
        let _ = writeln!(io::stderr(), "error: {error:#}");
        match error.is::<Usage>() {
            true => ExitStatus::from(Usage::EXIT_STATUS),
            false => ExitStatus::FAILURE,
        }
    })
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kinds = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    kinds.into_iter().any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

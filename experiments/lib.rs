//! Two programs: `cargo reproduce NAME` repeats a published experiment and compares the results, `cargo measure` times
//! the engine.
//!
//! Each experiment is a file, or a folder with its README and its own data. Most need data that this repository does
//! not contain (`data` finds them). Each prints a table or JSON and writes an HTML page.

mod contact_gradients;
mod control_tasks;
mod cube_throw;
mod cube_tosses;
mod damping;
mod data;
mod discovery;
mod distribution;
mod double_pendulum;
mod effort;
mod fits;
mod found;
mod gradient_cost;
mod hinged_tosses;
mod learning;
mod link_lengths;
pub mod measure;
mod parts;
mod pend5;
mod published;
mod pushing;
mod side_by_side;
mod swimmer;
mod tosses;
mod trot;
mod workloads;

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use serde_json::Value;

use control_tasks::Control;
use data::DataFolder;
use gradbody_cli::atomic_file::{self, AtomicFile};
use gradbody_report::{Page, Section};
use parts::Parts;

/// The warning on the results of a quick run.
const QUICK: &str =
    "This is a quick run. It only shows that the experiment works; its figures mean nothing.";

const HELP: &str = "\
A long experiment saves each part it completes. If it is interrupted, the same command resumes from
the last saved part.

Data are read from the folder in the environment variable GRADBODY_DATA, or from ./data if it is not
set. If a file is missing, the error message says where it is published.";

/// Repeat a published experiment and compare the results.
#[derive(Debug, Parser)]
#[command(name = "reproduce", version, after_help = HELP)]
pub struct ReproduceArgs {
    /// The experiment.
    #[arg(value_name = "NAME", value_enum)]
    experiment: Experiment,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
    /// Run a shortened version, in less than a minute, to check that it works.
    #[arg(long)]
    quick: bool,
    /// The folder to write report.html to; it is created if needed [default: out/reproduce/NAME, with --quick
    /// out/reproduce/NAME-quick].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Experiment {
    /// 400 measured tosses of a cube (ContactNets, 2020), each simulated from its first state.
    CubeTosses,
    /// A thrown cube: a soft contact fitted to rigid throws, and contact laws with and without networks to real tosses.
    CubeThrow,
    /// Simulated tosses of two boxes on a hinge, fitted 100 times: do the stated uncertainties cover the truth?
    HingedTosses,
    /// The same body in flight: how long a fit of 13 numbers to 200 recordings takes.
    HingedFlights,
    /// Kinds of contact gradients on two cases with a known answer: a dropped ball and a pushed box.
    ContactGradients,
    /// A filmed double pendulum (IBM, 2018): fits masses, friction and the camera's rate, and predicts 200 frames.
    RealDoublePendulum,
    /// A double pendulum with encoders (2022); the fit starts from its authors' own.
    MultiarmDoublePendulum,
    /// The link lengths of a double pendulum, by local search and by basin hopping, from a grid of guesses.
    LinkLengths,
    /// Joint damping that a model lacks, found by the lasso, compared with a network that learns the whole motion.
    Damping,
    /// Five links that fall on the ground, compared with a run of the Tiny Differentiable Simulator.
    Pend5,
    /// The time of a gradient by differences, duals, adjoint and lanes, on the three workloads of NeuralSim's figure 5.
    GradientCost,
    /// Measured pushes of a shape outside the training set (Yu et al., 2016), predicted by models and networks.
    Pushing,
    /// Swimmers in water and air, recorded in MuJoCo; networks inside a model without a medium learn it.
    Swimmer,
    /// A quadruped trots by convex predictive control of its contact forces, and a network learns to imitate it.
    Trot,
    /// Effects that the models of measured pendulums and pushes lack.
    Discovery,
    /// An arm with nine joints throws a ball to a target: the torques of every time step (Qiao et al., 2021).
    Throw,
    /// A club of two links strikes a ball to a target: the torques of every time step (Qiao et al., 2021).
    Golf,
    /// Chains of one to seven links swing up: policy enhancement, SAC, SHAC and MBPO (Qiao et al., 2021). Takes hours.
    SwingUps,
    /// An ant learns to run: sample enhancement, SAC, PPO and SHAC (Qiao et al., 2021). Takes hours.
    Ants,
    /// How long robots take to learn to walk on this machine, by the tasks of `gradbody train`.
    Walkers,
    /// The friction with which a car comes as far as it should (Qiao et al., 2021).
    Racecar,
}

/// The results of an experiment.
struct Findings {
    /// Title and opening sentence of the page.
    title: String,
    lead: String,
    sections: Vec<Section>,
    /// Printed on the terminal.
    text: String,
    json: Value,
}

/// Runs the experiment, writes its page and prints its table.
pub fn run(args: &ReproduceArgs) -> anyhow::Result<()> {
    let name = args.experiment.to_possible_value();
    let name = name.as_ref().map_or("", |value| value.get_name());
    let data = DataFolder::find();
    // A quick run must not replace the report of a full one.
    let quick = if args.quick { "-quick" } else { "" };
    let folder = || PathBuf::from("out/reproduce").join(format!("{name}{quick}"));
    let out = args.out.clone().unwrap_or_else(folder);
    let file = out.join("report.html");
    let fitted = match args.experiment {
        Experiment::RealDoublePendulum => Some(&published::REAL_DOUBLE_PENDULUM),
        Experiment::MultiarmDoublePendulum => Some(&published::MULTIARM_DOUBLE_PENDULUM),
        _ => None,
    };
    if let Some(fitted) = fitted {
        return fits::run(fitted, args.quick, args.json, &out);
    }
    // Read the data before creating folders: it may fail.
    let experiment = match args.experiment {
        Experiment::ContactGradients => contact_gradients::prepare(),
        Experiment::CubeTosses => cube_tosses::prepare(&data)?,
        Experiment::CubeThrow => cube_throw::prepare(&data, args.quick)?,
        Experiment::HingedTosses => hinged_tosses::prepare(args.quick),
        Experiment::HingedFlights => hinged_tosses::prepare_flights(args.quick),
        Experiment::LinkLengths => link_lengths::prepare(args.quick),
        Experiment::Damping => damping::prepare(args.quick),
        Experiment::Pend5 => pend5::prepare(&data)?,
        Experiment::GradientCost => gradient_cost::prepare(args.quick),
        Experiment::Pushing => pushing::prepare(&data, args.quick)?,
        Experiment::Swimmer => swimmer::prepare(args.quick),
        Experiment::Trot => trot::prepare(args.quick),
        Experiment::Discovery => discovery::prepare(&data, args.quick)?,
        Experiment::SwingUps => learning::prepare_swing_ups(args.quick),
        Experiment::Ants => learning::prepare_ants(args.quick),
        Experiment::Walkers => learning::prepare_walkers(args.quick),
        Experiment::Throw => control_tasks::prepare(Control::Throw, args.quick),
        Experiment::Golf => control_tasks::prepare(Control::Golf, args.quick),
        Experiment::Racecar => control_tasks::prepare(Control::Racecar, args.quick),
        Experiment::RealDoublePendulum | Experiment::MultiarmDoublePendulum => return Ok(()),
    };
    atomic_file::make_folder(&out)?;
    // Check that the file can be written before the long computation.
    drop(AtomicFile::create(&file)?);
    let what = format!("{name} quick={} {}", args.quick, program_and_data(&data));
    // A quick run must not touch the saved parts of a full one.
    let folder = out.join(if args.quick { "parts-quick" } else { "parts" });
    let parts = Parts::of(folder, what);
    let Findings { title, mut lead, sections, mut text, json } = experiment(&parts)?;
    let quick = if args.quick { " --quick" } else { "" };
    if args.quick {
        lead = format!("{lead} {QUICK}");
        text = format!("{QUICK}\n\n{text}");
    }
    let footer = format!(
        "Made by gradbody {}; run `cargo reproduce {name}{quick}` to make it again.",
        env!("CARGO_PKG_VERSION")
    );
    atomic_file::write(&file, &Page { title, lead, sections, footer }.html())?;
    parts.clear()?;
    let mut stdout = io::stdout().lock();
    if args.json {
        writeln!(stdout, "{}", serde_json::to_string_pretty(&json)?)?;
        writeln!(io::stderr(), "wrote {}", file.display())?;
    } else {
        writeln!(stdout, "{text}\nwrote {}", file.display())?;
    }
    Ok(())
}

/// Identifies the program and the data folder, so that parts saved by others are not resumed.
fn program_and_data(data: &DataFolder) -> String {
    let program = std::env::current_exe().and_then(std::fs::metadata).and_then(|m| m.modified());
    let built = program.ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let version = env!("CARGO_PKG_VERSION");
    format!("{version} {:?} {}", built.unwrap_or_default(), data.path().display())
}

/// An experiment with its data loaded, ready to run.
type Prepared = Box<dyn FnOnce(&Parts) -> anyhow::Result<Findings>>;

//! Published measurements and results, set up exactly and compared (`cargo reproduce NAME`), and how long everything
//! takes (`cargo measure`).
//!
//! An experiment a file or folder; most have a folder of their name beside `src` that describes them. Most read data that
//! are not part of this repository (`data` says where they are looked for). Each prints a table or JSON, and writes a
//! page.

mod contact_gradients;
mod cube_throw;
mod cube_tosses;
mod damping;
mod data;
mod discovery;
mod distribution;
mod double_pendulum;
mod effort;
mod fits;
mod gradient_cost;
mod link_lengths;
pub mod measure;
mod parts;
mod pend5;
mod published;
mod pushing;
mod swimmer;
mod tosses;
mod workloads;

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use serde_json::Value;

use data::DataFolder;
use gradbody_cli::atomic_file::{self, AtomicFile};
use gradbody_report::{Page, Section};
use parts::Parts;

/// What is said of a quick run.
const QUICK: &str =
    "This is a quick run, to see that it works: it does so little that its findings mean nothing.";

const HELP: &str = "\
A long experiment keeps the parts it has done: interrupted, it goes on with them if the same command is
given again.

The data are looked for in the folder that the variable GRADBODY_DATA names, else in ./data; a message
says which file is missing and where it is published.";

/// Repeat published experiments with measured data, and compare.
#[derive(Debug, Parser)]
#[command(name = "reproduce", version, after_help = HELP)]
pub struct ReproduceArgs {
    /// The experiment.
    #[arg(value_name = "NAME", value_enum)]
    experiment: Experiment,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
    /// Do less, in less than a minute: to see that it works.
    #[arg(long)]
    quick: bool,
    /// The folder to write report.html to; it is made if need be [default: out/reproduce/NAME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Experiment {
    /// 400 measured tosses of a cube (ContactNets, 2020), each simulated from its first state.
    CubeTosses,
    /// A cube is thrown: rigid throws matched by a soft contact, real tosses by laws with and without networks.
    CubeThrow,
    /// Kinds of contact gradients where the right answer is known: a ball dropped, a box pushed.
    ContactGradients,
    /// A filmed double pendulum (IBM, 2018): masses, friction and the camera's rate found, 200 frames predicted.
    RealDoublePendulum,
    /// A double pendulum with encoders (2022), from its authors' own fit on.
    MultiarmDoublePendulum,
    /// The lengths of a double pendulum, by local search and by basin hopping from a grid of guesses.
    LinkLengths,
    /// Joint damping that a model lacks: found by the lasso, and against a network that learns everything.
    Damping,
    /// Five links that fall on the ground, against the Tiny Differentiable Simulator's own run.
    Pend5,
    /// What a gradient costs by differences, duals, adjoint and lanes: the three workloads of NeuralSim's figure 5.
    GradientCost,
    /// Measured pushes of a shape that was not learned from (Yu et al., 2016), by models and networks.
    Pushing,
    /// Swimmers in water and air that the model does not know of, learned by networks inside it (MuJoCo's motions).
    Swimmer,
    /// What measured pendulums and pushes say that their models lack.
    Discovery,
}

/// What an experiment leaves.
struct Outcome {
    /// Title of the page, and its opening.
    title: String,
    lead: String,
    sections: Vec<Section>,
    /// For the terminal.
    text: String,
    json: Value,
}

/// Runs the experiment, writes its page and prints its table.
pub fn run(args: &ReproduceArgs) -> anyhow::Result<()> {
    let name = args.experiment.to_possible_value();
    let name = name.as_ref().map_or("", |value| value.get_name());
    let data = DataFolder::find();
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from("out/reproduce").join(name));
    let file = out.join("report.html");
    let fitted = match args.experiment {
        Experiment::RealDoublePendulum => Some(&published::REAL_DOUBLE_PENDULUM),
        Experiment::MultiarmDoublePendulum => Some(&published::MULTIARM_DOUBLE_PENDULUM),
        _ => None,
    };
    if let Some(fitted) = fitted {
        return fits::run(fitted, args.quick, args.json, &out);
    }
    // The data first: without them there is no use in making folders.
    let experiment = match args.experiment {
        Experiment::ContactGradients => contact_gradients::prepare(),
        Experiment::CubeTosses => cube_tosses::prepare(&data)?,
        Experiment::CubeThrow => cube_throw::prepare(&data, args.quick)?,
        Experiment::LinkLengths => link_lengths::prepare(args.quick),
        Experiment::Damping => damping::prepare(args.quick),
        Experiment::Pend5 => pend5::prepare(&data)?,
        Experiment::GradientCost => gradient_cost::prepare(args.quick),
        Experiment::Pushing => pushing::prepare(&data, args.quick)?,
        Experiment::Swimmer => swimmer::prepare(args.quick),
        Experiment::Discovery => discovery::prepare(&data, args.quick)?,
        Experiment::RealDoublePendulum | Experiment::MultiarmDoublePendulum => return Ok(()),
    };
    atomic_file::make_folder(&out)?;
    // Only to see that it can be written, before the work.
    drop(AtomicFile::create(&file)?);
    let what = format!("{name} quick={} {}", args.quick, program_and_data(&data));
    // A quick run leaves alone what a whole one has done so far.
    let folder = out.join(if args.quick { "parts-quick" } else { "parts" });
    let parts = Parts::of(folder, what);
    let Outcome { title, mut lead, sections, mut text, json } = experiment(&parts)?;
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

/// Which program runs on which data: parts of another are not gone on with.
fn program_and_data(data: &DataFolder) -> String {
    let program = std::env::current_exe().and_then(std::fs::metadata).and_then(|m| m.modified());
    let built = program.ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let version = env!("CARGO_PKG_VERSION");
    format!("{version} {:?} {}", built.unwrap_or_default(), data.path().display())
}

/// An experiment whose data are there.
type Prepared = Box<dyn FnOnce(&Parts) -> anyhow::Result<Outcome>>;

//! `gradbody simulate`: a model through time, its motion as CSV.

mod controls;
mod duration;
mod recorder;
mod summary;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use gradbody::model::{LinkId, Model};
use gradbody::sim::{Input, Integrator, StepOptions, Workspace, step};
use indicatif::{ProgressBar, ProgressStyle};

use crate::atomic_file;
use crate::interrupt::{self, Interrupt};
use crate::model_args::{ModelArgs, tell_notes};
use crate::state_args::{Start, StateArgs};
use crate::text::number;
use controls::Controls;
use duration::Duration;
use recorder::Recorder;
use summary::Summary;

const HELP: &str = "\
The CSV has a column t, then q:NAME and v:NAME for every coordinate, a:NAME for every actuator state,
and the energies kinetic, potential, elastic and energy (their sum). It appears under its name when
it is complete; Ctrl-C ends the run early and keeps the rows so far.

A controls file is a CSV with a column t and one for each actuator to be driven, or tau:NAME for a
joint force; a row holds from its time until the next one. --tau holds throughout.";

/// Options of `gradbody simulate`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    state: StateArgs,
    /// How long to simulate [s].
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = duration::parse)]
    time: f64,
    /// Time step [s]; otherwise the one the file asks for, or 0.001.
    #[arg(long, value_name = "DT", allow_negative_numbers = true, value_parser = duration::parse)]
    dt: Option<f64>,
    /// Controls over time.
    #[arg(long, value_name = "CSV")]
    controls: Option<PathBuf>,
    /// How a step integrates.
    #[arg(long, value_enum, default_value_t = IntegratorArg::SemiImplicit)]
    integrator: IntegratorArg,
    /// Write every Nth step (and the last).
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// The CSV file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum IntegratorArg {
    /// First the velocity, then the position with the new velocity: the cheapest, of first order.
    SemiImplicit,
    /// The same with joint damping and friction implicit: stable however stiff they are.
    ImplicitDamping,
    /// Classical Runge-Kutta, of fourth order: the most accurate, for four times the work.
    Rk4,
}

impl IntegratorArg {
    fn integrator(self) -> Integrator {
        match self {
            IntegratorArg::SemiImplicit => Integrator::SemiImplicitEuler,
            IntegratorArg::ImplicitDamping => Integrator::ImplicitDamping,
            IntegratorArg::Rk4 => Integrator::Rk4,
        }
    }
}

/// How a run ended.
enum End {
    Complete,
    Interrupted,
    /// The first link whose motion is not finite, and when [s].
    Diverged(LinkId, f64),
}

pub(crate) fn run(args: &SimulateArgs) -> anyhow::Result<ExitCode> {
    let imported = args.model.load()?;
    let model = &imported.model;
    let start = args.state.start(model)?;
    let duration = Duration::of(args.time, args.dt, model.topology.timestep)?;
    let controls = match &args.controls {
        Some(file) => Controls::read(file, &model.topology)?,
        None => Controls::none(),
    };
    let recorder = Recorder::create(&args.out, model)?;
    tell_notes(&imported.report);
    tell_contacts(model);
    duration.tell_rounding(args.time);

    let options = StepOptions::new(duration.dt).with(args.integrator.integrator());
    let run = Run { model, duration, every: args.every, options, controls };
    let (end, summary, rows) = run.simulate(start, recorder)?;

    let mut out = atomic_file::messages(&args.out);
    write!(out, "{summary}")?;
    let plural = if rows == 1 { "row" } else { "rows" };
    writeln!(out, "wrote {rows} {plural} to {}", args.out.display())?;
    match end {
        End::Complete => Ok(ExitCode::SUCCESS),
        End::Interrupted => {
            let time = number(summary.end_time());
            writeln!(io::stderr(), "interrupted: the file ends at t = {time} s")?;
            Ok(ExitCode::from(interrupt::EXIT_STATUS))
        }
        End::Diverged(link, time) => Err(anyhow!(
            "the simulation diverged: at t = {} s the motion of link \"{}\" is no longer finite; \
             try a smaller --dt or another --integrator",
            number(time),
            model.topology.links[link.index()].name
        )),
    }
}

/// Says on stderr that shapes pass through each other, if there are any.
fn tell_contacts(model: &Model<f64>) {
    if !model.topology.shapes.is_empty() {
        let _ = writeln!(io::stderr(), "note: contacts are not simulated yet");
    }
}

/// All that stays the same during a run.
struct Run<'a> {
    model: &'a Model<f64>,
    duration: Duration,
    every: u64,
    options: StepOptions<f64>,
    controls: Controls,
}

impl Run<'_> {
    fn simulate(
        mut self,
        start: Start,
        mut recorder: Recorder,
    ) -> anyhow::Result<(End, Summary, u64)> {
        let interrupt = Interrupt::listen();
        let progress = progress_bar(self.duration.steps);
        let start_time = start.state.time;
        let Start { mut state, tau, control } = start;
        let mut input = Input { control, tau, ..Input::none(self.model) };
        let mut work = Workspace::new(self.model);
        let mut summary = Summary::new(recorder.row(self.model, &state)?);
        let mut end = End::Complete;
        for i in 0..self.duration.steps {
            if interrupt.asked() {
                if i % self.every != 0 {
                    summary.add(recorder.row(self.model, &state)?);
                }
                end = End::Interrupted;
                break;
            }
            self.controls.apply(state.time, self.options.dt, &mut input);
            let report = step(self.model, &mut state, &input, &self.options, &mut work);
            // A product, so that the times of a long run do not add up rounding.
            state.time = start_time + (i + 1) as f64 * self.options.dt;
            if let Some(link) = report.diverged {
                end = End::Diverged(link, state.time);
                break;
            }
            if (i + 1) % self.every == 0 || i + 1 == self.duration.steps {
                summary.add(recorder.row(self.model, &state)?);
            }
            if i % PROGRESS_STEPS == 0 {
                progress.set_position(i);
            }
        }
        progress.finish_and_clear();
        let rows = recorder.finish()?;
        Ok((end, summary, rows))
    }
}

/// Steps between looks at the progress bar: about a millisecond of them.
const PROGRESS_STEPS: u64 = 1024;

/// A bar on stderr, if that is a terminal.
fn progress_bar(steps: u64) -> ProgressBar {
    let bar = ProgressBar::new(steps);
    if let Ok(style) =
        ProgressStyle::with_template("{bar:40} {percent:>3}%  {pos}/{len} steps, {eta} left")
    {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar
}

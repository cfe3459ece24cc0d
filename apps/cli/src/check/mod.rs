//! `gradbody check`: are the gradients of a model's motion right, and how far can they be trusted?
//!
//! The same derivatives by three ways: the adjoint (`rollout_vjp`), dual numbers, and central
//! `differences`. `compare` does so for each of `groups`; `sensitivity` follows a change of the start
//! through time; `advice` says what to make of it. `changed` rolls out many motions at a time.

mod advice;
mod case;
mod changed;
mod compare;
mod differences;
mod groups;
mod outcome;
mod random;
mod sensitivity;
mod watch;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use gradbody::contact::ContactGradient;
use gradbody::sim::{Input, StepOptions};

use crate::atomic_file::{self, AtomicFile};
use crate::interrupt;
use crate::model_args::{ModelArgs, tell_notes};
use crate::simulate::{ContactArgs, Controls, Duration, IntegratorArg, parse_time, tell_no_ground};
use crate::state_args::{Start, StateArgs};
use crate::suggest::did_you_mean;
use case::{Case, Run};
use compare::Comparison;
use gradbody_report::text::number;
use groups::Group;
use random::Random;
use sensitivity::Sensitivity;
use watch::{Stop, Watch};

const HELP: &str = "\
Three ways to the same derivative, for each group of numbers that the motion depends on:
  adjoint      backwards through all steps, as an optimiser gets it
  duals        forwards, by dual numbers: exact for every operation that was done
  differences  of two motions a little apart; rough where contacts begin or end in between

Contacts are solved to the last digit, as accurate gradients need, unless --sweeps or --tolerance is
given. check.svg, in the folder of --out, shows how a small change of the start grows through time;
check.json has what --json prints.

Exit status:
  0    adjoint and duals agree, or the gradient is smoothed, which is the derivative of nothing that was
       computed
  1    the model cannot be used, its motion diverges, or a file cannot be written
  2    wrong usage
  3    the gradient is bad: adjoint and duals differ, or are not finite
  130  ended by Ctrl-C";

/// The exit status of a gradient that is bad.
const BAD: u8 = 3;

/// How long to simulate if nothing is said [s].
const DEFAULT_TIME: f64 = 0.5;

/// Beyond this a check takes hours, and says only that the motion is too sensitive.
const MAX_STEPS: u64 = 100_000;

/// Options of `gradbody check`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    state: StateArgs,
    #[command(flatten)]
    contact: ContactArgs,
    /// How long to simulate [s] [default: 0.5].
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = parse_time)]
    time: Option<f64>,
    /// The same as a number of steps.
    #[arg(long, value_name = "N", conflicts_with = "time",
          value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,
    /// Time step [s]; otherwise the one the file asks for, or 0.001.
    #[arg(long, value_name = "DT", allow_negative_numbers = true, value_parser = parse_time)]
    dt: Option<f64>,
    /// Controls over time, as for `simulate`.
    #[arg(long, value_name = "CSV")]
    controls: Option<PathBuf>,
    /// How a step integrates.
    #[arg(long, value_enum, default_value_t = IntegratorArg::ImplicitDamping)]
    integrator: IntegratorArg,
    /// How contact impulses are differentiated: implicit (of contacts solved exactly), unrolled (of the
    /// sweeps that were made) or smoothed=KAPPA (over velocities of KAPPA [m/s], to search with).
    #[arg(long, value_name = "HOW", default_value = "implicit", value_parser = gradient)]
    gradient: ContactGradient,
    /// Seed of the random function and directions.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
    /// A folder to write check.svg and check.json to; it is made if need be.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// All that a check found out.
struct Outcome {
    model_name: String,
    seed: u64,
    case: Case,
    /// The motion as it is.
    plain: Run<f64>,
    comparison: Comparison,
    sensitivity: Sensitivity,
    /// Numbers of the model without a derivative.
    infinite: usize,
}

pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    args.contact.check()?;
    let (model_name, case) = args.case()?;
    let watch = Watch::new();
    if let Some(folder) = &args.out {
        atomic_file::make_folder(folder)?;
        // Only to see that they can be written, before the work.
        for name in FILES {
            drop(AtomicFile::create(&folder.join(name))?);
        }
    }
    let looked = look(&case, args.seed, &watch);
    watch.end();
    let (plain, comparison, sensitivity) = match looked {
        Ok(seen) => seen,
        Err(Stop::Interrupted) => {
            writeln!(io::stderr(), "interrupted: nothing is known yet, and nothing written")?;
            return Ok(ExitCode::from(interrupt::EXIT_STATUS));
        }
        Err(Stop::Diverged { link, time }) => bail!(
            "the simulation diverged: at t = {} s the motion of link \"{}\" is no longer finite; {}",
            number(time),
            case.model.topology.links[link.index()].name,
            args.contact.hint()
        ),
    };
    let infinite = groups::infinite_params(&case.model);
    let seed = args.seed;
    let outcome = Outcome { model_name, seed, case, plain, comparison, sensitivity, infinite };
    let json = serde_json::to_string_pretty(&outcome.json())?;
    let mut out = io::stdout().lock();
    match args.json {
        true => writeln!(out, "{json}")?,
        false => write!(out, "{}", outcome.text())?,
    }
    if let Some(folder) = &args.out {
        for (name, text) in FILES.into_iter().zip([outcome.svg(), json + "\n"]) {
            let file = folder.join(name);
            atomic_file::write(&file, &text)?;
            let message = format!("wrote {}", file.display());
            match args.json {
                true => writeln!(io::stderr(), "{message}")?,
                false => writeln!(out, "{message}")?,
            }
        }
    }
    Ok(if outcome.is_bad() { ExitCode::from(BAD) } else { ExitCode::SUCCESS })
}

/// What `--out` gets.
const FILES: [&str; 2] = ["check.svg", "check.json"];

impl CheckArgs {
    /// The name of the model, and the rollout to check.
    fn case(&self) -> anyhow::Result<(String, Case)> {
        let mut imported = self.model.load()?;
        self.contact.prepare(&mut imported.model)?;
        let Start { state: start, tau, control } = self.state.start(&imported.model)?;
        let of_model = imported.model.topology.timestep;
        let duration = match (self.steps, self.time) {
            (Some(steps), _) => Duration::of_steps(steps, self.dt, of_model),
            (None, time) => Duration::of(time.unwrap_or(DEFAULT_TIME), self.dt, of_model)?,
        };
        if duration.steps > MAX_STEPS {
            bail!(
                "{} steps are too many to check, more than {MAX_STEPS}; take a larger --dt or a \
                 shorter --time",
                duration.steps
            );
        }
        let mut controls = match &self.controls {
            Some(file) => Controls::read(file, &imported.model.topology)?,
            None => Controls::none(),
        };
        tell_notes(&imported.report);
        tell_no_ground(&imported.model);
        let format = imported.report.format;
        self.contact.filter_self_collisions(&mut imported.model, format, &start.q);
        if let Some(time) = self.time {
            duration.tell_rounding(time);
        }
        let model = imported.model;
        let mut options = StepOptions::new(duration.dt).with(self.integrator.integrator());
        // Differences see the steps that were made, and not when within one a bounce begins.
        options.contact.impact_times = false;
        self.contact.apply_converged(&mut options);
        let mut input = Input { control, tau, ..Input::none(&model) };
        let inputs = (0..duration.steps)
            .map(|k| {
                controls.apply(start.time + k as f64 * duration.dt, duration.dt, &mut input);
                input.clone()
            })
            .collect();
        let name = self.model.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, Case { model, start, inputs, options, gradient: self.gradient }))
    }
}

/// All rollouts.
fn look(
    case: &Case,
    seed: u64,
    watch: &Watch,
) -> Result<(Run<f64>, Comparison, Sensitivity), Stop> {
    let mut random = Random::new(seed);
    let groups = Group::all(case, &mut random);
    watch.expect(1 + sensitivity::rollouts() + compare::rollouts(groups.len()));
    let plain = case.roll(&[], watch, |_, _| {})?;
    let comparison = compare::compare(case, &plain, &groups, &mut random, watch)?;
    let sensitivity = sensitivity::look(case, &mut random, watch)?;
    Ok((plain, comparison, sensitivity))
}

/// `implicit`, `unrolled` or `smoothed=KAPPA`.
fn gradient(text: &str) -> Result<ContactGradient, String> {
    const KNOWN: [&str; 3] = ["implicit", "unrolled", "smoothed=0.01"];
    match text.trim().split_once('=') {
        None if text.trim() == "implicit" => Ok(ContactGradient::Implicit),
        None if text.trim() == "unrolled" => Ok(ContactGradient::Unrolled),
        None if text.trim() == "smoothed" => {
            Err("say over which velocity [m/s], as in smoothed=0.01".into())
        }
        Some(("smoothed", kappa)) => match kappa.trim().parse::<f64>() {
            Ok(kappa) if kappa.is_finite() && kappa > 0.0 => {
                Ok(ContactGradient::Smoothed { kappa })
            }
            _ => Err(format!("\"{kappa}\" is not a velocity greater than zero")),
        },
        _ => Err(format!(
            "there are implicit, unrolled and smoothed=KAPPA{}",
            did_you_mean(text, KNOWN)
        )),
    }
}

#[cfg(test)]
mod tests {
    use gradbody::contact::ContactGradient;

    use super::gradient;

    #[test]
    fn gradients_by_name() {
        assert_eq!(gradient("unrolled"), Ok(ContactGradient::Unrolled));
        assert_eq!(gradient("smoothed=0.1"), Ok(ContactGradient::Smoothed { kappa: 0.1 }));
        let hint = gradient("implict").unwrap_err();
        assert!(hint.ends_with("; did you mean \"implicit\"?"), "{hint}");
        for bad in ["smoothed", "smoothed=0", "smoothed=-1", "smoothed=x", "", "unrolled=3"] {
            assert!(gradient(bad).is_err(), "{bad}");
        }
    }
}

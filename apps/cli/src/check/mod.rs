//! `gradbody check`: are the gradients of a model's motion right, and how far can they be trusted?
//!
//! The crate `gradbody_check` does the work; here are the arguments (`mod`), the progress bar (`progress`), and the
//! table, JSON and drawing (`shown`).

mod progress;
mod shown;

use crate::ExitStatus;
use std::io::{self, Write as _};
use std::path::PathBuf;

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
use gradbody_check::{Case, Stop, check};
use gradbody_report::text::number;
use progress::Progress;
use shown::Shown;

const HELP: &str = "\
Computes the same derivative in three ways, for each group of numbers that the motion depends on:
  adjoint      backwards through all steps, as an optimiser uses it
  duals        forwards, by dual numbers; exact for every operation
  differences  between two nearby motions; rough where contacts begin or end between them

Contacts are solved to the last digit, as accurate gradients need, unless --sweeps or --tolerance is
given. check.svg, in the folder of --out, shows how a small change of the start grows through time;
check.json has what --json prints.

Exit status:
  0    adjoint and duals agree, or the gradient is smoothed, which need not be the exact derivative
  1    the model cannot be used, its motion diverges, or a file cannot be written
  2    wrong usage
  3    the gradient is wrong: adjoint and duals differ, or are not finite
  130  ended by Ctrl-C";

/// Exit status for a wrong gradient.
const BAD: u8 = 3;

/// Default duration [s].
const DEFAULT_TIME: f64 = 0.5;

/// Beyond this a check takes hours, and only shows that the motion is too sensitive.
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
    /// Number of steps, instead of --time.
    #[arg(long, value_name = "N", conflicts_with = "time",
          value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,
    /// Time step [s]; without it the model file's, else 0.001.
    #[arg(long, value_name = "DT", allow_negative_numbers = true, value_parser = parse_time)]
    dt: Option<f64>,
    /// Controls over time, as for `simulate`.
    #[arg(long, value_name = "CSV")]
    controls: Option<PathBuf>,
    /// Integration scheme.
    #[arg(long, value_enum, default_value_t = IntegratorArg::ImplicitDamping)]
    integrator: IntegratorArg,
    /// How contact impulses are differentiated: implicit (at the exact solution), unrolled (through the solver's
    /// sweeps) or smoothed=KAPPA (smoothed over velocities of KAPPA [m/s], a direction to search in).
    #[arg(long, value_name = "HOW", default_value = "implicit", value_parser = gradient)]
    gradient: ContactGradient,
    /// Seed of the random function and directions.
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true,
          value_parser = crate::seed::parse)]
    seed: u64,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
    /// A folder for check.svg and check.json; created if needed.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<ExitStatus> {
    args.contact.check()?;
    let (model_name, case) = args.case()?;
    let progress = Progress::new();
    if let Some(folder) = &args.out {
        atomic_file::make_folder(folder)?;
        // Fail before the work if they cannot be written.
        for name in FILES {
            drop(AtomicFile::create(&folder.join(name))?);
        }
    }
    let checked = check(&case, args.seed, &progress);
    progress.end();
    let outcome = match checked {
        Ok(outcome) => outcome,
        Err(Stop::Interrupted) => {
            writeln!(io::stderr(), "interrupted: no result yet, and nothing was written")?;
            return Ok(ExitStatus::from(interrupt::EXIT_STATUS));
        }
        Err(Stop::Diverged { link, time }) => bail!(
            "the simulation diverged: at t = {} s the motion of link \"{}\" is no longer finite; {}",
            number(time),
            case.model.topology.links[link.index()].name,
            args.contact.hint()
        ),
    };
    let shown = Shown { model_name: &model_name, outcome: &outcome };
    let json = serde_json::to_string_pretty(&shown.json())?;
    let mut out = io::stdout().lock();
    match args.json {
        true => writeln!(out, "{json}")?,
        false => write!(out, "{}", shown.text())?,
    }
    if let Some(folder) = &args.out {
        for (name, text) in FILES.into_iter().zip([shown.svg(), json + "\n"]) {
            let file = folder.join(name);
            atomic_file::write(&file, &text)?;
            let message = format!("wrote {}", file.display());
            match args.json {
                true => writeln!(io::stderr(), "{message}")?,
                false => writeln!(out, "{message}")?,
            }
        }
    }
    Ok(if outcome.is_bad() { ExitStatus::from(BAD) } else { ExitStatus::SUCCESS })
}

/// Files in the folder of `--out`.
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
                "{} steps are too many to check (at most {MAX_STEPS}); use a larger --dt or a shorter --time",
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
        // Differences cannot see when within a step an impact begins.
        options.contact.impact_times = false;
        self.contact.apply_converged(&mut options);
        self.model.tell_idle(&model, &options.contact.solver);
        let mut input = Input { control, tau, ..Input::none(&model) };
        let inputs = (0..duration.steps)
            .map(|k| {
                controls.apply(start.time + k as f64 * duration.dt, duration.dt, &mut input);
                input.clone()
            })
            .collect();
        let name = self.model.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let case = Case { gradient: self.gradient, ..Case::new(model, start, inputs, options) };
        Ok((name, case))
    }
}

/// `implicit`, `unrolled` or `smoothed=KAPPA`.
fn gradient(text: &str) -> Result<ContactGradient, String> {
    const KNOWN: [&str; 3] = ["implicit", "unrolled", "smoothed=0.01"];
    match text.trim().split_once('=') {
        None if text.trim() == "implicit" => Ok(ContactGradient::Implicit),
        None if text.trim() == "unrolled" => Ok(ContactGradient::Unrolled),
        None if text.trim() == "smoothed" => {
            Err("give the velocity [m/s] to smooth over, as in smoothed=0.01".into())
        }
        Some(("smoothed", kappa)) => match kappa.trim().parse::<f64>() {
            Ok(kappa) if kappa.is_finite() && kappa > 0.0 => {
                Ok(ContactGradient::Smoothed { kappa })
            }
            _ => Err(format!("\"{kappa}\" is not a velocity greater than zero")),
        },
        _ => Err(format!(
            "expected implicit, unrolled or smoothed=KAPPA{}",
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

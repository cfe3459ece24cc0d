//! Recordings of a simulation, a run, a plan and an episode of a policy.

use std::path::Path;

use anyhow::anyhow;
use gradbody::model::Model;
use gradbody::model::import::{self, Base, ImportOptions};
use gradbody::sim::{Input, NoTaps, Simulation, State, StepOptions, Taps};
use gradbody::train::{PlayOptions, PlayedMoment};
use gradbody_report::text::number;
use gradbody_view::gradient::{Pushed, final_height, sensitivity};
use gradbody_view::record::{self, KnownMoment};
use gradbody_view::{Recording, Subject};

use super::{ViewArgs, live, motion_file};
use crate::play;
use crate::progress;
use crate::simulate::Duration;
use crate::usage::Usage;

/// Seconds of a simulation that is recorded, without --time.
const SECONDS: f64 = 10.0;
/// Moments of a recording at most; of more, some are chosen.
const MOST_MOMENTS: usize = 3000;
/// A simulation that is this far from a recorded configuration does not repeat it [m or rad].
const REPEATED: f64 = 1e-3;
/// What the gradient is of, and its unit.
pub(super) const HEIGHT: (&str, &str) = ("final height of the centre of mass", "m");

/// A simulation of a model.
pub(super) fn simulated(args: &ViewArgs) -> anyhow::Result<Recording> {
    let subject = live::load(args, &args.what)?.subject;
    let seconds = args.time.unwrap_or(SECONDS);
    let duration = Duration::of(seconds, Some(subject.options.dt), None)?;
    let bar = progress::bar(duration.steps, "steps");
    let mut recording = record::simulated(&subject, seconds, |step| {
        if step % 1024 == 0 {
            bar.set_position(step);
        }
        true
    });
    bar.finish_and_clear();
    if args.gradient {
        let Subject { model, start, control, tau, options } = &subject;
        let input = Input { control: control.clone(), tau: tau.clone(), ..Input::none(model) };
        let inputs = [input];
        let steps = duration.steps as usize;
        add_gradient(&mut recording, &Pushed { model, start, options, inputs: &inputs, steps })?;
    }
    Ok(recording)
}

/// A run that was written before.
pub(super) fn run_file(args: &ViewArgs) -> anyhow::Result<Recording> {
    let file = args.what.display();
    // Before anything else is asked for.
    motion_file::must_exist(&args.what)?;
    let Some(model) = &args.model else {
        let hint = "a run does not say of which model it is; say so by --model MODEL";
        return Err(Usage(format!("{file}: {hint}")).into());
    };
    let subject = live::load(args, model)?.subject;
    let moments = motion_file::read(&args.what, &subject.model)?;
    let Subject { model, options, .. } = &subject;
    let mut recording = of_moments(model, &moments, options, "run");
    recording.title = format!("{}: {}", model.topology.name, name(&args.what));
    if args.gradient {
        repeated(&mut recording, model, &moments, options)?;
    }
    Ok(recording)
}

/// A plan, with the model it was made for.
pub(super) fn plan(args: &ViewArgs) -> anyhow::Result<Recording> {
    let file = args.what.join("model.xml");
    let options = ImportOptions { base: Base::Auto, ..ImportOptions::default() };
    let model = import::load(&file, &options)?.model;
    let moments = motion_file::read(&args.what.join("plan.csv"), &model)?;
    let duration = Duration::of_steps(1, args.dt, model.topology.timestep);
    let mut step = StepOptions::new(duration.dt);
    args.contact.apply(&mut step);
    let mut recording = of_moments(&model, &moments, &step, "plan");
    recording.title = format!("{}: {}", model.topology.name, name(&args.what));
    if args.gradient {
        repeated(&mut recording, &model, &moments, &step)?;
    }
    Ok(recording)
}

/// An episode of a policy.
pub(super) fn policy(args: &ViewArgs) -> anyhow::Result<Recording> {
    let path = args.what.display();
    let policy = play::policy_at(&args.what)?;
    let seconds = args.time.unwrap_or(SECONDS);
    let steps = (seconds / policy.about.seconds_per_action).ceil().max(1.0) as usize;
    let options = PlayOptions { episodes: 1, steps: Some(steps), ..PlayOptions::default() };
    let played =
        gradbody::train::play(&policy, &options).map_err(|why| anyhow!("{path}: {why}"))?;
    let model = &played.environment.model;
    let moment = |moment: &PlayedMoment| {
        let state = State {
            time: moment.time,
            q: moment.q.clone(),
            v: moment.v.clone(),
            ..State::neutral(model)
        };
        KnownMoment {
            state,
            input: Input { control: moment.controls.clone(), ..Input::none(model) },
        }
    };
    let moments: Vec<KnownMoment> = played.motion.iter().map(moment).collect();
    let mut recording = of_moments(model, &moments, &played.environment.options, "policy");
    recording.title = format!("{}: {}", played.environment.name, name(&args.what));
    Ok(recording)
}

/// A recording of known moments, or of some of them if there are very many.
fn of_moments(
    model: &Model<f64>,
    moments: &[KnownMoment],
    options: &StepOptions<f64>,
    name: &str,
) -> Recording {
    let chosen: Vec<KnownMoment> = record::evenly(moments.len(), MOST_MOMENTS)
        .into_iter()
        .map(|k| moments[k].clone())
        .collect();
    let mut taps = NoTaps;
    let step =
        (!model.topology.shapes.is_empty()).then_some((options, &mut taps as &mut dyn Taps<f64>));
    let mut recording = record::known(model, &chosen, step, name);
    if chosen.len() < moments.len() {
        let (shown, all) = (chosen.len(), moments.len());
        recording.caption += &format!(" {shown} of {all} recorded moments are shown.");
    }
    recording
}

/// Adds the gradient of a motion that is simulated again from its first moment. Fails if that leads elsewhere.
fn repeated(
    recording: &mut Recording,
    model: &Model<f64>,
    moments: &[KnownMoment],
    options: &StepOptions<f64>,
) -> anyhow::Result<()> {
    let (first, last) = match moments {
        [first, .., last] => (first, last),
        _ => return Err(Usage("--gradient needs a motion of two rows at least".into()).into()),
    };
    let steps = ((last.state.time - first.state.time) / options.dt).round() as usize;
    let mut inputs = Vec::with_capacity(steps);
    let mut acting = 0;
    for k in 0..steps {
        // A row meant for the start of this step may be off by rounding.
        let now = first.state.time + (k as f64 + 1e-6) * options.dt;
        while moments.get(acting + 1).is_some_and(|m| m.state.time <= now) {
            acting += 1;
        }
        inputs.push(moments[acting].input.clone());
    }
    let mut world = Simulation::new(model, *options).from_state(first.state.clone());
    for input in &inputs {
        world.input.copy_from(input);
        if world.step().diverged.is_some() {
            break;
        }
    }
    // What is not a number is far, too; `max` would pass over it.
    let apart = |(a, b): (&f64, &f64)| {
        let apart = (a - b).abs();
        if apart.is_nan() { f64::INFINITY } else { apart }
    };
    let far = world.state.q.iter().zip(&last.state.q).map(apart).fold(0.0, f64::max);
    if far > REPEATED {
        return Err(anyhow!(
            "--gradient: simulated again from its first row, the motion ends {} away from its last row; give --dt, \
             --solver, --ground and the like as in the run",
            number(far)
        ));
    }
    let pushed = Pushed { model, start: &first.state, options, inputs: &inputs, steps };
    add_gradient(recording, &pushed)
}

/// Adds how the final height grows with pushes.
fn add_gradient(recording: &mut Recording, pushed: &Pushed<'_>) -> anyhow::Result<()> {
    let loss = &mut final_height(pushed.model);
    let times = recording.times.clone();
    let found = sensitivity(pushed, loss, HEIGHT, &times, &mut NoTaps);
    let found = found.map_err(|why| anyhow!("--gradient: {why}"))?;
    recording.arrows.push(found.arrows);
    Ok(())
}

/// The last part of a path.
pub(super) fn name(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    whole.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

//! A fit: the measured motion, and those of the model before and after the fit, in one scene.

use anyhow::anyhow;
use gradbody::learn::judge::{Predicted, Predictor, Trials};
use gradbody::learn::{Setup, objective};
use gradbody::sim::{
    Input, Loss, LossCotangents, Mean, Moment, State, StateCost, StateTarget, Taps, Target,
};
use gradbody_view::gradient::{Pushed, sensitivity};
use gradbody_view::protocol::Channel;
use gradbody_view::record::{self, KnownMoment};
use gradbody_view::{Layer, Recording, Track};

use super::ViewArgs;
use crate::predict::{self, Models};
use crate::usage::Usage;

/// The layers of the recording, in order.
const AFTER: usize = 0;
const MEASURED: usize = 1;
const BEFORE: usize = 2;
/// Number of channels whose plots are open at first, with those of their residuals.
const OPEN: usize = 2;
/// What the gradient is of, and its unit.
const MISS: (&str, &str) = ("mean squared distance from the measured configuration", "(rad or m)²");

/// A motion of the part of the data that judges the fit.
pub(super) fn fit(args: &ViewArgs) -> anyhow::Result<Recording> {
    let (Models { setup, before, after, .. }, trials) = predict::judged(&args.what, None)?;
    let window = usize::from(args.motion) - 1;
    let count = trials.windows.len();
    if window >= count {
        return Err(Usage(format!("--motion {}: there are {count}", window + 1)).into());
    }
    let measured = setup.measured_states(&trials, window)?;
    let (of_before, states_before) = setup.predict_states(&before, &trials)?;
    let (of_after, states_after) = setup.predict_states(&after, &trials)?;
    let mut recording = fitted_motion(&setup, &after, &trials, window, &states_after[window]);
    let rows = measured.len();
    lengthen(&mut recording, &setup, &trials, rows);
    let poses = |model, states: &[State<f64>]| {
        let mut poses = record::poses(model, states.iter().map(|state| state.q.as_slice()));
        poses.resize(rows * 7 * recording.scene.bodies.len(), 0.0);
        poses
    };
    let layers = [
        Layer::measured(poses(&setup.model, &measured)),
        Layer::before(poses(&before.model, &states_before[window])),
    ];
    recording.layers.extend(layers);
    add_channels(&mut recording, &setup, &trials, window, [&of_before, &of_after]);
    let part = trials.part.name();
    recording.title = format!("{}: fit", setup.experiment.name);
    let place = if count > 1 {
        format!("motion {} of {count} (--motion N shows another) of", window + 1)
    } else {
        "the motion of".into()
    };
    recording.caption = format!(
        "Measured, before and after the fit: {place} the part \"{part}\". The measured configuration is estimated \
         from the sensors. {}",
        recording.caption
    );
    let found = states_after[window].len();
    if found < rows {
        let of = format!(" The fitted model diverges after {found} of {rows} samples.");
        recording.caption += &of;
    }
    if args.gradient {
        add_gradient(&mut recording, &setup, &after, &trials, window, &measured)?;
    }
    Ok(recording)
}

/// The motion of the fitted model, with its contacts.
fn fitted_motion(
    setup: &Setup,
    after: &Predictor,
    trials: &Trials,
    window: usize,
    states: &[State<f64>],
) -> Recording {
    let inputs = trials.inputs(&trials.windows[window]);
    let none = Input::none(&after.model);
    let moments: Vec<KnownMoment> = states
        .iter()
        .enumerate()
        .map(|(row, state)| {
            let mut state = state.clone();
            state.time = time(setup, trials, row);
            let input = inputs.get(trials.given + row).unwrap_or(&none).clone();
            KnownMoment { state, input }
        })
        .collect();
    let options = setup.step_options(after);
    let mut taps = setup.taps(after);
    // With shapes there are contacts, on which networks may act.
    let touches = !after.model.topology.shapes.is_empty();
    let step =
        taps.as_deref_mut().filter(|_| touches).map(|taps| (&options, taps as &mut dyn Taps<f64>));
    let mut recording = record::known(&after.model, &moments, step, "after");
    recording.tracks.iter_mut().for_each(|track| track.layer = Some(AFTER));
    recording.effects = setup.networks_at_work(after, trials, window, states);
    recording
}

/// The time of a predicted sample, from the first given one [s].
fn time(setup: &Setup, trials: &Trials, row: usize) -> f64 {
    (trials.given + row) as f64 * setup.period
}

/// Makes room for all samples if the fitted model diverges before.
fn lengthen(recording: &mut Recording, setup: &Setup, trials: &Trials, rows: usize) {
    let known = recording.times.len();
    recording.times.extend((known..rows).map(|row| time(setup, trials, row)));
    if !recording.contacts.is_empty() {
        recording.contacts.resize(rows, Vec::new());
    }
    recording.tracks.iter_mut().for_each(|track| track.values.resize(rows, f32::NAN));
    let bodies = recording.scene.bodies.len();
    recording.layers.iter_mut().for_each(|layer| layer.poses.resize(rows * bodies * 7, 0.0));
}

/// Adds each channel as measured and predicted, and the residuals.
fn add_channels(
    recording: &mut Recording,
    setup: &Setup,
    trials: &Trials,
    window: usize,
    predicted: [&Predicted; 2],
) {
    let of = &trials.windows[window];
    let columns = setup.columns.len();
    let rows = recording.times.len();
    let first = of.first + trials.given;
    let sensors = setup.sensors.iter().enumerate();
    let sensor_of: Vec<usize> =
        sensors.flat_map(|(k, sensor)| std::iter::repeat_n(k, sensor.columns())).collect();
    debug_assert_eq!(objective::columns_of(&setup.sensors), columns);
    for (c, (name, unit, size)) in setup.columns.iter().enumerate() {
        let measured = |row: usize| {
            let whole = &trials.recordings[of.recording];
            let (measured, present) = whole.sample(first + row, &setup.sensors);
            if present[sensor_of[c]] > 0.0 { measured[c] / size } else { f64::NAN }
        };
        let of_model = |by: &Predicted, row: usize| {
            by[window].as_ref().map_or(f64::NAN, |by| by[row * columns + c] / size)
        };
        let mut add = |name: &str, layer: usize, value: &dyn Fn(usize) -> f64| {
            let channel = Channel { name: name.to_owned(), unit: (*unit).to_owned() };
            let values = (0..rows).map(|row| value(row) as f32).collect();
            recording.tracks.push(Track { channel, layer: Some(layer), values });
        };
        let residual = format!("residual/{name}");
        add(name, MEASURED, &measured);
        for (by, layer) in predicted.into_iter().zip([BEFORE, AFTER]) {
            add(name, layer, &|row| of_model(by, row));
            add(&residual, layer, &|row| of_model(by, row) - measured(row));
        }
        if c < OPEN {
            recording.plots.extend([vec![name.clone()], vec![residual]]);
        }
    }
}

/// Adds how the distance from the measured configuration grows with pushes.
fn add_gradient(
    recording: &mut Recording,
    setup: &Setup,
    after: &Predictor,
    trials: &Trials,
    window: usize,
    measured: &[State<f64>],
) -> anyhow::Result<()> {
    let problem = |why: String| anyhow!("--gradient: {why}");
    let substeps = setup.experiment.simulation.substeps;
    let mut start = setup.states(after, trials)?.swap_remove(window);
    start.time = (trials.given - 1) as f64 * setup.period;
    let none = Input::none(&after.model);
    let given = trials.inputs(&trials.windows[window]);
    let sample = |row: usize| given.get(trials.given - 1 + row).unwrap_or(&none).clone();
    let inputs: Vec<Input<f64>> =
        (0..measured.len()).flat_map(|row| std::iter::repeat_n(sample(row), substeps)).collect();
    let targets = measured
        .iter()
        .flat_map(|state| std::iter::repeat_n(StateTarget::from(state), substeps))
        .collect();
    let target = Target::PerStep(targets);
    let cost = StateCost::new(&after.model, substeps as f64, 0.0, target);
    let mut loss = Mean(AtSamples { substeps, of: cost });
    let taps = setup.taps(after);
    let mut taps = taps.ok_or_else(|| problem("the weights do not fit the networks".into()))?;
    let options = setup.step_options(after);
    let pushed = Pushed {
        model: &after.model,
        start: &start,
        options: &options,
        inputs: &inputs,
        steps: inputs.len(),
    };
    let times = recording.times.clone();
    let found = sensitivity(&pushed, &mut loss, MISS, &times, &mut *taps).map_err(problem)?;
    recording.arrows.push(found.arrows);
    Ok(())
}

/// A loss at the last of each `substeps` steps.
struct AtSamples<L> {
    substeps: usize,
    of: L,
}

impl<L: Loss<f64>> Loss<f64> for AtSamples<L> {
    fn cost(&mut self, at: &Moment<'_, f64>) -> f64 {
        if (at.step + 1).is_multiple_of(self.substeps) { self.of.cost(at) } else { 0.0 }
    }

    fn cost_vjp(
        &mut self,
        at: &Moment<'_, f64>,
        cost_bar: f64,
        bars: &mut LossCotangents<'_, f64>,
    ) {
        if (at.step + 1).is_multiple_of(self.substeps) {
            self.of.cost_vjp(at, cost_bar, bars);
        }
    }
}

//! How well models predict windows of the data.
//!
//! A predictor is given the first samples of a window and predicts the rest. A model starts from the state at the last
//! given sample whose motion fits the given samples best.

use std::ops::ControlFlow;
use std::sync::Arc;

use gradbody_augment::{Bound, Plan};
use gradbody_model::{Model, Selection};
use gradbody_sim::{Input, Simulation, State, StepOptions, TapsVjp};
use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::experiment::{DataPart, ExperimentError, Setup, evenly};
use crate::objective::{
    Fit, FitParts, Observer, Recording, Sees, Sensor, Unknowns, Window, columns_of, cut,
    estimate_states,
};
use gradbody_draw::{Drawing, Posture};
use gradbody_optimise::{LevenbergMarquardt, Limits, Method, Objective as _, Search};

/// A model with the values that a fit found.
#[derive(Clone, Debug)]
pub struct Predictor {
    /// The model.
    pub model: Model<f64>,
    /// Its networks.
    pub plan: Arc<Plan>,
    /// Their weights.
    pub weights: Vec<f64>,
    /// The time from sample to sample [s].
    pub period: f64,
}

/// Windows of a part of the data on which predictions are judged.
#[derive(Clone, Debug)]
pub struct Trials {
    /// Which part.
    pub part: DataPart,
    /// The recordings of the part.
    pub recordings: Vec<Recording>,
    /// The windows. Each begins with the given samples.
    pub windows: Vec<Window>,
    /// Number of given samples in each window.
    pub given: usize,
}

/// How a window begins, as far as its given samples tell.
pub(crate) struct Begun {
    /// The start whose motion fits the given samples best. None if it was not searched for, or the search cannot begin.
    pub(crate) found: Option<FoundStart>,
    /// The state at the last given sample, estimated from the data alone.
    last: State<f64>,
}

/// The start of a window's given samples.
pub(crate) struct FoundStart {
    pub(crate) first: State<f64>,
    /// What the samples say about it: the inverse of the covariance of its offsets (dq, dv), (2 nv, 2 nv).
    pub(crate) information: Option<DMatrix<f64>>,
}

/// The predicted values of each window after the given samples, (samples, columns). None for a window without a
/// prediction, because the motion diverges or a given sample is missing.
pub type Predicted = Vec<Option<Vec<f64>>>;

/// The states of a model at the predicted samples of each window, up to where it diverges.
pub type PredictedStates = Vec<Vec<State<f64>>>;

impl Setup {
    /// The windows of a part to be predicted, or None if the part has no recording that is long enough.
    pub fn trials(&self, part: DataPart) -> Option<Trials> {
        let options = &self.experiment.prediction;
        let given = options.warm_up.max(1);
        let recordings = self.part(part).to_vec();
        let longest = recordings.iter().map(|r| r.samples).max()?;
        let horizon = options.horizon.unwrap_or(500).min(longest.saturating_sub(given));
        if horizon == 0 {
            return None;
        }
        let length = given - 1 + horizon;
        // A horizon that is asked for is judged on whole windows, unless every recording is shorter. Without one, the
        // rest of a recording is predicted too, if it is not hardly longer than the given samples.
        let shortest = given + (horizon / 4).min(horizon - 1);
        let whole = options.horizon.map(|_| cut(&recordings, length, length + 1, length));
        let windows: Vec<Window> = whole
            .filter(|whole| !whole.is_empty())
            .unwrap_or_else(|| cut(&recordings, length, length + 1, shortest));
        let windows = evenly(windows, options.windows);
        (!windows.is_empty()).then_some(Trials { part, recordings, windows, given })
    }

    /// The state of a predictor at the last given sample of each window.
    pub fn states(
        &self,
        by: &Predictor,
        trials: &Trials,
    ) -> Result<Vec<State<f64>>, ExperimentError> {
        let begun = self.begin(by, trials)?;
        let carry = |(window, begun): (&Window, Begun)| {
            let inputs = trials.inputs(window);
            let carried = begun
                .found
                .map(|found| self.carry(by, inputs, &found.first, trials.given - 1, |_| ()));
            carried.flatten().unwrap_or(begun.last)
        };
        Ok(trials.windows.par_iter().zip(begun).map(carry).collect())
    }

    /// How each window begins for a predictor, which sees the given samples only.
    pub(crate) fn begin(
        &self,
        by: &Predictor,
        trials: &Trials,
    ) -> Result<Vec<Begun>, ExperimentError> {
        let guess = self.guess(&by.model)?;
        let estimate = &self.experiment.objective.estimate;
        let nothing = Selection::of(&by.model, [] as [&str; 0])
            .map_err(|error| ExperimentError::Model(error.to_string()))?;
        let mut unknowns = Unknowns::of(&by.model, nothing);
        unknowns.start = 2 * by.model.nv();
        let one = |window: &Window| {
            let head = self.head(trials, window);
            let mut states =
                estimate_states(&by.model, &self.sensors, &head, by.period, &guess, estimate);
            for (k, state) in states.iter_mut().enumerate() {
                self.place_moved(&trials.recordings[window.recording], window.first + k, state);
                state.time = 0.0;
                state.memory.clear();
                state.memory.resize(by.plan.n_memory(), 0.0);
            }
            let last = states[trials.given - 1].clone();
            if trials.given < 3 {
                return Begun { found: None, last };
            }
            let length = trials.given - 1;
            let fit = Fit::new(FitParts {
                model: by.model.clone(),
                plan: by.plan.clone(),
                weights: by.weights.clone(),
                unknowns: unknowns.clone(),
                sensors: self.sensors.clone(),
                recordings: vec![head],
                windows: vec![Window { recording: 0, first: 0, length, continues: false }],
                starts: vec![states.swap_remove(0)],
                options: self.step_options(by),
                substeps: self.experiment.simulation.substeps,
            });
            let method = Method::LevenbergMarquardt(LevenbergMarquardt::default());
            // If the search cannot begin, the estimate is used.
            let found = Search::begin(&method, &fit, fit.initial(), 0).ok().map(|mut search| {
                search.run(&fit, &Limits::iterations(30), &mut |_| ControlFlow::Continue(()));
                let x = search.best().0;
                let mut first = fit.candidate(x).starts;
                let quadratic = fit.quadratic(x);
                let own = quadratic.and_then(|q| q.hessian.blocks.into_iter().next());
                let mut first = first.swap_remove(0);
                // Where moved joints are and how fast is known, not searched for.
                let recording = &trials.recordings[window.recording];
                self.place_moved(recording, window.first, &mut first);
                FoundStart { first, information: own.map(|block| block.own) }
            });
            Begun { found, last }
        };
        Ok(trials.windows.par_iter().map(one).collect())
    }

    /// The given samples of a window, as a recording.
    fn head(&self, trials: &Trials, window: &Window) -> Recording {
        let whole = &trials.recordings[window.recording];
        let (columns, sensors) = (columns_of(&self.sensors), self.sensors.len());
        let range = |width: usize| window.first * width..(window.first + trials.given) * width;
        let inputs = match whole.inputs.is_empty() {
            true => Vec::new(),
            false => whole.inputs[range(1)].to_vec(),
        };
        Recording {
            name: whole.name.clone(),
            begin: 0.0,
            measured: whole.measured[range(columns)].to_vec(),
            present: whole.present[range(sensors)].to_vec(),
            inputs,
            samples: trials.given,
        }
    }

    /// Simulates some samples from a state and calls `each` after each sample. None if the motion diverges.
    pub(crate) fn carry(
        &self,
        by: &Predictor,
        inputs: &[Input<f64>],
        from: &State<f64>,
        samples: usize,
        mut each: impl FnMut(&State<f64>),
    ) -> Option<State<f64>> {
        let mut taps = Bound::new(by.plan.clone(), by.weights.clone()).ok()?;
        let mut world = Simulation::new(&by.model, self.step_options(by)).from_state(from.clone());
        let none = Input::none(&by.model);
        for k in 0..samples {
            world.input.copy_from(inputs.get(k).unwrap_or(&none));
            for _ in 0..self.experiment.simulation.substeps {
                if world.step_with(taps.as_taps()).diverged.is_some() {
                    return None;
                }
            }
            each(&world.state);
        }
        Some(world.state)
    }

    /// The predictions of a model.
    pub fn predict(&self, by: &Predictor, trials: &Trials) -> Result<Predicted, ExperimentError> {
        self.predict_and(by, trials, |_, _| ())
    }

    /// The predictions of a model, and its states.
    pub fn predict_states(
        &self,
        by: &Predictor,
        trials: &Trials,
    ) -> Result<(Predicted, PredictedStates), ExperimentError> {
        let states = std::sync::Mutex::new(vec![Vec::new(); trials.windows.len()]);
        let predicted = self.predict_and(by, trials, |k, state| {
            if let Ok(mut states) = states.lock() {
                states[k].push(state.clone());
            }
        })?;
        Ok((predicted, states.into_inner().unwrap_or_default()))
    }

    /// The predictions of a model, and how it is drawn at each predicted sample.
    pub fn predict_figures(
        &self,
        by: &Predictor,
        trials: &Trials,
    ) -> Result<(Predicted, Vec<Vec<Posture>>), ExperimentError> {
        let (predicted, states) = self.predict_states(by, trials)?;
        let mut drawing = Drawing::new(&by.model);
        let mut posture = |state: &State<f64>| drawing.posture(&by.model, &state.q);
        let figures = states.iter().map(|states| states.iter().map(&mut posture).collect());
        Ok((predicted, figures.collect()))
    }

    /// The states at the predicted samples of a window, as estimated from the sensors alone.
    pub fn measured_states(
        &self,
        trials: &Trials,
        window: usize,
    ) -> Result<Vec<State<f64>>, ExperimentError> {
        let of = &trials.windows[window];
        let guess = self.guess(&self.model)?;
        let recording = &trials.recordings[of.recording];
        let estimate = &self.experiment.objective.estimate;
        let states =
            estimate_states(&self.model, &self.sensors, recording, self.period, &guess, estimate);
        Ok(states[of.first + trials.given..=of.first + of.length].to_vec())
    }

    /// The networks of a predictor, as taps of its steps. None if they do not fit each other.
    pub fn taps(&self, by: &Predictor) -> Option<Box<dyn TapsVjp<f64>>> {
        Some(Bound::new(by.plan.clone(), by.weights.clone()).ok()?.into_taps())
    }

    /// The step of a predictor.
    pub fn step_options(&self, by: &Predictor) -> StepOptions<f64> {
        StepOptions { dt: by.period / self.experiment.simulation.substeps as f64, ..self.options }
    }

    fn predict_and(
        &self,
        by: &Predictor,
        trials: &Trials,
        each: impl Fn(usize, &State<f64>) + Sync,
    ) -> Result<Predicted, ExperimentError> {
        let states = self.states(by, trials)?;
        let of = |(k, state): (usize, &State<f64>)| {
            let window = &trials.windows[k];
            let inputs = trials.inputs(window).get(trials.given - 1..).unwrap_or(&[]);
            let from = window.first + trials.given - 1;
            let mut observer = Observer::new(&by.model, &self.sensors);
            let mut seen = Vec::new();
            self.carry(by, inputs, state, trials.horizon(window), |state| {
                observer.predict(&self.sensors, &by.model, state, &mut seen);
                each(k, state);
            })?;
            let (given, _) = trials.recordings[window.recording].sample(from, &self.sensors);
            align_signs(&self.sensors, given, &mut seen);
            Some(seen)
        };
        Ok(states.par_iter().enumerate().map(of).collect())
    }
}

/// Gives each predicted quaternion the one of its two signs that is nearer to the sample before; the first one is
/// compared with the last given sample.
fn align_signs(sensors: &[Sensor], given: &[f64], predicted: &mut [f64]) {
    let columns = columns_of(sensors);
    let mut first = 0;
    for sensor in sensors {
        if let Sees::Orientation(_) = sensor.sees {
            let mut before = given[first..first + 4].to_vec();
            for row in predicted.chunks_exact_mut(columns) {
                let now = &mut row[first..first + 4];
                if before.iter().zip(now.iter()).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                    now.iter_mut().for_each(|x| *x = -*x);
                }
                before.copy_from_slice(now);
            }
        }
        first += sensor.columns();
    }
}

impl Trials {
    /// How many samples of a window are predicted.
    pub fn horizon(&self, window: &Window) -> usize {
        window.length + 1 - self.given
    }

    /// The inputs from the first sample of a window on; empty if nothing acts.
    pub fn inputs(&self, window: &Window) -> &[Input<f64>] {
        self.recordings[window.recording].inputs.get(window.first..).unwrap_or(&[])
    }
}

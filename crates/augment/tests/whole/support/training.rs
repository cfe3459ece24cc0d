//! Fitting networks inside a simulation to recorded motions, by Adam on the gradients of rollouts.

use std::sync::Arc;

use gradbody_augment::{Blueprint, Bound, bind};
use gradbody_model::Model;
use gradbody_sim::{
    GradientOptions, Input, NoTaps, Rollout, RolloutTrace, Sequence, State, StateCost, StateTarget,
    StepOptions, StepScratch, StepTrace, Taps, Target, rollout_vjp, step,
};

/// A motion that was seen.
pub(crate) struct Episode {
    pub start: State<f64>,
    pub inputs: Vec<Input<f64>>,
    pub seen: Vec<StateTarget<f64>>,
}

impl Episode {
    /// How a model moves.
    pub(crate) fn recorded(
        model: &Model<f64>,
        options: &StepOptions<f64>,
        start: State<f64>,
        inputs: Vec<Input<f64>>,
    ) -> Episode {
        Episode::with(model, options, start, inputs, &mut NoTaps)
    }

    /// How a model moves with what taps do to it.
    pub(crate) fn with(
        model: &Model<f64>,
        options: &StepOptions<f64>,
        start: State<f64>,
        inputs: Vec<Input<f64>>,
        taps: &mut impl Taps<f64>,
    ) -> Episode {
        let mut state = start.clone();
        let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
        let mut seen = Vec::new();
        for input in &inputs {
            let report = step(model, &mut state, input, options, taps, &mut trace, &mut scratch);
            assert_eq!(report.diverged, None, "a motion to learn from");
            seen.push(StateTarget::from(&state));
        }
        Episode { start, inputs, seen }
    }
}

/// Networks on their way to explain what was seen.
pub(crate) struct Training<'a> {
    pub bound: Bound<f64>,
    pub model: &'a Model<f64>,
    pub options: &'a StepOptions<f64>,
    pub episodes: Vec<Episode>,
    trace: RolloutTrace<f64>,
}

impl<'a> Training<'a> {
    pub(crate) fn new(
        blueprint: &Blueprint,
        model: &'a Model<f64>,
        options: &'a StepOptions<f64>,
        episodes: Vec<Episode>,
    ) -> Self {
        let plan = bind(blueprint, model, &options.contact).unwrap_or_else(|e| panic!("{e}"));
        let plan = Arc::new(plan);
        let bound = Bound::new(plan.clone(), plan.initial_weights()).unwrap();
        Training { bound, model, options, episodes, trace: RolloutTrace::new(model) }
    }

    /// The mean square by which velocities are missed, and its gradient with respect to the weights.
    pub(crate) fn loss(&mut self) -> (f64, Vec<f64>) {
        let Training { bound, model, options, episodes, trace } = self;
        let mut sum = (0.0, vec![0.0; bound.weights.len()]);
        for episode in episodes.iter() {
            let mut start = episode.start.clone();
            bound.begin(&mut start);
            let steps = episode.inputs.len();
            let rolled = Rollout { model, start: &start, steps, options };
            let share = 1.0 / steps as f64;
            let target = Target::PerStep(episode.seen.clone());
            let mut loss = StateCost::new(model, 0.0, share, target);
            let mut inputs = Sequence::new(model, episode.inputs.clone());
            let how = GradientOptions::default();
            let found = rollout_vjp(&rolled, &mut inputs, &mut loss, bound, &how, trace);
            sum.0 += found.checked().unwrap().cost;
            for (sum, bar) in sum.1.iter_mut().zip(&bound.weights_bar) {
                *sum += bar;
            }
        }
        sum
    }

    /// Adam [Kingma and Ba 2015], slower and slower towards the end; the loss before and after.
    pub(crate) fn descend(&mut self, iterations: usize, rate: f64) -> (f64, f64) {
        const BETAS: (f64, f64) = (0.9, 0.99);
        let n = self.bound.weights.len();
        let (mut mean, mut square) = (vec![0.0; n], vec![0.0; n]);
        let before = self.loss().0;
        for i in 0..iterations {
            let (_, bar) = self.loss();
            let left = 1.0 - i as f64 / iterations as f64;
            let corrected = |x: f64, beta: f64| x / (1.0 - beta.powi(i as i32 + 1));
            for k in 0..n {
                mean[k] += (1.0 - BETAS.0) * (bar[k] - mean[k]);
                square[k] += (1.0 - BETAS.1) * (bar[k] * bar[k] - square[k]);
                let size = corrected(square[k], BETAS.1).sqrt() + 1e-12;
                self.bound.weights[k] -= rate * left * corrected(mean[k], BETAS.0) / size;
            }
        }
        (before, self.loss().0)
    }
}

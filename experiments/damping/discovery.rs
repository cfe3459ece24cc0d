//! Finds which inputs a correction of each joint's torque needs, out of all positions and velocities.

use std::ops::ControlFlow;
use std::sync::Arc;

use gradbody::augment::{Augmentation, Blueprint, Bound, Plan, bind};
use gradbody::learn::objective::{Fit, FitParts, Unknowns, cut};
use gradbody::learn::optimise::{Adam, Decay, LevenbergMarquardt, Limits, Method, Penalty, Search};
use gradbody::model::Selection;
use gradbody::neural::Spread;
use gradbody::sim::{Input, State, StepScratch, StepTrace, step};

use super::swings::{DT, frictionless, options, recorded};
use crate::double_pendulum::{self as pendulum, JOINTS};

/// Swings of the example.
const EXAMPLE: usize = 10;
/// Unit of a velocity error [rad/s]: about the change that a torque of 1 N m makes in a step.
const UNIT: f64 = DT;
/// The lasso's weight per transition, on an input whose weight is 1 in the fit without lasso; and the lower limit of
/// that weight.
const LASSO: f64 = 0.005;
const LEAST: f64 = 1e-3;
/// Largest number of training swings: more add almost nothing about eight weights.
pub(super) const MOST: usize = 200;
/// Iterations of Adam, its first step length, and the iterations in which the length halves.
const ITERATIONS: u64 = 150;
const RATE: f64 = 0.1;
const HALF_LIFE: f64 = 40.0;

/// The inputs that the correction may read.
pub(super) fn inputs() -> Vec<String> {
    let of = |what: &'static str| JOINTS.into_iter().map(move |j| format!("joint/{j}/{what}"));
    of("position").chain(of("velocity")).collect()
}

/// The result of a training.
pub(super) struct Discovery {
    /// Number of training transitions.
    pub(super) transitions: usize,
    /// The weights of each joint's correction, at the start and after each iteration: (joint, input).
    pub(super) path: Vec<Vec<Vec<f64>>>,
    /// The iteration after which the set of nonzero inputs does not change.
    pub(super) settled: usize,
    /// The correction with only those inputs, fitted again without lasso.
    pub(super) model: Corrected,
}

/// The model with a linear correction.
pub(super) struct Corrected {
    networks: Bound<f64>,
    /// The inputs of each joint's correction, with their slopes.
    pub(super) terms: Vec<Vec<(String, f64)>>,
}

/// A linear correction for each joint: torque += Σ weight · input.
fn blueprint(reads: &[Vec<String>], seed: u64) -> Blueprint {
    let mut blueprint = Blueprint::default();
    for (joint, inputs) in JOINTS.into_iter().zip(reads).filter(|(_, inputs)| !inputs.is_empty()) {
        let torque = format!("joint/{joint}/passive_torque");
        let mut correction =
            Augmentation::new(joint, [torque.as_str()], inputs.iter().map(String::as_str));
        correction.network.hidden.clear();
        correction.network.bias = false;
        correction.initial.spread = Spread::Small(0.5);
        correction.initial.seed = seed;
        blueprint = blueprint.with(correction);
    }
    blueprint
}

/// One-step errors of the velocities from every sample of the swings.
fn one_step_errors(swings: &[Vec<State<f64>>], blueprint: &Blueprint) -> anyhow::Result<Fit> {
    let model = frictionless()?;
    let sensors = pendulum::velocities(UNIT);
    let recordings: Vec<_> = swings
        .iter()
        .map(|states| pendulum::recording(&model, states, &sensors, |velocity| velocity))
        .collect();
    let windows = cut(&recordings, 1, 1, 1);
    let plan = bind(blueprint, &model, &options().contact)?;
    let mut unknowns = Unknowns::of(&model, Selection::of::<&str>(&model, [])?);
    unknowns.weights = plan.n_weights();
    Ok(Fit::new(FitParts {
        weights: plan.initial_weights(),
        plan: Arc::new(plan),
        unknowns,
        sensors,
        starts: windows.iter().map(|w| swings[w.recording][w.first].clone()).collect(),
        recordings,
        windows,
        options: options(),
        substeps: 1,
        model,
    }))
}

/// The weights by joint and by input. A linear layer stores them in the order of its inputs.
fn by_joint(plan: &Plan, weights: &[f64]) -> Vec<Vec<f64>> {
    let of = |joint: &str| plan.networks().find(|(name, ..)| name.contains(joint));
    let slice = |joint| of(joint).map_or_else(Vec::new, |(.., at)| weights[at].to_vec());
    JOINTS.into_iter().map(slice).collect()
}

/// Trains both corrections with all inputs under the lasso, then with the remaining inputs without it.
pub(super) fn discover(swings: &[Vec<State<f64>>], seed: u64) -> anyhow::Result<Discovery> {
    let swings = &swings[..swings.len().min(MOST)];
    let everything = vec![inputs(); JOINTS.len()];
    let mut fit = one_step_errors(swings, &blueprint(&everything, seed))?;
    let transitions = fit.windows.len();
    // A torque moves both joints, so under a plain lasso one joint's correction compensates for the shrinkage of the
    // other's. The adaptive lasso, inverse to the weights without it, keeps the right inputs [Zou 2006].
    let sizes = least_squares(&fit)?;
    let lasso = |(k, size): (usize, &f64)| {
        Penalty::lasso(LASSO * transitions as f64 / size.abs().max(LEAST), [k])
    };
    fit.penalties = sizes.iter().enumerate().map(lasso).collect();
    let decay = Decay::Exponential { half_life: HALF_LIFE };
    let adam = Adam { learning_rate: RATE, decay, beta2: 0.9, ..Adam::default() };
    let mut search = Search::begin(&Method::Adam(adam), &fit, fit.initial(), seed)?;
    let mut path = vec![by_joint(&fit.plan, search.current())];
    search.run(&fit, &Limits::iterations(ITERATIONS), &mut |search| {
        path.push(by_joint(&fit.plan, search.current()));
        ControlFlow::Continue(())
    });
    let left = |weights: &Vec<Vec<f64>>| -> Vec<Vec<String>> {
        let kept = |weights: &Vec<f64>| {
            let nonzero = inputs().into_iter().zip(weights).filter(|(_, w)| **w != 0.0);
            nonzero.map(|(input, _)| input).collect()
        };
        weights.iter().map(kept).collect()
    };
    let kept = left(&path[path.len() - 1]);
    let settled = path.iter().rposition(|weights| left(weights) != kept).map_or(0, |k| k + 1);
    Ok(Discovery { transitions, path, settled, model: refit(swings, &kept)? })
}

/// The weights with the smallest error; `None` if there are none.
fn least_squares(fit: &Fit) -> anyhow::Result<Vec<f64>> {
    let start = fit.initial();
    if start.is_empty() {
        return Ok(start);
    }
    let method = Method::LevenbergMarquardt(LevenbergMarquardt::default());
    let mut search = Search::begin(&method, fit, start, 0)?;
    search.run(fit, &Limits::iterations(50), &mut |_| ControlFlow::Continue(()));
    Ok(search.best().0.to_vec())
}

/// Fits the correction that reads only `reads`, by least squares.
fn refit(swings: &[Vec<State<f64>>], reads: &[Vec<String>]) -> anyhow::Result<Corrected> {
    let fit = one_step_errors(swings, &blueprint(reads, 0))?;
    let weights = least_squares(&fit)?;
    let slopes = by_joint(&fit.plan, &weights);
    let terms = reads.iter().zip(slopes).map(|(r, s)| r.iter().cloned().zip(s).collect());
    Ok(Corrected { terms: terms.collect(), networks: Bound::new(fit.plan.clone(), weights)? })
}

impl Discovery {
    /// True if each correction reads the velocity of its own joint and nothing else.
    pub(super) fn is_damping(&self) -> bool {
        let own = JOINTS.iter().map(|joint| format!("joint/{joint}/velocity"));
        self.model
            .terms
            .iter()
            .zip(own)
            .all(|(terms, own)| matches!(&terms[..], [(input, _)] if *input == own))
    }
}

impl Corrected {
    /// The model without a correction.
    pub(super) fn not() -> anyhow::Result<Self> {
        refit(&[], &vec![Vec::new(); JOINTS.len()])
    }

    /// Its networks, whose weights are [`Corrected::weights`].
    pub(super) fn blueprint(&self) -> Blueprint {
        let reads = self
            .terms
            .iter()
            .map(|terms| terms.iter().map(|(input, _)| input.clone()).collect::<Vec<String>>());
        let reads: Vec<Vec<String>> = reads.collect();
        blueprint(&reads, 0)
    }

    /// The weights of its networks.
    pub(super) fn weights(&self) -> &[f64] {
        &self.networks.weights
    }

    /// The predicted angles at each sample of a swing after the first.
    pub(super) fn predict(&self, swing: &[State<f64>]) -> anyhow::Result<Vec<[f64; 2]>> {
        let model = frictionless()?;
        let (mut state, mut networks) = (swing[0].clone(), self.networks.clone());
        let (input, options) = (Input::none(&model), options());
        let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
        let after = swing[1..].iter().map(|_| {
            step(&model, &mut state, &input, &options, &mut networks, &mut trace, &mut scratch);
            [state.q[0], state.q[1]]
        });
        Ok(after.collect())
    }
}

/// The swings of the example, and the discovery from them.
pub(super) fn example() -> anyhow::Result<(Vec<Vec<State<f64>>>, Discovery)> {
    let swings = recorded(EXAMPLE, &[1])?;
    let found = discover(&swings, super::SEED)?;
    Ok((swings, found))
}

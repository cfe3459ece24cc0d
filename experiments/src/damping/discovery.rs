//! A correction of each joint's torque that may read everything, and comes to read what matters.

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
/// What an error of a velocity counts by [rad/s]: about what a torque of 1 N m changes it by in a step.
const UNIT: f64 = DT;
/// The lasso's weight for each transition, on an input whose weight would be 1 without it; and the least such weight
/// that it is measured by.
const LASSO: f64 = 0.005;
const LEAST: f64 = 1e-3;
/// Swings that are learned from at most: more tell next to nothing new of eight weights.
pub(super) const MOST: usize = 200;
/// Iterations of Adam, its first step, and in how many of them steps become half as long.
const ITERATIONS: u64 = 150;
const RATE: f64 = 0.1;
const HALF_LIFE: f64 = 40.0;

/// What the correction may read.
pub(super) fn inputs() -> Vec<String> {
    let of = |what: &'static str| JOINTS.into_iter().map(move |j| format!("joint/{j}/{what}"));
    of("position").chain(of("velocity")).collect()
}

/// What a training came to.
pub(super) struct Discovery {
    /// Transitions that it was trained on.
    pub(super) transitions: usize,
    /// The weights of each joint's correction, at the start and after each iteration: (joint, input).
    pub(super) path: Vec<Vec<Vec<f64>>>,
    /// The iteration from which on the same inputs are left.
    pub(super) settled: usize,
    /// The correction with those inputs alone, fitted again without lasso.
    pub(super) model: Corrected,
}

/// The model with a linear correction.
pub(super) struct Corrected {
    networks: Bound<f64>,
    /// What each joint's correction reads, and its slope.
    pub(super) terms: Vec<Vec<(String, f64)>>,
}

/// A correction for each joint, linear in what it reads: torque += Σ weight · input.
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

/// Weights by joint and by what its correction reads. A linear layer's stand in the order of its inputs.
fn by_joint(plan: &Plan, weights: &[f64]) -> Vec<Vec<f64>> {
    let of = |joint: &str| plan.networks().find(|(name, ..)| name.contains(joint));
    let slice = |joint| of(joint).map_or_else(Vec::new, |(.., at)| weights[at].to_vec());
    JOINTS.into_iter().map(slice).collect()
}

/// Lets both corrections read everything, under the lasso, and then only what is left, without.
pub(super) fn discover(swings: &[Vec<State<f64>>], seed: u64) -> anyhow::Result<Discovery> {
    let swings = &swings[..swings.len().min(MOST)];
    let everything = vec![inputs(); JOINTS.len()];
    let mut fit = one_step_errors(swings, &blueprint(&everything, seed))?;
    let transitions = fit.windows.len();
    // A torque moves both joints, so a plain lasso lets one joint's correction make up for what it takes off the
    // other's. Inverse to the size without it, it leaves the right ones [the adaptive lasso, Zou 2006].
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

/// The weights with the least errors; none if there are none.
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

/// The correction that reads only `reads`, by least squares.
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
    /// The model as it was, without a correction.
    pub(super) fn not() -> anyhow::Result<Self> {
        refit(&[], &vec![Vec::new(); JOINTS.len()])
    }

    /// Angles at each sample after the first of a swing.
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

/// A few swings, to look at.
pub(super) fn example() -> anyhow::Result<Discovery> {
    discover(&recorded(EXAMPLE, &[1])?, super::SEED)
}

//! Trains networks through rollouts from the recorded starts of windows.

use gradbody::learn::objective::{Fit, FitParts, NoiseLaw, Recording, Sees, Sensor, Unknowns, cut};
use gradbody::learn::optimise::{Lbfgs, Limits, Method, Tie, Tied};
use gradbody::model::{Model, Selection};
use gradbody::sim::{NoTaps, State, StepScratch, StepTrace, step};
use serde::{Deserialize, Serialize};

use super::DT;
use super::corrected::{Corrected, options};
use super::networks::Correction;
use super::recorded::Motion;
use crate::effort::{Effort, minimise};

/// Mass of a link [kg].
const MASS: f64 = 36.0;
/// Memory of L-BFGS [steps].
const MEMORY: usize = 30;
/// Lower limit of the unit of an error [m, rad, and per second]: the files have six decimals.
const LEAST_UNIT: f64 = 1e-6;

/// A stage of training: a number of L-BFGS iterations on consecutive windows of some length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phase {
    pub(super) window: usize,
    pub(super) iterations: u64,
    /// Weight decay: the factor on half the sum of squared weights, per measured number.
    pub(super) decay: f64,
}

/// Trained weights and the effort of training them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Trained {
    pub(super) weights: Vec<f64>,
    pub(super) effort: Effort,
}

/// Weight decay of large networks, chosen on three held-back training motions: ψ was better with 1e-5 for two links,
/// with 1e-4 for six.
const DECAY: f64 = 3e-5;

/// The stages of training: short rollouts, then longer ones; `share` scales the number of iterations.
pub(super) fn stages(correction: Correction, share: f64) -> Vec<Phase> {
    let (short, long, decay) = match correction {
        Correction::None => return Vec::new(),
        Correction::Torques | Correction::OwnAxes => (250.0, 60.0, DECAY),
        Correction::Wrenches => (300.0, 200.0, 0.0),
        Correction::Dissipative => (120.0, 200.0, DECAY),
    };
    let stage = |(window, iterations): (usize, f64)| Phase {
        window,
        iterations: (share * iterations).ceil() as u64,
        decay,
    };
    [(10, short), (50, long)].map(stage).to_vec()
}

/// Trains the networks of `corrected` on motions, stage by stage.
pub(super) fn train(
    mut corrected: Corrected,
    motions: &[Motion],
    stages: &[Phase],
    seed: u64,
    what: &str,
) -> anyhow::Result<Trained> {
    let mut effort = Effort::default();
    for stage in stages {
        let fit = fit(&corrected, motions, stage)?;
        let (ties, start) = free(&corrected);
        let bounds = (0..start.len()).map(|k| if k == 0 { (1.0, 1.0) } else { ANY });
        let tied = Tied::new(&fit, ties, bounds.collect());
        let method = Method::Lbfgs(Lbfgs { memory: MEMORY, ..Lbfgs::default() });
        let limits = Limits::iterations(stage.iterations);
        let rollouts = fit.windows.len();
        let found = minimise(&tied, (&method, &limits), start, seed, (what, rollouts))?;
        effort = effort.and(found.effort);
        corrected = corrected.with_weights(tied.spread(&found.x))?;
    }
    Ok(Trained { weights: corrected.bound.weights, effort })
}

/// Windows of motions, each from its recorded start.
fn fit(corrected: &Corrected, motions: &[Motion], stage: &Phase) -> anyhow::Result<Fit> {
    let model = corrected.model.clone();
    let states: Vec<_> = motions.iter().map(Motion::states).collect();
    let sensors = sensors(&model, &units(&model, motions, stage.window));
    let recordings: Vec<_> = motions
        .iter()
        .zip(&states)
        .map(|(motion, states)| recording(&model, motion, states))
        .collect();
    let windows = cut(&recordings, stage.window, stage.window, stage.window);
    let mut unknowns = Unknowns::of(&model, Selection::of::<&str>(&model, [])?);
    unknowns.weights = corrected.bound.weights.len();
    let mut fit = Fit::new(FitParts {
        plan: corrected.bound.plan().clone(),
        weights: corrected.bound.weights.clone(),
        unknowns,
        sensors,
        starts: windows.iter().map(|w| states[w.recording][w.first].clone()).collect(),
        recordings,
        windows,
        options: options(),
        substeps: 1,
        model,
    });
    fit.weight_decay = stage.decay * measured(&fit);
    Ok(fit)
}

/// The number of measured values in a fit.
fn measured(fit: &Fit) -> f64 {
    (fit.windows.iter().map(|w| w.length).sum::<usize>() * fit.sensors.len()) as f64
}

/// Sensors for the positions and velocities of all joints, with these units.
fn sensors(model: &Model<f64>, units: &[f64]) -> Vec<Sensor> {
    let nv = model.nv();
    let sees = (0..nv).map(|k| Sees::Position(k, k)).chain((0..nv).map(Sees::Velocity));
    let sensor = |(k, (sees, noise)): (usize, (Sees, &f64))| Sensor {
        name: format!("state {k}"),
        sees,
        noise: *noise,
        estimated: false,
        law: NoiseLaw::Gaussian,
    };
    sees.zip(units).enumerate().map(sensor).collect()
}

fn recording(model: &Model<f64>, motion: &Motion, states: &[State<f64>]) -> Recording {
    let measured: Vec<f64> = states.iter().flat_map(|s| s.q.iter().chain(&s.v).copied()).collect();
    Recording {
        name: "simulated by MuJoCo".into(),
        begin: 0.0,
        present: vec![1.0; measured.len()],
        measured,
        inputs: motion.inputs(model, states.len()),
        samples: states.len(),
    }
}

/// The root mean square errors of the plain model in windows: positions, then velocities. They are the units of the
/// networks' errors, so that a cost means the same in every medium.
fn units(model: &Model<f64>, motions: &[Motion], window: usize) -> Vec<f64> {
    let options = options();
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    let (mut sums, mut count) = (vec![0.0; 2 * model.nv()], 0.0);
    for motion in motions {
        let states = motion.states();
        let inputs = motion.inputs(model, states.len());
        let mut state = motion.start.clone();
        for (k, pair) in states.windows(2).enumerate() {
            if k % window == 0 {
                state.clone_from(&pair[0]);
            }
            step(model, &mut state, &inputs[k], &options, &mut NoTaps, &mut trace, &mut scratch);
            let errors = state.q.iter().zip(&pair[1].q).chain(state.v.iter().zip(&pair[1].v));
            sums.iter_mut().zip(errors).for_each(|(sum, (a, b))| *sum += (a - b).powi(2));
            count += 1.0;
        }
    }
    sums.iter().map(|sum| f64::sqrt(sum / count).max(LEAST_UNIT)).collect()
}

/// The size of the force that the plain model lacks [N]: the root mean square missing acceleration of the first link in
/// a step, times the mass of a link.
pub(super) fn missing_force(plain: &Corrected, motions: &[Motion]) -> f64 {
    let nv = plain.model.nv();
    let units = units(&plain.model, motions, 1);
    let [x, y] = [units[nv], units[nv + 1]];
    MASS * f64::sqrt(0.5 * (x * x + y * y)) / DT
}

const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// The weights as tied unknowns: fixed weights are multiples of a constant 1, learned weights are free.
fn free(corrected: &Corrected) -> (Vec<Tie>, Vec<f64>) {
    let mut free = vec![1.0];
    let weights = corrected.bound.weights.iter().zip(&corrected.learned);
    let ties = weights.map(|(weight, learned)| match learned {
        true => {
            free.push(*weight);
            Tie { to: free.len() - 1, factor: 1.0 }
        }
        false => Tie { to: 0, factor: *weight },
    });
    (ties.collect(), free)
}

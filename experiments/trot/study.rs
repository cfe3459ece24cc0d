//! The study: walks by the program and by networks, with and without pushes.

use gradbody::neural::{Initial, Network, Spread};
use gradbody_control::ConvexMpc;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::course::{Course, Purpose};
use super::policy::{self, Policy, Scaling};
use super::robot::Laikago;
use super::samples::{Sample, Walks, collect};
use super::training::train;
use super::walk::{Walked, walk};
use super::{Plan, SEED};

/// Duration of a held-out course [s].
pub(super) const SECONDS: f64 = 20.0;
/// Pushes [N]; the first is that of the goal, the others show where the limits are.
pub(super) const PUSHES: [f64; 5] = [20.0, 60.0, 100.0, 150.0, 200.0];

/// Who walks.
#[derive(Clone, Copy)]
pub(super) enum Who<'a> {
    Program,
    Network(&'a [f64]),
}

/// Walks of all held-out courses, without pushes and with pushes of growing force.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Walks50 {
    pub(super) free: Vec<Walked>,
    /// For each of [`PUSHES`].
    pub(super) pushed: Vec<Vec<Walked>>,
}

/// A trained network.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Learner {
    pub(super) weights: Vec<f64>,
    /// Root mean square of the errors of the forces, as shares of half the weight: of the samples that it learned from.
    pub(super) error: f64,
}

/// Networks learned from more and more samples.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Learned {
    /// Number of samples in each stage.
    pub(super) samples: Vec<usize>,
    pub(super) learners: Vec<Learner>,
    /// Held-out courses without a fall, by stage.
    pub(super) without_fall: Vec<usize>,
    /// Mean of the tracking errors of the held-out courses, by stage.
    pub(super) errors: Vec<[f64; 3]>,
}

impl Learned {
    /// The weights after the last stage.
    pub(super) fn weights(&self) -> &[f64] {
        self.learners.last().map_or(&[], |learner| &learner.weights)
    }
}

/// Walks held-out courses, `count` of them, with a push of this force [N] if it is not zero.
pub(super) fn held_out(
    laikago: &Laikago,
    network: &Network,
    who: Who<'_>,
    count: u64,
    push: f64,
) -> anyhow::Result<Vec<Walked>> {
    (0..count)
        .into_par_iter()
        .map(|index| {
            let mut course = Course::random(SEED, Purpose::HeldOut, index, SECONDS);
            if push > 0.0 {
                course = course.pushed(SEED, index, push);
            }
            walked(laikago, network, who, &course, false)
        })
        .collect()
}

/// One walk; `frames` keeps the motion.
pub(super) fn walked(
    laikago: &Laikago,
    network: &Network,
    who: Who<'_>,
    course: &Course,
    frames: bool,
) -> anyhow::Result<Walked> {
    Ok(match who {
        Who::Program => {
            let mpc = ConvexMpc::new(&laikago.robot, &laikago.gait, laikago.mpc.clone());
            walk(laikago, course, mpc, frames)?.0
        }
        Who::Network(weights) => {
            let scaling = Scaling::of(&laikago.robot, &laikago.mpc);
            walk(laikago, course, Policy::new(network, weights, scaling), frames)?.0
        }
    })
}

/// Walks without pushes and with all pushes.
pub(super) fn all_walks(
    laikago: &Laikago,
    network: &Network,
    who: Who<'_>,
    plan: &Plan,
) -> anyhow::Result<Walks50> {
    let of = |push: f64| held_out(laikago, network, who, plan.courses, push);
    Ok(Walks50 {
        free: of(0.0)?,
        pushed: PUSHES.iter().map(|push| of(*push)).collect::<anyhow::Result<_>>()?,
    })
}

/// Learns in stages of equally many more samples. In all but the first stage those are taken while the last network
/// walks (`own_states`), or while the program walks as in the first.
pub(super) fn learn(
    laikago: &Laikago,
    network: &Network,
    plan: &Plan,
    own_states: bool,
) -> anyhow::Result<Learned> {
    let mut samples: Vec<Sample> = Vec::new();
    let mut learned = Learned {
        samples: Vec::new(),
        learners: Vec::new(),
        without_fall: Vec::new(),
        errors: Vec::new(),
    };
    let initial = Initial { spread: Spread::XavierUniform, zero_last: false, seed: SEED };
    for stage in 0..plan.stages {
        // Courses of other stages, so that no course comes twice.
        let first = 10_000 * stage as u64;
        let who = match own_states && stage > 0 {
            true => Walks::Network(network, learned.weights()),
            false => Walks::Program,
        };
        samples.extend(collect(laikago, who, plan.samples, first)?);
        let start = network.initial_weights(&initial);
        let (weights, error) = train(network, &samples, start, plan.passes, SEED)?;
        let walks = held_out(laikago, network, Who::Network(&weights), plan.courses, 0.0)?;
        learned.samples.push(samples.len());
        learned.without_fall.push(standing(&walks));
        learned.errors.push(mean_errors(&walks));
        learned.learners.push(Learner { weights, error });
    }
    Ok(learned)
}

/// Number of walks without a fall.
pub(super) fn standing(walks: &[Walked]) -> usize {
    walks.iter().filter(|walked| walked.fall.is_none()).count()
}

/// Mean over the walks of the tracking errors, averaged over strides.
pub(super) fn mean_errors(walks: &[Walked]) -> [f64; 3] {
    let count = walks.len().max(1) as f64;
    std::array::from_fn(|k| walks.iter().map(|w| w.stride_errors[k]).sum::<f64>() / count)
}

//! The study: walks by the program and by networks, with and without pushes.

use gradbody::neural::{Initial, Network, Spread};
use gradbody_control::legged::ConvexMpc;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::course::{Course, Purpose};
use super::policy::{Policy, Scaling};
use super::robot::Laikago;
use super::samples::{Leader, Sample, collect};
use super::training::train;
use super::walk::{Errors, Walked, mean, walk};
use super::{Plan, SEED};

/// Who walks.
#[derive(Clone, Copy)]
pub(super) enum Who<'a> {
    Program,
    Network(&'a [f64]),
}

/// Walks of all held-out courses, without pushes and with pushes of growing force.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Walks {
    pub(super) free: Vec<Walked>,
    /// For each push of the plan.
    pub(super) pushed: Vec<Vec<Walked>>,
}

/// Networks learned from more and more samples.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Learned {
    /// Number of samples in each stage.
    pub(super) samples: Vec<usize>,
    /// Root mean square of the errors of the forces on these samples, as shares of half the weight.
    pub(super) misfits: Vec<f64>,
    /// Held-out courses without a fall, by stage.
    pub(super) without_fall: Vec<usize>,
    /// Mean of the tracking errors of the held-out courses, by stage; none if all walks fell early.
    pub(super) errors: Vec<Option<Errors>>,
    /// Of the network of the last stage.
    pub(super) weights: Vec<f64>,
}

/// Walks the held-out courses, with a push of this force [N] if it is not zero.
pub(super) fn held_out(
    laikago: &Laikago,
    network: &Network,
    who: Who<'_>,
    plan: &Plan,
    push: f64,
) -> anyhow::Result<Vec<Walked>> {
    (0..plan.courses)
        .into_par_iter()
        .map(|index| {
            let mut course = Course::random(SEED, Purpose::HeldOut, index, plan.seconds);
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
            let mpc = ConvexMpc::new(&laikago.robot, &laikago.gait, laikago.mpc.clone())?;
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
) -> anyhow::Result<Walks> {
    let of = |push: f64| held_out(laikago, network, who, plan, push);
    Ok(Walks {
        free: of(0.0)?,
        pushed: plan.pushes.iter().map(|push| of(*push)).collect::<anyhow::Result<_>>()?,
    })
}

/// Learns in stages, each with more samples. In all but the first stage those that are added are taken while the last
/// network walks (`own_states`), or else while the program walks as in the first.
pub(super) fn learn(
    laikago: &Laikago,
    network: &Network,
    plan: &Plan,
    own_states: bool,
) -> anyhow::Result<Learned> {
    let mut samples: Vec<Sample> = Vec::new();
    let mut learned = Learned {
        samples: Vec::new(),
        misfits: Vec::new(),
        without_fall: Vec::new(),
        errors: Vec::new(),
        weights: Vec::new(),
    };
    let initial = Initial { spread: Spread::XavierUniform, zero_last: false, seed: SEED };
    for (stage, total) in plan.samples.iter().enumerate() {
        // Courses of other stages, so that no course comes twice.
        let first = 10_000 * stage as u64;
        let who = match own_states && stage > 0 {
            true => Leader::Network(network, &learned.weights),
            false => Leader::Program,
        };
        samples.extend(collect(laikago, who, total - samples.len(), first)?);
        let start = network.initial_weights(&initial);
        let (weights, misfit) = train(network, &samples, start, plan.training_steps, SEED)?;
        let walks = held_out(laikago, network, Who::Network(&weights), plan, 0.0)?;
        learned.samples.push(samples.len());
        learned.without_fall.push(standing(&walks));
        learned.errors.push(mean_errors(&walks));
        learned.misfits.push(misfit);
        learned.weights = weights;
    }
    Ok(learned)
}

/// Number of walks without a fall.
pub(super) fn standing(walks: &[Walked]) -> usize {
    walks.iter().filter(|walked| walked.fall.is_none()).count()
}

/// Mean over the walks of the tracking errors, averaged over strides. Walks that fell before a stride was counted have
/// none; `None` if all did.
pub(super) fn mean_errors(walks: &[Walked]) -> Option<Errors> {
    mean(&walks.iter().filter_map(|walked| walked.stride_errors).collect::<Vec<_>>())
}

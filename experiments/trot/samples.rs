//! What the network learns from: situations, and the forces that the quadratic program chooses in them.

use anyhow::bail;
use gradbody::math::Vec3;
use gradbody::neural::Network;
use gradbody_control::QpError;
use gradbody_control::legged::{ConvexMpc, ForceChooser, LEGS, Situation};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::SEED;
use super::course::{Course, Purpose};
use super::policy::{Policy, Scaling};
use super::robot::Laikago;
use super::walk::walk;

/// Every so many choices become a sample. A stride has 50 choices, so that all phases of the gait are visited.
const EVERY: usize = 7;
/// Duration of a course for training [s].
const SECONDS: f64 = 8.0;
/// Courses walked at once.
const AT_ONCE: u64 = 8;

/// A situation and the forces for it, in the network's terms.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Sample {
    pub(super) inputs: Vec<f64>,
    pub(super) outputs: Vec<f64>,
    pub(super) stance: [bool; LEGS],
}

/// Who walks while samples are taken. The forces of the samples are always those of the quadratic program.
#[derive(Clone, Copy)]
pub(super) enum Leader<'a> {
    Program,
    Network(&'a Network, &'a [f64]),
}

/// Takes `count` samples on courses with numbers from `first` on.
pub(super) fn collect(
    laikago: &Laikago,
    who: Leader<'_>,
    count: usize,
    first: u64,
) -> anyhow::Result<Vec<Sample>> {
    let mut samples: Vec<Sample> = Vec::new();
    let mut index = first;
    while samples.len() < count {
        let courses = (index..index + AT_ONCE).into_par_iter();
        let taken: Vec<Vec<Sample>> = courses
            .map(|index| {
                let course = Course::random(SEED, Purpose::Training, index, SECONDS);
                of_course(laikago, &course, who)
            })
            .collect::<anyhow::Result<_>>()?;
        if taken.iter().all(Vec::is_empty) {
            bail!("the robot falls at once: no samples can be taken");
        }
        samples.extend(taken.into_iter().flatten());
        index += AT_ONCE;
    }
    samples.truncate(count);
    Ok(samples)
}

fn of_course(laikago: &Laikago, course: &Course, who: Leader<'_>) -> anyhow::Result<Vec<Sample>> {
    let scaling = Scaling::of(&laikago.robot, &laikago.mpc);
    let policy = match who {
        Leader::Program => None,
        Leader::Network(network, weights) => Some(Policy::new(network, weights, scaling)),
    };
    let expert = ConvexMpc::new(&laikago.robot, &laikago.gait, laikago.mpc.clone())?;
    let taker = Taker { expert, policy, scaling, choices: 0, samples: Vec::new() };
    let (_, taker) = walk(laikago, course, taker, false)?;
    Ok(taker.samples)
}

/// Follows the network, or the program if there is none, and asks the program for every few choices.
struct Taker<'a> {
    expert: ConvexMpc,
    policy: Option<Policy<'a>>,
    scaling: Scaling,
    choices: usize,
    samples: Vec<Sample>,
}

impl ForceChooser for Taker<'_> {
    type Error = QpError;

    fn choose(&mut self, situation: &Situation) -> Result<[Vec3<f64>; LEGS], QpError> {
        self.choices += 1;
        let sampled = self.choices.is_multiple_of(EVERY);
        let chosen = match sampled || self.policy.is_none() {
            true => Some(self.expert.choose(situation)?),
            false => None,
        };
        if let Some(forces_h) = chosen.filter(|_| sampled) {
            self.samples.push(Sample {
                inputs: self.scaling.inputs(situation).to_vec(),
                outputs: self.scaling.outputs(&forces_h).to_vec(),
                stance: situation.stance,
            });
        }
        Ok(match (&mut self.policy, chosen) {
            (Some(policy), _) => {
                let Ok(forces_h) = policy.choose(situation);
                forces_h
            }
            (None, chosen) => chosen.unwrap_or([Vec3::ZERO; LEGS]),
        })
    }
}

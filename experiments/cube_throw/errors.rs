//! Errors of simulated tosses against measured ones.

use gradbody::learn::objective::NoiseLaw;
use gradbody::math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::problem::{Problem, Stretch};
use super::tosses::{SIDE, Toss};
use crate::distribution::Distribution;
use crate::tosses::angle_between;

/// The errors of one toss, frame by frame after its first.
#[derive(Clone, Debug)]
pub(super) struct Errors {
    /// Position error of the centre [% of the side].
    pub(super) position: Vec<f64>,
    /// The angle between the orientations [degrees].
    pub(super) rotation: Vec<f64>,
    /// The simulated poses.
    pub(super) poses: Vec<[f64; 7]>,
}

/// Frames from the first touch that count as the first impact.
pub(super) const IMPACT: usize = 10;

/// Position [% of the side] and rotation [degrees] errors: means over frames, then over tosses.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Summary {
    pub(super) whole: (f64, f64),
    /// Up to the first touch.
    pub(super) flight: (f64, f64),
    /// The [`IMPACT`] frames from the first touch.
    pub(super) impact: (f64, f64),
    /// After that.
    pub(super) after: (f64, f64),
    /// In the last frame.
    pub(super) end: (f64, f64),
}

impl Summary {
    pub(super) fn of(tosses: &[Toss], errors: &[Errors]) -> Self {
        let mean = |from: fn(&Toss) -> usize, to: fn(&Toss) -> usize| {
            let of = |select: fn(&Errors) -> &Vec<f64>| {
                let each = tosses.iter().zip(errors).filter_map(|(toss, errors)| {
                    let frames =
                        select(errors).get(from(toss)..to(toss).min(toss.states.len() - 1))?;
                    let sum = frames.iter().sum::<f64>();
                    (!frames.is_empty()).then(|| sum / frames.len() as f64)
                });
                Distribution::of(each.collect()).mean()
            };
            (of(|e| &e.position), of(|e| &e.rotation))
        };
        Summary {
            whole: mean(|_| 0, |_| usize::MAX),
            flight: mean(|_| 0, |toss| toss.touch),
            impact: mean(|toss| toss.touch, |toss| toss.touch + IMPACT),
            after: mean(|toss| toss.touch + IMPACT, |_| usize::MAX),
            end: mean(|toss| toss.states.len() - 2, |_| usize::MAX),
        }
    }
}

/// Simulates whole tosses with the numbers `x` of a fit.
pub(super) fn judge(problem: &Problem, x: &[f64], tosses: &[Toss]) -> anyhow::Result<Vec<Errors>> {
    let fit = problem.fit(tosses, Stretch::Whole, NoiseLaw::Gaussian)?;
    let simulated = fit.predictions(&fit.candidate(x));
    let of = |(toss, poses): (&Toss, Option<Vec<f64>>)| match poses {
        Some(poses) => errors(toss, &poses),
        None => infinite(toss),
    };
    Ok(tosses.iter().zip(simulated).map(of).collect())
}

/// The errors of a toss whose simulation diverges: infinite.
fn infinite(toss: &Toss) -> Errors {
    let after = &toss.states[1..];
    let position = vec![f64::INFINITY; after.len()];
    let poses = after.iter().map(|state| std::array::from_fn(|k| state.q[k]));
    Errors { rotation: position.clone(), position, poses: poses.collect() }
}

fn errors(toss: &Toss, simulated: &[f64]) -> Errors {
    let mut errors = Errors { position: vec![], rotation: vec![], poses: vec![] };
    for (pose, state) in simulated.chunks_exact(7).zip(&toss.states[1..]) {
        let place = |q: &[f64]| Vec3::new(q[0], q[1], q[2]);
        let off = (place(pose) - place(&state.q)).norm();
        let turned = angle_between(Quat::from_slice(&pose[3..]), Quat::from_slice(&state.q[3..]));
        errors.position.push(100.0 * off / SIDE);
        errors.rotation.push(turned.to_degrees());
        errors.poses.push(std::array::from_fn(|k| pose[k]));
    }
    errors
}

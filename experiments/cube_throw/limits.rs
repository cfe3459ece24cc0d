//! The error that even a perfect contact law would make: how far simulations diverge if their starts differ by the
//! measurement noise.

use gradbody::math::random::Random;
use gradbody::math::{Quat, Vec3};

use super::SEED;
use super::errors::{Errors, Summary, judge};
use super::problem::Problem;
use super::tosses::{Toss, first_touch, noise};

/// The error of a model against its own motion, if the start is estimated from that motion with the camera's noise.
pub(super) fn divergence(problem: &Problem, x: &[f64], tosses: &[Toss]) -> anyhow::Result<Summary> {
    let simulated = judge(problem, x, tosses)?;
    let noise = noise(tosses);
    let mut random = Random::derived(SEED, &[tosses.len() as u64]);
    let filmed =
        tosses.iter().zip(&simulated).map(|(toss, errors)| film(toss, errors, noise, &mut random));
    let filmed: Vec<Toss> = filmed.collect();
    Ok(Summary::of(&filmed, &judge(problem, x, &filmed)?))
}

/// A simulated toss in place of the measured one, with noise in every frame.
fn film(toss: &Toss, simulated: &Errors, noise: (f64, f64), random: &mut Random) -> Toss {
    let mut filmed = toss.clone();
    filmed.states[0] = toss.start();
    let after = filmed.states[1..].iter_mut().zip(&simulated.poses);
    after.for_each(|(state, pose)| state.q.copy_from_slice(pose));
    filmed.touch = first_touch(&filmed.states);
    for state in &mut filmed.states {
        state.q[..3].iter_mut().for_each(|x| *x += noise.0 * random.normal());
        let turn = Vec3::new(random.normal(), random.normal(), random.normal()) * noise.1;
        let turned = Quat::from_slice(&state.q[3..]) * Quat::exp(turn);
        state.q[3..].copy_from_slice(&turned.to_array());
    }
    filmed
}

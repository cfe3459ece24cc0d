//! Random starts of episodes.

use gradbody_math::random::Random;
use gradbody_math::{Quat, Scalar};
use gradbody_model::JointKind;
use gradbody_sim::State;

use crate::{Description, Noise};

/// Draws the start of an episode into `state`: first the noise of all numbers of the configuration, then a goal, then
/// the noise of the velocities.
pub(crate) fn draw(of: &Description, random: &mut Random, state: &mut State<f64>) {
    let start = &of.start;
    state.time = 0.0;
    state.activation.fill(0.0);
    state.memory.clear();
    state.contact.clear();
    for (q, middle) in state.q.iter_mut().zip(&start.q) {
        *q = middle + noise(start.q_noise, random);
    }
    normalise(of, &mut state.q);
    if let Some(goal) = start.goal {
        let radius = goal.radius;
        loop {
            let (x, y) = (random.between(-radius, radius), random.between(-radius, radius));
            if x * x + y * y < radius * radius {
                (state.q[goal.q], state.q[goal.q + 1]) = (x, y);
                break;
            }
        }
    }
    state.v.iter_mut().for_each(|v| *v = noise(start.v_noise, random));
    if let Some(goal) = start.goal {
        state.v[goal.v..goal.v + 2].fill(0.0);
    }
}

fn noise(noise: Noise, random: &mut Random) -> f64 {
    match noise {
        Noise::Uniform(size) => size * random.signed(),
        Noise::Normal(deviation) => deviation * random.normal(),
    }
}

/// Gives every quaternion length one.
fn normalise(of: &Description, q: &mut [f64]) {
    for link in &of.model.topology.links {
        let first = match link.joint.kind {
            JointKind::Spherical => 0,
            JointKind::Free => 3,
            _ => continue,
        };
        let q = &mut q[link.joint.q_range()][first..];
        let length = Scalar::sqrt(q.iter().map(|x| x * x).sum::<f64>());
        if length > 0.0 {
            let quat = Quat::from_slice(q).normalized().to_array();
            q.copy_from_slice(&quat);
        }
    }
}

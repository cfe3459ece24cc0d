//! Moving on the configuration manifold: `integrate`, its inverse `difference`, and the rate of
//! local coordinates, `local_rate`.

use crate::support::compare::{Comparison, distance};
use crate::support::models::random_tree;
use crate::support::motion::{InTime, constants, moving};
use crate::support::random::Random;
use gradbody::dynamics::{difference, local_rate};
use gradbody::model::JointKind;
use gradbody::prelude::*;

/// Sums of a few numbers of order one.
const ROUNDING: f64 = 1e-14;

fn scaled(x: &[f64], factor: f64) -> Vec<f64> {
    x.iter().map(|x| x * factor).collect()
}

#[test]
fn difference_undoes_integrate() {
    let mut comparison = Comparison::default();
    let mut random = Random::new(1);
    for seed in 0..20 {
        let model = random_tree(seed, 12);
        // From changes that vanish in rounding to rotations of nearly half a turn.
        for size in [0.0, 1e-12, 1e-6, 1e-3, 0.1, 1.8] {
            let from = random.configuration(&model);
            let dq = scaled(&random.numbers(model.nv()), size);
            let mut to = from.clone();
            integrate(&model, &mut to, &dq);
            let mut back = vec![0.0; model.nv()];
            difference(&model, &from, &to, &mut back);
            let place = format!("{} by {size}", model.topology.name);
            // Positions are of order one, so small changes have the rounding of those.
            let error = distance(&back, &dq);
            comparison.check_one("dq", &place, ROUNDING, error, 0.0);
        }
    }
    comparison.finish("difference(integrate)", 120);
}

#[test]
fn integrate_keeps_quaternions_of_length_one() {
    let mut random = Random::new(2);
    let model = random_tree(3, 12);
    let mut q = random.configuration(&model);
    for _ in 0..10_000 {
        integrate(&model, &mut q, &random.numbers(model.nv()));
    }
    for link in &model.topology.links {
        let start = match link.joint.kind {
            JointKind::Spherical => link.joint.q_start,
            JointKind::Free => link.joint.q_start + 3,
            _ => continue,
        };
        let error = Quat::from_slice(&q[start..]).norm_squared() - 1.0;
        assert!(error.abs() < 1e-15, "{}: squared length off by {error:e}", link.joint.name);
    }
}

#[test]
fn integrate_is_velocity_times_time() {
    // The pose after a small step moves with the velocity: to first order in the step.
    let mut comparison = Comparison::default();
    let mut random = Random::new(3);
    for seed in 0..10 {
        let model = random_tree(seed, 12);
        let (q, v) = (random.configuration(&model), random.numbers(model.nv()));
        let step = 1e-6;
        let mut kin = Kinematics::new(&model);
        kinematics(&model, &q, &mut kin);
        velocities(&model, &v, &mut kin);
        let pose_at = |time: f64| {
            let mut moved = q.clone();
            integrate(&model, &mut moved, &scaled(&v, time));
            let mut kin = Kinematics::new(&model);
            kinematics(&model, &moved, &mut kin);
            kin.bodies
        };
        for ((body, after), before) in kin.bodies.iter().zip(pose_at(step)).zip(pose_at(-step)) {
            let slope = (after.pos_w - before.pos_w) * (0.5 / step);
            let (got, want) = (slope.to_array(), body.lin_vel_w.to_array());
            comparison.check("velocity", &model.topology.name, 1e-8, &got, &want);
        }
    }
    comparison.finish("integrate", 100);
}

/// The rate of local coordinates against the rate of `difference`, which is exact, at rotations of
/// size `turn`: the largest error.
fn local_rate_error(turn: f64) -> f64 {
    let mut random = Random::new(4);
    let mut worst = 0.0_f64;
    for seed in 0..10 {
        let model = random_tree(seed, 12);
        let model_t: Model<InTime> = model.cast();
        let from = random.configuration(&model);
        let at = scaled(&random.numbers(model.nv()), turn);
        let v = random.numbers(model.nv());
        let mut q = from.clone();
        integrate(&model, &mut q, &at);
        let mut exact = vec![InTime::ZERO; model.nv()];
        difference(&model_t, &constants(&from), &moving(&model_t, &q, &v), &mut exact);
        let mut got = vec![0.0; model.nv()];
        local_rate(&model, &at, &v, &mut got);
        let exact: Vec<f64> = exact.iter().map(|x| x.eps[0]).collect();
        worst = worst.max(distance(&got, &exact));
    }
    worst
}

#[test]
fn local_rate_is_the_rate_of_the_difference() {
    // The series leaves out θ⁶ / 30240 and beyond.
    let (large, small) = (local_rate_error(0.4), local_rate_error(0.2));
    println!("local_rate: error {large:.2e} at 0.4 rad, {small:.2e} at 0.2 rad");
    assert!(large < 1e-5, "at 0.4 rad: {large:e}");
    let order = (large / small).log2();
    assert!((order - 6.0).abs() < 0.3, "the error falls with θ^{order:.2}, not θ^6");
    let tiny = local_rate_error(0.003);
    assert!(tiny < ROUNDING, "at 0.003 rad: {tiny:e}");
}

//! Joint limits are about as firm as Gymnasium's.

use gradbody_env::{Description, EnvBatch, Environment};
use gradbody_math::random::Random;

use crate::support::{golden, numbers};

/// How far the worst joint is beyond its range, on average, under random actions: as in scripts/golden_gymnasium.py.
fn beyond_limits(environment: Environment) -> f64 {
    const WORLDS: usize = 64;
    let of = Description { terminates: false, ..environment.describe() };
    let mut worlds: EnvBatch<f64> =
        EnvBatch::with_description(of, WORLDS, 3, Some(1)).expect("a batch");
    let mut random = Random::new(6);
    let (mut sum, mut count) = (0.0, 0);
    for step in 0..60 {
        let bounds = &worlds.description().actions;
        let all = (0..WORLDS).flat_map(|_| bounds.low.iter().zip(&bounds.high));
        let actions: Vec<f64> = all.map(|(low, high)| random.between(*low, *high)).collect();
        let out = worlds.step(&actions).expect("a step");
        assert!(!out.diverged.contains(&true), "{}", environment.name());
        if step < 20 {
            continue;
        }
        let (q, _) = worlds.states();
        let model = &worlds.description().model;
        for q in q.chunks(model.nq()) {
            let excess =
                model.topology.links.iter().zip(&model.params.joints).map(|(link, joint)| {
                    let x = q[link.joint.q_start];
                    (joint.limit_lower - x).max(x - joint.limit_upper)
                });
            sum += excess.fold(0.0, f64::max);
            count += 1;
        }
    }
    sum / f64::from(count)
}

#[test]
fn joints_go_about_as_far_beyond_their_limits_as_gymnasiums() {
    for environment in [
        Environment::Ant,
        Environment::HalfCheetah,
        Environment::Hopper,
        Environment::Walker2d,
        Environment::Swimmer,
    ] {
        let theirs = numbers(&golden(environment)["beyond_limits"])[0];
        let ours = beyond_limits(environment);
        let name = environment.name();
        println!("{name}: beyond limits by {ours:.4} rad, Gymnasium's by {theirs:.4} rad");
        assert!(ours < 3.0 * theirs.max(1e-3), "{name}: {ours} rad, Gymnasium's {theirs} rad");
    }
    // Hard stops.
    assert!(beyond_limits(Environment::Humanoid) < 2e-3);
}

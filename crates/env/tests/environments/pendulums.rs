//! The n-link pendulum: where it begins, what it is paid.

use gradbody_env::{EnvBatch, Environment};
use gradbody_math::random::Random;
use gradbody_sim::Integrator;

const PENDULUMS: [Environment; 7] = [
    Environment::Pendulum1,
    Environment::Pendulum2,
    Environment::Pendulum3,
    Environment::Pendulum4,
    Environment::Pendulum5,
    Environment::Pendulum6,
    Environment::Pendulum7,
];

/// Squared distance of the end from the highest point [m²], from the angles of the joints.
fn squared_distance(q: &[f64]) -> f64 {
    let (mut y, mut z, mut angle) = (0.0, 0.0, 0.0);
    for joint in q {
        angle += joint;
        y += 0.5 * f64::cos(angle);
        z += 0.5 * f64::sin(angle);
    }
    y * y + (z - 0.5 * q.len() as f64).powi(2)
}

#[test]
fn an_episode_is_paid_by_how_much_nearer_its_end_came_in_squared_distance() {
    for (k, environment) in PENDULUMS.into_iter().enumerate() {
        let links = k + 1;
        let mut worlds: EnvBatch<f64> = EnvBatch::new(environment, 3, 0, Some(1)).expect("a batch");
        let (q, v) = worlds.states();
        assert!(q.iter().chain(&v).all(|x| *x == 0.0), "it begins horizontally at rest");
        let most = (links * links) as f64 / 2.0;
        assert!((squared_distance(&q[..links]) - most).abs() < 1e-12);
        let mut random = Random::new(2);
        for step in 1..=100 {
            let given = random.numbers(3 * links);
            let out = worlds.step(&given).expect("a step").clone();
            assert_eq!(out.truncated, [step == 100; 3]);
            let (q, _) = worlds.states();
            for (world, q) in q.chunks_exact(links).enumerate() {
                let expected = most - squared_distance(q);
                let found = out.episode_returns[world];
                assert!((found - expected).abs() < 1e-11 * most, "{found} is not {expected}");
            }
        }
    }
}

#[test]
fn an_upright_pendulum_has_earned_the_most_there_is() {
    let mut worlds: EnvBatch<f64> =
        EnvBatch::new(Environment::Pendulum3, 1, 0, Some(1)).expect("a batch");
    let quarter = std::f64::consts::FRAC_PI_2;
    worlds.set_states(&[quarter, 0.0, 0.0], &[0.0; 3]).expect("a state");
    assert!(worlds.outcome().positions[0].abs() < 1e-30);
    let out = worlds.step(&[0.0; 3]).expect("a step");
    assert!(out.rewards[0].abs() < 1e-12, "it stays there");
}

#[test]
fn motors_stop_at_ten_newton_metres() {
    let of = Environment::Pendulum1.describe();
    let mut worlds: EnvBatch<f64> = EnvBatch::with_description(of, 3, 0, Some(1)).expect("a batch");
    worlds.step(&[1.0, 7.0, 0.0]).expect("a step");
    let (_, v) = worlds.states();
    assert_eq!(v[0], v[1]);
    // A bob of 1 kg at 0.5 m, with an inertia of its own of 0.005 kg m².
    let change = 10.0 / (0.25 + 0.004_948_75) / 60.0;
    assert!((v[0] - v[2] - change).abs() < 0.01 * change, "{v:?}");
}

/// How many of 32 chains under random torques, each held for five steps, diverge within an episode.
fn diverged(environment: Environment, integrator: Integrator) -> usize {
    const WORLDS: usize = 32;
    let mut of = environment.describe();
    of.options.integrator = integrator;
    let links = of.n_actions();
    let mut worlds: EnvBatch<f64> =
        EnvBatch::with_description(of, WORLDS, 0, Some(1)).expect("a batch");
    let mut random = Random::new(1);
    let (mut given, mut count) = (Vec::new(), 0);
    for step in 0..100 {
        if step % 5 == 0 {
            given = random.numbers(WORLDS * links);
            given.iter_mut().for_each(|x| *x = x.signum());
        }
        let out = worlds.step(&given).expect("a step");
        count += out.diverged.iter().filter(|diverged| **diverged).count();
    }
    count
}

#[test]
fn steps_are_short_enough_for_the_scheme_but_not_for_a_simpler_one() {
    for environment in PENDULUMS {
        assert_eq!(diverged(environment, Integrator::Rk4), 0, "{}", environment.name());
    }
    assert_eq!(Environment::Pendulum7.describe().options.integrator, Integrator::Rk4);
    for environment in [Environment::Pendulum5, Environment::Pendulum7] {
        let count = diverged(environment, Integrator::SemiImplicitEuler);
        println!("{}: {count} of 32 diverge with semi-implicit Euler", environment.name());
        assert!(count > 0, "{}", environment.name());
    }
}

//! Episodes of many worlds: ends, starts, and the same bits everywhere.

use gradbody_env::{Autoreset, EnvBatch, EnvError, Environment};
use gradbody_model::Selection;
use gradbody_sim::Precision;

use crate::support::{action, actions};

/// A pole that a constant push makes fall, in worlds that are pushed unlike hard.
fn pushed(worlds: usize, autoreset: Autoreset) -> (EnvBatch<f64>, Vec<f64>) {
    let made = EnvBatch::new(Environment::InvertedPendulum, worlds, 5, Some(1)).expect("a batch");
    let push = (0..worlds).map(|world| 0.5 * world as f64).collect();
    (made.with_autoreset(autoreset), push)
}

#[test]
fn next_step_starts_anew_in_the_step_after_the_end() {
    let (mut worlds, push) = pushed(4, Autoreset::NextStep);
    let mut ended = [false; 4];
    let (mut ends, mut starts) = (0, 0);
    for _ in 0..60 {
        let out = worlds.step(&push).expect("a step");
        for (world, ended) in ended.iter_mut().enumerate() {
            assert_eq!(out.was_reset[world], *ended, "world {world}");
            let angle = out.observations[4 * world + 1];
            if *ended {
                starts += 1;
                assert_eq!(out.rewards[world], 0.0);
                assert!(!out.terminated[world] && !out.truncated[world]);
                assert!(angle.abs() <= 0.01, "a start has the noise of a start");
                assert_eq!(out.episode_lengths[world], 0);
            } else {
                assert_eq!(out.rewards[world], f64::from(u8::from(!out.terminated[world])));
            }
            *ended = out.terminated[world] || out.truncated[world];
            if *ended {
                ends += 1;
                assert!(angle.abs() > 0.2, "the observation is the last one");
                let last = &out.final_observations[4 * world..4 * world + 4];
                assert_eq!(last, &out.observations[4 * world..4 * world + 4]);
            }
        }
    }
    assert!(ends > 4 && starts + 4 >= ends, "{ends} ends, {starts} starts");
}

#[test]
fn same_step_returns_the_new_start_and_keeps_the_last_observation() {
    let (mut worlds, push) = pushed(4, Autoreset::SameStep);
    let mut ends = 0;
    for _ in 0..60 {
        let out = worlds.step(&push).expect("a step");
        for world in 0..4 {
            let angle = out.observations[4 * world + 1];
            assert_eq!(out.was_reset[world], out.terminated[world]);
            if out.terminated[world] {
                ends += 1;
                assert!(angle.abs() <= 0.01);
                assert!(out.final_observations[4 * world + 1].abs() > 0.2);
                assert_eq!(out.episode_returns[world] as usize + 1, out.episode_lengths[world]);
            }
        }
    }
    assert!(ends > 4);
}

#[test]
fn a_world_that_ended_waits_for_its_reset_if_autoreset_is_disabled() {
    let (mut worlds, push) = pushed(3, Autoreset::Disabled);
    let ended = loop {
        let out = worlds.step(&push).expect("a step");
        if out.terminated.contains(&true) {
            break out.terminated.clone();
        }
    };
    let first = ended.iter().position(|ended| *ended).expect("one ended");
    let refused = worlds.step(&push).expect_err("a world has ended");
    assert!(matches!(refused, EnvError::Ended { world } if world == first), "{refused}");
    let before = worlds.outcome().observations.clone();
    let after = worlds.reset_worlds(&ended, None).expect("a mask").to_vec();
    for world in 0..3 {
        let row = 4 * world..4 * world + 4;
        assert_eq!(before[row.clone()] == after[row], !ended[world], "world {world}");
    }
    worlds.step(&push).expect("all worlds go on");
}

#[test]
fn episodes_are_truncated_at_their_time_limit() {
    let mut of = Environment::HalfCheetah.describe();
    of.time_limit = 7;
    let mut worlds: EnvBatch<f64> = EnvBatch::with_description(of, 2, 0, Some(1)).expect("a batch");
    let still = vec![0.0; 2 * worlds.description().n_actions()];
    for step in 1..=8 {
        let out = worlds.step(&still).expect("a step");
        assert_eq!(out.truncated, [step == 7; 2], "step {step}");
        assert_eq!(out.terminated, [false; 2]);
        assert_eq!(out.was_reset, [step == 8; 2]);
    }
}

#[test]
fn a_seed_repeats_and_a_reset_without_one_goes_on() {
    let mut worlds: EnvBatch<f64> =
        EnvBatch::new(Environment::Ant, 3, 11, Some(1)).expect("a batch");
    let first = worlds.outcome().observations.clone();
    let second = worlds.reset(None).to_vec();
    assert_ne!(first, second);
    assert_eq!(first, worlds.reset(Some(11)));
    assert_eq!(second, worlds.reset(None));
    assert_ne!(first[..105], first[105..210], "worlds start differently");
}

#[test]
fn a_world_that_diverges_terminates_and_starts_anew() {
    for autoreset in [Autoreset::NextStep, Autoreset::SameStep] {
        let mut worlds: EnvBatch<f64> = EnvBatch::new(Environment::Hopper, 3, 0, Some(1))
            .expect("a batch")
            .with_autoreset(autoreset);
        let (q, mut v) = worlds.states();
        v[6 + 3] = 1e200;
        worlds.set_states(&q, &v).expect("states");
        let still = vec![0.0; 9];
        let out = worlds.step(&still).expect("a step");
        assert_eq!(out.diverged, [false, true, false]);
        assert_eq!(out.terminated, [false, true, false]);
        assert_eq!(out.rewards[1], 0.0);
        assert!(out.observations.iter().chain(&out.final_observations).all(|x| x.is_finite()));
        let out = worlds.step(&still).expect("a step");
        assert_eq!(out.diverged, [false; 3], "{autoreset:?}");
        assert_eq!(out.was_reset[1], autoreset == Autoreset::NextStep);
    }
}

/// Everything that some worlds see in `steps` steps, as bits.
fn history<T: Precision>(
    environment: Environment,
    worlds: usize,
    threads: usize,
    steps: usize,
    of: &[usize],
) -> Vec<u64> {
    let mut of_env = environment.describe();
    of_env.time_limit = 9;
    let mut batch: EnvBatch<T> =
        EnvBatch::with_description(of_env, worlds, 2, Some(threads)).expect("a batch");
    let width = batch.description().n_observations();
    let mut seen = Vec::new();
    for step in 0..steps {
        let given = actions(batch.description(), worlds, step);
        let out = batch.step(&given).expect("a step");
        for &world in of {
            let row = &out.observations[world * width..(world + 1) * width];
            seen.extend(row.iter().map(|x| x.to_bits()));
            seen.extend([out.rewards[world].to_bits(), u64::from(out.terminated[world])]);
        }
    }
    seen
}

#[test]
fn a_world_has_the_same_bits_in_any_batch_and_on_any_threads() {
    let of = [0, 2];
    for environment in [Environment::HalfCheetah, Environment::Ant, Environment::Swimmer] {
        let alone = history::<f64>(environment, 3, 1, 20, &of);
        assert_eq!(alone, history::<f64>(environment, 21, 2, 20, &of), "{}", environment.name());
    }
    let alone = history::<f32>(Environment::HalfCheetah, 3, 1, 20, &of);
    assert_eq!(alone, history::<f32>(Environment::HalfCheetah, 37, 2, 20, &of));
}

#[test]
fn every_environment_runs_in_both_precisions() {
    fn run<T: Precision>(environment: Environment) -> (Vec<f64>, usize) {
        let mut worlds: EnvBatch<T> = EnvBatch::new(environment, 2, 1, Some(1)).expect("a batch");
        let mut first = Vec::new();
        let mut diverged = 0;
        for step in 0..40 {
            let given = actions(worlds.description(), 2, step);
            let out = worlds.step(&given).expect("a step");
            assert!(out.observations.iter().chain(&out.rewards).all(|x| x.is_finite()));
            diverged += out.diverged.iter().filter(|x| **x).count();
            if step == 0 {
                first = out.observations.clone();
            }
        }
        (first, diverged)
    }
    for environment in Environment::ALL {
        assert_eq!(Environment::named(environment.name()), Some(environment));
        let (double, diverged) = run::<f64>(environment);
        assert_eq!(diverged, 0, "{}", environment.name());
        let (single, diverged) = run::<f32>(environment);
        assert_eq!(diverged, 0, "{}", environment.name());
        for (a, b) in double.iter().zip(&single) {
            let far = (a - b).abs() / a.abs().max(1.0);
            assert!(far < 1e-2, "{}: {a} and {b}", environment.name());
        }
    }
}

#[test]
fn an_ant_on_the_ground_feels_its_weight() {
    // The feet of a standing ant carry its weight, and the torques about its centre of mass nearly cancel.
    let mut of = Environment::Ant.describe();
    for part in &mut of.observation {
        if let gradbody_env::Observed::ContactForces { limit } = part {
            *limit = f64::INFINITY;
        }
    }
    of.time_limit = 10_000;
    of.healthy.clear();
    let mut ant: EnvBatch<f64> = EnvBatch::with_description(of, 1, 0, Some(1)).expect("a batch");
    let q = [0.0, 0.0, 0.557, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, -1.0, 0.0, 1.0];
    ant.set_states(&q, &[0.0; 14]).expect("a state");
    for _ in 0..200 {
        ant.step(&[0.0; 8]).expect("a step");
    }
    let out = ant.outcome();
    let sum = |k: usize| out.observations[27..].iter().skip(k).step_by(6).sum::<f64>();
    let weight = ant.description().model.params.links.iter().map(|i| i.mass).sum::<f64>() * 9.81;
    assert!((sum(5) - weight).abs() < 1e-2 * weight, "{} N of {weight} N", sum(5));
    assert!(sum(0).abs() + sum(1).abs() < 1e-2, "torques {} {}", sum(0), sum(1));
    assert_eq!(action(ant.description(), 0, 0).len(), 8);
}

#[test]
fn a_laikago_that_does_nothing_stands() {
    let mut worlds: EnvBatch<f64> =
        EnvBatch::new(Environment::LaikagoWalk, 4, 0, Some(1)).expect("a batch");
    let still = vec![0.0; 4 * worlds.description().n_actions()];
    for step in 0..300 {
        let out = worlds.step(&still).expect("a step");
        assert_eq!(out.terminated, [false; 4], "step {step}");
    }
    let moved = worlds.outcome().positions.iter().map(|x| x.abs()).fold(0.0, f64::max);
    assert!(moved < 0.2, "it slid by {moved} m");
}

#[test]
fn worlds_may_have_parameters_of_their_own() {
    // The forearm of a world becomes longer: its start shows that, and its steps are those of such a robot alone.
    let of = Environment::Reacher.describe();
    let names = ["link/upper_arm/mass", "joint/elbow/placement/x"];
    let selection = Selection::of(&of.model, names).expect("parameters");
    let values = [0.04, 0.1, 0.09, 0.13];
    let mut worlds: EnvBatch<f64> =
        EnvBatch::new(Environment::Reacher, 2, 6, Some(1)).expect("a batch");
    worlds.set_params(&selection, &values).expect("parameters");
    worlds.reset(Some(6));
    let mut alone = of;
    selection.apply(&mut alone.model, &values[2..]).expect("two numbers");
    let mut alone: EnvBatch<f64> =
        EnvBatch::with_description(alone, 2, 6, Some(1)).expect("a batch");
    let second = |seen: &[f64]| seen[10..].to_vec();
    assert_eq!(second(&worlds.outcome().observations), second(&alone.outcome().observations));
    for step in 0..5 {
        let given = actions(worlds.description(), 2, step);
        let ours = worlds.step(&given).expect("a step").clone();
        let theirs = alone.step(&given).expect("a step");
        assert_eq!(second(&ours.observations), second(&theirs.observations));
        assert_eq!(ours.rewards[1], theirs.rewards[1]);
        assert_ne!(ours.rewards[0], theirs.rewards[0]);
    }
    worlds.set_params(&selection, &[-1.0; 4]).expect_err("a negative mass");
}

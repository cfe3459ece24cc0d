//! One step of each environment beside Gymnasium's, where nothing touches and no joint is at its limit.

use gradbody_env::{EnvBatch, EnvError, Environment};

use crate::support::{PUBLISHED, golden, numbers};

/// Both simulators compute the same smooth motion, apart from rounding and the order of sums.
const AGREES: f64 = 1e-10;

/// Where Gymnasium reads positions of bodies, they are those of the last evaluation of the Runge-Kutta scheme, which
/// differ by the third order of the time step from those at the end. A reward divides that by the duration of a step.
const A_MOMENT_OLDER: f64 = 2e-4;
/// The same for inertias and velocities of bodies, which only Humanoid observes.
const BODIES_A_MOMENT_OLDER: f64 = 2e-2;

#[derive(Debug)]
struct Largest {
    observation: f64,
    reward: f64,
    published_observation: f64,
    published_reward: f64,
}

fn compare(environment: Environment) -> Result<Largest, EnvError> {
    let golden = golden(environment);
    let samples = golden["samples"].as_array().expect("samples");
    let of = |key: &str| samples.iter().flat_map(|s| numbers(&s[key])).collect::<Vec<f64>>();
    let mut worlds: EnvBatch<f64> = EnvBatch::new(environment, samples.len(), 0, Some(1))?;
    worlds.set_states(&of("q"), &of("v"))?;
    let keys: Vec<&str> = worlds.description().reward.iter().map(|term| term.key()).collect();
    let outcome = worlds.step(&of("action"))?;
    let far = |ours: &[f64], theirs: &[f64]| {
        assert_eq!(ours.len(), theirs.len(), "{}", environment.name());
        ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    for (world, sample) in samples.iter().enumerate() {
        let ended = sample["terminated"].as_bool().expect("terminated");
        assert_eq!(outcome.terminated[world], ended, "{}: world {world}", environment.name());
        for (k, key) in keys.iter().enumerate() {
            let theirs = numbers(&sample["terms"][key])[0];
            let ours = outcome.terms[world * keys.len() + k];
            let what = format!("{}: {key} of world {world}", environment.name());
            assert!((ours - theirs).abs() < A_MOMENT_OLDER, "{what}: {ours} is not {theirs}");
        }
    }
    assert_eq!(outcome.truncated, vec![false; samples.len()]);
    Ok(Largest {
        observation: far(&outcome.observations, &of("observation_at_end")),
        reward: far(&outcome.rewards, &of("reward_at_end")),
        published_observation: far(&outcome.observations, &of("observation")),
        published_reward: far(&outcome.rewards, &of("reward")),
    })
}

#[test]
fn a_step_without_contact_agrees_with_gymnasium() {
    for environment in PUBLISHED {
        let found = compare(environment).expect("a step");
        let name = environment.name();
        println!("{name}: {found:?}");
        let bounds = [
            ("observations", found.observation, AGREES),
            ("rewards", found.reward, AGREES),
            ("published observations", found.published_observation, BODIES_A_MOMENT_OLDER),
            ("published rewards", found.published_reward, A_MOMENT_OLDER),
        ];
        for (what, far, bound) in bounds {
            assert!(far < bound, "{name}: {what} differ by {far:.1e}");
        }
    }
}

#[test]
fn spaces_and_times_are_gymnasiums() {
    for environment in PUBLISHED {
        let (golden, of) = (golden(environment), environment.describe());
        let model = &golden["model"];
        let ranges = numbers(&model["control_range"]);
        let bounds = of.actions.low.iter().zip(&of.actions.high).flat_map(|(a, b)| [*a, *b]);
        assert_eq!(bounds.collect::<Vec<f64>>(), ranges, "{}", of.name);
        assert_eq!(of.n_observations(), numbers(&golden["samples"][0]["observation"]).len());
        assert_eq!(of.observation_names().len(), of.n_observations());
        assert_eq!(of.frame_skip as u64, model["frame_skip"].as_u64().expect("a number"));
        assert_eq!(of.time_limit as u64, model["time_limit"].as_u64().expect("a number"));
        assert_eq!(of.options.dt, numbers(&model["timestep"])[0]);
        let mut start = numbers(&model["init_qpos"]);
        if environment == Environment::Reacher {
            // The goal is drawn anew for each episode.
            start[2..].fill(0.0);
        }
        assert_eq!(of.start.q, start, "{}", of.name);
    }
}

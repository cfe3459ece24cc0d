//! One step of each environment beside Gymnasium's, where nothing touches and no joint is at its limit.

use gradbody_env::{EnvBatch, Environment, EnvError};

use crate::support::{PUBLISHED, golden, numbers};

/// Both simulators compute the same smooth motion, apart from rounding and the order of sums.
const AGREES: f64 = 1e-6;

/// Gymnasium reads some positions a moment before the end of the step: a fraction of a step's fourth order, which
/// is divided by the duration of the step in velocities.
const A_MOMENT_OLDER: f64 = 2e-4;

struct Largest {
    observation: f64,
    reward: f64,
    published: f64,
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
        published: far(&outcome.rewards, &of("reward"))
            .max(far(&outcome.observations, &of("observation"))),
    })
}

#[test]
fn a_step_without_contact_agrees_with_gymnasium() {
    for environment in PUBLISHED {
        let Largest { observation, reward, published } = compare(environment).expect("a step");
        let name = environment.name();
        println!("{name}: observations {observation:.1e}, rewards {reward:.1e}, as published {published:.1e}");
        assert!(observation < AGREES, "{name}: observations differ by {observation:.1e}");
        assert!(reward < AGREES, "{name}: rewards differ by {reward:.1e}");
        assert!(published < A_MOMENT_OLDER, "{name}: published values differ by {published:.1e}");
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

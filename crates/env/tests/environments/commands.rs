//! Commands: who sees them, what following them pays, and when they change.

use gradbody_env::{Commands, Description, EnvBatch, Environment, Seen, SeenWork, reward_terms};
use gradbody_math::random::Random;
use gradbody_sim::{Precision, State};

use crate::support::actions;

const WORLDS: usize = 4;

fn laikagos<T: Precision>(change: impl FnOnce(&mut Commands)) -> EnvBatch<T> {
    let mut of = Environment::LaikagoCommands.describe();
    if let Some(commands) = &mut of.commands {
        change(commands);
    }
    EnvBatch::with_description(of, WORLDS, 5, Some(1)).expect("a batch")
}

/// The terms of the reward of a robot in its standing pose, which is turned by `yaw` and moves.
fn terms(of: &Description, yaw: f64, v: &[f64], command: &[f64]) -> Vec<f64> {
    let mut state = State::neutral(&of.model);
    state.q.copy_from_slice(&of.start.q);
    (state.q[3], state.q[6]) = (f64::cos(yaw / 2.0), f64::sin(yaw / 2.0));
    state.v[..6].copy_from_slice(v);
    let action = vec![0.0; of.n_actions()];
    let seen = Seen { model: &of.model, state: &state, action: &action, command, contacts: &[] };
    let mut work = SeenWork::new(of, &of.model);
    work.look(of, &seen);
    let mut terms = vec![0.0; of.reward.len()];
    reward_terms(of, &seen, 0.0, &work, &mut terms);
    terms
}

#[test]
fn rest_under_a_command_of_zero_pays_all_there_is() {
    let of = Environment::LaikagoCommands.describe();
    assert_eq!(terms(&of, 0.7, &[0.0; 6], &[0.0; 3]), [1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5]);
}

#[test]
fn a_robot_follows_in_the_direction_that_it_faces() {
    let of = Environment::LaikagoCommands.describe();
    let yaw = 2.1;
    let (sin, cos) = f64::sin_cos(yaw);
    let (forwards, sideways, rate) = (0.8, -0.3, 0.6);
    // Linear velocity in the world's axes, angular velocity in the body's.
    let v = [forwards * cos - sideways * sin, forwards * sin + sideways * cos, 0.0, 0.0, 0.0, rate];
    let found = terms(&of, yaw, &v, &[forwards, sideways, rate]);
    assert!((found[0] - 1.0).abs() < 1e-12 && (found[1] - 0.5).abs() < 1e-12, "{found:?}");
    let off = terms(&of, yaw, &v, &[forwards - 0.7, sideways, rate + 0.7]);
    assert!((off[0] - f64::exp(-1.0)).abs() < 1e-12, "an error of one width: {off:?}");
    assert!((off[1] - 0.5 * f64::exp(-1.0)).abs() < 1e-12, "{off:?}");
    let costs = terms(&of, yaw, &[0.0, 0.0, 0.5, 0.3, 0.4, 0.0], &[0.0; 3]);
    assert!((costs[2] + 0.5 * 0.25).abs() < 1e-12 && (costs[3] + 0.05 * 0.25).abs() < 1e-12);
}

#[test]
fn a_standing_robot_is_paid_for_its_first_move_towards_any_command() {
    // No plateau: everywhere in the range of commands, the slope at rest is a good part of what there is to gain.
    let of = Environment::LaikagoCommands.describe();
    let commands = of.commands.expect("commands");
    for command in [commands.low, commands.high] {
        let at = |d: f64| {
            let v = [d * command[0], d * command[1], 0.0, 0.0, 0.0, d * command[2]];
            terms(&of, 0.0, &v, &command)
        };
        let (still, moved) = (at(0.0), at(0.01));
        for k in [0, 1] {
            let (gain, slope) = (at(1.0)[k] - still[k], (moved[k] - still[k]) / 0.01);
            assert!(slope > 0.3 * gain, "command {command:?}, term {k}: {slope} of {gain}");
        }
    }
}

#[test]
fn commands_are_observed_and_stay_until_others_are_drawn() {
    let mut worlds: EnvBatch<f64> = laikagos(|commands| commands.mean_time = f64::INFINITY);
    let of = worlds.description().clone();
    let names = of.observation_names();
    let at = names.iter().position(|name| name == "command/forwards").expect("it is observed");
    assert_eq!(names[at..], ["command/forwards", "command/sideways", "command/yaw_rate"]);
    let seen = |observations: &[f64]| -> Vec<f64> {
        observations.chunks_exact(of.n_observations()).flat_map(|row| row[at..].to_vec()).collect()
    };
    let drawn = worlds.commands().to_vec();
    assert_eq!(seen(&worlds.outcome().observations), drawn);
    let commands = of.commands.expect("commands");
    for row in drawn.chunks_exact(3) {
        let stands = row.iter().all(|x| *x == 0.0);
        let inside = |k: usize| (commands.low[k]..=commands.high[k]).contains(&row[k]);
        assert!(stands || (0..3).all(inside), "{row:?}");
    }
    let given = Random::new(1).numbers(3 * WORLDS);
    assert_eq!(seen(worlds.set_commands(&given).expect("commands")), given);
    for step in 0..5 {
        let action = actions(&of, WORLDS, step);
        let out = worlds.step(&action).expect("a step");
        assert_eq!(seen(&out.observations), given);
    }
    assert_ne!(seen(worlds.reset(None)), given, "an episode begins with a command of its own");
    worlds.set_commands(&[0.0; 5]).expect_err("five numbers");
    worlds.set_commands(&[f64::NAN; 12]).expect_err("NaN");
    let mut hoppers: EnvBatch<f64> = EnvBatch::new(Environment::Hopper, 1, 0, Some(1)).expect("");
    assert!(hoppers.commands().is_empty());
    hoppers.set_commands(&[1.0]).expect_err("no commands");
}

#[test]
fn commands_change_at_random_times_and_the_reward_is_for_the_one_that_was_seen() {
    let mut worlds: EnvBatch<f64> = laikagos(|commands| commands.mean_time = 0.1);
    let of = worlds.description().clone();
    let still = vec![0.0; WORLDS * of.n_actions()];
    let mut changes = 0;
    let steps = 100;
    for _ in 0..steps {
        let before = worlds.commands().to_vec();
        let out = worlds.step(&still).expect("a step").clone();
        assert_eq!(out.terminated, [false; WORLDS]);
        let (q, v) = worlds.states();
        for world in 0..WORLDS {
            let mut state = State::neutral(&of.model);
            let (nq, nv) = (of.model.nq(), of.model.nv());
            state.q.copy_from_slice(&q[world * nq..(world + 1) * nq]);
            state.v.copy_from_slice(&v[world * nv..(world + 1) * nv]);
            let command = &before[3 * world..3 * world + 3];
            let action = &still[..of.n_actions()];
            let seen = Seen { model: &of.model, state: &state, action, command, contacts: &[] };
            let mut work = SeenWork::new(&of, &of.model);
            work.look(&of, &seen);
            let mut terms = vec![0.0; of.reward.len()];
            reward_terms(&of, &seen, 0.0, &work, &mut terms);
            assert_eq!(out.terms[world * terms.len()..(world + 1) * terms.len()], terms);
            let after = &worlds.commands()[3 * world..3 * world + 3];
            let width = of.n_observations();
            assert_eq!(&out.observations[(world + 1) * width - 3..(world + 1) * width], after);
            changes += usize::from(after != command);
        }
    }
    // One in five steps, give or take four standard errors.
    let expected = 0.2 * (steps * WORLDS) as f64;
    assert!((changes as f64 - expected).abs() < 4.0 * f64::sqrt(0.8 * expected), "{changes}");
}

#[test]
fn single_precision_observes_commands_as_it_follows_them() {
    let mut worlds: EnvBatch<f32> = laikagos(|commands| commands.mean_time = 0.05);
    let still = vec![0.0; WORLDS * 12];
    for _ in 0..20 {
        let out = worlds.step(&still).expect("a step");
        assert!(out.observations.iter().all(|x| f64::from(*x as f32) == *x));
    }
}

//! Worlds that go on from a snapshot: the same bits.

use gradbody_env::{Autoreset, EnvBatch, EnvError, EnvSnapshot, Environment, Outcome};
use gradbody_model::Selection;
use gradbody_sim::Precision;

use crate::support::actions;

const WORLDS: usize = 5;
const STEPS: usize = 50;

/// Everything that a step tells, as bits.
fn told(out: &Outcome) -> Vec<u64> {
    let numbers = [
        &out.observations,
        &out.rewards,
        &out.terms,
        &out.final_observations,
        &out.final_positions,
        &out.positions,
        &out.episode_returns,
    ];
    let flags = [&out.terminated, &out.truncated, &out.was_reset, &out.diverged];
    let mut bits: Vec<u64> = numbers.into_iter().flatten().map(|x| x.to_bits()).collect();
    bits.extend(flags.into_iter().flatten().map(|flag| u64::from(*flag)));
    bits.extend(out.episode_lengths.iter().map(|length| *length as u64));
    bits
}

fn made<T: Precision>(environment: Environment, seed: u64, autoreset: Autoreset) -> EnvBatch<T> {
    let mut of = environment.describe();
    // Many ends.
    of.time_limit = 37;
    let made = EnvBatch::with_description(of, WORLDS, seed, Some(1)).expect("a batch");
    made.with_autoreset(autoreset)
}

/// Takes steps, and returns what they tell.
fn go<T: Precision>(worlds: &mut EnvBatch<T>, first: usize) -> Vec<Vec<u64>> {
    (first..first + STEPS)
        .map(|step| {
            let given = actions(worlds.description(), WORLDS, step);
            told(worlds.step(&given).expect("a step"))
        })
        .collect()
}

fn check<T: Precision>(environment: Environment, autoreset: Autoreset) {
    let mut worlds: EnvBatch<T> = made(environment, 3, autoreset);
    go(&mut worlds, 0);
    let taken = worlds.snapshot();
    let present = told(worlds.outcome());
    let expected = go(&mut worlds, STEPS);
    // Other worlds that have been somewhere else.
    let mut others: EnvBatch<T> = made(environment, 4, autoreset);
    go(&mut others, 7);
    others.restore(&taken).expect("a snapshot of such worlds");
    assert_eq!(others.snapshot(), taken, "{}", environment.name());
    assert_eq!(told(others.outcome()), present, "{}", environment.name());
    assert!(go(&mut others, STEPS) == expected, "{}: other bits", environment.name());
    assert_ne!(others.snapshot(), taken);
}

#[test]
fn worlds_go_on_from_a_snapshot_with_the_same_bits() {
    for environment in Environment::ALL {
        check::<f64>(environment, Autoreset::NextStep);
    }
    for environment in [Environment::Hopper, Environment::Ant, Environment::LaikagoWalk] {
        check::<f64>(environment, Autoreset::SameStep);
        check::<f32>(environment, Autoreset::SameStep);
    }
}

#[test]
fn gradients_after_a_snapshot_have_the_same_bits() {
    let environment = Environment::HalfCheetah;
    let mut worlds: EnvBatch<f64> = made(environment, 3, Autoreset::NextStep);
    go(&mut worlds, 0);
    let mut others: EnvBatch<f64> = made(environment, 5, Autoreset::NextStep);
    others.restore(&worlds.snapshot()).expect("a snapshot of such worlds");
    let given = actions(worlds.description(), WORLDS, 1);
    let [a, b] = [&mut worlds, &mut others].map(|of| of.gradient(&given, 0.9).expect("a gradient"));
    assert_eq!((a.returns, a.actions, a.start_q), (b.returns, b.actions, b.start_q));
}

#[test]
fn parameters_of_worlds_are_in_a_snapshot() {
    let environment = Environment::Hopper;
    let selection = Selection::of(&environment.describe().model, ["link/*/mass"]).expect("masses");
    let masses = selection.values(&environment.describe().model);
    let scaled = |by: f64| -> Vec<f64> {
        (0..WORLDS).flat_map(|w| masses.iter().map(move |m| m * (1.0 + by * w as f64))).collect()
    };
    let mut worlds: EnvBatch<f64> = made(environment, 3, Autoreset::NextStep);
    worlds.set_params(&selection, &scaled(0.1)).expect("masses");
    let taken = worlds.snapshot();
    let expected = go(&mut worlds, 0);
    let mut others: EnvBatch<f64> = made(environment, 3, Autoreset::NextStep);
    let refused = others.restore(&taken).expect_err("no parameters of worlds yet");
    assert!(refused.to_string().contains("1 sets of parameters of worlds, not 0"), "{refused}");
    others.set_params(&selection, &scaled(0.0)).expect("masses");
    others.restore(&taken).expect("a snapshot of such worlds");
    assert!(go(&mut others, 0) == expected);
}

#[test]
fn snapshots_that_do_not_fit_are_refused_and_change_nothing() {
    let mut hoppers: EnvBatch<f64> = made(Environment::Hopper, 3, Autoreset::NextStep);
    go(&mut hoppers, 0);
    let sound = hoppers.snapshot();
    let mut others: EnvBatch<f64> = made(Environment::Hopper, 9, Autoreset::NextStep);
    let before = others.snapshot();
    let mut refused = |from: &EnvSnapshot| {
        let why = others.restore(from).expect_err("refused");
        assert!(matches!(why, EnvError::Snapshot { .. }));
        assert_eq!(others.snapshot(), before);
        why.to_string()
    };
    let cheetahs: EnvBatch<f64> = made(Environment::HalfCheetah, 3, Autoreset::NextStep);
    let said = refused(&cheetahs.snapshot());
    let expected = "the snapshot does not belong to these worlds: it is one of \"HalfCheetah\", not of \"Hopper\"";
    assert_eq!(said, expected);
    let fewer: EnvBatch<f64> = EnvBatch::new(Environment::Hopper, 2, 0, Some(1)).expect("a batch");
    assert!(refused(&fewer.snapshot()).ends_with("it has 2 worlds, not 5"));
    let mut damaged = sound.clone();
    damaged.numbers.pop();
    assert!(refused(&damaged).ends_with("it ends early"));
    damaged = sound.clone();
    damaged.counts.push(0);
    assert!(refused(&damaged).ends_with("it is longer than what these worlds remember"));
    damaged = sound.clone();
    damaged.numbers[2] = f64::NAN;
    assert!(refused(&damaged).ends_with("it holds a number that is NaN"));
    damaged = sound.clone();
    damaged.counts[0] = 77;
    assert!(refused(&damaged).ends_with("another version of this program wrote it"));
    assert!(refused(&EnvSnapshot::default()).ends_with("it ends early"));
    // Whatever is wrong, nothing panics, neither then nor in the steps that follow.
    for k in 0..sound.counts.len() {
        for wrong in [2, u64::from(u32::MAX), u64::MAX] {
            damaged = sound.clone();
            damaged.counts[k] = wrong;
            if others.restore(&damaged).is_ok() {
                go(&mut others, 0);
            }
        }
    }
}

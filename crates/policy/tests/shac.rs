//! SHAC learns, and goes on from a snapshot with the same bits.

use gradbody_env::Environment;
use gradbody_policy::{Evaluation, Learner, Shac, ShacOptions, TrainError};

fn small() -> ShacOptions {
    ShacOptions { worlds: 16, horizon: 8, actor: vec![32], critic: vec![32], ..Default::default() }
}

/// A cheetah that stands still returns about zero. After 40,000 samples it runs.
#[test]
fn a_half_cheetah_learns_to_run() {
    let of = Environment::HalfCheetah.describe();
    let options = ShacOptions { worlds: 64, horizon: 8, ..ShacOptions::default() };
    let mut learner: Shac<f32> = Shac::new(&of, options).unwrap();
    let before = Evaluation::run::<f32>(learner.actor(), &of, 8, 1).unwrap().mean();
    for _ in 0..80 {
        learner.advance().unwrap();
    }
    let after = Evaluation::run::<f32>(learner.actor(), &of, 8, 1).unwrap().mean();
    assert!(before.abs() < 200.0, "before: {before}");
    assert!(after > 800.0, "after: {after}");
}

#[test]
fn training_goes_on_from_a_snapshot_with_the_same_bits() {
    let of = Environment::AntWithoutContactForces.describe();
    let mut whole: Shac<f32> = Shac::new(&of, small()).unwrap();
    (0..4).for_each(|_| drop(whole.advance().unwrap()));
    let snapshot = whole.snapshot();
    let mut resumed: Shac<f32> = Shac::new(&of, small()).unwrap();
    resumed.restore(&snapshot).unwrap();
    for _ in 0..4 {
        assert_eq!(whole.advance().unwrap(), resumed.advance().unwrap());
    }
    assert_eq!(whole.actor(), resumed.actor());
    assert_eq!(whole.snapshot(), resumed.snapshot());
}

#[test]
fn a_snapshot_of_another_training_is_refused() {
    let of = Environment::HalfCheetah.describe();
    let learner: Shac<f32> = Shac::new(&of, small()).unwrap();
    let larger = ShacOptions { actor: vec![33], ..small() };
    let mut other: Shac<f32> = Shac::new(&of, larger).unwrap();
    let error = other.restore(&learner.snapshot()).unwrap_err().to_string();
    assert!(error.contains("actor/weights has"), "{error}");
}

#[test]
fn options_out_of_range_are_named() {
    let of = Environment::HalfCheetah.describe();
    let wrong = ShacOptions { discount: 1.5, ..small() };
    let error = Shac::<f32>::new(&of, wrong).map(drop).unwrap_err();
    assert!(matches!(error, TrainError::Option { option: "discount", .. }), "{error}");
}

/// An environment whose observations have contact forces says so.
#[test]
fn forces_cannot_be_observed_in_the_loop() {
    let mut learner: Shac<f32> = Shac::new(&Environment::Ant.describe(), small()).unwrap();
    let error = learner.advance().unwrap_err().to_string();
    assert!(error.contains("observe no forces"), "{error}");
}

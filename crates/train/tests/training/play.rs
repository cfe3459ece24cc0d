//! Episodes of a finished policy, with changes.

use gradbody_policy::PolicyFile;
use gradbody_train::{PlayOptions, Push, play};

use crate::runs::{POLE, begin};

/// A policy that keeps the pole upright.
fn trained() -> PolicyFile {
    let mut run = begin(POLE);
    while run.advance() {}
    run.best().expect("evaluated")
}

#[test]
fn a_push_or_a_heavier_robot_changes_what_a_policy_returns() {
    let policy = trained();
    let usual = PlayOptions { episodes: 4, seed: 3, ..PlayOptions::default() };
    let played = play(&policy, &usual).expect("it fits");
    assert!(played.mean() > 900.0, "{:?}", played.returns);
    assert_eq!(played.motion.len(), played.lengths[0] + 1);
    assert_eq!(played.motion.last().map(|moment| moment.reward), Some(played.returns[0]));
    let again = play(&policy, &usual).expect("it fits");
    assert_eq!(again.returns, played.returns);

    let push = Push { link: "pole".into(), force_w: [300.0, 0.0, 0.0], at: 1.0, seconds: 0.2 };
    let pushed = PlayOptions { pushes: vec![push], ..usual.clone() };
    let pushed = play(&policy, &pushed).expect("it fits");
    // It falls just after a second, which has 25 steps.
    assert!(pushed.lengths.iter().all(|n| (26..60).contains(n)), "{:?}", pushed.lengths);
    assert!(pushed.lasted.iter().all(|lasted| !lasted));

    let heavier = [("link/pole/mass".to_owned(), 8.0)].into();
    let heavier = PlayOptions { set: heavier, ..usual };
    let heavier = play(&policy, &heavier).expect("it fits");
    assert_ne!(heavier.motion[3].q, played.motion[3].q);
}

#[test]
fn what_does_not_fit_is_said() {
    let policy = trained();
    let told = |options: PlayOptions| play(&policy, &options).expect_err("refused");
    let usual = PlayOptions::default;
    assert_eq!(
        told(PlayOptions { environment: Some("Hopper".into()), ..usual() }),
        "the policy is for InvertedPendulum with 4 observations, but Hopper has 11"
    );
    let push = |link: &str, at| Push { link: link.into(), force_w: [1.0; 3], at, seconds: 0.1 };
    assert_eq!(
        told(PlayOptions { pushes: vec![push("pol", 0.0)], ..usual() }),
        "InvertedPendulum has no link \"pol\"; did you mean \"pole\"?"
    );
    assert_eq!(
        told(PlayOptions { pushes: vec![push("pole", -1.0)], ..usual() }),
        "a push on \"pole\" needs a finite force, a time from 0 on and a positive duration"
    );
    assert_eq!(
        told(PlayOptions { friction: Some(-0.1), ..usual() }),
        "friction -0.1: a number that is not negative is needed"
    );
    assert_eq!(told(PlayOptions { episodes: 0, ..usual() }), "at least one episode is needed");
}

//! What is refused, and with which words.

use gradbody_env::{EnvBatch, EnvError, Environment};

fn hoppers() -> EnvBatch<f64> {
    EnvBatch::new(Environment::Hopper, 2, 0, Some(1)).expect("a batch")
}

#[test]
fn an_action_that_is_not_a_number_is_refused_by_its_place() {
    let mut worlds = hoppers();
    let before = worlds.states();
    let refused = worlds.step(&[0.0, 0.0, 0.0, 0.0, f64::NAN, 0.0]).expect_err("NaN");
    let said = "world 1: the number of the action with index 1 is NaN; it must be finite";
    assert_eq!(refused.to_string(), said);
    worlds.step(&[0.0, f64::INFINITY, 0.0, 0.0, 0.0, 0.0]).expect_err("infinity");
    worlds.gradient(&[f64::NAN; 12], 1.0).expect_err("NaN");
    assert_eq!(worlds.states(), before);
}

#[test]
fn arrays_of_wrong_sizes_are_refused() {
    let mut worlds = hoppers();
    let refused = worlds.step(&[0.0; 5]).expect_err("five numbers");
    let said = "the array of actions has 5 numbers, but needs 6, (worlds, actions)";
    assert_eq!(refused.to_string(), said);
    worlds.gradient(&[0.0; 7], 1.0).expect_err("seven numbers");
    worlds.gradient(&[], 1.0).expect_err("no step");
    worlds.set_states(&[0.0; 11], &[0.0; 12]).expect_err("eleven numbers");
    worlds.set_states(&[0.0; 12], &[f64::NAN; 12]).expect_err("NaN");
    worlds.reset_worlds(&[true], None).expect_err("one entry");
    assert!(matches!(worlds.reset_worlds(&[false; 2], None), Err(EnvError::EmptyMask)));
}

#[test]
fn a_description_that_contradicts_itself_is_refused() {
    let none: Result<EnvBatch<f64>, _> = EnvBatch::new(Environment::Hopper, 0, 0, None);
    assert!(matches!(none, Err(EnvError::NoWorlds)));
    let refused = |change: fn(&mut gradbody_env::Description)| {
        let mut of = Environment::Hopper.describe();
        change(&mut of);
        EnvBatch::<f64>::with_description(of, 1, 0, Some(1)).expect_err("refused").to_string()
    };
    let said = refused(|of| of.start.q.truncate(2));
    assert_eq!(said, "environment Hopper: start.q has 2 entries, but the model needs 6");
    refused(|of| of.frame_skip = 0);
    refused(|of| of.options.dt = f64::NAN);
    refused(|of| of.start.q[1] = f64::NAN);
    refused(|of| of.actions.scale[0] = 0.0);
    refused(|of| of.reward.push(of.reward[0].clone()));
    refused(|of| of.observation = vec![gradbody_env::Observed::CosSin { count: 99 }]);
    refused(|of| of.model.params.links[3].mass = -1.0);
}

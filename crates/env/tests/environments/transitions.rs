//! Single steps from given states: beside steps of episodes, and their derivatives beside central differences.

use gradbody_contact::{Ncp, Solver};
use gradbody_env::{ActionChanges, ActionSlopes, Description, EnvBatch, Environment, Transitions};
use gradbody_math::random::Random;

use crate::support::action;

const WORLDS: usize = 3;
/// Step of the central differences, in units of an action.
const STEP: f64 = 1e-5;
/// Allows for third derivatives times the square of the step, and for rounding divided by it.
const FD_CENTRAL: f64 = 1e-6;

/// States some steps into episodes, and actions there.
fn states(of: &Description, steps: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut worlds: EnvBatch<f64> =
        EnvBatch::with_description(of.clone(), WORLDS, 4, Some(1)).expect("a batch");
    let of_step = |step: usize| -> Vec<f64> {
        (0..WORLDS).flat_map(|world| action(of, world, step)).map(|x| 0.4 * x).collect()
    };
    for step in 0..steps {
        worlds.step(&of_step(step)).expect("a step");
    }
    let (q, v) = worlds.states();
    (q, v, of_step(100))
}

/// With contacts solved to the last digit, so that a differential of a step is that of its numbers.
fn described(environment: Environment) -> Description {
    let mut of = environment.describe();
    of.options.contact.solver = Solver::Ncp(Ncp::converged());
    of
}

/// A step from given states is that of an episode, to the last bit in worlds that are placed alike.
#[test]
fn a_step_from_given_states_is_a_step_of_the_environment() {
    for environment in [Environment::Hopper, Environment::Ant, Environment::Humanoid] {
        let of = environment.describe();
        let (q, v, actions) = states(&of, 3);
        let mut worlds: EnvBatch<f64> =
            EnvBatch::with_description(of.clone(), WORLDS, 0, Some(1)).expect("a batch");
        worlds.set_states(&q, &v).expect("states");
        let stepped = worlds.step(&actions).expect("a step");
        let mut single = Transitions::<f64>::new(of.clone(), WORLDS).expect("worlds");
        let found = single.forward(&q, &v, &actions).expect("a step");
        assert_eq!(found.observations, stepped.observations, "{}", of.name);
        assert_eq!(found.rewards, stepped.rewards, "{}", of.name);
        assert_eq!(found.terminated, stepped.terminated, "{}", of.name);
        assert_eq!(found.failed, [false; WORLDS]);
    }
}

/// Slopes of rewards and observations in a direction of the actions: by differences, by the adjoint, by dual numbers.
#[test]
fn derivatives_by_adjoint_and_by_dual_numbers_agree_with_differences() {
    let environments =
        [Environment::HalfCheetah, Environment::Ant, Environment::Swimmer, Environment::Reacher];
    for environment in environments {
        let of = described(environment);
        let (q, v, actions) = states(&of, 8);
        let (n, m) = (of.n_observations(), of.n_actions());
        let mut random = Random::new(2);
        let direction = random.numbers(actions.len());
        let rewards_bar = random.numbers(WORLDS);
        let observations_bar = random.numbers(WORLDS * n);
        let mut single = Transitions::<f64>::new(of.clone(), WORLDS).expect("worlds");
        let mut moved = |d: f64| {
            let along: Vec<f64> =
                actions.iter().zip(&direction).map(|(a, by)| by.mul_add(d, *a)).collect();
            let found = single.forward(&q, &v, &along).expect("a step").clone();
            assert_eq!(found.failed, [false; WORLDS]);
            found
        };
        let (plus, minus) = (moved(STEP), moved(-STEP));
        moved(0.0);
        let by_action = single.backward(&rewards_bar, &observations_bar).expect("a gradient");
        let at =
            ActionChanges { q: &q, v: &v, actions: &actions, directions: &direction, count: 1 };
        let slopes = ActionSlopes::find(&of, at).expect("slopes");
        for world in 0..WORLDS {
            let name = format!("{}, world {world}", of.name);
            let rows = world * n..(world + 1) * n;
            let mut expected = rewards_bar[world] * slopes.rewards[world];
            let mut size = expected.abs();
            let difference = (plus.rewards[world] - minus.rewards[world]) / (2.0 * STEP);
            let near = FD_CENTRAL * slopes.rewards[world].abs().max(1.0);
            assert!((difference - slopes.rewards[world]).abs() < near, "{name}: reward");
            for k in rows {
                let slope = slopes.observations[k];
                let difference = (plus.observations[k] - minus.observations[k]) / (2.0 * STEP);
                let near = FD_CENTRAL * slope.abs().max(1.0) * 10.0;
                assert!((difference - slope).abs() < near, "{name}: {k}: {difference} {slope}");
                expected += observations_bar[k] * slope;
                size += (observations_bar[k] * slope).abs();
            }
            let row = world * m..(world + 1) * m;
            let found: f64 = by_action.actions[row.clone()]
                .iter()
                .zip(&direction[row])
                .map(|(a, b)| a * b)
                .sum();
            assert!((found - expected).abs() < 1e-8 * size.max(1.0), "{name}: {found} {expected}");
        }
    }
}

/// The number of threads changes no bit.
#[test]
fn slopes_have_the_same_bits_on_any_number_of_threads() {
    let of = Environment::Hopper.describe();
    let mut worlds: EnvBatch<f64> =
        EnvBatch::with_description(of.clone(), 20, 1, Some(1)).expect("a batch");
    worlds.reset(Some(3));
    let (q, v) = worlds.states();
    let actions = Random::new(5).numbers(20 * of.n_actions());
    let directions = Random::new(6).numbers(20 * 2 * of.n_actions());
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let at =
            ActionChanges { q: &q, v: &v, actions: &actions, directions: &directions, count: 2 };
        pool.install(|| ActionSlopes::find(&of, at).expect("slopes"))
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn wrong_sizes_and_numbers_that_are_not_finite_are_refused() {
    let of = Environment::Reacher.describe();
    let mut single = Transitions::<f64>::new(of.clone(), 2).expect("worlds");
    let (q, v) = (vec![0.0; 2 * of.model.nq()], vec![0.0; 2 * of.model.nv()]);
    assert!(single.forward(&q, &v, &[0.0; 3]).is_err());
    assert!(single.forward(&q[1..], &v, &[0.0; 4]).is_err());
    assert!(single.forward(&q, &v, &[0.0, 0.0, f64::NAN, 0.0]).is_err());
    single.forward(&q, &v, &[0.0; 4]).expect("a step");
    assert!(single.backward(&[1.0; 2], &[0.0; 3]).is_err());
    assert!(Transitions::<f64>::new(of, 0).is_err());
}

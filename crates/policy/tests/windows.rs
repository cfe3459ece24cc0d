//! Windows with an actor in the loop: their gradients, and their rewards and ends, which are those of single steps.

use gradbody_env::{Autoreset, Delay, Description, EnvBatch, Environment, NoValue, Window};
use gradbody_math::random::Random;
use gradbody_neural::Activation;
use gradbody_policy::{
    Actor, ActorInWindow, Critic, CriticInWindow, DenseRows, Gathered, Head, Spread,
};

const WORLDS: usize = 3;
const HORIZON: usize = 4;

/// An actor whose actions are well inside their range.
fn actor(of: &Description) -> Actor {
    let head = Head { spread: Spread::Shared(vec![-1.5; of.n_actions()]), squashed: true };
    let mut actor = Actor::new(of, &[8], Activation::Tanh, head, 5).unwrap();
    actor.weights.iter_mut().for_each(|weight| *weight *= 3.0);
    let n = of.n_observations();
    let shift = (0..n).map(|k| 0.05 * k as f32).collect();
    actor.normaliser = gradbody_policy::Normaliser::fixed(shift, vec![0.7; n]);
    actor
}

fn critic(of: &Description) -> Critic {
    let adam = Default::default();
    Critic::new(of.n_observations(), &[8], Activation::Tanh, 10.0, adam, 7).unwrap()
}

fn run(of: &Description, actor: &Actor, critic: &Critic, noise: &[f32]) -> (Window, Gathered) {
    let mut worlds: EnvBatch<f64> =
        EnvBatch::with_description(of.clone(), WORLDS, 3, Some(1)).unwrap();
    let acting = ActorInWindow::new(actor, noise, HORIZON);
    let value = CriticInWindow {
        network: &critic.network,
        weights: &critic.weights,
        normaliser: &actor.normaliser,
        scale: critic.scale,
    };
    let window = worlds.window(&&acting, &value, HORIZON, 0.97).unwrap();
    (window, acting.gather())
}

fn noise(of: &Description) -> Vec<f32> {
    let mut random = Random::new(11);
    (0..WORLDS * HORIZON * of.n_actions()).map(|_| random.normal() as f32).collect()
}

/// The gradient with respect to weights and spread, through policy, simulation, rewards and the critic at the end, is
/// that of central differences.
#[test]
fn gradients_agree_with_differences() {
    let mut late = Environment::LaikagoCommands.describe();
    late.delay = Delay { least: 1, most: 2 };
    let others =
        [Environment::HalfCheetah, Environment::Reacher, Environment::AntWithoutContactForces];
    for of in others.into_iter().map(Environment::describe).chain([late]) {
        let (actor, critic, noise) = (actor(&of), critic(&of), noise(&of));
        let (_, mut gathered) = run(&of, &actor, &critic, &noise);
        let observations: Vec<f64> = gathered.observations.iter().map(|x| f64::from(*x)).collect();
        actor.normaliser.normalise(&observations, &mut gathered.observations);
        let mut rows = DenseRows::new(&actor.network, "actor").unwrap();
        let (weights_bar, logarithms_bar) = gathered.gradient(&actor, &mut rows, &noise);
        let total =
            |actor: &Actor| -> f64 { run(&of, actor, &critic, &noise).0.returns.iter().sum() };
        // A power of two, so that changed weights are exact.
        const STEP: f32 = 1.0 / 4096.0;
        let mut random = Random::new(1);
        for _ in 0..3 {
            let direction: Vec<f32> =
                actor.weights.iter().map(|_| random.signed() as f32).collect();
            let moved = |by: f32| {
                let mut moved = actor.clone();
                for (weight, d) in moved.weights.iter_mut().zip(&direction) {
                    *weight += by * d;
                }
                moved
            };
            let (up, down) = (moved(STEP), moved(-STEP));
            let found = (total(&up) - total(&down)) / f64::from(2.0 * STEP);
            // What was really changed, after rounding.
            let changed = up.weights.iter().zip(&down.weights).map(|(up, down)| up - down);
            let expected: f64 = changed
                .zip(&weights_bar)
                .map(|(d, bar)| f64::from(d) / f64::from(2.0 * STEP) * f64::from(*bar))
                .sum();
            assert!(
                (found - expected).abs() < 2e-3 * (1.0 + expected.abs()),
                "{}: {found} {expected}",
                of.name
            );
        }
        let with_spread = |by: f32| {
            let logarithms = vec![-1.5 + by; of.n_actions()];
            Actor {
                head: Head { spread: Spread::Shared(logarithms), squashed: true },
                ..actor.clone()
            }
        };
        let found =
            (total(&with_spread(STEP)) - total(&with_spread(-STEP))) / f64::from(2.0 * STEP);
        let expected: f64 = logarithms_bar.iter().map(|x| f64::from(*x)).sum();
        assert!((found - expected).abs() < 2e-3 * (1.0 + expected.abs()), "{found} {expected}");
    }
}

/// Rewards, ends of episodes and what comes after them are those of `EnvBatch::step`.
#[test]
fn windows_are_many_steps() {
    // Episodes that end soon: in an unhealthy state, or by the time limit.
    for (environment, time_limit) in [(Environment::Hopper, 1000), (Environment::Walker2d, 5)] {
        let mut of = environment.describe();
        of.time_limit = time_limit;
        let (worlds, horizon) = (6, 120);
        let mut actor = actor(&of);
        actor.weights.iter_mut().for_each(|weight| *weight *= 4.0);
        let none = vec![0.0; worlds * horizon * of.n_actions()];
        let acting = ActorInWindow::new(&actor, &none, horizon);
        let mut together: EnvBatch<f64> =
            EnvBatch::with_description(of.clone(), worlds, 3, Some(1)).unwrap();
        let mut single: EnvBatch<f64> = EnvBatch::with_description(of.clone(), worlds, 3, Some(1))
            .unwrap()
            .with_autoreset(Autoreset::NextStep);
        let window = together.window(&&acting, &NoValue, horizon, 1.0).unwrap();
        let mut rows = DenseRows::new(&actor.network, "actor").unwrap();
        let (mut ended, mut ends) = (vec![false; worlds], 0);
        let mut actions = Vec::new();
        for step in 0..horizon {
            actor.act(&mut rows, &single.outcome().observations, &mut actions);
            let out = single.step(&actions).unwrap();
            for world in 0..worlds {
                if ended[world] {
                    continue;
                }
                let (one, all) = (out.rewards[world], window.rewards[world * horizon + step]);
                // Actions are computed in single precision on one side.
                assert!((one - all).abs() < 1e-3 * (1.0 + one.abs()), "{step}: {one} {all}");
                ended[world] = out.terminated[world] || out.truncated[world];
                if ended[world] {
                    ends += 1;
                    assert_eq!(window.lengths[world], step + 1);
                    assert_eq!(window.terminated[world], out.terminated[world]);
                    assert_eq!(window.truncated[world], out.truncated[world]);
                    let n = of.n_observations();
                    let of_world = world * n..(world + 1) * n;
                    for (one, all) in out.observations[of_world.clone()]
                        .iter()
                        .zip(&window.end_observations[of_world])
                    {
                        assert!((one - all).abs() < 1e-2 * (1.0 + one.abs()), "{one} {all}");
                    }
                }
            }
        }
        assert!(ends >= 3, "only {ends} episodes ended");
        assert_eq!(window.episodes.len(), ends);
        for world in (0..worlds).filter(|world| !ended[*world]) {
            assert_eq!(window.lengths[world], horizon);
        }
    }
}

//! More samples from one, by first-order expansion in the action.
//!
//! ```text
//!   aₖ = a₀ + Δaₖ,   s′ₖ = s′₀ + (∂s′/∂a) Δaₖ,   rₖ = r₀ + (∂r/∂a) Δaₖ
//! ```
//! s′ is what is observed. The derivatives are those of the true step, by dual numbers along the Δaₖ, or along the numbers
//! of the action if these are fewer.

use gradbody_env::{ActionChanges, ActionSlopes, Description};
use gradbody_math::random::Random;

use super::SampleEnhancement;
use super::replay::{Minibatch, Sample, Widths};
use crate::{Actor, TrainError};

/// Adds samples with slightly different actions.
#[derive(Debug)]
pub(crate) struct Expansion {
    options: SampleEnhancement,
    random: Random,
}

impl Expansion {
    pub(crate) fn new(options: SampleEnhancement, seed: u64) -> Self {
        Expansion { options, random: Random::new(seed) }
    }

    /// Goes on with other random numbers.
    pub(crate) fn set_random(&mut self, random: Random) {
        self.random = random;
    }

    /// The state of its random numbers.
    pub(crate) fn random_state(&self) -> [u64; 4] {
        self.random.state()
    }

    /// Appends the samples that follow from true ones, whose states before the action must be there. Those that diverged
    /// have none.
    pub(crate) fn expand(
        &mut self,
        of: &Description,
        actor: &Actor,
        from: &Minibatch,
        to: &mut Minibatch,
    ) -> Result<(), TrainError> {
        let SampleEnhancement { samples: count, change } = self.options;
        let Widths { observation: n, action: m, .. } = from.widths;
        // Δa in ±1, cut off where the action would leave its range, (rows, count, actions).
        let mut changes = Vec::with_capacity(from.len() * count * m);
        for row in 0..from.len() {
            for _ in 0..count {
                for a in from.sample(row).action {
                    let drawn = f64::from(*a) + change * self.random.signed();
                    changes.push(drawn.clamp(-1.0, 1.0) - f64::from(*a));
                }
            }
        }
        let by_axes = m < count;
        let directions = if by_axes { m } else { count };
        let half = |k: usize| f64::from(actor.half_range(k));
        let along: Vec<f64> = match by_axes {
            true => (0..from.len() * m * m)
                .map(|k| if (k / m) % m == k % m { half(k % m) } else { 0.0 })
                .collect(),
            false => changes.iter().enumerate().map(|(k, x)| x * half(k % m)).collect(),
        };
        let in_range = from.actions.iter().enumerate();
        let actions: Vec<f64> =
            in_range.map(|(k, a)| f64::from(actor.to_range(k % m, *a))).collect();
        let at = ActionChanges {
            q: &from.q,
            v: &from.v,
            actions: &actions,
            directions: &along,
            count: directions,
        };
        let slopes = ActionSlopes::find(of, at)?;
        for row in (0..from.len()).filter(|row| !slopes.failed[*row]) {
            let base = from.sample(row);
            for k in 0..count {
                let changes = &changes[(row * count + k) * m..(row * count + k + 1) * m];
                // How much of each direction.
                let weight = |direction: usize| match by_axes {
                    true => changes[direction],
                    false => f64::from(u8::from(direction == k)),
                };
                let mut next: Vec<f64> =
                    base.next_observation.iter().map(|x| f64::from(*x)).collect();
                let mut reward = f64::from(base.reward);
                for direction in 0..directions {
                    let (weight, place) = (weight(direction), row * directions + direction);
                    if weight == 0.0 {
                        continue;
                    }
                    reward += weight * slopes.rewards[place];
                    let slope = &slopes.observations[place * n..(place + 1) * n];
                    next.iter_mut().zip(slope).for_each(|(x, slope)| *x += weight * slope);
                }
                let next: Vec<f32> = next.into_iter().map(|x| x as f32).collect();
                if !(reward as f32).is_finite() || next.iter().any(|x| !x.is_finite()) {
                    continue;
                }
                let action = base.action.iter().zip(changes);
                let action: Vec<f32> = action.map(|(a, x)| (f64::from(*a) + x) as f32).collect();
                to.push(&Sample {
                    action: &action,
                    reward: reward as f32,
                    next_observation: &next,
                    ..base
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use gradbody_env::{EnvBatch, Environment, Transitions};

    use super::*;

    const ROWS: usize = 6;

    /// True samples of Swimmer, in whose fluid a step is not linear, and what simulating them takes.
    fn true_samples(of: &Description) -> Minibatch {
        let (n, m) = (of.n_observations(), of.n_actions());
        let mut worlds: EnvBatch<f64> =
            EnvBatch::with_description(of.clone(), ROWS, 1, Some(1)).unwrap();
        let mut random = Random::new(2);
        for _ in 0..10 {
            worlds.step(&random.numbers(ROWS * m)).unwrap();
        }
        let single = |x: &[f64]| x.iter().map(|x| *x as f32).collect::<Vec<f32>>();
        let before = single(&worlds.outcome().observations);
        let (q, v) = worlds.states();
        let actions: Vec<f64> = random.numbers(ROWS * m).iter().map(|x| 0.5 * x).collect();
        let actions = single(&actions);
        let given: Vec<f64> = actions.iter().map(|x| f64::from(*x)).collect();
        let outcome = worlds.step(&given).unwrap();
        let (nq, nv) = (of.model.nq(), of.model.nv());
        let mut samples = Minibatch::new(Widths { observation: n, action: m, q: nq, v: nv });
        for row in 0..ROWS {
            samples.push(&Sample {
                observation: &before[row * n..(row + 1) * n],
                action: &actions[row * m..(row + 1) * m],
                reward: outcome.rewards[row] as f32,
                next_observation: &single(&outcome.observations[row * n..(row + 1) * n]),
                terminated: false,
                q: &q[row * nq..(row + 1) * nq],
                v: &v[row * nv..(row + 1) * nv],
            });
        }
        samples
    }

    /// Largest errors of observations and rewards of expanded samples against simulated ones.
    fn errors(of: &Description, actor: &Actor, count: usize, change: f64) -> (f64, f64) {
        let from = true_samples(of);
        let mut more = Minibatch::new(from.widths);
        let options = SampleEnhancement { samples: count, change };
        Expansion::new(options, 7).expand(of, actor, &from, &mut more).unwrap();
        assert_eq!(more.len(), ROWS * count);
        let mut simulated = Transitions::<f64>::new(of.clone(), more.len()).unwrap();
        let actions: Vec<f64> = more.actions.iter().map(|a| f64::from(*a)).collect();
        let found = simulated.forward(&more.q, &more.v, &actions).unwrap();
        let pairs = more.next_observations.iter().zip(&found.observations);
        let observations = pairs.map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
        let pairs = more.rewards.iter().zip(&found.rewards);
        let rewards = pairs.map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
        (observations, rewards)
    }

    /// Half the change leaves a quarter of the error: what is missing is of second order. Both with directions along the
    /// changes (one of them) and along the two numbers of the action (five).
    #[test]
    fn errors_of_expanded_samples_are_of_second_order() {
        let of = Environment::Swimmer.describe();
        let options = crate::SacOptions { hidden: vec![8], ..Default::default() };
        let agent = super::super::Agent::new(&of, &options).unwrap();
        for count in [1, 5] {
            let (wide, narrow) =
                (errors(&of, &agent.actor, count, 0.4), errors(&of, &agent.actor, count, 0.2));
            let ratios = [wide.0 / narrow.0, wide.1 / narrow.1];
            for ratio in ratios {
                assert!((3.2..4.8).contains(&ratio), "{count} samples: {wide:?} {narrow:?}");
            }
        }
    }

    /// Actions stay in their range, and the expansion is about what they are then.
    #[test]
    fn expanded_actions_stay_in_their_range() {
        let of = Environment::Swimmer.describe();
        let options = crate::SacOptions { hidden: vec![8], ..Default::default() };
        let agent = super::super::Agent::new(&of, &options).unwrap();
        let mut from = true_samples(&of);
        from.actions.iter_mut().for_each(|a| *a = a.signum());
        let mut more = Minibatch::new(from.widths);
        let options = SampleEnhancement { samples: 4, change: 0.3 };
        Expansion::new(options, 7).expand(&of, &agent.actor, &from, &mut more).unwrap();
        assert!(more.actions.iter().all(|a| a.abs() <= 1.0));
        let kept = more.actions.iter().filter(|a| a.abs() == 1.0).count();
        assert!((5..40).contains(&kept), "{kept}");
    }
}

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

//! Advantages: how much better an action was than the average of the policy [Schulman et al. 2016].
//!
//! ```text
//!   δₜ = rₜ + γ V(s′ₜ) − V(sₜ),   Aₜ = δₜ + γ λ Aₜ₊₁
//! ```
//! V(s′) is zero after a termination: there is no more to come. At a time limit there is: V is then that of the last
//! observation of the episode, not of the next start. In both cases the sum ends there.

/// What advantages are made of, step by step of all worlds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course<'a> {
    /// Number of worlds.
    pub(crate) worlds: usize,
    /// (steps, worlds).
    pub(crate) rewards: &'a [f32],
    /// V of each observation, (steps, worlds).
    pub(crate) values: &'a [f32],
    /// V of what followed: of the last observation of the episode where it was truncated, 0 where it terminated, (steps,
    /// worlds).
    pub(crate) next_values: &'a [f32],
    /// Whether the episode ended in this step, (steps, worlds).
    pub(crate) ended: &'a [bool],
}

/// Writes the advantages, (steps, worlds).
pub(crate) fn advantages(of: &Course<'_>, discount: f32, lambda: f32, to: &mut [f32]) {
    let Course { worlds, rewards, values, next_values, ended } = *of;
    for k in (0..to.len()).rev() {
        let later = if ended[k] { 0.0 } else { to.get(k + worlds).copied().unwrap_or(0.0) };
        let surprise = rewards[k] + discount * next_values[k] - values[k];
        to[k] = surprise + discount * lambda * later;
    }
}

#[cfg(test)]
mod tests {
    use gradbody_math::random::Random;

    use super::*;

    /// The recursion against the sum Σ (γλ)ⁱ δₜ₊ᵢ up to the end of the episode, written out.
    #[test]
    fn advantages_are_the_sum_of_discounted_surprises() {
        let (worlds, steps, discount, lambda) = (3, 12, 0.97_f32, 0.9_f32);
        let mut random = Random::new(4);
        let mut draw = || -> Vec<f32> {
            random.numbers(worlds * steps).into_iter().map(|x| x as f32).collect()
        };
        let (rewards, values, next_values) = (draw(), draw(), draw());
        let ended: Vec<bool> = draw().iter().map(|x| *x > 0.6).collect();
        assert!(ended.contains(&true));
        let course = Course {
            worlds,
            rewards: &rewards,
            values: &values,
            next_values: &next_values,
            ended: &ended,
        };
        let mut found = vec![0.0; worlds * steps];
        advantages(&course, discount, lambda, &mut found);
        for world in 0..worlds {
            for step in 0..steps {
                let (mut sum, mut weight) = (0.0, 1.0);
                for later in step..steps {
                    let k = later * worlds + world;
                    sum += weight * (rewards[k] + discount * next_values[k] - values[k]);
                    weight *= discount * lambda;
                    if ended[k] {
                        break;
                    }
                }
                let of = found[step * worlds + world];
                assert!((of - sum).abs() < 1e-5, "world {world}, step {step}: {of} {sum}");
            }
        }
    }
}

//! Samples that are remembered, and drawn from again and again.

use gradbody_math::random::Random;

use crate::{Snapshot, SnapshotError};

/// A sample: what was seen, done and got.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'a> {
    pub(crate) observation: &'a [f32],
    /// In ±1.
    pub(crate) action: &'a [f32],
    pub(crate) reward: f32,
    /// What was seen next: at a time limit the last observation of the episode.
    pub(crate) next_observation: &'a [f32],
    /// Whether nothing can follow.
    pub(crate) terminated: bool,
    /// The configuration before the action; empty if states are not kept.
    pub(crate) q: &'a [f64],
    pub(crate) v: &'a [f64],
}

/// How many numbers the parts of a sample have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Widths {
    pub(crate) observation: usize,
    pub(crate) action: usize,
    /// 0 if states are not kept.
    pub(crate) q: usize,
    pub(crate) v: usize,
}

/// Samples that are remembered. Room is made as they come.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    capacity: usize,
    /// Where the next sample goes, once all places are taken.
    next: usize,
    all: Minibatch,
}

/// Samples side by side: row k of each part belongs to sample k.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Minibatch {
    pub(crate) widths: Widths,
    pub(crate) observations: Vec<f32>,
    pub(crate) actions: Vec<f32>,
    pub(crate) rewards: Vec<f32>,
    pub(crate) next_observations: Vec<f32>,
    /// 1 where nothing can follow, else 0.
    pub(crate) terminated: Vec<f32>,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
}

impl Minibatch {
    pub(crate) fn new(widths: Widths) -> Self {
        Minibatch { widths, ..Default::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.rewards.len()
    }

    pub(crate) fn clear(&mut self) {
        let Minibatch {
            observations, actions, rewards, next_observations, terminated, q, v, ..
        } = self;
        for part in [observations, actions, rewards, next_observations, terminated] {
            part.clear();
        }
        q.clear();
        v.clear();
    }

    pub(crate) fn sample(&self, k: usize) -> Sample<'_> {
        let Widths { observation, action, q, v } = self.widths;
        Sample {
            observation: row(&self.observations, k, observation),
            action: row(&self.actions, k, action),
            reward: self.rewards[k],
            next_observation: row(&self.next_observations, k, observation),
            terminated: self.terminated[k] != 0.0,
            q: row(&self.q, k, q),
            v: row(&self.v, k, v),
        }
    }

    pub(crate) fn push(&mut self, sample: &Sample<'_>) {
        let Widths { q, v, .. } = self.widths;
        self.observations.extend_from_slice(sample.observation);
        self.actions.extend_from_slice(sample.action);
        self.rewards.push(sample.reward);
        self.next_observations.extend_from_slice(sample.next_observation);
        self.terminated.push(f32::from(u8::from(sample.terminated)));
        self.q.extend_from_slice(&sample.q[..q]);
        self.v.extend_from_slice(&sample.v[..v]);
    }

    fn replace(&mut self, k: usize, sample: &Sample<'_>) {
        let Widths { observation, action, q, v } = self.widths;
        let place = |width: usize| k * width..(k + 1) * width;
        self.observations[place(observation)].copy_from_slice(sample.observation);
        self.actions[place(action)].copy_from_slice(sample.action);
        self.rewards[k] = sample.reward;
        self.next_observations[place(observation)].copy_from_slice(sample.next_observation);
        self.terminated[k] = f32::from(u8::from(sample.terminated));
        self.q[place(q)].copy_from_slice(&sample.q[..q]);
        self.v[place(v)].copy_from_slice(&sample.v[..v]);
    }
}

fn row<T>(numbers: &[T], k: usize, width: usize) -> &[T] {
    &numbers[k * width..(k + 1) * width]
}

impl Replay {
    pub(crate) fn new(capacity: usize, widths: Widths) -> Self {
        Replay { capacity, next: 0, all: Minibatch::new(widths) }
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// All samples, in no particular order.
    pub(crate) fn all(&self) -> &Minibatch {
        &self.all
    }

    /// Remembers a sample, in place of the oldest if all places are taken.
    pub(crate) fn push(&mut self, sample: &Sample<'_>) {
        if self.len() < self.capacity {
            self.all.push(sample);
        } else {
            self.all.replace(self.next, sample);
            self.next = (self.next + 1) % self.capacity;
        }
    }

    /// Appends so many samples, drawn with replacement, to a minibatch of the same widths or of widths without states.
    pub(crate) fn draw(&self, rows: usize, random: &mut Random, to: &mut Minibatch) {
        for _ in 0..rows {
            to.push(&self.all.sample(random.below(self.len())));
        }
    }

    pub(crate) fn save(&self, name: &str, to: &mut Snapshot) {
        let all = &self.all;
        to.put(&format!("{name}/next"), vec![self.next as u64]);
        to.put(&format!("{name}/observations"), all.observations.clone());
        to.put(&format!("{name}/actions"), all.actions.clone());
        to.put(&format!("{name}/rewards"), all.rewards.clone());
        to.put(&format!("{name}/next-observations"), all.next_observations.clone());
        to.put(&format!("{name}/terminated"), all.terminated.clone());
        to.put(&format!("{name}/q"), all.q.clone());
        to.put(&format!("{name}/v"), all.v.clone());
    }

    pub(crate) fn restore(&mut self, name: &str, from: &Snapshot) -> Result<(), SnapshotError> {
        let single = |part: &str| from.numbers::<f32>(&format!("{name}/{part}"));
        let double = |part: &str| from.numbers::<f64>(&format!("{name}/{part}"));
        let next: u64 = from.number(&format!("{name}/next"))?;
        let rows = single("rewards")?.len();
        let Widths { observation, action, q, v } = self.all.widths;
        let refuse =
            |part: &str, why: String| Err(SnapshotError { name: format!("{name}/{part}"), why });
        if rows > self.capacity || next as usize >= self.capacity {
            return refuse("rewards", format!("has {rows} samples of at most {}", self.capacity));
        }
        let sizes = [
            ("observations", single("observations")?.len(), observation),
            ("actions", single("actions")?.len(), action),
            ("next-observations", single("next-observations")?.len(), observation),
            ("terminated", single("terminated")?.len(), 1),
            ("q", double("q")?.len(), q),
            ("v", double("v")?.len(), v),
        ];
        for (part, given, width) in sizes {
            if given != rows * width {
                return refuse(part, format!("has {given} numbers, not {}", rows * width));
            }
        }
        self.next = next as usize;
        self.all = Minibatch {
            widths: self.all.widths,
            observations: single("observations")?.to_vec(),
            actions: single("actions")?.to_vec(),
            rewards: single("rewards")?.to_vec(),
            next_observations: single("next-observations")?.to_vec(),
            terminated: single("terminated")?.to_vec(),
            q: double("q")?.to_vec(),
            v: double("v")?.to_vec(),
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(replay: &mut Replay, k: u32) {
        let x = k as f32;
        replay.push(&Sample {
            observation: &[x, -x],
            action: &[0.1 * x],
            reward: x,
            next_observation: &[x + 1.0, -x - 1.0],
            terminated: k.is_multiple_of(3),
            q: &[f64::from(k)],
            v: &[2.0 * f64::from(k)],
        });
    }

    #[test]
    fn the_newest_samples_are_kept_whole() {
        let widths = Widths { observation: 2, action: 1, q: 1, v: 1 };
        let mut replay = Replay::new(5, widths);
        (0..12).for_each(|k| push(&mut replay, k));
        let mut rewards = replay.all().rewards.clone();
        rewards.sort_by(f32::total_cmp);
        assert_eq!(rewards, [7.0, 8.0, 9.0, 10.0, 11.0]);
        let mut drawn = Minibatch::new(widths);
        replay.draw(200, &mut Random::new(1), &mut drawn);
        let mut seen = [false; 12];
        for k in 0..200 {
            let sample = drawn.sample(k);
            let x = sample.reward;
            seen[x as usize] = true;
            assert_eq!(sample.observation, [x, -x]);
            assert_eq!(sample.next_observation, [x + 1.0, -x - 1.0]);
            assert_eq!(sample.action, [0.1 * x]);
            assert_eq!((sample.q, sample.v), (&[f64::from(x)][..], &[2.0 * f64::from(x)][..]));
            assert_eq!(sample.terminated, (x as u32).is_multiple_of(3));
        }
        assert_eq!(seen.iter().filter(|seen| **seen).count(), 5);

        let mut stored = Snapshot::default();
        replay.save("replay", &mut stored);
        let mut other = Replay::new(5, widths);
        other.restore("replay", &stored).unwrap();
        push(&mut replay, 12);
        push(&mut other, 12);
        assert_eq!(replay.all(), other.all());
        assert!(Replay::new(4, widths).restore("replay", &stored).is_err());
        let without = Widths { q: 0, v: 0, ..widths };
        let refused = Replay::new(5, without).restore("replay", &stored).unwrap_err();
        assert_eq!(refused.name, "replay/q");
    }
}

//! The recordings: swimmers in four media, simulated by MuJoCo (`experiments/swimmer/make_trajectories.py`).

use std::f64::consts::TAU;

use anyhow::{Context as _, bail};
use gradbody::model::Model;
use gradbody::sim::{Input, State};

use super::DT;
use super::files::{MOTIONS, file};

/// The medium of a swimmer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Medium {
    /// Its name in file names.
    pub(super) key: &'static str,
    pub(super) title: &'static str,
}

pub(super) const MEDIA: [Medium; 4] = [
    Medium { key: "vacuum", title: "vacuum" },
    Medium { key: "water5", title: "water, 5 °C" },
    Medium { key: "water25", title: "water, 25 °C" },
    Medium { key: "air25", title: "air, 25 °C" },
];

impl Medium {
    pub(super) fn is_vacuum(self) -> bool {
        self == MEDIA[0]
    }
}

/// A chain of links with a motor at each hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Swimmer {
    /// Name of its built-in model.
    pub(super) key: &'static str,
    pub(super) title: &'static str,
    pub(super) hinges: usize,
}

pub(super) const SWIMMERS: [Swimmer; 2] = [
    Swimmer { key: "swimmer2", title: "two links", hinges: 1 },
    Swimmer { key: "swimmer6", title: "six links", hinges: 5 },
];

/// A motion from a start, with known torques.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    pub(super) start: State<f64>,
    /// Three sines for each hinge: amplitude [N m], frequency [Hz], phase [rad].
    sines: Vec<Vec<[f64; 3]>>,
    /// The recorded steps, and the positions after them.
    pub(super) steps: Vec<usize>,
    pub(super) positions: Vec<Vec<f64>>,
    /// The velocities after them; empty for test motions.
    pub(super) velocities: Vec<Vec<f64>>,
}

/// A swimmer in a medium.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    pub(super) swimmer: Swimmer,
    pub(super) medium: Medium,
    /// Training motions, with every step recorded.
    pub(super) train: Vec<Motion>,
    /// Test motions.
    pub(super) test: Vec<Motion>,
}

impl Motion {
    /// The torque of each hinge [N m] in a step.
    pub(super) fn torques(&self, step: usize) -> Vec<f64> {
        let sine = |[amplitude, frequency, phase]: &[f64; 3]| {
            amplitude * (TAU * frequency * step as f64 * DT + phase).sin()
        };
        self.sines.iter().map(|sines| sines.iter().map(sine).sum()).collect()
    }

    /// The inputs of the first `count` steps.
    pub(super) fn inputs(&self, model: &Model<f64>, count: usize) -> Vec<Input<f64>> {
        let input = |step: usize| {
            let mut input = Input::none(model);
            for (tau, torque) in input.tau[3..].iter_mut().zip(self.torques(step)) {
                *tau = torque;
            }
            input
        };
        (0..count).map(input).collect()
    }

    /// The motion mirrored at the x axis, which is also valid because swimmers are symmetric.
    pub(super) fn mirrored(&self) -> Motion {
        let mirror = |row: &mut Vec<f64>| row.iter_mut().skip(1).for_each(|x| *x = -*x);
        let mut seen = self.clone();
        mirror(&mut seen.start.q);
        mirror(&mut seen.start.v);
        seen.positions.iter_mut().chain(&mut seen.velocities).for_each(mirror);
        seen.sines.iter_mut().flatten().for_each(|[amplitude, ..]| *amplitude = -*amplitude);
        seen
    }

    /// The states of a training motion: the start, then the state after each step.
    pub(super) fn states(&self) -> Vec<State<f64>> {
        let after = self.positions.iter().zip(&self.velocities).map(|(q, v)| {
            let mut state = self.start.clone();
            state.q.clone_from(q);
            state.v.clone_from(v);
            state
        });
        [self.start.clone()].into_iter().chain(after).collect()
    }
}

/// Motions of a swimmer in a medium.
pub(super) fn read(
    swimmer: Swimmer,
    medium: Medium,
    model: &Model<f64>,
) -> anyhow::Result<Recorded> {
    let set = |set: &str| -> anyhow::Result<Vec<Motion>> {
        let name = format!("{}-{}-{set}.csv", swimmer.key, medium.key);
        let mut motions = starts(swimmer, set, model).context("motions.csv")?;
        let text = file(&name).with_context(|| format!("no file {name}"))?;
        follow(text, set == "train", &mut motions).with_context(|| name)?;
        Ok(motions)
    };
    Ok(Recorded { swimmer, medium, train: set("train")?, test: set("test")? })
}

/// Starts and torques, the same in every medium.
fn starts(swimmer: Swimmer, set: &str, model: &Model<f64>) -> anyhow::Result<Vec<Motion>> {
    let mut motions: Vec<Motion> = Vec::new();
    for line in MOTIONS.lines().skip(1) {
        let [of, in_set, _, what, values] = line.split(',').collect::<Vec<_>>()[..] else {
            bail!("expected five columns: {line}");
        };
        if (of, in_set) != (swimmer.key, set) {
            continue;
        }
        let values = numbers(values.split(' '))?;
        if what == "position" {
            motions.push(Motion {
                start: State::neutral(model),
                sines: Vec::new(),
                steps: Vec::new(),
                positions: Vec::new(),
                velocities: Vec::new(),
            });
        }
        let motion = motions.last_mut().context("a motion must start with its position")?;
        match what {
            "position" => motion.start.q = values,
            "velocity" => motion.start.v = values,
            _ => motion.sines.push(values.chunks_exact(3).map(|s| [s[0], s[1], s[2]]).collect()),
        }
    }
    Ok(motions)
}

/// Adds the recorded steps. Positions follow from velocities: q' = q + dt v'.
fn follow(text: &str, velocities: bool, motions: &mut [Motion]) -> anyhow::Result<()> {
    for line in text.lines().skip(1) {
        let mut cells = line.split(',');
        let mut whole = || cells.next().unwrap_or_default().parse::<usize>();
        let (trajectory, step) = (whole()?, whole()?);
        let motion = motions.get_mut(trajectory).context("a motion without a start")?;
        let row = numbers(cells)?;
        motion.steps.push(step);
        if velocities {
            let before = motion.positions.last().unwrap_or(&motion.start.q);
            let next = before.iter().zip(&row).map(|(q, v)| q + DT * v).collect();
            motion.positions.push(next);
            motion.velocities.push(row);
        } else {
            motion.positions.push(row);
        }
    }
    Ok(())
}

fn numbers<'a>(cells: impl Iterator<Item = &'a str>) -> anyhow::Result<Vec<f64>> {
    cells.map(|x| x.parse().with_context(|| format!("\"{x}\" is not a number"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::swimmer::corrected::model;
    use crate::swimmer::{TEST_STEPS, TRAIN_STEPS};

    fn all() -> impl Iterator<Item = (Swimmer, Medium)> {
        SWIMMERS.into_iter().flat_map(|swimmer| MEDIA.map(|medium| (swimmer, medium)))
    }

    #[test]
    fn every_swimmer_is_recorded_in_every_medium() {
        for (swimmer, medium) in all() {
            let model = model(swimmer).expect("built in");
            let recorded = read(swimmer, medium, &model).expect("recorded");
            assert_eq!((recorded.train.len(), recorded.test.len()), (10, 6));
            for motion in &recorded.train {
                assert_eq!(motion.states().len(), TRAIN_STEPS + 1);
                assert_eq!(motion.torques(0).len(), swimmer.hinges);
            }
            for motion in &recorded.test {
                assert_eq!((motion.steps[0], motion.steps[20]), (1, 30));
                assert_eq!(motion.steps.last(), Some(&TEST_STEPS));
            }
        }
    }

    #[test]
    fn a_mirror_changes_sides_and_no_more() {
        let (swimmer, medium) = (SWIMMERS[0], MEDIA[1]);
        let model = model(swimmer).expect("built in");
        let motion = &read(swimmer, medium, &model).expect("recorded").train[0];
        let mirrored = motion.mirrored();
        assert_eq!(mirrored.start.q[0], motion.start.q[0]);
        assert_eq!(mirrored.velocities[9][1..], [1, 2, 3].map(|k| -motion.velocities[9][k]));
        assert_eq!(mirrored.torques(7)[0], -motion.torques(7)[0]);
        assert_eq!(mirrored.mirrored().positions, motion.positions);
    }

    #[test]
    fn what_is_no_recording_is_refused() {
        let motions = &mut [];
        assert!(follow("head\n0,1,0.5", true, motions).is_err(), "no such motion");
        assert!(follow("head\n0,one,0.5", true, motions).is_err(), "no step");
    }
}

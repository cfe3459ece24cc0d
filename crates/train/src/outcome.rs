//! A training as plain data: everything that a report shows.

use std::time::Duration;

use gradbody_draw::{Scene, poses};
use gradbody_policy::PolicyFile;
use serde::Serialize;

use crate::{Ending, PlayOptions, Point, Run, play};

/// A training as plain data.
#[derive(Clone, Debug, Serialize)]
pub struct TrainOutcome {
    /// Name of the task.
    pub name: String,
    /// Name of the environment.
    pub environment: String,
    /// Name of the method.
    pub method: String,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Numbers of an observation, and of an action.
    pub sizes: [usize; 2],
    /// Duration of an action [s].
    pub seconds_per_action: f64,
    /// Steps of an episode, at most.
    pub time_limit: usize,
    /// Episodes of an evaluation.
    pub episodes: usize,
    /// The return that is asked for.
    pub wanted: Option<f64>,
    /// The curve.
    pub points: Vec<Point>,
    /// Index of the point with the best evaluation.
    pub best: Option<usize>,
    /// Why training ended; none if it was interrupted.
    pub ended: Option<Ending>,
    /// The task, key by key.
    pub options: Vec<(String, String)>,
    /// Parameters that differed between worlds: path, lower and upper end.
    pub ranges: Vec<(String, f64, f64)>,
    /// Cores of this machine that were used.
    pub threads: usize,
    /// What is drawn. It is only for pages.
    #[serde(skip)]
    pub scene: Scene,
    /// The policy at some ages. They are only for pages.
    #[serde(skip)]
    pub ages: Vec<AgeShown>,
}

/// The policy at an age, with a motion.
#[derive(Clone, Debug)]
pub struct AgeShown {
    /// When it was evaluated.
    pub point: Point,
    /// Its first episode, or the beginning of it.
    pub moved: Moved,
}

/// A motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moved {
    /// Time of each moment [s].
    pub times: Vec<f64>,
    /// Poses of all bodies of the scene at each moment.
    pub poses: Vec<f32>,
    /// Return of what is shown.
    pub reward: f64,
}

/// Ages that are shown at most, and how long their motions are [s].
const SHOWN: usize = 4;
const SECONDS: f64 = 10.0;

impl Run {
    /// What a report shows. It plays an episode of some policies on the way; one that cannot be played is left out.
    pub fn outcome(&self) -> TrainOutcome {
        let (setup, journal) = (self.setup(), self.journal());
        let (task, of) = (&setup.task, &setup.environment);
        let steps = (SECONDS / of.seconds_per_step()).ceil() as usize;
        let options = PlayOptions {
            episodes: 1,
            seed: task.seed,
            steps: Some(steps.clamp(1, of.time_limit)),
            ..PlayOptions::default()
        };
        let ages = self.shown().into_iter().filter_map(|(point, policy)| {
            let played = play(&policy, &options).ok()?;
            let moved = Moved {
                times: played.motion.iter().map(|moment| moment.time).collect(),
                poses: poses(&of.model, played.motion.iter().map(|moment| moment.q.as_slice())),
                reward: played.returns[0],
            };
            Some(AgeShown { point, moved })
        });
        let table = toml::Table::try_from(task.in_full()).unwrap_or_default();
        let mut options = Vec::new();
        flat("", &table.into(), &mut options);
        TrainOutcome {
            name: task.name.clone(),
            environment: of.name.clone(),
            method: task.method.name().to_owned(),
            seed: journal.seed,
            sizes: [of.n_observations(), of.n_actions()],
            seconds_per_action: of.seconds_per_step(),
            time_limit: of.time_limit,
            episodes: task.evaluate.episodes,
            wanted: task.limits.mean_return,
            points: journal.points.clone(),
            best: journal.best,
            ended: journal.ended.clone(),
            options,
            ranges: (setup.ranges.iter())
                .map(|range| (range.path.clone(), range.low, range.high))
                .collect(),
            threads: self.threads(),
            scene: Scene::of(&of.model),
            ages: ages.collect(),
        }
    }

    /// Policies at some ages, evenly among those that were kept; the last is the best.
    fn shown(&self) -> Vec<(Point, PolicyFile)> {
        let best = self.journal().best().map(|(point, _)| *point);
        let before = |age: &&crate::Age| best.is_none_or(|best| age.point.samples < best.samples);
        let ages: Vec<&crate::Age> = self.ages().iter().filter(before).collect();
        let count = ages.len().min(SHOWN - 1);
        let chosen = (0..count).map(|k| ages[k * ages.len() / count.max(1)]);
        let of = |age: &crate::Age| {
            let policy = PolicyFile { actor: age.actor.clone(), about: self.last().about };
            (age.point, policy)
        };
        let mut shown: Vec<(Point, PolicyFile)> = chosen.map(of).collect();
        shown.extend(best.zip(self.best()));
        shown
    }
}

impl TrainOutcome {
    /// The point with the best evaluation.
    pub fn best_point(&self) -> Option<&Point> {
        self.points.get(self.best?)
    }

    /// When an evaluation first returned what is asked for.
    pub fn reached(&self) -> Option<&Point> {
        let wanted = self.wanted?;
        let is_enough =
            |point: &&Point| point.evaluated.is_some_and(|evaluated| evaluated.mean >= wanted);
        self.points.iter().find(is_enough)
    }

    /// How long it took.
    pub fn lasted(&self) -> Duration {
        let seconds = self.points.last().map_or(0.0, |point| point.seconds);
        Duration::try_from_secs_f64(seconds).unwrap_or_default()
    }
}

/// A table as keys and values.
fn flat(key: &str, value: &toml::Value, to: &mut Vec<(String, String)>) {
    match value {
        toml::Value::Table(table) => {
            for (inner, value) in table {
                let dot = if key.is_empty() { "" } else { "." };
                flat(&format!("{key}{dot}{inner}"), value, to);
            }
        }
        toml::Value::String(text) => to.push((key.to_owned(), text.clone())),
        // A number that was rounded to single precision, in as few digits as give it again.
        toml::Value::Float(x) if f64::from(*x as f32) == *x => {
            to.push((key.to_owned(), (*x as f32).to_string()));
        }
        other => to.push((key.to_owned(), other.to_string())),
    }
}

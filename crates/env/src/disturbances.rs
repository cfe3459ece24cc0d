//! What makes episodes differ, so that a policy copes with more than one robot: parameters drawn at each start, actions
//! that act late, pushes.

use gradbody_math::random::Random;
use gradbody_model::{Model, Selection};

use crate::{Description, EnvError};

/// Parameters that are drawn anew at the start of each episode, in each world for itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Randomised {
    /// Names of parameters, or patterns such as `link/*/mass`.
    pub parameters: Vec<String>,
    /// From where.
    pub range: Range,
    /// Whether one number is drawn for all of them, or one for each.
    pub together: bool,
}

/// Where a parameter is drawn from, uniformly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// The model's value times a number between these.
    Factor(f64, f64),
    /// A value between these, in the parameter's unit.
    Value(f64, f64),
}

/// By how many steps of the environment actions are late. Each world draws its delay at the start of an episode. Until
/// the first action of an episode acts, actions of zero do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay {
    /// The least delay.
    pub least: usize,
    /// The largest delay.
    pub most: usize,
}

/// Random changes of velocities at random times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pushes {
    /// The first velocity that changes, such as 0 for the linear velocity of a floating base.
    pub v: usize,
    /// How many change.
    pub count: usize,
    /// Each changes by a number between minus and plus this [m/s or rad/s].
    pub size: f64,
    /// Mean time between pushes of a world [s].
    pub mean_time: f64,
}

/// The most attempts to draw parameters that the model accepts.
const ATTEMPTS: usize = 20;

/// [`Randomised`] of one model.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub selection: Selection,
    /// The model's own values, (selected).
    pub own: Vec<f64>,
    range: Range,
    together: bool,
}

impl Drawn {
    /// Finds the parameters, and checks that the model takes both ends of the range.
    pub(crate) fn of(description: &Description) -> Result<Vec<Drawn>, EnvError> {
        description.randomise.iter().map(|part| Drawn::one(description, part)).collect()
    }

    fn one(description: &Description, part: &Randomised) -> Result<Drawn, EnvError> {
        let refuse = |why: String| EnvError::Description { name: description.name.clone(), why };
        let model = &description.model;
        let selection = Selection::of(model, &part.parameters)
            .map_err(|why| refuse(format!("drawing parameters: {why}")))?;
        let (Range::Factor(low, high) | Range::Value(low, high)) = part.range;
        if !(low.is_finite() && high.is_finite() && low <= high) {
            let of = part.parameters.join(", ");
            return Err(refuse(format!(
                "the range {low} to {high} of \"{of}\" is not one; give finite ends, the lower one first"
            )));
        }
        let own = selection.values(model);
        let drawn = Drawn { selection, own, range: part.range, together: part.together };
        for end in [low, high] {
            let mut changed: Model<f64> = model.clone();
            let values: Vec<f64> = (0..drawn.own.len()).map(|k| drawn.value(k, end)).collect();
            let applied = drawn.selection.apply(&mut changed, &values);
            debug_assert!(applied.is_ok(), "one value for each");
            changed.check().map_err(|why| {
                let of = part.parameters.join(", ");
                refuse(format!("drawing \"{of}\", at the end {end} of its range: {why}"))
            })?;
        }
        Ok(drawn)
    }

    /// The value of a parameter for a number of the range.
    fn value(&self, k: usize, drawn: f64) -> f64 {
        match self.range {
            Range::Factor(..) => self.own[k] * drawn,
            Range::Value(..) => drawn,
        }
    }

    /// Draws values, (selected), until `accept` takes them. If it never does, they stay as they were.
    pub(crate) fn draw(&self, random: &mut Random, mut accept: impl FnMut(&[f64]) -> bool) {
        let (Range::Factor(low, high) | Range::Value(low, high)) = self.range;
        let mut values = vec![0.0; self.own.len()];
        for _ in 0..ATTEMPTS {
            let shared = if self.together { random.between(low, high) } else { 0.0 };
            for (k, value) in values.iter_mut().enumerate() {
                let drawn = if self.together { shared } else { random.between(low, high) };
                *value = self.value(k, drawn);
            }
            if accept(&values) {
                return;
            }
        }
    }
}

impl Delay {
    pub(crate) fn draw(&self, random: &mut Random) -> usize {
        self.least + random.below(self.most - self.least + 1)
    }
}

impl Pushes {
    /// Whether a world is pushed in a step of so many seconds.
    pub(crate) fn is_due(&self, seconds: f64, random: &mut Random) -> bool {
        random.unit() < seconds / self.mean_time
    }

    /// Changes the velocities of a world, (nv).
    pub(crate) fn push(&self, random: &mut Random, v: &mut [f64]) {
        for v in &mut v[self.v..self.v + self.count] {
            *v += self.size * random.signed();
        }
    }
}

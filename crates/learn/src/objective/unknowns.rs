//! What a fit may change, as one vector of numbers of about the size one.
//!
//! First come those that every window depends on: parameters of the model, the period of the samples, weights of
//! networks. After them, if starts are free, comes a block for each window: how far its start is from where the
//! data put it.

use core::ops::Range;

use gradbody_model::{Model, Selection};

/// A parameter of the model that may change.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// Its path.
    pub name: String,
    /// Its value before.
    pub initial: f64,
    /// What it is divided by in the vector.
    pub scale: f64,
    /// The least and the greatest value it may have.
    pub bounds: (f64, f64),
    /// What is known of it beforehand.
    pub prior: Option<Prior>,
}

/// What is known of a number beforehand.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prior {
    /// The value expected.
    pub mean: f64,
    /// Its standard deviation.
    pub sigma: f64,
}

/// What may change.
#[derive(Clone, Debug)]
pub struct Unknowns {
    /// Which numbers of the model.
    pub selection: Selection,
    /// One for each of them.
    pub params: Vec<Unknown>,
    /// The period of the samples, relative to what the data say.
    pub period: Option<Unknown>,
    /// How many weights may change: all or none.
    pub weights: usize,
    /// How many numbers a window's start has; none if it is taken from the data.
    pub start: usize,
}

impl Unknowns {
    /// These parameters, scaled by their values; bounds are those that keep a model possible.
    pub fn of(model: &Model<f64>, selection: Selection) -> Self {
        let values = selection.values(model);
        let unknown = |(name, initial): (&String, f64)| Unknown {
            name: name.clone(),
            initial,
            scale: typical(name, initial),
            bounds: possible(name),
            prior: None,
        };
        let params = selection.names().iter().zip(values).map(unknown).collect();
        Unknowns { selection, params, period: None, weights: 0, start: 0 }
    }

    /// How many numbers every window depends on.
    pub fn n_global(&self) -> usize {
        self.weights_range().end
    }

    /// Where the period is.
    pub fn period_range(&self) -> Range<usize> {
        let n = self.params.len();
        n..n + usize::from(self.period.is_some())
    }

    /// Where the weights are.
    pub fn weights_range(&self) -> Range<usize> {
        let first = self.period_range().end;
        first..first + self.weights
    }

    /// Where the start of a window is.
    pub fn start_range(&self, window: usize) -> Range<usize> {
        let first = self.n_global() + window * self.start;
        first..first + self.start
    }

    /// The unknowns that have names, in their order.
    pub fn named(&self) -> impl Iterator<Item = &Unknown> {
        self.params.iter().chain(&self.period)
    }

    /// The values of those that have names.
    pub fn values(&self, x: &[f64]) -> Vec<f64> {
        self.named().zip(x).map(|(u, x)| x * u.scale).collect()
    }
}

/// A size that a number may well change by.
fn typical(name: &str, value: f64) -> f64 {
    if value != 0.0 {
        return value.abs();
    }
    match name.rsplit('/').next() {
        Some("damping" | "friction" | "stiffness" | "armature") => 0.01,
        _ => 0.1,
    }
}

/// The values that a number of a model can have: masses are positive, and what takes energy out is not negative.
fn possible(name: &str) -> (f64, f64) {
    let last = name.rsplit('/').next().unwrap_or(name);
    let of = name.split('/').next().unwrap_or(name);
    match (of, last) {
        ("link", "mass") => (1e-9, f64::INFINITY),
        ("link", "xx" | "yy" | "zz") => (1e-12, f64::INFINITY),
        ("joint", "damping" | "friction" | "stiffness" | "armature" | "effort_limit") => {
            (0.0, f64::INFINITY)
        }
        (_, "restitution") => (0.0, 1.0),
        (_, "friction" | "torsional" | "rolling" | "cfm" | "stiffness" | "damping") => {
            (0.0, f64::INFINITY)
        }
        ("shape", _) if name.contains("/size/") => (0.0, f64::INFINITY),
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    }
}

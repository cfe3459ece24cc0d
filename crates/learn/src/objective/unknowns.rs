//! The unknowns of a fit as one vector, scaled to numbers of about size one.
//!
//! Global unknowns, which every window depends on, come first: parameters of the model, the period of the samples,
//! weights of networks. If starts are free, a block for each window follows: the offset of its start from the estimate.

use core::ops::Range;

use gradbody_experiment::Prior;
use gradbody_model::{Model, Selection};

/// A parameter of the model that may change.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// Its path.
    pub name: String,
    /// Its value before the fit.
    pub initial: f64,
    /// The vector holds its value divided by this scale.
    pub scale: f64,
    /// The least and the greatest value it may have.
    pub bounds: (f64, f64),
    /// Its prior, if it has one.
    pub prior: Option<Prior>,
}

/// The unknowns of a fit.
#[derive(Clone, Debug)]
pub struct Unknowns {
    /// The parameters of the model that may change.
    pub selection: Selection,
    /// The unknown of each of them.
    pub params: Vec<Unknown>,
    /// The period of the samples, relative to that of the data.
    pub period: Option<Unknown>,
    /// Number of weights that are unknowns: all or 0.
    pub weights: usize,
    /// Number of unknowns in a window's start; 0 if starts are taken from the data.
    pub start: usize,
}

impl Unknowns {
    /// These parameters as unknowns, scaled by their values, within the bounds of physics.
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

    /// Number of global unknowns.
    pub fn n_global(&self) -> usize {
        self.weights_range().end
    }

    /// The index of the period; an empty range if it is known.
    pub fn period_range(&self) -> Range<usize> {
        let n = self.params.len();
        n..n + usize::from(self.period.is_some())
    }

    /// The indices of the weights.
    pub fn weights_range(&self) -> Range<usize> {
        let first = self.period_range().end;
        first..first + self.weights
    }

    /// The indices of a window's start.
    pub fn start_range(&self, window: usize) -> Range<usize> {
        let first = self.n_global() + window * self.start;
        first..first + self.start
    }

    /// The unknowns that have names: parameters, then the period.
    pub fn named(&self) -> impl Iterator<Item = &Unknown> {
        self.params.iter().chain(&self.period)
    }

    /// The values of the unknowns that have names.
    pub fn values(&self, x: &[f64]) -> Vec<f64> {
        self.named().zip(x).map(|(u, x)| x * u.scale).collect()
    }
}

/// The size of a usual change of a parameter.
fn typical(name: &str, value: f64) -> f64 {
    if value != 0.0 {
        return value.abs();
    }
    match name.rsplit('/').next() {
        Some("damping" | "friction" | "stiffness" | "armature") => 0.01,
        _ => 0.1,
    }
}

/// The values that a parameter can have: masses are positive, and damping and friction are not negative.
pub(crate) fn possible(name: &str) -> (f64, f64) {
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

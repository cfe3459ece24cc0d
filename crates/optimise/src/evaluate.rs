//! The objective as the methods see it: with counters and penalties, and with `None` instead of numbers that are not
//! finite.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::bounds::Bounds;
use super::{Objective, Quadratic};

/// Number of evaluations of an objective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evaluations {
    /// Of the cost alone.
    pub costs: u64,
    /// Of the gradient, whole or of a part.
    pub gradients: u64,
    /// Of the second-order model.
    pub quadratics: u64,
}

impl Evaluations {
    /// Adds other counts.
    pub(super) fn add(&mut self, more: Evaluations) {
        self.costs += more.costs;
        self.gradients += more.gradients;
        self.quadratics += more.quadratics;
    }
}

/// An objective with counters. All values it returns are finite.
pub(super) struct Evaluator<'a> {
    objective: &'a dyn Objective,
    costs: AtomicU64,
    gradients: AtomicU64,
    quadratics: AtomicU64,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(objective: &'a dyn Objective) -> Self {
        let zero = || AtomicU64::new(0);
        Evaluator { objective, costs: zero(), gradients: zero(), quadratics: zero() }
    }

    pub(super) fn objective(&self) -> &'a dyn Objective {
        self.objective
    }

    pub(super) fn bounds(&self) -> Bounds<'a> {
        Bounds::new(self.objective.bounds())
    }

    pub(super) fn evaluations(&self) -> Evaluations {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Evaluations {
            costs: read(&self.costs),
            gradients: read(&self.gradients),
            quadratics: read(&self.quadratics),
        }
    }

    /// Cost and penalties at `x`.
    pub(super) fn cost(&self, x: &[f64]) -> Option<f64> {
        self.costs.fetch_add(1, Ordering::Relaxed);
        self.total(self.objective.cost(x), x)
    }

    /// Costs and penalties at each of many points.
    pub(super) fn costs(&self, points: &[Vec<f64>]) -> Vec<Option<f64>> {
        self.costs.fetch_add(points.len() as u64, Ordering::Relaxed);
        let costs = self.objective.costs(points);
        costs.into_iter().zip(points).map(|(cost, x)| self.total(cost, x)).collect()
    }

    /// Cost including penalties; the gradient is that of the cost alone.
    pub(super) fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> Option<f64> {
        self.gradients.fetch_add(1, Ordering::Relaxed);
        let cost = self.objective.gradient(x, gradient);
        self.total(cost, x).filter(|_| gradient.iter().all(|g| g.is_finite()))
    }

    /// As [`Evaluator::gradient`], of one part.
    pub(super) fn part_gradient(
        &self,
        part: usize,
        x: &[f64],
        gradient: &mut [f64],
    ) -> Option<f64> {
        self.gradients.fetch_add(1, Ordering::Relaxed);
        let cost = self.objective.part_gradient(part, x, gradient);
        self.total(cost, x).filter(|_| gradient.iter().all(|g| g.is_finite()))
    }

    /// The second-order model, if there is one of the right shape.
    pub(super) fn quadratic(&self, x: &[f64]) -> Option<Quadratic> {
        self.quadratics.fetch_add(1, Ordering::Relaxed);
        let quadratic = self.objective.quadratic(x)?;
        let numbers = quadratic.gradient.iter().chain(std::iter::once(&quadratic.cost));
        let sized = quadratic.gradient.len() == x.len() && quadratic.hessian.has_shape(x.len());
        let finite =
            sized && numbers.into_iter().all(|g| g.is_finite()) && quadratic.hessian.is_finite();
        finite.then_some(quadratic)
    }

    fn total(&self, cost: f64, x: &[f64]) -> Option<f64> {
        let total = cost + self.objective.penalties().iter().map(|p| p.value(x)).sum::<f64>();
        total.is_finite().then_some(total)
    }
}

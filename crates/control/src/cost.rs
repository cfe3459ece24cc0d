//! A term of what a plan costs: a quantity, where it should be, when, and how much a difference costs.

use crate::quantity::{At, Quantity, QuantityBars, Slope};
use crate::{ControlError, Problem, rounded_time};

/// A term of what a plan costs: `Σᵢ weightᵢ · ρ(rᵢ)` with the differences r of a quantity from its target.
#[derive(Clone, Debug)]
pub struct Cost {
    /// Its name, for messages and reports.
    pub name: String,
    /// What is compared.
    pub quantity: Quantity,
    /// Where it should be: as many numbers as [`Quantity::target_len`].
    pub target: Vec<f64>,
    /// The weight of each difference, not negative: as many as [`Quantity::len`].
    pub weights: Vec<f64>,
    /// How a difference grows into a cost.
    pub shape: Shape,
    /// When it counts.
    pub when: When,
}

/// How a difference r grows into a cost ρ(r).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Shape {
    /// ½ r².
    #[default]
    Square,
    /// √(r² + w²) − w: like ½ r²/w for small differences, like |r| for large ones.
    Absolute {
        /// The difference w from which it grows like |r|.
        width: f64,
    },
    /// ½ of the squared excess where r leaves this range; nothing inside.
    Outside {
        /// Lower end of the range.
        lower: f64,
        /// Upper end of the range.
        upper: f64,
    },
}

/// When a cost counts. Costs of actions count during knots, all others at their ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum When {
    /// All the time: its value is integrated over time.
    #[default]
    Always,
    /// At the end of the horizon.
    End,
    /// At the knots of this span of time, ends included; integrated over time. Times are those of [`State::time`].
    ///
    /// [`State::time`]: gradbody_sim::State::time
    Between {
        /// Its beginning [s].
        from: f64,
        /// Its end [s].
        to: f64,
    },
}

/// Buffers of [`Cost::expand`].
#[derive(Debug)]
pub(crate) struct ExpandWork<'a> {
    pub(crate) differences: &'a mut Vec<f64>,
    pub(crate) bars: &'a mut QuantityBars,
    /// The slope of one difference, sparse.
    pub(crate) row: &'a mut Vec<(usize, f64)>,
}

impl Shape {
    /// ρ(r).
    pub fn value(self, r: f64) -> f64 {
        match self {
            Shape::Square => 0.5 * r * r,
            // √(r² + w²) − w without its cancellation.
            Shape::Absolute { width } => r * (r / (r.hypot(width) + width)),
            Shape::Outside { .. } => 0.5 * self.excess(r).powi(2),
        }
    }

    /// ρ′(r), and a curvature that is never negative: ρ″, and for [`Shape::Absolute`] ρ′(r)/r, which is larger.
    pub fn slopes(self, r: f64) -> (f64, f64) {
        match self {
            Shape::Square => (r, 1.0),
            Shape::Absolute { width } => {
                let curvature = r.hypot(width).recip();
                (r * curvature, curvature)
            }
            Shape::Outside { .. } => {
                let excess = self.excess(r);
                (excess, if excess == 0.0 { 0.0 } else { 1.0 })
            }
        }
    }

    fn excess(self, r: f64) -> f64 {
        match self {
            Shape::Outside { lower, upper } => (r - upper).max(0.0) + (r - lower).min(0.0),
            _ => r,
        }
    }
}

impl Cost {
    /// A cost of squared differences that counts all the time, with the same weight for each.
    pub fn new(name: impl Into<String>, quantity: Quantity, target: Vec<f64>, weight: f64) -> Self {
        let weights = vec![weight; quantity.len()];
        Cost {
            name: name.into(),
            quantity,
            target,
            weights,
            shape: Shape::Square,
            when: When::Always,
        }
    }

    /// The same at the end of the horizon only.
    pub fn at_end(mut self) -> Self {
        self.when = When::End;
        self
    }

    /// The same with another growth.
    pub fn shaped(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self
    }

    /// By how much it counts in a knot: the duration of the knot, 1 at the end of the horizon, or 0. A cost of actions
    /// counts by the time at which the knot begins, others by that at which it ends.
    pub(crate) fn share(&self, problem: &Problem, knot: usize) -> f64 {
        let h = problem.knot_seconds();
        let last = knot + 1 == problem.knots;
        match self.when {
            When::Always => h,
            When::End => f64::from(u8::from(last)),
            When::Between { from, to } => {
                let steps = if self.quantity.is_of_actions() { knot } else { knot + 1 };
                let time = problem.start.time + h * steps as f64;
                // Knots at the ends of the span belong to it in spite of rounding.
                let slack = 1e-6 * h;
                if from - slack <= time && time <= to + slack { h } else { 0.0 }
            }
        }
    }

    /// The cost. `r` is scratch.
    pub(crate) fn value(&self, at: &At<'_>, r: &mut Vec<f64>) -> f64 {
        self.differences(at, r);
        r.iter().zip(&self.weights).map(|(r, weight)| weight * self.shape.value(*r)).sum()
    }

    /// Writes the differences from the target to `r`.
    pub(crate) fn differences(&self, at: &At<'_>, r: &mut Vec<f64>) {
        let n = self.quantity.len();
        r.clear();
        r.resize(n + at.model.nv(), 0.0);
        let (differences, scratch) = r.split_at_mut(n);
        self.quantity.difference(at, &self.target, differences, scratch);
        r.truncate(n);
    }

    /// The largest of the differences that have a weight, or the length of a vector of them; for [`Shape::Outside`] by how
    /// much they leave the range.
    pub(crate) fn worst(&self, differences: &[f64]) -> f64 {
        let weighted = differences.iter().zip(&self.weights).filter(|(_, weight)| **weight > 0.0);
        let sizes = weighted.map(|(r, _)| self.shape.excess(*r).abs());
        match self.quantity.is_vector() {
            true => sizes.fold(0.0, f64::hypot),
            false => sizes.fold(0.0, f64::max),
        }
    }

    /// The cost; adds `share` times its gradient to `bars`.
    pub(crate) fn value_vjp(
        &self,
        at: &At<'_>,
        share: f64,
        r: &mut Vec<f64>,
        bars: &mut QuantityBars,
    ) -> f64 {
        self.differences(at, r);
        let mut cost = 0.0;
        for (r, weight) in r.iter_mut().zip(&self.weights) {
            cost += weight * self.shape.value(*r);
            *r = share * weight * self.shape.slopes(*r).0;
        }
        self.quantity.difference_vjp(at, &self.target, r, bars);
        cost
    }

    /// Adds `share` times its first and second derivatives by the state, by the actions and by contact forces to `to`. Of the
    /// curvature of the quantity itself nothing is kept, so the second derivatives are never negative.
    pub(crate) fn expand(
        &self,
        at: &At<'_>,
        share: f64,
        work: &mut ExpandWork<'_>,
        to: &mut impl FnMut(Slope<'_>, f64, f64),
    ) {
        let ExpandWork { differences: r, bars, row } = work;
        self.differences(at, r);
        self.quantity.jacobian(at, &self.target, bars, row, &mut |k, slope| {
            let (first, second) = self.shape.slopes(r[k]);
            let weight = share * self.weights[k];
            if weight != 0.0 {
                to(slope, weight * first, weight * second);
            }
        });
    }

    pub(crate) fn check(&self, problem: &Problem) -> Result<(), ControlError> {
        let wrong = |why: String| Err(ControlError::Cost { cost: self.name.clone(), why });
        if let Some(why) = self.quantity.wrong(problem) {
            return wrong(why);
        }
        let (given, needed) = (self.target.len(), self.quantity.target_len(&problem.model));
        if given != needed {
            return wrong(format!("its target has {given} numbers, but needs {needed}"));
        }
        if self.weights.len() != self.quantity.len() {
            return wrong(format!(
                "{} weights for {} differences",
                self.weights.len(),
                self.quantity.len()
            ));
        }
        if !self.target.iter().all(|x| x.is_finite()) {
            return wrong("a number of its target is not finite".into());
        }
        if !self.weights.iter().all(|w| w.is_finite() && *w >= 0.0) {
            return wrong("weights must be finite and not negative".into());
        }
        match self.shape {
            Shape::Absolute { width } if !(width > 0.0 && width.is_finite()) => {
                return wrong(format!("its width must be positive, not {width}"));
            }
            Shape::Outside { lower, upper } if lower.is_nan() || upper.is_nan() => {
                return wrong("an end of its range is no number".into());
            }
            Shape::Outside { lower, upper } if lower > upper => {
                return wrong(format!("its range is crossed: {lower} to {upper}"));
            }
            Shape::Outside { lower, upper }
                if lower == f64::INFINITY || upper == f64::NEG_INFINITY =>
            {
                return wrong("nothing is inside its range".into());
            }
            _ => {}
        }
        Ok(())
    }

    /// Refuses a cost that counts at no knot.
    pub(crate) fn check_span(&self, problem: &Problem) -> Result<(), ControlError> {
        if (0..problem.knots).any(|knot| self.share(problem, knot) != 0.0) {
            return Ok(());
        }
        let knot = problem.knot_seconds();
        let last = rounded_time(knot * problem.knots as f64);
        let span = match self.when {
            When::Between { from, to } => format!(", {from} to {to} s"),
            When::Always | When::End => String::new(),
        };
        let why = format!(
            "no knot ends in its span of time{span}: knots end every {} s, the last one at {last} s",
            rounded_time(knot)
        );
        Err(ControlError::Cost { cost: self.name.clone(), why })
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn small_differences_cost_their_square() {
        let shape = Shape::Absolute { width: 0.1 };
        for r in [1e-12, -1e-9, 1e-5] {
            let square = 0.5 * r * r / 0.1;
            assert!((shape.value(r) - square).abs() < 1e-8 * square, "{r}: {}", shape.value(r));
        }
        assert!((shape.value(-30.0) - 30.0).abs() < 0.1);
    }
}

//! Bounds on numbers.

use gradbody_math::random::Random;

use super::proximal::penalised_minimum;
use super::{Penalty, Quadratic};

/// Lower and upper bounds; empty if there are none.
#[derive(Clone, Copy)]
pub(super) struct Bounds<'a>(&'a [(f64, f64)]);

impl<'a> Bounds<'a> {
    pub(super) fn new(bounds: &'a [(f64, f64)]) -> Self {
        Bounds(bounds)
    }

    /// Lower and upper bound of number `i`.
    pub(super) fn of(&self, i: usize) -> (f64, f64) {
        self.0.get(i).copied().unwrap_or((f64::NEG_INFINITY, f64::INFINITY))
    }

    pub(super) fn contain(&self, x: &[f64]) -> bool {
        x.iter().enumerate().all(|(i, x)| self.of(i).0 <= *x && *x <= self.of(i).1)
    }

    /// Moves `x` to the nearest point within the bounds.
    pub(super) fn project(&self, x: &mut [f64]) {
        for (x, (lower, upper)) in x.iter_mut().zip(self.0) {
            *x = x.max(*lower).min(*upper);
        }
    }

    /// Reflects `x` at the bounds until it is within them.
    pub(super) fn reflect(&self, x: &mut [f64]) {
        for (x, &(lower, upper)) in x.iter_mut().zip(self.0) {
            if *x < lower {
                *x = 2.0 * lower - *x;
            }
            if *x > upper {
                *x = 2.0 * upper - *x;
            }
            // Farther outside than the bounds are wide.
            *x = x.max(lower).min(upper);
        }
    }

    /// True if number `i` is at a bound and `direction` leads outside.
    pub(super) fn block(&self, i: usize, x: f64, direction: f64) -> bool {
        let (lower, upper) = self.of(i);
        lower >= upper || (x <= lower && direction < 0.0) || (x >= upper && direction > 0.0)
    }

    /// The active set: the numbers at a bound that a descent step would cross.
    pub(super) fn active(&self, x: &[f64], gradient: &[f64]) -> Vec<bool> {
        (0..x.len()).map(|i| self.block(i, x[i], -gradient[i])).collect()
    }

    /// The typical range of each number: the distance between its bounds, if they are finite; otherwise its own size,
    /// or 1 if it is zero.
    pub(super) fn scales(&self, x: &[f64]) -> Vec<f64> {
        let scale = |(i, x): (usize, &f64)| {
            let width = self.of(i).1 - self.of(i).0;
            match width.is_finite() {
                true => width,
                false if *x == 0.0 => 1.0,
                false => x.abs(),
            }
        };
        x.iter().enumerate().map(scale).collect()
    }

    /// A random point within the bounds; numbers without finite bounds are spread around those of `centre`.
    pub(super) fn draw(&self, centre: &[f64], random: &mut Random) -> Vec<f64> {
        let scales = self.scales(centre);
        let mut x: Vec<f64> = (0..centre.len())
            .map(|i| match self.of(i) {
                (lower, upper) if (upper - lower).is_finite() => random.between(lower, upper),
                _ => centre[i] + scales[i] * random.normal(),
            })
            .collect();
        self.project(&mut x);
        x
    }

    /// The step that minimises `quadratic`, with `damping` added to its diagonal and with the penalties, without
    /// crossing a bound that `x` is at; `None` if the matrix is not positive definite. It may cross other bounds.
    pub(super) fn newton_step(
        &self,
        quadratic: &Quadratic,
        penalties: &[Penalty],
        damping: &[f64],
        x: &[f64],
    ) -> Option<Vec<f64>> {
        let downhill: Vec<f64> = quadratic.gradient.iter().map(|g| -g).collect();
        let mut slope = quadratic.gradient.clone();
        penalties.iter().for_each(|penalty| penalty.add_slope(x, &mut slope));
        let mut fixed = self.active(x, &slope);
        loop {
            let condensed = quadratic.hessian.condense(damping, &fixed, &downhill)?;
            let global =
                penalised_minimum(&condensed.matrix, &condensed.rhs, penalties, &fixed, x)?;
            let step = condensed.expand(&global)?;
            let blocked = |&i: &usize| !fixed[i] && self.block(i, x[i], step[i]);
            let more: Vec<usize> = (0..x.len()).filter(blocked).collect();
            if more.is_empty() {
                return Some(step);
            }
            more.into_iter().for_each(|i| fixed[i] = true);
        }
    }
}

/// aᵀb.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// √(aᵀa).
pub(super) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

//! Comparison of many quantities with reference values, and a report that names the worst.

use std::collections::BTreeMap;

/// Collects relative errors by quantity. An error is relative to the largest number of the quantity
/// in the place it is looked at (to 1 if that is zero).
#[derive(Default)]
pub(crate) struct Comparison {
    worst: BTreeMap<String, (f64, String)>,
    failures: Vec<String>,
    compared: usize,
}

impl Comparison {
    /// Compares numbers one by one; `place` says where they were seen.
    pub(crate) fn check(
        &mut self,
        quantity: &str,
        place: &str,
        tolerance: f64,
        got: &[f64],
        want: &[f64],
    ) {
        assert_eq!(got.len(), want.len(), "{place}: {quantity}: as many numbers");
        let scale = largest(want);
        assert!(scale.is_finite(), "{place}: {quantity}: a reference value is {scale}");
        let scale = if scale > 0.0 { scale } else { 1.0 };
        self.compared += 1;
        for (i, (got, want)) in got.iter().zip(want).enumerate() {
            let error = size(got - want) / scale;
            if error > tolerance {
                self.failures.push(format!(
                    "{place}: {quantity}[{i}] is {got:e}, not {want:e}: off by {error:.2e} of \
                     {scale:.3e}, allowed {tolerance:e}"
                ));
            }
            let worst = self.worst.entry(quantity.into()).or_insert((0.0, String::new()));
            if error > worst.0 {
                *worst = (error, place.to_owned());
            }
        }
    }

    /// As [`Comparison::check`], of one number.
    pub(crate) fn check_one(
        &mut self,
        quantity: &str,
        place: &str,
        tolerance: f64,
        got: f64,
        want: f64,
    ) {
        self.check(quantity, place, tolerance, &[got], &[want]);
    }

    /// Prints the worst of each quantity; fails if anything was out of its tolerance, or if less
    /// was compared than `at_least` arrays of numbers.
    pub(crate) fn finish(self, title: &str, at_least: usize) {
        for (quantity, (error, place)) in &self.worst {
            println!("{title}: {quantity:24} {error:.2e}  ({place})");
        }
        let shown = self.failures.iter().take(20).cloned().collect::<Vec<_>>().join("\n  ");
        let count = self.failures.len();
        assert!(count == 0, "{title}: {count} numbers are off, the first of them\n  {shown}");
        assert!(self.compared >= at_least, "{title}: only {} comparisons made", self.compared);
    }
}

/// The largest magnitude, 0 of nothing.
pub(crate) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| size(*x).max(most))
}

/// The largest difference.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |most, (a, b)| size(a - b).max(most))
}

/// The magnitude, infinite of what is no number.
fn size(x: f64) -> f64 {
    if x.is_nan() { f64::INFINITY } else { x.abs() }
}

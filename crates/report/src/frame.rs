//! Maps values to places in a drawing, and lines to SVG paths.

use std::fmt::Write as _;

/// Room around the axes.
pub(super) const TOP: f64 = 12.0;
pub(super) const RIGHT: f64 = 14.0;
pub(super) const BOTTOM: f64 = 44.0;

/// Maps values to places in the drawing.
pub(super) struct Frame {
    /// Room at the left.
    pub(super) left: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) x_range: (f64, f64),
    /// Exponents on a logarithmic axis.
    pub(super) y_range: (f64, f64),
}

impl Frame {
    pub(super) fn x(&self, x: f64) -> f64 {
        let (from, to) = self.x_range;
        self.left + (x - from) / (to - from) * (self.width - RIGHT - self.left)
    }

    pub(super) fn y(&self, y: f64) -> f64 {
        let (from, to) = self.y_range;
        let bottom = self.height - BOTTOM;
        bottom - (y - from) / (to - from) * (bottom - TOP)
    }

    /// A line with gaps; a point between two gaps is a dot.
    pub(super) fn path(&self, points: &[(f64, f64)]) -> String {
        let mut path = String::with_capacity(points.len() * 12);
        for run in points.split(|(x, y)| !(x.is_finite() && y.is_finite())) {
            for (i, (x, y)) in run.iter().enumerate() {
                let command = if i == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{command}{:.1} {:.1}", self.x(*x), self.y(*y));
            }
            if run.len() == 1 {
                path.push_str("h0");
            }
        }
        path
    }

    pub(super) fn dots(&self, points: &[(f64, f64)]) -> String {
        let mut path = String::with_capacity(points.len() * 14);
        for (x, y) in points.iter().filter(|(x, y)| x.is_finite() && y.is_finite()) {
            let _ = write!(path, "M{:.1} {:.1}h0", self.x(*x), self.y(*y));
        }
        path
    }
}

/// The range of the finite values, widened by a share of it at both ends; never empty.
pub(super) fn range(values: impl Iterator<Item = f64>, margin: f64) -> Option<(f64, f64)> {
    let (low, high) = values
        .filter(|x| x.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let width = high - low;
    match width {
        w if !w.is_finite() => None,
        // A constant: a range of its own size, so that its ticks are not rounding errors.
        w if w <= 1e-12 * high.abs().max(low.abs()) => {
            let room = if high == 0.0 { 1.0 } else { 0.5 * high.abs() };
            Some((low - room, high + room))
        }
        w => Some((low - margin * w, high + margin * w)),
    }
}

/// The same line with fewer points: the lowest and highest of every stretch, so that no peak is lost.
pub(super) fn thinned(points: Vec<(f64, f64)>, limit: usize) -> Vec<(f64, f64)> {
    if points.len() <= limit {
        return points;
    }
    let stretch = points.len().div_ceil(limit / 2);
    let mut kept = Vec::with_capacity(limit + 2);
    for part in points.chunks(stretch) {
        let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (Some(low), Some(high)) =
            (part.iter().min_by(by_height), part.iter().max_by(by_height))
        else {
            continue;
        };
        let (first, second) = if low.0 <= high.0 { (low, high) } else { (high, low) };
        kept.push(*first);
        if second.0 != first.0 {
            kept.push(*second);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::thinned;

    #[test]
    fn thinning_keeps_peaks() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|i| (f64::from(i), 0.0)).collect();
        points[54_321].1 = 1.0;
        let few = thinned(points, 1200);
        assert!(few.len() < 1300 && few.iter().any(|p| p.1 == 1.0));
    }
}

//! The part of an axis to show when one line goes far away from the others.

/// The range of the values that matter, widened so that others are in it too, but to no more than
/// `times` its width on each side: a model that falls over before it is fitted must not flatten the rest.
pub(crate) struct Clip {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The value farthest outside, if some are cut off.
    pub(crate) beyond: Option<f64>,
}

/// None if there is nothing to show.
pub(crate) fn clip(
    matter: impl Iterator<Item = f64>,
    others: impl Iterator<Item = f64>,
    times: f64,
) -> Option<Clip> {
    let others: Vec<f64> = others.filter(|x| x.is_finite()).collect();
    let all = || others.iter().copied();
    let (low, high) = match range(matter) {
        // A constant has no width to measure others by.
        Some((low, high)) if high > low => (low, high),
        Some(point) => range(all().chain([point.0, point.1]))?,
        None => range(all())?,
    };
    let room = times * (high - low);
    let (widest_low, widest_high) = (low - room, high + room);
    let (reach_low, reach_high) = range(all().chain([low, high]))?;
    let (low, high) = (reach_low.max(widest_low), reach_high.min(widest_high));
    let outside = |x: f64| (low - x).max(x - high);
    let beyond = [reach_low, reach_high].into_iter().filter(|x| outside(*x) > 0.0);
    let beyond = beyond.max_by(|a, b| outside(*a).total_cmp(&outside(*b)));
    Some(Clip { low, high, beyond })
}

impl Clip {
    /// Its limits with a little room; none if it has no width.
    pub(crate) fn limits(&self) -> Option<(f64, f64)> {
        let width = self.high - self.low;
        let visible = width > 1e-12 * self.high.abs().max(self.low.abs()) && width.is_finite();
        visible.then_some((self.low - 0.06 * width, self.high + 0.06 * width))
    }
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|x| x.is_finite()).fold(None, |range, x| match range {
        None => Some((x, x)),
        Some((low, high)) => Some((x.min(low), x.max(high))),
    })
}

#[cfg(test)]
mod tests {
    use super::clip;

    #[test]
    fn a_line_that_runs_away_is_cut_off() {
        let wave = [-1.0, 0.0, 1.0, f64::NAN];
        let found = clip(wave.into_iter(), [0.5, 2.0, 900.0].into_iter(), 1.0).expect("a range");
        assert_eq!((found.low, found.high, found.beyond), (-1.0, 3.0, Some(900.0)));
        let near = clip(wave.into_iter(), [0.5, 2.0].into_iter(), 1.0).expect("a range");
        assert_eq!((near.low, near.high, near.beyond), (-1.0, 2.0, None));
        let constant = clip([0.0, 0.0].into_iter(), [3.0].into_iter(), 1.0).expect("a range");
        assert_eq!((constant.low, constant.high), (0.0, 3.0));
        assert!(clip([f64::NAN].into_iter(), [].into_iter(), 1.0).is_none());
    }
}

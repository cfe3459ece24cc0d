//! A line that shows the progress of a fit.

use gradbody::learn::run::Glimpse;

use crate::progress::{self, ProgressBar};

/// The line.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new() -> Self {
        Bar(progress::spinner())
    }

    pub(super) fn show(&mut self, glimpse: &Glimpse<'_>) {
        let cost = glimpse.search.best().1;
        let sigmas = (2.0 * cost / glimpse.n_errors.max(1) as f64).sqrt();
        let of = match glimpse.limits.iterations {
            Some(most) => format!(" of {most}"),
            None => String::new(),
        };
        self.0.set_message(format!(
            "{}: iteration {}{of}, cost {cost:.6e}, error {sigmas:.3} standard deviations, {:.0} s",
            glimpse.stage.name(),
            glimpse.search.iteration(),
            glimpse.journal.seconds,
        ));
    }

    pub(super) fn finish(self) {
        self.0.finish_and_clear();
    }
}

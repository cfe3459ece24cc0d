//! A line that tells how a fit is getting on.

use std::time::Duration;

use gradbody::learn::run::Glimpse;
use indicatif::{ProgressBar, ProgressStyle};

/// The line.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::default_spinner());
        bar.enable_steady_tick(Duration::from_millis(200));
        Bar(bar)
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

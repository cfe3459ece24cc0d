//! How simulated time follows real time.

use std::time::Instant;

/// A simulation that is behind by more than this gives the rest up instead of catching up [s of real time].
const MOST_BEHIND: f64 = 0.1;
/// Real time over which the true factor is measured [s].
const MEASURED_OVER: f64 = 0.5;

/// Says how far simulated time should be, and how fast it truly goes.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    speed: f64,
    last: Instant,
    /// Simulated time that is due [s].
    due: f64,
    since: Instant,
    simulated: f64,
    factor: f64,
}

impl Pace {
    pub(crate) fn new(now: Instant) -> Self {
        Pace { speed: 1.0, last: now, due: 0.0, since: now, simulated: 0.0, factor: 0.0 }
    }

    /// Begins anew, after a pause or with another speed.
    pub(crate) fn restart(&mut self, now: Instant, speed: f64) {
        *self = Pace { speed, ..Pace::new(now) };
    }

    /// Simulated time that is due now, in steps of `dt` [s].
    pub(crate) fn due(&mut self, now: Instant, dt: f64) -> f64 {
        self.due += (now - self.last).as_secs_f64() * self.speed;
        self.last = now;
        self.due = self.due.min((MOST_BEHIND * self.speed).max(dt));
        self.due
    }

    /// A step was taken.
    pub(crate) fn stepped(&mut self, dt: f64) {
        self.due -= dt;
        self.simulated += dt;
    }

    /// Seconds simulated a second, lately.
    pub(crate) fn factor(&mut self, now: Instant) -> f64 {
        let passed = (now - self.since).as_secs_f64();
        if passed >= MEASURED_OVER {
            self.factor = self.simulated / passed;
            (self.since, self.simulated) = (now, 0.0);
        }
        self.factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn time_that_cannot_be_caught_up_is_given_up_and_the_factor_says_so() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        pace.restart(start, 2.0);
        assert!((pace.due(start + Duration::from_millis(10), 1e-3) - 0.02).abs() < 1e-12);
        pace.stepped(0.02);
        // A second later 2 s are due, of which all but 0.2 s are given up.
        let later = start + Duration::from_millis(1010);
        assert!((pace.due(later, 1e-3) - 0.2).abs() < 1e-12);
        pace.stepped(0.2);
        assert!((pace.factor(later) - 0.22 / 1.01).abs() < 1e-12);
    }
}

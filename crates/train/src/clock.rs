//! The time that training takes.

use std::time::Instant;

/// Wall-clock and processor time since some moment, on top of earlier ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    began: Instant,
    processor_began: Option<f64>,
    earlier: (f64, Option<f64>),
}

impl Clock {
    /// Goes on from earlier times.
    pub(crate) fn after(seconds: f64, processor_seconds: Option<f64>) -> Self {
        let earlier = (seconds, processor_seconds);
        Clock { began: Instant::now(), processor_began: processor_time(), earlier }
    }

    /// Wall-clock seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.earlier.0 + self.began.elapsed().as_secs_f64()
    }

    /// Seconds of all processors together; none where the system does not tell.
    pub(crate) fn processor_seconds(&self) -> Option<f64> {
        Some(self.earlier.1? + processor_time()? - self.processor_began?)
    }
}

/// Processor time of this process since it began [s].
fn processor_time() -> Option<f64> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64)
    }
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[cfg(unix)]
    #[test]
    fn work_takes_processor_time() {
        let clock = Clock::after(2.0, Some(3.0));
        let mut x = 0.0_f64;
        while clock.seconds() < 2.02 {
            x += x.sin() + 1.0;
        }
        let spent = clock.processor_seconds().expect("Unix tells") - 3.0;
        assert!(x > 0.0 && spent > 0.001, "{spent}");
    }
}

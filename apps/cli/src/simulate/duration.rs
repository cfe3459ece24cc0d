//! The number of steps of a run, and their length.

use std::io::{self, Write as _};

use anyhow::bail;

use gradbody_report::text::number;

/// The time step if neither the user nor the model asks for one [s].
const DEFAULT_DT: f64 = 1e-3;

/// Beyond this a run would take hours and its file hundreds of gigabytes: surely a mistake.
const MAX_STEPS: f64 = 1e9;

/// Times whose relative difference is smaller than this are equal.
const ROUNDING: f64 = 1e-9;

/// A time as a number of steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Duration {
    /// Time step [s].
    pub(crate) dt: f64,
    /// Number of steps.
    pub(crate) steps: u64,
}

/// A positive time from the command line.
pub(crate) fn parse(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x.is_finite() && x > 0.0 => Ok(x),
        Ok(x) if x.is_finite() => Err("a time must be greater than zero".into()),
        _ => Err("this is not a number of seconds".into()),
    }
}

impl Duration {
    /// `time` in steps of `dt`, else of the model's time step, else of the default.
    pub(crate) fn of(time: f64, dt: Option<f64>, of_model: Option<f64>) -> anyhow::Result<Self> {
        let dt = dt.or(of_model).unwrap_or(DEFAULT_DT);
        let steps = (time / dt).round();
        let (asked, shown) = (number(time), number(dt));
        if steps > MAX_STEPS || !steps.is_finite() {
            bail!(
                "{asked} s in steps of {shown} s are {} steps, more than {}; use a larger --dt or \
                 a shorter --time",
                number(steps),
                number(MAX_STEPS)
            );
        }
        if dt > time * (1.0 + ROUNDING) {
            bail!(
                "the time step of {shown} s is longer than the time of {asked} s; use a smaller --dt or a longer --time"
            );
        }
        Ok(Duration { dt, steps: steps as u64 })
    }

    /// A number of steps, of the same length as in [`Duration::of`].
    pub(crate) fn of_steps(steps: u64, dt: Option<f64>, of_model: Option<f64>) -> Self {
        Duration { dt: dt.or(of_model).unwrap_or(DEFAULT_DT), steps }
    }

    /// Says on stderr if the steps do not add up to the time asked for.
    pub(crate) fn tell_rounding(&self, asked: f64) {
        let time = self.steps as f64 * self.dt;
        if (time - asked).abs() > ROUNDING * asked {
            let (asked, time, dt) = (number(asked), number(time), number(self.dt));
            let note =
                format!("{asked} s is not a whole number of steps of {dt} s; using {time} s");
            let _ = writeln!(io::stderr(), "note: {note}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, parse};

    #[test]
    fn steps_are_counted_and_absurd_ones_refused() {
        let steps = |time, dt| Duration::of(time, Some(dt), Some(0.5)).map(|d| d.steps);
        assert_eq!(steps(1.0, 0.1).unwrap(), 10);
        assert_eq!(Duration::of(1.0, None, Some(0.5)).unwrap().steps, 2);
        assert_eq!(Duration::of(1.0, None, None).unwrap().steps, 1000);
        let error = steps(1e9, 1e-3).unwrap_err().to_string();
        assert!(error.contains("1e12 steps"), "{error}");
        let error = steps(0.1, 1.0).unwrap_err().to_string();
        assert!(error.contains("longer than the time"), "{error}");
        // Half a step would round to a whole one.
        assert!(steps(0.5, 1.0).is_err());
        assert_eq!(steps(1.0, 1.0).unwrap(), 1);
        assert!(steps(1e300, 1e-300).is_err());
        for bad in ["0", "-1", "nan", "inf", "soon", ""] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}

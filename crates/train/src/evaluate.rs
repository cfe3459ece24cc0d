//! `[evaluate]`: how good the policy is, asked on the way.

use std::fmt;
use std::str::FromStr;

use gradbody_experiment::ExperimentError;
use serde::{Deserialize, Serialize};

/// How good the policy is, asked on the way: whole episodes without noise, of the environment without random
/// parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Evaluate {
    /// Number of episodes.
    pub episodes: usize,
    /// How often: a time, as in `"10 s"`, or samples, as in `"1e5 samples"`.
    pub every: Every,
}

/// A time or a number of samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Every {
    /// Wall-clock time [s].
    Seconds(f64),
    /// Steps of the environment.
    Samples(u64),
}

impl Default for Evaluate {
    fn default() -> Self {
        Evaluate { episodes: 20, every: Every::Seconds(10.0) }
    }
}

impl FromStr for Every {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "\"{text}\" is neither a time such as \"10 s\" nor a number of samples such as \"1e5 samples\""
            )
        };
        let (number, unit) = text.trim().split_once(' ').ok_or_else(wrong)?;
        let number = number.parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
        let number = number.ok_or_else(wrong)?;
        match unit.trim() {
            "s" => Ok(Every::Seconds(number)),
            "samples" if (1.0..1e18).contains(&number) => Ok(Every::Samples(number as u64)),
            _ => Err(wrong()),
        }
    }
}

impl TryFrom<String> for Every {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Every> for String {
    fn from(every: Every) -> String {
        every.to_string()
    }
}

impl fmt::Display for Every {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Every::Seconds(seconds) => write!(f, "{seconds} s"),
            Every::Samples(samples) => write!(f, "{samples} samples"),
        }
    }
}

impl Evaluate {
    pub(crate) fn check(&self) -> Result<(), ExperimentError> {
        if !(1..=10_000).contains(&self.episodes) {
            return Err(ExperimentError::wrong("evaluate.episodes", "from 1 to 10000 episodes"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Every;

    #[test]
    fn a_time_or_samples_are_read_and_written() {
        for (text, every) in [
            ("10 s", Every::Seconds(10.0)),
            ("0.5 s", Every::Seconds(0.5)),
            ("1e5 samples", Every::Samples(100_000)),
        ] {
            assert_eq!(text.parse(), Ok(every));
            assert_eq!(every.to_string().parse(), Ok(every));
        }
        for text in ["10", "s", "-1 s", "0 samples", "0.5 samples", "10 m", "nan s", ""] {
            let error = text.parse::<Every>().expect_err(text);
            assert!(error.starts_with(&format!("\"{text}\" is neither a time")), "{error}");
        }
    }
}

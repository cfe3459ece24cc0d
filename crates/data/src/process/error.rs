//! Errors of data processing.

use crate::DataError;

/// Why data cannot be processed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProcessError {
    /// Something requested does not exist, or has the wrong unit.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A rate is not positive and finite.
    #[error("resample: a rate of {0} Hz; it must be positive and finite")]
    Rate(f64),
    /// The longest gap is not positive.
    #[error("resample: the longest gap is {0} s; it must be positive")]
    Gap(f64),
    /// Resampling would give far too many samples.
    #[error(
        "resample: \"{trajectory}\" takes {duration} s, which is {samples:.0} samples at {rate} Hz"
    )]
    TooMany {
        /// The trajectory.
        trajectory: String,
        /// Its duration [s].
        duration: f64,
        /// The rate [Hz].
        rate: f64,
        /// Number of samples: their product.
        samples: f64,
    },
    /// A window has no middle sample.
    #[error("filter: a window of {0} samples has no sample in its middle; use an odd number")]
    EvenWindow(usize),
    /// The window is too short for the polynomial.
    #[error(
        "filter: a polynomial of order {order} needs a window of at least {} samples, not {window}", .order + 1
    )]
    ShortWindow {
        /// Number of samples of the window.
        window: usize,
        /// The order of the polynomial.
        order: usize,
    },
    /// The window is too long.
    #[error("filter: a window of {0} samples; up to 10001 are allowed")]
    LongWindow(usize),
    /// The order of the polynomial is too high for double precision.
    #[error("filter: a polynomial of order {0}; orders up to 12 are computed accurately")]
    HighOrder(usize),
    /// The order of the derivative exceeds that of the polynomial.
    #[error("filter: derivative {derivative} of a polynomial of order {order} is always zero")]
    Derivative {
        /// Order of the derivative.
        derivative: usize,
        /// The order of the polynomial.
        order: usize,
    },
    /// The filter is longer than the data.
    #[error("filter: a window of {window} samples, but there are only {samples}")]
    FewSamples {
        /// Number of samples of the window.
        window: usize,
        /// Number of samples of the data.
        samples: usize,
    },
    /// The data to filter have a gap.
    #[error("filter: sample {0} is missing; resample first, which cuts at gaps")]
    Missing(usize),
    /// The samples to filter are not evenly spaced.
    #[error("filter: the samples of \"{0}\" are not evenly spaced; resample first")]
    Uneven(String),
    /// The derivative of this quantity has no unit here.
    #[error("filter: channel \"{0}\" is {1}, whose derivative has no unit here")]
    NoRate(String, crate::Dimension),
    /// The channel already exists.
    #[error("a channel \"{0}\" already exists")]
    Exists(String),
    /// The fractions of a split are invalid.
    #[error(
        "split: fractions {train}, {validation} and {test}; they must not be negative, and sum to at most one"
    )]
    Fractions {
        /// Fraction for training.
        train: f64,
        /// Fraction for validation.
        validation: f64,
        /// Fraction for testing.
        test: f64,
    },
    /// A requested part is empty.
    #[error("split: the part \"{part}\" is empty: there are only {recordings} recordings")]
    EmptyPart {
        /// The part.
        part: &'static str,
        /// Number of recordings in all.
        recordings: usize,
    },
    /// A name or pattern matches no recording.
    #[error("split: part \"{part}\": no recording matches \"{pattern}\"{hint}")]
    NoMatch {
        /// The part.
        part: &'static str,
        /// The name or pattern.
        pattern: String,
        /// The existing names, as the end of a sentence.
        hint: String,
    },
    /// A name or pattern that leaves out or trims matches no recording.
    #[error("{key}: no recording matches \"{pattern}\"{hint}")]
    NoRecording {
        /// The option.
        key: &'static str,
        /// The name or pattern.
        pattern: String,
        /// The existing names, as the end of a sentence.
        hint: String,
    },
    /// The times to keep are not in order.
    #[error(
        "trim: from {from} s to {to} s; both are seconds after the first sample, and the first is smaller"
    )]
    Trim {
        /// The first time that is kept [s].
        from: f64,
        /// The last time that is kept [s].
        to: f64,
    },
    /// Hardly anything of a recording is kept.
    #[error(
        "trim: \"{recording}\" takes {duration:.4} s; of {from} s to {to} s, {samples} of its samples are left, and at \
         least 2 are needed"
    )]
    TrimmedAway {
        /// The recording.
        recording: String,
        /// Its duration [s].
        duration: f64,
        /// The first time that is kept [s].
        from: f64,
        /// The last time that is kept [s].
        to: f64,
        /// Number of samples that are left.
        samples: usize,
    },
    /// A recording is in two parts.
    #[error("split: \"{recording}\" is in two parts, \"{first}\" and \"{second}\"")]
    Overlap {
        /// The recording.
        recording: String,
        /// One part.
        first: &'static str,
        /// Another part.
        second: &'static str,
    },
}

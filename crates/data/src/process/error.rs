//! Why data cannot be processed as asked.

use crate::DataError;

/// Why data cannot be processed as asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProcessError {
    /// Something asked for is not there, or is something else.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A rate that no clock has.
    #[error("resample: a rate of {0} Hz; it must be positive and finite")]
    Rate(f64),
    /// A gap that is no time.
    #[error("resample: the longest gap is {0} s; it must be positive")]
    Gap(f64),
    /// More samples than make sense.
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
        /// Their product.
        samples: f64,
    },
    /// A window without middle.
    #[error("filter: a window of {0} samples has no sample in its middle; use an odd number")]
    EvenWindow(usize),
    /// A polynomial that the window does not determine.
    #[error(
        "filter: a polynomial of order {order} needs a window of at least {} samples, not {window}", .order + 1
    )]
    ShortWindow {
        /// The samples of the window.
        window: usize,
        /// The order of the polynomial.
        order: usize,
    },
    /// A window that no recording fills.
    #[error("filter: a window of {0} samples; up to 10001 are allowed")]
    LongWindow(usize),
    /// A polynomial of an order that double precision does not carry.
    #[error("filter: a polynomial of order {0}; orders up to 12 are computed accurately")]
    HighOrder(usize),
    /// A derivative that the polynomial does not have.
    #[error("filter: derivative {derivative} of a polynomial of order {order} says nothing")]
    Derivative {
        /// Which derivative.
        derivative: usize,
        /// The order of the polynomial.
        order: usize,
    },
    /// A filter longer than what it filters.
    #[error("filter: a window of {window} samples, but there are only {samples}")]
    FewSamples {
        /// The samples of the window.
        window: usize,
        /// The samples there are.
        samples: usize,
    },
    /// A filter over a gap.
    #[error("filter: sample {0} is missing; resample first, which cuts at gaps")]
    Missing(usize),
    /// A filter over uneven times.
    #[error("filter: the samples of \"{0}\" are not evenly spaced; resample first")]
    Uneven(String),
    /// A derivative of something that has none with a unit.
    #[error("filter: channel \"{0}\" is {1}, whose derivative has no unit here")]
    NoRate(String, crate::Dimension),
    /// A channel that is there already.
    #[error("there is a channel \"{0}\" already")]
    Exists(String),
    /// Parts that are no parts.
    #[error(
        "split: fractions {train}, {validation} and {test}; they must not be negative and sum to one"
    )]
    Fractions {
        /// Of training.
        train: f64,
        /// Of validation.
        validation: f64,
        /// Of testing.
        test: f64,
    },
    /// A part that was asked for and has nothing.
    #[error(
        "split: the part \"{part}\" is empty: there are {recordings} recordings for it to be taken from"
    )]
    EmptyPart {
        /// The part.
        part: &'static str,
        /// How many recordings there are in all.
        recordings: usize,
    },
    /// A name or pattern of nothing.
    #[error("split: part \"{part}\": no recording fits \"{pattern}\"{hint}")]
    NoMatch {
        /// The part.
        part: &'static str,
        /// The name or pattern.
        pattern: String,
        /// The names that there are, as the end of a sentence.
        hint: String,
    },
    /// A recording in two parts.
    #[error("split: \"{recording}\" is in two parts, \"{first}\" and \"{second}\"")]
    Overlap {
        /// The recording.
        recording: String,
        /// A part it is in.
        first: &'static str,
        /// Another.
        second: &'static str,
    },
}

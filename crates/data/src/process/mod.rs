//! Preparing measured data for a model: angles without jumps, uniform rates, derivatives, and parts for training,
//! validation and testing.

mod error;
mod resample;
mod savitzky_golay;
mod split;
mod trim;
mod unwrap;

pub use error::ProcessError;
pub use resample::{Interpolation, Resample};
pub use savitzky_golay::SavitzkyGolay;
pub use split::{Fractions, Named, Parts, Split};
pub use trim::{Trim, exclude, one_or_many_trims};
pub use unwrap::unwrap_angles;

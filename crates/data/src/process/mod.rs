//! What was measured, made fit for a model: angles without jumps, uniform rates, derivatives, parts to learn from
//! and to be judged by.

mod error;
mod resample;
mod savitzky_golay;
mod split;
mod unwrap;

pub use error::ProcessError;
pub use resample::{Interpolation, Resample};
pub use savitzky_golay::SavitzkyGolay;
pub use split::{Fractions, Named, Parts, Split};
pub use unwrap::unwrap_angles;

//! What was measured: trajectories of named channels, with their units, rates and gaps.
//!
//! [`read`] turns files into a [`DataSet`] as [`ReadOptions`] say; [`look_over`] doubts what was read; [`process`]
//! makes it fit for a model; [`sets`] knows sets that others have published. Values are in SI units from here on, and
//! a value that is missing is NaN: a gap.

mod csv_file;
mod error;
mod files;
mod fingerprint;
mod look_over;
#[cfg(feature = "mcap")]
mod mcap_file;
mod npy_file;
mod options;
mod pattern;
pub mod process;
mod read;
pub mod sets;
mod short_form;
pub mod suggest;
mod table;
mod trajectory;
mod unit;

pub use error::{DataError, Place};
pub use fingerprint::Fingerprint;
pub use look_over::{Doubt, fold, look_over};
pub use options::{ChannelOptions, Delimiter, Format, Missing, ReadOptions, TimeColumn};
pub use read::read;
pub use read::read_and_unused;
use read::table as read_table;
pub use short_form::one_or_many;
pub use trajectory::{Channel, DataSet, Trajectory};
pub use unit::{Dimension, Unit};

//! Measured data: trajectories of named channels, with their units, rates and gaps.
//!
//! [`read`] turns files into a [`DataSet`] according to [`ReadOptions`]; [`look_over`] looks for likely mistakes;
//! [`process`] prepares data for a model; [`sets`] reads published data sets. All values are in SI units, and a missing
//! value is NaN: a gap.

mod csv_file;
mod error;
mod files;
mod fingerprint;
mod look_over;
#[cfg(feature = "mcap")]
mod mcap_file;
mod natural_order;
mod npy_file;
mod options;
pub mod process;
mod read;
pub mod sets;
mod short_form;
mod table;
mod trajectory;
mod unit;

pub use error::{DataError, Place};
pub use fingerprint::Fingerprint;
pub use look_over::{Doubt, Told, fold, look_over, look_over_told};
pub use options::{ChannelOptions, Delimiter, Format, Missing, ReadOptions, TimeColumn};
pub use read::read;
pub use read::read_and_unused;
use read::table as read_table;
pub use short_form::one_or_many;
pub use trajectory::{Channel, DataSet, Trajectory};
pub use unit::{Dimension, Unit};

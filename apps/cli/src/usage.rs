//! Errors in the command line that are found only once the model is known.

use std::fmt;

/// An error in the command line, as opposed to work that failed.
#[derive(Debug)]
pub struct Usage(pub String);

impl Usage {
    /// The exit status, the same as clap's.
    pub const EXIT_STATUS: u8 = 2;
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

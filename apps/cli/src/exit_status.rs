//! Exit status as a plain number, for programs that embed this one.

use std::process::{ExitCode, Termination};

/// An exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitStatus(u8);

impl ExitStatus {
    /// All went well.
    pub const SUCCESS: Self = ExitStatus(0);
    /// The work failed.
    pub const FAILURE: Self = ExitStatus(1);

    /// The number that the shell sees.
    pub fn number(self) -> u8 {
        self.0
    }
}

impl From<u8> for ExitStatus {
    fn from(number: u8) -> Self {
        ExitStatus(number)
    }
}

impl Termination for ExitStatus {
    fn report(self) -> ExitCode {
        ExitCode::from(self.0)
    }
}

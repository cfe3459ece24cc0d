//! Opening the page in the user's browser.

use std::io::{self, Write as _};
use std::process::{Command, Stdio};

/// Opens an address with the desktop's own program; if there is none, says how to go on.
pub(super) fn open(address: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.spawn() {
        // A child that nobody waits for would stay in the table of processes.
        Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
        Err(_) => {
            let note = "note: no browser was opened; open the address above yourself";
            let _ = writeln!(io::stderr(), "{note}");
        }
    }
}

//! Ctrl-C as a request to stop, so that the results so far can be written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Knows whether the user has asked to stop.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on; a second Ctrl-C ends the program at once.
    pub(crate) fn listen() -> Self {
        let asked = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&asked);
        // Where there are no signals to listen to, Ctrl-C keeps its usual meaning.
        let _ = ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(EXIT_STATUS.into());
            }
        });
        Interrupt(asked)
    }

    /// Calls `stop` at the first Ctrl-C; a second one ends the program at once.
    pub(crate) fn calls(stop: impl Fn() + Send + 'static) {
        let asked = AtomicBool::new(false);
        let _ = ctrlc::set_handler(move || match asked.swap(true, Ordering::Relaxed) {
            true => std::process::exit(EXIT_STATUS.into()),
            false => stop(),
        });
    }

    /// True once the user has asked.
    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The usual exit status of a program ended by Ctrl-C.
pub(crate) const EXIT_STATUS: u8 = 130;

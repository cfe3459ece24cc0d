//! Any text at all, read as a MJCF file: a model or a message, never a panic.
#![no_main]

use std::path::Path;

use gradbody_model::import::{ImportOptions, from_text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // Only texts of this format; the other has a target of its own.
    if text.contains("<mujoco") {
        let _ = from_text(text, Path::new("fuzz.mjcf"), &ImportOptions::default());
        let repair = ImportOptions { repair_inertia: true, ..ImportOptions::default() };
        let _ = from_text(text, Path::new("fuzz.mjcf"), &repair);
    }
});

//! Rapier in Rust, a project of its own.

use std::process::Command;

use super::FOLDER;

/// Builds the benchmark with this repository's compiler flags; returns the program.
pub(super) fn build() -> anyhow::Result<String> {
    let target = format!("{FOLDER}/rapier");
    crate::run(
        "compiling Rapier (minutes)",
        Command::new("cargo")
            .args(["build", "--release", "--locked", "--target-dir", &target])
            .args(["--manifest-path", "benches/peers/rapier/Cargo.toml"]),
    )?;
    Ok(format!("{target}/release/rapier-peer"))
}

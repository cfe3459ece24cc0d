//! Crocoddyl in C++, compiled for this machine like Pinocchio, its solvers too.

use std::path::Path;
use std::process::Command;

use anyhow::bail;

use super::{FOLDER, is_newer, pinocchio, site_packages};

const SOURCE: &str = "benches/peers/crocoddyl.cpp";
/// The headers. The library in this package is for any machine and not used.
const PACKAGE: &str = "libcrocoddyl==3.2.1";
/// Where its source archive is unpacked, for the solvers.
const UNPACKED: &str = "target/peers/crocoddyl-3.2.1";
const SOLVERS: [&str; 5] = [
    "solver-base.cpp",
    "solvers/ddp.cpp",
    "solvers/fddp.cpp",
    "utils/exception.cpp",
    "utils/stop-watch.cpp",
];

/// Builds the benchmark; returns the program.
pub(super) fn build() -> anyhow::Result<String> {
    let binary = format!("{FOLDER}/crocoddyl");
    if is_newer(&binary, SOURCE) {
        return Ok(binary);
    }
    if !Path::new(UNPACKED).exists() {
        bail!(
            "its solvers are compiled from source: unpack the source archive of Crocoddyl 3.2.1 to {UNPACKED}"
        );
    }
    let venv = pinocchio::environment()?;
    crate::run(
        "Crocoddyl's headers",
        Command::new(format!("{venv}/bin/pip")).args(["install", "--quiet", "--no-deps", PACKAGE]),
    )?;
    let prefix = site_packages(&venv)?.join("cmeel.prefix");
    let solvers = SOLVERS.map(|file| format!("{UNPACKED}/src/core/{file}"));
    let sources = [&[SOURCE.to_owned()], &solvers[..]].concat();
    let mut compiler = pinocchio::compiler(&prefix, &sources)?;
    // Crocoddyl includes some of Pinocchio's headers by their former names.
    compiler.arg("-isystem").arg(prefix.join("include/pinocchio/deprecated"));
    crate::run("compiling Crocoddyl (minutes)", compiler.args(["-o", &binary]))?;
    Ok(binary)
}

//! Pinocchio in C++.

use std::process::Command;

use anyhow::bail;

use super::{FOLDER, is_newer, site_packages};

const SOURCE: &str = "benches/peers/pinocchio.cpp";
/// Pinocchio as a library, with the headers it needs.
const PACKAGES: [&str; 3] = ["libpinocchio==4.1.0", "cmeel-eigen==3.4.1", "cmeel-boost==1.90.0"];

/// Builds the benchmark; returns the program.
pub(super) fn build() -> anyhow::Result<String> {
    let binary = format!("{FOLDER}/pinocchio");
    if is_newer(&binary, SOURCE) {
        return Ok(binary);
    }
    if Command::new("clang++").arg("--version").output().is_err() {
        bail!("clang++ is needed (apt-get install clang): g++ makes Pinocchio up to twice as slow");
    }
    let venv = format!("{FOLDER}/venv");
    crate::run("environment", Command::new("python3").args(["-m", "venv", &venv]))?;
    crate::run(
        "Pinocchio's library",
        Command::new(format!("{venv}/bin/pip")).args(["install", "--quiet"]).args(PACKAGES),
    )?;
    let prefix = site_packages(&venv)?.join("cmeel.prefix");
    let include = prefix.join("include");
    crate::run(
        "compiling Pinocchio (minutes)",
        Command::new("clang++")
            .args(["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w"])
            .args(["-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30"])
            .args(["-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"])
            .arg("-isystem")
            .arg(&include)
            .arg("-isystem")
            .arg(include.join("eigen3"))
            .args([SOURCE, "-o", &binary, "-lboost_serialization"])
            .arg(format!("-L{}", prefix.join("lib").display()))
            .arg(format!("-Wl,-rpath,{}", prefix.join("lib").canonicalize()?.display())),
    )?;
    Ok(binary)
}

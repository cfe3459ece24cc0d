//! Pinocchio in C++.

use std::ffi::OsStr;
use std::path::Path;
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
    let prefix = site_packages(&environment()?)?.join("cmeel.prefix");
    let mut compiler = compiler(&prefix, &[SOURCE])?;
    crate::run("compiling Pinocchio (minutes)", compiler.args(["-o", &binary]))?;
    Ok(binary)
}

/// Installs Pinocchio's headers and libraries; returns the Python environment that they are in.
pub(super) fn environment() -> anyhow::Result<String> {
    let venv = format!("{FOLDER}/venv");
    if !Path::new(&venv).join("bin/pip").exists() {
        crate::run("environment", Command::new("python3").args(["-m", "venv", &venv]))?;
    }
    crate::run(
        "Pinocchio's library",
        Command::new(format!("{venv}/bin/pip")).args(["install", "--quiet"]).args(PACKAGES),
    )?;
    Ok(venv)
}

/// The command that compiles a program of these files, with the headers and libraries in `prefix`.
pub(super) fn compiler(prefix: &Path, sources: &[impl AsRef<OsStr>]) -> anyhow::Result<Command> {
    if Command::new("clang++").arg("--version").output().is_err() {
        bail!("clang++ is needed (apt-get install clang): g++ makes Pinocchio up to twice as slow");
    }
    let include = prefix.join("include");
    let library = prefix.join("lib").canonicalize()?;
    let mut command = Command::new("clang++");
    command
        .args(["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w"])
        .args(["-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30"])
        .args(["-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"])
        .arg("-isystem")
        .arg(&include)
        .arg("-isystem")
        .arg(include.join("eigen3"))
        .args(sources)
        .arg("-lboost_serialization")
        .arg(format!("-L{}", library.display()))
        .arg(format!("-Wl,-rpath,{}", library.display()));
    Ok(command)
}

//! MuJoCo in C: the library of the Python package that tests compare with.

use std::process::Command;

use anyhow::Context as _;

use super::{FOLDER, is_newer, site_packages};

const SOURCE: &str = "benches/peers/mujoco.c";

/// Builds the benchmark; returns the program.
pub(super) fn build() -> anyhow::Result<String> {
    let binary = format!("{FOLDER}/mujoco");
    if is_newer(&binary, SOURCE) {
        return Ok(binary);
    }
    let package = site_packages(".venv")?.join("mujoco").canonicalize()?;
    let is_library = |name: &str| name.starts_with("libmujoco.so");
    let library = std::fs::read_dir(&package)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.file_name().and_then(|n| n.to_str()).is_some_and(is_library))
        .with_context(|| format!("no libmujoco.so in {}", package.display()))?;
    crate::run(
        "compiling MuJoCo's benchmark",
        Command::new("clang")
            .args(["-std=c11", "-D_GNU_SOURCE", "-O3", "-march=native", "-isystem"])
            .arg(package.join("include"))
            .args([SOURCE, "-o", &binary])
            .arg(&library)
            .arg("-lm")
            .arg(format!("-Wl,-rpath,{}", package.display())),
    )?;
    Ok(binary)
}

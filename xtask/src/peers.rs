//! `cargo xtask peers`: Pinocchio in C++ and gradbody, built for this machine and for any, on the
//! same models in the same run.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};
use serde::Deserialize;

use crate::{cargo, python_environment};

const FOLDER: &str = "target/peers";
const SOURCE: &str = "benches/peers/pinocchio.cpp";
/// Pinocchio as a library, with the headers it needs.
const PACKAGES: [&str; 3] = ["libpinocchio==4.1.0", "cmeel-eigen==3.4.1", "cmeel-boost==1.90.0"];

/// One measured figure: a line that any of the programs prints.
#[derive(Deserialize)]
struct Row {
    #[serde(rename = "fn")]
    function: String,
    model: String,
    scalar: String,
    us_min: f64,
}

pub(crate) fn run() -> anyhow::Result<()> {
    let python = python_environment()?;
    let pinocchio = build_pinocchio()?;
    let models = format!("{FOLDER}/models");
    crate::run("models", Command::new(&python).args(["scripts/peer_models.py", &models]))?;
    cargo("native build", &["build", "--release"])?;
    crate::run(
        "portable build",
        Command::new("cargo")
            .args(["build", "--release", "--target-dir", "target/portable"])
            .env("RUSTFLAGS", "-C target-cpu=x86-64"),
    )?;
    println!("\n== measuring (a few minutes; a quiet machine gives better figures)");
    let bench = ["bench", "--json", "--time", "300"];
    let native = measure(Command::new("target/release/gradbody").args(bench))?;
    let mut names: Vec<&str> = native.iter().map(|row| row.model.as_str()).collect();
    names.dedup();
    let peer = measure(Command::new(&pinocchio).arg(&models).args(&names))?;
    let portable = measure(Command::new("target/portable/release/gradbody").args(bench))?;
    table(&names, &peer, &native, &portable)
}

fn build_pinocchio() -> anyhow::Result<String> {
    let binary = format!("{FOLDER}/pinocchio");
    let changed = |path: &str| Path::new(path).metadata().and_then(|m| m.modified());
    if changed(&binary).is_ok_and(|built| changed(SOURCE).is_ok_and(|source| source < built)) {
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
    let site = std::fs::read_dir(format!("{venv}/lib"))?.next().context("no Python library")??;
    let prefix = site.path().join("site-packages/cmeel.prefix");
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

/// Runs a benchmark and reads the lines it prints.
fn measure(command: &mut Command) -> anyhow::Result<Vec<Row>> {
    let output = command
        .output()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        bail!("{}: {}: {message}", command.get_program().display(), output.status);
    }
    let text = String::from_utf8(output.stdout)?;
    text.lines().map(|line| serde_json::from_str(line).context("a benchmark's line")).collect()
}

/// Per model and function: the peer's best time, and ours as a share of it for each scalar.
fn table(names: &[&str], peer: &[Row], native: &[Row], portable: &[Row]) -> anyhow::Result<()> {
    let scalars = ["f64", "f32", "f64x8", "f32x16"];
    println!(
        "\nPer world: Pinocchio's best time, ours as a share of it, and the portable build's time"
    );
    println!("as a share of the native one's.\n");
    println!(
        "| model | fn | Pinocchio µs | f64 | f32 | f64x8 | f32x16 | portable f64x8 | f32x16 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for model in names {
        for function in ["aba", "rnea", "crba", "kinematics"] {
            let best = peer
                .iter()
                .filter(|r| r.model == *model && r.function.starts_with(function))
                .map(|r| r.us_min)
                .reduce(f64::min)
                .with_context(|| format!("Pinocchio has no {function} of {model}"))?;
            let of = |rows: &[Row], scalar: &str| -> anyhow::Result<f64> {
                let is_it =
                    |r: &&Row| r.model == *model && r.function == function && r.scalar == scalar;
                let row = rows.iter().find(is_it);
                Ok(row.with_context(|| format!("no {function} of {model} in {scalar}"))?.us_min)
            };
            let mut line = format!("| {model} | {function} | {best:.3} |");
            for scalar in scalars {
                line += &format!(" {:.3} |", of(native, scalar)? / best);
            }
            for scalar in ["f64x8", "f32x16"] {
                line += &format!(" {:.2} |", of(portable, scalar)? / of(native, scalar)?);
            }
            println!("{line}");
        }
    }
    Ok(())
}

//! `cargo xtask peers`: Pinocchio in C++ and gradbody, on the same models in the same run.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::{cargo, python_environment};

const FOLDER: &str = "target/peers";
/// Pinocchio as a library, with the headers it needs.
const PACKAGES: [&str; 3] = ["libpinocchio==4.1.0", "cmeel-eigen==3.4.1", "cmeel-boost==1.90.0"];
const MODELS: [&str; 11] = [
    "laikago",
    "humanoid",
    "panda",
    "double_pendulum",
    "chain2",
    "chain4",
    "chain8",
    "chain16",
    "chain32",
    "chain64",
    "chain128",
];

fn run_peer(binary: &str, models: &str) -> anyhow::Result<Vec<Row>> {
    let output = Command::new(binary)
        .arg(models)
        .args(MODELS)
        .output()
        .with_context(|| format!("cannot start {binary}"))?;
    rows(&output.stdout)
}

/// One measured figure.
struct Row {
    function: String,
    model: String,
    scalar: String,
    us: f64,
}

pub(crate) fn run() -> anyhow::Result<()> {
    let python = python_environment()?;
    let binary = build_pinocchio()?;
    let models = format!("{FOLDER}/models");
    crate::run("models", Command::new(&python).args(["scripts/peer_models.py", &models]))?;
    cargo("release build", &["build", "--release"])?;
    println!("\n== measuring (a few minutes)");
    let peer = run_peer(&binary, &models)?;
    let ours = Command::new("target/release/gradbody")
        .args(["bench", "--json", "--time", "300"])
        .output()
        .context("cannot start gradbody")?;
    table(&peer, &rows(&ours.stdout)?);
    Ok(())
}

fn build_pinocchio() -> anyhow::Result<String> {
    let binary = format!("{FOLDER}/pinocchio");
    if Path::new(&binary).exists() {
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
            .args(["benches/peers/pinocchio.cpp", "-o", &binary, "-lboost_serialization"])
            .arg(format!("-L{}", prefix.join("lib").display()))
            .arg(format!("-Wl,-rpath,{}", prefix.join("lib").canonicalize()?.display())),
    )?;
    Ok(binary)
}

/// Reads the JSON lines that every benchmark prints. They are flat, so no parser is needed.
fn rows(text: &[u8]) -> anyhow::Result<Vec<Row>> {
    let field = |line: &str, key: &str| -> Option<String> {
        let rest = &line[line.find(&format!("\"{key}\":"))? + key.len() + 3..];
        Some(rest.split([',', '}']).next()?.trim_matches('"').to_owned())
    };
    let parse = |line: &str| -> Option<Row> {
        Some(Row {
            function: field(line, "fn")?,
            model: field(line, "model")?,
            scalar: field(line, "scalar")?,
            us: field(line, "us_min")?.parse().ok()?,
        })
    };
    let rows: Vec<Row> = String::from_utf8_lossy(text).lines().filter_map(parse).collect();
    if rows.is_empty() { bail!("a benchmark printed nothing") } else { Ok(rows) }
}

/// Per model and function: the peer's best time, and ours as a share of it for each scalar.
fn table(peer: &[Row], ours: &[Row]) {
    println!("\n{:<16} {:<11} {:>12}   ours / Pinocchio, per world", "model", "fn", "Pinocchio µs");
    println!("{:<41}   {:>7} {:>7} {:>7} {:>7}", "", "f64", "f32", "f64x8", "f32x16");
    for model in MODELS {
        for function in ["aba", "rnea", "crba", "kinematics"] {
            let best = peer
                .iter()
                .filter(|r| r.model == model && r.function.starts_with(function))
                .map(|r| r.us)
                .fold(f64::INFINITY, f64::min);
            let ratios: BTreeMap<&str, f64> = ours
                .iter()
                .filter(|r| r.model == model && r.function == function)
                .map(|r| (r.scalar.as_str(), r.us / best))
                .collect();
            let ratio = |scalar| ratios.get(scalar).map_or("-".into(), |x| format!("{x:.3}"));
            println!(
                "{model:<16} {function:<11} {best:>12.3}   {:>7} {:>7} {:>7} {:>7}",
                ratio("f64"),
                ratio("f32"),
                ratio("f64x8"),
                ratio("f32x16")
            );
        }
    }
}

//! `cargo xtask peers`: other simulators and gradbody, built for this machine and for any, on the same
//! models in the same run. Pinocchio has kinematics and dynamics, MuJoCo a robot with contacts, Rapier
//! heaps of boxes. The first two have derivatives too.
//!
//! `cargo xtask peers control` compares plans: with Crocoddyl, and with iLQR on MuJoCo.

mod crocoddyl;
mod mujoco;
mod pinocchio;
mod rapier;
mod tables;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use serde::Deserialize;

use crate::{builds, python_environment};
use tables::Ours;

const FOLDER: &str = "target/peers";
/// Shortest time spent on each figure, in milliseconds.
const TIME: &str = "300";
/// The measured functions that a peer has too.
const FUNCTIONS: [&str; 7] =
    ["kinematics", "aba", "rnea", "crba", "forward_dynamics_vjp", "step", "step_vjp"];

/// One measured figure: a line that any of the programs prints.
#[derive(Deserialize)]
struct Row {
    peer: String,
    version: Option<String>,
    #[serde(rename = "fn")]
    function: String,
    model: String,
    scalar: String,
    us_min: f64,
    /// Of steps, mean number of contacts, and of iterations of the peer's solver.
    #[serde(default)]
    contacts: f64,
    #[serde(default)]
    iterations: f64,
    solver: Option<String>,
    cone: Option<String>,
    integrator: Option<String>,
    warm_start: Option<bool>,
}

pub(crate) fn run() -> anyhow::Result<()> {
    let python = python_environment()?;
    let pinocchio = pinocchio::build()?;
    let mujoco = mujoco::build()?;
    let rapier = rapier::build()?;
    let models = format!("{FOLDER}/models");
    crate::run("models", Command::new(&python).args(["scripts/peer_models.py", &models]))?;
    builds::build()?;
    println!("\n== measuring (some ten minutes; a quiet machine gives better figures)");
    let mut bench = vec!["--json", "--models", &models, "--time", TIME];
    bench.extend(FUNCTIONS.into_iter().flat_map(|function| ["--only", function]));
    let scenes = ["laikago_plane.xml", "ant.xml"].map(|file| format!("{models}/{file}"));
    let native = measure(Command::new(builds::NATIVE).args(&bench))?;
    let mut steps = measure(Command::new(&mujoco).args(&scenes).arg(TIME))?;
    let piles = ["--time", TIME, "pile10", "pile50", "pile200"];
    steps.extend(measure(Command::new(&rapier).args(piles))?);
    let portable = measure(Command::new(builds::PORTABLE).args(bench))?;
    let ours = Ours { native, portable };
    let names = ours.algorithm_models();
    let algorithms = measure(Command::new(&pinocchio).arg(&models).args(names))?;
    tables::algorithms(&algorithms, &ours)?;
    tables::steps(&steps, &ours)
}

/// Plans, beside Crocoddyl and beside iLQR by finite differences of MuJoCo.
pub(crate) fn control() -> anyhow::Result<()> {
    let python = python_environment()?;
    let models = format!("{FOLDER}/models");
    crate::run("models", Command::new(&python).args(["scripts/peer_models.py", &models]))?;
    builds::build_native()?;
    let mut script = Command::new(&python);
    script.args(["scripts/control_peers.py", "--models", &models]);
    match crocoddyl::build() {
        Ok(program) => {
            script.args(["--crocoddyl", &program]);
        }
        Err(missing) => println!("\nCrocoddyl cannot be measured: {missing:#}"),
    }
    crate::run("plans", &mut script)
}

/// Whether a program was built after its source was last changed.
fn is_newer(binary: &str, source: &str) -> bool {
    let changed = |path: &str| Path::new(path).metadata().and_then(|m| m.modified());
    changed(binary).is_ok_and(|built| changed(source).is_ok_and(|source| source < built))
}

/// Where a Python environment has its packages.
fn site_packages(venv: &str) -> anyhow::Result<PathBuf> {
    let library =
        std::fs::read_dir(format!("{venv}/lib"))?.next().context("no Python library")??;
    Ok(library.path().join("site-packages"))
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

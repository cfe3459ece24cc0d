//! `cargo xtask builds`: the times of a portable build as multiples of those of a native one.
//!
//! Both programs run in turn, several rounds long, so that whatever else the machine does slows both alike. A figure is
//! the least of all rounds.

use std::process::Command;

use anyhow::{Context as _, bail};
use serde::Deserialize;

use crate::{cargo, run};

/// The package of the program that measures.
const PROGRAM: &str = "gradbody-experiments";
pub(crate) const NATIVE: &str = "target/release/measure";
pub(crate) const PORTABLE: &str = "target/portable/release/measure";
/// What is measured unless something else is named.
const USUAL: [&str; 8] = [
    "step",
    "step_vjp",
    "rollout",
    "rollout_vjp",
    "laikago_stand",
    "laikago_trot",
    "ant_stand",
    "pile10",
];

/// A line of the program.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "fn")]
    function: String,
    model: String,
    scalar: String,
    /// Of rollouts.
    steps: Option<f64>,
    us_min: f64,
}

/// A measured function, and the least time of each build [µs].
struct Figure {
    what: String,
    native: f64,
    portable: f64,
}

/// Builds the program for this machine.
pub(crate) fn build_native() -> anyhow::Result<()> {
    cargo("native build", &["build", "--release", "--package", PROGRAM])
}

/// Builds both programs.
pub(crate) fn build() -> anyhow::Result<()> {
    build_native()?;
    run(
        "portable build",
        Command::new("cargo")
            .args(["build", "--release", "--package", PROGRAM, "--target-dir", "target/portable"])
            .env("RUSTFLAGS", "-C target-cpu=x86-64"),
    )
}

/// Prints a table. `only` are names that `measure --only` knows.
pub(crate) fn compare(rounds: &str, only: &[&str]) -> anyhow::Result<()> {
    let rounds: u32 = rounds.parse().context("ROUNDS")?;
    build()?;
    let only = if only.is_empty() { &USUAL } else { only };
    let mut figures: Vec<Figure> = Vec::new();
    for round in 1..=rounds {
        println!("== round {round} of {rounds}");
        let (native, portable) = (measure(NATIVE, only)?, measure(PORTABLE, only)?);
        if native.len() != portable.len() {
            bail!("the two builds measure different functions");
        }
        for (i, (native, portable)) in native.iter().zip(&portable).enumerate() {
            let new =
                Figure { what: name(native), native: native.us_min, portable: portable.us_min };
            match figures.get_mut(i) {
                Some(figure) => {
                    figure.native = figure.native.min(new.native);
                    figure.portable = figure.portable.min(new.portable);
                }
                None => figures.push(new),
            }
        }
    }
    println!("\n| measured | native µs | portable µs | portable / native |\n|---|---|---|---|");
    for Figure { what, native, portable } in figures {
        println!("| {what} | {native:.3} | {portable:.3} | {:.2} |", portable / native);
    }
    Ok(())
}

fn name(line: &Line) -> String {
    let Line { function, model, scalar, steps, .. } = line;
    let steps = steps.map_or(String::new(), |n| format!(", {n} steps"));
    format!("{model}, {function}{steps}, {scalar}")
}

fn measure(program: &str, only: &[&str]) -> anyhow::Result<Vec<Line>> {
    let mut command = Command::new(program);
    command.arg("--json").args(only.iter().flat_map(|name| ["--only", name]));
    let output = command.output().with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        bail!("{program}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8(output.stdout)?;
    text.lines().map(|line| serde_json::from_str(line).context("a line of figures")).collect()
}

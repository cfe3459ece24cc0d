//! The page of the viewer: what is built of it is what is committed, and its tests in Chromium.

use std::path::Path;
use std::process::Command;

use crate::{cargo, run};

const PAGE: &str = "crates/view/page";
/// Debian's Chromium draws without a graphics card.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Builds the program, then as [`test`].
pub(crate) fn alone() -> anyhow::Result<()> {
    cargo("the program", &["build", "--release"])?;
    test("target/release/gradbody")
}

/// Checks the page's built files, and runs its tests with this program.
pub(crate) fn test(program: &str) -> anyhow::Result<()> {
    let missing: Vec<&str> = [
        (answers("node"), "nodejs"),
        (answers("npm"), "npm"),
        (Path::new(CHROMIUM).exists(), "chromium"),
    ]
    .into_iter()
    .filter(|(is_there, _)| !is_there)
    .map(|(_, package)| package)
    .collect();
    if !missing.is_empty() {
        run("apt-get update", Command::new("apt-get").args(["update", "-qq"]))?;
        run(
            "node and Chromium",
            Command::new("apt-get").args(["install", "-y", "-qq"]).args(missing),
        )?;
    }
    if !installed() {
        run(
            "npm packages of the page",
            Command::new("npm").args(["ci", "--silent"]).current_dir(PAGE),
        )?;
        std::fs::copy(format!("{PAGE}/package-lock.json"), STAMP)?;
    }
    let program = std::path::absolute(program)?;
    run(
        "the page's built files",
        Command::new("node").args(["build.mjs", "--check"]).current_dir(PAGE),
    )?;
    // One file after the other: a browser that draws by software takes all cores.
    run(
        "tests of the page in Chromium",
        Command::new("node")
            .args(["--test", "--test-concurrency=1", "tests/"])
            .env("GRADBODY", program)
            .current_dir(PAGE),
    )
}

/// Whether a program tells its version.
fn answers(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The lock file that was installed last.
const STAMP: &str = "crates/view/page/node_modules/installed.json";

fn installed() -> bool {
    let read = |file: &str| std::fs::read(file).ok();
    read(STAMP).is_some_and(|lock| read(&format!("{PAGE}/package-lock.json")) == Some(lock))
}

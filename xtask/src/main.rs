//! Tasks of this repository; `cargo xtask help` lists them.

mod bits;
mod builds;
mod docs;
mod peers;
mod python;
mod view;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context as _, bail};

const HELP: &str = "\
cargo xtask TASK

  test            install what the tests need (into .venv) and run every check and test
  golden          write tests/golden anew from Pinocchio, MuJoCo and Gymnasium
  fuzz [SECONDS]  fuzz both importers, SECONDS each (60); needs a nightly toolchain
  bits REVISION   compare the bits of states and gradients with those of another revision
  bits --against FILE
                  the same with a file that the example `bits` printed
  contact [POSES] check gradients, residual and cost of contact on our models and Gymnasium's, from POSES
                  random poses each (10); writes target/contact_matrix.md and target/contact_cost.md
  portable        build for any machine (target/portable) and check that it agrees
  python          build the Python package, install it into .venv, and run its tests
  wheel           build wheels that may be published, for glibc 2.28 and newer: for all Pythons from 3.11 on, and for
                  the free-threaded 3.14; in target/wheels
  docs            build the notebooks, with their results, and the API in Python and in Rust as HTML: target/docs
  view            check that the page of the viewer is what its sources give, and test it in Chromium
  builds [ROUNDS] [NAME...]
                  measure the native and the portable build in turn, ROUNDS times (5), or only the NAMEs that
                  `cargo measure --only` knows; prints the ratios
  peers           measure Pinocchio, MuJoCo, Rapier and gradbody on the same models; prints the ratios
  peers python    build the Python package and measure what Python adds to Rust, and steps and gradients a second beside
                  other simulators; prints tables
  peers control   measure planning by gradbody, Crocoddyl, and iLQR by differences of MuJoCo; prints the ratios
  sysid           measure an identification with MuJoCo's toolkit and with gradbody; prints the ratios
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args[..] {
        ["test"] => test(),
        ["golden"] => golden(),
        ["fuzz"] => fuzz("60"),
        ["fuzz", seconds] => fuzz(seconds),
        ["bits", "--against", file] => bits::against_file(file),
        ["bits", revision] if !revision.starts_with('-') => bits::against_revision(revision),
        ["contact"] => contact("10"),
        ["contact", poses] => contact(poses),
        ["portable"] => portable(),
        ["builds"] => builds::compare("5", &[]),
        ["builds", rounds, ref only @ ..] => builds::compare(rounds, only),
        ["peers"] => peers::run(),
        ["peers", "control"] => peers::control(),
        ["peers", "python"] => python_environment().and_then(|python| python::measure(&python)),
        ["sysid"] => sysid(),
        ["view"] => view::alone(),
        ["python"] => python_environment().and_then(|python| python::test(&python)),
        ["wheel"] => python_environment().and_then(|python| python::wheel(&python)),
        ["docs"] => python_environment().and_then(|python| {
            python::build_and_install(&python)?;
            docs::build(&python)
        }),
        ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Everything that must hold before a change lands.
fn test() -> anyhow::Result<()> {
    let start = Instant::now();
    let python = python_environment()?;
    cargo("formatting", &["fmt", "--all", "--check"])?;
    cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    // With this set, a test that finds nothing to compare with fails instead of saying "skipped".
    // Examples are part of the tests of gradbody; building them as programs too takes minutes.
    for (what, targets) in [
        ("tests", &["--lib", "--bins", "--tests"][..]),
        ("examples in the documentation", &["--doc"]),
    ] {
        let mut tests = Command::new("cargo");
        tests.args(["test", "--workspace"]).args(targets).env("GRADBODY_REQUIRE_PACKAGES", "1");
        run(what, &mut tests)?;
    }
    run(
        "documentation",
        Command::new("cargo")
            .args(["doc", "--workspace", "--no-deps", "--quiet"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    // The tests have built the program. Alone it is built with fewer features, which a check sees as well as a build.
    cargo("the program by itself", &["check"])?;
    run("the demo", Command::new("target/debug/gradbody").args(["demo", "--out", "target/demo"]))?;
    run(
        "every robot of example-robot-data against Pinocchio",
        Command::new(&python).args(["scripts/parity_corpus.py", "target/debug/gradbody"]),
    )?;
    view::test("target/debug/gradbody")?;
    visuals(&python)?;
    portable()?;
    python::test(&python)?;
    println!("\nall checks passed in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Every visual mesh of example-robot-data is found and read.
fn visuals(python: &Path) -> anyhow::Result<()> {
    let list = "import sys; sys.path.insert(0, 'scripts'); import golden_io; \
                print(*golden_io.robot_files().values(), sep='\\n')";
    let files = Command::new(python).args(["-c", list]).output()?;
    anyhow::ensure!(files.status.success(), "{}", String::from_utf8_lossy(&files.stderr));
    let files = String::from_utf8(files.stdout)?;
    let mut check = Command::new("cargo");
    check.args(["run", "--quiet", "-p", "gradbody-draw", "--example", "visuals", "--"]);
    run("every visual of example-robot-data", check.args(files.lines()))
}

fn golden() -> anyhow::Result<()> {
    let python = python_environment()?;
    let scripts = ["pinocchio", "mujoco", "gymnasium"];
    for script in scripts.map(|name| format!("scripts/golden_{name}.py")) {
        let script = script.as_str();
        run(script, Command::new(&python).arg(script))?;
    }
    Ok(())
}

fn fuzz(seconds: &str) -> anyhow::Result<()> {
    let limit = format!("-max_total_time={}", seconds.parse::<u32>().context("SECONDS")?);
    let has_cargo_fuzz = Command::new("cargo").args(["fuzz", "--version"]).output();
    if !has_cargo_fuzz.is_ok_and(|o| o.status.success()) {
        cargo("cargo-fuzz", &["install", "--locked", "cargo-fuzz"])?;
    }
    for (target, seeds) in [("urdf", "tests/corpus/urdf"), ("mjcf", "tests/corpus/mjcf")] {
        std::fs::create_dir_all(format!("fuzz/corpus/{target}"))?;
        run(
            &format!("fuzzing {target}"),
            Command::new("cargo").args(["+nightly", "fuzz", "run", target]).args([
                &format!("fuzz/corpus/{target}"),
                seeds,
                "models",
                "--",
                &limit,
                "-timeout=10",
                "-rss_limit_mb=4096",
                "-max_len=20000",
            ]),
        )?;
    }
    Ok(())
}

/// Models with contact, ours and those of Gymnasium.
const TOUCHING: [&str; 8] = [
    "boxes",
    "models/cube.urdf",
    "models/ant.xml",
    "models/hopper.xml",
    "models/half_cheetah.xml",
    "models/humanoid.xml",
    "models/a1.urdf",
    "models/laikago.urdf",
];
const TOUCHING_THERE: [&str; 6] =
    ["ant", "hopper", "half_cheetah", "walker2d", "humanoid", "reacher"];

/// Gradients of motions with contact, and how well and at what cost contact is solved, as tables.
fn contact(poses: &str) -> anyhow::Result<()> {
    poses.parse::<u32>().context("POSES")?;
    let python = python_environment()?;
    let find = "import gymnasium, os; print(os.path.dirname(gymnasium.__file__))";
    let found = Command::new(&python).args(["-c", find]).output()?;
    if !found.status.success() {
        bail!("Gymnasium's files: {}", String::from_utf8_lossy(&found.stderr));
    }
    let folder = String::from_utf8(found.stdout)?;
    let there = |name: &str| format!("{}/envs/mujoco/assets/{name}.xml", folder.trim());
    let ours = TOUCHING.into_iter().map(String::from);
    let models: Vec<String> = ours.chain(TOUCHING_THERE.map(there)).collect();
    cargo("release build", &["build", "--release", "--package", "gradbody-check", "--examples"])?;
    for example in ["contact_cost", "contact_matrix"] {
        let table = std::fs::File::create(format!("target/{example}.md"))?;
        let program = format!("target/release/examples/{example}");
        run(example, Command::new(program).arg(poses).args(&models).stdout(table))?;
    }
    let matrix = std::fs::read_to_string("target/contact_matrix.md")?;
    matrix.lines().filter(|line| !line.starts_with('|')).for_each(|line| println!("{line}"));
    println!("the tables: target/contact_cost.md, target/contact_matrix.md");
    Ok(())
}

/// A build for any machine must give the same bits as one for this machine. With the Python package among the packages,
/// what is compiled here serves the wheel too.
fn portable() -> anyhow::Result<()> {
    let mut command = Command::new("cargo");
    command
        .args(["test", "--profile", python::PROFILE])
        .args(["--package", "gradbody-math", "--package", "gradbody-dynamics"])
        .args(["--package", "gradbody-sim", "--package", "gradbody-python"])
        .args(["--test", "dispatch", "--test", "batch", "--test", "vectors"])
        .args(["--target-dir", python::TARGET])
        .env("RUSTFLAGS", python::PORTABLE);
    if cfg!(target_arch = "x86_64") { run("a portable build", &mut command) } else { Ok(()) }
}

/// The same fit by MuJoCo's system identification toolkit and by gradbody.
fn sysid() -> anyhow::Result<()> {
    let python = python_environment()?;
    install(&python, "scripts/requirements-sysid.txt")?;
    cargo("release build", &["build", "--release", "--package", "gradbody-experiments"])?;
    run("MuJoCo's toolkit", Command::new(&python).arg("scripts/sysid_mujoco.py"))
}

/// The Python interpreter of `.venv`, with everything in scripts/requirements.txt.
fn python_environment() -> anyhow::Result<PathBuf> {
    let python = Path::new(".venv/bin/python").to_path_buf();
    if !python.exists() {
        let made = Command::new("python3").args(["-m", "venv", ".venv"]).status();
        if !made.is_ok_and(|status| status.success()) {
            // Debian ships the module as a package of its own.
            run("apt-get update", Command::new("apt-get").args(["update", "-qq"]))?;
            let packages = ["install", "-y", "-qq", "python3-venv"];
            run("python3-venv", Command::new("apt-get").args(packages))?;
            run("the Python environment", Command::new("python3").args(["-m", "venv", ".venv"]))?;
        }
    }
    let wanted = std::fs::read_to_string("scripts/requirements.txt")?;
    let stamp = Path::new(".venv/requirements.installed");
    if std::fs::read_to_string(stamp).ok().as_deref() != Some(&wanted) {
        install(&python, "scripts/requirements.txt")?;
        std::fs::write(stamp, wanted)?;
    }
    Ok(python)
}

fn install(python: &Path, requirements: &str) -> anyhow::Result<()> {
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
    run("Python packages", Command::new(python).args(install).arg(requirements))
}

fn cargo(what: &str, args: &[&str]) -> anyhow::Result<()> {
    run(what, Command::new("cargo").args(args))
}

/// Runs a command and prints how long it took. Fails if the command fails.
fn run(what: &str, command: &mut Command) -> anyhow::Result<()> {
    println!("\n== {what}");
    let start = Instant::now();
    let status =
        command.status().with_context(|| format!("cannot start {:?}", command.get_program()))?;
    if !status.success() {
        bail!("{what}: {:?} ended with {status}", command.get_program());
    }
    println!("== {what}: ok ({:.0} s)", start.elapsed().as_secs_f64());
    Ok(())
}

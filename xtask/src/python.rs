//! The Python package: built as a wheel for any machine, installed into `.venv`, and tested there.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::{install, run};

/// For any x86-64 machine; vector instructions are picked at run time.
pub(crate) const PORTABLE: &str = "-C target-cpu=x86-64";
pub(crate) const TARGET: &str = "target/portable";
pub(crate) const PROFILE: &str = "wheel";
const WHEELS: &str = "target/wheels";

/// Builds the wheel, installs it into `.venv`, and runs its tests.
pub(crate) fn test(python: &Path) -> anyhow::Result<()> {
    install(python, "python/requirements-test.txt")?;
    let wheel = build(python, &[])?;
    let size = std::fs::metadata(&wheel)?.len();
    println!("{}: {:.1} MB", wheel.display(), size as f64 / 1e6);
    if size > LARGEST_WHEEL {
        bail!("the wheel is larger than {} MB", LARGEST_WHEEL / 1_000_000);
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(
        "the wheel in .venv",
        Command::new(python).args(pip).args(["--force-reinstall", "--no-deps"]).arg(&wheel),
    )?;
    // From the folder of the tests, so that the installed package is found and not the sources.
    let python = std::path::absolute(python)?;
    let here = |what, arguments: &[&str]| {
        run(what, Command::new(&python).arg("-m").args(arguments).current_dir("python/tests"))
    };
    here("tests of the Python package", &["pytest", "-q", "-p", "no:cacheprovider"])?;
    here(
        "types of the Python package",
        &["mypy", "--config-file", "../mypy.ini", "-p", "gradbody"],
    )?;
    here(
        "the Python package against its types",
        &[
            "mypy.stubtest",
            "gradbody",
            "--ignore-missing-stub",
            "--mypy-config-file",
            "../mypy.ini",
        ],
    )
}

/// Largest size of the wheel [bytes].
const LARGEST_WHEEL: u64 = 15_000_000;

/// A wheel that may be published: for glibc 2.28 and newer, linked by zig.
pub(crate) fn wheel(python: &Path) -> anyhow::Result<()> {
    install(python, "python/requirements-wheel.txt")?;
    let wheel = build(python, &["--zig", "--compatibility", "manylinux_2_28"])?;
    println!("{}", wheel.display());
    Ok(())
}

/// Builds the wheel with more arguments of maturin, and returns its place.
fn build(python: &Path, more: &[&str]) -> anyhow::Result<PathBuf> {
    if Path::new(WHEELS).exists() {
        std::fs::remove_dir_all(WHEELS)?;
    }
    let folder = std::path::absolute(WHEELS)?;
    run(
        "the wheel",
        Command::new(std::path::absolute(python)?)
            .args(["-m", "maturin", "build", "--profile", PROFILE, "--quiet", "--out"])
            .arg(&folder)
            .args(["--target-dir"])
            .arg(std::path::absolute(TARGET)?)
            .args(more)
            .env("RUSTFLAGS", PORTABLE)
            .current_dir("python"),
    )?;
    let wheels = std::fs::read_dir(&folder)?.filter_map(Result::ok).map(|entry| entry.path());
    let mut wheels = wheels.filter(|path| path.extension().is_some_and(|end| end == "whl"));
    wheels.next().context("maturin wrote no wheel")
}

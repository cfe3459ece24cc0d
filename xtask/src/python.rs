//! The Python package: built as a wheel for any machine, installed into `.venv`, and tested there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::{install, run};

/// For any x86-64 machine; vector instructions are picked at run time.
pub(crate) const PORTABLE: &str = "-C target-cpu=x86-64";
pub(crate) const TARGET: &str = "target/portable";
pub(crate) const PROFILE: &str = "wheel";
const WHEELS: &str = "target/wheels";

/// Builds the wheel and installs it, with what its tests need, into `.venv`.
pub(crate) fn build_and_install(python: &Path) -> anyhow::Result<()> {
    install(python, "python/requirements-test.txt")?;
    clear()?;
    build(python, &[], None)?;
    let wheel = wheels()?.into_iter().next().context("maturin wrote no wheel")?;
    check_size(&wheel)?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(
        "the wheel in .venv",
        Command::new(python).args(pip).args(["--force-reinstall", "--no-deps"]).arg(&wheel),
    )
}

/// Builds the wheel, installs it into `.venv`, and runs its tests.
pub(crate) fn test(python: &Path) -> anyhow::Result<()> {
    build_and_install(python)?;
    let bits = example(&["--package", "gradbody", "--example", "python_bits"])?;
    // From the folder of the tests, so that the installed package is found and not the sources.
    let python = std::path::absolute(python)?;
    let here = |what, arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.arg("-m").args(arguments).current_dir("python/tests");
        run(what, command.env("GRADBODY_PYTHON_BITS", &bits))
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

/// Builds an example as the wheel is built, and returns its place.
fn example(which: &[&str]) -> anyhow::Result<PathBuf> {
    let mut command = Command::new("cargo");
    command.args(["build", "--profile", PROFILE, "--target-dir", TARGET]).args(which);
    run("an example in Rust", command.env("RUSTFLAGS", PORTABLE))?;
    let name = which.last().context("no example was named")?;
    Ok(std::path::absolute(TARGET)?.join(PROFILE).join("examples").join(name))
}

/// Largest size of a wheel [bytes]. The goal is 15 MB; batches with networks, and policies in lanes, whose steps are compiled again
/// for each kind of vectors, make it larger.
const LARGEST_WHEEL: u64 = 22_000_000;

/// Wheels that may be published: for glibc 2.28 and newer, linked by zig. One is for all versions of Python with a lock of the
/// interpreter, from 3.11 on; the other for the 3.14 without, whose stable interface begins only with 3.15.
pub(crate) fn wheel(python: &Path) -> anyhow::Result<()> {
    install(python, "python/requirements-wheel.txt")?;
    clear()?;
    const PUBLISHED: [&str; 3] = ["--zig", "--compatibility", "manylinux_2_28"];
    build(python, &PUBLISHED, None)?;
    // No such interpreter is needed: this is what PyO3 would ask it.
    let config = std::path::absolute("target/python-3.14t.txt")?;
    std::fs::write(&config, FREE_THREADED)?;
    let more = [&PUBLISHED[..], &["--interpreter", "python3.14t"]].concat();
    build(python, &more, Some(&config))?;
    for wheel in wheels()? {
        check_size(&wheel)?;
    }
    Ok(())
}

const FREE_THREADED: &str = "\
implementation=CPython
version=3.14
shared=true
pointer_width=64
build_flags=Py_GIL_DISABLED
ext_suffix=.cpython-314t-x86_64-linux-gnu.so
suppress_build_script_link_lines=false
";

/// Prints the size of a wheel; fails if it is too large.
fn check_size(wheel: &Path) -> anyhow::Result<()> {
    let size = std::fs::metadata(wheel)?.len();
    println!("{}: {:.1} MB", wheel.display(), size as f64 / 1e6);
    if size > LARGEST_WHEEL {
        bail!("the wheel is larger than {} MB", LARGEST_WHEEL / 1_000_000);
    }
    Ok(())
}

fn clear() -> anyhow::Result<()> {
    if Path::new(WHEELS).exists() {
        std::fs::remove_dir_all(WHEELS)?;
    }
    Ok(())
}

/// Builds a wheel with more arguments of maturin, and perhaps for another interpreter than this `python`.
fn build(python: &Path, more: &[&str], config: Option<&Path>) -> anyhow::Result<()> {
    let python = std::path::absolute(python)?;
    let mut command = Command::new(&python);
    command
        .args(["-m", "maturin", "build", "--profile", PROFILE, "--quiet", "--out"])
        .arg(std::path::absolute(WHEELS)?)
        .arg("--target-dir")
        .arg(std::path::absolute(TARGET)?)
        .args(more)
        .env("RUSTFLAGS", PORTABLE)
        .env("PATH", path_with(python.parent())?)
        .current_dir("python");
    if let Some(config) = config {
        command.env("PYO3_CONFIG_FILE", config);
    }
    run("the wheel", &mut command)
}

/// PATH, after a folder: maturin looks there for zig.
fn path_with(folder: Option<&Path>) -> anyhow::Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = folder.map(Path::to_owned).into_iter().chain(std::env::split_paths(&path));
    Ok(std::env::join_paths(all)?)
}

fn wheels() -> anyhow::Result<Vec<PathBuf>> {
    let all = std::fs::read_dir(WHEELS)?.filter_map(Result::ok).map(|entry| entry.path());
    let mut all: Vec<_> =
        all.filter(|path| path.extension().is_some_and(|end| end == "whl")).collect();
    all.sort();
    Ok(all)
}

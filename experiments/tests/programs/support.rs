//! Runs a program and captures its status and output.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Exit status and output of a run.
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `measure` with these arguments.
pub(crate) fn measure(args: &[&str]) -> Ran {
    run(Command::new(env!("CARGO_BIN_EXE_measure")).args(args))
}

/// Runs `reproduce` with these arguments in a folder, with or without a data folder.
pub(crate) fn reproduce(folder: &Path, args: &[&str], data: Option<&Path>) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reproduce"));
    match data {
        Some(data) => command.env("GRADBODY_DATA", data),
        None => command.env_remove("GRADBODY_DATA"),
    };
    run(command.args(args).current_dir(folder))
}

fn run(command: &mut Command) -> Ran {
    let Output { status, stdout, stderr } = command.output().expect("the program runs");
    Ran {
        status: status.code().expect("the program ends by itself"),
        stdout: String::from_utf8(stdout).expect("UTF-8"),
        stderr: String::from_utf8(stderr).expect("UTF-8"),
    }
}

/// An empty folder for one test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

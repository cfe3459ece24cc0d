//! Running the program and looking at what it did.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a run of the program left.
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `gradbody` with these arguments in a folder.
pub(crate) fn gradbody_in(folder: &Path, args: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gradbody"));
    let Output { status, stdout, stderr } =
        command.args(args).current_dir(folder).output().expect("the program runs");
    Ran {
        status: status.code().expect("the program ends by itself"),
        stdout: String::from_utf8(stdout).expect("UTF-8"),
        stderr: String::from_utf8(stderr).expect("UTF-8"),
    }
}

/// Runs `gradbody` with these arguments.
pub(crate) fn gradbody(args: &[&str]) -> Ran {
    gradbody_in(Path::new(env!("CARGO_TARGET_TMPDIR")), args)
}

/// Asserts that these arguments end with exit status 1 and exactly this message.
#[track_caller]
pub(crate) fn refused(folder: &Path, args: &[&str], message: &str) {
    ends_with(folder, args, 1, message);
}

/// Asserts that these arguments end with exit status 1 and exactly this message after the file, which is the last argument,
/// and the line.
#[track_caller]
pub(crate) fn refused_at_a_line(folder: &Path, args: &[&str], message: &str) {
    let Ran { status, stderr, .. } = gradbody_in(folder, args);
    let last = stderr.lines().last().unwrap_or_default();
    let file = args.last().expect("a file");
    let after =
        last.strip_prefix(&format!("error: {file}:")).and_then(|rest| rest.split_once(": "));
    let (line, told) = after.unwrap_or_else(|| panic!("no line in {stderr}"));
    assert!(line.parse::<usize>().is_ok_and(|line| line > 0), "{stderr}");
    assert_eq!((status, told), (1, message), "{stderr}");
}

/// Asserts that these arguments end with exit status 2, for wrong usage, and exactly this message.
#[track_caller]
pub(crate) fn misused(folder: &Path, args: &[&str], message: &str) {
    ends_with(folder, args, 2, message);
}

#[track_caller]
fn ends_with(folder: &Path, args: &[&str], exit_status: i32, message: &str) {
    let Ran { status, stderr, .. } = gradbody_in(folder, args);
    let last = stderr.lines().last().unwrap_or_default();
    assert_eq!((status, last), (exit_status, format!("error: {message}").as_str()), "{stderr}");
}

/// Names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let name = |e: std::io::Result<std::fs::DirEntry>| e.expect("a file").file_name();
    let mut names: Vec<String> = entries.map(|e| name(e).into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

/// The header of a CSV file and its rows of numbers.
pub(crate) fn header_and_rows(file: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut reader = csv::Reader::from_path(file).expect("a CSV file");
    let header = reader.headers().expect("a header").iter().map(String::from).collect();
    let row = |r: Result<csv::StringRecord, csv::Error>| {
        r.expect("a row").iter().map(|x| x.parse().expect("a number")).collect()
    };
    (header, reader.records().map(row).collect())
}

/// Runs `gradbody simulate`, which succeeds.
#[track_caller]
pub(crate) fn simulate(folder: &Path, args: &[&str]) -> Ran {
    let ran = gradbody_in(folder, &[&["simulate"], args].concat());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    ran
}

/// An empty folder of this test's own.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

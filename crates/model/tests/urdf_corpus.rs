//! Broken and odd URDF files: each gives exactly the message, or the remarks, next to it.

use std::fs;
use std::path::{Path, PathBuf};

use gradbody_math::random::Random;
use gradbody_model::export;
use gradbody_model::import::{ImportOptions, from_text, load};

fn corpus() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus/urdf");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "urdf"))
        .collect();
    files.sort();
    files
}

/// What becomes of a file, with its path as just its name.
fn outcome(path: &Path) -> String {
    let name = PathBuf::from(path.file_name().unwrap());
    match load(path, &ImportOptions::default()) {
        Ok(imported) => {
            let mut text = format!("ok: {} velocities\n", imported.model.nv());
            for mut note in imported.report.notes {
                note.file = name.clone();
                text += &format!("{:?}: {note}\n", note.kind);
            }
            text
        }
        Err(mut error) => {
            error.file = name;
            format!("{error}\n")
        }
    }
}

#[test]
fn every_file_gives_its_message() {
    let files = corpus();
    assert!(files.len() >= 60, "only {} files found", files.len());
    let mut wrong = String::new();
    for path in files {
        let expected = fs::read_to_string(path.with_extension("expected")).unwrap_or_default();
        let found = outcome(&path);
        if found != expected {
            wrong += &format!("{}\nexpected {expected}found    {found}\n", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn files_that_are_not_there_or_not_files() {
    let message = |path: &str| load(Path::new(path), &ImportOptions::default()).unwrap_err();
    assert_eq!(message("no/such/robot.urdf").to_string(), "no/such/robot.urdf: no such file");
    let folder = env!("CARGO_MANIFEST_DIR");
    assert_eq!(message(folder).to_string(), format!("{folder}: this is a folder, not a file"));
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_read() {
    let message = |path: &Path| load(path, &ImportOptions::default()).unwrap_err().message;
    let expected = "this is a device or a pipe, not a file";
    assert_eq!(message(Path::new("/dev/zero")), expected);
    let pipe = std::env::temp_dir().join(format!("gradbody_pipe_{}", std::process::id()));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if made.is_ok_and(|status| status.success()) {
        assert_eq!(message(&pipe), expected);
        fs::remove_file(&pipe).unwrap();
    }
}

#[test]
fn files_beyond_any_robot_are_not_read() {
    let path = std::env::temp_dir().join(format!("gradbody_large_{}", std::process::id()));
    fs::File::create(&path).unwrap().set_len((256 << 20) + 1).unwrap();
    let error = load(&path, &ImportOptions::default()).unwrap_err();
    fs::remove_file(&path).unwrap();
    assert_eq!(error.message, "larger than 256 MiB, too large for a robot file");
}

/// Overwrites values, and cuts and repeats pieces, of files that load. Any outcome is fine but a
/// panic.
#[test]
fn damaged_files_never_panic() {
    let mut numbers = Random::new(1);
    let mut random = |below: usize| numbers.below(below);
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let sources: Vec<String> = corpus()
        .into_iter()
        .filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("ok_")))
        .chain(["a1", "cartpole", "racecar"].map(|m| format!("{models}/{m}.urdf").into()))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    const VALUES: [&str; 16] = [
        "",
        "0",
        "-1",
        "1e308",
        "-1e308",
        "1e-308",
        "1e200",
        "nan",
        "1 2 3",
        "0 0 0",
        "1e308 0 1",
        "planar",
        "floating",
        "prismatic",
        "world",
        "é",
    ];
    let mut loaded = 0;
    for round in 0..6000 {
        let mut text: Vec<char> = sources[round % sources.len()].chars().collect();
        for _ in 0..1 + random(3) {
            let start = random(text.len());
            if random(4) > 0 {
                let quotes: Vec<usize> =
                    (start..text.len()).filter(|&i| text[i] == '"').take(3).collect();
                let [a, b, c] = quotes[..] else { continue };
                // Between the quotes of a value, not of what separates two.
                let (from, to) = if text[a - 1] == '=' { (a, b) } else { (b, c) };
                text.splice(from + 1..to, VALUES[random(VALUES.len())].chars());
            } else {
                let end = (start + random(12)).min(text.len());
                let piece = text[end..(end + random(40)).min(text.len())].to_vec();
                text.splice(start..end, piece);
            }
        }
        let text: String = text.into_iter().collect();
        let options = ImportOptions {
            repair_inertia: round % 2 == 0,
            free_mimic: round % 3 == 0,
            ..ImportOptions::default()
        };
        if let Ok(imported) = from_text(&text, Path::new("damaged.urdf"), &options) {
            if let Ok(exported) = export::urdf(&imported.model) {
                let _ = from_text(&exported.text, Path::new("again.urdf"), &options);
            }
            loaded += 1;
        }
    }
    assert!(loaded > 1000, "too few of the damaged files can be read: {loaded}");
}

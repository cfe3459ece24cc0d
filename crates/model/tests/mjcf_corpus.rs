//! Broken and odd MJCF files: each gives exactly the message, or the remarks, next to it. Files
//! whose names begin with `strict` are read with that option.

use std::fs;
use std::path::{Path, PathBuf};

use gradbody_math::random::Random;
use gradbody_model::import::{ImportError, ImportOptions, Imported, from_text, load};

fn corpus() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus/mjcf");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "xml"))
        .collect();
    files.sort();
    files
}

fn begins_with(path: &Path, start: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
}

/// What becomes of a file, with paths as just their names.
fn outcome(path: &Path) -> String {
    let options = ImportOptions { strict: begins_with(path, "strict"), ..Default::default() };
    let base = |path: &Path| PathBuf::from(path.file_name().unwrap());
    match load(path, &options) {
        Ok(imported) => {
            let mut text = format!("ok: {} velocities\n", imported.model.nv());
            for mut note in imported.report.notes {
                note.file = base(&note.file);
                text += &format!("{:?}: {note}\n", note.kind);
            }
            text
        }
        Err(mut error) => {
            error.file = base(&error.file);
            format!("{error}\n")
        }
    }
}

#[test]
fn every_file_gives_its_message() {
    let files = corpus();
    assert!(files.len() >= 100, "only {} files found", files.len());
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

fn read(text: &str) -> Result<Imported, ImportError> {
    from_text(text, Path::new("deep.xml"), &ImportOptions::default())
}

/// `open` and `close` around `inside`, many times.
fn nested(depth: usize, open: &str, inside: &str, close: &str) -> String {
    let bodies = open.repeat(depth) + inside + &close.repeat(depth);
    format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>")
}

#[test]
fn deep_nesting_loads() {
    let joint = "<joint axis=\"0 1 0\"/><geom size=\"0.1\" mass=\"1\"/>";
    let chain = nested(10_000, &format!("<body pos=\"0 0 0.1\">{joint}"), "", "</body>");
    assert_eq!(read(&chain).unwrap().model.nv(), 10_000);

    let fixed = nested(20_000, "<body>", "<geom size=\"0.1\"/>", "</body>");
    assert_eq!(read(&fixed).unwrap().model.topology.frames.len(), 20_001);

    let frames = nested(20_000, "<frame pos=\"0 0 1\">", "<geom size=\"0.1\"/>", "</frame>");
    assert_eq!(read(&frames).unwrap().model.params.shapes[0].placement.pos.z, 20_000.0);

    let mut classes = String::from("<mujoco><default>");
    for i in 0..5_000 {
        classes += &format!("<default class=\"c{i}\">");
    }
    classes += "<joint damping=\"3\"/>";
    classes += &"</default>".repeat(5_001);
    classes +=
        "<worldbody><body childclass=\"c4999\"><joint/><geom size=\"1\"/></body></worldbody>";
    classes += "</mujoco>";
    assert_eq!(read(&classes).unwrap().model.params.joints[0].damping, 3.0);
}

#[test]
fn deep_nesting_of_the_unknown_is_refused() {
    let text = nested(50_000, "<bdoy>", "", "</bdoy>");
    let message = read(&text).unwrap_err().to_string();
    let expected = "deep.xml:1: <bdoy>: unknown element inside <worldbody>; did you mean \"body\"?";
    assert_eq!(message, expected);
}

/// Overwrites values, and cuts and repeats pieces, of files that load. Any outcome is fine but a
/// panic.
#[test]
fn damaged_files_never_panic() {
    let mut numbers = Random::new(1);
    let mut random = |below: usize| numbers.below(below);
    let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let parity = ["chains", "classes", "inertias", "servos"]
        .map(|name| format!("tests/corpus/mjcf/parity/{name}"));
    let models = ["ant", "hopper", "swimmer2"].map(|name| format!("models/{name}"));
    let others = parity.iter().chain(&models).map(|m| format!("{repository}/{m}.xml").into());
    let sources: Vec<String> = corpus()
        .into_iter()
        .filter(|path| begins_with(path, "ok_"))
        .chain(others)
        .map(|path: PathBuf| fs::read_to_string(path).unwrap())
        .collect();
    const VALUES: [&str; 24] = [
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
        "0.1 0.1 0.1 0.1",
        "free",
        "ball",
        "slide",
        "mesh",
        "plane",
        "true",
        "false",
        "world",
        "main",
        "affine",
        "integrator",
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
        let options = ImportOptions { repair_inertia: round % 2 == 0, ..Default::default() };
        loaded += usize::from(from_text(&text, Path::new("damaged.xml"), &options).is_ok());
    }
    assert!(loaded > 300, "only {loaded} loaded: the damage is too great to reach the far stages");
}

//! `gradbody demo`.

use std::fs;

use crate::support::{Ran, folder, gradbody_in};

#[test]
fn the_demo_writes_a_page_that_stands_alone() {
    let folder = folder("demo");
    let ran = gradbody_in(&folder, &["demo", "--out", "a/b"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("report.html"));
    // The fit: its report, what came of it, and the example to change.
    let report = fs::read_to_string(folder.join("a/b/report.html")).expect("a page");
    for part in [
        "link/lower/mass",
        "without networks",
        "hold velocity",
        "lstm",
        "joint/elbow/velocity [rad/s]",
    ] {
        assert!(report.contains(part), "{part}");
    }
    let metrics = fs::read_to_string(folder.join("a/b/metrics.json")).expect("metrics");
    let metrics: serde_json::Value = serde_json::from_str(&metrics).expect("JSON");
    let error = |by: &str| {
        let tables = metrics["errors"].as_array().expect("tables");
        let table = tables.iter().find(|t| t["by"] == by && t["part"] == "test").expect("a table");
        table["channels"][0]["rms"].as_f64().expect("a number")
    };
    assert!(error("after") < 0.7 * error("without networks"), "{metrics}");
    assert!(error("without networks") < 0.6 * error("before"), "{metrics}");
    for file in ["model.urdf", "weights.safetensors", "example/experiment.toml"] {
        assert!(folder.join("a/b").join(file).exists(), "{file}");
    }
    let page = fs::read_to_string(folder.join("a/b/laws.html")).expect("a page");
    assert_eq!(page.matches("<div class=\"player\"").count(), 3);
    assert_eq!(page.matches("<figure class=\"plot\">").count(), 12);
    for part in [
        "double pendulum",
        "Laikago",
        "parabola",
        "Angular momentum",
        "Push of the ground",
        "prefers-color-scheme",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for page in [&report, &page] {
        for address in ["http:", "https:", "src=", "@import", "url("] {
            assert!(
                !without_scripts(page).contains(address),
                "a page that stands alone has no {address}"
            );
        }
        let text = without_scripts(page);
        assert!(!text.contains("NaN") && !text.contains("inf "));
    }
    // The folder knows where its recording is.
    let ran = gradbody_in(&folder, &["predict", "a/b", "--part", "test"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
}

#[test]
fn a_folder_that_cannot_be_used_is_refused_before_the_work() {
    let folder = folder("demo_refused");
    fs::write(folder.join("file"), "").expect("written");
    let Ran { status, stdout, stderr } = gradbody_in(&folder, &["demo", "--out", "file"]);
    assert_eq!((status, stdout.as_str()), (1, ""));
    assert_eq!(stderr, "error: file: this is a file; name a folder\n");
    fs::create_dir_all(folder.join("a/laws.html")).expect("made");
    let Ran { status, stdout, stderr } = gradbody_in(&folder, &["demo", "--out", "a"]);
    assert_eq!((status, stdout.as_str()), (1, ""), "{stderr}");
}

/// A page without its scripts, in which there are compressed data.
fn without_scripts(page: &str) -> String {
    let mut parts = page.split("<script");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once("</script>").map_or("", |(_, rest)| rest))
}

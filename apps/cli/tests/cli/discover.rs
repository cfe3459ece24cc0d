//! `gradbody discover`.

use std::fs;
use std::path::Path;

use crate::support::{folder, gradbody_in};

/// The demo's arm has dry friction of 0.06 N m in its elbow, which no parameter of its experiment can say.
#[test]
fn the_dry_friction_of_the_demo_is_found() {
    let folder = folder("discover");
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/demo/assets");
    for file in ["arm.urdf", "recording.csv"] {
        fs::copy(assets.join(file), folder.join(file)).expect("copied");
    }
    let mut text = fs::read_to_string(assets.join("experiment.toml")).expect("read");
    text.push_str("\n[discover]\nshares = [0.3]\niterations = 25\n");
    fs::write(folder.join("experiment.toml"), text).expect("written");

    let ran = gradbody_in(&folder, &["discover", "experiment.toml", "--out", "found"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("dry friction"), "{}", ran.stdout);
    let found = fs::read_to_string(folder.join("found/discover.json")).expect("read");
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    let best = &found["candidates"][0];
    assert_eq!(best["site"], "joint/elbow/passive_torque");
    assert_eq!(best["kept"], serde_json::json!(["joint/elbow/velocity"]));
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    assert!(number(&best["gain"]) > 50.0 && number(&best["test_gain"]) > 30.0, "{best}");
    assert_eq!(best["law"]["shape"], "sign");
    let strength = number(&best["law"]["strength"]);
    assert!((strength + 0.06).abs() < 0.015, "{strength}");
    // Everything that was not kept is exactly zero.
    for input in best["inputs"].as_array().expect("inputs") {
        let kept = input[0] == "joint/elbow/velocity";
        assert_eq!(number(&input[1]) != 0.0, kept, "{input}");
    }
    let page = fs::read_to_string(folder.join("found/discover.html")).expect("read");
    assert!(page.contains("joint/elbow/passive_torque over joint/elbow/velocity"));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let folder = folder("discover_refused");
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/demo/assets");
    for file in ["arm.urdf", "recording.csv"] {
        fs::copy(assets.join(file), folder.join(file)).expect("copied");
    }
    let text = fs::read_to_string(assets.join("experiment.toml")).expect("read");
    for (options, hint) in [
        ("shares = [2.0]", "between 0 and 1"),
        ("hidden = 0", "at least 1"),
        ("sites = [\"joint/elbo/passive_torque\"]", "elbow"),
        ("penalty = 1", "unknown"),
    ] {
        fs::write(folder.join("experiment.toml"), format!("{text}\n[discover]\n{options}\n"))
            .expect("written");
        let ran = gradbody_in(&folder, &["discover", "experiment.toml", "--out", "found"]);
        assert_eq!(ran.status, 1, "{options}: {}", ran.stderr);
        assert!(ran.stderr.contains(hint), "{options}: {}", ran.stderr);
    }
}

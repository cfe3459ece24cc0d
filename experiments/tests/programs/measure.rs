//! Tests of `measure`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{folder, measure};

#[test]
fn every_figure_is_a_line_of_json_with_fixed_names() {
    let ran = measure(&["--json", "--only", "double_pendulum", "--time", "1"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let mut seen = BTreeSet::new();
    for line in ran.stdout.lines() {
        let value: Value = serde_json::from_str(line).expect("JSON");
        let word = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        assert_eq!((word("peer"), word("model")), ("gradbody".into(), "double_pendulum".into()));
        assert!(value["us_min"].as_f64().is_some_and(|us| us > 0.0), "{line}");
        seen.insert((word("scalar"), word("fn")));
    }
    let scalars = ["f64", "f32", "f64x8", "f32x16"];
    let functions = ["kinematics", "aba", "rnea", "crba", "forward_dynamics_vjp"];
    let all = scalars.iter().flat_map(|s| functions.map(|f| ((*s).to_owned(), f.to_owned())));
    assert_eq!(seen, all.collect());
    assert_eq!(ran.stdout.lines().count(), scalars.len() * functions.len());
}

#[test]
fn the_help_lists_what_can_be_measured() {
    let help = measure(&["--help"]).stdout;
    for name in
        ["forward_dynamics_vjp", "nn175_value", "laikago_stand", "dp500", "f32x16", "tables"]
    {
        assert!(help.contains(name), "{name}: {help}");
    }
}

#[test]
fn every_column_of_the_table_has_a_head() {
    let ran = measure(&["--only", "nn175", "--only", "f64", "--time", "1"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let mut lines = ran.stdout.lines();
    let at = lines.next().and_then(|heads| heads.find("more")).expect("a head");
    // Counted in characters, because the headings contain a µ.
    let at = ran.stdout[..at].chars().count();
    for line in lines {
        let from = line.rfind("value ").expect("a number more");
        assert_eq!(line[..from].chars().count(), at, "{line}");
    }
}

#[test]
fn the_network_of_175_weights_has_its_reference_value() {
    let ran = measure(&["--json", "--only", "nn175", "--only", "f64", "--time", "1"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let functions: Vec<_> = lines.iter().map(|line| line["fn"].as_str()).collect();
    assert_eq!(functions, [Some("nn175_value"), Some("nn175_gradient")]);
    for line in lines {
        let value = line["value"].as_f64().expect("a number");
        assert!((value - -0.06558683958).abs() < 1e-10, "{value}");
    }
}

#[test]
fn what_cannot_be_measured_is_wrong_usage() {
    let ran = measure(&["--only", "foo"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    let message = "error: no function, model or scalar is named \"foo\"; known names: kinematics, ";
    assert!(ran.stderr.starts_with(message), "{}", ran.stderr);
}

#[test]
fn a_plan_that_is_read_again_costs_the_same() {
    let line = |more: &[&str]| -> Value {
        let ran = measure(&[&["--json", "--only", "plan"], more].concat());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        serde_json::from_str(&ran.stdout).expect("JSON")
    };
    let folder = folder("half_cheetah");
    let planned = line(&["--data", folder.to_str().expect("UTF-8")]);
    let history = planned["history"].as_array().expect("a list");
    let costs: Vec<f64> = history.iter().map(|of| of[0].as_f64().expect("a cost")).collect();
    assert!(costs.windows(2).all(|pair| pair[1] <= pair[0]), "{costs:?}");
    let found = costs[costs.len() - 1];
    assert!(found < 0.05 * costs[0], "{costs:?}");
    let file = folder.join("plan.json");
    std::fs::write(&file, planned["actions"].to_string()).expect("the folder exists");
    let again = line(&["--plan", file.to_str().expect("UTF-8")]);
    assert_eq!(again["cost_of_file"].as_f64(), Some(found));
    for file in ["model.xml", "task.json"] {
        assert!(folder.join(file).exists(), "{file}");
    }
}

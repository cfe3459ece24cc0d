//! `gradbody sites`: what it lists, and what it refuses.

use std::path::Path;

use serde_json::Value;

use crate::support::{Ran, gradbody, misused, refused};

fn text(args: &[&str]) -> String {
    let Ran { status, stdout, stderr } = gradbody(&[&["sites"], args].concat());
    assert_eq!(status, 0, "{stderr}");
    stdout
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&text(&[args, &["--json"]].concat())).expect("JSON")
}

fn site<'a>(value: &'a Value, name: &str) -> &'a Value {
    let sites = value["sites"].as_array().expect("a list");
    sites.iter().find(|site| site["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn every_site_has_a_name_a_unit_and_a_stage() {
    let value = json(&["laikago", "--ground", "--signals", "temperature,wind"]);
    assert_eq!(value["stages"][0], "state");
    let sites = value["sites"].as_array().expect("a list");
    let order = |site: &Value| site["order"].as_u64().expect("a number");
    assert!(sites.is_sorted_by_key(order), "in the order of a step");
    assert!(sites.iter().all(|site| value["stages"][order(site) as usize - 1] == site["stage"]));
    for (name, unit, stage, can_change) in [
        ("time", "s", "state", false),
        ("signal/wind", "", "state", false),
        ("joint/FL_hip_joint/velocity", "rad/s", "state", true),
        ("link/trunk/mass", "kg", "model", true),
        ("link/trunk/position/z", "m", "links", true),
        ("contact/*/friction_coefficient", "", "contacts", true),
        ("contact/*/sliding_speed", "m/s", "contacts", false),
        ("contact/*/normal_force", "N", "rigid contact forces", true),
        ("joint/FL_hip_joint/passive_torque", "N m", "passive joint forces", true),
    ] {
        let found = site(&value, name);
        assert_eq!(found["unit"], unit, "{name}");
        assert_eq!(found["stage"], stage, "{name}");
        assert_eq!(found["can_change"], can_change, "{name}");
    }
}

#[test]
fn forces_of_compliant_contacts_can_be_changed() {
    let value = json(&["laikago", "--ground", "--solver", "hunt-crossley"]);
    let force = site(&value, "contact/*/friction/x");
    assert_eq!(force["stage"], "contact forces");
    assert_eq!(force["can_change"], true);
}

#[test]
fn the_components_of_a_vector_are_one_line() {
    let out = text(&["laikago", "--ground"]);
    assert!(out.starts_with("1  state\n"), "{out}");
    let has = |line: &str| out.lines().any(|l| l.split_whitespace().eq(line.split_whitespace()));
    assert!(has("[s] time (read only)"), "{out}");
    assert!(has("[m] link/trunk/position/{x,y,z}"), "{out}");
    assert!(has("[rad] link/trunk/orientation/{roll,pitch,yaw}"), "{out}");
    assert!(has("[m/s] joint/root/velocity/{vx,vy,vz}"), "{out}");
    assert!(has("[rad/s] joint/FL_hip_joint/velocity"), "{out}");
    assert!(has("[N] contact/*/friction/{x,y}"), "{out}");
    assert!(has("11 rigid contact forces, which networks can only add to"), "{out}");
    // Contacts of two shapes are a line about all of them.
    assert!(!out.lines().any(|line| line.trim_start().starts_with("contact/FL")), "{out}");
    assert!(out.contains("pairs of shapes that can touch: "), "{out}");
    assert!(out.contains("contact/* stands for every contact"), "{out}");
}

#[test]
fn a_filter_lists_what_fits() {
    let out = text(&["laikago", "--filter", "joint/*/passive_torque"]);
    assert!(out.starts_with("8  passive joint forces\n"), "{out}");
    let all = json(&["laikago"])["sites"].as_array().map_or(0, Vec::len);
    assert!(out.ends_with(&format!("18 of {all} sites, of which 18 can be changed\n")), "{out}");
    let pairs = text(&["laikago", "--ground", "--filter", "contact/*-ground/gap"]);
    assert!(pairs.lines().count() > 5 && pairs.contains("-ground/gap"), "{pairs}");
}

#[test]
fn a_filter_knows_the_groups_of_a_link() {
    let out = text(&["laikago", "--filter", "link/trunk/wrench"]);
    assert!(out.contains("link/trunk/force/{x,y,z}"), "{out}");
    assert!(out.contains("link/trunk/torque/{x,y,z}") && !out.contains("local"), "{out}");
    let here = Path::new(env!("CARGO_TARGET_TMPDIR"));
    misused(
        here,
        &["sites", "laikago", "--filter", "link/trunk/wrnch"],
        "--filter: no site of this model matches \"link/trunk/wrnch\"; did you mean \"link/trunk/wrench\"?",
    );
}

#[test]
fn what_is_not_listed_is_counted() {
    let out = text(&["laikago", "--ground"]);
    let last = out.lines().last().expect("a line");
    assert!(last.contains(" for pairs of shapes not listed: see --filter), of which "), "{last}");
    let one = text(&["double_pendulum", "--filter", "time"]);
    assert!(one.contains("1 of "), "{one}");
}

#[test]
fn blanks_around_signals_do_not_count() {
    let value = json(&["double_pendulum", "--signals", " wind, rain "]);
    assert_eq!(site(&value, "signal/wind")["stage"], "state");
    assert_eq!(site(&value, "signal/rain")["stage"], "state");
}

#[test]
fn what_cannot_be_listed_is_refused() {
    let here = Path::new(env!("CARGO_TARGET_TMPDIR"));
    misused(
        here,
        &["sites", "laikago", "--filter", "joint/FL_hip_joint/velocty"],
        "--filter: no site of this model matches \"joint/FL_hip_joint/velocty\"; did you mean \
         \"joint/FL_hip_joint/velocity\"?",
    );
    misused(here, &["sites", "laikago", "--signals", "a,b,a"], "--signals: \"a\" is given twice");
    misused(
        here,
        &["sites", "laikago", "--signals", "a,,b"],
        "--signals: \"\" is not a name; it must not be empty or contain / or *",
    );
    refused(
        here,
        &["sites", "laikgo"],
        "laikgo: no such file, and no built-in model of that name; did you mean \"laikago\"?",
    );
}

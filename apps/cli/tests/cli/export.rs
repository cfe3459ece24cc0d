//! `gradbody export`.

use crate::support::{folder, gradbody_in};

#[test]
fn exported_models_read_back() {
    for (file, to) in [("heavy.urdf", None), ("heavy.xml", None), ("heavy", Some("mjcf"))] {
        reads_back(file, to);
    }
}

fn reads_back(file: &str, to: Option<&str>) {
    let folder = folder("export");
    let set = ["--set", "link/trunk/mass=20"];
    let mut args = [&["export", "laikago", "--out", file][..], &set].concat();
    args.extend(to.into_iter().flat_map(|format| ["--to", format]));
    let ran = gradbody_in(&folder, &args);
    let told = format!("wrote {file}\n");
    assert_eq!((ran.status, ran.stdout.as_str()), (0, &*told), "{}", ran.stderr);
    let text = std::fs::read_to_string(folder.join(file)).expect("written");
    let is_mjcf = file.ends_with(".xml") || to == Some("mjcf");
    assert_eq!(text.contains("<mujoco"), is_mjcf, "{text}");
    let json = |model: &str, set: &[&str]| {
        let ran = gradbody_in(&folder, &[&["inspect", model, "--json"], set].concat());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        serde_json::from_str::<serde_json::Value>(&ran.stdout).expect("JSON")
    };
    let (there, back) = (json("laikago", &set), json(file, &[]));
    for key in ["nq", "nv", "names", "M", "bias", "mass"] {
        assert_eq!(there[key], back[key], "{key}");
    }
}

//! `gradbody export`.

use crate::support::{folder, gradbody_in};

#[test]
fn exported_models_read_back() {
    let folder = folder("export");
    let set = ["--set", "link/trunk/mass=20"];
    let args = [&["export", "laikago", "--out", "heavy.urdf"][..], &set].concat();
    let ran = gradbody_in(&folder, &args);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "wrote heavy.urdf\n"), "{}", ran.stderr);
    let json = |model: &str, set: &[&str]| {
        let ran = gradbody_in(&folder, &[&["inspect", model, "--json"], set].concat());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        serde_json::from_str::<serde_json::Value>(&ran.stdout).expect("JSON")
    };
    let (there, back) = (json("laikago", &set), json("heavy.urdf", &[]));
    for key in ["nq", "nv", "names", "M", "bias", "mass"] {
        assert_eq!(there[key], back[key], "{key}");
    }
}

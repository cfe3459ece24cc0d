//! MuJoCo computes the same with a written file.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;

/// What MuJoCo makes of pairs of files: the largest differences of mass matrix and bias force at
/// random states, relative to their largest entries.
const COMPARE: &str = r#"
import sys
import mujoco
import numpy as np

random = np.random.default_rng(1)
for line in sys.stdin.read().splitlines():
    source, written = (mujoco.MjModel.from_xml_path(path) for path in line.split("\t"))
    assert (source.nq, source.nv, source.nu, source.na) == (written.nq, written.nv, written.nu, written.na), line
    largest = 0.0
    for _ in range(5):
        q = source.qpos0.copy()
        mujoco.mj_integratePos(source, q, random.normal(size=source.nv), 1.0)
        v = random.normal(size=source.nv)
        values = []
        for model in (source, written):
            data = mujoco.MjData(model)
            data.qpos[:], data.qvel[:] = q, v
            if model.nu:
                data.ctrl[:] = np.linspace(-0.3, 0.4, model.nu)
            mujoco.mj_forward(model, data)
            mass = [np.zeros(model.nv) for _ in range(model.nv)]
            for column, unit in zip(mass, np.eye(model.nv)):
                mujoco.mj_mulM(model, data, column, unit)
            values.append([np.array(mass), data.qfrc_bias, data.qfrc_passive, data.qfrc_actuator])
        for ours, theirs in zip(*values):
            scale = 1.0 + np.abs(theirs).max(initial=0.0)
            largest = max(largest, np.abs(ours - theirs).max(initial=0.0) / scale)
    print(repr(float(largest)))
"#;

/// Whether all that MuJoCo's forces come from is simulated here; in the corpus much is not.
fn is_simulated(path: &Path) -> bool {
    let strict = ImportOptions { strict: true, ..ImportOptions::default() };
    let corpus = path.parent().is_some_and(|folder| folder.ends_with("tests/corpus/mjcf"));
    let lists = ["/parity/", "/models/"].iter().any(|part| path.to_string_lossy().contains(part));
    !corpus && (lists || load(path, &strict).is_ok())
}

/// The Python of the repository's environment, if it is there.
fn python() -> Option<PathBuf> {
    let python = repository().join(".venv/bin/python");
    let required = std::env::var_os("GRADBODY_REQUIRE_PACKAGES").is_some();
    assert!(python.is_file() || !required, "MuJoCo is not in .venv");
    python.is_file().then_some(python)
}

#[test]
fn mujoco_computes_the_same_with_the_written_file() {
    let Some(python) = python() else {
        println!("skipped: MuJoCo is not here; run `cargo xtask test`, which installs it");
        return;
    };
    let folder = folder("mujoco");
    let mut pairs: Vec<(PathBuf, PathBuf)> = Vec::new();
    let mut add = |source: PathBuf, model: &Model<f64>| {
        let file = folder.join(format!("{}.xml", pairs.len()));
        std::fs::write(&file, export::mjcf_in(model, &folder).unwrap().text).unwrap();
        pairs.push((source, file));
    };
    for (path, model) in mjcf_models().into_iter().filter(|(path, _)| is_simulated(path)) {
        add(path, &model);
    }
    // What is not from an MJCF: a second export of what was read back has nothing to change.
    let urdfs = files("models", "urdf").into_iter();
    let models = urdfs.map(|path| load(&path, &ImportOptions::default()).unwrap().model);
    for (i, model) in models.chain([every_joint().build().unwrap()]).enumerate() {
        let once = folder.join(format!("once{i}.xml"));
        std::fs::write(&once, export::mjcf(&model).unwrap().text).unwrap();
        add(once, &round_trip(&model));
    }
    let input: Vec<String> =
        pairs.iter().map(|(a, b)| format!("{}\t{}", a.display(), b.display())).collect();
    let input_file = folder.join("pairs.txt");
    std::fs::write(&input_file, input.join("\n")).unwrap();
    let ran = Command::new(python)
        .args(["-c", COMPARE])
        .stdin(std::fs::File::open(&input_file).unwrap())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{told}{}", String::from_utf8_lossy(&ran.stderr));
    let largest: Vec<f64> = told.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(largest.len(), pairs.len());
    for ((source, _), difference) in pairs.iter().zip(&largest) {
        println!("{}: largest difference {difference:.1e}", source.display());
        assert!(*difference < 1e-9, "{}: {difference}", source.display());
    }
    std::fs::remove_dir_all(folder).unwrap();
}

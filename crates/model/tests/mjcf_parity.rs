//! What is read of an MJCF file agrees with MuJoCo: structure, inertias, joints, actuators, states,
//! and where everything is at random configurations.
//!
//! Three sets of models: those written for this test, our own in models/, and Gymnasium's. The last
//! are looked for in the Python environment at the root of the repository, or in the folder that
//! the variable GRADBODY_GYM_ASSETS names; without them that part is skipped, which it says.

use std::path::{Path, PathBuf};

use gradbody_math::{Inertia, Mat3, Quat, Sym3, Transform, Vec3};
use gradbody_model::import::{ImportOptions, load};
use gradbody_model::{Activation, FrameId, JointKind, LinkId, Model};
use serde_json::Value;

/// Both sides compute in f64, along different ways: a few roundings of numbers around 1.
const ROUNDING: f64 = 1e-11;

#[test]
fn models_written_for_this_test() {
    for name in ["chains", "classes", "inertias", "servos", "included"] {
        let folder = repository().join("tests/corpus/mjcf/parity");
        compare(&folder.join(name).with_extension("xml"), &golden(&folder, name));
    }
}

#[test]
fn our_own_models() {
    let names = ["ant", "half_cheetah", "hopper", "humanoid", "swimmer2", "swimmer3", "swimmer6"];
    for name in names {
        let path = repository().join("models").join(name).with_extension("xml");
        compare(&path, &golden(&repository().join("tests/corpus/mjcf/parity"), name));
    }
}

#[test]
fn gymnasium_models() {
    let Some(assets) = gymnasium_assets() else {
        println!(
            "skipped: Gymnasium's models are not here; run `cargo xtask test`, which installs \
             them, or name their folder in GRADBODY_GYM_ASSETS"
        );
        return;
    };
    let folder = repository().join("tests/golden/mujoco");
    for file in std::fs::read_dir(&folder).unwrap() {
        let name = file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        let golden = golden(&folder, &name);
        compare(&assets.join(golden["model"].as_str().unwrap()), &golden);
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn golden(folder: &Path, name: &str) -> Value {
    let path = folder.join(name).with_extension("json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn gymnasium_assets() -> Option<PathBuf> {
    if let Ok(folder) = std::env::var("GRADBODY_GYM_ASSETS") {
        return Some(folder.into());
    }
    let pythons = std::fs::read_dir(repository().join(".venv/lib")).into_iter().flatten();
    let assets = pythons
        .flatten()
        .map(|python| python.path().join("site-packages/gymnasium/envs/mujoco/assets"))
        .find(|folder| folder.is_dir());
    // `cargo xtask test` installs them, and then nothing may be skipped.
    let required = std::env::var_os("GRADBODY_REQUIRE_PACKAGES").is_some();
    assert!(assets.is_some() || !required, "Gymnasium's models are not in .venv");
    assets
}

/// Compares one model with MuJoCo's values and prints the largest difference.
fn compare(path: &Path, golden: &Value) {
    let imported = load(path, &ImportOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut check = Check { model: path.display().to_string(), largest: (0.0, String::new()) };
    let model = &imported.model;
    check.near("timestep", model.topology.timestep.unwrap(), &golden["timestep"]);
    check.list("gravity", &model.params.gravity.to_array(), &golden["gravity_vector"]);
    compare_joints(&mut check, model, golden);
    compare_inertias(&mut check, model, golden);
    compare_actuators(&mut check, model, golden);
    compare_shapes(&mut check, model, golden);
    compare_states(&mut check, model, golden);
    let (largest, what) = check.largest;
    println!("{}: largest difference {largest:.1e} ({what})", path.display());
}

struct Check {
    model: String,
    largest: (f64, String),
}

impl Check {
    fn near(&mut self, what: &str, ours: f64, theirs: &Value) {
        let theirs = theirs.as_f64().unwrap_or_else(|| panic!("{}: no {what}", self.model));
        let difference = (ours - theirs).abs() / theirs.abs().max(1.0);
        assert!(difference < ROUNDING, "{}: {what}: {ours} is not {theirs}", self.model);
        if difference > self.largest.0 {
            self.largest = (difference, what.to_owned());
        }
    }

    fn list(&mut self, what: &str, ours: &[f64], theirs: &Value) {
        let theirs = theirs.as_array().unwrap_or_else(|| panic!("{}: no {what}", self.model));
        assert_eq!(ours.len(), theirs.len(), "{}: length of {what}", self.model);
        for (i, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
            self.near(&format!("{what}[{i}]"), *ours, theirs);
        }
    }

    /// A range, null where there are no limits.
    fn range(&mut self, what: &str, ours: [f64; 2], theirs: &Value) {
        if theirs.is_null() {
            assert_eq!(ours, [f64::NEG_INFINITY, f64::INFINITY], "{}: {what}", self.model);
        } else {
            self.list(what, &ours, theirs);
        }
    }
}

fn entries<'v>(golden: &'v Value, list: &str) -> &'v [Value] {
    golden[list].as_array().map_or(&[], Vec::as_slice)
}

/// The name in the file, or the one that is made up for it.
fn name_of(entry: &Value, kind: &str, index: usize) -> String {
    entry["name"].as_str().map_or_else(|| format!("{kind}{index}"), str::to_owned)
}

fn compare_joints(check: &mut Check, model: &Model<f64>, golden: &Value) {
    let joints = entries(golden, "joints");
    assert_eq!(model.n_links(), joints.len(), "{}: number of joints", check.model);
    for (i, theirs) in joints.iter().enumerate() {
        let (joint, params) = (&model.topology.links[i].joint, &model.params.joints[i]);
        assert_eq!(joint.name, name_of(theirs, "joint", i), "{}: order of joints", check.model);
        let kind = match joint.kind {
            JointKind::Free => "free",
            JointKind::Spherical => "ball",
            JointKind::Prismatic(_) => "slide",
            _ => "hinge",
        };
        assert_eq!(theirs["type"], kind, "{}: kind of {}", check.model, joint.name);
        assert_eq!(theirs["qposadr"], joint.q_start, "{}: {}", check.model, joint.name);
        assert_eq!(theirs["dofadr"], joint.v_start, "{}: {}", check.model, joint.name);
        let what = |quantity: &str| format!("{quantity} of joint {}", joint.name);
        check.near(&what("stiffness"), params.stiffness, &theirs["stiffness"]);
        for dof in joint.v_range() {
            check.near(&what("armature"), params.armature, &golden["dof_armature"][dof]);
            check.near(&what("damping"), params.damping, &golden["dof_damping"][dof]);
            if let Some(friction) = golden.get("dof_frictionloss") {
                check.near(&what("friction"), params.friction, &friction[dof]);
            }
        }
        if joint.kind.nv() == 1 {
            check.near(&what("rest"), params.rest, &golden["qpos_spring"][joint.q_start]);
            if let Some(range) = theirs.get("range") {
                let ours = [params.limit_lower, params.limit_upper];
                check.range(&what("range"), ours, range);
            }
        }
    }
}

/// MuJoCo's bodies that are fixed to a link, summed in that link's frame.
fn compare_inertias(check: &mut Check, model: &Model<f64>, golden: &Value) {
    let mut links = vec![Inertia::ZERO; model.n_links()];
    for (i, body) in entries(golden, "bodies").iter().enumerate() {
        let name = name_of(body, "body", i);
        let frame = model.topology.frame(&name).unwrap_or_else(|| panic!("no frame {name}"));
        let Some(link) = model.topology.frames[frame.index()].link else { continue };
        let numbers = |key: &str| -> Vec<f64> {
            body[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
        };
        let turn = Quat::from_slice(&numbers("iquat")).to_mat3();
        let inertia = Inertia {
            mass: body["mass"].as_f64().unwrap(),
            com: Vec3::from_slice(&numbers("ipos")),
            rotational: Sym3::diagonal(Vec3::from_slice(&numbers("inertia"))).rotated(&turn),
        };
        let pose = &model.params.frames[frame.index()];
        let mut part = inertia.rotated(&pose.rot);
        part.com += pose.pos;
        links[link.index()] = links[link.index()].combined(&part);
    }
    for (i, theirs) in links.iter().enumerate() {
        let (ours, name) = (&model.params.links[i], &model.topology.links[i].name);
        check.near(&format!("mass of {name}"), ours.mass, &theirs.mass.into());
        if theirs.mass > 0.0 {
            let com = theirs.com.to_array().to_vec().into();
            check.list(&format!("centre of mass of {name}"), &ours.com.to_array(), &com);
        }
        // Relative to the size of the inertia: MuJoCo turns it to principal axes and back.
        let size = theirs.rotational.to_array().into_iter().fold(f64::MIN_POSITIVE, f64::max);
        let ours = ours.rotational.map(|x| x / size).to_array();
        let theirs = theirs.rotational.map(|x| x / size).to_array().to_vec().into();
        check.list(&format!("inertia of {name}"), &ours, &theirs);
    }
}

fn compare_actuators(check: &mut Check, model: &Model<f64>, golden: &Value) {
    let actuators = entries(golden, "actuators");
    assert_eq!(model.topology.actuators.len(), actuators.len(), "{}: actuators", check.model);
    for (i, theirs) in actuators.iter().enumerate() {
        let (actuator, params) = (&model.topology.actuators[i], &model.params.actuators[i]);
        let joint = &model.topology.links[actuator.joint.index()].joint.name;
        assert_eq!(theirs["joint"], **joint, "{}: joint of actuator {i}", check.model);
        let what = |quantity: &str| format!("{quantity} of actuator {}", actuator.name);
        check.near(&what("gear"), params.gear, &theirs["gear"]);
        let control = [params.control_lower, params.control_upper];
        check.range(&what("control range"), control, &theirs["ctrlrange"]);
        let Some(gain) = theirs.get("gain") else { continue };
        check.near(&what("gain"), params.gain, gain);
        check.list(&what("bias"), &params.bias, &theirs["bias"]);
        let force = [params.force_lower, params.force_upper];
        check.range(&what("force range"), force, &theirs["forcerange"]);
        let activation = [params.activation_lower, params.activation_upper];
        check.range(&what("activation range"), activation, &theirs["actrange"]);
        let integrates = actuator.activation != Activation::Direct;
        assert_eq!(theirs["dynamics"], i32::from(integrates), "{}", what("dynamics"));
    }
}

fn compare_shapes(check: &mut Check, model: &Model<f64>, golden: &Value) {
    for (i, theirs) in entries(golden, "geoms").iter().enumerate() {
        let (shape, params) = (&model.topology.shapes[i], &model.params.shapes[i]);
        assert_eq!(shape.name, name_of(theirs, "geom", i), "{}: order of geoms", check.model);
        assert_eq!(theirs["contype"], shape.collision_group, "{}", shape.name);
        assert_eq!(theirs["conaffinity"], shape.collides_with, "{}", shape.name);
        check.list(&format!("size of {}", shape.name), &params.size.to_array(), &theirs["size"]);
        if params.material.friction != 0.0 {
            let what = format!("friction of {}", shape.name);
            check.near(&what, params.material.friction, &theirs["friction"][0]);
        }
    }
}

fn compare_states(check: &mut Check, model: &Model<f64>, golden: &Value) {
    let keyframes = &model.topology.keyframes;
    assert_eq!(keyframes[0].name, "qpos0");
    check.list("qpos0", &keyframes[0].q, &same_signs(model, &keyframes[0].q, &golden["qpos0"]));
    for (ours, theirs) in keyframes[1..].iter().zip(entries(golden, "keyframes")) {
        check.list("key qpos", &ours.q, &theirs["qpos"]);
        check.list("key qvel", &ours.v, &theirs["qvel"]);
        check.list("key act", &ours.activation, &theirs["act"]);
        check.list("key ctrl", &ours.control, &theirs["ctrl"]);
    }
    for state in entries(golden, "states") {
        let q: Vec<f64> =
            state["qpos"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let links = link_poses(model, &q);
        let seen = |link: Option<LinkId>, pose: &Transform<f64>| match link {
            Some(link) => links[link.index()] * *pose,
            None => *pose,
        };
        let frame_pose = |frame: FrameId| {
            let pose = &model.params.frames[frame.index()];
            seen(model.topology.frames[frame.index()].link, pose)
        };
        for (i, body) in entries(golden, "bodies").iter().enumerate() {
            let name = name_of(body, "body", i);
            let pose = frame_pose(model.topology.frame(&name).unwrap());
            check.list(&format!("place of {name}"), &pose.pos.to_array(), &state["xpos"][i]);
            let quat: Vec<f64> =
                state["xquat"][i].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
            let rows = Quat::from_slice(&quat).to_mat3().to_rows();
            let theirs = rows.as_flattened().to_vec().into();
            let ours = pose.rot.to_rows();
            check.list(&format!("orientation of {name}"), ours.as_flattened(), &theirs);
        }
        for (i, site) in entries(golden, "sites").iter().enumerate() {
            let Some(name) = site.as_str() else { continue };
            let pose = frame_pose(model.topology.frame(name).unwrap());
            check.list(&format!("place of {name}"), &pose.pos.to_array(), &state["site_xpos"][i]);
        }
        for (i, _) in entries(golden, "geoms").iter().enumerate() {
            let shape = &model.topology.shapes[i];
            let link = model.topology.frames[shape.frame.index()].link;
            let pose = seen(link, &model.params.shapes[i].placement);
            let what = format!("place of {}", shape.name);
            check.list(&what, &pose.pos.to_array(), &state["geom_xpos"][i]);
            check.list(&what, pose.rot.to_rows().as_flattened(), &state["geom_xmat"][i]);
        }
    }
}

/// MuJoCo's coordinates with the signs of ours: a quaternion and its negative are one orientation.
fn same_signs(model: &Model<f64>, ours: &[f64], theirs: &Value) -> Value {
    let mut q: Vec<f64> = theirs.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    for link in &model.topology.links {
        if link.joint.kind == JointKind::Free {
            let quat = link.joint.q_start + 3..link.joint.q_start + 7;
            let dot: f64 =
                ours[quat.clone()].iter().zip(&q[quat.clone()]).map(|(a, b)| a * b).sum();
            q[quat].iter_mut().for_each(|x| *x *= dot.signum());
        }
    }
    q.into()
}

/// The pose of each link in the world.
fn link_poses(model: &Model<f64>, q: &[f64]) -> Vec<Transform<f64>> {
    let mut poses: Vec<Transform<f64>> = Vec::new();
    for (link, params) in model.topology.links.iter().zip(&model.params.joints) {
        let q = &q[link.joint.q_range()];
        let turned = |rot: Mat3<f64>| Transform::new(rot, Vec3::ZERO);
        let moved = match link.joint.kind {
            JointKind::Revolute(_) => turned(Mat3::from_axis_sin_cos(params.axis, q[0].sin_cos())),
            JointKind::Prismatic(_) => Transform::from_translation(params.axis * q[0]),
            JointKind::Spherical => turned(Quat::from_slice(q).normalized().to_mat3()),
            JointKind::Free => Transform::from_quat(Quat::from_slice(&q[3..]), Vec3::from_slice(q)),
            other => panic!("MJCF has no {} joint", other.name()),
        };
        let pose_wp = link.parent.map_or(Transform::IDENTITY, |p| poses[p.index()]);
        poses.push(pose_wp * params.placement * moved);
    }
    poses
}

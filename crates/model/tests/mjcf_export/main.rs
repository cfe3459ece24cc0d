//! A model written as MJCF and read back is the same model; for MuJoCo it is what its source was.

mod mujoco;
#[path = "../support/parts.rs"]
mod parts;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gradbody_math::{Inertia, Transform, Vec3};
use gradbody_model::export::{self, ExportError};
use gradbody_model::import::{ImportOptions, Imported, from_text, load};
use gradbody_model::{
    ActuatorParams, ContactLaw, ContactPair, FrameId, Hull, JointId, JointKind, JointParams,
    JointSpec, Keyframe, Material, MaterialScalar, Mesh, Model, ModelBuilder, ShapeId, ShapeKind,
    ShapeParams,
};

use parts::{body, pose};

const NO_SENSORS: &str = "sensors and solver options (integrator, …) are not part of a \
                          model, so none are written";
const NO_FIXED_INERTIA: &str = "the inertia of what is fixed to the world is not part of a model, \
                                so it is not written";
const NO_STEP: &str = "the model has no time step: a reader assumes 0.002 s";

/// Rounding of turning numbers into another frame and back.
const SAME: f64 = 1e-12;

fn read(text: &str) -> Imported {
    from_text(text, Path::new("exported.xml"), &ImportOptions::default())
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn round_trip(model: &Model<f64>) -> Model<f64> {
    read(&export::mjcf(model).unwrap().text).model
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of a folder that end so.
fn files(folder: impl AsRef<Path>, extension: &str) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(repository().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    paths.sort();
    paths
}

/// All MJCF files of the repository that can be read, and Gymnasium's if they are here, with their
/// models.
fn mjcf_models() -> Vec<(PathBuf, Model<f64>)> {
    let folders = ["models", "tests/corpus/mjcf", "tests/corpus/mjcf/parity"];
    let pythons = std::fs::read_dir(repository().join(".venv/lib")).into_iter().flatten();
    let assets = pythons
        .flatten()
        .map(|python| python.path().join("site-packages/gymnasium/envs/mujoco/assets"))
        .filter(|folder| folder.is_dir());
    let folders = folders.into_iter().map(PathBuf::from).chain(assets);
    let paths = folders.flat_map(|folder| files(folder, "xml"));
    let read = |path: PathBuf| {
        load(&path, &ImportOptions::default()).ok().map(|imported| (path, imported.model))
    };
    paths.filter_map(read).collect()
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("mjcf-export-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn transform(t: &Transform<f64>) -> Vec<f64> {
    [t.rot.to_rows().as_flattened(), &t.pos.to_array()].concat()
}

fn inertia(i: &Inertia<f64>) -> Vec<f64> {
    let com = if i.mass == 0.0 { Vec3::ZERO } else { i.com };
    [&[i.mass], &com.to_array()[..], &i.rotational.to_array()].concat()
}

fn joint_numbers(kind: JointKind, p: &JointParams<f64>) -> Vec<f64> {
    let axis = match kind {
        JointKind::Revolute(_) | JointKind::Prismatic(_) => p.axis,
        _ => Vec3::ZERO,
    };
    let mut numbers = axis.to_array().to_vec();
    numbers.extend([p.armature, p.damping, p.friction, p.friction_velocity, p.stiffness, p.rest]);
    numbers.extend([p.limit_lower, p.limit_upper, p.limit_stiffness, p.limit_damping]);
    numbers.extend([p.limit_softness, p.effort_limit]);
    numbers
}

fn actuator_numbers(p: &ActuatorParams<f64>) -> Vec<f64> {
    let mut numbers = vec![p.gear, p.gain, p.control_lower, p.control_upper, p.force_lower];
    numbers.extend(p.bias);
    numbers.extend([p.force_upper, p.activation_lower, p.activation_upper]);
    numbers
}

fn surface(material: &Material<f64>) -> Vec<f64> {
    MaterialScalar::ALL.iter().map(|number| *material.get(*number)).collect()
}

/// Links, joints and frames, as names and numbers, by name.
fn tree(model: &Model<f64>) -> Vec<(String, Vec<f64>)> {
    let Model { topology, params } = model;
    let mut all = vec![("gravity".to_owned(), params.gravity.to_array().to_vec())];
    for (i, link) in topology.links.iter().enumerate() {
        let parent = link.parent.map_or("world", |p| &topology.links[p.index()].name);
        let joint = &params.joints[i];
        let (name, kind) = (&link.joint.name, link.joint.kind);
        all.push((format!("link {i} {} on {parent}", link.name), inertia(&params.links[i])));
        all.push((format!("{kind:?} {name}"), transform(&joint.placement)));
        all.push((format!("numbers of {name}"), joint_numbers(kind, joint)));
    }
    for (frame, pose) in topology.frames.iter().zip(&params.frames) {
        let link = frame.link.map_or("world", |l| &topology.links[l.index()].name);
        all.push((format!("frame {} on {link}", frame.name), transform(pose)));
    }
    all
}

/// Everything, as names and numbers, by name.
fn contents(model: &Model<f64>) -> Vec<(String, Vec<f64>)> {
    let Model { topology, params } = model;
    let mut all = tree(model);
    all.push(("time step".into(), topology.timestep.into_iter().collect()));
    for (shape, p) in topology.shapes.iter().zip(&params.shapes) {
        let frame = &topology.frames[shape.frame.index()].name;
        let kind = match &shape.kind {
            ShapeKind::Mesh(mesh) => format!("mesh with a hull: {}", mesh.hull.is_some()),
            kind => format!("{kind:?}"),
        };
        let filter = (shape.collision_group, shape.collides_with, shape.law, shape.resists_turning);
        // A file may say more than there are sizes.
        let sizes = match shape.kind {
            ShapeKind::Plane => 0,
            ShapeKind::Sphere => 1,
            ShapeKind::Capsule | ShapeKind::Cylinder => 2,
            _ => 3,
        };
        let size = p.size.to_array()[..sizes].to_vec();
        let numbers = [transform(&p.placement), size, surface(&p.material)];
        all.push((format!("{kind} {} on {frame} {filter:?}", shape.name), numbers.concat()));
    }
    for (pair, material) in topology.contact_pairs.iter().zip(&params.pairs) {
        let [a, b] = [pair.a, pair.b].map(|shape| &topology.shapes[shape.index()].name);
        let what = format!("pair {a} {b} {:?} {}", pair.law, pair.resists_turning);
        all.push((what, surface(material)));
    }
    for (a, b) in &topology.contact_excludes {
        let [a, b] = [a, b].map(|frame| &topology.frames[frame.index()].name);
        all.push((format!("exclude {a} {b}"), vec![]));
    }
    for (actuator, p) in topology.actuators.iter().zip(&params.actuators) {
        let joint = &topology.links[actuator.joint.index()].joint.name;
        let what = format!("{} {:?} on {joint}", actuator.name, actuator.activation);
        all.push((what, actuator_numbers(p)));
    }
    for (i, key) in topology.keyframes.iter().enumerate() {
        let numbers = [&key.q[..], &key.v, &key.activation, &key.control].concat();
        all.push((format!("keyframe {i} {}", key.name), numbers));
    }
    all
}

type Contents = Vec<(String, Vec<f64>)>;

#[track_caller]
fn assert_same(name: &str, mut a: Contents, mut b: Contents) {
    a.sort_by(|a, b| a.0.cmp(&b.0));
    b.sort_by(|a, b| a.0.cmp(&b.0));
    let names = |c: &Contents| c.iter().map(|x| x.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&a), names(&b), "{name}");
    for ((what, a), (_, b)) in a.iter().zip(&b) {
        assert_eq!(a.len(), b.len(), "{name}: {what}");
        for (x, y) in a.iter().zip(b) {
            let same = x == y || (x - y).abs() <= SAME * (1.0 + x.abs());
            assert!(same, "{name}: {what}: {a:?} became {b:?}");
        }
    }
}

#[test]
fn mjcf_models_come_back_the_same() {
    let models = mjcf_models();
    assert!(models.len() >= 20, "{}", models.len());
    for (path, model) in models {
        let name = path.display().to_string();
        let exported = export::mjcf(&model).unwrap_or_else(|e| panic!("{name}: {e}"));
        let lost = |note: &&String| ![NO_SENSORS, NO_FIXED_INERTIA].contains(&note.as_str());
        let notes: Vec<&String> = exported.notes.iter().filter(lost).collect();
        let unread = |s: &gradbody_model::Shape| matches!(&s.kind, ShapeKind::Mesh(mesh) if mesh.hull.is_none());
        if model.topology.shapes.iter().any(unread) {
            assert!(notes.iter().all(|n| n.starts_with("the shape of") || n.contains("pairs")));
            assert_same(&name, tree(&model), tree(&read(&exported.text).model));
            continue;
        }
        assert_eq!(notes, [""; 0], "{name}");
        assert_same(&name, contents(&model), contents(&read(&exported.text).model));
        let again = export::mjcf(&read(&exported.text).model).unwrap().text;
        let back = read(&again).model;
        assert_same(&name, contents(&model), contents(&back));
    }
}

#[test]
fn urdf_models_come_back_with_the_same_tree() {
    let paths = files("models", "urdf");
    assert!(paths.len() >= 17);
    for path in paths {
        let model = load(&path, &ImportOptions::default()).unwrap_or_else(|e| panic!("{e}")).model;
        let exported = export::mjcf(&model).unwrap();
        for note in &exported.notes {
            let known = note.contains("is not part of a model") || note.contains("not part of");
            assert!(known || note == NO_STEP, "{}: {note}", path.display());
        }
        let back = read(&exported.text).model;
        assert_same(&path.display().to_string(), tree(&model), tree(&back));
    }
}

#[test]
fn fitted_numbers_come_back() {
    let path = repository().join("models/ant.xml");
    let mut model = load(&path, &ImportOptions::default()).unwrap().model;
    let changes = [
        ("link/torso/mass", 7.123456789012345),
        ("link/torso/inertia/xy", 1e-7),
        ("link/torso/com/z", -0.1 / 3.0),
        ("joint/front_left_hip/damping", 0.02),
        ("joint/front_left_hip/friction", 1.0 / 7.0),
        ("joint/front_left_hip/armature", std::f64::consts::PI / 17.0),
        ("joint/front_left_hip/stiffness", 2.5),
        ("joint/front_left_hip/rest", -0.3),
        ("joint/front_left_hip/limit_lower", -1.25),
        ("joint/front_left_hip/effort_limit", 40.0),
        ("joint/rear_left_ankle/placement/x", 0.31),
        ("joint/rear_left_ankle/placement/yaw", 0.3),
        ("gravity/z", -9.80665),
    ];
    for (path, value) in changes {
        model.set_by_path(path, value).unwrap_or_else(|e| panic!("{e}"));
    }
    let back = round_trip(&model);
    assert_same("ant", contents(&model), contents(&back));
    for (path, value) in changes {
        let found = back.get(back.topology.param_id(path).unwrap());
        assert!((found - value).abs() < SAME, "{path}: {value} became {found}");
    }
    // Where nothing turns, to the last bit.
    assert_eq!(back.params.links[0].mass, changes[0].1);
    assert_eq!(back.params.links[0].rotational, model.params.links[0].rotational);
}

/// A tree with every kind of joint, on each of which another one hangs.
fn every_joint() -> ModelBuilder {
    let mut b = ModelBuilder::new("all & \"everything\"");
    b.gravity(Vec3::new(0.1, 0.2, -9.0)).timestep(0.005);
    let base = b.frame("base", FrameId::WORLD, pose(0.2)).unwrap();
    let axis = Vec3::new(0.36, 0.48, 0.8);
    let mut slide = JointSpec::prismatic("slide", axis).at(pose(0.7));
    slide.params.armature = 0.25;
    let cart = b.link("cart", base, slide, body()).unwrap();
    let mut hinge = JointSpec::revolute("hinge<1>", Vec3::Z).at(pose(1.1)).damping(0.25);
    hinge.params.limit_lower = -1.0;
    hinge.params.limit_upper = 2.0;
    hinge.params.friction = 0.1;
    hinge.link_in_joint = Transform::from_translation(Vec3::new(0.1, 0.2, 0.3));
    let arm = b.link("arm", cart, hinge, body()).unwrap();
    let fixed = b.fixed("tool", arm, pose(0.9), body()).unwrap();
    let mut ball = JointSpec::spherical("ball").at(pose(0.4));
    ball.params.stiffness = 3.0;
    let hand = b.link("hand", fixed, ball, body()).unwrap();
    let axes = (Vec3::X, Vec3::new(0.0, 0.6, 0.8));
    let joint = JointSpec::universal("u", axes.0, axes.1).at(pose(0.3)).damping(0.5);
    let finger = b.link("finger", hand, joint, body()).unwrap();
    b.link("puck", finger, JointSpec::planar("table").at(pose(0.6)), body()).unwrap();
    let stone = b.link("stone", FrameId::WORLD, JointSpec::free("thrown"), body()).unwrap();
    b.link("moss", stone, JointSpec::free("loose").at(pose(0.1)), body()).unwrap();
    b
}

#[test]
fn every_joint_comes_back_or_becomes_others_with_its_coordinates() {
    let model = every_joint().build().unwrap();
    let exported = export::mjcf(&model).unwrap();
    let several = "is written as several, with the same coordinates:";
    assert_eq!(
        exported.notes,
        [
            NO_SENSORS.to_owned(),
            NO_FIXED_INERTIA.to_owned(),
            format!("universal joint \"u\" {several} hinge, hinge"),
            format!("planar joint \"table\" {several} slide, slide, hinge"),
            format!("free joint \"loose\" {several} slide, slide, slide, ball"),
        ]
    );
    let back = read(&exported.text).model;
    assert_eq!((back.nq(), back.nv()), (model.nq(), model.nv()));
    let names: Vec<String> = back.topology.velocity_names();
    let parts = ["u_1", "u_2", "table_x", "table_y", "table_angle"];
    assert_eq!(names[5..10], parts.map(str::to_owned));
    assert_eq!(
        names[16..],
        ["loose_x", "loose_y", "loose_z", "loose_ball/wx", "loose_ball/wy", "loose_ball/wz"]
    );
    for (link, numbers) in model.topology.links.iter().zip(&model.params.links) {
        let found = back.topology.link(&link.name).unwrap();
        let found = &back.params.links[found.index()];
        for (x, y) in inertia(numbers).iter().zip(inertia(found)) {
            assert!((x - y).abs() < SAME, "{}: {numbers:?} became {found:?}", link.name);
        }
    }
    assert_eq!(back.topology.name, model.topology.name);
    // What is read back has only joints of the format: now everything is the same.
    assert_same("all", contents(&back), contents(&round_trip(&back)));
}

#[test]
fn states_are_those_of_the_source() {
    // A hinge that begins turned, in a body of three joints, and a body thrown from somewhere.
    let text = r#"<mujoco><compiler angle="radian"/><worldbody>
        <body name="leg" pos="1 2 3" euler="0.1 0.2 0.3">
          <joint name="x" type="slide" axis="1 0 0" ref="0.5"/>
          <joint name="y" type="slide" axis="0 0 1" ref="1.25"/>
          <joint name="turn" axis="0 1 0" pos="0.1 0.2 0.3" ref="0.7" springref="0.2" stiffness="3"/>
          <inertial pos="0 0 0.1" mass="1" diaginertia="0.1 0.1 0.1"/>
          <body name="foot" pos="0 0 -0.5" quat="1 0.2 0 0">
            <joint name="ankle" axis="1 2 3" pos="0 0 0.1" ref="-0.3"/>
            <joint name="toe" axis="0 0 1" pos="0 0 0.2" ref="0.4"/>
            <inertial pos="0 0 0.1" mass="1" diaginertia="0.1 0.1 0.1"/></body></body>
        <body name="stone" pos="0 1 2" quat="1 2 3 4"><freejoint name="thrown"/>
          <inertial pos="0 0 0.1" mass="1" fullinertia="0.1 0.1 0.1 0.01 0 0"/></body>
        </worldbody><actuator><intvelocity name="servo" joint="turn" kp="3" actrange="-1 1"/>
          <position name="hold" joint="toe" kp="3" kv="0.1" ctrlrange="-2 2" forcerange="-4 4"/></actuator>
        <keyframe><key name="moved" qpos="1 2 3 4 5 6 7 8 1 0 0 0" qvel="1 2 3 4 5 6 7 8 9 10 11"
          act="0.5" ctrl="0.25 0.75"/><key/></keyframe></mujoco>"#;
    let model = read(text).model;
    let exported = export::mjcf(&model).unwrap();
    assert_eq!(exported.notes, [NO_SENSORS]);
    let back = read(&exported.text).model;
    assert_same("states", contents(&model), contents(&back));
    assert!(exported.text.contains("ref=\"0.7\""), "{}", exported.text);
}

#[test]
fn links_in_another_order_keep_their_states() {
    let mut b = ModelBuilder::new("r");
    let one = b.link("one", FrameId::WORLD, JointSpec::revolute("j1", Vec3::X), body()).unwrap();
    b.link("two", FrameId::WORLD, JointSpec::revolute("j2", Vec3::Y), body()).unwrap();
    b.link("three", one, JointSpec::spherical("j3"), body()).unwrap();
    b.keyframe(Keyframe {
        name: "there".into(),
        q: vec![1.0, 2.0, 0.0, 1.0, 0.0, 0.0],
        v: vec![1.0, 2.0, 3.0, 4.0, 5.0],
        activation: vec![],
        control: vec![],
    });
    b.keyframe(Keyframe { name: "of another model".into(), ..Keyframe::default() });
    let exported = export::mjcf(&b.build().unwrap()).unwrap();
    assert_eq!(
        exported.notes,
        [
            NO_SENSORS,
            NO_STEP,
            "joints, and so coordinates, are in another order: what hangs on a body follows it in \
             the file",
            "keyframes that do not fit this model are not written (1)",
        ]
    );
    let back = read(&exported.text).model;
    let there = &back.topology.keyframes[1];
    assert_eq!(there.q, [1.0, 0.0, 1.0, 0.0, 0.0, 2.0]);
    assert_eq!(there.v, [1.0, 3.0, 4.0, 5.0, 2.0]);
}

#[test]
fn surfaces_come_back() {
    let turning = Material {
        torsional_friction: 0.02,
        rolling_friction: 0.0,
        ..Material::with_friction(1.25)
    };
    let gain = |position_gain: f64| Material { position_gain, ..Material::with_friction(0.7) };
    let surfaces: [(&str, bool, Material<f64>); 9] = [
        ("plain", true, Material::DEFAULT),
        ("slippery", false, Material::with_friction(0.0)),
        ("turning", true, turning),
        ("not at all", false, gain(0.0)),
        ("slow", false, gain(1e-3)),
        ("near the default", false, gain(0.19)),
        ("fast", false, gain(0.6)),
        ("at once", false, gain(1.0)),
        ("barely", false, gain(1e-300)),
    ];
    for dt in [None, Some(1e-4), Some(0.02)] {
        let mut b = ModelBuilder::new("r");
        dt.map(|dt| b.timestep(dt));
        for (name, resists_turning, material) in surfaces {
            let joint = JointSpec::free(format!("{name} joint"));
            let frame = b.link(name, FrameId::WORLD, joint, body()).unwrap();
            let params = ShapeParams { placement: pose(0.3), size: Vec3::X, material };
            let shape = b.shape(name, frame, ShapeKind::Sphere, params).unwrap();
            b.shape_mut(shape).resists_turning = resists_turning;
        }
        for (i, (_, resists_turning, material)) in surfaces.into_iter().enumerate().skip(1) {
            let (a, other) = (ShapeId::new(0), ShapeId::new(i));
            // What no contact of a pair uses is not kept.
            let material = match resists_turning {
                true => material,
                false => Material { torsional_friction: 0.0, rolling_friction: 0.0, ..material },
            };
            let pair = ContactPair { a, b: other, law: ContactLaw::Rigid, resists_turning };
            b.contact_pair(pair, material);
        }
        let model = b.build().unwrap();
        let exported = export::mjcf(&model).unwrap();
        let back = read(&exported.text).model;
        let some = |model: &Model<f64>| {
            let kept = |what: &str| what.contains("Sphere") || what.contains("pair");
            contents(model).into_iter().filter(|(what, _)| kept(what)).collect::<Contents>()
        };
        assert_same("surfaces", some(&model), some(&back));
    }
}

/// Corners of a tetrahedron.
const CORNERS: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

#[test]
fn meshes_are_found_from_the_new_file() {
    let folder = folder("meshes");
    std::fs::create_dir_all(folder.join("parts")).unwrap();
    let vertices = CORNERS.map(|[x, y, z]| format!("v {x} {y} {z}\n")).concat();
    let faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(folder.join("parts/a b.obj"), vertices + faces).unwrap();
    let source = folder.join("robot.xml");
    let text = r#"<mujoco><compiler meshdir="parts"/><asset><mesh name="m" file="a b.obj"/>
        <mesh name="big" file="a b.obj" scale="2 2 -2"/>
        <mesh name="here" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><mesh name="none" file="none.obj"/></asset>
        <worldbody><body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <geom name="g1" type="mesh" mesh="m" pos="1 2 3"/><geom name="g2" type="mesh" mesh="m"/>
        <geom name="g3" type="mesh" mesh="big"/><geom name="g4" type="mesh" mesh="here"/>
        <geom name="eye" type="mesh" mesh="m" contype="0" conaffinity="0"/></body></worldbody></mujoco>"#;
    std::fs::write(&source, text).unwrap();
    let model = load(&source, &ImportOptions::default()).unwrap().model;
    let elsewhere = folder.join("fit");
    std::fs::create_dir_all(&elsewhere).unwrap();
    for place in [&folder, &elsewhere] {
        let exported = export::mjcf_in(&model, place).unwrap();
        assert_eq!(exported.notes, [NO_SENSORS]);
        assert_eq!(exported.text.matches("<mesh ").count(), 3, "{}", exported.text);
        assert!(!exported.text.contains(folder.to_str().unwrap()), "{}", exported.text);
        let file = place.join("written.xml");
        std::fs::write(&file, exported.text).unwrap();
        let back = load(&file, &ImportOptions::default()).unwrap().model;
        assert_same("meshes", contents(&model), contents(&back));
    }
    let anywhere = export::mjcf(&model).unwrap().text;
    assert!(anywhere.contains(folder.canonicalize().unwrap().to_str().unwrap()), "{anywhere}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_mjcf_cannot_say_is_said_in_notes() {
    let mut b = ModelBuilder::new("");
    let mut joint = JointSpec::revolute("hinge", Vec3::X);
    joint.params.limit_lower = -1.0;
    joint.params.limit_stiffness = 7.0;
    joint.params.friction = 1.0;
    joint.params.friction_velocity = 0.5;
    joint.link_in_joint = pose(0.2);
    let arm = b.link("arm", FrameId::WORLD, joint, body()).unwrap();
    let mut stuck = JointSpec::prismatic("stuck", Vec3::Y);
    (stuck.params.limit_lower, stuck.params.limit_upper) = (0.5, 0.5);
    stuck.params.effort_limit = 0.0;
    b.link("", arm, stuck, Inertia::default()).unwrap();
    let point =
        ActuatorParams { control_lower: 1.0, control_upper: 1.0, ..ActuatorParams::motor(1.0) };
    b.actuator("motor", JointId::new(0), false, point).unwrap();
    let unstable =
        ActuatorParams { gain: 3.0, bias: [0.0, -3.0, 2.0], ..ActuatorParams::motor(1.0) };
    b.actuator("unstable", JointId::new(0), false, unstable).unwrap();
    let points: Arc<[Vec3<f64>]> = [Vec3::ZERO].into();
    let hull = Hull::of_points(&CORNERS.map(Vec3::from_f64)).ok();
    let shapes = [
        ("points", ShapeKind::Points(points), Material::DEFAULT),
        ("wall", ShapeKind::Plane, Material::DEFAULT),
        (
            "lost",
            ShapeKind::Mesh(Arc::new(Mesh { path: "no.dae".into(), hull: None })),
            Material::DEFAULT,
        ),
        (
            "made in code",
            ShapeKind::Mesh(Arc::new(Mesh { path: "".into(), hull })),
            Material::DEFAULT,
        ),
        ("flat", ShapeKind::Box, Material::DEFAULT),
        ("ball", ShapeKind::Sphere, Material { restitution: 0.5, cfm: 0.1, ..Material::DEFAULT }),
        ("foam", ShapeKind::Sphere, Material { velocity_gain: 0.5, ..Material::DEFAULT }),
    ];
    for (name, kind, material) in shapes {
        let size =
            if matches!(kind, ShapeKind::Mesh(_)) { Vec3::new(1.0, 1.0, 1.0) } else { Vec3::X };
        let params = ShapeParams { placement: Transform::IDENTITY, size, material };
        let shape = b.shape(name, arm, kind, params).unwrap();
        if name == "foam" {
            b.shape_mut(shape).law = ContactLaw::Compliant;
        }
    }
    let pair = |a, b| {
        let (a, b) = (ShapeId::new(a), ShapeId::new(b));
        ContactPair { a, b, law: ContactLaw::Compliant, resists_turning: false }
    };
    b.contact_pair(pair(0, 5), Material::DEFAULT).contact_pair(pair(5, 6), Material::DEFAULT);
    let model = b.build().unwrap();
    let exported = export::mjcf(&model).unwrap();
    assert_eq!(
        exported.notes,
        [
            NO_SENSORS,
            NO_STEP,
            "MuJoCo will not load the file: every moving body needs a mass and moments of inertia with \
             A + B >= C > 0, which is not true of link \"\"",
            "the speed at which friction sets in of joint \"hinge\" is not written",
            "the softness of the limits of joint \"hinge\" is not written",
            "the range, a single point, of joint \"stuck\" is not written",
            "the open end of the range of joint \"hinge\" is written as 1e30",
            "the shape of shape \"points\" and 3 others is not written",
            "restitution of shape \"ball\" is not written",
            "the velocity gain of shape \"foam\" is not written",
            "constraint force mixing of shape \"ball\" is not written",
            "the compliant contact of shape \"foam\" is not written",
            "the compliant contact of contact pair \"points-ball\" and one other is not written",
            "the control range, a single point, of actuator \"motor\" is not written",
            "the frame \"\" is written as \"frame\"",
            "the frame of link \"arm\" is written at its joint; its old place is the frame \"arm_origin\"",
            "contact pairs whose shapes are not written are left out (1)",
        ]
    );
    let mut again = model.clone();
    again.params.joints[1].armature = 1.0;
    let back = round_trip(&again);
    assert_eq!(back.topology.shapes.len(), 3);
    let origin = back.topology.frame("arm_origin").unwrap();
    for (x, y) in transform(&back.params.frames[origin.index()]).iter().zip(transform(&pose(0.2))) {
        assert!((x - y).abs() < SAME);
    }
    // A position term that the velocity term would otherwise make a damping ratio of.
    let unstable = back.params.actuators[1];
    assert_eq!(unstable.bias, [0.0, -3.0, 2.0]);
    assert!((unstable.gain - 3.0).abs() < SAME);
}

#[test]
fn links_without_mass_give_their_joints_away() {
    let mut b = ModelBuilder::new("r");
    let none = Inertia::default();
    let ankle =
        b.link("pitch", FrameId::WORLD, JointSpec::revolute("p", Vec3::Y).at(pose(0.3)), none);
    let roll =
        b.link("roll", ankle.unwrap(), JointSpec::revolute("r", Vec3::X).at(pose(0.4)), none);
    let foot =
        b.link("foot", roll.unwrap(), JointSpec::prismatic("s", Vec3::Z).at(pose(0.5)), body());
    b.frame("toe", foot.unwrap(), pose(0.6)).unwrap();
    let model = b.build().unwrap();
    let exported = export::mjcf(&model).unwrap();
    assert_eq!(
        exported.notes,
        [
            NO_SENSORS,
            NO_STEP,
            "link \"pitch\" has no mass: its joint \"p\" is written in the body \"foot\"",
            "link \"roll\" has no mass: its joint \"r\" is written in the body \"foot\"",
        ]
    );
    let back = read(&exported.text).model;
    let names: Vec<&str> = back.topology.links.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["foot:p", "foot:r", "foot"]);
}

/// MuJoCo takes the larger friction of two geoms, also where a URDF gives none.
#[test]
fn friction_of_a_ground_under_a_urdf_without_friction_is_that_of_their_pair() {
    let mut model =
        load(repository().join("models/cube.urdf"), &ImportOptions::default()).unwrap().model;
    model.add_ground(0.0, Material::with_friction(0.05)).unwrap();
    let back = round_trip(&model);
    let pair = back.topology.pair("ground-cube").expect("a pair of its own");
    assert_eq!(back.params.pairs[pair.index()].friction, 0.05);
    // Of a friction that was given, the larger counts in both.
    model.topology.shapes[0].friction_given = true;
    assert!(round_trip(&model).topology.contact_pairs.is_empty());
}

#[test]
fn what_cannot_be_written_is_refused() {
    let mut b = ModelBuilder::new("r");
    b.frame("a\u{1}b", FrameId::WORLD, Transform::IDENTITY).unwrap();
    let error = export::mjcf(&b.build().unwrap()).unwrap_err();
    assert_eq!(error, ExportError::Name { name: "a\u{1}b".into() });
    let (_, mut model) = mjcf_models().remove(0);
    model.params.links[0].mass = f64::NAN;
    assert!(matches!(export::mjcf(&model).unwrap_err(), ExportError::Model(_)));
}

#[test]
fn long_chains_are_written() {
    let joint = "<joint axis=\"0 1 0\"/><geom size=\"0.1\" mass=\"1\"/>";
    let bodies = format!("<body pos=\"0 0 0.1\">{joint}").repeat(5_000) + &"</body>".repeat(5_000);
    let model = read(&format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>")).model;
    let text = export::mjcf(&model).unwrap().text;
    assert!(text.len() < 5_000_000, "{}", text.len());
    assert_eq!(read(&text).model.nv(), 5_000);
}

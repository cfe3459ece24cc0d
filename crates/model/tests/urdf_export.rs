//! A model written as URDF and read back is the same model.

#[path = "support/parts.rs"]
mod parts;

use std::path::Path;
use std::sync::Arc;

use gradbody_math::{Inertia, Mat3, Transform, Vec3};
use gradbody_model::export::{self, ExportError};
use gradbody_model::import::{Base, ImportOptions, Imported, from_text, load};
use gradbody_model::{
    ActuatorParams, ContactLaw, ContactPair, FrameId, JointId, JointKind, JointSpec, Material,
    MaterialScalar, Mesh, Model, ModelBuilder, ShapeId, ShapeKind, ShapeParams,
};

use parts::{body, pose};

const NO_VELOCITIES: &str =
    "velocity limits are not part of a model: 1000 is written because the format requires one";
const NO_FIXED_INERTIA: &str = "the inertia of what is fixed to the world is not part of a model, \
                                so it is not written";

/// Rounding of turning numbers into another frame and back.
const SAME: f64 = 1e-12;

fn read(text: &str) -> Imported {
    from_text(text, Path::new("exported.urdf"), &ImportOptions::default())
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn round_trip(model: &Model<f64>) -> Model<f64> {
    read(&export::urdf(model).unwrap().text).model
}

fn models(extension: &str) -> Vec<(String, Model<f64>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        load(path, &ImportOptions::default()).unwrap_or_else(|e| panic!("{e}")).model
    };
    paths.iter().map(|p| (p.file_name().unwrap().display().to_string(), read(p))).collect()
}

fn transform(t: &Transform<f64>) -> Vec<f64> {
    [t.rot.to_rows().as_flattened(), &t.pos.to_array()].concat()
}

fn inertia(i: &Inertia<f64>) -> Vec<f64> {
    [&[i.mass], &i.com.to_array()[..], &i.rotational.to_array()].concat()
}

/// Everything a URDF can say, as names and numbers, by name.
fn contents(model: &Model<f64>, with_frames: bool) -> Vec<(String, Vec<f64>)> {
    let Model { topology, params } = model;
    let mut all = Vec::new();
    for (i, link) in topology.links.iter().enumerate() {
        let parent = link.parent.map_or("world", |p| &topology.links[p.index()].name);
        let joint = &params.joints[i];
        let name = &link.joint.name;
        all.push((format!("link {} on {parent}", link.name), inertia(&params.links[i])));
        all.push((format!("{:?} {name}", link.joint.kind), transform(&joint.placement)));
        let axis = match link.joint.kind {
            JointKind::Revolute(_) | JointKind::Prismatic(_) => joint.axis,
            _ => Vec3::ZERO,
        };
        let numbers = [joint.damping, joint.friction, joint.limit_lower, joint.limit_upper];
        all.push((
            format!("numbers of {name}"),
            [&numbers[..], &[joint.effort_limit], &axis.to_array()].concat(),
        ));
    }
    for (frame, pose) in topology.frames.iter().zip(&params.frames).filter(|_| with_frames) {
        let link = frame.link.map_or("world", |l| &topology.links[l.index()].name);
        all.push((format!("frame {} on {link}", frame.name), transform(pose)));
    }
    let writable = |kind: &ShapeKind| !matches!(kind, ShapeKind::Ellipsoid | ShapeKind::Plane);
    for (shape, p) in topology.shapes.iter().zip(&params.shapes) {
        if writable(&shape.kind) {
            let frame = &topology.frames[shape.frame.index()].name;
            let numbers = [transform(&p.placement), p.size.to_array().to_vec()].concat();
            all.push((format!("{:?} {} on {frame}", shape.kind, shape.name), numbers));
        }
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

fn assert_same(name: &str, a: &Model<f64>, b: &Model<f64>, with_frames: bool) {
    let (a, b) = (contents(a, with_frames), contents(b, with_frames));
    let names = |c: &[(String, Vec<f64>)]| c.iter().map(|x| x.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&a), names(&b), "{name}");
    for ((what, a), (_, b)) in a.iter().zip(&b) {
        for (x, y) in a.iter().zip(b) {
            let same = x == y || (x - y).abs() <= SAME * (1.0 + x.abs());
            assert!(same, "{name}: {what}: {a:?} became {b:?}");
        }
    }
}

#[test]
fn our_urdf_models_come_back_the_same() {
    let models = models("urdf");
    assert!(models.len() >= 17);
    for (name, model) in models {
        let back = round_trip(&model);
        assert_same(&name, &model, &back, true);
        let order =
            |m: &Model<f64>| m.topology.links.iter().map(|l| l.name.clone()).collect::<Vec<_>>();
        assert_eq!(order(&model), order(&back), "{name}");
    }
}

#[test]
fn our_mjcf_models_come_back_the_same_but_for_what_urdf_cannot_say() {
    let models = models("xml");
    assert!(models.len() >= 7);
    for (name, mut model) in models {
        let exported = export::urdf(&model).unwrap();
        assert!(exported.notes.iter().any(|n| n.contains("actuators are not written")), "{name}");
        let back = read(&exported.text).model;
        // A free joint that is left out comes back as `root`.
        if let Some(link) = model.topology.links.first_mut()
            && exported.notes.iter().any(|n| n.contains("is left out"))
        {
            link.joint.name = "root".into();
        }
        assert_same(&name, &model, &back, false);
    }
}

#[test]
fn a_root_link_keeps_its_name() {
    let text = r#"<robot name="r"><link name="base"/><link name="plate"/><link name="arm"><inertial><mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
        <joint name="glue" type="fixed"><parent link="base"/><child link="plate"/><origin xyz="0 0 1"/></joint>
        <joint name="hinge" type="revolute"><parent link="plate"/><child link="arm"/>
        <limit lower="-1" upper="1" effort="5" velocity="3"/></joint></robot>"#;
    let model = read(text).model;
    let written = export::urdf(&model).unwrap().text;
    assert!(written.contains(r#"<link name="base"/>"#) && !written.contains("world"), "{written}");
    assert!(written.contains(r#"effort="5.0" velocity="1000.0""#), "{written}");
    assert_same("r", &model, &read(&written).model, true);
}

#[test]
fn changed_numbers_survive() {
    let (_, mut model) = models("urdf").into_iter().find(|(n, _)| n == "a1.urdf").unwrap();
    let changes = [
        ("link/trunk/mass", 7.123456789012345),
        ("link/FL_calf/com/z", -0.1 / 3.0),
        ("link/FL_calf/inertia/xy", 1e-7),
        ("joint/FL_hip_joint/placement/x", std::f64::consts::PI / 17.0),
        ("joint/RR_thigh_joint/placement/yaw", 0.3),
        ("joint/FR_calf_joint/damping", 0.02),
        ("joint/FR_calf_joint/friction", 1.0 / 7.0),
        ("joint/FR_calf_joint/limit_lower", -2.5),
        ("joint/FR_calf_joint/effort_limit", 40.0),
        ("frame/FL_foot/placement/z", -0.21),
    ];
    for (path, value) in changes {
        model.set_by_path(path, value).unwrap();
    }
    let back = round_trip(&model);
    assert_same("a1", &model, &back, true);
    for (path, value) in changes {
        let found = back.get(back.topology.param_id(path).unwrap());
        assert!((found - value).abs() < SAME, "{path}: {value} became {found}");
    }
}

fn surface() -> Material<f64> {
    Material::with_friction(0.4)
}

#[test]
fn every_joint_that_urdf_has_comes_back() {
    let mut b = ModelBuilder::new("all & \"everything\"");
    let base = b.frame("base", FrameId::WORLD, pose(0.2)).unwrap();
    let axis = Vec3::new(0.36, 0.48, 0.8);
    let mut slide = JointSpec::prismatic("slide", axis).at(pose(0.7));
    slide.params.limit_lower = -0.5;
    let cart = b.link("cart", base, slide, body()).unwrap();
    let mut hinge = JointSpec::revolute("hinge<1>", Vec3::Z).at(pose(1.1)).damping(0.25);
    hinge.params.limit_lower = -1.0;
    hinge.params.limit_upper = 2.0;
    hinge.params.friction = 0.1;
    let arm = b.link("arm", cart, hinge, body()).unwrap();
    let fixed = b.fixed("tool", arm, pose(0.9), body()).unwrap();
    let puck = b.link("puck", fixed, JointSpec::planar("table").at(pose(0.4)), body()).unwrap();
    b.link("ball", puck, JointSpec::free("loose").at(pose(0.1)), body()).unwrap();
    let kinds = [
        ShapeKind::Sphere,
        ShapeKind::Capsule,
        ShapeKind::Cylinder,
        ShapeKind::Box,
        ShapeKind::Mesh(Arc::new(Mesh { path: "package://robot/a b.stl".into(), hull: None })),
    ];
    for (i, kind) in kinds.into_iter().enumerate() {
        let size = match kind {
            ShapeKind::Sphere => Vec3::new(0.1, 0.0, 0.0),
            ShapeKind::Capsule | ShapeKind::Cylinder => Vec3::new(0.1, 0.2, 0.0),
            _ => Vec3::new(0.1, 0.2, 0.3),
        };
        let frame = [FrameId::WORLD, base, arm, fixed, fixed][i];
        let params = ShapeParams { placement: pose(0.3), size, material: surface() };
        b.shape(format!("shape {i}"), frame, kind, params).unwrap();
    }
    let model = b.build().unwrap();
    let exported = export::urdf(&model).unwrap();
    let no_mesh = "the mesh file of shape \"shape 4\" was not found: its path is as in the source";
    assert_eq!(exported.notes, [NO_VELOCITIES, NO_FIXED_INERTIA, no_mesh]);
    let back = read(&exported.text).model;
    assert_same("all", &model, &back, true);
    assert_eq!(back.topology.name, model.topology.name);
    assert!(back.params.shapes.iter().all(|s| s.material == surface()));
}

#[test]
fn surfaces_come_back() {
    let surfaces: [(&str, ContactLaw, bool, Material<f64>); 5] = [
        ("plain", ContactLaw::Rigid, false, Material::DEFAULT),
        ("slippery", ContactLaw::Rigid, false, Material::with_friction(0.0)),
        (
            "rubber",
            ContactLaw::Rigid,
            true,
            Material {
                torsional_friction: 0.02,
                rolling_friction: 0.0,
                restitution: 0.75,
                position_gain: 0.1,
                cfm: 0.3,
                ..Material::with_friction(1.25)
            },
        ),
        ("wheel", ContactLaw::Rigid, true, Material { torsional_friction: 0.0, ..surface() }),
        (
            "soft",
            ContactLaw::Compliant,
            false,
            Material { stiffness: 3e4, damping: 7e5, exponent: 1.0, ..surface() },
        ),
    ];
    let mut b = ModelBuilder::new("r");
    for (name, law, resists_turning, material) in surfaces {
        let joint = JointSpec::free(format!("{name} joint"));
        let frame = b.link(name, FrameId::WORLD, joint, body()).unwrap();
        let params = ShapeParams { placement: Transform::IDENTITY, size: Vec3::X, material };
        let shape = b.shape(name, frame, ShapeKind::Sphere, params).unwrap();
        let shape = b.shape_mut(shape);
        (shape.law, shape.resists_turning) = (law, resists_turning);
    }
    let exported = export::urdf(&b.build().unwrap()).unwrap();
    assert_eq!(exported.notes, [""; 0]);
    let back = read(&exported.text).model;
    for (name, law, resists_turning, material) in surfaces {
        let shape = back.topology.shape(name).unwrap();
        let structure = &back.topology.shapes[shape.index()];
        assert_eq!((structure.law, structure.resists_turning), (law, resists_turning), "{name}");
        let found = back.params.shapes[shape.index()].material;
        for number in MaterialScalar::ALL {
            let (x, y) = (found.get(*number), material.get(*number));
            assert!((x - y).abs() <= SAME * (1.0 + y.abs()), "{name}: {number:?} {y} became {x}");
        }
    }
}

/// A ground's own friction acts only on shapes whose file gives none.
#[test]
fn friction_that_a_file_does_not_give_is_not_written() {
    for given in [false, true] {
        let mut b = ModelBuilder::new("r");
        let frame = b.link("foot", FrameId::WORLD, JointSpec::free("root"), body()).unwrap();
        let material = Material::DEFAULT;
        let params = ShapeParams { placement: Transform::IDENTITY, size: Vec3::X, material };
        let shape = b.shape("foot", frame, ShapeKind::Sphere, params).unwrap();
        b.shape_mut(shape).friction_given = given;
        let exported = export::urdf(&b.build().unwrap()).unwrap();
        assert_eq!(exported.text.contains("lateral_friction"), given, "{}", exported.text);
        assert_eq!(read(&exported.text).model.topology.shapes[0].friction_given, given);
    }
}

#[test]
fn what_urdf_cannot_say_of_contacts_is_in_the_notes() {
    let mut b = ModelBuilder::new("r");
    let body = b.link("body", FrameId::WORLD, JointSpec::free("root"), body()).unwrap();
    let points: Arc<[Vec3<f64>]> = [Vec3::ZERO].into();
    for (name, kind, law, material) in [
        ("points", ShapeKind::Points(points), ContactLaw::Rigid, Material::DEFAULT),
        (
            "made in code",
            ShapeKind::Mesh(Arc::new(Mesh { path: "".into(), hull: None })),
            ContactLaw::Rigid,
            Material { velocity_gain: 0.5, ..Material::DEFAULT },
        ),
        ("egg", ShapeKind::Ellipsoid, ContactLaw::Rigid, Material::DEFAULT),
        (
            "ball",
            ShapeKind::Sphere,
            ContactLaw::Compliant,
            Material { slip_velocity: 0.1, ..Material::DEFAULT },
        ),
    ] {
        let params = ShapeParams { placement: Transform::IDENTITY, size: Vec3::X, material };
        let shape = b.shape(name, body, kind, params).unwrap();
        b.shape_mut(shape).law = law;
    }
    let (a, c) = (ShapeId::new(0), ShapeId::new(2));
    let pair = ContactPair { a, b: c, law: ContactLaw::Rigid, resists_turning: false };
    b.contact_pair(pair, Material::DEFAULT);
    let mut model = b.build().unwrap();
    model.add_ground(0.0, Material::DEFAULT).unwrap();
    let exported = export::urdf(&model).unwrap();
    assert_eq!(
        exported.notes,
        [
            "contact pairs and their surfaces are not written (1)",
            "the shape of shape \"points\" and 3 others is not written",
            "the velocity gain of shape \"made in code\" is not written",
            "the compliant contact of shape \"ball\" is not written",
            "the onset of sliding of shape \"ball\" is not written",
        ]
    );
    // A ground that is not written leaves the root as it was.
    let back = read(&exported.text).model;
    assert_eq!(back.topology.shapes.len(), 1);
    assert_eq!(back.topology.links[0].joint.name, "root");
}

#[test]
fn a_planar_joint_of_any_normal_keeps_the_frame_of_its_link() {
    let text = r#"<robot name="r"><link name="world"/><link name="puck"><inertial>
        <origin xyz="0.1 0.2 0.3"/><mass value="1"/><inertia ixx="0.1" iyy="0.2" izz="0.25"/></inertial>
        <collision><geometry><box size="1 2 3"/></geometry></collision></link><link name="tip"/>
        <joint name="slide" type="planar"><parent link="world"/><child link="puck"/>
        <origin xyz="1 0 0" rpy="0.1 0.2 0.3"/><axis xyz="0 3 4"/></joint>
        <joint name="tip_joint" type="fixed"><parent link="puck"/><child link="tip"/>
        <origin xyz="0 0 1"/></joint></robot>"#;
    let model = read(text).model;
    let exported = export::urdf(&model).unwrap();
    assert_eq!(exported.notes, [""; 0]);
    assert_same("planar", &model, &read(&exported.text).model, true);
}

#[test]
fn a_free_root_is_left_out_only_where_it_comes_back() {
    let free = |children: usize| {
        let mut b = ModelBuilder::new("r");
        let root = b.link("body", FrameId::WORLD, JointSpec::free("root"), body()).unwrap();
        for i in 0..children {
            let joint = JointSpec::revolute(format!("j{i}"), Vec3::X);
            b.link(format!("leg{i}"), root, joint, body()).unwrap();
        }
        b.build().unwrap()
    };
    for children in 0..3 {
        let model = free(children);
        let text = export::urdf(&model).unwrap().text;
        assert_eq!(text.contains("type=\"floating\""), children == 1, "{text}");
        let back = read(&text).model;
        assert_same("free", &model, &back, true);
    }
    let held = ImportOptions { base: Base::Fixed, ..ImportOptions::default() };
    let text = export::urdf(&free(2)).unwrap().text;
    assert_eq!(from_text(&text, Path::new("r.urdf"), &held).unwrap().model.nv(), 2);
}

#[test]
fn a_universal_joint_becomes_two_hinges() {
    let mut b = ModelBuilder::new("r");
    let axes = (Vec3::X, Vec3::new(0.0, 0.6, 0.8));
    let joint = JointSpec::universal("u", axes.0, axes.1).at(pose(0.3)).damping(0.5);
    b.link("arm", FrameId::WORLD, joint, body()).unwrap();
    let exported = export::urdf(&b.build().unwrap()).unwrap();
    assert_eq!(
        exported.notes,
        ["universal joint \"u\" is written as two revolute ones, \"u_1\" and \"u_2\""]
    );
    let back = read(&exported.text).model;
    let names: Vec<&str> = back.topology.links.iter().map(|l| l.joint.name.as_str()).collect();
    assert_eq!(names, ["u_1", "u_2"]);
    assert_eq!((back.params.joints[0].axis, back.params.joints[1].axis), axes);
    assert!(back.params.joints.iter().all(|j| j.damping == 0.5));
    assert_eq!(back.params.links[1].mass, 1.5);
}

#[test]
fn what_urdf_cannot_say_is_said_in_notes() {
    let mut b = ModelBuilder::new("r");
    b.gravity(Vec3::ZERO).timestep(0.002);
    let mut joint = JointSpec::revolute("hinge", Vec3::X);
    joint.params.armature = 0.1;
    joint.params.stiffness = 1.0;
    joint.params.limit_lower = -1.0;
    joint.params.limit_stiffness = 7.0;
    joint.link_in_joint = Transform::from_translation(Vec3::Y);
    let arm = b.link("arm", FrameId::WORLD, joint, body()).unwrap();
    let motor = ActuatorParams {
        gear: 1.0,
        gain: 1.0,
        bias: [0.0; 3],
        control_lower: -1.0,
        control_upper: 1.0,
        activation_lower: f64::NEG_INFINITY,
        activation_upper: f64::INFINITY,
        force_lower: f64::NEG_INFINITY,
        force_upper: f64::INFINITY,
    };
    b.actuator("motor", JointId::new(0), false, motor).unwrap();
    let floor = ShapeParams {
        placement: Transform::IDENTITY,
        size: Vec3::ZERO,
        material: Material { rolling_friction: 0.1, ..surface() },
    };
    b.shape("floor", FrameId::WORLD, ShapeKind::Plane, floor).unwrap();
    let ball = ShapeParams { size: Vec3::X, ..floor };
    b.shape("ball", arm, ShapeKind::Sphere, ball).unwrap();
    let stone = ShapeParams { material: Material { friction: 0.9, ..floor.material }, ..ball };
    b.shape("stone", arm, ShapeKind::Sphere, stone).unwrap();
    let model = b.build().unwrap();
    let exported = export::urdf(&model).unwrap();
    assert_eq!(
        exported.notes,
        [
            "gravity is not written: set it to [0.0, 0.0, 0.0] where the file is used",
            "actuators are not written (1)",
            "the time step is not written (0.002 s)",
            NO_VELOCITIES,
            "armature of joint \"hinge\" is not written",
            "the spring of joint \"hinge\" is not written",
            "the softness of the limits of joint \"hinge\" is not written",
            "the shape of shape \"floor\" is not written",
            "the different surface of shapes of link \"arm\" is not written",
            "the frame of link \"arm\" is written at its joint; its old place is the frame \"arm_origin\"",
        ]
    );
    let back = read(&exported.text).model;
    assert_same("moved frame", &model, &back, false);
    let origin = back.topology.frame("arm_origin").unwrap();
    assert_eq!(back.params.frames[origin.index()].pos, Vec3::Y);
}

#[test]
fn a_joint_that_only_armature_holds_is_in_the_notes() {
    let mut b = ModelBuilder::new("r");
    let mut joint = JointSpec::revolute("line\nbreak", Vec3::X);
    joint.params.armature = 0.1;
    b.link("arm", FrameId::WORLD, joint, Inertia::default()).unwrap();
    let exported = export::urdf(&b.build().unwrap()).unwrap();
    let note = "without armature, which is not written, the acceleration of joint \"line\\nbreak\" \
                is undefined: the file cannot be loaded until its link has an inertia";
    assert!(exported.notes.iter().any(|n| n == note), "{:?}", exported.notes);
    let file = Path::new("robot.urdf");
    assert!(from_text(&exported.text, file, &ImportOptions::default()).is_err());
}

#[test]
fn what_cannot_be_written_is_refused() {
    let mut b = ModelBuilder::new("r");
    b.link("arm", FrameId::WORLD, JointSpec::spherical("ball"), body()).unwrap();
    let error = export::urdf(&b.build().unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "joint \"ball\" is spherical, which URDF does not have; replace it by three revolute joints"
    );
    let mut b = ModelBuilder::new("r");
    b.frame("a\u{1}b", FrameId::WORLD, Transform::IDENTITY).unwrap();
    let error = export::urdf(&b.build().unwrap()).unwrap_err();
    assert_eq!(error, ExportError::Name { name: "a\u{1}b".into() });
    let (_, mut model) = models("urdf").remove(0);
    model.params.links[0].mass = f64::NAN;
    let error = export::urdf(&model).unwrap_err();
    assert_eq!(error.to_string(), "link/trunk/mass: a value is not a finite number");
}

#[test]
fn rotations_near_the_gimbal_lock_come_back() {
    let quarter = std::f64::consts::FRAC_PI_2;
    for lack in [0.0, 1e-16, 1e-12, 1e-9, 1e-8, 1e-7, 1e-4] {
        for side in [quarter - lack, lack - quarter] {
            let rot = Mat3::from_rpy(Vec3::new(0.7, side, -1.9));
            let mut b = ModelBuilder::new("r");
            let there = Transform::new(rot, Vec3::ZERO);
            b.frame("tip", FrameId::WORLD, there).unwrap();
            let model = b.build().unwrap();
            assert_same("tip", &model, &round_trip(&model), true);
        }
    }
}

//! What becomes of the parts of an MJCF file.

use std::path::Path;
use std::sync::Arc;

use gradbody_math::Vec3;
use gradbody_model::import::{ImportOptions, Imported, NoteKind, from_text, load};
use gradbody_model::{FrameId, FrictionOf, JointId, Material, Mesh, Model, ShapeKind};

fn imported(text: &str) -> Imported {
    let options = ImportOptions::default();
    from_text(text, Path::new("test.xml"), &options).unwrap_or_else(|e| panic!("{e}"))
}

/// A file with these elements in its world, and these sections after it.
fn model(world: &str, sections: &str) -> Model<f64> {
    imported(&format!("<mujoco><worldbody>{world}</worldbody>{sections}</mujoco>")).model
}

const BALL: &str = r#"<geom size="0.1"/>"#;

#[test]
fn what_has_no_name_gets_one_after_its_number() {
    let world = format!(
        r#"<geom type="plane" size="1 1 1"/>
        <body><joint/>{BALL}<body name="body1"><joint axis="1 0 0"/><joint name="joint0"/>{BALL}</body></body>
        <body><freejoint/>{BALL}</body>"#
    );
    let motors = r#"<actuator><motor joint="joint0"/><motor joint="joint0"/></actuator>"#;
    let topology = model(&world, motors).topology;
    let joints: Vec<_> = topology.links.iter().map(|l| &*l.joint.name).collect();
    assert_eq!(joints, ["joint0_2", "joint1", "joint0", "joint3"]);
    let links: Vec<_> = topology.links.iter().map(|l| &*l.name).collect();
    assert_eq!(links, ["body1_2", "body1:joint1", "body1", "body3"]);
    let shapes: Vec<_> = topology.shapes.iter().map(|s| &*s.name).collect();
    assert_eq!(shapes, ["geom0", "geom1", "geom2", "geom3"]);
    let actuators: Vec<_> = topology.actuators.iter().map(|a| &*a.name).collect();
    assert_eq!(actuators, ["joint0", "actuator1"]);
}

#[test]
fn several_joints_make_a_chain_of_links_that_ends_in_the_body() {
    let world = format!(
        r#"<body name="cart" pos="0 0 1">
          <joint name="x" type="slide" axis="1 0 0"/>
          <joint name="y" type="slide" axis="0 1 0"/>
          <joint name="turn" pos="0.5 0 0" ref="90"/>
          {BALL}
          <body name="lamp" pos="0 0 2"><geom size="0.1" mass="1"/></body>
        </body>"#
    );
    let Model { topology, params } = model(&world, "");
    let links: Vec<_> = topology.links.iter().map(|l| &*l.name).collect();
    assert_eq!(links, ["cart:x", "cart:y", "cart"]);
    assert!(params.links[..2].iter().all(|i| i.mass == 0.0));
    // The lamp is part of the cart, and a frame.
    assert_eq!(
        topology.frame("lamp").map(|f| topology.frames[f.index()].link),
        Some(topology.link("cart"))
    );
    assert!(params.links[2].mass > 4.0 + 1.0);
    // The joint is where its anchor is, the body's frame away from it.
    let body = topology.frame("cart").unwrap();
    assert_eq!(params.frames[body.index()].pos, Vec3::new(-0.5, 0.0, 0.0));
    assert_eq!(params.joints[2].placement.pos, Vec3::new(0.5, 0.0, 0.0));
    // In the pose of the file it stands at ref.
    assert_eq!(topology.keyframes[0].q, [0.0, 0.0, std::f64::consts::FRAC_PI_2]);
}

#[test]
fn the_first_keyframe_is_the_pose_of_the_file() {
    let world = format!(
        r#"<frame pos="1 0 0"><body pos="0 2 3" quat="0 0 0 2"><freejoint/>{BALL}</body></frame>
        <body><joint type="ball"/>{BALL}</body>
        <body><joint ref="1" type="slide"/>{BALL}</body>"#
    );
    let keys = r#"<keyframe><key name="a" qpos="0 0 0 2 0 0 0  0 0 3 0  7"/><key qvel="1 2 3 4 5 6 7 8 9 10"/></keyframe>"#;
    let Model { topology, params } = model(&world, keys);
    let [file, a, b] = &topology.keyframes[..] else { panic!("three keyframes") };
    assert_eq!(file.name, "qpos0");
    assert_eq!(file.q, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(file.v, [0.0; 10]);
    assert_eq!(a.name, "a");
    assert_eq!(a.q, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 7.0]);
    assert_eq!((&*b.name, &b.q), ("key1", &file.q));
    assert_eq!(b.v, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]);
    // The coordinates of a free body are those of the world.
    assert_eq!(params.joints[0].placement, gradbody_math::Transform::IDENTITY);
}

#[test]
fn named_sites_are_frames() {
    let world = format!(
        r#"<site name="world" pos="0 0 1"/><body name="a"><joint/>{BALL}
        <site name="a" pos="0 0 2"/><site name="tip" euler="0 90 0"/><site/></body>"#
    );
    let Model { topology, params } = model(&world, "");
    let frames: Vec<_> = topology.frames.iter().map(|f| &*f.name).collect();
    assert_eq!(frames, ["world", "a", "site:world", "site:a", "tip"]);
    assert_eq!(params.frames[3].pos, Vec3::new(0.0, 0.0, 2.0));
    assert!((params.frames[4].rot * Vec3::Z - Vec3::X).norm() < 1e-15);
}

#[test]
fn contact_filters() {
    let world = format!(
        r#"<geom name="floor" type="plane" size="1 1 1" contype="0" conaffinity="6"/>
        <body name="a"><freejoint/><geom name="ball" size="0.1" contype="-1" conaffinity="0"/></body>
        <body name="b"><freejoint/>{BALL}</body>"#
    );
    let contact = r#"<contact><pair geom1="ball" geom2="geom2"/><exclude body1="world" body2="b"/></contact>"#;
    let topology = model(&world, contact).topology;
    let groups = |name: &str| {
        let shape = topology.shapes.iter().find(|s| s.name == name).unwrap();
        (shape.collision_group, shape.collides_with)
    };
    assert_eq!((groups("floor"), groups("ball"), groups("geom2")), ((0, 6), (u32::MAX, 0), (1, 1)));
    let pairs = topology.contact_pairs.iter();
    assert_eq!(pairs.map(|p| (p.a.index(), p.b.index())).collect::<Vec<_>>(), [(1, 2)]);
    assert_eq!(topology.contact_excludes, [(FrameId::WORLD, topology.frame("b").unwrap())]);
}

#[test]
fn friction_of_directions_that_no_contact_has_is_zero() {
    let friction = |condim: i32| {
        let world = format!(
            r#"<geom type="plane" size="1 1 1" condim="1"/>
            <body><freejoint/><geom size="0.1" friction="2 0.5 0.25" condim="{condim}"/></body>"#
        );
        let material = model(&world, "").params.shapes[1].material;
        [material.friction, material.torsional_friction, material.rolling_friction]
    };
    assert_eq!(friction(1), [0.0, 0.0, 0.0]);
    assert_eq!(friction(3), [2.0, 0.0, 0.0]);
    assert_eq!(friction(4), [2.0, 0.5, 0.0]);
    assert_eq!(friction(6), [2.0, 0.5, 0.25]);
}

/// Relative rounding of a few products.
const ROUNDING: f64 = 1e-12;

#[test]
fn contacts_of_condim_4_and_6_resist_turning() {
    for (condim, resists) in [(1, false), (3, false), (4, true), (6, true)] {
        let world = format!(
            r#"<geom type="plane" size="1 1 1"/>
            <body><freejoint/><geom size="0.1" condim="{condim}"/></body>"#
        );
        let shapes = model(&world, "").topology.shapes;
        let found: Vec<_> = shapes.iter().map(|s| s.resists_turning).collect();
        assert_eq!(found, [false, resists], "{condim}");
    }
}

#[test]
fn contacts_that_turn_and_that_do_not_can_be_told_apart() {
    let remarks = |first: i32, second: i32| {
        let text = format!(
            r#"<mujoco><worldbody><geom type="plane" size="1 1 1" condim="{first}"/>
            <body><freejoint/><geom size="0.1" condim="{first}"/></body>
            <body><freejoint/><geom size="0.1" condim="{second}"/></body></worldbody></mujoco>"#
        );
        imported(&text).report.notes.len()
    };
    // The plane and the first ball touch with the first condim, each with the larger one otherwise.
    assert_eq!([remarks(3, 3), remarks(3, 4), remarks(3, 6)], [0, 0, 0]);
    assert_eq!([remarks(1, 3), remarks(1, 6), remarks(4, 6)], [2, 2, 2]);
}

#[test]
fn a_pair_has_a_surface_of_its_own() {
    let pair = |attributes: &str, defaults: &str| {
        let text = format!(
            r#"<mujoco><option timestep="0.01"/>{defaults}<worldbody>
              <geom name="floor" type="plane" size="1 1 1" friction="9 8 7" condim="6"/>
              <body><freejoint/><geom name="ball" size="0.1" friction="6 5 4" solref="0.5"/></body>
            </worldbody><contact><pair geom1="floor" geom2="ball" {attributes}/></contact></mujoco>"#
        );
        let Model { topology, params } = imported(&text).model;
        let Material { friction, torsional_friction, rolling_friction, .. } = params.pairs[0];
        assert_eq!(params.pairs[0].static_friction, friction);
        let frictions = [friction, torsional_friction, rolling_friction];
        (topology.contact_pairs[0].resists_turning, frictions, params.pairs[0].position_gain)
    };
    let five = r#"friction="2 2 0.5 0.25 0.25""#;
    // What it does not say is MuJoCo's default, not its geoms'.
    assert_eq!(pair("", ""), (false, [1.0, 0.0, 0.0], 0.2));
    assert_eq!(pair(five, ""), (false, [2.0, 0.0, 0.0], 0.2));
    assert_eq!(pair(&format!("{five} condim=\"1\""), ""), (false, [0.0, 0.0, 0.0], 0.2));
    assert_eq!(pair(&format!("{five} condim=\"4\""), ""), (true, [2.0, 0.5, 0.0], 0.2));
    assert_eq!(pair(&format!("{five} condim=\"6\""), ""), (true, [2.0, 0.5, 0.25], 0.2));
    let class = r#"<default><pair friction="3 3 0.5" condim="4"/></default>"#;
    assert_eq!(pair("", class), (true, [3.0, 0.5, 0.0], 0.2));
    assert_eq!(pair(r#"friction="4 4""#, class), (true, [4.0, 0.5, 0.0], 0.2));
    // dt / (dt + 2 T ζ²)
    let (_, _, gain) = pair(r#"solref="0.045 2""#, "");
    assert!((gain - 0.01 / 0.37).abs() < ROUNDING * gain);
}

#[test]
fn solref_is_the_part_of_a_penetration_that_a_step_takes_back() {
    let gain = |solref: &str| {
        let text = format!(
            r#"<mujoco><option timestep="0.002"/><worldbody><geom size="1" {solref}/></worldbody></mujoco>"#
        );
        imported(&text).model.params.shapes[0].material.position_gain
    };
    for (solref, expected) in [
        ("", 0.2),
        (r#"solref="0.02 1""#, 0.002 / 0.042),
        (r#"solref="0.02 1" solimp="0.1 0.5""#, 0.002 / 0.042),
        (r#"solref="0.02""#, 0.002 / 0.042),
        (r#"solref="0.01 0.5""#, 0.002 / 0.007),
        // A time constant is not shorter than two steps.
        (r#"solref="1e-300""#, 0.2),
        (r#"solref="1e300 1e300""#, 0.0),
        // k dt / (k dt + b)
        (r#"solref="-1000 -50""#, 2.0 / 52.0),
        (r#"solref="-1000 0""#, 1.0),
        (r#"solref="0 -3""#, 0.0),
        (r#"solref="0 0""#, 0.0),
    ] {
        let found = gain(solref);
        assert!((found - expected).abs() <= ROUNDING, "{solref}: {found} is not {expected}");
    }
}

#[test]
fn the_softer_of_two_geoms_decides() {
    let text = r#"<mujoco><option timestep="0.002"/><default><default class="soft">
      <geom solref="0.02 1"/></default></default><worldbody>
      <geom name="floor" type="plane" size="1 1 1"/>
      <body><freejoint/>
        <geom name="a" class="soft" size="1"/><geom name="b" class="soft" size="1"/>
        <geom name="c" size="1" solref="0.04 1"/><geom name="d" size="1" solref="-1000 0"/>
      </body></worldbody></mujoco>"#;
    let Imported { model, report } = imported(text);
    let materials: Vec<_> = model.params.shapes.iter().map(|shape| shape.material).collect();
    let gain = |a: usize, b: usize| {
        Material::between(&materials[a], &materials[b], FrictionOf::Larger).position_gain
    };
    let (soft, softer) = (0.002 / 0.042, 0.002 / 0.082);
    for (a, b, expected) in
        [(0, 0, 0.2), (0, 1, soft), (1, 2, soft), (1, 3, softer), (4, 1, soft), (4, 0, 0.2)]
    {
        assert!((gain(a, b) - expected).abs() <= ROUNDING, "{a} {b}: {}", gain(a, b));
        assert_eq!(gain(a, b), gain(b, a));
    }
    // A remark for each gain, which says what it is and what the others have.
    let notes: Vec<&str> = report.notes.iter().map(|note| &*note.what).collect();
    let tail = "geoms without a solref keep this program's 0.2, where MuJoCo's default contact \
                takes back 0.0476";
    assert_eq!(notes.len(), 3, "{notes:?}");
    for (note, gain) in notes.iter().zip(["0.0476", "0.0244", "1"]) {
        assert!(note.contains(&format!("a position gain of {gain}, the part")), "{note}");
        assert!(note.contains(tail), "{note}");
    }
    assert!(notes[0].ends_with("(the first of 2)"), "{}", notes[0]);
}

#[test]
fn meshes_keep_their_names_and_places() {
    let text = r#"<mujoco><compiler meshdir="assets"/>
      <default><mesh scale="2 2 2"/></default>
      <asset><mesh file="hull.stl" refpos="0 0 1"/></asset>
      <worldbody><body pos="1 0 0">
        <geom type="mesh" mesh="hull" pos="0 3 0"/>
      </body></worldbody></mujoco>"#;
    let Model { topology, params } = imported(text).model;
    let mesh = Mesh { path: "assets/hull.stl".into(), hull: None };
    assert_eq!(topology.shapes[0].kind, ShapeKind::Mesh(Arc::new(mesh)));
    assert_eq!(params.shapes[0].size, Vec3::new(2.0, 2.0, 2.0));
    // The file's point (0, 0, 1) is the geom's origin.
    assert_eq!(params.shapes[0].placement.pos, Vec3::new(1.0, 3.0, -2.0));
}

#[test]
fn ranges_and_efforts() {
    let world = format!(
        r#"<body><joint name="a" range="-90 180" actuatorfrcrange="-5 5"/>{BALL}</body>
        <body><joint name="b" type="slide" range="-1 2" limited="false"/>{BALL}</body>"#
    );
    let [a, b] = model(&world, "").params.joints[..] else { panic!("two joints") };
    let pi = std::f64::consts::PI;
    assert_eq!((a.limit_lower, a.limit_upper, a.effort_limit), (-pi / 2.0, pi, 5.0));
    assert_eq!((b.limit_lower, b.limit_upper), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!(b.effort_limit, f64::INFINITY);
}

#[test]
fn an_actuator_that_is_left_out_takes_its_control_along() {
    let world = format!(
        r#"<body><joint name="turn" type="ball"/>{BALL}</body><body><joint name="hinge"/>{BALL}</body>"#
    );
    let sections = r#"<actuator>
        <motor joint="turn"/>
        <position joint="hinge" timeconst="0.1"/>
        <intvelocity joint="hinge"/>
        <pid joint="hinge" name="left out as well"/>
      </actuator>"#;
    let key = r#"<keyframe><key act="1 2" ctrl="1 2 3"/></keyframe>"#;
    let without_pid = sections.replace(r#"<pid joint="hinge" name="left out as well"/>"#, "");
    let topology = model(&world, &(without_pid + key)).topology;
    let names: Vec<_> = topology.actuators.iter().map(|a| (&*a.name, a.joint)).collect();
    assert_eq!(names, [("hinge", JointId(1)), ("actuator1", JointId(1))]);
    assert_eq!(topology.keyframes[1].control, [2.0, 3.0]);
    assert_eq!(topology.keyframes[1].activation, [2.0]);
    // How many controls the pid has is not known here: none are used, which is remarked.
    let key = r#"<keyframe><key ctrl="1 2 3 4"/></keyframe>"#;
    let text = format!("<mujoco><worldbody>{world}</worldbody>{sections}{key}</mujoco>");
    let Imported { model, report } = imported(&text);
    assert_eq!(model.topology.keyframes[1].control, [0.0, 0.0]);
    assert!(report.notes.iter().any(|note| note.what.starts_with("ctrl is not used")));
}

#[test]
fn gravity_can_be_switched_off() {
    let text = r#"<mujoco><option gravity="0 0 -3"><flag gravity="disable"/></option></mujoco>"#;
    assert_eq!(imported(text).model.params.gravity, Vec3::ZERO);
}

#[test]
fn a_kind_of_remark_is_made_once() {
    let text = r#"<mujoco><worldbody>
      <geom size="1" margin="1"/>
      <geom size="1" margin="0"/>
      <geom size="1" margin="2"/>
    </worldbody></mujoco>"#;
    let notes = imported(text).report.notes;
    let [note] = &notes[..] else { panic!("{notes:?}") };
    assert_eq!((note.kind, note.line), (NoteKind::Ignored, 2));
    let what = "margin is not used: contacts have their own settings (the first of 2)";
    assert_eq!(note.what, what);
}

#[test]
fn our_models_are_simulated_in_full() {
    let options = ImportOptions { strict: true, ..ImportOptions::default() };
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    for name in ["ant", "half_cheetah", "hopper", "humanoid", "swimmer2", "swimmer3", "swimmer6"] {
        let path = models.join(name).with_extension("xml");
        let imported = load(&path, &options).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(imported.report.notes, []);
        assert_eq!(imported.model.topology.name, name);
    }
}

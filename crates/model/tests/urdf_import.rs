//! What a URDF says is what the model has.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use gradbody_math::{Mat3, Transform, Vec3};
use gradbody_model::import::{Base, ImportOptions, Imported, Note, NoteKind, from_text, load};
use gradbody_model::{Axis, ContactLaw, JointKind, Material, Model, ShapeKind};

fn model(name: &str) -> Model<f64> {
    let path = format!("{}/../../models/{name}.urdf", env!("CARGO_MANIFEST_DIR"));
    load(Path::new(&path), &ImportOptions::default()).unwrap().model
}

fn read(text: &str, options: &ImportOptions) -> Result<Imported, String> {
    from_text(text, Path::new("robot.urdf"), options).map_err(|e| e.to_string())
}

fn total_mass(model: &Model<f64>) -> f64 {
    model.params.links.iter().map(|i| i.mass).sum()
}

fn assert_near(a: Transform<f64>, b: Transform<f64>) {
    let difference = (a.rot - b.rot).to_rows();
    let largest =
        difference.as_flattened().iter().fold((a.pos - b.pos).norm(), |m, x| m.max(x.abs()));
    assert!(largest < 1e-14, "{a:?} is not {b:?}");
}

const INERTIAL: &str =
    r#"<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>"#;

#[test]
fn sizes_and_masses_of_our_models() {
    // name, nq, nv, moving mass [kg] as in models/README.md
    let table = [
        ("pendulum1", 1, 1, 1.0),
        ("pendulum2", 2, 2, 3.16),
        ("pendulum3", 3, 3, 5.32),
        ("pendulum4", 4, 4, 7.48),
        ("pendulum5", 5, 5, 9.64),
        ("pendulum6", 6, 6, 11.8),
        ("pendulum7", 7, 7, 13.96),
        ("pend5", 5, 5, 9.64),
        ("double_pendulum", 2, 2, 2.0),
        ("cartpole", 2, 2, 1.1),
        ("acrobot", 2, 2, 2.0),
        ("arm7", 7, 7, 16.792),
        ("arm9", 9, 9, 48.262),
        ("laikago", 19, 18, 25.433),
        ("a1", 19, 18, 12.776),
        ("racecar", 13, 12, 5.692),
        ("golf", 2, 2, 2.7),
        ("cube", 7, 6, 0.37),
    ];
    for (name, nq, nv, mass) in table {
        let model = model(name);
        assert_eq!((model.nq(), model.nv()), (nq, nv), "{name}");
        let found = total_mass(&model);
        assert!((found - mass).abs() < 6e-4, "{name}: {found} kg, not {mass}");
    }
}

#[test]
fn numbers_of_the_cartpole() {
    let model = model("cartpole");
    let names: Vec<&str> = model.topology.links.iter().map(|l| l.joint.name.as_str()).collect();
    assert_eq!(names, ["slider", "hinge"]);
    let kinds: Vec<JointKind> = model.topology.links.iter().map(|l| l.joint.kind).collect();
    assert_eq!(kinds, [JointKind::Prismatic(Axis::X), JointKind::Revolute(Axis::Y)]);
    let [slider, hinge] = &model.params.joints[..] else { panic!("two joints") };
    assert_eq!((slider.limit_lower, slider.limit_upper, slider.effort_limit), (-2.4, 2.4, 10.0));
    assert_eq!((slider.friction, slider.damping), (0.0005, 0.0));
    assert_eq!((hinge.limit_lower, hinge.limit_upper), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!((hinge.effort_limit, hinge.damping), (0.0, 0.000002));
    let pole = &model.params.links[1];
    assert_eq!((pole.mass, pole.com), (0.1, Vec3::new(0.0, 0.0, 0.5)));
    assert_eq!(pole.rotational.xx, 0.008333333333333333);
    assert_eq!(model.params.gravity, Vec3::new(0.0, 0.0, -9.81));
}

#[test]
fn a_fixed_link_becomes_part_of_its_parent_and_keeps_its_frame() {
    let model = model("racecar");
    assert!(model.topology.link("lidar").is_none());
    let lidar = model.topology.frame("lidar").unwrap();
    assert_eq!(model.topology.frames[lidar.index()].link, model.topology.link("chassis"));
    let chassis = &model.params.links[model.topology.link("chassis").unwrap().index()];
    let lidar_x = model.params.frames[lidar.index()].pos.x;
    assert_eq!(chassis.mass, 4.13);
    let com = (4.0 * 0.1477 + 0.13 * lidar_x) / 4.13;
    assert!((chassis.com.x - com).abs() < 1e-15);
}

#[test]
fn children_come_depth_first_in_the_order_of_the_file() {
    let names: Vec<String> =
        model("a1").topology.links.iter().map(|l| l.joint.name.clone()).collect();
    let legs = ["FL", "FR", "RL", "RR"]
        .map(|l| ["hip", "thigh", "calf"].map(|p| format!("{l}_{p}_joint")));
    let expected: Vec<String> =
        std::iter::once("root".to_owned()).chain(legs.into_iter().flatten()).collect();
    assert_eq!(names, expected);
}

#[test]
fn inertial_origin_turns_the_inertia() {
    let text = r#"<robot name="r"><link name="b"><inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>
        <mass value="2"/><inertia ixx="1" iyy="2" izz="2.5" ixy="0.25"/></inertial></link></robot>"#;
    let body = read(text, &ImportOptions::default()).unwrap().model.params.links[0];
    assert_eq!((body.mass, body.com), (2.0, Vec3::new(1.0, 2.0, 3.0)));
    let expected = [2.0, 1.0, 2.5, -0.25, 0.0, 0.0];
    for (found, expected) in body.rotational.to_array().into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-15);
    }
}

#[test]
fn a_planar_joint_moves_across_its_axis_and_leaves_the_link_as_the_file_has_it() {
    let text = format!(
        r#"<robot name="r"><link name="world"/><link name="puck">{INERTIAL}<collision name="edge">
        <origin xyz="0 0 0.5"/><geometry><box size="1 2 3"/></geometry></collision></link>
        <joint name="slide" type="planar"><parent link="world"/><child link="puck"/>
        <origin xyz="1 0 0" rpy="0.1 0.2 0.3"/><axis xyz="0 3 4"/></joint></robot>"#
    );
    let model = read(&text, &ImportOptions::default()).unwrap().model;
    assert_eq!(model.topology.links[0].joint.kind, JointKind::Planar);
    let origin = Transform::new(Mat3::from_rpy(Vec3::new(0.1, 0.2, 0.3)), Vec3::new(1.0, 0.0, 0.0));
    let placement = model.params.joints[0].placement;
    let normal = origin.vector(Vec3::new(0.0, 0.6, 0.8));
    assert!((placement.vector(Vec3::Z) - normal).norm() < 1e-15);
    let frame = model.params.frames[model.topology.frame("puck").unwrap().index()];
    assert_near(placement * frame, origin);
    let shape = &model.params.shapes[0];
    assert_eq!(shape.size, Vec3::new(0.5, 1.0, 1.5));
    assert_near(
        placement * shape.placement,
        origin * Transform::from_translation(Vec3::new(0.0, 0.0, 0.5)),
    );
}

#[test]
fn shapes_have_half_sizes_names_and_surfaces() {
    let text = format!(
        r#"<robot name="r"><link name="b">{INERTIAL}
        <contact><lateral_friction value="0.7"/></contact>
        <collision><geometry><sphere radius="2"/></geometry></collision>
        <collision><geometry><cylinder radius="1" length="4"/></geometry></collision>
        <collision name="b_2"><geometry><capsule radius="1" length="4"/></geometry></collision>
        <collision><geometry><mesh filename="package://p/b.stl" scale="1 1 -1"/></geometry></collision>
        </link></robot>"#
    );
    let model = read(&text, &ImportOptions::default()).unwrap().model;
    let names: Vec<&str> = model.topology.shapes.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["b", "b_2", "b_2_2", "b_3"]);
    let sizes: Vec<[f64; 3]> = model.params.shapes.iter().map(|s| s.size.to_array()).collect();
    assert_eq!(sizes, [[2.0, 0.0, 0.0], [1.0, 2.0, 0.0], [1.0, 2.0, 0.0], [1.0, 1.0, -1.0]]);
    let ShapeKind::Mesh(mesh) = &model.topology.shapes[3].kind else { panic!("a mesh") };
    assert_eq!(mesh.path, Path::new("package://p/b.stl"));
    let material = model.params.shapes[0].material;
    let coefficients = (material.friction, material.torsional_friction, material.rolling_friction);
    assert_eq!(coefficients, (0.7, 0.005, 0.0001));
}

/// The shape of a link with these elements inside, and these beside it.
fn surface(inside: &str, beside: &str) -> (ContactLaw, bool, Material<f64>) {
    let text = format!(
        r#"<robot name="r"><link name="b">{INERTIAL}{inside}
        <collision><geometry><sphere radius="2"/></geometry></collision></link>{beside}</robot>"#
    );
    let model = read(&text, &ImportOptions::default()).unwrap().model;
    let shape = &model.topology.shapes[0];
    (shape.law, shape.resists_turning, model.params.shapes[0].material)
}

#[test]
fn surfaces_of_pybullet() {
    let contact = |inside: &str| surface(&format!("<contact>{inside}</contact>"), "");
    let default = Material::DEFAULT;
    assert_eq!(contact(""), (ContactLaw::Rigid, false, default));
    let (law, turning, material) = contact(
        r#"<restitution value="0.5"/><lateral_friction value="0.7"/>
        <rolling_friction value="0.01"/><contact_erp value="0.1"/><contact_cfm value="0.001"/>"#,
    );
    let expected = Material {
        torsional_friction: 0.0,
        rolling_friction: 0.01,
        restitution: 0.5,
        position_gain: 0.1,
        cfm: material.cfm,
        ..Material::with_friction(0.7)
    };
    assert_eq!((law, turning, material), (ContactLaw::Rigid, true, expected));
    // PyBullet divides it by its time step.
    assert!((material.cfm - 0.24).abs() < 1e-15);
    let none = r#"<rolling_friction value="0"/><spinning_friction value="0"/>"#;
    let without = Material { torsional_friction: 0.0, rolling_friction: 0.0, ..default };
    assert_eq!(contact(none), (ContactLaw::Rigid, false, without));
    let spinning = Material { torsional_friction: 0.02, rolling_friction: 0.0, ..default };
    let found = contact(r#"<spinning_friction value="0.02"/>"#);
    assert_eq!(found, (ContactLaw::Rigid, true, spinning));
    let spring = Material { stiffness: 3e4, damping: 5e4, exponent: 1.0, ..default };
    let found = contact(r#"<stiffness value="30000"/><damping value="50"/>"#);
    assert_eq!(found, (ContactLaw::Compliant, false, spring));
    let soft = Material { stiffness: 1e4, damping: 5e4, exponent: 1.0, ..default };
    assert_eq!(contact(r#"<damping value="50"/>"#), (ContactLaw::Compliant, false, soft));
}

#[test]
fn friction_of_gazebo() {
    let friction = |inside: &str, beside: &str| surface(inside, beside).2;
    let gazebo = r#"<gazebo reference="b"><mu1>0.25</mu1><mu2>0.5</mu2></gazebo>"#;
    assert_eq!(friction("", gazebo), Material::with_friction(0.25));
    let value = r#"<gazebo reference="b"><mu2 value="0.5"/></gazebo>"#;
    assert_eq!(friction("", value), Material::with_friction(0.5));
    let bullet = r#"<contact><lateral_friction value="0.75"/></contact>"#;
    assert_eq!(friction(bullet, gazebo), Material::with_friction(0.75));
    assert_eq!(friction("", &gazebo.replace("\"b\"", "\"c\"")), Material::DEFAULT);
}

#[test]
fn the_base_is_free_or_fixed_as_asked() {
    let arm = format!(
        r#"<robot name="r"><link name="base">{INERTIAL}</link><link name="arm">{INERTIAL}</link>
        <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"#
    );
    let nv =
        |base| read(&arm, &ImportOptions { base, ..ImportOptions::default() }).unwrap().model.nv();
    assert_eq!((nv(Base::Auto), nv(Base::Fixed), nv(Base::Free)), (1, 1, 7));
    let world = arm.replace("\"base\"", "\"world\"");
    let free = ImportOptions { base: Base::Free, ..ImportOptions::default() };
    assert_eq!(read(&world, &free).unwrap().model.nv(), 1, "the world never moves");
    let massless = arm.replacen(INERTIAL, "", 1);
    assert_eq!(
        read(&massless.replace("continuous", "fixed"), &ImportOptions::default())
            .unwrap()
            .model
            .nv(),
        6,
        "what is fixed to the root counts as the root"
    );
}

#[test]
fn strict_refuses_what_is_not_simulated() {
    let text = format!(
        "<robot name=\"r\"><link name=\"b\">{INERTIAL}</link>\n<gazebo/><gazebo/>\n<sensor/></robot>"
    );
    let strict = ImportOptions { strict: true, ..ImportOptions::default() };
    assert!(read(&text, &ImportOptions::default()).is_ok());
    assert_eq!(
        read(&text, &strict).unwrap_err(),
        "robot.urdf:2: <gazebo>: what is for Gazebo alone is not simulated (the first of 2) \
         (refused by strict, and 1 more)"
    );
    assert!(read(&text.replace("<gazebo/>", "").replace("<sensor/>", ""), &strict).is_ok());
    let path = format!("{}/../../models/a1.urdf", env!("CARGO_MANIFEST_DIR"));
    assert!(load(Path::new(&path), &strict).is_ok());
}

#[test]
fn repair_and_free_mimic_say_what_they_did() {
    let text = format!(
        r#"<robot name="r"><link name="world"/><link name="a">{INERTIAL}</link>
        <link name="b">{}</link>
        <joint name="ja" type="continuous"><parent link="world"/><child link="a"/></joint>
        <joint name="jb" type="continuous"><parent link="world"/><child link="b"/><mimic joint="ja"/></joint>
        </robot>"#,
        INERTIAL.replace("ixx=\"0.1\"", "ixx=\"0.5\"")
    );
    let options = ImportOptions { repair_inertia: true, free_mimic: true, ..Default::default() };
    let imported = read(&text, &options).unwrap();
    assert_eq!(imported.model.nv(), 2);
    assert!(gradbody_model::check_inertia(&imported.model.params.links[1]).is_ok());
    let notes: Vec<String> = imported.report.notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes.len(), 2);
    assert!(notes[0].ends_with("replaced by the nearest possible inertia"), "{}", notes[0]);
    assert_eq!(notes[1], "robot.urdf:4: joint \"jb\": it mimics \"ja\", but moves on its own here");
    assert!(imported.report.notes.iter().all(|n| n.kind == NoteKind::Approximated));
}

#[test]
fn armature_free_wrist_with_massless_middle_is_fine() {
    let joint = |name: &str, parent: &str, child: &str, axis: &str| {
        format!(
            r#"<joint name="{name}" type="continuous"><parent link="{parent}"/>
            <child link="{child}"/><axis xyz="{axis}"/></joint>"#
        )
    };
    let text = format!(
        r#"<robot name="wrist"><link name="world"/><link name="a"/><link name="b"/>
        <link name="hand">{INERTIAL}</link>{}{}{}</robot>"#,
        joint("x", "world", "a", "1 0 0"),
        joint("y", "a", "b", "0 1 0"),
        joint("z", "b", "hand", "0 0 1"),
    );
    let imported = read(&text, &ImportOptions::default()).unwrap();
    assert_eq!(imported.model.nv(), 3);
    assert!(imported.report.notes.is_empty());
}

/// `n` links one after the other (or all on the first), with their joints in reverse order.
fn robot_of(n: usize, parent: impl Fn(usize) -> usize) -> String {
    let mut text = String::from("<robot name=\"large\"><link name=\"world\"/>\n");
    for i in 1..=n {
        writeln!(
            text,
            "<link name=\"l{i}\">{INERTIAL}<collision><geometry><sphere radius=\"1\"/></geometry>\
             </collision></link>"
        )
        .unwrap();
    }
    for i in (1..=n).rev() {
        let parent = match parent(i) {
            0 => "world".to_owned(),
            p => format!("l{p}"),
        };
        writeln!(
            text,
            "<joint name=\"j{i}\" type=\"continuous\"><parent link=\"{parent}\"/>\
             <child link=\"l{i}\"/><origin xyz=\"1 0 0\"/><axis xyz=\"0 1 0\"/></joint>"
        )
        .unwrap();
    }
    text + "</robot>"
}

#[test]
fn ten_thousand_links_load_in_seconds() {
    let start = Instant::now();
    let chain = read(&robot_of(10_000, |i| i - 1), &ImportOptions::default()).unwrap().model;
    assert_eq!(chain.nv(), 10_000);
    assert_eq!(chain.topology.links[9_999].name, "l10000");
    let star = read(&robot_of(10_000, |_| 0), &ImportOptions::default()).unwrap().model;
    assert_eq!(star.topology.links[0].name, "l10000");
    let text = robot_of(10_000, |i| i - 1).replace("link name=\"world\"", "link name=\"l0\"");
    let error = read(&text, &ImportOptions::default()).unwrap_err();
    assert!(error.contains("there is no link \"world\""), "{error}");
    assert!(start.elapsed().as_secs() < 20, "took {:?}", start.elapsed());
}

#[test]
fn a_circle_of_ten_thousand_links_gives_a_short_message() {
    let text = robot_of(10_000, |i| if i == 1 { 10_000 } else { i - 1 });
    let error = read(&text, &ImportOptions::default()).unwrap_err();
    assert!(error.contains("form a loop") && error.len() < 200, "{error}");
}

#[test]
fn deep_nesting_is_no_trouble() {
    let depth = 200_000;
    let nested = "<a>".repeat(depth) + &"</a>".repeat(depth);
    let text = format!("<robot name=\"deep\"><link name=\"b\">{INERTIAL}{nested}</link></robot>");
    assert_eq!(read(&text, &ImportOptions::default()).unwrap().model.nv(), 6);
    let open = format!("<robot name=\"deep\">{}", "<link>".repeat(depth));
    assert!(read(&open, &ImportOptions::default()).unwrap_err().contains("cut off"));
}

#[test]
fn long_names_and_values_are_shortened_in_messages() {
    let long = "x".repeat(1_000_000);
    let text = format!(
        r#"<robot name="r"><link name="{long}"/><joint name="j" type="fixed"><parent link="{long}y"/>
        <child link="{long}"/></joint></robot>"#
    );
    let error = read(&text, &ImportOptions::default()).unwrap_err();
    assert!(error.len() < 300, "{} characters", error.len());
}

#[test]
fn a_base_that_cannot_be_chosen_is_in_the_report() {
    let free = ImportOptions { base: Base::Free, ..ImportOptions::default() };
    let world = format!(
        r#"<robot name="r"><link name="world"/><link name="arm">{INERTIAL}</link>
        <joint name="j" type="continuous"><parent link="world"/><child link="arm"/></joint></robot>"#
    );
    let mjcf = r#"<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>"#;
    for (text, expected) in [
        (&*world, "a root link of this name is the world: a free base has no effect"),
        (mjcf, "an MJCF says which bodies are free: the choice of a base has no effect"),
    ] {
        let notes = |options| read(text, options).unwrap().report.notes;
        let is_it = |n: &Note| n.kind == NoteKind::Assumed && n.what == expected;
        assert!(notes(&free).iter().any(is_it), "{:?}", notes(&free));
        assert!(!notes(&ImportOptions::default()).iter().any(is_it));
    }
}

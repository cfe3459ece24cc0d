//! A ground, and several robots in one world.

use gradbody_math::{Inertia, Sym3, Transform, Vec3};
use gradbody_model::{
    Activation, ActuatorParams, ContactLaw, ContactPair, FrameId, JointSpec, Keyframe, LinkId,
    Material, Model, ModelBuilder, PairId, ShapeKind, ShapeParams,
};

const BODY: Inertia<f64> = Inertia {
    mass: 1.0,
    com: Vec3 { x: 0.1, y: 0.2, z: 0.3 },
    rotational: Sym3::diagonal(Vec3 { x: 0.1, y: 0.1, z: 0.1 }),
};

fn ball() -> ShapeParams<f64> {
    let size = Vec3::new(0.1, 0.0, 0.0);
    ShapeParams { placement: Transform::IDENTITY, size, material: Material::DEFAULT }
}

/// A table that stands in the world, a free body on it, an arm on that, with a motor.
fn robot(keyframes: &[(&str, f64)]) -> Model<f64> {
    let mut robot = ModelBuilder::new("robot");
    let table = robot.fixed("table", FrameId::WORLD, Transform::IDENTITY, BODY).unwrap();
    let body = robot.link("body", table, JointSpec::free("root"), BODY).unwrap();
    let arm = JointSpec::revolute("elbow", Vec3::Y);
    let arm = robot.link("arm", body, arm, BODY).unwrap();
    let top = robot.shape("top", table, ShapeKind::Box, ball()).unwrap();
    let hand = robot.shape("hand", arm, ShapeKind::Sphere, ball()).unwrap();
    let pair = ContactPair { a: top, b: hand, law: ContactLaw::Rigid, resists_turning: true };
    robot.contact_pair(pair, Material::with_friction(0.5));
    robot.contact_exclude(FrameId::WORLD, body);
    let motor = ActuatorParams {
        gear: 1.0,
        gain: 1.0,
        bias: [0.0; 3],
        control_lower: f64::NEG_INFINITY,
        control_upper: f64::INFINITY,
        activation_lower: f64::NEG_INFINITY,
        activation_upper: f64::INFINITY,
        force_lower: f64::NEG_INFINITY,
        force_upper: f64::INFINITY,
    };
    let elbow = robot.topology().joint("elbow").unwrap();
    robot.actuator("motor", elbow, true, motor).unwrap();
    for (name, x) in keyframes {
        let name = (*name).to_owned();
        let (q, v) = (vec![*x; 8], vec![*x; 7]);
        robot.keyframe(Keyframe { name, q, v, activation: vec![*x], control: vec![*x] });
    }
    robot.build().unwrap()
}

#[test]
fn the_ground_is_a_plane_of_the_world() {
    let mut model = robot(&[]);
    let ground = model.add_ground(-0.5, Material::with_friction(0.8)).unwrap();
    let shape = &model.topology.shapes[ground.index()];
    assert_eq!((shape.name.as_str(), &shape.kind), ("ground", &ShapeKind::Plane));
    assert_eq!(shape.frame, FrameId::WORLD);
    assert_eq!(model.get_by_path("shape/ground/placement/z"), Ok(-0.5));
    assert_eq!(model.get_by_path("shape/ground/friction"), Ok(0.8));
    assert_eq!(model.check(), Ok(()));
}

#[test]
fn a_ground_that_cannot_be_is_refused_and_changes_nothing() {
    let mut model = robot(&[]);
    let text = |model: &mut Model<f64>, height, material| {
        model.add_ground(height, material).unwrap_err().to_string()
    };
    let bouncy = Material { restitution: 1.5, ..Material::DEFAULT };
    let refused = "shape/ground/restitution: 1.5 is not between 0 and 1";
    assert_eq!(text(&mut model, 0.0, bouncy), refused);
    let refused = "shape/ground/placement/z: a value is not a finite number";
    assert_eq!(text(&mut model, f64::NAN, Material::DEFAULT), refused);
    assert_eq!(model.topology.shapes.len(), 2);
    model.add_ground(0.0, Material::DEFAULT).unwrap();
    let refused = "two shapes are named \"ground\"";
    assert_eq!(text(&mut model, 0.0, Material::DEFAULT), refused);
    assert_eq!((model.topology.shapes.len(), model.params.shapes.len()), (3, 3));
}

#[test]
fn a_model_put_into_another_keeps_all_of_its_numbers() {
    let first = robot(&[]);
    let mut second = robot(&[]);
    for (i, id) in second.topology.param_ids().into_iter().enumerate() {
        let path = second.topology.param_path(id);
        let is_number = ["/mass", "/com/x", "/damping", "/friction", "/gear", "/placement/x"];
        if is_number.iter().any(|end| path.ends_with(end)) {
            second.set(id, 1.0 + i as f64);
        }
    }
    let mut both = first.clone();
    both.append(&second, "b/").unwrap();
    for (model, prefix) in [(&first, ""), (&second, "b/")] {
        for id in model.topology.param_ids() {
            let path = model.topology.param_path(id);
            let path = match path.split_once('/').unwrap() {
                ("gravity", _) => continue,
                ("contact", rest) => {
                    format!(
                        "contact/{}",
                        rest.replace("top-hand", &format!("{prefix}top-{prefix}hand"))
                    )
                }
                (list, rest) => format!("{list}/{prefix}{rest}"),
            };
            assert_eq!(both.get_by_path(&path), Ok(model.get(id)), "{path}");
        }
    }
    assert_eq!(
        both.topology.param_ids().len(),
        2 * first.topology.param_ids().len() - 3,
        "all but gravity twice"
    );
}

#[test]
fn a_model_put_into_another_keeps_its_structure() {
    let mut both = robot(&[]);
    both.append(&robot(&[]), "b_").unwrap();
    let topology = &both.topology;
    assert_eq!((topology.nq, topology.nv, topology.na), (16, 14, 2));
    let links: Vec<_> = topology.links.iter().map(|l| (&*l.name, l.parent)).collect();
    assert_eq!(
        links,
        [
            ("body", None),
            ("arm", Some(LinkId::new(0))),
            ("b_body", None),
            ("b_arm", Some(LinkId::new(2)))
        ]
    );
    let starts: Vec<_> =
        topology.links.iter().map(|l| (l.joint.q_start, l.joint.v_start)).collect();
    assert_eq!(starts, [(0, 0), (7, 6), (8, 7), (15, 13)]);
    let frames: Vec<_> = topology.frames.iter().map(|f| &*f.name).collect();
    assert_eq!(frames, ["world", "table", "body", "arm", "b_table", "b_body", "b_arm"]);
    let frame_of = |shape: &str| {
        let shape = &topology.shapes[topology.shape(shape).unwrap().index()];
        &*topology.frames[shape.frame.index()].name
    };
    assert_eq!(
        ["top", "hand", "b_top", "b_hand"].map(frame_of),
        ["table", "arm", "b_table", "b_arm"]
    );
    assert_eq!(topology.pair_name(PairId::new(1)), "b_top-b_hand");
    assert!(topology.contact_pairs[1].resists_turning);
    let body = |name: &str| (FrameId::WORLD, topology.frame(name).unwrap());
    assert_eq!(topology.contact_excludes, [body("body"), body("b_body")]);
    let motor = &topology.actuators[1];
    assert_eq!((&*motor.name, motor.joint), ("b_motor", topology.joint("b_elbow").unwrap()));
    assert!(matches!(motor.activation, Activation::Integrator { index: 1 }));
}

#[test]
fn names_that_coincide_are_refused_and_change_nothing() {
    let mut model = robot(&[]);
    let refused = model.append(&robot(&[]), "").unwrap_err().to_string();
    assert_eq!(refused, "two links are named \"body\"");
    assert_eq!((model.n_links(), model.topology.frames.len()), (2, 4));
    let mut ground = ModelBuilder::new("ground").build().unwrap();
    ground.add_ground(0.0, Material::DEFAULT).unwrap();
    model.append(&ground, "").unwrap();
    let refused = model.append(&ground, "").unwrap_err().to_string();
    assert_eq!(refused, "two shapes are named \"ground\"");
}

#[test]
fn keyframes_are_joined() {
    let joined = |a: &[(&str, f64)], b: &[(&str, f64)]| {
        let mut both = robot(a);
        both.append(&robot(b), "b_").unwrap();
        let keys = both.topology.keyframes.into_iter();
        keys.map(|k| {
            assert_eq!((k.q.len(), k.v.len()), (16, 14));
            (k.name, [k.q[7], k.q[15], k.v[0], k.v[13]], k.activation, k.control)
        })
        .collect::<Vec<_>>()
    };
    let key = |name: &str, a: f64, b: f64| (name.to_owned(), [a, b, a, b], vec![a, b], vec![a, b]);
    assert_eq!(joined(&[], &[]), []);
    assert_eq!(joined(&[("up", 1.0)], &[]), [key("up", 1.0, 0.0)]);
    assert_eq!(joined(&[], &[("up", 1.0)]), [key("up", 0.0, 1.0)]);
    assert_eq!(
        joined(&[("rest", 1.0), ("up", 2.0)], &[("home", 3.0), ("up", 4.0)]),
        [key("rest", 1.0, 3.0), key("up", 2.0, 4.0), key("home", 1.0, 3.0)]
    );
}

//! The model builder: what it puts together and what it refuses.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use gradbody_math::{Inertia, Mat3, Sym3, Transform, Vec3};
use gradbody_model::{
    ActuatorParams, Axis, ContactLaw, ContactPair, DofKind, FrameId, JointKind, JointSpec, LinkId,
    Material, MaterialScalar, Mesh, ModelBuilder, ModelError, ShapeId, ShapeKind, ShapeParams,
};

/// A few roundings of numbers of order one.
const ROUNDING: f64 = 1e-14;

const UNIT_BODY: Inertia<f64> = Inertia {
    mass: 1.0,
    com: Vec3::ZERO,
    rotational: Sym3::diagonal(Vec3 { x: 0.1, y: 0.1, z: 0.1 }),
};
const MOTOR: ActuatorParams<f64> = ActuatorParams {
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
const BALL: ShapeParams<f64> = ShapeParams {
    placement: Transform::IDENTITY,
    size: Vec3 { x: 0.1, y: 0.0, z: 0.0 },
    material: Material::DEFAULT,
};

fn shift(x: f64, y: f64, z: f64) -> Transform<f64> {
    Transform::from_translation(Vec3::new(x, y, z))
}

/// A quarter turn about z, then a shift.
fn quarter_turn(x: f64, y: f64, z: f64) -> Transform<f64> {
    Transform::new(Mat3::from_rpy(Vec3::new(0.0, 0.0, FRAC_PI_2)), Vec3::new(x, y, z))
}

/// A world with one link on this joint.
fn with_joint(joint: JointSpec) -> Result<ModelBuilder, ModelError> {
    let mut robot = ModelBuilder::new("robot");
    robot.link("link", FrameId::WORLD, joint, UNIT_BODY)?;
    Ok(robot)
}

/// What `build` says of a hinge after a change to its numbers.
fn refused(change: impl FnOnce(&mut JointSpec)) -> String {
    let mut joint = JointSpec::revolute("hinge", Vec3::Z);
    change(&mut joint);
    with_joint(joint).and_then(ModelBuilder::build).unwrap_err().to_string()
}

#[track_caller]
fn assert_near(a: &[f64], b: &[f64]) {
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= ROUNDING, "{a:?} is not {b:?}");
    }
}

#[track_caller]
fn assert_same_inertia(a: &Inertia<f64>, b: &Inertia<f64>) {
    assert_near(&[a.mass], &[b.mass]);
    assert_near(&a.com.to_array(), &b.com.to_array());
    assert_near(&a.rotational.to_array(), &b.rotational.to_array());
}

#[track_caller]
fn assert_same_pose(a: &Transform<f64>, b: &Transform<f64>) {
    assert_near(&a.pos.to_array(), &b.pos.to_array());
    assert_near(a.rot.to_rows().as_flattened(), b.rot.to_rows().as_flattened());
}

// --- what it puts together ---------------------------------------------------------------------

#[test]
fn every_joint_kind_takes_its_coordinates() {
    let mut robot = ModelBuilder::new("zoo");
    let mut parent = FrameId::WORLD;
    for joint in [
        JointSpec::free("free"),
        JointSpec::revolute("revolute", Vec3::Y),
        JointSpec::prismatic("prismatic", Vec3::new(1.0, 1.0, 0.0)),
        JointSpec::spherical("spherical"),
        JointSpec::planar("planar"),
        JointSpec::universal("universal", Vec3::X, Vec3::Y),
    ] {
        let name = format!("{} link", joint.name);
        parent = robot.link(name, parent, joint, UNIT_BODY).unwrap();
    }
    let model = robot.build().unwrap();
    assert_eq!(
        (model.n_links(), model.nq(), model.nv()),
        (6, 7 + 1 + 1 + 4 + 3 + 2, 6 + 1 + 1 + 3 + 3 + 2)
    );
    let starts: Vec<_> =
        model.topology.links.iter().map(|l| (l.joint.q_start, l.joint.v_start)).collect();
    assert_eq!(starts, [(0, 0), (7, 6), (8, 7), (9, 8), (13, 11), (16, 14)]);
    for (i, link) in model.topology.links.iter().enumerate() {
        assert_eq!(link.parent, (i > 0).then(|| LinkId::new(i - 1)));
        assert_eq!(link.joint.v_range().len(), link.joint.kind.dofs().len());
    }
    let mut neutral = vec![0.0; 18];
    neutral[3] = 1.0;
    neutral[9] = 1.0;
    assert_eq!(model.neutral(), neutral);
    assert_eq!(
        model.topology.velocity_names().join(" "),
        "free/vx free/vy free/vz free/wx free/wy free/wz revolute prismatic spherical/wx \
         spherical/wy spherical/wz planar/vx planar/vy planar/wz universal/w1 universal/w2"
    );
    assert_eq!(
        model.topology.position_names().join(" "),
        "free/x free/y free/z free/qw free/qx free/qy free/qz revolute prismatic spherical/qw \
         spherical/qx spherical/qy spherical/qz planar/x planar/y planar/angle universal/angle1 \
         universal/angle2"
    );
    let planar = model.topology.joint("planar").unwrap();
    let kind = model.topology.links[planar.index()].joint.kind;
    assert_eq!(kind.dofs(), [DofKind::Linear, DofKind::Linear, DofKind::Angular]);
}

#[test]
fn axes_are_made_unit_and_coordinate_axes_are_recognised() {
    let kind = |axis| JointSpec::revolute("hinge", axis).kind;
    // 0.7 × (1 / 0.7) is not 1 in floating point; the axis is x all the same.
    for length in [1.0, 0.7, 0.1, 3.0, 1e-3] {
        assert_eq!(kind(Vec3::new(length, 0.0, 0.0)), JointKind::Revolute(Axis::X));
        assert_eq!(kind(Vec3::new(0.0, 0.0, length)), JointKind::Revolute(Axis::Z));
    }
    assert_eq!(kind(Vec3::new(0.0, -1.0, 0.0)), JointKind::Revolute(Axis::Any));
    let slide = JointSpec::prismatic("slide", Vec3::new(0.0, 3.0, -4.0));
    assert_near(&slide.params.axis.to_array(), &[0.0, 0.6, -0.8]);
    let cross = JointSpec::universal("cross", Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 5.0));
    assert_eq!((cross.params.axis, cross.params.axis2), (Vec3::X, Vec3::Z));
}

#[test]
fn fixed_links_add_their_inertia_to_the_link_that_carries_them() {
    // A ball of 2 kg at the origin, a ball of 1 kg at x = 3 and y = 1 of a frame turned by 90°.
    let ball = |mass, moment| Inertia {
        mass,
        com: Vec3::ZERO,
        rotational: Sym3::diagonal(Vec3::new(moment, moment, moment)),
    };
    let mut robot = ModelBuilder::new("robot");
    let arm =
        robot.link("arm", FrameId::WORLD, JointSpec::revolute("hinge", Vec3::Z), ball(2.0, 0.2));
    let arm = arm.unwrap();
    let bracket = robot.fixed("bracket", arm, quarter_turn(3.0, 0.0, 0.0), Inertia::ZERO).unwrap();
    robot.fixed("weight", bracket, shift(1.0, 0.0, 0.0), ball(1.0, 0.1)).unwrap();
    let model = robot.build().unwrap();
    assert_eq!(model.n_links(), 1);
    // The weight is at (3, 1, 0) of the arm, so the centre is at (1, 1/3, 0); the reduced mass
    // 2/3 at that distance adds 2/3 (1, 9, 10) to the diagonal and −2/3 · 3 to xy.
    let expected = Inertia {
        mass: 3.0,
        com: Vec3::new(1.0, 1.0 / 3.0, 0.0),
        rotational: Sym3::new(0.3 + 2.0 / 3.0, 0.3 + 6.0, 0.3 + 20.0 / 3.0, -2.0, 0.0, 0.0),
    };
    assert_same_inertia(&model.params.links[0], &expected);
    let weight = model.topology.frame("weight").unwrap();
    assert_eq!(model.topology.frames[weight.index()].link, Some(LinkId::new(0)));
    assert_same_pose(&model.params.frames[weight.index()], &quarter_turn(3.0, 1.0, 0.0));
    assert_eq!(model.topology.link("weight"), None);
}

#[test]
fn a_turned_fixed_link_turns_its_inertia() {
    let rod = Inertia {
        mass: 1.0,
        com: Vec3::new(0.5, 0.0, 0.0),
        rotational: Sym3::diagonal(Vec3::new(0.01, 0.09, 0.09)),
    };
    let mut robot = ModelBuilder::new("robot");
    let hub = robot
        .link("hub", FrameId::WORLD, JointSpec::revolute("hinge", Vec3::Z), Inertia::ZERO)
        .unwrap();
    robot.fixed("rod", hub, quarter_turn(0.0, 0.0, 2.0), rod).unwrap();
    let model = robot.build().unwrap();
    let expected = Inertia {
        mass: 1.0,
        com: Vec3::new(0.0, 0.5, 2.0),
        rotational: Sym3::diagonal(Vec3::new(0.09, 0.01, 0.09)),
    };
    assert_same_inertia(&model.params.links[0], &expected);
}

#[test]
fn what_is_fixed_to_the_world_is_a_frame_and_nothing_more() {
    let mut robot = ModelBuilder::new("robot");
    let table = robot.fixed("table", FrameId::WORLD, shift(0.0, 0.0, 0.8), UNIT_BODY).unwrap();
    let joint = JointSpec::revolute("hinge", Vec3::Z).at(quarter_turn(0.0, 0.0, 0.2));
    robot.link("arm", table, joint, UNIT_BODY).unwrap();
    let model = robot.build().unwrap();
    assert_eq!(model.topology.links[0].parent, None);
    assert_same_pose(&model.params.joints[0].placement, &quarter_turn(0.0, 0.0, 1.0));
    assert_same_inertia(&model.params.links[0], &UNIT_BODY);
}

#[test]
fn a_link_away_from_its_joint_takes_everything_along() {
    // The joint stands at x = 1 of the world, the link's own frame at y = 2 of the joint, turned.
    let mut joint = JointSpec::revolute("hinge", Vec3::Z).at(shift(1.0, 0.0, 0.0));
    joint.link_in_joint = quarter_turn(0.0, 2.0, 0.0);
    let rod = Inertia {
        mass: 1.0,
        com: Vec3::new(0.5, 0.0, 0.0),
        rotational: Sym3::diagonal(Vec3::new(0.01, 0.09, 0.08)),
    };
    let mut robot = ModelBuilder::new("robot");
    let link = robot.link("link", FrameId::WORLD, joint, rod).unwrap();
    let tip = robot.frame("tip", link, shift(1.0, 0.0, 0.0)).unwrap();
    let ball = robot.shape("ball", tip, ShapeKind::Sphere, BALL).unwrap();
    let next = JointSpec::revolute("next hinge", Vec3::Z).at(shift(0.0, 1.0, 0.0));
    robot.link("next", tip, next, UNIT_BODY).unwrap();
    let model = robot.build().unwrap();
    let params = &model.params;
    assert_same_pose(&params.joints[0].placement, &shift(1.0, 0.0, 0.0));
    assert_same_pose(&params.frames[link.index()], &quarter_turn(0.0, 2.0, 0.0));
    assert_same_pose(&params.frames[tip.index()], &quarter_turn(0.0, 3.0, 0.0));
    assert_same_pose(&params.shapes[ball.index()].placement, &quarter_turn(0.0, 3.0, 0.0));
    assert_same_pose(&params.joints[1].placement, &quarter_turn(-1.0, 3.0, 0.0));
    let expected = Inertia {
        mass: 1.0,
        com: Vec3::new(0.0, 2.5, 0.0),
        rotational: Sym3::diagonal(Vec3::new(0.09, 0.01, 0.08)),
    };
    assert_same_inertia(&params.links[0], &expected);
}

#[test]
fn integrating_actuators_count_their_states() {
    let mut robot = with_joint(JointSpec::revolute("hinge", Vec3::Z)).unwrap();
    let hinge = robot.topology().joint("hinge").unwrap();
    robot.actuator("direct", hinge, false, MOTOR).unwrap();
    robot.actuator("first", hinge, true, MOTOR).unwrap();
    robot.actuator("second", hinge, true, MOTOR).unwrap();
    let model = robot.build().unwrap();
    assert_eq!((model.topology.actuators.len(), model.topology.na), (3, 2));
}

// --- what it refuses ---------------------------------------------------------------------------

#[test]
fn names_are_unique_in_their_list() {
    let hinge = |name: &str| JointSpec::revolute(name, Vec3::Z);
    let mut robot = with_joint(hinge("hinge")).unwrap();
    let text = |result: Result<FrameId, ModelError>| result.unwrap_err().to_string();
    let same_link = robot.link("link", FrameId::WORLD, hinge("other"), UNIT_BODY);
    assert_eq!(text(same_link), "two links are named \"link\"");
    let same_joint = robot.link("other", FrameId::WORLD, hinge("hinge"), UNIT_BODY);
    assert_eq!(text(same_joint), "two joints are named \"hinge\"");
    let same_frame = robot.frame("link", FrameId::WORLD, Transform::IDENTITY);
    assert_eq!(text(same_frame), "two frames are named \"link\"");
    let world = robot.link("world", FrameId::WORLD, hinge("third"), UNIT_BODY);
    assert_eq!(text(world), "two frames are named \"world\"");
    // A refused link leaves nothing behind: its names are free, the model is as it was.
    robot.link("other", FrameId::WORLD, hinge("third"), UNIT_BODY).unwrap();
    robot.shape("ball", FrameId::WORLD, ShapeKind::Sphere, BALL).unwrap();
    let same_shape = robot.shape("ball", FrameId::WORLD, ShapeKind::Sphere, BALL);
    assert_eq!(same_shape.unwrap_err().to_string(), "two shapes are named \"ball\"");
    let joint = robot.topology().joint("hinge").unwrap();
    robot.actuator("motor", joint, true, MOTOR).unwrap();
    let same_actuator = robot.actuator("motor", joint, true, MOTOR);
    assert_eq!(same_actuator.unwrap_err().to_string(), "two actuators are named \"motor\"");
    let model = robot.build().unwrap();
    assert_eq!((model.n_links(), model.nq(), model.topology.frames.len()), (2, 2, 3));
    assert_eq!(model.topology.na, 1);
}

#[test]
fn axes_need_a_direction() {
    let zero = Vec3::ZERO;
    for joint in [
        JointSpec::revolute("bad", zero),
        JointSpec::prismatic("bad", zero),
        JointSpec::universal("bad", zero, Vec3::Y),
        JointSpec::universal("bad", Vec3::X, zero),
    ] {
        let error = with_joint(joint).unwrap_err();
        assert_eq!(error.to_string(), "joint \"bad\": its axis (0, 0, 0) has no direction");
    }
    let nan = JointSpec::revolute("bad", Vec3::new(f64::NAN, 0.0, 1.0));
    let text = with_joint(nan).unwrap_err().to_string();
    assert_eq!(text, "joint \"bad\": its axis (NaN, 0, 1) has no direction");
    let parallel = JointSpec::universal("bad", Vec3::X, Vec3::new(-1.0, 0.0, 0.0));
    let text = with_joint(parallel).unwrap_err().to_string();
    assert_eq!(text, "joint \"bad\": its two axes are parallel");
    let text = refused(|joint| joint.params.axis = Vec3::Y);
    assert_eq!(text, "joint \"hinge\": its kind is z, but its axis is not");
    let text = refused(|joint| joint.params.axis = Vec3::Z * 2.0);
    assert_eq!(text, "joint \"hinge\": its axis (0, 0, 2) is not of length one");
}

#[test]
fn an_axis_that_is_set_needs_a_direction_but_no_length() {
    let axis = Vec3::new(0.6, 0.8, 0.0);
    let mut model = with_joint(JointSpec::revolute("skew", axis)).unwrap().build().unwrap();
    let joint = model.topology.joint("skew").unwrap().index();
    for (length, fine) in [(2.0, true), (1e-3, true), (0.0, false), (1e200, false)] {
        model.params.joints[joint].axis = axis * length;
        assert_eq!(model.check().is_ok(), fine, "{length}");
    }
    model.params.joints[joint].axis = Vec3::ZERO;
    let text = model.check().unwrap_err().to_string();
    assert_eq!(text, "joint \"skew\": its axis (0, 0, 0) has no direction");
}

#[test]
fn numbers_must_be_usable() {
    for (what, change) in [
        (
            "joint/hinge/damping: -0.1 is negative",
            (|j| j.params.damping = -0.1) as fn(&mut JointSpec),
        ),
        ("joint/hinge/armature: -1 is negative", |j| j.params.armature = -1.0),
        ("joint/hinge/friction: -1 is negative", |j| j.params.friction = -1.0),
        ("joint/hinge/friction_velocity: 0 is not positive", |j| j.params.friction_velocity = 0.0),
        ("joint/hinge/limit_softness: 0 is not positive", |j| j.params.limit_softness = 0.0),
        ("joint/hinge/effort_limit: -3 is negative", |j| j.params.effort_limit = -3.0),
        ("joint/hinge/stiffness: a value is not a finite number", |j| {
            j.params.stiffness = f64::INFINITY;
        }),
        ("joint/hinge/limit_lower: a value is not a finite number", |j| {
            j.params.limit_lower = f64::NAN;
        }),
        ("joint \"hinge\": limit lower (2) is above upper (-2)", |j| {
            (j.params.limit_lower, j.params.limit_upper) = (2.0, -2.0);
        }),
        ("joint/hinge/placement/x: a value is not a finite number", |j| {
            j.placement.pos.x = f64::NAN;
        }),
        ("joint \"hinge\": its orientation is not a rotation", |j| {
            j.placement.rot = Mat3::IDENTITY * 2.0;
        }),
        ("joint \"hinge\": its orientation is not a rotation", |j| {
            j.placement.rot.cols[2] = -Vec3::Z;
        }),
    ] {
        assert_eq!(refused(change), what);
    }
}

#[test]
fn inertias_must_be_usable() {
    let refused = |inertia| {
        let mut robot = ModelBuilder::new("robot");
        let joint = JointSpec::revolute("hinge", Vec3::Z);
        robot.link("link", FrameId::WORLD, joint, inertia).unwrap();
        robot.build().map(|_| ()).map_err(|e| e.to_string())
    };
    let diagonal =
        |x, y, z| Inertia { rotational: Sym3::diagonal(Vec3::new(x, y, z)), ..UNIT_BODY };
    let error = |text: &str| Err(text.to_owned());
    let lighter_than_nothing = Inertia { mass: -1.0, ..UNIT_BODY };
    assert_eq!(refused(lighter_than_nothing), error("link/link/mass: -1 is negative"));
    let nan = diagonal(f64::NAN, 1.0, 1.0);
    assert_eq!(refused(nan), error("link/link/inertia/xx: a value is not a finite number"));
    assert_eq!(
        refused(diagonal(1.0, -0.5, 1.0)),
        error("link \"link\": a principal moment of inertia, -0.5 kg m², is negative")
    );
    // No body has these, but their motion can be computed.
    assert_eq!(refused(diagonal(0.1, 0.1, 1.0)), Ok(()));
    assert_eq!(refused(Inertia { mass: 0.0, ..UNIT_BODY }), Ok(()));
    assert_eq!(refused(Inertia::ZERO), Ok(()));
}

#[test]
fn shapes_actuators_and_the_time_step_must_be_usable() {
    let hinge = || with_joint(JointSpec::revolute("hinge", Vec3::Z)).unwrap();
    let text = |robot: ModelBuilder| robot.build().unwrap_err().to_string();

    let mirrored = ShapeParams { size: Vec3::new(1.0, -1.0, 1.0), ..BALL };
    let mut robot = hinge();
    robot.shape("box", FrameId::WORLD, ShapeKind::Box, mirrored).unwrap();
    assert_eq!(text(robot), "shape/box/size/y: -1 is negative");
    let mut robot = hinge();
    let mesh = ShapeKind::Mesh(Arc::new(Mesh { path: "mesh.stl".into(), hull: None }));
    robot.shape("mesh", FrameId::WORLD, mesh, mirrored).unwrap();
    assert!(robot.build().is_ok());

    let mut robot = hinge();
    let joint = robot.topology().joint("hinge").unwrap();
    let params = ActuatorParams { control_lower: 1.0, control_upper: -1.0, ..MOTOR };
    robot.actuator("motor", joint, false, params).unwrap();
    assert_eq!(text(robot), "actuator \"motor\": control lower (1) is above upper (-1)");

    let mut robot = hinge();
    robot.timestep(0.0);
    assert_eq!(text(robot), "timestep: 0 is not a positive time");
}

#[test]
fn surfaces_must_be_usable() {
    use MaterialScalar::*;
    let build = |change: &dyn Fn(&mut Material<f64>)| {
        let mut robot = ModelBuilder::new("robot");
        let mut ball = BALL;
        change(&mut ball.material);
        robot.shape("ball", FrameId::WORLD, ShapeKind::Sphere, ball).unwrap();
        robot.build()
    };
    let refused = |number: MaterialScalar, value: f64| {
        let error = build(&|m| *m.get_mut(number) = value).unwrap_err().to_string();
        error.strip_prefix(&format!("shape/ball/{}: ", number.name())).unwrap().to_owned()
    };
    for number in MaterialScalar::ALL {
        assert_eq!(refused(*number, f64::NAN), "a value is not a finite number");
        assert_eq!(refused(*number, f64::INFINITY), "a value is not a finite number");
        assert!(
            ["-1 is negative", "-1 is not positive", "-1 is not between 0 and 1"]
                .contains(&&*refused(*number, -1.0))
        );
        assert!(build(&|m| *m.get_mut(*number) = 0.5).is_ok());
    }
    for number in [Restitution, PositionGain, VelocityGain] {
        assert_eq!(refused(number, 1.25), "1.25 is not between 0 and 1");
        assert!(build(&|m| *m.get_mut(number) = 0.0).is_ok());
        assert!(build(&|m| *m.get_mut(number) = 1.0).is_ok());
    }
    for number in [SlipVelocity, Exponent] {
        assert_eq!(refused(number, 0.0), "0 is not positive");
    }
    // A surface of a pair is a surface.
    let mut robot = balls(&["a", "b"]);
    robot.contact_pair(pair(0, 1), Material { restitution: 2.0, ..Material::DEFAULT });
    let text = robot.build().unwrap_err().to_string();
    assert_eq!(text, "contact/a-b/restitution: 2 is not between 0 and 1");
}

/// Shapes of these names in the world.
fn balls(names: &[&str]) -> ModelBuilder {
    let mut robot = ModelBuilder::new("robot");
    for name in names {
        robot.shape(*name, FrameId::WORLD, ShapeKind::Sphere, BALL).unwrap();
    }
    robot
}

fn pair(a: usize, b: usize) -> ContactPair {
    let (a, b) = (ShapeId::new(a), ShapeId::new(b));
    ContactPair { a, b, law: ContactLaw::Rigid, resists_turning: false }
}

#[test]
fn contact_pairs_are_of_two_shapes_and_have_names_of_their_own() {
    let build = |names: &[&str], pairs: &[(usize, usize)]| {
        let mut robot = balls(names);
        for (a, b) in pairs {
            robot.contact_pair(pair(*a, *b), Material::DEFAULT);
        }
        robot.build().map(|_| ()).map_err(|e| e.to_string())
    };
    let error = |text: &str| Err(text.to_owned());
    assert_eq!(build(&["a", "b", "c"], &[(0, 1), (2, 0), (1, 2)]), Ok(()));
    assert_eq!(
        build(&["a", "b"], &[(0, 1), (1, 1)]),
        error("contact pair \"b-b\": a shape does not touch itself")
    );
    assert_eq!(build(&["a", "b"], &[(0, 7)]), error("contact pair 0: there is no shape 7, only 2"));
    assert_eq!(build(&["a", "b"], &[(0, 1), (0, 1)]), error("two contact pairs are named \"a-b\""));
    assert_eq!(
        build(&["a", "b"], &[(0, 1), (1, 0)]),
        error("contact pair \"b-a\": its shapes are already a pair")
    );
    // Other shapes, but the paths of their numbers would be the same.
    assert_eq!(
        build(&["a-b", "c", "a", "b-c"], &[(0, 1), (2, 3)]),
        error("two contact pairs are named \"a-b-c\"")
    );
    let mut model = balls(&["a", "b"]).build().unwrap();
    model.topology.contact_pairs.push(pair(0, 1));
    let text = model.check().unwrap_err().to_string();
    assert_eq!(text, "contact pairs: 1 pairs, but 0 surfaces for them");
}

#[test]
fn points_must_be_finite() {
    let build = |x: f64| {
        let points = ShapeKind::Points([Vec3::ZERO, Vec3::new(x, 0.0, 0.0)].into());
        let mut robot = ModelBuilder::new("robot");
        robot.shape("feet", FrameId::WORLD, points, BALL).unwrap();
        robot.build().map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(build(1.0), Ok(()));
    let refused = "shape \"feet\": its points: a value is not a finite number".to_owned();
    assert_eq!(build(f64::NAN), Err(refused.clone()));
    assert_eq!(build(f64::INFINITY), Err(refused));
}

#[test]
fn actuators_drive_joints_of_one_freedom() {
    for joint in [
        JointSpec::spherical("joint"),
        JointSpec::planar("joint"),
        JointSpec::universal("joint", Vec3::X, Vec3::Y),
        JointSpec::free("joint"),
    ] {
        let kind = joint.kind.name();
        let mut robot = with_joint(joint).unwrap();
        let id = robot.topology().joint("joint").unwrap();
        let error = robot.actuator("motor", id, true, MOTOR).unwrap_err();
        let expected = format!(
            "actuator \"motor\": it drives a {kind} joint; only revolute and prismatic joints can \
             be driven"
        );
        assert_eq!(error.to_string(), expected);
        assert_eq!(robot.topology().na, 0);
    }
    let mut robot = with_joint(JointSpec::prismatic("joint", Vec3::X)).unwrap();
    let id = robot.topology().joint("joint").unwrap();
    assert!(robot.actuator("motor", id, false, MOTOR).is_ok());
}

//! Parameter paths: one path for every number, and help for those that are none.

use std::collections::HashSet;

use gradbody_math::{Dual, Inertia, Mat3, Sym3, Transform, Vec3};
use gradbody_model::{
    ActuatorParams, ContactLaw, ContactPair, FrameId, JointScalar, JointSpec, LinkId, Material,
    MaterialScalar, Model, ModelBuilder, PairId, ParamId, ShapeKind, ShapeParams,
};

/// Angles go through sines and arctangents.
const ANGLE: f64 = 1e-14;

const BODY: Inertia<f64> = Inertia {
    mass: 1.0,
    com: Vec3 { x: 0.1, y: 0.2, z: 0.3 },
    rotational: Sym3 { xx: 0.5, yy: 0.6, zz: 0.7, xy: 0.01, xz: 0.02, yz: 0.03 },
};

/// A model with every kind of joint, and with names that look like parts of paths.
fn zoo() -> Model<f64> {
    let place = Transform::new(Mat3::from_rpy(Vec3::new(0.2, -0.3, 0.4)), Vec3::new(1.0, 2.0, 3.0));
    let diagonal = Vec3::new(1.0, 1.0, 0.0);
    let mut robot = ModelBuilder::new("zoo");
    let mut parent = robot.fixed("table", FrameId::WORLD, place, BODY).unwrap();
    for (link, joint) in [
        ("base", JointSpec::free("root")),
        ("arm", JointSpec::revolute("knee", Vec3::Y)),
        ("arm/inertia", JointSpec::revolute("knee/limit", diagonal)),
        ("slide", JointSpec::prismatic("slide", Vec3::Z)),
        ("slanted slide", JointSpec::prismatic("knee/placement", diagonal)),
        ("ball", JointSpec::spherical("axis")),
        ("cart", JointSpec::planar("joint/axis/x")),
        ("cross", JointSpec::universal("cross", Vec3::X, Vec3::Y)),
    ] {
        parent = robot.link(link, parent, joint.at(place), BODY).unwrap();
    }
    let tool = robot.fixed("arm/tool", parent, place, BODY).unwrap();
    let ball = ShapeParams {
        placement: place,
        size: Vec3::new(0.1, 0.2, 0.3),
        material: Material {
            friction: 0.9,
            torsional_friction: 0.01,
            rolling_friction: 0.001,
            restitution: 0.25,
            ..Material::DEFAULT
        },
    };
    let left = robot.shape("foot/left", tool, ShapeKind::Ellipsoid, ball).unwrap();
    let right = robot.shape("foot-right", tool, ShapeKind::Ellipsoid, ball).unwrap();
    let floor = robot.shape("size", FrameId::WORLD, ShapeKind::Plane, ball).unwrap();
    for (a, b) in [(left, right), (floor, left), (right, floor)] {
        let pair = ContactPair { a, b, law: ContactLaw::Rigid, resists_turning: false };
        robot.contact_pair(pair, Material { cfm: 0.5, ..Material::DEFAULT });
    }
    let motor = ActuatorParams {
        gear: 2.0,
        gain: 3.0,
        bias: [4.0, 5.0, 6.0],
        control_lower: -7.0,
        control_upper: 7.0,
        activation_lower: -8.0,
        activation_upper: 8.0,
        force_lower: -9.0,
        force_upper: 9.0,
    };
    let knee = robot.topology().joint("knee").unwrap();
    robot.actuator("motor/1", knee, true, motor).unwrap();
    robot.build().unwrap()
}

fn error(model: &Model<f64>, path: &str) -> String {
    model.topology.param_id(path).unwrap_err().to_string()
}

// --- paths and ids -----------------------------------------------------------------------------

#[test]
fn every_id_has_a_path_and_every_path_its_id() {
    let topology = zoo().topology;
    let ids = topology.param_ids();
    let paths: HashSet<String> = ids.iter().map(|id| topology.param_path(*id)).collect();
    assert_eq!(paths.len(), ids.len(), "two parameters share a path");
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "an id is listed twice");
    for id in ids {
        let path = topology.param_path(id);
        assert_eq!(topology.param_id(&path), Ok(id), "{path}");
    }
}

#[test]
fn a_model_has_as_many_parameters_as_numbers_that_matter() {
    // gravity; 8 links; 8 joints with placement and scalars, of which two have an axis of their
    // own and one has two, and two have neither a range nor a rest position; 10 frames besides the
    // world; three shapes; three pairs of them; an actuator
    let joints = 8 * (6 + 12) - 2 * 6 + 2 * 3 + 6;
    let expected = 3 + 8 * 10 + joints + 10 * 6 + 3 * (6 + 3 + 12) + 3 * 12 + 11;
    assert_eq!(zoo().topology.param_ids().len(), expected);
}

#[test]
fn paths_read_as_documented() {
    let topology = zoo().topology;
    let arm = topology.link("arm").unwrap();
    let joint = arm.joint();
    let inertia = topology.link("arm/inertia").unwrap();
    for (path, id) in [
        ("gravity/z", ParamId::Gravity(2)),
        ("link/arm/mass", ParamId::Mass(arm)),
        ("link/arm/com/y", ParamId::Com(arm, 1)),
        ("link/arm/inertia/xz", ParamId::Inertia(arm, 4)),
        ("link/arm/inertia/mass", ParamId::Mass(inertia)),
        ("link/arm/inertia/inertia/xx", ParamId::Inertia(inertia, 0)),
        ("joint/knee/placement/yaw", ParamId::JointPlacement(joint, 5)),
        ("joint/knee/damping", ParamId::Joint(joint, JointScalar::Damping)),
        ("joint/knee/limit_damping", ParamId::Joint(joint, JointScalar::LimitDamping)),
        ("joint/knee/limit/damping", ParamId::Joint(inertia.joint(), JointScalar::Damping)),
        ("joint/knee/limit/axis/x", ParamId::JointAxis(inertia.joint(), 0)),
        (
            "contact/foot/left-foot-right/friction",
            ParamId::PairMaterial(PairId::new(0), MaterialScalar::Friction),
        ),
        ("contact/foot-right-size/cfm", ParamId::PairMaterial(PairId::new(2), MaterialScalar::Cfm)),
    ] {
        assert_eq!(topology.param_id(path), Ok(id), "{path}");
        assert_eq!(topology.param_path(id), path);
    }
    for path in [
        "frame/arm/tool/placement/roll",
        "shape/foot/left/size/x",
        "shape/foot/left/torsional_friction",
        "actuator/motor/1/bias/position",
        "joint/cross/axis2/z",
        "joint/joint/axis/x/rest",
    ] {
        let id = topology.param_id(path).unwrap();
        assert_eq!(topology.param_path(id), path);
    }
}

#[test]
fn every_number_of_a_surface_has_a_path_of_its_name() {
    let mut model = zoo();
    let [shape, pair] = ["shape/foot/left", "contact/size-foot/left"];
    let fields = format!("{:?}", Material::DEFAULT);
    for (i, number) in MaterialScalar::ALL.iter().enumerate() {
        assert!(fields.contains(&format!(" {}: ", number.name())), "{number:?}");
        for (owner, value) in [(shape, 0.5 + i as f64), (pair, 100.0 + i as f64)] {
            model.set_by_path(&format!("{owner}/{}", number.name()), value).unwrap();
        }
    }
    let left = model.topology.shape("foot/left").unwrap();
    let floor_and_left = model.topology.pair("size-foot/left").unwrap();
    assert_eq!(floor_and_left, PairId::new(1));
    for (i, number) in MaterialScalar::ALL.iter().enumerate() {
        let of_shape = model.params.shapes[left.index()].material.get(*number);
        let of_pair = model.params.pairs[floor_and_left.index()].get(*number);
        assert_eq!((*of_shape, *of_pair), (0.5 + i as f64, 100.0 + i as f64), "{number:?}");
        let read = |owner: &str| model.get_by_path(&format!("{owner}/{}", number.name())).unwrap();
        assert_eq!((read(shape), read(pair)), (*of_shape, *of_pair), "{number:?}");
    }
}

#[test]
fn joint_scalars_are_named_as_their_fields() {
    let model = zoo();
    let knee = model.topology.joint("knee").unwrap();
    let scalars = model.topology.param_ids().into_iter().filter_map(|id| match id {
        ParamId::Joint(joint, scalar) if joint == knee => Some(scalar),
        _ => None,
    });
    let fields = format!("{:?}", model.params.joints[knee.index()]);
    for scalar in scalars {
        assert!(fields.contains(&format!(" {}: ", scalar.name())), "{scalar:?}");
    }
}

// --- values ------------------------------------------------------------------------------------

#[test]
fn every_number_can_be_set_and_read_back_without_touching_another() {
    let model = zoo();
    let ids = model.topology.param_ids();
    for (i, &id) in ids.iter().enumerate() {
        let path = model.topology.param_path(id);
        let angle = ["/roll", "/pitch", "/yaw"].iter().any(|end| path.ends_with(end));
        let value = if angle { -0.7 + 0.001 * i as f64 } else { 100.0 + i as f64 };
        let mut changed = model.clone();
        changed.set(id, value);
        for &other in &ids {
            let expected = if other == id { value } else { model.get(other) };
            let difference = changed.get(other) - expected;
            // Limits may be infinite, which have no difference.
            let same = changed.get(other) == expected || difference.abs() <= ANGLE;
            assert!(same, "{path} changed {}", model.topology.param_path(other));
        }
    }
}

#[test]
fn values_are_found_where_they_are_kept() {
    let model = zoo();
    let get = |path: &str| model.get(model.topology.param_id(path).unwrap());
    assert_eq!(get("gravity/z"), -9.81);
    assert_eq!(get("link/arm/com/z"), 0.3);
    assert_eq!(get("link/arm/inertia/yz"), 0.03);
    assert_eq!(get("joint/knee/friction_velocity"), 0.01);
    assert_eq!(get("joint/knee/limit_upper"), f64::INFINITY);
    assert_eq!(get("joint/slide/limit_stiffness"), 50_000.0);
    assert_eq!(get("joint/cross/axis2/y"), 1.0);
    assert_eq!(get("shape/foot/left/rolling_friction"), 0.001);
    assert_eq!(get("shape/foot-right/restitution"), 0.25);
    assert_eq!(get("contact/foot/left-foot-right/cfm"), 0.5);
    assert_eq!(get("contact/foot/left-foot-right/restitution"), 0.0);
    assert_eq!(get("actuator/motor/1/bias/velocity"), 6.0);
    assert_eq!(get("actuator/motor/1/force/lower"), -9.0);
    assert!((get("joint/knee/placement/pitch") + 0.3).abs() < ANGLE);
}

#[test]
fn a_set_angle_carries_its_derivative() {
    let mut model = zoo().cast::<Dual<f64, 1>>();
    let yaw = model.topology.param_id("joint/knee/placement/yaw").unwrap();
    model.set(yaw, Dual::variable(0.5, 0));
    let read = model.get(yaw);
    assert!((read.re - 0.5).abs() < ANGLE && (read.eps[0] - 1.0).abs() < ANGLE);
    // The placement turns about z: the derivative of its first column is z × that column.
    let knee = model.topology.joint("knee").unwrap();
    let x = model.params.joints[knee.index()].placement.rot.cols[0];
    assert!((x.x.eps[0] + x.y.re).abs() < ANGLE && (x.y.eps[0] - x.x.re).abs() < ANGLE);
}

// --- paths that are none -----------------------------------------------------------------------

#[test]
fn a_slip_is_met_with_the_nearest_path() {
    let model = zoo();
    for (slip, meant) in [
        ("gravty/z", "gravity/z"),
        ("link/arm/mas", "link/arm/mass"),
        ("joint/kne/damping", "joint/knee/damping"),
        ("joints/slide/damping", "joint/slide/damping"),
        ("joint/knee/limit_uper", "joint/knee/limit_upper"),
        ("link/arm/inertia/mas", "link/arm/inertia/mass"),
        ("joint/knee/limit/axis/xx", "joint/knee/limit/axis/x"),
        ("shape/foot/left/restituton", "shape/foot/left/restitution"),
        ("contact/foot/left_foot-right/friction", "contact/foot/left-foot-right/friction"),
        ("contact/size-foot/left/position_gian", "contact/size-foot/left/position_gain"),
    ] {
        let expected = format!("no parameter \"{slip}\"; did you mean \"{meant}\"?");
        assert_eq!(error(&model, slip), expected);
    }
}

#[test]
fn what_is_like_nothing_gets_no_hint() {
    let model = zoo();
    for path in ["zzz", "", "/", "//"] {
        assert_eq!(error(&model, path), format!("no parameter \"{path}\""));
    }
}

#[test]
fn a_merged_link_is_told_who_carries_it() {
    let model = zoo();
    // Its name begins with that of a moving link, "arm", which is not the one meant.
    assert_eq!(
        error(&model, "link/arm/tool/mass"),
        "no parameter \"link/arm/tool/mass\"; \"arm/tool\" is fixed to \"cross\", whose numbers \
         include it: use link/cross/…"
    );
    assert_eq!(
        error(&model, "link/table/mass"),
        "no parameter \"link/table/mass\"; \"table\" is fixed to the world and never moves"
    );
}

#[test]
fn a_coordinate_axis_is_turned_by_its_placement() {
    assert_eq!(
        error(&zoo(), "joint/knee/axis/x"),
        "no parameter \"joint/knee/axis/x\"; \"knee\" moves along an axis of its own frame: turn \
         joint/knee/placement/…"
    );
}

#[test]
fn the_world_and_coordinate_axes_are_no_parameters() {
    let model = zoo();
    for path in [
        "frame/world/placement/x",
        "joint/knee/axis/x",
        "joint/cross/axis3/x",
        "joint/knee/limit/axis2/x",
        "gravity",
        "gravity/x/x",
        "link/arm",
        "link/arm/mass/",
        // The names of a pair have an order.
        "contact/foot-right-foot/left/friction",
        "contact/size/friction",
        "contact/foot-right-size/size/x",
    ] {
        assert!(model.topology.param_id(path).is_err(), "{path}");
    }
}

#[test]
fn setting_by_path_sets_or_says_why_not() {
    let mut model = zoo();
    model.set_by_path("link/arm/mass", 5.0).unwrap();
    assert_eq!(model.params.links[LinkId::new(1).index()].mass, 5.0);
    let refused = model.set_by_path("link/arm/weight", 5.0).unwrap_err();
    assert_eq!(refused.path, "link/arm/weight");
}

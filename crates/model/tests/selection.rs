//! Selections of parameters: what patterns match, flat vectors in and out, gradients.

use std::cell::Cell;
use std::f64::consts::FRAC_PI_2;

use gradbody_math::{Dual, Inertia, Mat3, Scalar, Sym3, Transform, Vec3};
use gradbody_model::{
    ContactLaw, ContactPair, FrameId, JointSpec, LogCholesky, Material, Model, ModelBuilder,
    Params, Selection, SelectionError, ShapeKind, ShapeParams, WrongCount, check_inertia,
};

/// A few roundings of numbers of order one.
const ROUNDING: f64 = 1e-12;

const BODY: Inertia<f64> = Inertia {
    mass: 1.5,
    com: Vec3 { x: 0.1, y: 0.2, z: 0.3 },
    rotational: Sym3 { xx: 0.5, yy: 0.6, zz: 0.7, xy: 0.01, xz: 0.02, yz: 0.03 },
};

fn robot(with_pair: bool) -> Model<f64> {
    let place = Transform::new(Mat3::from_rpy(Vec3::new(0.2, -0.3, 0.4)), Vec3::new(1.0, 2.0, 3.0));
    let diagonal = Vec3::new(1.0, 1.0, 0.0);
    let mut robot = ModelBuilder::new("robot");
    let mut parent = FrameId::WORLD;
    for (link, joint) in [
        ("trunk", JointSpec::free("root")),
        ("leg/left", JointSpec::revolute("hip", Vec3::Y)),
        ("leg/left/foot", JointSpec::revolute("knee", diagonal)),
    ] {
        parent = robot.link(link, parent, joint.at(place), BODY).unwrap();
    }
    robot.fixed("sole", parent, place, BODY).unwrap();
    let ball = ShapeParams {
        placement: place,
        size: Vec3::new(0.1, 0.2, 0.3),
        material: Material { friction: 0.9, ..Material::DEFAULT },
    };
    let foot = robot.shape("ball", parent, ShapeKind::Ellipsoid, ball).unwrap();
    let floor = robot.shape("floor", FrameId::WORLD, ShapeKind::Plane, ball).unwrap();
    if with_pair {
        let pair =
            ContactPair { a: foot, b: floor, law: ContactLaw::Rigid, resists_turning: false };
        robot.contact_pair(pair, Material::DEFAULT);
    }
    let mut model = robot.build().unwrap();
    model.params.joints[1].limit_upper = 1.25;
    model
}

fn names(model: &Model<f64>, patterns: &[&str]) -> Vec<String> {
    Selection::of(model, patterns).unwrap_or_else(|e| panic!("{e}")).names().to_vec()
}

fn error(model: &Model<f64>, patterns: &[&str]) -> String {
    Selection::of(model, patterns).unwrap_err().to_string()
}

// --- what is selected --------------------------------------------------------------------------

#[test]
fn a_star_is_any_run_of_characters_slashes_included() {
    let model = robot(true);
    assert_eq!(
        names(&model, &["link/*/mass"]),
        ["link/trunk/mass", "link/leg/left/mass", "link/leg/left/foot/mass"]
    );
    assert_eq!(names(&model, &["link/leg/left/mass"]), ["link/leg/left/mass"]);
    assert_eq!(
        names(&model, &["link/leg/*/mass"]),
        ["link/leg/left/mass", "link/leg/left/foot/mass"]
    );
    assert_eq!(names(&model, &["*foot*ss"]), ["link/leg/left/foot/mass"]);
    assert_eq!(names(&model, &["gravity/*"]), ["gravity/x", "gravity/y", "gravity/z"]);
    assert_eq!(names(&model, &["**gra*ty**/x*"]), ["gravity/x"]);
    assert_eq!(names(&model, &["contact/*/friction"]), ["contact/ball-floor/friction"]);
    let none: [&str; 0] = [];
    assert!(Selection::of(&model, none).unwrap().is_empty());
}

#[test]
fn the_order_is_the_models_and_nothing_is_there_twice() {
    let model = robot(true);
    let patterns = ["joint/knee/damping", "link/*/mass", "link/trunk/*", "gravity/z", "*/mass"];
    let names = names(&model, &patterns);
    let ids = model.topology.param_ids();
    let all: Vec<String> = ids.iter().map(|id| model.topology.param_path(*id)).collect();
    let places: Vec<usize> =
        names.iter().map(|n| all.iter().position(|path| path == n).unwrap()).collect();
    assert!(places.is_sorted_by(|a, b| a < b), "{names:?}");
    assert_eq!(names.len(), 1 + 10 + 2 + 1);
}

#[test]
fn all_is_every_finite_number() {
    let model = robot(true);
    let ids = model.topology.param_ids();
    let finite = ids.iter().filter(|id| model.get(**id).is_finite()).count();
    assert!(finite < ids.len(), "the joints have no ranges");
    let all = Selection::all(&model);
    assert_eq!(all.len(), finite);
    assert_eq!(all.values(&model).len(), finite);
    assert!(all.values(&model).iter().all(|x| x.is_finite()));
}

#[test]
fn wildcards_leave_infinite_numbers_out_and_paths_to_them_are_errors() {
    let model = robot(true);
    assert_eq!(names(&model, &["joint/*/limit_upper"]), ["joint/hip/limit_upper"]);
    let text = error(&model, &["joint/knee/limit_upper"]);
    assert!(text.contains("joint/knee/limit_upper") && text.contains("infinite"), "{text}");
    let text = error(&model, &["joint/*/limit_lower"]);
    assert!(text.contains("joint/hip/limit_lower") && text.contains("infinite"), "{text}");
}

#[test]
fn free_inertias_stand_where_the_mass_would() {
    let model = robot(true);
    let patterns = ["joint/hip/damping", "link/leg/left/log_cholesky", "link/trunk/mass"];
    let some = names(&model, &[&patterns[..], &["link/leg/left/foot/com/x", "gravity/x"]].concat());
    let mut expected = vec!["gravity/x".to_owned(), "link/trunk/mass".to_owned()];
    expected.extend((0..10).map(|i| format!("link/leg/left/log_cholesky/{i}")));
    expected.extend(["link/leg/left/foot/com/x".to_owned(), "joint/hip/damping".to_owned()]);
    assert_eq!(some, expected);
    let each = names(&model, &["link/*/log_cholesky", "link/trunk/log_cholesky"]);
    assert_eq!(each.len(), 30);
    assert_eq!(each[10], "link/leg/left/log_cholesky/0");
    // Stars do not find them by themselves: they would overlap with mass and the others.
    assert_eq!(names(&model, &["link/trunk/*"]).len(), 10);
}

#[test]
fn errors_help() {
    let model = robot(true);
    for (patterns, parts) in [
        (&["link/*/mas"][..], &["link/*/mas", "did you mean \"link/*/mass\"?"][..]),
        (&["joint/kne/damping"], &["did you mean \"joint/knee/damping\"?"]),
        (&["joint/*/dampng"], &["did you mean \"joint/*/damping\"?"]),
        (&["contact/*/frction"], &["did you mean \"contact/*/friction\"?"]),
        (&["link/sole/mass"], &["fixed to \"leg/left/foot\""]),
        (&["link/trnk/log_cholesky"], &["did you mean \"link/trunk/log_cholesky\"?"]),
        (&["link/sole/log_cholesky"], &["fixed to \"leg/left/foot\""]),
        (&["link/trunk/log_cholesky/3"], &["come together", "\"link/trunk/log_cholesky\""]),
        (
            &["link/trunk/mass", "link/*/log_cholesky"],
            &["link/trunk/mass", "link/trunk/log_cholesky", "same number"],
        ),
        (&["link/*/log_cholesky", "link/leg/left/inertia/xy"], &["link/leg/left/log_cholesky"]),
        (&[""], &["no parameter \"\""]),
    ] {
        let text = error(&model, patterns);
        assert!(parts.iter().all(|part| text.contains(part)), "{patterns:?}: {text}");
    }
}

#[test]
fn without_pairs_of_their_own_contacts_have_no_numbers_and_the_error_says_where_they_are() {
    let model = robot(false);
    for pattern in ["contact/*/friction", "contact/ball-floor/friction"] {
        let text = error(&model, &[pattern]);
        assert!(text.contains("has its own surface"), "{text}");
        assert!(text.contains("\"shape/*/friction\""), "{text}");
    }
    assert_eq!(
        names(&model, &["shape/*/friction"]),
        ["shape/ball/friction", "shape/floor/friction"]
    );
}

#[test]
fn a_body_without_extent_has_no_free_inertia() {
    let mut model = robot(true);
    model.params.links[1].rotational = Sym3::ZERO;
    let error = Selection::of(&model, ["link/*/log_cholesky"]).unwrap_err();
    assert!(matches!(&error, SelectionError::Inertia { path, .. } if path.contains("leg/left")));
    assert!(error.to_string().contains("nearest_consistent"), "{error}");
}

// --- in and out --------------------------------------------------------------------------------

#[test]
fn what_is_applied_is_read_back() {
    let mut model = robot(true);
    for selection in [
        Selection::all(&model),
        Selection::of(&model, ["link/*/log_cholesky", "*/placement/*", "gravity/*"]).unwrap(),
        Selection::of(&model, ["*/pitch", "joint/knee/placement/roll"]).unwrap(),
    ] {
        let mut x = selection.values(&model);
        for (i, x) in x.iter_mut().enumerate() {
            *x += 0.1 * (i as f64).sin();
        }
        selection.apply(&mut model, &x).unwrap();
        for ((name, x), y) in selection.names().iter().zip(&x).zip(selection.values(&model)) {
            assert!((x - y).abs() < ROUNDING * (1.0 + x.abs()), "{name}: {x} became {y}");
        }
    }
}

#[test]
fn the_angles_of_an_orientation_are_set_together() {
    let mut model = robot(true);
    // At pitch 90° roll and yaw are one: set one after another, roll would be lost.
    model.params.joints[2].placement.rot = Mat3::from_rpy(Vec3::new(0.3, FRAC_PI_2, -2.0));
    let selection = Selection::of(&model, ["joint/knee/placement/*"]).unwrap();
    selection.apply(&mut model, &[1.0, 2.0, 3.0, -1.2, 0.5, 2.5]).unwrap();
    let placement = model.params.joints[2].placement;
    assert_eq!(placement.pos, Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(placement.rot, Mat3::from_rpy(Vec3::new(-1.2, 0.5, 2.5)));

    // Those that are not selected stay.
    let yaw = Selection::of(&model, ["joint/knee/placement/yaw"]).unwrap();
    yaw.apply(&mut model, &[-0.7]).unwrap();
    let rpy = model.params.joints[2].placement.rot.to_rpy();
    assert!((rpy - Vec3::new(-1.2, 0.5, -0.7)).norm() < ROUNDING, "{rpy:?}");
}

#[test]
fn free_inertias_are_those_of_log_cholesky_and_always_possible() {
    let mut model = robot(true);
    let selection = Selection::of(&model, ["link/*/log_cholesky"]).unwrap();
    let expected = LogCholesky::from_inertia(&model.params.links[1]).unwrap().0;
    for (x, y) in selection.values(&model)[10..20].iter().zip(expected) {
        assert!((x - y).abs() < ROUNDING, "{x} is not {y}");
    }
    let x: Vec<f64> = (0..30).map(|i| 2.0 * (1.7 * f64::from(i)).sin()).collect();
    selection.apply(&mut model, &x).unwrap();
    for inertia in &model.params.links {
        assert_eq!(check_inertia(inertia), Ok(()));
    }
}

// --- gradients ---------------------------------------------------------------------------------

/// Σ wᵢ sin(xᵢ) over every finite number xᵢ of a model, with weights that all differ.
fn cost<S: Scalar>(params: &Params<S>) -> S {
    let count = Cell::new(0);
    let sum = Cell::new(S::ZERO);
    params.map(|x| {
        let weight = S::from_f64(next_weight(&count));
        if x.is_finite() {
            sum.set(sum.get() + weight * x.sin_cos().0);
        }
        x
    });
    sum.get()
}

fn cost_bar(params: &Params<f64>) -> Params<f64> {
    let count = Cell::new(0);
    params.map(|x| {
        let weight = next_weight(&count);
        if x.is_finite() { weight * x.cos() } else { 0.0 }
    })
}

fn next_weight(count: &Cell<u32>) -> f64 {
    count.set(count.get() + 1);
    1.0 + (2.3 * f64::from(count.get())).cos()
}

#[test]
fn gradients_are_those_of_dual_numbers() {
    let mut model = robot(true);
    model.params.frames[1].rot = Mat3::from_rpy(Vec3::new(2.0, 1.2, -3.0));
    for patterns in [
        &["*"][..],
        &["link/*/log_cholesky", "joint/*", "contact/*"],
        &["*/roll", "frame/*/pitch", "link/leg/left/log_cholesky", "link/trunk/inertia/*"],
    ] {
        let selection = Selection::of(&model, patterns).unwrap();
        let x = selection.values(&model);
        let gradient = selection.gradient(&model, &cost_bar(&model.params));
        assert_eq!(gradient.len(), x.len());
        for (k, (name, slope)) in selection.names().iter().zip(&gradient).enumerate() {
            let moved: Vec<Dual<f64, 1>> = (0..x.len())
                .map(|i| Dual { re: x[i], eps: [f64::from(u8::from(i == k))] })
                .collect();
            let mut model = model.cast();
            selection.apply(&mut model, &moved).unwrap();
            let expected = cost(&model.params).eps[0];
            assert!((slope - expected).abs() < 1e-11, "{name}: {slope} is not {expected}");
        }
        let largest = gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
        assert!(largest > 0.1, "{patterns:?}: a test of nothing");
    }
}

#[test]
fn values_carry_derivatives() {
    let model = robot(true);
    let selection = Selection::of(&model, ["link/*/log_cholesky", "*/placement/*"]).unwrap();
    let x: Vec<Dual<f64, 1>> = selection
        .values(&model)
        .iter()
        .enumerate()
        .map(|(i, x)| Dual { re: *x, eps: [(i as f64).cos()] })
        .collect();
    let mut dual = model.cast();
    selection.apply(&mut dual, &x).unwrap();
    for ((name, x), y) in selection.names().iter().zip(&x).zip(selection.values(&dual)) {
        assert!((x.eps[0] - y.eps[0]).abs() < 1e-11, "{name}: {x:?} became {y:?}");
    }
}

#[test]
fn as_many_numbers_as_names_are_applied() {
    let mut model = robot(false);
    let before = Selection::all(&model).values(&model);
    let selection = Selection::of(&model, ["link/*/mass"]).unwrap();
    for given in [selection.len() - 1, selection.len() + 1] {
        let error = selection.apply(&mut model, &vec![1.0; given]).unwrap_err();
        assert_eq!(error, WrongCount { given, selected: selection.len() });
        let message = format!("{given} numbers for a selection of {}", selection.len());
        assert!(error.to_string().starts_with(&message), "{error}");
    }
    assert_eq!(Selection::all(&model).values(&model), before, "nothing was set");
}

// --- ties --------------------------------------------------------------------------------------

#[test]
fn tied_numbers_are_set_together_and_their_gradients_are_summed() {
    let mut model = robot(true);
    let mut selection =
        Selection::of(&model, ["link/*/mass", "link/*/com/y", "joint/hip/damping"]).unwrap();
    selection.tie(&["link/trunk/mass", "link/leg/left/foot/mass"]).unwrap();
    selection.tie(&["link/leg/left/com/y", "-link/leg/left/foot/com/y"]).unwrap();
    assert_eq!(
        selection.names(),
        [
            "link/trunk/mass",
            "link/trunk/com/y",
            "link/leg/left/mass",
            "link/leg/left/com/y",
            "joint/hip/damping"
        ]
    );
    let followers: Vec<_> =
        selection.followers().iter().map(|f| (f.name.as_str(), f.follows, f.factor)).collect();
    assert_eq!(
        followers,
        [("link/leg/left/foot/mass", 0, 1.0), ("link/leg/left/foot/com/y", 3, -1.0)]
    );
    selection.apply(&mut model, &[7.0, 0.5, 8.0, 0.25, 0.125]).unwrap();
    let masses: Vec<f64> = model.params.links.iter().map(|link| link.mass).collect();
    let across: Vec<f64> = model.params.links.iter().map(|link| link.com.y).collect();
    assert_eq!((masses, across), (vec![7.0, 8.0, 7.0], vec![0.5, 0.25, -0.25]));
    assert_eq!(selection.values(&model), [7.0, 0.5, 8.0, 0.25, 0.125]);
    assert!(selection.fits(&model.topology));
    let mut bars: Params<f64> = model.params.clone();
    for (k, link) in bars.links.iter_mut().enumerate() {
        (link.mass, link.com.y) = (10.0_f64.powi(k as i32), 2.0_f64.powi(k as i32));
    }
    assert_eq!(selection.gradient(&model, &bars)[..4], [101.0, 1.0, 10.0, 2.0 - 4.0]);
}

#[test]
fn a_tie_that_cannot_be_says_why() {
    let model = robot(true);
    let patterns = ["link/*/mass", "joint/*/damping", "joint/hip/placement/roll"];
    let selected = Selection::of(&model, patterns).unwrap();
    for (ties, why) in [
        (&[&["link/trunk/mass", "link/sole/mas"][..]][..], "matches none of the numbers"),
        (&[&["link/trunk/mass", "link/*/mass"]], "\"link/trunk/mass\" is tied more than once"),
        (&[&["link/*/mass"], &["link/leg/left/mass", "joint/hip/damping"]], "more than once"),
        (&[&["joint/hip/damping", "joint/hip/placement/roll"]], "cannot be tied: angles"),
    ] {
        let mut selection = selected.clone();
        let found = ties.iter().try_for_each(|tie| selection.tie(tie)).unwrap_err().to_string();
        assert!(found.contains(why), "{found}");
    }
}

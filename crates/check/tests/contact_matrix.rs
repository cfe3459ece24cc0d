//! A sample of the motions that `examples/contact_matrix.rs` checks, and bodies with more supports than they need.

#[path = "support/motions.rs"]
mod motions;

use std::path::{Path, PathBuf};

use gradbody_check::{Case, Unwatched, Verdict, check};
use gradbody_math::{Inertia, Sym3, Transform, Vec3};
use gradbody_model::{FrameId, JointSpec, Material, Model, ModelBuilder, ShapeKind, ShapeParams};
use gradbody_sim::{Input, State, StepOptions};

/// Adjoint and duals agree on every group, differences agree with them or show a kink, and every step is solved.
fn agrees(what: &str, model: &Model<f64>, start: &State<f64>, dt: f64, steps: usize) {
    let mut options = StepOptions::accurate_gradients(dt);
    options.contact.impact_times = false;
    let inputs = vec![Input::none(model); steps];
    let case = Case::new(model.clone(), start.clone(), inputs, options);
    let outcome = check(&case, 0, &Unwatched).unwrap();
    assert!(outcome.plain.touched, "{what}: nothing touches");
    assert!(outcome.plain.residual <= 1e-10, "{what}: {}", outcome.plain.residual);
    for group in &outcome.groups {
        let bad = [
            Verdict::Differ,
            Verdict::NotFinite,
            Verdict::DifferencesDiffer,
            Verdict::DualsUnsettled,
            Verdict::TooSensitive,
        ];
        assert!(!bad.contains(&group.verdict), "{what}: {group:?}");
        assert!(group.error <= 1e-8 || group.verdict == Verdict::LoadShares, "{what}: {group:?}");
    }
    // Whatever supports share a load, the motion depends on these smoothly.
    for name in ["initial velocity", "wrenches on links, every step", "link masses"] {
        let group = outcome.groups.iter().find(|group| group.name == name);
        let verdict = group.map(|group| group.verdict);
        assert!(
            matches!(
                verdict,
                Some(Verdict::Agree | Verdict::Kink | Verdict::RoughContacts | Verdict::LoadShares)
            ),
            "{what}: {group:?}"
        );
    }
    let agreeing = outcome.groups.iter().filter(|g| g.verdict == Verdict::Agree).count();
    assert!(agreeing >= 5, "{what}: only {agreeing} groups agree");
}

/// A robot that stands, lands, slides and lies.
fn robot_agrees(file: &Path) {
    let file = file.to_str().expect("a name that is text");
    let motions = motions::motions(file, 0).unwrap();
    assert_eq!(motions.len(), 4, "{file}: stand, land, slide, lie");
    for motion in &motions {
        for steps in [1, 5] {
            let what = format!("{file} {} {steps}", motion.name);
            agrees(&what, &motion.model, &motion.start, motion.dt, steps);
        }
    }
}

fn ours_agrees(name: &str) {
    robot_agrees(&repository().join("models").join(name));
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Gymnasium's models, of the repository's `.venv`. Under `cargo xtask test`, which installs them, they must be there.
fn gymnasium() -> Option<PathBuf> {
    let pythons = std::fs::read_dir(repository().join(".venv/lib")).into_iter().flatten();
    let assets = pythons
        .flatten()
        .map(|python| python.path().join("site-packages/gymnasium/envs/mujoco/assets"))
        .find(|assets| assets.is_dir());
    let required = std::env::var_os("GRADBODY_REQUIRE_PACKAGES").is_some();
    assert!(assets.is_some() || !required, "Gymnasium's models are not in .venv");
    assets
}

/// Bodies on a ground, one above the other, each resting on small balls at these places [m]; standing, landing, and
/// sliding while they turn.
fn supports_agree(what: &str, feet: &[[f64; 2]], bodies: usize) {
    const RADIUS: f64 = 0.01;
    const HEIGHT: f64 = 0.1;
    let mut builder = ModelBuilder::new("supported");
    let material = Material::with_friction(0.6);
    for i in 0..bodies {
        let moments = Vec3::new(0.01, 0.012, 0.015);
        let inertia = Inertia { mass: 2.0, com: Vec3::ZERO, rotational: Sym3::diagonal(moments) };
        let joint = JointSpec::free(format!("free {i}"));
        let frame = builder.link(format!("body {i}"), FrameId::WORLD, joint, inertia).unwrap();
        let mut shape = |name: String, kind, pos: [f64; 3], size| {
            let placement = Transform::from_translation(Vec3::from_f64(pos));
            builder.shape(name, frame, kind, ShapeParams { placement, size, material }).unwrap();
        };
        for (k, [x, y]) in feet.iter().enumerate() {
            let at = [*x, *y, RADIUS - HEIGHT];
            shape(format!("foot {i} {k}"), ShapeKind::Sphere, at, Vec3::new(RADIUS, 0.0, 0.0));
        }
        if i + 1 < bodies {
            let half = Vec3::new(0.3, 0.3, 0.01);
            shape(format!("top {i}"), ShapeKind::Box, [0.0, 0.0, HEIGHT - 0.01], half);
        }
    }
    let mut model = builder.build().unwrap();
    model.add_ground(0.0, material).unwrap();
    for (motion, lift, velocity) in [
        ("standing", 0.0, [0.0; 6]),
        ("landing", 1e-4, [0.1, -0.05, -0.5, 0.0, 0.0, 0.0]),
        ("sliding", 0.0, [0.5, 0.2, 0.0, 0.0, 0.0, 0.7]),
    ] {
        let mut start = State::neutral(&model);
        for i in 0..bodies {
            start.q[7 * i + 2] = HEIGHT * (2 * i + 1) as f64 + lift;
            start.v[6 * i..][..6].copy_from_slice(&velocity);
        }
        for steps in [1, 5] {
            agrees(&format!("{what}, {motion}, {steps}"), &model, &start, 1e-3, steps);
        }
    }
}

/// Places in a square of 0.4 m.
fn grid(n: usize, m: usize) -> Vec<[f64; 2]> {
    let at = |k: usize, n: usize| -0.2 + 0.4 * k as f64 / (n - 1) as f64;
    (0..n).flat_map(|i| (0..m).map(move |j| [at(i, n), at(j, m)])).collect()
}

#[test]
fn a_box_on_four_nine_and_forty_corners() {
    supports_agree("four corners", &grid(2, 2), 1);
    supports_agree("nine corners", &grid(3, 3), 1);
    supports_agree("forty corners", &grid(5, 8), 1);
}

#[test]
fn a_table_with_four_uneven_legs() {
    supports_agree("table", &[[0.2, 0.2], [0.25, -0.2], [-0.2, 0.3], [-0.3, -0.25]], 1);
}

#[test]
fn two_boxes_on_each_other() {
    supports_agree("stack", &grid(2, 2), 2);
}

#[test]
fn a_standing_ant() {
    ours_agrees("ant.xml");
}

/// Its four feet stick from the seventh step on, and are nearly redundant: along one direction they respond by some 1e-8
/// of their own response. Differences that contacts do not disturb must see the same slope there.
#[test]
fn an_ant_that_slides_until_it_sticks() {
    let file = repository().join("models/ant.xml");
    let motions = motions::motions(file.to_str().expect("a name that is text"), 0).unwrap();
    let motion = motions.iter().find(|motion| motion.name == "slide").expect("it slides");
    for steps in [8, 50] {
        let mut options = StepOptions::accurate_gradients(motion.dt);
        options.contact.impact_times = false;
        let inputs = vec![Input::none(&motion.model); steps];
        let case = Case::new(motion.model.clone(), motion.start.clone(), inputs, options);
        let outcome = check(&case, 0, &Unwatched).unwrap();
        assert!(outcome.plain.residual <= 1e-13, "{steps}: {}", outcome.plain.residual);
        for group in &outcome.groups {
            let bad = [Verdict::Differ, Verdict::NotFinite, Verdict::DifferencesDiffer];
            assert!(!bad.contains(&group.verdict), "{steps}: {group:?}");
            // The direction makes rounding grow by 1e8.
            assert!(group.error <= 1e-6, "{steps}: {group:?}");
        }
        for name in ["joint forces of every step", "link masses", "joint armature", "joint damping"]
        {
            let group = outcome.groups.iter().find(|group| group.name == name);
            let verdict = group.map(|group| group.verdict);
            assert_eq!(verdict, Some(Verdict::Agree), "{steps}: {group:?}");
        }
    }
}

#[test]
fn a_hopper_on_two_ends_of_its_foot() {
    ours_agrees("hopper.xml");
}

#[test]
fn a_half_cheetah() {
    ours_agrees("half_cheetah.xml");
}

#[test]
fn a_humanoid() {
    ours_agrees("humanoid.xml");
}

#[test]
fn a_quadruped() {
    ours_agrees("a1.urdf");
}

#[test]
fn a_cube_on_four_corners() {
    ours_agrees("cube.urdf");
}

#[test]
fn gymnasiums_own_files() {
    let Some(assets) = gymnasium() else {
        return eprintln!(
            "skipped: gymnasiums_own_files: `cargo xtask test` installs Gymnasium's models"
        );
    };
    for name in ["ant.xml", "hopper.xml", "half_cheetah.xml", "walker2d.xml"] {
        robot_agrees(&assets.join(name));
    }
}

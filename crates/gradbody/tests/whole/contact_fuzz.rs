//! Random scenes: whatever touches whatever, however deep, a step either gives finite numbers or says
//! which link's are not.

use std::sync::Arc;

use crate::support::fuzz::Recipe;
use crate::support::random::Random;
use gradbody::model::{ContactLaw, Hull, Mesh, Outline};
use gradbody::prelude::*;

const SCENES: usize = 2500;
const STEPS: usize = 40;

fn size(random: &mut Random) -> f64 {
    match random.below(12) {
        0 => 0.0,
        1 => 1e-9,
        2 => 3.0,
        _ => random.within(0.02, 0.4),
    }
}

fn shape(random: &mut Random) -> (ShapeKind, Vec3<f64>) {
    let kind = match random.below(8) {
        0 => ShapeKind::Sphere,
        1 => ShapeKind::Capsule,
        2 => ShapeKind::Cylinder,
        3 => ShapeKind::Box,
        4 => ShapeKind::Ellipsoid,
        5 => {
            let points: Vec<_> = (0..12).map(|_| random.vector()).collect();
            let hull = Hull::of_points(&points).expect("points in general position");
            ShapeKind::Mesh(Arc::new(Mesh { path: "".into(), hull: Some(hull) }))
        }
        6 => {
            let corners = vec![[1.0, 0.0], [0.2, 0.2], [0.0, 1.0], [-1.0, -1.0]];
            ShapeKind::Extrusion(Arc::new(Outline::new(corners).expect("a concave outline")))
        }
        _ => ShapeKind::Points((0..5).map(|_| random.vector()).collect()),
    };
    (kind, Vec3::new(size(random), size(random), size(random)))
}

const RECIPE: Recipe = Recipe {
    ground: |random| {
        Transform::new(
            if random.below(3) == 0 { random.rotation() } else { Mat3::IDENTITY },
            Vec3::new(0.0, 0.0, random.within(-0.3, 0.3)),
        )
    },
    posts: true,
    bodies: 5,
    shape,
    material: |random| Material {
        restitution: if random.below(3) == 0 { random.within(0.0, 1.0) } else { 0.0 },
        cfm: if random.below(3) == 0 { random.within(0.0, 1e-3) } else { 0.0 },
        ..Material::with_friction(random.within(0.0, 1.5))
    },
    spread: 0.5,
    warm_start: false,
    held: false,
    penetrating: true,
};

#[test]
fn any_scene_gives_finite_numbers_or_says_which_link_does_not() {
    let mut touched = 0;
    for seed in 0..SCENES {
        let mut random = Random::new(seed as u64);
        let model = RECIPE.scene(&mut random);
        let mut state = RECIPE.start(&model, &mut random);
        let options = RECIPE.options(&model, &mut random);
        let input = Input::none(&model);
        let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
        // Forces of springs that begin metres deep are beyond any step; impulses are not.
        let compliant = options.contact.solver == Solver::HuntCrossley
            || model.topology.shapes.iter().any(|s| s.law == ContactLaw::Compliant);
        for i in 0..STEPS {
            let report =
                step(&model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
            let finite = state.q.iter().chain(&state.v).all(|x| x.is_finite());
            assert_eq!(report.diverged.is_none(), finite, "scene {seed} step {i}: {report:?}");
            touched += report.contacts;
            assert!(finite || compliant, "scene {seed} step {i} flew apart: {options:?}");
            if !finite {
                break;
            }
            for contact in trace.contacts() {
                let length = contact.normal_w.norm();
                assert!((length - 1.0).abs() < 1e-6, "scene {seed} step {i}: normal {length}");
                let all = contact.force_w + contact.torque_w + contact.point_w;
                assert!(all.is_finite() && contact.gap.is_finite(), "scene {seed} step {i}");
            }
        }
    }
    assert!(touched > 100 * SCENES, "only {touched} contacts: nothing was tried");
}

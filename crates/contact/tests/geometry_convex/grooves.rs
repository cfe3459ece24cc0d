//! Extrusions that are not convex: places at several of their pieces, none twice.

use std::sync::Arc;

use gradbody_math::Vec3;
use gradbody_model::{Outline, ShapeKind};

use crate::places::{HERE, assert_all, at, deepest, near};
use crate::random::Random;
use crate::samples::{Sample, cuboid};

/// Two walls that meet inwards are two places; a flat cap is one, though cuts between pieces cross it.
#[test]
fn round_shapes_touch_both_walls_of_a_groove_and_a_cap_once() {
    let corners = vec![[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [0.0, 0.0], [-1.0, 1.0]];
    let kind = ShapeKind::Extrusion(Arc::new(Outline::new(corners).unwrap()));
    let groove = Sample { kind, size: Vec3::new(1.0, 1.0, 0.5) };
    let ball = Sample { kind: ShapeKind::Sphere, size: Vec3::new(0.1, 0.0, 0.0) };
    let egg = Sample { kind: ShapeKind::Ellipsoid, size: Vec3::new(0.1, 0.1, 0.15) };
    for round in [&ball, &egg] {
        for (x, gap) in [(0.0, 1e-3), (1e-3, -1e-3), (-0.01, 0.0)] {
            let y = (0.1 + gap) * 2.0_f64.sqrt();
            let places = near(round, &at(x, y, 0.1), &groove, &HERE);
            assert_eq!(places.len(), 2, "{:?} {x} {gap} {places:?}", round.kind);
            for place in places {
                let wall = Vec3::new(place.normal_w.x.signum(), -1.0, 0.0) * 0.5_f64.sqrt();
                assert!((place.normal_w - wall).norm() < 1e-9, "{place:?}");
                let want = gap - x * wall.x;
                assert!((place.gap - want).abs() < 1e-9, "{place:?}, not {want}");
            }
        }
        // Over the cap, wherever its cuts are; above the convex corner beside the groove too.
        let height = if round.kind == ShapeKind::Sphere { 0.1 } else { 0.15 };
        let mut random = Random::new(11);
        for _ in 0..200 {
            let (x, y) = (0.9 * random.uniform(), 0.4 * random.uniform() - 0.5);
            for z in [0.5 + height + 1e-3, 0.5 + height - 1e-3] {
                let places = near(round, &at(x, y, z), &groove, &HERE);
                let low: Vec<_> = places.iter().filter(|p| p.gap < 2e-3).collect();
                assert_eq!(low.len(), 1, "{x} {y}: {places:?}");
                assert!((low[0].normal_w + Vec3::Z).norm() < 1e-9, "{places:?}");
            }
        }
    }
}

#[test]
fn a_concave_extrusion_touches_with_its_pieces() {
    // The letter U, open upwards along y; a box hangs in its mouth and stands on its bottom.
    let corners = vec![
        [-0.3, 0.0],
        [0.3, 0.0],
        [0.3, 0.5],
        [0.2, 0.5],
        [0.2, 0.1],
        [-0.2, 0.1],
        [-0.2, 0.5],
        [-0.3, 0.5],
    ];
    let kind = ShapeKind::Extrusion(Arc::new(Outline::new(corners).unwrap()));
    let letter = Sample { kind, size: Vec3::new(1.0, 1.0, 0.1) };
    let block = cuboid(0.15, 0.1, 0.05);
    for gap in [0.005, 0.0, -0.005] {
        let mut places = near(&letter, &HERE, &block, &at(0.0, 0.2 + gap, 0.0));
        places.retain(|p| p.gap < 0.01);
        // More than its corners where a cut between pieces crosses its sides.
        assert!((4..=8).contains(&places.len()));
        assert_all(&places, places.len(), gap, Vec3::Y);
        for (x, z) in [(0.15, 0.05), (-0.15, 0.05), (0.15, -0.05), (-0.15, -0.05)] {
            let corner = Vec3::new(x, 0.1 + 0.5 * gap, z);
            assert!(places.iter().any(|p| (p.point_w - corner).norm() < 1e-9), "{corner:?}");
        }
    }
    // Between the two arms, touching neither.
    let free = near(&letter, &HERE, &block, &at(0.0, 0.4, 0.0));
    assert!((deepest(&free).gap - 0.05).abs() < 1e-9, "{free:?}");
    // Lying flat on it, over the cuts between its pieces.
    let plate = cuboid(0.3, 0.3, 0.05);
    let places = near(&letter, &HERE, &plate, &at(0.0, 0.25, 0.149));
    assert!(places.len() >= 4);
    for place in places {
        assert!(
            (place.gap + 0.001).abs() < 1e-9 && (place.normal_w - Vec3::Z).norm() < 1e-9,
            "{place:?}"
        );
    }
}

//! How many places there are, and where.

use std::sync::Arc;

use gradbody_contact::geometry::slots;
use gradbody_math::Vec3;
use gradbody_model::{Mesh, ShapeKind};

use crate::places::{HERE, assert_all, at, deepest, near, turned};
use crate::random::Random;
use crate::samples::{Sample, cuboid, mesh, pairs, sample};

#[test]
fn boxes_on_boxes() {
    let (table, brick) = (cuboid(0.5, 0.5, 0.1), cuboid(0.1, 0.2, 0.05));
    for gap in [0.01, 1e-7, 0.0, -1e-7, -0.01] {
        let above = at(0.1, 0.1, 0.15 + gap);
        assert_all(&near(&table, &HERE, &brick, &above), 4, gap, Vec3::Z);
        assert_all(&near(&brick, &above, &table, &HERE), 4, gap, -Vec3::Z);
        // A hair of tilt changes nothing much.
        let tilted = turned([1e-7, -2e-7, 0.3], [0.1, 0.1, 0.15 + gap]);
        assert_eq!(near(&table, &HERE, &brick, &tilted).len(), 4);
        // Of the same size, corner on corner.
        assert_all(&near(&table, &HERE, &table, &at(0.0, 0.0, 0.2 + gap)), 4, gap, Vec3::Z);
        // Turned against each other: an octagon.
        let crossed = turned([0.0, 0.0, 0.785], [0.0, 0.0, 0.2 + gap]);
        assert_all(&near(&table, &HERE, &table, &crossed), 8, gap, Vec3::Z);
        // Half over the border.
        assert_all(&near(&table, &HERE, &brick, &at(0.5, 0.0, 0.15 + gap)), 4, gap, Vec3::Z);
    }
}

#[test]
fn an_edge_across_an_edge_is_one_place() {
    let beam = cuboid(0.5, 0.1, 0.1);
    let half = 0.1 * 2f64.sqrt();
    let quarter = std::f64::consts::FRAC_PI_4;
    for gap in [0.02, -0.02] {
        let a = turned([quarter, 0.0, 0.0], [0.0; 3]);
        let b = turned([quarter, 0.0, 1.2], [0.1, 0.05, 2.0 * half + gap]);
        let places = near(&beam, &a, &beam, &b);
        assert_all(&places, 1, gap, Vec3::Z);
        // Where the two edges cross, seen from above.
        let slope = 1.2f64.tan();
        let cross = Vec3::new(0.1 - 0.05 / slope, 0.0, half + 0.5 * gap);
        assert!((places[0].point_w - cross).norm() < 1e-9, "{:?}", places[0]);
    }
}

#[test]
fn cylinders_stand_and_lie() {
    let table = cuboid(0.5, 0.5, 0.1);
    let can = Sample { kind: ShapeKind::Cylinder, size: Vec3::new(0.1, 0.2, 0.0) };
    let quarter = std::f64::consts::FRAC_PI_2;
    for gap in [0.01, 0.0, -0.01] {
        let standing = near(&table, &HERE, &can, &at(0.0, 0.1, 0.3 + gap));
        assert_all(&standing, 8, gap, Vec3::Z);
        for place in &standing {
            let out = (place.point_w - Vec3::new(0.0, 0.1, 0.0)).map(|x| x);
            assert!((out.x.hypot(out.y) - 0.1).abs() < 1e-9, "a place is not on the rim");
        }
        let lying = near(&table, &HERE, &can, &turned([quarter, 0.0, 0.4], [0.0, 0.0, 0.2 + gap]));
        assert_all(&lying, 2, gap, Vec3::Z);
        let on_can = near(&can, &HERE, &can, &at(0.02, 0.0, 0.4 + gap));
        assert!(on_can.len() >= 4);
        // Side by side: two places along the common line.
        let beside = near(&can, &HERE, &can, &at(0.2 + gap, 0.0, 0.1));
        assert_all(&beside, 2, gap, Vec3::X);
        assert!((beside[0].point_w.z - beside[1].point_w.z).abs() > 0.29, "{beside:?}");
    }
}

#[test]
fn capsules_lie_and_cross() {
    let table = cuboid(0.5, 0.5, 0.1);
    let rod = Sample { kind: ShapeKind::Capsule, size: Vec3::new(0.05, 0.2, 0.0) };
    let quarter = std::f64::consts::FRAC_PI_2;
    for gap in [0.01, 0.0, -0.01] {
        let lying = turned([quarter, 0.0, 0.4], [0.0, 0.0, 0.15 + gap]);
        let places = near(&table, &HERE, &rod, &lying);
        assert_all(&places, 2, gap, Vec3::Z);
        assert!((places[0].point_w - places[1].point_w).norm() > 0.39);
        let standing = near(&table, &HERE, &rod, &at(0.1, 0.0, 0.35 + gap));
        assert!((deepest(&standing).gap - gap).abs() < 1e-12);
        // Across the border, at an edge of the table.
        let (half, out) = (0.5f64.sqrt(), 0.05 + gap);
        let across = turned([0.0, 1.5 * quarter, 0.0], [0.5 + half * out, 0.0, 0.1 + half * out]);
        let side = at(0.55 + gap, 0.0, 0.0);
        let normal = Vec3::new(half, 0.0, half);
        assert_all(&near(&table, &HERE, &rod, &across), 1, gap, normal);
        assert_all(&near(&table, &HERE, &rod, &side), 2, gap, Vec3::X);
    }
}

#[test]
fn a_mesh_stands_on_a_plane() {
    let mut corners = Vec::new();
    for i in 0..12 {
        let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 12.0).sin_cos();
        corners.extend([Vec3::new(cos, sin, 0.0), Vec3::new(0.5 * cos, 0.5 * sin, 2.0)]);
    }
    let cup = Sample { kind: mesh(&corners), size: Vec3::new(0.1, 0.1, 0.1) };
    let floor = Sample { kind: ShapeKind::Plane, size: Vec3::ZERO };
    assert_all(&near(&cup, &at(0.0, 0.0, -0.01), &floor, &HERE), 8, -0.01, -Vec3::Z);
    assert_all(&near(&floor, &HERE, &cup, &at(0.0, 0.0, 0.02)), 8, 0.02, Vec3::Z);
    // On its edge and on its corner, few.
    let tilted = near(&cup, &turned([0.7, 0.0, 0.1], [0.0, 0.0, 0.1]), &floor, &HERE);
    assert!((1..=3).contains(&tilted.len()), "{tilted:?}");
    // A mesh that could not be read touches nothing.
    let unread = ShapeKind::Mesh(Arc::new(Mesh { path: "a.dae".into(), hull: None }));
    let unread = Sample { kind: unread, size: Vec3::new(1.0, 1.0, 1.0) };
    assert_eq!(slots(&unread.kind, &floor.kind), 0);
    assert!(near(&unread, &HERE, &floor, &HERE).is_empty());
    assert!(near(&unread, &HERE, &cup, &HERE).is_empty());
}

#[test]
fn the_same_places_wherever_the_pair_is() {
    for (name_a, name_b) in pairs() {
        let mut random = Random::new(11);
        for _ in 0..20 {
            let (a, b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            let (pose_a, pose_b, moved) = (random.pose(0.2), random.pose(0.7), random.pose(3.0));
            let here = near(&a, &pose_a, &b, &pose_b);
            let there = near(&a, &(moved * pose_a), &b, &(moved * pose_b));
            assert_eq!(here.len(), there.len(), "{name_a}, {name_b}");
            for (x, y) in here.iter().zip(&there) {
                let point = (moved.point(x.point_w) - y.point_w).norm();
                let normal = (moved.vector(x.normal_w) - y.normal_w).norm();
                let off = (x.gap - y.gap).abs().max(point).max(normal);
                assert!(off < 1e-6, "{name_a}, {name_b}: {x:?} {y:?}");
            }
        }
    }
}

#[test]
fn places_stay_when_what_stands_trembles() {
    let mut corners = Vec::new();
    for i in 0..32 {
        let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 32.0).sin_cos();
        corners.extend([Vec3::new(cos, sin, -1.0), Vec3::new(0.5 * cos, 0.5 * sin, 1.0)]);
    }
    let foot = Sample { kind: mesh(&corners), size: Vec3::new(0.1, 0.1, 0.1) };
    let can = Sample { kind: ShapeKind::Cylinder, size: Vec3::new(0.1, 0.1, 0.0) };
    let floor = Sample { kind: ShapeKind::Plane, size: Vec3::ZERO };
    let table = cuboid(0.5, 0.5, 0.1);
    let cases = [(&foot, &floor, 0.1), (&foot, &table, 0.2), (&can, &floor, 0.1)];
    for (number, (stands, on, height)) in cases.into_iter().chain([(&can, &table, 0.2)]).enumerate()
    {
        let still = near(stands, &at(0.0, 0.0, height), on, &HERE);
        let mut random = Random::new(3);
        for _ in 0..100 {
            let pose = turned((random.vec3() * 1e-7).to_array(), [0.0, 0.0, height]);
            let trembling = near(stands, &pose, on, &HERE);
            assert_eq!(trembling.len(), still.len());
            for (now, before) in trembling.iter().zip(&still) {
                let moved = (now.point_w - before.point_w).norm();
                assert!(moved < 1e-6, "case {number}: a place moved by {moved} m");
            }
        }
    }
}

//! The rim points of a cylinder over a plane.

use gradbody_math::{Mat3, Scalar, Transform, Vec3};
use gradbody_model::ShapeKind;

use crate::scenes::Scene;

/// A cylinder that stands on the plane z = 0 (radius 0.3, half length 0.5), then tilted about x.
fn tilted(tilt: f64) -> Scene {
    let turned = Mat3::IDENTITY.rotate_x(Scalar::sin_cos(tilt));
    Scene {
        kinds: [ShapeKind::Cylinder, ShapeKind::Plane],
        poses_w: [Transform::new(turned, Vec3::Z * 0.5), Transform::IDENTITY],
        sizes: [Vec3::new(0.3, 0.5, 0.0), Vec3::ZERO],
    }
}

#[test]
fn a_cylinder_stands_on_three_points_evenly_about_its_axis() {
    for tilt in [0.0, 1e-9, -3e-6, 1e-3] {
        let touches = tilted(tilt).touches();
        let feet: Vec<Vec3<f64>> = touches[..3].iter().map(|touch| touch.point_w).collect();
        let middle = (feet[0] + feet[1] + feet[2]) * (1.0 / 3.0);
        assert!(middle.norm() < 0.51 * tilt.abs() + 1e-15, "{tilt}: {feet:?}");
        for i in 0..3 {
            let side = (feet[i] - feet[(i + 1) % 3]).norm();
            assert!((side - 0.3 * 3.0_f64.sqrt()).abs() < tilt.abs() + 1e-15, "{tilt}: {feet:?}");
            assert!((touches[3 + i].gap - touches[i].gap - tilt.cos()).abs() < 1e-15);
        }
    }
}

#[test]
fn the_first_point_of_each_rim_is_its_lowest() {
    for tilt in [-3.0, -1.0, -1e-3, -2e-6, -1e-7, 0.0, 1e-7, 2e-6, 1e-3, 1.0, 3.0_f64] {
        let touches = tilted(tilt).touches();
        for (slot, cap) in [(0, -0.5), (3, 0.5)] {
            let want = 0.5 + cap * tilt.cos() - 0.3 * tilt.sin().abs();
            // Nearly upright it is a point of the body that may be the highest.
            let upright = tilt.abs() < 1e-4;
            let allowed = if upright { 0.6 * tilt.abs() } else { 0.0 } + 1e-15;
            assert!((touches[slot].gap - want).abs() < allowed, "{tilt}: {:?}", touches[slot]);
            // But one of the three is at most 60° from the lowest.
            let lowest = touches[slot..slot + 3].iter().map(|t| t.gap).fold(f64::MAX, f64::min);
            let allowed = if upright { 0.15 * tilt.abs() } else { 0.0 } + 1e-15;
            assert!((lowest - want).abs() < allowed, "{tilt}: {lowest}");
        }
    }
}

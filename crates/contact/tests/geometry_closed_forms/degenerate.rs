//! Poses and sizes in which something divides by zero if it can.

use gradbody_contact::geometry::{Placed, Touch};
use gradbody_math::{Mat3, Scalar, Transform, Vec3};

use crate::derivatives::{assert_gap_follows_shifts, dual_touches};
use crate::scenes::{Scene, outline, pairs, points, touches_of};

/// Every pair with its features exactly aligned: centres on axes, faces, edges, corners and each
/// other, upright and lying, with and without extent.
fn for_each_aligned_scene(mut test: impl FnMut(&Scene)) {
    let half_turns = [0.0, 0.5, 1.0].map(|turns| turns * core::f64::consts::PI);
    let corner = [[points(&[[1.0, 1.0, 1.0]]), pairs()[9][1].clone()]];
    for kinds in pairs().into_iter().chain(corner) {
        for size_a in [[0.0; 3], [0.5; 3], [1.0, 0.0, 0.0]] {
            for size_b in [[0.0; 3], [0.5; 3], [0.5, 0.0, 0.5], [0.0, 0.5, 1.0]] {
                for shift in [-1.0, -0.5, 0.0, 0.5, 1.2] {
                    for axis in [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [1.0; 3]] {
                        for turn in half_turns {
                            let turned = Mat3::IDENTITY.rotate_x(Scalar::sin_cos(turn));
                            let shifted = Vec3::from_f64(axis) * shift;
                            test(&Scene {
                                kinds: kinds.clone(),
                                poses_w: [Transform::new(turned, shifted), Transform::IDENTITY],
                                sizes: [Vec3::from_f64(size_a), Vec3::from_f64(size_b)],
                            });
                        }
                    }
                }
            }
        }
    }
}

fn is_finite<S: Scalar>(touch: &Touch<S>) -> bool {
    touch.gap.is_finite() && touch.point_w.is_finite() && touch.normal_w.is_finite()
}

#[test]
fn aligned_shapes_have_finite_touches_and_derivatives() {
    for_each_aligned_scene(|scene| {
        for touch in dual_touches(scene) {
            assert!(is_finite(&touch), "{touch:?}: {scene:#?}");
            let length = touch.normal_w.map(|x| x.re).norm();
            assert!((length - 1.0).abs() < 1e-14, "{touch:?}: {scene:#?}");
        }
        assert_gap_follows_shifts(scene);
    });
}

#[test]
fn aligned_shapes_have_finite_touches_in_single_precision() {
    for_each_aligned_scene(|scene| {
        let cast = |v: Vec3<f64>| v.map(|x| x as f32);
        let placed = |i: usize| {
            let Transform { rot: Mat3 { cols: [x, y, z] }, pos } = scene.poses_w[i];
            let rot = Mat3::from_cols(cast(x), cast(y), cast(z));
            let pose_w = Transform::new(rot, cast(pos));
            Placed { kind: &scene.kinds[i], pose_w, size: cast(scene.sizes[i]) }
        };
        for touch in touches_of(&placed(0), &placed(1)) {
            let unit = (touch.normal_w.norm() - 1.0).abs() < 1e-6;
            assert!(is_finite(&touch) && unit, "{touch:?}: {scene:#?}");
        }
    });
}

#[test]
fn a_point_on_a_surface_has_the_normal_of_the_surface() {
    use gradbody_model::ShapeKind::*;
    let root_82 = 82.0_f64.sqrt();
    // Of each solid a point on its surface, and the way out there.
    let cases = [
        (Plane, [3.0, -2.0, 0.0], [0.0, 0.0, 1.0]),
        (Sphere, [0.0, 0.5, 0.0], [0.0, 1.0, 0.0]),
        (Capsule, [0.5, 0.0, 0.2], [1.0, 0.0, 0.0]),
        (Capsule, [0.0, 0.0, 1.25], [0.0, 0.0, 1.0]),
        (Box, [0.25, -0.75, 0.1], [0.0, -1.0, 0.0]),
        (Cylinder, [0.0, -0.5, 0.1], [0.0, -1.0, 0.0]),
        (Cylinder, [0.1, 0.2, -0.75], [0.0, 0.0, -1.0]),
        (outline(), [0.55, 0.15, 0.4], [1.0 / root_82, 9.0 / root_82, 0.0]),
    ];
    for (solid, point, outward) in cases {
        // The sizes do not distort the outline's slope.
        let size = match solid {
            Extrusion(_) => [1.0, 1.0, 0.5],
            _ => [0.5, 0.75, 0.5],
        };
        let mut scene = Scene {
            kinds: [points(&[point]), solid],
            poses_w: [Transform::IDENTITY; 2],
            sizes: [Vec3::from_f64([1.0; 3]), Vec3::from_f64(size)],
        };
        for height in [0.0, 1e-12, -1e-12, 1e-9, -1e-9] {
            scene.poses_w[0].pos = Vec3::from_f64(outward) * height;
            let touch = scene.touches()[0];
            assert!((touch.gap - height).abs() < 1e-15, "{height:e}: {touch:?}, {scene:#?}");
            let error = (touch.normal_w + Vec3::from_f64(outward)).norm();
            assert!(error < 1e-15, "at {height:e}: {touch:?}, {scene:#?}");
        }
    }
}

//! What a touch has to be whatever the shapes are.

use gradbody_contact::geometry::Touch;
use gradbody_math::Transform;
use gradbody_model::ShapeKind;

use crate::scenes::{for_each_scene, is_there, least_gap};

const ROUNDING: f64 = 1e-12;

/// The largest difference of two touches.
fn difference(x: &Touch<f64>, y: &Touch<f64>) -> f64 {
    let normals = (x.normal_w - y.normal_w).norm();
    normals.max((x.point_w - y.point_w).norm()).max((x.gap - y.gap).abs())
}

#[test]
fn normals_have_length_one() {
    for_each_scene(200, |scene, _| {
        for touch in scene.touches() {
            assert!((touch.normal_w.norm() - 1.0).abs() < 1e-14, "{touch:?}");
        }
    });
}

#[test]
fn moving_b_along_the_normal_opens_the_gap_as_much() {
    let moved_by = 1e-5;
    for_each_scene(200, |scene, _| {
        for (slot, touch) in scene.touches().iter().enumerate().filter(|(_, t)| is_there(t)) {
            let mut moved = scene.clone();
            moved.poses_w[1].pos += touch.normal_w * moved_by;
            let opened = moved.touches()[slot].gap - touch.gap;
            assert!((opened - moved_by).abs() < ROUNDING, "opened {opened:e}: {scene:#?}");
        }
    });
}

#[test]
fn the_world_may_be_seen_from_anywhere() {
    for_each_scene(200, |scene, random| {
        let pose_vw: Transform<f64> = random.pose(2.0);
        let mut moved = scene.clone();
        moved.poses_w = scene.poses_w.map(|pose_w| pose_vw * pose_w);
        for (touch, seen) in scene.touches().iter().zip(moved.touches()) {
            if !is_there(touch) {
                assert!(!is_there(&seen));
                continue;
            }
            let want = Touch {
                point_w: pose_vw.point(touch.point_w),
                normal_w: pose_vw.vector(touch.normal_w),
                gap: touch.gap,
            };
            assert!(difference(&want, &seen) < 1e-10, "{want:?}, seen {seen:?}: {scene:#?}");
        }
    });
}

#[test]
fn a_swapped_pair_touches_at_the_mirrored_places() {
    for_each_scene(200, |scene, _| {
        let (touches, swapped) = (scene.touches(), scene.swapped().touches());
        assert_eq!(touches.len(), swapped.len());
        if matches!(scene.kinds, [ShapeKind::Capsule, ShapeKind::Capsule]) {
            // The places are balls on the first capsule; nearest points are those of both.
            assert!((least_gap(&touches) - least_gap(&swapped)).abs() < ROUNDING);
            return;
        }
        for (touch, swapped) in touches.iter().zip(swapped) {
            assert!(difference(&touch.swapped(), &swapped) < ROUNDING, "{touch:?}, {swapped:?}");
        }
    });
}

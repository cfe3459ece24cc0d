//! Capsules that lie along each other, or through each other.

use gradbody_contact::geometry::{FAR, Touch};
use gradbody_math::{Mat3, Transform, Vec3};
use gradbody_model::ShapeKind;

use crate::oracle::separation;
use crate::random::Random;
use crate::scenes::{Scene, is_there, least_gap};

/// Capsule b along the world's z axis from −1 to 1, and a beside it (0.5 away along x) with its
/// axis from −0.6 to 0.6 about `middle`, turned by roll (across) and pitch (towards b).
fn lying(middle: f64, roll: f64, pitch: f64) -> Scene {
    let turned = Mat3::from_rpy(Vec3::new(roll, pitch, 0.0));
    let beside = Vec3::new(0.5, 0.0, middle);
    Scene {
        kinds: [ShapeKind::Capsule, ShapeKind::Capsule],
        poses_w: [Transform::new(turned, beside), Transform::IDENTITY],
        sizes: [Vec3::new(0.2, 0.6, 0.0), Vec3::new(0.3, 1.0, 0.0)],
    }
}

fn assert_near(touch: &Touch<f64>, point: [f64; 3], within: f64) {
    assert!((touch.point_w - Vec3::from_f64(point)).norm() < within, "{touch:?}, not {point:?}");
}

#[test]
fn parallel_capsules_touch_at_both_ends_of_their_overlap() {
    let [low, high] = lying(0.1, 0.0, 0.0).touches()[..] else { panic!() };
    assert_near(&low, [0.3, 0.0, -0.5], 1e-15);
    assert_near(&high, [0.3, 0.0, 0.7], 1e-15);
    assert!(low.gap.abs() < 1e-15 && high.gap.abs() < 1e-15);
    // Beyond the end of b.
    let [low, high] = lying(0.9, 0.0, 0.0).touches()[..] else { panic!() };
    assert_near(&low, [0.3, 0.0, 0.3], 1e-15);
    assert_near(&high, [0.3, 0.0, 1.0], 1e-15);
    // The other way up: first is still the lower end of a, which is now at the top.
    let [low, high] = lying(0.1, 0.0, core::f64::consts::PI).touches()[..] else { panic!() };
    assert_near(&low, [0.3, 0.0, 0.7], 1e-15);
    assert_near(&high, [0.3, 0.0, -0.5], 1e-15);
}

#[test]
fn a_capsule_that_rocks_keeps_its_two_places() {
    for pitch in [-0.04, -1e-3, -1e-4, -1e-9, 0.0, 1e-9, 1e-4, 1e-3, 0.04] {
        let [low, high] = lying(0.1, 0.0, pitch).touches()[..] else { panic!() };
        assert_near(&low, [0.3, 0.0, -0.5], 0.04);
        assert_near(&high, [0.3, 0.0, 0.7], 0.04);
        // One end opens as far as the other closes.
        assert!(
            (low.gap + 0.6 * pitch.sin()).abs() < 0.002 * pitch.abs() + 1e-15,
            "{pitch}: {low:?}"
        );
        assert!(
            (high.gap - 0.6 * pitch.sin()).abs() < 0.002 * pitch.abs() + 1e-15,
            "{pitch}: {high:?}"
        );
    }
}

#[test]
fn capsules_that_cross_or_stand_on_each_other_touch_once() {
    for scene in [lying(0.1, 0.3, 0.0), lying(0.0, 0.0, 0.06), lying(1.7, 0.0, 0.0)] {
        let [first, second] = scene.touches()[..] else { panic!() };
        assert!(is_there(&first) && second.gap == FAR, "{first:?}, {second:?}");
    }
}

/// Axes that cut each other leave no direction between them but that across both.
#[test]
fn capsules_through_each_other_part_across_both_axes() {
    let mut scene = lying(0.0, 0.0, core::f64::consts::FRAC_PI_2);
    for pos in [Vec3::ZERO, Vec3::new(0.3, 0.0, -0.7)] {
        scene.poses_w[0].pos = pos;
        let first = scene.touches()[0];
        assert!((first.normal_w.y.abs() - 1.0).abs() < 1e-15, "{first:?}");
        assert!((first.gap + 0.5).abs() < 1e-15, "{first:?}");
    }
}

/// However nearly parallel, one of the two places is where the capsules are nearest.
#[test]
fn the_least_gap_of_nearly_parallel_capsules_is_their_distance() {
    let mut random = Random::new(5);
    for _ in 0..20_000 {
        let angle = 10.0_f64.powf(random.within(-9.0, -1.0));
        let (roll, pitch) = (random.within(-angle, angle), random.within(-angle, angle));
        let scene = lying(random.within(-2.5, 2.5), roll, pitch);
        let touches = scene.touches();
        let gap = least_gap(&touches);
        let nearest = touches.iter().find(|touch| touch.gap == gap).expect("a place");
        let along = separation(&scene.shape(0), &scene.shape(1), nearest.normal_w);
        // The separation is a lower bound of the distance, the gap an upper one.
        assert!(along <= gap + 1e-12);
        // Below the angle of PARALLEL: (1e-3 · 0.6)² / (2 · 0.5) for the gap; and the normal is off
        // by that angle, so that the bound is.
        let allowed = if roll.hypot(pitch) < 1.5e-3 { 4e-6 } else { 1e-12 };
        assert!(gap - along < allowed, "{gap}, at least {along}: {roll:e} {pitch:e} {scene:#?}");
    }
}

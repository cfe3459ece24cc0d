//! Many scenes in one number: each gets the bits it gets alone, in whatever features they touch.

use gradbody_contact::geometry::{Placed, Touch};
use gradbody_math::{Dual, Lanes, Mat3, Scalar, Transform, Vec3};

use crate::scenes::{Scene, for_each_scene, touches_of};

/// The scenes' touches, scene i in lane i.
fn touches_in<S: Scalar>(scenes: &[Scene]) -> Vec<Touch<S>> {
    let gather = |of: &dyn Fn(&Scene) -> Vec3<f64>| {
        let part = |k: usize| S::from_lanes(|lane| of(&scenes[lane])[k]);
        Vec3::new(part(0), part(1), part(2))
    };
    let placed = |i: usize| {
        let column = |k: usize| gather(&|scene| scene.poses_w[i].rot.cols[k]);
        let rot = Mat3::from_cols(column(0), column(1), column(2));
        Placed {
            kind: &scenes[0].kinds[i],
            pose_w: Transform::new(rot, gather(&|scene| scene.poses_w[i].pos)),
            size: gather(&|scene| scene.sizes[i]),
        }
    };
    touches_of(&placed(0), &placed(1))
}

/// The numbers of a lane.
fn numbers<S: Scalar>(touches: &[Touch<S>], lane: usize) -> Vec<f64> {
    let all = |touch: &Touch<S>| {
        let ([px, py, pz], [nx, ny, nz]) = (touch.point_w.to_array(), touch.normal_w.to_array());
        [touch.gap, px, py, pz, nx, ny, nz].map(|number| number.lane(lane))
    };
    touches.iter().flat_map(all).collect()
}

/// Compares the bits of scenes in lanes of `L` with those of each alone in `T`.
fn compare<T: Scalar, L: Scalar>() {
    let mut scenes: Vec<Scene> = Vec::new();
    for_each_scene(16 * 8, |scene, random| {
        if scenes.first().is_some_and(|first| first.kinds != scene.kinds) {
            scenes.clear();
        }
        let mut scene = scene.clone();
        if scenes.len() % 3 == 2 {
            // Nearly parallel, so that lanes disagree on how many places there are.
            let tilt = random.vector(-0.05, 0.05);
            scene.poses_w[0].rot = scene.poses_w[1].rot * Mat3::from_rpy(tilt);
        }
        scenes.push(scene);
        if scenes.len() < L::LANES {
            return;
        }
        let together = touches_in::<L>(&scenes);
        for (lane, scene) in scenes.iter().enumerate() {
            let alone = numbers(&touches_in::<T>(core::slice::from_ref(scene)), 0);
            for (got, want) in numbers(&together, lane).iter().zip(&alone) {
                assert_eq!(got.to_bits(), want.to_bits(), "{got:e} in lane {lane}, alone {want:e}");
            }
        }
        scenes.clear();
    });
}

#[test]
fn four_scenes_in_f64_have_the_bits_of_one() {
    compare::<f64, Lanes<f64, 4>>();
}

#[test]
fn sixteen_scenes_in_f32_have_the_bits_of_one() {
    compare::<f32, Lanes<f32, 16>>();
}

#[test]
fn dual_numbers_have_the_bits_of_plain_ones() {
    compare::<f64, Dual<f64, 2>>();
}

#[test]
fn single_precision_gives_the_same_gaps() {
    for_each_scene(100, |scene, _| {
        let exact = scene.touches();
        for (touch, exact) in touches_in::<f32>(core::slice::from_ref(scene)).iter().zip(exact) {
            let error = (f64::from(touch.gap) - exact.gap).abs();
            assert!(error < 2e-6, "off by {error:e}: {scene:#?}");
        }
    });
}

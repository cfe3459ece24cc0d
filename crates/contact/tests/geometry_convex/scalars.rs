//! Other scalars: lanes and single precision.

use gradbody_contact::geometry::Placed;
use gradbody_math::{Lanes, Mat3, Scalar, Transform, Vec3};

use crate::places::{HERE, deepest, touch};
use crate::random::Random;
use crate::samples::{pairs, sample};

#[test]
fn lanes_have_the_bits_of_single_worlds() {
    type Four = Lanes<f64, 4>;
    for (name_a, name_b) in pairs() {
        let mut random = Random::new(19);
        for _ in 0..10 {
            let (a, b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            let poses: Vec<_> = (0..4).map(|_| (random.pose(0.2), random.pose(0.8))).collect();
            let gather = |of: &dyn Fn(usize) -> Transform<f64>| {
                let vector = |f: &dyn Fn(&Transform<f64>) -> Vec3<f64>| {
                    Vec3::new(
                        Four::from_lanes(|l| f(&of(l)).x),
                        Four::from_lanes(|l| f(&of(l)).y),
                        Four::from_lanes(|l| f(&of(l)).z),
                    )
                };
                let cols = [0, 1, 2].map(|i| vector(&|p| p.rot.cols[i]));
                Transform::new(Mat3 { cols }, vector(&|p| p.pos))
            };
            let wide = touch(
                &Placed { pose_w: gather(&|l| poses[l].0), ..a.placed::<Four>(&HERE) },
                &Placed { pose_w: gather(&|l| poses[l].1), ..b.placed::<Four>(&HERE) },
            );
            for (lane, (pose_a, pose_b)) in poses.iter().enumerate() {
                let alone = touch::<f64>(&a.placed(pose_a), &b.placed(pose_b));
                for (w, s) in wide.iter().zip(&alone) {
                    assert_eq!(w.gap.lane(lane).to_bits(), s.gap.to_bits(), "{name_a}, {name_b}");
                    assert_eq!(w.point_w.map(|x| x.lane(lane)), s.point_w);
                    assert_eq!(w.normal_w.map(|x| x.lane(lane)), s.normal_w);
                }
            }
        }
    }
}

#[test]
fn single_precision_is_as_near_as_it_can_be() {
    for (name_a, name_b) in pairs() {
        let mut random = Random::new(31);
        for _ in 0..20 {
            let (a, b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            let (pose_a, pose_b) = (random.pose(0.2), random.pose(0.8));
            let double = deepest(&touch::<f64>(&a.placed(&pose_a), &b.placed(&pose_b)));
            let single = deepest(&touch::<f32>(&a.placed(&pose_a), &b.placed(&pose_b)));
            let off = (double.gap - f64::from(single.gap)).abs();
            assert!(off < 1e-5, "{name_a}, {name_b}: {double:?} {single:?}");
        }
    }
}

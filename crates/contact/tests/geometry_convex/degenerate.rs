//! Flat, tiny, huge and coinciding shapes, and numbers that are none.

use gradbody_math::{Dual, Scalar, Vec3};

use crate::places::{HERE, at, touch};
use crate::random::Random;
use crate::samples::{Sample, cuboid, pairs, sample};

#[test]
fn degenerate_input_gives_finite_touches() {
    let mut random = Random::new(23);
    for (name_a, name_b) in pairs() {
        for round in 0..60 {
            let (mut a, mut b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            let flatten = |s: &mut Sample, how: usize| match how {
                1 => s.size = Vec3::ZERO,
                2 => s.size.z = 0.0,
                3 => s.size.y = 0.0,
                4 => s.size.x = 0.0,
                5 => s.size = s.size * 1e-9,
                6 => s.size = s.size * 1e6,
                _ => {}
            };
            flatten(&mut a, round % 7);
            flatten(&mut b, round / 7 % 7);
            // The same place, the same orientation, along an axis.
            let pose_a = if round % 2 == 0 { HERE } else { random.pose(0.1) };
            let pose_b = [pose_a, HERE, at(0.0, 0.0, 0.3), random.pose(0.3)][round % 4];
            for place in touch::<f64>(&a.placed(&pose_a), &b.placed(&pose_b)) {
                let unit = (place.normal_w.norm() - 1.0).abs() < 1e-9;
                let finite = place.gap.is_finite() && place.point_w.is_finite();
                assert!(unit && finite, "{name_a}, {name_b}, {round}: {place:?}");
            }
            type D = Dual<f64, 1>;
            for place in touch::<D>(&a.placed(&pose_a), &b.placed(&pose_b)) {
                assert!(place.gap.is_finite() && place.normal_w.is_finite(), "{name_a}, {name_b}");
            }
        }
    }
    // Not a number: no places, no panic.
    let (a, b) = (cuboid(0.1, 0.1, 0.1), sample("mesh", &mut random));
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        let pose = at(bad, 0.0, 0.0);
        touch::<f64>(&a.placed(&pose), &b.placed(&HERE));
        touch::<f64>(&a.placed(&pose), &a.placed(&HERE));
        let odd = Sample { size: Vec3::new(bad, 0.1, 0.1), ..a.clone() };
        touch::<f64>(&odd.placed(&HERE), &b.placed(&HERE));
        touch::<f64>(&odd.placed(&HERE), &a.placed(&HERE));
    }
}

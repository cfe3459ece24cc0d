//! Derivatives of a touch with respect to the poses and sizes of both shapes.

use gradbody_contact::geometry::{Placed, Touch};
use gradbody_math::{Dual, Mat3, Quat, Scalar, Transform, Vec3};
use gradbody_model::ShapeKind;

use crate::scenes::{Scene, for_each_scene, is_there, touches_of};

/// Numbers that move a shape: a shift and a turn in the world's axes, a change of its size.
const MOVES: usize = 9;
/// Those of both shapes.
pub(crate) const DIRECTIONS: usize = 2 * MOVES;

/// Where the shapes of a scene touch once they are moved by `by`, numbers of a's move first.
fn moved_touches<S: Scalar>(scene: &Scene, by: &[S; DIRECTIONS]) -> Vec<Touch<S>> {
    let placed = |i: usize| {
        let by = &by[MOVES * i..MOVES * (i + 1)];
        let (shift, turn, grow) =
            (Vec3::from_slice(by), Vec3::from_slice(&by[3..]), Vec3::from_slice(&by[6..]));
        let Transform { rot, pos } = scene.poses_w[i];
        let [x, y, z] = rot.cols;
        let rot = Mat3::from_cols(x.map(S::from_f64), y.map(S::from_f64), z.map(S::from_f64));
        let rot = Quat::exp(turn).to_mat3() * rot;
        let pose_w = Transform::new(rot, pos.map(S::from_f64) + shift);
        Placed { kind: &scene.kinds[i], pose_w, size: scene.sizes[i].map(S::from_f64) + grow }
    };
    touches_of(&placed(0), &placed(1))
}

/// The touches of a scene with their derivatives in all directions.
pub(crate) fn dual_touches(scene: &Scene) -> Vec<Touch<Dual<f64, DIRECTIONS>>> {
    moved_touches(scene, &core::array::from_fn(|i| Dual::variable(0.0, i)))
}

/// Gap, point and normal in a row.
fn numbers<S: Scalar>(touch: &Touch<S>) -> Vec<S> {
    let (point, normal) = (touch.point_w.to_array(), touch.normal_w.to_array());
    [&[touch.gap][..], &point, &normal].concat()
}

/// A shift of b opens the gap by its part along the normal, a shift of a closes it.
pub(crate) fn assert_gap_follows_shifts(scene: &Scene) {
    for touch in dual_touches(scene).iter().filter(|touch| touch.gap.re < 1e5) {
        for axis in 0..3 {
            let (normal, gap) = (touch.normal_w[axis].re, touch.gap);
            let [of_a, of_b] = [gap.eps[axis], gap.eps[MOVES + axis]];
            let error = (of_a + normal).abs().max((of_b - normal).abs());
            assert!(error < 1e-9, "gap {gap:?}, normal {:?}: {scene:#?}", touch.normal_w);
        }
    }
}

#[test]
fn gaps_follow_shifts_along_the_normal() {
    for_each_scene(100, |scene, _| assert_gap_follows_shifts(scene));
}

/// A turn of a shape moves its surface at the contact as it moves the contact point. (Rim points
/// that are not a cylinder's lowest do not turn with it.)
#[test]
fn gaps_follow_turns_of_the_contact_point() {
    for_each_scene(100, |scene, _| {
        for (slot, touch) in dual_touches(scene).iter().enumerate() {
            let rim = matches!(scene.kinds, [ShapeKind::Cylinder, ShapeKind::Plane]);
            if touch.gap.re > 1e5 || rim && slot % 3 != 0 {
                continue;
            }
            let (point, normal) = (touch.point_w.map(|x| x.re), touch.normal_w.map(|x| x.re));
            for (i, sign) in [(0, -1.0), (1, 1.0)] {
                let lever = (point - scene.poses_w[i].pos).cross(normal) * sign;
                for axis in 0..3 {
                    let error = (touch.gap.eps[MOVES * i + 3 + axis] - lever[axis]).abs();
                    assert!(error < 1e-9, "{:?}, lever {lever:?}: {scene:#?}", touch.gap);
                }
            }
        }
    });
}

#[test]
fn derivatives_are_those_of_finite_differences() {
    let step = 1e-5;
    let (mut smooth, mut kinks) = (0, 0);
    for_each_scene(40, |scene, _| {
        let exact = dual_touches(scene);
        let here = scene.touches();
        for direction in 0..DIRECTIONS {
            let at = |x: f64| {
                let mut by = [0.0; DIRECTIONS];
                by[direction] = x;
                moved_touches(scene, &by)
            };
            let (before, after) = (at(-step), at(step));
            for slot in (0..here.len()).filter(|slot| is_there(&here[*slot])) {
                let [before, here, after] =
                    [&before[slot], &here[slot], &after[slot]].map(numbers::<f64>);
                for (k, exact) in numbers(&exact[slot]).iter().enumerate() {
                    let bend = (after[k] - 2.0 * here[k] + before[k]).abs();
                    if bend > 1e-7 {
                        kinks += 1; // Another feature is nearest on one side.
                        continue;
                    }
                    smooth += 1;
                    let finite = (after[k] - before[k]) / (2.0 * step);
                    let error = (exact.eps[direction] - finite).abs();
                    let allowed = 1e-6 * (1.0 + finite.abs()) + bend / step * 1e-3;
                    assert!(
                        error < allowed,
                        "number {k} of slot {slot} in direction {direction}: {} but {finite} by \
                         finite differences: {scene:#?}",
                        exact.eps[direction],
                    );
                }
            }
        }
    });
    assert!(kinks * 1000 < smooth, "{kinks} kinks in {smooth} numbers");
}

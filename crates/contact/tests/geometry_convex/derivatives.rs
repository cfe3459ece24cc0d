//! Derivatives of gaps, normals and points, against finite differences.

use std::sync::Arc;

use gradbody_contact::geometry::{FAR, Placed, Touch};
use gradbody_math::{Dual, Mat3, Quat, Scalar, Transform, Vec3};
use gradbody_model::{Outline, ShapeKind};

use crate::places::{HERE, deepest, touch, turned};
use crate::random::Random;
use crate::samples::{Sample, cuboid, mesh, pairs, sample};

type Varied = Dual<f64, 18>;

/// Both poses moved and turned by twelve numbers, both sizes changed by six.
fn varied<S: Scalar>(
    x: &[S],
    a: &Sample,
    pose_a: &Transform<f64>,
    b: &Sample,
    pose_b: &Transform<f64>,
) -> (Transform<S>, Vec3<S>, Transform<S>, Vec3<S>) {
    let pose = |p: &Transform<f64>, x: &[S]| {
        let cols = p.rot.cols.map(|c| c.map(S::from_f64));
        let rot = Quat::exp(Vec3::from_slice(&x[3..])).to_mat3();
        let pos = p.pos.map(S::from_f64) + Vec3::from_slice(x);
        Transform::new(rot * Mat3::from_cols(cols[0], cols[1], cols[2]), pos)
    };
    let size = |s: &Sample, x: &[S]| s.size.map(S::from_f64) + Vec3::from_slice(x);
    (pose(pose_a, &x[..6]), size(a, &x[12..]), pose(pose_b, &x[6..12]), size(b, &x[15..]))
}

#[test]
fn derivatives_are_those_of_finite_differences() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (name_a, name_b) in pairs() {
        let mut random = Random::new(17);
        for round in 0..12 {
            let (a, b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            let (pose_a, pose_b) = (random.pose(0.1), random.pose(0.7));
            let plain = |x: &[f64]| {
                let (pa, sa, pb, sb) = varied(x, &a, &pose_a, &b, &pose_b);
                touch(
                    &Placed { kind: &a.kind, pose_w: pa, size: sa },
                    &Placed { kind: &b.kind, pose_w: pb, size: sb },
                )
            };
            let x: [Varied; 18] = std::array::from_fn(|i| Dual::variable(0.0, i));
            let (pa, sa, pb, sb) = varied(&x, &a, &pose_a, &b, &pose_b);
            let dual = touch(
                &Placed { kind: &a.kind, pose_w: pa, size: sa },
                &Placed { kind: &b.kind, pose_w: pb, size: sb },
            );
            let k =
                (0..dual.len()).min_by(|i, j| dual[*i].gap.re.total_cmp(&dual[*j].gap.re)).unwrap();
            for i in 0..18 {
                let step = 1e-5;
                let moved = |h: f64| {
                    let mut x = [0.0; 18];
                    x[i] = h;
                    plain(&x)
                };
                let (low, high) = (moved(-step), moved(step));
                // Another feature: no derivative to compare with.
                let near = |t: &Touch<f64>| {
                    let normal = t.normal_w - dual[k].normal_w.map(|x| x.re);
                    let point = t.point_w - dual[k].point_w.map(|x| x.re);
                    normal.norm() < 1e-3 && point.norm() < 1e-3
                };
                if !near(&low[k]) || !near(&high[k]) {
                    continue;
                }
                checked += 1;
                let difference =
                    |f: &dyn Fn(&Touch<f64>) -> f64| (f(&high[k]) - f(&low[k])) / (2.0 * step);
                let mut compare = |what: &str, ours: f64, theirs: f64, tolerance: f64| {
                    if (ours - theirs).abs() > tolerance {
                        wrong.push(format!(
                            "{name_a}, {name_b}, {round}, {i}: {what} {ours} {theirs}, gap {}",
                            dual[k].gap.re
                        ));
                    }
                };
                compare("gap", dual[k].gap.eps[i], difference(&|t| t.gap), 1e-5);
                for c in 0..3 {
                    let normal = difference(&|t| t.normal_w[c]);
                    compare("normal", dual[k].normal_w[c].eps[i], normal, 1e-3);
                }
            }
        }
    }
    assert!(checked > 1000);
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The point follows the contact where no corner is made by cutting.
#[test]
fn points_of_round_shapes_and_edges_have_derivatives() {
    let beam = cuboid(0.5, 0.1, 0.1);
    let egg = Sample { kind: ShapeKind::Ellipsoid, size: Vec3::new(0.1, 0.2, 0.3) };
    let coin = Sample { kind: ShapeKind::Cylinder, size: Vec3::new(0.3, 0.05, 0.0) };
    let quarter = std::f64::consts::FRAC_PI_4;
    let cases = [
        (
            &beam,
            turned([quarter, 0.0, 0.0], [0.0; 3]),
            &beam,
            turned([quarter, 0.0, 1.2], [0.1, 0.05, 0.27]),
        ),
        (&egg, HERE, &egg, turned([0.3, 0.8, 0.1], [0.05, 0.2, 0.35])),
        (&beam, HERE, &egg, turned([0.3, 0.8, 0.1], [0.05, 0.02, 0.32])),
        (
            &beam,
            turned([quarter, 0.0, 0.0], [0.0; 3]),
            &egg,
            turned([0.3, 0.8, 0.1], [0.05, 0.02, 0.4]),
        ),
        (&coin, turned([0.6, 0.1, 0.0], [0.0; 3]), &egg, turned([0.3, 0.8, 0.1], [0.0, 0.02, 0.4])),
        (&beam, HERE, &coin, turned([0.6, 0.2, 0.0], [0.0, 0.0, 0.3])),
    ];
    for (number, (a, pose_a, b, pose_b)) in cases.iter().enumerate() {
        let x: [Varied; 18] = std::array::from_fn(|i| Dual::variable(0.0, i));
        let (pa, sa, pb, sb) = varied(&x, a, pose_a, b, pose_b);
        let dual = deepest(&touch(
            &Placed { kind: &a.kind, pose_w: pa, size: sa },
            &Placed { kind: &b.kind, pose_w: pb, size: sb },
        ));
        for i in 0..18 {
            let moved = |h: f64| {
                let mut x = [0.0; 18];
                x[i] = h;
                let (pa, sa, pb, sb) = varied(&x, a, pose_a, b, pose_b);
                deepest(&touch(
                    &Placed { kind: &a.kind, pose_w: pa, size: sa },
                    &Placed { kind: &b.kind, pose_w: pb, size: sb },
                ))
            };
            let (low, high) = (moved(-1e-5), moved(1e-5));
            for c in 0..3 {
                let point = (high.point_w[c] - low.point_w[c]) / 2e-5;
                let normal = (high.normal_w[c] - low.normal_w[c]) / 2e-5;
                let off = (dual.point_w[c].eps[i] - point).abs();
                let turn = (dual.normal_w[c].eps[i] - normal).abs();
                assert!(off < 1e-5 && turn < 1e-5, "case {number}, {i}, {c}: {off} {turn}");
            }
            let gap = (high.gap - low.gap) / 2e-5;
            assert!((dual.gap.eps[i] - gap).abs() < 1e-6, "case {number}, {i}");
        }
    }
}

/// A small shape within a large one's face: the points move with the corners of the small one,
/// whichever of the two comes first. Normals turn with one or the other, so that points and gaps may
/// differ by the gap times the turn.
#[test]
fn points_of_faces_move_with_their_corners() {
    let corners = (0..8).map(|i| {
        let end = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        Vec3::new(end(0), end(1), end(2))
    });
    let brick =
        Sample { kind: mesh(&corners.collect::<Vec<_>>()), size: Vec3::new(0.08, 0.12, 0.05) };
    let wedge = vec![[-1.0, -1.0], [1.0, -1.0], [0.3, 1.0]];
    let wedge = ShapeKind::Extrusion(Arc::new(Outline::new(wedge).unwrap()));
    let wedge = Sample { kind: wedge, size: Vec3::new(0.1, 0.12, 0.05) };
    let large = cuboid(0.5, 0.6, 0.1);
    let gap = -1e-3;
    let above = turned([0.0, 0.0, 0.3], [0.1, -0.05, 0.15 + gap]);
    for (small, count) in [(cuboid(0.1, 0.12, 0.05), 4), (brick, 4), (wedge, 3)] {
        for (a, pose_a, b, pose_b) in [(&small, above, &large, HERE), (&large, HERE, &small, above)]
        {
            let x: [Varied; 18] = std::array::from_fn(|i| Dual::variable(0.0, i));
            let (pa, sa, pb, sb) = varied(&x, a, &pose_a, b, &pose_b);
            let dual = touch(
                &Placed { kind: &a.kind, pose_w: pa, size: sa },
                &Placed { kind: &b.kind, pose_w: pb, size: sb },
            );
            let dual: Vec<_> = dual.into_iter().filter(|t| t.gap.re < 0.5 * FAR).collect();
            assert_eq!(dual.len(), count);
            for (i, place) in (0..18).flat_map(|i| dual.iter().map(move |p| (i, p))) {
                let at = place.point_w.map(|x| x.re);
                let moved = |h: f64| {
                    let mut x = [0.0; 18];
                    x[i] = h;
                    let (pa, sa, pb, sb) = varied(&x, a, &pose_a, b, &pose_b);
                    let places = touch(
                        &Placed { kind: &a.kind, pose_w: pa, size: sa },
                        &Placed { kind: &b.kind, pose_w: pb, size: sb },
                    );
                    let far = |t: &Touch<f64>| (t.point_w - at).norm();
                    places.into_iter().min_by(|s, t| far(s).total_cmp(&far(t))).unwrap()
                };
                let step = 1e-6;
                let (low, high) = (moved(-step), moved(step));
                for c in 0..3 {
                    let want = (high.point_w[c] - low.point_w[c]) / (2.0 * step);
                    let got = place.point_w[c].eps[i];
                    assert!((got - want).abs() < 2.0 * gap.abs(), "{i}, {c}: {got} {want}");
                }
                let want = (high.gap - low.gap) / (2.0 * step);
                let got = place.gap.eps[i];
                assert!((got - want).abs() < 2.0 * gap.abs(), "gap, {i}: {got} {want}");
            }
        }
    }
}

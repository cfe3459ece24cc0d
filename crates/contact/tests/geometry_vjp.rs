//! The adjoint of the contact geometry: against dual numbers, which run the forward code itself.

mod support;

use std::sync::Arc;

use gradbody_contact::geometry::{
    FAR, Placed, PlacedCotangents, Scratch, Touch, TouchCotangents, slots, touches, touches_vjp,
};
use gradbody_math::{Dual, Lanes, Mat3, Quat, Scalar, Transform, Vec3};
use gradbody_model::{Hull, Mesh, Outline, ShapeKind};

use support::random::Random;

/// Numbers that move a shape: a turn about the world's axes, a shift along them, a change of its size.
const MOVES: usize = 9;
/// Those of both shapes.
const DIRECTIONS: usize = 2 * MOVES;

/// Rounding, against the size of what is added up: the adjoint adds in another order.
const ROUNDING: f64 = 1e-12;

/// The same for second derivatives: where surfaces or axes are near, rounding is divided by the square of
/// their distance.
const SECOND: f64 = 1e-9;

/// Lanes round as a single number does.
const LANE_ROUNDING: f64 = 1e-13;

/// Two shapes in the world.
#[derive(Clone, Debug)]
struct Scene {
    kinds: [ShapeKind; 2],
    poses_w: [Transform<f64>; 2],
    sizes: [Vec3<f64>; 2],
}

impl Scene {
    fn slots(&self) -> usize {
        slots(&self.kinds[0], &self.kinds[1])
    }

    /// The shapes, moved by `by`, numbers of a's move first.
    fn moved<S: Scalar>(&self, by: &[S; DIRECTIONS]) -> [Placed<'_, S>; 2] {
        [0, 1].map(|i| {
            let by = &by[MOVES * i..MOVES * (i + 1)];
            let (turn, shift) = (Vec3::from_slice(by), Vec3::from_slice(&by[3..]));
            let [x, y, z] = self.poses_w[i].rot.cols.map(|c| c.map(S::from_f64));
            let rot = Quat::exp(turn).to_mat3() * Mat3::from_cols(x, y, z);
            let pose_w = Transform::new(rot, self.poses_w[i].pos.map(S::from_f64) + shift);
            let size = self.sizes[i].map(S::from_f64) + Vec3::from_slice(&by[6..]);
            Placed { kind: &self.kinds[i], pose_w, size }
        })
    }
}

/// One shape of each kind, and an extrusion of several pieces.
fn kinds() -> Vec<ShapeKind> {
    use ShapeKind::*;
    let extrusion =
        |corners: &[[f64; 2]]| Extrusion(Arc::new(Outline::new(corners.to_vec()).expect("simple")));
    let mut random = Random::new(7);
    let cloud: Vec<_> = (0..12).map(|_| random.vec3()).collect();
    let hull = Some(Hull::of_points(&cloud).expect("a hull"));
    let points = [[0.3, -0.8, 0.5], [-0.4, 0.1, -0.9], [0.9, 0.6, 0.2]];
    vec![
        Sphere,
        Capsule,
        Cylinder,
        Box,
        Ellipsoid,
        Plane,
        Mesh(Arc::new(self::Mesh { path: "".into(), hull })),
        extrusion(&[[-1.0, -0.8], [0.9, -1.0], [0.8, 0.9], [-0.7, 1.0]]),
        extrusion(&[[-1.0, -1.0], [0.2, -0.7], [1.2, -1.0], [1.0, 0.1], [0.1, 0.2], [-0.3, 1.1]]),
        Points(points.iter().map(|p| Vec3::from_f64(*p)).collect()),
    ]
}

/// Every two kinds, both ways round, that touch at all.
fn pairs() -> Vec<[ShapeKind; 2]> {
    let kinds = kinds();
    let all = kinds.iter().flat_map(|a| kinds.iter().map(|b| [a.clone(), b.clone()]));
    all.filter(|[a, b]| slots(a, b) > 0).collect()
}

/// A random scene: apart, touching or inside each other; every third aligned, or nearly so.
fn scene(kinds: &[ShapeKind; 2], number: usize, random: &mut Random) -> Scene {
    let mut length = || 0.6 + 0.4 * random.uniform();
    let sizes = [0, 1].map(|_| Vec3::new(length(), length(), length()));
    let reach = [0.4, 0.8, 1.2][number % 3];
    let mut poses_w = [random.pose(reach), random.pose(reach)];
    if number % 3 == 2 {
        let tilt = [0.0, 1e-5, 0.05, 0.3][number / 3 % 4];
        let turned = Mat3::from_rpy(random.vec3() * tilt);
        let quarters = random.vec3().map(|x| (2.0 * x).round() * std::f64::consts::FRAC_PI_2);
        poses_w[0].rot = poses_w[1].rot * (turned * Mat3::from_rpy(quarters));
    }
    Scene { kinds: kinds.clone(), poses_w, sizes }
}

/// Random cotangents.
fn random_bars(count: usize, random: &mut Random) -> Vec<TouchCotangents<f64>> {
    let bar = |random: &mut Random| TouchCotangents {
        point_w: random.vec3(),
        normal_w: random.vec3(),
        gap: random.uniform(),
    };
    (0..count).map(|_| bar(random)).collect()
}

fn cast<S: Scalar>(bar: &TouchCotangents<f64>) -> TouchCotangents<S> {
    TouchCotangents {
        point_w: bar.point_w.map(S::from_f64),
        normal_w: bar.normal_w.map(S::from_f64),
        gap: S::from_f64(bar.gap),
    }
}

/// Those of places that are there; the others are zero.
fn bars_of_present(scene: &Scene, bars: &[TouchCotangents<f64>]) -> Vec<TouchCotangents<f64>> {
    let [a, b] = scene.moved(&[0.0; DIRECTIONS]);
    let places = touches_of(&a, &b);
    let pick = |(touch, bar): (&Touch<f64>, &TouchCotangents<f64>)| {
        if touch.gap < FAR { *bar } else { TouchCotangents::ZERO }
    };
    places.iter().zip(bars).map(pick).collect()
}

fn touches_of<S: Scalar>(a: &Placed<'_, S>, b: &Placed<'_, S>) -> Vec<Touch<S>> {
    let mut out = Vec::new();
    touches(a, b, &mut Scratch::default(), &mut out);
    out
}

/// What the adjoint says of each move.
fn by_vjp<S: Scalar>([a, b]: &[Placed<'_, S>; 2], bars: &[TouchCotangents<S>]) -> [S; DIRECTIONS] {
    let mut out = [PlacedCotangents::ZERO; 2];
    let [a_bar, b_bar] = &mut out;
    touches_vjp(a, b, &mut Scratch::default(), bars, a_bar, b_bar);
    let mut all = [S::ZERO; DIRECTIONS];
    for (bar, all) in out.iter().zip(all.chunks_mut(MOVES)) {
        all[..3].copy_from_slice(&bar.turn_w.to_array());
        all[3..6].copy_from_slice(&bar.pos_w.to_array());
        all[6..].copy_from_slice(&bar.size.to_array());
    }
    all
}

/// What dual numbers say of each move, and the size of what is added up for it.
fn by_duals<S: Scalar>(
    scene: &Scene,
    by: &[S; DIRECTIONS],
    bars: &[TouchCotangents<S>],
) -> [(S, f64); DIRECTIONS] {
    // Turned further from where `by` has turned it.
    let at = scene.moved(by);
    let further: [Dual<S, DIRECTIONS>; DIRECTIONS] =
        core::array::from_fn(|i| Dual::variable(S::ZERO, i));
    let [a, b] = [0, 1].map(|i| {
        let by = &further[MOVES * i..MOVES * (i + 1)];
        let constant = |v: Vec3<S>| v.map(Dual::<S, DIRECTIONS>::constant);
        let [x, y, z] = at[i].pose_w.rot.cols.map(constant);
        let rot = Quat::exp(Vec3::from_slice(by)).to_mat3() * Mat3::from_cols(x, y, z);
        let pos = constant(at[i].pose_w.pos) + Vec3::from_slice(&by[3..]);
        let size = constant(at[i].size) + Vec3::from_slice(&by[6..]);
        Placed { kind: at[i].kind, pose_w: Transform::new(rot, pos), size }
    });
    let mut all = [(S::ZERO, 0.0); DIRECTIONS];
    for (touch, bar) in touches_of(&a, &b).iter().zip(bars) {
        let numbers = |point: Vec3<S>, normal: Vec3<S>, gap: S| {
            [point.x, point.y, point.z, normal.x, normal.y, normal.z, gap]
        };
        let bars = numbers(bar.point_w, bar.normal_w, bar.gap);
        for (i, (sum, size)) in all.iter_mut().enumerate() {
            let rate = |v: Vec3<Dual<S, DIRECTIONS>>| v.map(|x| x.eps[i]);
            let rates = numbers(rate(touch.point_w), rate(touch.normal_w), touch.gap.eps[i]);
            for (bar, rate) in bars.iter().zip(rates) {
                *sum += *bar * rate;
                *size += (bar.lane(0) * rate.lane(0)).abs();
            }
        }
    }
    all
}

/// The size that rounding is measured against: of everything added up, as turns take levers from shifts.
fn measure<S: Scalar>(all: &[(S, f64); DIRECTIONS]) -> f64 {
    1.0 + all.iter().fold(0.0, |most: f64, (_, size)| most.max(*size))
}

/// The worst error of each pair, and where it was.
#[derive(Default)]
struct Worst(Vec<(String, f64, String)>);

impl Worst {
    fn start(&mut self, kinds: &[ShapeKind; 2]) {
        let name = |kind: &ShapeKind| format!("{kind:?}").split('(').next().unwrap().to_owned();
        self.0.push((format!("{} and {}", name(&kinds[0]), name(&kinds[1])), 0.0, String::new()));
    }

    fn note(&mut self, error: f64, what: impl FnOnce() -> String) {
        let (_, worst, at) = self.0.last_mut().expect("a pair");
        assert!(error.is_finite());
        if error > *worst {
            (*worst, *at) = (error, what());
        }
    }

    /// Says how bad each pair is, and fails if one is worse than allowed.
    fn check(&self, allowed: f64) {
        for (pair, worst, _) in &self.0 {
            println!("{worst:9.1e}  {pair}");
        }
        for (pair, worst, at) in &self.0 {
            assert!(*worst < allowed, "{pair} is off by {worst:e}: {at}");
        }
    }
}

#[test]
fn the_adjoint_is_that_of_dual_numbers() {
    let mut worst = Worst::default();
    for (i, kinds) in pairs().iter().enumerate() {
        let mut random = Random::new(100 + i as u64);
        let mut largest = [0.0_f64; 6];
        worst.start(kinds);
        for number in 0..120 {
            let scene = scene(kinds, number, &mut random);
            let bars = random_bars(scene.slots(), &mut random);
            let present = bars_of_present(&scene, &bars);
            let here = [0.0; DIRECTIONS];
            let expected = by_duals(&scene, &here, &present);
            let got = by_vjp(&scene.moved(&here), &present);
            let size = measure(&expected);
            for (k, (got, (expected, _))) in got.iter().zip(&expected).enumerate() {
                let error = (got - expected).abs() / size;
                worst.note(error, || format!("move {k}, {got:e}, not {expected:e}: {scene:#?}"));
                largest[k / 3] = largest[k / 3].max(expected.abs());
            }
            // Places that are not there have no influence.
            assert_eq!(by_vjp(&scene.moved(&here), &bars), got, "{scene:#?}");
        }
        // A test of zeros would test nothing.
        for (group, largest) in largest.iter().enumerate() {
            let shape = &kinds[group / 3];
            let nothing =
                matches!((shape, group % 3), (ShapeKind::Sphere, 0) | (ShapeKind::Plane, 2));
            assert_eq!(*largest < 1e-9, nothing, "numbers {group} of {kinds:?}: {largest:e}");
        }
    }
    worst.check(ROUNDING);
}

/// The adjoint run on duals gives second derivatives: those of the forward code run on duals of duals.
#[test]
fn the_adjoint_on_dual_numbers_gives_second_derivatives() {
    type D = Dual<f64, 1>;
    let mut worst = Worst::default();
    for (i, kinds) in pairs().iter().enumerate() {
        let mut random = Random::new(200 + i as u64);
        let mut largest = 0.0_f64;
        worst.start(kinds);
        for number in 0..30 {
            let scene = scene(kinds, number, &mut random);
            let [along_a, along_b] = scene.poses_w.map(|pose| pose.rot.cols[2]);
            let nearly_parallel = (1e-3..1e-2).contains(&along_a.cross(along_b).norm());
            if nearly_parallel && matches!(kinds, [ShapeKind::Capsule, ShapeKind::Capsule]) {
                continue; // The forward code divides rounding by the sine's fourth power.
            }
            let bars = random_bars(scene.slots(), &mut random);
            let bars: Vec<_> = bars_of_present(&scene, &bars).iter().map(cast::<D>).collect();
            let by = core::array::from_fn(|_| D { re: 0.0, eps: [random.uniform()] });
            let expected = by_duals(&scene, &by, &bars);
            let got = by_vjp(&scene.moved(&by), &bars);
            let slopes = expected.iter().map(|(x, _)| x.eps[0].abs()).fold(0.0, f64::max);
            let size = measure(&expected) + slopes;
            for (got, (expected, _)) in got.iter().zip(&expected) {
                assert!(got.is_finite(), "{got:?}: {scene:#?}");
                let error = (got.eps[0] - expected.eps[0]).abs() / size;
                worst.note(error, || format!("{got:?}, not {expected:?}: {scene:#?}"));
                largest = largest.max(expected.eps[0].abs());
            }
        }
        assert!(largest > 1e-3, "{kinds:?}");
    }
    worst.check(SECOND);
}

#[test]
fn lanes_have_the_adjoint_of_each_world_alone() {
    type L = Lanes<f64, 8>;
    let mut worst = 0.0_f64;
    for (i, kinds) in pairs().iter().enumerate() {
        let mut random = Random::new(300 + i as u64);
        for round in 0..8 {
            let scenes: Vec<_> =
                (0..8).map(|lane| scene(kinds, 8 * round + lane, &mut random)).collect();
            let count = scenes[0].slots();
            // Also of places that are not there in their lane.
            let bars: Vec<_> = (0..8).map(|_| random_bars(count, &mut random)).collect();
            let gather = |of: &dyn Fn(usize) -> Vec3<f64>| {
                let part = |k: usize| L::from_lanes(|lane| of(lane)[k]);
                Vec3::new(part(0), part(1), part(2))
            };
            let shapes = [0, 1].map(|i| {
                let column = |k: usize| gather(&|lane| scenes[lane].poses_w[i].rot.cols[k]);
                let rot = Mat3::from_cols(column(0), column(1), column(2));
                let pos = gather(&|lane| scenes[lane].poses_w[i].pos);
                let size = gather(&|lane| scenes[lane].sizes[i]);
                Placed { kind: &kinds[i], pose_w: Transform::new(rot, pos), size }
            });
            let together: Vec<_> = (0..count)
                .map(|k| TouchCotangents {
                    point_w: gather(&|lane| bars[lane][k].point_w),
                    normal_w: gather(&|lane| bars[lane][k].normal_w),
                    gap: L::from_lanes(|lane| bars[lane][k].gap),
                })
                .collect();
            let got = by_vjp(&shapes, &together);
            for lane in 0..8 {
                let alone = by_vjp(&scenes[lane].moved(&[0.0; DIRECTIONS]), &bars[lane]);
                let size = alone.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
                for (got, alone) in got.iter().zip(alone) {
                    let error = (got.lane(lane) - alone).abs() / size;
                    worst = worst.max(error);
                    assert!(error < LANE_ROUNDING, "{error:e}: {:#?}", scenes[lane]);
                }
            }
        }
    }
    println!("worst: {worst:e}");
}

/// Every pair with its features exactly aligned: centres on axes, faces, edges, corners and each other,
/// upright and lying, with and without extent. `turns` are sines and cosines.
fn for_each_aligned_scene(turns: [(f64, f64); 3], mut test: impl FnMut(&Scene)) {
    for kinds in pairs() {
        for size_a in [[0.0; 3], [0.5; 3], [1.0, 0.0, 0.0]] {
            for size_b in [[0.0; 3], [0.5; 3], [0.5, 0.0, 0.5], [0.0, 0.5, 1.0]] {
                for shift in [-0.5, 0.0, 1.0] {
                    for axis in [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0; 3]] {
                        for turn in turns {
                            let turned = Mat3::IDENTITY.rotate_x(turn);
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

#[test]
fn aligned_shapes_have_a_finite_adjoint_and_that_of_dual_numbers() {
    let mut random = Random::new(5);
    let mut worst = Worst::default();
    let mut kinds_before = None;
    for_each_aligned_scene([(0.0, 1.0), (1.0, 0.0), (0.0, -1.0)], |scene| {
        if kinds_before.as_ref() != Some(&scene.kinds) {
            worst.start(&scene.kinds);
            kinds_before = Some(scene.kinds.clone());
        }
        let bars = random_bars(scene.slots(), &mut random);
        let present = bars_of_present(scene, &bars);
        let here = [0.0; DIRECTIONS];
        let got = by_vjp(&scene.moved(&here), &bars);
        assert!(got.iter().all(|x| x.is_finite()), "{got:?}: {scene:#?}");
        // The normal of something flat against its edge turns infinitely fast: derivatives of features
        // that were searched for are rounding there, in the forward code too.
        let flat = scene.sizes.iter().any(|size| size.to_array().contains(&0.0));
        if flat && is_searched(&scene.kinds) {
            return;
        }
        let expected = by_duals(scene, &here, &present);
        let size = measure(&expected);
        for (k, (got, (expected, _))) in got.iter().zip(&expected).enumerate() {
            let error = (got - expected).abs() / size;
            worst.note(error, || format!("move {k}, {got:e}, not {expected:e}: {scene:#?}"));
        }
    });
    worst.check(ROUNDING);
}

/// Whether a pair has no closed form.
fn is_searched([a, b]: &[ShapeKind; 2]) -> bool {
    use ShapeKind::*;
    match (a, b) {
        (Plane | Points(_), _) | (_, Plane | Points(_)) => false,
        (Sphere, Ellipsoid | Mesh(_)) | (Ellipsoid | Mesh(_), Sphere) => true,
        (Sphere, _) | (_, Sphere) | (Capsule, Capsule) => false,
        _ => true,
    }
}

/// Also where features are aligned up to rounding, in duals and in single precision.
#[test]
fn aligned_shapes_have_a_finite_adjoint_in_other_numbers() {
    let mut random = Random::new(6);
    let turns = [0.0, 0.5, 1.0].map(|turns| (turns * std::f64::consts::PI).sin_cos());
    for_each_aligned_scene(turns, |scene| {
        let bars = random_bars(scene.slots(), &mut random);
        let got = by_vjp(&scene.moved(&[0.0; DIRECTIONS]), &bars);
        assert!(got.iter().all(|x| x.is_finite()), "{got:?}: {scene:#?}");
        let by = core::array::from_fn(|_| Dual::<f64, 1> { re: 0.0, eps: [random.uniform()] });
        let duals: Vec<_> = bars.iter().map(cast::<Dual<f64, 1>>).collect();
        let got = by_vjp(&scene.moved(&by), &duals);
        assert!(got.iter().all(|x| x.is_finite()), "{got:?}: {scene:#?}");
        let singles: Vec<_> = bars.iter().map(cast::<f32>).collect();
        let got = by_vjp(&scene.moved(&[0.0_f32; DIRECTIONS]), &singles);
        assert!(got.iter().all(|x| x.is_finite()), "{got:?}: {scene:#?}");
    });
}

/// What is there already is added to.
#[test]
fn the_adjoint_adds() {
    for kinds in pairs() {
        let mut random = Random::new(8);
        let scene = scene(&kinds, 0, &mut random);
        let [a, b] = scene.moved(&[0.0; DIRECTIONS]);
        let bars = random_bars(scene.slots(), &mut random);
        let once = by_vjp(&[a, b], &bars);
        let (mut a_bar, mut b_bar) = (PlacedCotangents::ZERO, PlacedCotangents::ZERO);
        for _ in 0..2 {
            touches_vjp(&a, &b, &mut Scratch::default(), &bars, &mut a_bar, &mut b_bar);
        }
        let size = once.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        for (bar, once) in [a_bar, b_bar].iter().zip(once.chunks(MOVES)) {
            let twice = [bar.turn_w.to_array(), bar.pos_w.to_array(), bar.size.to_array()].concat();
            for (twice, once) in twice.iter().zip(once) {
                assert!((twice - 2.0 * once).abs() < ROUNDING * size, "{scene:#?}");
            }
        }
    }
}

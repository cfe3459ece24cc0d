//! Tosses of a box onto a table, in windows whose starts are free: the cost has kinks and jumps where corners hit.

use super::*;
use core::ops::Range;
use gradbody_learn::deviations_without_jumps;
use gradbody_model::{Material, ShapeKind, ShapeParams};

/// Noise of a position [m] and of an orientation about each axis [rad].
const NOISE: (f64, f64) = (1e-3, 0.0175);
/// Time between samples [s].
const FRAME: f64 = 1.0 / 148.0;
const SAMPLES: usize = 25;
const WINDOW: usize = 12;
/// Friction and restitution of the table, and where the search begins.
const TRUTH: [f64; 2] = [0.3, 0.3];
const GUESS: [f64; 2] = [0.45, 0.15];

/// A box on a table. The larger number of two surfaces counts.
fn plank() -> Model<f64> {
    let mut b = ModelBuilder::new("plank");
    let inertia = Inertia {
        mass: 0.3,
        com: Vec3::ZERO,
        rotational: Sym3::diagonal(Vec3::new(2e-4, 2.9e-4, 4.1e-4)),
    };
    let body = b.link("body", FrameId::WORLD, JointSpec::free("root"), inertia).unwrap();
    let shape = |size, [friction, restitution]: [f64; 2]| ShapeParams {
        placement: Transform::IDENTITY,
        size,
        material: Material { restitution, ..Material::with_friction(friction) },
    };
    b.shape("box", body, ShapeKind::Box, shape(Vec3::new(0.05, 0.04, 0.02), [0.0; 2])).unwrap();
    b.shape("table", FrameId::WORLD, ShapeKind::Plane, shape(Vec3::ZERO, TRUTH)).unwrap();
    b.build().unwrap()
}

fn seen(model: &Model<f64>) -> Vec<Sensor> {
    let of = |part: &str, noise| sensor(model, &format!("link/body/{part}"), noise);
    let places = ["position/x", "position/y", "position/z"].map(|part| of(part, NOISE.0));
    places.into_iter().chain([of("orientation/w", NOISE.1)]).collect()
}

/// The share of positions and of orientations that are outliers, and how far these are off [m, rad].
const OUTLIERS: f64 = 0.05;
const FAR: (f64, f64) = (0.1, 0.6);

/// A toss from just above the table, as a camera with noise sees it.
fn toss(model: &Model<f64>, sensors: &[Sensor], outliers: f64, seed: u64) -> Recording {
    let mut random = Random::new(seed);
    let mut within = |most: f64| random.between(-most, most);
    let mut start = State::neutral(model);
    let place = [within(0.1), within(0.1), 0.11 + within(0.02)];
    let turn = [within(1.5), within(1.5), within(1.5)];
    gradbody_dynamics::integrate(model, &mut start.q, &[place, turn].concat());
    start.v =
        [[within(1.0), within(1.0), -0.6 + within(0.3)], [within(4.0), within(4.0), within(4.0)]]
            .concat();
    let mut recording = record(model, sensors, &start, (SAMPLES, FRAME, 2), 0.0);
    // Outliers take the place of good measurements, whose noise is the same with and without them.
    let mut wrong = Random::derived(seed, &[1]);
    let mut off = |noise: f64, far: f64| {
        let good = [(); 3].map(|()| noise * random.normal());
        let is_out = wrong.unit() < outliers;
        if is_out { [(); 3].map(|()| wrong.between(-far, far)) } else { good }
    };
    for row in recording.measured.chunks_exact_mut(7) {
        let (place, turn) = (off(NOISE.0, FAR.0), off(NOISE.1, FAR.1));
        row[..3].iter_mut().zip(place).for_each(|(row, off)| *row += off);
        let seen = gradbody_math::Quat { w: row[3], x: row[4], y: row[5], z: row[6] };
        let seen = gradbody_math::Quat::exp(Vec3::new(turn[0], turn[1], turn[2])) * seen;
        row[3..].copy_from_slice(&[seen.w, seen.x, seen.y, seen.z]);
    }
    recording
}

fn tosses(seeds: Range<u64>, outliers: f64, law: NoiseLaw) -> Fit {
    let model = plank();
    let sensors: Vec<Sensor> =
        seen(&model).into_iter().map(|sensor| Sensor { law, ..sensor }).collect();
    let recordings: Vec<Recording> = seeds.map(|k| toss(&model, &sensors, outliers, k)).collect();
    let names = ["shape/table/friction", "shape/table/restitution"];
    let mut unknowns = Unknowns::of(&model, Selection::of(&model, names).unwrap());
    for (unknown, guess) in unknowns.params.iter_mut().zip(GUESS) {
        unknown.initial = guess;
    }
    unknowns.start = 12;
    let windows = cut(&recordings, WINDOW, WINDOW, 3);
    let estimate = |recording: &Recording| {
        let guess = State::neutral(&model);
        estimate_states(&model, &sensors, recording, FRAME, &guess, &Estimate::default())
    };
    let states: Vec<Vec<State<f64>>> = recordings.iter().map(estimate).collect();
    let mut fit = Fit::new(FitParts {
        plan: no_networks(&model),
        weights: Vec::new(),
        unknowns,
        starts: windows.iter().map(|w| states[w.recording][w.first].clone()).collect(),
        sensors,
        recordings,
        windows,
        options: StepOptions::new(FRAME / 2.0),
        substeps: 2,
        model,
    });
    fit.set_bounds();
    fit
}

/// The solution, and its cost.
fn search(fit: &Fit) -> (Vec<f64>, f64) {
    let method = Method::LevenbergMarquardt(LevenbergMarquardt::default());
    let mut search = Search::begin(&method, fit, fit.initial(), 0).unwrap();
    let limits = Limits::iterations(12);
    search.run(fit, &limits, &mut |_| ControlFlow::Continue(()));
    let (x, cost) = search.best();
    (x.to_vec(), cost)
}

#[test]
fn friction_and_restitution_of_tosses_are_found() {
    let mut fit = tosses(0..16, 0.0, NoiseLaw::Gaussian);
    let (_, by_derivatives) = search(&fit);
    fit.secants = Some(Secants::over(&fit, 0.2, 2));
    let (found, cost) = search(&fit);
    let found = fit.unknowns.values(&found);
    // Half a sum of squares over what noise explains: n errors less 12 for each start and the two numbers.
    let expected = 0.5 * (fit.n_errors() - 12 * fit.windows.len() - 2) as f64;
    assert!(cost < 1.1 * expected, "noise alone is left: {cost} for {expected}");
    assert!(by_derivatives > 1.2 * expected, "derivatives alone leave more: {by_derivatives}");
    // The guess was 50 % off in both. Found: friction 5 % off, restitution 7 %; which basins windows settle in decides that,
    // and other random points have given 6 and 18 %. So this is a bound on the whole search, not on its uncertainty.
    for ((found, truth), within) in found.iter().zip(TRUTH).zip([0.15, 0.25]) {
        assert!((found - truth).abs() < within * truth, "{found} for {truth}");
    }
}

/// The same bounds hold with outliers. Found: restitution 13 % off.
#[test]
fn friction_and_restitution_of_tosses_are_found_with_outliers() {
    let mut fit = tosses(0..16, OUTLIERS, NoiseLaw::Tukey(7.0));
    fit.secants = Some(Secants::over(&fit, 0.2, 2));
    let (x, _) = search(&fit);
    let found = fit.unknowns.values(&x);
    for ((found, truth), within) in found.iter().zip(TRUTH).zip([0.15, 0.25]) {
        assert!((found - truth).abs() < within * truth, "{found} for {truth}");
    }
}

/// Laws beside each other, each in 20 fits of 16 other tosses: errors in stated standard deviations. Takes minutes.
#[test]
#[ignore = "a study"]
fn losses_for_outliers_beside_each_other() {
    let study = |outliers: f64, law: NoiseLaw| {
        let mut errors = Vec::new();
        for first in (0..20).map(|repeat| 1000 * repeat) {
            let mut fit = tosses(first..first + 16, outliers, law);
            fit.secants = Some(Secants::over(&fit, 0.2, 2));
            let (x, _) = search(&fit);
            let found = fit.unknowns.values(&x).into_iter().zip(TRUTH);
            let deviations = deviations_without_jumps(&fit, &x).unwrap();
            errors.extend(found.zip(deviations).map(|((x, truth), s)| (x - truth) / s.unwrap()));
        }
        let within = |limit: f64| errors.iter().filter(|e| e.abs() < limit).count();
        let (near, covered, three) = (within(1.0), within(1.96), within(3.0));
        let rms = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
        println!(
            "{law:?}, outliers {outliers}: {near}, {covered} and {three} of {} errors within 1, 1.96 and 3 standard \
             deviations, rms {rms:.2}",
            errors.len()
        );
        three
    };
    study(0.0, NoiseLaw::Gaussian);
    study(0.0, NoiseLaw::Student(4.0));
    study(OUTLIERS, NoiseLaw::Student(4.0));
    study(OUTLIERS, NoiseLaw::Tukey(4.7));
    study(OUTLIERS, NoiseLaw::Tukey(14.0));
    let wide = study(OUTLIERS, NoiseLaw::Tukey(7.0));
    assert!(wide >= 37, "{wide} of 40");
}

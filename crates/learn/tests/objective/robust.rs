//! Losses that outliers affect little: starts, methods and gradients with them.

use super::*;
use gradbody_learn::optimise::{Adam, GaussNewton, Stop};
use gradbody_math::Quat;

const POSE: [&str; 4] = ["position/x", "position/y", "position/z", "orientation/w"];
/// Standard deviation of a position [m].
const PLACE_NOISE: f64 = 1e-3;
/// Standard deviation of an orientation [rad].
const TURN_NOISE: f64 = 0.003;
/// Number of samples of a toss.
const SAMPLES: usize = 31;

/// Sensors of the pose of a thrown body.
fn pose_sensors(model: &Model<f64>, law: impl Fn(&str) -> NoiseLaw) -> Vec<Sensor> {
    let of = |part: &&str| {
        let noise = if part.starts_with("orientation") { TURN_NOISE } else { PLACE_NOISE };
        Sensor { law: law(part), ..sensor(model, &format!("link/body/{part}"), noise) }
    };
    POSE.iter().map(of).collect()
}

/// A body thrown half a metre above the ground and turned by 2 rad. From sample `outliers` on, every seventh is wrong.
fn toss(model: &Model<f64>, outliers: usize) -> Recording {
    let sensors = pose_sensors(model, |_| NoiseLaw::Gaussian);
    let mut start = State::neutral(model);
    gradbody_dynamics::integrate(model, &mut start.q, &[0.3, -0.4, 0.5, 0.9, -1.2, 1.3]);
    start.v.copy_from_slice(&[0.4, -0.2, 1.0, 2.5, -0.8, 1.7]);
    let mut recording = record(model, &sensors, &start, (SAMPLES, PERIOD, 1), 0.0);
    for k in (outliers..SAMPLES).step_by(7) {
        let row = &mut recording.measured[7 * k..][..7];
        row[0] += 0.3;
        row[2] -= 0.2;
        let seen = Quat { w: row[3], x: row[4], y: row[5], z: row[6] };
        let wrong = Quat::exp(Vec3::new(0.7, -0.9, 0.4)) * seen;
        row[3..].copy_from_slice(&[wrong.w, wrong.x, wrong.y, wrong.z]);
    }
    recording
}

/// A fit of tosses: one window for each, with starts taken from the data or free.
fn fit_of(model: &Model<f64>, sensors: Vec<Sensor>, recording: Recording, free: bool) -> Fit {
    let selection = Selection::of(model, ["link/body/com/*", "gravity/z"]).unwrap();
    let mut unknowns = Unknowns::of(model, selection);
    unknowns.start = if free { 12 } else { 0 };
    let recordings = vec![recording];
    let windows = cut(&recordings, 30, 30, 3);
    let guess = State::neutral(model);
    let states =
        estimate_states(model, &sensors, &recordings[0], PERIOD, &guess, &Estimate::default());
    Fit::new(FitParts {
        plan: no_networks(model),
        weights: Vec::new(),
        unknowns,
        sensors,
        starts: windows.iter().map(|w| states[w.first].clone()).collect(),
        recordings,
        windows,
        options: StepOptions::new(PERIOD),
        substeps: 1,
        model: model.clone(),
    })
}

fn only_orientation(part: &str) -> NoiseLaw {
    if part.starts_with("orientation") { NoiseLaw::Huber(3.0) } else { NoiseLaw::Gaussian }
}

#[test]
fn huber_on_an_orientation_has_a_finite_cost_and_gradient_at_the_start() {
    let model = thrown_body();
    let everywhere = |_: &str| NoiseLaw::Huber(3.0);
    let laws: [&dyn Fn(&str) -> NoiseLaw; 2] = [&only_orientation, &everywhere];
    for (law, free) in [(0, false), (0, true), (1, false), (1, true)] {
        let sensors = pose_sensors(&model, laws[law]);
        let fit = fit_of(&model, sensors, toss(&model, 3), free);
        for method in [
            Method::LevenbergMarquardt(LevenbergMarquardt::default()),
            Method::Adam(Adam::default()),
        ] {
            let begun = Search::begin(&method, &fit, fit.initial(), 0);
            begun.unwrap_or_else(|error| panic!("law {law}, free {free}: {error}"));
        }
    }
}

/// From the same starts a Huber cost is at most the cost of squares. Without outliers, starts that are estimated robustly
/// are those of least squares within a few deviations of the noise.
#[test]
fn huber_with_measured_starts_never_costs_more_than_squares() {
    let model = thrown_body();
    let recording = toss(&model, SAMPLES);
    let fit = |law: &dyn Fn(&str) -> NoiseLaw| {
        fit_of(&model, pose_sensors(&model, law), recording.clone(), false)
    };
    let squares = fit(&|_| NoiseLaw::Gaussian);
    let positions = |part: &str| match part {
        "orientation/w" => NoiseLaw::Gaussian,
        _ => NoiseLaw::Huber(3.0),
    };
    for huber in [fit(&positions), fit(&only_orientation), fit(&|_| NoiseLaw::Huber(3.0))] {
        for (robust, usual) in huber.starts.iter().zip(&squares.starts) {
            let apart = |a: &[f64], b: &[f64]| {
                a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
            };
            let off = (apart(&robust.q, &usual.q), apart(&robust.v, &usual.v));
            assert!(off.0 < 1e-3 && off.1 < 0.02, "{off:?}");
        }
        let mut squares = squares.clone();
        squares.starts.clone_from(&huber.starts);
        let (cost, square) = (huber.cost(&huber.initial()), squares.cost(&squares.initial()));
        assert!(cost <= square, "{cost} of {square}");
    }
}

/// Every seventh sample is wrong by hundreds of standard deviations, all to the same side. Squares follow them. Huber's
/// loss still feels each by its size. Tukey's does not feel them at all, if it begins near the solution.
#[test]
fn huber_on_every_channel_runs_with_the_default_method() {
    let truth = thrown_body();
    let mut model = truth.clone();
    model.set(model.topology.param_id("gravity/z").unwrap(), -9.0);
    model.set(model.topology.param_id("link/body/com/x").unwrap(), 0.02);
    let sensors = pose_sensors(&model, |_| NoiseLaw::Gaussian);
    let mut fit = fit_of(&model, sensors, toss(&truth, 8), true);
    let start = fit.initial();
    let names = fit.unknowns.selection.names();
    let gravity = names.iter().position(|name| name == "gravity/z").unwrap();
    let mut with = |law: NoiseLaw, method: &Method, start: &[f64]| {
        fit.sensors.iter_mut().for_each(|sensor| sensor.law = law);
        let mut search = Search::begin(method, &fit, start.to_vec(), 0).unwrap();
        let stop = search.run(&fit, &Limits::iterations(300), &mut |_| ControlFlow::Continue(()));
        assert!(matches!(stop, Stop::Converged(_)), "{law:?}, {method:?}: {stop}");
        let (x, cost) = search.best();
        (x.to_vec(), cost, fit.unknowns.values(x)[gravity])
    };
    let lm = Method::LevenbergMarquardt(LevenbergMarquardt::default());
    let gauss_newton = Method::GaussNewton(GaussNewton::default());
    let (_, _, squares) = with(NoiseLaw::Gaussian, &lm, &start);
    let (x, cost, huber) = with(NoiseLaw::Huber(3.0), &lm, &start);
    let (_, other, _) = with(NoiseLaw::Huber(3.0), &gauss_newton, &start);
    assert!((cost / other - 1.0).abs() < 1e-9, "{cost} and {other}");
    let wrong = |gravity: f64| (gravity + 9.81).abs();
    assert!(3.0 * wrong(huber) < wrong(squares), "gravity {huber}, and {squares} by squares");
    let (_, _, student) = with(NoiseLaw::Student(4.0), &lm, &x);
    assert!(3.0 * wrong(student) < wrong(huber), "gravity {student}, and {huber} by Huber");
    let (_, _, tukey) = with(NoiseLaw::Tukey(30.0), &lm, &x);
    assert!(wrong(tukey) < 1e-6, "gravity {tukey}");
}

/// Adjoint, dual numbers and differences of every law, with errors on both sides of their widths.
#[test]
fn gradients_agree_for_every_law() {
    let truth = thrown_body();
    let mut model = truth.clone();
    model.set(model.topology.param_id("gravity/z").unwrap(), -9.6);
    for law in [NoiseLaw::Huber(3.0), NoiseLaw::Student(4.0), NoiseLaw::Tukey(60.0)] {
        let sensors = pose_sensors(&model, |_| law);
        let mut fit = fit_of(&model, sensors, toss(&truth, 3), true);
        fit.windows = cut(&fit.recordings, 10, 10, 3);
        fit.starts = vec![fit.starts[0].clone(); fit.windows.len()];
        fit.jump = Some((0.02, 0.05));
        compare_gradients(&fit, &format!("{law:?}"));
    }
}

/// The cost of an orientation that is wrong by an angle does not depend on the axis.
#[test]
fn a_robust_cost_of_an_orientation_depends_on_the_angle_alone() {
    let model = thrown_body();
    let state = State::neutral(&model);
    for law in [NoiseLaw::Huber(3.0), NoiseLaw::Student(4.0), NoiseLaw::Tukey(200.0)] {
        let sensors = vec![Sensor { law, ..sensor(&model, "link/body/orientation/w", 0.01) }];
        let mut observer = gradbody_learn::objective::Observer::new(&model, &sensors);
        let mut cost = |axis: Vec3<f64>| {
            let Quat { w, x, y, z } = Quat::exp(axis * (0.5 / axis.norm()));
            observer.cost(&sensors, &model, &state, &[w, x, y, z], &[1.0])
        };
        let expected: f64 = cost(Vec3::X);
        for axis in [Vec3::new(1.0, 1.0, 1.0), Vec3::new(0.0, -2.0, 1.0)] {
            let cost = cost(axis);
            assert!((cost / expected - 1.0).abs() < 1e-9, "{law:?}: {cost} and {expected}");
        }
    }
}

/// A toss as a camera with noise sees it, the same with and without outliers.
fn noisy(mut toss: Recording) -> Recording {
    let mut random = Random::new(3);
    for row in toss.measured.chunks_exact_mut(7) {
        row[..3].iter_mut().for_each(|place| *place += PLACE_NOISE * random.normal());
        let noise = Vec3::new(random.normal(), random.normal(), random.normal()) * TURN_NOISE;
        let seen = Quat { w: row[3], x: row[4], y: row[5], z: row[6] };
        let Quat { w, x, y, z } = Quat::exp(noise) * seen;
        row[3..].copy_from_slice(&[w, x, y, z]);
    }
    toss
}

/// Where windows count as wholes, one that is badly explained counts less. Outliers, which no motion explains, are no reason for
/// that: what is lost is the information of their samples.
#[test]
fn a_window_with_outliers_counts_as_much_as_one_without() {
    let model = thrown_body();
    for law in [NoiseLaw::Huber(3.0), NoiseLaw::Student(4.0), NoiseLaw::Tukey(7.0)] {
        let information = |outliers: usize| {
            let recording = noisy(toss(&model, outliers));
            let mut fit = fit_of(&model, pose_sensors(&model, |_| law), recording, true);
            fit.secants = Some(Secants::over(&fit, 0.2, 2));
            let method = Method::LevenbergMarquardt(LevenbergMarquardt::default());
            let mut search = Search::begin(&method, &fit, fit.initial(), 0).unwrap();
            search.run(&fit, &Limits::iterations(20), &mut |_| ControlFlow::Continue(()));
            let quadratic = fit.quadratic(search.best().0).unwrap();
            quadratic.hessian.global_information().unwrap()
        };
        // The mean over four directions. Four of 31 samples are wrong, in three of their four quantities.
        let ratio = information(8).determinant() / information(SAMPLES).determinant();
        let kept = ratio.powf(0.25);
        assert!((0.7..1.0).contains(&kept), "{law:?}: {kept}");
    }
}

//! Fits of simulated recordings: gradients by three ways, and parameters found again.

mod contact;
mod impacts;
mod robust;

use std::ops::ControlFlow;
use std::sync::Arc;

use gradbody_augment::{Augmentation, Blueprint, Plan, bind};
use gradbody_learn::experiment::{Estimate, Prior};
use gradbody_learn::objective::{
    Fit, FitParts, NoiseLaw, Recording, Secants, Sees, Sensor, Unknown, Unknowns, cut,
    estimate_states,
};
use gradbody_learn::optimise::{LevenbergMarquardt, Limits, Method, Objective, Search};
use gradbody_learn::{Observed, Role, leave_out, quantities};
use gradbody_math::random::Random;
use gradbody_math::{Inertia, Sym3, Transform, Vec3};
use gradbody_model::{FrameId, JointSpec, Model, ModelBuilder, Selection};
use gradbody_sim::{Input, NoTaps, State, StepOptions, StepScratch, StepTrace, step};

/// Two rods on hinges with some damping, in a plane.
fn double_pendulum() -> Model<f64> {
    let rod = |length: f64| Inertia {
        mass: 1.0,
        com: Vec3::new(0.0, 0.0, -0.5 * length),
        rotational: Sym3::diagonal(Vec3::new(0.08, 0.08, 0.002) * length * length),
    };
    let mut b = ModelBuilder::new("double pendulum");
    let mut first = JointSpec::revolute("shoulder", Vec3::Y);
    first.params.damping = 0.05;
    let upper = b.link("upper", FrameId::WORLD, first, rod(1.0)).unwrap();
    let mut second = JointSpec::revolute("elbow", Vec3::Y)
        .at(Transform::from_translation(Vec3::new(0.0, 0.0, -1.0)));
    second.params.damping = 0.03;
    b.link("lower", upper, second, rod(0.8)).unwrap();
    b.build().unwrap()
}

/// A body that turns and falls.
fn thrown_body() -> Model<f64> {
    let mut b = ModelBuilder::new("body");
    let inertia = Inertia {
        mass: 1.5,
        com: Vec3::new(0.05, 0.02, -0.03),
        rotational: Sym3::diagonal(Vec3::new(0.02, 0.03, 0.04)),
    };
    b.link("body", FrameId::WORLD, JointSpec::free("root"), inertia).unwrap();
    b.build().unwrap()
}

fn sensor(model: &Model<f64>, name: &str, noise: f64) -> Sensor {
    let all = quantities(model, &[]);
    let found = all.iter().find(|q| q.name == name).unwrap_or_else(|| panic!("{name}"));
    let sees = match found.role {
        Role::Observed(Observed::Position { q, v }) => Sees::Position(q, v),
        Role::Observed(Observed::Velocity { v }) => Sees::Velocity(v),
        Role::Observed(Observed::Place { frame, axis }) => Sees::Place(frame, axis),
        Role::Observed(Observed::Orientation { frame, .. }) => Sees::Orientation(frame),
        Role::Observed(Observed::Heading { frame }) => Sees::Heading(frame),
        Role::Given(_) => panic!("{name} is given"),
    };
    Sensor { name: name.into(), sees, noise, estimated: false, law: NoiseLaw::Gaussian }
}

/// What sensors would record of a model.
fn record(
    model: &Model<f64>,
    sensors: &[Sensor],
    start: &State<f64>,
    (samples, period, substeps): (usize, f64, usize),
    push: f64,
) -> Recording {
    let mut state = start.clone();
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    let options = StepOptions::new(period / substeps as f64);
    let mut observer = gradbody_learn::objective::Observer::new(model, sensors);
    let mut measured = Vec::new();
    let mut inputs = Vec::new();
    for k in 0..samples {
        observer.predict(sensors, model, &state, &mut measured);
        let mut input = Input::none(model);
        input.tau[0] = push * (0.7 * k as f64).sin();
        for _ in 0..substeps {
            step(model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        }
        inputs.push(input);
    }
    let present = vec![1.0; samples * sensors.len()];
    Recording { name: "simulated".into(), begin: 0.0, measured, present, inputs, samples }
}

fn no_networks(model: &Model<f64>) -> Arc<Plan> {
    Arc::new(bind(&Blueprint::default(), model, &StepOptions::<f64>::new(1e-3).contact).unwrap())
}

struct Set {
    fit: Fit,
    truth: Model<f64>,
}

const PERIOD: f64 = 0.02;

/// A double pendulum whose wrong parameters are to be found.
fn pendulum(free: bool, jump: bool, networks: bool, period: bool) -> Set {
    let truth = double_pendulum();
    let sensors = vec![
        sensor(&truth, "joint/shoulder/position", 0.01),
        Sensor { law: NoiseLaw::Huber(1.5), ..sensor(&truth, "joint/elbow/position", 0.01) },
    ];
    let mut start = State::neutral(&truth);
    start.q.copy_from_slice(&[0.9, -0.4]);
    let recording = record(&truth, &sensors, &start, (61, PERIOD, 2), 0.5);
    let mut model = truth.clone();
    for (path, value) in [("link/lower/mass", 1.4), ("joint/shoulder/damping", 0.01)] {
        model.set(model.topology.param_id(path).unwrap(), value);
    }
    let selection = Selection::of(
        &model,
        ["link/lower/mass", "link/lower/com/z", "joint/*/damping", "joint/elbow/placement/z"],
    )
    .unwrap();
    let mut unknowns = Unknowns::of(&model, selection);
    if free {
        unknowns.start = 2 * model.nv();
    }
    if period {
        let free = (f64::NEG_INFINITY, f64::INFINITY);
        let name = "period".to_owned();
        unknowns.period =
            Some(Unknown { name, initial: 1.0, scale: 1.0, bounds: free, prior: None });
    }
    let (plan, weights) = if networks {
        let net = Augmentation::new(
            "damper",
            ["joint/elbow/passive_torque"],
            ["joint/elbow/velocity", "joint/shoulder/position"],
        );
        let blueprint = Blueprint::default().with(net);
        let plan = bind(&blueprint, &model, &StepOptions::<f64>::new(1e-3).contact).unwrap();
        let weights: Vec<f64> =
            (0..plan.n_weights()).map(|k| 0.3 * (1.0 + 0.7 * k as f64).sin()).collect();
        unknowns.weights = weights.len();
        (Arc::new(plan), weights)
    } else {
        (no_networks(&model), Vec::new())
    };
    let recordings = vec![recording];
    let windows = cut(&recordings, 12, 12, 3);
    let guess = State::neutral(&model);
    let states =
        estimate_states(&model, &sensors, &recordings[0], PERIOD, &guess, &Estimate::default());
    let starts = windows.iter().map(|w| states[w.first].clone()).collect();
    let mut options = StepOptions::new(PERIOD / 2.0);
    options.contact.solver = gradbody_contact::Solver::Off;
    let mut fit = Fit::new(FitParts {
        model,
        plan,
        weights,
        unknowns,
        sensors,
        recordings,
        windows,
        starts,
        options,
        substeps: 2,
    });
    fit.unknowns.params[0].prior = Some(Prior { mean: 1.2, sigma: 3.0 });
    fit.weight_decay = 0.1;
    if jump {
        fit.jump = Some((0.02, 0.05));
    }
    Set { fit, truth }
}

/// Windows are rolled out side by side, short ones beside longer ones.
#[test]
fn windows_of_several_lengths_are_as_each_alone() {
    let Set { mut fit, .. } = pendulum(false, false, false, false);
    fit.unknowns.params[0].prior = None;
    for (window, length) in fit.windows.iter_mut().zip([12, 10, 11, 5, 9]) {
        window.length = length;
    }
    let x = fit.initial();
    let mut together = vec![0.0; x.len()];
    let cost = fit.gradient(&x, &mut together);
    let (mut alone, mut sum) = (vec![0.0; x.len()], 0.0);
    for k in 0..fit.windows.len() {
        let mut one = fit.clone();
        one.windows = vec![fit.windows[k]];
        one.starts = vec![fit.starts[k].clone()];
        let mut gradient = vec![0.0; x.len()];
        sum += one.gradient(&x, &mut gradient);
        alone.iter_mut().zip(&gradient).for_each(|(sum, g)| *sum += g);
    }
    assert!((cost / sum - 1.0).abs() < 1e-12, "{cost} and {sum}");
    assert!((fit.cost(&x) / sum - 1.0).abs() < 1e-12);
    let largest = alone.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
    for (together, alone) in together.iter().zip(&alone) {
        assert!((together - alone).abs() < 1e-10 * largest, "{together} and {alone}");
    }
}

/// Adjoint, dual numbers and differences, at a point off everything special.
fn compare_gradients(fit: &Fit, name: &str) {
    let mut x = fit.initial();
    for (k, x) in x.iter_mut().enumerate() {
        *x += 0.02 * (1.0 + 1.3 * k as f64).sin();
    }
    let mut adjoint = vec![0.0; x.len()];
    let cost = fit.gradient(&x, &mut adjoint);
    let quadratic = fit.quadratic(&x).unwrap();
    let close =
        |a: f64, b: f64, tolerance: f64| (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()));
    assert!(close(cost, fit.cost(&x), 1e-12), "{name}: {cost} and {}", fit.cost(&x));
    assert!(close(cost, quadratic.cost, 1e-12), "{name}: {cost} and {}", quadratic.cost);
    let size = adjoint.iter().fold(0.0_f64, |size, g| size.max(g.abs()));
    assert!(size > 1.0, "{name}: nothing to compare");
    for k in 0..x.len() {
        let dual = quadratic.gradient[k];
        assert!((adjoint[k] - dual).abs() < 1e-9 * size, "{name} {k}: {} and {dual}", adjoint[k]);
        assert!(adjoint[k] != 0.0, "{name} {k}: no influence");
        let h = 1e-6;
        let mut at = |d: f64| {
            x[k] += d;
            let cost = fit.cost(&x);
            x[k] -= d;
            cost
        };
        let difference = (at(h) - at(-h)) / (2.0 * h);
        let error = (adjoint[k] - difference).abs();
        assert!(error < 1e-6 * size, "{name} {k}: {} and {difference}", adjoint[k]);
    }
    // JᵀJ of a jump touches the next block.
    let dense = quadratic.hessian.dense();
    assert!(dense.symmetric_eigenvalues().min() > -1e-9 * dense.amax(), "{name}: not positive");
}

#[test]
fn gradients_agree_in_every_form() {
    for free in [false, true] {
        for (jump, networks, period) in
            [(false, false, false), (free, true, false), (free, false, true), (free, true, true)]
        {
            let set = pendulum(free, jump, networks, period);
            let name = format!("free {free} jump {jump} networks {networks} period {period}");
            compare_gradients(&set.fit, &name);
        }
    }
}

/// Poses of a body in flight: quaternions, headings, places, free starts on the manifold.
#[test]
fn gradients_agree_for_poses() {
    let model = thrown_body();
    let sensors = vec![
        sensor(&model, "link/body/position/x", 0.01),
        sensor(&model, "link/body/position/y", 0.01),
        sensor(&model, "link/body/position/z", 0.01),
        sensor(&model, "link/body/orientation/w", 0.02),
        sensor(&model, "link/body/heading", 0.05),
    ];
    let mut start = State::neutral(&model);
    start.v.copy_from_slice(&[0.4, -0.2, 1.0, 0.5, -0.8, 1.7]);
    let recordings = vec![record(&model, &sensors, &start, (31, PERIOD, 1), 0.0)];
    let selection = Selection::of(&model, ["link/body/com/*", "link/body/inertia/xx", "gravity/z"]);
    let mut unknowns = Unknowns::of(&model, selection.unwrap());
    unknowns.start = 12;
    let windows = cut(&recordings, 10, 10, 3);
    let guess = State::neutral(&model);
    let states =
        estimate_states(&model, &sensors, &recordings[0], PERIOD, &guess, &Estimate::default());
    // A parabola is near, not exact; and half a step of gravity is in the first step of the Euler scheme.
    let mut expected = start.v.clone();
    expected[2] -= 0.5 * 9.81 * PERIOD;
    for (found, exact) in states[0].v.iter().zip(&expected) {
        assert!((found - exact).abs() < 0.01, "{:?} for {expected:?}", states[0].v);
    }
    let mut fit = Fit::new(FitParts {
        plan: no_networks(&model),
        weights: Vec::new(),
        unknowns,
        sensors,
        starts: windows.iter().map(|w| states[w.first].clone()).collect(),
        recordings,
        windows,
        options: StepOptions::new(PERIOD),
        substeps: 1,
        model,
    });
    fit.jump = Some((0.02, 0.05));
    compare_gradients(&fit, "poses");
}

#[test]
fn parameters_are_found_again() {
    for (free, jump) in [(false, false), (true, false), (true, true)] {
        let Set { mut fit, truth } = pendulum(free, jump, false, false);
        fit.unknowns.params[0].prior = None;
        if !free {
            // Starts that are not free must be right.
            let exact = record_states(&truth, &fit);
            fit.starts = fit.windows.iter().map(|w| exact[w.first].clone()).collect();
        }
        let method = Method::LevenbergMarquardt(LevenbergMarquardt::default());
        let mut search = Search::begin(&method, &fit, fit.initial(), 0).unwrap();
        let before = search.best().1;
        search.run(&fit, &Limits::iterations(100), &mut |_| ControlFlow::Continue(()));
        let (x, cost) = search.best();
        assert!(cost < 1e-12 * before, "free {free}: {cost} of {before}");
        let found = fit.unknowns.values(x);
        let names = fit.unknowns.selection.names();
        for ((name, found), exact) in
            names.iter().zip(&found).zip(fit.unknowns.selection.values(&truth))
        {
            assert!((found - exact).abs() < 1e-6, "free {free} {name}: {found} for {exact}");
        }
    }
}

/// The states of the truth at each sample.
fn record_states(truth: &Model<f64>, fit: &Fit) -> Vec<State<f64>> {
    let mut state = State::neutral(truth);
    state.q.copy_from_slice(&[0.9, -0.4]);
    let (mut trace, mut scratch) = (StepTrace::new(truth), StepScratch::new(truth));
    let options = StepOptions::new(PERIOD / 2.0);
    let mut states = Vec::new();
    for input in &fit.recordings[0].inputs {
        states.push(state.clone());
        for _ in 0..2 {
            step(truth, &mut state, input, &options, &mut NoTaps, &mut trace, &mut scratch);
        }
    }
    states
}

/// A part's gradient is an unbiased estimate: their mean is the whole.
#[test]
fn parts_average_to_the_whole() {
    let Set { mut fit, .. } = pendulum(false, false, true, true);
    fit.windows_in_part = 1;
    let x = fit.initial();
    let mut whole = vec![0.0; x.len()];
    let cost = fit.gradient(&x, &mut whole);
    assert!(fit.parts() > 1);
    // Parts of equal size.
    let each = fit.windows.len() / fit.parts();
    assert_eq!(each * fit.parts(), fit.windows.len(), "choose another number of windows");
    let mut sum = vec![0.0; x.len()];
    let mut costs = 0.0;
    for part in 0..fit.parts() {
        let mut gradient = vec![0.0; x.len()];
        costs += fit.part_gradient(part, &x, &mut gradient);
        sum.iter_mut().zip(&gradient).for_each(|(sum, g)| *sum += g);
    }
    let n = fit.parts() as f64;
    assert!((costs / n - cost).abs() < 1e-12 * cost);
    for (sum, whole) in sum.iter().zip(&whole) {
        assert!((sum / n - whole).abs() < 1e-10 * (1.0 + whole.abs()));
    }
}

/// Recordings of the double pendulum whose damping in the shoulder differs from recording to recording, with noise.
fn disagreeing(spread: f64, noise: f64) -> (Fit, Vec<f64>) {
    let truth = double_pendulum();
    let sensors = vec![
        sensor(&truth, "joint/shoulder/position", noise),
        sensor(&truth, "joint/elbow/position", noise),
    ];
    let id = truth.topology.param_id("joint/shoulder/damping").unwrap();
    let mut random = Random::split_mix(5);
    let mut dampings = Vec::new();
    let mut recordings = Vec::new();
    for k in 0..24 {
        let mut own = truth.clone();
        dampings.push(0.05 * (1.0 + spread * random.normal()));
        own.set(id, dampings[k]);
        let mut start = State::neutral(&own);
        start.q.copy_from_slice(&[0.9, 0.5 * random.signed()]);
        let mut recording = record(&own, &sensors, &start, (41, PERIOD, 1), 0.0);
        recording.measured.iter_mut().for_each(|x| *x += noise * random.normal());
        recordings.push(recording);
    }
    let selection = Selection::of(&truth, ["joint/*/damping"]).unwrap();
    let mut unknowns = Unknowns::of(&truth, selection);
    unknowns.start = 2 * truth.nv();
    let windows = cut(&recordings, 40, 40, 2);
    let guess = State::neutral(&truth);
    let estimate = |r: &Recording| {
        estimate_states(&truth, &sensors, r, PERIOD, &guess, &Estimate::default())[0].clone()
    };
    let starts = recordings.iter().map(estimate).collect();
    let fit = Fit::new(FitParts {
        plan: no_networks(&truth),
        weights: Vec::new(),
        unknowns,
        sensors,
        recordings,
        windows,
        starts,
        options: StepOptions::new(PERIOD),
        substeps: 1,
        model: truth,
    });
    (fit, dampings)
}

/// The best unknowns, and the standard deviation that independent noise would leave in the first.
fn solved(fit: &Fit) -> (Vec<f64>, f64) {
    let method = Method::LevenbergMarquardt(LevenbergMarquardt::default());
    let mut search = Search::begin(&method, fit, fit.initial(), 0).unwrap();
    search.run(fit, &Limits::iterations(50), &mut |_| ControlFlow::Continue(()));
    let x = search.best().0.to_vec();
    let covariance = fit.quadratic(&x).unwrap().hessian.global_covariance().unwrap();
    (x, covariance[(0, 0)].sqrt() * fit.unknowns.params[0].scale)
}

#[test]
fn standard_deviations_are_not_too_small_if_recordings_disagree() {
    let (fit, dampings) = disagreeing(0.2, 1e-4);
    let (x, by_noise) = solved(&fit);
    let left_out = leave_out(&fit, &x).unwrap();
    let sigma = left_out.sigmas[0].unwrap();
    assert_eq!((left_out.groups, left_out.whole_recordings), (24, true));
    let n = dampings.len() as f64;
    let mean = dampings.iter().sum::<f64>() / n;
    let of_mean =
        (dampings.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n * (n - 1.0))).sqrt();
    assert!(by_noise < 0.2 * of_mean, "noise alone: {by_noise}, truth {of_mean}");
    assert!((0.7..1.6).contains(&(sigma / of_mean)), "{sigma}, truth {of_mean}");
    let fitted = x[0] * fit.unknowns.params[0].scale;
    assert!((fitted - mean).abs() < 2.0 * sigma, "{fitted} ± {sigma}, truth {mean}");
}

#[test]
fn where_recordings_agree_leaving_them_out_says_what_noise_says() {
    let (fit, _) = disagreeing(0.0, 1e-3);
    let (x, by_noise) = solved(&fit);
    let sigma = leave_out(&fit, &x).unwrap().sigmas[0].unwrap();
    assert!((0.6..1.6).contains(&(sigma / by_noise)), "{sigma} and {by_noise}");
}

#[test]
fn a_parameter_at_its_bound_has_no_standard_deviation() {
    let (mut fit, _) = disagreeing(0.0, 1e-3);
    fit.unknowns.params[0].bounds = (0.2, 1.0);
    fit.unknowns.params[0].initial = 0.5;
    fit.set_bounds();
    let (x, _) = solved(&fit);
    let left_out = leave_out(&fit, &x).unwrap();
    assert_eq!(left_out.sigmas[0], None, "{x:?}");
    assert!(left_out.sigmas[1].is_some_and(|sigma| sigma > 0.0));
}

/// Over small changes of a smooth motion, secants are the derivatives; a number at its bound has a secant to one side.
#[test]
fn secants_of_a_smooth_motion_are_its_derivatives() {
    for (free, jump) in [(false, false), (true, false), (true, true)] {
        let Set { mut fit, .. } = pendulum(free, jump, false, true);
        // So much that noise explains all errors: windows with more count less.
        fit.sensors.iter_mut().for_each(|sensor| sensor.noise *= 10.0);
        let mut x = fit.initial();
        for (k, x) in x.iter_mut().enumerate().skip(fit.unknowns.n_global()) {
            *x = 1e-3 * (k as f64).sin();
        }
        let exact = fit.quadratic(&x).unwrap();
        fit.secants = Some(Secants::over(&fit, 1e-3, 4));
        let near = |fit: &Fit, tolerance: f64| {
            let found = fit.quadratic(&x).unwrap();
            assert!((found.cost - exact.cost).abs() <= 1e-13 * exact.cost);
            // Windows that settle by themselves leave a gradient to the global unknowns alone.
            let (_, reduced) = exact.hessian.reduced(&exact.gradient).unwrap();
            let mut wanted = exact.gradient.clone();
            if free && !jump {
                wanted.fill(0.0);
                wanted[..reduced.len()].copy_from_slice(reduced.as_slice());
            }
            let size = wanted.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
            for (k, (found, wanted)) in found.gradient.iter().zip(&wanted).enumerate() {
                assert!((found - wanted).abs() < tolerance * size, "{k}: {found} for {wanted}");
            }
            found.gradient
        };
        // Windows that settle count a little less where their cost bends within the noise.
        let central = near(&fit, if free && !jump { 5e-3 } else { 1e-6 });
        if free && !jump {
            let (wanted, _) = exact.hessian.reduced(&exact.gradient).unwrap();
            let found = fit.information_without_jumps(&x).unwrap();
            let off = (&found - &wanted).amax();
            assert!(off < 0.01 * wanted.amax(), "without jumps nothing is less: {found} {wanted}");
        }
        assert_ne!(central, exact.gradient, "they are another way to the same numbers");
        fit.unknowns.params[0].bounds.1 = x[0] * fit.unknowns.params[0].scale;
        near(&fit, 5e-3);
    }
}

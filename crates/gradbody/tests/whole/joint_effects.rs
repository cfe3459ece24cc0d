//! What joints and actuators do by themselves, against closed forms: damping, friction, springs,
//! soft limits, motors and their ranges.

use crate::support::models::{body, single};
use gradbody::dynamics::{
    ActuatorInputs, JointStops, actuator_forces, elastic_energy, joint_forces,
};
use gradbody::model::{ActuatorParams, JointId};
use gradbody::prelude::*;

const NO_GRAVITY: [f64; 3] = [0.0; 3];

fn run(
    model: &Model<f64>,
    state: &mut State<f64>,
    input: &Input<f64>,
    options: &StepOptions<f64>,
    n: usize,
) {
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    for i in 0..n {
        let report = step(model, state, input, options, &mut NoTaps, &mut trace, &mut scratch);
        assert_eq!(report.diverged, None, "step {i}");
    }
}

#[test]
fn slide_on_a_spring_swings_at_its_frequency() {
    // m x'' = −k (x − rest): x = rest + A cos(ω t)
    let (mass, stiffness, rest, amplitude) = (2.5, 160.0, 0.4, 0.3);
    let mut slide = JointSpec::prismatic("slide", Vec3::new(1.0, 2.0, -0.5));
    (slide.params.stiffness, slide.params.rest) = (stiffness, rest);
    let model = single(slide, body(mass, [0.1, 0.2, 0.3], [0.1; 3]), NO_GRAVITY);
    let omega = f64::sqrt(stiffness / mass);
    let mut state = State::neutral(&model);
    state.q[0] = rest + amplitude;
    let options = StepOptions::new(1e-3).with(Integrator::Rk4);
    for _ in 0..10 {
        run(&model, &mut state, &Input::none(&model), &options, 137);
        let (sin, cos) = (omega * state.time).sin_cos();
        let errors =
            [state.q[0] - rest - amplitude * cos, (state.v[0] + amplitude * omega * sin) / omega];
        assert!(errors[0].hypot(errors[1]) < 1e-9, "t = {}: off by {errors:?}", state.time);
    }
    let (energy, stretch) = (elastic_energy(&model, &state.q), state.q[0] - rest);
    assert!((energy - 0.5 * stiffness * stretch * stretch).abs() < 1e-12, "{energy} J");
}

#[test]
fn damped_spring_decays_at_its_rate() {
    // I q'' + d q' + k q = 0, d² < 4 k I, with part of the inertia a rotor's.
    let (inertia, armature, damping, stiffness) = (0.3, 0.2, 0.8, 50.0);
    let mut hinge = JointSpec::revolute("hinge", Vec3::Y).damping(damping);
    (hinge.params.stiffness, hinge.params.armature) = (stiffness, armature);
    let model = single(hinge, body(1.0, [0.0; 3], [0.2, inertia, 0.25]), NO_GRAVITY);
    let total = inertia + armature;
    let decay = damping / (2.0 * total);
    let omega = f64::sqrt(stiffness / total - decay * decay);
    let mut state = State::neutral(&model);
    state.q[0] = 1.0;
    let options = StepOptions::new(1e-3).with(Integrator::Rk4);
    run(&model, &mut state, &Input::none(&model), &options, 1500);
    let t = state.time;
    let want = (-decay * t).exp() * ((omega * t).cos() + decay / omega * (omega * t).sin());
    let error = (state.q[0] - want).abs();
    assert!(error < 1e-9, "at {t} s: {} instead of {want}", state.q[0]);
}

#[test]
fn ball_joint_on_a_spring_swings_about_a_fixed_axis() {
    // A sphere's inertia has no preferred axis: the rotation vector swings as a slide would.
    let (inertia, stiffness) = (0.4, 90.0);
    let mut ball = JointSpec::spherical("ball");
    ball.params.stiffness = stiffness;
    let model = single(ball, body(3.0, [0.0; 3], [inertia; 3]), NO_GRAVITY);
    let turn = Vec3::new(1.2, -0.9, 1.6); // 2.2 rad
    let mut state = State::neutral(&model);
    integrate(&model, &mut state.q, &turn.to_array());
    let omega = f64::sqrt(stiffness / inertia);
    let options = StepOptions::new(5e-4).with(Integrator::Rk4);
    for _ in 0..8 {
        run(&model, &mut state, &Input::none(&model), &options, 173);
        let now = Quat::from_slice(&state.q).log();
        let want = turn * (omega * state.time).cos();
        let error = (now - want).norm();
        assert!(error < 1e-8, "t = {}: {now:?} instead of {want:?}", state.time);
    }
}

#[test]
fn friction_brings_a_wheel_to_rest() {
    // Until it is slow, a wheel loses speed at friction / inertia. Taken at the new velocity, as the
    // implicit scheme does, friction is less by a share of dt · friction / (inertia · v).
    let (inertia, friction) = (0.5, 2.0);
    let mut hinge = JointSpec::revolute("hinge", Vec3::Z);
    hinge.params.friction = friction;
    let wheel = body(1.0, [0.0; 3], [inertia; 3]);
    let model = single(hinge, wheel, NO_GRAVITY);
    for scheme in [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping, Integrator::Rk4] {
        let mut state = State::neutral(&model);
        state.v[0] = 8.0;
        let options = StepOptions::new(1e-3).with(scheme);
        run(&model, &mut state, &Input::none(&model), &options, 1000);
        let want = 8.0 - friction / inertia;
        let allowed = if scheme == Integrator::ImplicitDamping { 5e-3 } else { 1e-9 };
        assert!((state.v[0] - want).abs() < allowed, "{scheme:?} at 1 s: {} rad/s", state.v[0]);
        run(&model, &mut state, &Input::none(&model), &options, 1500);
        assert!(state.v[0].abs() < 1e-9, "{scheme:?} at 2.5 s: still at {} rad/s", state.v[0]);
        // Stopped after v² I / (2 friction).
        let turned = 8.0 * 8.0 * inertia / (2.0 * friction);
        assert!((state.q[0] - turned).abs() < 6e-3, "{scheme:?}: turned {} rad", state.q[0]);
    }
}

#[test]
fn friction_stiffer_than_the_step_is_stable_when_implicit() {
    // friction / friction_velocity · dt / inertia = 1000
    let mut hinge = JointSpec::revolute("hinge", Vec3::Z);
    (hinge.params.friction, hinge.params.friction_velocity) = (2.0, 1e-3);
    let model = single(hinge, body(1.0, [0.0; 3], [0.02; 3]), NO_GRAVITY);
    let mut state = State::neutral(&model);
    state.v[0] = 5.0;
    let options = StepOptions::new(1e-2).with(Integrator::ImplicitDamping);
    let mut speed = state.v[0];
    for i in 0..30 {
        run(&model, &mut state, &Input::none(&model), &options, 1);
        assert!(state.v[0] >= 0.0 && state.v[0] < speed, "step {i}: {speed} to {}", state.v[0]);
        speed = state.v[0];
    }
    assert!(speed < 1e-12, "still at {speed} rad/s");
}

#[test]
fn friction_holds_a_load() {
    // Below its limit friction lets a load creep at w · atanh(load / friction), no faster.
    let mut hinge = JointSpec::revolute("hinge", Vec3::Z);
    hinge.params.friction = 2.0;
    let model = single(hinge, body(1.0, [0.0; 3], [0.5; 3]), NO_GRAVITY);
    let mut state = State::neutral(&model);
    let mut input = Input::none(&model);
    input.tau[0] = 1.2;
    let options = StepOptions::new(1e-3).with(Integrator::ImplicitDamping);
    run(&model, &mut state, &input, &options, 2000);
    let creep = model.params.joints[0].friction_velocity * f64::atanh(0.6);
    assert!((state.v[0] / creep - 1.0).abs() < 1e-6, "{} rad/s, not {creep}", state.v[0]);
}

#[test]
fn soft_limit_holds_a_load() {
    // At rest the depth x beyond the end obeys k x · x / (x + w) = load.
    for (name, spec) in [
        ("revolute", JointSpec::revolute("joint", Vec3::Z)),
        ("prismatic", JointSpec::prismatic("joint", Vec3::Z)),
    ] {
        for side in [1.0, -1.0] {
            let mut spec = spec.clone();
            (spec.params.limit_lower, spec.params.limit_upper) = (-0.5, 0.8);
            let model = single(spec, body(2.0, [0.0; 3], [0.05; 3]), NO_GRAVITY);
            let params = model.params.joints[0];
            let mut state = State::neutral(&model);
            let mut input = Input::none(&model);
            let load = 30.0;
            input.tau[0] = side * load;
            let options = StepOptions::new(1e-4).with(Integrator::Rk4);
            let mut deepest = 0.0_f64;
            for _ in 0..300 {
                run(&model, &mut state, &input, &options, 100);
                deepest = deepest.max(depth(&params, state.q[0]));
            }
            let (k, w) = (params.limit_stiffness, params.limit_softness);
            // k x² − load x − load w = 0
            let want = (load + f64::sqrt(load * load + 4.0 * k * load * w)) / (2.0 * k);
            let rest = depth(&params, state.q[0]);
            println!("{name}, side {side}: rests at {rest:.6}, deepest {deepest:.4}");
            assert!((rest - want).abs() < 1e-9, "{name}, side {side}: depth {rest}, not {want}");
            // It runs in with the work of the load over half a radian or metre: a spring would be
            // entered by √(2 · work / k).
            let bound = f64::sqrt(2.0 * load * 1.0 / k) + 2.0 * want;
            assert!(deepest < bound, "{name}, side {side}: {deepest} deep, bound {bound}");
        }
    }
}

/// How far `q` is beyond the nearer end.
fn depth(params: &gradbody::model::JointParams<f64>, q: f64) -> f64 {
    (q - params.limit_upper).max(params.limit_lower - q).max(0.0)
}

#[test]
fn soft_limit_is_smooth_and_pushes_back() {
    let mut spec = JointSpec::revolute("joint", Vec3::Z);
    (spec.params.limit_lower, spec.params.limit_upper) = (-0.5, 0.8);
    let model = single(spec, body(2.0, [0.0; 3], [0.05; 3]), NO_GRAVITY);
    let model: Model<Dual<f64, 2>> = model.cast();
    let force = |q: f64, v: f64| {
        let mut tau = [Dual::ZERO];
        joint_forces(
            &model,
            &[Dual::variable(q, 0)],
            &[Dual::variable(v, 1)],
            JointStops::Soft,
            &mut tau,
        );
        tau[0]
    };
    // Nothing inside the range, ends included; no jump of force or slope at an end.
    for v in [-3.0, 0.0, 3.0] {
        for q in [-0.5, -0.2, 0.0, 0.8] {
            let Dual { re, eps } = force(q, v);
            assert_eq!((re, eps), (0.0, [0.0; 2]), "at {q} with {v} rad/s");
        }
        let Dual { re, eps } = force(0.8 + 1e-9, v);
        assert!(re.abs() < 1e-5 && eps[0].abs() < 1e-3, "{re} with slope {eps:?} just outside");
    }
    // Outside it pushes back and takes energy out.
    for (q, outwards) in [(-0.55, -1.0), (0.86, 1.0)] {
        let still = force(q, 0.0).re * outwards;
        assert!(still < -1.0, "at {q}: {still} N m outwards");
        assert!(force(q, 2.0 * outwards).re * outwards < still, "at {q}: no damping outwards");
        assert!(force(q, -2.0 * outwards).re * outwards > still, "at {q}: no damping inwards");
    }
}

/// A wheel with one motor of gain 3 and gear 2.
fn motor(integrates: bool, change: impl Fn(&mut ActuatorParams<f64>)) -> Model<f64> {
    let mut builder = ModelBuilder::new("motor");
    builder.gravity(Vec3::ZERO);
    let hinge = JointSpec::revolute("hinge", Vec3::Z);
    builder.link("wheel", FrameId::WORLD, hinge, body(1.0, [0.0; 3], [0.5; 3])).expect("a link");
    let mut params = ActuatorParams {
        gear: 2.0,
        gain: 3.0,
        bias: [0.0; 3],
        control_lower: f64::NEG_INFINITY,
        control_upper: f64::INFINITY,
        activation_lower: f64::NEG_INFINITY,
        activation_upper: f64::INFINITY,
        force_lower: f64::NEG_INFINITY,
        force_upper: f64::INFINITY,
    };
    change(&mut params);
    builder.actuator("motor", JointId::new(0), integrates, params).expect("an actuator");
    builder.build().expect("a model")
}

fn torque(model: &Model<f64>, q: f64, v: f64, control: f64, activation: &[f64]) -> (f64, Vec<f64>) {
    let (mut tau, mut rate) = ([0.0], vec![0.0; model.topology.na]);
    let inputs = ActuatorInputs { q: &[q], v: &[v], control: &[control], activation };
    actuator_forces(model, inputs, &mut tau, &mut rate);
    (tau[0], rate)
}

#[test]
fn motors_keep_to_their_ranges() {
    // torque = gear · clamp(gain · clamp(u) + bias)
    let plain = motor(false, |_| {});
    assert_eq!(torque(&plain, 0.3, 0.4, 0.5, &[]).0, 3.0);
    let servo = motor(false, |p| p.bias = [0.5, -7.0, -1.0]);
    let want = 2.0 * (3.0 * 0.5 + 0.5 - 7.0 * 2.0 * 0.3 - 2.0 * 0.4);
    let got = torque(&servo, 0.3, 0.4, 0.5, &[]).0;
    assert!((got - want).abs() < 1e-14, "servo: {got} instead of {want}");
    let held = motor(false, |p| (p.control_lower, p.control_upper) = (-0.1, 0.2));
    assert_eq!(torque(&held, 0.0, 0.0, 0.5, &[]).0, 2.0 * (3.0 * 0.2));
    assert_eq!(torque(&held, 0.0, 0.0, -0.5, &[]).0, 2.0 * (3.0 * -0.1));
    let weak = motor(false, |p| (p.force_lower, p.force_upper) = (-1.0, 1.25));
    assert_eq!(torque(&weak, 0.0, 0.0, 0.5, &[]).0, 2.5);
    assert_eq!(torque(&weak, 0.0, 0.0, -0.5, &[]).0, -2.0);
    let integrator = motor(true, |p| (p.activation_lower, p.activation_upper) = (-1.0, 1.0));
    assert_eq!(torque(&integrator, 0.0, 0.0, 0.5, &[0.25]), (1.5, vec![0.5]));
    assert_eq!(torque(&integrator, 0.0, 0.0, 0.5, &[4.0]), (6.0, vec![0.5]));
    let mut limited = motor(false, |_| {});
    limited.params.joints[0].effort_limit = 2.0;
    assert_eq!(torque(&limited, 0.0, 0.0, 0.5, &[]).0, 2.0);
    assert_eq!(torque(&limited, 0.0, 0.0, -0.5, &[]).0, -2.0);
}

#[test]
fn effort_limit_holds_for_all_that_drives_a_joint_together() {
    let mut model = motor(false, |_| {});
    model.topology.actuators.push(model.topology.actuators[0].clone());
    model.params.actuators.push(model.params.actuators[0]);
    model.params.joints[0].effort_limit = 2.0;
    let torque = |commanded: f64, controls: [f64; 2]| {
        let mut tau = [commanded];
        let inputs = ActuatorInputs { q: &[0.0], v: &[0.0], control: &controls, activation: &[] };
        actuator_forces(&model, inputs, &mut tau, &mut []);
        tau[0]
    };
    assert_eq!(torque(0.125, [0.125, 0.0625]), 1.25);
    assert_eq!(torque(0.0, [0.5, 0.5]), 2.0, "two motors of 3 N m on a joint that takes 2");
    assert_eq!(torque(0.0, [1.0, -0.75]), 1.5, "6 and −4.5 N m are together within it");
    assert_eq!(torque(9.0, [-0.75, -0.5]), 1.5, "9, −4.5 and −3 N m are together within it");
    assert_eq!(torque(-5.0, [0.0, 0.0]), -2.0, "a command of −5 N m");
}

#[test]
fn command_that_is_no_number_is_reported() {
    // Neither a control range nor an effort limit may turn it into a number.
    let mut model = motor(false, |p| (p.control_lower, p.control_upper) = (-1.0, 1.0));
    model.params.joints[0].effort_limit = 2.0;
    let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
    for (control, tau) in [(f64::NAN, 0.0), (0.0, f64::NAN)] {
        let mut input = Input::none(&model);
        (input.control[0], input.tau[0]) = (control, tau);
        let mut state = State::neutral(&model);
        let report = step(
            &model,
            &mut state,
            &input,
            &StepOptions::new(1e-3),
            &mut NoTaps,
            &mut trace,
            &mut scratch,
        );
        let what = format!("control {control}, tau {tau}: at {} rad/s", state.v[0]);
        assert!(report.diverged.is_some(), "{what}");
    }
}

#[test]
fn activation_integrates_the_control() {
    let model = motor(true, |_| {});
    let mut input = Input::none(&model);
    input.control[0] = 0.5;
    for scheme in [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping, Integrator::Rk4] {
        let mut state = State::neutral(&model);
        run(&model, &mut state, &input, &StepOptions::new(1e-3).with(scheme), 1000);
        assert!((state.activation[0] - 0.5).abs() < 1e-12, "{scheme:?}: {:?}", state.activation);
        // I v' = gear · gain · t / 2 over one second
        let want = 2.0 * 3.0 * 0.25 / 0.5;
        let error = (state.v[0] / want - 1.0).abs();
        let allowed = if scheme == Integrator::Rk4 { 1e-12 } else { 2e-3 };
        assert!(error < allowed, "{scheme:?}: {} rad/s instead of {want}", state.v[0]);
    }
}

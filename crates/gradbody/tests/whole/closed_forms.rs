//! Motions whose course is known: by formula (pendulum, tops), or published (RBDL, Drake).

use crate::support::models::{body, chain, single};
use gradbody::math::Motion;
use gradbody::prelude::*;
use gradbody::sim::Energy;

fn advance(model: &Model<f64>, state: &mut State<f64>, dt: f64, steps: usize) {
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    let options = StepOptions::new(dt).with(Integrator::Rk4);
    let input = Input::none(model);
    for i in 0..steps {
        let report = step(model, state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        assert_eq!(report.diverged, None, "step {i}");
    }
}

fn energy(model: &Model<f64>, state: &State<f64>) -> f64 {
    let mut kin = Kinematics::new(model);
    kinematics(model, &state.q, &mut kin);
    velocities(model, &state.v, &mut kin);
    Energy::of(model, &kin, &state.q, &state.v).total()
}

/// The arithmetic-geometric mean.
fn agm(mut a: f64, mut b: f64) -> f64 {
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

#[test]
fn pendulum_has_the_period_of_the_elliptic_integral() {
    // T = 2π / (ω agm(1, cos(θ/2))), with ω² = m g l / I about the hinge [Gauss]
    let (mass, reach, inertia) = (1.7, 0.6, 0.31);
    let hinge = JointSpec::revolute("hinge", Vec3::new(0.0, 2.0, 0.0));
    let rod = body(mass, [0.0, 0.0, -reach], [0.5, inertia, 0.4]);
    let model = single(hinge, rod, [0.0, 0.0, -9.81]);
    let omega = f64::sqrt(mass * 9.81 * reach / (inertia + mass * reach * reach));
    for amplitude in [1e-3, 0.5, 1.5, 2.5, 3.0] {
        let period = 2.0 * core::f64::consts::PI / (omega * agm(1.0, f64::cos(amplitude / 2.0)));
        let mut state = State::neutral(&model);
        state.q[0] = amplitude;
        let steps = 4000;
        // At a quarter it passes the lowest point, after the whole it is back.
        advance(&model, &mut state, period / steps as f64, steps / 4);
        let (quarter, speed) = (state.q[0].abs() / amplitude, state.v[0]);
        assert!(quarter < 1e-9, "{amplitude} rad: after a quarter period at {}", state.q[0]);
        let fastest = -2.0 * omega * f64::sin(amplitude / 2.0);
        assert!((speed / fastest - 1.0).abs() < 1e-9, "{speed} rad/s there, not {fastest}");
        advance(&model, &mut state, period / steps as f64, 3 * steps / 4);
        let error = (state.q[0] / amplitude - 1.0).abs() + state.v[0].abs() / (omega * amplitude);
        println!("pendulum from {amplitude} rad: off by {error:.1e} after a period");
        assert!(error < 1e-9, "{amplitude} rad: off by {error:e} after a period of {period} s");
    }
}

#[test]
fn symmetric_top_without_torque_precesses() {
    // ω = L/I₁ in the world, plus ω₃ (1 − I₃/I₁) about the body's own axis:
    // R(t) = exp(t L/I₁) R(0) exp(t ω₃ (1 − I₃/I₁) z)        [Landau & Lifshitz, Mechanics, §33]
    for (i1, i3) in [(0.4, 0.1), (0.3, 0.5)] {
        for joint in [JointSpec::spherical("joint"), JointSpec::free("joint")] {
            let angular = if joint.kind.nv() == 6 { 3 } else { 0 };
            let model = single(joint, body(2.0, [0.0; 3], [i1, i1, i3]), [0.0; 3]);
            let mut state = State::neutral(&model);
            let start = Quat::new(0.8, -0.2, 0.3, 0.4).normalized();
            let quat = state.q.len() - 4;
            state.q[quat..].copy_from_slice(&start.to_array());
            let spin_b = Vec3::new(2.0, -1.0, 6.0);
            state.v[angular..].copy_from_slice(&spin_b.to_array());
            let momentum = start.to_mat3() * Vec3::new(i1 * spin_b.x, i1 * spin_b.y, i3 * spin_b.z);

            advance(&model, &mut state, 5e-4, 4000);
            let about_l = Quat::exp(momentum * (state.time / i1));
            let about_z = Quat::exp(Vec3::Z * (state.time * spin_b.z * (1.0 - i3 / i1)));
            let want = about_l * start * about_z;
            let off = (want.conjugate() * Quat::from_slice(&state.q[quat..])).log().norm();
            // The body's own ω turns about its axis.
            let (sin, cos) = (state.time * spin_b.z * (i3 - i1) / i1).sin_cos();
            let (x, y) = (spin_b.x * cos - spin_b.y * sin, spin_b.x * sin + spin_b.y * cos);
            let now = Vec3::from_slice(&state.v[angular..]);
            let slip = (now - Vec3::new(x, y, spin_b.z)).norm();
            println!("free top ({i1}, {i3}): turned {off:.1e} rad from the formula after 2 s");
            assert!(off < 1e-9, "({i1}, {i3}): orientation off by {off:e} rad");
            assert!(slip < 1e-9, "({i1}, {i3}): {now:?} instead of ({x}, {y}, {})", spin_b.z);
        }
    }
}

#[test]
fn heavy_top_precesses_steadily() {
    // A top of spin ω₃ leaning by θ precesses at Ω without nodding if
    // I₁ Ω² cos θ − I₃ ω₃ Ω + m g l = 0, moments about the tip.   [Goldstein, §5.7]
    let (mass, height, i1, i3) = (0.8, 0.25, 0.02, 0.012);
    let (lean, precession) = (0.6_f64, 3.0);
    let about_tip = i1 + mass * height * height;
    let weight = mass * 9.81 * height;
    let spin = (about_tip * precession * precession * lean.cos() + weight) / (i3 * precession);
    let top = body(mass, [0.0, 0.0, height], [i1, i1, i3]);
    let model = single(JointSpec::spherical("tip"), top, [0.0, 0.0, -9.81]);
    let mut state = State::neutral(&model);
    let start = Quat::exp(Vec3::X * lean);
    state.q.copy_from_slice(&start.to_array());
    // ω = Ω z + (ω₃ − Ω cos θ) · axis, in the body's axes
    let vertical_b = start.to_mat3().transpose_mul(Vec3::Z);
    let own = spin - precession * lean.cos();
    let spin_b = vertical_b * precession + Vec3::Z * own;
    state.v.copy_from_slice(&spin_b.to_array());
    for _ in 0..10 {
        advance(&model, &mut state, 2e-4, 1000);
        // It leans along −y at first, and the lean goes round the vertical.
        let axis = Quat::from_slice(&state.q).to_mat3() * Vec3::Z;
        let (sin, cos) = (precession * state.time).sin_cos();
        let want = Vec3::new(sin * lean.sin(), -cos * lean.sin(), lean.cos());
        let error = (axis - want).norm();
        assert!(error < 1e-8, "t = {}: axis {axis:?} instead of {want:?}", state.time);
    }
    println!("heavy top: leans {lean} rad after {} s as at first", state.time);
}

#[test]
fn double_chain_of_rbdl() {
    // RBDL's test of a chain of two: hinges about z at (0,0,0) and (1,0,0), bodies of 1 kg with
    // their centres 1 m from the hinge along x and moments of 1 kg m², gravity along −y, at rest.
    let mut builder = ModelBuilder::new("double chain");
    builder.gravity(Vec3::new(0.0, -9.81, 0.0));
    let link = body(1.0, [1.0, 0.0, 0.0], [1.0; 3]);
    let first = builder
        .link("a", FrameId::WORLD, JointSpec::revolute("first", Vec3::Z), link)
        .expect("a link");
    let second = JointSpec::revolute("second", Vec3::Z)
        .at(Transform::from_translation(Vec3::new(1.0, 0.0, 0.0)));
    builder.link("b", first, second, link).expect("a link");
    let model = builder.build().expect("a model");
    let mut kin = Kinematics::new(&model);
    kinematics(&model, &model.neutral(), &mut kin);
    velocities(&model, &[0.0; 2], &mut kin);
    let mut work = AbaWork::new(&model);
    aba(&model, &kin, &[0.0; 2], &[], &mut work);
    for (got, want) in work.qdd.iter().zip([-5.886, 3.924]) {
        assert!((got - want).abs() < 1e-13, "{got} instead of {want}");
    }
}

#[test]
fn babyboot_of_kane() {
    // The chaotic "babyboot" [Kane 1974], with the values that Drake keeps (SI units here).
    let mut builder = ModelBuilder::new("babyboot");
    let gram_cm2 = 1e-7;
    let rod = body(0.01, [0.0, 0.0, -0.075], [50.0 * gram_cm2; 3]);
    let plate = body(0.1, [0.0, 0.0, -0.2], [2500.0, 500.0, 2000.0].map(|i| i * gram_cm2));
    let a = builder
        .link("rod", FrameId::WORLD, JointSpec::revolute("a", Vec3::X), rod)
        .expect("a link");
    builder.link("plate", a, JointSpec::revolute("b", Vec3::Z), plate).expect("a link");
    let model = builder.build().expect("a model");
    let mut state = State::neutral(&model);
    state.q.copy_from_slice(&[90_f64.to_radians(), 1_f64.to_radians()]);
    let before = energy(&model, &state);
    let mut drift = 0.0_f64;
    for _ in 0..100 {
        advance(&model, &mut state, 1e-4, 1000);
        drift = drift.max((energy(&model, &state) - before).abs());
    }
    let angles = [state.q[0].to_degrees(), state.q[1].to_degrees()];
    println!("babyboot at 10 s: {angles:?}°, {:?} rad/s, energy to {drift:.1e} J", state.v);
    let relative = |got: f64, want: f64| ((got - want) / want).abs();
    for (got, want) in angles.iter().zip([-61.31298334, -929.4778968]) {
        assert!(relative(*got, want) < 5e-8, "{got}° instead of {want}°");
    }
    for (got, want) in state.v.iter().zip([-6.744008, -2.779569]) {
        assert!(relative(*got, want) < 5e-7, "{got} instead of {want} rad/s");
    }
    assert!(drift < 7e-13, "energy drifts by {drift:e} J");
}

#[test]
fn chain_thrown_in_a_circle_pulls_at_its_hinge() {
    // A straight chain turning about its hinge at Ω needs Σ m Ω² r to the hinge, and no torques.
    let (n, length, turning) = (7, 0.4, 5.0);
    let mut model = chain(n, Vec3::Y, length, body(0.3, [0.0, 0.0, -0.2], [0.004; 3]));
    model.params.gravity = Vec3::ZERO;
    let mut v = vec![0.0; n];
    v[0] = turning;
    let mut kin = Kinematics::new(&model);
    kinematics(&model, &model.neutral(), &mut kin);
    velocities(&model, &v, &mut kin);
    let mut work = RneaWork::new(&model);
    rnea(&model, &kin, &vec![0.0; n], &[], &mut work);
    let pull: f64 = (0..n).map(|i| 0.3 * turning * turning * (0.2 + length * i as f64)).sum();
    let force = work.force_w[0];
    let tip = Motion::new(kin.bodies[n - 1].ang_vel_w, kin.bodies[n - 1].lin_vel_w);
    assert!((force.lin - Vec3::new(0.0, 0.0, pull)).norm() < 1e-13 * pull, "{force:?}, {pull} N");
    assert!(work.tau.iter().all(|tau| tau.abs() < 1e-13), "torques {:?}", work.tau);
    let speed = turning * length * (n - 1) as f64;
    assert!((tip.lin.norm() - speed).abs() < 1e-13 * speed, "{tip:?}, {speed} m/s");
}

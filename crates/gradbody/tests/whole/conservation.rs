//! What stays constant over time: momentum without outside forces, the flight of a free body,
//! angular momentum and energy of a spinning one.

use crate::support::models::{body, quadruped, single};
use crate::support::random::Random;
use gradbody::dynamics::{
    centre_of_mass, gravitational_energy, kinetic_energy, momentum, total_mass,
};
use gradbody::math::{Force, Motion};
use gradbody::prelude::*;

/// Steps a model and calls `watch` after each step with the state's kinematics.
fn simulate(
    model: &Model<f64>,
    state: &mut State<f64>,
    input: &Input<f64>,
    options: &StepOptions<f64>,
    steps: usize,
    mut watch: impl FnMut(usize, &State<f64>, &Kinematics<f64>),
) {
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    let mut kin = Kinematics::new(model);
    for i in 1..=steps {
        let report = step(model, state, input, options, &mut NoTaps, &mut trace, &mut scratch);
        assert_eq!(report.diverged, None, "step {i}");
        kinematics(model, &state.q, &mut kin);
        velocities(model, &state.v, &mut kin);
        watch(i, state, &kin);
    }
}

fn kinematics_of(model: &Model<f64>, state: &State<f64>) -> Kinematics<f64> {
    let mut kin = Kinematics::new(model);
    kinematics(model, &state.q, &mut kin);
    velocities(model, &state.v, &mut kin);
    kin
}

/// A quadruped in zero gravity, trunk turned, legs bent, moving, and torques at its joints. They
/// have no friction and no ends, which would only make the steps smaller.
fn floating_quadruped() -> (Model<f64>, State<f64>, Input<f64>) {
    let mut model = quadruped();
    model.params.gravity = Vec3::ZERO;
    for joint in &mut model.params.joints {
        (joint.damping, joint.friction) = (0.0, 0.0);
        (joint.limit_lower, joint.limit_upper) = (f64::NEG_INFINITY, f64::INFINITY);
    }
    let mut random = Random::new(7);
    let mut state = State::neutral(&model);
    state.q = random.configuration(&model);
    state.v = random.numbers(model.nv());
    let mut input = Input::none(&model);
    for tau in &mut input.tau[6..] {
        *tau = 2.0 * random.unit();
    }
    (model, state, input)
}

#[test]
fn torques_inside_a_quadruped_move_neither_its_momentum_nor_its_course() {
    let (model, mut state, input) = floating_quadruped();
    let steps = 2000;
    let options = StepOptions::new(1e-4).with(Integrator::Rk4).without_contact();
    let kin = kinematics_of(&model, &state);
    let (start, com) = (momentum(&model, &kin), centre_of_mass(&model, &kin));
    let course = start.lin * (1.0 / total_mass(&model));
    let q_before = state.q.clone();
    let mut worst = [0.0_f64; 3];
    simulate(&model, &mut state, &input, &options, steps, |i, state, kin| {
        let now = momentum(&model, kin);
        let straight = course.scale_add(state.time, com);
        let errors = [
            (now.lin - start.lin).norm() / start.lin.norm(),
            (now.ang - start.ang).norm() / start.ang.norm(),
            (centre_of_mass(&model, kin) - straight).norm(),
        ];
        let names = ["linear momentum", "angular momentum", "centre of mass"];
        for ((error, worst), name) in errors.into_iter().zip(&mut worst).zip(names) {
            let allowed = 1e-11; // over 2000 steps
            assert!(error <= allowed, "step {i}: {name} is off by {error:e}, allowed {allowed:e}");
            *worst = worst.max(error);
        }
    });
    let moved = crate::support::compare::distance(&state.q[7..], &q_before[7..]);
    assert!(moved > 0.3, "the legs moved by {moved} rad only");
    println!(
        "floating quadruped, {steps} steps: linear momentum {:.1e}, angular {:.1e}, course {:.1e} m",
        worst[0], worst[1], worst[2]
    );
}

#[test]
fn torques_inside_a_quadruped_leave_its_momentum_at_the_level_of_accelerations() {
    let (model, state, mut input) = floating_quadruped();
    let mut random = Random::new(8);
    let kin = kinematics_of(&model, &state);
    let mut work = AbaWork::new(&model);
    let mut without = AbaWork::new(&model);
    for case in 0..20 {
        input.tau[6..].iter_mut().for_each(|tau| *tau = 50.0 * random.unit());
        aba(&model, &kin, &input.tau, &[], &mut work);
        aba(&model, &kin, &vec![0.0; model.nv()], &[], &mut without);
        // Momentum is linear in v: the rate that the torques add is the momentum of what they add
        // to the accelerations.
        let added: Vec<f64> = work.qdd.iter().zip(&without.qdd).map(|(a, b)| a - b).collect();
        let mut moving = kin.clone();
        velocities(&model, &added, &mut moving);
        let Force { ang, lin } = momentum(&model, &moving);
        // Of parts that cancel, the trunk's is the largest.
        let trunk = &moving.bodies[0];
        let motion = Motion::new(trunk.ang_vel_w, trunk.lin_vel_w);
        let part = model.params.links[0].rotated(&trunk.rot_wb).momentum(motion);
        let (scale_lin, scale_ang) = (part.lin.norm(), part.ang.norm());
        let (lin, ang) = (lin.norm() / scale_lin, ang.norm() / scale_ang);
        assert!(lin < 1e-12, "case {case}: linear momentum changes by {lin:e} of {scale_lin}");
        assert!(ang < 1e-12, "case {case}: angular momentum changes by {ang:e} of {scale_ang}");
    }
}

/// A body of three different moments on a free joint at its centre of mass.
fn free_body(gravity: [f64; 3]) -> (Model<f64>, State<f64>) {
    let model = single(JointSpec::free("root"), body(2.5, [0.0; 3], [0.11, 0.23, 0.31]), gravity);
    let mut state = State::neutral(&model);
    let mut random = Random::new(9);
    state.q = random.configuration(&model);
    state.v = vec![1.25, -0.7, 3.1, 5.0, -8.0, 11.0];
    (model, state)
}

#[test]
fn spinning_free_body_flies_straight_to_the_last_bit() {
    let (model, mut state) = free_body([0.0; 3]);
    let (course, spin) = (state.v[..3].to_vec(), state.v[3..].to_vec());
    let mut position = state.q[..3].to_vec();
    let dt = 1e-3;
    simulate(
        &model,
        &mut state,
        &Input::none(&model),
        &StepOptions::new(dt),
        5000,
        |i, state, _| {
            position.iter_mut().zip(&course).for_each(|(x, v)| *x += *v * dt);
            assert_eq!(state.v[..3], course, "velocity after step {i}");
            assert_eq!(state.q[..3], position, "position after step {i}");
        },
    );
    assert!(crate::support::compare::distance(&state.v[3..], &spin) > 1.0, "it does not tumble");
}

#[test]
fn spinning_free_body_falls_as_a_stone() {
    let (model, mut state) = free_body([0.0, 0.0, -9.81]);
    let (start, course) = (state.q[..3].to_vec(), state.v[..3].to_vec());
    let options = StepOptions::new(1e-3).with(Integrator::Rk4);
    simulate(&model, &mut state, &Input::none(&model), &options, 1000, |i, state, _| {
        let t = i as f64 * 1e-3;
        let fall = [0.0, 0.0, -0.5 * 9.81 * t * t];
        for axis in 0..3 {
            let want = start[axis] + course[axis] * t + fall[axis];
            let error = (state.q[axis] - want).abs();
            assert!(error < 1e-12, "t = {t}: axis {axis} is off by {error:e} m");
        }
    });
}

#[test]
fn tumbling_body_keeps_angular_momentum_and_energy() {
    // About the middle axis, so that it turns over and over.
    let (model, mut state) = free_body([0.0; 3]);
    state.v[3..].copy_from_slice(&[1e-3, 6.0, 1e-3]);
    let kin = kinematics_of(&model, &state);
    let start = momentum(&model, &kin).ang;
    let energy = kinetic_energy(&model, &kin, &state.v);
    let options = StepOptions::new(1e-3).with(Integrator::Rk4);
    let (mut turned_over, mut worst) = (false, [0.0_f64; 2]);
    simulate(&model, &mut state, &Input::none(&model), &options, 10_000, |_, state, kin| {
        turned_over |= state.v[4] < -5.0;
        let now = momentum(&model, kin).ang;
        let drift = kinetic_energy(&model, kin, &state.v) - energy;
        worst[0] = worst[0].max((now - start).norm() / start.norm());
        worst[1] = worst[1].max((drift / energy).abs());
    });
    println!("tumbling for 10 s: L drifts by {:.1e}, energy by {:.1e}", worst[0], worst[1]);
    assert!(turned_over, "it never turned over");
    assert!(worst[0] < 1e-9, "angular momentum drifts by {:e}", worst[0]);
    assert!(worst[1] < 1e-9, "energy drifts by {:e}", worst[1]);
}

#[test]
fn thrown_quadruped_keeps_its_energy() {
    let (mut model, mut state, _) = floating_quadruped();
    model.params.gravity = Vec3::new(0.0, 0.0, -9.81);
    let energy_of = |kin: &Kinematics<f64>, v: &[f64]| {
        (kinetic_energy(&model, kin, v), gravitational_energy(&model, kin))
    };
    let (kinetic, height) = energy_of(&kinematics_of(&model, &state), &state.v);
    let options = StepOptions::new(1e-3).with(Integrator::Rk4);
    let mut worst = 0.0_f64;
    simulate(&model, &mut state, &Input::none(&model), &options, 1000, |_, state, kin| {
        let (now, fallen) = energy_of(kin, &state.v);
        worst = worst.max(((now + fallen - kinetic - height) / kinetic).abs());
    });
    println!("thrown quadruped, 1 s: energy drifts by {worst:.1e}");
    assert!(worst < 1e-8, "energy drifts by {worst:e}");
}

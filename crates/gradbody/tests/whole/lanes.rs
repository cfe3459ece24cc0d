//! Many worlds in one number: every algorithm gives each world the bits it would get alone. And f32
//! keeps its digits wherever in the world a robot is.

use crate::support::compare::{distance, largest};
use crate::support::duals::Duals;
use crate::support::lanes::{Lanes32, Lanes64};
use crate::support::models::{quadruped, random_forces, random_robot};
use crate::support::random::Random;
use crate::support::worlds::Worlds;
use gradbody::dynamics::{
    ActuatorInputs, JointStops, MassFactors, actuator_forces, centre_of_mass, factorise,
    implicit_damping, joint_forces, kinetic_energy, local_rate, momentum, solve,
};
use gradbody::math::{Force, Motion};
use gradbody::model::LinkId;
use gradbody::prelude::*;
use gradbody::sim::Simulated;

/// Worlds that differ in every number, in any state.
fn random_worlds(model: &Model<f64>, count: usize) -> Worlds {
    let mut random = Random::new(count as u64);
    let mut worlds = Worlds::default();
    for _ in 0..count {
        let mut model = model.clone();
        for link in &mut model.params.links {
            link.mass *= random.within(0.9, 1.1);
            link.com += random.vector() * 0.02;
        }
        for joint in &mut model.params.joints {
            joint.placement.rot = joint.placement.rot * random.rotation();
            joint.placement.pos += random.vector() * 0.1;
            joint.damping *= random.within(0.5, 2.0);
            joint.friction *= random.within(0.5, 2.0);
            joint.limit_upper *= random.within(0.5, 1.0);
        }
        model.params.gravity += random.vector();
        let mut state = State::neutral(&model);
        state.q = random.configuration(&model);
        state.v = random.numbers(model.nv());
        state.activation = random.numbers(model.topology.na);
        let mut input = Input::none(&model);
        input.tau = random.numbers(model.nv());
        input.control = random.numbers(input.control.len());
        input.external = random_forces(&mut random, &model);
        worlds.models.push(model);
        worlds.states.push(state);
        worlds.inputs.push(input);
    }
    worlds
}

type Results<S> = Vec<(String, Vec<S>)>;

/// What every algorithm gives at a state.
fn everything<S: Simulated>(model: &Model<S>, state: &State<S>, input: &Input<S>) -> Results<S> {
    let mut results: Results<S> = Vec::new();
    let mut put = |name: &str, numbers: Vec<S>| results.push((name.to_owned(), numbers));
    let six = |ang: Vec3<S>, lin: Vec3<S>| [ang.to_array(), lin.to_array()].concat();
    let State { q, v, activation, .. } = state;
    let mut kin = Kinematics::new(model);
    kinematics(model, q, &mut kin);
    velocities(model, v, &mut kin);
    let pose = kin.bodies.iter().flat_map(|b| [b.rot_wb.cols.to_vec(), vec![b.pos_w]].concat());
    put("kinematics", pose.flat_map(Vec3::to_array).collect());
    let motion = kin
        .bodies
        .iter()
        .flat_map(|b| [six(b.ang_vel_w, b.lin_vel_w), six(b.bias_ang_w, b.bias_lin_w)].concat());
    put("velocities", motion.collect());

    let mut inverse = RneaWork::new(model);
    rnea(model, &kin, &input.tau, &input.external, &mut inverse);
    put("rnea", inverse.tau.clone());
    let mut forward = AbaWork::new(model);
    aba(model, &kin, &input.tau, &input.external, &mut forward);
    put("aba", forward.qdd.clone());
    let mut work = CrbaWork::new(model);
    crba(model, &kin, &mut work);
    let entries = |m: &gradbody::dynamics::MassMatrix<S>| {
        (0..model.nv())
            .flat_map(|i| (0..model.nv()).map(move |j| (i, j)))
            .map(|(i, j)| m.at(i, j))
            .collect()
    };
    put("crba", entries(&work.mass_matrix));
    let mut factors = MassFactors::new(model);
    factorise(&work.mass_matrix, &mut factors);
    put("factorise", (0..model.nv()).map(|k| factors.d(k)).collect());
    let mut x = input.tau.clone();
    solve(&factors, &mut x);
    put("solve", x);

    let mut tau = input.tau.clone();
    joint_forces(model, q, v, JointStops::Soft, &mut tau);
    put("joint_forces", tau);
    let (mut tau, mut rate) = (input.tau.clone(), vec![S::ZERO; activation.len()]);
    let inputs = ActuatorInputs { q, v, control: &input.control, activation };
    actuator_forces(model, inputs, &mut tau, &mut rate);
    put("actuator_forces", tau);
    put("activation rates", rate);
    let mut added = vec![S::ZERO; model.nv()];
    let mut tau = input.tau.clone();
    implicit_damping(model, q, v, JointStops::Soft, S::from_f64(1e-3), &mut tau, &mut added);
    put("implicit_damping", added);
    put("implicit_damping, tau", tau);

    let mut moved = q.clone();
    integrate(model, &mut moved, v);
    put("integrate", moved.clone());
    let mut dq = v.clone();
    gradbody::dynamics::difference(model, q, &moved, &mut dq);
    put("difference", dq.clone());
    let mut rate = v.clone();
    local_rate(model, &dq, v, &mut rate);
    put("local_rate", rate);
    let mut columns = vec![Motion::ZERO; model.nv()];
    let last = LinkId::new(model.n_links() - 1);
    let point = kin.bodies[last.index()].pos_w + Vec3::from_f64([0.1, 0.2, -0.3]);
    gradbody::dynamics::point_jacobian(model, &kin, last, point, &mut columns);
    put("point_jacobian", columns.iter().flat_map(|m| six(m.ang, m.lin)).collect());
    let Force { ang, lin } = momentum(model, &kin);
    put("momentum", six(ang, lin));
    put("centre_of_mass", centre_of_mass(model, &kin).to_array().to_vec());
    put("kinetic_energy", vec![kinetic_energy(model, &kin, v)]);

    for scheme in [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping, Integrator::Rk4] {
        let mut state = state.clone();
        let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
        let options = StepOptions::new(1e-3).with(scheme);
        for _ in 0..20 {
            step(model, &mut state, input, &options, &mut NoTaps, &mut trace, &mut scratch);
        }
        let State { time, q, v, activation, .. } = state;
        put(&format!("20 steps of {scheme:?}"), [vec![time], q, v, activation].concat());
    }
    results
}

/// Runs all worlds in lanes of `L` and one by one in `T`, and compares bits.
fn compare<T: Simulated, L: Simulated>(name: &str) {
    for model in [random_robot(3, 14), quadruped()] {
        let worlds = random_worlds(&model, L::LANES);
        let (lanes, state, input) = worlds.at::<L>(0);
        let together = everything(&lanes, &state, &input);
        let mut different_worlds = false;
        for world in 0..L::LANES {
            let (alone, state, input) = worlds.at::<T>(world);
            for ((what, got), (_, want)) in together.iter().zip(everything(&alone, &state, &input))
            {
                assert_eq!(got.len(), want.len());
                for (i, (got, want)) in got.iter().zip(want).enumerate() {
                    let (got, want) = (got.lane(world), want.lane(0));
                    let place = format!("{name}, {}: {what}[{i}]", model.topology.name);
                    assert!(want.is_finite(), "{place}, world {world} alone: {want}");
                    let same = got.to_bits() == want.to_bits();
                    assert!(same, "{place}, world {world}: {got:e} in lanes, {want:e} alone");
                }
                different_worlds |= got.iter().any(|x| x.lane(0) != x.lane(world));
            }
        }
        assert!(different_worlds || L::LANES == 1, "the worlds are all the same");
    }
}

#[test]
fn worlds_in_lanes_of_f64_have_the_bits_of_one() {
    compare::<f64, Lanes64>("lanes of f64");
}

#[test]
fn worlds_in_lanes_of_f32_have_the_bits_of_one() {
    compare::<f32, Lanes32>("lanes of f32");
}

#[test]
fn dual_numbers_have_the_bits_of_plain_ones() {
    compare::<f64, Duals>("dual f64");
}

/// Accelerations of the quadruped with its trunk at `position` moving with `velocity`.
fn accelerations<S: Scalar>(position: [f64; 3], velocity: [f64; 3]) -> Vec<f64> {
    let model = quadruped();
    let mut random = Random::new(11);
    let (mut q, mut v) = (random.configuration(&model), random.numbers(model.nv()));
    let tau = random.numbers(model.nv());
    q[..3].copy_from_slice(&position);
    v[..3].copy_from_slice(&velocity);
    let model: Model<S> = model.cast();
    let cast = |x: &[f64]| -> Vec<S> { x.iter().map(|x| S::from_f64(*x)).collect() };
    let mut kin = Kinematics::new(&model);
    kinematics(&model, &cast(&q), &mut kin);
    velocities(&model, &cast(&v), &mut kin);
    let mut work = AbaWork::new(&model);
    aba(&model, &kin, &cast(&tau), &[], &mut work);
    work.qdd.iter().map(|x| x.lane(0)).collect()
}

#[test]
fn single_precision_is_as_good_a_thousand_kilometres_away() {
    let exact = accelerations::<f64>([0.0; 3], [0.0; 3]);
    let here = accelerations::<f32>([0.0; 3], [0.0; 3]);
    let error = distance(&here, &exact) / largest(&exact);
    println!("f32: accelerations off by {error:.1e}");
    assert!(error < 3e-6, "f32 is off by {error:e}");
    for (position, velocity) in [
        ([100.0, -70.0, 3.0], [0.0; 3]),
        ([1e6, -3e5, 40.0], [0.0; 3]),
        ([0.0; 3], [300.0, -200.0, 5.0]),
    ] {
        let there = accelerations::<f32>(position, velocity);
        assert_eq!(there, here, "at {position:?} m with {velocity:?} m/s");
    }
}

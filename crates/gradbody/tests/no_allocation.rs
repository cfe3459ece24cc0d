//! After set-up nothing allocates: neither the algorithms, nor a step, nor the way back over one; a
//! rollout and its way back allocate what they give, however many steps there are.

#[path = "../../../tests/support/counting.rs"]
mod counting;
// Only what is needed: the rest would be compiled for nothing.
#[path = "whole/support/golden.rs"]
#[allow(dead_code, reason = "the tests of the whole use the rest")]
mod golden;
#[path = "whole/support/models.rs"]
#[allow(dead_code, reason = "the tests of the whole use the rest")]
mod models;
#[path = "whole/support/random.rs"]
#[allow(dead_code, reason = "the tests of the whole use the rest")]
mod random;
#[path = "whole/support/scenes.rs"]
#[allow(dead_code, reason = "the tests of the whole use the rest")]
mod scenes;

use counting::allocations;
use gradbody::contact::{ContactGradient, Solver};
use gradbody::dynamics::{
    ActuatorInputs, JointStops, MassFactors, actuator_forces, bias_forces, centre_of_mass,
    difference, elastic_energy, factorise, frame_jacobian, frame_pose, frame_velocity,
    gravitational_energy, gravity_forces, implicit_damping, joint_forces, kinetic_energy,
    local_rate, momentum, point_jacobian, solve, total_mass,
};
use gradbody::math::Motion;
use gradbody::model::LinkId;
use gradbody::prelude::*;
use gradbody::sim::{
    Constant, Energy, GradientOptions, LinearState, Rollout, RolloutTrace, Simulated,
    StepCotangents, Terminal, rollout_vjp, step_vjp,
};
use models::random_robot;
use random::Random;
use scenes::{World, stack, standing_quadruped};

/// A model with everything a step can meet, and a state of it.
fn set_up<S: Scalar>() -> (Model<S>, State<S>, Input<S>) {
    let model = random_robot(3, 14);
    let mut random = Random::new(1);
    let cast = |x: Vec<f64>| -> Vec<S> { x.into_iter().map(S::from_f64).collect() };
    let (q, v) = (cast(random.configuration(&model)), cast(random.numbers(model.nv())));
    let model: Model<S> = model.cast();
    assert!(model.topology.na > 0, "an actuator with a state");
    let mut state = State::neutral(&model);
    (state.q, state.v) = (q, v);
    let mut input = Input::none(&model);
    input.tau = cast(random.numbers(model.nv()));
    input.control = cast(random.numbers(input.control.len()));
    input.external = vec![gradbody::math::Force::ZERO; model.n_links()];
    (model, state, input)
}

fn algorithms_allocate_nothing<S: Scalar>(scalar: &str) {
    let (model, State { q, v, activation, .. }, Input { control, tau, external, .. }) =
        set_up::<S>();
    let model = &model;
    let mut kin = Kinematics::new(model);
    let mut rnea_work = RneaWork::new(model);
    let mut aba_work = AbaWork::new(model);
    let mut crba_work = CrbaWork::new(model);
    let mut columns = vec![Motion::ZERO; model.nv()];
    let (mut x, mut moved, mut dq) = (tau.clone(), q.clone(), v.clone());
    let mut activation_rate = activation.clone();
    let last = LinkId::new(model.n_links() - 1);
    let tip = model.topology.frame("tip0").expect("a frame");
    let check = |what: &str, work: &mut dyn FnMut()| {
        let count = allocations(work);
        assert_eq!(count, 0, "{scalar}: {what} allocates {count} times");
    };
    let mut factors = MassFactors::new(model);
    let mut added = vec![S::ZERO; model.nv()];
    check("kinematics", &mut || kinematics(model, &q, &mut kin));
    check("velocities", &mut || velocities(model, &v, &mut kin));
    let kin = &kin;
    check("rnea", &mut || rnea(model, kin, &tau, &external, &mut rnea_work));
    check("bias_forces", &mut || bias_forces(model, kin, &mut rnea_work));
    check("gravity_forces", &mut || gravity_forces(model, kin, &mut rnea_work));
    check("aba", &mut || aba(model, kin, &tau, &external, &mut aba_work));
    check("crba", &mut || crba(model, kin, &mut crba_work));
    check("mul", &mut || crba_work.mass_matrix.mul(&tau, &mut x));
    check("factorise", &mut || factorise(&crba_work.mass_matrix, &mut factors));
    check("solve", &mut || solve(&factors, &mut x));
    check("joint_forces", &mut || joint_forces(model, &q, &v, JointStops::Soft, &mut x));
    check("actuator_forces", &mut || {
        let inputs = ActuatorInputs { q: &q, v: &v, control: &control, activation: &activation };
        actuator_forces(model, inputs, &mut x, &mut activation_rate);
    });
    check("implicit_damping", &mut || {
        implicit_damping(model, &q, &v, JointStops::Soft, S::ONE, &mut x, &mut added)
    });
    check("integrate", &mut || integrate(model, &mut moved, &v));
    check("difference", &mut || difference(model, &q, &moved, &mut dq));
    check("local_rate", &mut || local_rate(model, &dq, &v, &mut x));
    check("point_jacobian", &mut || {
        point_jacobian(model, kin, last, kin.bodies[0].pos_w, &mut columns);
    });
    check("frame_jacobian", &mut || frame_jacobian(model, kin, tip, &mut columns));
    check("frames", &mut || {
        core::hint::black_box((frame_pose(model, kin, tip), frame_velocity(model, kin, tip)));
    });
    check("centre_of_mass", &mut || {
        core::hint::black_box(centre_of_mass(model, kin));
    });
    check("momentum", &mut || {
        core::hint::black_box((momentum(model, kin), total_mass(model)));
    });
    check("energies", &mut || {
        core::hint::black_box((
            kinetic_energy(model, kin, &v),
            gravitational_energy(model, kin),
            elastic_energy(model, &q),
            Energy::of(model, kin, &q, &v),
        ));
    });
}

fn steps_allocate_nothing<S: Simulated>(scalar: &str) {
    for scheme in [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping, Integrator::Rk4] {
        let (model, mut state, input) = set_up::<S>();
        let mut trace = StepTrace::new(&model).for_integrator(&model, scheme);
        let mut scratch = StepScratch::new(&model);
        let options = StepOptions::new(1e-3).with(scheme);
        let count = allocations(|| {
            for _ in 0..10 {
                step(&model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
            }
        });
        assert_eq!(count, 0, "{scalar}: 10 steps of {scheme:?} allocate {count} times");
    }
}

/// Steps after the first few, which make room for contacts.
fn steps_with_contact_allocate_nothing<S: Simulated>(scalar: &str) {
    let rigid = Solver::default();
    let mut worlds = vec![
        ("a standing quadruped", standing_quadruped(), rigid),
        ("ten boxes", stack(10, 2e-3), rigid),
        ("ten boxes", stack(10, 2e-3), Solver::HuntCrossley),
    ];
    worlds[0].1.options.joint_stops = JointStops::Hard;
    for (what, world, solver) in worlds {
        let (model, mut state): (Model<S>, State<S>) = (world.model.cast(), world.state.cast());
        let mut input = Input::none(&model);
        for (to, from) in input.control.iter_mut().zip(&world.input.control) {
            *to = S::from_f64(*from);
        }
        let mut options = StepOptions::new(world.options.dt).with_solver(solver);
        options.joint_stops = world.options.joint_stops;
        let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
        let mut steps = |n: usize| {
            let mut contacts = 0;
            for _ in 0..n {
                let report = step(
                    &model,
                    &mut state,
                    &input,
                    &options,
                    &mut NoTaps,
                    &mut trace,
                    &mut scratch,
                );
                assert_eq!(report.diverged, None);
                contacts += report.contacts;
            }
            contacts
        };
        steps(5);
        let mut contacts = 0;
        let count = allocations(|| contacts = steps(20));
        assert!(contacts >= 80, "{scalar}: {what}: {contacts} contacts in 20 steps");
        assert_eq!(count, 0, "{scalar}: 20 steps of {what} by {solver:?} allocate {count} times");
    }
}

#[test]
fn steps_with_contact_allocate_nothing_in_any_scalar() {
    steps_with_contact_allocate_nothing::<f64>("f64");
    steps_with_contact_allocate_nothing::<Lanes<f32, 8>>("lanes");
    steps_with_contact_allocate_nothing::<Dual<f64, 4>>("dual");
}

#[test]
fn algorithms_allocate_nothing_in_any_scalar() {
    algorithms_allocate_nothing::<f64>("f64");
    algorithms_allocate_nothing::<f32>("f32");
    algorithms_allocate_nothing::<Dual<f64, 4>>("dual");
    algorithms_allocate_nothing::<Lanes<f64, 8>>("lanes");
}

#[test]
fn steps_allocate_nothing_in_any_scalar() {
    steps_allocate_nothing::<f64>("f64");
    steps_allocate_nothing::<f32>("f32");
    steps_allocate_nothing::<Dual<f64, 4>>("dual");
    steps_allocate_nothing::<Lanes<f64, 8>>("lanes");
}

/// Scenes to go back over: with rigid contacts, compliant ones, and none.
fn worlds() -> Vec<(&'static str, World, Solver)> {
    vec![
        ("a standing quadruped", standing_quadruped(), Solver::default()),
        ("ten boxes", stack(10, 2e-3), Solver::default()),
        ("ten boxes", stack(10, 2e-3), Solver::HuntCrossley),
        ("ten boxes", stack(10, 2e-3), Solver::Off),
    ]
}

const GRADIENTS: [ContactGradient; 3] = [
    ContactGradient::Implicit,
    ContactGradient::Smoothed { kappa: 1e-3 },
    ContactGradient::Unrolled,
];

/// The way back over steps, after a first time that makes room for their contacts.
#[test]
fn steps_backwards_allocate_nothing() {
    for (what, world, solver) in worlds() {
        for integrator in [Integrator::ImplicitDamping, Integrator::Rk4] {
            for gradient in GRADIENTS {
                let (model, input) = (&world.model, &world.input);
                let options =
                    StepOptions::new(world.options.dt).with_solver(solver).with(integrator);
                let mut trace = StepTrace::new(model).for_gradient(gradient);
                let mut scratch = StepScratch::new(model);
                let mut bars = StepCotangents::zero(model);
                let mut state = world.state.clone();
                let mut go = || {
                    state.copy_from(&world.state);
                    let mut count = 0;
                    for _ in 0..10 {
                        step(
                            model,
                            &mut state,
                            input,
                            &options,
                            &mut NoTaps,
                            &mut trace,
                            &mut scratch,
                        );
                        bars.state.clear();
                        bars.state.v.fill(1.0);
                        let (taps, scratch, bars) = (&mut NoTaps, &mut scratch, &mut bars);
                        count += allocations(|| {
                            step_vjp(model, &trace, taps, scratch, bars);
                        });
                    }
                    count
                };
                let (first, second) = (go(), go());
                let label = format!("{what} by {solver:?}, {integrator:?}, {gradient:?}");
                assert!(first > 0 || solver == Solver::Off, "{label}: nothing touches");
                assert_eq!(second, 0, "{label}: {first} allocations, and then again");
            }
        }
    }
}

/// A rollout and its way back, after a first one that makes room: it allocates its result and its plan,
/// in a number of lists that does not grow with the steps.
#[test]
fn rollouts_backwards_allocate_their_result_only() {
    for (what, world, solver) in worlds() {
        for contact in GRADIENTS {
            let (model, start) = (&world.model, &world.state);
            let options = StepOptions::new(world.options.dt).with_solver(solver);
            let mut trace = RolloutTrace::new(model);
            let mut loss = Terminal(LinearState::mean_of_q(model));
            let mut inputs = Constant::new(model, world.input.clone());
            let how = GradientOptions { contact, ..GradientOptions::default() };
            let mut go = |steps: usize| {
                let rolled = Rollout { model, start, steps, options: &options };
                let (inputs, loss, trace) = (&mut inputs, &mut loss, &mut trace);
                allocations(|| {
                    rollout_vjp(&rolled, inputs, loss, &mut NoTaps, &how, trace).checked().unwrap()
                })
            };
            go(80);
            let counts = [1, 20, 80].map(&mut go);
            let label = format!("{what} by {solver:?}, {contact:?}");
            println!("{label}: {counts:?}");
            assert!(counts.iter().all(|n| *n <= MOST), "{label}: {counts:?} in 1, 20 and 80 steps");
        }
    }
}

/// Lists in a gradient (of the start, and of parameters), made as zeros and as the result, and what a
/// rollout plans: fewer than one for each of 80 steps.
const MOST: usize = 48;

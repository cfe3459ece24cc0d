//! After set-up neither the solver of quadratic programs nor a walking controller allocates, and the cost of a plan takes
//! the buffers of the one before.

#[path = "../../../tests/support/counting.rs"]
mod counting;

use std::path::Path;

use counting::allocations;
use gradbody_control::legged::{
    Command, ConvexMpc, ConvexMpcOptions, Foot, Gait, Quadruped, Walker, WalkerOptions,
};
use gradbody_control::{Actions, Cost, Problem, Quantity, Shooting};
use gradbody_control::{QpSolver, QuadraticProgram};
use gradbody_math::random::Random;
use gradbody_model::import::{Base, ImportOptions, load};
use gradbody_model::{Model, Selection};
use gradbody_optimise::Objective as _;
use gradbody_sim::{GradientOptions, State, StepOptions};

/// A random program within a box.
fn fill(program: &mut QuadraticProgram, n: usize, random: &mut Random) {
    program.reset(n);
    for k in 0..n {
        let row = program.hessian_row_mut(k);
        row[k..].iter_mut().for_each(|x| *x = random.signed());
        row[k] = n as f64;
        program.gradient_mut()[k] = 2.0 * n as f64 * random.signed();
        program.add_row(&[(k, 1.0)], -0.5, 0.5);
    }
}

#[test]
fn a_solver_allocates_nothing() {
    let (mut program, mut random) = (QuadraticProgram::default(), Random::new(1));
    program.reserve(30, 30, 30);
    let mut solver = QpSolver::with_room(30, 30);
    for n in [30, 12, 25] {
        let counted = allocations(|| {
            fill(&mut program, n, &mut random);
            let report = solver.solve(&program, &[]).expect("a minimum");
            assert!(report.active > n / 4);
        });
        assert_eq!(counted, 0);
    }
}

fn laikago() -> Model<f64> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/laikago.urdf");
    let options = ImportOptions { base: Base::Free, ..ImportOptions::default() };
    load(&path, &options).expect("the model is valid").model
}

/// Only a few lists are made anew, whatever the number of knots; a copy of the problem alone would need many more.
#[test]
fn costs_of_plans_share_buffers() {
    let model = laikago();
    let counted = [5, 50].map(|knots| {
        let problem = Problem {
            start: State::neutral(&model),
            options: StepOptions::new(2e-3),
            knots,
            steps: 2,
            actions: Actions::of(&model),
            costs: vec![Cost::new("calm", Quantity::Velocity(vec![0, 7]), vec![0.0; 2], 1.0)],
            model: model.clone(),
        };
        let copied = allocations(|| drop(std::hint::black_box(problem.clone())));
        let actions = vec![1.0; problem.numbers()];
        let how = GradientOptions::default();
        let shooting = Shooting::new(problem, Selection::none(), &[], how).expect("a problem");
        assert!(shooting.cost(&actions).is_finite());
        let counted = allocations(|| {
            shooting.cost(&actions);
        });
        assert!(
            5 * counted < copied,
            "{counted} allocations; a copy of the problem makes {copied}"
        );
        counted
    });
    assert_eq!(counted[0], counted[1]);
}

#[test]
fn a_walking_controller_allocates_nothing() {
    let model = laikago();
    let mut state = State::neutral(&model);
    state.q[2] = 0.409;
    state.q[7..].copy_from_slice(&[0.0, 0.7, -1.4].repeat(4));
    let trunk = model.topology.link("trunk").expect("a trunk");
    let feet = ["FL_foot", "FR_foot", "RL_foot", "RR_foot"];
    let feet = feet
        .map(|name| Foot { frame: model.topology.frame(name).expect("a frame"), radius: 0.0265 });
    let robot = Quadruped::new(&model, trunk, feet, &state.q).expect("a quadruped");
    let gait = Gait::trot(0.5, 0.5);
    let options = ConvexMpcOptions::for_weight(robot.weight());
    let mpc = ConvexMpc::new(&robot, &gait, options).expect("options");
    let walker = Walker::new(&model, robot, gait, WalkerOptions::default(), mpc);
    let mut walker = walker.expect("options");
    let command = Command { forwards: 0.3, sideways: 0.1, turning: 0.2 };
    state.v[1] = 1.0;
    let counted = allocations(|| {
        for step in 0..600 {
            let time = f64::from(step) * 1e-3;
            walker.act(&state, &command, time).expect("forces");
        }
    });
    assert_eq!(counted, 0);
}

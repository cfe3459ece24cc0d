//! Receding horizons: what plans begin with, and robots that stand and run by them.

use std::ops::ControlFlow;

use gradbody_math::Vec3;
use gradbody_model::import::Base;
use gradbody_model::{LinkId, Model};
use gradbody_sim::State;

use super::linear::{linear, one_of_two_rails};
use super::search::hanging_pole;
use super::support::{problem, robot, servo_laikago, stance};
use crate::{
    Begun, ClosedLoop, ClosedLoopEnding, ControlError, Cost, Mpc, MpcOptions, Problem, Push,
    Quantity, Tail, run_closed_loop,
};

fn run_own(problem: Problem, options: MpcOptions, seconds: f64, pushes: &[Push]) -> ClosedLoop {
    let zeros = vec![0.0; problem.numbers()];
    let (plant, start) = (problem.model.clone(), problem.start.clone());
    let mut mpc = Mpc::new(problem, options, &zeros).unwrap();
    run_closed_loop(&mut mpc, &plant, &start, seconds, pushes, |_| ControlFlow::Continue(()))
        .unwrap()
}

/// Where the model is exact and nothing pushes, plans come true: each begins with what is left of the last one.
#[test]
fn plans_come_true() {
    let options = MpcOptions { first_iterations: 3, iterations: 0, ..MpcOptions::default() };
    let mut mpc = Mpc::new(linear(), options, &[0.0; 40]).unwrap();
    let start = mpc.problem().start.clone();
    let first = mpc.replan(&start).unwrap();
    assert!(first.cost < 0.9 * first.before, "{first:?}");
    let planned = mpc.motion().clone();
    let plant = mpc.problem().model.clone();
    let ran =
        run_closed_loop(&mut mpc, &plant, &start, 0.3, &[], |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((ran.ending, ran.replans.len()), (ClosedLoopEnding::Finished, 10));
    assert!(ran.replans.iter().all(|plan| plan.begun != Begun::FirstActions));
    for (is, was) in ran.states.iter().zip(&planned.states) {
        let pairs = is.q.iter().chain(&is.v).zip(was.q.iter().chain(&was.v));
        pairs.for_each(|(is, was)| assert!((is - was).abs() < 1e-12, "{is} and {was}"));
    }
}

/// More plans than it takes for a curvature that shrinks by a factor in each to vanish.
#[test]
fn an_input_of_which_nothing_is_asked_does_not_end_the_plans() {
    let problem = one_of_two_rails();
    let zeros = vec![0.0; problem.numbers()];
    let mut mpc = Mpc::new(problem, MpcOptions::default(), &zeros).unwrap();
    let mut state = mpc.problem().start.clone();
    for plan in 0..150 {
        // Somebody moves the mass.
        state.q[0] = if plan % 2 == 0 { 0.0 } else { 2.0 };
        let made = mpc.replan(&state).unwrap();
        assert!(mpc.gains().is_some() && made.cost < made.before, "plan {plan}: {made:?}");
    }
}

/// Between two plans the gains answer to a push.
#[test]
fn feedback_acts_between_plans() {
    let options = MpcOptions { first_iterations: 3, replan: 20, ..MpcOptions::default() };
    let mut mpc = Mpc::new(linear(), options, &[0.0; 40]).unwrap();
    let start = mpc.problem().start.clone();
    mpc.replan(&start).unwrap();
    let gains = mpc.gains().expect("the costs are convex")[3].clone();
    let mut state = mpc.motion().states[3].clone();
    state.v[1] += 0.1;
    let mut actions = [0.0; 2];
    mpc.act(&state, &mut actions);
    for k in 0..2 {
        let answer = mpc.motion().actions[6 + k] + 0.1 * gains.by_state(k)[3];
        assert!((actions[k] - answer).abs() < 1e-12, "{} and {answer}", actions[k]);
        assert!(gains.by_state(k)[3] < 0.0, "a push is braked");
    }
}

/// Where the model is exact, a plan that takes time begins in the state that the robot reaches meanwhile, so that plans come
/// true all the same. A push while a plan is made is answered by the next one.
#[test]
fn plans_that_take_time_begin_where_the_robot_will_be() {
    let run = |delay: usize, pushes: &[Push]| {
        let options = MpcOptions { first_iterations: 3, replan: 2, delay, ..MpcOptions::default() };
        let mut mpc = Mpc::new(linear(), options, &[0.0; 40]).unwrap();
        let (start, plant) = (mpc.problem().start.clone(), mpc.problem().model.clone());
        run_closed_loop(&mut mpc, &plant, &start, 0.6, pushes, |_| ControlFlow::Continue(()))
            .unwrap()
    };
    let at_once = run(0, &[]);
    for delay in [1, 2] {
        let late = run(delay, &[]);
        assert_eq!(late.replans.len(), at_once.replans.len());
        for (late, at_once) in late.replans.iter().zip(&at_once.replans) {
            let error = (late.cost - at_once.cost).abs();
            assert!(error <= 1e-9 * at_once.cost, "{} and {}", late.cost, at_once.cost);
        }
    }
    let push = Push { link: LinkId::new(0), at: 0.0, seconds: 0.03, force_w: Vec3::X * 20.0 };
    let (pushed, calm) = (run(2, &[push]), run(2, &[]));
    assert_eq!(pushed.replans[1], calm.replans[1], "it does not know of the push yet");
    assert_ne!(pushed.replans[2], calm.replans[2]);
    assert_ne!(run(0, &[push]).replans[1], at_once.replans[1]);
}

/// A pole that stands on a cart, and is held there.
fn standing_pole() -> Problem {
    let mut problem = hanging_pole();
    problem.start.q = vec![0.0, 0.0];
    problem.knots = 50;
    problem.costs[0].when = crate::When::Always;
    problem
}

#[test]
fn a_run_has_the_same_bits_on_one_and_two_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let force_w = Vec3::new(20.0, 0.0, 0.0);
            let push = Push { link: LinkId::new(1), at: 0.1, seconds: 0.05, force_w };
            let options = MpcOptions { iterations: 2, replan: 2, ..MpcOptions::default() };
            let ran = run_own(standing_pole(), options, 1.0, &[push]);
            (ran.states, ran.actions, ran.replans)
        })
    };
    let alone = run(1);
    assert!(alone.0.iter().any(|state| state.q[1].abs() > 0.05), "the pole was pushed");
    assert!(alone.0.last().unwrap().q[1].abs() < 0.02, "{:?}", alone.0.last().unwrap().q);
    assert_eq!(alone, run(2));
}

#[test]
fn a_controller_holds_a_plant_that_differs_from_its_model() {
    let problem = standing_pole();
    let mut plant = problem.model.clone();
    plant.params.links[1].mass *= 1.5;
    plant.params.joints[0].damping = 0.5;
    let mut start = problem.start.clone();
    start.q[1] = 0.1;
    let zeros = vec![0.0; problem.numbers()];
    let mut mpc = Mpc::new(problem, MpcOptions::default(), &zeros).unwrap();
    let ran =
        run_closed_loop(&mut mpc, &plant, &start, 2.0, &[], |_| ControlFlow::Continue(())).unwrap();
    let end = ran.states.last().unwrap();
    assert!(end.q[1].abs() < 0.02, "{:?}", end.q);
}

/// From states at which its gains or its actions lead nowhere, a plan begins with something else, and says so.
#[test]
fn plans_that_diverge_fall_back() {
    let mut problem = hanging_pole();
    problem.model.params.joints[0].effort_limit = f64::INFINITY;
    (problem.actions.lower[0], problem.actions.upper[0]) = (f64::NEG_INFINITY, f64::INFINITY);
    let zeros = vec![0.0; problem.numbers()];
    let options = MpcOptions { iterations: 0, first_iterations: 1, ..MpcOptions::default() };
    let mut mpc = Mpc::new(problem, options, &zeros).unwrap();
    let start = mpc.problem().start.clone();
    let first = mpc.replan(&start).unwrap();
    assert_eq!(first.begun, Begun::FirstActions);
    assert!(mpc.gains().is_some());
    // The gains answer to an angle of many turns by a force that no motion survives; the actions do not.
    let mut far = start.clone();
    far.q[1] = 1e10;
    assert_eq!(mpc.replan(&far).unwrap().begun, Begun::OpenLoop);
    let mut nowhere = start.clone();
    nowhere.v[1] = 1e300;
    let Err(ControlError::FirstMotion { link, .. }) = mpc.replan(&nowhere) else {
        panic!("there is no motion from there")
    };
    assert_eq!(link, "cart");
    assert!(mpc.replan(&start).is_ok(), "it goes on from where there is a motion");
}

/// A plan for a start far away is useless near zero once large actions cost more than any number.
#[test]
fn a_plan_that_is_of_no_use_gives_way_to_the_first_actions() {
    let mut problem = linear();
    let mut late = Cost::new("late", Quantity::Actions(vec![0, 1]), vec![0.0; 2], 1e30);
    late.when = crate::When::Between { from: 10.0, to: 20.0 };
    problem.costs.push(late);
    let options = MpcOptions { iterations: 0, first_iterations: 1, ..MpcOptions::default() };
    let mut mpc = Mpc::new(problem, options, &[0.0; 40]).unwrap();
    let start = mpc.problem().start.clone();
    let mut far = start.clone();
    far.q[0] = 1e145;
    mpc.replan(&far).unwrap();
    assert!(mpc.motion().actions[38].abs() > 1e140, "{:?}", mpc.motion().actions);
    let mut later = start;
    later.time = 10.0;
    assert_eq!(mpc.replan(&later).unwrap().begun, Begun::FirstActions);
    assert_eq!(mpc.motion().actions, [0.0; 40]);
}

#[test]
fn the_tail_of_a_plan_is_as_chosen() {
    let begun_with = |tail: Tail| {
        let options = MpcOptions { iterations: 0, first_iterations: 3, tail, ..Default::default() };
        let mut mpc = Mpc::new(linear(), options, &[0.0; 40]).unwrap();
        let start = mpc.problem().start.clone();
        mpc.replan(&start).unwrap();
        let last = mpc.motion().actions[38..].to_vec();
        let reached = mpc.motion().states[1].clone();
        mpc.replan(&reached).unwrap();
        (last, mpc.motion().actions[38..].to_vec())
    };
    let (last, tail) = begun_with(Tail::Last);
    assert_eq!(last, tail);
    let (_, tail) = begun_with(Tail::Targets);
    assert_eq!(tail, [0.0, 0.2], "the targets of the cost of actions");
}

#[test]
fn impossible_runs_are_refused() {
    let zeros = [0.0; 40];
    let refused = |options: MpcOptions| Mpc::new(linear(), options, &zeros).unwrap_err();
    let none = refused(MpcOptions { replan: 0, ..MpcOptions::default() });
    assert!(none.to_string().contains("replan = 0"));
    let late = refused(MpcOptions { replan: 21, ..MpcOptions::default() });
    assert!(late.to_string().contains("replan = 21"));
    let slow = refused(MpcOptions { replan: 2, delay: 3, ..MpcOptions::default() });
    assert!(slow.to_string().contains("delay = 3"));
    let mut mpc = Mpc::new(linear(), MpcOptions::default(), &zeros).unwrap();
    let mut start = mpc.problem().start.clone();
    let stop = |_: &crate::MpcMoment<'_>| ControlFlow::Break(());
    // One has another number of coordinates, the other hinges in place of rails.
    let same_size = robot("acrobot.urdf", Base::default());
    assert_eq!(same_size.nq(), mpc.problem().model.nq());
    for plant in [robot("pendulum3.urdf", Base::default()), same_size] {
        let ran = run_closed_loop(&mut mpc, &plant, &start, 1.0, &[], stop);
        assert_eq!(ran.unwrap_err(), ControlError::OtherPlant);
    }
    let push = Push { link: LinkId::new(2), at: 0.0, seconds: 1.0, force_w: Vec3::X };
    let ran = run_closed_loop(&mut mpc, &linear().model, &start, 1.0, &[push], stop);
    assert_eq!(ran.unwrap_err().to_string(), "push 0: the model does not have its link");
    let ran = run_closed_loop(&mut mpc, &linear().model, &start, 1.0, &[], stop).unwrap();
    assert_eq!((ran.ending, ran.states.len()), (ClosedLoopEnding::Stopped, 2));
    for seconds in [f64::INFINITY, f64::NAN, -1.0] {
        let ran = run_closed_loop(&mut mpc, &linear().model, &start, seconds, &[], stop);
        assert!(matches!(ran, Err(ControlError::Seconds(_))), "{seconds}");
    }
    start.q[0] = f64::NAN;
    assert_eq!(mpc.replan(&start), Err(ControlError::StartNotFinite));
    start.q.pop();
    assert_eq!(mpc.replan(&start), Err(ControlError::OtherStart));
}

/// A cost of all coordinates `which` in a configuration.
fn configuration(name: &str, which: Vec<usize>, target: &[f64], weight: f64) -> Cost {
    Cost::new(name, Quantity::Configuration(which), target.to_vec(), weight)
}

/// A Laikago with servos that should stand where it stands.
pub(super) fn standing() -> (Problem, Vec<f64>) {
    let (model, start) = servo_laikago();
    let mut problem = problem(model, 2e-3, 30, 5);
    let mut pose = configuration("pose", (0..18).collect(), &start.q, 3.0);
    pose.weights[..2].fill(20.0);
    pose.weights[2..6].fill(50.0);
    let mut calm = Cost::new("calm", Quantity::Velocity((0..18).collect()), vec![0.0; 18], 0.3);
    calm.weights[..6].fill(3.0);
    let near = Cost::new("near", Quantity::Actions((0..12).collect()), stance(), 1.0);
    problem.start = start;
    problem.costs = vec![pose.clone(), calm.clone(), near, pose.at_end(), calm.at_end()];
    let actions = stance().repeat(problem.knots);
    (problem, actions)
}

/// The lowest height of the trunk and the least |w| of its quaternion during a push and the 3 s after it, and the distance
/// from the start at the end.
fn pushed(iterations: u64, force_w: Vec3<f64>) -> (f64, f64, f64) {
    let (problem, actions) = standing();
    let (plant, start) = (problem.model.clone(), problem.start.clone());
    let options = MpcOptions { iterations, first_iterations: iterations, ..MpcOptions::default() };
    let mut mpc = Mpc::new(problem, options, &actions).unwrap();
    let push = Push { link: LinkId::new(0), at: 0.2, seconds: 0.1, force_w };
    let ran =
        run_closed_loop(&mut mpc, &plant, &start, 3.3, &[push], |_| ControlFlow::Continue(()))
            .unwrap();
    assert_eq!(ran.ending, ClosedLoopEnding::Finished);
    let lowest = ran.states.iter().map(|state| state.q[2]).fold(f64::INFINITY, f64::min);
    let turned = ran.states.iter().map(|state| state.q[3].abs()).fold(1.0, f64::min);
    let end = ran.states.last().unwrap();
    println!("{force_w:?}: lowest {lowest}, {turned}, end {:?}", &end.q[..3]);
    (lowest, turned, (end.q[0] - start.q[0]).hypot(end.q[1] - start.q[1]))
}

/// 150 N sideways for 0.1 s hardly move it. 300 N make it step; with servos that only hold the stance it falls.
#[test]
fn a_quadruped_stands_under_pushes() {
    let (lowest, turned, moved) = pushed(1, Vec3::new(0.0, 150.0, 0.0));
    assert!(lowest > 0.38 && turned > 0.999 && moved < 0.1, "{lowest} {turned} {moved}");
    let (lowest, turned, _) = pushed(1, Vec3::new(0.0, 300.0, 0.0));
    assert!(lowest > 0.33 && turned > 0.99, "{lowest} {turned}");
    let (lowest, ..) = pushed(0, Vec3::new(0.0, 300.0, 0.0));
    assert!(lowest < 0.2, "{lowest}");
}

/// A robot in the plane x-z that starts at rest in a configuration, without costs. Returns also its number of actions.
fn runner(file: &str, knots: usize, start: &[f64]) -> (Problem, usize) {
    let model: Model<f64> = robot(file, Base::default());
    let mut problem = problem(model, 5e-3, knots, 2);
    problem.start.q = start.to_vec();
    let actions = problem.actions.len();
    (problem, actions)
}

fn speed(ran: &ClosedLoop) -> f64 {
    let (start, end) = (&ran.states[0], ran.states.last().unwrap());
    (end.q[0] - start.q[0]) / (end.time - start.time)
}

/// In which ranges height and pitch stay.
fn ranges(ran: &ClosedLoop) -> [(f64, f64); 2] {
    [1, 2].map(|k| {
        let of = ran.states.iter().map(|state: &State<f64>| state.q[k]);
        of.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    })
}

/// How often nothing touches the ground after something did.
fn flights(ran: &ClosedLoop, links: usize) -> usize {
    let in_air = |forces: &[Vec3<f64>]| forces.iter().all(|force| *force == Vec3::ZERO);
    let air: Vec<bool> = ran.contact_forces.chunks(links).map(in_air).collect();
    air.windows(2).filter(|pair| !pair[0] && pair[1]).count()
}

/// Nothing says when its foot should leave the ground.
#[test]
fn a_hopper_hops_forwards() {
    let start = [0.0, -0.04, 0.0, 0.0, 0.0, 0.0];
    let (mut problem, _) = runner("hopper.xml", 80, &start);
    let bent = [0.0, 0.0, 0.0, 0.3, 0.6, 0.0];
    let forwards = Cost::new("run", Quantity::Velocity(vec![0]), vec![1.5], 5.0);
    let height = configuration("height", vec![1], &start, 100.0);
    let upright = configuration("upright", vec![2], &start, 20.0);
    problem.costs = [forwards, height, upright].map(|cost| [cost.clone(), cost.at_end()]).concat();
    problem.costs.extend([
        configuration("posture", vec![3, 4, 5], &bent, 1.0),
        Cost::new("effort", Quantity::Actions(vec![0, 1, 2]), vec![0.0; 3], 0.1),
        Cost::new("calm", Quantity::Velocity(vec![2, 3, 4, 5]), vec![0.0; 4], 0.02),
    ]);
    let links = problem.model.n_links();
    let ran = run_own(problem, MpcOptions::default(), 5.0, &[]);
    let [height, pitch] = ranges(&ran);
    let (speed, flights) = (speed(&ran), flights(&ran, links));
    println!("{speed} m/s, {flights} flights, height {height:?}, pitch {pitch:?}");
    assert!(speed > 1.2 && flights > 10, "{speed} m/s, {flights} flights");
    assert!(height.0 > -0.25 && pitch.0 > -0.3 && pitch.1 < 0.3, "{height:?} {pitch:?}");
}

#[test]
fn a_half_cheetah_runs() {
    let mut start = [0.0; 9];
    start[1] = -0.06;
    let (mut problem, n) = runner("half_cheetah.xml", 80, &start);
    problem.costs = vec![
        Cost::new("run", Quantity::Velocity(vec![0]), vec![4.0], 3.0),
        configuration("height", vec![1], &start, 10.0),
        configuration("upright", vec![2], &start, 20.0),
        configuration("posture", (3..9).collect(), &start, 0.3),
        Cost::new("effort", Quantity::Actions((0..n).collect()), vec![0.0; n], 0.3),
        Cost::new("calm", Quantity::Velocity((2..9).collect()), vec![0.0; 7], 0.005),
    ];
    let links = problem.model.n_links();
    let ran = run_own(problem, MpcOptions::default(), 5.0, &[]);
    let [height, pitch] = ranges(&ran);
    let (speed, flights) = (speed(&ran), flights(&ran, links));
    println!("{speed} m/s, {flights} flights, height {height:?}, pitch {pitch:?}");
    assert!(speed > 3.0 && flights > 10, "{speed} m/s, {flights} flights");
    assert!(height.0 > -0.3 && pitch.0 > -0.6 && pitch.1 < 0.8, "{height:?} {pitch:?}");
}

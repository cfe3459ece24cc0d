//! A rollout forwards and back in two calls: to the last bit the gradient of one call, however the way back is kept;
//! and the trace of a step is only read.

use std::sync::Arc;

use crate::support::duals::Duals;
use crate::support::gradient::all_numbers;
use crate::support::random::Random;
use crate::support::scenes::{Scene, World, ball};
use gradbody::contact::ContactGradient;
use gradbody::model::{ActuatorParams, JointId};
use gradbody::prelude::*;
use gradbody::sim::{
    Checkpointing, ControlCost, EnergyCost, Failure, Gradient, GradientOptions, LinearAbout,
    LinearState, Loss, LossCotangents, Moment, Rollout, RolloutTrace, Sequence, StepCotangents,
    TapRecord, Taps, TapsVjp, Target, rollout, rollout_backward, rollout_forward, rollout_vjp,
    step_vjp,
};

const STEPS: usize = 13;
/// The state that cotangents are given of, where they are of one only.
const MIDDLE: usize = 7;
/// Coordinates of the robot.
const NV: usize = 8;

/// Adjoint and dual numbers round differently: of the sum of sizes of what is summed up.
const ROUNDING: f64 = 1e-10;

const KEPT: [Checkpointing; 3] =
    [Checkpointing::StoreAll, Checkpointing::EveryStep, Checkpointing::Revolve { snapshots: 3 }];
const CONTACT: [ContactGradient; 2] = [ContactGradient::Implicit, ContactGradient::Unrolled];

/// A trunk that slides over the ground on an edge, with an arm and a tool on it.
fn robot(solver: Solver, integrator: Integrator) -> World {
    let mut scene = Scene::new(Material { restitution: 0.2, ..Material::with_friction(0.5) });
    scene.ground();
    scene.block("trunk", [0.15, 0.1, 0.08], 2.0);
    let b = &mut scene.builder;
    let trunk = b.topology().frame("trunk").unwrap();
    let mut elbow = JointSpec::revolute("elbow", Vec3::Y)
        .at(Transform::from_translation(Vec3::new(0.1, 0.02, 0.1)));
    (elbow.params.damping, elbow.params.stiffness) = (0.1, 0.5);
    let lever = Inertia { com: Vec3::new(0.1, 0.01, 0.02), ..ball(0.05, 0.5) };
    let arm = b.link("arm", trunk, elbow, lever).unwrap();
    b.link("tool", arm, JointSpec::prismatic("slide", Vec3::X), ball(0.04, 0.3)).unwrap();
    b.actuator("motor", JointId::new(1), false, ActuatorParams::motor(2.0)).unwrap();
    b.actuator("drive", JointId::new(2), true, ActuatorParams::motor(1.0)).unwrap();
    let mut world = scene.world(2e-3);
    world.options = world.options.with_solver(solver).with(integrator);
    world.place(0, [0.1, -0.2, 0.0965], Quat::exp(Vec3::new(0.15, 0.05, 0.3)));
    world.throw(0, [0.4, -0.3, -0.2], [0.3, -0.2, 0.5]);
    world.state.v[6..].copy_from_slice(&[0.7, -0.2]);
    world
}

/// Rigid and compliant contacts, by both kinds of schemes.
fn worlds() -> [(&'static str, World); 4] {
    let rigid = Solver::Ncp(Ncp::default());
    [
        ("rigid", robot(rigid, Integrator::ImplicitDamping)),
        ("rigid by runge-kutta", robot(rigid, Integrator::Rk4)),
        ("compliant", robot(Solver::HuntCrossley, Integrator::ImplicitDamping)),
        ("compliant by runge-kutta", robot(Solver::HuntCrossley, Integrator::Rk4)),
    ]
}

/// Networks on the start of a step, the model, contacts, links and joints; one of them remembers.
fn networks() -> Blueprint {
    let net = |name: &str, output: &'static str, inputs: &[&'static str], scale: f64| {
        let mut of = Augmentation::new(name, [output], inputs.iter().copied());
        (of.output_scale, of.network.hidden) = (scale, vec![4]);
        of
    };
    let mut late = net("late", "joint/elbow/passive_torque", &["joint/elbow/velocity"], 0.3);
    late.network.recurrent = 3;
    let felt = ["contact/*/sliding_velocity", "contact/*/gap"];
    Blueprint::default()
        .with(net("start", "joint/slide/velocity", &["joint/elbow/position"], 1e-3))
        .with(net("mass", "link/arm/mass", &["joint/elbow/velocity"], 0.05))
        .with(net("ground", "contact/*/friction_coefficient", &felt, 0.1))
        .with(net("drag", "link/tool/force/y", &["link/tool/velocity/y"], 0.5))
        .with(late)
}

/// A rollout, with networks or without.
struct Case {
    world: World,
    start: State<f64>,
    inputs: Vec<Input<f64>>,
    bound: Bound<f64>,
}

impl Case {
    fn new(world: World, blueprint: &Blueprint) -> Case {
        let mut random = Random::new(3);
        let inputs = (0..STEPS).map(|_| Input {
            control: random.numbers(2),
            tau: random.numbers(NV),
            ..world.input.clone()
        });
        let (inputs, mut start) = (inputs.collect(), world.state.clone());
        let plan = Arc::new(bind(blueprint, &world.model, &world.options.contact).unwrap());
        let bound = Bound::new(plan.clone(), random.numbers(plan.n_weights())).unwrap();
        bound.begin(&mut start);
        start.memory.copy_from_slice(&random.numbers(plan.n_memory()));
        Case { world, start, inputs, bound }
    }

    /// One with rigid contacts.
    fn rigid(blueprint: &Blueprint) -> Case {
        Case::new(robot(Solver::default(), Integrator::ImplicitDamping), blueprint)
    }

    /// All worlds, without networks and with.
    fn all() -> Vec<(String, Case)> {
        let with = |(name, world)| (format!("{name}, networks"), Case::new(world, &networks()));
        let without = |(name, world): (&str, World)| {
            (name.to_string(), Case::new(world, &Blueprint::default()))
        };
        worlds().into_iter().map(without).chain(worlds().into_iter().map(with)).collect()
    }

    fn rollout(&self) -> Rollout<'_, f64> {
        let World { model, options, .. } = &self.world;
        Rollout { model, start: &self.start, steps: STEPS, options }
    }

    fn sequence(&self) -> Sequence<f64> {
        Sequence::new(&self.world.model, self.inputs.clone())
    }

    /// Something of every state, input and parameter.
    fn loss(&self) -> impl Loss<f64> + use<> {
        let model = &self.world.model;
        let control = ControlCost { control: 0.1, tau: 0.2 };
        (
            LinearState::mean_of_q(model),
            control,
            EnergyCost::new(model, 0.01, Target::Constant(0.0)),
        )
    }

    /// The gradient in one call, as bits.
    fn in_one_call(&self, how: &GradientOptions, trace: &mut RolloutTrace<f64>) -> Vec<u64> {
        let (mut bound, mut inputs, mut loss) = (self.bound.clone(), self.sequence(), self.loss());
        let found = rollout_vjp(&self.rollout(), &mut inputs, &mut loss, &mut bound, how, trace);
        bits(&found.checked().unwrap(), &inputs, &bound)
    }

    /// The gradient in two calls, as bits.
    fn in_two_calls(&self, how: &GradientOptions, trace: &mut RolloutTrace<f64>) -> Vec<u64> {
        let (mut bound, mut inputs, mut loss) = (self.bound.clone(), self.sequence(), self.loss());
        rollout_forward(&self.rollout(), &mut inputs, &mut bound, how, |_| {}, trace);
        let judge = |at: &Moment<'_, f64>, bars: &mut LossCotangents<'_, f64>| {
            loss.cost_vjp(at, 1.0, bars);
            loss.cost(at)
        };
        let found = rollout_backward(&self.world.model, &mut inputs, &mut bound, judge, trace);
        bits(&found.checked().unwrap(), &inputs, &bound)
    }
}

/// Every number of a gradient.
fn bits(gradient: &Gradient<f64>, inputs: &Sequence<f64>, bound: &Bound<f64>) -> Vec<u64> {
    let mut numbers = all_numbers(gradient, inputs, 0);
    numbers.extend(gradient.start.memory.iter().chain(&bound.weights_bar).chain([&gradient.cost]));
    numbers.into_iter().map(f64::to_bits).collect()
}

/// How many numbers are not zero.
fn count(bits: &[u64]) -> usize {
    bits.iter().filter(|bits| f64::from_bits(**bits) != 0.0).count()
}

#[test]
fn two_calls_give_the_gradient_of_one_however_it_is_kept() {
    for (name, case) in Case::all() {
        // One room for all of them, one after the other.
        let mut trace = RolloutTrace::new(&case.world.model);
        for contact in CONTACT {
            let how = GradientOptions { contact, checkpointing: Checkpointing::EveryStep };
            let every_step = case.in_one_call(&how, &mut RolloutTrace::new(&case.world.model));
            assert!(count(&every_step) > 150, "{name}: {} numbers", count(&every_step));
            for checkpointing in KEPT {
                let how = GradientOptions { contact, checkpointing };
                let label = format!("{name}, {contact:?}, {checkpointing:?}");
                assert!(case.in_one_call(&how, &mut trace) == every_step, "{label}: one call");
                assert!(case.in_two_calls(&how, &mut trace) == every_step, "{label}: two calls");
            }
        }
    }
}

/// How often steps are run.
struct Runs(usize);

impl Taps<f64> for Runs {
    fn state(&mut self, _: &mut TapRecord, _: &Input<f64>, _: &mut State<f64>) {
        self.0 += 1;
    }
}

impl TapsVjp<f64> for Runs {}

#[test]
fn with_all_kept_no_step_is_run_twice() {
    let case = Case::rigid(&Blueprint::default());
    let runs = KEPT.map(|checkpointing| {
        let how = GradientOptions { checkpointing, ..GradientOptions::default() };
        let (mut inputs, mut runs) = (case.sequence(), Runs(0));
        let trace = &mut RolloutTrace::new(&case.world.model);
        rollout_forward(&case.rollout(), &mut inputs, &mut runs, &how, |_| {}, trace);
        assert_eq!(runs.0, STEPS, "forwards, {checkpointing:?}");
        let judge = |_: &Moment<'_, f64>, _: &mut LossCotangents<'_, f64>| 0.0;
        rollout_backward(&case.world.model, &mut inputs, &mut runs, judge, trace)
            .checked()
            .unwrap();
        runs.0
    });
    // The last step is gone back over at once.
    assert_eq!(runs[..2], [STEPS, 2 * STEPS - 1]);
    assert!(runs[2] > runs[1], "{runs:?}");
}

/// Where a state is, but for its time, which a rollout counts by itself.
fn place(state: &State<f64>) -> [Vec<f64>; 4] {
    let State { q, v, activation, memory, .. } = state.clone();
    [q, v, activation, memory]
}

#[test]
fn every_state_is_seen_in_order() {
    for (name, case) in Case::all() {
        let World { model, options, .. } = &case.world;
        let (mut world, mut bound) = (Simulation::new(model, *options), case.bound.clone());
        world.state.copy_from(&case.start);
        let (mut expected, mut contacts) = (Vec::new(), 0);
        for input in &case.inputs {
            world.input.copy_from(input);
            contacts += world.step_with(&mut bound).contacts;
            expected.push(place(&world.state));
        }
        assert!(contacts >= STEPS, "{name}: {contacts} contacts");
        for checkpointing in KEPT {
            let how = GradientOptions { checkpointing, ..GradientOptions::default() };
            let (mut inputs, mut seen) = (case.sequence(), Vec::new());
            let each = |at: &Moment<'_, f64>| {
                assert_eq!((at.step, at.steps), (seen.len(), STEPS));
                assert_eq!(at.input.control, case.inputs[at.step].control);
                assert!((at.state.time - 2e-3 * (at.step + 1) as f64).abs() < 1e-15);
                seen.push(place(at.state));
            };
            let (rolled, trace) = (case.rollout(), &mut RolloutTrace::new(model));
            let end = rollout_forward(&rolled, &mut inputs, &mut bound, &how, each, trace);
            assert_eq!(seen, expected, "{name}, {checkpointing:?}");
            assert_eq!(place(&end.end), expected[STEPS - 1]);
            assert_eq!(end.failures, [None]);
            let plain = rollout(&rolled, &mut inputs, &mut case.loss(), &mut bound, trace);
            assert_eq!((plain.end, plain.residual), (end.end, end.residual));
        }
    }
}

#[test]
fn the_way_back_needs_one_way_forward_each_time() {
    let case = Case::rigid(&Blueprint::default());
    let model = &case.world.model;
    for checkpointing in KEPT {
        let how = GradientOptions { checkpointing, ..GradientOptions::default() };
        let (mut inputs, mut trace) = (case.sequence(), RolloutTrace::new(model));
        let back = |inputs: &mut Sequence<f64>, trace: &mut RolloutTrace<f64>| {
            let mut loss = LinearState::mean_of_q(model);
            let judge = |at: &Moment<'_, f64>, bars: &mut LossCotangents<'_, f64>| {
                loss.cost_vjp(at, 1.0, bars);
                loss.cost(at)
            };
            rollout_backward(&case.world.model, inputs, &mut NoTaps, judge, trace)
        };
        let nothing = |gradient: Gradient<f64>| {
            assert_eq!(gradient.failures, [Some(Failure::NothingKept)], "{checkpointing:?}");
            assert!(gradient.cost.is_nan());
            assert!([gradient.start.q, gradient.start.v].concat().iter().all(|bar| *bar == 0.0));
        };
        nothing(back(&mut inputs, &mut trace));
        let rolled = case.rollout();
        rollout_forward(&rolled, &mut inputs, &mut NoTaps, &how, |_| {}, &mut trace);
        let first = back(&mut inputs, &mut trace).checked().unwrap();
        nothing(back(&mut inputs, &mut trace));
        // One call is both ways, and leaves nothing.
        let mut loss = LinearState::mean_of_q(model);
        let found = rollout_vjp(&rolled, &mut inputs, &mut loss, &mut NoTaps, &how, &mut trace);
        nothing(back(&mut inputs, &mut trace));
        rollout_forward(&rolled, &mut inputs, &mut NoTaps, &how, |_| {}, &mut trace);
        let again = back(&mut inputs, &mut trace).checked().unwrap();
        for gradient in [found.checked().unwrap(), again] {
            assert_eq!(gradient.start.q, first.start.q, "{checkpointing:?}");
            assert_eq!(gradient.start.v, first.start.v, "{checkpointing:?}");
        }
    }
    let message = Failure::NothingKept.to_string();
    assert!(message.contains("each backward pass needs its own forward pass"), "{message}");
}

#[test]
fn a_rollout_of_no_steps_or_one_can_be_gone_back_over() {
    let case = Case::rigid(&networks());
    let model = &case.world.model;
    for (steps, checkpointing) in KEPT.iter().flat_map(|kept| [(0, *kept), (1, *kept)]) {
        let how = GradientOptions { checkpointing, ..GradientOptions::default() };
        let rolled = Rollout { steps, ..case.rollout() };
        let (mut inputs, mut trace) = (case.sequence(), RolloutTrace::new(model));
        let (mut bound, mut seen, mut judged) = (case.bound.clone(), 0, 0);
        rollout_forward(&rolled, &mut inputs, &mut bound, &how, |_| seen += 1, &mut trace);
        let judge = |_: &Moment<'_, f64>, bars: &mut LossCotangents<'_, f64>| {
            judged += 1;
            bars.state.v[6] += 1.0;
            0.0
        };
        let found = rollout_backward(rolled.model, &mut inputs, &mut bound, judge, &mut trace);
        assert_eq!((seen, judged), (steps, steps));
        let slope = found.checked().unwrap().start.v[6];
        assert_eq!(slope != 0.0, steps == 1, "{steps} steps, {checkpointing:?}: {slope}");
    }
}

#[test]
fn what_diverges_forwards_is_reported_both_ways() {
    let mut case = Case::rigid(&Blueprint::default());
    case.inputs[MIDDLE].tau[7] = f64::INFINITY;
    for checkpointing in KEPT {
        let how = GradientOptions { checkpointing, ..GradientOptions::default() };
        let (mut inputs, mut trace) = (case.sequence(), RolloutTrace::new(&case.world.model));
        let (rolled, mut seen) = (case.rollout(), 0);
        let each = |_: &Moment<'_, f64>| seen += 1;
        let end = rollout_forward(&rolled, &mut inputs, &mut NoTaps, &how, each, &mut trace);
        let [Some(Failure::Diverged { step: MIDDLE, .. })] = end.failures[..] else {
            panic!("{checkpointing:?}: {:?}", end.failures)
        };
        assert!(seen > MIDDLE, "{seen} states");
        let judge = |_: &Moment<'_, f64>, _: &mut LossCotangents<'_, f64>| 0.0;
        let found = rollout_backward(rolled.model, &mut inputs, &mut NoTaps, judge, &mut trace);
        assert_eq!(found.failures, end.failures);
    }
}

type D = Duals;

/// The derivatives of a function of the state in the middle by what `vary` makes variables: of the start, the inputs
/// and the weights.
fn duals(
    case: &Case,
    of_middle: &LinearAbout<f64>,
    vary: impl Fn(&Model<D>, &mut State<D>, &mut [Input<D>], &mut [D]),
) -> [f64; NV] {
    let World { model, options, .. } = &case.world;
    let options = options.cast();
    let model: Model<D> = model.cast();
    let (mut start, mut bound) = (case.start.cast(), case.bound.cast());
    let mut inputs: Vec<Input<D>> = case.inputs.iter().map(Input::cast).collect();
    vary(&model, &mut start, &mut inputs, &mut bound.weights);
    let rolled = Rollout { model: &model, start: &start, steps: MIDDLE + 1, options: &options };
    let (mut inputs, of_middle) = (Sequence::new(&model, inputs), of_middle.cast::<D>());
    let mut found = None;
    let each = |at: &Moment<'_, D>| {
        if at.step == MIDDLE {
            found = Some(of_middle.value(at.model, at.state));
        }
    };
    let (how, trace) = (GradientOptions::default(), &mut RolloutTrace::new(&model));
    rollout_forward(&rolled, &mut inputs, &mut bound, &how, each, trace);
    found.expect("it gets there").eps
}

/// Compares numbers, each with the sum of what was compared.
fn check(what: &str, adjoint: &[f64], duals: &[f64]) {
    let size: f64 = duals.iter().map(|x| x.abs()).sum();
    assert!(size > 1e-6, "{what}: {duals:?}");
    assert_eq!(adjoint.len(), duals.len());
    for (k, (a, b)) in adjoint.iter().zip(duals).enumerate() {
        assert!(
            (a - b).abs() < ROUNDING * size,
            "{what} {k}: {a:e} by the adjoint, {b:e} by duals"
        );
    }
}

#[test]
fn cotangents_of_a_state_in_the_middle_go_back_to_the_start() {
    let rigid = || robot(Solver::Ncp(Ncp::converged()), Integrator::ImplicitDamping);
    let compliant = || robot(Solver::HuntCrossley, Integrator::Rk4);
    let none = Blueprint::default();
    let cases = [
        ("rigid", Case::new(rigid(), &none)),
        ("rigid, networks", Case::new(rigid(), &networks())),
        ("compliant by runge-kutta", Case::new(compliant(), &none)),
        ("compliant by runge-kutta, networks", Case::new(compliant(), &networks())),
    ];
    for (name, case) in cases {
        let (rolled, model) = (case.rollout(), &case.world.model);
        let mut random = Random::new(5);
        for checkpointing in KEPT {
            let how = GradientOptions { checkpointing, ..GradientOptions::default() };
            let (mut inputs, mut bound) = (case.sequence(), case.bound.clone());
            let (mut trace, mut middle) = (RolloutTrace::new(model), None);
            let each = |at: &Moment<'_, f64>| {
                if at.step == MIDDLE {
                    middle = Some(at.state.q.clone());
                }
            };
            rollout_forward(&rolled, &mut inputs, &mut bound, &how, each, &mut trace);
            // Only now is said what it is a function of.
            let (q, v) = (random.numbers(NV), random.numbers(NV));
            let mut of_middle =
                LinearAbout { about: middle.unwrap(), q, v, activation: random.numbers(1) };
            let judge = |at: &Moment<'_, f64>, bars: &mut LossCotangents<'_, f64>| {
                if at.step != MIDDLE {
                    return 0.0;
                }
                of_middle.cost_vjp(at, 1.0, bars);
                of_middle.cost(at)
            };
            let found = rollout_backward(rolled.model, &mut inputs, &mut bound, judge, &mut trace);
            let found = found.checked().unwrap();
            let label = format!("{name}, {checkpointing:?}");

            let by_velocity = duals(&case, &of_middle, |_, start, _, _| {
                start.v.iter_mut().enumerate().for_each(|(k, v)| *v = D::variable(v.re, k));
            });
            check(&format!("{label}: velocity"), &found.start.v, &by_velocity);
            let by_place = duals(&case, &of_middle, |model, start, _, _| {
                let dq: Vec<D> = (0..NV).map(|k| D::variable(0.0, k)).collect();
                integrate(model, &mut start.q, &dq);
            });
            check(&format!("{label}: configuration"), &found.start.q, &by_place);
            let by_force = duals(&case, &of_middle, |_, _, inputs, _| {
                let tau = inputs[MIDDLE - 2].tau.iter_mut().enumerate();
                tau.for_each(|(k, tau)| *tau = D::variable(tau.re, k));
            });
            check(&format!("{label}: force"), &inputs.bars[MIDDLE - 2].tau, &by_force);
            // The last weights are of the network that remembers, the first of one at the start of a step.
            let n = bound.weights.len();
            for some in if n > 0 { vec![0..NV, n / 2..n / 2 + NV, n - NV..n] } else { Vec::new() } {
                let by_weights = duals(&case, &of_middle, |_, _, _, weights| {
                    let weights = weights[some.clone()].iter_mut().enumerate();
                    weights.for_each(|(k, weight)| *weight = D::variable(weight.re, k));
                });
                check(&format!("{label}: weights {some:?}"), &bound.weights_bar[some], &by_weights);
            }
            // What comes later has no influence.
            for (k, bar) in inputs.bars.iter().enumerate() {
                let still = bar.tau.iter().chain(&bar.control).all(|bar| *bar == 0.0);
                assert_eq!(still, k > MIDDLE, "{label}: input of step {k}");
            }
        }
    }
}

#[test]
fn a_trace_is_only_read() {
    for (name, case) in Case::all() {
        let World { model, options, .. } = &case.world;
        for contact in CONTACT {
            let (mut state, mut bound) = (case.start.clone(), case.bound.clone());
            let mut trace = StepTrace::new(model).for_gradient(contact);
            let mut scratch = StepScratch::new(model);
            for input in &case.inputs[..3] {
                step(model, &mut state, input, options, &mut bound, &mut trace, &mut scratch);
            }
            assert!(!trace.contacts().is_empty(), "{name}: nothing touches");
            let mut random = Random::new(9);
            let mut after = StepCotangents::zero(model);
            after.state.q = random.numbers(NV);
            after.state.v = random.numbers(NV);
            after.state.memory = random.numbers(state.memory.len());
            let mut back = |scratch: &mut StepScratch<f64>| {
                let mut bars = after.clone();
                bound.begin_back();
                step_vjp(model, &trace, &mut bound, scratch, &mut bars);
                // Each number has a text of its own.
                format!("{bars:?} {:?}", bound.weights_bar)
            };
            let first = back(&mut scratch);
            assert_eq!(first, back(&mut scratch), "{name}, {contact:?}: again");
            let new = &mut StepScratch::new(model);
            assert_eq!(first, back(new), "{name}, {contact:?}: with new buffers");
            assert_eq!(trace.input().control, case.inputs[2].control);
        }
    }
}

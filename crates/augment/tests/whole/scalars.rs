//! Networks in other scalars: a lane has the bits of a world alone, and single precision is near.

use std::sync::Arc;

use crate::support::Scene;
use gradbody_augment::{Augmentation, Blueprint, Bound, Kind, Networks, Plan, bind};
use gradbody_contact::{Ncp, Solver};
use gradbody_dynamics::integrate;
use gradbody_math::random::Random;
use gradbody_math::{Lanes, Scalar};
use gradbody_model::Model;
use gradbody_neural::{Activation, Damping};
use gradbody_sim::{
    Constant, GradientOptions, Input, Integrator, LinearState, Rollout, RolloutTrace, Simulated,
    State, StepScratch, StepTrace, Taps, TapsVjp, rollout_vjp, step,
};

const STEPS: usize = 12;

fn scenes() -> Vec<Scene> {
    vec![
        Scene::new("hunt-crossley", Solver::HuntCrossley, Integrator::ImplicitDamping),
        Scene::new("hunt-crossley by runge-kutta", Solver::HuntCrossley, Integrator::Rk4),
        Scene::new("ncp", Solver::Ncp(Ncp::converged()), Integrator::ImplicitDamping),
    ]
}

/// Networks at joints, links, contacts and the model, of every kind, with memory.
fn blueprint(scene: &Scene) -> Blueprint {
    let sized = |mut of: Augmentation, scale: f64| {
        of.output_scale = scale;
        of.network.hidden = vec![5];
        of
    };
    let joints = ["joint/arm/position", "joint/arm/velocity", "signal/temperature"];
    let mut slow = sized(Augmentation::new("slow", ["joint/arm/passive_torque"], joints), 0.5);
    slow.network.recurrent = 2;
    let mut drag = sized(Augmentation::new("drag", ["joint/*/passive_torque"], []), 0.3);
    drag.kind = Kind::Dissipative(Damping::Full);
    drag.networks = Networks::Together;
    let mut spring = sized(Augmentation::new("spring", ["link/tool/force"], []), 1.0);
    spring.kind = Kind::Conservative;
    let pair = ["link/trunk/wrench", "link/arm/wrench"];
    let mut push = sized(Augmentation::new("push", pair, ["link/arm/pose"]), 0.2);
    push.kind = Kind::Symmetric;
    let mass = sized(Augmentation::new("mass", ["link/arm/mass"], ["joint/arm/velocity"]), 0.05);
    let at = ["contact/*/sliding_velocity", "contact/*/gap", "contact/*/point"];
    let mut ground =
        sized(Augmentation::new("ground", ["contact/*/friction_coefficient"], at), 0.2);
    ground.network.activation = Activation::Elu;
    let felt = ["contact/foot-ground/gap", "contact/*/penetration_rate"];
    let feels = sized(Augmentation::new("feels", ["joint/slider/actuator_force"], felt), 0.3);
    let mut blueprint = Blueprint { signals: scene.signals(), augmentations: Vec::new() };
    for of in [slow, drag, spring, push, mass, ground, feels] {
        blueprint = blueprint.with(of);
    }
    let at = match scene.options.contact.solver.is_rigid() {
        true => ["contact/*/gap", "contact/*/sliding_speed"],
        false => ["contact/*/normal_force", "contact/*/sliding_velocity"],
    };
    blueprint.with(sized(Augmentation::new("rub", ["contact/*/friction"], at), 0.1))
}

/// A start, and weights.
type World = (State<f64>, Vec<f64>);

/// Starts and weights that differ from world to world; in some nothing touches, or only one does.
fn worlds(scene: &Scene, plan: &Plan, count: usize) -> Vec<World> {
    let mut random = Random::new(31);
    let mut world = |k: usize| {
        let mut start = scene.start.clone();
        let dq: Vec<f64> = random.numbers(scene.model.nv()).into_iter().map(|x| 0.01 * x).collect();
        integrate(&scene.model, &mut start.q, &dq);
        start.q[2] += [0.0, 0.01, 1.0, -0.001][k % 4];
        start.v.iter_mut().for_each(|v| *v += 0.3 * random.signed());
        (start, random.numbers(plan.n_weights()))
    };
    (0..count).map(&mut world).collect()
}

/// Whose code runs the networks.
#[derive(Clone, Copy, PartialEq)]
enum CompiledBy {
    /// That of this program.
    Program,
    /// That of the crate, for the scalars that it compiles.
    Crate,
}

/// The last state and the gradient: every number that there is.
fn gradient<S: Simulated>(scene: &Scene, plan: &Arc<Plan>, worlds: &[World]) -> (Vec<S>, usize) {
    gradient_by(CompiledBy::Program, scene, plan, worlds)
}

fn gradient_by<S: Simulated>(
    by: CompiledBy,
    scene: &Scene,
    plan: &Arc<Plan>,
    worlds: &[World],
) -> (Vec<S>, usize) {
    let model: Model<S> = scene.model.cast();
    let lanes = |of: &dyn Fn(&World) -> Vec<f64>| -> Vec<S> {
        let all: Vec<Vec<f64>> = worlds.iter().map(of).collect();
        (0..all[0].len()).map(|i| S::from_lanes(|lane| all[lane][i])).collect()
    };
    let mut bound = Bound::new(plan.clone(), lanes(&|world| world.1.clone())).unwrap();
    let mut start: State<S> = scene.start.cast();
    start.q = lanes(&|world| world.0.q.clone());
    start.v = lanes(&|world| world.0.v.clone());
    bound.begin(&mut start);
    let input: Input<S> = scene.input.cast();
    let options = scene.options.cast();
    let rolled = Rollout { model: &model, start: &start, steps: STEPS, options: &options };
    let mut inputs = Constant::new(&model, input.clone());
    let mut loss = LinearState::mean_of_q(&model);
    let (how, trace) = (GradientOptions::default(), &mut RolloutTrace::new(&model));
    let taps: &mut dyn TapsVjp<S> = match by {
        CompiledBy::Program => &mut bound,
        CompiledBy::Crate => bound.as_taps_vjp(),
    };
    let found = rollout_vjp(&rolled, &mut inputs, &mut loss, taps, &how, trace);
    let found = found.checked().unwrap_or_else(|e| panic!("{}: {e}", scene.name));
    let (mut state, mut contacts) = (start.clone(), 0);
    let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
    for _ in 0..STEPS {
        let taps: &mut dyn Taps<S> = match by {
            CompiledBy::Program => &mut bound,
            CompiledBy::Crate => bound.as_taps(),
        };
        contacts +=
            step(&model, &mut state, &input, &options, taps, &mut trace, &mut scratch).contacts;
    }
    let numbers = [
        &state.q[..],
        &state.v,
        &state.memory,
        &bound.weights_bar,
        &found.start.q,
        &found.start.v,
        &inputs.bar.signals,
        &[found.cost],
    ];
    (numbers.concat(), contacts)
}

#[test]
fn a_world_in_a_lane_has_the_bits_of_a_world_alone() {
    type L = Lanes<f64, 8>;
    for scene in scenes() {
        let plan = bind(&blueprint(&scene), &scene.model, &scene.options.contact);
        let plan = Arc::new(plan.unwrap_or_else(|e| panic!("{e}")));
        let worlds = worlds(&scene, &plan, 8);
        let (together, _) = gradient::<L>(&scene, &plan, &worlds);
        let mut touches = Vec::new();
        for (lane, world) in worlds.iter().enumerate() {
            let (alone, contacts) = gradient::<f64>(&scene, &plan, std::slice::from_ref(world));
            touches.push(contacts);
            assert_eq!(alone.len(), together.len());
            for (k, (got, want)) in together.iter().zip(&alone).enumerate() {
                let got = got.lane(lane);
                let same = got.to_bits() == want.to_bits();
                assert!(same, "{}, lane {lane}: number {k} is {got:e}, not {want:e}", scene.name);
            }
        }
        println!("{}: contacts {touches:?}", scene.name);
        assert!(touches.contains(&0) && touches.iter().any(|n| *n >= STEPS), "{touches:?}");
    }
}

#[test]
fn networks_that_the_crate_compiles_have_the_bits_of_those_of_a_program() {
    fn same<S: Simulated>(scene: &Scene, plan: &Arc<Plan>, worlds: &[World]) {
        let (ours, contacts) = gradient_by::<S>(CompiledBy::Crate, scene, plan, worlds);
        let (theirs, _) = gradient_by::<S>(CompiledBy::Program, scene, plan, worlds);
        let all = (0..S::LANES).flat_map(|lane| ours.iter().map(move |x| (lane, x)));
        let others = (0..S::LANES).flat_map(|lane| theirs.iter().map(move |x| (lane, x)));
        assert!(all.map(|(l, x)| x.lane(l).to_bits()).eq(others.map(|(l, x)| x.lane(l).to_bits())));
        assert!(contacts > 0, "{}: nothing touches", scene.name);
    }
    for scene in scenes() {
        let plan = bind(&blueprint(&scene), &scene.model, &scene.options.contact);
        let plan = Arc::new(plan.unwrap_or_else(|e| panic!("{e}")));
        let worlds = worlds(&scene, &plan, 8);
        same::<f64>(&scene, &plan, &worlds[..1]);
        // Of its own where the build has such vectors, of this program otherwise.
        same::<Lanes<f64, 8>>(&scene, &plan, &worlds);
    }
}

#[test]
fn single_precision_is_near_double() {
    for scene in scenes() {
        let mut scene = scene;
        // What single precision can converge to.
        if scene.options.contact.solver.is_rigid() {
            scene.options.contact.solver = Solver::default();
        }
        let plan = bind(&blueprint(&scene), &scene.model, &scene.options.contact);
        let plan = Arc::new(plan.unwrap_or_else(|e| panic!("{e}")));
        let world = &worlds(&scene, &plan, 1)[..];
        let (double, contacts) = gradient::<f64>(&scene, &plan, world);
        let (single, _) = gradient::<f32>(&scene, &plan, world);
        assert!(contacts > 0, "{}: nothing touches", scene.name);
        let size = double.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let gaps = double.iter().zip(&single).map(|(d, s)| (d - f64::from(*s)).abs());
        let worst = gaps.fold(0.0, f64::max) / size;
        println!("{}: single precision is off by {worst:.1e}", scene.name);
        assert!(worst < 2e-3 && worst > 0.0, "{}: {worst:e}", scene.name);
    }
}

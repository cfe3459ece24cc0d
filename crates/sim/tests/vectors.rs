//! Vectors chosen at run time give the bits of single worlds: run in a build for this machine and in a portable one, which
//! compiles the step for other vectors.

use gradbody_math::{Inertia, Sym3, Transform, Vec3};
use gradbody_model::{
    FrameId, JointSpec, Material, Model, ModelBuilder, Selection, ShapeKind, ShapeParams,
};
use gradbody_sim::{
    Batch, Constant, Gradient, GradientOptions, Kernel, LinearAbout, NoInputs, NoTaps, Precision,
    Rollout, RolloutTrace, Simulated, Simulation, State, StepOptions, Terminal, rollout_vjp,
    run_widest,
};

const WORLDS: usize = 20;
const STEPS: usize = 60;

/// A box on a hinge that hangs from a free body, above the ground.
fn robot() -> Model<f64> {
    let body = |mass: f64| Inertia {
        mass,
        com: Vec3::ZERO,
        rotational: Sym3::diagonal(Vec3::new(0.01, 0.02, 0.015) * mass),
    };
    let mut robot = ModelBuilder::new("boxes");
    let base =
        robot.link("base", FrameId::WORLD, JointSpec::free("root"), body(2.0)).expect("a link");
    let at = Transform { pos: Vec3::X * 0.3, ..Transform::IDENTITY };
    let hinge = JointSpec::revolute("hinge", Vec3::Y).at(at);
    let arm = robot.link("arm", base, hinge, body(1.0)).expect("a link");
    let size = Vec3::new(0.1, 0.08, 0.05);
    for (name, frame) in [("a", base), ("b", arm)] {
        let material = Material::with_friction(0.6);
        let params = ShapeParams { placement: Transform::IDENTITY, size, material };
        robot.shape(name, frame, ShapeKind::Box, params).expect("a shape");
    }
    let mut model = robot.build().expect("a model");
    model.add_ground(0.0, Material::with_friction(0.6)).expect("a ground");
    model
}

/// Where a world begins: each falls and slides in its own way.
fn start(model: &Model<f64>, world: usize) -> State<f64> {
    let mut state = State::neutral(model);
    let w = world as f64;
    state.q[2] = 0.06 + 0.002 * w;
    state.v[0] = 0.5 - 0.07 * w;
    state.v[4] = 0.2 * w;
    state.v[6] = 1.0 - 0.1 * w;
    state
}

/// Where worlds end and the gradients of a function of their ends, of as many worlds as S has lanes.
struct Ends<'a> {
    model: &'a Model<f64>,
    first: usize,
}

impl Kernel for Ends<'_> {
    type Output = Vec<Vec<u64>>;

    fn run<S: Simulated>(self) -> Vec<Vec<u64>> {
        let Ends { model, first } = self;
        let starts: Vec<State<f64>> = (first..first + S::LANES).map(|w| start(model, w)).collect();
        let side_by_side = |of: &dyn Fn(&State<f64>) -> &Vec<f64>| -> Vec<S> {
            (0..of(&starts[0]).len()).map(|k| S::from_lanes(|lane| of(&starts[lane])[k])).collect()
        };
        let in_lanes: Model<S> = model.cast();
        let mut start = State::neutral(&in_lanes);
        (start.q, start.v) = (side_by_side(&|s| &s.q), side_by_side(&|s| &s.v));
        let options = StepOptions::new(2e-3);
        let mut world = Simulation::new(&in_lanes, options).from_state(start.clone());
        world.run(STEPS).expect("finite");
        let rollout = Rollout { model: &in_lanes, start: &start, steps: STEPS, options: &options };
        let ones = vec![1.0; model.nv()];
        let sum =
            LinearAbout { about: model.neutral(), q: ones.clone(), v: ones, activation: vec![] };
        let gradient: Gradient<S> = rollout_vjp(
            &rollout,
            &mut Constant::none(&in_lanes),
            &mut Terminal(sum.cast()),
            &mut NoTaps,
            &GradientOptions::default(),
            &mut RolloutTrace::new(&in_lanes),
        );
        let masses = Selection::of(model, ["link/*/mass", "shape/*/friction"]).expect("selected");
        let params = masses.gradient(&in_lanes, &gradient.params);
        let State { q, v, .. } = &world.state;
        let numbers =
            || q.iter().chain(v).chain(&gradient.start.q).chain(&gradient.start.v).chain(&params);
        (0..S::LANES).map(|lane| numbers().map(|x| x.lane(lane).to_bits()).collect()).collect()
    }
}

fn worlds_are_the_same_on_vectors<T: Precision + Simulated>() {
    let model = robot();
    let mut together = Vec::new();
    while together.len() < WORLDS {
        together.extend(run_widest::<T, _>(Ends { model: &model, first: together.len() }));
    }
    for (world, found) in together.iter().take(WORLDS).enumerate() {
        let alone = &Ends { model: &model, first: world }.run::<T>()[0];
        assert_eq!(found, alone, "world {world}");
        assert!(alone.iter().any(|bits| f64::from_bits(*bits) != 0.0));
    }
    let mut batch: Batch<T> = Batch::new(&model, WORLDS, StepOptions::new(2e-3));
    for world in 0..WORLDS {
        batch.reset(&[world], &start(&model, world)).expect("a world");
    }
    batch.rollout(STEPS, &NoInputs).expect("nothing acts");
    for (world, found) in together.iter().take(WORLDS).enumerate() {
        let end = batch.state(world).expect("a world");
        let bits: Vec<u64> = end.q.iter().chain(&end.v).map(|x| x.to_bits()).collect();
        assert_eq!(bits, found[..bits.len()], "world {world} of the batch");
    }
}

#[test]
fn worlds_of_f64() {
    worlds_are_the_same_on_vectors::<f64>();
}

#[test]
fn worlds_of_f32() {
    worlds_are_the_same_on_vectors::<f32>();
}

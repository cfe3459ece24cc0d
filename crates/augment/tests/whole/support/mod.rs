//! A small robot on the ground, and gradients of its motion with networks inside.
#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod training;

use std::sync::Arc;

use gradbody_augment::{
    Augmentation, Blueprint, Bound, ContactSignal, Mode, Reading, Signal, Site, bind,
};
use gradbody_contact::{Ncp, Solver};
use gradbody_dynamics::{Kinematics, difference, difference_vjp, integrate};
use gradbody_math::random::Random;
use gradbody_math::{Dual, Force, Inertia, Mat3, Scalar, Sym3, Transform, Vec3};
use gradbody_model::{
    ActuatorParams, FrameId, JointId, JointSpec, Material, Model, ModelBuilder, ParamId, ShapeKind,
    ShapeParams,
};
use gradbody_sim::{
    Constant, GradientOptions, Input, Integrator, Loss, LossCotangents, Moment, NoTaps, Rollout,
    RolloutTrace, State, StepOptions, StepScratch, StepTrace, rollout_vjp, step,
};

pub(crate) const STEPS: usize = 6;

/// A model, how it is simulated, and where it begins.
pub(crate) struct Scene {
    pub name: &'static str,
    pub model: Model<f64>,
    pub options: StepOptions<f64>,
    pub start: State<f64>,
    pub input: Input<f64>,
}

impl Scene {
    pub(crate) fn all() -> Vec<Scene> {
        use Integrator::{ImplicitDamping, Rk4};
        let ncp = Solver::Ncp(Ncp::converged());
        vec![
            Scene::new("hunt-crossley", Solver::HuntCrossley, ImplicitDamping),
            Scene::new("hunt-crossley by runge-kutta", Solver::HuntCrossley, Rk4),
            Scene::new("ncp", ncp, ImplicitDamping),
            Scene::new("ncp by runge-kutta", ncp, Rk4),
        ]
    }

    pub(crate) fn new(name: &'static str, solver: Solver, integrator: Integrator) -> Scene {
        let model = robot();
        let mut options = StepOptions::new(2e-3).with_solver(solver).with(integrator);
        options.contact.impact_times = false;
        let mut start = State::neutral(&model);
        // A little inside the ground, sliding and turning.
        let place = Vec3::from_f64([0.1, -0.2, 0.0]);
        let up = tilt().cols[2];
        let place = place + up * (0.0985 - up.dot(place));
        start.q[..3].copy_from_slice(&place.to_array());
        let turn = gradbody_math::Quat::exp(Vec3::new(0.05, -0.08, 0.3));
        start.q[3..7].copy_from_slice(&turn.to_array());
        start.q[7] = 0.3;
        start.q[8] = 0.02;
        start.v.copy_from_slice(&[0.4, -0.3, -0.9, 0.3, -0.2, 0.5, 0.7, -0.1]);
        start.activation[0] = 0.3;
        let mut input = Input::none(&model);
        input.control.copy_from_slice(&[0.4, 0.6]);
        input.tau.iter_mut().enumerate().for_each(|(k, tau)| *tau = 0.2 + 0.05 * k as f64);
        let push =
            Force::new(Vec3::from_f64([0.03, -0.02, 0.04]), Vec3::from_f64([0.5, 0.4, -0.3]));
        input.external = vec![push; model.n_links()];
        input.signals = vec![0.7];
        Scene { name, model, options, start, input }
    }

    pub(crate) fn signals(&self) -> Vec<String> {
        vec!["temperature".into()]
    }

    pub(crate) fn is_found_by_the_solver(&self, site: &Site) -> bool {
        let force = matches!(
            site.signal,
            Signal::Contact(_, ContactSignal::NormalForce | ContactSignal::Friction(_))
        );
        force && self.options.contact.solver.is_rigid()
    }

    /// How networks can change a site: what a solver finds can only be added to.
    pub(crate) fn modes(&self, site: &Site) -> &'static [Mode] {
        match (site.signal.can_change(), self.is_found_by_the_solver(site)) {
            (false, _) => &[],
            (true, true) => &[Mode::Add],
            (true, false) => &[Mode::Add, Mode::Scale, Mode::Replace],
        }
    }

    fn kinematics(&self) -> Kinematics<f64> {
        Kinematics::at(&self.model, &self.start.q, &self.start.v)
    }

    /// A usual value of a site, to replace it by.
    pub(crate) fn usual(&self, site: &Site) -> f64 {
        match site.signal {
            Signal::Param(ParamId::Mass(_)) => 1.0,
            Signal::Param(id) if self.model.get(id) != 0.0 => self.model.get(id),
            Signal::Param(_) => 0.01,
            Signal::Contact(_, ContactSignal::NormalForce | ContactSignal::Friction(_)) => 10.0,
            Signal::Contact(_, ContactSignal::Gap) => -2e-3,
            Signal::Contact(_, ContactSignal::Normal(2)) => -1.0,
            Signal::LinkPosition(link, k) => self.kinematics().bodies[link.index()].pos_w[k],
            Signal::LinkVelocity(link, k) => self.kinematics().bodies[link.index()].lin_vel_w[k],
            _ => 0.5,
        }
    }
}

/// The ground slopes, so that no direction of the world is that of a contact.
fn tilt() -> Mat3<f64> {
    Mat3::from_rpy(Vec3::from_f64([0.1, -0.15, 0.0]))
}

fn robot() -> Model<f64> {
    let body = |mass: f64, com: [f64; 3]| Inertia {
        mass,
        com: Vec3::from_f64(com),
        rotational: Sym3 { xx: 0.02, yy: 0.025, zz: 0.03, xy: 0.001, xz: -0.002, yz: 0.001 },
    };
    let mut robot = ModelBuilder::new("scout");
    let trunk = robot
        .link("trunk", FrameId::WORLD, JointSpec::free("base"), body(2.0, [0.01, -0.01, 0.02]))
        .unwrap();
    let at = |p: [f64; 3]| Transform::from_translation(Vec3::from_f64(p));
    let arm = JointSpec::revolute("arm", Vec3::Y).at(at([0.1, 0.02, 0.05]));
    let arm = robot.link("arm", trunk, arm, body(0.7, [0.1, 0.01, 0.02])).unwrap();
    let slide = JointSpec::prismatic("slider", Vec3::X).at(at([0.01, 0.05, 0.02]));
    robot.link("tool", arm, slide, body(0.4, [0.02, 0.01, 0.03])).unwrap();
    let material = Material { stiffness: 2e4, restitution: 0.3, ..Material::with_friction(0.4) };
    let ball =
        |p: [f64; 3]| ShapeParams { placement: at(p), size: Vec3::from_f64([0.1; 3]), material };
    robot.shape("foot", trunk, ShapeKind::Sphere, ball([0.01, 0.01, 0.005])).unwrap();
    robot.shape("hand", arm, ShapeKind::Sphere, ball([0.2, 0.01, -0.05])).unwrap();
    let motor = ActuatorParams { bias: [0.1, -0.5, -0.05], ..ActuatorParams::motor(2.0) };
    robot.actuator("motor", JointId::new(1), false, motor).unwrap();
    robot.actuator("drive", JointId::new(2), true, motor).unwrap();
    let placement = Transform { rot: tilt(), pos: Vec3::from_f64([0.001, 0.001, 0.001]) };
    let ground = ShapeParams { placement, size: Vec3::ZERO, material };
    robot.shape("ground", FrameId::WORLD, ShapeKind::Plane, ground).unwrap();
    let mut model = robot.build().unwrap();
    model.params.gravity = Vec3::from_f64([0.3, -0.2, -9.81]);
    model.params.joints[0].damping = 0.2;
    for joint in &mut model.params.joints[1..] {
        joint.limit_upper = 0.01;
        joint.limit_lower = -0.5;
        joint.limit_stiffness = 20.0;
        joint.limit_damping = 0.4;
        joint.limit_softness = 0.05;
        joint.damping = 0.3;
        joint.stiffness = 2.0;
        joint.rest = 0.1;
        joint.friction = 0.1;
        joint.friction_velocity = 0.5;
        joint.armature = 0.01;
    }
    model
}

/// A network that changes a site, and reads these besides time, a velocity and a signal.
pub(crate) fn augmented(output: &str, inputs: &[&str]) -> Blueprint {
    let mut augmentation =
        Augmentation::new("net", [], ["time", "joint/slider/velocity", "signal/temperature"]);
    augmentation.outputs = vec![output.to_owned()];
    augmentation.inputs.extend(inputs.iter().map(|site| Reading::from(*site)));
    augmentation.network.hidden = vec![4];
    Blueprint { signals: vec!["temperature".into()], augmentations: vec![augmentation] }
}

/// A weighted sum of all numbers of every state.
struct Weighted {
    from: Vec<f64>,
}

fn weight(k: usize) -> f64 {
    (1.0 + 0.7 * k as f64).sin()
}

impl<S: Scalar> Loss<S> for Weighted {
    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        let nv = at.model.nv();
        let from: Vec<S> = self.from.iter().map(|x| S::from_f64(*x)).collect();
        let mut dq = vec![S::ZERO; nv];
        difference(at.model, &from, &at.state.q, &mut dq);
        let numbers = dq.iter().chain(&at.state.v);
        numbers.enumerate().fold(S::ZERO, |sum, (k, x)| sum + *x * S::from_f64(weight(k)))
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, bar: S, bars: &mut LossCotangents<'_, S>) {
        let nv = at.model.nv();
        let from: Vec<S> = self.from.iter().map(|x| S::from_f64(*x)).collect();
        let dq_bar: Vec<S> = (0..nv).map(|k| bar * S::from_f64(weight(k))).collect();
        let mut unused = vec![S::ZERO; nv];
        difference_vjp(at.model, &from, &at.state.q, &dq_bar, &mut unused, &mut bars.state.q);
        for k in 0..nv {
            bars.state.v[k] += bar * S::from_f64(weight(nv + k));
        }
    }
}

/// Runs a scene with networks and asserts that it moves to the last bit as it does without.
pub(crate) fn check_unchanged(scene: &Scene, blueprint: &Blueprint, label: &str) {
    let plan = Arc::new(bind(blueprint, &scene.model, &scene.options.contact).unwrap());
    let mut bound = Bound::new(plan.clone(), plan.initial_weights()).unwrap();
    let (mut plain, mut tapped) = (scene.start.clone(), scene.start.clone());
    bound.begin(&mut tapped);
    let Scene { model, input, options, .. } = scene;
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    let mut other = StepTrace::new(model);
    for _ in 0..2 * STEPS {
        step(model, &mut plain, input, options, &mut NoTaps, &mut trace, &mut scratch);
        step(model, &mut tapped, input, options, &mut bound, &mut other, &mut scratch);
        assert!(!trace.contacts().is_empty(), "nothing touches");
        assert!(
            plain.q == tapped.q && plain.v == tapped.v,
            "{label}: {:?} is not {:?}",
            tapped.v,
            plain.v
        );
    }
}

/// What was compared.
pub(crate) struct Compared {
    /// The largest difference, relative.
    pub error: f64,
    /// The derivative with respect to the weights, along a direction.
    pub slope: f64,
}

/// Compares the adjoint with dual numbers along directions of weights, start, signals and parameters.
pub(crate) fn check_gradients(scene: &Scene, blueprint: &Blueprint, label: &str) -> Compared {
    let plan = bind(blueprint, &scene.model, &scene.options.contact);
    let plan = Arc::new(plan.unwrap_or_else(|e| panic!("{label}: {e}")));
    let mut random = Random::new(7);
    let mut weights = random.numbers(plan.n_weights());
    // What replaces a value is not far from it: the last layer is a bias, mostly.
    if let [.., a, b, c, d, bias] = &mut weights[..] {
        for weight in [a, b, c, d] {
            *weight *= 0.05;
        }
        *bias = 1.0;
    }
    let mut bound = Bound::new(plan.clone(), weights.clone()).unwrap();
    let mut start = scene.start.clone();
    bound.begin(&mut start);
    start.memory.iter_mut().for_each(|m| *m = 0.1);
    let model = &scene.model;
    let rolled = Rollout { model, start: &start, steps: STEPS, options: &scene.options };
    let mut inputs = Constant::new(model, scene.input.clone());
    let mut loss = Weighted { from: model.neutral() };
    let how = GradientOptions::default();
    let found = rollout_vjp(
        &rolled,
        &mut inputs,
        &mut loss,
        &mut bound,
        &how,
        &mut RolloutTrace::new(model),
    );
    let found = found.checked().unwrap_or_else(|e| panic!("{label}: {e}"));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let size = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum::<f64>();

    let dw = random.numbers(weights.len());
    let (dq, dv) = (random.numbers(model.nv()), random.numbers(model.nv()));
    let dm = random.numbers(start.memory.len());
    let ds = random.numbers(scene.input.signals.len());
    let signals_bar = &inputs.bar.signals;
    let none = Direction::default();
    let cases = [
        (
            Direction { weights: dw.clone(), ..none.clone() },
            dot(&bound.weights_bar, &dw),
            size(&bound.weights_bar, &dw),
        ),
        (
            Direction { q: dq.clone(), v: dv.clone(), ..none.clone() },
            dot(&found.start.q, &dq) + dot(&found.start.v, &dv),
            size(&found.start.q, &dq) + size(&found.start.v, &dv),
        ),
        (
            Direction { memory: dm.clone(), signals: ds.clone(), ..none.clone() },
            dot(&found.start.memory, &dm) + dot(signals_bar, &ds),
            size(&found.start.memory, &dm) + size(signals_bar, &ds),
        ),
        (
            Direction { gravity: 1.0, mass: 1.0, ..none.clone() },
            found.params.gravity.z + found.params.links[1].mass,
            found.params.gravity.z.abs() + found.params.links[1].mass.abs(),
        ),
        (
            Direction { damping: 1.0, tau: dv.clone(), ..none.clone() },
            found.params.joints[1].damping + dot(&inputs.bar.tau, &dv),
            found.params.joints[1].damping.abs() + size(&inputs.bar.tau, &dv),
        ),
        (Direction { dt: 1.0, ..none }, found.dt, found.dt.abs()),
    ];
    let slope = cases[0].1;
    let mut worst = 0.0_f64;
    for (direction, adjoint, size) in cases {
        let dual = along(scene, &plan, &weights, &start, &direction);
        let error = (dual - adjoint).abs() / size.max(1e-6);
        assert!(error < 1e-10, "{label}, {direction:?}: dual {dual:e}, adjoint {adjoint:e}");
        worst = worst.max(error);
    }
    Compared { error: worst, slope }
}

/// A change of everything that a rollout takes; empty for none.
#[derive(Clone, Debug, Default)]
struct Direction {
    weights: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    memory: Vec<f64>,
    signals: Vec<f64>,
    tau: Vec<f64>,
    gravity: f64,
    mass: f64,
    damping: f64,
    dt: f64,
}

type D = Dual<f64, 1>;

fn varied(x: &[f64], dx: &[f64]) -> Vec<D> {
    let slope = |k: usize| dx.get(k).copied().unwrap_or(0.0);
    x.iter().enumerate().map(|(k, x)| Dual { re: *x, eps: [slope(k)] }).collect()
}

fn along(
    scene: &Scene,
    plan: &Arc<gradbody_augment::Plan>,
    weights: &[f64],
    start: &State<f64>,
    direction: &Direction,
) -> f64 {
    let mut model: Model<D> = scene.model.cast();
    model.params.gravity.z.eps[0] = direction.gravity;
    model.params.links[1].mass.eps[0] = direction.mass;
    model.params.joints[1].damping.eps[0] = direction.damping;
    let mut state: State<D> = start.cast();
    if !direction.q.is_empty() {
        let values = state.q.clone();
        let dq = varied(&vec![0.0; model.nv()], &direction.q);
        integrate(&model, &mut state.q, &dq);
        for (q, value) in state.q.iter_mut().zip(values) {
            q.re = value.re;
        }
    }
    state.v = varied(&start.v, &direction.v);
    state.memory = varied(&start.memory, &direction.memory);
    let mut input: Input<D> = scene.input.cast();
    input.signals = varied(&scene.input.signals, &direction.signals);
    input.tau = varied(&scene.input.tau, &direction.tau);
    let dt = Dual { re: scene.options.dt, eps: [direction.dt] };
    let options = scene.options.with_dt(dt);
    let mut bound = Bound::new(plan.clone(), varied(weights, &direction.weights)).unwrap();
    let mut loss = Weighted { from: scene.model.neutral() };
    let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
    let mut cost = D::ZERO;
    for k in 0..STEPS {
        step(&model, &mut state, &input, &options, &mut bound, &mut trace, &mut scratch);
        cost += loss.cost(&Moment {
            model: &model,
            step: k,
            steps: STEPS,
            state: &state,
            input: &input,
            contacts: trace.contacts(),
        });
    }
    cost.eps[0]
}

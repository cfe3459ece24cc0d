//! The Jacobian of a step from formulas: against dual numbers, against adjoints, and without allocations.

use std::path::Path;

use gradbody_contact::{Cone, ContactGradient, Lcp, Ncp, Solver};
use gradbody_dynamics::{JointStops, integrate};
use gradbody_math::random::{Random, SplitMix64};
use gradbody_math::{Force, Inertia, Quat, Sym3, Transform, Vec3};
use gradbody_model::import::{Base, ImportOptions, load};
use gradbody_model::{
    Activation, Actuator, ActuatorParams, Axis, FrameId, JointId, JointKind, JointSpec, Material,
    Model, ModelBuilder, ShapeKind, ShapeParams,
};
use gradbody_sim::Input;
use gradbody_sim::{
    InputColumns, Integrator, JacobianBy, LinearPath, LinearStep, LinearWork, NoTaps,
    NotAnalytical, State, StepOptions, StepScratch, StepTrace, Variables, linearise_step, step,
    step_jacobian,
};

#[path = "../../../tests/support/counting.rs"]
mod counting;

/// A world to differentiate a step of.
#[derive(Clone)]
struct World {
    model: Model<f64>,
    state: State<f64>,
    input: Input<f64>,
    options: StepOptions<f64>,
}

impl World {
    fn new(model: Model<f64>, dt: f64) -> Self {
        World {
            state: State::neutral(&model),
            input: Input::none(&model),
            options: StepOptions::accurate_gradients(dt),
            model,
        }
    }

    fn with(&self, solver: Solver) -> Self {
        World { options: self.options.with_solver(solver), ..self.clone() }
    }

    fn steps(mut self, n: usize) -> Self {
        let (mut trace, mut scratch) = (StepTrace::new(&self.model), StepScratch::new(&self.model));
        for _ in 0..n {
            let World { model, state, input, options } = &mut self;
            let report = step(model, state, input, options, &mut NoTaps, &mut trace, &mut scratch);
            assert!(report.diverged.is_none());
        }
        self
    }

    /// Linearises a step; returns also the number of contacts that press.
    fn linearise(&self, gradient: ContactGradient) -> (LinearStep, LinearPath, usize) {
        let World { model, input, options, .. } = self;
        let mut state = self.state.clone();
        let mut trace = StepTrace::new(model).for_gradient(gradient);
        let trace = &mut trace;
        let mut scratch = StepScratch::new(model);
        let mut work = LinearWork::new(model);
        let mut out = LinearStep::new(model, InputColumns::Both);
        step(model, &mut state, input, options, &mut NoTaps, trace, &mut scratch);
        let path = linearise_step(model, trace, &mut NoTaps, &mut scratch, &mut work, &mut out);
        let presses = trace.contacts().iter().filter(|c| c.force_w.norm() > 0.0).count();
        (out, path, presses)
    }

    /// Asserts that no entry differs from the other way by more than a share of the largest entry; returns the number of
    /// contacts that press.
    fn error(&self, name: &str, by: JacobianBy, tolerance: f64) -> usize {
        let options = &self.options;
        let (found, path, presses) = self.linearise(ContactGradient::Implicit);
        // Stops that press against each other can make the contacts' system too inaccurate to factorise.
        let inaccurate = LinearPath::RowsOfAdjoint(NotAnalytical::Inaccurate);
        let hard = options.joint_stops == JointStops::Hard;
        assert!(path == LinearPath::Analytical || hard && path == inaccurate, "{name}: {path:?}");
        self.compare(name, ContactGradient::Implicit, (by, tolerance), &found);
        presses
    }

    fn compare(
        &self,
        name: &str,
        gradient: ContactGradient,
        (by, tolerance): (JacobianBy, f64),
        found: &LinearStep,
    ) {
        let World { model, state, input, options } = self;
        let variables = Variables { state: true, control: true, tau: true, params: None };
        let expected = step_jacobian(model, state, input, options, gradient, &variables, by);
        let expected = expected.unwrap_or_else(|error| panic!("{name}: {error}")).matrix;
        assert_eq!(found.states(), expected.rows());
        let size = expected.numbers().iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        let (mut worst, mut place) = (0.0, (0, 0));
        for row in 0..found.states() {
            for (column, (x, y)) in found.row(row).iter().zip(expected.row(row)).enumerate() {
                let error = (x - y).abs();
                if error > worst || error.is_nan() {
                    (worst, place) = (error, (row, column));
                }
            }
        }
        let (row, column) = place;
        let (x, y) = (found.row(row)[column], expected.at(row, column));
        println!("{name}: {:.1e} by {by:?}", worst / size);
        assert!(
            worst <= tolerance * size,
            "{name}, nv {}: row {row}, column {column}: {x} and {y} ({by:?})",
            model.nv()
        );
    }

    /// Compares with both other ways, if the contacts of the step are solved; returns the number of contacts that press, 0
    /// if nothing was compared.
    fn agrees(&self, name: &str) -> usize {
        self.compared(name).unwrap_or(0)
    }

    /// The same, but none if nothing was compared.
    fn compared(&self, name: &str) -> Option<usize> {
        let World { model, mut state, input, options } = self.clone();
        let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
        let solved =
            step(&model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch)
                .solved;
        if solved.residual > UNSOLVED {
            println!("{name}: skipped, the residual is {:.1e} m/s", solved.residual);
            return None;
        }
        self.error(name, JacobianBy::Adjoints, TOLERANCE);
        Some(self.error(name, JacobianBy::Duals, TOLERANCE))
    }
}

/// Of the largest entry. Most cases agree to 1e-15; rounding grows where rows of contacts nearly depend on each other.
const TOLERANCE: f64 = 1e-10;

/// Above this residual [m/s] impulses satisfy no equation that could be differentiated.
const UNSOLVED: f64 = 1e-7;

fn robot(file: &str, base: Base) -> Model<f64> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(file);
    let options = ImportOptions { base, ..ImportOptions::default() };
    load(&path, &options).unwrap_or_else(|error| panic!("{error}")).model
}

/// A quadruped with position servos, on the ground.
fn laikago() -> World {
    let mut model = robot("laikago.urdf", Base::Free);
    let surface = Material::with_friction(0.8);
    model.params.shapes.iter_mut().for_each(|shape| shape.material = surface);
    model.add_ground(0.0, surface).unwrap();
    for (i, link) in model.topology.links.iter().enumerate().skip(1) {
        model.topology.actuators.push(Actuator {
            name: link.joint.name.clone(),
            joint: JointId::new(i),
            activation: Activation::Direct,
        });
        model.params.actuators.push(ActuatorParams::position(150.0, 2.0));
    }
    let pose = [0.0, 0.7, -1.4].repeat(4);
    let mut world = World::new(model, 0.002);
    world.state.q.copy_from_slice(
        &[0.0, 0.0, 0.409, 1.0, 0.0, 0.0, 0.0]
            .into_iter()
            .chain(pose.iter().copied())
            .collect::<Vec<_>>(),
    );
    world.input = Input::none(&world.model);
    world.input.control.copy_from_slice(&pose);
    world
}

fn from_keyframe(file: &str) -> World {
    let model = robot(file, Base::default());
    let dt = model.topology.timestep.unwrap_or(0.005);
    let mut world = World::new(model, dt);
    if let Some(key) = world.model.topology.keyframes.last() {
        world.state = State::from_keyframe(&world.model, key);
    }
    world
}

fn jolted(mut world: World, seed: u64, size: f64) -> World {
    let mut random = Random::split_mix(seed);
    let push = random.numbers(world.model.nv());
    world.state.v.iter_mut().zip(push).for_each(|(v, x)| *v += size * x);
    let push = random.numbers(world.input.control.len());
    world.input.control.iter_mut().zip(push).for_each(|(u, x)| *u += 0.1 * x);
    world
}

#[test]
fn a_quadruped_standing_sliding_and_flying() {
    let stands = laikago().steps(200);
    assert_eq!(stands.agrees("laikago stands"), 4);
    assert!(jolted(stands.clone(), 1, 0.1).steps(3).agrees("laikago trembles") > 0);
    let mut slides = stands.clone();
    slides.state.v[0] += 1.0;
    slides.state.v[5] += 0.7;
    assert!(slides.steps(1).agrees("laikago slides") > 0);
    let mut flies = jolted(stands, 2, 2.0);
    flies.state.q[2] += 1.0;
    assert_eq!(flies.compared("laikago flies"), Some(0));
    flies.options = flies.options.with(Integrator::ImplicitDamping);
    assert_eq!(flies.compared("laikago flies, implicit damping"), Some(0));
}

#[test]
fn compliant_contacts() {
    let stands = laikago().with(Solver::HuntCrossley).steps(100);
    assert!(stands.agrees("laikago on soft ground") >= 4);
    assert!(jolted(stands, 3, 1.0).agrees("laikago slides on soft ground") > 0);
}

#[test]
fn robots_of_reinforcement_learning() {
    for (file, steps) in
        [("ant.xml", 60), ("half_cheetah.xml", 40), ("humanoid.xml", 30), ("hopper.xml", 30)]
    {
        let mut compared = 0;
        for integrator in [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping] {
            let mut world = jolted(from_keyframe(file), 4, 0.5);
            world.options = world.options.with(integrator);
            let world = world.steps(steps);
            let found = world.compared(&format!("{file}, {integrator:?}"));
            let jolted = jolted(world, 5, 1.0).compared(&format!("{file} jolted, {integrator:?}"));
            compared += found.into_iter().chain(jolted).count();
        }
        assert!(compared >= 3, "{file}: {compared} of 4 steps were compared");
    }
}

#[test]
fn robots_that_have_fallen() {
    for file in ["ant.xml", "half_cheetah.xml", "humanoid.xml", "hopper.xml"] {
        let mut presses = 0;
        for seed in 0..3 {
            let mut world = jolted(from_keyframe(file), seed, 0.5);
            for k in 0..6 {
                world = world.steps(50);
                presses += world.agrees(&format!("{file}, {seed}, {} steps", 50 * (k + 1)));
            }
        }
        assert!(presses > 20, "{file}: {presses}");
    }
}

/// Free bodies above each other, on the ground.
fn stack(bodies: &[(ShapeKind, Vec3<f64>, f64)], surface: Material<f64>) -> World {
    let mut builder = ModelBuilder::new("stack");
    for (i, (kind, size, _)) in bodies.iter().enumerate() {
        let rotational = Sym3::diagonal(Vec3::new(0.02, 0.03, 0.04));
        let inertia = Inertia { mass: 2.0, com: Vec3::new(0.01, 0.0, 0.0), rotational };
        let joint = JointSpec::free(format!("joint{i}"));
        let link = builder.link(format!("body{i}"), FrameId::WORLD, joint, inertia).unwrap();
        let shape = ShapeParams { placement: Transform::IDENTITY, size: *size, material: surface };
        builder.shape(format!("shape{i}"), link, kind.clone(), shape).unwrap();
    }
    let mut model = builder.build().unwrap();
    model.add_ground(0.0, surface).unwrap();
    let mut world = World::new(model, 0.005);
    for (i, (_, _, height)) in bodies.iter().enumerate() {
        world.state.q[7 * i + 2] = *height;
    }
    world
}

#[test]
fn boxes_on_more_supports_than_they_need() {
    let size = Vec3::new(0.3, 0.2, 0.1);
    let surface = Material::with_friction(0.5);
    let one = stack(&[(ShapeKind::Box, size, 0.0501)], surface).steps(50);
    assert_eq!(one.agrees("a box stands"), 4);
    let upper = Vec3::new(0.2, 0.15, 0.1);
    let two = [(ShapeKind::Box, size, 0.0501), (ShapeKind::Box, upper, 0.1502)];
    let two = stack(&two, surface);
    assert_eq!(two.clone().steps(50).agrees("two boxes stand"), 8);
    // One lies 0.1 mm deep in the ground, and the other as deep in it.
    let mut soft = jolted(two.with(Solver::HuntCrossley), 7, 0.1);
    (soft.state.q[2], soft.state.q[9]) = (0.0499, 0.1498);
    assert_eq!(soft.agrees("two boxes press softly"), 8);
}

#[test]
fn a_stack_that_is_solved_by_coordinates() {
    let size = Vec3::new(0.3, 0.2, 0.1);
    let bodies: Vec<_> =
        (0..7).map(|i| (ShapeKind::Box, size, 0.05 + 0.1001 * f64::from(i))).collect();
    let surface = Material::with_friction(0.5);
    let world = jolted(stack(&bodies, surface), 8, 0.01).steps(5);
    assert!(world.agrees("seven boxes") > 12);
}

#[test]
fn contacts_that_resist_turning() {
    let surface = Material {
        torsional_friction: 0.03,
        rolling_friction: 0.02,
        ..Material::with_friction(0.6)
    };
    let ball = Vec3::new(0.1, 0.0, 0.0);
    let balls = [(ShapeKind::Sphere, ball, 0.1), (ShapeKind::Sphere, ball, 0.3)];
    let mut world = stack(&balls, surface);
    world.model.topology.shapes.iter_mut().for_each(|shape| shape.resists_turning = true);
    for (name, solver) in [
        ("rigid", world.options.contact.solver),
        ("pyramid", Solver::Ncp(Ncp { cone: Cone::Pyramid, ..Ncp::converged() })),
        ("compliant", Solver::HuntCrossley),
    ] {
        let mut presses = 0;
        for seed in 0..6 {
            let mut world = jolted(world.with(solver), seed, 0.2 * f64::from(seed as u32));
            for _ in 0..3 {
                presses += world.agrees(&format!("balls {seed}, {name}"));
                world = world.steps(2);
            }
        }
        assert!(presses > 10, "{name}: {presses}");
    }
}

struct Tree<'a> {
    random: Random<SplitMix64>,
    kinds: &'a [JointKind],
}

const KINDS: [JointKind; 12] = [
    JointKind::Free,
    JointKind::Revolute(Axis::Any),
    JointKind::Spherical,
    JointKind::Prismatic(Axis::Any),
    JointKind::Universal,
    JointKind::Revolute(Axis::X),
    JointKind::Planar,
    JointKind::Revolute(Axis::Y),
    JointKind::Prismatic(Axis::X),
    JointKind::Revolute(Axis::Z),
    JointKind::Prismatic(Axis::Y),
    JointKind::Prismatic(Axis::Z),
];

impl Tree<'_> {
    fn vector(&mut self) -> Vec3<f64> {
        Vec3::from_slice(&self.random.numbers(3))
    }

    fn positive(&mut self, low: f64, high: f64) -> f64 {
        self.random.between(low, high)
    }

    /// Every joint kind, with springs, damping, friction, limits and motors; balls that touch each other and the ground.
    fn world(&mut self, shift: usize) -> World {
        let mut builder = ModelBuilder::new("tree");
        let mut frames = vec![FrameId::WORLD];
        let surface = Material::with_friction(0.6);
        for i in 0..self.kinds.len() {
            let kind = self.kinds[(i + shift) % self.kinds.len()];
            let parent = if i % 4 == 3 { self.random.bits() as usize % frames.len() } else { i };
            let rotation = Quat::exp(self.vector()).to_mat3();
            let mut joint = JointSpec::new(format!("joint{i}"), kind)
                .at(Transform::new(rotation, self.vector() * 0.5));
            let params = &mut joint.params;
            params.axis =
                (Vec3::from_slice(&self.random.numbers(3)) + Vec3::Z * 1.5).normalized_or(Vec3::Z);
            params.axis2 = params.axis.cross(Vec3::new(1.0, 0.3, 0.2)).normalized_or(Vec3::X);
            match kind {
                JointKind::Revolute(axis) | JointKind::Prismatic(axis) => match axis {
                    Axis::X => params.axis = Vec3::X,
                    Axis::Y => params.axis = Vec3::Y,
                    Axis::Z => params.axis = Vec3::Z,
                    Axis::Any => {}
                },
                _ => {}
            }
            params.armature = self.random.between(0.1, 0.3);
            params.damping = self.random.between(0.1, 1.0);
            params.stiffness = self.random.between(0.5, 2.0);
            params.friction = self.random.between(0.1, 1.0);
            params.friction_velocity = self.random.between(0.2, 1.0);
            if kind.is_flat() {
                params.limit_lower = self.random.between(-0.5, -0.2);
                params.limit_upper = self.random.between(0.2, 0.5);
                params.limit_stiffness = self.random.between(20.0, 50.0);
                params.limit_damping = self.random.between(0.2, 1.0);
                params.limit_softness = self.random.between(0.05, 0.2);
            }
            let inertia = Inertia {
                mass: self.positive(0.5, 2.0),
                com: self.vector() * 0.3,
                rotational: Sym3::diagonal(Vec3::new(0.2, 0.25, 0.3)),
            };
            let link = builder.link(format!("link{i}"), frames[parent], joint, inertia).unwrap();
            let placement = Transform::new(Quat::exp(self.vector()).to_mat3(), self.vector() * 0.2);
            let size = Vec3::new(0.15, 0.2, 0.12);
            let shape = ShapeParams { placement, size, material: surface };
            let kind = [ShapeKind::Sphere, ShapeKind::Capsule, ShapeKind::Box][i % 3].clone();
            builder.shape(format!("shape{i}"), link, kind, shape).unwrap();
            frames.push(link);
            if self.kinds[(i + shift) % self.kinds.len()].nv() == 1 {
                for integrates in [false, true] {
                    let mut motor = ActuatorParams::motor(0.7);
                    motor.gain = 1.3;
                    motor.bias = [0.1, -0.2, -0.3];
                    (motor.activation_lower, motor.activation_upper) = (-0.4, 0.5);
                    let name = format!("motor{i}{integrates}");
                    builder.actuator(name, JointId::new(i), integrates, motor).unwrap();
                }
            }
        }
        let mut model = builder.build().unwrap();
        model.add_ground(-1.0, surface).unwrap();
        let mut world = World::new(model, 0.003);
        let (nv, na) = (world.model.nv(), world.model.topology.na);
        let dq = self.random.numbers(nv);
        integrate(&world.model, &mut world.state.q, &dq);
        world.state.v = self.random.numbers(nv);
        world.state.activation = self.random.numbers(na).iter().map(|x| 0.4 * x).collect();
        let controls = world.input.control.len();
        world.input.control = self.random.numbers(controls);
        world.input.tau = self.random.numbers(nv);
        world.input.external =
            (0..world.model.n_links()).map(|_| Force::new(self.vector(), self.vector())).collect();
        world
    }
}

#[test]
fn trees_of_all_joint_kinds() {
    let (mut touched, mut stopped) = (0, 0);
    for seed in 0..12 {
        let mut tree = Tree { random: Random::split_mix(seed), kinds: &KINDS };
        let world = tree.world(seed as usize);
        for integrator in [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping] {
            let mut world = world.clone();
            world.options = world.options.with(integrator);
            let name = format!("tree {seed}, {integrator:?}");
            assert_eq!(world.with(Solver::Off).compared(&format!("{name}, no contact")), Some(0));
            touched += world.with(Solver::HuntCrossley).agrees(&format!("{name}, compliant"));
            touched += world.agrees(&format!("{name}, rigid"));
            world.options.joint_stops = JointStops::Hard;
            let compared = world.compared(&format!("{name}, hard stops"));
            stopped += usize::from(compared.is_some());
        }
    }
    assert!(touched > 20, "{touched} contacts");
    assert!(stopped >= 12, "{stopped} of 24 steps with hard stops were compared");
}

#[test]
fn other_steps_are_linearised_row_by_row() {
    let world = laikago().steps(20);
    let path = |world: &World, gradient| {
        let (found, path, _) = world.linearise(gradient);
        world.compare("row by row", gradient, (JacobianBy::Adjoints, TOLERANCE), &found);
        path
    };
    let implicit = ContactGradient::Implicit;
    let because = LinearPath::RowsOfAdjoint;
    let mut runge_kutta = world.clone();
    runge_kutta.options = world.options.with(Integrator::Rk4);
    assert_eq!(path(&runge_kutta, implicit), because(NotAnalytical::RungeKutta));
    let unrolled = world.with(Solver::Ncp(Ncp { rounds: 0, ..Ncp::default() }));
    let found = path(&unrolled, ContactGradient::Unrolled);
    assert_eq!(found, because(NotAnalytical::ContactGradient));
    let exactly = world.with(Solver::Lcp(Lcp::default()));
    exactly.error("lcp", JacobianBy::Adjoints, TOLERANCE);
    let mut bounces = laikago();
    bounces.model.params.shapes.iter_mut().for_each(|s| s.material.restitution = 0.5);
    bounces.state.v[2] = -1.0;
    bounces.state.q[2] += 0.001;
    let mut found = Vec::new();
    for _ in 0..20 {
        found.push(path(&bounces, implicit));
        bounces = bounces.steps(1);
    }
    assert!(found.contains(&because(NotAnalytical::Bounces)));
}

#[test]
fn linearising_allocates_nothing() {
    let mut world = jolted(laikago().steps(100), 6, 0.1);
    let World { model, state, input, options } = &mut world;
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    let mut work = LinearWork::new(model);
    let mut out = LinearStep::new(model, InputColumns::Controls);
    let mut count = [0; 2];
    for k in 0..30 {
        let stepping = || step(model, state, input, options, &mut NoTaps, &mut trace, &mut scratch);
        let stepping = counting::allocations(stepping);
        let linearising = || {
            linearise_step(model, &trace, &mut NoTaps, &mut scratch, &mut work, &mut out);
        };
        let linearising = counting::allocations(linearising);
        println!("{k}: {stepping} {linearising}");
        // The first steps make room for the most contacts.
        if k >= 10 {
            count[0] += stepping;
            count[1] += linearising;
        }
    }
    assert_eq!(count, [0, 0]);
}

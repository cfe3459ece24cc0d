//! Worlds with contact in lanes: each gets the bits it would get alone, though its neighbours touch
//! other things at other times.

use crate::support::duals::Duals;
use crate::support::lanes::{Lanes32, Lanes64};
use crate::support::random::Random;
use crate::support::scenes::{Scene, World, ball, shape};
use crate::support::worlds::Worlds;
use gradbody::contact::{Lcp, Ncp, Solver};
use gradbody::dynamics::JointStops;
use gradbody::model::{ContactLaw, FrameId, Material, ShapeKind};
use gradbody::prelude::*;
use gradbody::sim::Simulated;

/// A box, two balls (one of them compliant), and a body with a hinged leg, over the ground.
fn scene() -> World {
    let mut scene = Scene::new(Material { restitution: 0.3, ..Material::with_friction(0.6) });
    scene.ground();
    scene.block("box", [0.1, 0.15, 0.08], 1.0);
    let turning = scene.ball("ball", 0.1, 0.8);
    scene.resist_turning(turning);
    let soft = scene.ball("soft ball", 0.08, 0.5);
    scene.builder.shape_mut(soft).law = ContactLaw::Compliant;
    scene.block("trunk", [0.15, 0.05, 0.05], 1.2);
    let trunk = scene.builder.topology().frame("trunk").unwrap();
    let mut hip = JointSpec::revolute("hip", Vec3::Y);
    hip.params.friction = 0.2;
    (hip.params.limit_lower, hip.params.limit_upper) = (-0.3, 0.4);
    let leg = Inertia { com: Vec3::new(0.0, 0.0, -0.1), ..ball(0.05, 0.3) };
    let leg = scene.builder.link("leg", trunk, hip, leg).unwrap();
    let mut foot = shape([0.03, 0.0, 0.0], scene.surface);
    foot.placement.pos = Vec3::new(0.0, 0.0, -0.2);
    scene.builder.shape("foot", leg, ShapeKind::Sphere, foot).unwrap();
    scene.world(2e-3)
}

/// Worlds in which some bodies rest, some hit the ground or each other, some fly; surfaces and sizes
/// differ.
fn worlds(count: usize) -> Worlds {
    let mut worlds = Worlds::default();
    for i in 0..count {
        let mut random = Random::new(77 + i as u64);
        let mut world = scene();
        for link in &mut world.model.params.links {
            link.mass *= random.within(0.9, 1.1);
        }
        let friction = random.within(0.1, 1.0);
        for shape in &mut world.model.params.shapes {
            shape.material.friction = friction;
            shape.size = shape.size * random.within(0.95, 1.05);
        }
        let size = |i: usize| world.model.params.shapes[i].size;
        let lift = |random: &mut Random| [0.0, 1e-3, 0.02, 1.0][random.below(4)];
        let heights = [size(1).z, size(2).x, size(3).x, 0.3].map(|h| h + lift(&mut random));
        let beside = size(1).x + size(2).x + lift(&mut random);
        world.place(0, [0.0, 0.0, heights[0]], Quat::IDENTITY);
        world.place(1, [beside, 0.0, heights[1]], Quat::IDENTITY);
        world.place(2, [-1.0, 0.0, heights[2] - 2e-3], Quat::IDENTITY);
        world.place(3, [1.0, 0.0, heights[3]], random.quaternion());
        for body in 0..4 {
            // Every third body starts at rest.
            if random.below(3) > 0 {
                let (velocity, spin) = (random.vector() * 2.0, random.vector() * 4.0);
                world.throw(body, velocity.to_array(), spin.to_array());
            }
        }
        world.state.v[24] = random.within(-8.0, 8.0);
        worlds.models.push(world.model);
        worlds.states.push(world.state);
        worlds.inputs.push(world.input);
    }
    worlds
}

const SOLVERS: [(Solver, usize); 3] = [
    (Solver::Ncp(NCP), 60),
    (Solver::Ncp(Ncp { warm_start: false, tolerance: 0.0, sweeps: 10, ..NCP }), 30),
    (Solver::HuntCrossley, 60),
];

const NCP: Ncp = Ncp {
    cone: gradbody::contact::Cone::Circular,
    sweeps: 50,
    tolerance: 1e-9,
    rounds: 40,
    warm_start: true,
};

/// States after each of some steps, and in how many of them there were contacts.
fn run<S: Simulated>(
    solver: Solver,
    steps: usize,
    (model, mut state, input): (Model<S>, State<S>, Input<S>),
) -> (Vec<Vec<S>>, usize) {
    let mut options = StepOptions::new(2e-3).with_solver(solver);
    options.joint_stops = JointStops::Hard;
    let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
    let (mut states, mut touched) = (Vec::new(), 0);
    for _ in 0..steps {
        let report =
            step(&model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        assert_eq!(report.diverged, None, "{solver:?}");
        touched += report.contacts;
        states.push([state.q.clone(), state.v.clone()].concat());
    }
    (states, touched)
}

/// Runs worlds in lanes of `L` and one by one in `T`. Numbers are the same to the last bit, or with a
/// `tolerance` within that.
fn compare<T: Simulated, L: Simulated>(
    name: &str,
    solvers: &[(Solver, usize)],
    tolerance: Option<f64>,
) {
    let groups = 4_usize.div_ceil(L::LANES);
    let worlds = worlds(groups * L::LANES);
    for (solver, steps) in solvers.iter().copied() {
        let mut touches = Vec::new();
        let mut farthest = 0.0_f64;
        for group in 0..groups {
            let (together, _) = run::<L>(solver, steps, worlds.at(group * L::LANES));
            for lane in 0..L::LANES {
                let world = group * L::LANES + lane;
                let (alone, touched) = run::<T>(solver, steps, worlds.at(world));
                touches.push(touched);
                for (k, (together, alone)) in together.iter().zip(&alone).enumerate() {
                    for (i, (got, want)) in together.iter().zip(alone).enumerate() {
                        let (got, want) = (got.lane(lane), want.lane(0));
                        let same = match tolerance {
                            None => got.to_bits() == want.to_bits(),
                            Some(tolerance) => (got - want).abs() < tolerance,
                        };
                        farthest = farthest.max((got - want).abs());
                        assert!(
                            same,
                            "{name}, {solver:?}: world {world}, step {k}, number {i}: {got:e} in \
                             lanes, {want:e} alone"
                        );
                    }
                }
            }
        }
        println!("{name}, {solver:?}: {farthest:.1e} apart");
        let (few, many) = (touches.iter().min().unwrap(), touches.iter().max().unwrap());
        assert!(*many > 2 * steps && few < many, "{name}: contacts a world: {touches:?}");
    }
}

#[test]
fn worlds_with_contact_in_lanes_of_f64_have_the_bits_of_one() {
    compare::<f64, Lanes64>("lanes of f64", &SOLVERS, None);
}

#[test]
fn worlds_with_contact_in_lanes_of_f32_have_the_bits_of_one() {
    compare::<f32, Lanes32>("lanes of f32", &SOLVERS, None);
}

#[test]
fn dual_numbers_with_contact_have_the_bits_of_plain_ones() {
    compare::<f64, Duals>("dual f64", &SOLVERS, None);
}

const PIVOTS: [(Solver, usize); 1] = [(Solver::Lcp(Lcp { sides: 6 }), 12)];

#[test]
fn dual_numbers_solved_by_pivots_have_the_bits_of_plain_ones() {
    compare::<f64, Duals>("dual f64", &PIVOTS, None);
}

#[test]
fn worlds_solved_by_pivots_in_lanes_are_those_of_one_but_for_rounding() {
    // Contacts of other lanes are variables that are zero here: pivots take another way to the
    // solution.
    compare::<f64, Lanes64>("lanes of f64", &PIVOTS, Some(1e-9));
}

/// A tilted cylinder has more places on a box than are kept, and which are kept must not depend on
/// how far a neighbour's speed makes it look.
#[test]
fn a_fast_neighbour_changes_no_bit_of_a_tilted_cylinder() {
    let mut worlds = Worlds::default();
    for speed in [0.0, 10.0, 0.5, 30.0].into_iter().cycle().take(Lanes64::LANES) {
        let mut scene = Scene::new(Material::with_friction(0.5));
        let mut table = shape([0.5, 0.5, 0.25], scene.surface);
        table.placement.pos = Vec3::new(0.0, 0.0, 0.25);
        scene.builder.shape("table", FrameId::WORLD, ShapeKind::Box, table).unwrap();
        scene.body("cylinder", ShapeKind::Cylinder, [0.1, 0.1, 0.0], ball(0.1, 1.0));
        let mut world = scene.world(2e-3);
        world.place(0, [0.0, 0.0, 0.6012], Quat::exp(Vec3::new(0.012, 0.0, 0.0)));
        world.throw(0, [speed, 0.0, -0.3], [0.0; 3]);
        worlds.models.push(world.model);
        worlds.states.push(world.state);
        worlds.inputs.push(world.input);
    }
    let solver = Solver::Ncp(NCP);
    let (together, _) = run::<Lanes64>(solver, 20, worlds.at(0));
    for lane in 0..Lanes64::LANES {
        let (alone, touched) = run::<f64>(solver, 20, worlds.at(lane));
        assert!(touched > 10, "world {lane} touched {touched} times");
        for (k, (together, alone)) in together.iter().zip(&alone).enumerate() {
            let bits = |x: &f64| x.to_bits();
            let got: Vec<u64> = together.iter().map(|x| bits(&x.lane(lane))).collect();
            let want: Vec<u64> = alone.iter().map(bits).collect();
            assert_eq!(got, want, "world {lane}, step {k}");
        }
    }
}

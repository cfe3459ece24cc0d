//! The solvers of rigid contact: against Coulomb's law, against each other, against the mass matrix.

use crate::support::compare::{distance, largest};
use crate::support::models::random_tree;
use crate::support::random::Random;
use crate::support::scenes::{Scene, World, ball, block, inclined, shape};
use gradbody::contact::{Contact, ContactId, Demands, FreeMotion, Lcp, Ncp, Problem, Solver};
use gradbody::dynamics::{
    MassFactors, Response, factorise, link_motions, point_jacobian, solve, velocity_change,
};
use gradbody::math::Motion;
use gradbody::model::{ContactLaw, JointSpec, LinkId, Material, ShapeId, ShapeKind};
use gradbody::prelude::*;

/// Converged as far as rounding lets it.
const CONVERGED: Ncp = Ncp { sweeps: 20_000, tolerance: 1e-13, ..DEFAULT };
const SWEEPS_ALONE: Ncp = Ncp { rounds: 0, ..DEFAULT };
const DEFAULT: Ncp = Ncp {
    cone: gradbody::contact::Cone::Circular,
    sweeps: 50,
    tolerance: 1e-9,
    rounds: 40,
    warm_start: true,
};

/// A box, a ball, and a body with two hinged legs, all about to hit the ground obliquely. A box that
/// is `flat` hits it with four corners, one too many for the impulse of each to be unique, and with
/// friction that of the whole; else with one of them.
fn random_scene(seed: u64, friction: f64, flat: bool) -> World {
    let mut random = Random::new(seed);
    let mut scene = Scene::new(Material::with_friction(friction));
    scene.ground();
    let half = [0.1, 0.15, 0.08].map(|x| x * random.within(0.8, 1.2));
    scene.block("box", half, random.within(0.5, 2.0));
    scene.ball("ball", 0.1, random.within(0.5, 2.0));
    scene.block("trunk", [0.15, 0.05, 0.05], random.within(0.5, 2.0));
    let trunk = scene.builder.topology().frame("trunk").unwrap();
    for (side, x) in [("left", -0.15), ("right", 0.15)] {
        let joint = JointSpec::revolute(format!("hip {side}"), random.direction())
            .at(Transform::from_translation(Vec3::new(x, 0.0, -0.05)));
        let leg = Inertia { com: Vec3::new(0.0, 0.0, -0.1), ..ball(0.05, 0.3) };
        let leg = scene.builder.link(side, trunk, joint, leg).unwrap();
        let mut foot = shape([0.03, 0.0, 0.0], scene.surface);
        foot.placement.pos = Vec3::new(0.0, 0.0, -0.2);
        scene.builder.shape(side, leg, ShapeKind::Sphere, foot).unwrap();
    }
    let mut world = scene.world(5e-3);
    let mut throw = |world: &mut World, body: usize, pos: [f64; 3], quat: Quat<f64>| {
        world.place(body, pos, quat);
        let velocity = random.vector() - Vec3::new(0.0, 0.0, 1.5);
        world.throw(body, velocity.to_array(), (random.vector() * 3.0).to_array());
    };
    let tilt = Quat::exp(Vec3::new(0.2, 0.3, 0.0) * f64::from(u8::from(!flat)));
    let rot = tilt.to_mat3();
    let reach = |row: usize| (0..3).map(|i| rot.cols[i][row].abs() * half[i]).sum::<f64>();
    throw(&mut world, 0, [0.0, 0.0, reach(2) + 1e-3], tilt);
    // The ball hits box and ground.
    let beside = if flat { half[0] + 1e-4 } else { reach(0) - 0.01 };
    throw(&mut world, 1, [beside + 0.1, 0.0, 0.1 + 1e-4], Quat::IDENTITY);
    throw(&mut world, 2, [1.0, 0.0, 0.05 + 0.2 + 0.03 + 1e-3], Quat::IDENTITY);
    world
}

/// The velocities that one step of a scene ends with, and its world.
fn one_step(seed: u64, friction: f64, flat: bool, solver: Solver) -> (Vec<f64>, World) {
    let mut world = random_scene(seed, friction, flat);
    world.options = world.options.with_solver(solver);
    let report = world.step();
    assert!(report.contacts >= 4, "seed {seed}: {} contacts", report.contacts);
    assert!(report.solved.residual < 1e-7, "seed {seed}: {:?}", report.solved);
    (world.state.v.clone(), world)
}

/// Coulomb's law at every contact of a solved problem; velocities within `tolerance` [m/s].
fn check_coulomb(what: &str, problem: &Problem<f64>, tolerance: f64) -> (usize, usize) {
    let (mut sliding, mut sticking) = (0, 0);
    for (i, rows) in problem.contacts.iter().enumerate() {
        let what = format!("{what}, contact {i}");
        let (w, lambda) = (problem.velocity(i), rows.impulse);
        assert!(lambda.x >= 0.0, "{what} pulls: {lambda:?}");
        assert!(w.x > -tolerance, "{what} closes with {:e}", w.x);
        if lambda.x > 1e-9 {
            assert!(w.x < tolerance, "{what} pushes though it separates with {:e}", w.x);
        }
        let (slip, most) = (w.y.hypot(w.z), rows.friction * lambda.x);
        let friction = lambda.y.hypot(lambda.z);
        assert!(friction <= most * (1.0 + 1e-12) + 1e-15, "{what}: {friction} of {most}");
        if slip > tolerance && most > 1e-9 {
            sliding += 1;
            // Opposite, and all that is allowed: |λₜ + μ λₙ wₜ/|wₜ|| = 0. The direction of wₜ is known
            // to tolerance/slip.
            let y = lambda.y + most * w.y / slip;
            let z = lambda.z + most * w.z / slip;
            let off = y.hypot(z) / most;
            assert!(off < 1e-9 + 4.0 * tolerance / slip, "{what}: friction off by {off:e}");
        } else if most > 1e-9 {
            sticking += 1;
        }
    }
    (sliding, sticking)
}

#[test]
fn a_converged_solution_obeys_coulombs_law() {
    let (mut sliding, mut sticking) = (0, 0);
    for seed in 0..40 {
        for friction in [0.1, 0.4, 1.0] {
            let (_, world) = one_step(seed, friction, true, Solver::Ncp(CONVERGED));
            let what = format!("seed {seed}, μ {friction}");
            // What a sweep of the last 1e-13 m/s leaves in a chain of slowly converging contacts.
            let (a, b) = check_coulomb(&what, world.trace.problem(), 1e-8);
            sliding += a;
            sticking += b;
        }
    }
    println!("{sliding} contacts slide, {sticking} stick");
    assert!(sliding > 50 && sticking > 50, "{sliding} contacts slide, {sticking} stick");
}

/// Impulse and its moment about the origin, from all contacts of a link.
fn wrench(world: &World, link: usize) -> [f64; 6] {
    let mut sum = (Vec3::ZERO, Vec3::ZERO);
    for contact in world.trace.contacts() {
        for (on, sign) in [(contact.link_b, 1.0), (contact.link_a, -1.0)] {
            if on == Some(LinkId::new(link)) {
                let impulse = contact.force_w * (sign * world.options.dt);
                sum.0 += impulse;
                sum.1 += contact.point_w.cross(impulse);
            }
        }
    }
    let (Vec3 { x, y, z }, Vec3 { x: a, y: b, z: c }) = sum;
    [x, y, z, a, b, c]
}

#[test]
fn without_friction_sweeps_and_pivots_agree() {
    for seed in 0..40 {
        let (v, world) = one_step(seed, 0.0, true, Solver::Ncp(CONVERGED));
        let (exact, other) = one_step(seed, 0.0, true, Solver::Lcp(Lcp { sides: 4 }));
        let error = distance(&v, &exact);
        assert!(error < 1e-9, "seed {seed}: velocities differ by {error:e} m/s");
        for link in 0..2 {
            let error = distance(&wrench(&world, link), &wrench(&other, link));
            assert!(error < 1e-9, "seed {seed}, link {link}: impulses differ by {error:e} N s");
        }
    }
}

#[test]
fn with_friction_pivots_approach_sweeps_as_the_pyramid_gets_more_sides() {
    let sides = [8, 16, 32, 64];
    let mut errors = [0.0; 4];
    for seed in 0..20 {
        for friction in [0.2, 0.6] {
            let (v, world) = one_step(seed, friction, false, Solver::Ncp(CONVERGED));
            for (sides, sum) in sides.into_iter().zip(&mut errors) {
                let (other, by_pivots) =
                    one_step(seed, friction, false, Solver::Lcp(Lcp { sides }));
                let error = distance(&v, &other);
                // Friction turned by up to π/sides, of normal impulses that stop 2.5 m/s; it turns
                // bodies at levers of 0.1 m, so the largest number is an angular velocity.
                let turned = core::f64::consts::PI / f64::from(sides);
                let allowed = 2.5 * friction * turned / 0.1;
                assert!(error < allowed, "seed {seed}, μ {friction}, {sides} sides: {error:e} m/s");
                *sum += error / 40.0;
                for link in 0..2 {
                    let error = distance(&wrench(&world, link), &wrench(&by_pivots, link));
                    assert!(error < 0.2 * allowed, "seed {seed}, link {link}: {error:e} N s");
                }
            }
        }
    }
    println!("mean difference for {sides:?} sides: {errors:?} m/s");
    for pair in errors.windows(2) {
        assert!(pair[1] < 0.7 * pair[0], "twice the sides, hardly better: {errors:?}");
    }
}

/// Contacts between any two links, or a link and the world, somewhere near them.
fn random_contacts(random: &mut Random, n_links: usize, n: usize) -> Vec<Contact<f64>> {
    let any = |random: &mut Random| match random.below(n_links + 1) {
        0 => None,
        i => Some(LinkId::new(i - 1)),
    };
    (0..n)
        .map(|i| {
            let link_a = any(random);
            let link_b = loop {
                let b = any(random);
                if b != link_a {
                    break b;
                }
            };
            Contact {
                id: ContactId { a: ShapeId::new(0), b: ShapeId::new(1), slot: i as u32 },
                link_a,
                link_b,
                law: ContactLaw::Rigid,
                resists_turning: i % 2 == 0,
                point_w: random.vector(),
                normal_w: random.vector().normalized_or(Vec3::Z),
                // Inside the slop, where a gap demands nothing.
                gap: -1e-9,
                velocity_w: Vec3::ZERO,
                spin_w: Vec3::ZERO,
                material: Material { cfm: 0.0, ..Material::DEFAULT },
                force_w: Vec3::ZERO,
                torque_w: Vec3::ZERO,
            }
        })
        .collect()
}

/// Rows of J of a contact: linear along its frame, then angular if it resists turning.
fn jacobian_rows(
    model: &Model<f64>,
    kin: &Kinematics<f64>,
    contact: &Contact<f64>,
    frame_w: &Mat3<f64>,
) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; model.nv()]; if contact.resists_turning { 6 } else { 3 }];
    for (link, sign) in [(contact.link_a, -1.0), (contact.link_b, 1.0)] {
        let Some(link) = link else { continue };
        let mut columns = vec![Motion::ZERO; model.nv()];
        point_jacobian(model, kin, link, contact.point_w, &mut columns);
        for (r, row) in rows.iter_mut().enumerate() {
            for (entry, column) in row.iter_mut().zip(&columns) {
                let part = if r < 3 { column.lin } else { column.ang };
                *entry += sign * frame_w.cols[r % 3].dot(part);
            }
        }
    }
    rows
}

#[test]
fn the_factors_of_the_contact_problem_are_those_of_the_mass_matrix() {
    let (mut same_tree, mut other_tree, mut worst) = (0, 0, 0.0_f64);
    for seed in 0..12 {
        let mut random = Random::new(100 + seed);
        let mut model = random_tree(seed, 9);
        // Another tree in the same world.
        model.append(&random_tree(seed + 50, 6), "other ").unwrap();
        let root = |mut link: LinkId| {
            while let Some(parent) = model.topology.links[link.index()].parent {
                link = parent;
            }
            link
        };
        let mut kin = Kinematics::new(&model);
        kinematics(&model, &random.configuration(&model), &mut kin);
        let v = random.numbers(model.nv());
        velocities(&model, &v, &mut kin);
        let mut forward = AbaWork::new(&model);
        aba(&model, &kin, &v, &[], &mut forward);
        let mut response = Response::new(&model);
        response.prepare(&forward);
        let mut motions_w = vec![Motion::ZERO; model.n_links()];
        link_motions(&model, &kin, &v, &mut motions_w);
        let contacts = random_contacts(&mut random, model.n_links(), 8);
        let mut problem = Problem::new(&model);
        let free = FreeMotion {
            model: &model,
            kin: &kin,
            aba: &forward,
            response: &response,
            motions_w: &motions_w,
        };
        let demands = Demands {
            dt: 1e-3,
            impact_times: false,
            bounce_speed: 1.0,
            slop: 1e-8,
            recovery_speed: 1.0,
        };
        problem.add_contacts(&free, &contacts, &demands);

        let mut mass = CrbaWork::new(&model);
        crba(&model, &kin, &mut mass);
        let mut factors = MassFactors::new(&model);
        factorise(&mass.mass_matrix, &mut factors);
        // All rows of J, each with the contact it belongs to and its place there.
        let mut rows = Vec::new();
        for (i, contact) in contacts.iter().enumerate() {
            if let (Some(a), Some(b)) = (contact.link_a, contact.link_b) {
                *(if root(a) == root(b) { &mut same_tree } else { &mut other_tree }) += 1;
            }
            let frame_w = problem.contacts[i].frame_w;
            let of_contact = jacobian_rows(&model, &kin, contact, &frame_w);
            rows.extend(of_contact.into_iter().enumerate().map(|(r, row)| (i, r, row)));
        }
        let along = |problem: &Problem<f64>, i: usize, r: usize| match problem.contacts[i].turning {
            Some(turning) if r >= 3 => problem.turning_velocity(i, &turning)[r - 3],
            _ => problem.velocity(i)[r],
        };
        // Without impulses: J v.
        for (i, r, row) in &rows {
            let expected: f64 = row.iter().zip(&v).map(|(j, v)| j * v).sum();
            let error = (along(&problem, *i, *r) - expected).abs();
            assert!(error < 1e-12, "seed {seed}: row {r} of contact {i} moves with {expected}");
        }
        let at_rest: Vec<f64> = rows.iter().map(|(i, r, _)| along(&problem, *i, *r)).collect();
        for (j, s, column) in &rows {
            let mut unit = Vec3::ZERO;
            unit[s % 3] = 1.0;
            let mut pushed = problem.clone();
            if *s < 3 {
                pushed.push(*j, unit);
            } else {
                pushed.twist(*j, unit);
            }
            // M⁻¹ Jᵀ λ, and J of it.
            let mut change = column.clone();
            solve(&factors, &mut change);
            let mut got = vec![0.0; model.nv()];
            velocity_change(&model, &kin, &forward, &mut response.clone(), &pushed.u, &mut got);
            let error = distance(&got, &change) / largest(&change).max(1e-3);
            worst = worst.max(error);
            assert!(error < 1e-12, "seed {seed}: velocity change off by {error:e}");
            let scale = rows.iter().map(|(_, _, row)| largest(row)).fold(1.0, f64::max);
            let scale = scale * largest(&change).max(1e-3);
            for ((i, r, row), before) in rows.iter().zip(&at_rest) {
                let expected: f64 = row.iter().zip(&change).map(|(j, v)| j * v).sum();
                let error = (along(&pushed, *i, *r) - before - expected).abs() / scale;
                worst = worst.max(error);
                assert!(error < 1e-12, "seed {seed}: entry ({i} {r}, {j} {s}) off by {error:e}");
            }
        }
    }
    println!("G Gᵀ against J M⁻¹ Jᵀ: off by {worst:.1e}");
    assert!(same_tree > 5 && other_tree > 5, "{same_tree} in a tree, {other_tree} between trees");
}

/// A stack of three boxes on a slope.
fn three_boxes() -> World {
    let rot = inclined(0.2, 0.7);
    let mut scene = Scene::new(Material::with_friction(0.5));
    scene.plane(rot);
    (0..3).for_each(|i| {
        scene.block(&format!("box{i}"), [0.1, 0.1, 0.05], 1.0);
    });
    let mut world = scene.world(2e-3);
    for i in 0..3 {
        let pos = rot.cols[2] * (0.05 * (2 * i + 1) as f64);
        world.place(i, pos.to_array(), Quat::from_mat3(&rot));
    }
    world.options = world.options.with_solver(Solver::Ncp(Ncp { sweeps: 5000, ..SWEEPS_ALONE }));
    world
}

#[test]
fn a_warm_start_finds_the_same_solution_in_fewer_sweeps() {
    let mut world = three_boxes();
    world.steps(100);
    let mut cold = State { contact: world.state.contact.clone(), ..world.state.clone() };
    cold.contact.clear();
    let memory = core::mem::replace(&mut world.state, cold);
    let without = world.step();
    let v = world.state.v.clone();
    world.state = memory;
    let with = world.step();
    let error = distance(&v, &world.state.v);
    println!(
        "{} sweeps warm, {} cold, {error:.1e} m/s apart",
        with.solved.sweeps, without.solved.sweeps
    );
    assert!(5 * with.solved.sweeps < without.solved.sweeps, "{with:?}, cold {without:?}");
    // Both stop where a sweep changes less than 1e-9 m/s; sweeps shrink the rest slowly.
    assert!(error < 1e-6, "solutions differ by {error:e} m/s");
}

#[test]
fn the_number_of_sweeps_is_what_was_asked_for() {
    for sweeps in [1, 7, 30] {
        let mut world = three_boxes();
        let ncp = Ncp { sweeps, tolerance: 0.0, ..SWEEPS_ALONE };
        world.options = world.options.with_solver(Solver::Ncp(ncp));
        for _ in 0..5 {
            assert_eq!(world.step().solved.sweeps, sweeps);
        }
    }
    // Nothing to do takes a sweep that changes nothing.
    let mut scene = Scene::weightless(Material::DEFAULT);
    scene.ground();
    scene.body("box", ShapeKind::Box, [0.1; 3], block([0.1; 3], 1.0));
    let mut world = scene.world(1e-3);
    world.place(0, [0.0, 0.0, 0.1], Quat::IDENTITY);
    let ncp = Ncp { sweeps: 30, tolerance: 0.0, ..SWEEPS_ALONE };
    world.options = world.options.with_solver(Solver::Ncp(ncp));
    assert_eq!(world.step().solved.sweeps, 1);
}

#[test]
fn more_sweeps_leave_less_to_do() {
    let residual = |sweeps: u32| {
        let mut world = three_boxes();
        let ncp = Ncp { sweeps, tolerance: 0.0, ..SWEEPS_ALONE };
        world.options = world.options.with_solver(Solver::Ncp(ncp));
        world.step().solved.residual
    };
    let (few, many) = (residual(10), residual(1000));
    assert!(many < 1e-3 * few && few > 1e-6, "{few:e} after 10 sweeps, {many:e} after 1000");
}

//! Forces that networks add at rigid contacts: the solver finds its impulses with them, and they act only at contacts.

use std::sync::Arc;

use crate::support::training::{Episode, Training};
use crate::support::{Scene, check_gradients};
use crate::uses::puck;
use gradbody_augment::{Augmentation, Blueprint, Bound, Kind, bind};
use gradbody_contact::{Lcp, Ncp, Solver, contact_frame};
use gradbody_math::Vec3;
use gradbody_neural::Damping;
use gradbody_sim::{Input, Integrator, NoTaps, State, StepOptions, StepScratch, StepTrace, step};

const DT: f64 = 1e-3;
const FRICTION: f64 = 0.3;
/// Radius of the puck [m], the mass that it presses with, and the mass that moves along x [kg].
const RADIUS: f64 = 0.1;
const LOAD: f64 = 1.0;
const MASS: f64 = 1.1;
const G: f64 = 9.81;

/// A network without hidden layers whose outputs are these numbers, whatever it reads.
fn constant(kind: Kind, outputs: &[&'static str], numbers: &[f64]) -> (Blueprint, Vec<f64>) {
    let mut of = Augmentation::new("push", outputs.iter().copied(), ["time"]);
    of.kind = kind;
    of.network.hidden = Vec::new();
    let weights = [vec![0.0; numbers.len()], numbers.to_vec()].concat();
    (Blueprint::default().with(of), weights)
}

/// The outputs of a network that pushes the puck along x with a force [N]. The puck is body a of the contact, and the
/// normal points from it into the ground.
fn along_x(force: f64) -> [f64; 2] {
    let [_, s, t] = contact_frame(-Vec3::<f64>::Z).cols;
    [-force * s.x, -force * t.x]
}

/// One step from a height above the ground [m] with a velocity; the state after it and the contact's force.
fn after(
    solver: Solver,
    integrator: Integrator,
    (blueprint, weights): &(Blueprint, Vec<f64>),
    height: f64,
    v: [f64; 3],
) -> (State<f64>, Vec3<f64>) {
    let model = puck(FRICTION);
    let options = StepOptions::new(DT).with_solver(solver).with(integrator);
    let plan = Arc::new(bind(blueprint, &model, &options.contact).unwrap());
    let mut bound = Bound::new(plan, weights.clone()).unwrap();
    let mut state = State::neutral(&model);
    state.q[2] = RADIUS + height;
    state.v.copy_from_slice(&v);
    bound.begin(&mut state);
    let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
    let input = Input::none(&model);
    step(&model, &mut state, &input, &options, &mut bound, &mut trace, &mut scratch);
    let force = trace.contacts().first().map_or(Vec3::ZERO, |contact| contact.force_w);
    (state, force)
}

fn solvers() -> [Solver; 2] {
    [Solver::Ncp(Ncp::converged()), Solver::Lcp(Lcp::default())]
}

const NEAR: f64 = 1e-9;

#[test]
fn a_viscous_force_slows_a_sliding_body_beside_dry_friction() {
    // −L² v with L² = 4 N s/m.
    let drag = constant(Kind::Dissipative(Damping::Isotropic), &["contact/*/friction"], &[2.0]);
    for solver in solvers() {
        for integrator in [Integrator::ImplicitDamping, Integrator::SemiImplicitEuler] {
            let (state, force) = after(solver, integrator, &drag, -5e-13, [1.5, 0.0, 0.0]);
            let resists = FRICTION * LOAD * G + 4.0 * 1.5;
            let expected = 1.5 - DT * resists / MASS;
            assert!((state.v[0] - expected).abs() < NEAR, "{:?}, not {expected}", state.v);
            assert!(state.v[1].abs() < NEAR && state.v[2].abs() < NEAR, "{:?}", state.v);
            // The force of the puck on the ground is the solver's and the network's.
            let on_ground = Vec3::new(resists, 0.0, -LOAD * G);
            assert!((force - on_ground).norm() < 1e-5, "{force:?}, not {on_ground:?}");
        }
    }
}

#[test]
fn friction_holds_against_a_small_push_and_the_ground_against_any() {
    const NORMAL: &str = "contact/*/normal_force";
    const FRICTIONAL: &str = "contact/*/friction";
    let [x, y] = along_x(1.0);
    for solver in solvers() {
        for integrator in [Integrator::ImplicitDamping, Integrator::Rk4] {
            let speed = |outputs: &[&'static str], numbers: &[f64]| {
                let push = constant(Kind::Free, outputs, numbers);
                let (state, _) = after(solver, integrator, &push, -5e-13, [0.0; 3]);
                assert!(state.v[2].abs() < NEAR, "{numbers:?}: {:?}", state.v);
                assert!((state.q[2] - RADIUS).abs() < NEAR, "{:?}", state.q);
                assert!(state.v[1].abs() < NEAR, "{numbers:?}: {:?}", state.v);
                state.v[0]
            };
            let near = |found: f64, expected: f64| {
                assert!((found - expected).abs() < NEAR, "{solver:?}: {found}, not {expected}");
            };
            // Dry friction holds 0.3 · 9.81 N = 2.9 N, but not 5 N.
            near(speed(&[FRICTIONAL], &[2.5 * x, 2.5 * y]), 0.0);
            near(
                speed(&[FRICTIONAL], &[5.0 * x, 5.0 * y]),
                DT * (5.0 - FRICTION * LOAD * G) / MASS,
            );
            // Bodies that are pulled together do not move, nor do those that are pushed apart with less than the weight.
            near(speed(&[NORMAL], &[-1000.0]), 0.0);
            near(speed(&[NORMAL], &[9.0]), 0.0);
            // Friction is a share of what the solver carries: less if the network carries a part.
            let pushed = speed(&[NORMAL, FRICTIONAL], &[4.0, 2.5 * x, 2.5 * y]);
            near(pushed, DT * (2.5 - FRICTION * (LOAD * G - 4.0)) / MASS);
        }
    }
}

#[test]
fn a_body_that_hovers_feels_less_and_beyond_the_margin_nothing() {
    let drag = constant(Kind::Dissipative(Damping::Isotropic), &["contact/*/friction"], &[2.0]);
    let solver = Solver::Ncp(Ncp::converged());
    let slowed = |height: f64| {
        let up = [1.5, 0.0, 0.5];
        let (state, _) = after(solver, Integrator::ImplicitDamping, &drag, height, up);
        (1.5 - state.v[0]) * MASS / (DT * 4.0 * 1.5)
    };
    // The margin is a millimetre.
    for (height, share) in
        [(0.0, 1.0), (2.5e-4, 0.75), (7.5e-4, 0.25), (1.001e-3, 0.0), (0.01, 0.0)]
    {
        let found = slowed(height);
        assert!((found - share).abs() < 1e-6, "at {height} m: {found}, not {share}");
    }
}

/// A scene with a contact in the middle of where forces fade.
fn hovering(integrator: Integrator) -> Scene {
    let mut scene = Scene::new("hovering", Solver::Ncp(Ncp::converged()), integrator);
    let gap = |scene: &Scene| {
        let (model, mut state) = (&scene.model, scene.start.clone());
        let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
        let Scene { options, input, .. } = scene;
        step(model, &mut state, input, options, &mut NoTaps, &mut trace, &mut scratch);
        let nearest = trace.contacts().iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap();
        (nearest.gap, nearest.normal_w.z)
    };
    let (was, down) = gap(&scene);
    scene.start.q[2] += (was - 5e-4) / down;
    let (is, _) = gap(&scene);
    assert!((is - 5e-4).abs() < 1e-9, "{is}");
    scene
}

#[test]
fn gradients_where_forces_fade_are_those_of_dual_numbers() {
    for integrator in [Integrator::ImplicitDamping, Integrator::Rk4] {
        let scene = hovering(integrator);
        for (kind, outputs) in [
            (Kind::Free, ["contact/*/friction", "contact/*/normal_force"]),
            (Kind::Dissipative(Damping::Full), ["contact/*/friction", "contact/*/normal_force"]),
        ] {
            let inputs = ["contact/*/sliding_speed", "contact/*/penetration_rate"];
            let mut of = Augmentation::new("net", outputs, inputs);
            of.kind = kind;
            of.output_scale = 2.0;
            of.network.hidden = vec![5];
            let blueprint = Blueprint { signals: scene.signals(), augmentations: vec![of] };
            let label = format!("{kind:?}, {integrator:?}");
            let found = check_gradients(&scene, &blueprint, &label);
            println!("{label}: {:.1e}", found.error);
            assert!(found.slope != 0.0, "{label} does nothing");
        }
    }
}

#[test]
fn gradients_of_weights_are_those_of_differences() {
    let (real, model) = (puck(0.3), puck(0.1));
    for solver in solvers() {
        let options = StepOptions::new(5e-3).with_solver(solver);
        let episode = |v: [f64; 2], height: f64| {
            let mut start = State::neutral(&real);
            start.q[2] = RADIUS + height;
            start.v[..2].copy_from_slice(&v);
            Episode::recorded(&real, &options, start, vec![Input::none(&real); 12])
        };
        // One slides, one hovers at first.
        let episodes = vec![episode([1.5, -0.4], -5e-13), episode([-1.0, 0.7], 4e-4)];
        let inputs = ["contact/*/sliding_speed", "contact/*/penetration_rate"];
        let mut of = Augmentation::new("net", ["contact/*/friction"], inputs);
        of.kind = Kind::Dissipative(Damping::Full);
        of.network.hidden = vec![3];
        let mut training =
            Training::new(&Blueprint::default().with(of), &model, &options, episodes);
        let (_, gradient) = training.loss();
        let size = gradient.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        assert!(size > 0.0, "nothing depends on the weights");
        for (k, slope) in gradient.iter().enumerate() {
            const H: f64 = 1e-5;
            let mut at = |h: f64| {
                training.bound.weights[k] += h;
                let cost = training.loss().0;
                training.bound.weights[k] -= h;
                cost
            };
            let difference = (at(H) - at(-H)) / (2.0 * H);
            let off = (difference - slope).abs() / size;
            assert!(off < 1e-7, "{solver:?}, weight {k}: {slope:e}, by differences {difference:e}");
        }
    }
}

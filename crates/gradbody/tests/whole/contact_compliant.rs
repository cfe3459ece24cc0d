//! Compliant contact: the law of Hunt and Crossley, and four laws of friction.

use crate::support::scenes::{G, Scene, World};
use gradbody::contact::{FrictionLaw, HuntCrossley, Solver};
use gradbody::math::Dual;
use gradbody::model::{ContactLaw, Material};
use gradbody::prelude::*;

const LAWS: [FrictionLaw; 4] =
    [FrictionLaw::Coulomb, FrictionLaw::Brown, FrictionLaw::Andersson, FrictionLaw::Hollars];

const SURFACE: Material<f64> = Material {
    friction: 0.5,
    static_friction: 0.8,
    slip_velocity: 0.02,
    stiffness: 30_000.0,
    damping: 9_000.0,
    exponent: 1.3,
    ..Material::DEFAULT
};

/// A ball of 0.1 m and 2 kg on the ground, `depth` inside it.
fn ball(surface: Material<f64>, depth: f64, dt: f64) -> World {
    let mut scene = Scene::new(surface);
    scene.ground();
    scene.ball("ball", 0.1, 2.0);
    let mut world = scene.world(dt);
    world.options = world.options.with_solver(Solver::HuntCrossley);
    world.place(0, [0.0, 0.0, 0.1 - depth], Quat::IDENTITY);
    world
}

#[test]
fn a_body_rests_where_the_spring_carries_its_weight() {
    for (stiffness, exponent) in [(30_000.0, 1.3), (5e4, 1.5), (2e4, 1.0), (1e6, 2.0)] {
        let mut world = ball(Material { stiffness, exponent, ..SURFACE }, 0.0, 1e-4);
        // The law damps little at small penetrations: start where it ends, roughly, and wait.
        let depth = f64::powf(2.0 * G / stiffness, 1.0 / exponent);
        world.place(0, [0.0, 0.0, 0.1 - 0.9 * depth], Quat::IDENTITY);
        world.model.params.joints[0].damping = 20.0;
        world.run(4.0);
        let rests = 0.1 - world.position(0).z;
        assert!(
            (rests / depth - 1.0).abs() < 1e-6,
            "k {stiffness}, n {exponent}: {rests}, {depth}"
        );
    }
}

#[test]
fn the_force_is_that_of_the_formulas() {
    for law in LAWS {
        for [x, y, z] in [[0.0, 0.0, -0.1], [0.3, 0.1, 0.2], [0.005, -0.01, 0.0], [1.0, 2.0, 4.0]] {
            let depth = 2e-3;
            let mut world = ball(SURFACE, depth, 1e-5);
            world.options.contact.compliance = HuntCrossley { friction: law };
            world.throw(0, [x, y, z], [0.0; 3]);
            world.step();
            let Material { friction, static_friction, slip_velocity, .. } = SURFACE;
            let spring = depth.powf(1.3);
            let normal = (30_000.0 * spring - 9_000.0 * spring * z).max(0.0);
            let speed = x.hypot(y);
            let s = speed / slip_velocity;
            let more = static_friction - friction;
            let mu = match law {
                FrictionLaw::Coulomb => friction,
                FrictionLaw::Brown => {
                    friction * (4.0 * s).tanh() + more * s / (0.25 * s * s + 0.75).powi(2)
                }
                FrictionLaw::Andersson => (friction + more * (-s * s).exp()) * (4.0 * s).tanh(),
                FrictionLaw::Hollars => s.min(1.0) * (friction + 2.0 * more / (1.0 + s * s)),
            };
            let along = if speed > 0.0 { -mu * normal / speed } else { 0.0 };
            let expected = Vec3::new(along * x, along * y, normal);
            let force = world.contact_force(gradbody::model::LinkId::new(0));
            let error = (force - expected).norm();
            assert!(
                error < 1e-10 * (1.0 + normal),
                "{law:?} at {x} {y} {z}: {force:?}, {expected:?}"
            );
        }
    }
}

#[test]
fn smooth_laws_of_friction_have_a_slope_at_rest() {
    // d(μ(v) v/|v|)/dv at v = 0, in closed form.
    let Material { friction, static_friction, slip_velocity, .. } = SURFACE;
    let more = static_friction - friction;
    for (law, slope) in [
        (FrictionLaw::Brown, 4.0 * friction + more / 0.75_f64.powi(2)),
        (FrictionLaw::Andersson, 4.0 * static_friction),
        (FrictionLaw::Hollars, friction + 2.0 * more),
    ] {
        let material = SURFACE.map(Dual::<f64, 2>::from_f64);
        let v = Vec3::new(Dual::variable(0.0, 0), Dual::variable(0.0, 1), Dual::ZERO);
        let force = v * law.coefficient_by_speed(&material, v.norm());
        let expected = slope / slip_velocity;
        for i in 0..2 {
            let got = force[i].eps;
            assert!((got[i] / expected - 1.0).abs() < 1e-12, "{law:?}: {got:?}, {expected}");
            assert_eq!(got[1 - i], 0.0, "{law:?}");
        }
        // And it goes through zero smoothly: the slope beside it is the same.
        let x = Dual::<f64, 1>::variable(1e-9, 0);
        let material = SURFACE.map(Dual::<f64, 1>::from_f64);
        let beside = (x * law.coefficient_by_speed(&material, x)).eps[0];
        assert!((beside / expected - 1.0).abs() < 1e-6, "{law:?}: {beside}, {expected}");
    }
}

#[test]
fn the_laws_of_friction_are_continuous_where_their_formulas_change() {
    let mu = |law: FrictionLaw, v: f64| law.coefficient_by_speed(&SURFACE, v) * v;
    for law in [FrictionLaw::Brown, FrictionLaw::Andersson, FrictionLaw::Hollars] {
        for v in [1e-4 * SURFACE.slip_velocity, SURFACE.slip_velocity] {
            let (below, above) = (mu(law, v * (1.0 - 1e-12)), mu(law, v * (1.0 + 1e-12)));
            assert!((above - below).abs() < 1e-9 * above, "{law:?} at {v}: {below}, {above}");
        }
        // Far above the slip velocity all are Coulomb's.
        let far = mu(law, 1e3 * SURFACE.slip_velocity);
        assert!((far - SURFACE.friction).abs() < 1e-5, "{law:?}: {far}");
    }
}

#[test]
fn a_bounce_loses_energy_and_the_more_the_more_it_is_damped() {
    let speed_after = |damping: f64| {
        let mut world = ball(Material { damping, ..SURFACE }, -0.01, 1e-5);
        world.throw(0, [0.0, 0.0, -1.0], [0.0; 3]);
        let start = world.energy();
        let touched = (0..20_000).any(|_| {
            world.step();
            !world.trace.contacts().is_empty()
        });
        assert!(touched);
        while !world.trace.contacts().is_empty() {
            world.step();
        }
        (world.velocity(0).z, start - world.energy())
    };
    let (undamped, lost) = speed_after(0.0);
    // Semi-implicit Euler keeps the energy of a spring to first order in dt.
    assert!(lost.abs() < 1e-3, "an undamped bounce loses {lost} J");
    let (little, lost_little) = speed_after(3_000.0);
    let (much, lost_much) = speed_after(30_000.0);
    assert!(undamped > little && little > much && much > 0.0, "{undamped} {little} {much} m/s");
    assert!(lost_much > lost_little && lost_little > 0.01, "{lost_little} J, {lost_much} J");
}

#[test]
fn a_sliding_body_is_slowed_by_coulombs_force() {
    for law in LAWS {
        let mut world = ball(SURFACE, 0.0, 1e-4);
        world.options.contact.compliance = HuntCrossley { friction: law };
        let depth = f64::powf(2.0 * G / SURFACE.stiffness, 1.0 / SURFACE.exponent);
        world.place(0, [0.0, 0.0, 0.1 - depth], Quat::IDENTITY);
        world.throw(0, [3.0, 4.0, 0.0], [0.0; 3]);
        world.run(0.1);
        // 50 times the slip velocity and more: within 0.1 % of μ g.
        let expected = 5.0 - 0.5 * G * 0.1;
        let speed = world.velocity(0).norm();
        assert!((speed - expected).abs() < 1e-3, "{law:?}: {speed} m/s, not {expected}");
    }
}

#[test]
fn rigid_and_compliant_bodies_live_in_one_world() {
    let mut scene = Scene::new(SURFACE);
    scene.ground();
    scene.ball("rigid", 0.1, 2.0);
    let soft = scene.ball("soft", 0.1, 2.0);
    scene.builder.shape_mut(soft).law = ContactLaw::Compliant;
    let mut world = scene.world(1e-4);
    let depth = f64::powf(2.0 * G / SURFACE.stiffness, 1.0 / SURFACE.exponent);
    world.place(0, [0.0, 0.0, 0.1], Quat::IDENTITY);
    world.place(1, [1.0, 0.0, 0.1 - 0.9 * depth], Quat::IDENTITY);
    world.model.params.joints[1].damping = 20.0;
    world.run(3.0);
    let laws: Vec<_> = world.trace.contacts().iter().map(|c| c.law).collect();
    assert_eq!(laws, [ContactLaw::Rigid, ContactLaw::Compliant]);
    assert!((world.position(0).z - 0.1).abs() < 1e-9, "rigid: {}", world.position(0).z);
    let rests = 0.1 - world.position(1).z;
    assert!((rests / depth - 1.0).abs() < 1e-6, "soft: {rests} deep, not {depth}");
    for i in 0..2 {
        let force = world.contact_force(gradbody::model::LinkId::new(i));
        assert!((force.z - 2.0 * G).abs() < 1e-4, "{i} is carried by {force:?}");
    }
}

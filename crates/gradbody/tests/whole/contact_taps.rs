//! Taps: they see and change a step's quantities, and change nothing by looking.

use crate::support::scenes::{G, World, slider};
use gradbody::contact::Contact;
use gradbody::prelude::*;
use gradbody::sim::{StepReport, TapRecord, Taps, step as take_step};

fn step_with(world: &mut World, taps: &mut impl Taps<f64>) -> StepReport {
    let World { model, state, input, options, trace, scratch } = world;
    take_step(model, state, input, options, taps, trace, scratch)
}

/// Looks, and writes down how much it has seen.
#[derive(Default)]
struct Onlooker {
    /// Coordinates of the model.
    nv: usize,
    joint_forces: usize,
    contacts: usize,
    accelerations: usize,
    velocities: usize,
}

impl Taps<f64> for Onlooker {
    fn links(
        &mut self,
        _: &mut TapRecord,
        _: &Input<f64>,
        state: &State<f64>,
        _: &mut Kinematics<f64>,
    ) {
        self.nv = state.v.len();
    }

    fn contacts(&mut self, _: &mut TapRecord, contacts: &mut [Contact<f64>]) {
        self.contacts += contacts.len();
    }

    fn actuator_forces(&mut self, _: &mut TapRecord, tau: &mut [f64]) {
        assert_eq!(tau.len(), self.nv);
        self.joint_forces += 1;
    }

    fn passive_forces(&mut self, _: &mut TapRecord, tau: &mut [f64]) {
        assert_eq!(tau.len(), self.nv);
        self.joint_forces += 1;
    }

    fn accelerations(&mut self, _: &mut TapRecord, qdd: &mut [f64]) {
        assert_eq!(qdd.len(), self.nv);
        self.accelerations += 1;
    }

    fn velocity(&mut self, _: &mut TapRecord, v: &mut [f64]) {
        assert_eq!(v.len(), self.nv);
        self.velocities += 1;
    }
}

#[test]
fn looking_changes_nothing() {
    for scheme in [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping, Integrator::Rk4] {
        let mut plain = slider(0.3, 0.7, 0.2, 1e-3);
        plain.options = plain.options.with(scheme);
        plain.state.v.copy_from_slice(&[0.4, -0.3, -0.5]);
        let mut watched = slider(0.3, 0.7, 0.2, 1e-3);
        watched.options = watched.options.with(scheme);
        watched.state = plain.state.clone();
        let mut taps = Onlooker::default();
        for _ in 0..100 {
            let report = plain.step();
            assert_eq!(step_with(&mut watched, &mut taps), report);
            assert_eq!(plain.state, watched.state, "{scheme:?}");
        }
        assert!(taps.contacts >= 90, "{scheme:?}: it saw something");
        // At four points, of which the first is the start, where the contacts are.
        let evaluations = if scheme == Integrator::Rk4 { 4 } else { 1 };
        assert_eq!(taps.accelerations, 100 * evaluations, "{scheme:?}");
        assert_eq!(taps.joint_forces, 2 * taps.accelerations, "{scheme:?}");
        assert_eq!(taps.velocities, 100, "{scheme:?}");
    }
}

/// Another friction.
struct Ice(f64);

impl Taps<f64> for Ice {
    fn contacts(&mut self, _: &mut TapRecord, contacts: &mut [Contact<f64>]) {
        contacts.iter_mut().for_each(|c| c.material.friction = self.0);
    }
}

#[test]
fn a_tap_can_change_the_friction_of_a_contact() {
    for friction in [0.0, 0.1, 0.3] {
        let mut world = slider(0.0, 0.0, 0.8, 1e-3);
        world.state.v.copy_from_slice(&[3.0, -4.0, 0.0]);
        for _ in 0..100 {
            step_with(&mut world, &mut Ice(friction));
        }
        let speed = Vec3::from_slice(&world.state.v).norm();
        let expected = 5.0 - friction * G * 0.1;
        assert!((speed - expected).abs() < 1e-9, "μ {friction}: {speed} m/s, not {expected}");
    }
}

/// A wind, and a speed limit.
struct WindAndLimit;

impl Taps<f64> for WindAndLimit {
    fn actuator_forces(&mut self, _: &mut TapRecord, tau: &mut [f64]) {
        tau[0] += 1.5;
    }

    fn passive_forces(&mut self, _: &mut TapRecord, tau: &mut [f64]) {
        tau[0] += 0.5;
    }

    fn accelerations(&mut self, _: &mut TapRecord, qdd: &mut [f64]) {
        // In a step of a millisecond, 1 m/s.
        qdd[1] += 1000.0;
    }

    fn velocity(&mut self, _: &mut TapRecord, v: &mut [f64]) {
        v[1] = v[1].min(0.25);
    }
}

#[test]
fn taps_act_on_forces_and_velocities_where_they_say() {
    let mut world = slider(0.0, 0.0, 0.0, 1e-3);
    for _ in 0..100 {
        step_with(&mut world, &mut WindAndLimit);
    }
    assert!((world.state.v[0] - 0.2).abs() < 1e-12, "{:?}", world.state.v);
    assert_eq!(world.state.v[1], 0.25);
    assert!((world.state.q[1] - 0.025).abs() < 1e-12, "{:?}", world.state.q);
}

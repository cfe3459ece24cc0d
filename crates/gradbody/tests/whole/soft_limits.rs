//! Soft limits and activation ranges that are stiffer than the step: stable with the implicit
//! scheme, whatever the joint; and they only push.

use crate::support::golden::repository;
use crate::support::models::{body, single};
use gradbody::dynamics::{JointStops, gravitational_energy, joint_forces, kinetic_energy};
use gradbody::model::{ActuatorParams, JointId, JointKind};
use gradbody::prelude::*;

const DEFAULT_LIMITS: (f64, f64) = (-0.5, 0.8);

/// A joint with a range, and a state `depth` beyond its upper end in the first coordinate.
fn beyond(kind: JointKind, depth: f64) -> (Model<f64>, State<f64>) {
    let mut spec = JointSpec::new("joint", kind);
    (spec.params.limit_lower, spec.params.limit_upper) = DEFAULT_LIMITS;
    let model = single(spec, body(0.1, [0.0; 3], [1e-3; 3]), [0.0; 3]);
    let mut state = State::neutral(&model);
    state.q[0] = DEFAULT_LIMITS.1 + depth;
    (model, state)
}

const FLAT: [JointKind; 4] = [
    JointKind::Revolute(gradbody::model::Axis::Z),
    JointKind::Prismatic(gradbody::model::Axis::Z),
    JointKind::Universal,
    JointKind::Planar,
];

#[test]
fn limits_hold_every_coordinate_of_every_kind_of_joint_with_angles_and_distances() {
    for kind in FLAT {
        let (model, mut state) = beyond(kind, 0.0);
        for k in 0..model.nv() {
            for (end, inwards) in [(DEFAULT_LIMITS.0 - 0.1, 1.0), (DEFAULT_LIMITS.1 + 0.1, -1.0)] {
                state.q.fill(0.0);
                state.q[k] = end;
                let mut tau = vec![0.0; model.nv()];
                joint_forces(&model, &state.q, &state.v, JointStops::Soft, &mut tau);
                assert!(tau[k] * inwards > 1.0, "{} {k} at {end}: {tau:?}", kind.name());
                let others = tau.iter().enumerate().filter(|(i, _)| *i != k);
                assert!(others.clone().all(|(_, tau)| *tau == 0.0), "{}: {tau:?}", kind.name());
            }
        }
    }
}

#[test]
fn limits_never_pull() {
    for kind in FLAT {
        for depth in [1e-6, 1e-3, 0.1, 1.0] {
            for speed in [-1000.0, -10.0, -0.1, 0.0, 10.0] {
                let (model, mut state) = beyond(kind, depth);
                state.v[0] = speed;
                let mut tau = vec![0.0; model.nv()];
                joint_forces(&model, &state.q, &state.v, JointStops::Soft, &mut tau);
                assert!(tau[0] <= 0.0, "{} {depth} deep at {speed}: {tau:?}", kind.name());
            }
        }
    }
}

#[test]
fn stiff_limit_throws_back_with_no_more_than_it_was_given() {
    // Stiffness and damping of the limit against the inertia over a step: up to 10⁴ and 100.
    for kind in FLAT {
        for dt in [2e-4, 1e-3, 5e-3, 2e-2] {
            let (model, mut state) = beyond(kind, 0.0);
            state.v[0] = 20.0;
            let options = StepOptions::new(dt).with(Integrator::ImplicitDamping);
            let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
            let input = Input::none(&model);
            let place = format!("{} with steps of {dt} s", kind.name());
            let (mut fastest_back, mut deepest) = (0.0_f64, 0.0_f64);
            for i in 0..200 {
                let report = step(
                    &model,
                    &mut state,
                    &input,
                    &options,
                    &mut NoTaps,
                    &mut trace,
                    &mut scratch,
                );
                assert_eq!(report.diverged, None, "{place}, step {i}");
                fastest_back = fastest_back.max(-state.v[0]);
                deepest = deepest.max(state.q[0] - DEFAULT_LIMITS.1);
            }
            assert!(fastest_back <= 20.0, "{place}: thrown back at {fastest_back}");
            assert!(state.v[0] <= 0.0, "{place}: still going out at {}", state.v[0]);
            assert!(deepest < 20.0 * dt + 0.3, "{place}: {deepest} deep");
        }
    }
}

#[test]
fn quadrupeds_that_start_outside_their_ranges_come_back_without_a_burst() {
    // Their knees are far out of range at zero. What the limits have stored then is theirs to
    // give, ½ k x² at most, and nothing more.
    for file in ["a1.urdf", "laikago.urdf"] {
        let imported = load(repository().join("models").join(file), &ImportOptions::default());
        let mut model = imported.unwrap_or_else(|e| panic!("{e}")).model;
        model.params.gravity = Vec3::ZERO;
        let stored: f64 = model
            .params
            .joints
            .iter()
            .map(|joint| {
                let depth = joint.limit_lower.max(-joint.limit_upper).max(0.0);
                0.5 * joint.limit_stiffness * depth * depth
            })
            .sum();
        assert!(stored > 1.0, "{file} starts in its range");
        // With small steps most of it goes into the limits' own damping; with large ones, more.
        let mut allowed = stored;
        for dt in [2.5e-4, 1e-3, 2e-3, 5e-3, 1e-2] {
            let options = StepOptions::new(dt).with(Integrator::ImplicitDamping);
            let mut state = State::neutral(&model);
            let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
            let mut kin = Kinematics::new(&model);
            let input = Input::none(&model);
            let mut most = 0.0_f64;
            for i in 0..(1.0 / dt) as usize {
                let report = step(
                    &model,
                    &mut state,
                    &input,
                    &options,
                    &mut NoTaps,
                    &mut trace,
                    &mut scratch,
                );
                assert_eq!(report.diverged, None, "{file}, {dt} s, step {i}");
                kinematics(&model, &state.q, &mut kin);
                velocities(&model, &state.v, &mut kin);
                assert_eq!(gravitational_energy(&model, &kin), 0.0);
                most = most.max(kinetic_energy(&model, &kin, &state.v));
            }
            println!("{file}, steps of {dt} s: {most:.2} J of {stored:.1} J");
            assert!(most < allowed, "{file}, steps of {dt} s: {most} J, allowed {allowed} J");
            allowed = most;
        }
    }
}

#[test]
fn activation_stays_in_its_range() {
    let mut builder = ModelBuilder::new("motor");
    let hinge = JointSpec::revolute("hinge", Vec3::Z);
    builder.link("wheel", FrameId::WORLD, hinge, body(1.0, [0.0; 3], [0.5; 3])).expect("a link");
    let unlimited = f64::INFINITY;
    let params = ActuatorParams {
        gear: 1.0,
        gain: 1.0,
        bias: [0.0; 3],
        control_lower: -unlimited,
        control_upper: unlimited,
        activation_lower: -0.25,
        activation_upper: 0.5,
        force_lower: -unlimited,
        force_upper: unlimited,
    };
    builder.actuator("motor", JointId::new(0), true, params).expect("an actuator");
    let model = builder.build().expect("a model");
    for scheme in [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping, Integrator::Rk4] {
        let mut state = State::neutral(&model);
        let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
        let options = StepOptions::new(1e-2).with(scheme);
        let mut input = Input::none(&model);
        // It does not wind up: it leaves the end of its range at once.
        for (control, want) in [(1.0, 0.5), (-1.0, -0.25)] {
            input.control[0] = control;
            (0..200).for_each(|_| {
                step(&model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
            });
            assert_eq!(state.activation[0], want, "{scheme:?} at control {control}");
        }
        input.control[0] = 1.0;
        step(&model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        let left = state.activation[0] + 0.25;
        assert!((left - 1e-2).abs() < 1e-12, "{scheme:?}: {left} from the end after a step");
    }
}

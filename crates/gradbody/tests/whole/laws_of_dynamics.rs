//! What must hold of the dynamics at any one state, whatever the model: forward and inverse dynamics
//! undo each other, power is accounted for, momentum changes by outside forces alone.
//!
//! The models are random trees with every kind of joint. Rates are taken along the motion with dual
//! numbers, so that the laws hold to rounding.

use crate::support::compare::Comparison;
use crate::support::models::{quadruped, random_forces, random_robot, random_tree};
use crate::support::motion::{InTime, changing, moving, rate, six, value};
use crate::support::random::Random;
use gradbody::dynamics::{
    JointStops, MassFactors, aba_with_added_inertia, bias_forces, centre_of_mass, elastic_energy,
    factorise, frame_jacobian, frame_pose, frame_velocity, gravitational_energy, joint_forces,
    kinetic_energy, momentum, point_jacobian, solve, total_mass,
};
use gradbody::math::{Force, Motion};
use gradbody::model::{FrameId, LinkId};
use gradbody::prelude::*;

/// Rounding, amplified by the conditioning of trees of 20 links: 3e-14 is seen.
const ROUNDING: f64 = 1e-12;

/// A model at a state, with forces on it and the accelerations they cause.
struct Case {
    name: String,
    model: Model<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
    external: Vec<Force<f64>>,
    kin: Kinematics<f64>,
    qdd: Vec<f64>,
}

impl Case {
    fn new(model: Model<f64>, random: &mut Random) -> Self {
        let q = random.configuration(&model);
        let v = random.numbers(model.nv());
        let tau = random.numbers(model.nv());
        let external = random_forces(random, &model);
        let mut kin = Kinematics::new(&model);
        kinematics(&model, &q, &mut kin);
        velocities(&model, &v, &mut kin);
        let name = model.topology.name.clone();
        let mut case = Case { name, model, q, v, tau, external, kin, qdd: vec![] };
        case.qdd = case.accelerations(&case.tau);
        case
    }

    fn accelerations(&self, tau: &[f64]) -> Vec<f64> {
        let mut work = AbaWork::new(&self.model);
        aba(&self.model, &self.kin, tau, &self.external, &mut work);
        work.qdd
    }

    /// The same state as numbers that change in time.
    fn in_time(&self) -> (Model<InTime>, Vec<InTime>, Vec<InTime>, Kinematics<InTime>) {
        let model: Model<InTime> = self.model.cast();
        let q = moving(&model, &self.q, &self.v);
        let v = changing(&self.v, &self.qdd);
        let mut kin = Kinematics::new(&model);
        kinematics(&model, &q, &mut kin);
        velocities(&model, &v, &mut kin);
        (model, q, v, kin)
    }
}

/// Trees of many sizes, and a quadruped.
fn cases() -> Vec<Case> {
    let mut random = Random::new(1);
    let trees = (0..30).map(|seed| random_tree(seed, 1 + seed as usize % 20));
    trees.chain([quadruped()]).map(|model| Case::new(model, &mut random)).collect()
}

#[test]
fn every_kind_of_joint_is_tested() {
    let kinds: std::collections::BTreeSet<&str> = cases()
        .iter()
        .flat_map(|case| case.model.topology.links.iter().map(|link| link.joint.kind.name()))
        .collect();
    let all = ["free", "planar", "prismatic", "revolute", "spherical", "universal"];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), all);
}

#[test]
fn inverse_dynamics_undo_forward_dynamics() {
    let mut comparison = Comparison::default();
    for case in cases() {
        let mut work = RneaWork::new(&case.model);
        rnea(&case.model, &case.kin, &case.qdd, &case.external, &mut work);
        comparison.check("tau", &case.name, ROUNDING, &work.tau, &case.tau);
    }
    comparison.finish("rnea(aba(tau)) = tau", 31);
}

#[test]
fn equation_of_motion_holds() {
    let mut comparison = Comparison::default();
    for case in cases() {
        let Case { name, model, kin, qdd, .. } = &case;
        let mut crba_work = CrbaWork::new(model);
        crba(model, kin, &mut crba_work);
        let mut bias = RneaWork::new(model);
        bias_forces(model, kin, &mut bias);
        // External forces are joint forces by the Jacobians of the links' origins.
        let mut applied = case.tau.clone();
        let mut columns = vec![Motion::ZERO; model.nv()];
        for (i, force) in case.external.iter().enumerate() {
            let origin = kin.bodies[i].pos_w;
            point_jacobian(model, kin, LinkId::new(i), origin, &mut columns);
            applied.iter_mut().zip(&columns).for_each(|(tau, column)| *tau += column.dot(*force));
        }
        let mut sum = vec![0.0; model.nv()];
        crba_work.mass_matrix.mul(qdd, &mut sum);
        sum.iter_mut().zip(&bias.tau).for_each(|(sum, bias)| *sum += bias);
        comparison.check("M qdd + h", name, ROUNDING, &sum, &applied);
    }
    comparison.finish("M qdd + h = tau + Jᵀ f", 31);
}

#[test]
fn added_inertia_is_on_the_diagonal() {
    let mut comparison = Comparison::default();
    let mut random = Random::new(5);
    for Case { name, mut model, kin, tau, external, .. } in cases() {
        // Of a joint's armature, which is on the diagonal too, each coordinate has the same; so a
        // model with that armature knows the answer.
        let mut added = vec![0.0; model.nv()];
        let mut work = AbaWork::new(&model);
        for joint in &model.topology.links {
            let more = random.within(0.1, 2.0);
            added[joint.joint.v_range()].fill(more);
        }
        aba_with_added_inertia(&model, &kin, &tau, &external, &added, &mut work);
        let got = work.qdd.clone();
        for (link, params) in model.topology.links.iter().zip(&mut model.params.joints) {
            params.armature += added[link.joint.v_start];
        }
        aba(&model, &kin, &tau, &external, &mut work);
        comparison.check("acceleration", &name, ROUNDING, &got, &work.qdd);
    }
    comparison.finish("added inertia", 31);
}

#[test]
fn mass_matrix_is_symmetric_and_positive() {
    let mut comparison = Comparison::default();
    let mut random = Random::new(2);
    for Case { name, model, kin, .. } in cases() {
        let nv = model.nv();
        let mut work = CrbaWork::new(&model);
        crba(&model, &kin, &mut work);
        // Column by column from inverse dynamics, which know nothing of symmetry.
        let (mut h, mut column) = (RneaWork::new(&model), RneaWork::new(&model));
        bias_forces(&model, &kin, &mut h);
        let mut by_columns = vec![0.0; nv * nv];
        let mut by_crba = vec![0.0; nv * nv];
        for j in 0..nv {
            let mut unit = vec![0.0; nv];
            unit[j] = 1.0;
            rnea(&model, &kin, &unit, &[], &mut column);
            for i in 0..nv {
                by_columns[i * nv + j] = column.tau[i] - h.tau[i];
                by_crba[i * nv + j] = work.mass_matrix.at(i, j);
            }
        }
        comparison.check("columns", &name, ROUNDING, &by_crba, &by_columns);

        let x = random.numbers(nv);
        let mut y = vec![0.0; nv];
        work.mass_matrix.mul(&x, &mut y);
        let mut factors = MassFactors::new(&model);
        factorise(&work.mass_matrix, &mut factors);
        for k in 0..nv {
            let d = factors.d(k);
            assert!(d > 0.0, "{name}: pivot {k} of the mass matrix is {d}");
        }
        solve(&factors, &mut y);
        comparison.check("solve(M x)", &name, ROUNDING, &y, &x);
    }
    comparison.finish("mass matrix", 62);
}

#[test]
fn frames_move_as_their_jacobians_say() {
    let mut comparison = Comparison::default();
    for case in cases() {
        let Case { name, model, v, qdd, kin, .. } = &case;
        let (model_t, _, _, kin_t) = case.in_time();
        let mut columns = vec![Motion::ZERO; model.nv()];
        let mut columns_t = vec![Motion::ZERO; model.nv()];
        for (i, frame) in model.topology.frames.iter().enumerate() {
            let place = format!("{name} frame {}", frame.name);
            let mut check = |what: &str, got: Motion<f64>, want: Motion<f64>| {
                comparison.check(what, &place, ROUNDING, &six(got), &six(want));
            };
            let id = FrameId::new(i);
            let velocity = frame_velocity(model, kin, id);
            frame_jacobian(model, kin, id, &mut columns);
            check("J v", weighted(&columns, v), velocity);

            // The pose's rate is the velocity: d rot / dt = [ω] rot, column by column.
            let pose_t = frame_pose(&model_t, &kin_t, id);
            let turning = pose_t.rot.cols.map(|c| value(c).cross(rate(c)));
            let spin = (turning[0] + turning[1] + turning[2]) * 0.5;
            check("rate of the pose", Motion::new(spin, rate(pose_t.pos)), velocity);

            // The velocity's rate is J qdd + J̇ v.
            let velocity_t = frame_velocity(&model_t, &kin_t, id);
            let acceleration = Motion::new(rate(velocity_t.ang), rate(velocity_t.lin));
            frame_jacobian(&model_t, &kin_t, id, &mut columns_t);
            let turned: Vec<Motion<f64>> =
                columns_t.iter().map(|c| Motion::new(rate(c.ang), rate(c.lin))).collect();
            let sum = weighted(&columns, qdd) + weighted(&turned, v);
            check("J qdd + rate(J) v", sum, acceleration);
        }
    }
    comparison.finish("frames", 31 * 3);
}

fn weighted(columns: &[Motion<f64>], weights: &[f64]) -> Motion<f64> {
    columns.iter().zip(weights).fold(Motion::ZERO, |sum, (column, w)| sum + *column * *w)
}

#[test]
fn links_accelerate_as_inverse_dynamics_say() {
    let mut comparison = Comparison::default();
    for case in cases() {
        let (_, _, _, kin_t) = case.in_time();
        let mut work = RneaWork::new(&case.model);
        rnea(&case.model, &case.kin, &case.qdd, &case.external, &mut work);
        for (i, (acc, body)) in work.acc_w.iter().zip(&kin_t.bodies).enumerate() {
            let want =
                Motion::new(rate(body.ang_vel_w), rate(body.lin_vel_w) - case.model.params.gravity);
            let place = format!("{} link {i}", case.name);
            comparison.check("acceleration", &place, ROUNDING, &six(*acc), &six(want));
        }
    }
    comparison.finish("links", 31);
}

#[test]
fn energy_changes_by_the_power_of_forces() {
    let mut comparison = Comparison::default();
    let mut random = Random::new(3);
    for seed in 0..20 {
        let mut case = Case::new(random_robot(seed, 1 + seed as usize), &mut random);
        // Springs store energy, motors and outside forces give it; the rest would lose it.
        for joint in &mut case.model.params.joints {
            (joint.damping, joint.friction) = (0.0, 0.0);
            (joint.limit_lower, joint.limit_upper) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        let mut tau = case.tau.clone();
        joint_forces(&case.model, &case.q, &case.v, JointStops::Soft, &mut tau);
        case.qdd = case.accelerations(&tau);
        let (model, q, v, kin) = case.in_time();
        let energies = [
            kinetic_energy(&model, &kin, &v),
            gravitational_energy(&model, &kin),
            elastic_energy(&model, &q),
        ];
        let by_motors: f64 = case.tau.iter().zip(&case.v).map(|(tau, v)| tau * v).sum();
        let bodies = case.external.iter().zip(&case.kin.bodies);
        let from_outside: f64 =
            bodies.map(|(f, b)| f.dot(Motion::new(b.ang_vel_w, b.lin_vel_w))).sum();
        // Relative to the largest exchange: the parts nearly cancel.
        let parts = [energies[0].eps[0], energies[1].eps[0], energies[2].eps[0], by_motors];
        let scale = crate::support::compare::largest(&parts);
        let gain = (energies[0] + energies[1] + energies[2]).eps[0];
        let balance = (gain - by_motors - from_outside) / scale;
        comparison.check_one("power balance", &case.name, ROUNDING, balance, 0.0);
    }
    comparison.finish("energy", 20);
}

#[test]
fn losses_only_lose() {
    let mut random = Random::new(4);
    for seed in 0..20 {
        let mut model = random_robot(seed, 12);
        for joint in &mut model.params.joints {
            joint.stiffness = 0.0;
            (joint.limit_lower, joint.limit_upper) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        let (q, v) = (random.configuration(&model), random.numbers(model.nv()));
        let mut tau = vec![0.0; model.nv()];
        joint_forces(&model, &q, &v, JointStops::Soft, &mut tau);
        for ((name, tau), v) in model.topology.velocity_names().iter().zip(&tau).zip(&v) {
            assert!(tau * v < 0.0, "{}: {name}: force {tau} at velocity {v}", model.topology.name);
        }
    }
}

#[test]
fn momentum_changes_by_outside_forces() {
    let mut comparison = Comparison::default();
    for case in cases() {
        let Case { name, model, kin, external, .. } = &case;
        let (model_t, _, _, kin_t) = case.in_time();
        let momentum_t = momentum(&model_t, &kin_t);
        let got = [rate(momentum_t.ang).to_array(), rate(momentum_t.lin).to_array()].concat();

        // What the joints on the world pass on, what acts on the links, and weight, about the
        // centre of mass.
        let mut work = RneaWork::new(model);
        rnea(model, kin, &case.qdd, external, &mut work);
        let com = centre_of_mass(model, kin);
        let mut sum = Force::new(Vec3::ZERO, model.params.gravity * total_mass(model));
        for (i, link) in model.topology.links.iter().enumerate() {
            let lever = kin.bodies[i].pos_w - com;
            sum += external[i].acting_at(lever);
            if link.parent.is_none() {
                sum += work.force_w[i].acting_at(lever);
            }
        }
        let want = [sum.ang.to_array(), sum.lin.to_array()].concat();
        comparison.check("rate of momentum", name, ROUNDING, &got, &want);
        let velocity = rate(centre_of_mass(&model_t, &kin_t)) * total_mass(model);
        let linear = momentum(model, kin).lin;
        comparison.check(
            "mass times velocity",
            name,
            ROUNDING,
            &velocity.to_array(),
            &linear.to_array(),
        );
    }
    comparison.finish("momentum", 62);
}

//! Forces of joints: springs, damping, friction and limits, explicit and implicit.

use gradbody_dynamics::{
    CoordinateCotangents, ImplicitDampingCotangents, JointStops, implicit_damping,
    implicit_damping_vjp, joint_forces, joint_forces_vjp,
};
use gradbody_math::Scalar;
use gradbody_model::Model;

use crate::check::{Direction, FIRST, along, check, contract, pair};
use crate::stage::{Cotangents, Inputs, Stage};
use crate::trees::{Random, random_inputs};

pub(crate) struct OwnForces(pub(crate) JointStops);

impl Stage for OwnForces {
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let mut tau = vec![S::ZERO; x.v.len()];
        joint_forces(&x.model, &x.q, &x.v, self.0, &mut tau);
        tau
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        joint_forces_vjp(&x.model, &x.q, &x.v, self.0, y_bar, out.coordinates());
        out
    }
}

#[test]
fn joint_forces_back() {
    check("joint_forces, soft", &OwnForces(JointStops::Soft));
    check("joint_forces, hard", &OwnForces(JointStops::Hard));
}

/// Extra: the time step.
pub(crate) struct Implicit(pub(crate) JointStops);

impl Stage for Implicit {
    fn extra(&self, _: &Model<f64>) -> usize {
        1
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let mut tau = vec![S::ZERO; x.v.len()];
        let mut added_inertia = tau.clone();
        implicit_damping(&x.model, &x.q, &x.v, self.0, x.extra[0], &mut tau, &mut added_inertia);
        [tau, added_inertia].concat()
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        let (tau_bar, added_inertia_bar) = y_bar.split_at(x.v.len());
        let Cotangents { q, v, extra, params } = &mut out;
        let bar = ImplicitDampingCotangents {
            tau: tau_bar,
            added_inertia: added_inertia_bar,
            dt: &mut extra[0],
            coordinates: CoordinateCotangents { q, v, params },
        };
        implicit_damping_vjp(&x.model, &x.q, &x.v, self.0, x.extra[0], bar);
        out
    }
}

#[test]
fn implicit_damping_back() {
    check("implicit_damping, soft", &Implicit(JointStops::Soft));
    check("implicit_damping, hard", &Implicit(JointStops::Hard));
}

#[test]
fn friction_slope_at_all_speeds() {
    for speed in [0.0, 1e-12, 1e-5, 1e-4, 2e-3, 0.01, 0.099, 0.101, 1.0, 30.0] {
        let mut random = Random::new(7);
        let stage = Implicit(JointStops::Soft);
        let mut x = random_inputs(&mut random, true, &stage);
        for (k, v) in x.v.iter_mut().enumerate() {
            *v = if k % 2 == 0 { speed } else { -speed };
        }
        for joint in &mut x.model.params.joints {
            joint.friction_velocity = 1.0;
        }
        let y_bar = random.numbers(2 * x.v.len());
        let bar = stage.back(&x, &y_bar);
        let direction = Direction::random(&x, &mut random);
        let moved = along(&x, &direction);
        let rates = stage.forward(&moved);
        let (forward, size) = pair(y_bar.iter().zip(&rates).map(|(a, b)| (*a, b.eps[0])));
        let (back, _) = contract(&bar, &direction, &moved);
        // Near zero the forward derivative of tanh(x)/x cancels.
        let error = (forward - back).abs() / size;
        assert!(forward != 0.0 && error < FIRST, "speed {speed}: {forward:e}, {back:e}");
    }
}

/// Friction that is zero has a derivative.
#[test]
fn zero_friction_is_felt() {
    let mut random = Random::new(3);
    let soft = OwnForces(JointStops::Soft);
    let x = random_inputs(&mut random, false, &soft);
    assert!(x.model.params.joints.iter().all(|j| j.friction == 0.0));
    let bar = soft.back(&x, &random.numbers(x.v.len()));
    assert!(bar.params.joints.iter().all(|j| j.friction != 0.0));
    let soft = Implicit(JointStops::Soft);
    let x = random_inputs(&mut random, false, &soft);
    let bar = soft.back(&x, &random.numbers(2 * x.v.len()));
    assert!(bar.params.joints.iter().all(|j| j.friction != 0.0));
}

#[test]
fn limits_take_their_share() {
    let mut random = Random::new(0);
    let stage = OwnForces(JointStops::Soft);
    let x = random_inputs(&mut random, true, &stage);
    let bar = stage.back(&x, &random.numbers(x.v.len()));
    let joints = &bar.params.joints;
    assert!(
        joints.iter().any(|j| j.limit_lower != 0.0) && joints.iter().any(|j| j.limit_upper != 0.0)
    );
    // Without a range nothing comes to it, and nothing is not a number.
    let x = random_inputs(&mut random, false, &stage);
    let bar = stage.back(&x, &random.numbers(x.v.len()));
    for joint in &bar.params.joints {
        let of_limits = [joint.limit_lower, joint.limit_upper, joint.limit_softness];
        assert_eq!(of_limits, [0.0; 3]);
        assert_eq!([joint.limit_stiffness, joint.limit_damping, joint.effort_limit], [0.0; 3]);
    }
}

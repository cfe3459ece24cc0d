//! Moving configurations, their differences and rates, for turns of all sizes.

use gradbody_dynamics::{
    JointStops, difference, difference_vjp, integrate, integrate_vjp, local_rate, local_rate_vjp,
};
use gradbody_math::Scalar;
use gradbody_model::{FrameId, JointSpec, Model, ModelBuilder};

use crate::check::{check, check_at};
use crate::energies::Springs;
use crate::joint_forces::OwnForces;
use crate::kinematics::Poses;
use crate::stage::{Cotangents, Inputs, Stage, constant};
use crate::trees::{Random, random_inputs};

/// Extra: dq.
pub(crate) struct Integrate;

impl Stage for Integrate {
    fn extra(&self, model: &Model<f64>) -> usize {
        model.nv()
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let mut q = x.q.clone();
        integrate(&x.model, &mut q, &x.extra);
        let still: Vec<S> = q.iter().map(|q| constant(*q)).collect();
        let mut change = vec![S::ZERO; x.v.len()];
        difference(&x.model, &still, &q, &mut change);
        change
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        // The change is zero in value; its derivatives to second order are those of `difference`.
        let mut q = x.q.clone();
        integrate(&x.model, &mut q, &x.extra);
        let still: Vec<S> = q.iter().map(|q| constant(*q)).collect();
        let mut unused = vec![S::ZERO; x.v.len()];
        difference_vjp(&x.model, &still, &q, y_bar, &mut unused, &mut out.q);
        integrate_vjp(&x.model, &x.extra, &mut out.q, &mut out.extra);
        out
    }
}

/// Extra: a change of `to`, taken at zero.
struct Difference {
    to: Vec<f64>,
}

impl Stage for Difference {
    fn extra(&self, model: &Model<f64>) -> usize {
        model.nv()
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let mut to: Vec<S> = self.to.iter().map(|q| S::from_f64(*q)).collect();
        integrate(&x.model, &mut to, &x.extra);
        let mut change = vec![S::ZERO; x.v.len()];
        difference(&x.model, &x.q, &to, &mut change);
        change
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        let mut to: Vec<S> = self.to.iter().map(|q| S::from_f64(*q)).collect();
        integrate(&x.model, &mut to, &x.extra);
        let mut to_bar = vec![S::ZERO; x.v.len()];
        difference_vjp(&x.model, &x.q, &to, y_bar, &mut out.q, &mut to_bar);
        integrate_vjp(&x.model, &x.extra, &mut to_bar, &mut out.extra);
        out
    }
}

/// Extra: local coordinates.
pub(crate) struct LocalRate;

impl Stage for LocalRate {
    fn extra(&self, model: &Model<f64>) -> usize {
        model.nv()
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let mut rate = vec![S::ZERO; x.v.len()];
        local_rate(&x.model, &x.extra, &x.v, &mut rate);
        rate
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        local_rate_vjp(&x.model, &x.extra, &x.v, y_bar, &mut out.extra, &mut out.v);
        out
    }
}

#[test]
fn integrate_back() {
    check("integrate", &Integrate);
    check("local_rate", &LocalRate);
}

#[test]
fn difference_back() {
    let mut worst = [0.0_f64; 2];
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let x = random_inputs(&mut random, false, &Poses);
        let mut to = x.q.clone();
        integrate(&x.model, &mut to, &random.numbers(x.v.len()));
        let x = Inputs { extra: vec![0.0; x.v.len()], ..x };
        let errors = check_at(&Difference { to }, &x, &mut random, "difference");
        for i in 0..2 {
            worst[i] = worst[i].max(errors[i]);
        }
    }
    println!("difference: worst relative error {:.1e}, second {:.1e}", worst[0], worst[1]);
}

/// Turns of all sizes, from none to just under half a revolution, and both sides of where series begin.
const TURNS: [f64; 10] = [0.0, 1e-160, 1e-9, 1e-5, 0.0099, 0.0101, 0.499, 0.501, 2.0, 3.1];

#[test]
fn turns_of_all_sizes() {
    let mut worst = [0.0_f64; 2];
    for (seed, size) in TURNS.into_iter().enumerate() {
        let mut random = Random::new(seed as u64);
        let what = format!("turn {size}");
        let mut note = |errors: [f64; 2]| {
            for i in 0..2 {
                worst[i] = worst[i].max(errors[i]);
            }
        };
        let turn = |random: &mut Random, nv: usize| -> Vec<f64> {
            let direction = random.numbers(nv);
            let last = &direction[nv - 3..];
            let norm = last.iter().map(|x| x * x).sum::<f64>().sqrt();
            direction.iter().map(|x| x / norm * size).collect()
        };
        // A chain of one free joint: only its last three numbers are a turn of this size.
        let model = {
            let mut robot = ModelBuilder::new("free");
            let mut joint = JointSpec::free("root");
            joint.params.stiffness = 1.5;
            robot.link("body", FrameId::WORLD, joint, random.inertia()).unwrap();
            robot.build().unwrap()
        };
        let at = |dq: &[f64]| {
            let mut q = model.neutral();
            integrate(&model, &mut q, dq);
            q
        };
        let nv = model.nv();
        let inputs = |q: Vec<f64>, extra: Vec<f64>, random: &mut Random| Inputs {
            model: model.clone(),
            q,
            v: random.numbers(nv),
            extra,
        };
        let any = at(&random.numbers(nv));
        let dq = turn(&mut random, nv);
        let x = inputs(any.clone(), dq.clone(), &mut random);
        note(check_at(&Integrate, &x, &mut random, &format!("integrate, {what}")));
        note(check_at(&LocalRate, &x, &mut random, &format!("local_rate, {what}")));
        let mut to = any.clone();
        integrate(&model, &mut to, &dq);
        let x = inputs(any, vec![0.0; nv], &mut random);
        note(check_at(&Difference { to }, &x, &mut random, &format!("difference, {what}")));
        let mut q = at(&dq);
        let x = inputs(q.clone(), vec![], &mut random);
        let spring = OwnForces(JointStops::Soft);
        note(check_at(&spring, &x, &mut random, &format!("spring, {what}")));
        // Neither the length nor the sign of a quaternion matters.
        for k in 3..7 {
            q[k] *= -1.7;
        }
        let x = inputs(q, vec![], &mut random);
        note(check_at(&spring, &x, &mut random, &format!("long quaternion, {what}")));
        if size > 1e-100 {
            note(check_at(&Springs, &x, &mut random, &format!("energy, {what}")));
        }
    }
    println!("turns: worst relative error {:.1e}, second {:.1e}", worst[0], worst[1]);
}

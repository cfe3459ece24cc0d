//! Actuators: their forces, and their bounds.

use gradbody_dynamics::{
    ActuatorCotangents, ActuatorInputs, CoordinateCotangents, actuator_forces, actuator_forces_vjp,
    limit_activations, limit_activations_vjp,
};
use gradbody_math::Scalar;
use gradbody_model::Model;

use crate::check::check;
use crate::stage::{Cotangents, Inputs, Stage};
use crate::trees::{Random, random_inputs};

/// Extra: commanded forces, controls, activations.
pub(crate) struct Motors;

impl Motors {
    /// The commanded forces, and the rest.
    fn split<'a, S: Scalar>(&self, x: &'a Inputs<S>) -> (&'a [S], ActuatorInputs<'a, S>) {
        let (tau, rest) = x.extra.split_at(x.v.len());
        let (control, activation) = rest.split_at(x.model.topology.actuators.len());
        (tau, ActuatorInputs { q: &x.q, v: &x.v, control, activation })
    }
}

impl Stage for Motors {
    fn extra(&self, model: &Model<f64>) -> usize {
        model.nv() + model.topology.actuators.len() + model.topology.na
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let (tau, inputs) = self.split(x);
        let mut tau = tau.to_vec();
        let mut rate = vec![S::ZERO; inputs.activation.len()];
        actuator_forces(&x.model, inputs, &mut tau, &mut rate);
        [tau, rate].concat()
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        let (tau, inputs) = self.split(x);
        let (y_tau_bar, rate_bar) = y_bar.split_at(x.v.len());
        let mut unlimited = vec![S::ZERO; x.v.len()];
        let Cotangents { q, v, extra, params } = &mut out;
        let (tau_bar, rest) = extra.split_at_mut(x.v.len());
        let (control_bar, activation_bar) = rest.split_at_mut(inputs.control.len());
        tau_bar.copy_from_slice(y_tau_bar);
        let bar = ActuatorCotangents {
            tau: tau_bar,
            activation_rate: rate_bar,
            control: control_bar,
            activation: activation_bar,
            coordinates: CoordinateCotangents { q, v, params },
        };
        actuator_forces_vjp(&x.model, inputs, tau, &mut unlimited, bar);
        out
    }
}

#[test]
fn actuator_forces_back() {
    check("actuator_forces", &Motors);
    // Every kind of bound is met somewhere.
    let mut random = Random::new(0);
    let mut met = [false; 8];
    for _ in 0..10 {
        let x = random_inputs(&mut random, true, &Motors);
        let y_bar = random.numbers(x.v.len() + x.model.topology.na);
        let bar = Motors.back(&x, &y_bar).params;
        for a in &bar.actuators {
            let ends = [
                a.control_lower,
                a.control_upper,
                a.activation_lower,
                a.activation_upper,
                a.force_lower,
                a.force_upper,
                a.gear,
            ];
            for (met, end) in met.iter_mut().zip(ends) {
                *met |= end != 0.0;
            }
        }
        met[7] |= bar.joints.iter().any(|j| j.effort_limit != 0.0);
    }
    assert_eq!(met, [true; 8]);
}

/// Extra: activations.
pub(crate) struct LimitActivations;

impl Stage for LimitActivations {
    fn extra(&self, model: &Model<f64>) -> usize {
        model.topology.na
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let mut activation = x.extra.clone();
        limit_activations(&x.model, &mut activation);
        activation
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        out.extra.copy_from_slice(y_bar);
        limit_activations_vjp(&x.model, &x.extra, &mut out.extra, &mut out.params);
        out
    }
}

#[test]
fn limit_activations_back() {
    check("limit_activations", &LimitActivations);
}

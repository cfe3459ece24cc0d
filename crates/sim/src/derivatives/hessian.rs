//! Second derivatives: the Hessian of a rollout's loss times a vector.

use gradbody_dynamics::integrate_vjp;
use gradbody_math::{Dual, Scalar};
use gradbody_model::{Model, Selection};

use super::dual_motion::{Motion, vary_selected};
use super::{Change, DerivativeError, StateChange};
use crate::ensemble::numbers_of;
use crate::{
    GradientOptions, Input, Loss, NoTaps, Rollout, RolloutTrace, Sequence, StateCotangents,
    rollout_vjp,
};

/// A vector over all variables of a loss: a direction of change, or a gradient.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    /// Of the start.
    pub start: StateChange<f64>,
    /// Of the selected parameters.
    pub params: Vec<f64>,
    /// Of the controls of each step.
    pub control: Vec<Vec<f64>>,
    /// Of the commanded joint forces of each step.
    pub tau: Vec<Vec<f64>>,
}

impl Direction {
    /// All zero, for `steps` steps.
    pub fn zero(model: &Model<f64>, selection: &Selection, steps: usize) -> Self {
        Direction {
            start: StateChange::zero(model),
            params: vec![0.0; selection.len()],
            control: vec![vec![0.0; model.topology.actuators.len()]; steps],
            tau: vec![vec![0.0; model.nv()]; steps],
        }
    }

    /// All numbers, in the order of the fields.
    pub fn iter(&self) -> impl Iterator<Item = &f64> {
        let inputs = self.control.iter().chain(&self.tau).flatten();
        self.start.iter().chain(&self.params).chain(inputs)
    }

    /// All numbers, in the order of the fields.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut f64> {
        let inputs = self.control.iter_mut().chain(&mut self.tau).flatten();
        self.start.iter_mut().chain(&mut self.params).chain(inputs)
    }

    /// The dot product with a direction of the same model and selection. If one covers more steps, the additional
    /// entries count as zero in the other.
    pub fn dot(&self, other: &Direction) -> f64 {
        fn of_steps<'a>(
            a: &'a [Vec<f64>],
            b: &'a [Vec<f64>],
        ) -> impl Iterator<Item = (&'a f64, &'a f64)> {
            a.iter().zip(b).flat_map(|(a, b)| a.iter().zip(b))
        }
        let start = self.start.iter().zip(other.start.iter());
        let params = self.params.iter().zip(&other.params);
        let inputs = of_steps(&self.control, &other.control).chain(of_steps(&self.tau, &other.tau));
        start.chain(params).chain(inputs).fold(0.0, |sum, (a, b)| a.mul_add(*b, sum))
    }

    /// Checks the size of every part.
    fn check(
        &self,
        model: &Model<f64>,
        selection: &Selection,
        steps: usize,
    ) -> Result<(), DerivativeError> {
        selection.check_count(&self.params)?;
        let (nv, na) = (model.nv(), model.topology.na);
        let actuators = model.topology.actuators.len();
        let at_least = |part, given: usize, needed: usize| match given < needed {
            true => Err(DerivativeError::Direction { part, given, needed }),
            false => Ok(()),
        };
        let exactly = |part, given: usize, needed: usize| match given == needed {
            true => Ok(()),
            false => Err(DerivativeError::Direction { part, given, needed }),
        };
        exactly("start.q", self.start.q.len(), nv)?;
        exactly("start.v", self.start.v.len(), nv)?;
        exactly("start.activation", self.start.activation.len(), na)?;
        at_least("control", self.control.len(), steps)?;
        at_least("tau", self.tau.len(), steps)?;
        for (control, tau) in self.control.iter().zip(&self.tau).take(steps) {
            exactly("control of a step", control.len(), actuators)?;
            exactly("tau of a step", tau.len(), nv)?;
        }
        Ok(())
    }
}

/// A loss, its gradient, and its Hessian times a direction.
#[derive(Clone, Debug)]
pub struct HessianProduct {
    /// The loss.
    pub cost: f64,
    /// Its gradient.
    pub gradient: Direction,
    /// Its Hessian times the direction.
    pub product: Direction,
}

/// Returns the Hessian of a rollout's loss times a direction, by the adjoint in dual numbers. The loss is a function of
/// local coordinates about the start, so the Hessian is symmetric. The direction has an entry for each of the inputs;
/// after the last input, inputs are zero. With rigid contacts, use
/// [`StepOptions::accurate_gradients`](crate::StepOptions::accurate_gradients): sweeps that stop once values converge
/// leave the derivatives inaccurate.
pub fn hessian_vector_product(
    rollout: &Rollout<'_, f64>,
    inputs: &[Input<f64>],
    selection: &Selection,
    loss: &mut impl Loss<Dual<f64, 1>>,
    options: &GradientOptions,
    direction: &Direction,
) -> Result<HessianProduct, DerivativeError> {
    direction.check(rollout.model, selection, inputs.len())?;
    let none = Input::none(rollout.model);
    let varied = |k: usize| Input {
        control: direction.control[k].clone(),
        tau: direction.tau[k].clone(),
        ..none.clone()
    };
    let change = Change {
        start: direction.start.clone(),
        inputs: (0..inputs.len()).map(varied).collect(),
        params: None,
        dt: 0.0,
    };
    let mut motion: Motion<f64, 1> = Motion::new(rollout);
    let values = numbers_of(&rollout.model.params);
    vary_selected(&mut motion.model, &values, selection, |k, _| direction.params[k]);
    motion.begin(rollout, inputs, &[change]);
    let Motion { model, state: start, inputs, .. } = motion;
    let step_options = rollout.options.cast();
    let rolled =
        Rollout { model: &model, start: &start, steps: rollout.steps, options: &step_options };
    let mut inputs = Sequence::new(&model, inputs);
    let mut trace = RolloutTrace::new(&model);
    let found =
        rollout_vjp(&rolled, &mut inputs, loss, &mut NoTaps, options, &mut trace).checked()?;
    // Transform from local coordinates about the moving start to local coordinates about the fixed one.
    let StateCotangents { q: mut moving, v, activation, .. } = found.start;
    let dq: Vec<_> = direction.start.q.iter().map(|d| Dual { re: 0.0, eps: [*d] }).collect();
    let mut q = vec![Dual::ZERO; dq.len()];
    integrate_vjp(&model, &dq, &mut moving, &mut q);
    let params = selection.gradient(&model, &found.params);
    let part = |of: &dyn Fn(&Dual<f64, 1>) -> f64| {
        let numbers = |x: &[Dual<f64, 1>]| x.iter().map(of).collect::<Vec<f64>>();
        Direction {
            start: StateChange { q: numbers(&q), v: numbers(&v), activation: numbers(&activation) },
            params: numbers(&params),
            control: inputs.bars.iter().map(|bar| numbers(&bar.control)).collect(),
            tau: inputs.bars.iter().map(|bar| numbers(&bar.tau)).collect(),
        }
    };
    Ok(HessianProduct {
        cost: found.cost.re,
        gradient: part(&|x| x.re),
        product: part(&|x| x.eps[0]),
    })
}

//! A rollout in dual numbers. Directional derivatives, Jacobians by columns and Hessian products are all built on it.

use core::cell::Cell;

use gradbody_dynamics::{difference, integrate};
use gradbody_math::{Dual, Force, Scalar, Vec3};
use gradbody_model::{Model, Selection};

use super::{Change, StateChange};
use crate::ensemble::numbers_of;
use crate::{
    Failure, Input, NoTaps, Rollout, Simulated, State, StepOptions, StepScratch, StepTrace, step,
};

/// A rollout in dual numbers, with its buffers.
pub(super) struct Motion<S, const N: usize> {
    pub(super) model: Model<Dual<S, N>>,
    pub(super) state: State<Dual<S, N>>,
    pub(super) inputs: Vec<Input<Dual<S, N>>>,
    options: StepOptions<Dual<S, N>>,
    none: Input<Dual<S, N>>,
    /// Whether the model's numbers have derivatives.
    pub(super) varied: bool,
    trace: StepTrace<Dual<S, N>>,
    scratch: StepScratch<Dual<S, N>>,
}

impl<S: Scalar, const N: usize> Motion<S, N>
where
    Dual<S, N>: Simulated,
{
    /// At rest, with the options of this rollout; [`begin`](Motion::begin) moves it to the start.
    pub(super) fn new(rollout: &Rollout<'_, S>) -> Self {
        let model = on_duals(rollout.model);
        Motion {
            state: State::neutral(&model),
            inputs: Vec::new(),
            options: rollout.options.with_dt(Dual::constant(rollout.options.dt)),
            none: Input::none(&model),
            varied: false,
            trace: StepTrace::new(&model),
            scratch: StepScratch::new(&model),
            model,
        }
    }

    /// Moves to the start of a rollout, with the derivatives given by `changes`.
    pub(super) fn begin(
        &mut self,
        rollout: &Rollout<'_, S>,
        inputs: &[Input<S>],
        changes: &[Change<S>; N],
    ) {
        let Rollout { model, start, options, .. } = *rollout;
        let varies = changes.iter().any(|change| change.params.is_some());
        if varies || self.varied {
            self.vary_params(model, changes);
        }
        self.varied = varies;
        self.options = options.with_dt(dual(options.dt, |n| changes[n].dt));
        self.vary_start(start, changes);
        self.inputs.clear();
        let steps = changes.iter().map(|c| c.inputs.len()).max().unwrap_or(0);
        self.inputs.extend((0..inputs.len().max(steps)).map(|k| {
            let change = changes.each_ref().map(|c| c.inputs.get(k));
            vary_input(inputs.get(k), &change, &self.none)
        }));
    }

    fn vary_params(&mut self, model: &Model<S>, changes: &[Change<S>; N]) {
        let slopes = changes.each_ref().map(|c| c.params.as_ref().map(numbers_of));
        let next = Cell::new(0);
        self.model.params = model.params.map(|x| {
            let k = next.replace(next.get() + 1);
            dual(x, |n| slopes[n].as_ref().map_or(S::ZERO, |slopes| slopes[k]))
        });
    }

    fn vary_start(&mut self, start: &State<S>, changes: &[Change<S>; N]) {
        let slopes = |of: &dyn Fn(&StateChange<S>) -> S| dual(S::ZERO, |n| of(&changes[n].start));
        let State { time, q, v, activation, memory, contact } = &mut self.state;
        *time = Dual::constant(start.time);
        memory.clear();
        memory.extend(start.memory.iter().copied().map(Dual::constant));
        contact.clear();
        let mut numbers = Vec::new();
        start.contact.for_numbers(|x| numbers.push(Dual::constant(x)));
        contact.restore(&start.contact.layout(), numbers.into_iter());
        for (to, from) in q.iter_mut().zip(&start.q) {
            *to = Dual::constant(*from);
        }
        let dq: Vec<_> = (0..self.model.nv()).map(|k| slopes(&|c| c.q[k])).collect();
        integrate(&self.model, q, &dq);
        // Integrating a zero change may round, so restore the value of the start.
        for (to, from) in q.iter_mut().zip(&start.q) {
            to.re = *from;
        }
        for (k, to) in v.iter_mut().enumerate() {
            *to = Dual { re: start.v[k], ..slopes(&|c| c.v[k]) };
        }
        for (k, to) in activation.iter_mut().enumerate() {
            *to = Dual { re: start.activation[k], ..slopes(&|c| c.activation[k]) };
        }
    }

    /// Runs the steps and calls `each` with the state after each.
    pub(super) fn run(
        &mut self,
        steps: usize,
        mut each: impl FnMut(usize, &Model<Dual<S, N>>, &State<Dual<S, N>>),
    ) -> Result<(), Failure> {
        let Motion { model, state, inputs, options, none, trace, scratch, .. } = self;
        let begin = state.time;
        for k in 0..steps {
            let input = inputs.get(k).unwrap_or(none);
            let report = step(model, state, input, options, &mut NoTaps, trace, scratch);
            // Rounded once, as in a plain rollout.
            state.time = options.dt.mul_add(Dual::from_f64((k + 1) as f64), begin);
            if let Some(link) = report.diverged {
                return Err(Failure::Diverged { step: k, link });
            }
            each(k, model, state);
        }
        Ok(())
    }
}

fn dual<S: Scalar, const N: usize>(re: S, slope: impl Fn(usize) -> S) -> Dual<S, N> {
    Dual { re, eps: core::array::from_fn(slope) }
}

pub(super) fn on_duals<S: Scalar, const N: usize>(model: &Model<S>) -> Model<Dual<S, N>> {
    Model { topology: model.topology.clone(), params: model.params.map(Dual::constant) }
}

/// Gives constant parameters the slopes that follow from slopes `slope(number, direction)` of the selected numbers. The
/// parameters' `values` are restored afterwards, since angles may round.
pub(super) fn vary_selected<S: Scalar, const N: usize>(
    model: &mut Model<Dual<S, N>>,
    values: &[S],
    selection: &Selection,
    slope: impl Fn(usize, usize) -> S,
) {
    let mut x = selection.values(model);
    for (k, x) in x.iter_mut().enumerate() {
        x.eps = core::array::from_fn(|n| slope(k, n));
    }
    selection.apply(model, &x).expect("x has the length of the selection");
    let next = Cell::new(0);
    model.params = model.params.map(|x: Dual<S, N>| {
        let k = next.replace(next.get() + 1);
        Dual { re: values[k], eps: x.eps }
    });
}

fn vary_input<S: Scalar, const N: usize>(
    input: Option<&Input<S>>,
    changes: &[Option<&Input<S>>; N],
    none: &Input<Dual<S, N>>,
) -> Input<Dual<S, N>> {
    let number = |of: &dyn Fn(&Input<S>) -> S| -> Dual<S, N> {
        let of = |input: Option<&Input<S>>| input.map_or(S::ZERO, of);
        dual(of(input), |n| of(changes[n]))
    };
    let mut varied = none.clone();
    for (k, to) in varied.control.iter_mut().enumerate() {
        *to = number(&|input| input.control[k]);
    }
    for (k, to) in varied.tau.iter_mut().enumerate() {
        *to = number(&|input| input.tau[k]);
    }
    let all = || input.iter().chain(changes.iter().flatten());
    let links = all().map(|input| input.external.len()).max().unwrap_or(0);
    varied.external = (0..links)
        .map(|link| {
            let part = |of: &dyn Fn(&Force<S>) -> S| {
                number(&|input| input.external.get(link).map_or(S::ZERO, of))
            };
            let vector = |of: &dyn Fn(&Force<S>) -> Vec3<S>| {
                Vec3::new(part(&|f| of(f).x), part(&|f| of(f).y), part(&|f| of(f).z))
            };
            Force::new(vector(&|f| f.ang), vector(&|f| f.lin))
        })
        .collect();
    varied
}

/// The derivative of each coordinate of a state along each direction.
pub(super) fn read_changes<S: Scalar, const N: usize>(
    model: &Model<Dual<S, N>>,
    state: &State<Dual<S, N>>,
    mut each: impl FnMut(usize, &[S; N]),
) {
    let here: Vec<_> = state.q.iter().map(|x| Dual::constant(x.re)).collect();
    let mut dq = vec![Dual::ZERO; model.nv()];
    difference(model, &here, &state.q, &mut dq);
    let all = dq.iter().chain(&state.v).chain(&state.activation);
    all.enumerate().for_each(|(k, x)| each(k, &x.eps));
}

//! Derivatives that are not one gradient: along directions, whole matrices, and second ones.
//!
//! A state changes in `2 nv + na` coordinates: those of the configuration (local ones), of the velocity,
//! and of the actuators' states, in this order. [`step_jvp`] and [`rollout_jvp`] give the change of where
//! a motion ends with a [`Change`] of what it depends on; [`step_jacobian`] and [`sensitivities`] give
//! matrices of such changes; [`hessian_vector_product`] gives second derivatives of a loss.

use core::cell::Cell;

use gradbody_contact::ContactGradient;
use gradbody_dynamics::{difference, integrate, integrate_vjp};
use gradbody_math::{Dual, Force, Kernel, Scalar, Vec3, run_widest};
use gradbody_model::{Model, Params, Selection};
use rayon::prelude::*;

use crate::batch::{cast_options, numbers_of, state_in};
use crate::{
    Failure, GradientOptions, Input, Loss, NoTaps, Rollout, RolloutWork, Sequence, State,
    StateCotangents, StepCotangents, StepOptions, StepVjpWork, Workspace, rollout_vjp, step,
    step_vjp,
};

// --- along directions --------------------------------------------------------------------------

/// A small change of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct StateChange<S> {
    /// Of the configuration, in local coordinates: (nv).
    pub q: Vec<S>,
    /// Of the velocity, (nv).
    pub v: Vec<S>,
    /// Of the actuator states, (na).
    pub activation: Vec<S>,
}

impl<S: Scalar> StateChange<S> {
    /// None, for a model.
    pub fn zero(model: &Model<S>) -> Self {
        let zeros = |n| vec![S::ZERO; n];
        StateChange {
            q: zeros(model.nv()),
            v: zeros(model.nv()),
            activation: zeros(model.topology.na),
        }
    }

    /// Its numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = &S> {
        self.q.iter().chain(&self.v).chain(&self.activation)
    }

    /// Its numbers, in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut S> {
        self.q.iter_mut().chain(&mut self.v).chain(&mut self.activation)
    }
}

/// A small change of all that a motion depends on.
#[derive(Clone, Debug)]
pub struct Change<S> {
    /// Of the start.
    pub start: StateChange<S>,
    /// Of the input of each step; further ones do not change.
    pub inputs: Vec<Input<S>>,
    /// Of the parameters, a rotation being its nine entries; see [`set_params`](Change::set_params).
    pub params: Option<Params<S>>,
    /// Of the time step.
    pub dt: S,
}

impl<S: Scalar> Change<S> {
    /// None, in so many steps.
    pub fn zero(model: &Model<S>, steps: usize) -> Self {
        Change {
            start: StateChange::zero(model),
            inputs: vec![Input::none(model); steps],
            params: None,
            dt: S::ZERO,
        }
    }

    /// Changes the parameters in the way that a change `dx` of selected numbers does.
    pub fn set_params(&mut self, model: &Model<S>, selection: &Selection, dx: &[S]) {
        let mut varied: Model<Dual<S, 1>> = on_duals(model);
        vary_selected(&mut varied, &numbers_of(&model.params), selection, |k, _| dx[k]);
        self.params = Some(varied.params.map(|x| x.eps[0]));
    }
}

/// The end of a step, and how it changes with each of some changes. With rigid contacts take
/// [`StepOptions::accurate_gradients`]: sweeps that end by value leave derivatives unfinished.
pub fn step_jvp<S: Scalar, const N: usize>(
    model: &Model<S>,
    state: &State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    changes: &[Change<S>; N],
) -> Result<(State<S>, [StateChange<S>; N]), Failure> {
    let rollout = Rollout { model, start: state, steps: 1, options };
    rollout_jvp(&rollout, core::slice::from_ref(input), changes)
}

/// The end of a rollout, and how it changes with each of some changes. After the last of the inputs
/// nothing acts. With rigid contacts take
/// [`StepOptions::accurate_gradients`]: sweeps that end by value leave derivatives unfinished.
pub fn rollout_jvp<S: Scalar, const N: usize>(
    rollout: &Rollout<'_, S>,
    inputs: &[Input<S>],
    changes: &[Change<S>; N],
) -> Result<(State<S>, [StateChange<S>; N]), Failure> {
    let mut motion = Motion::new(rollout.model);
    motion.begin(rollout, inputs, changes);
    motion.run(rollout.steps, |_, _, _| {})?;
    let end = &motion.state;
    let mut found = core::array::from_fn(|_| StateChange::zero(rollout.model));
    read_changes(&motion.model, end, |k, slopes: &[S; N]| {
        for (change, slope) in found.iter_mut().zip(slopes) {
            if let Some(to) = change.iter_mut().nth(k) {
                *to = *slope;
            }
        }
    });
    let value = |x: &[Dual<S, N>]| x.iter().map(|x| x.re).collect();
    let end = State {
        time: end.time.re,
        q: value(&end.q),
        v: value(&end.v),
        activation: value(&end.activation),
        contact: contact_value(rollout.model, end),
    };
    Ok((end, found))
}

/// A rollout in dual numbers, with its buffers.
struct Motion<S, const N: usize> {
    model: Model<Dual<S, N>>,
    state: State<Dual<S, N>>,
    inputs: Vec<Input<Dual<S, N>>>,
    options: Option<StepOptions<Dual<S, N>>>,
    none: Input<Dual<S, N>>,
    /// Whether the model's numbers change.
    varied: bool,
    work: Workspace<Dual<S, N>>,
}

impl<S: Scalar, const N: usize> Motion<S, N> {
    fn new(model: &Model<S>) -> Self {
        let model = on_duals(model);
        Motion {
            state: State::neutral(&model),
            inputs: Vec::new(),
            options: None,
            none: Input::none(&model),
            varied: false,
            work: Workspace::new(&model),
            model,
        }
    }

    /// Goes to the start of a rollout, changing in the directions of `changes`.
    fn begin(&mut self, rollout: &Rollout<'_, S>, inputs: &[Input<S>], changes: &[Change<S>; N]) {
        let Rollout { model, start, options, .. } = *rollout;
        let varies = changes.iter().any(|change| change.params.is_some());
        if varies || self.varied {
            self.vary_params(model, changes);
        }
        self.varied = varies;
        let StepOptions { dt, integrator, contact, joint_stops } = *options;
        let dt = dual(dt, |n| changes[n].dt);
        self.options = Some(StepOptions { dt, integrator, contact, joint_stops });
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
        let State { time, q, v, activation, contact } = &mut self.state;
        *time = Dual::constant(start.time);
        contact.clear();
        let mut numbers = Vec::new();
        start.contact.for_numbers(|x| numbers.push(Dual::constant(x)));
        contact.restore(&start.contact.layout(), numbers.into_iter());
        for (to, from) in q.iter_mut().zip(&start.q) {
            *to = Dual::constant(*from);
        }
        let dq: Vec<_> = (0..self.model.nv()).map(|k| slopes(&|c| c.q[k])).collect();
        integrate(&self.model, q, &dq);
        // Moving by nothing may round: the value is the start's own.
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

    /// Runs the steps; `each` looks at the state after each.
    fn run(
        &mut self,
        steps: usize,
        mut each: impl FnMut(usize, &Model<Dual<S, N>>, &State<Dual<S, N>>),
    ) -> Result<(), Failure> {
        let Motion { model, state, inputs, options, none, work, .. } = self;
        let options = options.as_ref().expect("it has begun");
        let begin = state.time;
        for k in 0..steps {
            let input = inputs.get(k).unwrap_or(none);
            let report = step(model, state, input, options, &mut NoTaps, work);
            // As in a rollout: rounded once.
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

fn on_duals<S: Scalar, const N: usize>(model: &Model<S>) -> Model<Dual<S, N>> {
    Model { topology: model.topology.clone(), params: model.params.map(Dual::constant) }
}

/// Gives the parameters, constants so far, the slopes that selected numbers with slopes
/// `slope(number, direction)` give them. Their own `values` stay as they are: angles may round.
fn vary_selected<S: Scalar, const N: usize>(
    model: &mut Model<Dual<S, N>>,
    values: &[S],
    selection: &Selection,
    slope: impl Fn(usize, usize) -> S,
) {
    let mut x = selection.values(model);
    for (k, x) in x.iter_mut().enumerate() {
        x.eps = core::array::from_fn(|n| slope(k, n));
    }
    selection.apply(model, &x);
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

/// How each coordinate of a state changes in each direction.
fn read_changes<S: Scalar, const N: usize>(
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

fn contact_value<S: Scalar, const N: usize>(
    model: &Model<S>,
    state: &State<Dual<S, N>>,
) -> gradbody_contact::ContactMemory<S> {
    let mut contact = gradbody_contact::ContactMemory::new(model);
    let mut numbers = Vec::new();
    state.contact.for_numbers(|x| numbers.push(x.re));
    contact.restore(&state.contact.layout(), numbers.into_iter());
    contact
}

// --- matrices ----------------------------------------------------------------------------------

/// A dense matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    /// Row by row.
    numbers: Vec<f64>,
}

impl Matrix {
    /// All zero.
    pub fn zero(rows: usize, columns: usize) -> Self {
        Matrix { rows, columns, numbers: vec![0.0; rows * columns] }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// An entry.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.row(row)[column]
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.columns..][..self.columns]
    }

    /// Its numbers, row by row.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.numbers[row * self.columns..][..self.columns]
    }
}

/// What to differentiate by. The columns of a matrix are in the order of the fields.
#[derive(Clone, Copy, Debug, Default)]
pub struct Variables<'a> {
    /// The state at the start.
    pub state: bool,
    /// The controls; of several steps, one step after the other.
    pub control: bool,
    /// The commanded joint forces, likewise.
    pub tau: bool,
    /// Some parameters.
    pub params: Option<&'a Selection>,
}

/// Which columns belong to which variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Those of the state.
    pub state: core::ops::Range<usize>,
    /// Those of the controls.
    pub control: core::ops::Range<usize>,
    /// Those of the commanded joint forces.
    pub tau: core::ops::Range<usize>,
    /// Those of the parameters.
    pub params: core::ops::Range<usize>,
}

impl Variables<'_> {
    /// The columns of a rollout of so many steps.
    pub fn columns<S: Scalar>(&self, model: &Model<S>, steps: usize) -> Columns {
        let mut end = 0;
        let mut next = |wanted: bool, count: usize| {
            let begin = end;
            end += if wanted { count } else { 0 };
            begin..end
        };
        Columns {
            state: next(self.state, coordinates(model)),
            control: next(self.control, steps * model.topology.actuators.len()),
            tau: next(self.tau, steps * model.nv()),
            params: next(true, self.params.map_or(0, Selection::len)),
        }
    }

    /// The changes that columns from `first` on stand for: `N` in each lane. Those of parameters are
    /// left out.
    fn changes<S: Scalar, const N: usize>(
        &self,
        model: &Model<S>,
        columns: &Columns,
        steps: usize,
        first: usize,
    ) -> [Change<S>; N] {
        core::array::from_fn(|n| {
            let first = first + n * S::LANES;
            // 1 in the lane of this column.
            let unit =
                |column| S::from_lanes(|lane| if first + lane == column { 1.0 } else { 0.0 });
            let touches = |range: &core::ops::Range<usize>| {
                first < range.end && first + S::LANES > range.start && !range.is_empty()
            };
            let acts = touches(&columns.control) || touches(&columns.tau);
            let mut change = Change::zero(model, if acts { steps } else { 0 });
            for (column, x) in columns.state.clone().zip(change.start.iter_mut()) {
                *x = unit(column);
            }
            if acts {
                let controls = change.inputs.iter_mut().flat_map(|input| &mut input.control);
                columns.control.clone().zip(controls).for_each(|(column, x)| *x = unit(column));
                let taus = change.inputs.iter_mut().flat_map(|input| &mut input.tau);
                columns.tau.clone().zip(taus).for_each(|(column, x)| *x = unit(column));
            }
            change
        })
    }
}

/// How many numbers a change of state has.
fn coordinates<S: Scalar>(model: &Model<S>) -> usize {
    2 * model.nv() + model.topology.na
}

/// How a matrix of derivatives is computed. All give the same matrix where contacts are solved to the
/// last digit ([`Solver::converges_derivatives`](gradbody_contact::Solver::converges_derivatives)): dual
/// numbers are the derivative of the sweeps that were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JacobianBy {
    /// By what is cheaper for its shape, if dual numbers give what was asked for; else row by row.
    #[default]
    Cheapest,
    /// Column by column: dual numbers.
    Duals,
    /// Row by row: adjoints.
    Adjoints,
}

/// The derivatives of where a step ends.
#[derive(Clone, Debug)]
pub struct StepJacobian {
    /// Where it ends.
    pub end: State<f64>,
    /// A row for each coordinate of the end's change, a column for each variable.
    pub matrix: Matrix,
    /// Which columns belong to which variables.
    pub columns: Columns,
}

/// Rows are cheaper where there are so many times more columns. Measured as where the two ways take the
/// same time, which was at 1.3 to 1.8 for a quadruped (rigid and compliant contacts) and a robot of seven
/// links: `cargo test --release -p gradbody --test derivatives -- --ignored --nocapture cost_of`.
const ROWS_OVER_COLUMNS: f64 = 1.5;

/// The derivatives of where a step ends by its `variables`. Rows need a contact gradient, columns
/// differentiate what the solver does: the two agree where it has converged.
pub fn step_jacobian(
    model: &Model<f64>,
    state: &State<f64>,
    input: &Input<f64>,
    options: &StepOptions<f64>,
    gradient: ContactGradient,
    variables: &Variables<'_>,
    by: JacobianBy,
) -> Result<StepJacobian, Failure> {
    let columns = variables.columns(model, 1);
    let rows = coordinates(model) as f64;
    let by_rows = match by {
        JacobianBy::Cheapest => {
            let columns_are_exact = gradient == ContactGradient::Implicit
                && options.contact.solver.converges_derivatives();
            !columns_are_exact || ROWS_OVER_COLUMNS * rows < columns.params.end as f64
        }
        JacobianBy::Duals => false,
        JacobianBy::Adjoints => true,
    };
    let rollout = Rollout { model, start: state, steps: 1, options };
    let inputs = core::slice::from_ref(input);
    let (end, matrix) = if by_rows {
        run_widest::<f64, _>(Rows { rollout, input, gradient, variables, columns: &columns })?
    } else {
        let sampled = &[0];
        let mut found = run_widest::<f64, _>(ByColumns {
            rollout,
            inputs,
            variables,
            columns: &columns,
            sampled,
        })?;
        (found.states.pop().expect("one step"), found.matrices.pop().expect("one step"))
    };
    Ok(StepJacobian { end, matrix, columns })
}

/// Adjoints of a step, a row in each lane.
struct Rows<'a> {
    rollout: Rollout<'a, f64>,
    input: &'a Input<f64>,
    gradient: ContactGradient,
    variables: &'a Variables<'a>,
    columns: &'a Columns,
}

impl Kernel for Rows<'_> {
    type Output = Result<(State<f64>, Matrix), Failure>;

    #[inline(always)]
    fn run<S: Scalar>(self) -> Self::Output {
        let Rows { rollout, input, gradient, variables, columns } = self;
        let model: Model<S> = rollout.model.cast();
        let start: State<S> = rollout.start.cast();
        let options = cast_options(rollout.options);
        let input = cast_input(input);
        let mut work = Workspace::new(&model);
        work.record(gradient == ContactGradient::Unrolled);
        let mut end = start.clone();
        let report = step(&model, &mut end, &input, &options, &mut NoTaps, &mut work);
        if let Some(link) = report.diverged {
            return Err(Failure::Diverged { step: 0, link });
        }
        let rows = coordinates(&model);
        let mut matrix = Matrix::zero(rows, columns.params.end);
        let mut back = StepVjpWork::new(&model);
        let mut bars = StepCotangents::zero(&model);
        for first in (0..rows).step_by(S::LANES) {
            bars.clear();
            for (row, bar) in coordinates_of(&mut bars.state).enumerate() {
                *bar = S::from_lanes(|lane| if first + lane == row { 1.0 } else { 0.0 });
            }
            // Going back leaves traces in the workspace.
            let work = &mut work.clone();
            let taps = &mut NoTaps;
            step_vjp(&model, &start, &input, &options, gradient, taps, work, &mut back, &mut bars);
            let params = variables.params.map(|s| s.gradient(&model, &bars.params));
            for row in first..rows.min(first + S::LANES) {
                let to = matrix.row_mut(row);
                let fill = |to: &mut [f64], from: &mut dyn Iterator<Item = S>| {
                    to.iter_mut().zip(from).for_each(|(to, x)| *to = x.lane(row - first));
                };
                let state = &mut coordinates_of(&mut bars.state).map(|x| *x);
                fill(&mut to[columns.state.clone()], state);
                fill(&mut to[columns.control.clone()], &mut bars.input.control.iter().copied());
                fill(&mut to[columns.tau.clone()], &mut bars.input.tau.iter().copied());
                let params = params.iter().flatten().copied();
                fill(&mut to[columns.params.clone()], &mut params.into_iter());
            }
        }
        match matrix.numbers.iter().all(|x| x.is_finite()) {
            true => Ok((state_in(&end, 0), matrix)),
            false => Err(Failure::Overflow { step: 0 }),
        }
    }
}

fn coordinates_of<S>(bars: &mut StateCotangents<S>) -> impl Iterator<Item = &mut S> {
    bars.q.iter_mut().chain(&mut bars.v).chain(&mut bars.activation)
}

fn cast_input<S: Scalar>(input: &Input<f64>) -> Input<S> {
    let cast = |from: &[f64]| from.iter().map(|x| S::from_f64(*x)).collect();
    let force = |f: &Force<f64>| Force::new(f.ang.map(S::from_f64), f.lin.map(S::from_f64));
    Input {
        control: cast(&input.control),
        tau: cast(&input.tau),
        external: input.external.iter().map(force).collect(),
    }
}

/// States of a rollout and their derivatives.
#[derive(Clone, Debug)]
pub struct Sensitivities {
    /// The sampled states.
    pub states: Vec<State<f64>>,
    /// The derivatives of each: a row for each coordinate of its change, a column for each variable.
    pub matrices: Vec<Matrix>,
    /// Which columns belong to which variables.
    pub columns: Columns,
}

/// The derivatives of the states after the steps `sampled` (ascending, 0 the first) of a rollout: what
/// Gauss-Newton needs. By dual numbers, as many columns at a time as vectors hold, on all threads; the
/// bits do not depend on how many. After the last of the inputs nothing acts. With rigid contacts take
/// [`StepOptions::accurate_gradients`]: sweeps that end by value leave derivatives unfinished.
pub fn sensitivities(
    rollout: &Rollout<'_, f64>,
    inputs: &[Input<f64>],
    variables: &Variables<'_>,
    sampled: &[usize],
) -> Result<Sensitivities, Failure> {
    let ordered = sampled.windows(2).all(|pair| pair[0] < pair[1]);
    let inside = sampled.last().is_none_or(|last| *last < rollout.steps);
    assert!(ordered && inside, "steps of the rollout, in order");
    let columns = &variables.columns(rollout.model, rollout.steps);
    run_widest::<f64, _>(ByColumns { rollout: *rollout, inputs, variables, columns, sampled })
}

/// Directions to a lane. With one, the value is computed once for each of them; two take about as long,
/// four longer, and eight to a plain number half as long again.
const TO_A_LANE: usize = 1;

struct ByColumns<'a> {
    rollout: Rollout<'a, f64>,
    inputs: &'a [Input<f64>],
    variables: &'a Variables<'a>,
    columns: &'a Columns,
    sampled: &'a [usize],
}

impl Kernel for ByColumns<'_> {
    type Output = Result<Sensitivities, Failure>;

    #[inline(always)]
    fn run<S: Scalar>(self) -> Self::Output {
        by_columns::<S, TO_A_LANE>(&self)
    }
}

/// A column in each lane of each direction.
fn by_columns<S: Scalar, const N: usize>(of: &ByColumns<'_>) -> Result<Sensitivities, Failure> {
    let ByColumns { rollout, inputs, variables, columns, sampled } = *of;
    let model: Model<S> = rollout.model.cast();
    let (start, options) = (rollout.start.cast(), cast_options(rollout.options));
    let cast_inputs: Vec<Input<S>> = inputs.iter().map(cast_input).collect();
    let cast = Rollout { model: &model, start: &start, steps: rollout.steps, options: &options };
    let count = columns.params.end;
    let width = N * S::LANES;
    let rows = coordinates(&model);
    let values = numbers_of(&model.params);
    let params_from = columns.params.start;
    // Of each sample the state, and of each of its rows the slopes.
    type Part<S, const N: usize> = Vec<(State<f64>, Vec<[S; N]>)>;
    let part = |motion: &mut Option<Motion<S, N>>, chunk: usize| -> Result<Part<S, N>, Failure> {
        let motion = motion.get_or_insert_with(|| Motion::new(&model));
        let changes = variables.changes(&model, columns, rollout.steps, chunk * width);
        motion.begin(&cast, &cast_inputs, &changes);
        if let Some(selection) = variables.params.filter(|_| (chunk + 1) * width > params_from) {
            let unit = |k: usize, n: usize| {
                let first = chunk * width + n * S::LANES;
                S::from_lanes(|lane| if first + lane == params_from + k { 1.0 } else { 0.0 })
            };
            vary_selected(&mut motion.model, &values, selection, unit);
            motion.varied = true;
        }
        let mut part = Vec::with_capacity(sampled.len());
        let mut next = sampled.iter().peekable();
        motion.run(rollout.steps, |step, model, state| {
            if next.next_if_eq(&&step).is_some() {
                let mut slopes = Vec::with_capacity(rows);
                read_changes(model, state, |_, of_row| slopes.push(*of_row));
                part.push((state_in(state, 0), slopes));
            }
        })?;
        Ok(part)
    };
    // At least once, for the states.
    let chunks = count.div_ceil(width).max(1);
    let parts: Result<Vec<Part<S, N>>, Failure> = if chunks * rollout.steps < WORTH_THREADS {
        let mut motion = None;
        (0..chunks).map(|chunk| part(&mut motion, chunk)).collect()
    } else {
        (0..chunks).into_par_iter().map_init(|| None, part).collect()
    };
    let parts = parts?;
    let mut matrices = vec![Matrix::zero(rows, count); sampled.len()];
    for (chunk, part) in parts.iter().enumerate() {
        for (matrix, (_, slopes)) in matrices.iter_mut().zip(part) {
            for (row, of_row) in slopes.iter().enumerate() {
                let first = (chunk * width).min(count);
                for (k, to) in matrix.row_mut(row)[first..].iter_mut().take(width).enumerate() {
                    *to = of_row[k / S::LANES].lane(k % S::LANES);
                }
            }
        }
    }
    let states = parts
        .into_iter()
        .next()
        .map_or(Vec::new(), |part| part.into_iter().map(|(state, _)| state).collect());
    Ok(Sensitivities { states, matrices, columns: columns.clone() })
}

/// Steps from which on it is worth waking threads.
const WORTH_THREADS: usize = 32;

// --- second derivatives ------------------------------------------------------------------------

/// A vector over what a loss is minimised by: a point's change, a gradient.
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
    /// Zero, for so many steps.
    pub fn zero(model: &Model<f64>, selection: &Selection, steps: usize) -> Self {
        Direction {
            start: StateChange::zero(model),
            params: vec![0.0; selection.len()],
            control: vec![vec![0.0; model.topology.actuators.len()]; steps],
            tau: vec![vec![0.0; model.nv()]; steps],
        }
    }

    /// Its numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = &f64> {
        let inputs = self.control.iter().chain(&self.tau).flatten();
        self.start.iter().chain(&self.params).chain(inputs)
    }

    /// Its numbers, in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut f64> {
        let inputs = self.control.iter_mut().chain(&mut self.tau).flatten();
        self.start.iter_mut().chain(&mut self.params).chain(inputs)
    }

    /// The sum of all products.
    pub fn dot(&self, other: &Direction) -> f64 {
        assert_eq!(self.iter().count(), other.iter().count(), "directions of the same variables");
        self.iter().zip(other.iter()).fold(0.0, |sum, (a, b)| a.mul_add(*b, sum))
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

/// The Hessian of a rollout's loss times a direction: the adjoint in dual numbers. It is that of the loss as a function of local coordinates about the start, and
/// so symmetric. There is an entry for each of the inputs; after the last nothing acts. With rigid contacts take
/// [`StepOptions::accurate_gradients`]: sweeps that end by value leave derivatives unfinished.
pub fn hessian_vector_product(
    rollout: &Rollout<'_, f64>,
    inputs: &[Input<f64>],
    selection: &Selection,
    loss: &mut impl Loss<Dual<f64, 1>>,
    options: &GradientOptions,
    direction: &Direction,
) -> Result<HessianProduct, Failure> {
    let entries = direction.control.len().min(direction.tau.len());
    assert!(entries >= inputs.len(), "a direction has an entry for each of the inputs");
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
    let mut motion: Motion<f64, 1> = Motion::new(rollout.model);
    let values = numbers_of(&rollout.model.params);
    vary_selected(&mut motion.model, &values, selection, |k, _| direction.params[k]);
    motion.begin(rollout, inputs, &[change]);
    let Motion { model, state: start, inputs, .. } = motion;
    let step_options = cast_options(rollout.options);
    let rolled =
        Rollout { model: &model, start: &start, steps: rollout.steps, options: &step_options };
    let mut inputs = Sequence::new(&model, inputs);
    let mut work = RolloutWork::new(&model);
    let found =
        rollout_vjp(&rolled, &mut inputs, loss, &mut NoTaps, options, &mut work).checked()?;
    // From local coordinates about the start as it moves to those about where it is.
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

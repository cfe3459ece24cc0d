//! The derivatives of a knot: how the state at its end changes with that at its start and with the actions.

use gradbody_contact::ContactGradient;
use gradbody_math::Vec3;
use gradbody_model::LinkId;
use gradbody_sim::{
    Input, LinearPath, LinearStep, LinearWork, NoTaps, State, StepCotangents, StepScratch,
    StepTrace, linearise_step, step, step_vjp,
};

use crate::Problem;
use crate::dense::Dense;
use crate::knot_costs::KnotEnd;

/// The derivatives of a knot. Changes of a state have 2 nv + na numbers, as those of
/// [`LinearStep`](gradbody_sim::LinearStep).
#[derive(Clone, Debug)]
pub(crate) struct KnotMap {
    /// A: of the state at the end by that at the start.
    pub(crate) by_state: Dense,
    /// B: of the state at the end by the actions.
    pub(crate) by_action: Dense,
    /// Of the contact force on each observed link in the last step, three rows for each: by the state at the start,
    /// then by the actions.
    pub(crate) forces: Dense,
    /// How many of its steps were linearised row by row.
    pub(crate) by_rows: usize,
}

impl KnotMap {
    pub(crate) fn new(problem: &Problem) -> Self {
        let (n, m) = (problem.state_changes(), problem.actions.len());
        KnotMap {
            by_state: Dense::zero(n, n),
            by_action: Dense::zero(n, m),
            forces: Dense::zero(3 * problem.observed_links().len(), n + m),
            by_rows: 0,
        }
    }
}

/// Buffers to linearise knots.
#[derive(Clone, Debug)]
pub(crate) struct KnotLineariser {
    /// Links whose contact force is observed.
    observed: Vec<LinkId>,
    /// For each action, its column among the inputs of a linearised step.
    columns: Vec<usize>,
    state: State<f64>,
    input: Input<f64>,
    trace: StepTrace<f64>,
    scratch: StepScratch<f64>,
    work: LinearWork,
    linear: LinearStep,
    /// The derivatives of one step by the state.
    step_by_state: Dense,
    /// A and B of the next step.
    next: (Dense, Dense),
    bars: StepCotangents<f64>,
    row: Vec<f64>,
}

impl KnotLineariser {
    pub(crate) fn new(problem: &Problem) -> Self {
        let model = &problem.model;
        let (inputs, columns) = problem.actions.columns(model);
        let map = KnotMap::new(problem);
        let n = problem.state_changes();
        KnotLineariser {
            observed: problem.observed_links(),
            columns,
            state: State::neutral(model),
            input: Input::none(model),
            trace: StepTrace::new(model).for_integrator(model, problem.options.integrator),
            scratch: StepScratch::new(model),
            work: LinearWork::new(model),
            linear: LinearStep::new(model, inputs),
            step_by_state: Dense::zero(n, n),
            next: (map.by_state, map.by_action),
            bars: StepCotangents::zero(model),
            row: vec![0.0; n],
        }
    }

    /// Runs the knot that begins in `start` again, and writes its derivatives to `map`.
    pub(crate) fn linearise(
        &mut self,
        problem: &Problem,
        start: &State<f64>,
        actions: &[f64],
        contact: ContactGradient,
        map: &mut KnotMap,
    ) {
        self.trace.set_contact_gradient(contact);
        self.state.copy_from(start);
        problem.actions.write(actions, &mut self.input);
        map.by_rows = 0;
        for index in 0..problem.steps {
            let KnotLineariser { state, input, trace, scratch, work, linear, .. } = self;
            step(&problem.model, state, input, &problem.options, &mut NoTaps, trace, scratch);
            let path = linearise_step(&problem.model, trace, &mut NoTaps, scratch, work, linear);
            map.by_rows += usize::from(path != LinearPath::Analytical);
            if index + 1 == problem.steps {
                self.forces(problem, index == 0, map);
            }
            self.append(index == 0, map);
        }
    }

    /// Writes the end of the knot that was linearised last.
    pub(crate) fn read_end(
        &self,
        knot: usize,
        actions: &[f64],
        state: &State<f64>,
        end: &mut KnotEnd,
    ) {
        end.knot = knot;
        end.actions.copy_from_slice(actions);
        end.state.copy_from(state);
        end.sum_contact_forces(self.trace.contacts(), |force| force);
    }

    /// Puts the step that was linearised last after those of `map`.
    fn append(&mut self, is_first: bool, map: &mut KnotMap) {
        let KnotLineariser { columns, linear, step_by_state, next, .. } = self;
        let KnotMap { by_state, by_action, .. } = map;
        let n = linear.states();
        let first = if is_first { &mut *by_state } else { &mut *step_by_state };
        for row in 0..n {
            first.row_mut(row).copy_from_slice(linear.by_state(row));
        }
        if is_first {
            by_action.fill(0.0);
        } else {
            next.0.set_product(step_by_state, by_state);
            next.1.set_product(step_by_state, by_action);
            std::mem::swap(&mut next.0, by_state);
            std::mem::swap(&mut next.1, by_action);
        }
        for row in 0..n {
            let (from, to) = (linear.by_input(row), by_action.row_mut(row));
            columns.iter().zip(to).for_each(|(column, to)| *to += from[*column]);
        }
    }

    /// The derivatives of contact forces in the step that was taken last. `map` still ends before it.
    fn forces(&mut self, problem: &Problem, is_first: bool, map: &mut KnotMap) {
        let KnotLineariser { observed, trace, scratch, bars, row, .. } = self;
        let n = row.len();
        for (index, link) in observed.iter().enumerate() {
            for axis in 0..3 {
                bars.state.clear();
                bars.input.clear();
                let mut unit = Vec3::ZERO;
                unit[axis] = 1.0;
                bars.contact_forces.clear();
                bars.contact_forces.extend(trace.contacts().iter().map(|contact| {
                    let sign = |side, sign| if side == Some(*link) { sign } else { 0.0 };
                    unit * (sign(contact.link_b, 1.0) + sign(contact.link_a, -1.0))
                }));
                step_vjp(&problem.model, trace, &mut NoTaps, scratch, bars);
                let state = &bars.state;
                let found = state.q.iter().chain(&state.v).chain(&state.activation);
                row.iter_mut().zip(found).for_each(|(row, x)| *row = *x);
                let out = map.forces.row_mut(3 * index + axis);
                out.fill(0.0);
                let (by_start, by_action) = out.split_at_mut(n);
                if is_first {
                    by_start.copy_from_slice(row);
                } else {
                    map.by_state.add_transposed_times(row, by_start);
                    map.by_action.add_transposed_times(row, by_action);
                }
                problem.actions.write_vjp(&bars.input, by_action);
            }
        }
    }
}

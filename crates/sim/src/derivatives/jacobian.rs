//! The Jacobian of a step: column by column in dual numbers, or row by row by adjoints.

use gradbody_contact::ContactGradient;
use gradbody_model::Model;

use super::sensitivities::ByColumns;
use super::variables::coordinates;
use super::{Columns, Matrix, Variables};
use crate::ensemble::state_in;
use crate::{
    Failure, Input, Kernel, NoTaps, Rollout, Simulated, State, StateCotangents, StepCotangents,
    StepOptions, StepScratch, StepTrace, run_widest, run_widest_duals, step, step_vjp,
};

/// How a Jacobian is computed. All variants give the same matrix where contacts are solved to the last digit
/// ([`Solver::converges_derivatives`](gradbody_contact::Solver::converges_derivatives)); elsewhere dual numbers
/// differentiate the sweeps that were actually made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JacobianBy {
    /// The cheaper of the two for the matrix's shape, if dual numbers give the requested contact gradient; otherwise
    /// adjoints.
    #[default]
    Cheapest,
    /// Column by column, with dual numbers.
    Duals,
    /// Row by row, with adjoints.
    Adjoints,
}

/// The end of a step and its derivatives.
#[derive(Clone, Debug)]
pub struct StepJacobian {
    /// The end state.
    pub end: State<f64>,
    /// The matrix: a row for each coordinate of the end's change, a column for each variable.
    pub matrix: Matrix,
    /// Which columns belong to which variables.
    pub columns: Columns,
}

/// Adjoints are used if the matrix has this many times more columns than rows. Measured: the two ways take the same
/// time at a ratio of 1.3 to 1.8, for a quadruped (rigid and compliant contacts) and a robot of seven links:
/// `cargo test --release -p gradbody --test derivatives -- --ignored --nocapture cost_of`.
const ROWS_OVER_COLUMNS: f64 = 1.5;

/// The derivatives of the end of a step with respect to `variables`. Rows use the contact gradient, columns
/// the dual numbers' own: the two agree where the solver has converged.
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
                && options.contact.solver.converges_derivatives(options.joint_stops);
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
        let mut found =
            run_widest_duals(ByColumns { rollout, inputs, variables, columns: &columns, sampled })?;
        (
            found.states.pop().expect("one step was sampled"),
            found.matrices.pop().expect("one step was sampled"),
        )
    };
    Ok(StepJacobian { end, matrix, columns })
}

/// Adjoints of a step, one row per lane.
struct Rows<'a> {
    rollout: Rollout<'a, f64>,
    input: &'a Input<f64>,
    gradient: ContactGradient,
    variables: &'a Variables<'a>,
    columns: &'a Columns,
}

impl Kernel for Rows<'_> {
    type Output = Result<(State<f64>, Matrix), Failure>;

    fn run<S: Simulated>(self) -> Self::Output {
        let Rows { rollout, input, gradient, variables, columns } = self;
        let model: Model<S> = rollout.model.cast();
        let start: State<S> = rollout.start.cast();
        let options = rollout.options.cast();
        let input = input.cast();
        let mut trace = StepTrace::new(&model).for_gradient(gradient);
        let mut scratch = StepScratch::new(&model);
        let mut end = start.clone();
        let report =
            step(&model, &mut end, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        if let Some(link) = report.diverged {
            return Err(Failure::Diverged { step: 0, link });
        }
        let rows = coordinates(&model);
        let mut matrix = Matrix::zero(rows, columns.params.end);
        let mut bars = StepCotangents::zero(&model);
        for first in (0..rows).step_by(S::LANES) {
            bars.clear();
            for (row, bar) in coordinates_of(&mut bars.state).enumerate() {
                *bar = S::from_lanes(|lane| if first + lane == row { 1.0 } else { 0.0 });
            }
            step_vjp(&model, &trace, &mut NoTaps, &mut scratch, &mut bars);
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
        match matrix.numbers().iter().all(|x| x.is_finite()) {
            true => Ok((state_in(&end, 0), matrix)),
            false => Err(Failure::Overflow { step: None }),
        }
    }
}

fn coordinates_of<S>(bars: &mut StateCotangents<S>) -> impl Iterator<Item = &mut S> {
    bars.q.iter_mut().chain(&mut bars.v).chain(&mut bars.activation)
}

//! Second derivatives of a rollout: the Hessian of a loss times a direction.

use gradbody::math::{Dual, Scalar as _};
use gradbody::model::{Selection, Topology};
use gradbody::sim::{
    Direction, Input, Loss, LossCotangents, Moment, Rollout, hessian_vector_product,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Dim, numbers, wide, zeros};
use crate::exceptions::{failed, value_error};
use crate::manifold::to_tangent;
use crate::model::Model;
use crate::options::{Options, options_or_default};
use crate::patterns::{Patterns, selected};
use crate::rollout::length;
use crate::state::State;

type Change = Dual<f64, 1>;
type Inner = gradbody::model::Model<f64>;

/// What acts on the model, or a direction of it: (steps, width).
const CONTROLS: &str = "controls";
const FORCES: &str = "forces";

/// A loss that Python computes from the whole motion: first it sees the states with their changes, then it is told how
/// the loss grows with them.
struct Told<'a> {
    topology: &'a Topology,
    /// States after each step, (steps, nq) and (steps, nv).
    q: Vec<Change>,
    v: Vec<Change>,
    /// How the loss grows with these; empty until Python told it.
    q_bar: Vec<Change>,
    v_bar: Vec<Change>,
}

impl Loss<Change> for Told<'_> {
    fn cost(&mut self, at: &Moment<'_, Change>) -> Change {
        for (to, from) in [(&mut self.q, &at.state.q), (&mut self.v, &at.state.v)] {
            to[at.step * from.len()..][..from.len()].copy_from_slice(from);
        }
        Change::ZERO
    }

    fn cost_vjp(
        &mut self,
        at: &Moment<'_, Change>,
        _: Change,
        bars: &mut LossCotangents<'_, Change>,
    ) {
        if self.q_bar.is_empty() && self.v_bar.is_empty() {
            return;
        }
        let (q, nv) = (&at.state.q, at.state.v.len());
        let mut local = vec![Change::ZERO; nv];
        to_tangent(self.topology, q, &self.q_bar[at.step * q.len()..][..q.len()], &mut local);
        let v_bar = &self.v_bar[at.step * nv..][..nv];
        bars.state.q.iter_mut().zip(&local).for_each(|(sum, bar)| *sum += *bar);
        bars.state.v.iter_mut().zip(v_bar).for_each(|(sum, bar)| *sum += *bar);
    }
}

/// The gradient of a loss of the motion, and its Hessian times a direction.
///
/// Returns a pair of dicts with `q` (nv), `v` (nv), `controls` (steps, nu) or `forces` (steps, nv), and `params` (k). See
/// :func:`gradbody.hvp`.
#[pyfunction]
#[pyo3(signature = (model, state, loss, direction, controls=None, *, forces=None, steps=None, params=None, options=None))]
pub(crate) fn hvp<'py>(
    py: Python<'py>,
    model: &Model,
    state: &State,
    loss: &Bound<'py, PyAny>,
    direction: &Bound<'py, PyDict>,
    controls: Option<&Bound<'py, PyAny>>,
    forces: Option<&Bound<'py, PyAny>>,
    steps: Option<usize>,
    params: Option<Patterns>,
    options: Option<&Options>,
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
    let inner = model.inner();
    state.check(&inner)?;
    let (nq, nv) = (inner.nq(), inner.nv());
    let (steps, inputs) = inputs(&inner, controls, forces, steps)?;
    let acts = match (controls, forces) {
        (Some(_), None) => CONTROLS,
        _ => FORCES,
    };
    let selection = match &params {
        Some(patterns) => selected(&inner, &patterns.list())?,
        None => Selection::none(),
    };
    let direction = along(&inner, &selection, steps, acts, direction)?;
    let (step_options, gradient) = options_or_default(options, &inner);
    let (start, options) = (state.inner(), &step_options);
    let rollout = Rollout { model: &inner, start, steps, options };
    let changes = |width| Ok::<_, PyErr>(vec![Change::ZERO; zeros(&[steps, width])?.len()]);
    let mut told = Told {
        topology: &inner.topology,
        q: changes(nq)?,
        v: changes(nv)?,
        q_bar: Vec::new(),
        v_bar: Vec::new(),
    };
    let run = |told: &mut Told<'_>| {
        py.detach(|| {
            hessian_vector_product(&rollout, &inputs, &selection, told, &gradient, &direction)
        })
        .map_err(failed)
    };
    run(&mut told)?;
    let part = |all: &[Change], width, of: fn(&Change) -> f64| {
        wide(py, all.iter().map(of).collect(), &[steps, width])
    };
    let (value, change) = ((|x| x.re) as fn(&Change) -> f64, (|x| x.eps[0]) as fn(&Change) -> f64);
    let motion = (
        part(&told.q, nq, value)?,
        part(&told.v, nv, value)?,
        part(&told.q, nq, change)?,
        part(&told.v, nv, change)?,
    );
    let bars = loss.call1(motion)?;
    let (q_bar, v_bar, q_change, v_change): (
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
    ) = bars.extract().map_err(|_| {
        value_error("the loss returns four arrays: how it grows with q and v, and how these two change along the direction")
    })?;
    let read = |name: &str, given: &Bound<'py, PyAny>, width, size| -> PyResult<Vec<f64>> {
        Ok(numbers(name, given, &[Dim::Is(steps, "steps"), Dim::Is(width, size)])?.0)
    };
    let with_change = |names: [&str; 2], given: [&Bound<'py, PyAny>; 2], width, size| {
        let (re, eps) =
            (read(names[0], given[0], width, size)?, read(names[1], given[1], width, size)?);
        let both = re.into_iter().zip(eps);
        Ok::<_, PyErr>(both.map(|(re, eps)| Dual { re, eps: [eps] }).collect())
    };
    told.q_bar = with_change(["q_bar", "change of q_bar"], [&q_bar, &q_change], nq, "nq")?;
    told.v_bar = with_change(["v_bar", "change of v_bar"], [&v_bar, &v_change], nv, "nv")?;
    let found = run(&mut told)?;
    let told = |direction: Direction| {
        let dict = PyDict::new(py);
        dict.set_item("q", wide(py, direction.start.q, &[nv])?)?;
        dict.set_item("v", wide(py, direction.start.v, &[nv])?)?;
        let all = if acts == CONTROLS { direction.control } else { direction.tau };
        let width = if acts == CONTROLS { inner.topology.actuators.len() } else { nv };
        dict.set_item(acts, wide(py, all.concat(), &[steps, width])?)?;
        dict.set_item("params", wide(py, direction.params, &[selection.len()])?)?;
        Ok::<_, PyErr>(dict)
    };
    Ok((told(found.gradient)?, told(found.product)?))
}

/// The number of steps, and the input of each.
fn inputs(
    model: &Inner,
    controls: Option<&Bound<'_, PyAny>>,
    forces: Option<&Bound<'_, PyAny>>,
    steps: Option<usize>,
) -> PyResult<(usize, Vec<Input<f64>>)> {
    let (nv, nu) = (model.nv(), model.topology.actuators.len());
    let (given, width) = match (controls, forces) {
        (Some(_), Some(_)) => return Err(value_error("give controls or forces, not both")),
        (Some(given), None) => (Some((CONTROLS, given, "nu")), nu),
        (None, Some(given)) => (Some((FORCES, given, "nv")), nv),
        (None, None) => (None, 0),
    };
    let Some((name, given, size)) = given else {
        let steps = length(steps, &[])?;
        zeros(&[steps, nv])?;
        return Ok((steps, vec![Input::none(model); steps]));
    };
    let (acts, shape) = numbers(name, given, &[Dim::Any("steps"), Dim::Is(width, size)])?;
    let steps = length(steps, &shape[..1])?;
    let of_step = |k: usize| {
        let mut input = Input::none(model);
        let to = if name == CONTROLS { &mut input.control } else { &mut input.tau };
        to.copy_from_slice(&acts[k * width..(k + 1) * width]);
        input
    };
    Ok((steps, (0..steps).map(of_step).collect()))
}

/// The direction that a dict tells; zero in what it leaves out.
fn along(
    model: &Inner,
    selection: &Selection,
    steps: usize,
    acts: &str,
    given: &Bound<'_, PyDict>,
) -> PyResult<Direction> {
    let nv = model.nv();
    let width = match acts {
        CONTROLS => Dim::Is(model.topology.actuators.len(), "nu"),
        _ => Dim::Is(nv, "nv"),
    };
    let mut direction = Direction::zero(model, selection, steps);
    for (name, part) in given.iter() {
        let name: String = name.extract()?;
        let shown = format!("direction[\"{name}\"]");
        match name.as_str() {
            "q" => direction.start.q = numbers(&shown, &part, &[Dim::Is(nv, "nv")])?.0,
            "v" => direction.start.v = numbers(&shown, &part, &[Dim::Is(nv, "nv")])?.0,
            "params" => {
                direction.params =
                    numbers(&shown, &part, &[Dim::Is(selection.len(), "parameters")])?.0;
            }
            name if name == acts => {
                let (all, shape) = numbers(&shown, &part, &[Dim::Is(steps, "steps"), width])?;
                let to = if acts == CONTROLS { &mut direction.control } else { &mut direction.tau };
                let rows = all.chunks_exact(shape[1].max(1));
                to.iter_mut().zip(rows).for_each(|(to, row)| to.copy_from_slice(row));
            }
            _ => {
                return Err(value_error(format_args!(
                    "a direction has no part \"{name}\" here; there are: q, v, {acts}, params"
                )));
            }
        }
    }
    Ok(direction)
}

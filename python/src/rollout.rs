//! One world: a step, its derivatives, and a rollout.

use std::sync::Arc;

use gradbody::augment::Bound as Networked;
use gradbody::sim::{
    self, Input, InputColumns, LinearPath, LinearStep, LinearWork, NoTaps, StepScratch, StepTrace,
    Taps, linearise_step,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Dim, numbers, wide, zeros};
use crate::exceptions::failed;
use crate::model::Model;
use crate::networks::Networks;
use crate::options::{Options, options_or_default};
use crate::state::State;

type Inner = gradbody::model::Model<f64>;

/// Steps between two looks at whether the user asked to stop.
const STEPS_BETWEEN_SIGNALS: usize = 2000;

/// The input of a step: controls of the actuators and joint forces.
fn input(
    model: &Inner,
    control: Option<&Bound<'_, PyAny>>,
    force: Option<&Bound<'_, PyAny>>,
) -> PyResult<Input<f64>> {
    let mut input = Input::none(model);
    for (name, size, given, to) in
        [("control", "nu", control, &mut input.control), ("force", "nv", force, &mut input.tau)]
    {
        if let Some(given) = given {
            let (given, _) = numbers(name, given, &[Dim::Is(to.len(), size)])?;
            to.copy_from_slice(&given);
        }
    }
    Ok(input)
}

fn diverged(model: &Inner, link: gradbody::model::LinkId, step: usize) -> PyErr {
    let what = told(model, &sim::Failure::Diverged { step, link });
    failed(format_args!("{what}; smaller time steps may help"))
}

/// A failure with the name of its link.
pub(crate) fn told(model: &Inner, failure: &sim::Failure) -> String {
    match failure {
        sim::Failure::Diverged { step, link } => {
            let name = &model.topology.links[link.index()].name;
            format!("the motion of link \"{name}\" is not finite after step {step}")
        }
        other => other.to_string(),
    }
}

/// The networks, and room for what they remember in the state.
fn networked(
    networks: Option<&Networks>,
    model: &Arc<Inner>,
    options: &sim::StepOptions<f64>,
    state: &mut sim::State<f64>,
) -> PyResult<Option<Networked<f64>>> {
    let Some(networks) = networks else { return Ok(None) };
    let bound = networks.for_steps(model, &options.contact)?;
    if state.memory.len() != bound.plan().n_memory() {
        bound.begin(state);
    }
    Ok(Some(bound))
}

fn taps<'a>(
    networks: &'a mut Option<Networked<f64>>,
    nothing: &'a mut NoTaps,
) -> &'a mut dyn Taps<f64> {
    match networks {
        Some(networks) => networks.as_taps(),
        None => nothing,
    }
}

/// The state one time step later. `control` (nu) acts on the actuators, in their units; `force` (nv) [N m or N] on the
/// joints; `networks` inside.
#[pyfunction]
#[pyo3(signature = (model, state, control=None, force=None, *, options=None, networks=None))]
pub(crate) fn step(
    model: &Model,
    state: &State,
    control: Option<&Bound<'_, PyAny>>,
    force: Option<&Bound<'_, PyAny>>,
    options: Option<&Options>,
    networks: Option<&Networks>,
) -> PyResult<State> {
    let inner = model.inner();
    state.check(&inner)?;
    let input = input(&inner, control, force)?;
    let (step_options, _) = options_or_default(options, &inner);
    let mut next = state.inner().clone();
    let mut networks = networked(networks, &inner, &step_options, &mut next)?;
    model.with_buffers(|trace, scratch| {
        let mut nothing = NoTaps;
        let taps = taps(&mut networks, &mut nothing);
        let report = sim::step(&inner, &mut next, &input, &step_options, taps, trace, scratch);
        match report.diverged {
            Some(link) => Err(diverged(&inner, link, 0)),
            None => Ok(()),
        }
    })?;
    Ok(State::from_inner(next))
}

/// The motion from `state` under controls (steps, nu) or joint forces (steps, nv) [N m or N], or for `steps` steps without.
///
/// `networks` are inside the physics. Returns a dict: `t` (steps + 1) [s], `q` (steps + 1, nq) [rad or m], `v`
/// (steps + 1, nv) [rad/s or m/s], the start first, and `end`, the last state.
#[pyfunction]
#[pyo3(signature = (model, state, controls=None, *, forces=None, steps=None, options=None, networks=None))]
pub(crate) fn rollout<'py>(
    py: Python<'py>,
    model: &Model,
    state: &State,
    controls: Option<&Bound<'py, PyAny>>,
    forces: Option<&Bound<'py, PyAny>>,
    steps: Option<usize>,
    options: Option<&Options>,
    networks: Option<&Networks>,
) -> PyResult<Bound<'py, PyDict>> {
    let inner = model.inner();
    state.check(&inner)?;
    let (nq, nv, nu) = (inner.nq(), inner.nv(), inner.topology.actuators.len());
    let mut lengths = Vec::new();
    let mut read = |name, given: Option<&Bound<'py, PyAny>>, width, size| -> PyResult<_> {
        let Some(given) = given else { return Ok(None) };
        let (given, shape) = numbers(name, given, &[Dim::Any("steps"), Dim::Is(width, size)])?;
        lengths.push(shape[0]);
        Ok(Some(given))
    };
    let controls = read("controls", controls, nu, "nu")?;
    let forces = read("forces", forces, nv, "nv")?;
    let steps = length(steps, &lengths)?;
    let (step_options, _) = options_or_default(options, &inner);
    let (controls, forces) = (controls.as_ref(), forces.as_ref());
    // Memory for all of it, or an error now.
    drop((zeros(&[steps, nq + 1])?, zeros(&[steps, nv])?));
    let mut at = state.inner().clone();
    let (mut networks, mut nothing) =
        (networked(networks, &inner, &step_options, &mut at)?, NoTaps);
    let (mut t, mut q, mut v) = (vec![at.time], at.q.clone(), at.v.clone());
    let mut input = Input::none(&inner);
    let (mut trace, mut scratch) = (StepTrace::new(&inner), StepScratch::new(&inner));
    let start = at.time;
    for first in (0..steps).step_by(STEPS_BETWEEN_SIGNALS) {
        py.check_signals()?;
        let last = steps.min(first + STEPS_BETWEEN_SIGNALS);
        let run = || {
            for k in first..last {
                if let Some(controls) = controls {
                    input.control.copy_from_slice(&controls[k * nu..(k + 1) * nu]);
                }
                if let Some(forces) = forces {
                    input.tau.copy_from_slice(&forces[k * nv..(k + 1) * nv]);
                }
                at.time = start + k as f64 * step_options.dt;
                let options = &step_options;
                let report = sim::step(
                    &inner,
                    &mut at,
                    &input,
                    options,
                    taps(&mut networks, &mut nothing),
                    &mut trace,
                    &mut scratch,
                );
                if let Some(link) = report.diverged {
                    return Err((k, link));
                }
                at.time = start + (k + 1) as f64 * step_options.dt;
                t.push(at.time);
                q.extend_from_slice(&at.q);
                v.extend_from_slice(&at.v);
            }
            Ok(())
        };
        py.detach(run).map_err(|(k, link)| diverged(&inner, link, k))?;
    }
    let found = PyDict::new(py);
    found.set_item("t", wide(py, t, &[steps + 1])?)?;
    found.set_item("q", wide(py, q, &[steps + 1, nq])?)?;
    found.set_item("v", wide(py, v, &[steps + 1, nv])?)?;
    found.set_item("end", State::from_inner(at))?;
    Ok(found)
}

/// The number of steps, from the argument or the lengths of arrays, which must agree.
pub(crate) fn length(steps: Option<usize>, arrays: &[usize]) -> PyResult<usize> {
    let mut all = steps.iter().chain(arrays);
    let Some(first) = all.next() else {
        return Err(crate::exceptions::value_error(
            "neither controls nor forces nor steps are given, so it is not known how many steps to take",
        ));
    };
    match all.find(|n| n != &first) {
        None => Ok(*first),
        Some(other) => Err(crate::exceptions::value_error(format_args!(
            "one argument has {first} steps, another {other}"
        ))),
    }
}

/// A step and all its derivatives.
///
/// Returns a dict: `next`, the state after the step; `state` (2 nv + na, 2 nv + na), the derivative of its changes (of
/// q in local coordinates, v, activation) by those of the state before; `control` (2 nv + na, nu) and `force`
/// (2 nv + na, nv), by the inputs; `analytical`, whether formulas gave them, and `why` they did not.
#[pyfunction]
#[pyo3(signature = (model, state, control=None, force=None, *, options=None))]
pub(crate) fn linearise<'py>(
    py: Python<'py>,
    model: &Model,
    state: &State,
    control: Option<&Bound<'py, PyAny>>,
    force: Option<&Bound<'py, PyAny>>,
    options: Option<&Options>,
) -> PyResult<Bound<'py, PyDict>> {
    let inner = model.inner();
    state.check(&inner)?;
    let input = input(&inner, control, force)?;
    let (step_options, gradient) = options_or_default(options, &inner);
    let mut next = state.inner().clone();
    let mut trace = StepTrace::new(&inner).for_gradient(gradient.contact);
    let mut scratch = StepScratch::new(&inner);
    let report =
        sim::step(&inner, &mut next, &input, &step_options, &mut NoTaps, &mut trace, &mut scratch);
    if let Some(link) = report.diverged {
        return Err(diverged(&inner, link, 0));
    }
    let mut work = LinearWork::new(&inner);
    let mut out = LinearStep::new(&inner, InputColumns::Both);
    let path = linearise_step(&inner, &trace, &mut NoTaps, &mut scratch, &mut work, &mut out);
    let why = match path {
        LinearPath::Analytical => None,
        LinearPath::RowsOfAdjoint(reason) => Some(reason.to_string()),
    };
    let (n, nv, nu) = (out.states(), inner.nv(), inner.topology.actuators.len());
    let columns = |first: usize, width: usize| -> Vec<f64> {
        (0..n).flat_map(|row| out.row(row)[first..first + width].iter().copied()).collect()
    };
    let found = PyDict::new(py);
    found.set_item("state", wide(py, columns(0, n), &[n, n])?)?;
    found.set_item("control", wide(py, columns(n, nu), &[n, nu])?)?;
    found.set_item("force", wide(py, columns(n + nu, nv), &[n, nv])?)?;
    found.set_item("next", State::from_inner(next))?;
    found.set_item("analytical", why.is_none())?;
    found.set_item("why", why)?;
    Ok(found)
}

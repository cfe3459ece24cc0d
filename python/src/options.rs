//! How to step, and which gradient contacts have.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use gradbody::contact::{ContactGradient, Lcp, Ncp, Solver};
use gradbody::dynamics::JointStops;
use gradbody::math::names::did_you_mean;
use gradbody::sim::{Checkpointing, GradientOptions, Integrator, StepOptions};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::exceptions::value_error;

/// How to step.
///
/// - `dt`: time step [s]; None: that of the model's file (`Model.timestep`), or 1 ms.
/// - `integrator`: ``"implicit-damping"`` (semi-implicit Euler with joint damping at the new velocity), ``"euler"``
///   (semi-implicit, all forces at the old velocity) or ``"rk4"``.
/// - `contact`: ``"ncp"`` (rigid, Coulomb friction), ``"lcp"`` (rigid, pyramids of friction), ``"hunt-crossley"``
///   (compliant) or ``"off"``.
/// - `accurate`: contacts are solved to the last digit, without a warm start, for the most exact gradients.
/// - `hard_stops`: joints stay exactly within their ranges; otherwise limits are springs.
/// - `gradient`: of rigid contacts: ``"implicit"`` (exact where solved), ``"unrolled"`` (of the solver's sweeps) or
///   ``"smoothed"``, over velocities of about `kappa` [m/s].
/// - `keep`: what a gradient stores: ``"states"`` (each step runs twice; the default) or ``"steps"`` (more memory, no step runs
///   twice), or a number of snapshots for very long rollouts.
#[pyclass(frozen, module = "gradbody")]
#[derive(Clone, Debug)]
pub(crate) struct Options {
    given: Given,
    pub(crate) step: StepOptions<f64>,
    pub(crate) gradient: GradientOptions,
}

/// The arguments.
#[derive(Clone, Debug, PartialEq)]
struct Given {
    dt: Option<f64>,
    integrator: String,
    contact: String,
    accurate: bool,
    hard_stops: bool,
    gradient: String,
    kappa: f64,
    keep: Keep,
}

#[derive(Clone, Debug, PartialEq, FromPyObject, IntoPyObject)]
enum Keep {
    Snapshots(usize),
    Named(String),
}

/// The choice of this name.
fn choose<T>(
    what: &str,
    name: &str,
    choices: impl IntoIterator<Item = (&'static str, T)>,
) -> PyResult<T> {
    let mut names = Vec::new();
    for (known, value) in choices {
        if known == name {
            return Ok(value);
        }
        names.push(known);
    }
    let hint = did_you_mean(name, names.iter().copied());
    Err(value_error(format_args!(
        "{what}=\"{name}\" is not known{hint} (there are: {})",
        names.join(", ")
    )))
}

#[pymethods]
impl Options {
    #[new]
    #[pyo3(signature = (dt=None, *, integrator="implicit-damping", contact="ncp", accurate=false, hard_stops=false,
                        gradient="implicit", kappa=0.1, keep=None))]
    fn new(
        dt: Option<f64>,
        integrator: &str,
        contact: &str,
        accurate: bool,
        hard_stops: bool,
        gradient: &str,
        kappa: f64,
        keep: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let keep = match keep {
            None => Keep::Named("states".into()),
            Some(keep) => keep.extract().map_err(|_| {
                value_error(format_args!(
                    "keep={keep}: give \"states\", \"steps\" or a number of snapshots"
                ))
            })?,
        };
        if let Some(dt) = dt
            && !(dt.is_finite() && dt > 0.0)
        {
            return Err(value_error(format_args!(
                "dt is {dt}; a time step is a positive number of seconds"
            )));
        }
        if !(kappa.is_finite() && kappa > 0.0) {
            return Err(value_error(format_args!(
                "kappa is {kappa}; give a positive velocity [m/s]"
            )));
        }
        let given = Given {
            dt,
            integrator: integrator.into(),
            contact: contact.into(),
            accurate,
            hard_stops,
            gradient: gradient.into(),
            kappa,
            keep: keep.clone(),
        };
        if accurate && contact != "ncp" {
            return Err(value_error(format_args!(
                "accurate=True is about the solver \"ncp\", and contact is \"{contact}\""
            )));
        }
        let ncp = if accurate { Ncp::converged() } else { Ncp::default() };
        let integrator = choose(
            "integrator",
            integrator,
            [
                ("implicit-damping", Integrator::ImplicitDamping),
                ("euler", Integrator::SemiImplicitEuler),
                ("rk4", Integrator::Rk4),
            ],
        )?;
        let solver = choose(
            "contact",
            contact,
            [
                ("ncp", Solver::Ncp(ncp)),
                ("lcp", Solver::Lcp(Lcp::default())),
                ("hunt-crossley", Solver::HuntCrossley),
                ("off", Solver::Off),
            ],
        )?;
        let of_contact = choose(
            "gradient",
            gradient,
            [
                ("implicit", ContactGradient::Implicit),
                ("unrolled", ContactGradient::Unrolled),
                ("smoothed", ContactGradient::Smoothed { kappa }),
            ],
        )?;
        let checkpointing = match &keep {
            Keep::Snapshots(0) => return Err(value_error("keep=0: keep at least one snapshot")),
            Keep::Snapshots(snapshots) => Checkpointing::Revolve { snapshots: *snapshots },
            Keep::Named(name) => choose(
                "keep",
                name,
                [("states", Checkpointing::EveryStep), ("steps", Checkpointing::StoreAll)],
            )?,
        };
        let mut step =
            StepOptions::new(dt.unwrap_or(USUAL_STEP)).with(integrator).with_solver(solver);
        if hard_stops {
            step.joint_stops = JointStops::Hard;
        }
        Ok(Options {
            given,
            step,
            gradient: GradientOptions { contact: of_contact, checkpointing },
        })
    }

    /// Time step [s], or None for that of the model's file.
    #[getter]
    fn dt(&self) -> Option<f64> {
        self.given.dt
    }

    fn __repr__(&self) -> String {
        let Given { dt, integrator, contact, accurate, hard_stops, gradient, kappa, keep } =
            &self.given;
        let flag = |is: &bool| if *is { "True" } else { "False" };
        let keep = match keep {
            Keep::Snapshots(n) => n.to_string(),
            Keep::Named(name) => format!("\"{name}\""),
        };
        let dt = dt.map_or("None".into(), |dt| dt.to_string());
        format!(
            "gradbody.Options(dt={dt}, integrator=\"{integrator}\", contact=\"{contact}\", accurate={}, hard_stops={}, \
             gradient=\"{gradient}\", kappa={kappa}, keep={keep})",
            flag(accurate),
            flag(hard_stops)
        )
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.__repr__().hash(&mut hasher);
        hasher.finish()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.given == other.given
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let rebuild = py.import("gradbody._gradbody")?.getattr("Options")?.getattr("_rebuild")?;
        let Given { dt, integrator, contact, accurate, hard_stops, gradient, kappa, keep } =
            slf.get().given.clone();
        let made = (dt, integrator, contact, accurate, hard_stops, gradient, kappa, keep);
        (rebuild, made).into_pyobject(py)
    }

    /// Makes pickled options again.
    #[staticmethod]
    fn _rebuild(
        dt: Option<f64>,
        integrator: &str,
        contact: &str,
        accurate: bool,
        hard_stops: bool,
        gradient: &str,
        kappa: f64,
        keep: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        Options::new(dt, integrator, contact, accurate, hard_stops, gradient, kappa, Some(keep))
    }
}

/// Time step of models whose file asks for none [s].
const USUAL_STEP: f64 = 1e-3;

/// The options given, or the defaults. Without a time step it is that of the model's file, or the usual one.
pub(crate) fn options_or_default(
    given: Option<&Options>,
    model: &gradbody::model::Model<f64>,
) -> (StepOptions<f64>, GradientOptions) {
    let (mut step, gradient) = match given {
        Some(options) => (options.step, options.gradient),
        None => (StepOptions::new(USUAL_STEP), GradientOptions::default()),
    };
    if given.is_none_or(|options| options.given.dt.is_none()) {
        step.dt = model.topology.timestep.unwrap_or(USUAL_STEP);
    }
    (step, gradient)
}

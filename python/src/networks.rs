//! Networks inside the physics: a blueprint bound to a model, with its weights.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gradbody::augment::{Blueprint, BlueprintError, Bound as Networked, Plan, bind, sites};
use gradbody::sim::ContactOptions;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};

use crate::arrays::{Dim, numbers, wide};
use crate::exceptions::{error, value_error};
use crate::model::Model;
use crate::options::{Options, options_or_default};

type Inner = gradbody::model::Model<f64>;

/// Small networks at named places inside the physics: a blueprint bound to a model, and its weights.
///
/// - `blueprint`: TOML text, the same tables as a dict, or the path of a TOML file (a ``pathlib.Path``). What it says is in
///   docs/augmentation.md.
/// - `options`: those of the simulation; a network at a contact needs to know how contacts are solved.
///
/// Give it to :func:`step`, :func:`rollout` or :class:`Batch`. `weights` are first as the blueprint says.
#[pyclass(frozen, module = "gradbody")]
pub(crate) struct Networks {
    inside: Mutex<Inside>,
}

struct Inside {
    weights: Vec<f64>,
    plan: Arc<Plan>,
    /// What the plan is for.
    model: Arc<Inner>,
    contact: ContactOptions,
}

impl Networks {
    fn made(
        blueprint: &Blueprint,
        model: &Model,
        options: Option<&Options>,
        weights: impl FnOnce(&Plan) -> Result<Vec<f64>, BlueprintError>,
    ) -> PyResult<Self> {
        if let Some(signal) = blueprint.signals.first() {
            return Err(value_error(format_args!(
                "the blueprint reads the signal \"{signal}\"; signals cannot be given from Python yet"
            )));
        }
        let model = model.inner();
        let contact = options_or_default(options, &model).0.contact;
        let plan = Arc::new(bind(blueprint, &model, &contact).map_err(error)?);
        let weights = weights(&plan).map_err(error)?;
        Ok(Networks { inside: Mutex::new(Inside { weights, plan, model, contact }) })
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The networks with their present weights, for steps of this model under these options. Names are looked up again
    /// if either is another than the last time.
    pub(crate) fn for_steps(
        &self,
        model: &Arc<Inner>,
        contact: &ContactOptions,
    ) -> PyResult<Networked<f64>> {
        let mut inside = self.inside();
        if !Arc::ptr_eq(&inside.model, model) || inside.contact != *contact {
            let plan = bind(inside.plan.blueprint(), model, contact).map_err(error)?;
            if !plan.networks().eq(inside.plan.networks()) {
                return Err(value_error(format_args!(
                    "the networks belong to another model, \"{}\": in \"{}\" they have other sizes",
                    inside.model.topology.name, model.topology.name
                )));
            }
            inside.plan = Arc::new(plan);
            inside.model = model.clone();
            inside.contact = *contact;
        }
        Networked::new(inside.plan.clone(), inside.weights.clone()).map_err(error)
    }
}

#[pymethods]
impl Networks {
    #[new]
    #[pyo3(signature = (model, blueprint, *, options=None))]
    fn new(
        model: &Model,
        blueprint: &Bound<'_, PyAny>,
        options: Option<&Options>,
    ) -> PyResult<Self> {
        let blueprint = read(blueprint)?;
        Networks::made(&blueprint, model, options, |plan| Ok(plan.initial_weights()))
    }

    /// Reads blueprint and weights from a file that :meth:`save` or the program wrote.
    #[staticmethod]
    #[pyo3(signature = (model, path, *, options=None))]
    fn load(model: &Model, path: PathBuf, options: Option<&Options>) -> PyResult<Self> {
        let blueprint = Blueprint::from_weights(&path).map_err(error)?;
        Networks::made(&blueprint, model, options, |plan| plan.load(&path))
    }

    /// Writes blueprint and weights to a safetensors file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let inside = self.inside();
        inside.plan.save(path, &inside.weights).map_err(error)
    }

    /// Number of weights of all networks.
    fn __len__(&self) -> usize {
        self.inside().weights.len()
    }

    /// Names of the networks that have weights of their own, in the order of the weights.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.inside().plan.networks().map(|(name, ..)| name.to_owned()).collect()
    }

    /// All weights, (weights), one network after the other. Each is a copy; set the whole.
    #[getter]
    fn get_weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let weights = self.inside().weights.clone();
        let n = weights.len();
        wide(py, weights, &[n])
    }

    #[setter]
    fn set_weights(&self, weights: &Bound<'_, PyAny>) -> PyResult<()> {
        let wanted = [Dim::Is(self.__len__(), "weights")];
        let (new, _) = numbers("weights", weights, &wanted)?;
        self.inside().weights = new;
        Ok(())
    }

    /// The layers of each network, and where its weights begin, as JSON.
    #[getter]
    fn _structure(&self) -> PyResult<String> {
        structure(&self.inside().plan)
    }

    /// Takes the weights of a ``torch.nn.Sequential`` of linear layers and activations. With several networks, `name` says
    /// whose they are.
    #[pyo3(signature = (module, name=None))]
    fn load_torch(
        slf: &Bound<'_, Self>,
        module: &Bound<'_, PyAny>,
        name: Option<&str>,
    ) -> PyResult<()> {
        torch(slf.py())?.call_method1("_take_weights", (slf, module, name))?;
        Ok(())
    }

    /// A ``torch.nn.Sequential`` of float64 with these layers and weights. With several networks, `name` says which.
    #[pyo3(signature = (name=None))]
    fn to_torch<'py>(slf: &Bound<'py, Self>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        torch(slf.py())?.call_method1("_module_of", (slf, name))
    }

    fn __repr__(&self) -> String {
        let (names, weights) = (self.names().join(", "), self.__len__());
        format!(
            "<gradbody.Networks in \"{}\": {names} ({weights} weights)>",
            self.inside().model.topology.name
        )
    }
}

/// The quantities of a step that networks can read and change: pairs of name and unit.
#[pyfunction]
#[pyo3(name = "sites")]
pub(crate) fn sites_of(model: &Model) -> Vec<(String, &'static str)> {
    sites(&model.inner(), &[]).into_iter().map(|site| (site.name, site.unit)).collect()
}

/// Name, layers and first weight of each network, as JSON.
pub(crate) fn structure(plan: &Plan) -> PyResult<String> {
    let all: Vec<_> = plan.networks().map(|(name, of, at)| (name, of, at.start)).collect();
    serde_json::to_string(&all).map_err(error)
}

fn torch(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("gradbody.torch")
}

/// A blueprint from text, tables or a file.
fn read(given: &Bound<'_, PyAny>) -> PyResult<Blueprint> {
    if let Ok(text) = given.extract::<String>() {
        return Blueprint::from_toml(&text).map_err(|why| match text.contains('\n') {
            true => error(why),
            false => error(format_args!(
                "{why}\nA str is the text of a blueprint; give a file as a pathlib.Path"
            )),
        });
    }
    if given.cast::<PyMapping>().is_ok() {
        let named = PyDict::new(given.py());
        named.set_item("default", given.py().import("gradbody._networks")?.getattr("plain")?)?;
        let json = given.py().import("json")?.call_method("dumps", (given,), Some(&named))?;
        return Blueprint::from_json(&json.extract::<String>()?).map_err(error);
    }
    let path: PathBuf = given.extract().map_err(|_| {
        PyTypeError::new_err("blueprint is TOML text, a dict or the pathlib.Path of a file")
    })?;
    let shown = path.display();
    let text =
        std::fs::read_to_string(&path).map_err(|why| error(format_args!("{shown}: {why}")))?;
    Blueprint::from_toml(&text).map_err(|why| error(format_args!("{shown}: {why}")))
}

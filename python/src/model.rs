//! Models: loading, parameters by name, pickling, export.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gradbody::contact::{exclude_overlaps, exclude_self_collisions};
use gradbody::math::names;
use gradbody::model::export::{mjcf, urdf};
use gradbody::model::import::{Base, Format, ImportError, ImportOptions, from_text};
use gradbody::model::{Material, Selection};
use gradbody::sim::{StepScratch, StepTrace};
use gradbody_cli::builtin;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{Dim, numbers, wide};
use crate::exceptions::{OrValueError as _, error, value_error};
use crate::state::State;

type Inner = gradbody::model::Model<f64>;

/// What a model was made from: enough to make it again in another process.
#[derive(Clone, Debug)]
struct Recipe {
    text: String,
    file: PathBuf,
    base: String,
    strict: bool,
    repair_inertia: bool,
    free_mimic: bool,
    /// Height and friction of the ground that was added.
    ground: Option<(f64, f64)>,
    self_collision: bool,
}

/// A robot, or a scene of several bodies: its structure and its physical numbers.
///
/// Made by :func:`load`. Links have their parents before them; `q` has `nq` numbers (metres, radians, quaternions
/// w, x, y, z), `v` has `nv` (their rates; of a free joint the velocity in the world's axes, then the angular velocity
/// in the link's). A model can be pickled and copied. Threads may share it.
#[pyclass(frozen, module = "gradbody", weakref)]
pub(crate) struct Model {
    inner: Mutex<Arc<Inner>>,
    recipe: Recipe,
    notes: Vec<String>,
    /// For single steps, so that each does not make its own.
    buffers: Mutex<Option<Box<Buffers>>>,
}

struct Buffers {
    trace: StepTrace<f64>,
    scratch: StepScratch<f64>,
}

impl Model {
    /// Lends buffers of a step.
    pub(crate) fn with_buffers<R>(
        &self,
        run: impl FnOnce(&mut StepTrace<f64>, &mut StepScratch<f64>) -> R,
    ) -> R {
        let free = self.buffers.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut buffers = free.unwrap_or_else(|| {
            let inner = self.inner();
            Box::new(Buffers { trace: StepTrace::new(&inner), scratch: StepScratch::new(&inner) })
        });
        let result = run(&mut buffers.trace, &mut buffers.scratch);
        *self.buffers.lock().unwrap_or_else(PoisonError::into_inner) = Some(buffers);
        result
    }

    fn with(inner: Arc<Inner>, recipe: Recipe, notes: Vec<String>) -> Self {
        Model { inner: Mutex::new(inner), recipe, notes, buffers: Mutex::default() }
    }

    /// The numbers as they are now.
    pub(crate) fn inner(&self) -> Arc<Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change<R>(&self, change: impl FnOnce(&mut Inner) -> R) -> R {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut inner))
    }

    fn make(recipe: Recipe) -> PyResult<Self> {
        let options = ImportOptions {
            base: match recipe.base.as_str() {
                "auto" => Base::Auto,
                "fixed" => Base::Fixed,
                "free" => Base::Free,
                other => {
                    return Err(value_error(format_args!(
                        "base=\"{other}\" is not known; use \"auto\", \"fixed\" or \"free\""
                    )));
                }
            },
            strict: recipe.strict,
            repair_inertia: recipe.repair_inertia,
            free_mimic: recipe.free_mimic,
        };
        let refused = |why: ImportError| error(in_python(&why.to_string()));
        let mut imported = from_text(&recipe.text, &recipe.file, &options).map_err(refused)?;
        if let Some((height, friction)) = recipe.ground {
            let material = Material::with_friction(friction);
            imported.model.add_ground(height, material).map_err(error)?;
        }
        if !recipe.self_collision {
            exclude_self_collisions(&mut imported.model);
        } else if imported.report.format == Format::Urdf {
            let pose = imported.model.neutral();
            exclude_overlaps(&mut imported.model, &pose);
        }
        let notes = imported.report.notes.iter().map(ToString::to_string).collect();
        Ok(Model::with(Arc::new(imported.model), recipe, notes))
    }

    /// The selection of these patterns. An unknown name is a `KeyError`.
    pub(crate) fn selection(&self, patterns: &[String]) -> PyResult<Selection> {
        Selection::of(&self.inner(), patterns).map_err(|e| PyKeyError::new_err(e.to_string()))
    }
}

/// Reads a model: a URDF or MJCF file, or the name of one that is built in, such as ``"laikago"`` or ``"ant"``.
///
/// - `ground`: adds the plane z = 0 (``True``), z = `ground` (a number), or none. An MJCF usually has one.
/// - `friction`: the friction of that ground.
/// - `base`: whether the root of a URDF is ``"fixed"`` or ``"free"``; ``"auto"`` guesses.
/// - `strict`: refuses a file with physical content that is not simulated; otherwise `Model.notes` lists it.
/// - `repair_inertia`: replaces impossible inertias by the nearest possible ones instead of refusing them.
/// - `free_mimic`: lets joints that mimic others move on their own instead of refusing them.
/// - `self_collision`: whether links of the robot touch each other.
#[pyfunction]
#[pyo3(signature = (source, *, ground=None, friction=0.8, base="auto", strict=false, repair_inertia=false, free_mimic=false, self_collision=true))]
pub(crate) fn load(
    source: PathBuf,
    ground: Option<&Bound<'_, PyAny>>,
    friction: f64,
    base: &str,
    strict: bool,
    repair_inertia: bool,
    free_mimic: bool,
    self_collision: bool,
) -> PyResult<Model> {
    let (text, file) = read(&source)?;
    let ground = height(ground)?.map(|height| (height, friction));
    let base = base.to_owned();
    Model::make(Recipe {
        text,
        file,
        base,
        strict,
        repair_inertia,
        free_mimic,
        ground,
        self_collision,
    })
}

/// Reads a model from the text of a URDF or MJCF file. `file` stands in messages, and its folder is where meshes and
/// included files are looked for. The other arguments are those of :func:`load`.
#[pyfunction]
#[pyo3(signature = (text, *, file="model", ground=None, friction=0.8, base="auto", strict=false, repair_inertia=false, free_mimic=false, self_collision=true))]
pub(crate) fn loads(
    text: String,
    file: &str,
    ground: Option<&Bound<'_, PyAny>>,
    friction: f64,
    base: &str,
    strict: bool,
    repair_inertia: bool,
    free_mimic: bool,
    self_collision: bool,
) -> PyResult<Model> {
    let ground = height(ground)?.map(|height| (height, friction));
    let (file, base) = (PathBuf::from(file), base.to_owned());
    Model::make(Recipe {
        text,
        file,
        base,
        strict,
        repair_inertia,
        free_mimic,
        ground,
        self_collision,
    })
}

/// Names of the models that come with the package.
#[pyfunction]
pub(crate) fn builtin_models() -> Vec<&'static str> {
    builtin::names().collect()
}

/// A message with the names that arguments have here.
fn in_python(message: &str) -> String {
    message
        .replace("--free-mimic, or free-mimic = true in an experiment", "free_mimic=True")
        .replace("--free-mimic", "free_mimic=True")
        .replace("--repair-inertia", "repair_inertia=True")
        .replace("--strict", "strict=True")
}

/// The height of the ground that was asked for.
fn height(ground: Option<&Bound<'_, PyAny>>) -> PyResult<Option<f64>> {
    let Some(ground) = ground else { return Ok(None) };
    if let Ok(wanted) = ground.extract::<bool>() {
        return Ok(wanted.then_some(0.0));
    }
    let height: f64 = ground
        .extract()
        .map_err(|_| PyTypeError::new_err("ground is True, False, None or a height [m]"))?;
    if height.is_finite() {
        Ok(Some(height))
    } else {
        Err(value_error(format_args!("ground is {height}; give a finite height [m]")))
    }
}

/// The text of a file or of a built-in model, and its place.
fn read(source: &Path) -> PyResult<(String, PathBuf)> {
    let shown = source.to_string_lossy();
    if !source.exists()
        && let Some(found) = builtin::find(&shown)
    {
        return Ok((found.text.to_owned(), PathBuf::from(found.file)));
    }
    if !source.exists() && source.extension().is_none() && source.components().count() == 1 {
        let hint = match names::nearest(&shown, builtin::names()) {
            Some(near) => names::question(near),
            None => format!("there are: {}", builtin::names().collect::<Vec<_>>().join(", ")),
        };
        return Err(error(format_args!(
            "{shown}: no such file, and no built-in model of that name; {hint}"
        )));
    }
    let text = gradbody::model::import::read_text(source)
        .map_err(|why| error(format_args!("{shown}: {why}")))?;
    // Absolute, so that the meshes are found after a change of the working folder.
    Ok((text, std::path::absolute(source).unwrap_or_else(|_| source.to_owned())))
}

#[pymethods]
impl Model {
    /// Name of the model.
    #[getter]
    fn name(&self) -> String {
        self.inner().topology.name.clone()
    }

    /// Number of position coordinates.
    #[getter]
    fn nq(&self) -> usize {
        self.inner().nq()
    }

    /// Number of velocity coordinates.
    #[getter]
    fn nv(&self) -> usize {
        self.inner().nv()
    }

    /// Number of actuators: the length of a control.
    #[getter]
    fn nu(&self) -> usize {
        self.inner().topology.actuators.len()
    }

    /// Number of actuator states.
    #[getter]
    fn na(&self) -> usize {
        self.inner().topology.na
    }

    /// Names of the moving links.
    #[getter]
    fn link_names(&self) -> Vec<String> {
        self.inner().topology.links.iter().map(|link| link.name.clone()).collect()
    }

    /// Names of the joints; joint i moves link i.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.inner().topology.links.iter().map(|link| link.joint.name.clone()).collect()
    }

    /// Names of the frames: every link of the file, and its sites. The first is the world.
    #[getter]
    fn frame_names(&self) -> Vec<String> {
        self.inner().topology.frames.iter().map(|frame| frame.name.clone()).collect()
    }

    /// Names of the collision shapes.
    #[getter]
    fn shape_names(&self) -> Vec<String> {
        self.inner().topology.shapes.iter().map(|shape| shape.name.clone()).collect()
    }

    /// Names of the actuators.
    #[getter]
    fn actuator_names(&self) -> Vec<String> {
        self.inner().topology.actuators.iter().map(|actuator| actuator.name.clone()).collect()
    }

    /// Names of the numbers of `q`.
    #[getter]
    fn position_names(&self) -> Vec<String> {
        self.inner().topology.position_names()
    }

    /// Names of the numbers of `v`.
    #[getter]
    fn velocity_names(&self) -> Vec<String> {
        self.inner().topology.velocity_names()
    }

    /// Range of each control, (nu, 2).
    #[getter]
    fn control_ranges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.inner();
        let ranges = inner.params.actuators.iter();
        let ranges: Vec<f64> = ranges.flat_map(|a| [a.control_lower, a.control_upper]).collect();
        let n = ranges.len() / 2;
        wide(py, ranges, &[n, 2])
    }

    /// Time step that the file asks for [s], or None.
    #[getter]
    fn timestep(&self) -> Option<f64> {
        self.inner().topology.timestep
    }

    /// Names of the file's keyframes.
    #[getter]
    fn keyframe_names(&self) -> Vec<String> {
        self.inner().topology.keyframes.iter().map(|key| key.name.clone()).collect()
    }

    /// What the file has that is not simulated as it is: one sentence each, with file and line.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// The state of a keyframe of the file.
    fn keyframe(&self, name: &str) -> PyResult<State> {
        let inner = self.inner();
        let keys = &inner.topology.keyframes;
        match keys.iter().find(|key| key.name == name) {
            Some(key) => Ok(State::from_inner(gradbody::sim::State::from_keyframe(&inner, key))),
            None => {
                let names: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
                let there = if names.is_empty() { "none".into() } else { names.join(", ") };
                Err(PyKeyError::new_err(format!("no keyframe \"{name}\"; there is: {there}")))
            }
        }
    }

    /// Paths of the parameters that match the patterns (``*`` is any characters), in the order of the model. Infinite
    /// numbers, such as the limits of an unlimited joint, only if no pattern is given.
    #[pyo3(signature = (*patterns))]
    fn _names(&self, patterns: Vec<String>) -> PyResult<Vec<String>> {
        if patterns.is_empty() {
            let inner = self.inner();
            let topology = &inner.topology;
            return Ok(topology
                .param_ids()
                .into_iter()
                .map(|id| topology.param_path(id))
                .collect());
        }
        Ok(self.selection(&patterns)?.names().to_vec())
    }

    /// The number of a path, such as ``link/trunk/mass``.
    fn _get(&self, path: &str) -> PyResult<f64> {
        self.inner().get_by_path(path).map_err(|e| PyKeyError::new_err(e.to_string()))
    }

    /// The numbers that match the patterns, in the order of the model.
    fn _get_all<'py>(&self, py: Python<'py>, patterns: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
        let found = self.selection(&patterns)?.values(&self.inner());
        let n = found.len();
        wide(py, found, &[n])
    }

    /// Sets the numbers that match the patterns. Numbers that no body can have, such as a negative mass, are refused
    /// and nothing is changed.
    fn _set_all(&self, patterns: Vec<String>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let selection = self.selection(&patterns)?;
        let given = [Dim::Is(selection.len(), "parameters")];
        let (values, _) = numbers("values", values, &given)?;
        let mut changed = (*self.inner()).clone();
        selection.apply(&mut changed, &values).or_value_error()?;
        changed.check().or_value_error()?;
        self.change(|inner| *inner = changed);
        Ok(())
    }

    /// Sets the number of one path. It may be infinite where that has a meaning, such as a joint's limit.
    fn _set(&self, path: &str, value: f64) -> PyResult<()> {
        let mut changed = (*self.inner()).clone();
        changed.set_by_path(path, value).map_err(|e| PyKeyError::new_err(e.to_string()))?;
        changed.check().or_value_error()?;
        self.change(|inner| *inner = changed);
        Ok(())
    }

    /// The physical numbers by name: ``model.params["link/trunk/mass"]``, ``model.params["link/*/mass"]``.
    #[getter]
    fn params<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("gradbody._model")?.getattr("Params")?.call1((slf,))
    }

    /// The configuration with every joint at zero, (nq).
    fn neutral<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.inner();
        wide(py, inner.neutral(), &[inner.nq()])
    }

    /// The model as the text of a URDF. What a URDF cannot say is listed in a comment at its end.
    fn to_urdf(&self) -> PyResult<String> {
        urdf(&self.inner()).map(with_notes).map_err(error)
    }

    /// The model as the text of an MJCF. What it cannot say is listed in a comment at its end.
    fn to_mjcf(&self) -> PyResult<String> {
        mjcf(&self.inner()).map(with_notes).map_err(error)
    }

    /// A model of its own with the same numbers.
    fn copy(&self) -> Self {
        Model::with(self.inner(), self.recipe.clone(), self.notes.clone())
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    fn __repr__(&self) -> String {
        let inner = self.inner();
        let topology = &inner.topology;
        let mut text = format!(
            "<gradbody.Model \"{}\": nq={}, nv={}, nu={}>",
            topology.name,
            inner.nq(),
            inner.nv(),
            topology.actuators.len()
        );
        let mut depths: Vec<usize> = Vec::new();
        for link in &topology.links {
            let depth = link.parent.map_or(0, |parent| depths[parent.index()] + 1);
            depths.push(depth);
            let kind = format!("{:?}", link.joint.kind);
            let kind = kind.split('(').next().unwrap_or_default().to_lowercase();
            let indent = "  ".repeat(depth + 1);
            let _ = write!(text, "\n{indent}{} ({kind} joint {})", link.name, link.joint.name);
        }
        for note in &self.notes {
            let _ = write!(text, "\n  note: {note}");
        }
        text
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let rebuild = py.import("gradbody._gradbody")?.getattr("Model")?.getattr("_rebuild")?;
        let model = slf.get();
        let Recipe { text, file, base, strict, repair_inertia, free_mimic, ground, self_collision } =
            model.recipe.clone();
        let file = file.to_string_lossy().into_owned();
        let values = flat(&model.inner());
        let n = values.len();
        let values = wide(py, values, &[n])?;
        let made =
            (text, file, base, strict, repair_inertia, free_mimic, ground, self_collision, values);
        (rebuild, made).into_pyobject(py)
    }

    /// Makes a pickled model again.
    #[staticmethod]
    fn _rebuild(
        text: String,
        file: String,
        base: String,
        strict: bool,
        repair_inertia: bool,
        free_mimic: bool,
        ground: Option<(f64, f64)>,
        self_collision: bool,
        values: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let file = PathBuf::from(file);
        let model = Model::make(Recipe {
            text,
            file,
            base,
            strict,
            repair_inertia,
            free_mimic,
            ground,
            self_collision,
        })?;
        let values: Vec<f64> = values.extract()?;
        let there = flat(&model.inner()).len();
        if values.len() != there {
            return Err(error(format_args!(
                "the pickled model has {} numbers, but its file now gives {there}; was it written by another version?",
                values.len()
            )));
        }
        model.change(|inner| {
            let values = RefCell::new(values.into_iter());
            let params = inner.params.map(|old| values.borrow_mut().next().unwrap_or(old));
            inner.params = params;
        });
        Ok(model)
    }
}

/// Every number, in the order of the parameters' fields.
fn flat(inner: &Inner) -> Vec<f64> {
    let found = RefCell::new(Vec::new());
    inner.params.map(|x| {
        found.borrow_mut().push(x);
        x
    });
    found.into_inner()
}

fn with_notes(exported: gradbody::model::export::Exported) -> String {
    let mut text = exported.text;
    if !exported.notes.is_empty() {
        text.push_str("<!--\n");
        for note in &exported.notes {
            let _ = writeln!(text, "  {}", note.to_string().replace("--", "- -"));
        }
        text.push_str("-->\n");
    }
    text
}

//! A task with its model, start and costs: everything that a search needs.

use std::path::Path;

use gradbody_contact::{Idle, Surfaces};
use gradbody_control::{Cost, Problem};
use gradbody_data::Fingerprint;
use gradbody_experiment::{ExperimentError, LoadModel, matching, toml_text};
use gradbody_math::Vec3;
use gradbody_math::names::list;
use gradbody_model::import::Imported;
use gradbody_model::{JointKind, Keyframe, Link, Model, Selection, Shape};
use gradbody_optimise::Objective as _;
use gradbody_sim::{GradientOptions, Input, State};

use crate::costs::Origin;
use crate::{PlanMethod, Task};

/// A task with everything it names.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The task.
    pub task: Task,
    /// The model as it was imported.
    pub imported: Imported,
    /// What a plan is sought for.
    pub problem: Problem,
    /// Names of the actions.
    pub action_names: Vec<String>,
    /// Names of actions that begin at a bound, because what holds the start is beyond it.
    pub clamped: Vec<String>,
    /// The actions of all knots that the search begins with.
    pub begin: Vec<f64>,
    /// The parameters of the model that the plan chooses too.
    pub parameters: Selection,
    /// Their bounds.
    pub parameter_bounds: Vec<(f64, f64)>,
    /// For each cost of the problem, how large a difference may be; infinite if nothing is said.
    pub within: Vec<f64>,
}

/// A note, and the place in the task's file that it is about, if there is one.
type Told = (Option<String>, String);

/// The keyframe in which the plan begins.
const START: &str = "start";

impl Setup {
    /// Reads the model and finds everything that the task names. Relative paths start from `folder`.
    pub fn new(task: Task, folder: &Path, load: LoadModel<'_>) -> Result<Self, ExperimentError> {
        task.check()?;
        let (imported, model) = task.model.load(folder, load)?;
        let options = task.simulation.options();
        let mut start = task.start.state(&model)?;
        let key = task.start.keyframe(&model)?;
        let chosen = task.actions.choose(&model, &start, key)?;
        let mut input = Input::none(&model);
        chosen.actions.write(&chosen.begin, &mut input);
        task.start.settle(&model, &mut start, &input, &options)?;
        let (parameters, parameter_bounds) = task.actions.selection(&model)?;
        let (knots, steps) =
            (task.horizon.knots(&task.simulation), task.horizon.steps(&task.simulation));
        let origin =
            Origin { model: &model, start: &start, actions: &chosen.actions, begin: &chosen.begin };
        let (mut costs, mut within) = (Vec::new(), Vec::new());
        for (name, spec) in &task.costs {
            let of_spec = spec.costs(name, &origin)?;
            within.extend(of_spec.iter().map(|_| spec.within.unwrap_or(f64::INFINITY)));
            costs.extend(of_spec);
        }
        let begin = chosen.begin.repeat(knots);
        let actions = chosen.actions;
        let problem = Problem { model, start, options, knots, steps, actions, costs };
        let setup = Setup {
            task,
            imported,
            problem,
            action_names: chosen.names,
            clamped: chosen.clamped,
            begin,
            parameters,
            parameter_bounds,
            within,
        };
        setup.check_costs()?;
        setup.check_method(&setup.task.search)?;
        Ok(setup)
    }

    fn check_costs(&self) -> Result<(), ExperimentError> {
        for cost in &self.problem.costs {
            // Plans on the way may reach the times that a cost is about.
            let all = self.task.receding.as_ref().map_or(0.0, |receding| receding.seconds);
            let knots = (all / self.problem.knot_seconds()) as usize + self.problem.knots;
            let one = Problem { costs: vec![cost.clone()], knots, ..self.problem.clone() };
            one.check()
                .map_err(|error| ExperimentError::wrong(place_of(cost), error.to_string()))?;
        }
        Ok(())
    }

    /// Refuses a method that cannot search for this plan.
    pub(crate) fn check_method(&self, method: &PlanMethod) -> Result<(), ExperimentError> {
        let wrong = |why: String| Err(ExperimentError::wrong("search.method", why));
        let of_actions_only = matches!(method, PlanMethod::Ilqr(_) | PlanMethod::Mppi(_));
        let name = method.name();
        if of_actions_only && !self.parameters.is_empty() {
            return wrong(format!(
                "{name} chooses actions, and actions.parameters names {}: use \"lbfgs\", \"adam\" or \"cma-es\"",
                list(self.parameters.names().iter().map(String::as_str))
            ));
        }
        if self.problem.actions.is_empty() && self.parameters.is_empty() {
            let why = "nothing can be chosen: see also actions.parameters";
            return Err(ExperimentError::wrong("actions.inputs", why));
        }
        Ok(())
    }

    /// A model with the time step of the plan and a keyframe "start", where the plan begins. It replaces one of the model
    /// with this name.
    pub(crate) fn with_start(&self, mut model: Model<f64>) -> Model<f64> {
        let start = &self.problem.start;
        let mut input = Input::none(&model);
        let n = self.problem.actions.len();
        self.problem.actions.write(&self.begin[..n], &mut input);
        model.topology.timestep = Some(self.problem.options.dt);
        model.topology.keyframes.retain(|key| key.name != START);
        model.topology.keyframes.push(Keyframe {
            name: START.to_owned(),
            q: start.q.clone(),
            v: start.v.clone(),
            activation: start.activation.clone(),
            control: input.control,
        });
        model
    }

    /// A fingerprint of everything beside the task's text that a plan depends on: the structure of the model (with the
    /// vertices of its hulls and its keyframes), all its numbers, the start, and the actions that the search begins with.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let model = &self.problem.model;
        let mut bytes = format!("{:?}", model.topology).into_bytes();
        for id in model.topology.param_ids() {
            bytes.extend(model.get(id).to_bits().to_le_bytes());
        }
        let State { q, v, activation, .. } = &self.problem.start;
        for number in [q, v, activation, &self.begin].into_iter().flatten() {
            bytes.extend(number.to_bits().to_le_bytes());
        }
        Fingerprint::new(&self.task.model.file, &bytes)
    }

    /// Notes on joints outside their ranges and on robots without a ground.
    fn notes_of_start(&self) -> Vec<Told> {
        let mut notes = Vec::new();
        let Problem { model, start, .. } = &self.problem;
        let joints = model.topology.links.iter().zip(&model.params.joints);
        let outside = joints.clone().filter(|(link, params)| {
            let q = start.q[link.joint.q_start];
            link.joint.kind.nv() == 1 && !(params.limit_lower..=params.limit_upper).contains(&q)
        });
        let outside: Vec<&str> = outside.map(|(link, _)| link.joint.name.as_str()).collect();
        if !outside.is_empty() {
            let told = format!("start: outside their ranges are {}", list(outside));
            notes.push((Some("start".to_owned()), told));
        }
        let is_free = |link: &Link| link.joint.kind == JointKind::Free;
        let fixed = |shape: &Shape| model.topology.frames[shape.frame.index()].link.is_none();
        let falls = model.topology.links.iter().any(is_free)
            && !model.topology.shapes.iter().any(fixed)
            && model.params.gravity != Vec3::ZERO;
        if falls {
            let told = "nothing is fixed to the world, so what is free falls: see model.ground";
            notes.push((None, told.to_owned()));
        }
        notes
    }

    /// Notes on the friction that acts, and on numbers of surfaces that have no influence.
    fn notes_of_surfaces(&self) -> Vec<Told> {
        let Problem { model, options, .. } = &self.problem;
        let surfaces = Surfaces::new(model, &options.contact.solver);
        let mut notes = Vec::new();
        let frictions = surfaces.frictions();
        if !frictions.is_empty() {
            notes.push((None, format!("the friction that acts is {}", frictions.join("; "))));
        }
        for pattern in self.task.model.set.keys() {
            let ids = matching(&model.topology, pattern);
            let idle: Option<Vec<Idle>> = ids.into_iter().map(|id| surfaces.idle(id)).collect();
            if let Some(first) = idle.as_ref().and_then(|idle| idle.first()) {
                let place = format!("model.set.\"{pattern}\"");
                let told = format!("{place} has no influence: {}", first.why);
                notes.push((Some(place), told));
            }
        }
        notes
    }

    /// Things to tell before the search, as of costs that the actions do not change near the first motion. Those that are
    /// about a place in `text`, the contents of the file `file`, name its line.
    pub fn notes(&self, text: &str, file: &str) -> Vec<String> {
        let with_line = |(place, told): Told| match place {
            Some(place) => toml_text::at(&place, &told, text, file),
            None => told,
        };
        self.told().into_iter().map(with_line).collect()
    }

    fn told(&self) -> Vec<Told> {
        let mut notes = self.notes_of_start();
        notes.extend(self.notes_of_surfaces());
        if !self.clamped.is_empty() {
            let names = list(self.clamped.iter().map(String::as_str));
            let told = format!(
                "what holds the start is beyond the bounds of {names}, so the search begins at the bound"
            );
            notes.push((None, told));
        }
        let how = GradientOptions::default();
        for cost in &self.problem.costs {
            let problem = Problem { costs: vec![cost.clone()], ..self.problem.clone() };
            let (parameters, bounds) = (self.parameters.clone(), &self.parameter_bounds);
            let Ok(shooting) = gradbody_control::Shooting::new(problem, parameters, bounds, how)
            else {
                continue;
            };
            let numbers = shooting.begin_with(&self.begin);
            let mut gradient = vec![0.0; numbers.len()];
            let value = shooting.gradient(&numbers, &mut gradient);
            if value > 0.0 && gradient.iter().all(|slope| *slope == 0.0) {
                let told = format!(
                    "costs.{}: nothing that the plan chooses changes it in the first motion",
                    cost.name
                );
                notes.push((Some(place_of(cost)), told));
            }
        }
        notes
    }
}

/// The place of a cost in the task's file. The name of one about several quantities ends with the quantity.
fn place_of(cost: &Cost) -> String {
    format!("costs.{}", cost.name.split(" (").next().unwrap_or(&cost.name))
}

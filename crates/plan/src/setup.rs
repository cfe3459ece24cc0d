//! A task with its model, start and costs: everything that a search needs.

use std::path::Path;

use gradbody_control::{ControlError, Cost, Problem};
use gradbody_data::Fingerprint;
use gradbody_experiment::{ExperimentError, LoadModel};
use gradbody_math::names::list;
use gradbody_model::import::Imported;
use gradbody_model::{Keyframe, Model, Selection};
use gradbody_sim::{Input, State};

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
    /// Actions that begin at a bound, because what they would begin with is beyond it: their names, and that value.
    pub clamped: Vec<(String, f64)>,
    /// The actions of all knots that the search begins with.
    pub begin: Vec<f64>,
    /// The parameters of the model that the plan chooses too.
    pub parameters: Selection,
    /// Their bounds.
    pub parameter_bounds: Vec<(f64, f64)>,
    /// For each cost of the problem, how large a difference may be; infinite if nothing is said.
    pub within: Vec<f64>,
}

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
        let of_actions_only = matches!(method, PlanMethod::Ilqr(_) | PlanMethod::Mppi(_));
        let name = method.name();
        if of_actions_only && !self.parameters.is_empty() {
            let why = format!(
                "{name} chooses actions and no parameters: {}; set search.method to \"lbfgs\", \"adam\" or \"cma-es\"",
                list(self.parameters.names().iter().map(String::as_str))
            );
            return Err(ExperimentError::wrong("actions.parameters", why));
        }
        if self.problem.actions.is_empty() && self.parameters.is_empty() {
            let why = "nothing can be chosen: see also actions.parameters";
            return Err(ExperimentError::wrong("actions.inputs", why));
        }
        Ok(())
    }

    /// Why the first motion is none. A start that is impossible is the reason that is told, if it is one.
    pub(crate) fn no_first_motion(&self, error: &ControlError, place: &str) -> ExperimentError {
        let told = error.to_string();
        let is_motion = matches!(error, ControlError::FirstMotion { .. });
        match self.wrong_start().into_iter().next().filter(|_| is_motion) {
            Some((start, why)) => {
                let told = told.trim_end_matches(": begin with other actions");
                ExperimentError::wrong(start, format!("{told}; at the start {why}"))
            }
            None => ExperimentError::wrong(place, told),
        }
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
}

/// The place of a cost in the task's file. The name of one about several quantities ends with the quantity.
pub(crate) fn place_of(cost: &Cost) -> String {
    format!("costs.{}", cost.name.split(" (").next().unwrap_or(&cost.name))
}

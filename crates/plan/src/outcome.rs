//! What was found: the plan and its motion, and everything that a report shows of them.

use gradbody_control::{Action, Cost, PlannedMotion, Problem, rounded_time};
use gradbody_draw::{Scene, poses};
use gradbody_dynamics::{Kinematics, centre_of_mass, kinematics};
use gradbody_model::{Activation, Actuator, DofKind, Link, Model};
use gradbody_sim::State;
use serde::{Deserialize, Serialize};

use crate::Setup;
use crate::actions::is_position_servo;
use crate::replans::ReplanOutcome;
use crate::run::{Ending, Journal};
use crate::search::PlanSearch;

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanOutcome {
    /// The name of the task.
    pub name: String,
    /// The method that was used.
    pub method: String,
    /// The model.
    pub model: String,
    /// Why the search ended; none if it was interrupted.
    pub ended: Option<Ending>,
    /// Whether all differences are within what the task asks for; none if it asks for nothing.
    pub done: Option<bool>,
    /// The cost over the iterations, from the first motion on.
    pub points: Vec<Point>,
    /// The cost of the plan.
    pub cost: f64,
    /// The terms of the cost.
    pub costs: Vec<CostOutcome>,
    /// The parameters that were chosen.
    pub parameters: Vec<ParameterOutcome>,
    /// The time at the start and at the end of each knot [s].
    pub times: Vec<f64>,
    /// The actions.
    pub actions: Vec<ActionTrack>,
    /// The contact forces on links that touch something.
    pub forces: Vec<ForceTrack>,
    /// Names of the positions, velocities and actuator states.
    pub state_names: [Vec<String>; 3],
    /// The states: at the start and at the end of each knot. Positions, velocities and actuator states.
    pub states: Vec<[Vec<f64>; 3]>,
    /// What is drawn. It is only for pages.
    #[serde(skip)]
    pub scene: Scene,
    /// The poses of all bodies of the scene at each state.
    #[serde(skip)]
    pub poses: Vec<f32>,
    /// Those of the first motion; empty without one.
    #[serde(skip)]
    pub first: Vec<f32>,
    /// The largest residual of the contact solver in the motion [m/s].
    pub residual: f64,
    /// What should be known of the plan.
    pub notes: Vec<Note>,
    /// Other methods on the same task.
    pub rivals: Vec<Rival>,
    /// Where the centre of mass was at the start and at the end [m].
    pub com: [[f64; 3]; 2],
    /// The plans that were made on the way, if the task asks for it.
    pub receding: Option<RecedingOutcome>,
}

/// Plans that were made on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecedingOutcome {
    /// How far each of them reaches [s].
    pub horizon: f64,
    /// The plans.
    pub replans: Vec<ReplanOutcome>,
    /// Why the motion ended.
    pub ended: String,
}

/// A sentence about a plan.
pub type Note = String;

/// A search after an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// The iteration, from 1; 0 is the first motion.
    pub iteration: u64,
    /// Seconds of work.
    pub seconds: f64,
    /// How many motions were simulated; a gradient counts as one more.
    pub simulations: u64,
    /// The cost of the best plan so far.
    pub cost: Option<f64>,
}

impl Point {
    pub(crate) fn of(search: &PlanSearch, iteration: u64, seconds: f64) -> Self {
        let (simulations, cost) = (search.simulations(), finite(search.cost()));
        Point { iteration, seconds, simulations, cost }
    }
}

/// Another method on the same task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rival {
    /// Its name.
    pub method: String,
    /// Its cost over its iterations.
    pub points: Vec<Point>,
    /// Why it ended.
    pub ended: Ending,
}

/// A term of the cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostOutcome {
    /// Its name.
    pub name: String,
    /// What it cost in the first motion; none if that diverges.
    pub before: Option<f64>,
    /// What it costs.
    pub cost: f64,
    /// What each knot costs.
    pub knots: Vec<f64>,
    /// The largest difference from its target where it counts.
    pub worst: f64,
    /// How large a difference may be, if the task says so.
    pub within: Option<f64>,
}

/// A parameter that was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterOutcome {
    /// Its path.
    pub name: String,
    /// Its value in the model.
    pub before: f64,
    /// Its value in the plan.
    pub chosen: f64,
    /// Its bounds.
    pub bounds: (f64, f64),
}

/// An action over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionTrack {
    /// Its name.
    pub name: String,
    /// Its unit; empty if it is not known.
    pub unit: String,
    /// Its least and greatest value, where there is one.
    pub bounds: (Option<f64>, Option<f64>),
    /// Its value in each knot.
    pub values: Vec<f64>,
}

/// The force of everything that a link touches, over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForceTrack {
    /// The link.
    pub link: String,
    /// The force in the last step of each knot, in the world's axes [N].
    pub values: Vec<[f64; 3]>,
}

/// A motion, and what it is compared with.
pub(crate) struct Found {
    /// The problem, with the parameters that were chosen.
    pub(crate) problem: Problem,
    pub(crate) motion: PlannedMotion,
    /// The motion that the search began with, if there is one.
    pub(crate) first: Option<PlannedMotion>,
    /// The parameters that were chosen.
    pub(crate) chosen: Vec<f64>,
}

impl PlanOutcome {
    /// What a search found; none if no plan has a finite cost.
    pub(crate) fn of_search(setup: &Setup, journal: &Journal, search: &PlanSearch) -> Option<Self> {
        let (problem, motion, chosen) = search.best()?;
        let first = PlannedMotion::of(&setup.problem, &setup.begin).ok();
        let mut outcome = Self::of(setup, Found { problem, motion, first, chosen });
        outcome.ended = journal.ended;
        outcome.points.clone_from(&journal.points);
        outcome.rivals.clone_from(&journal.rivals);
        outcome.notes.extend(notes_of_search(search, &setup.problem));
        Some(outcome)
    }

    /// What a motion is, without how it was found.
    pub(crate) fn of(setup: &Setup, found: Found) -> Self {
        let Found { problem, motion, first, chosen } = found;
        let model = &problem.model;
        let topology = &model.topology;
        let costs = costs(setup, &problem, &motion, first.as_ref());
        let mut asked = costs.iter().filter_map(|cost| Some(cost.worst <= cost.within?));
        let done = asked.clone().next().map(|_| asked.all(|met| met));
        let drawn = |states: &[State<f64>]| poses(model, states.iter().map(|s| s.q.as_slice()));
        let has_state = |actuator: &&Actuator| actuator.activation != Activation::Direct;
        let mut kin = Kinematics::new(model);
        let com = [motion.states.first(), motion.states.last()].map(|state| {
            state.map_or([0.0; 3], |state| {
                kinematics(model, &state.q, &mut kin);
                centre_of_mass(model, &kin).to_array()
            })
        });
        PlanOutcome {
            name: setup.task.name.clone(),
            method: setup.task.search.name().to_owned(),
            model: topology.name.clone(),
            ended: None,
            done,
            points: vec![],
            cost: motion.cost,
            parameters: parameters(setup, &chosen),
            times: motion.states.iter().map(|state| rounded_time(state.time)).collect(),
            actions: actions(setup, &problem, &motion),
            forces: forces(&problem, &motion),
            state_names: [
                topology.position_names(),
                topology.velocity_names(),
                topology.actuators.iter().filter(has_state).map(|a| a.name.clone()).collect(),
            ],
            states: (motion.states.iter())
                .map(|state| [state.q.clone(), state.v.clone(), state.activation.clone()])
                .collect(),
            scene: Scene::of(model),
            poses: drawn(&motion.states),
            first: first.map_or(vec![], |motion| drawn(&motion.states)),
            residual: motion.residual,
            notes: notes(motion.residual),
            rivals: vec![],
            com,
            receding: None,
            costs,
        }
    }
}

/// A number, if it is one.
pub(crate) fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

fn costs(
    setup: &Setup,
    problem: &Problem,
    motion: &PlannedMotion,
    first: Option<&PlannedMotion>,
) -> Vec<CostOutcome> {
    let of = |(k, cost): (usize, &Cost)| CostOutcome {
        name: cost.name.clone(),
        before: first.and_then(|motion| finite(of_cost(motion, k).sum())),
        cost: of_cost(motion, k).sum(),
        knots: of_cost(motion, k).collect(),
        worst: motion.worst[k],
        within: finite(setup.within[k]),
    };
    problem.costs.iter().enumerate().map(of).collect()
}

fn parameters(setup: &Setup, chosen: &[f64]) -> Vec<ParameterOutcome> {
    let before: Vec<f64> = setup.parameters.values(&setup.problem.model);
    let names = setup.parameters.names().iter();
    let of = |(k, (name, chosen)): (usize, (&String, &f64))| ParameterOutcome {
        name: name.clone(),
        before: before[k],
        chosen: *chosen,
        bounds: setup.parameter_bounds[k],
    };
    names.zip(chosen).enumerate().map(of).collect()
}

fn actions(setup: &Setup, problem: &Problem, motion: &PlannedMotion) -> Vec<ActionTrack> {
    let n = problem.actions.len();
    let of = |k: usize| ActionTrack {
        name: setup.action_names[k].clone(),
        unit: unit(&problem.model, problem.actions.inputs[k]).to_owned(),
        bounds: (finite(problem.actions.lower[k]), finite(problem.actions.upper[k])),
        values: motion.actions.iter().skip(k).step_by(n).copied().collect(),
    };
    (0..n).map(of).collect()
}

/// The unit of an action; empty for actuators that are neither servos nor motors of gain and gear 1.
fn unit(model: &Model<f64>, action: Action) -> &'static str {
    let dof = |v: usize| {
        let links = &model.topology.links;
        let link = links.iter().find(|link| link.joint.v_range().contains(&v))?;
        Some(link.joint.kind.dofs()[v - link.joint.v_start])
    };
    let (dof, is_position) = match action {
        Action::JointForce(v) => (dof(v), false),
        Action::Control(k) => {
            let (actuator, params) = (&model.topology.actuators[k], &model.params.actuators[k]);
            let joint = &model.topology.links[actuator.joint.index()].joint;
            let is_servo = is_position_servo(params);
            let is_motor = params.bias == [0.0; 3] && params.gain == 1.0;
            let is_plain = params.gear == 1.0 && (is_servo || is_motor);
            let is_plain = is_plain && actuator.activation == Activation::Direct;
            let of_joint = (is_plain && joint.kind.nv() == 1).then_some(joint.v_start);
            (of_joint.and_then(dof), is_servo)
        }
    };
    match (dof, is_position) {
        (None, _) => "",
        (Some(DofKind::Angular), true) => "rad",
        (Some(DofKind::Linear), true) => "m",
        (Some(DofKind::Angular), false) => "Nm",
        (Some(DofKind::Linear), false) => "N",
    }
}

/// Of the links that touch something.
fn forces(problem: &Problem, motion: &PlannedMotion) -> Vec<ForceTrack> {
    let links = problem.model.topology.links.iter().enumerate();
    let of = |(k, link): (usize, &Link)| ForceTrack {
        link: link.name.clone(),
        values: (motion.contact_forces.iter().skip(k).step_by(problem.model.n_links()))
            .map(|force| force.to_array())
            .collect(),
    };
    let touches = |track: &ForceTrack| track.values.iter().flatten().any(|x| *x != 0.0);
    links.map(of).filter(touches).collect()
}

/// What a cost costs in each knot.
fn of_cost(motion: &PlannedMotion, index: usize) -> impl Iterator<Item = f64> + '_ {
    motion.costs.iter().skip(index).step_by(motion.worst.len()).copied()
}

/// Contacts with a larger residual were not solved [m/s].
pub(crate) const UNSOLVED: f64 = 1e-6;

fn notes(residual: f64) -> Vec<Note> {
    let mut notes = Vec::new();
    if residual > UNSOLVED {
        notes.push(format!(
            "Contacts were not solved to the end in a step of the motion (residual {residual:.1e} m/s), so derivatives \
             there are inexact"
        ));
    }
    notes
}

fn notes_of_search(search: &PlanSearch, problem: &Problem) -> Vec<Note> {
    let mut notes = Vec::new();
    if let Some(diverged) = search.diverged(problem) {
        notes.push(format!(
            "In the last iteration the first step that was tried was too long: {diverged}"
        ));
    }
    if let PlanSearch::Ilqr(search) = search
        && let Some(last) = search.history().last()
        && last.by_rows > 0
    {
        notes.push(format!(
            "{} of {} time steps were linearised row by row, which is slower: their contacts or forces have no closed form",
            last.by_rows,
            problem.knots * problem.steps
        ));
    }
    notes
}

//! What was found: the plan and its motion, and everything that a report shows of them.

use gradbody_control::Motion;
use gradbody_draw::{Drawing, DrawnShape, Posture, shapes, sticks};
use gradbody_sim::State;
use serde::{Deserialize, Serialize};

use crate::Setup;
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
    /// The motion, to be drawn.
    pub postures: Vec<Posture>,
    /// The first motion, to be drawn.
    pub first: Vec<Posture>,
    /// Lines between points of a posture.
    pub sticks: Vec<(usize, usize)>,
    /// The outlines of shapes.
    pub shapes: Vec<DrawnShape>,
    /// The height of a level ground [m].
    pub ground: Option<f64>,
    /// The largest residual of the contact solver [m/s].
    pub residual: f64,
    /// What should be known of the plan.
    pub notes: Vec<Note>,
    /// Other methods on the same task.
    pub rivals: Vec<Rival>,
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
        let cost = search.cost();
        let cost = cost.is_finite().then_some(cost);
        Point { iteration, seconds, simulations: search.simulations(), cost }
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
    /// The name of its column in a file of controls.
    pub column: String,
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

impl PlanOutcome {
    pub(crate) fn new(setup: &Setup, journal: &Journal, search: &PlanSearch) -> Option<Self> {
        let (problem, motion, chosen) = search.best()?;
        let model = &problem.model;
        let topology = &model.topology;
        let first = first_motion(setup);
        let finite = |x: f64| x.is_finite().then_some(x);
        let costs: Vec<CostOutcome> = problem
            .costs
            .iter()
            .enumerate()
            .map(|(k, cost)| CostOutcome {
                name: cost.name.clone(),
                before: first.as_ref().and_then(|motion| finite(of_cost(motion, k).sum())),
                cost: of_cost(&motion, k).sum(),
                knots: of_cost(&motion, k).collect(),
                worst: motion.worst[k],
                within: finite(setup.within[k]),
            })
            .collect();
        let mut asked = costs.iter().filter_map(|cost| Some(cost.worst <= cost.within?));
        let done = asked.clone().next().map(|_| asked.all(|met| met));
        let n = problem.actions.len();
        let actions = (0..n).map(|k| ActionTrack {
            name: setup.action_names[k].clone(),
            column: column(&setup.action_names[k]),
            bounds: (finite(problem.actions.lower[k]), finite(problem.actions.upper[k])),
            values: motion.actions.iter().skip(k).step_by(n).copied().collect(),
        });
        let forces = topology.links.iter().enumerate().map(|(k, link)| ForceTrack {
            link: link.name.clone(),
            values: (motion.contact_forces.iter().skip(k).step_by(model.n_links()))
                .map(|force| force.to_array())
                .collect(),
        });
        let touches = |track: &ForceTrack| track.values.iter().flatten().any(|x| *x != 0.0);
        let (drawn, ground) = shapes(model);
        let mut drawing = Drawing::new(model);
        let mut postures = |states: &[State<f64>]| {
            states.iter().map(|state| drawing.posture(model, &state.q)).collect()
        };
        let parameters = setup.parameters.names().iter().zip(&chosen).enumerate();
        let before: Vec<f64> = setup.parameters.values(&setup.problem.model);
        Some(PlanOutcome {
            name: setup.task.name.clone(),
            method: setup.task.search.name().to_owned(),
            model: topology.name.clone(),
            ended: journal.ended,
            done,
            points: journal.points.clone(),
            cost: motion.cost,
            parameters: parameters
                .map(|(k, (name, chosen))| ParameterOutcome {
                    name: name.clone(),
                    before: before[k],
                    chosen: *chosen,
                    bounds: setup.parameter_bounds[k],
                })
                .collect(),
            times: motion.states.iter().map(|state| state.time).collect(),
            actions: actions.collect(),
            forces: forces.filter(touches).collect(),
            state_names: [
                topology.position_names(),
                topology.velocity_names(),
                (topology.actuators.iter())
                    .filter(|a| a.activation != gradbody_model::Activation::Direct)
                    .map(|a| a.name.clone())
                    .collect(),
            ],
            states: (motion.states.iter())
                .map(|state| [state.q.clone(), state.v.clone(), state.activation.clone()])
                .collect(),
            postures: postures(&motion.states),
            first: first.map_or(vec![], |motion| postures(&motion.states)),
            sticks: sticks(model),
            shapes: drawn,
            ground,
            residual: motion.residual,
            notes: notes(search, &problem, &costs, motion.residual),
            rivals: journal.rivals.clone(),
            costs,
        })
    }
}

/// The motion that the search began with, if it does not diverge.
fn first_motion(setup: &Setup) -> Option<Motion> {
    Motion::of(&setup.problem, &setup.begin).ok()
}

/// What a cost costs in each knot.
fn of_cost(motion: &Motion, index: usize) -> impl Iterator<Item = f64> + '_ {
    motion.costs.iter().skip(index).step_by(motion.worst.len()).copied()
}

/// The name of an action in a file of controls, as `gradbody simulate --controls` reads it.
fn column(name: &str) -> String {
    match (name.strip_prefix("control/"), name.strip_prefix("joint/")) {
        (Some(actuator), _) => actuator.to_owned(),
        (_, Some(joint)) => match joint.rsplit_once("/force/") {
            Some((joint, suffix)) => format!("tau:{joint}/{suffix}"),
            None => format!("tau:{}", joint.strip_suffix("/force").unwrap_or(joint)),
        },
        _ => name.to_owned(),
    }
}

/// Contacts with a larger residual were not solved [m/s].
const UNSOLVED: f64 = 1e-6;

fn notes(
    search: &PlanSearch,
    problem: &gradbody_control::Problem,
    costs: &[CostOutcome],
    residual: f64,
) -> Vec<Note> {
    let mut notes = Vec::new();
    if residual > UNSOLVED {
        notes.push(format!(
            "Contacts were not solved to the end in a step (residual {residual:.1e} m/s), so derivatives there are inexact"
        ));
    }
    if let Some(diverged) = search.diverged(problem) {
        notes.push(format!(
            "In the last iteration the first step that was tried was too long: {diverged}"
        ));
    }
    for cost in costs {
        if let Some(within) = cost.within.filter(|within| cost.worst > *within) {
            notes.push(format!(
                "{}: the largest difference is {:.4}, and {within} is asked for",
                cost.name, cost.worst
            ));
        }
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

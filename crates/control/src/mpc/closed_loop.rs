//! A controller and a simulated robot together.

use std::ops::ControlFlow;
use std::time::Instant;

use gradbody_math::{Force, Vec3};
use gradbody_model::{Activation, JointId, JointKind, LinkId, Model, Topology};
use gradbody_sim::{Simulation, State};

use super::{Mpc, MpcOptions, Replan};
use crate::knot_costs::KnotEnd;
use crate::{ControlError, Problem};

/// A force that acts on a link for some time, whatever the controller expects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// The link; the force acts at its origin.
    pub link: LinkId,
    /// When it begins [s], as [`State::time`].
    pub at: f64,
    /// How long it lasts [s].
    pub seconds: f64,
    /// The force in the world's axes [N].
    pub force_w: Vec3<f64>,
}

/// The end of a knot.
#[derive(Clone, Copy, Debug)]
pub struct MpcMoment<'a> {
    /// The state there.
    pub state: &'a State<f64>,
    /// The actions in the knot.
    pub actions: &'a [f64],
    /// The sum of the contact forces on each link in the last step of the knot [N], (n_links).
    pub contact_forces: &'a [Vec3<f64>],
    /// The plan that the knot is of.
    pub plan: &'a Replan,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum ClosedLoopEnding {
    /// All of its time has passed.
    Finished,
    /// The observer stopped it.
    Stopped,
    /// The simulated robot's motion is no longer finite.
    Diverged(LinkId),
    /// There is no plan from the state that was reached.
    NoPlan(ControlError),
}

/// What a controller did with a robot.
#[derive(Clone, Debug)]
pub struct ClosedLoop {
    /// The state at the start and at the end of each knot.
    pub states: Vec<State<f64>>,
    /// The actions of each knot, (knots × actions).
    pub actions: Vec<f64>,
    /// The sum of the contact forces on each link at the end of each knot [N], (knots × n_links).
    pub contact_forces: Vec<Vec3<f64>>,
    /// The largest residual of the contact solver in any step of the robot [m/s or rad/s].
    pub residual: f64,
    /// All plans.
    pub replans: Vec<Replan>,
    /// How long each plan took to make [µs]. All other numbers are the same whenever the run is repeated.
    pub micros: Vec<f64>,
    /// How it ended.
    pub ending: ClosedLoopEnding,
}

/// Runs a controller with a simulated robot, which may differ from the model of the plan in all numbers, but not in its
/// joints, links and actuators. The robot is stepped with the options of the plan. It waits while a plan is made, or goes on
/// for [`MpcOptions::delay`](super::MpcOptions::delay) by the plan before. `observe` sees the end of each knot.
pub fn run_closed_loop(
    mpc: &mut Mpc,
    plant: &Model<f64>,
    start: &State<f64>,
    seconds: f64,
    pushes: &[Push],
    mut observe: impl FnMut(&MpcMoment<'_>) -> ControlFlow<()>,
) -> Result<ClosedLoop, ControlError> {
    let problem = mpc.problem();
    problem.check_start(start)?;
    if !is_same_kind(plant, &problem.model) {
        return Err(ControlError::OtherPlant);
    }
    check_pushes(pushes, plant)?;
    if !(seconds >= 0.0 && seconds.is_finite()) {
        return Err(ControlError::Seconds(seconds));
    }
    let (options, steps, h) = (problem.options, problem.steps, problem.knot_seconds());
    let of = problem.actions.clone();
    let MpcOptions { replan: every, delay, .. } = *mpc.options();
    let model = problem.model.clone();
    let mut prediction = Prediction::new(&model, problem);
    let mut end = KnotEnd::new(problem);
    let mut world = Simulation::new(plant, options).from_state(start.clone());
    let mut record = ClosedLoop {
        states: vec![start.clone()],
        actions: Vec::new(),
        contact_forces: Vec::new(),
        residual: 0.0,
        replans: Vec::new(),
        micros: Vec::new(),
        ending: ClosedLoopEnding::Finished,
    };
    let mut actions = vec![0.0; of.len()];
    for knot in 0..(seconds / h).round() as usize {
        if knot % every == 0 {
            let begun = Instant::now();
            let begins_in = match knot >= delay && delay > 0 {
                true => prediction.after(delay, mpc),
                false => &world.state,
            };
            match mpc.replan(begins_in) {
                Ok(replan) => record.replans.push(replan),
                Err(error) => {
                    record.ending = ClosedLoopEnding::NoPlan(error);
                    return Ok(record);
                }
            }
            record.micros.push(begun.elapsed().as_secs_f64() * 1e6);
        }
        if delay > 0 && (knot + delay).is_multiple_of(every) {
            prediction.world.state.copy_from(&world.state);
        }
        mpc.act(&world.state, &mut actions);
        of.write(&actions, &mut world.input);
        for _ in 0..steps {
            push(pushes, world.state.time, plant, &mut world.input.external);
            let report = world.step();
            record.residual = record.residual.max(report.solved.residual);
            if let Some(link) = report.diverged {
                record.ending = ClosedLoopEnding::Diverged(link);
                return Ok(record);
            }
        }
        end.sum_contact_forces(world.contacts(), |force| force);
        record.states.push(world.state.clone());
        record.actions.extend(&actions);
        record.contact_forces.extend(&end.contact_forces);
        let plan = record.replans.last().expect("the first knot is planned");
        let contact_forces = &end.contact_forces;
        let moment = MpcMoment { state: &world.state, actions: &actions, contact_forces, plan };
        if observe(&moment).is_break() {
            record.ending = ClosedLoopEnding::Stopped;
            return Ok(record);
        }
    }
    Ok(record)
}

/// Where the robot will be when a plan is ready, by the model of the plan.
struct Prediction<'a> {
    /// It begins in the state that was measured when the plan was asked for.
    world: Simulation<'a, f64>,
    steps: usize,
    actions: Vec<f64>,
}

impl<'a> Prediction<'a> {
    fn new(model: &'a Model<f64>, problem: &Problem) -> Self {
        Prediction {
            world: Simulation::new(model, problem.options),
            steps: problem.steps,
            actions: vec![0.0; problem.actions.len()],
        }
    }

    /// The state some knots after the one that was measured, moved by the present plan. If that motion diverges, the state
    /// is one from which there is no plan.
    fn after(&mut self, knots: usize, mpc: &Mpc) -> &State<f64> {
        let Prediction { world, steps, actions } = self;
        for _ in 0..knots {
            mpc.act(&world.state, actions);
            mpc.problem().actions.write(actions, &mut world.input);
            for _ in 0..*steps {
                if world.step().diverged.is_some() {
                    world.state.q.fill(f64::NAN);
                    return &world.state;
                }
            }
        }
        &world.state
    }
}

/// Refuses pushes on links that do not exist, and numbers that are not finite.
fn check_pushes(pushes: &[Push], plant: &Model<f64>) -> Result<(), ControlError> {
    for (index, push) in pushes.iter().enumerate() {
        let wrong = |why| Err(ControlError::Push { index, why });
        if push.link.index() >= plant.n_links() {
            return wrong("the model does not have its link");
        }
        if !(push.at.is_finite() && push.seconds.is_finite() && push.force_w.is_finite()) {
            return wrong("a number of it is not finite");
        }
    }
    Ok(())
}

/// Writes the forces of all pushes in the step that begins at `time`.
fn push(pushes: &[Push], time: f64, plant: &Model<f64>, external: &mut Vec<Force<f64>>) {
    external.clear();
    // A step that begins within rounding of an end is counted once.
    let acts = |push: &&Push| (-1e-9..push.seconds - 1e-9).contains(&(time - push.at));
    for push in pushes.iter().filter(acts) {
        external.resize(plant.n_links(), Force::ZERO);
        external[push.link.index()].lin += push.force_w;
    }
}

/// Whether two models have the same joints, links and actuators, in the same order.
fn is_same_kind(a: &Model<f64>, b: &Model<f64>) -> bool {
    let (a, b) = (&a.topology, &b.topology);
    let links = |topology: &Topology| -> Vec<(Option<LinkId>, JointKind)> {
        topology.links.iter().map(|link| (link.parent, link.joint.kind)).collect()
    };
    let actuators = |topology: &Topology| -> Vec<(JointId, Activation)> {
        topology.actuators.iter().map(|of| (of.joint, of.activation)).collect()
    };
    links(a) == links(b) && actuators(a) == actuators(b)
}

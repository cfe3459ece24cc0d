//! The motion under a plan's actions, in one world.

use gradbody_math::Vec3;
use gradbody_sim::{
    Checkpointing, Failure, GradientOptions, NoTaps, Rollout, RolloutTrace, State, rollout_forward,
};

use serde::{Deserialize, Serialize};

use crate::knot_costs::{KnotCosts, KnotEnd};
use crate::knot_inputs::{KnotInputs, OpenLoop, Policy};
use crate::{ClosedLoop, ControlError, Problem, rounded_time};

/// The motion under the actions of a plan.
#[derive(Clone, Debug)]
pub struct PlannedMotion {
    /// The actions, knot by knot, (knots × actions).
    pub actions: Vec<f64>,
    /// The state at the start and at the end of each knot, (knots + 1).
    pub states: Vec<State<f64>>,
    /// The costs of each knot, in the order of [`Problem::costs`], (knots × costs).
    pub costs: Vec<f64>,
    /// The sum of all costs.
    pub cost: f64,
    /// The largest difference from the target of each cost where it counts, in the order of [`Problem::costs`]. Of vectors,
    /// such as positions, it is the length of the difference.
    pub worst: Vec<f64>,
    /// The sum of the contact forces on each link in the last step of each knot [N], (knots × links).
    pub contact_forces: Vec<Vec3<f64>>,
    /// The largest residual of the contact solver in any step [m/s or rad/s].
    pub residual: f64,
}

/// Where a motion diverged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diverged {
    /// The knot, from 0.
    pub knot: usize,
    /// The first link whose motion was no longer finite, by its index; none if only the cost was not.
    pub link: Option<usize>,
}

impl Diverged {
    /// As an error about the motion that a search begins with.
    pub fn error(self, problem: &Problem) -> ControlError {
        let Diverged { knot, link } = self;
        let seconds = rounded_time(knot as f64 * problem.knot_seconds());
        match link {
            Some(link) => {
                let link = problem.model.topology.links[link].name.clone();
                ControlError::FirstMotion { knot, seconds, link }
            }
            None => ControlError::FirstCost { knot, seconds },
        }
    }

    /// In words, about any motion.
    pub fn in_words(self, problem: &Problem) -> String {
        let Diverged { knot, link } = self;
        let seconds = rounded_time(knot as f64 * problem.knot_seconds());
        match link.map(|link| &problem.model.topology.links[link].name) {
            Some(link) => format!("link \"{link}\" diverges in knot {knot}, after {seconds} s"),
            None => format!("the cost is not finite in knot {knot}, after {seconds} s"),
        }
    }
}

impl PlannedMotion {
    /// The motion of a problem under these actions, knot by knot. Fails if it diverges.
    pub fn of(problem: &Problem, actions: &[f64]) -> Result<Self, ControlError> {
        problem.check_at_any_time()?;
        problem.check_actions(actions)?;
        Self::run(problem, actions).map_err(|diverged| diverged.error(problem))
    }

    /// The same for a problem and actions that have been checked.
    pub(crate) fn run(problem: &Problem, actions: &[f64]) -> Result<Self, Diverged> {
        let mut motion = PlannedMotion::new(problem);
        Runner::new(problem).run(problem, OpenLoop(actions), &mut motion)?;
        Ok(motion)
    }

    /// What a robot did under a controller, judged by the costs of a problem over all knots that were carried out. None if
    /// there were none.
    pub fn judged(problem: &Problem, did: &ClosedLoop) -> Option<Self> {
        let knots = did.states.len().checked_sub(1).filter(|knots| *knots > 0)?;
        let problem = &Problem { knots, start: did.states[0].clone(), ..problem.clone() };
        let mut motion = PlannedMotion::new(problem);
        motion.states.clone_from(&did.states);
        motion.actions.clone_from(&did.actions);
        motion.contact_forces.clone_from(&did.contact_forces);
        motion.cost = 0.0;
        motion.residual = did.residual;
        let (mut costs, mut end) = (KnotCosts::new(problem), KnotEnd::new(problem));
        let (m, n_links) = (problem.actions.len(), problem.model.n_links());
        for knot in 0..problem.knots {
            end.knot = knot;
            end.state.copy_from(&did.states[knot + 1]);
            end.actions.copy_from_slice(&did.actions[knot * m..][..m]);
            end.contact_forces.copy_from_slice(&did.contact_forces[knot * n_links..][..n_links]);
            motion.add_costs(problem, &end, &mut costs);
        }
        Some(motion)
    }

    /// Adds what the end of a knot costs.
    fn add_costs(&mut self, problem: &Problem, end: &KnotEnd, costs: &mut KnotCosts) {
        let of_knot = &mut self.costs[end.knot * problem.costs.len()..];
        costs.each(problem, end, |index, share, at, _, differences| {
            let cost = &problem.costs[index];
            of_knot[index] = share * cost.value(at, differences);
            self.cost += of_knot[index];
            let worst = &mut self.worst[index];
            *worst = worst.max(cost.worst(differences));
        });
    }

    /// A motion that has not been run.
    pub(crate) fn new(problem: &Problem) -> Self {
        PlannedMotion {
            actions: vec![0.0; problem.numbers()],
            states: vec![State::neutral(&problem.model); problem.knots + 1],
            costs: vec![0.0; problem.knots * problem.costs.len()],
            cost: f64::INFINITY,
            worst: vec![0.0; problem.costs.len()],
            contact_forces: vec![Vec3::ZERO; problem.knots * problem.model.n_links()],
            residual: 0.0,
        }
    }
}

/// The motion under the actions that a search begins with, moved into their bounds, and what runs further ones.
pub(crate) fn first_motion(
    problem: &Problem,
    mut actions: Vec<f64>,
) -> Result<(Runner, PlannedMotion), ControlError> {
    if problem.actions.is_empty() {
        return Err(ControlError::NoActions);
    }
    problem.check_actions(&actions)?;
    problem.clamp_all(&mut actions);
    let mut runner = Runner::new(problem);
    let mut motion = PlannedMotion::new(problem);
    let ran = runner.run(problem, OpenLoop(&actions), &mut motion);
    ran.map_err(|diverged| diverged.error(problem))?;
    Ok((runner, motion))
}

/// Runs motions of a problem.
#[derive(Clone, Debug)]
pub(crate) struct Runner {
    trace: RolloutTrace<f64>,
    costs: KnotCosts,
    end: KnotEnd,
}

impl Runner {
    pub(crate) fn new(problem: &Problem) -> Self {
        Runner {
            trace: RolloutTrace::new(&problem.model),
            costs: KnotCosts::new(problem),
            end: KnotEnd::new(problem),
        }
    }

    /// Runs the motion under `policy` and writes it to `motion`.
    pub(crate) fn run(
        &mut self,
        problem: &Problem,
        policy: impl Policy<f64>,
        motion: &mut PlannedMotion,
    ) -> Result<(), Diverged> {
        let Runner { trace, costs, end } = self;
        let rollout = Rollout {
            model: &problem.model,
            start: &problem.start,
            steps: problem.knots * problem.steps,
            options: &problem.options,
        };
        let mut inputs = KnotInputs::new(problem, policy);
        motion.states[0].copy_from(&problem.start);
        motion.costs.fill(0.0);
        motion.worst.fill(0.0);
        let n_links = problem.model.n_links();
        motion.cost = 0.0;
        let rolled = rollout_forward(
            &rollout,
            &mut inputs,
            &mut NoTaps,
            &forward_only(),
            |moment| {
                if end.read(problem, moment, 0) {
                    motion.states[end.knot + 1].copy_from(moment.state);
                    motion.add_costs(problem, end, costs);
                    let forces = &mut motion.contact_forces[end.knot * n_links..];
                    forces[..n_links].copy_from_slice(&end.contact_forces);
                }
            },
            trace,
        );
        motion.actions.copy_from_slice(&inputs.taken);
        motion.residual = rolled.residual;
        match rolled.failures[0] {
            Some(failure) => {
                motion.cost = f64::INFINITY;
                Err(where_diverged(problem, failure))
            }
            // A cost may overflow although the motion does not.
            None if !motion.cost.is_finite() => {
                motion.cost = f64::INFINITY;
                let of_knots = motion.costs.chunks(problem.costs.len());
                let is_finite = |costs: &[f64]| costs.iter().sum::<f64>().is_finite();
                let knot = of_knots.take_while(|costs| is_finite(costs)).count();
                Err(Diverged { knot: knot.min(problem.knots - 1), link: None })
            }
            None => Ok(()),
        }
    }
}

/// Options of rollouts that nothing goes back through: they store as little as possible.
pub(crate) fn forward_only() -> GradientOptions {
    let checkpointing = Checkpointing::Revolve { snapshots: 1 };
    GradientOptions { checkpointing, ..GradientOptions::default() }
}

fn where_diverged(problem: &Problem, failure: Failure) -> Diverged {
    match failure {
        Failure::Diverged { step, link } => {
            Diverged { knot: step / problem.steps, link: Some(link.index()) }
        }
        // Rollouts without taps and targets fail in no other way.
        _ => Diverged { knot: 0, link: None },
    }
}

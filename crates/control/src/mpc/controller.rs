//! The controller: plans from measured states, and the actions that answer to the state of the moment.

use gradbody_sim::State;

use super::{MpcOptions, Replan, Tail};
use crate::feedback::{Feedback, Law};
use crate::knot_inputs::Policy;
use crate::{
    Begun, ControlError, Gains, IlqrSearch, IlqrState, PlannedMotion, Problem, Progress, Quantity,
    Shape, When,
};

/// A controller that plans over a receding horizon. The costs of its problem count relative to the horizon (`End` is the
/// end of each plan's horizon), but for `Between`, whose times are those of the measured states.
#[derive(Debug)]
pub struct Mpc {
    search: IlqrSearch,
    options: MpcOptions,
    /// The actions that the first plan began with, for plans that have nothing better.
    first: Vec<f64>,
    /// The actions of knots that come into the horizon.
    tail: Vec<f64>,
    /// Whether there is a plan.
    planned: bool,
}

impl Mpc {
    /// A controller whose first plan begins with `actions`. Fails if the motion under these diverges from the problem's
    /// start.
    pub fn new(
        problem: Problem,
        options: MpcOptions,
        actions: &[f64],
    ) -> Result<Self, ControlError> {
        problem.check_at_any_time()?;
        options.check(problem.knots)?;
        let state = IlqrState {
            actions: actions.to_vec(),
            damping: options.ilqr.damping,
            curvature: Vec::new(),
            first_cost: None,
            kappa: options.ilqr.smoothing.map_or(0.0, |smoothing| smoothing.kappa),
            history: Vec::new(),
            progress: Progress::Going,
        };
        let tail = vec![0.0; problem.actions.len()];
        let search = IlqrSearch::begin_unchecked(problem, options.ilqr.clone(), state)?;
        let first = search.motion().actions.clone();
        Ok(Mpc { search, options, first, tail, planned: false })
    }

    /// What is planned. Its start is that of the last plan.
    pub fn problem(&self) -> &Problem {
        self.search.problem()
    }

    /// The options.
    pub fn options(&self) -> &MpcOptions {
        &self.options
    }

    /// The motion of the last plan; before the first one, that of the actions it will begin with.
    pub fn motion(&self) -> &PlannedMotion {
        self.search.motion()
    }

    /// How the actions of the last plan answer to other states than those of its motion, knot by knot; none if its costs
    /// do not determine it. They are those of the motion before the last iteration.
    pub fn gains(&self) -> Option<&[Gains]> {
        self.search.gains()
    }

    /// Plans from a measured state. How many knots have passed since the last plan follows from its time. Where the last
    /// plan diverges from there, or the first one is made, the plan begins with the first actions; it fails if these
    /// diverge too.
    pub fn replan(&mut self, state: &State<f64>) -> Result<Replan, ControlError> {
        self.problem().check_start(state)?;
        let shift = if self.planned { self.knots_since(state.time) } else { 0 };
        self.set_tail();
        let Mpc { search, tail, first, .. } = self;
        let begun = search
            .begin_again(state, shift, tail, first)
            .map_err(|diverged| diverged.error(search.problem()))?;
        let before = search.motion().cost;
        let iterations = match self.planned {
            true => self.options.iterations,
            false => self.options.first_iterations,
        };
        let mut length = 0.0;
        for _ in 0..iterations {
            let progress = search.advance();
            length = search.history().last().map_or(0.0, |iteration| iteration.length);
            if progress != Progress::Going {
                break;
            }
        }
        let begun = if self.planned { begun } else { Begun::FirstActions };
        self.planned = true;
        let PlannedMotion { cost, residual, .. } = *search.motion();
        Ok(Replan { time: state.time, begun, before, cost, length, residual })
    }

    /// Writes the actions of the knot in which the state lies, by its time: `u = ū + K (x ⊖ x̄)` within the bounds, where x
    /// is the state and x̄ the planned one at the beginning of the knot.
    pub fn act(&self, state: &State<f64>, actions: &mut [f64]) {
        let knot = self.knots_since(state.time).min(self.problem().knots - 1);
        let (problem, motion) = (self.problem(), self.motion());
        match self.gains() {
            Some(gains) => {
                let law = Law { gains, length: 0.0 };
                Feedback::new(&problem.model, &problem.actions, motion, vec![law])
                    .act(knot, state, actions);
            }
            None => {
                actions.copy_from_slice(&motion.actions[knot * actions.len()..][..actions.len()])
            }
        }
    }

    /// Whole knots from the start of the last plan to `time`.
    fn knots_since(&self, time: f64) -> usize {
        let problem = self.problem();
        // Casts of negative numbers give 0.
        ((time - problem.start.time) / problem.knot_seconds() + 1e-6).floor() as usize
    }

    fn set_tail(&mut self) {
        let (problem, actions) = (self.search.problem(), &self.search.motion().actions);
        let m = self.tail.len();
        self.tail.copy_from_slice(&actions[actions.len() - m..]);
        if self.options.tail == Tail::Targets {
            for cost in &problem.costs {
                let lasts =
                    cost.when == When::Always && !matches!(cost.shape, Shape::Outside { .. });
                if let (Quantity::Actions(which), true) = (&cost.quantity, lasts) {
                    let weighted = which.iter().zip(&cost.target).zip(&cost.weights);
                    for ((k, u), _) in weighted.filter(|(_, weight)| **weight > 0.0) {
                        self.tail[*k] = *u;
                    }
                }
            }
            problem.actions.clamp(&mut self.tail);
        }
    }
}

//! Direct shooting: what a plan costs as a function of its actions and of parameters of the model, with the gradient from
//! the adjoint of the whole motion. Any method of [`gradbody_optimise`] can minimise it.

use std::sync::{Mutex, PoisonError};

use gradbody_model::{Params, Selection};
use gradbody_optimise::Objective;
use gradbody_sim::{
    GradientOptions, NoTaps, Rollout, RolloutTrace, rollout_backward, rollout_forward,
};

use crate::candidates::{ActionLists, costs_of};
use crate::knot_costs::{KnotCosts, KnotEnd};
use crate::knot_inputs::{KnotInputs, OpenLoop};
use crate::motion::Runner;
use crate::{ControlError, Diverged, PlannedMotion, Problem};

/// The cost of a plan as a function of numbers: the actions of all knots, then parameters.
#[derive(Debug)]
pub struct Shooting {
    problem: Problem,
    parameters: Selection,
    bounds: Vec<(f64, f64)>,
    how: GradientOptions,
    /// Buffers that no thread uses at the moment.
    idle: Mutex<Vec<Worker>>,
}

/// Buffers of a thread.
#[derive(Debug)]
struct Worker {
    /// With a model of its own, whose parameters change.
    problem: Problem,
    trace: RolloutTrace<f64>,
    costs: KnotCosts,
    end: KnotEnd,
    no_params: Params<f64>,
    /// For the cost alone.
    runner: Runner,
    motion: PlannedMotion,
}

impl Shooting {
    /// With the actions of all knots as numbers, and `parameters` of the model, within `parameter_bounds`.
    pub fn new(
        problem: Problem,
        parameters: Selection,
        parameter_bounds: &[(f64, f64)],
        how: GradientOptions,
    ) -> Result<Self, ControlError> {
        problem.check()?;
        if problem.actions.is_empty() && parameters.is_empty() {
            return Err(ControlError::NoActions);
        }
        if parameter_bounds.len() != parameters.len() {
            let (given, needed) = (parameter_bounds.len(), parameters.len());
            return Err(ControlError::BoundCount { given, needed });
        }
        for (name, (lower, upper)) in parameters.names().iter().zip(parameter_bounds) {
            if lower.is_nan() || upper.is_nan() || lower > upper {
                let action = name.clone();
                return Err(ControlError::Bounds { action, lower: *lower, upper: *upper });
            }
        }
        let of_knot = problem.actions.lower.iter().copied().zip(problem.actions.upper.clone());
        let of_knot: Vec<(f64, f64)> = of_knot.collect();
        let mut bounds = of_knot.repeat(problem.knots);
        bounds.extend(parameter_bounds);
        Ok(Shooting { problem, parameters, bounds, how, idle: Mutex::default() })
    }

    /// The problem, with the model as it was given.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The parameters that are chosen.
    pub fn parameters(&self) -> &Selection {
        &self.parameters
    }

    /// The numbers of a plan with these actions and the parameters of the model.
    pub fn begin_with(&self, actions: &[f64]) -> Vec<f64> {
        let mut numbers = actions.to_vec();
        numbers.extend(self.parameters.values(&self.problem.model));
        numbers
    }

    /// The problem with the chosen parameters.
    pub fn problem_with(&self, numbers: &[f64]) -> Problem {
        let mut problem = self.problem.clone();
        self.apply(numbers, &mut problem);
        problem
    }

    /// The motion under these numbers, of which there must be as many as [`Objective::len`] says.
    pub fn motion(&self, numbers: &[f64]) -> Result<PlannedMotion, Diverged> {
        let problem = self.problem_with(numbers);
        PlannedMotion::run(&problem, &numbers[..problem.numbers()])
    }

    fn apply(&self, numbers: &[f64], problem: &mut Problem) {
        let parameters = &numbers[problem.numbers()..];
        let applied = self.parameters.apply(&mut problem.model, parameters);
        applied.expect("there is a number for each parameter");
    }

    /// Lends buffers to `work`.
    fn with_worker<T>(&self, work: impl FnOnce(&mut Worker) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let lent = idle().pop();
        let mut worker = lent.unwrap_or_else(|| Worker {
            problem: self.problem.clone(),
            trace: RolloutTrace::new(&self.problem.model),
            costs: KnotCosts::new(&self.problem),
            end: KnotEnd::new(&self.problem),
            no_params: self.problem.model.params.zeros_like(),
            runner: Runner::new(&self.problem),
            motion: PlannedMotion::new(&self.problem),
        });
        let result = work(&mut worker);
        idle().push(worker);
        result
    }
}

impl Objective for Shooting {
    fn len(&self) -> usize {
        self.bounds.len()
    }

    fn cost(&self, numbers: &[f64]) -> f64 {
        self.with_worker(|worker| {
            self.apply(numbers, &mut worker.problem);
            let Worker { problem, runner, motion, .. } = worker;
            let ran = runner.run(problem, OpenLoop(&numbers[..problem.numbers()]), motion);
            ran.map_or(f64::INFINITY, |()| motion.cost)
        })
    }

    fn costs(&self, points: &[Vec<f64>]) -> Vec<f64> {
        if self.parameters.is_empty() {
            return costs_of(&self.problem, &ActionLists(points));
        }
        // Each point has a model of its own.
        use rayon::prelude::*;
        points.par_iter().map(|numbers| self.cost(numbers)).collect()
    }

    fn gradient(&self, numbers: &[f64], gradient: &mut [f64]) -> f64 {
        self.with_worker(|worker| {
            self.apply(numbers, &mut worker.problem);
            let Worker { problem, trace, costs, end, no_params, .. } = worker;
            costs.bars.params.clone_from(no_params);
            let rollout = Rollout {
                model: &problem.model,
                start: &problem.start,
                steps: problem.knots * problem.steps,
                options: &problem.options,
            };
            let actions = problem.numbers();
            let mut inputs = KnotInputs::new(problem, OpenLoop(&numbers[..actions]));
            rollout_forward(&rollout, &mut inputs, &mut NoTaps, &self.how, |_| {}, trace);
            let found = rollout_backward(
                &problem.model,
                &mut inputs,
                &mut NoTaps,
                |moment, bars| match end.read(problem, moment, 0) {
                    true => costs.sum_vjp(problem, end, moment, bars),
                    false => 0.0,
                },
                trace,
            );
            if found.failures[0].is_some() {
                gradient.fill(f64::NAN);
                return f64::INFINITY;
            }
            let (by_actions, by_parameters) = gradient.split_at_mut(actions);
            by_actions.copy_from_slice(&inputs.bars);
            let of = |params| self.parameters.gradient(&problem.model, params);
            let sums = of(&found.params).into_iter().zip(of(&costs.bars.params));
            by_parameters.iter_mut().zip(sums).for_each(|(to, (a, b))| *to = a + b);
            found.cost
        })
    }

    fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }
}

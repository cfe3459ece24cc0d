//! The search: iterations, how much is damped and smoothed, and when it ends.

use gradbody_contact::ContactGradient;
use gradbody_sim::State;
use rayon::prelude::*;

use super::pass::{Pass, Steps};
use super::{Begun, Ilqr, IlqrState, Iteration, Progress};
use crate::candidates::costs_of;
use crate::expansion::Expansion;
use crate::feedback::{Feedback, Law};
use crate::knot_costs::{KnotCosts, KnotEnd};
use crate::knot_inputs::{Later, OpenLoop};
use crate::knot_map::{KnotLineariser, KnotMap};
use crate::motion::{Runner, first_motion};
use crate::riccati::NoPass;
use crate::{ControlError, Diverged, Gains, PlannedMotion, Problem};

/// A search for a plan, between two iterations.
#[derive(Debug)]
pub struct IlqrSearch {
    problem: Problem,
    options: Ilqr,
    /// The best motion so far.
    motion: PlannedMotion,
    history: Vec<Iteration>,
    damping: f64,
    kappa: f64,
    /// The cost of the motion that the search began with, whose rounding is the least that changes of the cost can mean.
    first_cost: f64,
    progress: Progress,
    /// Whether maps and expansions are those of `motion`, with the present `kappa`.
    expanded: bool,
    maps: Vec<KnotMap>,
    expansions: Vec<Expansion>,
    /// Backward passes with several dampings, the first with the present one.
    passes: Vec<Pass>,
    /// The pass whose gains hold near `motion`: the one that led to it.
    leading: Option<usize>,
    runner: Runner,
    /// The motion that is tried.
    trial: PlannedMotion,
    workers: Vec<Worker>,
}

/// Buffers of a thread.
#[derive(Debug)]
struct Worker {
    lineariser: KnotLineariser,
    costs: KnotCosts,
    end: KnotEnd,
    row: Vec<(usize, f64)>,
}

/// A step that was taken.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The index of its pass.
    pass: usize,
    damping: f64,
    length: f64,
    /// The fall of the cost as a share of what was promised.
    kept: f64,
}

/// What came of the steps that were tried.
#[derive(Clone, Copy, Debug)]
struct Trials {
    step: Option<Step>,
    /// How many motions were simulated.
    motions: usize,
    /// Where the first of them diverged, if it did.
    diverged: Option<Diverged>,
}

/// The share of the promised fall that a step must reach.
const ACCEPTED: f64 = 1e-2;
/// The share of the promised fall that the first step must reach for others not to be tried.
const GOOD: f64 = 0.3;
const LEAST_DAMPING: f64 = 1e-9;
const MOST_DAMPING: f64 = 1e12;
/// Above this damping a small fall does not mean that a minimum is near.
const HEAVY: f64 = 1.0;
const LEAST_KAPPA: f64 = 1e-3;
/// How much less damping there is after a good step.
const LESS: f64 = 0.25;
/// How much more damping each of the other tries has than the one before.
const MORE: f64 = 10.0;
/// How many dampings are tried together where the present one does badly.
const DAMPINGS: usize = 4;
/// The lengths of the step that are tried with each of these.
const LENGTHS: [f64; 4] = [1.0, 0.5, 0.25, 0.0625];
/// After so many iterations of hardly any fall the search is stuck.
const PATIENCE: usize = 10;

impl IlqrSearch {
    /// Begins with `actions`, moved into their bounds. Fails if the motion under these diverges.
    pub fn begin(problem: Problem, options: Ilqr, actions: &[f64]) -> Result<Self, ControlError> {
        let kappa = options.smoothing.map_or(0.0, |smoothing| smoothing.kappa);
        let state = IlqrState {
            actions: actions.to_vec(),
            damping: options.damping,
            curvature: Vec::new(),
            kappa,
            first_cost: None,
            history: Vec::new(),
            progress: Progress::Going,
        };
        Self::resume(problem, options, state)
    }

    /// Goes on from a state that [`IlqrSearch::state`] gave.
    pub fn resume(problem: Problem, options: Ilqr, state: IlqrState) -> Result<Self, ControlError> {
        problem.check()?;
        Self::begin_unchecked(problem, options, state)
    }

    /// The same for a problem that has been checked.
    pub(crate) fn begin_unchecked(
        problem: Problem,
        options: Ilqr,
        state: IlqrState,
    ) -> Result<Self, ControlError> {
        options.check()?;
        let IlqrState { actions, damping, curvature, kappa, first_cost, history, progress } = state;
        let (runner, motion) = first_motion(&problem, actions)?;
        let mut pass = Pass::new(&problem);
        if !curvature.is_empty() {
            let (given, needed) = (curvature.len(), problem.actions.len());
            if given != needed {
                return Err(ControlError::CurvatureCount { given, needed });
            }
            pass.work.curvature = curvature;
        }
        let worker = || Worker {
            lineariser: KnotLineariser::new(&problem),
            costs: KnotCosts::new(&problem),
            end: KnotEnd::new(&problem),
            row: Vec::new(),
        };
        let threads = rayon::current_num_threads().clamp(1, problem.knots);
        Ok(IlqrSearch {
            trial: motion.clone(),
            first_cost: first_cost.unwrap_or(motion.cost),
            motion,
            history,
            damping,
            kappa,
            progress,
            expanded: false,
            maps: vec![KnotMap::new(&problem); problem.knots],
            expansions: vec![Expansion::new(&problem); problem.knots],
            passes: vec![pass; DAMPINGS],
            leading: None,
            runner,
            workers: (0..threads).map(|_| worker()).collect(),
            problem,
            options,
        })
    }

    /// What [`IlqrSearch::resume`] needs.
    pub fn state(&self) -> IlqrState {
        IlqrState {
            actions: self.motion.actions.clone(),
            damping: self.damping,
            curvature: self.passes[0].work.curvature.clone(),
            kappa: self.kappa,
            first_cost: Some(self.first_cost),
            history: self.history.clone(),
            progress: self.progress,
        }
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The best motion so far.
    pub fn motion(&self) -> &PlannedMotion {
        &self.motion
    }

    /// All iterations so far.
    pub fn history(&self) -> &[Iteration] {
        &self.history
    }

    /// How the search goes on.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// How the actions should answer to states that differ from those of the best motion, knot by knot: with as little
    /// damping as makes the second derivatives positive. None if the costs there do not determine it.
    pub fn feedback(&mut self) -> Option<Vec<Gains>> {
        if !self.expanded {
            self.expand();
        }
        // A pass of its own: the search goes on as if nobody had asked.
        let mut pass = Pass::new(&self.problem);
        pass.damping = LEAST_DAMPING;
        while pass.damping < HEAVY {
            pass.work.curvature.clone_from(&self.passes[0].work.curvature);
            pass.run(&self.problem, &self.motion, &self.maps, &self.expansions);
            if pass.promise.is_ok() {
                return Some(pass.gains);
            }
            pass.damping *= MORE;
        }
        None
    }

    /// The gains of the last backward pass that was used: those of the motion before the last step.
    pub(crate) fn gains(&self) -> Option<&[Gains]> {
        self.leading.map(|leading| self.passes[leading].gains.as_slice())
    }

    /// Goes on from another start, `shift` knots after the present one. The new plan keeps the knots from `shift` on, with
    /// their feedback, and fills up with `tail`. If that motion diverges, the same actions are tried without feedback, then
    /// `first`.
    pub(crate) fn begin_again(
        &mut self,
        start: &State<f64>,
        shift: usize,
        tail: &[f64],
        first: &[f64],
    ) -> Result<Begun, Diverged> {
        let IlqrSearch { problem, motion, passes, leading, runner, trial, .. } = self;
        copy_motion(start, &mut problem.start);
        let gains = leading.map(|leading| passes[leading].gains.as_slice());
        let mut outcome = None;
        if let Some(gains) = gains {
            let law = Law { gains, length: 0.0 };
            let feedback = Feedback::new(&problem.model, &problem.actions, motion, vec![law]);
            let policy = Later { policy: feedback, shift, knots: problem.knots, tail };
            outcome = runner.run(problem, policy, trial).ok().map(|()| Begun::Feedback);
        }
        if outcome.is_none() {
            let policy = OpenLoop(motion.actions.as_slice());
            let policy = Later { policy, shift, knots: problem.knots, tail };
            outcome = runner.run(problem, policy, trial).ok().map(|()| Begun::OpenLoop);
        }
        let begun = match outcome {
            Some(begun) => begun,
            None => {
                if let Err(diverged) = runner.run(problem, OpenLoop(first), trial) {
                    // The plan before stays, with its start.
                    copy_motion(&motion.states[0], &mut problem.start);
                    return Err(diverged);
                }
                Begun::FirstActions
            }
        };
        std::mem::swap(motion, trial);
        self.leading = None;
        self.expanded = false;
        self.history.clear();
        self.first_cost = self.motion.cost;
        self.progress = Progress::Going;
        self.kappa = self.options.smoothing.map_or(0.0, |smoothing| smoothing.kappa);
        self.damping = self.damping.min(HEAVY);
        Ok(begun)
    }

    /// Makes an iteration. The best motion never becomes worse.
    pub fn advance(&mut self) -> Progress {
        if self.progress != Progress::Going {
            return self.progress;
        }
        self.backward();
        let promised = self.passes[0].promised(1.0);
        let before = self.motion.cost;
        let Trials { step, motions, diverged } = self.find_step();
        if let Some(step) = step {
            self.leading = Some(step.pass);
            std::mem::swap(&mut self.motion, &mut self.trial);
            self.expanded = false;
        }
        self.history.push(Iteration {
            cost: self.motion.cost,
            promised: promised.is_finite().then_some(promised),
            length: step.map_or(0.0, |step| step.length),
            damping: step.map_or(self.damping, |step| step.damping),
            kappa: self.kappa,
            motions,
            by_rows: self.maps.iter().map(|map| map.by_rows).sum(),
            diverged,
        });
        let resolution = self.resolution(before);
        let damping = step.map_or(self.damping, |step| step.damping);
        let small = promised <= resolution
            || step.is_some_and(|step| step.length == 1.0 && step.kept >= GOOD)
                && before - self.motion.cost <= resolution;
        let is_at_minimum = small && damping <= HEAVY;
        self.damping = match step {
            _ if is_at_minimum => damping,
            Some(Step { damping, length, kept, .. }) => {
                damping * if length == 1.0 && kept >= GOOD { LESS } else { 1.0 }
            }
            None => damping * MORE.powi(DAMPINGS as i32),
        };
        self.damping = self.damping.max(LEAST_DAMPING);
        let flat = self.passes[0].promise.is_ok_and(|promise| promise.flat) && before != 0.0;
        let lost = step.is_none()
            && self.passes.iter().all(|pass| pass.promise.err() == Some(NoPass::NotFinite));
        self.progress = if flat {
            self.sharpen(Progress::Flat)
        } else if lost {
            self.sharpen(Progress::NotFinite)
        } else if is_at_minimum {
            self.sharpen(Progress::Converged)
        } else if self.damping > MOST_DAMPING || self.hardly_falls() {
            self.sharpen(Progress::Stuck)
        } else {
            self.end_smoothing_in_time()
        };
        self.progress
    }

    /// A fall of the cost from `cost` that means nothing: the tolerance or, near a minimum of zero, rounding.
    fn resolution(&self, cost: f64) -> f64 {
        self.options.cost_tolerance * cost.abs() + f64::EPSILON * self.first_cost.abs()
    }

    /// Whether the last iterations together have gained nothing to speak of.
    fn hardly_falls(&self) -> bool {
        let Some(since) = self.history.len().checked_sub(PATIENCE + 1) else { return false };
        let (first, now) = (self.history[since], self.motion.cost);
        let same_kappa = self.history[since..].iter().all(|of| of.kappa == first.kappa);
        same_kappa && first.cost - now <= self.resolution(now) * PATIENCE as f64
    }

    /// Linearises all knots and expands their costs, on all threads.
    fn expand(&mut self) {
        let IlqrSearch { problem, motion, maps, expansions, workers, kappa, .. } = self;
        let contact = match *kappa {
            0.0 => ContactGradient::Implicit,
            kappa => ContactGradient::Smoothed { kappa },
        };
        let share = problem.knots.div_ceil(workers.len());
        let m = problem.actions.len();
        let parts = maps.chunks_mut(share).zip(expansions.chunks_mut(share)).zip(workers);
        let parts: Vec<_> = parts.enumerate().collect();
        parts.into_par_iter().for_each(|(part, ((maps, expansions), worker))| {
            let Worker { lineariser, costs, end, row } = worker;
            for (i, (map, expansion)) in maps.iter_mut().zip(expansions).enumerate() {
                let knot = part * share + i;
                let actions = &motion.actions[knot * m..][..m];
                lineariser.linearise(problem, &motion.states[knot], actions, contact, map);
                lineariser.read_end(knot, actions, &motion.states[knot + 1], end);
                expansion.write(problem, end, map, costs, row);
            }
        });
        self.expanded = true;
    }

    /// The backward pass with the present damping.
    fn backward(&mut self) {
        if !self.expanded {
            self.expand();
        }
        let IlqrSearch { problem, motion, maps, expansions, passes, damping, .. } = self;
        passes[0].damping = *damping;
        passes[0].run(problem, motion, maps, expansions);
        self.leading = passes[0].promise.is_ok().then_some(0);
    }

    /// Leaves in `trial` the motion after the best step that was found, if there is one.
    fn find_step(&mut self) -> Trials {
        let IlqrSearch { problem, motion, maps, expansions, passes, runner, trial, .. } = self;
        let mut take = |pass: &Pass, length: f64, trial: &mut PlannedMotion| {
            let laws = vec![pass.law(length)];
            let policy = Feedback::new(&problem.model, &problem.actions, motion, laws);
            runner.run(problem, policy, trial)
        };
        let kept = |index: usize, pass: &Pass, length: f64, cost: f64| {
            let kept = (motion.cost - cost) / pass.promised(length);
            let falls = cost < motion.cost && kept >= ACCEPTED;
            falls.then_some(Step { pass: index, damping: pass.damping, length, kept })
        };
        // The whole step with the present damping is tried alone, since it mostly succeeds.
        let mut trials = Trials { step: None, motions: 0, diverged: None };
        let mut first = None;
        if passes[0].promise.is_ok() {
            trials.motions = 1;
            trials.diverged = take(&passes[0], 1.0, trial).err();
            first = kept(0, &passes[0], 1.0, trial.cost);
            if first.is_some_and(|step| step.kept >= GOOD) {
                return Trials { step: first, ..trials };
            }
        }
        let (present, others) = passes.split_at_mut(1);
        let (damping, curvature) = (present[0].damping, &present[0].work.curvature);
        others.par_iter_mut().enumerate().for_each(|(k, pass)| {
            pass.damping = damping.max(LEAST_DAMPING) * MORE.powi(k as i32 + 1);
            pass.work.curvature.clone_from(curvature);
            pass.run(problem, motion, maps, expansions);
        });
        let promising = (0..passes.len()).filter(|index| passes[*index].promise.is_ok());
        let tries: Vec<(usize, f64)> =
            promising.flat_map(|index| LENGTHS.map(|length| (index, length))).collect();
        if tries.is_empty() {
            return trials;
        }
        trials.motions += tries.len();
        let laws = tries.iter().map(|(index, length)| passes[*index].law(*length)).collect();
        let costs = costs_of(problem, &Steps { problem, motion, laws });
        let best = (0..tries.len())
            .filter(|k| {
                let (index, length) = tries[*k];
                kept(index, &passes[index], length, costs[*k]).is_some()
            })
            .min_by(|a, b| costs[*a].total_cmp(&costs[*b]));
        if let Some(best) = best {
            let (index, length) = tries[best];
            // The same motion in one world, whose bits are those of the plan.
            let ran = take(&passes[index], length, trial);
            trials.motions += 1;
            trials.step = ran.ok().and_then(|()| kept(index, &passes[index], length, trial.cost));
        }
        if trials.step.is_none() && first.is_some() {
            // No step was good enough on lanes, or in one world it was not as good as there.
            let ran = take(&passes[0], 1.0, trial);
            trials.motions += 1;
            trials.step = ran.ok().and(first);
        }
        trials
    }

    /// What follows where the search cannot go on with the present smoothing: less of it, or `otherwise`.
    fn sharpen(&mut self, otherwise: Progress) -> Progress {
        if self.kappa == 0.0 {
            return otherwise;
        }
        self.kappa = if self.kappa * 0.5 < LEAST_KAPPA { 0.0 } else { self.kappa * 0.5 };
        self.damping = self.options.damping;
        self.expanded = false;
        Progress::Going
    }

    fn end_smoothing_in_time(&mut self) -> Progress {
        let most = self.options.smoothing.map_or(0, |smoothing| smoothing.iterations);
        if self.kappa != 0.0 && self.history.len() as u64 >= most {
            self.kappa = 0.0;
            self.damping = self.options.damping;
            self.expanded = false;
        }
        Progress::Going
    }
}

/// Copies time, configuration, velocity and actuator states. Impulses of another simulation say nothing about this one.
fn copy_motion(from: &State<f64>, to: &mut State<f64>) {
    to.time = from.time;
    to.q.copy_from_slice(&from.q);
    to.v.copy_from_slice(&from.v);
    to.activation.copy_from_slice(&from.activation);
}

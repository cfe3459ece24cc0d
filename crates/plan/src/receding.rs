//! `[receding]`: plans made anew while the robot moves.

use std::ops::ControlFlow;

use gradbody_control::{
    ClosedLoop, ClosedLoopEnding, Mpc, MpcMoment, MpcOptions, PlannedMotion, Push, Tail,
    rounded_time,
};
use gradbody_experiment::ExperimentError;
use gradbody_math::Vec3;
use gradbody_math::names::did_you_mean;
use gradbody_model::Model;
use serde::{Deserialize, Serialize};

use crate::horizon::is_whole;
use crate::outcome::{Found, PlanOutcome, RecedingOutcome};
use crate::replans::{notes, replans};
use crate::{PlanMethod, Setup};

/// Plans made anew while the robot moves: each begins in the state of the moment, reaches over the horizon, and is
/// carried out until the next one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RecedingSpec {
    /// How long the robot moves [s].
    pub seconds: f64,
    /// Knots from one plan to the next.
    #[serde(default = "one_knot")]
    pub replan: usize,
    /// Knots that it takes to make a plan; until then the robot is moved by the plan before. With 0 it waits for each plan.
    #[serde(default)]
    pub delay: usize,
    /// Iterations for each plan.
    #[serde(default = "one_iteration")]
    pub iterations: u64,
    /// Iterations for the first plan.
    #[serde(default = "some_iterations")]
    pub first_iterations: u64,
    /// What the knots that come into the horizon begin with.
    #[serde(default)]
    pub tail: Tail,
    /// Forces that the plans do not know of.
    #[serde(default)]
    pub pushes: Vec<PushSpec>,
}

/// More time steps than this are a mistake.
const MOST: f64 = 1e7;

fn one_knot() -> usize {
    1
}

fn one_iteration() -> u64 {
    1
}

fn some_iterations() -> u64 {
    MpcOptions::default().first_iterations
}

/// A force that acts on a link for some time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PushSpec {
    /// The link; the force acts at its origin.
    pub link: String,
    /// When it begins [s].
    pub at: f64,
    /// How long it lasts [s].
    pub seconds: f64,
    /// The force in the world's axes [N].
    pub force: [f64; 3],
}

impl RecedingSpec {
    /// Refuses impossible numbers, for time steps of `step` and knots of `knot` seconds.
    pub(crate) fn check(&self, step: f64, knot: f64) -> Result<(), ExperimentError> {
        let wrong =
            |key: &str, why: String| Err(ExperimentError::wrong(format!("receding.{key}"), why));
        let positive = |x: f64| x > 0.0 && x.is_finite();
        if !positive(self.seconds) {
            return wrong("seconds", format!("{}: a positive time is needed [s]", self.seconds));
        }
        if !is_whole(self.seconds / knot) {
            let (seconds, knot) = (self.seconds, rounded_time(knot));
            let why = format!("{seconds} s: a whole number of knots of {knot} s is needed");
            return wrong("seconds", why);
        }
        if self.seconds / step > MOST {
            let why = format!("{} s are more than 10 million time steps", self.seconds);
            return wrong("seconds", why);
        }
        for (key, iterations) in
            [("iterations", self.iterations), ("first-iterations", self.first_iterations)]
        {
            if iterations == 0 {
                return wrong(key, "0: each plan needs at least 1".into());
            }
        }
        if self.delay > self.replan {
            let why = format!("{}: a plan must be made before the next one is due", self.delay);
            return wrong("delay", why);
        }
        for (k, push) in self.pushes.iter().enumerate() {
            let PushSpec { at, seconds, force, .. } = push;
            let wrong = |key: &str, why: String| wrong(&format!("pushes[{k}].{key}"), why);
            if !(at.is_finite() && *at >= 0.0) {
                return wrong("at", format!("{at} s: a time that is not negative is needed"));
            }
            if *at >= self.seconds {
                return wrong("at", format!("{at} s is after the end of the motion"));
            }
            if !(seconds.is_finite() && is_whole(seconds / step)) {
                let why = format!(
                    "{seconds} s: a whole number of time steps is needed, and simulation.step is {step} s"
                );
                return wrong("seconds", why);
            }
            if !force.iter().all(|x| x.is_finite()) {
                return wrong("force", "a number is not finite".to_owned());
            }
        }
        Ok(())
    }

    fn pushes(&self, setup: &Setup) -> Result<Vec<Push>, ExperimentError> {
        let topology = &setup.problem.model.topology;
        let found = self.pushes.iter().enumerate().map(|(k, push)| {
            let link = topology.link(&push.link).ok_or_else(|| {
                let names = topology.links.iter().map(|link| link.name.as_str());
                let hint = did_you_mean(&push.link, names);
                let why = format!("the model has no link \"{}\"{hint}", push.link);
                ExperimentError::wrong(format!("receding.pushes[{k}].link"), why)
            })?;
            let force_w = Vec3::from_slice(&push.force);
            Ok(Push { link, at: push.at, seconds: push.seconds, force_w })
        });
        found.collect()
    }
}

/// A robot that moves by plans made on the way.
#[derive(Debug)]
pub struct RecedingRun {
    setup: Setup,
    mpc: Mpc,
    pushes: Vec<Push>,
    seconds: f64,
    record: Option<ClosedLoop>,
}

impl RecedingRun {
    /// The robot at its start. None if the task has no `[receding]`. Fails if the first motion diverges.
    pub fn new(setup: Setup) -> Result<Option<Self>, ExperimentError> {
        let Some(spec) = &setup.task.receding else { return Ok(None) };
        let PlanMethod::Ilqr(ilqr) = &setup.task.search else {
            let why = "plans with a receding horizon are made by \"ilqr\"";
            return Err(ExperimentError::wrong("search.method", why));
        };
        let options = MpcOptions {
            ilqr: ilqr.clone(),
            iterations: spec.iterations,
            first_iterations: spec.first_iterations,
            replan: spec.replan,
            delay: spec.delay,
            tail: spec.tail,
        };
        let (pushes, seconds) = (spec.pushes(&setup)?, spec.seconds);
        let mpc = Mpc::new(setup.problem.clone(), options, &setup.begin)
            .map_err(|error| setup.no_first_motion(&error, "receding"))?;
        Ok(Some(RecedingRun { setup, mpc, pushes, seconds, record: None }))
    }

    /// How long the robot moves [s].
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The task with its model.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The model, with a keyframe "start" where the robot begins.
    pub fn model(&self) -> Model<f64> {
        self.setup.with_start(self.setup.problem.model.clone())
    }

    /// Moves the robot to the end, or until `watch` breaks off, which sees the end of each knot. Returns whether all of its
    /// time has passed.
    pub fn go(
        &mut self,
        watch: &mut dyn FnMut(&MpcMoment<'_>) -> ControlFlow<()>,
    ) -> Result<bool, ExperimentError> {
        let RecedingRun { setup, mpc, pushes, seconds, record } = self;
        let (plant, start) = (&setup.problem.model, &setup.problem.start);
        let ran = gradbody_control::run_closed_loop(mpc, plant, start, *seconds, pushes, watch)
            .map_err(|error| ExperimentError::wrong("receding", error.to_string()))?;
        let finished = ran.ending == ClosedLoopEnding::Finished;
        *record = Some(ran);
        Ok(finished)
    }

    /// Why the motion ended, in words. None before the robot has moved.
    pub fn ended(&self) -> Option<String> {
        let record = self.record.as_ref()?;
        let time = rounded_time(record.states.last()?.time);
        let links = &self.setup.problem.model.topology.links;
        Some(match &record.ending {
            ClosedLoopEnding::Finished => "all of its time has passed".to_owned(),
            ClosedLoopEnding::Stopped => "it was interrupted".to_owned(),
            ClosedLoopEnding::Diverged(link) => {
                let link = &links[link.index()].name;
                format!("after {time} s the motion of link \"{link}\" diverges")
            }
            ClosedLoopEnding::NoPlan(error) => {
                format!("after {time} s there is no plan from the state that was reached: {error}")
            }
        })
    }

    /// What the robot did. None before it has moved.
    pub fn outcome(&self) -> Option<PlanOutcome> {
        let record = self.record.as_ref()?;
        let problem = self.setup.problem.clone();
        let motion = PlannedMotion::judged(&problem, record)?;
        let (knot, replans) = (problem.knot_seconds(), replans(record));
        let found = Found { problem, motion, first: None, chosen: vec![] };
        let mut outcome = PlanOutcome::of(&self.setup, found);
        let spec = self.setup.task.receding.as_ref()?;
        outcome.notes.extend(notes(&replans, spec, knot));
        let horizon = self.setup.problem.knots as f64 * knot;
        let receding = RecedingOutcome { horizon, replans, ended: self.ended()? };
        let done = match record.ending {
            ClosedLoopEnding::Finished => outcome.done,
            ClosedLoopEnding::Stopped => None,
            ClosedLoopEnding::Diverged(_) | ClosedLoopEnding::NoPlan(_) => {
                outcome.done.map(|_| false)
            }
        };
        Some(PlanOutcome { receding: Some(receding), done, ..outcome })
    }
}

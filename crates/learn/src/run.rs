//! A fit from beginning to end: first the parameters without networks, then, if there are any, the networks.
//!
//! Where it stands is a [`Journal`], a value that can be written between any two iterations and gone on from with the
//! same bits.

use std::ops::ControlFlow;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::experiment::{ExperimentError, Part, Setup, Starts};
use crate::judge::Predictor;
use crate::objective::Fit;
use crate::outcome::ProgressPoint;
use gradbody_data::Fingerprint;
use gradbody_optimise::{Limits, Method, Objective, Search, Stop};

/// Where a fit stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    /// The experiment as it was when the fit began.
    pub experiment: String,
    /// What random numbers are drawn by.
    pub seed: u64,
    /// The data files as they were.
    pub files: Vec<Fingerprint>,
    /// What the stages came to that are done.
    pub done: Vec<Done>,
    /// The search of the stage under way.
    pub search: Option<Search>,
    /// The best of it by the validation part: the cost there and the unknowns.
    pub chosen: Option<(f64, Vec<f64>)>,
    /// The cost over the iterations, of all stages.
    pub points: Vec<ProgressPoint>,
    /// Seconds of work so far.
    pub seconds: f64,
}

/// What a stage came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// Why it ended, in words.
    pub ended: String,
    /// The unknowns.
    pub x: Vec<f64>,
    /// Their cost.
    pub cost: f64,
    /// The cost before; none where the motion diverges.
    pub before: Option<f64>,
    /// Iterations.
    pub iterations: u64,
    /// How often a window's derivatives were computed.
    pub window_gradients: u64,
}

/// A stage of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Parameters, without networks.
    Parameters,
    /// Networks, and parameters with them unless they are to stay.
    Networks,
}

impl Stage {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Parameters => "parameters",
            Stage::Networks => "networks",
        }
    }
}

/// A fit that is run.
#[derive(Debug)]
pub struct Run {
    /// What is fitted to what.
    pub setup: Setup,
    /// Where it stands.
    pub journal: Journal,
}

/// What a watcher sees after each iteration.
#[derive(Debug)]
pub struct Glimpse<'a> {
    /// The stage under way.
    pub stage: Stage,
    /// Everything but its search.
    pub journal: &'a Journal,
    /// Its search.
    pub search: &'a Search,
    /// When it ends at the latest.
    pub limits: &'a Limits,
    /// How many numbers were measured: twice the cost over it is the mean square error in standard deviations.
    pub n_errors: usize,
}

impl Glimpse<'_> {
    /// The journal with the search: what to write to a file.
    pub fn snapshot(&self) -> Journal {
        Journal { search: Some(self.search.clone()), ..self.journal.clone() }
    }
}

/// How often the validation part is looked at, of the iterations.
const LOOKS: u64 = 50;

impl Run {
    /// A fit that is to begin. `text` is the experiment's file.
    pub fn new(setup: Setup, text: &str) -> Self {
        let journal = Journal {
            experiment: text.to_owned(),
            seed: setup.experiment.seed,
            files: setup.files.clone(),
            ..Journal::default()
        };
        Run { setup, journal }
    }

    /// A fit that is to go on; it must be of the same experiment and data.
    pub fn resume(mut setup: Setup, text: &str, journal: Journal) -> Result<Self, ExperimentError> {
        if journal.experiment != text {
            let why =
                "the experiment has changed since this fit began; begin again with another folder";
            return Err(ExperimentError::wrong("resume", why));
        }
        if let Some((was, now)) =
            journal.files.iter().zip(&setup.files).find(|(was, now)| was != now)
        {
            let why = format!(
                "{} has changed since this fit began ({was}, now {now}); begin again with another folder",
                was.file
            );
            return Err(ExperimentError::wrong("resume", why));
        }
        if journal.files.len() != setup.files.len() {
            let why = format!(
                "the data were {} files when this fit began and are {} now; begin again with another folder",
                journal.files.len(),
                setup.files.len()
            );
            return Err(ExperimentError::wrong("resume", why));
        }
        setup.experiment.seed = journal.seed;
        Ok(Run { setup, journal })
    }

    /// The stages that there are.
    pub fn stages(&self) -> Vec<Stage> {
        let change = &self.setup.experiment.change;
        let networks = !self.setup.experiment.augmentation.is_empty();
        let parameters = !change.parameters.is_empty() || change.period || !networks;
        let mut stages = Vec::new();
        if parameters {
            stages.push(Stage::Parameters);
        }
        if networks {
            stages.push(Stage::Networks);
        }
        stages
    }

    /// What a stage makes small, and where it begins.
    pub fn stage_fit(&self, stage: Stage) -> Result<(Fit, Vec<f64>), ExperimentError> {
        match stage {
            Stage::Parameters => {
                let fit = self.setup.fit(Part::Train, None)?;
                let x = fit.initial();
                Ok((fit, x))
            }
            Stage::Networks => self.networks_fit(Part::Train),
        }
    }

    /// The fit of the networks on a part, from the parameters that were found without them.
    fn networks_fit(&self, part: Part) -> Result<(Fit, Vec<f64>), ExperimentError> {
        let weights = self.setup.plan.initial_weights();
        let mut fit = self.setup.fit(part, Some(&weights))?;
        let mut x = fit.initial();
        if let Some(done) = self.done(Stage::Parameters) {
            let before = self.setup.fit(Part::Train, None)?;
            let named = before.unknowns.named().count();
            x[..named].copy_from_slice(&done.x[..named]);
            let starts = before.unknowns.n_global();
            let first = fit.unknowns.n_global();
            if part == Part::Train && fit.unknowns.start > 0 {
                x[first..].copy_from_slice(&done.x[starts..]);
            }
        }
        if !self.setup.experiment.training.parameters {
            for (k, unknown) in
                fit.unknowns.params.iter_mut().chain(&mut fit.unknowns.period).enumerate()
            {
                unknown.bounds = (x[k] * unknown.scale, x[k] * unknown.scale);
            }
            fit.set_bounds();
        }
        Ok((fit, x))
    }

    /// What a stage came to, if it is done.
    pub fn done(&self, stage: Stage) -> Option<&Done> {
        let at = self.stages().iter().position(|s| *s == stage)?;
        self.journal.done.get(at)
    }

    fn method(&self, stage: Stage) -> (&Method, &Limits) {
        let experiment = &self.setup.experiment;
        match stage {
            Stage::Parameters => (&experiment.optimiser, &experiment.limits),
            Stage::Networks => (&experiment.training.optimiser, &experiment.training.limits),
        }
    }

    /// Goes on to the end, or until the watcher breaks off. Says whether it came to the end.
    pub fn go(
        &mut self,
        watch: &mut dyn FnMut(&Glimpse<'_>) -> ControlFlow<()>,
    ) -> Result<bool, ExperimentError> {
        while let Some(stage) = self.stages().get(self.journal.done.len()).copied() {
            let (fit, x) = self.stage_fit(stage)?;
            let limits = *self.method(stage).1;
            let mut search = match self.journal.search.take() {
                Some(search) => search,
                None => {
                    let (method, _) = self.method(stage);
                    Search::begin(method, &fit, x.clone(), self.setup.experiment.seed)?
                }
            };
            let validation = self.validation(stage)?;
            let every = limits.iterations.map_or(10, |n| (n / LOOKS).max(1));
            if let Some(validation) = validation.as_ref().filter(|_| self.journal.chosen.is_none())
            {
                // Training may only make it worse: where it begins is a candidate too.
                let cost = validation.cost(&x[..validation.len()]);
                self.journal.chosen = cost.is_finite().then(|| (cost, x.clone()));
            }
            let began = Instant::now();
            let earlier = self.journal.seconds;
            let n_errors = fit.n_errors();
            let journal = &mut self.journal;
            let stop = search.run(&fit, &limits, &mut |search| {
                journal.seconds = earlier + began.elapsed().as_secs_f64();
                let held_out = validation
                    .as_ref()
                    .filter(|_| search.iteration().is_multiple_of(every))
                    .map(|v| v.cost(&search.current()[..v.len()]));
                if let Some(cost) = held_out.filter(|cost| cost.is_finite())
                    && journal.chosen.as_ref().is_none_or(|(best, _)| cost < *best)
                {
                    journal.chosen = Some((cost, search.current().to_vec()));
                }
                let scale = validation
                    .as_ref()
                    .map_or(1.0, |v| n_errors as f64 / v.n_errors().max(1) as f64);
                let cost = search.best().1;
                if cost.is_finite() {
                    journal.points.push(ProgressPoint {
                        iteration: journal
                            .done
                            .iter()
                            .map(|d| d.iterations as usize)
                            .sum::<usize>()
                            + search.iteration() as usize,
                        seconds: journal.seconds,
                        cost,
                        validation: held_out.filter(|v| v.is_finite()).map(|v| v * scale),
                    });
                }
                watch(&Glimpse { stage, journal, search, limits: &limits, n_errors })
            });
            if stop == Stop::Interrupted {
                self.journal.search = Some(search);
                return Ok(false);
            }
            let (best, cost) = search.best();
            if let (Some(validation), Some((chosen, _))) = (&validation, &self.journal.chosen) {
                let last = validation.cost(&best[..validation.len()]);
                if last < *chosen {
                    self.journal.chosen = Some((last, best.to_vec()));
                }
            }
            let (x_best, cost) = match self.journal.chosen.take() {
                Some((_, x)) => {
                    let cost = fit.cost(&x);
                    (x, cost)
                }
                None => (best.to_vec(), cost),
            };
            let evaluations = search.evaluations();
            self.journal.done.push(Done {
                ended: stop.to_string(),
                cost,
                before: Some(fit.cost(&x)).filter(|cost| cost.is_finite()),
                iterations: search.iteration(),
                window_gradients: (evaluations.gradients + evaluations.quadratics)
                    * fit.windows.len() as u64
                    / fit.parts() as u64,
                x: x_best,
            });
        }
        Ok(true)
    }

    /// What networks are chosen by while they are trained: the validation part, from where its windows begin.
    fn validation(&self, stage: Stage) -> Result<Option<Fit>, ExperimentError> {
        if stage == Stage::Parameters || self.setup.part(Part::Validation).is_empty() {
            return Ok(None);
        }
        let mut setup = self.setup.clone();
        setup.experiment.change.starts = Starts::Measured;
        let run = Run { setup, journal: Journal { search: None, ..self.journal.clone() } };
        let (mut fit, _) = run.networks_fit(Part::Validation)?;
        fit.weight_decay = 0.0;
        fit.penalties.clear();
        Ok(Some(fit))
    }

    /// The model before.
    pub fn before(&self) -> Result<Predictor, ExperimentError> {
        Ok(Predictor {
            model: self.setup.model.clone(),
            plan: self.setup.without_networks()?,
            weights: Vec::new(),
            period: self.setup.period,
        })
    }

    /// The model after a stage that is done, or under way: its best so far.
    pub fn after(&self, stage: Stage) -> Result<Option<Predictor>, ExperimentError> {
        let stages = self.stages();
        let Some(at) = stages.iter().position(|s| *s == stage) else { return Ok(None) };
        let under_way = self.journal.search.as_ref().filter(|_| at == self.journal.done.len());
        let x: &[f64] = match (self.journal.done.get(at), under_way, &self.journal.chosen) {
            (Some(done), ..) => &done.x,
            (None, Some(_), Some((_, chosen))) => chosen,
            (None, Some(search), None) => search.best().0,
            (None, None, _) => return Ok(None),
        };
        let (fit, _) = self.stage_fit(stage)?;
        let found = fit.candidate(x);
        let period = found.dt * self.setup.experiment.simulation.substeps as f64;
        Ok(Some(Predictor { model: found.model, plan: fit.plan, weights: found.weights, period }))
    }
}

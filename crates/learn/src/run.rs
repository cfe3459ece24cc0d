//! Runs a fit: first the parameters without networks, then the networks, if there are any. With a curriculum, the
//! parameters are first fitted to shorter windows. If derivatives mislead the search of the parameters, as they do where
//! bodies hit each other, it goes on with secants.
//!
//! A [`Journal`] holds the progress of a fit. It can be written between any two iterations, and a fit that resumes from
//! it gives the same bits.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::experiment::{ContactSlope, DataPart, ExperimentError, Setup, Starts, USUAL_SECANT};
use crate::judge::Predictor;
use crate::objective::Fit;
use crate::outcome::ProgressPoint;
use gradbody_data::Fingerprint;
use gradbody_optimise::{Limits, Method, Objective, Search, Stop, Trouble};

/// The progress of a fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    /// The text of the experiment's file when the fit began.
    pub experiment: String,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Fingerprints of the data files when the fit began.
    pub files: Vec<Fingerprint>,
    /// Results of the finished stages.
    pub done: Vec<Done>,
    /// The search of the stage under way.
    pub search: Option<Search>,
    /// The lowest validation cost of that stage so far, and its unknowns.
    pub chosen: Option<(f64, Vec<f64>)>,
    /// The cost over the iterations, of all stages.
    pub points: Vec<ProgressPoint>,
    /// Seconds of work so far.
    pub seconds: f64,
    /// Whether derivatives misled the search of the parameters, and it goes on with secants.
    #[serde(default)]
    pub secants: bool,
}

/// The result of a finished stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// Why it ended, in words.
    pub ended: String,
    /// What that means for the result and what to do, a sentence each.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// The unknowns.
    pub x: Vec<f64>,
    /// Their cost.
    pub cost: f64,
    /// The cost at the start, or None if the motion diverges there.
    pub before: Option<f64>,
    /// Iterations.
    pub iterations: u64,
    /// How many derivatives of single windows were computed.
    pub window_gradients: u64,
}

/// A stage of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitStage {
    /// Parameters, on the shorter windows of a lesson of the curriculum.
    Lesson(usize),
    /// Parameters, by derivatives, which misled the search: it goes on with secants.
    Derivatives,
    /// Parameters, without networks.
    Parameters,
    /// Networks, and the parameters with them unless `training.parameters` is false.
    Networks,
}

impl FitStage {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            FitStage::Lesson(_) => "shorter windows",
            FitStage::Derivatives => "parameters, by derivatives",
            FitStage::Parameters => "parameters",
            FitStage::Networks => "networks",
        }
    }
}

/// A fit that can be run, interrupted and resumed.
#[derive(Debug)]
pub struct Run {
    pub(crate) setup: Setup,
    pub(crate) journal: Journal,
    /// The stages, each built when it is first needed. A stage with networks is built once the parameters are fitted.
    parameters: OnceLock<Arc<StageFit>>,
    networks: OnceLock<Arc<StageFit>>,
}

/// The cost that a stage minimises, and the unknowns it starts from.
#[derive(Clone, Debug)]
pub(crate) struct StageFit {
    pub(crate) fit: Fit,
    pub(crate) start: Vec<f64>,
}

/// What a watcher sees after each iteration.
#[derive(Debug)]
pub struct Glimpse<'a> {
    /// The stage under way.
    pub stage: FitStage,
    /// The journal without the search under way.
    pub journal: &'a Journal,
    /// Its search.
    pub search: &'a Search,
    /// Limits of the search.
    pub limits: &'a Limits,
    /// Number of measured values. Twice the cost divided by it is the mean squared error, in standard deviations.
    pub n_errors: usize,
}

impl Glimpse<'_> {
    /// The journal with the search under way, as it is written to a file.
    pub fn snapshot(&self) -> Journal {
        Journal { search: Some(self.search.clone()), ..self.journal.clone() }
    }
}

/// What the end of a stage means for its result. `stayed` is true if the result is where the stage began.
fn remarks(stop: Stop, stage: FitStage, slope: ContactSlope, stayed: bool) -> Vec<String> {
    let mut remarks = Vec::new();
    if stop == Stop::Stuck(Trouble::NoDescent) {
        match (stage, slope) {
            // A lesson only finds where the next one begins.
            (FitStage::Lesson(_), _) => {}
            (FitStage::Derivatives, _) => remarks.push(goes_on()),
            (_, ContactSlope::Secant(_)) => remarks.push(NO_DESCENT_OF_SECANTS.to_owned()),
            _ => remarks.push(NO_DESCENT.to_owned()),
        }
    }
    if stayed && stage == FitStage::Networks {
        remarks.push(NOT_KEPT.to_owned());
    }
    remarks
}

/// The derivatives of the cost do not describe it.
const NO_DESCENT: &str = "The search did not converge: there may be a better fit. If bodies touch or reach stops, these \
    make kinks and jumps in the cost, where its derivatives mislead: try secants (simulation.gradient = { secant = 0.2 }), \
    shorter windows (objective.window, or objective.curriculum before the long ones), or a search from several starts \
    (optimiser = { method = \"basin-hopping\" })";
/// Nor do secants.
const NO_DESCENT_OF_SECANTS: &str = "The search did not converge: there may be a better fit. Where bodies hit each other, \
    windows jump from one start to another, so a cost is known only roughly: try shorter windows (objective.window, or \
    objective.curriculum before the long ones), or another seed. A loss with long tails (student) makes that worse: \
    for outliers, take loss = { tukey = 7 }";
/// Derivatives misled the search.
fn goes_on() -> String {
    format!(
        "No step decreased the cost as its derivatives predict, so the search went on with secants over changes as large \
         as the noise (simulation.gradient = {{ secant = {USUAL_SECANT} }}), which also look for other starts of windows"
    )
}
/// No iteration was better than the first.
const NOT_KEPT: &str = "The networks were trained and then not kept: nothing that the training found is better than the \
    networks it began with";

/// About how many times a stage computes the validation cost.
const LOOKS: u64 = 50;

impl Run {
    /// A fit that has not begun. `text` is the content of the experiment's file.
    pub fn new(setup: Setup, text: &str) -> Self {
        let journal = Journal {
            experiment: text.to_owned(),
            seed: setup.experiment.seed,
            files: setup.files.clone(),
            ..Journal::default()
        };
        Run::at(setup, journal)
    }

    /// A fit at the state of its journal. Experiment and data are not compared: see [`resume`](Run::resume).
    pub fn at(mut setup: Setup, journal: Journal) -> Self {
        if journal.secants {
            setup.experiment.simulation.gradient = Some(ContactSlope::Secant(USUAL_SECANT));
        }
        Run { setup, journal, parameters: OnceLock::new(), networks: OnceLock::new() }
    }

    /// A fit whose unknowns another program found: `x` are those of its only stage, parameters or networks, and `ended`
    /// says how they were found. An error if the experiment has another number of unknowns or more than one stage.
    pub fn found(
        setup: Setup,
        text: &str,
        x: Vec<f64>,
        ended: &str,
    ) -> Result<Self, ExperimentError> {
        let mut run = Run::new(setup, text);
        let [only] = run.stages()[..] else {
            let why = "what another program found is one stage: parameters without a curriculum, or networks without \
                       parameters";
            return Err(ExperimentError::wrong("change.parameters", why));
        };
        let stage = run.stage_fit(only)?;
        if x.len() != stage.start.len() {
            let why =
                format!("{} numbers were found, and {} may change", x.len(), stage.start.len());
            return Err(ExperimentError::wrong("change.parameters", why));
        }
        let before = stage.fit.cost(&stage.start);
        run.journal.done.push(Done {
            ended: ended.to_owned(),
            remarks: Vec::new(),
            cost: stage.fit.cost(&x),
            x,
            before: before.is_finite().then_some(before),
            iterations: 0,
            window_gradients: 0,
        });
        Ok(run)
    }

    /// The experiment with its model and data.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The progress of the fit.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// A fit that resumes from its journal. An error if the experiment or the data have changed.
    pub fn resume(mut setup: Setup, text: &str, journal: Journal) -> Result<Self, ExperimentError> {
        let changed = |what: String| Err(ExperimentError::wrong("resume", what));
        if journal.experiment != text {
            return changed("the experiment has changed since this fit began".into());
        }
        let lacks = |of: &[Fingerprint], file: &Fingerprint| of.iter().all(|f| f.file != file.file);
        if let Some(new) = setup.files.iter().find(|file| lacks(&journal.files, file)) {
            return changed(format!("{} was added since this fit began", new.file));
        }
        if let Some(gone) = journal.files.iter().find(|file| lacks(&setup.files, file)) {
            return changed(format!("{} was removed since this fit began", gone.file));
        }
        let mut pairs = journal.files.iter().zip(&setup.files);
        if let Some((was, now)) = pairs.find(|(was, now)| was != now) {
            let what = format!("{} has changed since this fit began ({was}, now {now})", was.file);
            return changed(what);
        }
        setup.experiment.seed = journal.seed;
        Ok(Run::at(setup, journal))
    }

    /// The stages of this fit, in order.
    pub fn stages(&self) -> Vec<FitStage> {
        let change = &self.setup.experiment.change;
        let networks = !self.setup.experiment.augmentation.is_empty();
        let parameters = !change.parameters.is_empty() || change.period || !networks;
        let mut stages = Vec::new();
        if parameters {
            let lessons = self.setup.experiment.objective.curriculum.len();
            stages.extend((0..lessons).map(FitStage::Lesson));
            stages.extend(self.journal.secants.then_some(FitStage::Derivatives));
            stages.push(FitStage::Parameters);
        }
        if networks {
            stages.push(FitStage::Networks);
        }
        stages
    }

    /// The cost that a stage minimises. It is built once, except for lessons; networks only after the parameters are fitted, which they
    /// start from.
    pub(crate) fn stage_fit(&self, stage: FitStage) -> Result<Arc<StageFit>, ExperimentError> {
        let kept = match stage {
            FitStage::Lesson(_) => None,
            FitStage::Derivatives | FitStage::Parameters => Some(&self.parameters),
            FitStage::Networks => Some(&self.networks),
        };
        if let Some(built) = kept.and_then(OnceLock::get) {
            return Ok(built.clone());
        }
        let parameters_first =
            stage == FitStage::Networks && self.stages().contains(&FitStage::Parameters);
        if parameters_first && self.done(FitStage::Parameters).is_none() {
            let why = "the parameters must be fitted before the networks";
            return Err(ExperimentError::wrong("training", why));
        }
        let built = match stage {
            FitStage::Lesson(lesson) => self.lesson_fit(lesson)?,
            FitStage::Derivatives | FitStage::Parameters => {
                let fit = self.setup.fit(DataPart::Train, None)?;
                let last = self.setup.experiment.objective.curriculum.len().checked_sub(1);
                let misled = self.done(FitStage::Derivatives).map(|done| done.x.clone());
                StageFit { start: misled.unwrap_or_else(|| self.start_after(last, &fit)), fit }
            }
            FitStage::Networks => self.networks_fit(&self.setup, DataPart::Train)?,
        };
        let built = Arc::new(built);
        Ok(kept.map_or(built.clone(), |kept| kept.get_or_init(|| built).clone()))
    }

    /// The fit of the parameters to the windows of a lesson.
    fn lesson_fit(&self, lesson: usize) -> Result<StageFit, ExperimentError> {
        let mut setup = self.setup.clone();
        let objective = &mut setup.experiment.objective;
        objective.window = objective.curriculum.get(lesson).copied();
        let fit = setup.fit(DataPart::Train, None)?;
        Ok(StageFit { start: self.start_after(lesson.checked_sub(1), &fit), fit })
    }

    /// The unknowns that a fit starts from: parameters as a lesson found them, and starts of windows from the data.
    fn start_after(&self, lesson: Option<usize>, fit: &Fit) -> Vec<f64> {
        let mut start = fit.initial();
        if let Some(done) = lesson.and_then(|lesson| self.done(FitStage::Lesson(lesson))) {
            let named = fit.unknowns.named().count().min(done.x.len());
            start[..named].copy_from_slice(&done.x[..named]);
        }
        start
    }

    /// The fit of the networks to a part of the data, starting from the parameters that were fitted without them.
    fn networks_fit(&self, setup: &Setup, part: DataPart) -> Result<StageFit, ExperimentError> {
        let mut fit = setup.fit(part, Some(&setup.plan.initial_weights()))?;
        let mut start = fit.initial();
        if let Some(done) = self.done(FitStage::Parameters) {
            // Without weights, the starts of windows follow the named unknowns.
            let named = fit.unknowns.named().count();
            let follows = part == DataPart::Train && fit.unknowns.start > 0;
            let wanted = named + if follows { start.len() - fit.unknowns.n_global() } else { 0 };
            if done.x.len() < wanted {
                let why = format!("it has {} numbers, and {wanted} are needed", done.x.len());
                return Err(ExperimentError::wrong("the fit of the parameters", why));
            }
            start[..named].copy_from_slice(&done.x[..named]);
            if follows {
                start[fit.unknowns.n_global()..].copy_from_slice(&done.x[named..wanted]);
            }
        }
        if !setup.experiment.training.parameters {
            for (x, unknown) in
                start.iter().zip(fit.unknowns.params.iter_mut().chain(&mut fit.unknowns.period))
            {
                unknown.bounds = (x * unknown.scale, x * unknown.scale);
            }
            fit.set_bounds();
        }
        Ok(StageFit { fit, start })
    }

    /// The result of a stage, or None if it is not finished.
    pub fn done(&self, stage: FitStage) -> Option<&Done> {
        let at = self.stages().iter().position(|s| *s == stage)?;
        self.journal.done.get(at)
    }

    fn method(&self, stage: FitStage) -> (&Method, &Limits) {
        let experiment = &self.setup.experiment;
        match stage {
            FitStage::Lesson(_) | FitStage::Derivatives | FitStage::Parameters => {
                (&experiment.optimiser, &experiment.limits)
            }
            FitStage::Networks => (&experiment.training.optimiser, &experiment.training.limits),
        }
    }

    /// Runs to the end, or until `watch` breaks off. Returns whether the fit came to its end.
    pub fn go(
        &mut self,
        watch: &mut dyn FnMut(&Glimpse<'_>) -> ControlFlow<()>,
    ) -> Result<bool, ExperimentError> {
        while let Some(stage) = self.stages().get(self.journal.done.len()).copied() {
            let built = self.stage_fit(stage)?;
            let StageFit { fit, start: x } = &*built;
            let limits = *self.method(stage).1;
            let mut search = match self.journal.search.take() {
                Some(search) => search,
                None => {
                    let (method, _) = self.method(stage);
                    Search::begin(method, fit, x.clone(), self.setup.experiment.seed)?
                }
            };
            let validation = self.validation(stage)?;
            let every = limits.iterations.map_or(10, |n| (n / LOOKS).max(1));
            if let Some(validation) = validation.as_ref().filter(|_| self.journal.chosen.is_none())
            {
                // Training may only make the validation cost worse, so the start is a candidate too.
                let cost = validation.cost(&x[..validation.len()]);
                self.journal.chosen = cost.is_finite().then(|| (cost, x.clone()));
            }
            let began = Instant::now();
            let earlier = self.journal.seconds;
            let n_errors = fit.n_errors();
            let journal = &mut self.journal;
            let stop = search.run(fit, &limits, &mut |search| {
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
            let experiment = &self.setup.experiment;
            let misled = stage == FitStage::Parameters
                && stop == Stop::Stuck(Trouble::NoDescent)
                && experiment.may_take_secants()
                && self.setup.shapes_may_touch();
            let stage = if misled { FitStage::Derivatives } else { stage };
            self.journal.done.push(Done {
                ended: stop.to_string(),
                remarks: remarks(stop, stage, experiment.simulation.slope(), x_best == *x),
                cost,
                before: Some(fit.cost(x)).filter(|cost| cost.is_finite()),
                iterations: search.iteration(),
                window_gradients: (evaluations.gradients + evaluations.quadratics)
                    * fit.windows.len() as u64
                    / fit.parts() as u64,
                x: x_best,
            });
            if misled {
                self.journal.secants = true;
                self.setup.experiment.simulation.gradient =
                    Some(ContactSlope::Secant(USUAL_SECANT));
                self.parameters = OnceLock::new();
            }
        }
        Ok(true)
    }

    /// The validation cost, which chooses the weights while networks are trained. Its windows begin at measured states.
    /// None for the parameters, or without a validation part.
    fn validation(&self, stage: FitStage) -> Result<Option<Fit>, ExperimentError> {
        if stage != FitStage::Networks || self.setup.part(DataPart::Validation).is_empty() {
            return Ok(None);
        }
        let mut setup = self.setup.clone();
        setup.experiment.change.starts = Starts::Measured;
        let mut fit = self.networks_fit(&setup, DataPart::Validation)?.fit;
        fit.weight_decay = 0.0;
        fit.penalties.clear();
        Ok(Some(fit))
    }

    /// The model before the fit.
    pub fn before(&self) -> Result<Predictor, ExperimentError> {
        Ok(Predictor {
            model: self.setup.model.clone(),
            plan: self.setup.without_networks()?,
            weights: Vec::new(),
            period: self.setup.period,
        })
    }

    /// The unknowns after a stage, or the best so far while it is under way. Until the stage of the parameters has
    /// begun, the stages before stand for it.
    fn unknowns_after(&self, stage: FitStage) -> Option<&[f64]> {
        let journal = &self.journal;
        let is_meant = |other: FitStage| match other {
            FitStage::Lesson(_) | FitStage::Derivatives => {
                stage == FitStage::Parameters || stage == other
            }
            _ => stage == other,
        };
        let stages = self.stages();
        let at = (0..=journal.done.len().min(stages.len().checked_sub(1)?)).rev();
        for at in at.filter(|at| is_meant(stages[*at])) {
            match (journal.done.get(at), &journal.search, &journal.chosen) {
                (Some(done), ..) => return Some(&done.x),
                (None, Some(_), Some((_, chosen))) => return Some(chosen),
                (None, Some(search), None) => return Some(search.best().0),
                (None, None, _) => {}
            }
        }
        None
    }

    /// The model after a stage, or the best so far while it is under way. None if the stage has not begun.
    pub fn after(&self, stage: FitStage) -> Result<Option<Predictor>, ExperimentError> {
        let Some(x) = self.unknowns_after(stage) else { return Ok(None) };
        let setup = &self.setup;
        let plan = match stage {
            FitStage::Networks => setup.plan.clone(),
            FitStage::Lesson(_) | FitStage::Derivatives | FitStage::Parameters => {
                setup.without_networks()?
            }
        };
        let mut unknowns = setup.unknowns()?;
        unknowns.weights = plan.n_weights();
        if x.len() < unknowns.n_global() {
            let why =
                format!("it has {} unknowns, but {} are needed", x.len(), unknowns.n_global());
            return Err(ExperimentError::wrong("the fit", why));
        }
        let values = unknowns.values(x);
        let (params, period) = values.split_at(unknowns.params.len());
        let mut model = setup.model.clone();
        (unknowns.selection.apply(&mut model, params))
            .map_err(|error| ExperimentError::Model(error.to_string()))?;
        let dt = setup.options.dt * period.first().copied().unwrap_or(1.0);
        let period = dt * setup.experiment.simulation.substeps as f64;
        let weights = x[unknowns.weights_range()].to_vec();
        Ok(Some(Predictor { model, plan, weights, period }))
    }
}

#[cfg(test)]
mod tests {
    use gradbody_optimise::Convergence;

    use super::*;

    #[test]
    fn a_stage_that_is_stuck_or_kept_nothing_says_so() {
        let stuck = Stop::Stuck(Trouble::NoDescent);
        let exact = ContactSlope::Implicit;
        let said = |stop, stage, stayed| remarks(stop, stage, exact, stayed).join(" ");
        assert!(said(stuck, FitStage::Parameters, false).contains("did not converge"));
        assert!(said(stuck, FitStage::Derivatives, false).contains("went on with secants"));
        // Nobody is told to try what was tried.
        let secant = remarks(stuck, FitStage::Parameters, ContactSlope::Secant(0.2), false);
        assert!(!secant.join(" ").contains("try secants"));
        let converged = Stop::Converged(Convergence::Cost);
        assert!(said(converged, FitStage::Networks, true).contains("then not kept"));
        // Parameters that were right from the beginning are no trouble.
        assert_eq!(said(converged, FitStage::Parameters, true), "");
        assert_eq!(said(converged, FitStage::Networks, false), "");
    }
}

//! Gathers the results of a fit for a report.

use std::sync::Arc;

use gradbody_augment::sites;
use gradbody_draw::{Scene, poses};
use gradbody_sim::State;

use crate::errors::ErrorRow;
use crate::experiment::{DataPart, ExperimentError, Setup, Starts};
use crate::figures::figures;
use crate::judge::{Predicted, PredictedStates, Predictor, Trials};
use crate::known::{INTERRUPTED, Known, if_determined};
use crate::leave_out::{LeftOut, leave_out};
use crate::objective::Fit;
use crate::outcome::{
    FitOutcome, FittedParameter, Motion, MotionChannel, PoseError, Profile, StageEnd,
};
use crate::residuals::{against_noise, residuals};
use crate::responses::drawn_responses;
use crate::run::{Done, FitStage, Run, StageFit};
use crate::without_jumps::deviations_without_jumps;
use gradbody_optimise::Objective;

/// Motions shown for each part.
const SHOWN: usize = 4;

impl Run {
    /// The results so far.
    pub fn outcome(&self) -> Result<FitOutcome, ExperimentError> {
        let setup = &self.setup;
        let before = self.before()?;
        let without = self.after(FitStage::Parameters)?;
        let networks = self.after(FitStage::Networks)?;
        let after = networks.as_ref().or(without.as_ref()).unwrap_or(&before);
        let journal = &self.journal;
        let gradients: u64 = journal.done.iter().map(|d| d.window_gradients).sum();
        let mut outcome = FitOutcome {
            name: setup.experiment.name.clone(),
            model: setup.model.topology.name.clone(),
            ended: match (&journal.search, journal.done.last()) {
                (None, Some(done)) => done.ended.clone(),
                _ => "interrupted (continue with --resume)".into(),
            },
            seconds: journal.seconds,
            iterations: journal.points.last().map_or(0, |point| point.iteration),
            gradients_per_second: gradients as f64 / journal.seconds.max(1e-9),
            progress: journal.points.clone(),
            scene: Scene::of(&after.model),
            ..FitOutcome::default()
        };
        outcome.stages = self.stage_ends();
        // While a stage is under way, the current model is not that of the last finished stage.
        if let Some((last, done)) = self.last_fit()?.filter(|_| self.journal.search.is_none()) {
            let left = residuals(setup, &last.fit, &done.x);
            (outcome.residuals, outcome.calibration) = (left.rows, left.calibration);
            outcome.noise = against_noise(&last.fit, &done.x);
        }
        outcome.notes = setup.notes();
        if setup.experiment.change.starts == Starts::Measured {
            let note =
                "windows begin at measured states: the noise of these states counts as error too";
            outcome.notes.push(note.into());
        }
        self.parameters(after, &mut outcome)?;
        let named = outcome.parameters.iter().filter(|p| p.tied_to.is_none()).count();
        let like = named + after.weights.len();
        let mut learned = Vec::new();
        for spec in &setup.experiment.prediction.baselines {
            match setup.train_baseline(spec, like) {
                Ok(trained) => learned.push((spec.kind.name(), trained)),
                Err(error) => outcome.notes.push(error.to_string()),
            }
        }
        for part in DataPart::ALL {
            let Some(trials) = setup.trials(part) else { continue };
            let mut judge = |by: &str, trained: usize, predictor: &Predictor| {
                let found = setup.predict_states(predictor, &trials)?;
                outcome.errors.push(setup.errors(by, trained, &trials, &found.0));
                Ok::<_, ExperimentError>(found)
            };
            let old = judge("before", 0, &before)?;
            if let (Some(without), Some(_)) = (&without, &networks) {
                judge("without networks", named, without)?;
            }
            let new = judge("after", like, after)?;
            for (name, trained) in &learned {
                let found = setup.predict_baseline(trained, &trials);
                outcome.errors.push(setup.errors(name, trained.n_weights(), &trials, &found));
            }
            outcome.motions.extend(self.motions(&trials, [&before, after], old, new)?);
        }
        let judged = DataPart::ALL.into_iter().rev().find_map(|part| setup.trials(part));
        if let Some(trials) = judged {
            outcome.foresight = setup.foresight("after", after, &trials)?;
        }
        if let Some(networks) = &networks {
            outcome.responses = drawn_responses(setup, networks);
        }
        Ok(outcome)
    }

    /// How each stage ended, including the one under way.
    fn stage_ends(&self) -> Vec<StageEnd> {
        let (stages, journal) = (self.stages(), &self.journal);
        let done = journal.done.iter().map(|d| (d.ended.clone(), d.remarks.clone(), d.iterations));
        let under_way =
            journal.search.iter().map(|s| ("interrupted".to_owned(), Vec::new(), s.iteration()));
        let end = |(stage, (ended, remarks, iterations)): (&FitStage, _)| StageEnd {
            name: stage.name().to_owned(),
            ended,
            remarks,
            iterations: iterations as usize,
        };
        stages.iter().zip(done.chain(under_way)).map(end).collect()
    }

    /// The last finished stage, or None.
    fn last_fit(&self) -> Result<Option<(Arc<StageFit>, &Done)>, ExperimentError> {
        let Some(done) = self.journal.done.last() else { return Ok(None) };
        let stage = self.stages()[self.journal.done.len() - 1];
        Ok(Some((self.stage_fit(stage)?, done)))
    }

    /// The parameters of a finished fit, with their uncertainties. Faster than the whole [`outcome`](Run::outcome).
    pub fn fitted_parameters(&self) -> Result<Vec<FittedParameter>, ExperimentError> {
        let after = match self.after(FitStage::Networks)? {
            Some(after) => Some(after),
            None => self.after(FitStage::Parameters)?,
        };
        let mut outcome = FitOutcome::default();
        self.parameters(&after.map_or_else(|| self.before(), Ok)?, &mut outcome)?;
        Ok(outcome.parameters)
    }

    /// Adds the parameters, their uncertainties, and the combinations that the data do not determine.
    fn parameters(
        &self,
        after: &Predictor,
        outcome: &mut FitOutcome,
    ) -> Result<(), ExperimentError> {
        let units = sites(&self.setup.model, &[]);
        let unit_of = |name: &str| {
            let found = units.iter().find(|site| site.name == name);
            found.map_or(String::new(), |site| site.unit.to_owned())
        };
        // A network may take over the effect of a parameter that is fitted with it. The data then no longer determine
        // the parameter.
        let beside =
            self.setup.experiment.training.parameters && self.done(FitStage::Networks).is_some();
        let alone = !self.stages().contains(&FitStage::Parameters);
        let stage = if beside || alone { FitStage::Networks } else { FitStage::Parameters };
        let built = self.stage_fit(stage)?;
        let fit = &built.fit;
        let done = self.done(stage).filter(|_| self.journal.search.is_none());
        if self.journal.search.is_some() {
            let note =
                "the fit was interrupted: residuals and uncertainties (±) are computed at its end";
            outcome.notes.push(note.into());
        }
        let mut sigmas = vec![None; fit.unknowns.named().count()];
        match done.filter(|_| !sigmas.is_empty()).map(|done| Known::of(fit, done)) {
            Some(Ok(known)) => {
                sigmas = known.sigmas();
                outcome.undetermined = known.undetermined();
                let rough = done.and_then(|done| deviations_without_jumps(fit, &done.x));
                let spread = match &rough {
                    Some(_) => None,
                    None => done.and_then(|done| leave_out(fit, &done.x)),
                };
                outcome.deviations_by = Some(match spread {
                    _ if rough.is_some() => {
                        let found = rough.into_iter().flatten();
                        sigmas.iter_mut().zip(found).for_each(|(sigma, found)| *sigma = found);
                        "slopes over both halves of each secant, multiplied: jumps of the errors add nothing".to_owned()
                    }
                    Some(LeftOut { sigmas: by_spread, groups, whole_recordings }) => {
                        for (sigma, by_spread) in sigmas.iter_mut().zip(by_spread) {
                            *sigma = sigma.and(by_spread);
                        }
                        match whole_recordings {
                            true => format!("each of the {groups} recordings was left out in turn"),
                            false => format!("each of {groups} parts of the recordings was left out in turn"),
                        }
                    }
                    None => "errors of single samples taken as independent, because there are less than 5 windows to \
                             leave out"
                        .to_owned(),
                });
            }
            Some(Err(why)) => {
                outcome.notes.push(format!("uncertainties (±) could not be computed: {why}"));
                outcome.no_deviations = Some(why.to_owned());
            }
            None if sigmas.is_empty() => {}
            None => outcome.no_deviations = Some(INTERRUPTED.to_owned()),
        }
        if let Some(done) = done {
            let scale = self.setup.experiment.prediction.profiles.clone();
            for name in scale {
                outcome.profiles.extend(self.profile(fit, &done.x, &name)?);
            }
        }
        let selection = &fit.unknowns.selection;
        let mut values = selection.values(&after.model);
        values.extend(fit.unknowns.period.as_ref().map(|_| after.period));
        for ((unknown, fitted), sigma) in fit.unknowns.named().zip(values).zip(sigmas) {
            let is_period = unknown.name == "period";
            let size = if is_period { self.setup.period } else { 1.0 };
            let near = 1e-9 * unknown.scale * size;
            let (lower, upper) = (unknown.bounds.0 * size + near, unknown.bounds.1 * size - near);
            outcome.parameters.push(FittedParameter {
                unit: if is_period { "s".into() } else { unit_of(&unknown.name) },
                name: unknown.name.clone(),
                initial: unknown.initial * size,
                fitted,
                sigma: sigma
                    .and_then(|s| if_determined(unknown, fitted / size, s))
                    .map(|s| s * size),
                at_bound: fitted <= lower || fitted >= upper,
                prior: unknown.prior,
                tied_to: None,
            });
        }
        for follower in selection.followers() {
            let leader = &outcome.parameters[follower.follows];
            let tied = FittedParameter {
                name: follower.name.clone(),
                initial: follower.factor * leader.initial,
                fitted: follower.factor * leader.fitted,
                tied_to: Some(leader.name.clone()),
                prior: None,
                ..leader.clone()
            };
            outcome.parameters.push(tied);
        }
        Ok(())
    }

    fn motions(
        &self,
        trials: &Trials,
        models: [&Predictor; 2],
        (before, states_before): Found,
        (after, states_after): Found,
    ) -> Result<Vec<Motion>, ExperimentError> {
        let setup = &self.setup;
        let n = trials.windows.len();
        let mut motions = Vec::new();
        for shown in 0..SHOWN.min(n) {
            let k = shown * n / SHOWN.min(n);
            let window = &trials.windows[k];
            let recording = &trials.recordings[window.recording];
            let horizon = trials.horizon(window);
            let columns = setup.columns.len();
            let from = window.first + trials.given;
            let channel = |c: usize| {
                let (name, unit, size) = &setup.columns[c];
                let sensor = sensor_of(setup, c);
                let predicted = |by: &Option<Vec<f64>>| {
                    let at = |row: usize| by.as_ref().map(|by| by[row * columns + c] / size);
                    (0..horizon).map(at).collect()
                };
                let measured = |row: usize| {
                    let (measured, present) = recording.sample(from + row, &setup.sensors);
                    (present[sensor] > 0.0).then(|| measured[c] / size)
                };
                MotionChannel {
                    name: name.clone(),
                    unit: (*unit).to_owned(),
                    measured: (0..horizon).map(measured).collect(),
                    before: predicted(&before[k]),
                    after: predicted(&after[k]),
                }
            };
            let pose_error = |row: &ErrorRow| {
                let of = |by: &Option<Vec<f64>>| {
                    let at = |k: usize| {
                        let (measured, present) = recording.sample(from + k, &setup.sensors);
                        row.error(&by.as_ref()?[k * columns..], measured, present)
                    };
                    (0..horizon).map(at).collect()
                };
                PoseError {
                    name: row.name.clone(),
                    unit: row.unit.to_owned(),
                    before: of(&before[k]),
                    after: of(&after[k]),
                }
            };
            motions.push(Motion {
                name: match trials.recordings.len() {
                    1 => format!(
                        "{} from {:.2} s",
                        recording.name,
                        window.first as f64 * setup.period
                    ),
                    _ if window.first == 0 => recording.name.clone(),
                    _ => format!(
                        "{} from {:.2} s",
                        recording.name,
                        window.first as f64 * setup.period
                    ),
                },
                part: trials.part.name().to_owned(),
                t: (0..horizon).map(|row| (row + 1) as f64 * setup.period).collect(),
                channels: (0..columns).map(channel).collect(),
                errors: setup
                    .error_rows()
                    .iter()
                    .filter(|row| row.joins())
                    .map(pose_error)
                    .collect(),
                figures: figures(
                    setup,
                    models[1],
                    trials,
                    k,
                    &states_after[k],
                    [(models[0], &states_before[k]), (models[1], &states_after[k])].map(drawn),
                )?,
            });
        }
        Ok(motions)
    }

    /// The lowest cost with a parameter held at values around the best. None if its standard deviation is not finite.
    fn profile(
        &self,
        fit: &Fit,
        x: &[f64],
        name: &str,
    ) -> Result<Option<Profile>, ExperimentError> {
        use gradbody_optimise::{LevenbergMarquardt, Limits, Method, Search};
        let Some(k) = fit.unknowns.named().position(|u| u.name == name) else {
            let hint = gradbody_math::names::did_you_mean(
                name,
                fit.unknowns.named().map(|u| u.name.as_str()),
            );
            let why = format!("\"{name}\" is no parameter that may change{hint}");
            return Err(ExperimentError::wrong("prediction.profiles", why));
        };
        let quadratic = fit.quadratic(x);
        let sigma = quadratic.and_then(|q| Some(q.hessian.global_covariance()?[(k, k)].sqrt()));
        let Some(sigma) = sigma.filter(|s| s.is_finite()) else { return Ok(None) };
        let total = |fit: &Fit, x: &[f64]| {
            fit.cost(x) + fit.penalties.iter().map(|penalty| penalty.value(x)).sum::<f64>()
        };
        let best = total(fit, x);
        let scale = fit.unknowns.named().nth(k).map_or(1.0, |u| u.scale);
        let mut profile = Profile { name: name.to_owned(), values: Vec::new(), rise: Vec::new() };
        for step in -4_i32..=4 {
            let value = x[k] + f64::from(step) * sigma;
            let mut held = fit.clone();
            let (lower, upper) = fit.unknowns.named().nth(k).map_or((value, value), |u| u.bounds);
            if value * scale < lower || value * scale > upper {
                continue;
            }
            let mut unknowns = held.unknowns.params.iter_mut().chain(&mut held.unknowns.period);
            if let Some(unknown) = unknowns.nth(k) {
                unknown.bounds = (value * scale, value * scale);
            }
            held.set_bounds();
            let mut start = x.to_vec();
            start[k] = value;
            let method = Method::LevenbergMarquardt(LevenbergMarquardt::default());
            let cost = match Search::begin(&method, &held, start, 0) {
                Ok(mut search) => {
                    let go = &mut |_: &Search| std::ops::ControlFlow::Continue(());
                    search.run(&held, &Limits::iterations(20), go);
                    search.best().1
                }
                Err(_) => continue,
            };
            profile.values.push(value * scale);
            profile.rise.push(cost - best);
        }
        Ok(Some(profile))
    }
}

type Found = (Predicted, PredictedStates);

/// The poses of all bodies at predicted samples.
fn drawn((by, states): (&Predictor, &Vec<State<f64>>)) -> Vec<f32> {
    poses(&by.model, states.iter().map(|state| state.q.as_slice()))
}

/// The sensor that a column belongs to.
fn sensor_of(setup: &Setup, column: usize) -> usize {
    let mut end = 0;
    let ends = setup.sensors.iter().map(|s| {
        end += s.columns();
        end
    });
    ends.take_while(|end| *end <= column).count()
}

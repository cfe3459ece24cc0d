//! Gathers the results of a fit for a report.

use std::sync::Arc;

use gradbody_augment::sites;
use gradbody_model::Model;
use nalgebra::{DMatrix, DVectorView, Dyn, SymmetricEigen};

use crate::errors::{ErrorRow, MeanSquare};
use crate::experiment::{DataPart, ExperimentError, Setup, Starts};
use crate::figures::figures;
use crate::judge::{Predicted, Predictor, Trials};
use crate::leave_out::{LeftOut, leave_out};
use crate::objective::Fit;
use crate::outcome::{
    AgainstNoise, FitOutcome, FittedParameter, Motion, MotionChannel, PoseError, Posture, Profile,
    Residual, StageEnd, Undetermined,
};
use crate::responses::drawn_responses;
use crate::run::{Done, FitStage, Run, StageFit};
use gradbody_optimise::{Arrow, Objective};

/// Motions shown for each part.
const SHOWN: usize = 4;

/// A combination of parameters is not determined if one standard deviation is more than this, relative to their size.
const UNTOLD: f64 = 0.5;

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
            ..FitOutcome::default()
        };
        outcome.stages = self.stage_ends();
        // While a stage is under way, the current model is not that of the last finished stage.
        if let Some((last, done)) = self.last_fit()?.filter(|_| self.journal.search.is_none()) {
            outcome.residuals = self.residuals(&last.fit, done);
            outcome.noise = self.against_noise(&last.fit, done);
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
                let found = setup.predict_figures(predictor, &trials)?;
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
            outcome.motions.extend(self.motions(&trials, &after.model, old, new)?);
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

    /// How the residuals compare with the noise, or None if there are no more measured numbers than unknowns.
    fn against_noise(&self, fit: &Fit, done: &Done) -> Option<AgainstNoise> {
        let free = fit.n_terms().checked_sub(fit.n_free(&done.x)).filter(|free| *free > 0)? as f64;
        Some(AgainstNoise {
            times: (2.0 * fit.misfit(&done.x) / free).sqrt(),
            cost: 0.5 * free,
            estimated: self.setup.sensors.iter().any(|sensor| sensor.estimated),
        })
    }

    /// The residuals over the fitted windows.
    fn residuals(&self, fit: &Fit, done: &Done) -> Vec<Residual> {
        let rows = self.setup.error_rows();
        let predicted = fit.predictions(&fit.candidate(&done.x));
        let mut squares = vec![MeanSquare::default(); rows.len()];
        for (window, predicted) in fit.windows.iter().zip(&predicted) {
            let Some(predicted) = predicted else { continue };
            for (k, predicted) in predicted.chunks(self.setup.columns.len()).enumerate() {
                let at = window.first + k + 1;
                let (measured, present) = fit.recordings[window.recording].sample(at, &fit.sensors);
                for (row, squares) in rows.iter().zip(&mut squares) {
                    if let Some(error) = row.error(predicted, measured, present) {
                        squares.add(error);
                    }
                }
            }
        }
        let residual = |(row, squares): (ErrorRow, MeanSquare)| Residual {
            rms: squares.root(),
            unit: row.unit.to_owned(),
            noise: row.noise / row.size,
            name: row.name,
        };
        // A channel without measurements has no residual.
        rows.into_iter().zip(squares).filter(|(_, s)| s.count > 0).map(residual).collect()
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
        let stage = if beside { FitStage::Networks } else { FitStage::Parameters };
        let built = self.stage_fit(stage)?;
        let fit = &built.fit;
        let done = self.done(stage).filter(|_| self.journal.search.is_none());
        if self.journal.search.is_some() {
            let note =
                "the fit was interrupted: residuals and uncertainties (±) are computed at its end";
            outcome.notes.push(note.into());
        }
        let mut sigmas = vec![None; fit.unknowns.named().count()];
        let known = done.map(|done| Known::of(fit, done));
        match known.filter(|_| !sigmas.is_empty()) {
            Some(Ok(known)) => {
                sigmas = known.sigmas();
                outcome.undetermined = known.undetermined();
                let spread = done.and_then(|done| leave_out(fit, &done.x));
                outcome.deviations_by = Some(match spread {
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
                sigma: sigma.map(|sigma| sigma * size),
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
        fitted: &Model<f64>,
        (before, figures_before): Found,
        (after, figures_after): Found,
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
                    fitted,
                    trials,
                    k,
                    figures_before[k].clone(),
                    figures_after[k].clone(),
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

type Found = (Predicted, Vec<Vec<Posture>>);

/// The sensor that a column belongs to.
fn sensor_of(setup: &Setup, column: usize) -> usize {
    let mut end = 0;
    let ends = setup.sensors.iter().map(|s| {
        end += s.columns();
        end
    });
    ends.take_while(|end| *end <= column).count()
}

/// The information of data and priors about the named unknowns, relative to their sizes. Everything else is free.
struct Known<'a> {
    names: Vec<&'a str>,
    /// Value of each unknown divided by its number in the vector.
    scales: Vec<f64>,
    sizes: Vec<f64>,
    eigen: SymmetricEigen<f64, Dyn>,
}

/// Why there are no uncertainties.
const INTERRUPTED: &str = "the fit is not finished";
const NO_DERIVATIVES: &str = "the motion, or its derivatives, are not finite in some window";
const TOO_FEW: &str = "there are no more measured numbers than unknowns";

impl<'a> Known<'a> {
    /// What the data say about the unknowns of a finished stage, or why that cannot be computed.
    fn of(fit: &'a Fit, done: &Done) -> Result<Self, &'static str> {
        let free = fit.n_terms().checked_sub(fit.n_free(&done.x)).filter(|free| *free > 0);
        let free = free.ok_or(TOO_FEW)?;
        let hessian = fit.quadratic(&done.x).ok_or(NO_DERIVATIVES)?.hessian;
        // Errors may exceed the given noise, so uncertainties are scaled by the errors that were found. A sample in
        // several overlapping windows carries no more information than in one.
        let misfit = fit.misfit(&done.x) * fit.overlap();
        let excess = (2.0 * misfit / free as f64).sqrt().max(1e-12);
        Known::new(&hessian, fit, &done.x, excess).ok_or(NO_DERIVATIVES)
    }

    /// None if the information is not finite. `excess` is the ratio of errors to noise.
    fn new(hessian: &Arrow, fit: &'a Fit, x: &[f64], excess: f64) -> Option<Self> {
        let n = fit.unknowns.named().count();
        let information =
            hessian.global_information().filter(|m| m.iter().all(|x| x.is_finite()))?;
        let mut information = without_weights(information, n);
        // The information of priors does not depend on how well the model fits.
        let priors: Vec<f64> = fit
            .unknowns
            .named()
            .map(|u| u.prior.map_or(0.0, |p| (u.scale / p.sigma).powi(2)))
            .collect();
        for (k, prior) in priors.iter().enumerate() {
            information[(k, k)] -= prior;
        }
        information /= excess * excess;
        for (k, prior) in priors.iter().enumerate() {
            information[(k, k)] += prior;
        }
        let sizes: Vec<f64> = x[..n].iter().map(|x| x.abs().max(1.0)).collect();
        let scaled = DMatrix::from_fn(n, n, |i, k| information[(i, k)] * sizes[i] * sizes[k]);
        Some(Known {
            names: fit.unknowns.named().map(|u| u.name.as_str()).collect(),
            scales: fit.unknowns.named().map(|u| u.scale).collect(),
            sizes,
            eigen: SymmetricEigen::new(scaled),
        })
    }

    /// Standard deviations, None for parameters that the data do not determine.
    fn sigmas(&self) -> Vec<Option<f64>> {
        let sigma = |k: usize| {
            let mut variance = 0.0;
            for (value, direction) in self.directions() {
                let share = direction[k] * direction[k];
                if value <= f64::MIN_POSITIVE || 1.0 / value > UNKNOWN {
                    // A direction that is not determined at all only affects the parameters in it.
                    if share > 1e-6 {
                        return None;
                    }
                    continue;
                }
                variance += share / value;
            }
            Some(variance.sqrt() * self.sizes[k] * self.scales[k])
        };
        (0..self.names.len()).map(sigma).collect()
    }

    fn directions(&self) -> impl Iterator<Item = (f64, DVectorView<'_, f64>)> {
        let values = self.eigen.eigenvalues.iter().copied();
        values.zip(self.eigen.eigenvectors.column_iter())
    }

    /// Combinations that the data do not determine.
    fn undetermined(&self) -> Vec<Undetermined> {
        let mut found = Vec::new();
        for (value, direction) in self.directions() {
            let reach = 1.0 / value.max(1e-300).sqrt();
            if reach < UNTOLD {
                continue;
            }
            let shares = self.names.iter().zip(direction.iter());
            let mut parameters: Vec<(String, f64)> =
                shares.map(|(name, share)| ((*name).to_owned(), *share)).collect();
            parameters.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
            parameters.retain(|(_, share)| share.abs() > 0.1);
            found.push(Undetermined { reach, parameters });
        }
        found.sort_by(|a, b| b.reach.total_cmp(&a.reach));
        found
    }
}

/// The information about the first `n` numbers when the others, weights of networks, are free: a Schur complement.
///
/// All numbers are scaled by their own information. Combinations of weights that nothing depends on are left out, and
/// information that is no more than rounding becomes zero.
fn without_weights(information: DMatrix<f64>, n: usize) -> DMatrix<f64> {
    let named = information.view((0, 0), (n, n)).into_owned();
    let w = information.nrows() - n;
    if w == 0 || n == 0 {
        return named;
    }
    let size = |i: usize| information[(i, i)].max(f64::MIN_POSITIVE).sqrt();
    let relative = DMatrix::from_fn(n + w, n + w, |i, k| information[(i, k)] / size(i) / size(k));
    let weights = SymmetricEigen::new(relative.view((n, n), (w, w)).into_owned());
    let with = weights.eigenvectors.tr_mul(&relative.view((n, 0), (w, n)));
    let mut left = relative.view((0, 0), (n, n)).into_owned();
    for (value, row) in weights.eigenvalues.iter().zip(with.row_iter()) {
        if *value > DEPENDENT * weights.eigenvalues.max() {
            left -= row.transpose() * row / *value;
        }
    }
    let mut left = SymmetricEigen::new(left);
    left.eigenvalues.iter_mut().filter(|value| **value < ROUNDING).for_each(|value| *value = 0.0);
    let left = left.recompose();
    DMatrix::from_fn(n, n, |i, k| left[(i, k)] * size(i) * size(k))
}

/// Eigenvalues of the weights' information below this share of the largest count as zero.
const DEPENDENT: f64 = 1e-12;
/// Rounding error of a difference of numbers near 1.
const ROUNDING: f64 = 1e-9;

/// Above this variance, relative to its squared size, nothing is known about a parameter.
const UNKNOWN: f64 = 1e8;

#[cfg(test)]
mod tests {
    use gradbody_augment::{Blueprint, bind};
    use gradbody_math::{Inertia, Sym3, Vec3};
    use gradbody_model::{FrameId, JointSpec, ModelBuilder, Selection};
    use gradbody_sim::{State, StepOptions};

    use super::*;
    use crate::objective::{FitParts, NoiseLaw, Recording, Sees, Sensor, Unknowns, cut};

    /// The inverse of the result is a block of the whole inverse: the variance when weights are free.
    #[test]
    fn weights_that_are_free_take_knowledge_from_parameters() {
        let a = DMatrix::from_fn(7, 5, |i, k| ((3 * i + 5 * k) % 7) as f64 - 2.0 + 0.1 * i as f64);
        let information = a.tr_mul(&a);
        let whole = information.clone().try_inverse().unwrap();
        let left = without_weights(information, 2).try_inverse().unwrap();
        for (i, k) in [(0, 0), (0, 1), (1, 1)] {
            assert!((left[(i, k)] / whole[(i, k)] - 1.0).abs() < 1e-6, "{left} {whole}");
        }
    }

    /// Two pendulums, of which a sensor sees one. The start of the other is seen by no sensor.
    fn half_seen() -> Fit {
        let rod = Inertia {
            mass: 1.0,
            com: Vec3::new(0.0, 0.0, -0.5),
            rotational: Sym3::diagonal(Vec3::new(0.08, 0.08, 0.002)),
        };
        let mut b = ModelBuilder::new("two pendulums");
        for name in ["seen", "hidden"] {
            let mut joint = JointSpec::revolute(name, Vec3::Y);
            joint.params.damping = 0.05;
            b.link(format!("{name} rod"), FrameId::WORLD, joint, rod).unwrap();
        }
        let model = b.build().unwrap();
        let samples = 40;
        let measured = (0..samples).map(|k| 0.5 * (0.08 * f64::from(k)).cos()).collect();
        let samples = samples as usize;
        let recordings = vec![Recording {
            name: "swing".into(),
            begin: 0.0,
            measured,
            present: vec![1.0; samples],
            inputs: Vec::new(),
            samples,
        }];
        let selection = Selection::of(&model, ["joint/*/damping", "link/seen rod/com/z"]).unwrap();
        let mut unknowns = Unknowns::of(&model, selection);
        unknowns.start = 2 * model.nv();
        let mut start = State::neutral(&model);
        start.q.copy_from_slice(&[0.5, 0.3]);
        let mut options = StepOptions::new(0.02);
        options.contact.solver = gradbody_contact::Solver::Off;
        Fit::new(FitParts {
            plan: Arc::new(bind(&Blueprint::default(), &model, &options.contact).unwrap()),
            weights: Vec::new(),
            unknowns,
            sensors: vec![Sensor {
                name: "seen".into(),
                sees: Sees::Position(0, 0),
                noise: 0.01,
                estimated: false,
                law: NoiseLaw::Gaussian,
            }],
            windows: cut(&recordings, samples - 1, samples - 1, 3),
            recordings,
            starts: vec![start],
            options,
            substeps: 1,
            model,
        })
    }

    #[test]
    fn a_start_that_no_sensor_sees_leaves_the_uncertainties_of_parameters() {
        let fit = half_seen();
        let done = Done {
            ended: String::new(),
            remarks: Vec::new(),
            x: fit.initial(),
            cost: 0.0,
            before: None,
            iterations: 0,
            window_gradients: 0,
        };
        let known = Known::of(&fit, &done).unwrap();
        let sigmas: Vec<_> = known.names.iter().copied().zip(known.sigmas()).collect();
        assert_eq!(sigmas.len(), 3, "{sigmas:?}");
        for (name, sigma) in &sigmas {
            // Only a parameter of the pendulum that nothing sees is not determined.
            assert_eq!(sigma.is_none(), *name == "joint/hidden/damping", "{sigmas:?}");
        }
        let undetermined = known.undetermined();
        assert_eq!(undetermined[0].parameters[0].0, "joint/hidden/damping", "{undetermined:?}");
    }

    /// In any units, and however well the data determine another weight.
    #[test]
    fn a_parameter_that_a_weight_stands_for_is_not_known() {
        for size in [1.0, 1e12] {
            let rows = [4.0, 6.0, 0.0, 6.0, 9.0, 0.0, 0.0, 0.0, 1e6];
            let information = size * DMatrix::from_row_slice(3, 3, &rows);
            assert_eq!(without_weights(information, 1)[(0, 0)], 0.0);
        }
    }
}

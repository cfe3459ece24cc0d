//! Tries networks at one candidate site.

use std::ops::ControlFlow;

use gradbody_augment::{Augmentation, Mode, NetworkShape, Reading, ReadingOptions};
use gradbody_neural::Initial;

use super::law::Law;
use super::{CandidateSite, DiscoverOptions, WORTH, drag, score};
use crate::experiment::{ExperimentError, Training};
use crate::judge::{Predictor, Trials};
use crate::objective::Fit;
use crate::responses::{reach, responses};
use crate::run::{FitStage, Run, StageFit};
use gradbody_optimise::{
    LevenbergMarquardt, Limits, Method, Objective, Penalty, Quadratic, Search, Stop,
};

/// What every site is compared with: the model with its parameters fitted.
pub(super) struct Ground<'a> {
    /// The finished fit of the parameters.
    pub(super) run: Run,
    /// The fitted model.
    pub(super) before: Predictor,
    /// The windows to predict.
    pub(super) trials: Trials,
    /// Its error on them.
    pub(super) score: f64,
    /// The windows of the test part, if there is one, and the error on them.
    pub(super) test: Option<(Trials, f64)>,
    /// What to try.
    pub(super) options: &'a DiscoverOptions,
}

/// A network that was trained.
struct Trained {
    /// Its inputs.
    inputs: Vec<String>,
    /// The share of the gain that each had to earn. None for the network on all inputs.
    share: Option<f64>,
    run: Run,
    by: Predictor,
    score: f64,
}

/// The result of a site.
pub(super) enum Tried {
    /// The chosen network, and a warning.
    Found(Box<CandidateSite>, Option<String>),
    /// Every network makes the motion diverge.
    Diverged,
    /// The watcher broke off.
    Interrupted,
}

/// Called now and then; `Break` interrupts.
type GoOn<'a> = &'a mut dyn FnMut() -> ControlFlow<()>;

impl Ground<'_> {
    /// Trains networks at a site, on all inputs and on those that pay for themselves, and chooses one.
    pub(super) fn try_site(
        &self,
        site: &str,
        inputs: &[String],
        go_on: GoOn<'_>,
    ) -> Result<Tried, ExperimentError> {
        let scale = match drag::brakes(site) {
            true => self.usual_damping(site)?,
            false => self.usual_correction(site, inputs)?,
        };
        let Some(all) = self.train(site, inputs.to_vec(), None, scale, go_on)? else {
            return Ok(Tried::Interrupted);
        };
        let score_all = all.score;
        let mut found = vec![all];
        if drag::brakes(site) {
            // Viscous drag, the simplest law, has a damping without inputs.
            match self.train(site, Vec::new(), None, scale, go_on)? {
                Some(trained) => found.push(trained),
                None => return Ok(Tried::Interrupted),
            }
        }
        for share in &self.options.shares {
            let Some(kept) = self.survivors(site, &found[0], *share, go_on)? else {
                return Ok(Tried::Interrupted);
            };
            if found.iter().any(|trained| trained.inputs == kept) {
                continue;
            }
            match self.train(site, kept, Some(*share), scale, go_on)? {
                Some(trained) => found.push(trained),
                None => return Ok(Tried::Interrupted),
            }
        }
        // The fewest inputs that gain about as much as the best.
        let best = found.iter().map(|t| t.score).fold(f64::INFINITY, f64::min);
        if !best.is_finite() {
            return Ok(Tried::Diverged);
        }
        let enough = best + 0.01 * WORTH * best.max(self.score - best);
        found.sort_by_key(|trained| trained.inputs.len());
        match found.into_iter().find(|trained| trained.score <= enough) {
            Some(chosen) => self.candidate(site, inputs, score_all, chosen),
            None => Ok(Tried::Diverged),
        }
    }

    /// The size of a correction that changes the errors by about their own size.
    fn usual_correction(&self, site: &str, inputs: &[String]) -> Result<f64, ExperimentError> {
        let run = self.with(network(&self.run, site, inputs, Vec::new(), 1.0))?;
        let built = run.stage_fit(FitStage::Networks)?;
        let StageFit { fit, start: x } = &*built;
        let weights = fit.unknowns.weights_range();
        let of = |q: Quadratic| {
            q.hessian.global.diagonal().as_slice()[weights].iter().copied().fold(0.0, f64::max)
        };
        let curvature = fit.quadratic(x).map_or(1.0, of);
        Ok((2.0 * fit.cost(x) / curvature.max(1e-300)).sqrt().clamp(1e-12, 1e12))
    }

    /// The output scale with which a dissipative network begins as the best constant damping.
    fn usual_damping(&self, site: &str) -> Result<f64, ExperimentError> {
        let run = self.with(network(&self.run, site, &[], Vec::new(), 1.0))?;
        let built = run.stage_fit(FitStage::Networks)?;
        let StageFit { fit, start } = &*built;
        let mut x = start.clone();
        let weights = fit.unknowns.weights_range();
        x[weights.clone()].fill(0.0);
        Ok(drag::best_scale(|bias| {
            x[weights.end - 1] = bias;
            fit.cost(&x)
        }))
    }

    /// The finished fit of the parameters, followed by the training of this network.
    fn with(&self, augmentation: Augmentation) -> Result<Run, ExperimentError> {
        let mut setup = self.run.setup.with_networks(vec![augmentation])?;
        setup.experiment.training = Training {
            optimiser: Method::LevenbergMarquardt(LevenbergMarquardt::default()),
            limits: Limits::iterations(self.options.iterations),
            ..Training::default()
        };
        let objective = &mut setup.experiment.objective;
        (objective.weight_decay, objective.lasso, objective.group_lasso) = (0.0, 0.0, 0.0);
        let mut run = Run::at(setup, self.run.journal.clone());
        if !run.stages().contains(&FitStage::Parameters) {
            run.journal.done.clear();
        }
        Ok(run)
    }

    /// Trains a network on some inputs. None if interrupted.
    fn train(
        &self,
        site: &str,
        inputs: Vec<String>,
        share: Option<f64>,
        scale: f64,
        go_on: GoOn<'_>,
    ) -> Result<Option<Trained>, ExperimentError> {
        let hidden = vec![self.options.hidden];
        let mut run = self.with(network(&self.run, site, &inputs, hidden, scale))?;
        if !run.go(&mut |_| go_on())? {
            return Ok(None);
        }
        let Some(by) = run.after(FitStage::Networks)? else { return Ok(None) };
        let score = score(&run.setup, &by, &self.trials)?;
        Ok(Some(Trained { inputs, share, run, by, score }))
    }

    /// The inputs that are kept if each must earn a share of the network's gain. None if interrupted.
    ///
    /// The first-layer weights of an input are a group. At their trained length its penalty is the share of the gain.
    /// Weight decay costs as much for all weights together, so that later layers cannot make up for a smaller first
    /// one.
    fn survivors(
        &self,
        site: &str,
        trained: &Trained,
        share: f64,
        go_on: GoOn<'_>,
    ) -> Result<Option<Vec<String>>, ExperimentError> {
        let run = &trained.run;
        let StageFit { mut fit, start: before } = (*run.stage_fit(FitStage::Networks)?).clone();
        let Some(done) = run.journal.done.last() else { return Ok(None) };
        let gain = fit.cost(&without_network(site, &fit, before)) - done.cost;
        let groups = run.setup.first_layers(&fit.unknowns);
        let length = |indices: &mut dyn Iterator<Item = usize>, x: &[f64]| {
            indices.map(|i| x[i] * x[i]).sum::<f64>().sqrt()
        };
        let price = share * gain;
        if price.is_nan() || price <= 0.0 {
            return Ok(Some(Vec::new()));
        }
        fit.weight_decay = 2.0 * price / length(&mut fit.unknowns.weights_range(), &done.x).powi(2);
        let penalty = |group: &Vec<usize>| {
            let was = length(&mut group.iter().copied(), &done.x);
            Penalty::group_lasso(price / was.max(1e-9), vec![group.clone()])
        };
        fit.penalties = groups.iter().map(penalty).collect();
        let method = &run.setup.experiment.training.optimiser;
        let mut search = Search::begin(method, &fit, done.x.clone(), run.setup.experiment.seed)?;
        let stop = search.run(&fit, &run.setup.experiment.training.limits, &mut |_| go_on());
        if stop == Stop::Interrupted {
            return Ok(None);
        }
        let x = search.best().0;
        let left = |group: &Vec<usize>| length(&mut group.iter().copied(), x) > 0.0;
        let pairs = trained.inputs.iter().zip(&groups);
        Ok(Some(pairs.filter(|(_, group)| left(group)).map(|(name, _)| name.clone()).collect()))
    }

    fn candidate(
        &self,
        site: &str,
        inputs: &[String],
        score_all: f64,
        chosen: Trained,
    ) -> Result<Tried, ExperimentError> {
        let setup = &chosen.run.setup;
        let mut constant = None;
        let mut kept = chosen.inputs;
        let mut inputs = inputs.to_vec();
        let mut responses = match drag::brakes(site) {
            true => {
                // The force grows with the speed, even if the damping does not depend on it.
                let speed = drag::speed_of(site);
                for list in [&mut kept, &mut inputs] {
                    if !list.contains(&speed) {
                        list.insert(0, speed.clone());
                    }
                }
                drag::responses(setup, &chosen.by, site, &kept)
            }
            false => responses(setup, &chosen.by),
        };
        if kept.is_empty() {
            // Its only input is the time, scaled to zero.
            constant = responses.first().and_then(|r| r.y.first().copied());
            responses.clear();
        }
        let unknowns = setup.unknowns()?;
        let selection = &unknowns.selection;
        let values = selection.values(&self.before.model).into_iter();
        let parameters = (unknowns.params.iter().zip(values))
            .zip(selection.values(&chosen.by.model))
            .map(|((unknown, without), with)| (unknown.name.clone(), without, with))
            .collect();
        let swing = |input: &String| {
            let of = responses.iter().find(|r| r.input == *input);
            let ends = (f64::INFINITY, f64::NEG_INFINITY);
            let wider = |(low, high): (f64, f64), y: &f64| (low.min(*y), high.max(*y));
            of.map_or(0.0, |r| {
                let (low, high) = r.y.iter().fold(ends, wider);
                high - low
            })
        };
        let law = match &responses[..] {
            [only] => Law::of(only),
            _ => None,
        };
        let gain = |before: f64, after: f64| 100.0 * (1.0 - after / before.max(1e-300));
        let mut note = None;
        let mut test_gain = None;
        if let Some((test, before)) = &self.test {
            let after = score(setup, &chosen.by, test)?;
            if !(before.is_finite() && after.is_finite()) {
                note = Some(format!(
                    "on the test data the motion diverges, without a network at {site} or with it"
                ));
            }
            test_gain = before.is_finite().then(|| gain(*before, after).max(-100.0));
        }
        let candidate = CandidateSite {
            site: site.to_owned(),
            inputs: inputs.into_iter().map(|i| (i.clone(), swing(&i))).collect(),
            score_all: Some(score_all).filter(|score| score.is_finite()),
            score: chosen.score,
            gain: gain(self.score, chosen.score),
            test_gain,
            law,
            constant,
            parameters,
            share: chosen.share,
            kept,
            responses,
        };
        Ok(Tried::Found(Box::new(candidate), note))
    }
}

/// A network that corrects a site. Without inputs it is a constant.
fn network(
    run: &Run,
    site: &str,
    inputs: &[String],
    hidden: Vec<usize>,
    scale: f64,
) -> Augmentation {
    // Each input is divided by its largest absolute value in the data.
    let reading = |input: &String, further: f64| {
        Reading::With(ReadingOptions {
            site: input.clone(),
            previous: false,
            history: 0,
            mean: 0.0,
            scale: further * reach(&run.setup, input).unwrap_or(1.0),
        })
    };
    let mut augmentation = Augmentation::new("candidate", [site], []);
    augmentation.inputs = inputs.iter().map(|input| reading(input, 1.0)).collect();
    if inputs.is_empty() {
        // A network must have an input. The time, scaled to zero, leaves a constant.
        augmentation.inputs = vec![reading(&"time".to_owned(), 1e300)];
    }
    augmentation.mode = Mode::Add;
    augmentation.output_scale = scale;
    augmentation.network = NetworkShape { hidden, ..NetworkShape::default() };
    augmentation.initial = Initial { zero_last: true, ..Initial::default() };
    if drag::brakes(site) {
        drag::make_dissipative(&mut augmentation);
    }
    augmentation
}

/// The unknowns `x` with weights that make the network at a site do nothing.
fn without_network(site: &str, fit: &Fit, mut x: Vec<f64>) -> Vec<f64> {
    let weights = &mut x[fit.unknowns.weights_range()];
    match drag::brakes(site) {
        true => drag::silence(weights),
        false => weights.fill(0.0),
    }
    x
}

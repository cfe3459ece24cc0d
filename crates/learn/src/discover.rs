//! Which effect is missing in a model, as far as the data can tell.
//!
//! The parameters are fitted first. Then each candidate site gets a network of its own, a linear one to begin with, over
//! all candidate inputs, trained under a group lasso: inputs that do not pay for themselves are exactly zero. What is left
//! is trained again without penalty, as a small nonlinear network on the inputs that survived. Penalty and network are
//! chosen by the validation part, so the gain there is a little kind; where there is a test part, the gain on it is given too.

use std::ops::ControlFlow;

use gradbody_augment::{Augmentation, Mode, NetworkShape, Reading};
use gradbody_neural::Initial;
use serde::{Deserialize, Serialize};

use crate::experiment::{ExperimentError, Part, Setup};
use crate::judge::{Predictor, Trials};
use crate::objective::Fit;
use crate::optimise::{
    Adam, Decay, LevenbergMarquardt, Limits, Method, Objective, Penalty, Search,
};
use crate::run::{Run, Stage};

/// What is tried, and how hard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct DiscoverOptions {
    /// Sites that may lack something; left out, the passive force of every joint.
    pub sites: Vec<String>,
    /// What they may depend on; left out, every joint position and velocity, and the signals.
    pub inputs: Vec<String>,
    /// Penalties that are tried, relative to the least that allows nothing.
    pub penalties: Vec<f64>,
    /// Steps of training at each.
    pub steps: u64,
    /// Neurons of the network on the inputs that survive.
    pub hidden: usize,
    /// At most so many windows are trained on.
    pub windows: usize,
}

impl Default for DiscoverOptions {
    fn default() -> Self {
        DiscoverOptions {
            sites: Vec::new(),
            inputs: Vec::new(),
            penalties: vec![0.3, 0.1, 0.03],
            steps: 300,
            hidden: 6,
            windows: 60,
        }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Discovery {
    /// The experiment.
    pub name: String,
    /// Which part of the data it was judged by.
    pub part: String,
    /// The held-out error before, with the parameters fitted, in standard deviations of the noise.
    pub score: f64,
    /// What was tried, the greatest gain first.
    pub candidates: Vec<CandidateSite>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// A site that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateSite {
    /// The site.
    pub site: String,
    /// Each input with the length of its weights, in what the site changes by over the range of the data.
    pub inputs: Vec<(String, f64)>,
    /// The inputs that survived.
    pub kept: Vec<String>,
    /// The penalty, relative to the least that allows nothing, that they survived.
    pub penalty: f64,
    /// The held-out error with a linear correction on all inputs under that penalty.
    pub score_linear: f64,
    /// The held-out error with the better of that and a network on the inputs that survived.
    pub score: f64,
    /// By how much the held-out error falls, in percent; negative if it grows.
    pub gain: f64,
    /// The same on the test part, which chose nothing; none if there is none.
    pub test_gain: Option<f64>,
}

/// What a watcher is told: what is under way, of how many.
pub type Tell<'a> = &'a mut dyn FnMut(&str, usize, usize) -> ControlFlow<()>;

/// Less than this many percent is no gain.
const WORTH: f64 = 2.0;

/// Tries candidate sites of an experiment.
pub fn discover(
    setup: &Setup,
    text: &str,
    options: &DiscoverOptions,
    tell: Tell<'_>,
) -> Result<Option<Discovery>, ExperimentError> {
    let mut plain = setup.clone();
    plain.experiment.augmentation.clear();
    plain.plan = plain.without_networks()?;
    let (sites, inputs) = candidates(&plain, options);
    let total = sites.len() + 1;
    if tell("fitting the parameters", 0, total).is_break() {
        return Ok(None);
    }
    let mut run = Run::new(plain.clone(), text);
    let mut stopped = false;
    run.go(&mut |_| {
        let go = tell("fitting the parameters", 0, total);
        stopped |= go.is_break();
        go
    })?;
    if stopped {
        return Ok(None);
    }
    let Some(before) = run.after(Stage::Parameters)? else { return Ok(None) };
    let mut notes = Vec::new();
    let part = [Part::Validation, Part::Train].into_iter().find(|p| plain.trials(*p).is_some());
    let Some(trials) = part.and_then(|part| plain.trials(part)) else {
        return Err(ExperimentError::wrong(
            "prediction",
            "no recording is long enough to be predicted",
        ));
    };
    if trials.part == Part::Train {
        notes.push(
            "there is no validation part: gains are on the data that were trained on".to_owned(),
        );
    }
    let score = score(&plain, &before, &trials)?;
    if !score.is_finite() {
        let why = "the fitted model itself diverges on the data it is judged by; mend that first";
        return Err(ExperimentError::wrong("discover", why));
    }
    let mut found = Vec::new();
    for (k, site) in sites.iter().enumerate() {
        if tell(site, k + 1, total).is_break() {
            notes.push(format!("interrupted after {k} of {} sites", sites.len()));
            break;
        }
        found.push(try_site(&plain, &run, &before, &trials, (site, &inputs), score, options)?);
    }
    found.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    Ok(Some(Discovery {
        name: setup.experiment.name.clone(),
        part: trials.part.name().to_owned(),
        score,
        candidates: found,
        notes,
    }))
}

impl Discovery {
    /// What the data ask for, in words.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let worth: Vec<&CandidateSite> =
            self.candidates.iter().filter(|c| c.gain > WORTH).collect();
        if worth.is_empty() {
            words.push(format!(
                "Nothing that was tried predicts the {} data more than {WORTH} % better: the model with fitted \
                 parameters explains them.",
                self.part
            ));
        }
        for candidate in worth {
            let on = match candidate.kept.len() {
                0 => "nothing it was given: a constant".to_owned(),
                _ => candidate.kept.join(", "),
            };
            let test = candidate.test_gain.map_or(String::new(), |gain| match gain > 0.0 {
                true => format!(", and by {gain:.0} % on the test data, which chose nothing"),
                false => format!("; but on the test data it grows by {:.0} %", -gain),
            });
            words.push(format!(
                "The data ask for something missing in {}, which depends on {on}: the {} error falls by {:.0} %{test}.",
                candidate.site, self.part, candidate.gain
            ));
        }
        words
    }
}

/// Sites and inputs that are asked for, or the usual ones.
fn candidates(setup: &Setup, options: &DiscoverOptions) -> (Vec<String>, Vec<String>) {
    let names = |what: &str| {
        let all = gradbody_augment::sites(&setup.model, &setup.experiment.signals);
        let of = |name: &String| name.starts_with("joint/") && name.contains(what);
        all.into_iter().map(|site| site.name).filter(of).collect::<Vec<_>>()
    };
    let all = gradbody_augment::sites(&setup.model, &setup.experiment.signals);
    // Patterns stand for each of their sites alone.
    let expand = |patterns: &[String]| {
        let mut found = Vec::new();
        for pattern in patterns {
            let before = found.len();
            let fit = |name: &&String| gradbody_model::pattern_matches(pattern, name);
            found.extend(all.iter().map(|site| &site.name).filter(fit).cloned());
            if found.len() == before {
                found.push(pattern.clone());
            }
        }
        found
    };
    let sites = match options.sites.is_empty() {
        true => names("/passive_torque"),
        false => expand(&options.sites),
    };
    let inputs = match options.inputs.is_empty() {
        true => {
            let mut inputs = names("/position");
            inputs.extend(names("/velocity"));
            inputs.retain(|name| !name.contains("end_velocity"));
            inputs.extend(setup.experiment.signals.iter().map(|s| format!("signal/{s}")));
            inputs
        }
        false => expand(&options.inputs),
    };
    (sites, inputs)
}

/// The held-out error in standard deviations.
fn score(setup: &Setup, by: &Predictor, trials: &Trials) -> Result<f64, ExperimentError> {
    let predicted = setup.predict(by, trials)?;
    let table = setup.errors("", 0, trials, &predicted);
    if table.diverged > 0 {
        return Ok(f64::INFINITY);
    }
    let noises = setup.sensors.iter().flat_map(|s| std::iter::repeat_n(s.noise, s.columns()));
    let of = |((channel, noise), (_, _, size)): (
        (&crate::outcome::ChannelErrors, f64),
        &(String, &str, f64),
    )| { (channel.rms * size / noise).powi(2) };
    let sum: f64 = table.channels.iter().zip(noises).zip(&setup.columns).map(of).sum();
    Ok((sum / table.channels.len().max(1) as f64).sqrt())
}

/// An experiment with one network, the parameters as they were fitted, and windows that begin where the fit had them.
fn with_network(
    setup: &Setup,
    run: &Run,
    before: &Predictor,
    augmentation: Augmentation,
    windows: usize,
) -> Result<(Setup, Fit), ExperimentError> {
    let mut with = setup.clone();
    with.experiment.augmentation = vec![augmentation];
    with.model = before.model.clone();
    with.options.dt = before.period / setup.experiment.simulation.substeps as f64;
    let plan =
        gradbody_augment::bind(&with.experiment.blueprint(), &with.model, &with.options.contact)
            .map_err(|error| ExperimentError::Networks(error.to_string()))?;
    with.plan = plan.into();
    let weights = with.plan.initial_weights();
    let mut fit = with.fit(Part::Train, Some(&weights))?;
    if let Some(done) = run.journal.done.first() {
        let (fitted, _) = run.stage_fit(Stage::Parameters)?;
        fit.starts = fitted.candidate(&done.x).starts;
        fit.starts.iter_mut().for_each(|s| s.memory.resize(with.plan.n_memory(), 0.0));
    }
    let nothing = gradbody_model::Selection::of(&with.model, [] as [&str; 0])
        .map_err(|error| ExperimentError::Model(error.to_string()))?;
    fit.unknowns.selection = nothing;
    fit.unknowns.params.clear();
    fit.unknowns.period = None;
    fit.unknowns.start = 0;
    fit.weight_decay = 0.0;
    fit.penalties.clear();
    fit.jump = None;
    // Windows evenly chosen, with their starts.
    let n = fit.windows.len();
    let chosen: Vec<usize> = (0..n.min(windows)).map(|k| k * n / n.min(windows)).collect();
    fit.starts = chosen.iter().map(|k| fit.starts[*k].clone()).collect();
    fit.windows = chosen.iter().map(|k| fit.windows[*k]).collect();
    fit.windows_in_part = fit.windows.len();
    fit.set_bounds();
    Ok((with, fit))
}

fn network(site: &str, inputs: Vec<Reading>, hidden: Vec<usize>, scale: f64) -> Augmentation {
    let shape = NetworkShape { hidden, ..NetworkShape::default() };
    let mut augmentation = Augmentation::new("candidate", [site], []);
    augmentation.inputs = inputs;
    augmentation.mode = Mode::Add;
    augmentation.output_scale = scale;
    augmentation.network = shape;
    augmentation.initial = Initial { zero_last: true, ..Initial::default() };
    augmentation
}

fn try_site(
    setup: &Setup,
    run: &Run,
    before: &Predictor,
    trials: &Trials,
    (site, inputs): (&str, &[String]),
    held_out: f64,
    options: &DiscoverOptions,
) -> Result<CandidateSite, ExperimentError> {
    let readings: Vec<Reading> = inputs.iter().map(|input| reading(setup, input)).collect();
    // How large a correction is that the motion notices: the gradient at nothing says it.
    let linear = network(site, readings.clone(), Vec::new(), 1.0);
    let (_, probe) = with_network(setup, run, before, linear, options.windows)?;
    let quadratic = probe.quadratic(&probe.initial());
    let curvature = quadratic.map_or(1.0, |q| q.hessian.dense().diagonal().max());
    let cost = probe.cost(&probe.initial());
    // A weight of one then changes the errors by about what they are.
    let scale = (2.0 * cost / curvature.max(1e-300)).sqrt().clamp(1e-12, 1e12);
    let linear = network(site, readings.clone(), Vec::new(), scale);
    let (with, mut fit) = with_network(setup, run, before, linear, options.windows)?;
    let mut gradient = vec![0.0; fit.len()];
    fit.gradient(&fit.initial(), &mut gradient);
    let nothing = gradient[..inputs.len()].iter().fold(0.0_f64, |most, g| most.max(g.abs()));
    let mut x = fit.initial();
    let mut best: Option<(f64, f64, Predictor)> = None;
    for penalty in &options.penalties {
        // A constant costs nothing.
        fit.penalties = vec![Penalty::lasso(penalty * nothing, 0..inputs.len())];
        let adam = Adam {
            learning_rate: 0.05,
            decay: Decay::Cosine { steps: options.steps },
            ..Adam::default()
        };
        let mut search =
            Search::begin(&Method::Adam(adam), &fit, x.clone(), setup.experiment.seed)?;
        search.run(&fit, &Limits::iterations(options.steps), &mut |_| ControlFlow::Continue(()));
        x = search.best().0.to_vec();
        let by = Predictor {
            model: with.model.clone(),
            plan: with.plan.clone(),
            weights: x.clone(),
            period: before.period,
        };
        let found = score(&with, &by, trials)?;
        // A sparser one is kept unless the next is clearly better.
        if best.as_ref().is_none_or(|(score, ..)| found < score * (1.0 - 0.01 * WORTH)) {
            best = Some((found, *penalty, by));
        }
    }
    let Some((score_linear, penalty, mut chosen)) = best else {
        return Err(ExperimentError::wrong("discover.penalties", "at least one is needed"));
    };
    let x = chosen.weights.clone();
    let strengths: Vec<(String, f64)> =
        inputs.iter().zip(&x).map(|(name, w)| (name.clone(), (w * scale).abs())).collect();
    let kept: Vec<String> =
        inputs.iter().zip(&x).filter(|(_, w)| **w != 0.0).map(|(name, _)| name.clone()).collect();
    let mut found = score_linear;
    if !kept.is_empty() {
        let readings = kept.iter().map(|input| reading(setup, input)).collect();
        let small = network(site, readings, vec![options.hidden], scale);
        let (with, fit) = with_network(setup, run, before, small, options.windows)?;
        let method = Method::LevenbergMarquardt(LevenbergMarquardt::default());
        let mut search = Search::begin(&method, &fit, fit.initial(), setup.experiment.seed)?;
        search.run(&fit, &Limits::iterations(30), &mut |_| ControlFlow::Continue(()));
        let weights = search.best().0.to_vec();
        let by = Predictor {
            model: with.model.clone(),
            plan: with.plan.clone(),
            weights,
            period: before.period,
        };
        let nonlinear = score(&with, &by, trials)?;
        if nonlinear < found {
            (found, chosen) = (nonlinear, by);
        }
    }
    let gain = |before: f64, after: f64| 100.0 * (1.0 - after / before.max(1e-300));
    let test_gain = match setup.trials(Part::Test) {
        Some(test) => Some(gain(score(setup, before, &test)?, score(setup, &chosen, &test)?)),
        None => None,
    };
    Ok(CandidateSite {
        site: site.to_owned(),
        inputs: strengths,
        kept,
        penalty,
        score_linear,
        score: found,
        gain: gain(held_out, found),
        test_gain,
    })
}

/// An input, scaled by how far it goes in the data.
fn reading(setup: &Setup, input: &str) -> Reading {
    let scale = crate::summary::reach(setup, input).unwrap_or(1.0);
    Reading::With(gradbody_augment::ReadingOptions {
        site: input.to_owned(),
        previous: false,
        history: 0,
        mean: 0.0,
        scale,
    })
}

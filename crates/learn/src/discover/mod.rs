//! Which effect is missing in a model, as far as the data can tell.
//!
//! The parameters are fitted first. Then each candidate site gets a small network of its own over all candidate inputs,
//! trained as `fit` trains it: parameters and starts go on changing. A group lasso over the inputs, weighted by how
//! strongly the network uses them, then says which of them pay for themselves: the others are exactly zero. The network is
//! trained again on those alone, without penalty. Which penalty is right the validation part says, so the gain there is a
//! little kind; where there is a test part, the gain on it is given too. Last, what the network came to is compared with
//! the laws that such effects often have.

mod law;
mod site;

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::experiment::{ExperimentError, Part, Setup};
use crate::judge::{Predictor, Trials};
use crate::outcome::Response;
use crate::run::{Run, Stage};
pub use law::Law;
use site::{Ground, Tried};

/// What is tried, and how hard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct DiscoverOptions {
    /// Sites that may lack something; left out, the passive force of every joint.
    pub sites: Vec<String>,
    /// What they may depend on; left out, every joint position and velocity, and the signals.
    pub inputs: Vec<String>,
    /// The shares of the whole gain that an input must earn to stay; each is tried.
    pub shares: Vec<f64>,
    /// Iterations of each training at most.
    pub iterations: u64,
    /// Neurons of the networks.
    pub hidden: usize,
    /// At most so many windows are trained on.
    pub windows: usize,
}

impl Default for DiscoverOptions {
    fn default() -> Self {
        DiscoverOptions {
            sites: Vec::new(),
            inputs: Vec::new(),
            shares: vec![0.3, 0.1, 0.03],
            iterations: 40,
            hidden: 6,
            windows: 60,
        }
    }
}

impl DiscoverOptions {
    /// Refuses numbers that make no sense.
    pub(crate) fn check(&self) -> Result<(), ExperimentError> {
        let wrong = |what: &str, why: &str| Err(ExperimentError::wrong(what, why));
        if self.shares.is_empty() || self.shares.iter().any(|s| !(*s > 0.0 && *s < 1.0)) {
            return wrong("discover.shares", "one or more numbers between 0 and 1 are needed");
        }
        if self.hidden == 0 || self.iterations == 0 || self.windows == 0 {
            return wrong("discover", "hidden, iterations and windows are at least 1");
        }
        Ok(())
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
    /// Each input with what the site changes by over the range that the data have of it; zero for those that did not survive.
    pub inputs: Vec<(String, f64)>,
    /// The inputs that survived.
    pub kept: Vec<String>,
    /// The share of the gain that they had to earn; none if all were kept.
    pub share: Option<f64>,
    /// The held-out error with a network on all inputs; none if it diverges.
    pub score_all: Option<f64>,
    /// The held-out error with one on the inputs that survived.
    pub score: f64,
    /// By how much the held-out error falls, in percent; negative if it grows.
    pub gain: f64,
    /// The same on the test part, which chose nothing; none if there is none.
    pub test_gain: Option<f64>,
    /// What the network answers over each input that survived.
    pub responses: Vec<Response>,
    /// What that looks like, if one input survived.
    pub law: Option<Law>,
    /// What the site lacks if no input survived.
    pub constant: Option<f64>,
    /// What may change, with its value without the network and with it: one may give way to the other.
    pub parameters: Vec<(String, f64, f64)>,
}

/// What a watcher is told: what is under way, of how many.
pub type Tell<'a> = &'a mut dyn FnMut(&str, usize, usize) -> ControlFlow<()>;

/// Less than this many percent is no gain.
const WORTH: f64 = 2.0;

/// Tries candidate sites of an experiment. None if it was interrupted before the first.
pub fn discover(
    setup: &Setup,
    text: &str,
    options: &DiscoverOptions,
    tell: Tell<'_>,
) -> Result<Option<Discovery>, ExperimentError> {
    options.check()?;
    let mut plain = setup.with_networks(Vec::new())?;
    let windows =
        plain.experiment.objective.windows.map_or(options.windows, |n| n.min(options.windows));
    plain.experiment.objective.windows = Some(windows);
    let (sites, inputs) = candidates(&plain, options);
    let total = sites.len() + 1;
    let mut run = Run::new(plain, text);
    if !run.go(&mut |_| tell("fitting the parameters", 0, total))? {
        return Ok(None);
    }
    let Some(before) = run.after(Stage::Parameters)? else { return Ok(None) };
    let part = [Part::Validation, Part::Train].into_iter().find(|p| run.setup.trials(*p).is_some());
    let Some(trials) = part.and_then(|part| run.setup.trials(part)) else {
        let why = "no recording is long enough to be predicted";
        return Err(ExperimentError::wrong("prediction", why));
    };
    let mut notes = Vec::new();
    if !setup.experiment.augmentation.is_empty() {
        notes.push(
            "the experiment's own networks are left out: this is about the model without them"
                .to_owned(),
        );
    }
    if trials.part == Part::Train {
        notes.push(
            "there is no validation part: gains are on the data that were trained on".to_owned(),
        );
    }
    let score = score(&run.setup, &before, &trials)?;
    if !score.is_finite() {
        let why = "the fitted model itself diverges on the data it is judged by; mend that first";
        return Err(ExperimentError::wrong("discover", why));
    }
    let test = match run.setup.trials(Part::Test) {
        Some(test) => {
            let score = self::score(&run.setup, &before, &test)?;
            Some((test, score))
        }
        None => None,
    };
    let ground = Ground { run, before, trials, score, test, options };
    let mut found = Vec::new();
    for (k, site) in sites.iter().enumerate() {
        match ground.try_site(site, &inputs, &mut || tell(site, k + 1, total))? {
            Tried::Found(candidate, note) => {
                notes.extend(note);
                found.push(*candidate);
            }
            Tried::Diverged => notes.push(format!("with a network at {site} the motion diverges")),
            Tried::Interrupted => {
                notes.push(format!("interrupted after {k} of {} sites", sites.len()));
                break;
            }
        }
    }
    found.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    Ok(Some(Discovery {
        name: setup.experiment.name.clone(),
        part: ground.trials.part.name().to_owned(),
        score,
        candidates: found,
        notes,
    }))
}

impl Discovery {
    /// What the data ask for, in words.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.part == Part::Train.name() {
            words.push(
                "There is no validation part, so all gains are on the data that were trained on: they prove nothing. Give \
                 [data] a split."
                    .to_owned(),
            );
        }
        let worth = || self.candidates.iter().filter(|c| c.gain > WORTH);
        let confirmed = |c: &&CandidateSite| c.test_gain.is_none_or(|gain| gain > 0.0);
        if worth().next().is_none() {
            words.push(format!(
                "Nothing that was tried predicts the {} data more than {WORTH} % better than the model with fitted \
                 parameters, which errs by {:.3} standard deviations of the noise.",
                self.part, self.score
            ));
        }
        for candidate in worth().filter(confirmed) {
            let test = candidate.test_gain.map_or(String::new(), |gain| {
                format!(", and by {gain:.0} % on the test data, which chose nothing")
            });
            let law = match (&candidate.law, &candidate.kept[..]) {
                (Some(law), [input]) => {
                    let law = law.words(&candidate.site, input);
                    format!(" It looks like {law}{}.", candidate.given_way())
                }
                _ => String::new(),
            };
            words.push(format!(
                "The data ask for something missing in {}, which {}: the {} error falls by {:.0} %{test}.{law}",
                candidate.site,
                candidate.depends(),
                self.part,
                candidate.gain
            ));
        }
        for candidate in worth().filter(|c| !confirmed(c)) {
            words.push(format!(
                "A network at {} gains {:.0} % on the {} data, which chose it, but nothing on the test data: that is \
                 not confirmed.",
                candidate.site, candidate.gain, self.part
            ));
        }
        if worth().filter(confirmed).count() > 1 {
            words.push(
                "Each was tried alone: what they mend may be the same. Begin with the first."
                    .to_owned(),
            );
        }
        words
    }
}

impl CandidateSite {
    /// Parameters of the same joint that have another value beside the network, in words.
    fn given_way(&self) -> String {
        let joint = joint_of(&self.site);
        let moved = |(name, without, with): &&(String, f64, f64)| {
            joint.is_some()
                && joint_of(name) == joint
                && (with - without).abs() > 0.01 * without.abs()
        };
        let words: Vec<String> = (self.parameters.iter().filter(moved))
            .map(|(name, without, with)| format!("{name} = {with:.3}, not {without:.3}"))
            .collect();
        if words.is_empty() { String::new() } else { format!(", beside {}", words.join(" and ")) }
    }

    /// What it depends on, in words.
    pub fn depends(&self) -> String {
        match self.kept.len() {
            0 => {
                let size = self.constant.map_or(String::new(), |size| format!(" of {size:.3}"));
                format!("depends on nothing that it was given: a constant{size}")
            }
            _ => format!("depends on {}", self.kept.join(", ")),
        }
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
        let mut seen = std::collections::HashSet::new();
        found.retain(|name: &String| seen.insert(name.clone()));
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
            inputs.extend(setup.experiment.signals.iter().map(|s| format!("signal/{s}")));
            inputs
        }
        false => expand(&options.inputs),
    };
    (sites, inputs)
}

/// The held-out error in standard deviations, of what was measured there; infinite if the motion diverges.
fn score(setup: &Setup, by: &Predictor, trials: &Trials) -> Result<f64, ExperimentError> {
    let predicted = setup.predict(by, trials)?;
    let table = setup.errors("", 0, trials, &predicted);
    if table.diverged > 0 {
        return Ok(f64::INFINITY);
    }
    let noises = setup.sensors.iter().flat_map(|s| std::iter::repeat_n(s.noise, s.columns()));
    let mut squares = Vec::new();
    for ((channel, noise), (_, _, size)) in table.channels.iter().zip(noises).zip(&setup.columns) {
        let square = (channel.rms * size / noise).powi(2);
        // Of nothing that was measured there is no error.
        squares.extend((!square.is_nan()).then_some(square));
    }
    if squares.is_empty() {
        let why = format!("nothing is measured in the part \"{}\"", trials.part.name());
        return Err(ExperimentError::wrong("data.split", why));
    }
    Ok((squares.iter().sum::<f64>() / squares.len() as f64).sqrt())
}

/// The joint that a path is of.
fn joint_of(path: &str) -> Option<&str> {
    path.strip_prefix("joint/")?.split('/').next()
}

//! Finds which effect a model lacks, as far as the data can tell.
//!
//! The parameters are fitted first. Then each candidate site gets a small network over all candidate inputs, which is
//! trained as in `fit`: parameters and starts change with it. A group lasso over the inputs, weighted by how strongly
//! the network uses each of them, makes the weights of inputs that do not pay for themselves exactly zero. The network
//! is trained again on the other inputs, without penalty. The validation part chooses the penalty, so the gain there is
//! slightly optimistic; if there is a test part, the gain on it is given too. Last, the response of the network is
//! compared with laws that such effects often have.
//!
//! At the friction of contacts, networks are dissipative (`drag.rs`); elsewhere they are free.

mod drag;
mod law;
mod site;

use std::ops::ControlFlow;

use gradbody_contact::Solver;
use serde::{Deserialize, Serialize};

use crate::experiment::{DataPart, DiscoverOptions, ExperimentError, Setup};
use crate::judge::{Predictor, Trials};
use crate::outcome::Response;
use crate::responses::range;
use crate::run::{FitStage, Run};
pub use law::Law;
use site::{Ground, Tried};

/// The result of a search for missing effects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Discovery {
    /// The experiment.
    pub name: String,
    /// The part of the data that judges candidates.
    pub part: String,
    /// The error on that part with fitted parameters and without networks, in standard deviations of the noise.
    pub score: f64,
    /// The sites that were tried, the largest gain first.
    pub candidates: Vec<CandidateSite>,
    /// Warnings, a sentence each.
    pub notes: Vec<String>,
}

/// A site that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateSite {
    /// The site.
    pub site: String,
    /// Each input with the change of the site over the input's range in the data; zero for inputs that were dropped.
    pub inputs: Vec<(String, f64)>,
    /// The inputs that were kept.
    pub kept: Vec<String>,
    /// The share of the gain that each input had to earn. None if all were kept.
    pub share: Option<f64>,
    /// The error with a network on all inputs. None if the motion diverges.
    pub score_all: Option<f64>,
    /// The error with a network on the kept inputs.
    pub score: f64,
    /// How much the error falls [%]; negative if it grows.
    pub gain: f64,
    /// The same on the test part, which chooses nothing. None without a test part, or if the model diverges there
    /// without networks.
    pub test_gain: Option<f64>,
    /// The response of the network to each kept input.
    pub responses: Vec<Response>,
    /// The law nearest to the response. None unless one input was kept and a law is near.
    pub law: Option<Law>,
    /// The constant correction, if no input was kept.
    pub constant: Option<f64>,
    /// Each parameter that may change, with its values without and with the network, which may take over a part of its
    /// effect.
    pub parameters: Vec<(String, f64, f64)>,
}

/// Called with the task under way, its number, and the number of tasks. `Break` interrupts.
pub type Tell<'a> = &'a mut dyn FnMut(&str, usize, usize) -> ControlFlow<()>;

/// A smaller gain [%] does not count.
const WORTH: f64 = 2.0;

/// Tries the candidate sites of an experiment. Returns None if it is interrupted before the first.
pub fn discover(
    setup: &Setup,
    text: &str,
    options: &DiscoverOptions,
    tell: Tell<'_>,
) -> Result<Option<Discovery>, ExperimentError> {
    options.check()?;
    setup.experiment.check_gradient_for_quadratic("discover")?;
    let mut plain = setup.with_networks(Vec::new())?;
    let windows =
        plain.experiment.objective.windows.map_or(options.windows, |n| n.min(options.windows));
    plain.experiment.objective.windows = Some(windows);
    let sites = candidates(&plain, options);
    let total = sites.len() + 1;
    let mut run = Run::new(plain, text);
    if !run.go(&mut |_| tell("fitting the parameters", 0, total))? {
        return Ok(None);
    }
    let Some(before) = run.after(FitStage::Parameters)? else { return Ok(None) };
    let part = [DataPart::Validation, DataPart::Train]
        .into_iter()
        .find(|p| run.setup.trials(*p).is_some());
    let Some(trials) = part.and_then(|part| run.setup.trials(part)) else {
        let why = "no recording is long enough to be predicted";
        return Err(ExperimentError::wrong("prediction", why));
    };
    let mut notes = Vec::new();
    if !setup.experiment.augmentation.is_empty() {
        notes.push(
            "the experiment's own networks are left out: discover looks at the model without them"
                .to_owned(),
        );
    }
    if trials.part == DataPart::Train {
        notes.push("there is no validation part, so gains are on the training data".to_owned());
    }
    let score = score(&run.setup, &before, &trials)?;
    if !score.is_finite() {
        let why = "the fitted model diverges on the data that judge it; correct this first";
        return Err(ExperimentError::wrong("discover", why));
    }
    let test = match run.setup.trials(DataPart::Test) {
        Some(test) => {
            let score = self::score(&run.setup, &before, &test)?;
            Some((test, score))
        }
        None => None,
    };
    let ground = Ground { run, before, trials, score, test, options };
    let mut found = Vec::new();
    for (k, (site, inputs)) in sites.iter().enumerate() {
        match ground.try_site(site, inputs, &mut || tell(site, k + 1, total))? {
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
    /// The findings in words, a sentence each.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.part == DataPart::Train.name() {
            words.push(
                "There is no validation part, so all gains are on the training data and prove nothing. Give \
                 [data] a split."
                    .to_owned(),
            );
        }
        let worth = || self.candidates.iter().filter(|c| c.gain > WORTH);
        let confirmed = |c: &&CandidateSite| c.test_gain.is_none_or(|gain| gain > 0.0);
        if worth().next().is_none() {
            words.push(format!(
                "No correction that was tried predicts the {} data more than {WORTH} % better than the model with fitted \
                 parameters, which errs by {:.3} standard deviations of the noise.",
                self.part, self.score
            ));
        }
        for candidate in worth().filter(confirmed) {
            let test = candidate.test_gain.map_or(String::new(), |gain| {
                format!(", and by {gain:.0} % on the test data, which had no part in the choice")
            });
            let law = match (&candidate.law, &candidate.kept[..]) {
                (Some(law), [input]) => {
                    let law = law.words(&candidate.site, input);
                    format!(" It looks like {law}{}.", candidate.given_way())
                }
                _ => String::new(),
            };
            words.push(format!(
                "The model lacks an effect at {} that {}: the {} error falls by {:.0} %{test}.{law}",
                candidate.site,
                candidate.depends(),
                self.part,
                candidate.gain
            ));
        }
        for candidate in worth().filter(|c| !confirmed(c)) {
            words.push(format!(
                "A network at {} gains {:.0} % on the {} data, which chose it, but nothing on the test data: the gain \
                 is not confirmed.",
                candidate.site, candidate.gain, self.part
            ));
        }
        if worth().filter(confirmed).count() > 1 {
            words.push(
                "Each site was tried alone, and several may correct the same error. Begin with the first."
                    .to_owned(),
            );
        }
        words
    }
}

impl CandidateSite {
    /// The parameters of the same joint whose values differ with the network, in words.
    fn given_way(&self) -> String {
        let joint = joint_of(&self.site);
        let moved = |(name, without, with): &&(String, f64, f64)| {
            joint.is_some()
                && joint_of(name) == joint
                && (with - without).abs() > 0.01 * without.abs()
        };
        let words: Vec<String> = (self.parameters.iter().filter(moved))
            .map(|(name, without, with)| format!("{name} = {with:.3} instead of {without:.3}"))
            .collect();
        if words.is_empty() { String::new() } else { format!(", with {}", words.join(" and ")) }
    }

    /// What the correction depends on, in words.
    pub fn depends(&self) -> String {
        match self.kept.len() {
            0 => {
                let size = self.constant.map_or(String::new(), |size| format!(" of {size:.3}"));
                format!("depends on no input (a constant{size})")
            }
            _ => format!("depends on {}", self.kept.join(", ")),
        }
    }
}

/// A site to try, and the inputs of its networks.
type Candidate = (String, Vec<String>);

/// The sites and inputs that the options name, or the default ones.
fn candidates(setup: &Setup, options: &DiscoverOptions) -> Vec<Candidate> {
    let all = gradbody_augment::sites(&setup.model, &setup.experiment.signals);
    let names: Vec<String> = all.into_iter().map(|site| site.name).collect();
    let of_joints = |what: &str| {
        let of = |name: &&String| name.starts_with("joint/") && name.contains(what);
        names.iter().filter(of).cloned().collect::<Vec<String>>()
    };
    let signals = setup.experiment.signals.iter().map(|signal| format!("signal/{signal}"));
    let signals: Vec<String> = signals.collect();
    let sites = match options.sites.is_empty() {
        true => {
            let mut sites = of_joints("/passive_torque");
            sites.extend(touches(setup).then(|| "contact/*/friction".to_owned()));
            sites
        }
        false => expanded(&names, &options.sites, true),
    };
    let given = expanded(&names, &options.inputs, false);
    let inputs = |site: &String| match (given.is_empty(), drag::contact_of(site)) {
        (true, None) => [of_joints("/position"), of_joints("/velocity"), signals.clone()].concat(),
        (true, Some(contact)) => {
            let own = [drag::SPEED, "penetration_rate"].map(|what| format!("{contact}/{what}"));
            [own.to_vec(), signals.clone()].concat()
        }
        (false, None) => given.clone(),
        // A network at a contact reads no other contact.
        (false, Some(contact)) => {
            let own = |input: &&String| {
                drag::contact_of(input).is_none_or(|of| of == contact || of == "contact/*")
            };
            given.iter().filter(own).cloned().collect()
        }
    };
    let with_inputs = |site: String| (site.clone(), inputs(&site));
    sites.into_iter().map(with_inputs).collect()
}

/// Whether bodies touch in the training data.
fn touches(setup: &Setup) -> bool {
    setup.options.contact.solver != Solver::Off
        && range(setup, &format!("contact/*/{}", drag::SPEED)).is_some()
}

/// The sites that match patterns, each once. A pattern that matches nothing is kept, for a message that names it. At
/// contacts `*` stands for each contact in turn, so that it is kept too; the members of a group are inputs of their own,
/// but the outputs of one network.
fn expanded(names: &[String], patterns: &[String], outputs: bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for pattern in patterns {
        let at_contacts = pattern.starts_with("contact/");
        let fit = |name: &&String| match at_contacts {
            true => name.strip_prefix(pattern.as_str()).is_some_and(|rest| rest.starts_with('/')),
            false => gradbody_math::names::matches(pattern, name),
        };
        let before = found.len();
        if !(at_contacts && outputs) {
            found.extend(names.iter().filter(fit).cloned());
        }
        if found.len() == before {
            found.push(pattern.clone());
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|name| seen.insert(name.clone()));
    found
}

/// The error on `trials` in standard deviations of the noise; infinite if the motion diverges.
fn score(setup: &Setup, by: &Predictor, trials: &Trials) -> Result<f64, ExperimentError> {
    let predicted = setup.predict(by, trials)?;
    let table = setup.errors("", 0, trials, &predicted);
    if table.diverged > 0 {
        return Ok(f64::INFINITY);
    }
    // The error of a row without measurements is NaN.
    let rows = setup.error_rows().into_iter().zip(&table.channels);
    let rows = rows.filter(|(_, errors)| !errors.rms.is_nan());
    let (mut sum, mut numbers) = (0.0, 0);
    for (row, errors) in rows {
        sum += row.numbers as f64 * (errors.rms * row.size / row.noise).powi(2);
        numbers += row.numbers;
    }
    if numbers == 0 {
        let why = format!("the part \"{}\" has no measurements", trials.part.name());
        return Err(ExperimentError::wrong("data.split", why));
    }
    Ok((sum / numbers as f64).sqrt())
}

/// The joint in a path, or None if it has none.
fn joint_of(path: &str) -> Option<&str> {
    path.strip_prefix("joint/")?.split('/').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_at_contacts_stands_for_each_contact_in_turn() {
        let names = [
            "joint/a/velocity",
            "joint/b/velocity",
            "contact/*/penetration_rate",
            "contact/*/sliding_velocity/x",
            "contact/*/sliding_velocity/y",
            "contact/foot-ground/penetration_rate",
        ];
        let names = names.map(str::to_owned);
        let of = |pattern: &str, outputs: bool| expanded(&names, &[pattern.to_owned()], outputs);
        assert_eq!(of("joint/*/velocity", false), ["joint/a/velocity", "joint/b/velocity"]);
        let rate = "contact/*/penetration_rate";
        assert_eq!(of(rate, false), [rate]);
        let sliding = ["contact/*/sliding_velocity/x", "contact/*/sliding_velocity/y"];
        assert_eq!(of("contact/*/sliding_velocity", false), sliding);
        assert_eq!(of("contact/*/friction", true), ["contact/*/friction"]);
        assert_eq!(of("joint/c/velocty", false), ["joint/c/velocty"]);
    }
}

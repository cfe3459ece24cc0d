//! Every way of predicting a push, on pushes that it was not made from.

use std::collections::BTreeMap;

use gradbody::augment::Blueprint;
use serde::{Deserialize, Serialize};

use super::errors::{Path, PushError};
use super::fits::{NUMBERS, OF_ONE_BODY, Problem};
use super::learned;
use super::measured::{Body, Push};
use super::networks::Friction;
use super::training::{identify, predict, train};
use super::{Plan, Split};
use crate::reproduce::effort::{Effort, Found};
use crate::reproduce::parts::Parts;

type Bodies = BTreeMap<String, Body>;

/// Folds of a shape's own pushes, where it is identified by itself.
const FOLDS: usize = 2;

/// A way of predicting.
pub(super) struct Way {
    pub(super) name: &'static str,
    /// Weights of networks.
    pub(super) weights: usize,
    /// With each seed.
    pub(super) judged: Vec<Judged>,
}

/// The paths that are predicted, by the push's name; none of one that cannot be simulated.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Judged {
    /// Of the shape that is not learned from.
    pub(super) test: BTreeMap<String, Option<Path>>,
    /// Of pushes that were kept back.
    pub(super) new: BTreeMap<String, Option<Path>>,
}

/// What came of all.
pub(super) struct Results {
    pub(super) ways: Vec<Way>,
    /// The numbers of the analytical model, before and as identified.
    pub(super) numbers: Vec<(String, f64, f64)>,
    pub(super) effort: Effort,
}

/// Errors of the pushes; what diverges is infinitely far off.
pub(super) fn errors(pushes: &[Push], paths: &BTreeMap<String, Option<Path>>) -> Vec<PushError> {
    let error = |push: &Push| match paths.get(&push.name) {
        Some(Some(path)) => PushError::of(push, path),
        _ => PushError::infinite(),
    };
    pushes.iter().map(error).collect()
}

pub(super) fn find(
    bodies: &Bodies,
    split: &Split,
    plan: &Plan,
    parts: &Parts,
) -> anyhow::Result<Results> {
    let nothing = Blueprint::default();
    let analytical = Problem { bodies, parameters: &NUMBERS, blueprint: &nothing };
    let first = &analytical.fits(&split.train)?[0];
    let before = first.initial();
    let tuned = parts.get("identified", || {
        identify(&analytical, &split.train, plan.iterations, "identifying")
    })?;
    let names = first.unknowns.named().map(|unknown| unknown.name.clone());
    let values = first.unknowns.values(&before).into_iter().zip(first.unknowns.values(&tuned.x));
    let numbers = names.zip(values).map(|(name, (before, after))| (name, before, after)).collect();

    let one = |name, x: &[f64]| -> anyhow::Result<Way> {
        Ok(Way { name, weights: 0, judged: vec![judge(&analytical, split, x)?] })
    };
    let mut ways = vec![one("untuned", &before)?, one("tuned", &tuned.x)?];
    let mut effort = tuned.effort;
    for (name, friction) in [
        ("tuned + network", Friction::Free),
        ("tuned + dissipative network", Friction::Dissipative),
    ] {
        let mut way = Way { name, weights: 0, judged: Vec::new() };
        for seed in 1..=plan.seeds {
            let blueprint = friction.blueprint(seed);
            let problem = Problem { blueprint: &blueprint, ..analytical };
            let found: Found = parts.get(&format!("{friction:?}-{seed}"), || {
                let what = format!("{name}, seed {seed}");
                train(&problem, &split.train, &tuned.x, (plan.steps, seed), &what)
            })?;
            way.weights = found.x.len() - tuned.x.len();
            way.judged.push(judge(&problem, split, &found.x)?);
            effort = effort.and(found.effort);
        }
        ways.push(way);
    }
    let weights = ways.iter().map(|way| way.weights).max().unwrap_or(0);
    ways.push(learned(split, plan, weights, parts)?);
    let (own, of_own) = parts.get("own", || of_each_body(&analytical, split, plan))?;
    effort = effort.and(of_own);
    ways.push(Way { name: "tuned on the same body", weights: 0, judged: vec![own] });
    Ok(Results { ways, numbers, effort })
}

fn judge(problem: &Problem<'_>, split: &Split, x: &[f64]) -> anyhow::Result<Judged> {
    let paths = |pushes: &[Push]| -> anyhow::Result<BTreeMap<_, _>> {
        Ok(predict(problem, pushes, x)?.into_iter().collect())
    };
    Ok(Judged { test: paths(&split.test)?, new: paths(&split.new)? })
}

/// A network that knows no mechanics.
fn learned(split: &Split, plan: &Plan, weights: usize, parts: &Parts) -> anyhow::Result<Way> {
    let mut way = Way { name: "purely learned", weights, judged: Vec::new() };
    for seed in 1..=plan.seeds {
        let judged = parts.get(&format!("learned-{seed}"), || {
            let trained = learned::train(&split.train, weights, plan.epochs, seed)?;
            let paths = |pushes: &[Push]| -> anyhow::Result<BTreeMap<_, _>> {
                let path =
                    |push: &Push| Ok((push.name.clone(), Some(learned::predict(&trained, push)?)));
                pushes.iter().map(path).collect()
            };
            Ok((trained.n_weights(), Judged { test: paths(&split.test)?, new: paths(&split.new)? }))
        })?;
        way.weights = judged.0;
        way.judged.push(judged.1);
    }
    Ok(way)
}

/// The analytical model, identified for one body at a time, with its centre of mass: on other pushes of that body than
/// it predicts.
fn of_each_body(
    analytical: &Problem<'_>,
    split: &Split,
    plan: &Plan,
) -> anyhow::Result<(Judged, Effort)> {
    let parameters = [&NUMBERS[..], &OF_ONE_BODY].concat();
    let problem = Problem { parameters: &parameters, ..*analytical };
    let mut judged = Judged { test: BTreeMap::new(), new: BTreeMap::new() };
    let mut effort = Effort::default();
    let mut one = |seen: &[Push], judged: &[Push], to: &mut BTreeMap<_, _>| -> anyhow::Result<()> {
        let (Some(first), false) = (seen.first(), judged.is_empty()) else { return Ok(()) };
        let what = format!("identifying {} by itself", first.shape);
        let found = identify(&problem, seen, plan.iterations, &what)?;
        to.extend(predict(&problem, judged, &found.x)?);
        effort = effort.and(found.effort);
        Ok(())
    };
    for of_shape in split.train.chunk_by(|a, b| a.shape == b.shape) {
        let is_same = |push: &&Push| push.shape == of_shape[0].shape;
        let new: Vec<Push> = split.new.iter().filter(is_same).cloned().collect();
        one(of_shape, &new, &mut judged.new)?;
    }
    for fold in 0..FOLDS {
        let of = |wanted: bool| -> Vec<Push> {
            let pushes = split.test.iter().enumerate();
            let chosen = pushes.filter(|(k, _)| (k % FOLDS == fold) == wanted);
            chosen.map(|(_, push)| push.clone()).collect()
        };
        one(&of(false), &of(true), &mut judged.test)?;
    }
    Ok((judged, effort))
}

//! Every way of predicting a push, evaluated on pushes outside its training set.

use std::collections::BTreeMap;

use anyhow::Context as _;
use gradbody::augment::Blueprint;
use serde::{Deserialize, Serialize};

use super::alone::{self, Alone};
use super::errors::{Paths, PushError, over_time};
use super::fits::{NUMBERS, Number, Problem, TIP_X, TIP_Y};
use super::learned;
use super::measured::{Body, Push};
use super::networks::Friction;
use super::training::{identify, predict, train};
use super::turns::{self, Turn};
use super::{Plan, Split};
use crate::effort::{Effort, Found};
use crate::parts::Parts;

type Bodies = BTreeMap<String, Body>;

/// Indices of some ways in the list of all.
pub(super) const TUNED: usize = 1;
pub(super) const NETWORK: usize = 2;
pub(super) const DISSIPATIVE: usize = 3;
pub(super) const OWN: usize = 5;

/// A way of predicting.
pub(super) struct Way {
    pub(super) name: &'static str,
    /// Number of network weights.
    pub(super) weights: usize,
    /// Predictions of each seed.
    pub(super) judged: Vec<Judged>,
}

/// The predictions.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Judged {
    /// Of the new shape's pushes.
    pub(super) test: Paths,
    /// Of held-out pushes of the known shapes.
    pub(super) new: Paths,
}

/// All results.
pub(super) struct Results {
    pub(super) ways: Vec<Way>,
    /// The parameters of the analytical model, before and after identification.
    pub(super) numbers: Vec<(String, f64, f64)>,
    pub(super) alone: Alone,
    /// Distance between the ends of the new shape's pushes for the smallest and largest measured tip friction [mm, °].
    pub(super) sway: Option<[f64; 2]>,
    /// Each shape left out in turn, the new one last.
    pub(super) turns: Vec<Turn>,
    /// Error at the end of the new shape's pushes, identified on the same pushes [mm, °].
    pub(super) of_itself: [f64; 2],
    pub(super) effort: Effort,
}

/// Errors of the pushes; infinite for those that diverge.
pub(super) fn errors(pushes: &[Push], paths: &Paths) -> Vec<PushError> {
    let error = |push: &Push| match paths.get(&push.name) {
        Some(Some(path)) => PushError::of(push, path),
        _ => PushError::infinite(),
    };
    pushes.iter().map(error).collect()
}

/// The mean error at the end of pushes [mm, °].
pub(super) fn mean_end(pushes: &[Push], paths: &Paths) -> [f64; 2] {
    over_time(&errors(pushes, paths)).last().copied().unwrap_or_default()
}

pub(super) fn find(
    bodies: &Bodies,
    split: &Split,
    plan: &Plan,
    parts: &Parts,
) -> anyhow::Result<Results> {
    let nothing = Blueprint::default();
    let looked_for: Vec<&Number> = NUMBERS.iter().collect();
    let analytical = Problem { bodies, numbers: &looked_for, blueprint: &nothing };
    let first = &analytical.fits(&split.train)?[0];
    let before = first.initial();
    let tuned = parts.get("identified", || {
        identify(&analytical, &split.train, plan.generations, "identifying")
    })?;
    let [before_by_name, tuned_by_name] = [&before, &tuned.x].map(|x| first.unknowns.values(x));
    let unknowns = first.unknowns.named().zip(before_by_name.into_iter().zip(tuned_by_name));
    let numbers: Vec<(String, f64, f64)> =
        unknowns.map(|(unknown, (before, after))| (unknown.name.clone(), before, after)).collect();
    let identified = |path: &str| {
        let found = numbers.iter().find(|(name, ..)| name == path);
        found.map(|(_, _, after)| *after).with_context(|| format!("{path} was not identified"))
    };
    let offset = [identified(TIP_X)?, identified(TIP_Y)?];

    let one = |name, x: &[f64]| -> anyhow::Result<Way> {
        Ok(Way { name, weights: 0, judged: vec![judge(&analytical, split, x)?] })
    };
    let mut ways = vec![one("untuned", &before)?, one("tuned", &tuned.x)?];
    let mut effort = Effort::default();
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
    let alone = parts.get("alone", || alone::find(&analytical, split, plan, offset))?;
    let judged = vec![alone.judged.clone()];
    ways.push(Way { name: "tuned on the same body", weights: 0, judged });
    let sway = alone::sway(&analytical, &split.test, &tuned.x, &alone.unknown)?;
    let (mut turns, of_turns) = turns::find(&analytical, split, plan, parts)?;
    // The first seed, as in the other turns.
    let end = |way: usize| mean_end(&split.test, &ways[way].judged[0].test);
    turns.push(Turn {
        shape: alone.unknown.shape.clone(),
        pushes: split.test.len(),
        tuned: end(TUNED),
        network: end(NETWORK),
    });
    let of_itself = mean_end(&split.test, &alone.of_itself);
    let effort = effort.and(of_turns);
    Ok(Results { ways, numbers, alone, sway, turns, of_itself, effort })
}

fn judge(problem: &Problem<'_>, split: &Split, x: &[f64]) -> anyhow::Result<Judged> {
    let [test, new] = [&split.test, &split.new].map(|pushes| predict(problem, pushes, x));
    Ok(Judged { test: test?, new: new? })
}

/// The network without mechanics.
fn learned(split: &Split, plan: &Plan, weights: usize, parts: &Parts) -> anyhow::Result<Way> {
    let mut way = Way { name: "purely learned", weights, judged: Vec::new() };
    for seed in 1..=plan.seeds {
        let judged = parts.get(&format!("learned-{seed}"), || {
            let trained = learned::train(&split.train, weights, plan.epochs, seed)?;
            let paths = |pushes: &[Push]| -> anyhow::Result<Paths> {
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

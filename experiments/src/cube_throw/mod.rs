//! A cube is thrown (NeuralSim's workshop paper): rigid throws matched by a compliant
//! contact with a friction network, and 400 measured tosses explained by laws of contact with and without
//! networks.

mod cube;
mod errors;
mod factors;
mod friction;
mod gradients;
mod limits;
mod matched;
mod page;
mod problem;
mod results;
mod study;
mod tosses;

use anyhow::bail;

use super::data::DataFolder;
use super::parts::Parts;
use super::{Outcome, Prepared};
use errors::Summary;
use gradients::Tool;
use matched::Matched;
use study::{CONTENDERS, Study};
use tosses::Split;

/// What draws tosses, weights and searches alike.
const SEED: u64 = 1;

/// How much is done.
struct Plan {
    /// Tosses to learn from, set after set.
    sizes: Vec<usize>,
    /// How often each set is drawn.
    seeds: u64,
    /// Generations of the evolution that identifies numbers, and steps of Adam that train networks.
    generations: u64,
    steps: u64,
    /// Rounds of basin hopping.
    rounds: u64,
    /// Tosses and iterations that kinds of gradients are compared with.
    compared: usize,
    compared_steps: u64,
}

impl Plan {
    fn of(quick: bool) -> Self {
        match quick {
            true => Plan {
                sizes: vec![10],
                seeds: 2,
                generations: 8,
                steps: 10,
                rounds: 1,
                compared: 4,
                compared_steps: 5,
            },
            false => Plan {
                sizes: vec![10, 30, 100, 300],
                seeds: 3,
                generations: 40,
                steps: 80,
                rounds: 6,
                compared: 32,
                compared_steps: 60,
            },
        }
    }
}

/// All that came of it.
struct Found {
    tosses: Split,
    matched: Matched,
    study: Study,
    tools: Vec<Tool>,
    /// How far the rigid and the compliant model part from themselves.
    divergence: [Summary; 2],
}

/// Reads the tosses.
pub(super) fn prepare(data: &DataFolder, quick: bool) -> anyhow::Result<Prepared> {
    let tosses = tosses::split(tosses::read(data, &cube::scene()?)?);
    let (seen, needed) = (tosses.seen.len(), Plan::of(quick).sizes.into_iter().max());
    if needed.is_some_and(|needed| seen < needed) {
        let path = super::tosses::FILE.path;
        bail!(
            "{path}: {seen} tosses to learn from are too few, {} are needed",
            needed.unwrap_or(0)
        );
    }
    Ok(Box::new(move |parts| experiment(&Plan::of(quick), tosses, parts)))
}

fn experiment(plan: &Plan, tosses: Split, parts: &Parts) -> anyhow::Result<Outcome> {
    let matched = parts.get("matched", || matched::matched(plan))?;
    let study = study::study(plan, &tosses, parts)?;
    let tools = parts.get("gradients", || gradients::compare(plan, &tosses))?;
    let divergence = [0, 1].map(|k| {
        let problem = CONTENDERS[k].problem(SEED)?;
        let best = &study.fitted[k][study.sizes.len() - 1][0];
        limits::divergence(&problem, &problem.numbers_of(&best.z)?, &tosses.held_out)
    });
    let [rigid, compliant] = divergence;
    let found = Found { divergence: [rigid?, compliant?], tosses, matched, study, tools };
    Ok(Outcome {
        title: "A cube is thrown".into(),
        lead: "Rigid throws matched by a soft contact with a friction network, and real tosses explained by \
               laws of contact with and without networks."
            .into(),
        sections: page::sections(&found),
        text: results::text(&found),
        json: results::json(&found),
    })
}

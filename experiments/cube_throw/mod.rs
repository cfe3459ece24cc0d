//! A thrown cube (NeuralSim's workshop paper). A compliant contact with a friction network is fitted to rigid throws,
//! and contact laws with and without networks are fitted to 400 measured tosses.

mod cube;
mod errors;
mod factors;
mod fit_folder;
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
use super::{Findings, Prepared};
use errors::Summary;
use gradients::Tool;
use matched::Matched;
use study::{CONTENDERS, Study};
use tosses::Split;

/// Seed of all random numbers.
const SEED: u64 = 1;

/// The extent of a run.
struct Plan {
    /// Number of training tosses in each set.
    sizes: Vec<usize>,
    /// How often each set is drawn.
    seeds: u64,
    /// Generations of the evolution strategy that identifies numbers, and steps of Adam that train networks.
    generations: u64,
    steps: u64,
    /// Rounds of basin hopping.
    rounds: u64,
    /// Tosses and iterations of the comparison of gradients.
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

/// All results.
struct Found {
    tosses: Split,
    matched: Matched,
    study: Study,
    tools: Vec<Tool>,
    /// Errors of the rigid and the compliant model against themselves, from noisy starts.
    divergence: [Summary; 2],
}

/// Reads the tosses.
pub(super) fn prepare(data: &DataFolder, quick: bool) -> anyhow::Result<Prepared> {
    let tosses = tosses::split(tosses::read(data, &cube::scene()?)?);
    let (seen, needed) = (tosses.seen.len(), Plan::of(quick).sizes.into_iter().max());
    if needed.is_some_and(|needed| seen < needed) {
        let path = super::tosses::FILE.path;
        bail!("{path}: only {seen} tosses for training, {} are needed", needed.unwrap_or(0));
    }
    Ok(Box::new(move |parts| experiment(&Plan::of(quick), tosses, parts)))
}

fn experiment(plan: &Plan, tosses: Split, parts: &Parts) -> anyhow::Result<Findings> {
    let matched = parts.get("matched", || matched::matched(plan))?;
    let study = study::study(plan, &tosses, parts)?;
    let tools = parts.get("gradients", || gradients::compare(plan, &tosses))?;
    let divergence = [0, 1].map(|k| {
        let problem = CONTENDERS[k].problem(SEED)?;
        let best = &study.fitted[k][study.sizes.len() - 1][0];
        limits::divergence(&problem, &problem.numbers_of(&best.z)?, &tosses.held_out)
    });
    for k in [0, 1] {
        let best = &study.fitted[k][study.sizes.len() - 1][0];
        let drawn = study::draw(&tosses.seen, study.sizes[study.sizes.len() - 1], 0);
        fit_folder::write(parts.results(), &CONTENDERS[k], &best.z, &drawn, &tosses.held_out)?;
    }
    let [rigid, compliant] = divergence;
    let found = Found { divergence: [rigid?, compliant?], tosses, matched, study, tools };
    Ok(Findings {
        title: "A thrown cube".into(),
        lead: "A soft contact with a friction network fitted to rigid throws, and contact laws with and without \
               networks fitted to real tosses."
            .into(),
        sections: page::sections(&found),
        text: results::text(&found),
        json: results::json(&found),
    })
}

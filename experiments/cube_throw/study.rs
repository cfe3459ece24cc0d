//! Fits contact laws to growing sets of tosses and evaluates them on held-out tosses.

use gradbody::contact::Solver;
use gradbody::learn::objective::NoiseLaw;
use gradbody::learn::optimise::{Adam, CmaEs, Decay, Limits, Method, Objective as _};
use gradbody::math::random::Random;
use serde::{Deserialize, Serialize};

use super::cube::Law;
use super::errors::{Summary, judge};
use super::factors::Factors;
use super::friction::Correction;
use super::problem::{Problem, Stretch};
use super::tosses::{Split, Toss};
use super::{Plan, SEED};
use crate::effort::{Effort, Found, minimise};
use crate::parts::Parts;

/// Errors up to this number of units count squared, larger ones linearly (Huber): few tosses can be predicted to their
/// end.
const NOISE: NoiseLaw = NoiseLaw::Huber(5.0);
/// Evolution strategy: initial spread relative to the ranges, and points per generation.
const SPREAD: f64 = 0.1;
const POPULATION: usize = 8;
/// Training of networks together with numbers: frames around the first impact and of later windows, windows per step
/// of Adam, and its first step length.
const STRETCH: Stretch = Stretch::Everything { impact: 30, window: 24 };
const BATCH: usize = 32;
const LEARNING_RATE: f64 = 5e-3;
/// Smallest number of times that Adam sees each window.
const PASSES: u64 = 3;

/// A contact law, its correction, and how it is fitted.
pub(super) struct Contender {
    pub(super) key: &'static str,
    pub(super) name: &'static str,
    pub(super) correction: Correction,
    /// The contender whose numbers it starts from, for training on short stretches; `None` if it is identified on whole
    /// tosses.
    from: Option<usize>,
    rigid: bool,
}

/// Index of the identified compliant law among the contenders.
const COMPLIANT: usize = 1;

/// In the order of the table.
pub(super) const CONTENDERS: [Contender; 5] = [
    Contender {
        key: "ncp",
        name: "rigid (NCP)",
        correction: Correction::None,
        from: None,
        rigid: true,
    },
    Contender {
        key: "hc",
        name: "Hunt-Crossley",
        correction: Correction::None,
        from: None,
        rigid: false,
    },
    Contender {
        key: "hc_short",
        name: "Hunt-Crossley, short stretches",
        correction: Correction::None,
        from: Some(COMPLIANT),
        rigid: false,
    },
    Contender {
        key: "hc_free",
        name: "the same + network",
        correction: Correction::Free,
        from: Some(COMPLIANT),
        rigid: false,
    },
    Contender {
        key: "hc_dissipative",
        name: "the same + dissipative network",
        correction: Correction::Dissipative,
        from: Some(COMPLIANT),
        rigid: false,
    },
];

/// The fit of a contender to one draw of tosses.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Fitted {
    /// Logarithms of factors, then weights.
    pub(super) z: Vec<f64>,
    /// Errors on held-out tosses.
    pub(super) held_out: Summary,
    pub(super) effort: Effort,
}

/// All fits: contender by contender, size by size, seed by seed.
pub(super) struct Study {
    pub(super) sizes: Vec<usize>,
    /// Errors of the rigid and the compliant law with published numbers.
    pub(super) published: [Summary; 2],
    pub(super) fitted: Vec<Vec<Vec<Fitted>>>,
}

impl Contender {
    pub(super) fn problem(&self, seed: u64) -> anyhow::Result<Problem> {
        let law = if self.rigid { Law::Rigid(Solver::default()) } else { Law::Compliant };
        Problem::new(law, law.numbers(), &self.correction.blueprint(seed))
    }
}

pub(super) fn study(plan: &Plan, tosses: &Split, parts: &Parts) -> anyhow::Result<Study> {
    let mut study = Study {
        sizes: plan.sizes.clone(),
        published: [published(&CONTENDERS[0], tosses)?, published(&CONTENDERS[1], tosses)?],
        fitted: Vec::new(),
    };
    for contender in &CONTENDERS {
        let mut by_size: Vec<Vec<Fitted>> = Vec::new();
        for (k, &size) in plan.sizes.iter().enumerate() {
            let mut by_seed: Vec<Fitted> = Vec::new();
            for seed in 0..plan.seeds {
                let drawn = draw(&tosses.seen, size, seed);
                let before = contender.from.map(|from| &study.fitted[from][k][seed as usize]);
                by_seed.push(parts.get(&format!("{}-{size}-{seed}", contender.key), || {
                    fit(contender, plan, &drawn, before, &tosses.held_out, seed)
                })?);
            }
            by_size.push(by_seed);
        }
        study.fitted.push(by_size);
    }
    Ok(study)
}

/// Draws this number of tosses at random.
pub(super) fn draw(tosses: &[Toss], size: usize, seed: u64) -> Vec<Toss> {
    let mut order: Vec<usize> = (0..tosses.len()).collect();
    Random::derived(SEED, &[size as u64, seed]).shuffle(&mut order);
    order.iter().take(size).map(|k| tosses[*k].clone()).collect()
}

fn published(contender: &Contender, tosses: &Split) -> anyhow::Result<Summary> {
    let problem = contender.problem(SEED)?;
    let fit = problem.fit(&[], Stretch::Whole, NOISE)?;
    let errors = judge(&problem, &fit.initial(), &tosses.held_out)?;
    Ok(Summary::of(&tosses.held_out, &errors))
}

/// Fits numbers by an evolution strategy on whole tosses, or numbers and weights by Adam on short stretches, starting
/// from identified numbers.
fn fit(
    contender: &Contender,
    plan: &Plan,
    drawn: &[Toss],
    before: Option<&Fitted>,
    held_out: &[Toss],
    seed: u64,
) -> anyhow::Result<Fitted> {
    let problem = contender.problem(SEED + seed)?;
    let what = format!("{}, {} tosses", contender.name, drawn.len());
    let (x, found) = match before {
        None => identify(&problem, plan, drawn, seed, &what)?,
        Some(before) => train(&problem, plan, drawn, &before.z, seed, &what)?,
    };
    let held_out = Summary::of(held_out, &judge(&problem, &x, held_out)?);
    Ok(Fitted { z: found.x, held_out, effort: found.effort })
}

fn identify(
    problem: &Problem,
    plan: &Plan,
    drawn: &[Toss],
    seed: u64,
    what: &str,
) -> anyhow::Result<(Vec<f64>, Found)> {
    let fit = problem.fit(drawn, Stretch::Whole, NOISE)?;
    let factors = Factors::new(&fit, &problem.numbers);
    let options = CmaEs { spread: SPREAD, population: POPULATION, ..CmaEs::default() };
    let how = (&Method::CmaEs(options), &Limits::iterations(plan.generations));
    let start = vec![0.0; problem.numbers.len()];
    let found = minimise(&factors, how, start, SEED + seed, (what, fit.windows.len()))?;
    Ok((factors.spread(&found.x), found))
}

fn train(
    problem: &Problem,
    plan: &Plan,
    drawn: &[Toss],
    identified: &[f64],
    seed: u64,
    what: &str,
) -> anyhow::Result<(Vec<f64>, Found)> {
    let mut fit = problem.fit(drawn, STRETCH, NOISE)?;
    fit.windows_in_part = BATCH;
    let start: Vec<f64> = identified.iter().chain(&problem.weights).copied().collect();
    let factors = Factors::new(&fit, &problem.numbers);
    // Larger sets need more steps, so that each window is seen at least this often.
    let steps = plan.steps.max(PASSES * factors.parts() as u64);
    let decay = Decay::Cosine { steps };
    let adam = Adam { learning_rate: LEARNING_RATE, decay, ..Adam::default() };
    let how = (&Method::Adam(adam), &Limits::iterations(steps));
    let found = minimise(&factors, how, start, SEED + seed, (what, fit.windows.len()))?;
    Ok((factors.spread(&found.x), found))
}

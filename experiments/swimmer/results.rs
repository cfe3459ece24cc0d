//! Evaluates every method for every swimmer in every medium, on test motions.
//!
//! All methods are trained on the same motions and on their mirror images.

use gradbody::learn::baseline::TrainedBaseline;

use super::corrected::Corrected;
use super::errors::Errors;
use super::networks::Correction;
use super::recorded::{self, MEDIA, Medium, Motion, Recorded, SWIMMERS, Swimmer};
use super::training::{self, Trained, missing_force};
use super::{Plan, TEST_STEPS, fit_folder, recurrent};
use crate::effort::Effort;
use crate::parts::Parts;

/// A method of prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Method {
    /// The model with a replacement of the medium.
    Model(Correction),
    /// The model with the links' network that was trained on the swimmer of two links.
    CarriedOver,
    /// A network without a model.
    Recurrent,
}

impl Method {
    pub(super) fn title(self) -> &'static str {
        match self {
            Method::Model(Correction::None) => "model alone",
            Method::Model(Correction::Torques) => "model + ψ(q, q̇) on τ",
            Method::Model(Correction::OwnAxes) => "model + ψ in its own axes",
            Method::Model(Correction::Wrenches) => "model + wrench on each link",
            Method::Model(Correction::Dissipative) => "the same, dissipative",
            Method::CarriedOver => "wrenches learned with two links",
            Method::Recurrent => "LSTM",
        }
    }

    /// Its name in file names and in JSON.
    pub(super) fn key(self) -> &'static str {
        match self {
            Method::Model(Correction::None) => "plain",
            Method::Model(Correction::Torques) => "torques",
            Method::Model(Correction::OwnAxes) => "torques_own_axes",
            Method::Model(Correction::Wrenches) => "wrenches",
            Method::Model(Correction::Dissipative) => "wrenches_dissipative",
            Method::CarriedOver => "wrenches_carried_over",
            Method::Recurrent => "lstm",
        }
    }
}

/// The trained corrections, in the order of the tables.
const CORRECTIONS: [Correction; 4] =
    [Correction::Torques, Correction::OwnAxes, Correction::Wrenches, Correction::Dissipative];
/// The case in which ψ in the world's axes is evaluated too, as in NeuralSim.
const AS_PUBLISHED: (Swimmer, Medium) = (SWIMMERS[0], MEDIA[1]);

/// The predictions of the test motions by one trained method.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The weights of its networks.
    weights: Vec<f64>,
    pub(super) errors: Errors,
    /// The positions of the first test motion at its recorded steps, up to divergence.
    pub(super) example: Vec<Vec<f64>>,
}

/// A method, with a run for each seed.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) method: Method,
    /// The number of learned weights.
    pub(super) weights: usize,
    pub(super) runs: Vec<Run>,
    pub(super) effort: Effort,
}

/// A swimmer in a medium.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) swimmer: Swimmer,
    pub(super) medium: Medium,
    /// The size of the force that the plain model lacks [N].
    force: f64,
    /// The first test motion.
    pub(super) example: Motion,
    pub(super) judged: Vec<Judged>,
}

impl Case {
    pub(super) fn of(&self, method: Method) -> Option<&Judged> {
        self.judged.iter().find(|judged| judged.method == method)
    }
}

/// Runs all cases, part by part.
pub(super) fn run(plan: &Plan, parts: &Parts) -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for swimmer in SWIMMERS {
        for medium in MEDIA.into_iter().filter(|medium| plan.seeds(*medium) > 0) {
            let bench = Bench::new(swimmer, medium, plan, parts)?;
            let mut case = bench.case()?;
            if let Some(other) = cases.iter().find(|other: &&Case| other.medium == medium) {
                case.judged.push(bench.carried_over(other)?);
            }
            cases.push(case);
        }
    }
    Ok(cases)
}

/// A swimmer in a medium, on which methods are evaluated.
struct Bench<'a> {
    recorded: Recorded,
    plain: Corrected,
    /// The size of the force that is missing [N].
    force: f64,
    plan: &'a Plan,
    parts: &'a Parts,
}

impl<'a> Bench<'a> {
    fn new(
        swimmer: Swimmer,
        medium: Medium,
        plan: &'a Plan,
        parts: &'a Parts,
    ) -> anyhow::Result<Self> {
        let plain = Corrected::new(swimmer, &Correction::None.networks(swimmer, 1.0, 0))?;
        let mut recorded = recorded::read(swimmer, medium, &plain.model)?;
        let mirrored: Vec<Motion> = recorded.train.iter().map(Motion::mirrored).collect();
        recorded.train.extend(mirrored);
        let force = missing_force(&plain, &recorded.train);
        Ok(Bench { recorded, plain, force, plan, parts })
    }

    fn case(&self) -> anyhow::Result<Case> {
        let Recorded { swimmer, medium, .. } = self.recorded;
        let mut judged = vec![self.plain(), self.recurrent()?];
        for correction in CORRECTIONS {
            if correction != Correction::Torques || (swimmer, medium) == AS_PUBLISHED {
                judged.push(self.corrected(correction)?);
            }
        }
        Ok(Case {
            swimmer,
            medium,
            force: self.force,
            example: self.recorded.test[0].clone(),
            judged,
        })
    }

    fn plain(&self) -> Judged {
        let method = Method::Model(Correction::None);
        let runs = vec![self.run(&self.plain)];
        Judged { method, weights: 0, runs, effort: Effort::default() }
    }

    fn corrected(&self, correction: Correction) -> anyhow::Result<Judged> {
        let (mut runs, mut effort, mut weights) = (Vec::new(), Effort::default(), 0);
        for seed in 1..=self.plan.seeds(self.recorded.medium) {
            let (model, trained) = self.trained(correction, seed)?;
            effort = effort.and(trained.effort);
            weights = model.n_learned();
            let model = model.with_weights(trained.weights)?;
            if correction == Correction::Wrenches && seed == 1 {
                self.write_fit(correction, seed, &model)?;
            }
            runs.push(self.run(&model));
        }
        Ok(Judged { method: Method::Model(correction), weights, runs, effort })
    }

    /// Writes the networks of a trained model as the folder of a fit. The mirrored motions are left out.
    fn write_fit(
        &self,
        correction: Correction,
        seed: u64,
        model: &Corrected,
    ) -> anyhow::Result<()> {
        let mut recorded = self.recorded.clone();
        recorded.train.truncate(recorded.train.len() / 2);
        let Recorded { swimmer, medium, .. } = recorded;
        let networks = correction.networks(swimmer, self.force, seed);
        let folder = format!("fit-{}-{}", swimmer.key, medium.key);
        fit_folder::write(&self.parts.results().join(folder), &recorded, &networks, model)
    }

    /// Trains the networks of a model from their initial weights.
    fn trained(&self, correction: Correction, seed: u64) -> anyhow::Result<(Corrected, Trained)> {
        let Recorded { swimmer, medium, .. } = self.recorded;
        let networks = correction.networks(swimmer, self.force, seed);
        let model = Corrected::new(swimmer, &networks)?;
        let name = self.name(Method::Model(correction), seed);
        let what = format!("{}, {}", swimmer.title, medium.title);
        let trained = self.parts.get(&name, || {
            let stages = training::stages(correction, self.plan.share);
            training::train(model.clone(), &self.recorded.train, &stages, seed, &what)
        })?;
        Ok((model, trained))
    }

    /// Evaluates the links' network of another swimmer, trained in this medium, on this one.
    fn carried_over(&self, other: &Case) -> anyhow::Result<Judged> {
        let correction = Correction::Wrenches;
        let networks = correction.networks(self.recorded.swimmer, other.force, 0);
        let model = Corrected::new(self.recorded.swimmer, &networks)?;
        let mut runs = Vec::new();
        for run in other.of(Method::Model(correction)).iter().flat_map(|judged| &judged.runs) {
            runs.push(self.run(&model.with_weights(run.weights.clone())?));
        }
        let (method, weights) = (Method::CarriedOver, model.n_learned());
        Ok(Judged { method, weights, runs, effort: Effort::default() })
    }

    fn recurrent(&self) -> anyhow::Result<Judged> {
        let Recorded { swimmer, medium, .. } = self.recorded;
        let (mut runs, mut weights) = (Vec::new(), 0);
        for seed in 1..=self.plan.seeds(self.recorded.medium) {
            let what = format!("{}, {}: LSTM", swimmer.title, medium.title);
            let network: TrainedBaseline =
                self.parts.get(&self.name(Method::Recurrent, seed), || {
                    let steps = self.plan.recurrent_steps;
                    recurrent::train(&self.recorded.train, steps, seed, &what)
                })?;
            weights = network.n_weights();
            let predict = |motion| recurrent::predict(&network, motion, TEST_STEPS);
            let predicted: anyhow::Result<Vec<_>> =
                self.recorded.test.iter().map(predict).collect();
            runs.push(self.judge(network.weights(), &predicted?));
        }
        Ok(Judged { method: Method::Recurrent, weights, runs, effort: Effort::default() })
    }

    fn run(&self, model: &Corrected) -> Run {
        let predict = |motion| model.predict(motion, TEST_STEPS);
        let predicted: Vec<_> = self.recorded.test.iter().map(predict).collect();
        self.judge(&model.bound.weights, &predicted)
    }

    fn judge(&self, weights: &[f64], predicted: &[Vec<Vec<f64>>]) -> Run {
        let test = &self.recorded.test;
        let of_first = test.first().zip(predicted.first());
        let example = of_first.map_or_else(Vec::new, |(motion, rows)| {
            motion.steps.iter().map_while(|step| rows.get(step - 1).cloned()).collect()
        });
        Run { weights: weights.to_vec(), errors: Errors::of(test, predicted), example }
    }

    fn name(&self, method: Method, seed: u64) -> String {
        let Recorded { swimmer, medium, .. } = self.recorded;
        format!("{}-{}-{}-{seed}", swimmer.key, medium.key, method.key())
    }
}

//! A bound blueprint: indices and networks, no names.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use gradbody_model::{LinkId, ParamId};
use gradbody_neural::{
    Conservative, Dissipative, Initial, NamedWeights, Network, WeightsFile, write_weights,
};

use crate::{
    Augmentation, Blueprint, BlueprintError, ContactSignal, Mode, Pair, Prior, Signal, Stage,
};

/// A blueprint bound to models of one structure: indices, no names.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) blueprint: Blueprint,
    /// Networks with their own weights, and their names.
    pub(crate) groups: Vec<Group>,
    pub(crate) pieces: Vec<Piece>,
    /// Pieces of each stage, in the order in which they run.
    pub(crate) at: Vec<Vec<usize>>,
    /// The slots of the table that each stage records.
    pub(crate) reads: Vec<Vec<Slot>>,
    /// Slots whose values of past steps are remembered.
    pub(crate) registers: Vec<Register>,
    /// Numbers of the model that change.
    pub(crate) params: Vec<ParamId>,
    /// Velocity coordinates whose passive force is replaced.
    pub(crate) replaced: Vec<usize>,
    /// The gap at which forces that are added at rigid contacts have faded to zero [m], positive.
    pub(crate) fade: f64,
    pub(crate) n_slots: usize,
    pub(crate) n_weights: usize,
    pub(crate) n_memory: usize,
}

/// Weights of one network.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) augmentation: usize,
    pub(crate) network: Network,
    pub(crate) weights: Range<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) slot: usize,
    pub(crate) signal: Signal,
}

/// A shift register in the memory: the last values of a slot, the newest first.
#[derive(Clone, Debug)]
pub(crate) struct Register {
    pub(crate) slot: usize,
    pub(crate) memory: Range<usize>,
}

/// One network at its place in the step.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) stage: Stage,
    pub(crate) network: Network,
    pub(crate) weights: Range<usize>,
    pub(crate) inputs: Vec<InputAt>,
    pub(crate) outputs: Vec<Signal>,
    pub(crate) mode: Mode,
    pub(crate) head: Head,
    pub(crate) output_scale: f64,
    /// The memory of a recurrent network.
    pub(crate) memory: Range<usize>,
    /// The contacts it is at, if any.
    pub(crate) pair: Option<Pair>,
    /// The name of its weights.
    pub(crate) name: String,
}

impl Piece {
    /// Whether it reads forces of the contact that it is at.
    pub(crate) fn reads_forces(&self) -> bool {
        use ContactSignal::{Friction, NormalForce};
        let force = |s: &Signal| matches!(s, Signal::Contact(_, NormalForce | Friction(_)));
        self.inputs.iter().any(|input| matches!(&input.source, Source::Here(s) if force(s)))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct InputAt {
    pub(crate) source: Source,
    pub(crate) mean: f64,
    /// One over the scale.
    pub(crate) rate: f64,
}

/// Where an input comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// A recorded value.
    Slot(usize),
    /// The current value at the piece's own place: what it is about to change, or its own contact.
    Here(Signal),
    /// A number of the memory.
    Past(usize),
}

/// Turns a network's outputs into corrections.
#[derive(Clone, Debug)]
pub(crate) enum Head {
    Free,
    /// With the velocities that the forces do work on.
    Dissipative(Dissipative, Vec<Source>),
    Conservative(Conservative),
    /// A force, and a torque if true.
    Symmetric([LinkId; 2], bool),
}

impl Plan {
    /// The blueprint it was bound from.
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// Number of weights of all networks.
    pub fn n_weights(&self) -> usize {
        self.n_weights
    }

    /// Number of values remembered from step to step: the length of [`State::memory`](gradbody_sim::State).
    pub fn n_memory(&self) -> usize {
        self.n_memory
    }

    /// Number of [`Input::signals`](gradbody_sim::Input::signals) that are read.
    pub fn n_signals(&self) -> usize {
        let read = self.reads.iter().flatten().map(|slot| match slot.signal {
            Signal::User(k) => k + 1,
            _ => 0,
        });
        read.max().unwrap_or(0)
    }

    /// Each set of weights: its name, its network, and its range among all weights.
    pub fn networks(&self) -> impl Iterator<Item = (&str, &Network, Range<usize>)> {
        self.groups.iter().map(|g| (g.name.as_str(), &g.network, g.weights.clone()))
    }

    /// Initial weights, as the blueprint says; networks of one augmentation have different seeds.
    pub fn initial_weights(&self) -> Vec<f64> {
        let mut weights = Vec::with_capacity(self.n_weights);
        for (i, group) in self.groups.iter().enumerate() {
            let mut initial = self.blueprint.augmentations[group.augmentation].initial;
            initial.seed = initial.seed.wrapping_add(i as u64);
            weights.extend(group.network.initial_weights(&initial));
        }
        weights
    }

    /// The penalty of the blueprint's priors; adds its gradient to `weights_bar`. At exactly zero, the slope of an
    /// absolute value or a length counts as zero.
    pub fn penalty(&self, weights: &[f64], weights_bar: &mut [f64]) -> Result<f64, BlueprintError> {
        self.check_weights(weights)?;
        self.check_weights(weights_bar)?;
        let mut cost = 0.0;
        for group in &self.groups {
            let prior = self.blueprint.augmentations[group.augmentation].prior;
            let matrices = group.network.parameters().into_iter().filter(|p| !p.is_bias());
            for matrix in matrices.filter(|p| p.shape.len() == 2) {
                let from = group.weights.start;
                let range = from + matrix.range.start..from + matrix.range.end;
                let (w, bar) = (&weights[range.clone()], &mut weights_bar[range]);
                // The matrix on the memory of a recurrent unit does not belong to an input.
                let of_memory = matrix.name.contains("weight_hh");
                cost += if matrix.layer == Some(0) && !of_memory {
                    // All weights of one input are consecutive.
                    let outputs = matrix.shape[0];
                    w.chunks(outputs).zip(bar.chunks_mut(outputs)).fold(0.0, |sum, (w, bar)| {
                        sum + l1(prior.l1_inputs, w, bar) + length(prior.group_inputs, w, bar)
                    })
                } else {
                    l2(prior.l2, w, bar)
                };
            }
        }
        Ok(cost)
    }

    /// Writes weights, with the blueprint, to a safetensors file.
    pub fn save(&self, path: impl AsRef<Path>, weights: &[f64]) -> Result<(), BlueprintError> {
        self.check_weights(weights)?;
        let named = self.groups.iter().map(|group| NamedWeights {
            name: &group.name,
            network: &group.network,
            weights: &weights[group.weights.clone()],
        });
        let tensors: Vec<NamedWeights<'_>> = named.collect();
        let metadata = BTreeMap::from([("blueprint".to_owned(), self.blueprint.to_json())]);
        Ok(write_weights(path.as_ref(), &tensors, &metadata)?)
    }

    /// Reads weights that [`Plan::save`] wrote, for this blueprint or one that differs only in initialisation and
    /// priors.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Vec<f64>, BlueprintError> {
        let file = WeightsFile::open(path.as_ref())?;
        if let Some(text) = file.metadata().get("blueprint") {
            let theirs = essence(&Blueprint::from_json(text)?);
            let ours = essence(&self.blueprint);
            let differs = |(a, b): &(&Augmentation, &Augmentation)| a != b;
            let pairs = theirs.augmentations.iter().zip(&ours.augmentations);
            if theirs != ours {
                let first = pairs.into_iter().find(differs).map(|(a, _)| a.name.clone());
                let path = path.as_ref().display().to_string();
                return Err(BlueprintError::OtherBlueprint { path, augmentation: first });
            }
        }
        let mut weights = Vec::with_capacity(self.n_weights);
        for group in &self.groups {
            weights.extend(file.weights(&group.name, &group.network)?);
        }
        Ok(weights)
    }

    /// Slots that read contacts before the end of a step.
    pub(crate) fn contact_slots(&self) -> impl Iterator<Item = usize> {
        let stages = [Stage::Contacts, Stage::ContactForces];
        stages.into_iter().flat_map(|s| &self.reads[s.index()]).map(|read| read.slot)
    }

    pub(crate) fn check_weights<T>(&self, weights: &[T]) -> Result<(), BlueprintError> {
        let (given, needed) = (weights.len(), self.n_weights);
        if given == needed { Ok(()) } else { Err(BlueprintError::WeightCount { given, needed }) }
    }
}

impl Blueprint {
    /// The blueprint in a file of weights.
    pub fn from_weights(path: impl AsRef<Path>) -> Result<Self, BlueprintError> {
        let path = path.as_ref();
        let file = WeightsFile::open(path)?;
        match file.metadata().get("blueprint") {
            Some(text) => Blueprint::from_json(text),
            None => Err(BlueprintError::NoBlueprint(path.display().to_string())),
        }
    }
}

/// A blueprint without initialisation and priors.
fn essence(blueprint: &Blueprint) -> Blueprint {
    let mut blueprint = blueprint.clone();
    for augmentation in &mut blueprint.augmentations {
        augmentation.initial = Initial::default();
        augmentation.prior = Prior::default();
    }
    blueprint
}

fn l1(factor: f64, w: &[f64], bar: &mut [f64]) -> f64 {
    let sign = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
    bar.iter_mut().zip(w).for_each(|(bar, w)| *bar += factor * sign(*w));
    factor * w.iter().map(|w| w.abs()).sum::<f64>()
}

fn length(factor: f64, w: &[f64], bar: &mut [f64]) -> f64 {
    let length = w.iter().map(|w| w * w).sum::<f64>().sqrt();
    if length > 0.0 {
        bar.iter_mut().zip(w).for_each(|(bar, w)| *bar += factor * w / length);
    }
    factor * length
}

fn l2(factor: f64, w: &[f64], bar: &mut [f64]) -> f64 {
    bar.iter_mut().zip(w).for_each(|(bar, w)| *bar += factor * w);
    factor * 0.5 * w.iter().map(|w| w * w).sum::<f64>()
}

//! Weight files, in the safetensors format.
//!
//! A file holds the weights of one or more networks, with a tensor for each parameter in PyTorch's names and layout,
//! and metadata strings. It is written completely or not at all.

use core::fmt;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gradbody_math::names;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use thiserror::Error;

use crate::Network;
use crate::tensors::{NamedTensor, full_name, write_tensors};

/// The weights of one network in a file.
#[derive(Clone, Copy, Debug)]
pub struct NamedWeights<'a> {
    /// Prefix of its tensors' names: with `knee` they are `knee.layers.0.weight` and so on. Empty if the file holds
    /// only this network.
    pub name: &'a str,
    /// The network.
    pub network: &'a Network,
    /// Its weights, (n_weights).
    pub weights: &'a [f64],
}

/// A weight file cannot be used.
#[derive(Debug, Error)]
#[error("{path}: {kind}", path = path.display())]
pub struct WeightsError {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub kind: WeightsTrouble,
}

/// What can be wrong with a weight file.
#[derive(Debug, Error)]
pub enum WeightsTrouble {
    /// The file cannot be read or written.
    #[error("{0}")]
    Io(io::Error),
    /// The file is not in the safetensors format.
    #[error("not a safetensors file: {0}")]
    Format(String),
    /// A tensor is missing.
    #[error(
        "tensor \"{tensor}\" of shape {expected} is missing{}",
        names::hint(hint.as_deref())
    )]
    Missing {
        /// Its name.
        tensor: String,
        /// Its shape.
        expected: Shape,
        /// The most similar tensor name in the file.
        hint: Option<String>,
    },
    /// A tensor has a different shape than in the network.
    #[error("tensor \"{tensor}\" has shape {found}, but the network has {expected}")]
    Shape {
        /// Its name.
        tensor: String,
        /// The network's shape.
        expected: Shape,
        /// The file's shape.
        found: Shape,
    },
    /// A tensor has an unsupported type of numbers.
    #[error("tensor \"{tensor}\" holds {found} numbers; only F64 and F32 are supported")]
    Type {
        /// Its name.
        tensor: String,
        /// The file's type of numbers.
        found: String,
    },
    /// A tensor holds infinity or NaN.
    #[error("tensor \"{tensor}\" holds a number that is not finite, at index {place}")]
    NotFinite {
        /// Its name.
        tensor: String,
        /// Its index, row by row from 0.
        place: usize,
    },
    /// A tensor does not belong to any parameter.
    #[error("tensor \"{tensor}\" of shape {found} does not belong to the network")]
    Unexpected {
        /// Its name.
        tensor: String,
        /// Its shape.
        found: Shape,
    },
    /// The file as a whole does not fit.
    #[error("{0}")]
    Unfit(String),
}

/// A tensor's shape, written as `[10, 4]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(pub Vec<usize>);

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// Writes the weights of networks and the strings of `metadata` to a file, replacing an existing one.
///
/// The same arguments give the same bytes.
///
/// # Panics
/// If a network has the wrong number of weights.
pub fn write_weights(
    path: impl AsRef<Path>,
    networks: &[NamedWeights],
    metadata: &BTreeMap<String, String>,
) -> Result<(), WeightsError> {
    for (k, network) in networks.iter().enumerate() {
        let name = network.name;
        if networks[..k].iter().any(|other| other.name == name) {
            let message = format!("two networks are named \"{name}\": their tensors would collide");
            let path = path.as_ref().to_path_buf();
            return Err(WeightsError { path, kind: WeightsTrouble::Unfit(message) });
        }
    }
    let of = |named: &NamedWeights<'_>| {
        NamedTensor::of_network_f64(named.name, named.network, named.weights)
    };
    let tensors: Vec<NamedTensor> = networks.iter().flat_map(of).collect();
    write_tensors(path, &tensors, metadata)
}

/// A weight file in memory.
#[derive(Clone, Debug)]
pub struct WeightsFile {
    path: PathBuf,
    metadata: BTreeMap<String, String>,
    tensors: BTreeMap<String, Tensor>,
}

#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    pub(crate) shape: Vec<usize>,
    numbers: Result<Vec<f64>, String>,
}

impl WeightsFile {
    /// Reads a file.
    pub fn open(path: impl AsRef<Path>) -> Result<WeightsFile, WeightsError> {
        let path = path.as_ref().to_path_buf();
        match read(&path) {
            Ok((metadata, tensors)) => Ok(WeightsFile { path, metadata, tensors }),
            Err(kind) => Err(WeightsError { path, kind }),
        }
    }

    /// The metadata strings.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// The names of the tensors.
    pub fn tensor_names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// The weights of the network that was written as `name`. Fails if they do not fit.
    pub fn weights(&self, name: &str, network: &Network) -> Result<Vec<f64>, WeightsError> {
        let mut weights = vec![0.0; network.n_weights()];
        let mut expected: Vec<String> = Vec::new();
        for parameter in network.parameters() {
            let tensor = full_name(name, &parameter.name);
            let numbers = self.numbers(&tensor, &parameter.shape)?;
            for (i, number) in numbers.iter().enumerate() {
                weights[parameter.index(i)] = *number;
            }
            expected.push(tensor);
        }
        let start = full_name(name, "");
        // Excludes networks whose names only begin with this one's.
        let is_own = |tensor: &String| {
            let rest = tensor.strip_prefix(&start);
            rest.is_some_and(|rest| rest.starts_with("layers.") || rest == "input_bias")
        };
        let is_left = |tensor: &&String| is_own(tensor) && !expected.contains(tensor);
        match self.tensors.keys().find(is_left) {
            None => Ok(weights),
            Some(tensor) => {
                let found = Shape(self.tensors[tensor].shape.clone());
                Err(self.fail(WeightsTrouble::Unexpected { tensor: tensor.clone(), found }))
            }
        }
    }

    pub(crate) fn tensors(&self) -> &BTreeMap<String, Tensor> {
        &self.tensors
    }

    pub(crate) fn fail(&self, kind: WeightsTrouble) -> WeightsError {
        WeightsError { path: self.path.clone(), kind }
    }

    /// The numbers of a tensor, row by row. Fails if it is missing, has another shape, or is not of finite numbers.
    pub fn numbers(&self, name: &str, shape: &[usize]) -> Result<&[f64], WeightsError> {
        let Some(tensor) = self.tensors.get(name) else {
            let tensor = name.to_string();
            let known = self.tensors.keys().map(String::as_str);
            let hint = names::nearest(name, known).map(str::to_owned);
            let expected = Shape(shape.to_vec());
            return Err(self.fail(WeightsTrouble::Missing { tensor, expected, hint }));
        };
        if tensor.shape != shape {
            let (expected, found) = (Shape(shape.to_vec()), Shape(tensor.shape.clone()));
            let tensor = name.to_string();
            return Err(self.fail(WeightsTrouble::Shape { tensor, expected, found }));
        }
        let numbers = tensor.numbers.as_ref().map_err(|found| {
            self.fail(WeightsTrouble::Type { tensor: name.to_string(), found: found.clone() })
        })?;
        match numbers.iter().position(|x| !x.is_finite()) {
            None => Ok(numbers),
            Some(place) => {
                Err(self.fail(WeightsTrouble::NotFinite { tensor: name.to_string(), place }))
            }
        }
    }
}

type Contents = (BTreeMap<String, String>, BTreeMap<String, Tensor>);

fn read(path: &Path) -> Result<Contents, WeightsTrouble> {
    let bytes = fs::read(path).map_err(WeightsTrouble::Io)?;
    let format = |error: safetensors::SafeTensorError| WeightsTrouble::Format(error.to_string());
    let file = SafeTensors::deserialize(&bytes).map_err(format)?;
    let (_, header) = SafeTensors::read_metadata(&bytes).map_err(format)?;
    let metadata = header.metadata().iter().flatten();
    let metadata = metadata.map(|(key, value)| (key.clone(), value.clone())).collect();
    let tensors = file.iter().map(|(name, view)| (name.to_string(), tensor(&view))).collect();
    Ok((metadata, tensors))
}

fn tensor(view: &TensorView) -> Tensor {
    let numbers = match view.dtype() {
        Dtype::F64 => {
            Ok(view.data().as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect())
        }
        Dtype::F32 => {
            let numbers = view.data().as_chunks().0.iter();
            Ok(numbers.map(|b| f64::from(f32::from_le_bytes(*b))).collect())
        }
        other => Err(format!("{other:?}")),
    };
    Tensor { shape: view.shape().to_vec(), numbers }
}

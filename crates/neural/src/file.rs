//! Weight files, in the safetensors format.
//!
//! A file holds the weights of one or more networks, a tensor for each parameter with PyTorch's
//! names and layout, and strings of any kind beside them. It is written whole or not at all.

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::Network;

/// The weights of one network in a file.
#[derive(Clone, Copy, Debug)]
pub struct NamedWeights<'a> {
    /// What stands before the names of its tensors: with `knee` they are `knee.layers.0.weight` and
    /// so on. Empty if the file holds only this network.
    pub name: &'a str,
    /// The network.
    pub network: &'a Network,
    /// Its weights, (n_weights).
    pub weights: &'a [f64],
}

/// What is wrong with a weight file.
#[derive(Debug, Error)]
#[error("{path}: {kind}", path = path.display())]
pub struct WeightsError {
    /// The file.
    pub path: PathBuf,
    /// The trouble.
    pub kind: WeightsTrouble,
}

/// What can be wrong with a weight file.
#[derive(Debug, Error)]
pub enum WeightsTrouble {
    /// The file cannot be read or written.
    #[error("{0}")]
    Io(io::Error),
    /// The file is not in the format.
    #[error("not a safetensors file: {0}")]
    Format(String),
    /// A tensor is not there.
    #[error(
        "tensor \"{tensor}\" of shape {expected} is missing{}",
        hint.as_ref().map(|name| format!("; did you mean \"{name}\"?")).unwrap_or_default()
    )]
    Missing {
        /// Its name.
        tensor: String,
        /// Its shape.
        expected: Shape,
        /// The tensor of the file whose name is nearest.
        hint: Option<String>,
    },
    /// A tensor has another shape than the network.
    #[error("tensor \"{tensor}\" has shape {found}, but the network has {expected}")]
    Shape {
        /// Its name.
        tensor: String,
        /// The network's shape.
        expected: Shape,
        /// The file's shape.
        found: Shape,
    },
    /// A tensor's numbers are of a kind that is not read.
    #[error("tensor \"{tensor}\" holds {found} numbers; only F64 and F32 are read")]
    Type {
        /// Its name.
        tensor: String,
        /// The file's kind of number.
        found: String,
    },
    /// A tensor holds infinity or NaN.
    #[error("tensor \"{tensor}\" holds a number that is not finite, at place {place}")]
    NotFinite {
        /// Its name.
        tensor: String,
        /// The place in it, row by row from 0.
        place: usize,
    },
    /// A tensor belongs to no parameter.
    #[error("tensor \"{tensor}\" of shape {found} has no place in the network")]
    Unexpected {
        /// Its name.
        tensor: String,
        /// Its shape.
        found: Shape,
    },
    /// Something about the file as a whole.
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

/// Writes the weights of networks and the strings of `metadata` to a file, in place of what is
/// there.
///
/// The same arguments give the same bytes.
///
/// # Panics
/// If a network has not the number of weights given for it.
pub fn write_weights(
    path: impl AsRef<Path>,
    networks: &[NamedWeights],
    metadata: &BTreeMap<String, String>,
) -> Result<(), WeightsError> {
    let path = path.as_ref();
    let fail = |kind| WeightsError { path: path.to_path_buf(), kind };
    // The safetensors crate's own writer puts metadata in an order that changes from run to run.
    let mut header = Map::new();
    if !metadata.is_empty() {
        header.insert("__metadata__".to_string(), json!(metadata));
    }
    let mut data = Vec::new();
    for NamedWeights { name, network, weights } in networks {
        assert!(weights.len() == network.n_weights(), "n_weights numbers");
        for parameter in network.parameters() {
            let start = data.len();
            for i in 0..parameter.range.len() {
                data.extend(weights[parameter.index(i)].to_le_bytes());
            }
            let tensor = full_name(name, &parameter.name);
            let (shape, offsets) = (parameter.shape, [start, data.len()]);
            let place = json!({"dtype": "F64", "shape": shape, "data_offsets": offsets});
            if header.insert(tensor, place).is_some() {
                let message =
                    format!("two networks are called \"{name}\": their tensors would mix");
                return Err(fail(WeightsTrouble::Unfit(message)));
            }
        }
    }
    let mut header = Value::Object(header).to_string().into_bytes();
    // The data start at a multiple of eight bytes.
    header.resize(header.len().next_multiple_of(8), b' ');
    let length = (header.len() as u64).to_le_bytes();
    replace(path, &[&length, &header, &data]).map_err(|error| fail(WeightsTrouble::Io(error)))
}

/// Writes a file beside `path` and puts it in its place when it is whole.
fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    // A name of its own for each call, here and in other processes.
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let mut beside = name.to_os_string();
    beside.push(format!(".{}-{call}.part", std::process::id()));
    let beside = path.with_file_name(beside);
    let write = || {
        let mut file = fs::File::create(&beside)?;
        for part in parts {
            file.write_all(part)?;
        }
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().inspect_err(|_| {
        // The error that stopped the writing is the one to report.
        let _ = fs::remove_file(&beside);
    })
}

fn full_name(network: &str, parameter: &str) -> String {
    if network.is_empty() { parameter.to_string() } else { format!("{network}.{parameter}") }
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

    /// The strings beside the weights.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// The names of the tensors.
    pub fn tensor_names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// The weights of the network that was written as `name`.
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
        // Not those of another network whose name goes on after this one's.
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

    /// The numbers of a tensor, row by row.
    pub(crate) fn numbers(&self, name: &str, shape: &[usize]) -> Result<&[f64], WeightsError> {
        let Some(tensor) = self.tensors.get(name) else {
            let tensor = name.to_string();
            let hint = nearest(name, self.tensors.keys());
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

fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a String>) -> Option<String> {
    let scored = names.map(|candidate| (strsim::jaro_winkler(name, candidate), candidate));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(score, _)| *score > 0.8).map(|(_, candidate)| candidate.clone())
}

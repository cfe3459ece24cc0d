//! Named tensors, and the safetensors files that hold them.
//!
//! A file is written completely or not at all, and the same tensors give the same bytes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::{Network, WeightsError, WeightsTrouble};

/// A tensor to be written to a file.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTensor {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its numbers, row by row.
    pub numbers: Numbers,
}

/// The numbers of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// Double precision.
    F64(Vec<f64>),
    /// Single precision.
    F32(Vec<f32>),
}

impl NamedTensor {
    /// The tensors of a network in single precision, one for each parameter, in PyTorch's names and layout, with `name`
    /// before each.
    ///
    /// # Panics
    /// If the network has another number of weights.
    pub fn of_network(name: &str, network: &Network, weights: &[f32]) -> Vec<NamedTensor> {
        tensors(name, network, weights.len(), |at| {
            Numbers::F32(at.iter().map(|i| weights[*i]).collect())
        })
    }

    /// The same in double precision.
    pub(crate) fn of_network_f64(
        name: &str,
        network: &Network,
        weights: &[f64],
    ) -> Vec<NamedTensor> {
        tensors(name, network, weights.len(), |at| {
            Numbers::F64(at.iter().map(|i| weights[*i]).collect())
        })
    }
}

/// The tensors of a network; `numbers` takes the weights with the given indices.
fn tensors(
    name: &str,
    network: &Network,
    n_weights: usize,
    numbers: impl Fn(&[usize]) -> Numbers,
) -> Vec<NamedTensor> {
    assert!(n_weights == network.n_weights(), "weights has n_weights numbers");
    let parameters = network.parameters();
    let tensor = parameters.iter().map(|parameter| {
        let at: Vec<usize> = (0..parameter.range.len()).map(|i| parameter.index(i)).collect();
        NamedTensor {
            name: full_name(name, &parameter.name),
            shape: parameter.shape.clone(),
            numbers: numbers(&at),
        }
    });
    tensor.collect()
}

/// The name of a tensor of a network.
pub(crate) fn full_name(network: &str, parameter: &str) -> String {
    if network.is_empty() { parameter.to_string() } else { format!("{network}.{parameter}") }
}

/// Writes tensors and the strings of `metadata` to a safetensors file, replacing an existing one. Fails if two tensors
/// have one name.
pub fn write_tensors(
    path: impl AsRef<Path>,
    tensors: &[NamedTensor],
    metadata: &BTreeMap<String, String>,
) -> Result<(), WeightsError> {
    let path = path.as_ref();
    let fail = |kind| WeightsError { path: path.to_path_buf(), kind };
    // The safetensors crate's own writer orders metadata differently from run to run.
    let mut header = Map::new();
    if !metadata.is_empty() {
        header.insert("__metadata__".to_string(), json!(metadata));
    }
    let mut data = Vec::new();
    for NamedTensor { name, shape, numbers } in tensors {
        let start = data.len();
        let kind = match numbers {
            Numbers::F64(numbers) => {
                numbers.iter().for_each(|x| data.extend(x.to_le_bytes()));
                "F64"
            }
            Numbers::F32(numbers) => {
                numbers.iter().for_each(|x| data.extend(x.to_le_bytes()));
                "F32"
            }
        };
        let place = json!({"dtype": kind, "shape": shape, "data_offsets": [start, data.len()]});
        if header.insert(name.clone(), place).is_some() {
            let message = format!("two tensors are named \"{name}\"");
            return Err(fail(WeightsTrouble::Unfit(message)));
        }
    }
    let mut header = Value::Object(header).to_string().into_bytes();
    // The data start at a multiple of eight bytes.
    header.resize(header.len().next_multiple_of(8), b' ');
    let length = (header.len() as u64).to_le_bytes();
    replace(path, &[&length, &header, &data]).map_err(|error| fail(WeightsTrouble::Io(error)))
}

/// Writes a hidden file beside `path` and puts it in its place when it is whole.
fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_string_lossy();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    // The process in the name tells files that are being written from those of a process that was killed.
    let (prefix, suffix) = (format!(".{name}."), format!(".{}.tmp", std::process::id()));
    let mut hidden = tempfile::Builder::new();
    let hidden = hidden.prefix(&prefix).suffix(&suffix);
    // Opened as an ordinary file, with an ordinary file's permissions.
    let beside = hidden.make_in(folder.unwrap_or(Path::new(".")), |path| File::create_new(path))?;
    let mut file = beside.as_file();
    for part in parts {
        file.write_all(part)?;
    }
    file.sync_all()?;
    beside.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

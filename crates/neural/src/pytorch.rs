//! Import of networks trained in PyTorch.

use std::collections::BTreeMap;
use std::path::Path;

use crate::file::{Shape, WeightsTrouble};
use crate::{Layer, Network, WeightsError, WeightsFile};

/// Imports the weights of dense layers from a PyTorch `state_dict` saved as safetensors.
///
/// Names must end in `weight` and `bias` and otherwise differ in one number only, which gives the order: `0.weight,
/// 0.bias, 2.weight, 2.bias`, or `net.0.weight`, or `fc1.weight`. A bias on the inputs, which PyTorch does not have,
/// becomes zero. Fails if a tensor does not fit the network.
pub fn from_pytorch(path: impl AsRef<Path>, network: &Network) -> Result<Vec<f64>, WeightsError> {
    let file = WeightsFile::open(path)?;
    let unfit = |message: String| file.fail(WeightsTrouble::Unfit(message));
    let groups = ordered_groups(&file)?;
    let n_layers = network.layers().len();
    if groups.len() != n_layers {
        return Err(unfit(format!(
            "the file has {} layers ({}), but the network has {n_layers}",
            groups.len(),
            groups.join(", "),
        )));
    }
    let mut weights = vec![0.0; network.n_weights()];
    for parameter in network.parameters() {
        let Some(layer) = parameter.layer else { continue };
        let recurrent = match network.layers()[layer] {
            Layer::Dense { .. } => None,
            Layer::Gru { .. } => Some("a gated recurrent unit"),
            Layer::Lstm { .. } => Some("a long short-term memory unit"),
        };
        if let Some(unit) = recurrent {
            return Err(unfit(format!(
                "layer {layer} of the network is {unit}: only dense layers are \
                 imported by order; rename the tensors to {} and so on, and open it as a weight file",
                parameter.name
            )));
        }
        let end = if parameter.is_bias() { "bias" } else { "weight" };
        let numbers = file.numbers(&tensor_name(&groups[layer], end), &parameter.shape)?;
        for (i, number) in numbers.iter().enumerate() {
            weights[parameter.index(i)] = *number;
        }
    }
    for (layer, group) in network.layers().iter().zip(&groups) {
        let tensor = tensor_name(group, "bias");
        if let (Layer::Dense { bias: false, .. }, Some(found)) =
            (layer, file.tensors().get(&tensor))
        {
            let found = Shape(found.shape.clone());
            return Err(file.fail(WeightsTrouble::Unexpected { tensor, found }));
        }
    }
    Ok(weights)
}

fn tensor_name(group: &str, end: &str) -> String {
    if group.is_empty() { end.to_string() } else { format!("{group}.{end}") }
}

/// The prefixes of `weight` and `bias` in the names of the tensors, ordered by their last number.
fn ordered_groups(file: &WeightsFile) -> Result<Vec<String>, WeightsError> {
    // By number; the text around the number must be the same for all.
    let mut groups: BTreeMap<Option<u64>, &str> = BTreeMap::new();
    let mut first: Option<(&str, (&str, &str))> = None;
    for (name, tensor) in file.tensors() {
        let (group, end) = name.rsplit_once('.').unwrap_or(("", name));
        if end != "weight" && end != "bias" {
            let found = Shape(tensor.shape.clone());
            return Err(file.fail(WeightsTrouble::Unexpected { tensor: name.clone(), found }));
        }
        let (before, number, after) = split_at_last_number(group);
        let (first_group, around) = *first.get_or_insert((group, (before, after)));
        let other = *groups.entry(number).or_insert(group);
        if around != (before, after) || other != group {
            let [a, b] = if other != group { [other, group] } else { [first_group, group] };
            return Err(file.fail(WeightsTrouble::Unfit(format!(
                "cannot tell the order of layers \"{a}\" and \"{b}\": \
                 their names must differ in one number only"
            ))));
        }
    }
    Ok(groups.into_values().map(str::to_string).collect())
}

/// Splits `net.10.linear` into `net.`, 10 and `.linear`.
fn split_at_last_number(name: &str) -> (&str, Option<u64>, &str) {
    let Some(last) = name.rfind(|c: char| c.is_ascii_digit()) else { return (name, None, "") };
    let (head, after) = name.split_at(last + 1);
    let start = head.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |i| {
        // The character before the digits may be longer than a byte.
        i + head[i..].chars().next().map_or(0, char::len_utf8)
    });
    let (before, digits) = head.split_at(start);
    // A number too long to parse counts as text.
    match digits.parse() {
        Ok(number) => (before, Some(number), after),
        Err(_) => (name, None, ""),
    }
}

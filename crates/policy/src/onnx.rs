//! Policies as ONNX files, which other programs run.
//!
//! A file is one message of protocol buffers. The few of ONNX's messages that a policy needs are written here field by
//! field [onnx/onnx.proto, ONNX 1.16, IR version 8, operator set 17]. The graph takes `observations`, (rows, n), and
//! gives `actions`, (rows, m): it normalises, runs the layers, and brings the result to the range of the actions.

use gradbody_neural::{Activation, Layer, NamedTensor, Numbers};

use crate::{About, Actor, TrainError};

/// The actor without noise as the bytes of an ONNX file. Fails if a layer is not dense.
pub fn onnx(actor: &Actor, about: &About) -> Result<Vec<u8>, TrainError> {
    let mut graph = Graph::default();
    let (observations, actions) = (actor.n_observations(), actor.n_actions());
    graph.constant("shift", &[observations], actor.normaliser.shift());
    graph.constant("scale", &[observations], actor.normaliser.scale());
    let limit = actor.normaliser.limit();
    graph.constant("observation_low", &[], &[-limit]);
    graph.constant("observation_high", &[], &[limit]);
    graph.node("Sub", &["observations", "shift"], "shifted");
    graph.node("Mul", &["shifted", "scale"], "scaled");
    graph.node("Clip", &["scaled", "observation_low", "observation_high"], "layer0");
    let mut at = "layer0".to_owned();
    for (k, layer) in actor.network.layers().iter().enumerate() {
        let Layer::Dense { activation, residual: false, .. } = *layer else {
            return Err(TrainError::NotDense { what: "policy" });
        };
        at = graph.layer(k, actor, &at, activation);
    }
    if actor.network.n_outputs() > actions {
        // The second half is the spread of actions while learning.
        graph.integers("first", &[0]);
        graph.integers("past_last", &[actions as i64]);
        graph.integers("axis", &[1]);
        graph.node("Slice", &[&at, "first", "past_last", "axis"], "mean");
        at = "mean".to_owned();
    }
    graph.constant("one", &[], &[1.0]);
    graph.constant("minus_one", &[], &[-1.0]);
    match actor.head.squashed {
        true => graph.node("Tanh", &[&at], "unit"),
        false => graph.node("Clip", &[&at, "minus_one", "one"], "unit"),
    }
    let ranges = || actor.low.iter().zip(&actor.high);
    let half: Vec<f32> = ranges().map(|(low, high)| 0.5 * (high - low)).collect();
    let middle: Vec<f32> = ranges().map(|(low, high)| 0.5 * (low + high)).collect();
    graph.constant("half_range", &[actions], &half);
    graph.constant("middle", &[actions], &middle);
    graph.node("Mul", &["unit", "half_range"], "centred");
    graph.node("Add", &["centred", "middle"], "actions");
    Ok(model(&graph, about, observations, actions))
}

/// The nodes and constants of a graph, as encoded messages.
#[derive(Default)]
struct Graph {
    nodes: Vec<Vec<u8>>,
    initialisers: Vec<Vec<u8>>,
}

impl Graph {
    /// An operator with one output.
    fn node(&mut self, operator: &str, inputs: &[&str], output: &str) {
        self.node_with(operator, inputs, output, None);
    }

    /// An operator with an attribute that is a whole number.
    fn node_with(
        &mut self,
        operator: &str,
        inputs: &[&str],
        output: &str,
        attribute: Option<(&str, u64)>,
    ) {
        // NodeProto: input 1, output 2, name 3, op_type 4, attribute 5.
        let mut node = Message::default();
        inputs.iter().for_each(|input| node.text(1, input));
        node.text(2, output);
        node.text(3, output);
        node.text(4, operator);
        if let Some((name, value)) = attribute {
            // AttributeProto: name 1, i 3, type 20 (2 is INT).
            let mut inner = Message::default();
            inner.text(1, name);
            inner.number(3, value);
            inner.number(20, 2);
            node.message(5, &inner.0);
        }
        self.nodes.push(node.0);
    }

    /// Numbers in single precision; without a shape, one number.
    fn constant(&mut self, name: &str, shape: &[usize], numbers: &[f32]) {
        let data = numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();
        self.tensor(name, 1, shape, &data);
    }

    /// A list of whole numbers.
    fn integers(&mut self, name: &str, numbers: &[i64]) {
        let data = numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();
        self.tensor(name, 7, &[numbers.len()], &data);
    }

    fn tensor(&mut self, name: &str, data_type: u64, shape: &[usize], data: &[u8]) {
        // TensorProto: dims 1, data_type 2 (1 is FLOAT, 7 is INT64), name 8, raw_data 9.
        let mut tensor = Message::default();
        shape.iter().for_each(|length| tensor.number(1, *length as u64));
        tensor.number(2, data_type);
        tensor.text(8, name);
        tensor.message(9, data);
        self.initialisers.push(tensor.0);
    }

    /// A dense layer with its activation; returns the name of its output.
    fn layer(&mut self, k: usize, actor: &Actor, input: &str, activation: Activation) -> String {
        let prefix = format!("layers.{k}.");
        let mut inputs = vec![input.to_owned()];
        // In PyTorch's layout: the weights of an output follow each other.
        for NamedTensor { name, shape, numbers } in
            NamedTensor::of_network("", &actor.network, &actor.weights)
        {
            if let (true, Numbers::F32(numbers)) = (name.starts_with(&prefix), numbers) {
                self.constant(&name, &shape, &numbers);
                inputs.push(name);
            }
        }
        let (sum, output) = (format!("sum{}", k + 1), format!("layer{}", k + 1));
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        self.node_with("Gemm", &inputs, &sum, Some(("transB", 1)));
        match activation {
            Activation::Identity => return sum,
            Activation::Tanh => self.node("Tanh", &[&sum], &output),
            Activation::Sin => self.node("Sin", &[&sum], &output),
            Activation::Relu => self.node("Relu", &[&sum], &output),
            Activation::Elu => self.node("Elu", &[&sum], &output),
            Activation::Sigmoid => self.node("Sigmoid", &[&sum], &output),
            Activation::Softsign => self.node("Softsign", &[&sum], &output),
            Activation::Softplus | Activation::SoftRelu => {
                self.node("Softplus", &[&sum], &output);
            }
            Activation::Silu => {
                let sigmoid = format!("sigmoid{}", k + 1);
                self.node("Sigmoid", &[&sum], &sigmoid);
                self.node("Mul", &[&sum, &sigmoid], &output);
            }
        }
        output
    }
}

/// The whole file.
fn model(graph: &Graph, about: &About, observations: usize, actions: usize) -> Vec<u8> {
    // GraphProto: node 1, name 2, initializer 5, input 11, output 12.
    let mut inner = Message::default();
    graph.nodes.iter().for_each(|node| inner.message(1, node));
    inner.text(2, "policy");
    graph.initialisers.iter().for_each(|tensor| inner.message(5, tensor));
    inner.message(11, &rows_of("observations", observations));
    inner.message(12, &rows_of("actions", actions));
    // OperatorSetIdProto: domain 1 (empty), version 2.
    let mut operators = Message::default();
    operators.text(1, "");
    operators.number(2, 17);
    // ModelProto: ir_version 1, producer_name 2, producer_version 3, graph 7, opset_import 8, metadata_props 14.
    let mut model = Message::default();
    model.number(1, 8);
    model.text(2, "gradbody");
    model.text(3, env!("CARGO_PKG_VERSION"));
    model.message(7, &inner.0);
    model.message(8, &operators.0);
    for (key, value) in [
        ("environment", about.environment.clone()),
        ("observations", about.observations.join(",")),
        ("actions", about.actions.join(",")),
        ("seconds_per_action", about.seconds_per_action.to_string()),
    ] {
        // StringStringEntryProto: key 1, value 2.
        let mut entry = Message::default();
        entry.text(1, key);
        entry.text(2, &value);
        model.message(14, &entry.0);
    }
    model.0
}

/// A matrix in single precision with any number of rows, as an input or output of the graph.
fn rows_of(name: &str, columns: usize) -> Vec<u8> {
    // Dimension: dim_value 1, dim_param 2. TensorShapeProto: dim 1.
    let (mut rows, mut width, mut shape) =
        (Message::default(), Message::default(), Message::default());
    rows.text(2, "rows");
    width.number(1, columns as u64);
    shape.message(1, &rows.0);
    shape.message(1, &width.0);
    // TypeProto.Tensor: elem_type 1, shape 2. TypeProto: tensor_type 1. ValueInfoProto: name 1, type 2.
    let (mut tensor, mut kind, mut value) =
        (Message::default(), Message::default(), Message::default());
    tensor.number(1, 1);
    tensor.message(2, &shape.0);
    kind.message(1, &tensor.0);
    value.text(1, name);
    value.message(2, &kind.0);
    value.0
}

/// A message of protocol buffers: fields one after the other, each a key and a value.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    /// Seven bits a byte, the lowest first; the highest bit says that more follow.
    fn variable(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A whole number (wire type 0).
    fn number(&mut self, field: u64, value: u64) {
        self.variable(field << 3);
        self.variable(value);
    }

    /// Bytes or an inner message, after their length (wire type 2).
    fn message(&mut self, field: u64, bytes: &[u8]) {
        self.variable(field << 3 | 2);
        self.variable(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn text(&mut self, field: u64, text: &str) {
        self.message(field, text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::Message;

    /// The example of protocol buffers' documentation: field 1 with the number 150 is 08 96 01.
    #[test]
    fn numbers_and_texts_are_encoded_as_documented() {
        let mut message = Message::default();
        message.number(1, 150);
        message.text(2, "testing");
        let expected = [0x08, 0x96, 0x01, 0x12, 0x07, b't', b'e', b's', b't', b'i', b'n', b'g'];
        assert_eq!(message.0, expected);
    }
}

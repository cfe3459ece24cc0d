//! Weight files: what is written is read, and what is wrong is said.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gradbody_neural::{
    Activation, Layer, NamedWeights, Network, NetworkTrace, WeightsFile, from_pytorch,
    write_weights,
};
use support::{Random, every_network};

/// A folder of its own for each test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("gradbody-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Writes tensors of f32 as another program would.
fn write_tensors(path: &Path, tensors: &[(&str, &[usize], &[f32])]) {
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    for (name, shape, numbers) in tensors {
        let start = data.len();
        data.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        let offsets = [start, data.len()];
        let entry = serde_json::json!({"dtype": "F32", "shape": shape, "data_offsets": offsets});
        header.insert(name.to_string(), entry);
    }
    let header = serde_json::to_vec(&header).unwrap();
    let length = (header.len() as u64).to_le_bytes();
    fs::write(path, [&length[..], &header, &data].concat()).unwrap();
}

#[test]
fn what_is_written_is_read() {
    let folder = Folder::new("written");
    let path = folder.file("all.safetensors");
    let networks = every_network();
    let mut random = Random::new(1);
    let weights: Vec<Vec<f64>> =
        networks.iter().map(|(_, network)| random.numbers(network.n_weights(), 1.0)).collect();
    let named: Vec<NamedWeights> = networks
        .iter()
        .zip(&weights)
        .map(|((name, network), weights)| NamedWeights { name, network, weights })
        .collect();
    let metadata: BTreeMap<String, String> =
        [("blueprint", "sites = []\n\"ä\""), ("a", "b"), ("c", "")]
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .into();
    write_weights(&path, &named, &metadata).unwrap();
    let bytes = fs::read(&path).unwrap();
    write_weights(&path, &named, &metadata).unwrap();
    assert_eq!(bytes, fs::read(&path).unwrap(), "the same bytes");
    let file = WeightsFile::open(&path).unwrap();
    assert_eq!(file.metadata(), &metadata);
    for (named, weights) in named.iter().zip(&weights) {
        assert_eq!(&file.weights(named.name, named.network).unwrap(), weights, "{}", named.name);
    }
    // Nothing is left beside the file.
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
}

#[test]
fn the_layout_is_that_of_pytorch() {
    let folder = Folder::new("layout");
    let path = folder.file("one.safetensors");
    let network = Network::perceptron(&[2, 3], Activation::Identity).unwrap();
    // y = W x + b with W = [1 2; 3 4; 5 6].
    let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    write_tensors(
        &path,
        &[("layers.0.bias", &[3], &[0.5, 0.25, 0.125]), ("layers.0.weight", &[3, 2], &numbers)],
    );
    let weights = WeightsFile::open(&path).unwrap().weights("", &network).unwrap();
    let mut trace = NetworkTrace::new(&network);
    network.forward(&weights, &[1.0, 10.0], &[], &mut trace);
    assert_eq!(trace.outputs(), [21.5, 43.25, 65.125]);
    assert_eq!(from_pytorch(&path, &network).unwrap(), weights);
    write_weights(
        &path,
        &[NamedWeights { name: "", network: &network, weights: &weights }],
        &BTreeMap::new(),
    )
    .unwrap();
    let file = WeightsFile::open(&path).unwrap();
    assert_eq!(file.tensor_names().collect::<Vec<_>>(), ["layers.0.bias", "layers.0.weight"]);
    assert_eq!(file.weights("", &network).unwrap(), weights);
}

#[test]
fn a_file_that_does_not_fit_says_where() {
    let folder = Folder::new("unfit");
    let path = folder.file("knee.safetensors");
    let network = |sizes: &[usize]| Network::perceptron(sizes, Activation::Tanh).unwrap();
    let written = network(&[2, 3, 1]);
    let weights = vec![0.5; written.n_weights()];
    let named = NamedWeights { name: "knee", network: &written, weights: &weights };
    write_weights(&path, &[named], &BTreeMap::new()).unwrap();
    let file = WeightsFile::open(&path).unwrap();
    let message =
        |name: &str, network: &Network| file.weights(name, network).unwrap_err().to_string();
    for (name, sizes, expected) in [
        (
            "knee",
            &[2, 4, 1][..],
            "tensor \"knee.layers.0.weight\" has shape [3, 2], but the network has [4, 2]",
        ),
        (
            "knee",
            &[2, 3],
            "tensor \"knee.layers.1.bias\" of shape [1] does not belong to the network",
        ),
        (
            "kne",
            &[2, 3, 1],
            "tensor \"kne.layers.0.weight\" of shape [3, 2] is missing; \
             did you mean \"knee.layers.0.weight\"?",
        ),
    ] {
        let found = message(name, &network(sizes));
        assert_eq!(found, format!("{}: {expected}", path.display()));
    }

    let both = [named, named];
    let error = write_weights(&path, &both, &BTreeMap::new()).unwrap_err().to_string();
    assert!(error.contains("two networks are named \"knee\""), "{error}");
    assert!(WeightsFile::open(&path).is_ok(), "the old file is still there");
    let nowhere = folder.file("no/such/folder/file");
    assert!(write_weights(&nowhere, &[named], &BTreeMap::new()).is_err());
    assert!(WeightsFile::open(&nowhere).is_err());
    assert!(write_weights("/", &[named], &BTreeMap::new()).is_err());

    write_tensors(
        &path,
        &[("layers.0.bias", &[1], &[f32::NAN]), ("layers.0.weight", &[1, 1], &[1.0])],
    );
    let error = from_pytorch(&path, &network(&[1, 1])).unwrap_err().to_string();
    assert!(error.contains("not finite, at index 0"), "{error}");
}

#[test]
fn networks_from_pytorch_are_read_whatever_their_names() {
    let folder = Folder::new("pytorch");
    let path = folder.file("policy.safetensors");
    let network = Network::perceptron(&[1, 2, 1], Activation::Elu).unwrap();
    let expected = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    for [a, b] in [
        ["0.", "2."],
        ["net.0.", "net.2."],
        ["net.9.", "net.10."],
        ["fc1.", "fc2."],
        ["actor.layers.3.linear.", "actor.layers.11.linear."],
        ["größe0.", "größe1."],
    ] {
        let name = |layer: &str, end: &str| format!("{layer}{end}");
        write_tensors(
            &path,
            &[
                (&name(b, "bias"), &[1], &[7.0]),
                (&name(b, "weight"), &[1, 2], &[5.0, 6.0]),
                (&name(a, "weight"), &[2, 1], &[1.0, 2.0]),
                (&name(a, "bias"), &[2], &[3.0, 4.0]),
            ],
        );
        assert_eq!(from_pytorch(&path, &network).unwrap(), expected, "{a}");
    }
    let with_input_bias = Network::new(1, true, network.layers().to_vec()).unwrap();
    assert_eq!(from_pytorch(&path, &with_input_bias).unwrap()[1..], expected);
}

#[test]
fn what_does_not_fit_is_not_imported() {
    let folder = Folder::new("refused");
    let path = folder.file("policy.safetensors");
    let perceptron = Network::perceptron(&[1, 2, 1], Activation::Elu).unwrap();
    let no_bias = |outputs| Layer::Dense {
        outputs,
        activation: Activation::Elu,
        bias: false,
        residual: false,
    };
    let unbiased = Network::new(1, false, vec![no_bias(2), no_bias(1)]).unwrap();
    let gru = Network::new(1, false, vec![Layer::Gru { hidden: 2 }, no_bias(1)]).unwrap();
    let one = Network::perceptron(&[1, 2], Activation::Elu).unwrap();
    type Tensor<'a> = (&'a [usize], &'a [f32]);
    type Named<'a> = (&'a str, Tensor<'a>);
    let (w0, b0): (Tensor, Tensor) = ((&[2, 1], &[1.0, 2.0]), (&[2], &[3.0, 4.0]));
    let (w1, b1): (Tensor, Tensor) = ((&[1, 2], &[5.0, 6.0]), (&[1], &[7.0]));
    let good: [Named; 4] = [("0.weight", w0), ("0.bias", b0), ("2.weight", w1), ("2.bias", b1)];
    let missing: [Named; 3] = [("0.weight", w0), ("2.weight", w1), ("2.bias", b1)];
    let swapped: [Named; 4] = [("2.weight", w0), ("2.bias", b0), ("0.weight", w1), ("0.bias", b1)];
    let other: [Named; 5] = [good[0], good[1], good[2], good[3], ("log_std", b1)];
    let two: [Named; 4] = [
        ("actor.0.weight", w0),
        ("actor.0.bias", b0),
        ("critic.2.weight", w1),
        ("critic.2.bias", b1),
    ];
    let same: [Named; 4] = [
        ("actor.0.weight", w0),
        ("actor.0.bias", b0),
        ("critic.0.weight", w1),
        ("critic.0.bias", b1),
    ];
    let cases: [(&[Named], &Network, &str); 8] = [
        (&good, &unbiased, "tensor \"0.bias\" of shape [2] does not belong to the network"),
        (&good, &gru, "layer 0 of the network is a gated recurrent unit"),
        (&good, &one, "the file has 2 layers (0, 2), but the network has 1"),
        (&missing, &perceptron, "tensor \"0.bias\" of shape [2] is missing"),
        (&swapped, &perceptron, "tensor \"0.weight\" has shape [1, 2], but the network has [2, 1]"),
        (&other, &perceptron, "tensor \"log_std\" of shape [1] does not belong to the network"),
        (&two, &perceptron, "cannot tell the order of layers \"actor.0\" and \"critic.2\""),
        (&same, &perceptron, "cannot tell the order of layers \"actor.0\" and \"critic.0\""),
    ];
    for (tensors, network, expected) in cases {
        let tensors: Vec<_> =
            tensors.iter().map(|(name, (shape, numbers))| (*name, *shape, *numbers)).collect();
        write_tensors(&path, &tensors);
        let error = from_pytorch(&path, network).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}\nexpected {expected}");
        assert!(error.starts_with(&path.display().to_string()), "{error}");
    }
}

#[test]
fn half_precision_is_refused_by_name() {
    let folder = Folder::new("half");
    let path = folder.file("half.safetensors");
    let header = br#"{"0.weight":{"dtype":"F16","shape":[1,1],"data_offsets":[0,2]},"0.bias":{"dtype":"F16","shape":[1],"data_offsets":[2,4]}}"#;
    fs::write(&path, [&(header.len() as u64).to_le_bytes()[..], header, &[0; 4]].concat()).unwrap();
    let network = Network::perceptron(&[1, 1], Activation::Tanh).unwrap();
    let error = from_pytorch(&path, &network).unwrap_err().to_string();
    assert!(error.contains("tensor \"0.weight\" holds F16 numbers"), "{error}");
}

#[test]
fn corrupt_files_give_errors() {
    let folder = Folder::new("corrupt");
    let path = folder.file("weights.safetensors");
    let network = Network::perceptron(&[2, 3, 1], Activation::Tanh).unwrap();
    let weights = Random::new(9).numbers(network.n_weights(), 1.0);
    let named = NamedWeights { name: "", network: &network, weights: &weights };
    let metadata = BTreeMap::from([("blueprint".to_string(), "text".to_string())]);
    write_weights(&path, &[named], &metadata).unwrap();
    let whole = fs::read(&path).unwrap();
    let read = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        WeightsFile::open(&path).and_then(|file| file.weights("", &network))
    };
    assert_eq!(read(&whole).unwrap(), weights);
    for length in (0..whole.len()).step_by(7) {
        assert!(read(&whole[..length]).is_err(), "cut to {length} bytes");
    }
    // Any damage gives an error or other numbers, never a panic.
    let mut random = Random::new(10);
    for _ in 0..300 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random.bits() % 3 {
            let at = random.bits() as usize % bytes.len();
            bytes[at] = random.bits() as u8;
        }
        let _ = read(&bytes);
        let _ = from_pytorch(&path, &network);
    }
    for text in ["", "{}", "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}", "not a weight file at all"] {
        let error = read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("not a safetensors file"), "{error}");
    }
}

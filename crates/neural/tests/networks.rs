//! Construction, values and gradients of networks.

mod support;

use gradbody_math::{Dual, Lanes, Scalar};
use gradbody_neural::{
    Activation, Initial, Layer, Network, NetworkCotangents, NetworkError, NetworkScratch,
    NetworkTrace, Spread,
};
use support::{Case, constants, every_network, gradient, size, weighed};

/// Of the gradient's size: dual numbers round differently, by a few units in the last place.
const BY_DUALS: f64 = 1e-12;
/// Of the gradient's size: step 1e-5 in f64.
const BY_DIFFERENCES: f64 = 1e-7;

#[test]
fn gradients_agree_with_dual_numbers() {
    for (name, network) in every_network() {
        let mut largest = 0.0_f64;
        for seed in 0..3 {
            let case = Case::random(&network, seed);
            let arguments = case.arguments();
            let (_, bars) = gradient(&network, &case, &arguments);
            largest = largest.max(size(&bars));
            let mut duals: Vec<Dual<f64, 1>> = constants(&arguments);
            for i in 0..duals.len() {
                duals[i].eps[0] = 1.0;
                let expected = weighed(&network, &case, &duals).eps[0];
                duals[i].eps[0] = 0.0;
                let error = (bars[i] - expected).abs();
                assert!(
                    error <= BY_DUALS * size(&bars),
                    "{name}, seed {seed}: cotangent {i} is {}, not {expected}",
                    bars[i]
                );
            }
        }
        assert!(largest > 0.0, "{name}: nothing to compare");
    }
}

#[test]
fn gradients_agree_with_central_differences() {
    const STEP: f64 = 1e-5;
    for (name, network) in every_network() {
        let case = Case::random(&network, 11);
        let mut arguments = case.arguments();
        let (_, bars) = gradient(&network, &case, &arguments);
        for i in 0..arguments.len() {
            let at = arguments[i];
            arguments[i] = at + STEP;
            let above = weighed(&network, &case, &arguments);
            arguments[i] = at - STEP;
            let below = weighed(&network, &case, &arguments);
            arguments[i] = at;
            let error = (bars[i] - (above - below) / (2.0 * STEP)).abs();
            assert!(error <= BY_DIFFERENCES * size(&bars), "{name}: {i} off by {error:e}");
        }
    }
}

#[test]
fn the_adjoint_on_dual_numbers_gives_second_derivatives() {
    for (name, network) in every_network() {
        let case = Case::random(&network, 5);
        let directions = Case::random(&network, 6).arguments();
        let arguments = case.arguments();
        let along = |arguments: &[f64]| -> Vec<Dual<f64, 1>> {
            let with_direction = arguments.iter().zip(&directions);
            with_direction.map(|(x, d)| Dual { re: *x, eps: [*d] }).collect()
        };
        let (_, bars) = gradient(&network, &case, &along(&arguments));
        // d · (H d) = d²/dε² of the weighed results along d.
        let found: f64 = bars.iter().zip(&directions).map(|(bar, d)| bar.eps[0] * d).sum();
        let twice: Vec<Dual<Dual<f64, 1>, 1>> = along(&arguments)
            .into_iter()
            .map(|x| Dual { re: x, eps: [Dual::constant(x.eps[0])] })
            .collect();
        let expected = weighed(&network, &case, &twice).eps[0].eps[0];
        let scale =
            bars.iter().zip(&directions).map(|(bar, d)| (bar.eps[0] * d).abs()).sum::<f64>();
        assert!((found - expected).abs() <= 1e-12 * scale.max(1e-3), "{name}: {found} {expected}");
    }
}

#[test]
fn cotangents_are_added() {
    for (name, network) in every_network() {
        let case = Case::random(&network, 2);
        let (mut trace, mut scratch) = (NetworkTrace::new(&network), NetworkScratch::new(&network));
        network.forward(&case.weights, &case.inputs, &case.memory, &mut trace);
        let mut bars = [
            vec![1.0; case.inputs.len()],
            vec![1.0; case.memory.len()],
            vec![1.0; case.weights.len()],
        ];
        let [inputs_bar, memory_bar, weights_bar] = &mut bars;
        let bar = NetworkCotangents {
            outputs: &case.outputs_bar,
            next_memory: &case.next_memory_bar,
            inputs: inputs_bar,
            memory: memory_bar,
            weights: Some(weights_bar),
        };
        network.vjp(&case.weights, &case.memory, &trace, &mut scratch, bar);
        let (_, expected) = gradient(&network, &case, &case.arguments());
        let [inputs_bar, memory_bar, weights_bar] = &bars;
        let found = [&weights_bar[..], inputs_bar, memory_bar].concat();
        for (found, expected) in found.iter().zip(&expected) {
            assert!(
                (found - 1.0 - expected).abs() <= 1e-14 * size(&expected_or_one(&bars)),
                "{name}"
            );
        }

        let mut inputs_only = vec![0.0; case.inputs.len()];
        let mut memory_only = vec![0.0; case.memory.len()];
        let bar = NetworkCotangents {
            outputs: &case.outputs_bar,
            next_memory: &case.next_memory_bar,
            inputs: &mut inputs_only,
            memory: &mut memory_only,
            weights: None,
        };
        network.vjp(&case.weights, &case.memory, &trace, &mut scratch, bar);
        assert_eq!([inputs_only, memory_only].concat(), expected[case.weights.len()..], "{name}");
    }
}

fn expected_or_one(bars: &[Vec<f64>; 3]) -> Vec<f64> {
    [&[1.0][..], &bars[0], &bars[1], &bars[2]].concat()
}

/// Eight worlds at once give the bits that each gives alone.
fn lanes_agree<T: Scalar, L: Scalar>() {
    for (name, network) in every_network() {
        let first = Case::random(&network, 100);
        let worlds: Vec<Vec<f64>> = (0..L::LANES as u64)
            .map(|world| Case::random(&network, 100 + world).arguments())
            .collect();
        let wide: Vec<L> =
            (0..worlds[0].len()).map(|i| L::from_lanes(|world| worlds[world][i])).collect();
        let (results, bars) = gradient(&network, &first, &wide);
        for (world, arguments) in worlds.iter().enumerate() {
            let alone = gradient(&network, &first, &constants::<T>(arguments));
            let pairs = results.iter().zip(&alone.0).chain(bars.iter().zip(&alone.1));
            for (wide, alone) in pairs {
                let (wide, alone) = (wide.lane(world), alone.lane(0));
                assert_eq!(wide.to_bits(), alone.to_bits(), "{name}, world {world}");
            }
        }
    }
}

#[test]
fn lanes_give_the_same_bits_as_one_world_alone() {
    lanes_agree::<f64, Lanes<f64, 8>>();
    lanes_agree::<f64, Lanes<f64, 4>>();
    lanes_agree::<f32, Lanes<f32, 16>>();
}

#[test]
fn values_of_dual_numbers_are_the_plain_ones() {
    for (name, network) in every_network() {
        let case = Case::random(&network, 9);
        let plain = gradient(&network, &case, &case.arguments());
        let dual = gradient(&network, &case, &constants::<Dual<f64, 1>>(&case.arguments()));
        for (plain, dual) in plain.0.iter().zip(&dual.0) {
            assert_eq!(plain.to_bits(), dual.re.to_bits(), "{name}");
        }
    }
}

#[test]
fn single_precision_is_near() {
    for (name, network) in every_network() {
        let case = Case::random(&network, 4);
        let rounded: Vec<f32> = case.arguments().iter().map(|x| *x as f32).collect();
        let single = gradient(&network, &case, &rounded);
        let double = gradient(
            &network,
            &case,
            &constants::<f64>(&rounded.iter().map(|x| f64::from(*x)).collect::<Vec<_>>()),
        );
        for (single, double) in [(&single.0, &double.0), (&single.1, &double.1)] {
            for (a, b) in single.iter().zip(double) {
                assert!(
                    (f64::from(*a) - b).abs() <= 3e-5 * (1.0 + size(double)),
                    "{name}: {a} {b}"
                );
            }
        }
    }
}

/// The reference network of NeuralSim's figure 5 and the value its own code gives. It counts all
/// matrices first, layer by layer and row by row (a row for each output), and then all biases, of
/// which that on the inputs is the first; the inputs have no activation.
#[test]
fn the_network_of_175_weights_has_its_reference_value() {
    let elu = |n| Layer::dense(n, Activation::Elu);
    let layers = vec![elu(10), elu(10), Layer::dense(1, Activation::Identity)];
    let network = Network::new(4, true, layers).unwrap();
    assert_eq!(network.n_weights(), 175);
    let mut counted = 0;
    let mut weights = vec![0.0; 175];
    let parameters = network.parameters();
    let (biases, matrices): (Vec<_>, Vec<_>) = parameters.iter().partition(|p| p.is_bias());
    for parameter in matrices.into_iter().chain(biases) {
        for i in 0..parameter.range.len() {
            weights[parameter.index(i)] = 0.5 * (1.0 + 0.7 * f64::from(counted)).sin();
            counted += 1;
        }
    }
    assert_eq!(counted, 175);
    let inputs = [0.0, 1.0, 2.0, 3.0].map(|i| 0.3 * i - 0.4);
    let mut trace = NetworkTrace::new(&network);
    network.forward(&weights, &inputs, &[], &mut trace);
    assert!((trace.outputs()[0] - -0.06558683958).abs() < 1e-10, "{}", trace.outputs()[0]);
}

/// Two calls of PyTorch's formula, worked by NumPy with PyTorch's layout: weights 0.5 sin(1 + 0.7
/// i) in the order of its tensors.
#[test]
fn a_recurrent_unit_is_the_published_formula() {
    let network = Network::new(3, false, vec![Layer::Gru { hidden: 2 }]).unwrap();
    let mut weights = vec![0.0; network.n_weights()];
    let mut counted = 0;
    for parameter in network.parameters() {
        for i in 0..parameter.range.len() {
            weights[parameter.index(i)] = 0.5 * (1.0 + 0.7 * f64::from(counted)).sin();
            counted += 1;
        }
    }
    let mut trace = NetworkTrace::new(&network);
    let mut memory = vec![0.2, -0.6];
    for expected in
        [[-0.17392386681121733, -0.2007928350967358], [-0.3757293791986504, -0.044984787253609]]
    {
        network.forward(&weights, &[0.3, -0.8, 1.1], &memory, &mut trace);
        for (found, expected) in trace.outputs().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
        assert_eq!(trace.memory(), trace.outputs());
        memory.copy_from_slice(trace.memory());
    }
}

/// Two calls of PyTorch's formula, worked by plain Python with PyTorch's layout: weights 0.5 sin(1 +
/// 0.7 i) in the order of its tensors.
#[test]
fn a_unit_of_long_short_term_memory_is_the_published_formula() {
    let network = Network::new(3, false, vec![Layer::Lstm { hidden: 2 }]).unwrap();
    assert_eq!((network.n_weights(), network.n_memory()), (56, 4));
    let mut weights = vec![0.0; network.n_weights()];
    let mut counted = 0;
    for parameter in network.parameters() {
        for i in 0..parameter.range.len() {
            weights[parameter.index(i)] = 0.5 * (1.0 + 0.7 * f64::from(counted)).sin();
            counted += 1;
        }
    }
    let mut trace = NetworkTrace::new(&network);
    let mut memory = vec![0.2, -0.6, 0.9, -0.4];
    for expected in [
        [0.1608129506896807, -0.03091648967113754, 0.23594734503230197, -0.0483033067226034],
        [-0.03516790582588411, 0.09235086374954027, -0.047126943770846, 0.1462308967327394],
    ] {
        network.forward(&weights, &[0.3, -0.8, 1.1], &memory, &mut trace);
        for (found, expected) in trace.memory().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
        assert_eq!(trace.outputs(), &trace.memory()[..2]);
        memory.copy_from_slice(trace.memory());
    }
}

#[test]
fn a_last_layer_of_zeros_gives_exactly_zero() {
    let is_zero = |y: &f64| y.to_bits() == 0;
    for activation in Activation::ALL {
        let network = Network::perceptron(&[3, 9, 9, 11], activation).unwrap();
        let initial = Initial { zero_last: true, seed: 3, ..Initial::default() };
        let weights = network.initial_weights(&initial);
        assert!(weights.iter().any(|w| *w != 0.0));
        let mut trace = NetworkTrace::new(&network);
        for inputs in [[1.0, -2.0, 3.0], [-1e3, 0.0, -0.0], [-1e30, 1e30, -1e30]] {
            network.forward(&weights, &inputs, &[], &mut trace);
            assert!(trace.outputs().iter().all(is_zero), "{activation:?} {:?}", trace.outputs());
        }
    }
    let gru = Layer::Gru { hidden: 4 };
    let network = Network::new(2, false, vec![gru]).unwrap();
    let weights = network.initial_weights(&Initial { spread: Spread::Zeros, ..Initial::default() });
    let mut trace = NetworkTrace::new(&network);
    network.forward(&weights, &[-1.0, 2.0], &[0.0; 4], &mut trace);
    assert!(trace.outputs().iter().all(is_zero));
}

#[test]
fn networks_that_cannot_be_are_refused() {
    let dense = |n| Layer::dense(n, Activation::Tanh);
    let residual =
        Layer::Dense { outputs: 4, activation: Activation::Tanh, bias: true, residual: true };
    assert_eq!(Network::new(0, false, vec![dense(1)]), Err(NetworkError::NoInputs));
    assert_eq!(Network::new(1, false, vec![]), Err(NetworkError::NoLayers));
    assert_eq!(Network::perceptron(&[], Activation::Tanh), Err(NetworkError::NoInputs));
    assert_eq!(Network::perceptron(&[3], Activation::Tanh), Err(NetworkError::NoLayers));
    let error = Network::new(1, false, vec![dense(2), dense(0)]);
    assert_eq!(error, Err(NetworkError::NoOutputs { layer: 1 }));
    let error = Network::new(3, false, vec![residual]).unwrap_err();
    assert!(error.to_string().contains("it has 3 inputs and 4 outputs"), "{error}");
    for n in [usize::MAX, usize::MAX / 3, 1 << 31] {
        for layer in [dense(n), Layer::Gru { hidden: n }, Layer::Lstm { hidden: n }] {
            let error = Network::new(n, true, vec![layer]);
            assert_eq!(error, Err(NetworkError::TooLarge { layer: 0 }));
        }
    }
}

#[test]
fn a_network_is_written_and_read() {
    for (name, network) in every_network() {
        let written = serde_json::to_string(&network).unwrap();
        let read: Network = serde_json::from_str(&written).unwrap();
        assert_eq!(read, network, "{name}");
    }
    let short = r#"{"inputs": 2, "layers": [{"kind": "dense", "outputs": 3, "activation": "soft_relu"},
        {"kind": "gru", "hidden": 2}]}"#;
    let read: Network = serde_json::from_str(short).unwrap();
    let layers = vec![Layer::dense(3, Activation::SoftRelu), Layer::Gru { hidden: 2 }];
    assert_eq!(read, Network::new(2, false, layers).unwrap());
    for (wrong, message) in [
        (r#"{"inputs": 2, "layers": []}"#, "at least one layer"),
        (r#"{"inputs": 2, "layers": [{"kind": "gru", "hiden": 2}]}"#, "hiden"),
        (r#"{"inputs": 2, "layers": [{"kind": "dense", "outputs": 1, "activation": "x"}]}"#, "elu"),
    ] {
        let error = serde_json::from_str::<Network>(wrong).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn weights_are_drawn_alike_and_with_the_right_spread() {
    let network = Network::perceptron(&[100, 200, 50], Activation::Tanh).unwrap();
    let draw = |spread, seed| network.initial_weights(&Initial { spread, zero_last: false, seed });
    let matrix = network.parameters()[0].clone();
    assert_eq!(matrix.shape, [200, 100]);
    for (spread, variance) in [
        (Spread::XavierUniform, 2.0 / 300.0),
        (Spread::XavierNormal, 2.0 / 300.0),
        (Spread::HeUniform, 2.0 / 100.0),
        (Spread::HeNormal, 2.0 / 100.0),
        (Spread::Small(1e-3), 1e-6),
        (Spread::Zeros, 0.0),
    ] {
        let weights = draw(spread, 7);
        assert_eq!(weights, draw(spread, 7));
        let entries = &weights[matrix.range.clone()];
        let n = entries.len() as f64;
        let mean = entries.iter().sum::<f64>() / n;
        let found = entries.iter().map(|w| w * w).sum::<f64>() / n;
        assert!((found - variance).abs() <= 0.03 * variance, "{spread:?}: {found} {variance}");
        assert!(mean.abs() <= 4.0 * (variance / n).sqrt(), "{spread:?}: mean {mean}");
        for bias in network.parameters().iter().filter(|p| p.is_bias()) {
            assert!(weights[bias.range.clone()].iter().all(|w| *w == 0.0));
        }
    }
    assert_ne!(draw(Spread::HeNormal, 7), draw(Spread::HeNormal, 8));
    // The same bits on every machine.
    let first = draw(Spread::XavierNormal, 1)[0];
    assert_eq!(first.to_bits(), FIRST_OF_SEED_ONE.to_bits(), "{first:?}");
}

/// Drawn on an x86-64 with AVX-512; Python's functions give the same but for the last bit.
const FIRST_OF_SEED_ONE: f64 = -0.002306582109934174;

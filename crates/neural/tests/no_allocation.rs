//! After set-up nothing allocates.

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod support;

use counting::allocations;
use gradbody_math::{Dual, Lanes, Scalar};
use gradbody_neural::{
    Activation, Conservative, ConservativeWork, Damping, Dissipative, Network, NetworkCotangents,
    NetworkScratch, NetworkTrace,
};
use support::{Case, constants, every_network};

fn networks_allocate_nothing<S: Scalar>() {
    for (name, network) in every_network() {
        let case = Case::random(&network, 1);
        let (weights, inputs) = (constants::<S>(&case.weights), constants::<S>(&case.inputs));
        let (memory, outputs_bar) = (constants::<S>(&case.memory), constants(&case.outputs_bar));
        let next_memory_bar = constants(&case.next_memory_bar);
        let (mut inputs_bar, mut memory_bar) = (inputs.clone(), memory.clone());
        let mut weights_bar = weights.clone();
        let (mut trace, mut scratch) = (NetworkTrace::new(&network), NetworkScratch::new(&network));
        let counted = allocations(|| {
            network.forward(&weights, &inputs, &memory, &mut trace);
            let bar = NetworkCotangents {
                outputs: &outputs_bar,
                next_memory: &next_memory_bar,
                inputs: &mut inputs_bar,
                memory: &mut memory_bar,
                weights: Some(&mut weights_bar),
            };
            network.vjp(&weights, &memory, &trace, &mut scratch, bar);
        });
        assert_eq!(counted, 0, "{name}");
    }
}

#[test]
fn a_network_and_its_adjoint_allocate_nothing() {
    networks_allocate_nothing::<f64>();
    networks_allocate_nothing::<f32>();
    networks_allocate_nothing::<Dual<f64, 1>>();
    networks_allocate_nothing::<Lanes<f64, 8>>();
}

#[test]
fn heads_allocate_nothing() {
    let network = Network::perceptron(&[3, 8, 1], Activation::Softplus).unwrap();
    let head = Conservative::new(network).unwrap();
    let weights = vec![0.3; head.network().n_weights()];
    let (mut weights_bar, mut q_bar, mut force) = (weights.clone(), [0.0; 3], [0.0; 3]);
    let mut work = ConservativeWork::new(&head);
    let q = [0.1, 0.2, 0.3];
    let counted = allocations(|| {
        head.force(&weights, &q, &mut work, &mut force);
        head.force_vjp(&weights, &q, &q, &mut work, &mut q_bar, &mut weights_bar);
    });
    assert_eq!(counted, 0);
    let head = Dissipative::new(3, Damping::Full);
    let (l, mut l_bar) = ([0.1; 6], [0.0; 6]);
    let counted = allocations(|| {
        head.force(&l, &q, &mut force);
        head.force_vjp(&l, &q, &q, &mut l_bar, &mut q_bar);
    });
    assert_eq!(counted, 0);
}

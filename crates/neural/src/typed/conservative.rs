//! A force that conserves energy: f = −∂V/∂q of a potential V given by a network.
//!
//! The force is the network's adjoint. For a cotangent f̄, f̄ · f = −d/dε V(q + ε f̄), so the adjoint of the force is
//! the network's adjoint run on dual numbers along f̄: exact, at a few times its cost.

use gradbody_math::{Dual, Scalar};

use super::HeadError;
use crate::{Layer, Network, NetworkCotangents, NetworkScratch, NetworkTrace};

/// A head that turns a network's only output, the potential [J], into a conservative force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conservative {
    network: Network,
}

/// Buffers of [`Conservative::force`] and [`Conservative::force_vjp`].
#[derive(Clone, Debug)]
pub struct ConservativeWork<S> {
    plain: NetworkTrace<S>,
    plain_scratch: NetworkScratch<S>,
    gradient: Vec<S>,
    dual: NetworkTrace<Dual<S, 1>>,
    dual_scratch: NetworkScratch<Dual<S, 1>>,
    weights: Vec<Dual<S, 1>>,
    q: Vec<Dual<S, 1>>,
    q_bar: Vec<Dual<S, 1>>,
    weights_bar: Vec<Dual<S, 1>>,
}

impl<S: Scalar> ConservativeWork<S> {
    /// Buffers for a head.
    pub fn new(head: &Conservative) -> Self {
        let network = &head.network;
        let (n, n_weights) = (network.n_inputs(), network.n_weights());
        ConservativeWork {
            plain: NetworkTrace::new(network),
            plain_scratch: NetworkScratch::new(network),
            gradient: vec![S::ZERO; n],
            dual: NetworkTrace::new(network),
            dual_scratch: NetworkScratch::new(network),
            weights: vec![Dual::ZERO; n_weights],
            q: vec![Dual::ZERO; n],
            q_bar: vec![Dual::ZERO; n],
            weights_bar: vec![Dual::ZERO; n_weights],
        }
    }
}

impl Conservative {
    /// A head on a network with one output, no memory, and activations with continuous slopes. Fails for other
    /// networks.
    pub fn new(network: Network) -> Result<Conservative, HeadError> {
        if network.n_outputs() != 1 {
            let found = network.n_outputs();
            return Err(HeadError::Outputs { head: "a potential", expected: 1, found });
        }
        for (i, layer) in network.layers().iter().enumerate() {
            match *layer {
                Layer::Dense { activation, .. } if !activation.has_continuous_slope() => {
                    return Err(HeadError::Rough { layer: i, activation });
                }
                Layer::Dense { .. } => {}
                Layer::Gru { .. } | Layer::Lstm { .. } => return Err(HeadError::Memory),
            }
        }
        Ok(Conservative { network })
    }

    /// The network of the potential.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// V(q).
    ///
    /// # Panics
    /// If a slice has the wrong length for the network.
    pub fn potential<S: Scalar>(
        &self,
        weights: &[S],
        q: &[S],
        work: &mut ConservativeWork<S>,
    ) -> S {
        self.network.forward(weights, q, &[], &mut work.plain);
        work.plain.outputs()[0]
    }

    /// Writes −∂V/∂q to `force`; returns V.
    ///
    /// # Panics
    /// If a slice has the wrong length for the network.
    pub fn force<S: Scalar>(
        &self,
        weights: &[S],
        q: &[S],
        work: &mut ConservativeWork<S>,
        force: &mut [S],
    ) -> S {
        assert!(force.len() == q.len(), "force has n_inputs numbers");
        let potential = self.potential(weights, q, work);
        let ConservativeWork { plain, plain_scratch, gradient, .. } = work;
        gradient.fill(S::ZERO);
        let bar = NetworkCotangents {
            outputs: &[S::ONE],
            next_memory: &[],
            inputs: gradient,
            memory: &mut [],
            weights: None,
        };
        self.network.vjp(weights, &[], plain, plain_scratch, bar);
        for (force, gradient) in force.iter_mut().zip(gradient) {
            *force = S::ZERO - *gradient;
        }
        potential
    }

    /// The adjoint of [`Conservative::force`] at these `weights` and `q`: adds to the cotangents of both. It does not
    /// need a forward run first.
    ///
    /// # Panics
    /// If a slice has the wrong length for the network.
    pub fn force_vjp<S: Scalar>(
        &self,
        weights: &[S],
        q: &[S],
        force_bar: &[S],
        work: &mut ConservativeWork<S>,
        q_bar: &mut [S],
        weights_bar: &mut [S],
    ) {
        let (n, n_weights) = (self.network.n_inputs(), self.network.n_weights());
        assert!(q.len() == n && force_bar.len() == n && q_bar.len() == n, "n_inputs numbers each");
        assert!(weights.len() == n_weights && weights_bar.len() == n_weights, "n_weights each");
        for (dual, weight) in work.weights.iter_mut().zip(weights) {
            *dual = Dual::constant(*weight);
        }
        for ((dual, q), direction) in work.q.iter_mut().zip(q).zip(force_bar) {
            *dual = Dual { re: *q, eps: [*direction] };
        }
        work.q_bar.fill(Dual::ZERO);
        work.weights_bar.fill(Dual::ZERO);
        self.network.forward(&work.weights, &work.q, &[], &mut work.dual);
        let bar = NetworkCotangents {
            outputs: &[Dual::ONE],
            next_memory: &[],
            inputs: &mut work.q_bar,
            memory: &mut [],
            weights: Some(&mut work.weights_bar),
        };
        self.network.vjp(&work.weights, &[], &work.dual, &mut work.dual_scratch, bar);
        for (q_bar, dual) in q_bar.iter_mut().zip(&work.q_bar) {
            *q_bar -= dual.eps[0];
        }
        for (weight_bar, dual) in weights_bar.iter_mut().zip(&work.weights_bar) {
            *weight_bar -= dual.eps[0];
        }
    }
}

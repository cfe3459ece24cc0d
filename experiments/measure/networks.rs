//! Times networks alone and inside a step.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use gradbody::augment::{Augmentation, Blueprint, Plan, bind};
use gradbody::neural::{Network, NetworkCotangents, NetworkScratch, NetworkTrace};
use gradbody::sim::{Kernel, Simulated};

use super::clock::{Figure, calls};
use super::stepping::Settled;
use crate::workloads::Nn175;

/// The network of NeuralSim's figure 5, and the standing Laikago with networks in its joints.
pub(super) const MODELS: [&str; 2] = ["nn175", TAPPED];
pub(super) const TAPPED: &str = "laikago_stand_taps";
pub(super) const FUNCTIONS: [&str; 2] = ["nn175_value", "nn175_gradient"];

/// Evaluations of a network alone, each on its own inputs.
pub(super) struct Alone {
    network: Network,
    weights: Vec<f64>,
    inputs: Vec<Vec<f64>>,
}

impl Alone {
    /// The network of 175 weights.
    pub(super) fn nn175() -> anyhow::Result<Self> {
        let Nn175 { network, weights, inputs } = Nn175::new()?;
        Ok(Alone { network, weights, inputs: vec![inputs] })
    }

    /// The evaluations of a plan in a step: its one network, on the position and velocity of each leg joint.
    pub(super) fn of(plan: &Plan, settled: &Settled) -> anyhow::Result<Self> {
        let Some((_, network, _)) = plan.networks().next() else {
            anyhow::bail!("no network to measure");
        };
        let state = &settled.state;
        let joints = state.q[7..].iter().zip(&state.v[6..]);
        Ok(Alone {
            network: network.clone(),
            weights: plan.initial_weights(),
            inputs: joints.map(|(q, v)| vec![*q, *v]).collect(),
        })
    }
}

/// A network 2-16-16-1 with shared weights at the passive torque of each leg joint, of the joint's position and
/// velocity. The last layer is zero, so the robot moves as it does without networks.
pub(super) fn in_joints(settled: &Settled) -> anyhow::Result<Arc<Plan>> {
    let inputs = ["joint/*_joint/position", "joint/*_joint/velocity"];
    let mut torques = Augmentation::new("torques", ["joint/*_joint/passive_torque"], inputs);
    torques.initial.zero_last = true;
    let scene = &settled.scene;
    let blueprint = Blueprint::default().with(torques);
    Ok(Arc::new(bind(&blueprint, &scene.model, &scene.options.contact)?))
}

/// Times all evaluations, with gradients on request; also returns the first output.
pub(super) struct Evaluating<'a> {
    pub(super) alone: &'a Alone,
    pub(super) gradient: bool,
    pub(super) time: Duration,
}

impl Kernel for Evaluating<'_> {
    type Output = (Figure, f64);

    #[inline(always)]
    fn run<S: Simulated>(self) -> (Figure, f64) {
        let Alone { network, weights, inputs } = self.alone;
        let cast = |x: &[f64]| x.iter().map(|x| S::from_f64(*x)).collect::<Vec<S>>();
        let (weights, one) = (cast(weights), vec![S::ONE; network.n_outputs()]);
        let mut weights_bar = vec![S::ZERO; weights.len()];
        let mut inputs_bar = vec![S::ZERO; network.n_inputs()];
        let mut at: Vec<(Vec<S>, NetworkTrace<S>)> =
            inputs.iter().map(|x| (cast(x), NetworkTrace::new(network))).collect();
        let mut scratch = NetworkScratch::new(network);
        let figure = calls(self.time, S::LANES, 1, |_| {
            for (inputs, work) in &mut at {
                network.forward(black_box(&weights), black_box(inputs), &[], work);
                black_box(work.outputs());
            }
            if self.gradient {
                weights_bar.fill(S::ZERO);
                for (_, work) in at.iter_mut().rev() {
                    inputs_bar.fill(S::ZERO);
                    let bar = NetworkCotangents {
                        outputs: &one,
                        next_memory: &[],
                        inputs: &mut inputs_bar,
                        memory: &mut [],
                        weights: Some(&mut weights_bar),
                    };
                    network.vjp(black_box(&weights), &[], work, &mut scratch, bar);
                }
                black_box((&inputs_bar, &weights_bar));
            }
        });
        (figure, at[0].1.outputs()[0].lane(0))
    }
}

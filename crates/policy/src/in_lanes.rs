//! An actor and a critic inside a rollout, in lanes.
//!
//! While a window runs, the actor sees the state in the lanes of the simulation. On the way back only the cotangents of
//! observations are needed there: observations and cotangents of actions are kept, and the gradient with respect to the
//! weights is one product of matrices afterwards, in [`ActorInWindow::gather`].

use std::sync::atomic::{AtomicU32, Ordering};

use gradbody_env::{Policy, PolicyInLanes, Value, ValueInLanes};
use gradbody_math::Scalar;
use gradbody_neural::{Network, NetworkCotangents, NetworkScratch, NetworkTrace};
use gradbody_sim::Simulated;

use crate::{Actor, DenseRows, Normaliser};

/// An actor that acts for a window.
#[derive(Debug)]
pub struct ActorInWindow<'a> {
    actor: &'a Actor,
    /// Standard deviation of each number of an action, (actions).
    deviations: Vec<f32>,
    horizon: usize,
    /// Normal random numbers, (worlds, horizon, actions).
    noise: &'a [f32],
    /// Bits of observations, (worlds, horizon, observations). A world belongs to one group, so no two threads
    /// use the same numbers.
    observations: Vec<AtomicU32>,
    /// Bits of the cotangents of actions, (worlds, horizon, actions).
    action_bars: Vec<AtomicU32>,
}

/// What an actor did in a window.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// Observations, (worlds, horizon, observations).
    pub observations: Vec<f32>,
    /// Cotangents of actions, (worlds, horizon, actions).
    pub action_bars: Vec<f32>,
}

impl<'a> ActorInWindow<'a> {
    /// An actor with a shared spread, with `noise`, (worlds, horizon, actions).
    pub fn new(actor: &'a Actor, noise: &'a [f32], horizon: usize) -> Self {
        let rows = noise.len() / actor.n_actions();
        let zeros = |n: usize| (0..n).map(|_| AtomicU32::new(0)).collect();
        ActorInWindow {
            actor,
            deviations: actor.deviations(),
            horizon,
            noise,
            observations: zeros(rows * actor.n_observations()),
            action_bars: zeros(rows * actor.n_actions()),
        }
    }

    /// What was kept.
    pub fn gather(&self) -> Gathered {
        let number = |bits: &AtomicU32| f32::from_bits(bits.load(Ordering::Relaxed));
        Gathered {
            observations: self.observations.iter().map(number).collect(),
            action_bars: self.action_bars.iter().map(number).collect(),
        }
    }
}

impl Gathered {
    /// The gradient of the returns with respect to the weights and to the logarithms of the standard deviations, from
    /// normalised observations; `noise` is that of the window. Replaces the cotangents of actions by those of means.
    pub fn gradient(
        &mut self,
        actor: &Actor,
        rows: &mut DenseRows,
        noise: &[f32],
    ) -> (Vec<f32>, Vec<f32>) {
        let n = actor.n_actions();
        let mut means = vec![0.0; noise.len()];
        rows.forward(&actor.weights, &self.observations, &mut means);
        let deviations = actor.deviations();
        let mut logarithms_bar = vec![0.0; n];
        for (row, bars) in self.action_bars.chunks_exact_mut(n).enumerate() {
            for (k, bar) in bars.iter_mut().enumerate() {
                let drawn = deviations[k] * noise[row * n + k];
                let (_, half) = actor.range(k);
                *bar *= half * actor.head.slope(means[row * n + k] + drawn);
                logarithms_bar[k] += *bar * drawn;
            }
        }
        let mut weights_bar = vec![0.0; actor.weights.len()];
        rows.backward(&actor.weights, &self.action_bars, Some(&mut weights_bar), None);
        (weights_bar, logarithms_bar)
    }
}

/// Keeps numbers of each lane's world at a step.
fn keep<S: Scalar>(
    to: &[AtomicU32],
    horizon: usize,
    (worlds, step): (&[usize], usize),
    numbers: &[S],
) {
    for (lane, world) in worlds.iter().enumerate() {
        let row = &to[(world * horizon + step) * numbers.len()..][..numbers.len()];
        for (to, x) in row.iter().zip(numbers) {
            to.store((x.lane(lane) as f32).to_bits(), Ordering::Relaxed);
        }
    }
}

/// A network that runs in lanes on normalised observations.
#[derive(Debug)]
pub(crate) struct NetworkInLanes<'a, S> {
    network: &'a Network,
    weights: Vec<S>,
    normaliser: &'a Normaliser,
    normal: Vec<S>,
    normal_bar: Vec<S>,
    trace: NetworkTrace<S>,
    scratch: NetworkScratch<S>,
}

impl<'a, S: Scalar> NetworkInLanes<'a, S> {
    fn new(network: &'a Network, weights: &[f32], normaliser: &'a Normaliser) -> Self {
        NetworkInLanes {
            network,
            weights: weights.iter().map(|x| S::from_f64(f64::from(*x))).collect(),
            normaliser,
            normal: vec![S::ZERO; network.n_inputs()],
            normal_bar: vec![S::ZERO; network.n_inputs()],
            trace: NetworkTrace::new(network),
            scratch: NetworkScratch::new(network),
        }
    }

    /// Runs the network; its outputs are in the trace.
    fn forward(&mut self, observation: &[S]) {
        let limit = S::from_f64(f64::from(self.normaliser.limit()));
        let numbers = self.normaliser.shift().iter().zip(self.normaliser.scale());
        for ((to, x), (shift, scale)) in self.normal.iter_mut().zip(observation).zip(numbers) {
            let normal = (*x - S::from_f64(f64::from(*shift))) * S::from_f64(f64::from(*scale));
            *to = normal.clamp(-limit, limit);
        }
        self.network.forward(&self.weights, &self.normal, &[], &mut self.trace);
    }

    /// Adds to the cotangents of the observation. The network must have seen it last.
    fn vjp(&mut self, outputs_bar: &[S], observation_bar: &mut [S]) {
        self.normal_bar.fill(S::ZERO);
        let bars = NetworkCotangents {
            outputs: outputs_bar,
            next_memory: &[],
            inputs: &mut self.normal_bar,
            memory: &mut [],
            weights: None,
        };
        self.network.vjp(&self.weights, &[], &self.trace, &mut self.scratch, bars);
        let limit = S::from_f64(f64::from(self.normaliser.limit()));
        let numbers = self.normal.iter().zip(&self.normal_bar).zip(self.normaliser.scale());
        for (to, ((normal, bar), scale)) in observation_bar.iter_mut().zip(numbers) {
            let inside = normal.abs().select_lt(limit, *bar, S::ZERO);
            *to = inside.mul_add(S::from_f64(f64::from(*scale)), *to);
        }
    }
}

/// [`ActorInWindow`] in lanes.
#[derive(Debug)]
pub struct ActorInLanes<'a, S> {
    window: &'a ActorInWindow<'a>,
    network: NetworkInLanes<'a, S>,
    means_bar: Vec<S>,
}

impl<'a> Policy for &'a ActorInWindow<'_> {
    type InLanes<S: Simulated> = ActorInLanes<'a, S>;

    fn make<S: Simulated>(&self) -> ActorInLanes<'a, S> {
        let Actor { network, weights, normaliser, .. } = self.actor;
        ActorInLanes {
            window: self,
            network: NetworkInLanes::new(network, weights, normaliser),
            means_bar: vec![S::ZERO; self.actor.n_actions()],
        }
    }
}

impl<S: Scalar> ActorInLanes<'_, S> {
    /// A number of an action for a range of ±1, and its slope by the mean; the network must have run.
    fn number(&self, worlds: &[usize], step: usize, k: usize) -> (S, S) {
        let ActorInWindow { actor, deviations, horizon, noise, .. } = self.window;
        let drawn = |lane: usize| {
            let at = (worlds[lane] * horizon + step) * actor.n_actions() + k;
            f64::from(deviations[k] * noise[at])
        };
        let x = self.network.trace.outputs()[k] + S::from_lanes(drawn);
        if actor.head.squashed {
            let y = x.tanh();
            (y, y.neg_mul_add(y, S::ONE))
        } else {
            let inside = x.abs().select_lt(S::ONE, S::ONE, S::ZERO);
            (x.clamp(-S::ONE, S::ONE), inside)
        }
    }
}

impl<S: Scalar> PolicyInLanes<S> for ActorInLanes<'_, S> {
    fn act(&mut self, worlds: &[usize], step: usize, observation: &[S], action: &mut [S]) {
        let ActorInWindow { actor, horizon, observations, .. } = self.window;
        self.network.forward(observation);
        keep(observations, *horizon, (worlds, step), observation);
        for (k, to) in action.iter_mut().enumerate() {
            let (number, _) = self.number(worlds, step, k);
            let (middle, half) = actor.range(k);
            *to = number.mul_add(S::from_f64(f64::from(half)), S::from_f64(f64::from(middle)));
        }
    }

    fn act_vjp(
        &mut self,
        worlds: &[usize],
        step: usize,
        observation: &[S],
        action_bar: &[S],
        observation_bar: &mut [S],
    ) {
        let ActorInWindow { actor, horizon, action_bars, .. } = self.window;
        keep(action_bars, *horizon, (worlds, step), action_bar);
        self.network.forward(observation);
        for (k, bar) in action_bar.iter().enumerate() {
            let (_, slope) = self.number(worlds, step, k);
            let (_, half) = actor.range(k);
            self.means_bar[k] = *bar * slope * S::from_f64(f64::from(half));
        }
        self.network.vjp(&self.means_bar, observation_bar);
    }

    fn begin_back(&mut self) {}

    fn numbers_bar(&self) -> &[S] {
        &[]
    }
}

/// A critic that values the ends of windows: a network with one output on observations that `normaliser` brings to
/// mean zero.
#[derive(Clone, Copy, Debug)]
pub struct CriticInWindow<'a> {
    /// Its structure.
    pub network: &'a Network,
    /// Its weights.
    pub weights: &'a [f32],
    /// Of observations.
    pub normaliser: &'a Normaliser,
    /// The output is multiplied by this.
    pub scale: f32,
}

/// [`CriticInWindow`] in lanes.
#[derive(Debug)]
pub struct CriticInLanes<'a, S> {
    network: NetworkInLanes<'a, S>,
    scale: S,
}

impl<'a> Value for CriticInWindow<'a> {
    type InLanes<S: Scalar> = CriticInLanes<'a, S>;

    fn make<S: Scalar>(&self) -> CriticInLanes<'a, S> {
        CriticInLanes {
            network: NetworkInLanes::new(self.network, self.weights, self.normaliser),
            scale: S::from_f64(f64::from(self.scale)),
        }
    }
}

impl<S: Scalar> ValueInLanes<S> for CriticInLanes<'_, S> {
    fn value(&mut self, observation: &[S]) -> S {
        self.network.forward(observation);
        self.network.trace.outputs()[0] * self.scale
    }

    fn value_vjp(&mut self, _: &[S], value_bar: S, observation_bar: &mut [S]) {
        self.network.vjp(&[value_bar * self.scale], observation_bar);
    }
}

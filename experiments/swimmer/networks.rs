//! The networks that replace a medium.
//!
//! The force of a medium on a link depends on the link's velocity in its own axes. Sites give velocities in the world's
//! axes only, but forces in both. To convert, a layer first sets a force equal to the velocity; a network then reads
//! that force in the link's axes and replaces it. The weights of such layers are fixed, not learned.

use gradbody::augment::{Augmentation, Blueprint, Kind, Mode, Reading, ReadingOptions};
use gradbody::neural::{Activation, Damping, Spread};

use super::recorded::Swimmer;

/// The replacement of the medium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Correction {
    /// No replacement.
    None,
    /// A network of the state that adds to the force of every joint (NeuralSim's ψ).
    Torques,
    /// The same with inputs and outputs in the axes of the first link, so that the heading does not matter.
    OwnAxes,
    /// One network for all links: force and torque at a link's middle from its velocity there, in the link's axes.
    Wrenches,
    /// Two networks, for the first link and for the others, in the world's axes, that can only remove energy.
    Dissipative,
}

/// Networks, some of whose weights are fixed.
#[derive(Clone, Debug)]
pub(super) struct Networks {
    pub(super) blueprint: Blueprint,
    /// Fixed weights by name of the augmentation.
    pub(super) given: Vec<(String, Vec<f64>)>,
}

/// Names of the links. The origin of the first is its middle, that of the others their front end.
pub(super) const HEAD: &str = "head_link";
const TAIL: &str = "tail*_link";
const ALL: &str = "*_link";

/// The name of a link by its number, counted from 1.
pub(super) fn link_name(number: usize) -> String {
    if number == 1 { HEAD.into() } else { TAIL.replace('*', &number.to_string()) }
}

/// Position of the middle of the other links along their x axis [m].
const MIDDLE: f64 = -0.5;
/// Widths of the layers of ψ. With two links it has 1635 weights; NeuralSim's has 1637.
const OF_TORQUES: [usize; 2] = [29, 42];
const OF_OWN_AXES: [usize; 2] = [29, 43];
/// Widths of the layers of the links' networks.
const OF_WRENCHES: [usize; 1] = [16];
const OF_DISSIPATIVE: [usize; 2] = [16, 16];
/// Scales of angles [rad], velocities [m/s] and spins [rad/s].
const ANGLE: f64 = 0.33;
const SPEED: f64 = 0.17;
const SPIN: f64 = 0.33;

impl Correction {
    /// The networks; `force` is the size of the missing force and torque [N, N m].
    pub(super) fn networks(self, swimmer: Swimmer, force: f64, seed: u64) -> Networks {
        let mut networks = Networks { blueprint: Blueprint::default(), given: Vec::new() };
        match self {
            Correction::None => {}
            Correction::Torques => networks.learn(torques(swimmer), force, seed),
            Correction::OwnAxes => {
                networks.give(velocity(HEAD), &VELOCITY);
                networks.learn(own_axes(swimmer), force, seed);
            }
            Correction::Wrenches => {
                networks.give(velocity(ALL), &VELOCITY);
                networks.give(velocity_of_middle(), &[MIDDLE]);
                networks.learn(wrench(), force, seed);
                networks.give(moment_of_middle(), &[0.0, MIDDLE]);
            }
            Correction::Dissipative => {
                for link in [HEAD, TAIL] {
                    // The force is L Lᵀ v, so L scales with the square root.
                    networks.learn(dissipative(link), force.sqrt(), seed);
                }
            }
        }
        networks
    }
}

impl Networks {
    fn add(&mut self, augmentation: Augmentation) {
        let before = std::mem::take(&mut self.blueprint);
        self.blueprint = before.with(augmentation);
    }

    fn learn(&mut self, mut augmentation: Augmentation, force: f64, seed: u64) {
        augmentation.output_scale = force;
        augmentation.initial.seed = seed;
        self.add(augmentation);
    }

    fn give(&mut self, augmentation: Augmentation, weights: &[f64]) {
        self.given.push((augmentation.name.clone(), weights.to_vec()));
        self.add(augmentation);
    }
}

fn reading(site: String, scale: f64) -> Reading {
    Reading::With(ReadingOptions { site, previous: false, history: 0, mean: 0.0, scale })
}

fn augmentation(name: &str, outputs: &[String], inputs: Vec<Reading>) -> Augmentation {
    let mut made = Augmentation::new(name, outputs.iter().map(String::as_str), []);
    made.inputs = inputs;
    made
}

/// ψ(q, q̇) on the force of every joint. The position of the swimmer does not matter and is not an input.
fn torques(swimmer: Swimmer) -> Augmentation {
    let joints: Vec<String> = ["root_x", "root_y", "root_yaw"]
        .into_iter()
        .map(String::from)
        .chain((1..=swimmer.hinges).map(|k| format!("joint{k}")))
        .collect();
    let outputs: Vec<String> = joints.iter().map(|j| format!("joint/{j}/passive_torque")).collect();
    let positions = joints[2..].iter().map(|j| reading(format!("joint/{j}/position"), ANGLE));
    let velocities = joints
        .iter()
        .enumerate()
        .map(|(k, j)| reading(format!("joint/{j}/velocity"), if k < 2 { SPEED } else { SPIN }));
    let mut made = augmentation("torques", &outputs, positions.chain(velocities).collect());
    made.network.hidden = OF_TORQUES.to_vec();
    made.network.activation = Activation::Silu;
    made.initial.zero_last = true;
    made
}

/// ψ in the axes of the first link. A force on the first link and a torque on each link are equivalent to a force on
/// each joint: the torque of a hinge is the sum of the torques beyond it.
fn own_axes(swimmer: Swimmer) -> Augmentation {
    let links = || (1..=swimmer.hinges + 1).map(link_name);
    let force = || ["x", "y"].map(|axis| format!("link/{HEAD}/local_force/{axis}"));
    let torques = links().map(|link| format!("link/{link}/torque/z"));
    let outputs: Vec<String> = force().into_iter().chain(torques).collect();
    let angles = (1..=swimmer.hinges).map(|k| reading(format!("joint/joint{k}/position"), ANGLE));
    let velocity = force().map(|site| reading(site, SPEED));
    let spins = links().map(|link| reading(format!("link/{link}/spin/z"), SPIN));
    let mut made = augmentation("torques", &outputs, angles.chain(velocity).chain(spins).collect());
    made.mode = Mode::Replace;
    made.network.hidden = OF_OWN_AXES.to_vec();
    made.network.activation = Activation::Silu;
    made.initial.zero_last = true;
    made
}

/// A linear layer with fixed weights.
fn given(name: &str, outputs: &[String], inputs: Vec<Reading>) -> Augmentation {
    let mut made = augmentation(name, outputs, inputs);
    made.network.hidden.clear();
    made.network.bias = false;
    made
}

/// Sets a force equal to the velocity of a link's origin.
fn velocity(link: &str) -> Augmentation {
    let sites = |what: &str| ["x", "y"].map(|axis| format!("link/{link}/{what}/{axis}"));
    given("velocity", &sites("force"), sites("velocity").map(|s| reading(s, 1.0)).to_vec())
}
const VELOCITY: [f64; 4] = [1.0, 0.0, 0.0, 1.0];

/// Converts it to the velocity of the middle where that is not the origin: v + ω × r.
fn velocity_of_middle() -> Augmentation {
    let site = |what: &str| format!("link/{TAIL}/{what}");
    given("velocity of the middle", &[site("local_force/y")], vec![reading(site("spin/z"), 1.0)])
}

/// Adds the torque about the origin of a force at the middle, r × f. The force is also an output, changed by zero, so
/// that it can be read.
fn moment_of_middle() -> Augmentation {
    let site = |what: &str| format!("link/{TAIL}/{what}");
    let outputs = [site("local_force/y"), site("local_torque/z")];
    given("moment of the middle", &outputs, vec![reading(site("local_force/y"), 1.0)])
}

/// Force and torque on a link from its velocity and spin, all in the link's axes and at its middle.
fn wrench() -> Augmentation {
    let site = |what: &str| format!("link/{ALL}/{what}");
    let outputs = ["local_force/x", "local_force/y", "local_torque/z"].map(site);
    let inputs = vec![
        reading(site("local_force/x"), SPEED),
        reading(site("local_force/y"), SPEED),
        reading(site("spin/z"), SPIN),
    ];
    let mut made = augmentation("wrench", &outputs, inputs);
    made.mode = Mode::Replace;
    made.network.hidden = OF_WRENCHES.to_vec();
    made.network.activation = Activation::Silu;
    made.initial.zero_last = true;
    made
}

/// Force and torque on a link in the world's axes, −L Lᵀ v with L from its orientation and its velocity.
fn dissipative(link: &str) -> Augmentation {
    let site = |what: &str| format!("link/{link}/{what}");
    let outputs = ["force/x", "force/y", "torque/z"].map(site);
    let name = if link == HEAD { "drag on the first link" } else { "drag on the others" };
    let inputs = vec![
        reading(site("orientation/yaw"), 1.0),
        reading(site("velocity/x"), SPEED),
        reading(site("velocity/y"), SPEED),
        reading(site("spin/z"), SPIN),
    ];
    let mut made = augmentation(name, &outputs, inputs);
    made.kind = Kind::Dissipative(Damping::Full);
    made.network.hidden = OF_DISSIPATIVE.to_vec();
    made.network.activation = Activation::Sin;
    made.initial.spread = Spread::XavierUniform;
    made
}

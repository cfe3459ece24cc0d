//! Networks that correct the friction under a body.

use gradbody::augment::{Augmentation, Blueprint, Kind, Reading, ReadingOptions};
use gradbody::neural::Damping;

use super::scene::TABLE;

/// The form of the correction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Friction {
    /// An unrestricted force, added to the friction of each point.
    Free,
    /// A force that only removes energy: −L Lᵀ v, with v the sliding velocity of the point.
    Dissipative,
}

/// Widths of its layers.
const HIDDEN: [usize; 2] = [16, 16];
/// Scales of the inputs: sliding velocity [m/s], distances [m], load of a point [N].
const SPEED: f64 = 0.05;
const LENGTH: f64 = 0.05;
const LOAD: f64 = 0.4;
/// Approximate place of the pushes on the table [m].
const MIDDLE: [f64; 2] = [0.3, 0.0];
/// Scales of the outputs: force on a point [N], and L [√(N s/m)].
const FORCE: f64 = 0.03;
const ROOT_OF_DAMPING: f64 = 0.2;

impl Friction {
    /// One network for all points. Its inputs are the sliding velocity, position and load of the point and the position
    /// of the body.
    pub(super) fn blueprint(self, seed: u64) -> Blueprint {
        let axes = ["x", "y"];
        let site = |name: &str, axis: &str| format!("{TABLE}/{name}/{axis}");
        let outputs = axes.map(|axis| site("friction", axis));
        let outputs = outputs.iter().map(String::as_str);
        let mut network = Augmentation::new("friction", outputs, []);
        for (axis, middle) in axes.into_iter().zip(MIDDLE) {
            network.inputs.push(reading(site("sliding_velocity", axis), 0.0, SPEED));
            network.inputs.push(reading(site("point", axis), middle, LENGTH));
            network.inputs.push(reading(format!("link/body/position/{axis}"), middle, LENGTH));
        }
        network.inputs.push(reading(format!("{TABLE}/normal_force"), 0.0, LOAD));
        network.network.hidden = HIDDEN.to_vec();
        network.initial.seed = seed;
        match self {
            Friction::Free => {
                network.output_scale = FORCE;
                network.initial.zero_last = true;
            }
            Friction::Dissipative => {
                network.kind = Kind::Dissipative(Damping::Full);
                network.output_scale = ROOT_OF_DAMPING;
            }
        }
        Blueprint::default().with(network)
    }
}

fn reading(site: String, mean: f64, scale: f64) -> Reading {
    Reading::With(ReadingOptions { site, previous: false, history: 0, mean, scale })
}

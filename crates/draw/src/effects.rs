//! Where networks act in a motion, and how much: what a viewer draws at joints, links and contacts.

use serde::{Deserialize, Serialize};

/// What networks do over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effects {
    /// Where they act.
    pub sites: Vec<EffectSite>,
    /// The effects at each time.
    pub moments: Vec<Vec<Effect>>,
    /// The quantities that they change.
    pub tracks: Vec<EffectTrack>,
}

/// A place where a network acts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectSite {
    /// Its name, such as `joint/knee/passive_torque` or `link/foot/force`.
    pub name: String,
    /// The network.
    pub network: String,
    /// The unit of its vectors; empty if they have none.
    pub unit: String,
    /// How it is drawn.
    pub kind: EffectKind,
}

/// How an effect is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EffectKind {
    /// An arrow along the vector.
    Along,
    /// A turning arrow about the vector.
    About,
    /// A mark, as large as the vector is long: a change of a number without a direction.
    Mark,
}

/// An effect at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Index of the site.
    pub site: usize,
    /// Index of the body that carries it.
    pub body: usize,
    /// Where, in the body [m].
    pub point: [f32; 3],
    /// How much, in the body's axes.
    pub vector: [f32; 3],
}

/// A quantity that a network changes. NaN where it is not known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectTrack {
    /// Its name.
    pub name: String,
    /// The network.
    pub network: String,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// The site that it belongs to, if it is drawn at one.
    pub site: Option<usize>,
    /// Its value before the networks changed it, at each time.
    pub before: Vec<f32>,
    /// The change at each time.
    pub change: Vec<f32>,
}

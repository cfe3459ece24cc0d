//! All quantities of a model that a cost can be about, with the names that `of` takes.
//!
//! The names are those of the channels of an experiment: `joint/knee/position`, `link/foot/position/z`, and those that no
//! sensor has: `link/foot/contact-force/z`, `com/velocity/x`. A name without its last part stands for all parts.

use gradbody_control::{Actions, Quantity};
use gradbody_math::Vec3;
use gradbody_math::names::matches;
use gradbody_model::{FrameId, Model};

/// Numbers that belong to one quantity.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The quantity. Those of coordinates and actions are empty: a cost lists the ones it is about.
    pub(crate) quantity: Quantity,
    /// Its numbers.
    pub(crate) parts: Vec<Part>,
    /// Its default target.
    pub(crate) rests: Rests,
}

/// A number of a quantity.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Its name.
    pub(crate) name: String,
    /// The name of all numbers that belong together: its own without the last part, if it is one of several.
    pub(crate) whole: String,
    /// Its index in the quantity, in v or in the actions.
    pub(crate) index: usize,
}

impl Part {
    fn one_of(whole: &str, part: &str, index: usize) -> Self {
        let name = if part.is_empty() { whole.to_owned() } else { format!("{whole}/{part}") };
        Part { name, whole: whole.to_owned(), index }
    }

    /// Whether `of`, a name or pattern, stands for it.
    pub(crate) fn is_of(&self, of: &str) -> bool {
        matches(of, &self.name) || matches(of, &self.whole)
    }
}

/// Default target of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rests {
    /// Where it is at the start.
    Start,
    /// At zero.
    Zero,
    /// At the actions that the search begins with.
    Begin,
}

/// Index of the first frame after the world's.
const AFTER_WORLD: usize = 1;

/// All groups of a model.
pub(crate) fn groups(model: &Model<f64>, actions: &Actions) -> Vec<Group> {
    let mut groups = vec![
        Group {
            quantity: Quantity::Configuration(Vec::new()),
            parts: coordinates(model, "position"),
            rests: Rests::Start,
        },
        Group {
            quantity: Quantity::Velocity(Vec::new()),
            parts: coordinates(model, "velocity"),
            rests: Rests::Zero,
        },
        Group {
            quantity: Quantity::Actions(Vec::new()),
            parts: (0..actions.len())
                .map(|k| Part::one_of(&actions.name(k, model), "", k))
                .collect(),
            rests: Rests::Begin,
        },
        vector("com/position", Quantity::CentreOfMass, Rests::Start),
        vector("com/velocity", Quantity::CentreOfMassVelocity, Rests::Zero),
    ];
    for (k, frame) in model.topology.frames.iter().enumerate().skip(AFTER_WORLD) {
        let id = FrameId::new(k);
        let name = |what: &str| format!("link/{}/{what}", frame.name);
        let mut add = |what: &str, quantity: Quantity, rests: Rests| {
            groups.push(vector(&name(what), quantity, rests));
        };
        add("position", Quantity::FramePosition(id), Rests::Start);
        add("orientation", Quantity::FrameOrientation(id), Rests::Start);
        for (letter, axis) in [("x", Vec3::X), ("y", Vec3::Y), ("z", Vec3::Z)] {
            let quantity = Quantity::FrameDirection(id, axis);
            add(&format!("axis-{letter}"), quantity, Rests::Start);
        }
        add("velocity", Quantity::FrameVelocity(id), Rests::Zero);
        add("spin", Quantity::FrameSpin(id), Rests::Zero);
    }
    for link in model.topology.link_ids() {
        let name = format!("link/{}/contact-force", model.topology.links[link.index()].name);
        groups.push(vector(&name, Quantity::ContactForce(link), Rests::Zero));
    }
    groups
}

fn vector(name: &str, quantity: Quantity, rests: Rests) -> Group {
    let letters = ["x", "y", "z"].into_iter().enumerate();
    let parts = letters.map(|(k, letter)| Part::one_of(name, letter, k)).collect();
    Group { quantity, parts, rests }
}

/// A name for each coordinate of v. Positions of a joint with several axes have the names of their changes: along x, y
/// and z, and about them (`rx`, `ry`, `rz`).
fn coordinates(model: &Model<f64>, what: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for link in &model.topology.links {
        let joint = &link.joint;
        let whole = format!("joint/{}/{what}", joint.name);
        for (k, suffix) in joint.kind.velocity_suffixes().iter().enumerate() {
            let suffix = match what {
                "velocity" => (*suffix).to_owned(),
                _ => suffix.replacen('v', "", 1).replacen('w', "r", 1),
            };
            parts.push(Part::one_of(&whole, &suffix, joint.v_start + k));
        }
    }
    parts
}

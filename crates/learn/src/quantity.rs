//! What a channel of data is in the model: a number that is observed, or one that is given to it.
//!
//! Names are those of the sites of a step, as far as a state alone determines them: `joint/knee/position`,
//! `link/tip/position/x`. See [`quantities`] for all of a model.

use gradbody_model::{DofKind, FrameId, LinkId, Model};

use gradbody_data::Dimension;

/// A number of the model that can be measured or given.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Its name.
    pub name: String,
    /// What it is a measure of.
    pub dimension: Dimension,
    /// What it is in the model.
    pub role: Role,
}

/// What a quantity is in the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// It follows from the state.
    Observed(Observed),
    /// It acts on the model.
    Given(Given),
}

/// A number that follows from the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observed {
    /// A coordinate of a joint.
    Position {
        /// Its place in q.
        q: usize,
        /// Its place in v.
        v: usize,
    },
    /// A velocity of a joint.
    Velocity {
        /// Its place in v.
        v: usize,
    },
    /// A coordinate of a frame's origin in the world.
    Place {
        /// Which frame.
        frame: FrameId,
        /// Which coordinate.
        axis: usize,
    },
    /// A part of the quaternion (w, x, y, z) of a frame's orientation in the world. Measured are all four.
    Orientation {
        /// Which frame.
        frame: FrameId,
        /// Which part.
        part: usize,
    },
    /// The angle about the world's z from its x axis to that of a frame.
    Heading {
        /// Which frame.
        frame: FrameId,
    },
}

/// A number that acts on the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// The control of an actuator.
    Control(usize),
    /// A joint force, by its place in v.
    JointForce(usize),
    /// A force on a link at its origin in the world's axes.
    LinkForce(LinkId, usize),
    /// A torque on a link in the world's axes.
    LinkTorque(LinkId, usize),
    /// A signal of the user, for networks.
    Signal(usize),
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// Every quantity of a model, with these signals of the user.
pub fn quantities(model: &Model<f64>, signals: &[String]) -> Vec<Quantity> {
    let mut all = Vec::new();
    let mut add = |name: String, dimension: Dimension, role: Role| {
        all.push(Quantity { name, dimension, role });
    };
    for link in &model.topology.links {
        let joint = &link.joint;
        let path = |what: &str, suffix: &str| match suffix {
            "" => format!("joint/{}/{what}", joint.name),
            _ => format!("joint/{}/{what}/{suffix}", joint.name),
        };
        let pick = |k: usize, of: [Dimension; 2]| {
            of[usize::from(joint.kind.dofs()[k] != DofKind::Angular)]
        };
        if joint.kind.is_flat() {
            for (k, suffix) in joint.kind.position_suffixes().iter().enumerate() {
                let role = Observed::Position { q: joint.q_start + k, v: joint.v_start + k };
                let dimension = pick(k, [Dimension::Angle, Dimension::Length]);
                add(path("position", suffix), dimension, Role::Observed(role));
            }
        }
        for (k, suffix) in joint.kind.velocity_suffixes().iter().enumerate() {
            let v = joint.v_start + k;
            let dimension = pick(k, [Dimension::AngularVelocity, Dimension::Velocity]);
            add(path("velocity", suffix), dimension, Role::Observed(Observed::Velocity { v }));
            let dimension = pick(k, [Dimension::Torque, Dimension::Force]);
            add(path("force", suffix), dimension, Role::Given(Given::JointForce(v)));
        }
    }
    for (k, frame) in model.topology.frames.iter().enumerate().skip(1) {
        let id = FrameId::new(k);
        let mut see = |what: &str, dimension: Dimension, of: Observed| {
            add(format!("link/{}/{what}", frame.name), dimension, Role::Observed(of));
        };
        for (axis, letter) in AXES.iter().enumerate() {
            let of = Observed::Place { frame: id, axis };
            see(&format!("position/{letter}"), Dimension::Length, of);
        }
        for (part, letter) in ["w", "x", "y", "z"].iter().enumerate() {
            let of = Observed::Orientation { frame: id, part };
            see(&format!("orientation/{letter}"), Dimension::Number, of);
        }
        see("heading", Dimension::Angle, Observed::Heading { frame: id });
    }
    for link in model.topology.link_ids() {
        let name = &model.topology.links[link.index()].name;
        for (axis, letter) in AXES.iter().enumerate() {
            let force = Role::Given(Given::LinkForce(link, axis));
            add(format!("link/{name}/force/{letter}"), Dimension::Force, force);
            let torque = Role::Given(Given::LinkTorque(link, axis));
            add(format!("link/{name}/torque/{letter}"), Dimension::Torque, torque);
        }
    }
    for (k, actuator) in model.topology.actuators.iter().enumerate() {
        add(
            format!("control/{}", actuator.name),
            Dimension::Number,
            Role::Given(Given::Control(k)),
        );
    }
    for (k, signal) in signals.iter().enumerate() {
        add(format!("signal/{signal}"), Dimension::Number, Role::Given(Given::Signal(k)));
    }
    all
}

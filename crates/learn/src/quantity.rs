//! The quantities of a model that a channel of the data can hold: observed ones, and ones that act on the model.
//!
//! A quantity that follows from the state has the name of its site, if there is one: `joint/knee/position`,
//! `link/tip/position/x`. [`quantities`] lists all quantities of a model.

use gradbody_model::{DofKind, FrameId, JointId, JointKind, LinkId, Model};

use gradbody_data::Dimension;

/// A number of the model that can be measured or given.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Its name.
    pub name: String,
    /// Its physical dimension, such as an angle.
    pub dimension: Dimension,
    /// Whether it is observed or given.
    pub role: Role,
}

/// Whether a quantity is observed or given.
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
        /// Its index in q.
        q: usize,
        /// Its index in v.
        v: usize,
    },
    /// A velocity of a joint.
    Velocity {
        /// Its index in v.
        v: usize,
    },
    /// A coordinate of a frame's origin in the world.
    Place {
        /// Which frame.
        frame: FrameId,
        /// 0 for x, 1 for y, 2 for z.
        axis: usize,
    },
    /// A component of the quaternion (w, x, y, z) of a frame's orientation in the world. All four must be measured.
    Orientation {
        /// Which frame.
        frame: FrameId,
        /// 0 to 3 for w, x, y, z.
        part: usize,
    },
    /// The angle about the world's z axis, from the world's x axis to the frame's x axis.
    Heading {
        /// Which frame.
        frame: FrameId,
    },
}

/// A number that acts on the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// The control of an actuator, by its index.
    Control(usize),
    /// A joint force or torque, by its index in v.
    JointForce(usize),
    /// The path along which a joint of one coordinate is moved, whatever acts on it.
    JointMotion(JointId),
    /// The force on a link at its origin, along an axis of the world.
    LinkForce(LinkId, usize),
    /// The torque on a link, about an axis of the world.
    LinkTorque(LinkId, usize),
    /// A signal that only networks read, by its index.
    Signal(usize),
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// All quantities of a model, with the user's `signals`.
pub fn quantities(model: &Model<f64>, signals: &[String]) -> Vec<Quantity> {
    let mut all = Vec::new();
    let mut add = |name: String, dimension: Dimension, role: Role| {
        all.push(Quantity { name, dimension, role });
    };
    for (index, link) in model.topology.links.iter().enumerate() {
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
        if let JointKind::Revolute(_) | JointKind::Prismatic(_) = joint.kind {
            let dimension = pick(0, [Dimension::Angle, Dimension::Length]);
            let motion = Given::JointMotion(JointId::new(index));
            add(path("motion", ""), dimension, Role::Given(motion));
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

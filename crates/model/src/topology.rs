//! Structure without numbers: the tree, names and typed ids.

use core::ops::Range;

use crate::{
    Actuator, ContactLaw, Frame, JointKind, Keyframe, MaterialScalar, ParamId, Shape, Visual,
};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// Index in the list of these items.
            #[inline(always)]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of the item at `index`.
            #[inline(always)]
            pub const fn new(index: usize) -> Self {
                $name(index as u32)
            }
        }
    };
}
id!(
    /// A moving link.
    LinkId
);
id!(
    /// A joint; joint i moves link i.
    JointId
);
id!(
    /// A named frame fixed to a link or to the world.
    FrameId
);
id!(
    /// A collision shape.
    ShapeId
);
id!(
    /// An actuator.
    ActuatorId
);
id!(
    /// A listed pair of shapes, with its own surface.
    PairId
);

impl JointId {
    /// The link this joint moves.
    pub const fn link(self) -> LinkId {
        LinkId(self.0)
    }
}

impl LinkId {
    /// The joint that moves this link.
    pub const fn joint(self) -> JointId {
        JointId(self.0)
    }
}

impl FrameId {
    /// The world's own frame, which every model has.
    pub const WORLD: FrameId = FrameId(0);
}

/// The structure of a model.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// Name of the model.
    pub name: String,
    /// Moving links, parents before children.
    pub links: Vec<Link>,
    /// Named frames; the first is the world. Every link of the source has one, moving or not.
    pub frames: Vec<Frame>,
    /// Collision shapes.
    pub shapes: Vec<Shape>,
    /// Actuators.
    pub actuators: Vec<Actuator>,
    /// Number of position coordinates.
    pub nq: usize,
    /// Number of velocity coordinates.
    pub nv: usize,
    /// Number of actuator states.
    pub na: usize,
    /// Time step that the source requests [s].
    pub timestep: Option<f64>,
    /// Named states of the source.
    pub keyframes: Vec<Keyframe>,
    /// Pairs of shapes that collide whatever the filters say, with their own surfaces.
    pub contact_pairs: Vec<ContactPair>,
    /// Pairs of frames (bodies of the source) whose shapes never collide with each other.
    pub contact_excludes: Vec<(FrameId, FrameId)>,
    /// What is drawn. If there is nothing, collision shapes are drawn.
    pub visuals: Vec<Visual>,
}

/// A moving link and the joint that moves it.
#[derive(Clone, Debug)]
pub struct Link {
    /// Unique name.
    pub name: String,
    /// The link that carries it; `None` for the world.
    pub parent: Option<LinkId>,
    /// The joint between parent and this link.
    pub joint: Joint,
}

/// A joint's structure.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// Index of its first position coordinate.
    pub q_start: usize,
    /// Index of its first velocity coordinate.
    pub v_start: usize,
}

impl Joint {
    /// Its position coordinates.
    #[inline(always)]
    pub fn q_range(&self) -> Range<usize> {
        self.q_start..self.q_start + self.kind.nq()
    }

    /// Its velocity coordinates.
    #[inline(always)]
    pub fn v_range(&self) -> Range<usize> {
        self.v_start..self.v_start + self.kind.nv()
    }
}

/// Two shapes that collide whatever the filters say. Their surface is in `Params::pairs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactPair {
    /// One shape.
    pub a: ShapeId,
    /// The other.
    pub b: ShapeId,
    /// The contact law.
    pub law: ContactLaw,
    /// Whether the contact resists turning, by torsional and rolling friction.
    pub resists_turning: bool,
}

impl Topology {
    /// Ids of all links, parents first.
    pub fn link_ids(&self) -> impl DoubleEndedIterator<Item = LinkId> + use<> {
        (0..self.links.len()).map(LinkId::new)
    }

    /// The link with this name.
    pub fn link(&self, name: &str) -> Option<LinkId> {
        self.links.iter().position(|l| l.name == name).map(LinkId::new)
    }

    /// The joint with this name.
    pub fn joint(&self, name: &str) -> Option<JointId> {
        self.links.iter().position(|l| l.joint.name == name).map(JointId::new)
    }

    /// The frame with this name.
    pub fn frame(&self, name: &str) -> Option<FrameId> {
        self.frames.iter().position(|f| f.name == name).map(FrameId::new)
    }

    /// The shape with this name.
    pub fn shape(&self, name: &str) -> Option<ShapeId> {
        self.shapes.iter().position(|s| s.name == name).map(ShapeId::new)
    }

    /// Notes that the friction of a shape was given, if `id` is the number of its sliding or static friction.
    pub fn note_friction_given(&mut self, id: ParamId) {
        use MaterialScalar::{Friction, StaticFriction};
        if let ParamId::ShapeMaterial(shape, Friction | StaticFriction) = id {
            self.shapes[shape.index()].friction_given = true;
        }
    }

    /// The actuator with this name.
    pub fn actuator(&self, name: &str) -> Option<ActuatorId> {
        self.actuators.iter().position(|a| a.name == name).map(ActuatorId::new)
    }

    /// The name of a pair in paths: `SHAPE-SHAPE`.
    pub fn pair_name(&self, pair: PairId) -> String {
        let ContactPair { a, b, .. } = self.contact_pairs[pair.index()];
        format!("{}-{}", self.shapes[a.index()].name, self.shapes[b.index()].name)
    }

    /// The pair with this name.
    pub fn pair(&self, name: &str) -> Option<PairId> {
        (0..self.contact_pairs.len()).map(PairId::new).find(|p| self.pair_name(*p) == name)
    }

    /// A name for each velocity coordinate: that of the joint for one degree of freedom, otherwise `joint/vx`,
    /// `joint/wz` and so on (v linear, w angular).
    pub fn velocity_names(&self) -> Vec<String> {
        self.coordinate_names(JointKind::velocity_suffixes)
    }

    /// A name for each position coordinate, in the same way (`joint/x`, `joint/qw`).
    pub fn position_names(&self) -> Vec<String> {
        self.coordinate_names(JointKind::position_suffixes)
    }

    fn coordinate_names(&self, suffixes: fn(JointKind) -> &'static [&'static str]) -> Vec<String> {
        let mut names = Vec::new();
        for Link { joint, .. } in &self.links {
            match suffixes(joint.kind) {
                [_] => names.push(joint.name.clone()),
                many => names.extend(many.iter().map(|s| format!("{}/{s}", joint.name))),
            }
        }
        names
    }
}

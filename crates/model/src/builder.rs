//! Building a model from code or in an importer: links, joints, frames, shapes, actuators.
//!
//! ```
//! use gradbody_math::{Inertia, Sym3, Vec3};
//! use gradbody_model::{FrameId, JointSpec, ModelBuilder};
//!
//! let rod = Inertia {
//!     mass: 1.0,
//!     com: Vec3::new(0.0, 0.0, -0.5),
//!     rotational: Sym3::diagonal(Vec3::new(0.083, 0.083, 0.001)),
//! };
//! let mut robot = ModelBuilder::new("pendulum");
//! let upper = robot.link("upper", FrameId::WORLD, JointSpec::revolute("hinge", Vec3::Y), rod)?;
//! robot.frame("tip", upper, gradbody_math::Transform::from_translation(Vec3::new(0.0, 0.0, -1.0)))?;
//! let model = robot.build()?;
//! assert_eq!(model.nv(), 1);
//! # Ok::<(), gradbody_model::ModelError>(())
//! ```

use std::collections::HashSet;

use gradbody_math::{Inertia, Mat3, Transform, Vec3};

use crate::topology::Joint;
use crate::validate::{check_axes, check_model};
use crate::{
    Activation, Actuator, ActuatorId, ActuatorParams, Axis, ContactLaw, ContactPair, Figure, Form,
    Frame, FrameId, JointId, JointKind, JointParams, Keyframe, Link, LinkId, Material, Model,
    Params, Shape, ShapeId, ShapeKind, ShapeParams, Topology, Visual,
};

/// What can be wrong with a model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// Two items of one list have the same name.
    #[error("two {what}s are named \"{name}\"")]
    DuplicateName {
        /// link, joint, frame, shape, actuator or contact pair
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A joint's axis has no direction: its length is zero or not finite.
    #[error("joint \"{joint}\": its axis ({x}, {y}, {z}) has no direction")]
    ZeroAxis {
        /// Name of the joint.
        joint: String,
        /// Axis as given.
        x: f64,
        /// Axis as given.
        y: f64,
        /// Axis as given.
        z: f64,
    },
    /// A number that must be finite is not.
    #[error("{what}: a value is not a finite number")]
    NotFinite {
        /// The affected item.
        what: String,
    },
    /// A number is physically impossible.
    #[error("{what}: {problem}")]
    Impossible {
        /// The affected item.
        what: String,
        /// The reason.
        problem: String,
    },
}

/// A joint to be added: its kind and parameters. Start from a constructor and change what differs.
#[derive(Clone, Debug)]
pub struct JointSpec {
    /// Unique name.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// Pose of the joint in the frame it is attached to.
    pub placement: Transform<f64>,
    /// Pose of the link's frame in the joint's moving frame. The identity, unless a file places a joint away from its
    /// body's origin.
    pub link_in_joint: Transform<f64>,
    /// The joint's parameters; the field `placement` above takes precedence over theirs.
    pub params: JointParams<f64>,
}

/// Reasons for the defaults: no loss or compliance unless requested; a soft limit that a joint torque of tens of
/// newton-metres enters by a few degrees; friction that changes its sign within 0.01 rad/s.
const DEFAULTS: JointParams<f64> = JointParams {
    placement: Transform::IDENTITY,
    axis: Vec3::Z,
    axis2: Vec3::Z,
    armature: 0.0,
    damping: 0.0,
    friction: 0.0,
    friction_velocity: 0.01,
    stiffness: 0.0,
    rest: 0.0,
    limit_lower: f64::NEG_INFINITY,
    limit_upper: f64::INFINITY,
    limit_stiffness: 500.0,
    limit_damping: 5.0,
    limit_softness: 0.01,
    effort_limit: f64::INFINITY,
};

impl JointSpec {
    /// A joint of this kind with default parameters.
    pub fn new(name: impl Into<String>, kind: JointKind) -> Self {
        let mut params = DEFAULTS;
        if let JointKind::Prismatic(_) = kind {
            params.limit_stiffness = 50_000.0;
            params.limit_damping = 500.0;
            params.limit_softness = 0.001;
        }
        match kind {
            JointKind::Revolute(Axis::X) | JointKind::Prismatic(Axis::X) => params.axis = Vec3::X,
            JointKind::Revolute(Axis::Y) | JointKind::Prismatic(Axis::Y) => params.axis = Vec3::Y,
            JointKind::Universal => (params.axis, params.axis2) = (Vec3::X, Vec3::Y),
            _ => {}
        }
        JointSpec {
            name: name.into(),
            kind,
            placement: Transform::IDENTITY,
            link_in_joint: Transform::IDENTITY,
            params,
        }
    }

    /// A hinge about `axis` (of any nonzero length).
    pub fn revolute(name: impl Into<String>, axis: Vec3<f64>) -> Self {
        Self::along(name, axis, JointKind::Revolute)
    }

    /// A slide along `axis` (of any nonzero length).
    pub fn prismatic(name: impl Into<String>, axis: Vec3<f64>) -> Self {
        Self::along(name, axis, JointKind::Prismatic)
    }

    fn along(name: impl Into<String>, axis: Vec3<f64>, kind: fn(Axis) -> JointKind) -> Self {
        let unit = unit_or_given(axis);
        let along = [(Vec3::X, Axis::X), (Vec3::Y, Axis::Y), (Vec3::Z, Axis::Z)];
        let axis_kind = along.iter().find(|(v, _)| *v == unit).map_or(Axis::Any, |(_, a)| *a);
        let mut spec = JointSpec::new(name, kind(axis_kind));
        spec.params.axis = unit;
        spec
    }

    /// A ball joint.
    pub fn spherical(name: impl Into<String>) -> Self {
        JointSpec::new(name, JointKind::Spherical)
    }

    /// Slides in xy and turns about z of the joint frame.
    pub fn planar(name: impl Into<String>) -> Self {
        JointSpec::new(name, JointKind::Planar)
    }

    /// Two intersecting hinges: the first about `axis` of the joint, the second about `axis2` of the link.
    pub fn universal(name: impl Into<String>, axis: Vec3<f64>, axis2: Vec3<f64>) -> Self {
        let mut spec = JointSpec::new(name, JointKind::Universal);
        spec.params.axis = unit_or_given(axis);
        spec.params.axis2 = unit_or_given(axis2);
        spec
    }

    /// Six degrees of freedom.
    pub fn free(name: impl Into<String>) -> Self {
        JointSpec::new(name, JointKind::Free)
    }

    /// Sets the placement.
    pub fn at(mut self, placement: Transform<f64>) -> Self {
        self.placement = placement;
        self
    }

    /// Sets the viscous damping.
    pub fn damping(mut self, damping: f64) -> Self {
        self.params.damping = damping;
        self
    }
}

/// Builds a model. Attach links to frames that already exist; `build` checks the whole.
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    topology: Topology,
    params: Params<f64>,
    names: HashSet<(&'static str, String)>,
}

impl ModelBuilder {
    /// An empty world with gravity along −z.
    pub fn new(name: impl Into<String>) -> Self {
        let topology = Topology {
            name: name.into(),
            frames: vec![Frame { name: "world".into(), link: None }],
            ..Topology::default()
        };
        let params = Params {
            gravity: Vec3::new(0.0, 0.0, -9.81),
            links: vec![],
            joints: vec![],
            frames: vec![Transform::IDENTITY],
            shapes: vec![],
            pairs: vec![],
            actuators: vec![],
        };
        ModelBuilder { topology, params, names: HashSet::from([("frame", "world".into())]) }
    }

    /// Sets gravity [m/s²].
    pub fn gravity(&mut self, gravity: Vec3<f64>) -> &mut Self {
        self.params.gravity = gravity;
        self
    }

    /// Sets the model's preferred time step [s].
    pub fn timestep(&mut self, dt: f64) -> &mut Self {
        self.topology.timestep = Some(dt);
        self
    }

    /// Adds a moving link, its joint attached to `parent`, and returns the link's frame.
    pub fn link(
        &mut self,
        name: impl Into<String>,
        parent: FrameId,
        joint: JointSpec,
        inertia: Inertia<f64>,
    ) -> Result<FrameId, ModelError> {
        let name = name.into();
        let JointSpec { name: joint_name, kind, placement, link_in_joint, mut params } = joint;
        check_axes(&joint_name, kind, &params)?;
        self.claim(&[("link", &name), ("joint", &joint_name), ("frame", &name)])?;
        params.placement = self.params.frames[parent.index()] * placement;
        let joint =
            Joint { name: joint_name, kind, q_start: self.topology.nq, v_start: self.topology.nv };
        self.topology.nq += kind.nq();
        self.topology.nv += kind.nv();
        let link = LinkId::new(self.topology.links.len());
        let parent = self.topology.frames[parent.index()].link;
        self.topology.links.push(Link { name: name.clone(), parent, joint });
        self.params.joints.push(params);
        self.params.links.push(moved(&inertia, &link_in_joint));
        Ok(self.add_frame(name, Some(link), link_in_joint))
    }

    /// Adds a link fixed to `parent`: it becomes part of the link that carries the parent, and a frame with its own
    /// name.
    pub fn fixed(
        &mut self,
        name: impl Into<String>,
        parent: FrameId,
        placement: Transform<f64>,
        inertia: Inertia<f64>,
    ) -> Result<FrameId, ModelError> {
        let frame = self.frame(name, parent, placement)?;
        if let Some(link) = self.topology.frames[frame.index()].link {
            let part = moved(&inertia, &self.params.frames[frame.index()]);
            let whole = &mut self.params.links[link.index()];
            *whole = if whole.mass == 0.0 { part.combined(whole) } else { whole.combined(&part) };
        }
        Ok(frame)
    }

    /// Adds a named frame fixed to another.
    pub fn frame(
        &mut self,
        name: impl Into<String>,
        parent: FrameId,
        placement: Transform<f64>,
    ) -> Result<FrameId, ModelError> {
        let name = name.into();
        self.claim(&[("frame", &name)])?;
        let link = self.topology.frames[parent.index()].link;
        Ok(self.add_frame(name, link, self.params.frames[parent.index()] * placement))
    }

    /// Adds a collision shape fixed to a frame; `params.placement` is its pose in that frame.
    pub fn shape(
        &mut self,
        name: impl Into<String>,
        frame: FrameId,
        kind: ShapeKind,
        mut params: ShapeParams<f64>,
    ) -> Result<ShapeId, ModelError> {
        let name = name.into();
        self.claim(&[("shape", &name)])?;
        params.placement = self.params.frames[frame.index()] * params.placement;
        self.topology.shapes.push(Shape {
            name,
            frame,
            kind,
            collision_group: 1,
            collides_with: 1,
            law: ContactLaw::Rigid,
            resists_turning: false,
            friction_given: true,
            mesh_file: None,
        });
        self.params.shapes.push(params);
        Ok(ShapeId::new(self.topology.shapes.len() - 1))
    }

    /// Adds a geometry that is only drawn, fixed to its frame; `figure.placement` is its pose in that frame.
    pub fn figure(&mut self, mut figure: Figure, colour: Option<[f32; 4]>) -> &mut Self {
        figure.placement = self.params.frames[figure.frame.index()] * figure.placement;
        let form = Form::Figure(Box::new(figure));
        self.topology.visuals.push(Visual { form, colour });
        self
    }

    /// Draws a collision shape. Once a model has visuals, shapes without one are not drawn.
    pub fn draw_shape(&mut self, shape: ShapeId, colour: Option<[f32; 4]>) -> &mut Self {
        self.topology.visuals.push(Visual::of_shape(shape, colour));
        self
    }

    /// The structure of a shape, to set its collision groups or contact law, or that its friction was not given.
    pub fn shape_mut(&mut self, shape: ShapeId) -> &mut Shape {
        &mut self.topology.shapes[shape.index()]
    }

    /// Adds an actuator on a joint of one degree of freedom. With `integrates`, its control is the rate of a state.
    pub fn actuator(
        &mut self,
        name: impl Into<String>,
        joint: JointId,
        integrates: bool,
        params: ActuatorParams<f64>,
    ) -> Result<ActuatorId, ModelError> {
        let name = name.into();
        let kind = self.topology.links[joint.index()].joint.kind;
        if kind.nv() != 1 {
            return Err(ModelError::Impossible {
                what: format!("actuator \"{name}\""),
                problem: format!(
                    "it drives a {} joint; only revolute and prismatic joints can be driven",
                    kind.name()
                ),
            });
        }
        self.claim(&[("actuator", &name)])?;
        let activation = if integrates {
            self.topology.na += 1;
            Activation::Integrator { index: self.topology.na - 1 }
        } else {
            Activation::Direct
        };
        self.topology.actuators.push(Actuator { name, joint, activation });
        self.params.actuators.push(params);
        Ok(ActuatorId::new(self.topology.actuators.len() - 1))
    }

    /// Adds a named state.
    pub fn keyframe(&mut self, keyframe: Keyframe) -> &mut Self {
        self.topology.keyframes.push(keyframe);
        self
    }

    /// Makes two shapes collide whatever the filters say, with a surface for the pair.
    pub fn contact_pair(&mut self, pair: ContactPair, material: Material<f64>) -> &mut Self {
        self.topology.contact_pairs.push(pair);
        self.params.pairs.push(material);
        self
    }

    /// Excludes collisions between the shapes of two frames (bodies of the source).
    pub fn contact_exclude(&mut self, a: FrameId, b: FrameId) -> &mut Self {
        let excludes = &mut self.topology.contact_excludes;
        if !excludes.contains(&(a, b)) && !excludes.contains(&(b, a)) {
            excludes.push((a, b));
        }
        self
    }

    /// The structure built so far.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The parameters set so far.
    pub fn params_mut(&mut self) -> &mut Params<f64> {
        &mut self.params
    }

    /// Returns the finished model. Fails if a number in it is invalid.
    pub fn build(self) -> Result<Model<f64>, ModelError> {
        let model = Model { topology: self.topology, params: self.params };
        check_model(&model)?;
        Ok(model)
    }

    fn add_frame(
        &mut self,
        name: String,
        link: Option<LinkId>,
        placement: Transform<f64>,
    ) -> FrameId {
        self.topology.frames.push(Frame { name, link });
        self.params.frames.push(placement);
        FrameId::new(self.topology.frames.len() - 1)
    }

    /// Reserves names in lists: all of them or, if one is taken, none.
    fn claim(&mut self, wanted: &[(&'static str, &String)]) -> Result<(), ModelError> {
        let key = |(what, name): &(&'static str, &String)| (*what, (*name).clone());
        match wanted.iter().map(key).find(|key| self.names.contains(key)) {
            Some((what, name)) => Err(ModelError::DuplicateName { what, name }),
            None => {
                self.names.extend(wanted.iter().map(key));
                Ok(())
            }
        }
    }
}

/// The unit vector along an axis; an axis without direction is returned as given, for `check_axes` to quote.
pub(crate) fn unit_or_given(axis: Vec3<f64>) -> Vec3<f64> {
    // A quotient, unlike a product with the reciprocal, is exactly 1 on a coordinate axis.
    let norm = axis.norm();
    let unit = axis.map(|x| x / norm);
    if unit.is_finite() { unit } else { axis }
}

/// The inertia of a body, transformed from frame b to frame a.
fn moved(inertia: &Inertia<f64>, pose_ab: &Transform<f64>) -> Inertia<f64> {
    let mut turned = inertia.rotated(&pose_ab.rot);
    turned.com += pose_ab.pos;
    turned
}

/// The shortest rotation that turns z onto a unit axis.
pub(crate) fn rotation_onto(axis: Vec3<f64>) -> Mat3<f64> {
    // About z × axis; for axis = −z, half a turn about x.
    let c = axis.z;
    if c < -1.0 + 1e-12 {
        return Mat3::from_axis_sin_cos(Vec3::X, (0.0, -1.0));
    }
    let v = Vec3::Z.cross(axis);
    let k = 1.0 / (1.0 + c);
    let skew = Mat3::skew(v);
    Mat3::IDENTITY + skew + skew * skew * k
}

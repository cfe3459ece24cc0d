//! Robots as data: the structure ([`Topology`]) and every physical number ([`Params`]).
//!
//! A [`Model`] comes from a file ([`import::load`]) or from code ([`ModelBuilder`]). Its links are ordered so that
//! parents come before children; joint i moves link i, so [`LinkId`] and [`JointId`] have equal indices. Every number
//! has a path such as `link/trunk/mass` ([`ParamId`]).

mod actuator;
mod add;
mod builder;
pub mod export;
mod frame;
mod hull;
pub mod import;
mod inertia;
mod joint;
mod keyframe;
mod material;
mod mesh_file;
mod outline;
mod param_path;
mod params;
mod scene;
mod selection;
mod shape;
mod topology;
mod validate;
mod visual;

pub use actuator::{Activation, Actuator, ActuatorParams};
pub use builder::{JointSpec, ModelBuilder, ModelError};
pub use frame::Frame;
pub use hull::{Hull, HullError};
pub use inertia::{
    InertiaFault, LogCholesky, check_inertia, nearest_consistent, principal_moments,
};
pub use joint::{Axis, DofKind, JointKind, JointParams};
pub use keyframe::{Keyframe, StateError};
pub use material::{Material, MaterialScalar};
pub use mesh_file::{MeshPart, read_mesh};
pub use outline::{Outline, OutlineError};
pub use param_path::{JointScalar, ParamId, UnknownParam};
pub use params::Params;
pub use selection::{Follower, Selection, SelectionError, WrongCount};
pub use shape::{ContactLaw, FrictionKnown, FrictionOf, Mesh, Shape, ShapeKind, ShapeParams};
pub use topology::{
    ActuatorId, ContactPair, FrameId, JointId, Link, LinkId, PairId, ShapeId, Topology,
};
pub use visual::{Figure, Form, Visual};

use gradbody_math::Scalar;

/// A robot, or several in one world: structure and parameters.
#[derive(Clone, Debug)]
pub struct Model<S> {
    /// The structure: what is connected to what.
    pub topology: Topology,
    /// Every physical number.
    pub params: Params<S>,
}

impl Model<f64> {
    /// Checks that every number is valid, as [`ModelBuilder::build`] does; call it after setting parameters.
    pub fn check(&self) -> Result<(), ModelError> {
        validate::check_model(self)
    }

    /// The same model in another scalar.
    pub fn cast<T: Scalar>(&self) -> Model<T> {
        Model { topology: self.topology.clone(), params: self.params.map(T::from_f64) }
    }
}

impl<S: Scalar> Model<S> {
    /// Number of velocity coordinates.
    #[inline(always)]
    pub fn nv(&self) -> usize {
        self.topology.nv
    }

    /// Number of position coordinates.
    #[inline(always)]
    pub fn nq(&self) -> usize {
        self.topology.nq
    }

    /// Number of moving links, and of joints.
    #[inline(always)]
    pub fn n_links(&self) -> usize {
        self.topology.links.len()
    }

    /// The configuration in which every joint is at zero.
    pub fn neutral(&self) -> Vec<S> {
        let mut q = vec![S::ZERO; self.nq()];
        for link in &self.topology.links {
            link.joint.kind.write_neutral(&mut q[link.joint.q_range()]);
        }
        q
    }

    /// The value of a parameter.
    pub fn get(&self, id: ParamId) -> S {
        self.params.get(id)
    }

    /// Sets a parameter.
    pub fn set(&mut self, id: ParamId, value: S) {
        self.params.set(id, value);
    }
}

//! What observations, rewards and ends of episodes are functions of.

use gradbody_contact::Contact;
use gradbody_dynamics::{
    CoordinateCotangents, Kinematics, KinematicsCotangents, kinematics, kinematics_vjp, velocities,
};
use gradbody_math::{Scalar, Vec3};
use gradbody_model::{Model, Params};
use gradbody_sim::{State, StateCotangents};

use crate::Description;

/// A moment of an environment: the end of one of its steps, or the start of an episode.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a, S> {
    /// The model.
    pub model: &'a Model<S>,
    /// The state.
    pub state: &'a State<S>,
    /// The action that led here, (n_actions); zeros at a start. If actions are late, the one that acted last.
    pub action: &'a [S],
    /// What the robot is told to do, (n_commands); empty in an environment without commands.
    pub command: &'a [S],
    /// The contacts of the last step of the simulation, with their forces; none at a start.
    pub contacts: &'a [Contact<S>],
}

/// What a result depends on of a [`Seen`] moment: cotangents to add to.
#[derive(Debug)]
pub struct SeenCotangents<'a, S> {
    /// Of the state.
    pub state: &'a mut StateCotangents<S>,
    /// Of the action, (n_actions).
    pub action: &'a mut [S],
    /// Of the model's parameters.
    pub params: &'a mut Params<S>,
    /// Of the force of each contact; left empty if nothing depends on them.
    pub contact_forces: &'a mut Vec<Vec3<S>>,
    /// Of the point of each contact, likewise.
    pub contact_points: &'a mut Vec<Vec3<S>>,
}

/// Buffers for functions of a [`Seen`] moment. [`SeenWork::look`] fills them; the functions read them.
#[derive(Clone, Debug)]
pub struct SeenWork<S> {
    /// Poses and velocities of the links at the moment, if the environment reads any.
    pub(crate) kin: Kinematics<S>,
    /// Their cotangents; zero between calls.
    pub(crate) kin_bar: KinematicsCotangents<S>,
    /// Torque and force of the contacts of each body, (bodies, 6), if the environment reads them.
    pub(crate) wrenches: Vec<S>,
    pub(crate) wrenches_bar: Vec<S>,
    reads_poses: bool,
}

impl<S: Scalar> SeenWork<S> {
    /// Buffers for an environment whose model, in this scalar, is `model`.
    pub fn new(of: &Description, model: &Model<S>) -> Self {
        let wrenches = vec![S::ZERO; 6 * of.bodies.list.len()];
        SeenWork {
            kin: Kinematics::new(model),
            kin_bar: KinematicsCotangents::new(model),
            wrenches_bar: wrenches.clone(),
            wrenches,
            reads_poses: of.reads_poses(),
        }
    }

    /// Computes what several of the functions read of a moment. Call it once before them.
    pub fn look(&mut self, of: &Description, at: &Seen<'_, S>) {
        if !self.reads_poses {
            return;
        }
        kinematics(at.model, &at.state.q, &mut self.kin);
        velocities(at.model, &at.state.v, &mut self.kin);
        let SeenWork { kin, wrenches, .. } = self;
        crate::contact_wrenches(&of.bodies, at, kin, wrenches);
    }

    /// Takes the cotangents of poses and velocities to the state, and clears them.
    pub(crate) fn poses_back(&mut self, at: &Seen<'_, S>, bars: &mut SeenCotangents<'_, S>) {
        let StateCotangents { q, v, .. } = &mut *bars.state;
        let out = CoordinateCotangents { q, v, params: bars.params };
        let SeenWork { kin, kin_bar, .. } = self;
        kinematics_vjp(at.model, &at.state.q, &at.state.v, kin, kin_bar, out);
        kin_bar.clear();
    }
}

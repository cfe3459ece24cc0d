//! What a walking controller must know of a robot.

use gradbody_dynamics::{Kinematics, centre_of_mass, frame_pose};
use gradbody_math::{Inertia, Mat3, Sym3, Vec3};
use gradbody_model::{FrameId, JointKind, LinkId, Model};

use super::{LEGS, LeggedError};

/// A foot: a ball around the origin of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foot {
    /// Its frame, on the last link of a leg.
    pub frame: FrameId,
    /// Radius [m]: the sole is so far below the frame's origin.
    pub radius: f64,
}

/// A robot with four legs, and what follows from its stance.
#[derive(Clone, Debug)]
pub struct Quadruped {
    /// The link that the legs are on.
    pub trunk: LinkId,
    /// The feet: front left, front right, rear left, rear right.
    pub feet: [Foot; LEGS],
    /// Indices in v of the joints of each leg, from the foot up.
    pub joints: [Vec<usize>; LEGS],
    /// Mass of the whole robot [kg].
    pub mass: f64,
    /// Strength of gravity [m/s²].
    pub gravity: f64,
    /// Inertia of the whole robot in its stance about its centre of mass, in the trunk's axes [kg m²].
    pub inertia_b: Sym3<f64>,
    /// Height of the centre of mass above the soles in the stance [m].
    pub height: f64,
    /// The soles in the stance, from the centre of mass, in the trunk's axes [m].
    pub home_b: [Vec3<f64>; LEGS],
}

impl Quadruped {
    /// A robot that stands in the configuration `stance` with its trunk level.
    pub fn new(
        model: &Model<f64>,
        trunk: LinkId,
        feet: [Foot; LEGS],
        stance: &[f64],
    ) -> Result<Self, LeggedError> {
        if stance.len() != model.nq() {
            return Err(LeggedError::Stance { given: stance.len(), needed: model.nq() });
        }
        let link = &model.topology.links[trunk.index()];
        if link.joint.kind != JointKind::Free || link.parent.is_some() {
            return Err(LeggedError::TrunkNotFree(link.name.clone()));
        }
        let mut joints = [const { Vec::new() }; LEGS];
        for (foot, joints) in feet.iter().zip(&mut joints) {
            *joints = leg_joints(model, trunk, foot.frame)?;
        }
        let kin = Kinematics::at(model, stance, &vec![0.0; model.nv()]);
        let com = centre_of_mass(model, &kin);
        let rot_wb = kin.bodies[trunk.index()].rot_wb;
        let home_b = feet.map(|foot| {
            let sole = frame_pose(model, &kin, foot.frame).pos - Vec3::Z * foot.radius;
            rot_wb.transpose_mul(sole - com)
        });
        let height = -home_b.iter().map(|home| home.z).sum::<f64>() / LEGS as f64;
        if height.is_nan() || height <= 0.0 {
            return Err(LeggedError::NotAbove);
        }
        let whole = whole_inertia(model, &kin, com);
        Ok(Quadruped {
            trunk,
            feet,
            joints,
            mass: whole.mass,
            gravity: model.params.gravity.norm(),
            inertia_b: whole.rotational.rotated(&rot_wb.transpose()),
            height,
            home_b,
        })
    }

    /// The inverse of the inertia for a level trunk that is turned by `yaw` from the axes of the result.
    pub fn inverse_inertia(&self, yaw: f64) -> Mat3<f64> {
        let turn = Mat3::IDENTITY.rotate_z((yaw.sin(), yaw.cos()));
        inverse(self.inertia_b.rotated(&turn).to_mat3())
    }

    /// Weight of the robot [N].
    pub fn weight(&self) -> f64 {
        self.mass * self.gravity
    }
}

/// The joints between a foot and the trunk.
fn leg_joints(model: &Model<f64>, trunk: LinkId, foot: FrameId) -> Result<Vec<usize>, LeggedError> {
    let frame = &model.topology.frames[foot.index()];
    let mut joints = Vec::new();
    let mut at = frame.link;
    while let Some(link) = at.filter(|link| *link != trunk) {
        let link = &model.topology.links[link.index()];
        joints.extend(link.joint.v_range());
        at = link.parent;
    }
    if at.is_none() || joints.is_empty() {
        return Err(LeggedError::NoLeg(frame.name.clone()));
    }
    Ok(joints)
}

/// Mass and inertia of all links about the centre of mass, in the world's axes.
fn whole_inertia(model: &Model<f64>, kin: &Kinematics<f64>, com: Vec3<f64>) -> Inertia<f64> {
    let mut rotational = Sym3::ZERO;
    let mut mass = 0.0;
    for (inertia, body) in model.params.links.iter().zip(&kin.bodies) {
        let offset = body.rot_wb.mul_add(inertia.com, body.pos_w) - com;
        let own = inertia.rotational.rotated(&body.rot_wb);
        rotational += own.add_point_mass(inertia.mass, offset);
        mass += inertia.mass;
    }
    Inertia { mass, com: Vec3::ZERO, rotational }
}

fn inverse(m: Mat3<f64>) -> Mat3<f64> {
    let [a, b, c] = m.cols;
    let scale = 1.0 / m.determinant();
    Mat3 { cols: [b.cross(c) * scale, c.cross(a) * scale, a.cross(b) * scale] }.transpose()
}

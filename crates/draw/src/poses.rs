//! Where the bodies of a scene are at a moment: seven numbers for each.

use gradbody_dynamics::{Kinematics, kinematics};
use gradbody_math::{Quat, Transform};
use gradbody_model::Model;

/// Numbers of a pose: position [m] and quaternion (w, x, y, z). All zero where a pose is not known.
pub const POSE: usize = 7;

/// Adds a pose.
pub fn add_pose(pose: &Transform<f64>, poses: &mut Vec<f32>) {
    poses.extend(seven(pose).map(|x| x as f32));
}

/// Adds the poses of the world and of all links, in the order of [`Scene::bodies`](crate::Scene).
pub fn add_poses(kin: &Kinematics<f64>, poses: &mut Vec<f32>) {
    add_pose(&Transform::IDENTITY, poses);
    for body in &kin.bodies {
        add_pose(&Transform::new(body.rot_wb, body.pos_w), poses);
    }
}

/// The poses at some configurations, one after another.
pub fn poses<'a>(
    model: &Model<f64>,
    configurations: impl IntoIterator<Item = &'a [f64]>,
) -> Vec<f32> {
    let (mut kin, mut poses) = (Kinematics::new(model), Vec::new());
    for q in configurations {
        kinematics(model, q, &mut kin);
        add_poses(&kin, &mut poses);
    }
    poses
}

/// A pose as seven numbers.
pub(crate) fn seven(pose: &Transform<f64>) -> [f64; POSE] {
    let ([x, y, z], [w, i, j, k]) = (pose.pos.to_array(), Quat::from_mat3(&pose.rot).to_array());
    [x, y, z, w, i, j, k]
}

//! Terms of the reward that are about the base: how well it follows a command, and what its other motion costs.

use gradbody_dynamics::{BodyCotangents, BodyKinematics};
use gradbody_math::{Scalar, Vec3};

use crate::RewardTerm;
use crate::commands::{Motion, motion, motion_vjp};

/// A term about the base; zero for others.
pub(crate) fn base_term<S: Scalar>(
    term: &RewardTerm,
    base: &BodyKinematics<S>,
    command: &[S],
) -> S {
    match *term {
        RewardTerm::FollowVelocity { weight, width } => {
            let error = velocity_error(base, command);
            bell(error[0].mul_add(error[0], error[1] * error[1]), weight, width)
        }
        RewardTerm::FollowYawRate { weight, width } => {
            let error = motion(base).yaw_rate - command[2];
            bell(error * error, weight, width)
        }
        RewardTerm::VerticalVelocity { weight } => {
            let z = base.lin_vel_w.z;
            -(z * z * S::from_f64(weight))
        }
        RewardTerm::RollAndPitch { weight } => {
            let spin_b = base.rot_wb.transpose_mul(base.ang_vel_w);
            -(spin_b.x.mul_add(spin_b.x, spin_b.y * spin_b.y) * S::from_f64(weight))
        }
        RewardTerm::Height { weight, height } => {
            let off = base.pos_w.z - S::from_f64(height);
            -(off * off * S::from_f64(weight))
        }
        _ => S::ZERO,
    }
}

/// The adjoint of [`base_term`]: adds `bar` times its derivative to the base's cotangents.
pub(crate) fn base_term_vjp<S: Scalar>(
    term: &RewardTerm,
    base: &BodyKinematics<S>,
    command: &[S],
    bar: S,
    to: &mut BodyCotangents<S>,
) {
    let cost_slope = |weight: f64| bar * S::from_f64(-2.0 * weight);
    match *term {
        RewardTerm::FollowVelocity { weight, width } => {
            let error = velocity_error(base, command);
            let squared = error[0].mul_add(error[0], error[1] * error[1]);
            let slope = bar * bell(squared, weight, width) * S::from_f64(-2.0 / (width * width));
            motion_vjp(base, error.map(|e| slope * e), to);
        }
        RewardTerm::FollowYawRate { weight, width } => {
            let error = motion(base).yaw_rate - command[2];
            let value = bell(error * error, weight, width);
            let slope = bar * value * S::from_f64(-2.0 / (width * width));
            to.ang_vel_w.z += slope * error;
        }
        RewardTerm::VerticalVelocity { weight } => {
            to.lin_vel_w.z += cost_slope(weight) * base.lin_vel_w.z;
        }
        RewardTerm::RollAndPitch { weight } => {
            let spin_b = base.rot_wb.transpose_mul(base.ang_vel_w);
            let slope = cost_slope(weight);
            let spin_bar = base.rot_wb * Vec3::new(spin_b.x * slope, spin_b.y * slope, S::ZERO);
            to.ang_vel_w += spin_bar;
            // u = Rᵀ ω: a turn of the base gives R ū × ω.
            to.turn_w = spin_bar.cross_add(base.ang_vel_w, to.turn_w);
        }
        RewardTerm::Height { weight, height } => {
            to.pos_w.z += cost_slope(weight) * (base.pos_w.z - S::from_f64(height));
        }
        _ => {}
    }
}

/// Velocity forwards and sideways beyond the commanded one.
fn velocity_error<S: Scalar>(base: &BodyKinematics<S>, command: &[S]) -> [S; 2] {
    let Motion { velocity, .. } = motion(base);
    [velocity[0] - command[0], velocity[1] - command[1]]
}

/// `weight exp(−squared/width²)`
fn bell<S: Scalar>(squared: S, weight: f64, width: f64) -> S {
    (squared * S::from_f64(-1.0 / (width * width))).exp() * S::from_f64(weight)
}

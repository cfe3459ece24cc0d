//! Where feet are put [Raibert 1986].

use gradbody_math::Vec3;

use super::situation::turned;
use super::{Command, Gait, LEGS, Quadruped};

/// The rule for footholds: a foot comes down where its place in the stance will be in the middle of its time on the
/// ground, if the trunk moves on as it does until then and as commanded from then on. An excess of speed shifts it
/// further, which brakes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootholdRule {
    /// Shift for each unit of speed beyond the command [s].
    pub speed_gain: f64,
    /// Farthest a foothold may be from the foot's place in the stance, horizontally [m].
    pub reach: f64,
}

impl Default for FootholdRule {
    fn default() -> Self {
        FootholdRule { speed_gain: 0.1, reach: 0.25 }
    }
}

/// The horizontal motion that footholds depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Travel {
    pub(super) command: Command,
    /// Velocity of the centre of mass, in heading axes [m/s].
    pub(super) velocity_h: Vec3<f64>,
    /// Height of the centre of mass above the ground [m].
    pub(super) height: f64,
}

impl FootholdRule {
    /// The next footholds of the soles, from the present centre of mass.
    pub(super) fn next(
        &self,
        robot: &Quadruped,
        gait: &Gait,
        phase: f64,
        travel: &Travel,
    ) -> [Vec3<f64>; LEGS] {
        let Travel { command, velocity_h, height } = *travel;
        std::array::from_fn(|leg| {
            let until = gait.time_to_touchdown(leg, phase);
            let half_stance = 0.5 * gait.stance_time();
            let at_touchdown = command.turning * until;
            let yaw = at_touchdown + command.turning * half_stance;
            let home = turned(robot.home_b[leg], yaw);
            let commanded = command.velocity(at_touchdown);
            let excess = turned(velocity_h, at_touchdown) - commanded;
            let offset = commanded * half_stance + excess * self.speed_gain;
            // While the foot is in the air, the trunk moves on as it does.
            let moved = turned(velocity_h, 0.5 * at_touchdown) * until;
            let mut hold = moved + home + limited(offset, self.reach);
            hold.z = -height;
            hold
        })
    }
}

/// The horizontal part of a vector, shortened to a length.
fn limited(v: Vec3<f64>, length: f64) -> Vec3<f64> {
    let long = v.x.hypot(v.y);
    let scale = if long > length { length / long } else { 1.0 };
    Vec3::new(v.x * scale, v.y * scale, 0.0)
}

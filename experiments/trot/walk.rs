//! One walk in the simulator: did it fall, and how well did it follow its commands?

use std::fmt::Display;

use anyhow::anyhow;
use gradbody::contact::Contact;
use gradbody::dynamics::{Kinematics, centre_of_mass_velocity};
use gradbody::math::Force;
use gradbody::sim::{Simulation, StepOptions};
use gradbody_control::legged::{Command, ForceChooser, Walker};
use serde::{Deserialize, Serialize};

use super::course::Course;
use super::robot::{DT, Laikago};

/// It has fallen if the trunk's origin is below this height [m] (it stands at 0.41 m), ...
const LOW: f64 = 0.22;
/// ... if the trunk's vertical leans by more than this [rad], or if the trunk touches the ground.
const TILTED: f64 = 0.8;
/// Errors are counted from this time on [s].
const SETTLED: f64 = 1.0;
/// Steps between frames of the motion that is shown, and their time [s].
const FRAME_STEPS: usize = 20;
pub(super) const FRAME: f64 = FRAME_STEPS as f64 * DT;

/// Why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Fall {
    /// The trunk was low.
    Low,
    /// The trunk leaned.
    Tilted,
    /// The trunk touched the ground.
    TrunkOnGround,
    /// A number was no longer finite.
    Diverged,
}

/// Root mean squares of velocity minus command: forwards, sideways [m/s], turning [rad/s].
pub(super) type Errors = [f64; 3];

/// A walk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Walked {
    /// How long it lasted [s].
    pub(super) seconds: f64,
    pub(super) fall: Option<Fall>,
    /// Of velocities averaged over a stride; none if it fell before the first one was counted.
    pub(super) stride_errors: Option<Errors>,
    /// Of velocities at each time; none if it fell before the first one was counted.
    pub(super) errors: Option<Errors>,
    /// Largest tilt of the trunk [rad].
    pub(super) tilt: f64,
    /// Least and greatest height of the trunk [m].
    pub(super) height: [f64; 2],
    /// Configurations at each frame, and what was commanded and done: only if asked for.
    pub(super) frames: Vec<Vec<f64>>,
    pub(super) velocities: Vec<[f64; 6]>,
}

/// Walks a course with the given choice of forces; `frames` keeps the motion.
pub(super) fn walk<C>(
    laikago: &Laikago,
    course: &Course,
    chooser: C,
    frames: bool,
) -> anyhow::Result<(Walked, C)>
where
    C: ForceChooser,
    C::Error: Display,
{
    let Laikago { model, robot, gait, walking, .. } = laikago;
    let mut walker = Walker::new(model, robot.clone(), *gait, *walking, chooser)?;
    let mut world = Simulation::new(model, StepOptions::new(DT)).from_state(laikago.start());
    let mut command = Command::default();
    let mut log = Log::new((gait.period / DT).round() as usize);
    let steps = (course.seconds / DT).round() as usize;
    let mut fall = None;
    let mut done = 0;
    while done < steps && fall.is_none() {
        let time = done as f64 * DT;
        course.follow(&mut command, time, DT);
        let torques = walker.act(&world.state, &command, time).map_err(|e| anyhow!("{e}"))?;
        world.input.tau.copy_from_slice(torques);
        world.input.external.clear();
        if let Some(force_w) = course.force_w(time) {
            world.input.external.resize(model.n_links(), Force::ZERO);
            world.input.external[robot.trunk.index()].lin = force_w;
        }
        let diverged = world.step().diverged.is_some();
        done += 1;
        let kin = Kinematics::at(model, &world.state.q, &world.state.v);
        fall = fallen(laikago, &kin, world.contacts());
        if diverged {
            fall = Some(Fall::Diverged);
        } else {
            log.add(laikago, &kin, &command, done as f64 * DT);
        }
        if frames && done.is_multiple_of(FRAME_STEPS) {
            log.frames.push(world.state.q.clone());
        }
    }
    let walked = log.finish(done as f64 * DT, fall, frames);
    Ok((walked, walker.chooser))
}

/// Whether the robot has fallen.
fn fallen(laikago: &Laikago, kin: &Kinematics<f64>, contacts: &[Contact<f64>]) -> Option<Fall> {
    let trunk = laikago.robot.trunk;
    let body = &kin.bodies[trunk.index()];
    let touches = |contact: &Contact<f64>| {
        contact.force_w.norm() > 0.0
            && (contact.link_a == Some(trunk) || contact.link_b == Some(trunk))
    };
    if body.rot_wb.cols[2].z < TILTED.cos() {
        Some(Fall::Tilted)
    } else if body.pos_w.z < LOW {
        Some(Fall::Low)
    } else if contacts.iter().any(touches) {
        Some(Fall::TrunkOnGround)
    } else {
        None
    }
}

/// What a walk leaves.
struct Log {
    /// Steps of a stride.
    stride: usize,
    /// Velocity minus command, step by step since the walk has settled.
    differences: Vec<Errors>,
    tilt: f64,
    height: [f64; 2],
    frames: Vec<Vec<f64>>,
    /// Velocity and command, step by step.
    velocities: Vec<[f64; 6]>,
}

impl Log {
    fn new(stride: usize) -> Self {
        Log {
            stride,
            differences: Vec::new(),
            tilt: 0.0,
            height: [f64::MAX, 0.0],
            frames: Vec::new(),
            velocities: Vec::new(),
        }
    }

    fn add(&mut self, laikago: &Laikago, kin: &Kinematics<f64>, command: &Command, time: f64) {
        let trunk = &kin.bodies[laikago.robot.trunk.index()];
        let up = trunk.rot_wb.cols[2].z.clamp(-1.0, 1.0);
        self.tilt = self.tilt.max(up.acos());
        let [low, high] = self.height;
        self.height = [low.min(trunk.pos_w.z), high.max(trunk.pos_w.z)];
        let (sin, cos) = trunk.rot_wb.to_rpy().z.sin_cos();
        let v = centre_of_mass_velocity(&laikago.model, kin);
        let done = [cos * v.x + sin * v.y, cos * v.y - sin * v.x, trunk.ang_vel_w.z];
        let told = [command.forwards, command.sideways, command.turning];
        self.velocities.push([done[0], done[1], done[2], told[0], told[1], told[2]]);
        if time > SETTLED {
            self.differences.push(std::array::from_fn(|k| done[k] - told[k]));
        }
    }

    fn finish(self, seconds: f64, fall: Option<Fall>, keep: bool) -> Walked {
        let strides = means(&self.differences, self.stride);
        let velocities = match keep {
            true => means(&self.velocities, self.stride).into_iter().step_by(FRAME_STEPS).collect(),
            false => Vec::new(),
        };
        Walked {
            seconds,
            fall,
            stride_errors: root_mean_squares(&strides),
            errors: root_mean_squares(&self.differences),
            tilt: self.tilt,
            height: self.height,
            frames: self.frames,
            velocities,
        }
    }
}

/// Means over a moving window.
fn means<const N: usize>(rows: &[[f64; N]], window: usize) -> Vec<[f64; N]> {
    let mut sum = [0.0; N];
    let mut all = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        (0..N).for_each(|k| sum[k] += row[k]);
        if i + 1 > window {
            (0..N).for_each(|k| sum[k] -= rows[i - window][k]);
        }
        if i + 1 >= window {
            all.push(sum.map(|x| x / window as f64));
        }
    }
    all
}

fn root_mean_squares(rows: &[Errors]) -> Option<Errors> {
    let squares: Vec<Errors> = rows.iter().map(|row| row.map(|x| x * x)).collect();
    Some(mean(&squares)?.map(f64::sqrt))
}

/// The mean of rows; none without rows.
pub(super) fn mean(rows: &[Errors]) -> Option<Errors> {
    let sum = |k: usize| rows.iter().map(|row| row[k]).sum::<f64>();
    (!rows.is_empty()).then(|| std::array::from_fn(|k| sum(k) / rows.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::root_mean_squares;

    #[test]
    fn a_walk_that_falls_early_has_no_errors() {
        assert_eq!(root_mean_squares(&[]), None);
        assert_eq!(root_mean_squares(&[[3.0, 0.0, 1.0], [3.0, 0.0, -1.0]]), Some([3.0, 0.0, 1.0]));
    }
}

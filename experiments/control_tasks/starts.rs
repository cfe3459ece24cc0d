//! Random starts and targets, so that one lucky start is not the result.

use anyhow::{Context as _, anyhow};
use gradbody::dynamics::{Kinematics, frame_pose, kinematics};
use gradbody::math::random::Random;
use gradbody::plan::{Numbers, Task};

use super::Control;
use super::search::setup;

/// The task with another start and another target, and that target.
pub(super) fn varied(
    control: Control,
    mut task: Task,
    seed: u64,
) -> anyhow::Result<(Task, Vec<f64>)> {
    let mut random = Random::new(seed);
    let target = match control {
        Control::Throw => {
            tilt_the_arm(&mut task, &mut random)?;
            let [x, y, z] = THROW_TARGETS;
            [x, y, z].map(|(low, high)| random.between(low, high)).to_vec()
        }
        Control::Golf => {
            let back = SHOULDERS;
            task.start.positions.insert("shoulder".into(), random.between(back.0, back.1));
            let wrist = random.between(-WRIST, WRIST);
            task.start.positions.insert("wrist".into(), wrist);
            vec![random.between(GOLF_TARGETS.0, GOLF_TARGETS.1)]
        }
        Control::Racecar => {
            let speed = random.between(SPEEDS.0, SPEEDS.1);
            task.start.velocities.insert("root/vx".into(), speed);
            let (low, high) = FRICTIONS;
            let friction = low * (high / low).powf(random.unit());
            task.model.ground.as_mut().context("the car's task has a ground")?.friction = friction;
            let share = random.between(WAYS.0, WAYS.1);
            vec![share * speed * task.horizon.seconds]
        }
    };
    set_target(&mut task, &target)?;
    Ok((task, target))
}

/// Where the ball should be at the end of a throw [m].
pub(super) const THROW_TARGETS: [(f64, f64); 3] = [(1.6, 2.4), (-0.6, 0.6), (0.2, 0.8)];
/// Each joint of the arm starts up to this far from its pose [m, rad].
pub(super) const TILT: f64 = 0.05;
/// Where the ball should be at the end of a stroke [m].
pub(super) const GOLF_TARGETS: (f64, f64) = (2.0, 5.0);
/// Where the shoulder of the club starts, and how far from zero the wrist may start [rad].
pub(super) const SHOULDERS: (f64, f64) = (0.8, 1.2);
pub(super) const WRIST: f64 = 0.1;
/// Speeds of the car at the start [m/s], coefficients of friction that the search begins with, and where the car should be
/// at the end, as a share of how far it would come without friction.
pub(super) const SPEEDS: (f64, f64) = (0.8, 1.2);
pub(super) const FRICTIONS: (f64, f64) = (0.001, 0.3);
pub(super) const WAYS: (f64, f64) = (0.3, 0.95);

/// Moves every joint of the arm a little, and the ball with the cup.
fn tilt_the_arm(task: &mut Task, random: &mut Random) -> anyhow::Result<()> {
    let joints = ["rail", "turntable", "joint1", "joint2", "joint3", "joint4", "joint5", "joint6"];
    for joint in joints {
        let position = task.start.positions.entry(joint.into()).or_insert(0.0);
        *position += TILT * random.signed();
    }
    let problem = setup(task.clone())?.problem;
    let cup = problem.model.topology.frame("cup").context("the arm has a cup")?;
    let mut kin = Kinematics::new(&problem.model);
    kinematics(&problem.model, &problem.start.q, &mut kin);
    let ball = frame_pose(&problem.model, &kin, cup).pos;
    for (axis, place) in ["x", "y", "z"].into_iter().zip(ball.to_array()) {
        task.start.positions.insert(format!("ball/{axis}"), place);
    }
    Ok(())
}

/// What the only cost of a task is about should be at `target`.
fn set_target(task: &mut Task, target: &[f64]) -> anyhow::Result<()> {
    let cost = task.costs.values_mut().next().ok_or_else(|| anyhow!("the task has no cost"))?;
    cost.target = Some(match target {
        [one] => Numbers::One(*one),
        each => Numbers::Each(each.to_vec()),
    });
    Ok(())
}

/// The target of a task with one cost.
pub(super) fn target(task: &Task) -> Vec<f64> {
    match task.costs.values().next().and_then(|cost| cost.target.as_ref()) {
        Some(Numbers::One(one)) => vec![*one],
        Some(Numbers::Each(each)) => each.clone(),
        None => vec![],
    }
}

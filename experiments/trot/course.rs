//! What the robot is told to do, and how it is pushed: drawn at random.

use gradbody::math::Vec3;
use gradbody::math::random::Random;
use gradbody_control::legged::Command;

/// Largest commands: velocity forwards and backwards, sideways [m/s], turning [rad/s].
pub(super) const FORWARDS: f64 = 0.6;
pub(super) const SIDEWAYS: f64 = 0.2;
pub(super) const TURNING: f64 = 0.6;
/// How long a command holds [s].
pub(super) const HOLD: f64 = 4.0;
/// How fast a command changes to the next: velocity [m/s²], turning [rad/s²].
const ACCELERATION: f64 = 1.0;
const TURNING_ACCELERATION: f64 = 2.0;

/// Force [N] and duration [s] of a push.
pub(super) const PUSH: f64 = 20.0;
pub(super) const PUSH_TIME: f64 = 0.2;

/// A push at the trunk's origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Push {
    pub(super) begins: f64,
    pub(super) force_w: Vec3<f64>,
}

/// A run: one command after the other, and perhaps a push.
#[derive(Clone, Debug)]
pub(super) struct Course {
    pub(super) seconds: f64,
    pub(super) commands: Vec<Command>,
    pub(super) push: Option<Push>,
}

/// Kinds of courses, each with random numbers of its own.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Training,
    HeldOut,
    Timed,
}

impl Course {
    /// Course number `index` of its kind.
    pub(super) fn random(seed: u64, purpose: Purpose, index: u64, seconds: f64) -> Self {
        let mut random = Random::derived(seed, &[purpose as u64, index]);
        let commands = (0..(seconds / HOLD).ceil() as usize).map(|_| Command {
            forwards: FORWARDS * random.signed(),
            sideways: SIDEWAYS * random.signed(),
            turning: TURNING * random.signed(),
        });
        Course { seconds, commands: commands.collect(), push: None }
    }

    /// The same with a horizontal push of a force [N], at a random time and in a random direction.
    pub(super) fn pushed(mut self, seed: u64, index: u64, force: f64) -> Self {
        let mut random = Random::derived(seed, &[u64::MAX, index]);
        let angle = std::f64::consts::PI * random.signed();
        // Late enough that it walks, early enough that it may still fall.
        let begins = random.between(2.0, self.seconds - 3.0);
        let force_w = Vec3::new(angle.cos(), angle.sin(), 0.0) * force;
        self.push = Some(Push { begins, force_w });
        self
    }

    /// The command of a time, without the passage from one to the next.
    fn target(&self, time: f64) -> Command {
        let index = ((time / HOLD) as usize).min(self.commands.len() - 1);
        self.commands[index]
    }

    /// Moves a command towards that of a time, for a duration.
    pub(super) fn follow(&self, now: &mut Command, time: f64, duration: f64) {
        let target = self.target(time);
        let towards = |now: &mut f64, target: f64, most: f64| {
            *now += (target - *now).clamp(-most, most);
        };
        towards(&mut now.forwards, target.forwards, ACCELERATION * duration);
        towards(&mut now.sideways, target.sideways, ACCELERATION * duration);
        towards(&mut now.turning, target.turning, TURNING_ACCELERATION * duration);
    }

    /// The force of the push at a time.
    pub(super) fn force_w(&self, time: f64) -> Option<Vec3<f64>> {
        self.push
            .filter(|push| (push.begins..push.begins + PUSH_TIME).contains(&time))
            .map(|push| push.force_w)
    }
}

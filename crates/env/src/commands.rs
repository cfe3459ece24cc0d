//! Commands: a velocity that a robot with a floating base is told to have.
//!
//! A command is three numbers: the velocity forwards and sideways [m/s], and the yaw rate [rad/s]. Forwards is where
//! the x axis of the base points, seen from above. The heading h is that axis without its z, of length one, and s is h
//! turned by a right angle to the left:
//!
//! ```text
//!   forwards = h·v,   sideways = s·v,   yaw rate = ω_z       v, ω: velocities of the base in the world's axes
//! ```
//! The base is the first link, as in [`Observed::BaseMotion`](crate::Observed::BaseMotion). The heading of a base whose
//! x axis is vertical is taken as zero.

use gradbody_dynamics::{BodyCotangents, BodyKinematics};
use gradbody_math::random::Random;
use gradbody_math::{Scalar, Vec3};

/// How many numbers a command has.
pub(crate) const COMMAND: usize = 3;

/// Their names.
pub(crate) const NAMES: [&str; COMMAND] = ["forwards", "sideways", "yaw_rate"];

/// Where commands are drawn from, for each world of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Commands {
    /// Least velocity forwards and sideways [m/s] and least yaw rate [rad/s].
    pub low: [f64; 3],
    /// The largest.
    pub high: [f64; 3],
    /// How many of the commands are to stand still, 0 to 1.
    pub standing: f64,
    /// Mean time until a command is replaced by another within an episode [s]; infinity for never.
    pub mean_time: f64,
}

impl Commands {
    /// Draws a command.
    pub(crate) fn draw(&self, random: &mut Random, to: &mut [f64]) {
        let stands = random.unit() < self.standing;
        for ((to, low), high) in to.iter_mut().zip(self.low).zip(self.high) {
            let drawn = random.between(low, high);
            *to = if stands { 0.0 } else { drawn };
        }
    }

    /// Why it cannot be used, if it cannot.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let ordered =
            |(low, high): (&f64, &f64)| low.is_finite() && high.is_finite() && low <= high;
        if !self.low.iter().zip(&self.high).all(ordered) {
            Some("the ranges of commands must be finite, with low at most high")
        } else if !(0.0..=1.0).contains(&self.standing) {
            Some("the share of commands to stand still must be between 0 and 1")
        } else if self.mean_time.is_nan() || self.mean_time <= 0.0 {
            Some("the mean time between commands must be positive")
        } else {
            None
        }
    }
}

/// What a command is about, of a base.
pub(crate) struct Motion<S> {
    /// Forwards, sideways.
    pub velocity: [S; 2],
    pub yaw_rate: S,
    heading: [S; 2],
    /// Length of the x axis seen from above; 1 where it is zero.
    length: S,
}

pub(crate) fn motion<S: Scalar>(base: &BodyKinematics<S>) -> Motion<S> {
    let (x, v) = (base.rot_wb.cols[0], base.lin_vel_w);
    let squared = x.x.mul_add(x.x, x.y * x.y);
    let length = S::ZERO.select_lt(squared, squared, S::ONE).sqrt();
    let heading = [x.x / length, x.y / length];
    let forwards = heading[0].mul_add(v.x, heading[1] * v.y);
    let sideways = heading[0].mul_add(v.y, -(heading[1] * v.x));
    Motion { velocity: [forwards, sideways], yaw_rate: base.ang_vel_w.z, heading, length }
}

/// The adjoint of the velocity in [`motion`]: adds to the base's cotangents.
pub(crate) fn motion_vjp<S: Scalar>(
    base: &BodyKinematics<S>,
    velocity_bar: [S; 2],
    to: &mut BodyCotangents<S>,
) {
    let Motion { heading: [hx, hy], length, .. } = motion(base);
    let (v, [forwards, sideways]) = (base.lin_vel_w, velocity_bar);
    to.lin_vel_w.x += forwards * hx - sideways * hy;
    to.lin_vel_w.y += forwards * hy + sideways * hx;
    let heading_bar = [forwards * v.x + sideways * v.y, forwards * v.y - sideways * v.x];
    // h = x/|x|, so x̄ = (h̄ − h (h·h̄)) / |x|.
    let along = hx.mul_add(heading_bar[0], hy * heading_bar[1]);
    let x_bar = Vec3::new(
        (heading_bar[0] - hx * along) / length,
        (heading_bar[1] - hy * along) / length,
        S::ZERO,
    );
    // The axis turns with the base.
    to.turn_w = base.rot_wb.cols[0].cross_add(x_bar, to.turn_w);
}

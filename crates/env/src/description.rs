//! Everything that an environment consists of, as plain data.

use gradbody_model::{FrameId, Model};
use gradbody_sim::StepOptions;

use crate::commands::{COMMAND, NAMES};
use crate::{Bodies, Commands, Delay, Medium, Pushes, Randomised};

/// An environment, as plain data. Weights and ranges may be changed before it is used.
#[derive(Clone, Debug)]
pub struct Description {
    /// Name of the environment.
    pub name: String,
    /// The robot and the ground. One control of an actuator for each number of an action.
    pub model: Model<f64>,
    /// Time step, integration scheme, contacts.
    pub options: StepOptions<f64>,
    /// Number of steps that an action is held: one step of the environment.
    pub frame_skip: usize,
    /// Number of steps of the environment after which an episode is truncated.
    pub time_limit: usize,
    /// Where episodes start.
    pub start: Start,
    /// Actions, and the controls they stand for.
    pub actions: Actions,
    /// What is observed, part after part.
    pub observation: Vec<Observed>,
    /// What is rewarded: the reward is the sum of the terms. At most one is [`RewardTerm::Forward`].
    pub reward: Vec<RewardTerm>,
    /// What a healthy state satisfies.
    pub healthy: Vec<Condition>,
    /// Whether an unhealthy state ends the episode.
    pub terminates: bool,
    /// The bodies whose contact forces, inertias and velocities are observed or cost something.
    pub bodies: Bodies,
    /// The fluid that the robot swims in.
    pub medium: Option<Medium>,
    /// Commands, if worlds follow any.
    pub commands: Option<Commands>,
    /// Parameters that differ from episode to episode.
    pub randomise: Vec<Randomised>,
    /// How late actions act.
    pub delay: Delay,
    /// Pushes at random times.
    pub pushes: Option<Pushes>,
}

/// Where episodes start.
#[derive(Clone, Debug)]
pub struct Start {
    /// Configuration without noise, (nq).
    pub q: Vec<f64>,
    /// Noise that is added to each number of the configuration. Quaternions are normalised afterwards.
    pub q_noise: Noise,
    /// Noise of each velocity, about zero.
    pub v_noise: Noise,
    /// A target that is drawn too.
    pub goal: Option<Goal>,
}

/// Random numbers about zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Uniform between minus and plus this.
    Uniform(f64),
    /// Normal with this standard deviation.
    Normal(f64),
}

/// A target that rests at a random point of a disc about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Its x among the numbers of the configuration; y follows.
    pub q: usize,
    /// Its first velocity; the second follows. Both start at zero.
    pub v: usize,
    /// Radius of the disc [m].
    pub radius: f64,
}

/// Actions, and the controls they stand for: `control = centre + scale · action`.
#[derive(Clone, Debug)]
pub struct Actions {
    /// Lower bound of each number. Numbers outside are allowed; the actuators clamp the controls to their ranges.
    pub low: Vec<f64>,
    /// Upper bound of each number.
    pub high: Vec<f64>,
    /// Control of each actuator for an action of zero.
    pub centre: Vec<f64>,
    /// Change of each control for a change of the action.
    pub scale: Vec<f64>,
}

/// A part of an observation.
#[derive(Clone, Debug)]
pub enum Observed {
    /// Numbers of the configuration from this one on.
    Configuration {
        /// The first.
        from: usize,
    },
    /// The first velocities, clamped.
    Velocity {
        /// How many.
        count: usize,
        /// They are clamped to between minus and plus this; infinity for none.
        limit: f64,
    },
    /// Cosines of the first joint angles, then their sines.
    CosSin {
        /// How many angles.
        count: usize,
    },
    /// x and y of a frame's origin relative to another's [m].
    Offset {
        /// The frame.
        of: FrameId,
        /// The other frame.
        from: FrameId,
    },
    /// Torque about the centre of mass, then force of the contacts of each body, in the world's axes [N m, N],
    /// (bodies, 6).
    ContactForces {
        /// Each number is clamped to between minus and plus this; infinity for none.
        limit: f64,
    },
    /// Inertia of each body about the centre of mass of everything that moves, in the world's axes: moments and
    /// products xx, yy, zz, xy, xz, yz, mass times the vector from there to its own centre of mass, and mass, (bodies,
    /// 10).
    BodyInertias,
    /// Angular velocity of each body and its velocity at that centre of mass, in the world's axes, (bodies, 6).
    BodyVelocities,
    /// Joint forces of the actuators, from this velocity coordinate on. The actuators must be motors.
    ActuatorForces {
        /// The first velocity coordinate.
        from: usize,
    },
    /// Motion of a floating base in its own axes: the unit vector downwards, linear and angular velocity, (9). The
    /// base is the first link.
    BaseMotion,
    /// The command: velocity forwards and sideways [m/s], yaw rate [rad/s], (3).
    Command,
}

impl Observed {
    /// Whether it belongs to the step that ended, and not to the state.
    pub fn is_of_a_step(&self) -> bool {
        matches!(self, Observed::ContactForces { .. } | Observed::ActuatorForces { .. })
    }
}

/// The position whose rate is rewarded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Position {
    /// A number of the configuration.
    Configuration(usize),
    /// x of the centre of mass.
    CentreOfMass,
    /// Minus the squared distance of a frame's origin from a fixed point [m²]. With a weight of one step's duration,
    /// the reward of a step is by how much the squared distance shrinks; the rewards of an episode then add up to the
    /// difference between its start and its end.
    Closeness {
        /// The frame.
        of: FrameId,
        /// The point, in the world's axes [m].
        to: [f64; 3],
    },
}

/// A term of the reward.
#[derive(Clone, Debug)]
pub enum RewardTerm {
    /// `weight (x − x before) / Δt` over a step of the environment.
    Forward {
        /// Weight [s/m, or s/m² for a squared distance].
        weight: f64,
        /// The position x.
        position: Position,
    },
    /// A constant, while the state is healthy.
    Healthy {
        /// The reward.
        reward: f64,
    },
    /// `−weight Σ action²`.
    Control {
        /// Weight.
        weight: f64,
    },
    /// `−weight Σ f²` over the numbers that [`Observed::ContactForces`] gives.
    Contact {
        /// Weight.
        weight: f64,
        /// Each number is clamped to between minus and plus this; infinity for none.
        limit: f64,
        /// The most that it costs.
        most: f64,
    },
    /// `−weight |p|`, with the distance between the origins of two frames.
    Distance {
        /// Weight [1/m].
        weight: f64,
        /// One frame.
        of: FrameId,
        /// The other.
        from: FrameId,
    },
    /// `weight exp(−|v − c|²/width²)`, with the velocity v of the base forwards and sideways and the commanded one, c.
    /// The base is the first link.
    FollowVelocity {
        /// The most it pays.
        weight: f64,
        /// Error at which it pays 1/e of that [m/s].
        width: f64,
    },
    /// `weight exp(−(ω − c)²/width²)`, with the yaw rate ω of the base and the commanded one, c.
    FollowYawRate {
        /// The most it pays.
        weight: f64,
        /// Error at which it pays 1/e of that [rad/s].
        width: f64,
    },
    /// `−weight v_z²`, with the vertical velocity of the base.
    VerticalVelocity {
        /// Weight [s²/m²].
        weight: f64,
    },
    /// `−weight (ω_x² + ω_y²)`, with the angular velocity of the base in its own axes.
    RollAndPitch {
        /// Weight [s²/rad²].
        weight: f64,
    },
    /// `−weight (z − height)²`, with the height of the base.
    Height {
        /// Weight [1/m²].
        weight: f64,
        /// The height that costs nothing [m].
        height: f64,
    },
}

impl RewardTerm {
    /// The key under which it is reported; Gymnasium's, where it has the term.
    pub fn key(&self) -> &'static str {
        match self {
            RewardTerm::Forward { .. } => "reward_forward",
            RewardTerm::Healthy { .. } => "reward_survive",
            RewardTerm::Control { .. } => "reward_ctrl",
            RewardTerm::Contact { .. } => "reward_contact",
            RewardTerm::Distance { .. } => "reward_dist",
            RewardTerm::FollowVelocity { .. } => "reward_velocity",
            RewardTerm::FollowYawRate { .. } => "reward_yaw_rate",
            RewardTerm::VerticalVelocity { .. } => "reward_vertical",
            RewardTerm::RollAndPitch { .. } => "reward_roll_pitch",
            RewardTerm::Height { .. } => "reward_height",
        }
    }
}

/// A range that numbers of a healthy state are in. A number that is not finite is in no range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// A number of the configuration, ends included.
    Within {
        /// Which.
        q: usize,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// A number of the configuration, ends excluded.
    Between {
        /// Which.
        q: usize,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// All numbers of the configuration from this one on and all velocities, ends excluded: ±`limit`.
    Bounded {
        /// The first number of the configuration.
        from: usize,
        /// Both ends.
        limit: f64,
    },
    /// The z axis of the first link is at least this much upwards: its z component, −1 to 1.
    Upright {
        /// The least component.
        least: f64,
    },
}

impl Description {
    /// Number of numbers of an action.
    pub fn n_actions(&self) -> usize {
        self.model.topology.actuators.len()
    }

    /// Number of numbers of a command.
    pub fn n_commands(&self) -> usize {
        if self.commands.is_some() { COMMAND } else { 0 }
    }

    /// Number of numbers of an observation.
    pub fn n_observations(&self) -> usize {
        self.observation.iter().map(|part| self.width(part)).sum()
    }

    /// Number of numbers of a part of an observation.
    pub fn width(&self, part: &Observed) -> usize {
        match *part {
            Observed::Configuration { from } => self.model.nq().saturating_sub(from),
            Observed::Velocity { count, .. } => count,
            Observed::CosSin { count } => 2 * count,
            Observed::Offset { .. } => 2,
            Observed::ContactForces { .. } => 6 * self.bodies.list.len(),
            Observed::BodyInertias => 10 * self.bodies.list.len(),
            Observed::BodyVelocities => 6 * self.bodies.list.len(),
            Observed::ActuatorForces { from } => self.model.nv().saturating_sub(from),
            Observed::BaseMotion => 9,
            Observed::Command => self.n_commands(),
        }
    }

    /// A name for each number of an observation, such as `q/hip_1`, `v/hip_1` or `contact/leg_1/fx`.
    pub fn observation_names(&self) -> Vec<String> {
        let topology = &self.model.topology;
        let (q, v) = (topology.position_names(), topology.velocity_names());
        let mut names = Vec::new();
        for part in &self.observation {
            match *part {
                Observed::Configuration { from } => {
                    names.extend(q.iter().skip(from).map(|name| format!("q/{name}")));
                }
                Observed::Velocity { count, .. } => {
                    names.extend(v.iter().take(count).map(|name| format!("v/{name}")));
                }
                Observed::CosSin { count } => {
                    for function in ["cos", "sin"] {
                        names.extend(q.iter().take(count).map(|name| format!("{function}/{name}")));
                    }
                }
                Observed::Offset { of, from } => {
                    let frame = |id: FrameId| &topology.frames[id.index()].name;
                    for axis in ["x", "y"] {
                        names.push(format!("offset/{}-{}/{axis}", frame(of), frame(from)));
                    }
                }
                Observed::ContactForces { .. } => {
                    let numbers = ["tx", "ty", "tz", "fx", "fy", "fz"];
                    self.name_bodies("contact", &numbers, &mut names);
                }
                Observed::BodyInertias => {
                    let numbers = ["xx", "yy", "zz", "xy", "xz", "yz", "mx", "my", "mz", "m"];
                    self.name_bodies("inertia", &numbers, &mut names);
                }
                Observed::BodyVelocities => {
                    let numbers = ["wx", "wy", "wz", "vx", "vy", "vz"];
                    self.name_bodies("velocity", &numbers, &mut names);
                }
                Observed::ActuatorForces { from } => {
                    names.extend(v.iter().skip(from).map(|name| format!("force/{name}")));
                }
                Observed::BaseMotion => {
                    for what in ["down", "velocity", "turning"] {
                        names.extend(["x", "y", "z"].map(|axis| format!("base/{what}/{axis}")));
                    }
                }
                Observed::Command if self.commands.is_some() => {
                    names.extend(NAMES.map(|name| format!("command/{name}")));
                }
                Observed::Command => {}
            }
        }
        names
    }

    /// Appends a name for each number of each body.
    fn name_bodies(&self, what: &str, numbers: &[&str], names: &mut Vec<String>) {
        for body in &self.bodies.list {
            names.extend(numbers.iter().map(|number| format!("{what}/{}/{number}", body.name)));
        }
    }

    /// Duration of a step of the environment [s].
    pub fn seconds_per_step(&self) -> f64 {
        self.options.dt * self.frame_skip as f64
    }

    /// The position whose rate is rewarded, and the reward for a change of it by one.
    pub(crate) fn forward(&self) -> Option<(Position, f64)> {
        self.reward.iter().find_map(|term| match *term {
            RewardTerm::Forward { weight, position } => {
                Some((position, weight / self.seconds_per_step()))
            }
            _ => None,
        })
    }

    /// Whether observations or rewards read poses or velocities of links.
    pub(crate) fn reads_poses(&self) -> bool {
        let observed = |part: &Observed| {
            matches!(
                part,
                Observed::Offset { .. }
                    | Observed::ContactForces { .. }
                    | Observed::BodyInertias
                    | Observed::BodyVelocities
                    | Observed::BaseMotion
            )
        };
        let rewarded = |term: &RewardTerm| match term {
            RewardTerm::Forward { position, .. } => !matches!(position, Position::Configuration(_)),
            RewardTerm::Contact { .. }
            | RewardTerm::Distance { .. }
            | RewardTerm::FollowVelocity { .. }
            | RewardTerm::FollowYawRate { .. }
            | RewardTerm::VerticalVelocity { .. }
            | RewardTerm::RollAndPitch { .. }
            | RewardTerm::Height { .. } => true,
            RewardTerm::Healthy { .. } | RewardTerm::Control { .. } => false,
        };
        let upright = |condition: &Condition| matches!(condition, Condition::Upright { .. });
        self.observation.iter().any(observed)
            || self.reward.iter().any(rewarded)
            || self.healthy.iter().any(upright)
    }

    /// The environment without what belongs to a step that ended: contact forces and forces of actuators are no longer
    /// observed. A policy in the loop cannot see these. What is rewarded stays the same.
    pub fn without_forces(mut self) -> Self {
        self.observation.retain(|part| !part.is_of_a_step());
        self
    }
}

//! Whether the parts of a description fit together.

use gradbody_model::{Activation, FrameId, Topology};

use crate::{
    Actions, Bodies, Commands, Condition, Delay, Description, EnvError, Observed, Position, Pushes,
    RewardTerm,
};

/// The largest possible delay of actions, in steps.
const MOST_DELAY: usize = 1000;

impl Description {
    /// Fails if a step depends on more than the state and the action: on a command, on earlier actions, or on parameters
    /// that were drawn.
    pub fn check_alone(&self) -> Result<(), EnvError> {
        match self.commands.is_some() || self.delay.most > 0 || !self.randomise.is_empty() {
            false => Ok(()),
            true => {
                let why = "a step from a given state needs an environment without commands, without late \
                           actions and without parameters that are drawn"
                    .into();
                Err(EnvError::Description { name: self.name.clone(), why })
            }
        }
    }

    /// Fails if the parts do not fit together.
    pub fn check(&self) -> Result<(), EnvError> {
        self.model.check()?;
        let refuse = |why: String| Err(EnvError::Description { name: self.name.clone(), why });
        let (nq, nv, nu) = (self.model.nq(), self.model.nv(), self.n_actions());
        let Actions { low, high, centre, scale } = &self.actions;
        let sizes = [
            ("start.q", self.start.q.len(), nq),
            ("actions.low", low.len(), nu),
            ("actions.high", high.len(), nu),
            ("actions.centre", centre.len(), nu),
            ("actions.scale", scale.len(), nu),
            ("bodies.of_shape", self.bodies.of_shape.len(), self.model.topology.shapes.len()),
        ];
        if let Some((part, given, needed)) = sizes.into_iter().find(|(_, n, needed)| n != needed) {
            return refuse(format!("{part} has {given} entries, but the model needs {needed}"));
        }
        if self.frame_skip == 0 || self.time_limit == 0 {
            return refuse("frame_skip and time_limit must be at least 1".into());
        }
        if !(self.options.dt > 0.0 && self.options.dt.is_finite()) {
            return refuse(format!("the time step is {} s; it must be positive", self.options.dt));
        }
        if self.start.q.iter().any(|x| !x.is_finite()) {
            return refuse("a number of start.q is not finite".into());
        }
        if scale.iter().any(|x| *x == 0.0 || !x.is_finite()) {
            return refuse("each scale of an action must be finite and not zero".into());
        }
        let Bodies { list, of_shape } = &self.bodies;
        if of_shape.iter().flatten().any(|body| *body >= list.len()) {
            return refuse("a shape belongs to a body that is not listed".into());
        }
        if list.iter().any(|body| body.link.index() >= self.model.n_links()) {
            return refuse("a body belongs to a link that the model lacks".into());
        }
        let forwards = |term: &&RewardTerm| matches!(term, RewardTerm::Forward { .. });
        if self.reward.iter().filter(forwards).count() > 1 {
            return refuse("only one position can be rewarded for its rate".into());
        }
        let frames = self.model.topology.frames.len();
        let known = |of: FrameId, from: FrameId| of.index() < frames && from.index() < frames;
        let observed = self.observation.iter().all(|part| match *part {
            Observed::Configuration { from } => from <= nq,
            Observed::Velocity { count, limit } => count <= nv && limit > 0.0,
            Observed::CosSin { count } => count <= nq,
            Observed::Offset { of, from } => known(of, from),
            Observed::ContactForces { limit } => limit > 0.0,
            Observed::BodyInertias | Observed::BodyVelocities => true,
            Observed::ActuatorForces { from } => from <= nv && self.has_only_motors(),
            Observed::BaseMotion => self.model.n_links() > 0,
            Observed::Command => self.commands.is_some(),
        });
        let rewarded = self.reward.iter().all(|term| match *term {
            RewardTerm::Forward { position: Position::Configuration(q), .. } => q < nq,
            RewardTerm::Forward { position: Position::Closeness { of, .. }, .. } => known(of, of),
            RewardTerm::Distance { of, from, .. } => known(of, from),
            RewardTerm::Contact { limit, .. } => limit > 0.0,
            RewardTerm::FollowVelocity { width, .. } | RewardTerm::FollowYawRate { width, .. } => {
                width > 0.0 && self.commands.is_some() && self.model.n_links() > 0
            }
            RewardTerm::VerticalVelocity { .. }
            | RewardTerm::RollAndPitch { .. }
            | RewardTerm::Height { .. } => self.model.n_links() > 0,
            _ => true,
        });
        let healthy = self.healthy.iter().all(|condition| match *condition {
            Condition::Within { q, .. } | Condition::Between { q, .. } => q < nq,
            Condition::Bounded { from, .. } => from <= nq,
            Condition::Upright { .. } => self.model.n_links() > 0,
        });
        let goal = self.start.goal.is_none_or(|goal| goal.q + 1 < nq && goal.v + 1 < nv);
        if !(observed && rewarded && healthy && goal) {
            let what = "a part reads a number, a frame, a link or a command that there is not";
            return refuse(what.into());
        }
        if let Some(fault) = self.commands.as_ref().and_then(Commands::fault) {
            return refuse(fault.into());
        }
        if self.delay.least > self.delay.most || self.delay.most > MOST_DELAY {
            let Delay { least, most } = self.delay;
            return refuse(format!(
                "a delay of {least} to {most} steps; give the lower one first, and at most {MOST_DELAY}"
            ));
        }
        if let Some(Pushes { v, count, size, mean_time }) = self.pushes {
            if v.checked_add(count).is_none_or(|end| end > nv) {
                return refuse(format!("pushes change velocities {v} to {v} + {count} of {nv}"));
            }
            if !(size.is_finite() && mean_time > 0.0) {
                return refuse("pushes need a finite size and a positive mean time".into());
            }
        }
        Ok(())
    }

    /// Whether the force of each actuator is its control times its gain.
    fn has_only_motors(&self) -> bool {
        let Topology { actuators, .. } = &self.model.topology;
        let direct = actuators.iter().all(|actuator| actuator.activation == Activation::Direct);
        direct && self.model.params.actuators.iter().all(|actuator| actuator.bias == [0.0; 3])
    }
}

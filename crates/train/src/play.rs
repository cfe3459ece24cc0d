//! Episodes of a finished policy.

use std::collections::BTreeMap;

use gradbody_env::{Autoreset, Commands, Delay, Description, EnvBatch, LinkForce};
use gradbody_math::names::did_you_mean;
use gradbody_model::LinkId;
use gradbody_policy::{DenseRows, PolicyFile};

use crate::setup::{change, environment};

/// How episodes are played.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayOptions {
    /// Another environment than the policy's own, with the same observations and actions.
    pub environment: Option<String>,
    /// Number of episodes, each in a world of its own.
    pub episodes: usize,
    /// Seed of their starts.
    pub seed: u64,
    /// Parameters of the model to change, by paths or patterns, on top of those the policy was trained with.
    pub set: BTreeMap<String, f64>,
    /// Coefficient of friction of all shapes.
    pub friction: Option<f64>,
    /// Pushes, at the same times in all episodes.
    pub pushes: Vec<Push>,
    /// The command that all episodes follow, in an environment with commands: velocity forwards and sideways [m/s], yaw
    /// rate [rad/s]. None for random ones.
    pub command: Option<[f64; 3]>,
    /// Steps of the environment by which actions act late.
    pub delay: usize,
    /// Steps of the environment after which an episode is truncated; none for the environment's own.
    pub steps: Option<usize>,
}

impl Default for PlayOptions {
    fn default() -> Self {
        PlayOptions {
            environment: None,
            episodes: 20,
            seed: 0,
            set: BTreeMap::new(),
            friction: None,
            pushes: Vec::new(),
            command: None,
            delay: 0,
            steps: None,
        }
    }
}

/// A force on a link for some time.
#[derive(Clone, Debug, PartialEq)]
pub struct Push {
    /// The link, by its name.
    pub link: String,
    /// In the world's axes, at the link's origin [N].
    pub force_w: [f64; 3],
    /// When it begins, from the start of the episode [s].
    pub at: f64,
    /// How long it lasts [s].
    pub seconds: f64,
}

/// Episodes that were played.
#[derive(Clone, Debug)]
pub struct Played {
    /// The environment, as it was played.
    pub environment: Description,
    /// The sum of rewards of each episode.
    pub returns: Vec<f64>,
    /// The number of steps of each.
    pub lengths: Vec<usize>,
    /// Whether each reached the time limit; otherwise it ended in an unhealthy state.
    pub lasted: Vec<bool>,
    /// How many diverged: their numbers were no longer finite.
    pub diverged: usize,
    /// The first episode.
    pub motion: Vec<PlayedMoment>,
}

/// A moment of a played episode.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedMoment {
    /// Since the start of the episode [s].
    pub time: f64,
    /// Configuration, (nq).
    pub q: Vec<f64>,
    /// Velocity, (nv).
    pub v: Vec<f64>,
    /// Controls of the actuators until the next moment; at the end those before.
    pub controls: Vec<f64>,
    /// Sum of the rewards so far.
    pub reward: f64,
}

impl Played {
    /// Mean of the returns.
    pub fn mean(&self) -> f64 {
        self.returns.iter().sum::<f64>() / self.returns.len().max(1) as f64
    }

    /// Standard error of the mean.
    pub fn standard_error(&self) -> f64 {
        let (n, mean) = (self.returns.len() as f64, self.mean());
        let squares = self.returns.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        (squares / (n - 1.0).max(1.0) / n.max(1.0)).sqrt()
    }
}

/// Plays whole episodes without noise, in double precision. Fails, with what is wrong, if the policy does not fit the
/// environment or an option does not.
pub fn play(policy: &PolicyFile, options: &PlayOptions) -> Result<Played, String> {
    let of = described(policy, options)?;
    let pushes = placed(&options.pushes, &of)?;
    if options.episodes == 0 {
        return Err("at least one episode is needed".into());
    }
    let told = |error: &dyn std::fmt::Display| error.to_string();
    let worlds = options.episodes;
    let batch = EnvBatch::<f64>::with_description(of.clone(), worlds, options.seed, None);
    let mut batch = batch.map_err(|error| told(&error))?.with_autoreset(Autoreset::NextStep);
    let mut rows = DenseRows::new(&policy.actor.network, "policy").map_err(|error| told(&error))?;
    let (nq, nv, n_actions) = (of.model.nq(), of.model.nv(), of.n_actions());
    let mut played = Played {
        returns: vec![0.0; worlds],
        lengths: vec![0; worlds],
        lasted: vec![false; worlds],
        diverged: 0,
        motion: Vec::new(),
        environment: of,
    };
    let mut running = vec![true; worlds];
    let mut actions = Vec::new();
    for step in 0.. {
        if !running.contains(&true) {
            break;
        }
        policy.actor.act(&mut rows, &batch.outcome().observations, &mut actions);
        let of = &played.environment;
        let time = step as f64 * of.seconds_per_step();
        let controls = (0..n_actions).map(|k| {
            let (low, high) = (of.actions.low[k], of.actions.high[k]);
            of.actions.centre[k] + of.actions.scale[k] * actions[k].clamp(low, high)
        });
        let controls: Vec<f64> = controls.collect();
        if running[0] {
            let (q, v) = batch.states();
            let reward = batch.outcome().episode_returns[0];
            let (q, v) = (q[..nq].to_vec(), v[..nv].to_vec());
            let controls = controls.clone();
            played.motion.push(PlayedMoment { time, q, v, controls, reward });
        }
        let acts = |push: &&(Push, LinkId)| {
            (push.0.at - 1e-9..push.0.at + push.0.seconds - 1e-9).contains(&time)
        };
        let now = pushes.iter().filter(acts);
        let now = now.map(|(push, link)| LinkForce { link: *link, force_w: push.force_w });
        batch.set_forces(now.collect()).map_err(|error| told(&error))?;
        let was_running = running[0];
        let outcome = batch.step(&actions).map_err(|error| told(&error))?;
        for world in 0..worlds {
            let ended = outcome.terminated[world] || outcome.truncated[world];
            if running[world] && ended {
                running[world] = false;
                played.returns[world] = outcome.episode_returns[world];
                played.lengths[world] = outcome.episode_lengths[world];
                played.lasted[world] = !outcome.terminated[world];
                played.diverged += usize::from(outcome.diverged[world]);
            }
        }
        let (reward, diverged) = (outcome.episode_returns[0], outcome.diverged[0]);
        if was_running && !running[0] && !diverged {
            let (q, v) = batch.states();
            let (q, v) = (q[..nq].to_vec(), v[..nv].to_vec());
            let time = (step + 1) as f64 * played.environment.seconds_per_step();
            played.motion.push(PlayedMoment { time, q, v, controls, reward });
        }
    }
    Ok(played)
}

/// The environment of a policy with the changes that are asked for.
fn described(policy: &PolicyFile, options: &PlayOptions) -> Result<Description, String> {
    let name = options.environment.as_ref().unwrap_or(&policy.about.environment);
    let mut of = environment(name)?;
    if let Err(why) = policy.about.check(&of) {
        // Its training may have left out the forces.
        of = of.without_forces();
        policy.about.check(&of).map_err(|_| why)?;
    }
    let mut set = |changes: &BTreeMap<String, f64>| {
        change(&mut of.model, changes).map_err(|(path, why)| format!("{path}: {why}"))
    };
    set(&policy.about.set)?;
    if let Some(friction) = options.friction {
        if !(friction.is_finite() && friction >= 0.0) {
            return Err(format!("friction {friction}: a number that is not negative is needed"));
        }
        let all = BTreeMap::from([("shape/*/friction".to_owned(), friction)]);
        set(&all)?;
    }
    set(&options.set)?;
    of.delay = Delay { least: options.delay, most: options.delay };
    if let Some(command) = options.command {
        if of.commands.is_none() {
            return Err(format!("{} has no commands", of.name));
        }
        let (low, high) = (command, command);
        of.commands = Some(Commands { low, high, standing: 0.0, mean_time: f64::INFINITY });
    }
    if let Some(steps) = options.steps {
        if steps == 0 {
            return Err("an episode has at least one step".into());
        }
        of.time_limit = steps;
    }
    Ok(of)
}

/// The pushes with their links.
fn placed(pushes: &[Push], of: &Description) -> Result<Vec<(Push, LinkId)>, String> {
    let topology = &of.model.topology;
    let place = |push: &Push| {
        let numbers = push.force_w.iter().chain([&push.at, &push.seconds]);
        if numbers.clone().any(|x| !x.is_finite()) || push.at < 0.0 || push.seconds <= 0.0 {
            return Err(format!(
                "a push on \"{}\" needs a finite force, a time from 0 on and a positive duration",
                push.link
            ));
        }
        let link = topology.link(&push.link).ok_or_else(|| {
            let names = topology.links.iter().map(|link| link.name.as_str());
            let hint = did_you_mean(&push.link, names);
            format!("{} has no link \"{}\"{hint}", of.name, push.link)
        })?;
        Ok((push.clone(), link))
    };
    pushes.iter().map(place).collect()
}

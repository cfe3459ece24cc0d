//! `gradbody play`: episodes of a trained policy.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use gradbody::model::export;
use gradbody::policy::{PolicyFile, onnx};
use gradbody::train::{PlayOptions, Played, Push, play};
use gradbody_report::text::csv_cell;
use serde_json::json;

use crate::atomic_file::{self, AtomicFile};
use crate::settings::Setting;

const AFTER_HELP: &str = "\
Each episode is in a world of its own, with a start drawn from --seed, without the noise of learning. --out writes the motion of
the first episode as CSV, and the robot as MJCF beside it; `gradbody view policy.safetensors` shows an episode at once.";

/// Options of `gradbody play`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct PlayArgs {
    /// A policy file, or the folder of a training.
    #[arg(value_name = "POLICY")]
    policy: PathBuf,
    /// Another environment than the policy's own, with the same observations and actions.
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
    /// Number of episodes.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    episodes: u32,
    /// Seed of the episodes' starts.
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = crate::seed::parse)]
    seed: u64,
    /// Change parameters of the robot, by path or pattern, as in link/trunk/mass=15 or 'link/*/mass'=2; can be given several
    /// times.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<Setting>,
    /// Coefficient of friction of everything.
    #[arg(long, value_name = "MU", allow_negative_numbers = true)]
    friction: Option<f64>,
    /// Push a link with a force in the world's axes [N] from a time on for a duration [s], as in trunk=0,60,0@2:0.2; can be given
    /// several times.
    #[arg(long, value_name = "LINK=FX,FY,FZ@TIME:SECONDS")]
    push: Vec<PushArg>,
    /// Follow this command, in an environment with commands: velocity forwards and sideways [m/s] and yaw rate [rad/s], as in
    /// 0.5,0,0.2. Without it each episode draws its own.
    #[arg(long, value_name = "VX,VY,YAW", allow_hyphen_values = true)]
    command: Option<CommandArg>,
    /// Steps of the environment by which actions act late.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1000))]
    delay: u16,
    /// Steps of the environment after which an episode ends, in place of the environment's own number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    steps: Option<u32>,
    /// Write the motion of the first episode as CSV, and the robot as MJCF beside it.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
    /// Write the policy as ONNX.
    #[arg(long, value_name = "FILE.onnx")]
    onnx: Option<PathBuf>,
    /// Print returns and lengths as JSON.
    #[arg(long)]
    json: bool,
}

/// A push on the command line.
#[derive(Clone, Debug)]
pub(crate) struct PushArg(Push);

impl FromStr for PushArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || "this is not LINK=FX,FY,FZ@TIME:SECONDS, as in trunk=0,60,0@2:0.2".to_owned();
        let (link, rest) = text.rsplit_once('=').ok_or_else(wrong)?;
        let (force, rest) = rest.split_once('@').ok_or_else(wrong)?;
        let (at, seconds) = rest.split_once(':').ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
        let force = force.split(',').map(number).collect::<Result<Vec<f64>, String>>()?;
        let force_w = <[f64; 3]>::try_from(force).map_err(|_| wrong())?;
        let (at, seconds) = (number(at)?, number(seconds)?);
        Ok(PushArg(Push { link: link.trim().to_owned(), force_w, at, seconds }))
    }
}

/// A command on the command line.
#[derive(Clone, Debug)]
pub(crate) struct CommandArg([f64; 3]);

impl FromStr for CommandArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "this is not VX,VY,YAW, as in 0.5,0,0.2".to_owned();
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let numbers = text.split(',').map(number).collect::<Option<Vec<f64>>>();
        let numbers = numbers.and_then(|numbers| <[f64; 3]>::try_from(numbers).ok());
        Ok(CommandArg(numbers.ok_or_else(wrong)?))
    }
}

/// The policy file that a path means.
pub(crate) fn policy_at(path: &Path) -> anyhow::Result<PolicyFile> {
    let inside = path.join("policy.safetensors");
    let file = if path.is_dir() && inside.exists() { &inside } else { path };
    Ok(PolicyFile::read(file)?)
}

pub(crate) fn run(args: &PlayArgs) -> anyhow::Result<()> {
    let policy = policy_at(&args.policy)?;
    let options = PlayOptions {
        environment: args.environment.clone(),
        episodes: args.episodes as usize,
        seed: args.seed,
        set: args.set.iter().map(Setting::pair).collect(),
        friction: args.friction,
        pushes: args.push.iter().map(|push| push.0.clone()).collect(),
        command: args.command.as_ref().map(|command| command.0),
        delay: args.delay.into(),
        steps: args.steps.map(|steps| steps as usize),
    };
    let path = args.policy.display();
    let played = play(&policy, &options).map_err(|why| anyhow!("{path}: {why}"))?;
    let mut told =
        args.out.as_deref().map_or_else(|| Box::new(io::stdout()) as _, atomic_file::messages);
    match args.json {
        true => writeln!(told, "{}", as_json(&policy, &played))?,
        false => write!(told, "{}", in_words(&played))?,
    }
    if let Some(out) = &args.out {
        atomic_file::write(out, &motion(&played))?;
        let beside = out.with_extension("xml");
        let folder = out.parent().unwrap_or(Path::new(""));
        let model = export::mjcf_in(&played.environment.model, folder)
            .map_err(|error| anyhow!("{}: cannot be written: {error}", beside.display()))?;
        atomic_file::write(&beside, &model.text)?;
        if !args.json {
            let (out, model) = (out.display(), beside.display());
            writeln!(told, "wrote {out} and {model}: gradbody view {out} --model {model}")?;
        }
    }
    if let Some(file) = &args.onnx {
        let bytes = onnx(&policy.actor, &policy.about)
            .map_err(|error| anyhow!("{path}: cannot be written as ONNX: {error}"))?;
        let mut to = AtomicFile::create(file)?;
        to.write_all(&bytes).with_context(|| format!("{}: cannot be written", file.display()))?;
        to.finish()?;
        if !args.json {
            writeln!(told, "wrote {}", file.display())?;
        }
    }
    if played.returns.iter().any(|x| !x.is_finite()) {
        bail!("{path}: a return is not finite");
    }
    Ok(())
}

/// Mean, spread, and how episodes ended.
fn in_words(played: &Played) -> String {
    let number = gradbody_report::text::number;
    let (least, largest) = range(&played.returns);
    let n = played.returns.len();
    let lasted = played.lasted.iter().filter(|lasted| **lasted).count();
    let length = played.lengths.iter().sum::<usize>() as f64 / n.max(1) as f64;
    let mut text = format!(
        "{}, {n} episodes: return {} ± {} (standard error), least {}, largest {}\n",
        played.environment.name,
        number(played.mean()),
        number(played.standard_error()),
        number(least),
        number(largest)
    );
    let _ = writeln!(
        text,
        "{lasted} of {n} lasted all {} steps; {} steps on the average",
        played.environment.time_limit,
        number(length)
    );
    if played.diverged > 0 {
        let _ = writeln!(
            text,
            "{} of {n} diverged: their numbers were no longer finite",
            played.diverged
        );
    }
    text
}

fn range(numbers: &[f64]) -> (f64, f64) {
    numbers
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)))
}

fn as_json(policy: &PolicyFile, played: &Played) -> serde_json::Value {
    let (least, largest) = range(&played.returns);
    json!({
        "environment": played.environment.name,
        "about": policy.about,
        "mean": played.mean(),
        "standard_error": played.standard_error(),
        "least": least,
        "largest": largest,
        "returns": played.returns,
        "lengths": played.lengths,
        "lasted": played.lasted,
        "diverged": played.diverged,
    })
}

/// The motion as `gradbody view` reads it.
fn motion(played: &Played) -> String {
    let topology = &played.environment.model.topology;
    let mut text = String::from("t");
    let positions = topology.position_names().into_iter().map(|name| format!("q:{name}"));
    let velocities = topology.velocity_names().into_iter().map(|name| format!("v:{name}"));
    let controls = topology.actuators.iter().map(|actuator| format!("control/{}", actuator.name));
    for name in positions.chain(velocities).chain(controls).chain(["return".to_owned()]) {
        let _ = write!(text, ",{}", csv_cell(&name));
    }
    text.push('\n');
    for moment in &played.motion {
        let _ = write!(text, "{}", moment.time);
        let numbers = moment.q.iter().chain(&moment.v).chain(&moment.controls);
        for number in numbers.chain([&moment.reward]) {
            let _ = write!(text, ",{number}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::PushArg;

    #[test]
    fn a_push_is_read() {
        let PushArg(push) = "FL calf=0,-60.5,1e1@2:0.2".parse().expect("a push");
        assert_eq!((push.link.as_str(), push.force_w), ("FL calf", [0.0, -60.5, 10.0]));
        assert_eq!((push.at, push.seconds), (2.0, 0.2));
        for text in ["trunk", "trunk=1,2@3:4", "trunk=1,2,3@4", "trunk=a,2,3@4:5"] {
            let error = text.parse::<PushArg>().expect_err(text);
            assert!(error.starts_with("this is not LINK="), "{error}");
        }
    }
}

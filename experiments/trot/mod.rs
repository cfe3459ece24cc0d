//! Laikago trots by convex model predictive control, and a network learns to imitate it (NeuralSim, figure 1).

mod course;
mod page;
mod policy;
mod programs;
mod robot;
mod samples;
mod study;
mod timing;
mod training;
mod walk;

use std::time::Duration;

use gradbody::neural::{NamedWeights, Network, write_weights};
use gradbody_cli::{atomic_file, progress};

use super::Prepared;
use crate::parts::Parts;
use course::{Course, Purpose};
use robot::Laikago;
use study::{Learned, Walks, Who, all_walks, learn, walked};
use timing::Times;
use walk::Walked;

/// Seed of all random numbers.
const SEED: u64 = 1;

/// The extent of a run.
struct Plan {
    /// Number of held-out courses.
    courses: u64,
    /// Duration of a held-out course [s].
    seconds: f64,
    /// Pushes [N]; the first is that of the goal, the others show where the limits are.
    pushes: Vec<f64>,
    /// Samples in all, stage by stage of learning.
    samples: Vec<usize>,
    /// Steps of Adam in a stage.
    training_steps: u64,
    /// Shortest time spent on each measured time.
    measuring: Duration,
}

impl Plan {
    fn of(quick: bool) -> Self {
        match quick {
            true => Plan {
                courses: 2,
                seconds: 6.0,
                pushes: vec![course::PUSH],
                samples: vec![300, 600],
                training_steps: 300,
                measuring: Duration::from_millis(30),
            },
            false => Plan {
                courses: 50,
                seconds: 20.0,
                pushes: vec![course::PUSH, 60.0, 100.0, 150.0, 200.0],
                samples: vec![150, 300, 600, 1250, 2500, 5000, 10_000],
                training_steps: 5000,
                measuring: Duration::from_millis(1500),
            },
        }
    }
}

/// Everything that the study found.
struct Study {
    plan: Plan,
    program: Walks,
    imitation: Learned,
    own_states: Learned,
    /// Walks by the last network of each way of learning.
    imitator: Walks,
    learner: Walks,
    times: Times,
    /// One held-out course by the program and by the network, with its frames.
    shown: [Walked; 2],
}

pub(super) fn prepare(quick: bool) -> Prepared {
    Box::new(move |parts| {
        let laikago = Laikago::on_ground()?;
        let network = policy::network()?;
        let study = study(&laikago, &network, quick, parts)?;
        write_network(parts, &network, &study.own_states.weights)?;
        page::outcome(&laikago, &study)
    })
}

fn study(
    laikago: &Laikago,
    network: &Network,
    quick: bool,
    parts: &Parts,
) -> anyhow::Result<Study> {
    let plan = Plan::of(quick);
    let bar = progress::bar(7, "parts");
    let part = |message: &'static str| {
        bar.inc(1);
        bar.set_message(message);
    };
    part("walking by the program");
    let program = parts.get("program", || all_walks(laikago, network, Who::Program, &plan))?;
    part("learning by imitation alone");
    let imitation = parts.get("imitation", || learn(laikago, network, &plan, false))?;
    part("learning in its own states");
    let own_states = parts.get("own-states", || learn(laikago, network, &plan, true))?;
    let by = |learned: &Learned| all_walks(laikago, network, Who::Network(&learned.weights), &plan);
    part("walking by the networks");
    let imitator = parts.get("imitator", || by(&imitation))?;
    let learner = parts.get("learner", || by(&own_states))?;
    part("measuring times");
    let (times, programs) = timing::measure(laikago, network, &own_states.weights, plan.measuring)?;
    // Many megabytes, for comparisons with other solvers.
    let written = [("walking", &programs.walking), ("thrown", &programs.thrown)];
    for (name, programs) in written.into_iter().filter(|_| !quick) {
        let file = parts.results().join(format!("programs-{name}.json"));
        atomic_file::write(&file, &programs::json(programs).to_string())?;
    }
    part("drawing");
    let course = Course::random(SEED, Purpose::HeldOut, 0, plan.seconds);
    let show = |who: Who<'_>| walked(laikago, network, who, &course, true);
    let shown = [show(Who::Program)?, show(Who::Network(&own_states.weights))?];
    bar.finish_and_clear();
    Ok(Study { plan, program, imitation, own_states, imitator, learner, times, shown })
}

/// Writes the network that learned in its own states.
fn write_network(parts: &Parts, network: &Network, weights: &[f64]) -> anyhow::Result<()> {
    let file = parts.results().join("network.safetensors");
    let named = NamedWeights { name: "", network, weights };
    Ok(write_weights(file, &[named], &Default::default())?)
}

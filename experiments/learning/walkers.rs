//! How long robots take to learn to walk on this machine, with the tasks that come with the program.

use gradbody::train::{Numbers, Setup, Task, builtin, learner};

use super::page::{self, Group, Study};
use super::training::{Extent, train};
use crate::Prepared;
use gradbody_cli::progress;

/// The tasks, and the mean return that counts as reached.
const TASKS: [(&str, f64); 5] = [
    ("ant", 3000.0),
    ("half-cheetah", 3000.0),
    ("hopper", 2500.0),
    ("humanoid", 5000.0),
    ("laikago", 1700.0),
];
const SEEDS: u64 = 5;
const SECONDS: f64 = 120.0;

pub(crate) fn prepare(quick: bool) -> Prepared {
    Box::new(move |parts| {
        let (seeds, seconds) = if quick { (1, 0.5) } else { (SEEDS, SECONDS) };
        let bar = progress::bar(TASKS.len() as u64 * seeds, "trainings");
        let mut groups = Vec::new();
        for (name, reach) in TASKS {
            let mut trained = Vec::new();
            for seed in 0..seeds {
                // One after the other: each has all threads, and the clock counts.
                trained.push(parts.get(&format!("{name}-{seed}"), || {
                    let text = builtin::find(name).map_or("", |task| task.text);
                    let mut task = Task::from_toml(text, &format!("{name}.toml"))?;
                    (task.seed, task.precision) = (seed, Numbers::F32);
                    let setup = Setup::new(task)?;
                    let mut learner = learner(&setup)?;
                    let extent = Extent { samples: u64::MAX, seconds, every: 20_000, reach };
                    train(
                        (setup.task.method.name(), seed),
                        &mut *learner,
                        &setup.environment,
                        extent,
                    )
                })?);
                bar.inc(1);
            }
            groups.push(Group { name: name.to_owned(), most: Some(reach), trained });
        }
        bar.finish_and_clear();
        Ok(page::outcome(&Study {
            title: "Robots that learn to walk".into(),
            lead: "Seconds from nothing to a stated mean return of 20 episodes without noise, by the clock on all cores of \
                   this machine, without the time of evaluations."
                .into(),
            groups,
            reach: Some(SECONDS),
        }))
    })
}

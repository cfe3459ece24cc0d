//! Laikago trots by convex model predictive control, and a network learns to imitate it.

mod course;
mod policy;
mod programs;
mod robot;
mod samples;
mod study;
mod timing;
mod training;
mod walk;

use crate::{Findings, Prepared};
use robot::Laikago;

/// Seed of all random numbers.
const SEED: u64 = 1;

/// The extent of a run.
struct Plan {
    /// Number of held-out courses.
    courses: u64,
    /// Number of stages of learning, and samples that each adds.
    stages: usize,
    samples: usize,
    /// Passes over the samples in the training of a stage.
    passes: u64,
}

impl Plan {
    fn of(quick: bool) -> Self {
        match quick {
            true => Plan { courses: 2, stages: 2, samples: 300, passes: 15 },
            false => Plan { courses: 50, stages: 4, samples: 2500, passes: 100 },
        }
    }
}

pub(super) fn prepare(quick: bool) -> Prepared {
    Box::new(move |parts| {
        let env = |name: &str, x: f64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(x);
        let laikago = Laikago::on_ground()?;
        let network = policy::network()?;
        let mut plan = Plan::of(quick);
        plan.passes = env("PASSES", plan.passes as f64) as u64;
        plan.samples = env("SAMPLES", plan.samples as f64) as usize;
        plan.stages = env("STAGES", plan.stages as f64) as usize;
        let time = std::time::Instant::now();
        for own in [true, false] {
            let begun = std::time::Instant::now();
            let learned = study::learn(&laikago, &network, &plan, own)?;
            println!("own {own}: {:?} {:?} errors {:.4?} train {:.4?} {:.1} s", learned.samples, learned.without_fall, learned.errors, learned.learners.iter().map(|l| l.error).collect::<Vec<_>>(), begun.elapsed().as_secs_f64());
            if env("WALKS", 0.0) > 0.0 {
                let walks = study::all_walks(&laikago, &network, study::Who::Network(learned.weights()), &plan)?;
                println!("pushed {:?}", walks.pushed.iter().map(|w| study::standing(w)).collect::<Vec<_>>());
            }
        }
        let _ = (parts, time);
        timing::print(&laikago, &network)?;
        Ok(Findings { title: "Trot".into(), lead: String::new(), sections: vec![], text: String::new(), json: serde_json::json!({}) })
    })
}

//! A plan through contact: a half cheetah drops to the ground and has to be a metre further ahead after a second.
//!
//! `scripts/ilqr_mujoco.py` gives MuJoCo the same model, costs, start and first actions (zeros), which
//! [`Planning::write`] writes, and plans by finite differences of MuJoCo's steps.

use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use gradbody::model::import::{ImportOptions, from_text};
use gradbody::sim::{State, StepOptions};
use gradbody_control::{Actions, Cost, Ilqr, IlqrSearch, Problem, Progress, Quantity};
use serde_json::{Value, json};

pub(super) const MODEL: &str = "half_cheetah";
const FILE: &str = include_str!("../../models/half_cheetah.xml");
/// Duration of a knot, which is one step [s].
const DT: f64 = 0.01;
const KNOTS: usize = 100;
const MOST_ITERATIONS: usize = 200;

/// Where the robot should be: a metre ahead, upright, feet on the ground, joints in their rest pose.
const TARGET: [f64; 9] = [1.0, -0.07, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
/// Weights of coordinates and velocities at the end, of coordinates on the way, and of controls.
const END: [f64; 9] = [100.0, 20.0, 20.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
const REST: [f64; 9] = [2.0, 0.5, 0.5, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01];
const WAY: [f64; 9] = [0.0, 1.0, 5.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1];
const EFFORT: f64 = 0.1;

/// The task.
pub(super) struct Planning {
    problem: Problem,
}

/// A search from zero actions.
pub(super) struct Planned {
    /// The cost after each iteration, and the seconds until then.
    history: Vec<(f64, f64)>,
    actions: Vec<f64>,
    progress: Progress,
}

impl Planning {
    pub(super) fn new() -> anyhow::Result<Self> {
        let file = Path::new("half_cheetah.xml");
        let model = from_text(FILE, file, &ImportOptions::default())?.model;
        let all: Vec<usize> = (0..model.nv()).collect();
        let weighted = |name: &str, quantity, target: &[f64], weights: &[f64]| {
            let mut cost = Cost::new(name, quantity, target.to_vec(), 0.0);
            cost.weights.copy_from_slice(weights);
            cost
        };
        let actions = Actions::of(&model);
        let effort = Quantity::Actions((0..actions.len()).collect());
        let pose = || Quantity::Configuration(all.clone());
        let costs = vec![
            weighted("way", pose(), &TARGET, &WAY),
            Cost::new("effort", effort, vec![0.0; actions.len()], EFFORT),
            weighted("end", pose(), &TARGET, &END).at_end(),
            weighted("rest", Quantity::Velocity(all.clone()), &[0.0; 9], &REST).at_end(),
        ];
        let problem = Problem {
            start: State::neutral(&model),
            options: StepOptions::accurate_gradients(DT),
            knots: KNOTS,
            steps: 1,
            actions,
            costs,
            model,
        };
        Ok(Planning { problem })
    }

    /// Searches until the search ends, on all threads.
    pub(super) fn plan(&self) -> anyhow::Result<Planned> {
        let zeros = vec![0.0; self.problem.numbers()];
        let start = Instant::now();
        let mut search = IlqrSearch::begin(self.problem.clone(), Ilqr::default(), &zeros)?;
        let mut history = vec![(search.motion().cost, start.elapsed().as_secs_f64())];
        for _ in 0..MOST_ITERATIONS {
            let progress = search.advance();
            history.push((search.motion().cost, start.elapsed().as_secs_f64()));
            if progress != Progress::Going {
                break;
            }
        }
        let actions = search.motion().actions.clone();
        Ok(Planned { history, actions, progress: search.progress() })
    }

    /// What the actions in a file (JSON, a list) cost here.
    pub(super) fn cost_of_file(&self, file: &Path) -> anyhow::Result<f64> {
        let name = || file.display().to_string();
        let text = std::fs::read_to_string(file).with_context(name)?;
        let actions: Vec<f64> = serde_json::from_str(&text).with_context(name)?;
        let search = IlqrSearch::begin(self.problem.clone(), Ilqr::default(), &actions)?;
        Ok(search.motion().cost)
    }

    /// Writes the model and the task for other programs.
    pub(super) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let put = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).with_context(|| path.display().to_string())
        };
        let Problem { start, knots, actions, .. } = &self.problem;
        let task = json!({
            "dt": DT, "knots": knots, "q": start.q, "v": start.v, "target": TARGET, "end": END,
            "rest": REST, "way": WAY, "effort": EFFORT, "lower": actions.lower, "upper": actions.upper,
        });
        put("model.xml", FILE)?;
        put("task.json", &task.to_string())
    }
}

impl Planned {
    /// As a line for other programs.
    pub(super) fn json(&self, of_file: Option<f64>) -> Value {
        json!({
            "peer": "gradbody", "version": env!("CARGO_PKG_VERSION"), "fn": "plan", "model": MODEL,
            "progress": self.progress, "actions": self.actions, "cost_of_file": of_file,
            "history": self.history,
        })
    }

    /// In a sentence.
    pub(super) fn text(&self, of_file: Option<f64>) -> String {
        let (cost, seconds) = self.history.last().copied().unwrap_or_default();
        let iterations = self.history.len() - 1;
        let mut text = format!(
            "{MODEL}: {:?} after {iterations} iterations, {seconds:.3} s, with cost {cost:.4}",
            self.progress
        );
        if let Some(cost) = of_file {
            text += &format!("; the plan in the file costs {cost:.4}");
        }
        text
    }
}

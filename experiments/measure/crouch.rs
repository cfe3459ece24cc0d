//! Times an iteration of iLQR, and its parts, on a quadruped that crouches.
//!
//! `benches/peers/crocoddyl.cpp` gives Crocoddyl the same task with feet held to the ground. Here nothing says which
//! feet stand: contacts can open and slide.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use gradbody::model::import::{Base, ImportOptions, from_text};
use gradbody::model::{Material, Model};
use gradbody::sim::{
    Input, InputColumns, LinearPath, LinearStep, LinearWork, NoTaps, State, StepOptions,
    StepScratch, StepTrace, linearise_step, step,
};
use gradbody_control::{Actions, Cost, Ilqr, IlqrSearch, IlqrState, Problem, Progress, Quantity};

use super::clock::Figure;

/// The tasks, which differ in the number of their knots.
pub(super) const MODELS: [&str; 2] = ["crouch30", "crouch100"];
const KNOTS: [usize; 2] = [30, 100];
/// Duration of a knot, which is one step [s].
const DT: f64 = 0.01;
/// How much lower the trunk should be [m].
const DEPTH: f64 = 0.05;
/// The joint angles of a leg that stands.
const HOME: [f64; 3] = [0.0, 0.7, -1.4];
const MOST_ITERATIONS: usize = 100;
/// How often steps are timed.
const REPETITIONS: usize = 200;

/// What was measured, in microseconds per knot unless it says otherwise.
pub(super) struct Crouch {
    /// A step, and its derivatives by state and torques.
    pub(super) step_and_derivatives: f64,
    /// A step alone.
    pub(super) step: f64,
    /// The same derivatives, and those of the costs, inside the search.
    pub(super) expansion: f64,
    /// The backward pass.
    pub(super) backward: f64,
    /// The motion with the changes that it proposes, and its cost.
    pub(super) forward: f64,
    /// A whole iteration.
    pub(super) iteration: Figure,
    /// Iterations until the search ends.
    pub(super) iterations: usize,
    /// Where it ends: cost and height of the trunk [m].
    pub(super) cost: f64,
    pub(super) height: f64,
}

/// Measures an iteration of a task on one thread, each part for about `time`.
pub(super) fn measure(name: &str, time: Duration) -> anyhow::Result<Crouch> {
    let knots = MODELS.iter().zip(KNOTS).find(|(model, _)| **model == name);
    let (problem, actions) = problem(knots.map_or(KNOTS[0], |(_, knots)| knots))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| measure_alone(&problem, &actions, time))
}

fn measure_alone(problem: &Problem, actions: &[f64], time: Duration) -> anyhow::Result<Crouch> {
    let mut search = IlqrSearch::begin(problem.clone(), Ilqr::default(), actions)?;
    let with = derivatives(problem, &search, true)?;
    let without = derivatives(problem, &search, false)?;
    let (iterations, typical) = solve(&mut search)?;
    let begin = || IlqrSearch::resume(problem.clone(), Ilqr::default(), typical.clone());
    let timed = |part: &mut dyn FnMut()| {
        let from = Instant::now();
        part();
        from.elapsed().as_secs_f64() * 1e6 / problem.knots as f64
    };
    // Derivatives with the backward pass, the backward pass alone, and with the motion that it proposes.
    let mut least = [f64::INFINITY; 3];
    let mut whole = Vec::new();
    let start = Instant::now();
    while start.elapsed() < 4 * time {
        let mut parts = begin()?;
        for least in &mut least[..2] {
            *least = least.min(timed(&mut || {
                black_box(parts.feedback());
            }));
        }
        least[2] = least[2].min(timed(&mut || {
            black_box(parts.advance());
        }));
        let mut search = begin()?;
        whole.push(timed(&mut || {
            black_box(search.advance());
        }));
    }
    whole.sort_by(f64::total_cmp);
    let motion = search.motion();
    let last = motion.states.last().unwrap_or(&problem.start);
    Ok(Crouch {
        step_and_derivatives: with,
        step: without,
        expansion: least[0] - least[1],
        backward: least[1],
        forward: least[2] - least[1],
        iteration: Figure { min: whole[0], median: whole[whole.len() / 2], lanes: 1 },
        iterations,
        cost: motion.cost,
        height: last.q[2],
    })
}

/// Searches to the end. Returns the number of iterations, and the state before one whose first try succeeded.
fn solve(search: &mut IlqrSearch) -> anyhow::Result<(usize, IlqrState)> {
    let mut typical = None;
    for iterations in 1..=MOST_ITERATIONS {
        let before = search.state();
        let progress = search.advance();
        // Damping falls only then.
        if typical.is_none() && search.state().damping < before.damping {
            typical = Some(before);
        }
        if progress != Progress::Going {
            let typical = typical.context("no iteration succeeds at its first try")?;
            return Ok((iterations, typical));
        }
    }
    bail!("the search does not end")
}

/// Steps along the first motion, with or without derivatives [µs per step].
fn derivatives(problem: &Problem, search: &IlqrSearch, linearised: bool) -> anyhow::Result<f64> {
    let model = &problem.model;
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    let mut work = LinearWork::new(model);
    let mut out = LinearStep::new(model, InputColumns::JointForces);
    let (mut state, mut input) = (problem.start.clone(), Input::none(model));
    let motion = search.motion();
    let mut least = f64::INFINITY;
    for _ in 0..REPETITIONS {
        let from = Instant::now();
        for (start, actions) in motion.states.iter().zip(motion.actions.chunks(12)) {
            state.copy_from(start);
            problem.actions.write(actions, &mut input);
            let options = &problem.options;
            step(model, &mut state, &input, options, &mut NoTaps, &mut trace, &mut scratch);
            if linearised {
                let taps = &mut NoTaps;
                let path = linearise_step(model, &trace, taps, &mut scratch, &mut work, &mut out);
                ensure!(path == LinearPath::Analytical, "a step is linearised row by row");
                black_box(&mut out);
            }
        }
        least = least.min(from.elapsed().as_secs_f64() * 1e6 / problem.knots as f64);
    }
    Ok(least)
}

/// The task, and first torques. Crocoddyl's task has the same weights. The first torques are those of springs and dampers
/// that hold the start: under constant ones the robot falls within a second, and the search does not find back.
fn problem(knots: usize) -> anyhow::Result<(Problem, Vec<f64>)> {
    let (model, start) = standing()?;
    let options = StepOptions::accurate_gradients(DT);
    let (torques, _) = hold(&model, &start, &options, knots);
    let actions = Actions::of(&model);
    let all: Vec<usize> = (0..model.nv()).collect();
    let mut target = start.q.clone();
    target[2] -= DEPTH;
    let pose = |name: &str, trunk: f64, joints: f64| {
        let mut cost =
            Cost::new(name, Quantity::Configuration(all.clone()), target.clone(), joints);
        cost.weights[..6].fill(trunk);
        cost
    };
    let rest = |name: &str, weight: f64| {
        Cost::new(name, Quantity::Velocity(all.clone()), vec![0.0; all.len()], weight)
    };
    let effort = Quantity::Actions((0..actions.len()).collect());
    let costs = vec![
        pose("pose", 200.0, 5.0),
        rest("calm", 0.1),
        Cost::new("effort", effort, vec![0.0; actions.len()], 1e-3),
        pose("last pose", 2000.0, 50.0).at_end(),
        rest("rest", 2.0).at_end(),
    ];
    Ok((Problem { start, options, knots, steps: 1, actions, costs, model }, torques))
}

/// A Laikago that has come to rest on the ground.
fn standing() -> anyhow::Result<(Model<f64>, State<f64>)> {
    let text = include_str!("../../models/laikago.urdf");
    let options = ImportOptions { base: Base::Free, ..ImportOptions::default() };
    let mut model = from_text(text, Path::new("laikago.urdf"), &options)?.model;
    let surface = Material::with_friction(0.8);
    model.params.shapes.iter_mut().for_each(|shape| shape.material = surface);
    model.add_ground(0.0, surface)?;
    let mut state = State::neutral(&model);
    state.q[2] = 0.409;
    state.q[7..].copy_from_slice(&HOME.repeat(4));
    let (_, mut state) = hold(&model, &state, &StepOptions::new(1e-3), 1000);
    state.time = 0.0;
    Ok((model, state))
}

/// Steps with springs and dampers that hold the legs. Returns the torques of each step and the last state.
fn hold(
    model: &Model<f64>,
    start: &State<f64>,
    options: &StepOptions<f64>,
    steps: usize,
) -> (Vec<f64>, State<f64>) {
    let (mut state, mut input) = (start.clone(), Input::none(model));
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    let mut torques = Vec::new();
    for _ in 0..steps {
        for (k, home) in HOME.repeat(4).iter().enumerate() {
            input.tau[6 + k] = 300.0 * (home - state.q[7 + k]) - 4.0 * state.v[6 + k];
        }
        torques.extend(&input.tau[6..]);
        step(model, &mut state, &input, options, &mut NoTaps, &mut trace, &mut scratch);
    }
    (torques, state)
}

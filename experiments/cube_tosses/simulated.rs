//! Simulates each toss from its first measured state, by several contact laws.

use std::thread;

use anyhow::bail;
use gradbody::contact::Solver;
use gradbody::math::{Quat, Vec3};
use gradbody::model::{Material, Model};
use gradbody::sim::{Input, NoTaps, State, StepOptions, StepScratch, StepTrace, step};
use gradbody_cli::progress::ProgressBar;

use super::measured::Toss;
use super::{FRICTION, GRAVITY, RATE, RESTITUTION};
use crate::tosses::{Pose, angle_between};
use gradbody_cli::builtin;

/// A contact law to compare.
#[derive(Clone, Copy)]
pub(super) struct Law {
    pub(super) name: &'static str,
    pub(super) solver: Solver,
    /// Simulation steps per frame.
    pub(super) substeps: usize,
}

pub(super) fn laws() -> [Law; 2] {
    [
        Law { name: "ncp", solver: Solver::default(), substeps: 10 },
        Law { name: "hunt-crossley", solver: Solver::HuntCrossley, substeps: 40 },
    ]
}

/// A simulated toss and its errors.
pub(super) struct Simulated {
    pub(super) poses: Vec<Pose>,
    /// Errors of each frame [m], [rad].
    pub(super) position: Vec<f64>,
    pub(super) rotation: Vec<f64>,
}

/// All tosses simulated by one law.
pub(super) struct Outcomes {
    pub(super) law: Law,
    pub(super) tosses: Vec<Simulated>,
}

impl Outcomes {
    pub(super) fn simulate(
        model: &Model<f64>,
        tosses: &[Toss],
        law: Law,
        progress: &ProgressBar,
    ) -> anyhow::Result<Self> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let share = tosses.len().div_ceil(threads);
        let parts = thread::scope(|scope| {
            let run = |part: &'_ [Toss]| -> anyhow::Result<Vec<Simulated>> {
                let one = |toss| simulate(model, toss, &law).inspect(|_| progress.inc(1));
                part.iter().map(one).collect()
            };
            let workers: Vec<_> =
                tosses.chunks(share).map(|part| scope.spawn(move || run(part))).collect();
            let join = |worker: thread::ScopedJoinHandle<'_, anyhow::Result<Vec<Simulated>>>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().map(join).collect::<anyhow::Result<Vec<_>>>()
        })?;
        Ok(Outcomes { law, tosses: parts.into_iter().flatten().collect() })
    }
}

pub(super) fn scene() -> anyhow::Result<Model<f64>> {
    let mut model = builtin::model("cube")?;
    let surface = Material { restitution: RESTITUTION, ..Material::with_friction(FRICTION) };
    model.add_ground(0.0, surface)?;
    for shape in &mut model.params.shapes {
        shape.material = surface;
    }
    model.params.gravity = Vec3::new(0.0, 0.0, -GRAVITY);
    Ok(model)
}

fn simulate(model: &Model<f64>, toss: &Toss, law: &Law) -> anyhow::Result<Simulated> {
    let options = StepOptions::new(1.0 / (RATE * law.substeps as f64)).with_solver(law.solver);
    let input = Input::none(model);
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    let mut state = State::neutral(model);
    let start = &toss.poses[0];
    state.q[..3].copy_from_slice(&start.pos.to_array());
    state.q[3..].copy_from_slice(&start.quat.to_array());
    state.v.copy_from_slice(&toss.v);
    let mut simulated = Simulated { poses: vec![], position: vec![], rotation: vec![] };
    for (i, measured) in toss.poses.iter().enumerate() {
        if i > 0 {
            for _ in 0..law.substeps {
                let report = step(
                    model,
                    &mut state,
                    &input,
                    &options,
                    &mut NoTaps,
                    &mut trace,
                    &mut scratch,
                );
                if report.diverged.is_some() {
                    bail!("toss {}: the simulation diverged ({})", toss.name, law.name);
                }
            }
        }
        let pos = Vec3::new(state.q[0], state.q[1], state.q[2]);
        let pose = Pose { pos, quat: Quat::from_slice(&state.q[3..]) };
        simulated.position.push((pose.pos - measured.pos).norm());
        simulated.rotation.push(angle_between(pose.quat, measured.quat));
        simulated.poses.push(pose);
    }
    Ok(simulated)
}

#[cfg(test)]
mod tests {
    use gradbody::math::{Quat, Vec3};

    use super::{laws, scene, simulate};
    use crate::cube_tosses::measured::Toss;
    use crate::tosses::Pose;

    #[test]
    fn a_toss_that_obeys_the_laws_is_followed() {
        // A cube that slides flat on the table stops after v²/(2 μ g).
        let still = Pose { pos: Vec3::new(0.0, 0.0, 0.0524), quat: Quat::IDENTITY };
        let toss = Toss {
            name: "sliding".into(),
            poses: vec![still; 100],
            v: [0.3, 0.0, 0.0, 0.0, 0.0, 0.0],
        };
        let model = scene().unwrap();
        let way = 0.3_f64.powi(2) / (2.0 * 0.18 * 9.61);
        for law in laws() {
            let simulated = simulate(&model, &toss, &law).unwrap();
            let end = simulated.position.last().unwrap();
            assert!((end - way).abs() < 2e-3, "{}: {end} m, not {way}", law.name);
            assert!(simulated.rotation.iter().all(|angle| *angle < 0.02), "{}", law.name);
        }
    }
}

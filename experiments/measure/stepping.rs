//! Times the steps of a scene, with or without networks.

use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use gradbody::augment::{Bound, Plan};
use gradbody::contact::geometry::FAR;
use gradbody::math::Scalar;
use gradbody::model::Model;
use gradbody::sim::{
    Input, Kernel, NoTaps, Simulated, State, StepOptions, StepReport, StepScratch, StepTrace, Taps,
    step,
};

use super::boxes::uniform_numbers;
use super::clock::{Figure, stretch};
use super::scenes::Scene;

/// A scene that has come to rest, ready to be measured in any scalar.
pub(super) struct Settled {
    pub(super) scene: Scene,
    pub(super) state: State<f64>,
}

impl Settled {
    pub(super) fn new(scene: Scene) -> anyhow::Result<Self> {
        let mut world = World::<f64, _>::new(&scene, &scene.start, NoTaps);
        for _ in 0..scene.settle {
            if world.step().diverged.is_some() {
                bail!("{} diverges before it is measured", scene.model.topology.name);
            }
        }
        let state = world.state;
        Ok(Settled { scene, state })
    }
}

/// The measured time, with means over the measured steps.
pub(super) struct Steps {
    pub(super) figure: Figure,
    /// Contacts per world.
    pub(super) contacts: f64,
    /// Sweeps and rounds of the solver; in a batch, those of the slowest world.
    pub(super) sweeps: f64,
    pub(super) rounds: f64,
    /// The largest residual of a step [m/s].
    pub(super) residual: f64,
    /// Whether all worlds are finite at the end.
    pub(super) finite: bool,
}

/// Measures the steps of a scene.
pub(super) struct Stepping<'a> {
    pub(super) settled: &'a Settled,
    pub(super) networks: Option<&'a Arc<Plan>>,
    pub(super) time: Duration,
}

/// A plan bound to its initial weights.
pub(super) fn bound<S: Scalar>(plan: &Arc<Plan>) -> Bound<S> {
    let weights = plan.initial_weights().into_iter().map(S::from_f64).collect();
    Bound::new(plan.clone(), weights).expect("as many weights as the plan has")
}

impl Kernel for Stepping<'_> {
    type Output = Steps;

    fn run<S: Simulated>(self) -> Steps {
        match self.networks {
            None => self.with::<S, _>(NoTaps),
            Some(plan) => self.with(bound::<S>(plan)),
        }
    }
}

impl Stepping<'_> {
    fn with<S: Simulated, T: Taps<S>>(&self, taps: T) -> Steps {
        let Settled { scene, state } = self.settled;
        let mut world = World::<S, T>::new(scene, state, taps);
        let mut uniform = uniform_numbers();
        for v in &mut world.state.v {
            *v += S::from_lanes(|lane| match lane {
                0 => 0.0,
                _ => scene.jolt * (2.0 * uniform() - 1.0),
            });
        }
        for _ in 0..scene.resettle {
            world.step();
        }
        let start = world.state.clone();
        // One pass to count contacts and sweeps; it also warms the caches.
        let (mut contacts, mut sweeps, mut rounds, mut finite) = (0, 0, 0, true);
        let mut residual = 0.0_f64;
        for i in 0..scene.measured.steps {
            world.drive(scene, i);
            let report = world.step();
            contacts += world.active_contacts();
            sweeps += report.solved.sweeps;
            rounds += report.solved.rounds;
            residual = residual.max(report.solved.residual);
            finite &= report.diverged.is_none();
        }
        let restart = |world: &mut World<S, T>| world.state = start.clone();
        let figure =
            stretch(self.time, S::LANES, scene.measured, &mut world, restart, |world, i| {
                world.drive(scene, i);
                world.step();
            });
        let steps = scene.measured.steps as f64;
        Steps {
            figure,
            contacts: contacts as f64 / (steps * S::LANES as f64),
            sweeps: f64::from(sweeps) / steps,
            rounds: f64::from(rounds) / steps,
            residual,
            finite,
        }
    }
}

/// As many worlds as the scalar has lanes.
struct World<S, T> {
    taps: T,
    model: Model<S>,
    state: State<S>,
    input: Input<S>,
    options: StepOptions<S>,
    trace: StepTrace<S>,
    scratch: StepScratch<S>,
}

impl<S: Simulated, T: Taps<S>> World<S, T> {
    /// Puts every world in a state, with the servos holding the pose.
    fn new(scene: &Scene, state: &State<f64>, taps: T) -> Self {
        let (model, state, input, options) = scene.cast(state);
        let (trace, scratch) = (StepTrace::new(&model), StepScratch::new(&model));
        World { taps, state, input, options, trace, scratch, model }
    }

    /// Sets the controls of measured step i.
    fn drive(&mut self, scene: &Scene, i: usize) {
        if scene.drive.trots {
            let control = &mut self.input.control;
            let set = |k: usize, u: f64| control[k] = S::from_f64(u);
            scene.drive.trot(i as f64 * scene.options.dt, set);
        }
    }

    fn step(&mut self) -> StepReport {
        let World { taps, model, state, input, options, trace, scratch } = self;
        step(model, state, input, options, taps, trace, scratch)
    }

    /// The number of contacts in the last step, summed over the worlds.
    fn active_contacts(&self) -> usize {
        let in_lanes = |gap: S| (0..S::LANES).filter(|lane| gap.lane(*lane) < FAR).count();
        self.trace.contacts().iter().map(|contact| in_lanes(contact.gap)).sum()
    }
}

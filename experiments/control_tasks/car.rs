//! The car: closed forms, the landscape of its loss, and its slope at the start of the search by three ways.

use gradbody::control::Shooting;
use gradbody::learn::optimise::Objective as _;
use gradbody::math::{Dual, Scalar};
use gradbody::model::Model;
use gradbody::plan::Setup;
use gradbody::sim::{
    DualKernel, GradientOptions, Simulated, Simulation, State, StepOptions, run_widest_duals,
};
use serde_json::{Value, json};

use super::search::{Trial, setup};
use super::{Control, Searches, starts};

/// Standard gravity of the model [m/s²].
const GRAVITY: f64 = 9.81;

/// The friction with which a body that slides at `speed` is at `way` after `seconds`: it still slides then, or has stopped.
pub(super) fn friction(speed: f64, seconds: f64, way: f64) -> f64 {
    if way >= 0.5 * speed * seconds {
        2.0 * (speed * seconds - way) / (GRAVITY * seconds * seconds)
    } else {
        speed * speed / (2.0 * GRAVITY * way)
    }
}

/// The same with the steps of the simulation, which changes the velocity before the position; for a body that still slides.
pub(super) fn friction_in_steps(speed: f64, seconds: f64, step: f64, way: f64) -> f64 {
    2.0 * (speed * seconds - way) / (GRAVITY * seconds * (seconds + step))
}

/// What the car's results are compared with.
pub(super) struct CarFacts {
    pub(super) found: f64,
    pub(super) closed_form: f64,
    pub(super) closed_form_in_steps: f64,
    /// The largest relative error of the found friction from random starts, to the closed form: of cars that still slide at
    /// the end, and of cars that have stopped; with their numbers.
    pub(super) sliding: (f64, usize),
    pub(super) stopped: (f64, usize),
    /// The slope of the loss by the friction at the start of the search: adjoint, dual numbers, central differences.
    pub(super) slopes: [f64; 3],
    /// Frictions and losses.
    pub(super) landscape: Vec<(f64, f64)>,
}

impl CarFacts {
    pub(super) fn json(&self) -> Value {
        let [adjoint, duals, differences] = self.slopes;
        json!({
            "found": self.found,
            "closed_form": self.closed_form,
            "closed_form_in_steps": self.closed_form_in_steps,
            "largest_relative_error_sliding": self.sliding.0,
            "sliding": self.sliding.1,
            "largest_relative_error_stopped": self.stopped.0,
            "stopped": self.stopped.1,
            "slope": { "adjoint": adjoint, "duals": duals, "differences": differences },
            "landscape": self.landscape,
        })
    }
}

/// Frictions of the landscape: from the least to the most, evenly on a logarithmic scale.
const LANDSCAPE: (f64, f64, usize) = (0.001, 1.0, 121);
/// Half the change of central differences; the loss is a smooth function there.
const CHANGE: f64 = 1e-5;

pub(super) fn compare(own: &Trial, random: &Searches) -> anyhow::Result<CarFacts> {
    let task = Control::Racecar.task()?;
    let (seconds, step) = (task.horizon.seconds, task.simulation.step);
    let speed = task.start.velocities["root/vx"];
    let mut sliding = (0.0_f64, 0);
    let mut stopped = (0.0_f64, 0);
    for trial in random.trials.iter().filter(|trial| trial.done) {
        let Some(seed) = trial.seed else { continue };
        let (task, _) = starts::varied(Control::Racecar, task.clone(), seed)?;
        let (speed, way) = (task.start.velocities["root/vx"], trial.target[0]);
        let error = (trial.parameters[0] / friction(speed, seconds, way) - 1.0).abs();
        let of = if way >= 0.5 * speed * seconds { &mut sliding } else { &mut stopped };
        *of = (of.0.max(error), of.1 + 1);
    }
    let setup = setup(task)?;
    let shooting = shooting(&setup)?;
    let (from, to, count) = LANDSCAPE;
    let friction_at = |k: usize| from * (to / from).powf(k as f64 / (count - 1) as f64);
    let landscape = (0..count).map(|k| (friction_at(k), shooting.cost(&[friction_at(k)])));
    Ok(CarFacts {
        found: own.parameters[0],
        closed_form: friction(speed, seconds, own.target[0]),
        closed_form_in_steps: friction_in_steps(speed, seconds, step, own.target[0]),
        sliding,
        stopped,
        slopes: slopes(&setup, &shooting, shooting.begin_with(&[])[0]),
        landscape: landscape.collect(),
    })
}

fn shooting(setup: &Setup) -> anyhow::Result<Shooting> {
    let (problem, how) = (setup.problem.clone(), GradientOptions::default());
    Ok(Shooting::new(problem, setup.parameters.clone(), &setup.parameter_bounds, how)?)
}

/// The slope of the loss at a friction: by the adjoint, by dual numbers and by central differences.
fn slopes(setup: &Setup, shooting: &Shooting, friction: f64) -> [f64; 3] {
    let mut adjoint = [0.0];
    shooting.gradient(&[friction], &mut adjoint);
    let loss = |change: f64| shooting.cost(&[friction + change]);
    let differences = (loss(CHANGE) - loss(-CHANGE)) / (2.0 * CHANGE);
    let duals = run_widest_duals(Slope { setup, friction });
    [adjoint[0], duals, differences]
}

/// The slope of the car's loss, by dual numbers.
struct Slope<'a> {
    setup: &'a Setup,
    friction: f64,
}

impl DualKernel for Slope<'_> {
    type Output = f64;

    fn run<S: Simulated>(self) -> f64
    where
        Dual<S, 1>: Simulated,
    {
        let problem = &self.setup.problem;
        let mut model: Model<Dual<S, 1>> = problem.model.cast();
        let variable = Dual { re: S::from_f64(self.friction), eps: [S::ONE] };
        let applied = self.setup.parameters.apply(&mut model, &[variable]);
        applied.expect("the friction is the only parameter");
        let options: StepOptions<Dual<S, 1>> = problem.options.cast();
        let start: State<Dual<S, 1>> = problem.start.cast();
        let mut world = Simulation::new(&model, options).from_state(start);
        world.run(problem.knots * problem.steps).expect("the car does not diverge");
        let target = Dual::from_f64(problem.costs[0].target[0]);
        let miss = world.state.q[0] - target;
        let loss: Dual<S, 1> = Dual::from_f64(0.5) * miss * miss;
        loss.eps[0].lane(0)
    }
}

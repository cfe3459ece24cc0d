//! Times the identification of a model's parameters, and its gradient by each way.
//!
//! A double pendulum driven by known torques is recorded by noisy encoders, in windows with known initial states.
//! Masses, moments of inertia and dampings are unknown and start from wrong values. `scripts/sysid_mujoco.py` gives the
//! same model and data, written by [`Identification::write`], to MuJoCo's toolkit.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use gradbody::augment::{Blueprint, bind};
use gradbody::learn::objective::{
    Fit, FitParts, NoiseLaw, Observer, Recording, Sees, Sensor, Unknowns, cut,
};
use gradbody::learn::optimise::{
    Evaluations, LevenbergMarquardt, Limits, Method, Objective as _, Search,
};
use gradbody::math::random::Random;
use gradbody::math::{Inertia, Sym3, Transform, Vec3};
use gradbody::model::{FrameId, JointSpec, Model, ModelBuilder, Selection, export};
use gradbody::sim::{Input, Integrator, NoTaps, State, StepOptions, StepScratch, StepTrace, step};
use serde_json::json;

use super::clock::{Figure, calls};

pub(super) const FUNCTION: &str = "identification";
pub(super) const MODEL: &str = "recorded_pendulum";

const WINDOWS: usize = 20;
/// Samples after the start of a window, one Runge-Kutta step apart.
const SAMPLES: usize = 100;
const PERIOD: f64 = 0.01; // [s]
const NOISE: f64 = 0.002; // [rad]
const SEED: u64 = 1;
/// A cost within 1 % of the minimum counts as found.
const FOUND: f64 = 1.01;

/// Path of a parameter, its true value, its initial value and its bounds.
type Guess = (&'static str, f64, f64, (f64, f64));

/// The unknowns. The bounds of the moments of inertia respect the triangle inequality, because MuJoCo requires it.
const UNKNOWN: [Guess; 6] = [
    ("link/upper/mass", 1.2, 0.8, (0.05, 10.0)),
    ("link/upper/inertia/yy", 0.03, 0.05, (1e-4, 0.099)),
    ("link/lower/mass", 0.7, 1.0, (0.05, 10.0)),
    ("link/lower/inertia/yy", 0.012, 0.02, (1e-4, 0.049)),
    ("joint/shoulder/damping", 0.02, 0.06, (0.0, 1.0)),
    ("joint/elbow/damping", 0.01, 0.04, (0.0, 1.0)),
];

/// The fit to be timed, with the true values.
pub(super) struct Identification {
    fit: Fit,
    truth: Vec<f64>,
}

/// One measured row.
pub(super) struct Row {
    pub(super) function: &'static str,
    /// Time of the whole fit, or of one gradient [µs].
    pub(super) figure: Figure,
    pub(super) more: Vec<(&'static str, f64)>,
}

/// The result of a fit.
struct Found {
    x: Vec<f64>,
    cost: f64,
    iterations: u64,
    evaluations: Evaluations,
}

impl Identification {
    pub(super) fn new() -> anyhow::Result<Self> {
        let with = |value: fn(&Guess) -> f64| {
            let mut model = pendulum()?;
            for unknown in &UNKNOWN {
                model.set(model.topology.param_id(unknown.0)?, value(unknown));
            }
            anyhow::Ok(model)
        };
        let (truth, model) = (with(|u| u.1)?, with(|u| u.2)?);
        let angle = |name: &str, place| Sensor {
            name: name.to_owned(),
            sees: Sees::Position(place, place),
            noise: NOISE,
            estimated: false,
            law: NoiseLaw::Gaussian,
        };
        let sensors = vec![angle("shoulder", 0), angle("elbow", 1)];
        let options = StepOptions::new(PERIOD).with(Integrator::Rk4).without_contact();
        let mut random = Random::new(SEED);
        let (starts, recordings): (Vec<_>, Vec<_>) =
            (0..WINDOWS).map(|_| record(&truth, &sensors, &options, &mut random)).unzip();
        let selection = Selection::of(&model, UNKNOWN.map(|u| u.0))?;
        let true_values = selection.values(&truth);
        let mut unknowns = Unknowns::of(&model, selection);
        for unknown in &mut unknowns.params {
            let of = UNKNOWN.iter().find(|u| u.0 == unknown.name);
            unknown.bounds = of.context("a selected number that is not unknown")?.3;
        }
        let fit = Fit::new(FitParts {
            plan: Arc::new(bind(&Blueprint::default(), &model, &options.contact)?),
            model,
            weights: Vec::new(),
            unknowns,
            sensors,
            windows: cut(&recordings, SAMPLES, SAMPLES, 1),
            recordings,
            starts,
            options,
            substeps: 1,
        });
        let truth = true_values.iter().zip(&fit.unknowns.params).map(|(x, u)| x / u.scale);
        Ok(Identification { truth: truth.collect(), fit })
    }

    /// Measures everything on this number of threads.
    pub(super) fn measure(&self, threads: usize, time: Duration) -> anyhow::Result<Vec<Row>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        pool.install(|| {
            let mut rows = self.fits(time)?;
            rows.extend(self.gradients(time)?);
            rows.iter_mut().for_each(|row| row.more.insert(0, ("threads", threads as f64)));
            Ok(rows)
        })
    }

    /// Times the fit to convergence, and to within 1 % of the smallest cost.
    fn fits(&self, time: Duration) -> anyhow::Result<Vec<Row>> {
        let least = self.search(&Limits::default())?;
        let within = Limits { target: Some(FOUND * least.cost), ..Limits::default() };
        let close = self.search(&within)?;
        let row = |function, found: &Found, limits: &Limits| {
            let figure = calls(time, 1, 1, |_| {
                black_box(self.search(limits).is_ok());
            });
            let Evaluations { costs, quadratics, .. } = found.evaluations;
            let more = vec![
                ("seconds", figure.min * 1e-6),
                ("cost", found.cost),
                ("rms_sigmas", (2.0 * found.cost / self.fit.n_errors() as f64).sqrt()),
                ("off_truth", off(&found.x, &self.truth)),
                ("iterations", found.iterations as f64),
                ("jacobians", quadratics as f64),
                ("costs", costs as f64),
            ];
            Row { function, figure, more }
        };
        Ok(vec![
            row("identification", &least, &Limits::default()),
            row("identification_1pct", &close, &within),
        ])
    }

    fn search(&self, limits: &Limits) -> anyhow::Result<Found> {
        let method = Method::LevenbergMarquardt(LevenbergMarquardt::default());
        let mut search = Search::begin(&method, &self.fit, self.fit.initial(), SEED)?;
        search.run(&self.fit, limits, &mut |_| ControlFlow::Continue(()));
        let (x, cost) = search.best();
        let (iterations, evaluations) = (search.iteration(), search.evaluations());
        Ok(Found { x: x.to_vec(), cost, iterations, evaluations })
    }

    /// Times the gradient of the cost at the start of the fit, in three ways.
    fn gradients(&self, time: Duration) -> anyhow::Result<Vec<Row>> {
        let (fit, x) = (&self.fit, self.fit.initial());
        let mut exact = vec![0.0; x.len()];
        fit.gradient(&x, &mut exact);
        let mut gradient = vec![0.0; x.len()];
        let adjoint = calls(time, 1, 1, |_| {
            black_box(fit.gradient(black_box(&x), &mut gradient));
        });
        let duals = calls(time, 1, 1, |_| {
            black_box(fit.quadratic(black_box(&x)));
        });
        let by_duals = fit.quadratic(&x).context("the start diverges")?.gradient;
        let differences = calls(time, 1, 1, |_| {
            black_box(self.differences(black_box(&x)));
        });
        let row = |function, figure: Figure, found: &[f64]| {
            let more = vec![("per_second", 1e6 / figure.min), ("off_adjoint", off(found, &exact))];
            Row { function, figure, more }
        };
        Ok(vec![
            row("gradient_adjoint", adjoint, &gradient),
            row("gradient_duals", duals, &by_duals),
            row("gradient_differences", differences, &self.differences(&x)),
        ])
    }

    /// The gradient by forward differences.
    fn differences(&self, x: &[f64]) -> Vec<f64> {
        let here = self.fit.cost(x);
        let of = |k: usize| {
            let mut there = x.to_vec();
            let step = f64::EPSILON.sqrt() * x[k].abs().max(1.0);
            there[k] += step;
            (self.fit.cost(&there) - here) / step
        };
        (0..x.len()).map(of).collect()
    }

    /// Writes the model before the fit (`model.urdf`) and everything else (`fit.json`): unknowns, windows with their
    /// starts, torques and measured angles, and the angles predicted before the fit.
    pub(super) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        let fit = &self.fit;
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let put = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).with_context(|| path.display().to_string())
        };
        put("model.urdf", &export::urdf(&fit.model)?.text)?;
        let unknowns = fit.unknowns.params.iter().zip(&self.truth).map(|(u, truth)| {
            json!({
                "path": u.name, "start": u.initial, "truth": truth * u.scale,
                "lower": u.bounds.0, "upper": u.bounds.1,
            })
        });
        let predictions = fit.predictions(&fit.candidate(&fit.initial()));
        let windows = fit.windows.iter().zip(&fit.starts).zip(predictions);
        let windows = windows.map(|((window, start), predicted)| {
            let recording = &fit.recordings[window.recording];
            let torques: Vec<_> = recording.inputs.iter().map(|input| &input.tau).collect();
            let angles = |of: &[f64]| of.chunks(2).map(<[f64]>::to_vec).collect::<Vec<_>>();
            json!({
                "q": start.q, "v": start.v, "torques": torques,
                "measured": angles(&recording.measured), "predicted": predicted.map(|p| angles(&p)),
            })
        });
        let all = json!({
            "period": PERIOD, "noise": NOISE, "integrator": "rk4",
            "unknowns": unknowns.collect::<Vec<_>>(), "windows": windows.collect::<Vec<_>>(),
        });
        put("fit.json", &all.to_string())
    }
}

/// Two arms that hang from the origin, hinged about y.
fn pendulum() -> anyhow::Result<Model<f64>> {
    let arm = |com: f64, about: f64| Inertia {
        mass: 1.0,
        com: Vec3::new(0.0, 0.0, com),
        rotational: Sym3::diagonal(Vec3::new(about, about, about)),
    };
    let mut builder = ModelBuilder::new("double_pendulum");
    let shoulder = JointSpec::revolute("shoulder", Vec3::Y);
    let upper = builder.link("upper", FrameId::WORLD, shoulder, arm(-0.25, 0.05))?;
    let elbow = JointSpec::revolute("elbow", Vec3::Y)
        .at(Transform::from_translation(Vec3::new(0.0, 0.0, -0.5)));
    builder.link("lower", upper, elbow, arm(-0.2, 0.025))?;
    Ok(builder.build()?)
}

/// A start, and the noisy encoder readings of the motion from there. A wave of torque, constant between samples, acts
/// on each joint.
fn record(
    model: &Model<f64>,
    sensors: &[Sensor],
    options: &StepOptions<f64>,
    random: &mut Random,
) -> (State<f64>, Recording) {
    let mut start = State::neutral(model);
    start.q.iter_mut().chain(&mut start.v).for_each(|x| *x = random.between(-1.0, 1.0));
    let waves: [(f64, f64); 2] =
        std::array::from_fn(|_| (random.between(3.0, 12.0), random.between(-3.0, 3.0)));
    let mut state = start.clone();
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    let mut observer = Observer::new(model, sensors);
    let (mut measured, mut inputs) = (Vec::new(), Vec::new());
    observer.predict(sensors, model, &state, &mut measured);
    for k in 0..SAMPLES {
        let mut input = Input::none(model);
        for (tau, (rate, phase)) in input.tau.iter_mut().zip(waves) {
            *tau = (rate * k as f64 * PERIOD + phase).sin();
        }
        step(model, &mut state, &input, options, &mut NoTaps, &mut trace, &mut scratch);
        observer.predict(sensors, model, &state, &mut measured);
        inputs.push(input);
    }
    // The torque after the last sample does not matter.
    inputs.push(Input::none(model));
    measured.iter_mut().for_each(|angle| *angle += NOISE * random.normal());
    let samples = SAMPLES + 1;
    let present = vec![1.0; samples * sensors.len()];
    let name = "simulated".to_owned();
    (start, Recording { name, begin: 0.0, measured, present, inputs, samples })
}

/// The largest difference, relative to the largest number.
fn off(x: &[f64], reference: &[f64]) -> f64 {
    let largest = reference.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
    x.iter().zip(reference).fold(0.0, |most: f64, (x, r)| most.max((x - r).abs())) / largest
}

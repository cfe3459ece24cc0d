//! `gradbody bench`: how long the algorithms take, in the form peers are measured in.
//!
//! A figure is the shortest of many repetitions, per world, in microseconds. The vector scalars run
//! through `run_widest`, as the batch entry points do, so a portable binary measures what it picks at
//! run time; `lanes` in the JSON says how many worlds at a time that is here.

use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Args;
use gradbody::dynamics::{
    AbaWork, CrbaWork, Kinematics, RneaWork, aba, crba, integrate, kinematics, rnea, velocities,
};
use gradbody::math::{Inertia, Kernel, Scalar, Sym3, Transform, Vec3, run_widest};
use gradbody::model::import::{ImportOptions, from_text, load};
use gradbody::model::{FrameId, JointSpec, Model, ModelBuilder};

use crate::usage::Usage;

/// Options of `gradbody bench`.
#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    /// Print one JSON object a line instead of a table.
    #[arg(long)]
    json: bool,
    /// Measure only this function (aba, rnea, crba, kinematics), model or scalar.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Take laikago.urdf, simple_humanoid.urdf, panda7.urdf and double_pendulum.urdf from this
    /// folder instead of the built-in models.
    #[arg(long, value_name = "DIR")]
    models: Option<PathBuf>,
    /// Shortest time spent on each figure, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 150)]
    time: u64,
}

const FUNCTIONS: [&str; 4] = ["kinematics", "aba", "rnea", "crba"];
const SCALARS: [&str; 4] = ["f64", "f32", "f64x8", "f32x16"];
const MODELS: [&str; 11] = [
    "laikago",
    "humanoid",
    "panda",
    "double_pendulum",
    "chain2",
    "chain4",
    "chain8",
    "chain16",
    "chain32",
    "chain64",
    "chain128",
];

/// States a measurement cycles through, so that no branch or cache line is special.
const STATES: usize = 32;

pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<()> {
    if let Some(only) = &args.only {
        let known = FUNCTIONS.iter().chain(&SCALARS).chain(&MODELS);
        if !known.clone().any(|name| name == only) {
            let list = known.copied().collect::<Vec<_>>().join(", ");
            let problem = format!("nothing to measure is named \"{only}\"; there are: {list}");
            return Err(Usage(problem).into());
        }
    }
    let wanted = |list: &[&'static str]| -> Vec<&'static str> {
        let picked = list.iter().filter(|n| Some(**n) == args.only.as_deref());
        let picked: Vec<_> = picked.copied().collect();
        if picked.is_empty() { list.to_vec() } else { picked }
    };
    let mut out = std::io::stdout().lock();
    if !args.json {
        writeln!(out, "{:<16} {:>4} {:>7} {:<11} {:>10}", "model", "nv", "scalar", "fn", "µs min")?;
    }
    for name in wanted(&MODELS) {
        let model = bench_model(name, args.models.as_deref())?;
        for scalar in wanted(&SCALARS) {
            for function in wanted(&FUNCTIONS) {
                let task = Task { model: &model, function, time: Duration::from_millis(args.time) };
                let Figure { min, median, lanes } = match scalar {
                    "f64" => task.run::<f64>(),
                    "f32" => task.run::<f32>(),
                    "f64x8" => run_widest::<f64, _>(task),
                    _ => run_widest::<f32, _>(task),
                };
                let nv = model.nv();
                if args.json {
                    let line = serde_json::json!({
                        "peer": "gradbody", "version": env!("CARGO_PKG_VERSION"), "fn": function,
                        "scalar": scalar, "model": name, "nv": nv,
                        "lanes": lanes,
                        "us_min": rounded(min), "us_median": rounded(median),
                    });
                    writeln!(out, "{line}")?;
                } else {
                    writeln!(out, "{name:<16} {nv:>4} {scalar:>7} {function:<11} {min:>10.4}")?;
                }
            }
        }
    }
    Ok(())
}

fn rounded(us: f64) -> f64 {
    (us * 1e5).round() / 1e5
}

fn bench_model(name: &str, folder: Option<&Path>) -> anyhow::Result<Model<f64>> {
    if let Some(n) = name.strip_prefix("chain") {
        return chain(n.parse().context("length of the chain")?);
    }
    let (file, text) = match name {
        "laikago" => ("laikago.urdf", include_str!("../../../models/laikago.urdf")),
        "humanoid" => ("simple_humanoid.urdf", include_str!("../../../models/humanoid35.urdf")),
        "panda" => ("panda7.urdf", include_str!("../../../models/arm7.urdf")),
        _ => ("double_pendulum.urdf", include_str!("../../../models/double_pendulum.urdf")),
    };
    let options = ImportOptions::default();
    let imported = match folder {
        Some(folder) => load(&folder.join(file), &options)?,
        None => from_text(text, Path::new(file), &options)?,
    };
    Ok(imported.model)
}

/// n rods of 0.5 m and 1 kg hanging from the world, all hinges about y.
fn chain(n: usize) -> anyhow::Result<Model<f64>> {
    let (length, mass) = (0.5, 1.0);
    let about_com = mass * length * length / 12.0 + 1e-3;
    let rod = Inertia {
        mass,
        com: Vec3::new(0.0, 0.0, -length / 2.0),
        rotational: Sym3::diagonal(Vec3::new(about_com, about_com, 1e-3)),
    };
    let mut builder = ModelBuilder::new(format!("chain{n}"));
    let mut end = FrameId::WORLD;
    for i in 0..n {
        let place = Vec3::new(0.0, 0.0, if i == 0 { 0.0 } else { -length });
        let hinge = JointSpec::revolute(format!("hinge{i}"), Vec3::Y)
            .at(Transform::from_translation(place));
        end = builder.link(format!("rod{i}"), end, hinge, rod)?;
    }
    Ok(builder.build()?)
}

/// Microseconds per world.
struct Figure {
    min: f64,
    median: f64,
    /// Worlds at a time.
    lanes: usize,
}

struct Task<'a> {
    model: &'a Model<f64>,
    function: &'static str,
    time: Duration,
}

impl Kernel for Task<'_> {
    type Output = Figure;

    #[inline(always)]
    fn run<S: Scalar>(self) -> Figure {
        let model: Model<S> = self.model.cast();
        let states = random_states(&model);
        let mut kin = Kinematics::new(&model);
        match self.function {
            "kinematics" => measure(self.time, S::LANES, |i| {
                kinematics(&model, &states[i].q, &mut kin);
                black_box(&kin);
            }),
            "aba" => {
                let mut work = AbaWork::new(&model);
                measure(self.time, S::LANES, |i| {
                    kinematics(&model, &states[i].q, &mut kin);
                    velocities(&model, &states[i].v, &mut kin);
                    aba(&model, &kin, &states[i].u, &[], &mut work);
                    black_box(&work);
                })
            }
            "rnea" => {
                let mut work = RneaWork::new(&model);
                measure(self.time, S::LANES, |i| {
                    kinematics(&model, &states[i].q, &mut kin);
                    velocities(&model, &states[i].v, &mut kin);
                    rnea(&model, &kin, &states[i].u, &[], &mut work);
                    black_box(&work);
                })
            }
            _ => {
                let mut work = CrbaWork::new(&model);
                measure(self.time, S::LANES, |i| {
                    kinematics(&model, &states[i].q, &mut kin);
                    crba(&model, &kin, &mut work);
                    black_box(&work);
                })
            }
        }
    }
}

/// A configuration, a velocity, and joint forces or accelerations.
struct Sample<S> {
    q: Vec<S>,
    v: Vec<S>,
    u: Vec<S>,
}

fn random_states<S: Scalar>(model: &Model<S>) -> Vec<Sample<S>> {
    let mut seed = 7_u64;
    let mut uniform = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let mut sample =
        |n: usize| -> Vec<S> { (0..n).map(|_| S::from_lanes(|_| uniform())).collect() };
    (0..STATES)
        .map(|_| {
            let mut q = model.neutral();
            integrate(model, &mut q, &sample(model.nv()));
            Sample { q, v: sample(model.nv()), u: sample(model.nv()) }
        })
        .collect()
}

/// Repeats batches of about half a millisecond for at least `time`.
#[inline(always)]
fn measure(time: Duration, worlds: usize, mut f: impl FnMut(usize)) -> Figure {
    let mut batch = 1;
    let mut run = |batch: usize| {
        let start = Instant::now();
        for i in 0..batch {
            f(i % STATES);
        }
        start.elapsed()
    };
    while run(batch) < Duration::from_micros(500) {
        batch *= 2;
    }
    let start = Instant::now();
    let mut figures = Vec::new();
    while start.elapsed() < time || figures.len() < 5 {
        figures.push(run(batch).as_secs_f64() * 1e6 / (batch * worlds) as f64);
    }
    figures.sort_by(f64::total_cmp);
    Figure { min: figures[0], median: figures[figures.len() / 2], lanes: worlds }
}

//! `cargo measure`: times the engine, in the same form as peers are timed.
//!
//! A figure is the shortest time of many repetitions, per world, in microseconds. The vector scalars run through
//! `run_widest`, as the batch entry points do, so a portable binary times the vectors it picks at run time; `lanes` in
//! the JSON is the number of worlds side by side.
//!
//! `algorithms` are timed at random states, steps (`stepping`) along the motion of `scenes`, `networks` alone and
//! inside steps, `identification` as a whole fit, and iLQR on a `crouch` and as a whole plan of a `half_cheetah`.

mod algorithms;
mod boxes;
pub(crate) mod clock;
mod crouch;
mod derivatives;
mod gradients;
mod half_cheetah;
mod identification;
mod memory;
mod networks;
mod scenes;
mod stepping;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use clap::Parser;
use gradbody::sim::{Checkpointing, Kernel, run_widest};
use gradbody_cli::usage::Usage;
use gradbody_report::text::{fixed, number};
use serde_json::json;

use crate::workloads::{Dp500, Pend5};
use algorithms::{Call, FUNCTIONS, MODELS};
use clock::Figure;
use derivatives::{IN_THE_AIR, linearised};
use gradients::{RolloutAlone, RolloutBack, StepBack};
use half_cheetah::Planning;
use identification::Identification;
use networks::{Alone, Evaluating};
use scenes::SCENES;
use stepping::{Settled, Stepping, Steps};

/// Measure how long the algorithms take.
#[derive(Debug, Parser)]
#[command(name = "measure", version, after_help = names())]
pub struct MeasureArgs {
    /// Print one JSON object per line instead of a table.
    #[arg(long)]
    json: bool,
    /// Measure only this function, model or scalar (names are listed below); may be repeated.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Read laikago.urdf, simple_humanoid.urdf, panda7.urdf, double_pendulum.urdf and
    /// laikago_plane.xml from this folder instead of using the built-in models.
    #[arg(long, value_name = "DIR")]
    models: Option<PathBuf>,
    /// Write the model and the data of `identification`, or the model and the task of `plan`, to this folder, for
    /// other programs.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// With `plan`: also compute what the actions in this file cost (a JSON list).
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Shortest time spent on each figure, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 150)]
    time: u64,
}

const SCALARS: [&str; 4] = ["f64", "f32", "f64x8", "f32x16"];
const STEP: &str = "step";
/// An iteration of iLQR with its parts, and a whole plan.
const PLANNING: [&str; 2] = ["ilqr", "plan"];
const GRADIENTS: [&str; 6] =
    ["step_vjp", "rollout", "rollout_vjp", "dp500_gradient", "pend5_gradient", "tables"];

/// Steps of the rollouts that are timed, with and without gradients, and of the memory tables.
const ROLLOUTS: [usize; 3] = [50, 1000, 100_000];
const TABLES: [usize; 5] = [50, 100, 500, 1000, 5000];
const LONG: usize = 1_000_000;

/// Measures the requested figures and prints them.
pub fn run(args: &MeasureArgs) -> anyhow::Result<()> {
    let known = [functions(), models(), SCALARS.to_vec()].concat();
    if let Some(only) = args.only.iter().find(|only| !known.contains(&only.as_str())) {
        let list = known.join(", ");
        let problem =
            format!("no function, model or scalar is named \"{only}\"; known names: {list}");
        return Err(Usage(problem).into());
    }
    let mut out = std::io::stdout().lock();
    if !args.json {
        let (us, per_contact) = ("µs min", "µs/contact");
        let heads = format!("{:<18} {:>4} {:>7} {:<20} {us:>10}", "model", "nv", "scalar", "fn");
        writeln!(out, "{heads} {:>9} {:>7} {per_contact:>11}  more", "contacts", "sweeps")?;
    }
    args.algorithms(&mut out)?;
    args.steps(&mut out)?;
    args.gradients(&mut out)?;
    args.derivatives(&mut out)?;
    args.networks(&mut out)?;
    args.workloads(&mut out)?;
    args.identification(&mut out)?;
    args.iterations(&mut out)?;
    args.plan(&mut out)?;
    args.tables(&mut out)
}

/// Everything that can be measured, for `--help`.
fn names() -> String {
    let lists = [("Functions", functions()), ("Models", models()), ("Scalars", SCALARS.to_vec())];
    let mut text = String::from("Names for --only:");
    for (kind, names) in lists {
        text.push_str(&format!("\n  {kind:<10} "));
        let mut width = 0;
        for (i, name) in names.iter().enumerate() {
            // Wrap at the width of the rest of the help.
            if width + name.len() > 84 {
                text.push_str(&format!("\n  {:<10} ", ""));
                width = 0;
            }
            text.push_str(name);
            text.push_str(if i + 1 < names.len() { ", " } else { "" });
            width += name.len() + 2;
        }
    }
    text + "\nThe memory tables are measured only on request: --only tables."
}

fn functions() -> Vec<&'static str> {
    let derivatives = [derivatives::FUNCTION];
    let identification = [identification::FUNCTION];
    let planning = PLANNING;
    let networks = networks::FUNCTIONS;
    [&FUNCTIONS[..], &[STEP], &GRADIENTS, &derivatives, &networks, &identification, &planning]
        .concat()
}

fn models() -> Vec<&'static str> {
    let more = [IN_THE_AIR, "dp500", identification::MODEL, half_cheetah::MODEL];
    [&MODELS[..], &SCENES, &networks::MODELS, &more, &crouch::MODELS].concat()
}

impl MeasureArgs {
    /// The entries of a list of functions, models or scalars to be measured: those that `--only` names, or every entry
    /// if it names none of this kind (`all`).
    fn wanted(&self, list: &[&'static str], all: &[&str]) -> Vec<&'static str> {
        let named = |name: &&str| self.only.iter().any(|only| only == name);
        let each = !all.iter().any(named);
        list.iter().copied().filter(|name| each || named(name)).collect()
    }

    fn algorithms(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let functions = self.wanted(&FUNCTIONS, &functions());
        if functions.is_empty() {
            return Ok(());
        }
        for name in self.wanted(&MODELS, &models()) {
            let model = algorithms::model(name, self.models.as_deref())?;
            for scalar in self.wanted(&SCALARS, &SCALARS) {
                for function in &functions {
                    let call = Call { model: &model, function, time: self.time() };
                    let what = Measured { model: name, nv: model.nv(), scalar, function };
                    self.print(out, &what, &on_scalar(scalar, call), None)?;
                }
            }
        }
        Ok(())
    }

    fn steps(&self, out: &mut impl Write) -> anyhow::Result<()> {
        if self.wanted(&[STEP], &functions()).is_empty() {
            return Ok(());
        }
        for name in self.wanted(&SCENES, &models()) {
            let settled = Settled::new(scenes::scene(name, self.models.as_deref())?)?;
            for scalar in self.wanted(&SCALARS, &SCALARS) {
                let stepping = Stepping { settled: &settled, networks: None, time: self.time() };
                let steps = on_scalar(scalar, stepping);
                if !steps.finite {
                    bail!("{name} diverges in {scalar}");
                }
                let nv = settled.scene.model.nv();
                let what = Measured { model: name, nv, scalar, function: STEP };
                self.print(out, &what, &steps.figure, Some(&steps))?;
            }
        }
        Ok(())
    }

    /// Whether a function is to be measured.
    fn wants(&self, function: &'static str) -> bool {
        !self.wanted(&[function], &functions()).is_empty()
    }

    fn gradients(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let functions = ["step_vjp", "rollout", "rollout_vjp"];
        if !functions.into_iter().any(|f| self.wants(f)) {
            return Ok(());
        }
        for name in self.wanted(&gradients::SCENES, &models()) {
            let settled = Settled::new(scenes::scene(name, self.models.as_deref())?)?;
            let nv = settled.scene.model.nv();
            let time = self.time();
            for scalar in self.wanted(&SCALARS, &SCALARS) {
                let what = |function| Measured { model: name, nv, scalar, function };
                if self.wants("step_vjp") {
                    let back = StepBack { settled: &settled, networks: None, time };
                    let figure = on_scalar(scalar, back);
                    self.print(out, &what("step_vjp"), &figure, None)?;
                }
            }
            if !gradients::ROLLED.contains(&name) || self.wanted(&["f64"], &SCALARS).is_empty() {
                continue;
            }
            let what = |function| Measured { model: name, nv, scalar: "f64", function };
            for steps in ROLLOUTS {
                if self.wants("rollout") {
                    let figure = RolloutAlone { settled: &settled, steps, time }.run::<f64>();
                    let more = [("steps", steps as f64)];
                    self.print_more(out, &what("rollout"), &figure, &more)?;
                }
                if self.wants("rollout_vjp") {
                    let checkpointing = Checkpointing::EveryStep;
                    let back = RolloutBack { settled: &settled, steps, checkpointing, time };
                    let figure = back.run::<f64>();
                    self.print_more(
                        out,
                        &what("rollout_vjp"),
                        &figure,
                        &[("steps", steps as f64)],
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Times the derivatives of a step, with the step and alone.
    fn derivatives(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let function = derivatives::FUNCTION;
        if !self.wants(function) || self.wanted(&["f64"], &SCALARS).is_empty() {
            return Ok(());
        }
        let standing = derivatives::SCENES.map(|name| (name, name, false));
        let in_the_air = (IN_THE_AIR, derivatives::SCENES[0], true);
        for (name, scene, lifted) in standing.into_iter().chain([in_the_air]) {
            if self.wanted(&[name], &models()).is_empty() {
                continue;
            }
            let settled = Settled::new(scenes::scene(scene, self.models.as_deref())?)?;
            let found = linearised(&settled, lifted, self.time());
            if !found.analytical {
                bail!("{name} is linearised row by row");
            }
            let nv = settled.scene.model.nv();
            let what = Measured { model: name, nv, scalar: "f64", function };
            let [rows, columns] = found.size.map(|n| n as f64);
            let more = [("alone", rounded(found.alone)), ("rows", rows), ("columns", columns)];
            self.print_more(out, &what, &found.both, &more)?;
        }
        Ok(())
    }

    /// Times a network alone, and networks in the joints of a standing robot, compared with the step without them and
    /// with the networks alone.
    fn networks(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let (time, scalars) = (self.time(), self.wanted(&SCALARS, &SCALARS));
        let functions = self.wanted(&networks::FUNCTIONS, &functions());
        if !functions.is_empty() && !self.wanted(&["nn175"], &models()).is_empty() {
            let alone = Alone::nn175()?;
            for scalar in &scalars {
                for function in &functions {
                    let gradient = *function == "nn175_gradient";
                    let evaluating = Evaluating { alone: &alone, gradient, time };
                    let (figure, value) = on_scalar(scalar, evaluating);
                    let what = Measured { model: "nn175", nv: 0, scalar, function };
                    self.print_more(out, &what, &figure, &[("value", value)])?;
                }
            }
        }
        let functions = [STEP, "step_vjp"].map(|f| (f, self.wants(f)));
        if functions.iter().all(|(_, wanted)| !wanted)
            || self.wanted(&[networks::TAPPED], &models()).is_empty()
        {
            return Ok(());
        }
        let settled = Settled::new(scenes::scene("laikago_stand", self.models.as_deref())?)?;
        let plan = networks::in_joints(&settled)?;
        let alone = Alone::of(&plan, &settled)?;
        for scalar in scalars {
            for (function, _) in functions.iter().filter(|(_, wanted)| *wanted) {
                let measured = |networks| match *function {
                    STEP => {
                        on_scalar(scalar, Stepping { settled: &settled, networks, time }).figure
                    }
                    _ => on_scalar(scalar, StepBack { settled: &settled, networks, time }),
                };
                let (with, without) = (measured(Some(&plan)), measured(None).min);
                let evaluating = Evaluating { alone: &alone, gradient: *function != STEP, time };
                let bare = on_scalar(scalar, evaluating).0.min;
                let nv = settled.scene.model.nv();
                let what = Measured { model: networks::TAPPED, nv, scalar, function };
                let ratio = (with.min - without) / bare;
                let more = [("without", without), ("networks", bare), ("added_by_networks", ratio)];
                self.print_more(out, &what, &with, &more.map(|(name, x)| (name, rounded(x))))?;
            }
        }
        Ok(())
    }

    /// Times two published workloads, in microseconds per gradient.
    fn workloads(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let what = |model, nv, function| Measured { model, nv, scalar: "f64", function };
        if self.wants("dp500_gradient") && !self.wanted(&["dp500"], &models()).is_empty() {
            let (figure, cost, gradient) = gradients::workload(&Dp500::new()?, self.time());
            self.print_more(out, &what("dp500", 2, "dp500_gradient"), &figure, &[("cost", cost)])?;
            if !self.json {
                let (x, y) = (fixed(gradient[0], 8), fixed(gradient[1], 8));
                writeln!(out, "  cost {}, gradient ({x}, {y})", fixed(cost, 8))?;
            }
        }
        if self.wants("pend5_gradient") && !self.wanted(&["pend5"], &models()).is_empty() {
            let (figure, cost, _) = gradients::workload(&Pend5::new()?, self.time());
            self.print_more(out, &what("pend5", 5, "pend5_gradient"), &figure, &[("cost", cost)])?;
        }
        Ok(())
    }

    /// Times a fit on one thread and on all, in microseconds for the whole fit and for one gradient.
    fn identification(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let model = identification::MODEL;
        if !self.wants(identification::FUNCTION)
            || self.wanted(&[model], &models()).is_empty()
            || self.wanted(&["f64"], &SCALARS).is_empty()
        {
            return Ok(());
        }
        let identification = Identification::new()?;
        if let Some(folder) = &self.data {
            identification.write(folder)?;
        }
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        for threads in if all > 1 { vec![1, all] } else { vec![1] } {
            for row in identification.measure(threads, self.time())? {
                let what = Measured { model, nv: 2, scalar: "f64", function: row.function };
                self.print_more(out, &what, &row.figure, &row.more)?;
            }
        }
        Ok(())
    }

    /// Times an iteration of iLQR and its parts, in microseconds per knot.
    fn iterations(&self, out: &mut impl Write) -> anyhow::Result<()> {
        if !self.wants("ilqr") || self.wanted(&["f64"], &SCALARS).is_empty() {
            return Ok(());
        }
        for name in self.wanted(&crouch::MODELS, &models()) {
            let found = crouch::measure(name, self.time())?;
            let what = Measured { model: name, nv: 18, scalar: "f64", function: "ilqr" };
            let more = [
                ("step", rounded(found.step)),
                ("step_and_derivatives", rounded(found.step_and_derivatives)),
                ("expansion", rounded(found.expansion)),
                ("backward", rounded(found.backward)),
                ("forward", rounded(found.forward)),
                ("iterations", found.iterations as f64),
                ("cost", found.cost),
                ("height", found.height),
            ];
            self.print_more(out, &what, &found.iteration, &more)?;
        }
        Ok(())
    }

    /// Times the search for a plan on all threads.
    fn plan(&self, out: &mut impl Write) -> anyhow::Result<()> {
        if !self.wants("plan")
            || self.wanted(&[half_cheetah::MODEL], &models()).is_empty()
            || self.wanted(&["f64"], &SCALARS).is_empty()
        {
            return Ok(());
        }
        let planning = Planning::new()?;
        if let Some(folder) = &self.data {
            planning.write(folder)?;
        }
        let of_file = self.plan.as_deref().map(|file| planning.cost_of_file(file)).transpose()?;
        let planned = planning.plan()?;
        match self.json {
            true => writeln!(out, "{}", planned.json(of_file))?,
            false => writeln!(out, "{}", planned.text(of_file))?,
        }
        Ok(())
    }

    /// Memory and time of gradients of a standing robot, and of ten in one world; only on request.
    fn tables(&self, out: &mut impl Write) -> anyhow::Result<()> {
        if !self.only.iter().any(|only| only == "tables") {
            return Ok(());
        }
        let print = |out: &mut dyn Write, row: &gradients::Row| {
            let gradients::Row { robots, steps, checkpointing, bytes, seconds } = row;
            let per_step = *bytes as f64 / (steps * robots) as f64;
            let mb = *bytes as f64 / 1e6;
            if self.json {
                let line = json!({
                    "peer": "gradbody", "version": env!("CARGO_PKG_VERSION"), "fn": "memory",
                    "model": "laikago_stand", "robots": robots, "steps": steps,
                    "checkpointing": checkpointing, "mb": rounded(mb), "seconds": rounded(*seconds),
                });
                return writeln!(out, "{line}");
            }
            writeln!(
                out,
                "{robots:>6} {steps:>8} {checkpointing:<11} {mb:>9.3} MB {per_step:>9.1} B/step/robot \
                 {seconds:>9.3} s",
            )
        };
        if !self.json {
            let (memory, each) = ("memory", "for each");
            let heads = format!("{:>6} {:>8} {:<11}", "robots", "steps", "states kept");
            writeln!(out, "\n{heads} {memory:>12} {each:>22} {:>11}", "time")?;
        }
        for robots in [1, 10] {
            let scene = scenes::standing_robots(robots, self.models.as_deref())?;
            let state = scene.start.clone();
            for steps in TABLES {
                for how in [Checkpointing::StoreAll, Checkpointing::EveryStep] {
                    print(out, &gradients::row(&scene, &state, robots, steps, how)?)?;
                }
                let how = Checkpointing::Revolve { snapshots: 20 };
                print(out, &gradients::row(&scene, &state, robots, steps, how)?)?;
            }
            if robots == 1 {
                let how = Checkpointing::Revolve { snapshots: 100 };
                print(out, &gradients::row(&scene, &state, robots, LONG, how)?)?;
            }
        }
        Ok(())
    }

    /// Prints a figure with additional numbers.
    fn print_more(
        &self,
        out: &mut impl Write,
        what: &Measured,
        figure: &Figure,
        more: &[(&str, f64)],
    ) -> std::io::Result<()> {
        let Measured { model, nv, scalar, function } = what;
        let Figure { min, median, lanes } = figure;
        if self.json {
            let mut line = json!({
                "peer": "gradbody", "version": env!("CARGO_PKG_VERSION"), "fn": function,
                "scalar": scalar, "model": model, "nv": nv, "lanes": lanes,
                "us_min": rounded(*min), "us_median": rounded(*median),
            });
            for (name, number) in more {
                line[*name] = json!(number);
            }
            return writeln!(out, "{line}");
        }
        let figure = format!("{model:<18} {nv:>4} {scalar:>7} {function:<20} {min:>10.4}");
        let more: Vec<String> =
            more.iter().map(|(name, x)| format!("{name} {}", number(*x))).collect();
        // Align with the last heading; the ones before it are about contacts.
        writeln!(out, "{figure} {:>9} {:>7} {:>11}  {}", "", "", "", more.join(", "))
    }

    fn time(&self) -> Duration {
        Duration::from_millis(self.time)
    }

    fn print(
        &self,
        out: &mut impl Write,
        what: &Measured,
        figure: &Figure,
        steps: Option<&Steps>,
    ) -> std::io::Result<()> {
        let Measured { model, nv, scalar, function } = what;
        let Figure { min, median, lanes } = figure;
        if self.json {
            let mut line = json!({
                "peer": "gradbody", "version": env!("CARGO_PKG_VERSION"), "fn": function,
                "scalar": scalar, "model": model, "nv": nv,
                "lanes": lanes,
                "us_min": rounded(*min), "us_median": rounded(*median),
            });
            if let Some(Steps { contacts, sweeps, rounds, residual, .. }) = steps {
                line["contacts"] = json!(rounded(*contacts));
                line["sweeps"] = json!(rounded(*sweeps));
                line["rounds"] = json!(rounded(*rounds));
                line["residual"] = json!(residual);
            }
            return writeln!(out, "{line}");
        }
        write!(out, "{model:<18} {nv:>4} {scalar:>7} {function:<20} {min:>10.4}")?;
        if let Some(Steps { contacts, sweeps, rounds, residual, .. }) = steps {
            write!(out, " {contacts:>9.1} {sweeps:>7.1} {:>11.4}", min / contacts)?;
            write!(out, "  rounds {rounds:.2}, residual {residual:.0e} m/s")?;
        }
        writeln!(out)
    }
}

/// The subject of a figure: model, scalar and function.
struct Measured {
    model: &'static str,
    nv: usize,
    scalar: &'static str,
    function: &'static str,
}

fn on_scalar<K: Kernel>(scalar: &str, kernel: K) -> K::Output {
    match scalar {
        "f64" => kernel.run::<f64>(),
        "f32" => kernel.run::<f32>(),
        "f64x8" => run_widest::<f64, _>(kernel),
        _ => run_widest::<f32, _>(kernel),
    }
}

fn rounded(us: f64) -> f64 {
    (us * 1e5).round() / 1e5
}

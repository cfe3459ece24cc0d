//! 400 measured tosses of a cube [Pfrommer, Halm and Posa 2020, "ContactNets"], simulated.
//!
//! Each toss is simulated from its first measured state and compared with what was measured, at its
//! end and on average. Nothing is identified: the cube is `models/cube.urdf` (published side, mass and
//! moment of inertia), friction 0.18 and restitution 0.125 are the authors' own fits, and a compliant
//! contact has the default surface with that friction.
//!
//! Lengths in these data are about 2 % short: in free flight g reads 9.61 m/s² and the resting cube's
//! centre is 51.2 mm above the table instead of 52.4 mm. The data are taken as they are, and g as they
//! have it, 9.61 m/s²; the cube keeps its published size, so a cube at rest is off by 1.2 mm, 1.1 % of
//! its side, whatever the simulator does. Errors are given in measured metres and in per cent of the
//! published side. Orientations are compared as they are: the cube's faces are told apart.

use std::fmt::Write as _;
use std::thread;

use anyhow::bail;
use gradbody::contact::Solver;
use gradbody::math::{Quat, Vec3};
use gradbody::model::{Material, Model};
use gradbody::sim::{Input, NoTaps, State, StepOptions, Workspace, step};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::data::{DataFile, DataFolder, number};
use super::distribution::Distribution;
use super::{Outcome, Prepared};
use crate::builtin;
use crate::report::{Animation, Figure, Plot, Section, Series, Stroke, in_words};
use crate::text::{Align, Table};

/// Of the camera [1/s].
const RATE: f64 = 148.0;
const GRAVITY: f64 = 9.61;
const FRICTION: f64 = 0.18;
const RESTITUTION: f64 = 0.125;
/// Side of the cube [m].
const SIDE: f64 = 0.1048;

const FILE: DataFile = DataFile {
    path: "contactnets_cube/tosses.csv",
    columns: &[
        "toss", "t", "px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz",
    ],
    source: "it has the tosses of ContactNets (Pfrommer, Halm and Posa 2020), which \
             https://github.com/DAIRLab/contact-nets publishes (data/tosses_processed), all in one, at \
             148 Hz: position [m] and quaternion, velocity in the world [m/s] and spin in the cube's axes \
             [rad/s]",
};

/// Pose of the cube.
#[derive(Clone, Copy, Debug)]
struct Pose {
    pos: Vec3<f64>,
    quat: Quat<f64>,
}

/// A measured toss.
struct Toss {
    name: String,
    /// Frame by frame.
    poses: Vec<Pose>,
    /// Velocity and spin at the start, as the state has them.
    v: [f64; 6],
}

/// A law of contact to compare.
#[derive(Clone, Copy)]
struct Law {
    name: &'static str,
    solver: Solver,
    /// Steps from frame to frame.
    substeps: usize,
}

fn laws() -> [Law; 2] {
    [
        Law { name: "ncp", solver: Solver::default(), substeps: 10 },
        Law { name: "hunt-crossley", solver: Solver::HuntCrossley, substeps: 40 },
    ]
}

/// A simulated toss and how far it is from the measured one.
struct Simulated {
    poses: Vec<Pose>,
    /// Frame by frame [m], [rad].
    position: Vec<f64>,
    rotation: Vec<f64>,
}

/// Reads the tosses.
pub(super) fn prepare(data: &DataFolder) -> anyhow::Result<Prepared> {
    let mut tosses: Vec<Toss> = Vec::new();
    for (i, row) in data.rows(&FILE)?.iter().enumerate() {
        let mut x = [0.0; 13];
        for (k, x) in x.iter_mut().enumerate() {
            *x = number(&FILE, i, k + 2, &row[k + 2])?;
        }
        let quat = Quat::from_slice(&x[3..7]);
        if (quat.norm_squared() - 1.0).abs() > 1e-3 {
            bail!("{}:{}: the quaternion is not of length one", FILE.path, i + 2);
        }
        if tosses.last().is_none_or(|toss| toss.name != row[0]) {
            let mut v = [0.0; 6];
            v.copy_from_slice(&x[7..]);
            tosses.push(Toss { name: row[0].clone(), poses: vec![], v });
        }
        let pose = Pose { pos: Vec3::new(x[0], x[1], x[2]), quat: quat.normalized() };
        tosses.last_mut().into_iter().for_each(|toss| toss.poses.push(pose));
    }
    tosses.retain(|toss| toss.poses.len() > 1);
    if tosses.is_empty() {
        bail!("{}: no toss", FILE.path);
    }
    Ok(Box::new(move || experiment(&tosses)))
}

fn scene() -> anyhow::Result<Model<f64>> {
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
    let mut work = Workspace::new(model);
    let mut state = State::neutral(model);
    let start = &toss.poses[0];
    state.q[..3].copy_from_slice(&start.pos.to_array());
    state.q[3..].copy_from_slice(&start.quat.to_array());
    state.v.copy_from_slice(&toss.v);
    let mut simulated = Simulated { poses: vec![], position: vec![], rotation: vec![] };
    for (i, measured) in toss.poses.iter().enumerate() {
        if i > 0 {
            for _ in 0..law.substeps {
                let report = step(model, &mut state, &input, &options, &mut NoTaps, &mut work);
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

/// The angle of the rotation from one orientation to the other, 0 to π [rad].
fn angle_between(a: Quat<f64>, b: Quat<f64>) -> f64 {
    let turn = a.conjugate() * b;
    2.0 * turn.imaginary().norm().atan2(turn.w.abs())
}

/// All tosses by one law.
struct Outcomes {
    law: Law,
    tosses: Vec<Simulated>,
}

impl Outcomes {
    fn simulate(
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

    fn spread(&self, of: impl Fn(&Simulated) -> f64) -> Distribution {
        Distribution::of(self.tosses.iter().map(of).collect())
    }

    fn measures(&self) -> [Measure; 4] {
        let last = |values: &[f64]| values.last().copied().unwrap_or(0.0);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        [
            Measure::position(
                "position at the end",
                "position_end",
                self.spread(|s| last(&s.position)),
            ),
            Measure::position(
                "position, mean",
                "position_mean",
                self.spread(|s| mean(&s.position)),
            ),
            Measure::rotation(
                "rotation at the end",
                "rotation_end",
                self.spread(|s| last(&s.rotation)),
            ),
            Measure::rotation(
                "rotation, mean",
                "rotation_mean",
                self.spread(|s| mean(&s.rotation)),
            ),
        ]
    }
}

/// How far off the tosses are, by one measure.
struct Measure {
    name: &'static str,
    key: &'static str,
    values: Distribution,
    /// What a value is shown as: times this, with that unit.
    shown: f64,
    unit: &'static str,
}

impl Measure {
    fn position(name: &'static str, key: &'static str, values: Distribution) -> Self {
        Measure { name, key, values, shown: 100.0 / SIDE, unit: "% of the side" }
    }

    fn rotation(name: &'static str, key: &'static str, values: Distribution) -> Self {
        Measure { name, key, values, shown: 1_f64.to_degrees(), unit: "degrees" }
    }
}

fn experiment(tosses: &[Toss]) -> anyhow::Result<Outcome> {
    let model = scene()?;
    let progress = ProgressBar::new((tosses.len() * laws().len()) as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} tosses, {eta} left") {
        progress.set_style(style.progress_chars("━╸─"));
    }
    let mut outcomes = Vec::new();
    for law in laws() {
        outcomes.push(Outcomes::simulate(&model, tosses, law, &progress)?);
    }
    progress.finish_and_clear();
    let (text, json) = (table(tosses, &outcomes), results(tosses, &outcomes));
    let mut sections = vec![overview(tosses, &outcomes)];
    let [typical, poor] = examples(&outcomes[0]);
    sections.push(example(
        "A typical toss",
        "half of all tosses are nearer than this one",
        &tosses[typical],
        typical,
        &outcomes,
    ));
    sections.push(example(
        "One of the worst",
        "nine of ten tosses are nearer than this one",
        &tosses[poor],
        poor,
        &outcomes,
    ));
    Ok(Outcome {
        title: "A cube is tossed, and simulated".into(),
        lead: format!(
            "{} real tosses of a cube of ten centimetres (ContactNets, 2020), each simulated from its \
             first measured state with published numbers.",
            tosses.len()
        ),
        sections,
        text,
        json,
    })
}

fn table(tosses: &[Toss], outcomes: &[Outcomes]) -> String {
    let mut text = format!(
        "{} tosses, each simulated from its first measured state (friction {FRICTION}, restitution \
         {RESTITUTION}, g {GRAVITY} m/s²)\n",
        tosses.len()
    );
    for Outcomes { law, .. } in outcomes {
        let rate = RATE * law.substeps as f64;
        let _ = writeln!(text, "  {}: steps of 1/{rate} s", law.name);
    }
    text.push('\n');
    let left = ("", Align::Left);
    let columns = ["mean", "10 %", "25 %", "median", "75 %", "90 %"].map(|c| (c, Align::Right));
    let mut table = Table::new(
        &[&[("error", Align::Left), ("solver", Align::Left)], &columns[..], &[left]].concat(),
    );
    let measures: Vec<_> = outcomes.iter().map(|o| (o.law.name, o.measures())).collect();
    for k in 0..4 {
        for (law, measures) in &measures {
            let Measure { name, values, shown, unit, .. } = &measures[k];
            let quantiles = [0.1, 0.25, 0.5, 0.75, 0.9].map(|share| values.quantile(share));
            let mut row = vec![
                (*name).to_owned(),
                (*law).to_owned(),
                format!("{:.1}", values.mean() * shown),
            ];
            row.extend(quantiles.iter().map(|value| format!("{:.1}", value * shown)));
            row.push((*unit).to_owned());
            table.row(row);
        }
    }
    table.write(&mut text);
    let metres = |o: &Outcomes| {
        let [end, mean, ..] = o.measures();
        format!(
            "{}: {:.4} m at the end, {:.4} m mean",
            o.law.name,
            end.values.mean(),
            mean.values.mean()
        )
    };
    let metres: Vec<String> = outcomes.iter().map(metres).collect();
    let _ = writeln!(text, "\nmean position error in metres: {}", metres.join("; "));
    text
}

fn results(tosses: &[Toss], outcomes: &[Outcomes]) -> Value {
    let solvers: serde_json::Map<String, Value> = outcomes
        .iter()
        .map(|outcome| {
            let mut object = serde_json::Map::new();
            object.insert("steps_per_second".into(), json!(RATE * outcome.law.substeps as f64));
            for Measure { key, values, shown, unit, .. } in outcome.measures() {
                match unit {
                    "degrees" => {
                        let degrees = values.scaled(shown);
                        object.insert(format!("{key}_deg"), degrees.json());
                    }
                    _ => {
                        let percent = values.scaled(shown);
                        object.insert(format!("{key}_m"), values.json());
                        object.insert(format!("{key}_percent_of_side"), percent.json());
                    }
                }
            }
            (outcome.law.name.to_owned(), Value::Object(object))
        })
        .collect();
    json!({
        "experiment": "cube-tosses",
        "tosses": tosses.len(),
        "parameters": {
            "side": SIDE, "gravity": GRAVITY, "friction": FRICTION, "restitution": RESTITUTION,
        },
        "solvers": solvers,
    })
}

fn overview(tosses: &[Toss], outcomes: &[Outcomes]) -> Section {
    let percent = |x: f64| in_words(100.0 * x / SIDE, 2);
    let [_, position, _, rotation] = outcomes[0].measures();
    let histogram = |k: usize, title: &str, x: &str, most: f64| {
        let plot = Plot::new(title, x, "tosses [%]");
        outcomes.iter().fold(plot, |plot, outcome| {
            let measure = &outcome.measures()[k];
            let shown = measure.values.scaled(measure.shown);
            plot.line(Series::new(outcome.law.name, shown.histogram(24, most)))
        })
    };
    let over_time = |title: &str, y: &str, scale: f64, of: fn(&Simulated) -> &Vec<f64>| {
        let longest = tosses.iter().map(|t| t.poses.len()).max().unwrap_or(0);
        let plot = Plot::new(title, "time since the start [s]", y);
        outcomes.iter().fold(plot, |plot, outcome| {
            let medians = (0..longest).map_while(|i| {
                let values: Vec<f64> =
                    outcome.tosses.iter().filter_map(|s| of(s).get(i).copied()).collect();
                // Of the few that last longer a median says little.
                let enough = 2 * values.len() >= tosses.len();
                enough.then(|| (i as f64 / RATE, scale * Distribution::of(values).median()))
            });
            plot.line(Series::new(outcome.law.name, medians.collect()))
        })
    };
    Section {
        heading: "How near the simulation comes".into(),
        text: vec![
            "A cube was tossed onto a table, again and again, and filmed. Each toss is simulated from \
             its first measured position and velocity, without looking at the rest: falling, hitting \
             with an edge or a corner, tumbling and sliding to rest. Which way a cube tumbles is often \
             decided by very little, so that no simulator can follow all tosses to their end."
                .into(),
            format!(
                "Nothing was fitted here: side, mass and inertia are published, friction {FRICTION} and \
                 restitution {RESTITUTION} are what the authors of the data found, and gravity is \
                 {GRAVITY} m/s², as it reads in these data, whose lengths are 2 % short."
            ),
        ],
        animation: None,
        figures: vec![
            Figure::new(tosses.len().to_string(), "", "tosses"),
            Figure::new(percent(position.values.median()), "% of the side", "median of the mean position error, rigid contact"),
            Figure::new(in_words(rotation.values.median().to_degrees(), 2), "°", "median of the mean rotation error, rigid contact"),
            Figure::new(percent(outcomes[1].measures()[1].values.median()), "% of the side", "median of the mean position error, compliant contact"),
        ],
        plots: vec![
            histogram(1, "Position error, mean over a toss", "error [% of the side]", 120.0)
                .caption("How many of the tosses have which error; the last bin has all that are worse."),
            histogram(3, "Rotation error, mean over a toss", "error [degrees]", 120.0)
                .caption("A quarter turn is 90 degrees: the cube came down on another face."),
            over_time("Position error over time", "median [% of the side]", 100.0 / SIDE, |s| &s.position)
                .caption("The median over all tosses, as long as at least half of them last."),
            over_time("Rotation error over time", "median [degrees]", 1_f64.to_degrees(), |s| &s.rotation),
        ],
    }
}

/// The tosses whose mean position error is the median and the ninth decile.
fn examples(outcomes: &Outcomes) -> [usize; 2] {
    let mean = |i: &usize| {
        let errors = &outcomes.tosses[*i].position;
        errors.iter().sum::<f64>() / errors.len() as f64
    };
    let mut order: Vec<usize> = (0..outcomes.tosses.len()).collect();
    order.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
    [0.5, 0.9].map(|share| order[(share * (order.len() - 1) as f64).round() as usize])
}

fn example(heading: &str, rank: &str, toss: &Toss, i: usize, outcomes: &[Outcomes]) -> Section {
    let time = |i: usize| i as f64 / RATE;
    let line = |values: &mut dyn Iterator<Item = f64>| -> Vec<(f64, f64)> {
        values.enumerate().map(|(i, x)| (time(i), x)).collect()
    };
    let coordinate = |title: &str, y: &str, of: fn(Vec3<f64>) -> f64| {
        let plot = Plot::new(title, "time [s]", y)
            .line(Series::new("measured", line(&mut toss.poses.iter().map(|p| of(p.pos)))))
            .follows_time();
        outcomes.iter().fold(plot, |plot, outcome| {
            let poses = &outcome.tosses[i].poses;
            plot.line(Series::new(outcome.law.name, line(&mut poses.iter().map(|p| of(p.pos)))))
        })
    };
    let rotation = outcomes.iter().fold(
        Plot::new("Rotation error", "time [s]", "error [degrees]")
            .line(Series::new("measured", line(&mut toss.poses.iter().map(|_| 0.0))))
            .follows_time(),
        |plot, outcome| {
            let errors = &outcome.tosses[i].rotation;
            plot.line(Series::new(
                outcome.law.name,
                line(&mut errors.iter().map(|e| e.to_degrees())),
            ))
        },
    );
    let simulated = &outcomes[0].tosses[i];
    let end = simulated.position.last().copied().unwrap_or(0.0);
    let turned = simulated.rotation.last().copied().unwrap_or(0.0);
    Section {
        heading: heading.into(),
        text: vec![format!(
            "Toss {} of the data; by the mean position error of rigid contact {rank}.",
            toss.name
        )],
        animation: Some(animation(toss, simulated)),
        figures: vec![
            Figure::new(
                in_words(100.0 * end / SIDE, 2),
                "% of the side",
                "position error at the end",
            ),
            Figure::new(in_words(turned.to_degrees(), 2), "°", "rotation error at the end"),
        ],
        plots: vec![
            coordinate("Height of the centre", "height [m]", |p| p.z),
            coordinate("Way along x", "x [m]", |p| p.x),
            coordinate("Way along y", "y [m]", |p| p.y),
            rotation,
        ],
    }
}

fn animation(toss: &Toss, simulated: &Simulated) -> Animation {
    let corners = |pose: &Pose| -> Vec<[f64; 3]> {
        let turn = pose.quat.to_mat3();
        (0..8)
            .map(|i| {
                let side = |bit: usize| if i >> bit & 1 == 1 { SIDE / 2.0 } else { -SIDE / 2.0 };
                (pose.pos + turn * Vec3::new(side(0), side(1), side(2))).to_array()
            })
            .collect()
    };
    let frames = toss.poses.iter().zip(&simulated.poses);
    let edges = |first: usize, colour: usize| {
        // Around two faces, then the edges between them.
        let around = |z: usize| [0, 1, 3, 2, 0].map(|corner| first + 4 * z + corner).to_vec();
        let between = |corner: usize| vec![first + corner, first + corner + 4];
        let lines = [vec![around(0), around(1)], (0..4).map(between).collect()].concat();
        lines.into_iter().map(move |points| Stroke { points, colour, width: 0.003, faint: false })
    };
    Animation {
        title: format!("Toss {}, measured and simulated", toss.name),
        caption: "Blue as measured, orange as simulated with rigid contact, in slow motion. Drag to turn \
                  the view."
            .into(),
        frame_time: 1.0 / RATE,
        speed: 0.25,
        frames: frames.map(|(a, b)| [corners(a), corners(b)].concat()).collect(),
        trails: vec![],
        strokes: edges(0, 0).chain(edges(8, 1)).collect(),
        dots: vec![],
        ground: Some(0.0),
        view: (0.4, 0.35),
    }
}

#[cfg(test)]
mod tests {
    use gradbody::math::{Quat, Vec3};

    use super::{Pose, Toss, angle_between, laws, scene, simulate};

    #[test]
    fn angles_between_orientations_do_not_depend_on_signs() {
        let a = Quat::exp(Vec3::new(0.3, -0.2, 0.9));
        let b = a * Quat::exp(Vec3::new(0.0, 0.5, 0.0));
        let negative = Quat { w: -b.w, x: -b.x, y: -b.y, z: -b.z };
        assert!((angle_between(a, b) - 0.5).abs() < 1e-12);
        assert!((angle_between(a, negative) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_toss_that_obeys_the_laws_is_followed() {
        // Flat on the table, sliding: it stops after v²/(2 μ g).
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

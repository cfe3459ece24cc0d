//! The results as tables, JSON, plots and motions.

use gradbody_report::text::{Align, Table, fixed};
use gradbody_report::{Figure, Plot, Section, Series};
use gradbody_view::{Recording, Trail, record};
use maud::html;
use serde_json::{Value, json};

use super::course::{FORWARDS, HOLD, PUSH_TIME, SIDEWAYS, TURNING};
use super::policy::INPUTS;
use super::robot::{DT, Laikago};
use super::study::{Learned, Walks, mean_errors, standing};
use super::timing::{ProgramTimes, Times};
use super::walk::{Errors, FRAME, Walked, mean};
use super::{SEED, Study};
use crate::Findings;

/// Frames of the motion that is shown: the first seconds of a course.
const SHOWN: usize = 300;

pub(super) fn outcome(laikago: &Laikago, study: &Study) -> anyhow::Result<Findings> {
    let mut text = walks_table(study).text();
    text += &format!(
        "\ntracking errors: rms of velocities averaged over a stride minus the command, mean of the courses; \
         forwards, sideways [m/s], turning [rad/s]\n\n{}\n",
        errors_table(study).text()
    );
    text += &format!("{}\n{}", learning_table(study).text(), times_table(&study.times).text());
    Ok(Findings {
        title: "A quadruped trots".into(),
        lead: "Laikago walks by convex model predictive control of its contact forces, and a network learns to \
               imitate it (NeuralSim, 2021, figure 1)."
            .into(),
        sections: vec![
            walking_section(laikago, study),
            learning_section(laikago, study),
            times_section(study),
        ],
        text,
        json: json(study),
    })
}

/// The walks of each way to choose forces, with the name of that way.
fn ways(study: &Study) -> [(&'static str, &Walks); 3] {
    [
        ("quadratic program", &study.program),
        ("network, imitation alone", &study.imitator),
        ("network, own states", &study.learner),
    ]
}

/// "50 of 50".
fn counted(walks: &[Walked]) -> String {
    format!("{} of {}", standing(walks), walks.len())
}

fn walks_table(study: &Study) -> Table {
    let pushes: Vec<String> = study.plan.pushes.iter().map(|push| format!("{push} N")).collect();
    let mut columns = vec![("walks without a fall", Align::Left), ("no push", Align::Right)];
    columns.extend(pushes.iter().map(|push| (push.as_str(), Align::Right)));
    let mut table = Table::new(&columns);
    for (name, walks) in ways(study) {
        let pushed = walks.pushed.iter().map(|walks| counted(walks));
        table.row([name.to_owned(), counted(&walks.free)].into_iter().chain(pushed).collect());
    }
    table
}

fn errors_table(study: &Study) -> Table {
    let mut table = Table::new(&[
        ("without pushes", Align::Left),
        ("forwards", Align::Right),
        ("sideways", Align::Right),
        ("turning", Align::Right),
        ("largest tilt", Align::Right),
        ("trunk's height", Align::Right),
    ]);
    for (name, walks) in ways(study) {
        let errors = match mean_errors(&walks.free) {
            Some(errors) => errors.map(|error| fixed(error, 4)),
            None => ["–"; 3].map(String::from),
        };
        let tilt = walks.free.iter().fold(0.0, |most: f64, walked| most.max(walked.tilt));
        let low = walks.free.iter().fold(f64::MAX, |least, walked| least.min(walked.height[0]));
        let high = walks.free.iter().fold(0.0, |most: f64, walked| most.max(walked.height[1]));
        let mut row = vec![name.to_owned()];
        row.extend(errors);
        row.push(format!("{} rad", fixed(tilt, 3)));
        row.push(format!("{} … {} m", fixed(low, 3), fixed(high, 3)));
        table.row(row);
    }
    table
}

fn learning_table(study: &Study) -> Table {
    let mut table = Table::new(&[
        ("samples", Align::Right),
        ("imitation alone", Align::Right),
        ("misfit", Align::Right),
        ("own states", Align::Right),
        ("misfit", Align::Right),
    ]);
    let (alone, own) = (&study.imitation, &study.own_states);
    for k in 0..alone.samples.len() {
        let cells = |learned: &Learned| {
            let stood = format!("{} of {}", learned.without_fall[k], study.plan.courses);
            [stood, format!("{} %", fixed(100.0 * learned.misfits[k], 2))]
        };
        let mut row = vec![alone.samples[k].to_string()];
        row.extend(cells(alone));
        row.extend(cells(own));
        table.row(row);
    }
    table
}

fn times_table(times: &Times) -> Table {
    let mut table = Table::new(&[("a choice of forces", Align::Left), ("µs", Align::Right)]);
    let mut row = |name: String, time: f64| table.row(vec![name, fixed(time, 2)]);
    for (name, of) in [("walking", &times.walking), ("thrown", &times.thrown)] {
        row(format!("program, {name}: all"), of.choice);
        row(format!("program, {name}: setting up"), of.set_up);
        row(format!("program, {name}: solving without a guess"), of.solve_cold);
    }
    row("network with inputs and forces, f64".into(), times.policy);
    row("network alone, f64".into(), times.f64);
    row("network alone, f32".into(), times.f32);
    row(format!("network alone, {} lanes of f64, a world", times.f64_lanes.1), times.f64_lanes.0);
    row(format!("network alone, {} lanes of f32, a world", times.f32_lanes.1), times.f32_lanes.0);
    table
}

fn walking_section(laikago: &Laikago, study: &Study) -> Section {
    let [program, _] = &study.shown;
    let plan = &study.plan;
    let caption = "One of the held-out courses, walked by the quadratic program; the trail is that of the trunk. \
                   Drag to turn the view.";
    Section {
        heading: "Walking by planned contact forces".into(),
        text: vec![
            format!(
                "A choice of forces is made every {} ms: the robot is taken as one rigid body, and the forces of the \
                 feet on the ground over the next {} s make its motion follow the command, within pyramids of \
                 friction {} (the ground has {}). Joint torques follow from the forces; feet in the air are pulled \
                 to footholds by springs. The simulator has rigid contact and steps of {} ms.",
                1e3 * laikago.walking.choice_interval,
                laikago.mpc.interval * laikago.mpc.intervals as f64,
                laikago.mpc.friction,
                super::robot::FRICTION,
                1e3 * DT
            ),
            format!(
                "A course lasts {} s; every {HOLD} s a command is drawn: up to {FORWARDS} m/s forwards or backwards, \
                 {SIDEWAYS} m/s sideways, {TURNING} rad/s. A push acts on the trunk for {PUSH_TIME} s in a random \
                 horizontal direction.",
                plan.seconds
            ),
        ],
        motion: Some(motion(laikago, program, "Laikago trots", caption)),
        figures: vec![
            Figure::new(counted(&study.program.free), "", "courses without a fall"),
            Figure::new(
                counted(&study.program.pushed[0]),
                "",
                format!("without a fall, pushed by {} N", plan.pushes[0]),
            ),
        ],
        plots: velocity_plots(program),
        markup: html! {
            pre { (walks_table(study).text()) }
            p {
                "Tracking errors: rms of velocities averaged over a stride minus the command, mean of the courses; "
                "forwards and sideways [m/s], turning [rad/s]."
            }
            pre { (errors_table(study).text()) }
        },
    }
}

/// Velocities averaged over a stride, and the command averaged alike.
fn velocity_plots(walked: &Walked) -> Vec<Plot> {
    let titles = [
        ("Forwards", "velocity [m/s]"),
        ("Sideways", "velocity [m/s]"),
        ("Turning", "angular velocity [rad/s]"),
    ];
    let line = |k: usize| -> Vec<(f64, f64)> {
        let rows = walked.velocities.iter().enumerate();
        rows.map(|(i, row)| (i as f64 * FRAME, row[k])).collect()
    };
    let plot = |(k, (title, unit)): (usize, (&str, &str))| {
        Plot::new(title, "time [s]", unit)
            .line(Series::new("robot", line(k)))
            .line(Series::new("command", line(k + 3)).dashed())
            .caption("Averages over the stride that begins at this time.")
    };
    titles.into_iter().enumerate().map(plot).collect()
}

fn learning_section(laikago: &Laikago, study: &Study) -> Section {
    let [_, network] = &study.shown;
    let line = |learned: &Learned| -> Vec<(f64, f64)> {
        let share = |count: &usize| 100.0 * *count as f64 / study.plan.courses as f64;
        let shares = learned.without_fall.iter().map(share);
        learned.samples.iter().map(|samples| *samples as f64).zip(shares).collect()
    };
    let plot = Plot::new("Held-out courses without a fall", "samples", "share [%]")
        .logarithmic_x()
        .line(Series::new("imitation alone", line(&study.imitation)))
        .line(Series::new("samples in its own states", line(&study.own_states)))
        .caption(
            "A sample is a situation with the forces that the program chooses in it. Each network is trained from the \
             same first weights, by the same number of steps.",
        );
    let last = study.own_states.samples.last().copied().unwrap_or(0);
    let caption = "The same course, walked by the network that learned in its own states.";
    Section {
        heading: "A network in place of the program".into(),
        text: vec![
            format!(
                "A network {INPUTS}-192-192-12 (ELU) sees the situation that the program sees and gives the forces of \
                 the feet on the ground. It learns from the program's choices: either only in situations of walks by \
                 the program, or, after the first stage, in situations of its own walks.",
            ),
            "The inputs: roll and pitch; height; velocity and angular velocity; position and heading errors; the \
             command; which feet are on the ground; sine and cosine of the gait's phase; the positions of the feet \
             and their next footholds."
                .into(),
        ],
        motion: Some(motion(laikago, network, "Laikago trots by a network", caption)),
        figures: vec![
            Figure::new(
                counted(&study.learner.free),
                "",
                format!("courses without a fall, from {last} samples, own states"),
            ),
            Figure::new(counted(&study.imitator.free), "", "the same, imitation alone"),
        ],
        plots: vec![plot],
        markup: html! { pre { (learning_table(study).text()) } },
    }
}

fn times_section(study: &Study) -> Section {
    let Times { walking, thrown, .. } = study.times;
    let counts = |times: &ProgramTimes| {
        format!(
            "{} unknowns, {} active bounds, {} bounds that came or went ({} without a guess), at most {}",
            fixed(times.unknowns, 0),
            fixed(times.active, 1),
            fixed(times.iterations, 1),
            fixed(times.iterations_cold, 1),
            times.most_iterations
        )
    };
    Section {
        heading: "Microseconds".into(),
        text: vec![
            format!(
                "While walking and being pushed, a program has on average {}.",
                counts(&walking)
            ),
            format!(
                "With velocities and tilt changed at random, as after a blow: {}.",
                counts(&thrown)
            ),
        ],
        figures: vec![
            Figure::new(fixed(walking.choice, 1), "µs", "a choice by the program"),
            Figure::new(fixed(study.times.f64, 1), "µs", "an evaluation of the network, f64"),
        ],
        markup: html! { pre { (times_table(&study.times).text()) } },
        ..Section::default()
    }
}

fn motion(laikago: &Laikago, walked: &Walked, title: &str, caption: &str) -> Recording {
    let shown: Vec<Vec<f64>> = walked.frames.iter().take(SHOWN).cloned().collect();
    let times = (0..shown.len()).map(|i| i as f64 * FRAME).collect();
    Recording {
        title: title.into(),
        caption: caption.into(),
        trails: vec![Trail { layer: 0, body: 1, point: [0.0; 3], seconds: 5.0 }],
        ..record::configurations(&laikago.model, times, &[("dog", shown)])
    }
}

fn json(study: &Study) -> Value {
    let walks = |walks: &[Walked]| {
        let falls: Vec<String> =
            walks.iter().filter_map(|w| w.fall.map(|fall| format!("{fall:?}"))).collect();
        let errors: Vec<Errors> = walks.iter().filter_map(|walked| walked.errors).collect();
        json!({
            "courses": walks.len(),
            "without_fall": standing(walks),
            "falls": falls,
            "stride_errors": mean_errors(walks),
            "errors": mean(&errors),
        })
    };
    let way = |of: &Walks| {
        let pushed = study.plan.pushes.iter().zip(&of.pushed);
        json!({
            "free": walks(&of.free),
            "pushed": pushed.map(|(force, of)| json!({ "newtons": force, "walks": walks(of) })).collect::<Vec<_>>(),
        })
    };
    let learned = |learned: &Learned| {
        json!({
            "samples": learned.samples,
            "without_fall": learned.without_fall,
            "misfits": learned.misfits,
            "stride_errors": learned.errors,
        })
    };
    json!({
        "seed": SEED,
        "seconds": study.plan.seconds,
        "program": way(&study.program),
        "imitation_alone": way(&study.imitator),
        "own_states": way(&study.learner),
        "learning": {
            "imitation_alone": learned(&study.imitation),
            "own_states": learned(&study.own_states),
        },
        "times_us": study.times,
    })
}

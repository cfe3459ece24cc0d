//! The page: curves like those of NeuralSim's figures 8 and 9.

use super::networks::Correction;
use super::recorded::{SWIMMERS, Swimmer};
use super::results::{Case, Judged, Method, Run};
use super::table::{self, PSI, cells, rates, short, times};
use super::{DT, Plan, TEST_STEPS, TRAIN_STEPS};
use crate::Findings;
use gradbody_report::{Figure, Plot, Section, Series};
use maud::{Markup, html};

/// The drawn methods with their colours.
const DRAWN: [(Method, &str); 5] = [
    (Method::Model(Correction::None), "before"),
    (Method::Recurrent, "c1"),
    (PSI, "c0"),
    (Method::Model(Correction::Wrenches), "c2"),
    (Method::Model(Correction::Dissipative), "c3"),
];
/// The medium that is shown in detail.
const CLOSE: &str = "water5";

pub(super) fn outcome(plan: &Plan, cases: &[Case]) -> Findings {
    let [two, six] = SWIMMERS
        .map(|swimmer| cases.iter().filter(|case| case.swimmer == swimmer).collect::<Vec<_>>());
    Findings {
        title: "Swimming in an unknown medium".into(),
        lead: "Swimmers simulated by MuJoCo in water and air, predicted by a model without a medium and networks \
               that replace it (NeuralSim, 2021, figures 8 and 9)."
            .into(),
        sections: [
            Some(two_links(&two)),
            Some(six_links(&six)),
            cases.iter().any(|case| case.medium.is_vacuum()).then(|| vacuum(cases)),
            Some(numbers(cases)),
        ]
        .into_iter()
        .flatten()
        .collect(),
        text: table::text(plan, cases),
        json: table::json(cases),
    }
}

fn two_links(cases: &[&Case]) -> Section {
    let mut section = Section {
        heading: "Two links".into(),
        text: vec![format!(
            "The network ψ reads the state and adds to the forces on all joints. It is trained through \
             rollouts within the first {TRAIN_STEPS} steps of 10 motions and tested on {TEST_STEPS} steps of \
             6 others, given only their start and the torques. The LSTM is also given the first 20 steps. \
             All are trained on the mirror images of the motions as well."
        )],
        ..Section::default()
    };
    for case in cases.iter().filter(|case| case.medium.key == CLOSE) {
        section.figures = advantages(case);
        section.plots.extend(COORDINATES.map(|(place, name)| trajectory(case, place, name)));
    }
    for case in cases {
        section.plots.extend(errors_over_time(case));
    }
    section
}

fn six_links(cases: &[&Case]) -> Section {
    let mut section = Section {
        heading: "Six links, five joints".into(),
        text: vec![
            "The same with a longer swimmer.".into(),
            "All links share one network, so the network trained with two links can be used with six without \
             further training."
                .into(),
        ],
        ..Section::default()
    };
    for case in cases {
        if case.medium.key == CLOSE {
            section.figures = advantages(case);
        }
        section.plots.push(trajectory(case, 0, "x of the first link [m]"));
        section.plots.extend(errors_over_time(case));
    }
    section
}

/// Drawn coordinates of the swimmer of two links.
const COORDINATES: [(usize, &str); 4] = [
    (0, "x of the first link [m]"),
    (1, "y of the first link [m]"),
    (2, "heading of the first link [rad]"),
    (3, "angle of the hinge [rad]"),
];

/// The goal: the ratio of the LSTM's error to ours.
fn advantages(case: &Case) -> Vec<Figure> {
    let figure = |method: Method| {
        let (angle, position) = case.advantage(method)?;
        let of = format!("{}, {}", method.title(), case.medium.title);
        let meaning = format!(
            "ratio of the LSTM's error to ours at step {TEST_STEPS}, angles and position: {of}"
        );
        Some(Figure::new(format!("{} and {}", times(angle), times(position)), "times", meaning))
    };
    let methods = [PSI, Method::Model(Correction::Wrenches)];
    methods.into_iter().filter_map(figure).collect()
}

fn drawn(case: &Case) -> impl Iterator<Item = (&Judged, &'static str)> {
    DRAWN.iter().filter_map(|(method, paint)| Some((case.of(*method)?, *paint)))
}

fn seconds(step: usize) -> f64 {
    step as f64 * DT
}

/// A coordinate of the first test motion, and its predictions by the first seed of each model.
fn trajectory(case: &Case, place: usize, name: &str) -> Plot {
    let title = format!("A motion in {}", case.medium.title);
    let line = |rows: &[Vec<f64>]| -> Vec<(f64, f64)> {
        case.example.steps.iter().zip(rows).map(|(step, q)| (seconds(*step), q[place])).collect()
    };
    let mut plot = Plot::new(title, "time [s]", name).mark(seconds(TRAIN_STEPS), "end of training");
    for (judged, paint) in drawn(case) {
        if let Some(run) = judged.runs.first() {
            plot = plot.line(Series::new(judged.method.title(), line(&run.example)).paint(paint));
        }
    }
    let measured = line(&case.example.positions);
    plot.y_limits(limits(&measured)).line(Series::new("MuJoCo", measured).dashed().paint("c4"))
}

/// The plotted range of a coordinate, wider than its motion; predictions that diverge do not widen it.
fn limits(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let (low, high) =
        points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, y)| {
            (low.min(*y), high.max(*y))
        });
    let room = 0.5 * (high - low);
    (room > 0.0 && room.is_finite()).then_some((low - room, high + room))
}

/// Errors of angles and of positions, the mean of all seeds.
fn errors_over_time(case: &Case) -> [Plot; 2] {
    let plot = |what: &str, unit: &str, pick: fn(&Run) -> &[f64]| {
        let title = format!("Error in {}, {what}", case.medium.title);
        let axis = format!("{what} [{unit}], root mean square");
        let plot = Plot::new(title, "time [s]", axis)
            .logarithmic()
            .mark(seconds(TRAIN_STEPS), "end of training");
        drawn(case).fold(plot, |plot, (judged, paint)| {
            plot.line(Series::new(judged.method.title(), mean(judged, pick)).paint(paint))
        })
    };
    [
        plot("angles", "rad", |run| &run.errors.angle),
        plot("position", "m", |run| &run.errors.position),
    ]
}

fn mean(judged: &Judged, pick: fn(&Run) -> &[f64]) -> Vec<(f64, f64)> {
    let steps = judged.runs.first().map_or(&[][..], |run| &run.errors.steps);
    let count = judged.runs.len() as f64;
    let at = |(k, step): (usize, &usize)| {
        let sum: f64 = judged.runs.iter().map(|run| pick(run)[k]).sum();
        (seconds(*step), sum / count)
    };
    steps.iter().enumerate().map(at).filter(|(_, error)| error.is_finite()).collect()
}

/// The section on vacuum, where nothing is missing.
fn vacuum(cases: &[Case]) -> Section {
    let of = |swimmer: Swimmer, method: Method| {
        let case = cases.iter().find(|case| case.swimmer == swimmer && case.medium.is_vacuum())?;
        Some(case.of(method)?.last().0.mean())
    };
    let figure = |swimmer: Swimmer, method: Method| {
        let meaning = format!("angle error, {}, {}", swimmer.title, method.title());
        Some(Figure::new(short(of(swimmer, method)?), "rad", meaning))
    };
    let shown = SWIMMERS.into_iter().flat_map(|swimmer| {
        [Method::Model(Correction::None), PSI].into_iter().filter_map(move |m| figure(swimmer, m))
    });
    Section {
        heading: "Vacuum: nothing is missing".into(),
        text: vec![format!(
            "Without a medium the model steps as MuJoCo does: after {TEST_STEPS} steps its error is the \
             rounding of the files, which have six decimals. A network trained on such motions learns that \
             rounding."
        )],
        figures: shown.collect(),
        ..Section::default()
    }
}

/// A heading, then a row for each method.
fn rows(case: &Case) -> Markup {
    html! {
        tr {
            th { (case.swimmer.title) ", " (case.medium.title) }
            th { "weights" } th { "angles [rad]" } th { "position [m]" } th { "LSTM ratio" }
        }
        @for judged in &case.judged {
            tr { @for cell in cells(case, judged) { td { (cell) } } }
        }
    }
}

fn numbers(cases: &[Case]) -> Section {
    let markup = html! {
        div style="overflow-x:auto" { table { @for case in cases { (rows(case)) } } }
    };
    Section {
        heading: "All errors".into(),
        text: vec![
            format!(
                "Root mean square errors at step {TEST_STEPS} of the 6 test motions: of all angles, and of the \
                 position of the first link's middle. For several seeds: mean (least … most). Last column: ratio \
                 of the LSTM's error to that of the row, angles and position."
            ),
            format!("{}.", rates(cases)),
        ],
        markup,
        ..Section::default()
    }
}

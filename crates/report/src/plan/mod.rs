//! The page about a plan: its motion, what it costs, its actions and contact forces, and how it was found.

mod tables;
mod text;
mod tracks;

use gradbody_plan::{PlanOutcome, PlanTimes, Point, RecedingOutcome, ReplanOutcome};
use maud::{Markup, html};

use crate::html::{OUTCOME_SCRIPTS, OUTCOME_STYLE, STYLE, figures, file, plots};
use crate::motion::{Shown, recording};
use crate::number::number;
use crate::players::Players;
use crate::{Figure, Plot, Series};

pub use text::{comparison, summary};

/// A section: what it is called in addresses and in the list at the top, and its inside.
type Chapter = (&'static str, &'static str, Option<Markup>);

/// A report of a plan, as a complete HTML file.
pub fn page(outcome: &PlanOutcome) -> String {
    let mut players = Players::default();
    let chapters: [Chapter; 8] = [
        ("motion", "Motion", Some(motion(outcome, &mut players))),
        ("costs", "What it costs", Some(tables::costs(outcome))),
        ("parameters", "Chosen parameters", tables::parameters(outcome)),
        ("actions", "Actions", tracks::actions(outcome)),
        ("forces", "Contact forces", tracks::forces(outcome)),
        ("search", "How it was found", search(outcome)),
        ("replans", "Plans on the way", outcome.receding.as_ref().map(replans)),
        ("notes", "Notes", notes(outcome)),
    ];
    let chapters: Vec<(&str, &str, Markup)> = (chapters.into_iter())
        .filter_map(|(id, title, inside)| Some((id, title, inside?)))
        .collect();
    let title = format!("{}: a plan for {}", outcome.name, outcome.model);
    let body = html! {
        header {
            h1 { (title) }
            p.lead { (text::found(outcome)) }
            @if let Some(done) = text::done(outcome) { p.lead { (done) } }
            (figures(&numbers(outcome)))
            nav aria-label="sections" {
                @for (id, title, _) in &chapters { a href={ "#" (id) } { (title) } }
            }
        }
        @for (id, title, inside) in &chapters {
            section id=(id) {
                h2 { (title) }
                (inside)
            }
        }
        footer {
            "Written by gradbody " (env!("CARGO_PKG_VERSION"))
            ". The file needs no network and no other file."
        }
    };
    file(&title, &[STYLE, OUTCOME_STYLE], &body, &OUTCOME_SCRIPTS, &players)
}

/// The plan as it moves, and the motion under the actions that the search began with.
fn motion(outcome: &PlanOutcome, players: &mut Players) -> Markup {
    let recording = recording(&Shown {
        scene: &outcome.scene,
        times: &outcome.times,
        layers: &[("after", &outcome.poses), ("before", &outcome.first)],
        effects: None,
        motions: 1,
    });
    html! {
        div.motion {
            div.motion-body.beside[recording.is_some()] {
                @if let Some(recording) = &recording { (players.player(recording, &outcome.name, "")) }
                @if let Some(costs) = tracks::costs(outcome) { div.plots { (costs) } }
            }
        }
        @if !outcome.first.is_empty() {
            p.quiet { "Before: the motion under the actions that the search began with. After: the plan." }
        }
    }
}

fn numbers(outcome: &PlanOutcome) -> Vec<Figure> {
    let last = outcome.points.last().copied().unwrap_or_default();
    let lasts = outcome.times.last().unwrap_or(&0.0) - outcome.times.first().unwrap_or(&0.0);
    if let Some(receding) = &outcome.receding {
        return numbers_on_the_way(outcome, receding, lasts);
    }
    vec![
        Figure::new(number(outcome.cost, 4), "", "cost of the plan"),
        Figure::new(number(lasts, 3), "s", "long"),
        Figure::new(last.iteration.to_string(), "", "iterations"),
        Figure::new(
            last.simulations.to_string(),
            "",
            "simulated motions, gradients counted as one more",
        ),
        Figure::new(number(last.seconds, 3), "s", "of work"),
    ]
}

/// The numbers of a motion by plans that were made on the way.
fn numbers_on_the_way(
    outcome: &PlanOutcome,
    receding: &RecedingOutcome,
    lasts: f64,
) -> Vec<Figure> {
    let [from, to] = outcome.com;
    let moved = (to[0] - from[0]).hypot(to[1] - from[1]);
    let mut figures = vec![
        Figure::new(number(lasts, 3), "s", "long"),
        Figure::new(number(moved, 3), "m", "from start to end"),
        Figure::new(number(moved / lasts, 3), "m/s", "on the average"),
        Figure::new(receding.replans.len().to_string(), "", "plans"),
    ];
    if let Some(PlanTimes { median, p99, longest }) = PlanTimes::of(&receding.replans) {
        figures.push(Figure::new(number(median, 3), "ms", "median time to make a plan"));
        figures.push(Figure::new(number(p99, 3), "ms", "not exceeded by 99 of 100 plans"));
        figures.push(Figure::new(number(longest, 3), "ms", "longest, the first plan apart"));
    }
    figures
}

/// The median and the longest time to make a plan [ms]; the first one, which has more iterations, is left out. None if
/// there was no other.
fn times(receding: &RecedingOutcome) -> Option<(f64, f64)> {
    PlanTimes::of(&receding.replans).map(|times| (times.median, times.longest))
}

/// What the plans cost that were made on the way, and how long they took to make.
fn replans(receding: &RecedingOutcome) -> Markup {
    let line = |of: &dyn Fn(&ReplanOutcome) -> Option<f64>| -> Vec<(f64, f64)> {
        receding.replans.iter().filter_map(|replan| Some((replan.time, of(replan)?))).collect()
    };
    let plot = |title: &str, y: &str| Plot::new(title, "time [s]", y).follows_time().shows_values();
    let costs = plot("Cost of each plan", "cost")
        .line(Series::new("as it was left", line(&|r| r.before)).paint("before"))
        .line(Series::new("improved", line(&|r| r.cost)).paint("after"));
    let seconds = plot("Time to make each plan", "ms")
        .line(Series::new("plan", line(&|r| Some(1e-3 * r.micros))).paint("after"));
    html! {
        p.quiet {
            "Each plan begins in the state of the moment and reaches " (number(receding.horizon, 3)) " s ahead. The motion \
             ended because " (receding.ended) "."
        }
        (plots(&[costs, seconds]))
    }
}

/// The cost over iterations and over time, and over simulations where other methods were tried. None without a search.
fn search(outcome: &PlanOutcome) -> Option<Markup> {
    if outcome.points.is_empty() {
        return None;
    }
    let line = |points: &[Point], x: &dyn Fn(&Point) -> f64| -> Vec<(f64, f64)> {
        points.iter().filter_map(|point| Some((x(point), point.cost?))).collect()
    };
    let over = |title: &str, axis: &str, x: &dyn Fn(&Point) -> f64, rivals: bool| {
        let own = Series::new(outcome.method.clone(), line(&outcome.points, x)).dots();
        let mut plot = Plot::new(title, axis, "cost of the best plan").line(own);
        if outcome.points.iter().all(|point| point.cost.is_none_or(|cost| cost > 0.0)) {
            plot = plot.logarithmic();
        }
        for rival in outcome.rivals.iter().filter(|_| rivals) {
            plot = plot.line(Series::new(rival.method.clone(), line(&rival.points, x)));
        }
        plot
    };
    let mut all = vec![
        over("Cost over iterations", "iteration", &|p| p.iteration as f64, false).whole_x(),
        over("Cost over time", "seconds", &|p| p.seconds, true),
    ];
    if !outcome.rivals.is_empty() {
        let simulated = |point: &Point| point.simulations.max(1) as f64;
        all.push(over("Cost over simulated motions", "motions", &simulated, true).logarithmic_x());
    }
    Some(html! {
        (plots(&all))
        @if !outcome.rivals.is_empty() { (tables::rivals(outcome)) }
    })
}

fn notes(outcome: &PlanOutcome) -> Option<Markup> {
    let notes = &outcome.notes;
    (!notes.is_empty()).then(|| html! { ul.notes { @for note in notes { li { (note) } } } })
}

#[cfg(test)]
mod tests;

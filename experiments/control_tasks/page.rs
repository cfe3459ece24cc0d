//! The results as text, JSON and a page.

use std::fmt::Write as _;

use maud::html;
use serde_json::{Value, json};

use super::car::CarFacts;
use super::search::Trial;
use super::{Facts, Searches, Tried};
use crate::Findings;
use crate::distribution::Distribution;
use gradbody::plan::Point;
use gradbody_report::text::{Align, Table, fixed, number, rounded};
use gradbody_report::{Figure, Plot, Section, Series};

pub(super) fn outcome(facts: &Facts, tried: &Tried, car: Option<&CarFacts>) -> Findings {
    let mut text = String::new();
    let own = own_table(tried);
    own.write(&mut text);
    let random = random_table(&tried.random);
    let _ = writeln!(text, "\nfrom random starts to random targets:");
    random.write(&mut text);
    let mut sections = vec![own_section(facts, tried, &own), random_section(tried, &random)];
    if let Some(car) = car {
        let sentences = car_sentences(car);
        let _ = writeln!(text, "\n{}", sentences.join("\n"));
        sections.push(car_section(car, sentences));
    }
    let _ = writeln!(text, "\npublished: {}", facts.published);
    Findings {
        title: facts.title.into(),
        lead: format!("{} Published (Qiao et al., 2021): {}.", facts.lead, facts.published),
        sections,
        text,
        json: json(facts, tried, car),
    }
}

fn short(x: f64) -> String {
    number(rounded(x))
}

/// The searches from the start of the task's file.
fn own_table(tried: &Tried) -> Table {
    let mut table = Table::new(&[
        ("method", Align::Left),
        ("misses by [m]", Align::Right),
        ("steps", Align::Right),
        ("simulations", Align::Right),
        ("time [s]", Align::Right),
        ("ended", Align::Left),
    ]);
    let mut row = |method: &str, trial: &Trial| {
        let last = trial.last();
        table.row(vec![
            method.to_owned(),
            short(trial.miss),
            last.iteration.to_string(),
            last.simulations.to_string(),
            fixed(last.seconds, 2),
            if trial.done { "done".to_owned() } else { trial.ended.clone() },
        ]);
    };
    row(&tried.outcome.method, &tried.own);
    if let Some(rival) = &tried.rival {
        row("cma-es", rival);
    }
    table
}

/// The searches from random starts.
fn random_table(random: &[Searches]) -> Table {
    let mut table = Table::new(&[
        ("method", Align::Left),
        ("done", Align::Right),
        ("steps, median (range)", Align::Right),
        ("simulations", Align::Right),
        ("time [s]", Align::Right),
    ]);
    for Searches { method, trials } in random {
        let of = |what: fn(&Point) -> f64, digits: usize| {
            let d = of_done(trials, what);
            let ends = (fixed(d.quantile(0.0), digits), fixed(d.quantile(1.0), digits));
            let median = number((1e3 * d.median()).round() / 1e3);
            format!("{median} ({} to {})", ends.0, ends.1)
        };
        table.row(vec![
            method.clone(),
            format!("{} of {}", count_done(trials), trials.len()),
            of(|point| point.iteration as f64, 0),
            of(|point| point.simulations as f64, 0),
            of(|point| point.seconds, 3),
        ]);
    }
    table
}

fn count_done(trials: &[Trial]) -> usize {
    trials.iter().filter(|trial| trial.done).count()
}

/// A number of the last points of the searches that succeeded.
fn of_done(trials: &[Trial], what: fn(&Point) -> f64) -> Distribution {
    let done = trials.iter().filter(|trial| trial.done);
    Distribution::of(done.map(|trial| what(&trial.last())).collect())
}

/// The loss over steps or seconds.
fn curve(trial: &Trial, x: fn(&Point) -> f64) -> Vec<(f64, f64)> {
    trial.points.iter().filter_map(|point| Some((x(point), point.cost?))).collect()
}

fn own_section(facts: &Facts, tried: &Tried, table: &Table) -> Section {
    let method = &tried.outcome.method;
    let steps = Plot::new("Loss over gradient steps", "step", "loss [m²]")
        .line(Series::new("", curve(&tried.own, |point| point.iteration as f64)))
        .logarithmic()
        .whole_x();
    let mut plots = vec![steps];
    let over = |title: &str, axis: &str, x: fn(&Point) -> f64| {
        let mut plot = Plot::new(title, axis, "loss [m²]")
            .line(Series::new(method.clone(), curve(&tried.own, x)))
            .logarithmic()
            .logarithmic_x();
        if let Some(rival) = &tried.rival {
            plot = plot.line(Series::new("cma-es", curve(rival, x)));
        }
        plot
    };
    plots.push(over("Loss over time", "seconds", |point| point.seconds.max(1e-3)));
    plots.push(over("Loss over simulated motions", "motions", |point| {
        point.simulations.max(1) as f64
    }));
    let mut rows = String::new();
    table.write(&mut rows);
    Section {
        heading: "From the start of the task's file".into(),
        text: vec![format!(
            "The loss is half the squared distance from the target at the end. The file is experiments/tasks/{}.toml; the \
             page plan.html beside this one shows the motion. Simulations count a gradient as one more.",
            facts.name
        )],
        figures: vec![
            Figure::new(
                tried.own.last().iteration.to_string(),
                "",
                format!("steps; published {}", facts.published_steps),
            ),
            Figure::new(short(tried.own.miss), "m", "from the target"),
        ],
        plots,
        markup: html! { pre { (rows) } },
        ..Section::default()
    }
}

fn random_section(tried: &Tried, table: &Table) -> Section {
    let plots = tried.random.iter().map(|Searches { method, trials }| {
        let title = format!("Loss over steps by {method}");
        let mut plot = Plot::new(title, "step", "loss [m²]").logarithmic().whole_x();
        for trial in trials {
            let line = curve(trial, |point| point.iteration as f64);
            plot = plot.line(Series::new("", line).paint("after"));
        }
        plot
    });
    let mut rows = String::new();
    table.write(&mut rows);
    Section {
        heading: "From random starts to random targets".into(),
        text: vec![
            "One line for each start and target. Medians and ranges are those of the searches that succeeded.".into(),
        ],
        plots: plots.collect(),
        markup: html! { pre { (rows) } },
        ..Section::default()
    }
}

fn car_sentences(car: &CarFacts) -> Vec<String> {
    let percent = |x: f64| format!("{} %", short(100.0 * x));
    let [adjoint, duals, differences] = car.slopes;
    vec![
        format!(
            "Found: a friction of {}; in closed form {} ({} off), and with the steps of the simulation {} ({:.1e} off).",
            fixed(car.found, 6),
            fixed(car.closed_form, 6),
            percent((car.found / car.closed_form - 1.0).abs()),
            fixed(car.closed_form_in_steps, 6),
            (car.found / car.closed_form_in_steps - 1.0).abs(),
        ),
        format!(
            "From random starts the found friction differs from the closed form by at most {} where the car still slides at \
             the end ({} cars), and by at most {} where it has stopped ({} cars).",
            percent(car.sliding.0),
            car.sliding.1,
            percent(car.stopped.0),
            car.stopped.1
        ),
        format!(
            "The slope of the loss at the first friction: {adjoint:.12} by the adjoint, {duals:.12} by dual numbers, \
             {differences:.12} by central differences."
        ),
    ]
}

fn car_section(car: &CarFacts, text: Vec<String>) -> Section {
    let plot = Plot::new("Loss over the friction", "friction", "loss [m²]")
        .line(Series::new("", car.landscape.clone()))
        .logarithmic()
        .logarithmic_x();
    Section {
        heading: "The friction in closed form, and the landscape of the loss".into(),
        text,
        plots: vec![plot],
        ..Section::default()
    }
}

fn json(facts: &Facts, tried: &Tried, car: Option<&CarFacts>) -> Value {
    let of_trial = |trial: &Trial| {
        let last = trial.last();
        json!({
            "seed": trial.seed,
            "target": trial.target,
            "done": trial.done,
            "miss": trial.miss,
            "steps": last.iteration,
            "simulations": last.simulations,
            "seconds": last.seconds,
            "ended": trial.ended,
            "parameters": trial.parameters,
        })
    };
    let of_searches = |Searches { method, trials }: &Searches| {
        json!({
            "method": method,
            "done": count_done(trials),
            "of": trials.len(),
            "steps_median": of_done(trials, |point| point.iteration as f64).median(),
            "simulations_median": of_done(trials, |point| point.simulations as f64).median(),
            "seconds_median": of_done(trials, |point| point.seconds).median(),
            "trials": trials.iter().map(of_trial).collect::<Vec<_>>(),
        })
    };
    json!({
        "published": facts.published,
        "method": tried.outcome.method,
        "own": of_trial(&tried.own),
        "first_loss": tried.own.points.first().and_then(|point| point.cost),
        "cma_es": tried.rival.as_ref().map(of_trial),
        "random": tried.random.iter().map(of_searches).collect::<Vec<_>>(),
        "car": car.map(CarFacts::json),
    })
}

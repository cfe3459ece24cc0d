//! The page about a training: how the return grew, the policy at several ages, and what it was trained on.

mod motion;
mod text;

use gradbody_train::{Point, TrainOutcome};
use maud::{Markup, html};

use crate::html::{OUTCOME_SCRIPTS, OUTCOME_STYLE, STYLE, figures, file, plots};
use crate::number::{count, duration, number};
use crate::players::Players;
use crate::{Figure, Plot, Series};

pub use text::summary;

/// A section: what it is called in addresses and in the list at the top, and its inside.
type Chapter = (&'static str, &'static str, Option<Markup>);

/// A report of a training, as a complete HTML file. `folder` is where its files are, as one writes it on a command line.
pub fn page(outcome: &TrainOutcome, folder: &str) -> String {
    let mut players = Players::default();
    let chapters: [Chapter; 5] = [
        ("curves", "Return", curves(outcome)),
        ("ages", "The policy at several ages", motion::ages(outcome, &mut players)),
        ("task", "What it was trained on", Some(task(outcome))),
        ("options", "Options", Some(options(outcome))),
        ("next", "How to go on", Some(next(outcome, folder))),
    ];
    let chapters: Vec<(&str, &str, Markup)> = (chapters.into_iter())
        .filter_map(|(id, title, inside)| Some((id, title, inside?)))
        .collect();
    let title = format!("{}: a policy for {}", outcome.name, outcome.environment);
    let body = html! {
        header {
            h1 { (title) }
            p.lead { (text::found(outcome)) }
            @if let Some(reached) = text::reached(outcome) { p.lead { (reached) } }
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

fn numbers(outcome: &TrainOutcome) -> Vec<Figure> {
    let last = outcome.points.last().copied().unwrap_or_default();
    let mut all = Vec::new();
    if let Some(best) = outcome.best_point().and_then(|point| point.evaluated) {
        let meaning = "mean return of the best policy";
        all.push(Figure::new(number(best.mean, 4), "", meaning));
        all.push(Figure::new(number(best.deviation, 3), "", "standard deviation of its episodes"));
    }
    all.push(Figure::new(duration(last.seconds), "", "of training"));
    if let Some(seconds) = last.processor_seconds {
        all.push(Figure::new(duration(seconds), "", "of processor time"));
    }
    all.push(Figure::new(count(last.samples as usize), "", "samples"));
    if last.gradient_samples > 0 {
        let differentiated = count(last.gradient_samples as usize);
        all.push(Figure::new(differentiated, "", "of these differentiated"));
    }
    all
}

/// The return over wall-clock time, processor time, samples and samples that were differentiated.
fn curves(outcome: &TrainOutcome) -> Option<Markup> {
    if outcome.points.is_empty() {
        return None;
    }
    let over = |title: &str, axis: &str, x: &dyn Fn(&Point) -> Option<f64>| {
        let line = |y: &dyn Fn(&Point) -> Option<f64>| -> Vec<(f64, f64)> {
            let points = outcome.points.iter();
            points.filter_map(|point| Some((x(point)?, y(point)?))).collect()
        };
        let noisy = line(&|point| point.noisy);
        let evaluated = line(&|point| Some(point.evaluated?.mean));
        let mut plot = Plot::new(title, axis, "return of an episode").shows_values();
        let ends = evaluated.first().zip(evaluated.last());
        if let (Some(wanted), Some((first, last))) = (outcome.wanted, ends) {
            let target = vec![(first.0, wanted), (last.0, wanted)];
            plot = plot.line(Series::new("asked for", target).dashed());
        }
        plot.line(Series::new("with the noise of learning", noisy).paint("before"))
            .line(Series::new("without noise", evaluated).dots().paint("after"))
    };
    let mut all = vec![
        over("Return over wall-clock time", "seconds", &|p| Some(p.seconds)),
        over("Return over samples", "samples", &|p| Some(p.samples as f64)),
    ];
    if outcome.points.iter().any(|point| point.gradient_samples > 0) {
        let title = "Return over differentiated samples";
        all.push(over(title, "differentiated samples", &|p| Some(p.gradient_samples as f64)));
    }
    if outcome.points.iter().any(|point| point.processor_seconds.is_some()) {
        all.push(over("Return over processor time", "seconds", &|p| p.processor_seconds));
    }
    Some(html! {
        (plots(&all))
        p.quiet {
            "Without noise: the mean of " (outcome.episodes) " episodes from random starts. With the noise of learning: the mean \
             of the episodes that ended since the point before. Time includes evaluations."
        }
    })
}

/// The environment, and what differed between worlds.
fn task(outcome: &TrainOutcome) -> Markup {
    let [observations, actions] = outcome.sizes;
    html! {
        p {
            (outcome.environment) ": " (observations) " observations, " (actions) " actions, each held for "
            (number(outcome.seconds_per_action, 3)) " s; an episode has at most " (outcome.time_limit) " steps. "
            (outcome.threads) @if outcome.threads == 1 { " thread." } @else { " threads." }
        }
        @if !outcome.ranges.is_empty() {
            p { "These parameters differed between worlds; evaluations had the model's own." }
            div.scroll { table {
                thead { tr { th { "parameter" } th { "from" } th { "to" } } }
                tbody { @for (path, low, high) in &outcome.ranges { tr {
                    th { (path) } td { (number(*low, 4)) } td { (number(*high, 4)) }
                } } }
            } }
        }
    }
}

/// Every key of the task, also those that its file leaves as they are.
fn options(outcome: &TrainOutcome) -> Markup {
    html! {
        div.scroll { table {
            thead { tr { th { "key" } th { "value" } } }
            tbody { @for (key, value) in &outcome.options { tr { th { (key) } td { (value) } } } }
        } }
        p.quiet { "docs/train.md explains them." }
    }
}

/// What can be done with the policy.
fn next(outcome: &TrainOutcome, folder: &str) -> Markup {
    let seconds = 2.0 * outcome.lasted().as_secs_f64().max(30.0).round();
    html! {
        p { "Play episodes of the policy, and look at one:" }
        pre { code {
            "gradbody play " (folder) "/policy.safetensors --episodes 50\n"
            "gradbody view " (folder) "/policy.safetensors"
        } }
        p { "Go on with the training, from where it ended:" }
        pre { code { "gradbody train " (folder) "/task.toml --out " (folder) " --resume --seconds " (seconds) } }
        p { "Take it elsewhere:" }
        pre { code {
            "gradbody play " (folder) "/policy.safetensors --onnx policy.onnx\n"
            "python -c 'import gradbody as gb; print(gb.load_policy(\"" (folder) "/policy.safetensors\"))'"
        } }
    }
}

#[cfg(test)]
mod tests;

//! The results as tables, JSON, plots and drawings.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Split;
use super::drawing;
use super::errors::{INSTANTS, PushError, over_time};
use super::fits::{CENTRE_OF_MASS, STRETCH_X, TIP_FRICTION};
use super::measured::{Body, Push};
use super::results::{DISSIPATIVE, Judged, NETWORK, OWN, Results, TUNED, Way, errors};
use super::turns::Turn;
use crate::Findings;
use crate::distribution::Distribution;
use gradbody_report::text::{Align, Table, fixed, number, rounded};
use gradbody_report::{Figure, Plot, Section, Series};
use maud::html;

/// Errors at the end of a push, on the new shape and on held-out pushes of the known shapes.
struct Summary {
    /// Mean over pushes for each seed, [mm] and [°].
    test: [Distribution; 2],
    new: [Distribution; 2],
    /// Median over pushes for each seed.
    median: [Distribution; 2],
    /// Of each push the mean over seeds, on the new shape and on known shapes.
    test_pushes: [Distribution; 2],
    new_pushes: [Distribution; 2],
    /// Largest number of diverged pushes.
    lost: usize,
}

impl Summary {
    fn of(way: &Way, split: &Split) -> Self {
        let of_seed = |pushes: &[Push], of: &dyn Fn(Distribution) -> f64, is_test: bool| {
            [0, 1].map(|unit| {
                let seeds = way.judged.iter().map(|judged| {
                    let paths = if is_test { &judged.test } else { &judged.new };
                    let ends = errors(pushes, paths);
                    of(Distribution::of(ends.iter().map(|error| error.last()[unit]).collect()))
                });
                Distribution::of(seeds.collect())
            })
        };
        let of_push = |pushes: &[Push], is_test: bool| {
            let of =
                |judged: &Judged| errors(pushes, if is_test { &judged.test } else { &judged.new });
            let seeds: Vec<Vec<PushError>> = way.judged.iter().map(of).collect();
            [0, 1].map(|unit| {
                let mean = |push: usize| {
                    let ends = seeds.iter().map(|errors| errors[push].last()[unit]);
                    ends.sum::<f64>() / seeds.len().max(1) as f64
                };
                Distribution::of((0..pushes.len()).map(mean).collect())
            })
        };
        let lost = way.judged.iter().map(|judged| {
            let all = judged.test.values().chain(judged.new.values());
            all.filter(|path| path.is_none()).count()
        });
        Summary {
            test: of_seed(&split.test, &|ends| ends.mean(), true),
            new: of_seed(&split.new, &|ends| ends.mean(), false),
            median: of_seed(&split.test, &|ends| ends.median(), true),
            test_pushes: of_push(&split.test, true),
            new_pushes: of_push(&split.new, false),
            lost: lost.max().unwrap_or(0),
        }
    }
}

/// `4.51`, or `4.51 (4.2 … 4.9)` for several seeds.
fn with_spread(of: &Distribution, seeds: usize) -> String {
    let mean = fixed(of.mean(), 2);
    if seeds < 2 {
        return mean;
    }
    format!("{mean} ({} … {})", fixed(of.quantile(0.0), 2), fixed(of.quantile(1.0), 2))
}

pub(super) fn outcome(bodies: &BTreeMap<String, Body>, split: &Split, found: &Results) -> Findings {
    let summaries: Vec<Summary> = found.ways.iter().map(|way| Summary::of(way, split)).collect();
    let shape = split.test.first().map_or("", |push| push.shape.as_str());
    let rate = found.effort.gradients_a_second();
    let text = text(split, found, &summaries, shape);
    let sections = vec![Section {
        heading: format!("Pushes of a new shape: {shape}"),
        text: remarks(found, &summaries, shape),
        figures: vec![
            Figure::new(fixed(summaries[TUNED].test[0].mean(), 1), "mm", "error at the end, tuned"),
            Figure::new(
                fixed(summaries[NETWORK].test[0].mean(), 1),
                "mm",
                "error at the end, tuned with a network",
            ),
            Figure::new(number(rate.round()), "1/s", "rollouts differentiated"),
        ],
        plots: plots(split, found),
        markup: html! {
            p { "Errors at the end of a push, mean over pushes; for several seeds, the mean (least … most):" }
            pre { (table(found, &summaries, shape)) }
            (drawing::pushes(bodies, split, &found.ways))
            p { (BODIES) ":" }
            pre { (bodies_table(found)) }
            p { (TURNS) ":" }
            pre { (turns_table(&found.turns)) }
        },
        ..Section::default()
    }];
    Findings {
        title: "Bodies pushed over a table".into(),
        lead: "Measured pushes of 50 mm (Yu et al. 2016), predicted from the motion of the tip alone, for a shape \
               outside the training set (NeuralSim, 2021, figure 7)."
            .into(),
        sections,
        text,
        json: json(split, found, &summaries),
    }
}

fn table(found: &Results, summaries: &[Summary], shape: &str) -> String {
    let mut table = Table::new(&[
        ("model", Align::Left),
        ("weights", Align::Right),
        (&format!("{shape} [mm]"), Align::Left),
        ("[°]", Align::Left),
        ("median", Align::Left),
        ("known shapes [mm]", Align::Left),
        ("[°]", Align::Left),
    ]);
    for (way, summary) in found.ways.iter().zip(summaries) {
        let seeds = way.judged.len();
        let [millimetres, degrees] = &summary.median;
        table.row(vec![
            way.name.to_owned(),
            if way.weights == 0 { String::new() } else { way.weights.to_string() },
            with_spread(&summary.test[0], seeds),
            with_spread(&summary.test[1], seeds),
            format!("{} mm, {}°", fixed(millimetres.mean(), 2), fixed(degrees.mean(), 2)),
            with_spread(&summary.new[0], seeds),
            with_spread(&summary.new[1], seeds),
        ]);
    }
    table.text()
}

/// Captions of the two tables that follow.
const BODIES: &str = "each body alone: parameters identified on its own pushes, and the ratio of tangential to normal \
                      force measured while the tip slides (least … median … most, number of pushes)";
const TURNS: &str = "each shape left out of training in turn: errors at the end of its pushes, tuned and with a \
                     network, one seed";

fn bodies_table(found: &Results) -> String {
    let mut table = Table::new(&[
        ("body", Align::Left),
        ("pushes", Align::Right),
        ("stretch of points", Align::Right),
        ("centre of mass [mm]", Align::Right),
        ("friction of tip", Align::Right),
        ("measured", Align::Left),
    ]);
    for body in found.alone.known.iter().chain([&found.alone.unknown]) {
        let centre = CENTRE_OF_MASS.map(|path| 1e3 * body.number(path));
        table.row(vec![
            body.shape.clone(),
            body.pushes.to_string(),
            fixed(body.number(STRETCH_X), 2),
            centre.map(|x| fixed(x, 1)).join(", "),
            fixed(body.number(TIP_FRICTION), 2),
            body.measured_friction().map_or("not measured".into(), |(pushes, quantiles)| {
                let quantiles = quantiles.map(|x| fixed(x, 2)).join(" … ");
                format!("{quantiles}, of {pushes}")
            }),
        ]);
    }
    table.text()
}

fn turns_table(turns: &[Turn]) -> String {
    let mut table = Table::new(&[
        ("left out", Align::Left),
        ("pushes", Align::Right),
        ("tuned [mm]", Align::Right),
        ("[°]", Align::Right),
        ("with network [mm]", Align::Right),
        ("[°]", Align::Right),
    ]);
    for turn in turns.iter().chain([&all_of(turns)]) {
        let errors = turn.tuned.into_iter().chain(turn.network).map(|error| fixed(error, 2));
        let name = [turn.shape.clone(), turn.pushes.to_string()];
        table.row(name.into_iter().chain(errors).collect());
    }
    table.text()
}

/// The mean over all pushes.
fn all_of(turns: &[Turn]) -> Turn {
    let pushes = turns.iter().map(|turn| turn.pushes).sum::<usize>();
    let mean = |of: fn(&Turn) -> [f64; 2]| {
        [0, 1].map(|unit| {
            let sum = turns.iter().map(|turn| of(turn)[unit] * turn.pushes as f64).sum::<f64>();
            sum / pushes as f64
        })
    };
    let (tuned, network) = (mean(|turn| turn.tuned), mean(|turn| turn.network));
    Turn { shape: "all".into(), pushes, tuned, network }
}

fn text(split: &Split, found: &Results, summaries: &[Summary], shape: &str) -> String {
    let mut text = format!(
        "errors at the end of a push: mean over {} pushes of {shape}, a new shape, and over {} held-out pushes\nof \
         known shapes ({} training pushes); for several seeds, the mean (least … most)\n\n",
        split.test.len(),
        split.new.len(),
        split.train.len()
    );
    text.push_str(&table(found, summaries, shape));
    let _ = write!(text, "\n{BODIES}\n\n{}", bodies_table(found));
    let _ = write!(text, "\n{TURNS}\n\n{}", turns_table(&found.turns));
    for remark in remarks(found, summaries, shape) {
        let _ = write!(text, "\n{remark}");
    }
    text.push('\n');
    text
}

/// Sentences that summarise the results.
fn remarks(found: &Results, summaries: &[Summary], shape: &str) -> Vec<String> {
    let change = |k: usize, of: fn(&Summary) -> &[Distribution; 2], unit: usize| {
        100.0 * (of(&summaries[k])[unit].mean() / of(&summaries[TUNED])[unit].mean() - 1.0)
    };
    let test = |summary: &Summary| -> String {
        let [a, b] = &summary.test;
        format!("{} mm and {}°", fixed(a.mean(), 2), fixed(b.mean(), 2))
    };
    // Avoid "-0 %".
    let percent = |x: f64| format!("{:+.0} %", x.round() + 0.0);
    let on = |k: usize, of: fn(&Summary) -> &[Distribution; 2]| {
        let [position, angle] = [0, 1].map(|unit| percent(change(k, of, unit)));
        format!("{position} (position) and {angle} (angle)")
    };
    let numbers = found.numbers.iter().map(|(name, before, after)| {
        format!("{name} {} → {}", number(*before), number(rounded(*after)))
    });
    let mut remarks = vec![
        format!(
            "Relative to the tuned model, the free network changes the error on {shape} by {}, the dissipative one by \
             {}; on held-out pushes of the known shapes, by {} and {}.",
            on(NETWORK, |s| &s.test),
            on(DISSIPATIVE, |s| &s.test),
            on(NETWORK, |s| &s.new),
            on(DISSIPATIVE, |s| &s.new)
        ),
        format!(
            "The same analytical model, identified on other pushes of the same body with its centre of mass, has an \
             error of {} on {shape}, a change of {}; on held-out pushes of the known shapes the change is {}.",
            test(&summaries[OWN]),
            on(OWN, |s| &s.test),
            on(OWN, |s| &s.new)
        ),
        format!(
            "Identified on the same pushes of {shape} that it is evaluated on, with the body's own centre of mass, it \
             has an error of {} mm and {}°.",
            fixed(found.of_itself[0], 2),
            fixed(found.of_itself[1], 2)
        ),
        format!("Identified: {}.", numbers.collect::<Vec<_>>().join(", ")),
        format!(
            "{} rollouts were differentiated, {} per second.",
            number(found.effort.gradients.round()),
            number(found.effort.gradients_a_second().round())
        ),
    ];
    if let (Some([millimetres, degrees]), Some((pushes, [low, _, high]))) =
        (found.sway, found.alone.unknown.measured_friction())
    {
        remarks.push(format!(
            "The force sensor measures a friction between tip and {shape} from {} to {} ({pushes} pushes). With these \
             two values the tuned model's pushes end {} mm and {}° apart.",
            fixed(low, 2),
            fixed(high, 2),
            fixed(millimetres, 2),
            fixed(degrees, 2)
        ));
    }
    let lost: usize = summaries.iter().map(|summary| summary.lost).sum();
    if lost > 0 {
        remarks.push(format!("{lost} predictions diverged; their errors are infinite."));
    }
    remarks
}

/// The mean error over the course of a push, for the models of the first seed.
fn plots(split: &Split, found: &Results) -> Vec<Plot> {
    [("Position error", "mean over pushes [mm]"), ("Angle error", "mean over pushes [°]")]
        .into_iter()
        .enumerate()
        .map(|(unit, (title, axis))| {
            let mut plot = Plot::new(title, "part of the push [%]", axis).logarithmic();
            for way in &found.ways {
                let of_seed = errors(&split.test, &way.judged[0].test);
                plot = plot.line(Series::new(way.name, curve(&of_seed, unit)));
            }
            plot.caption("On the new shape; networks with their first seed.")
        })
        .collect()
}

fn curve(errors: &[PushError], unit: usize) -> Vec<(f64, f64)> {
    let share = |k: usize| 100.0 * (k + 1) as f64 / INSTANTS as f64;
    over_time(errors).iter().enumerate().map(|(k, both)| (share(k), both[unit])).collect()
}

fn json(split: &Split, found: &Results, summaries: &[Summary]) -> Value {
    let both = |[a, b]: &[Distribution; 2]| json!({ "mm": a.json(), "degrees": b.json() });
    let ways = found.ways.iter().zip(summaries).map(|(way, summary)| {
        let over_time: Vec<Value> = way
            .judged
            .iter()
            .map(|judged| json!(over_time(&errors(&split.test, &judged.test))))
            .collect();
        json!({
            "model": way.name,
            "weights": way.weights,
            "seeds": way.judged.len(),
            "new_shape": both(&summary.test),
            "new_shape_median_push": both(&summary.median),
            "new_shape_by_push": both(&summary.test_pushes),
            "new_pushes_of_known_shapes": both(&summary.new),
            "new_pushes_of_known_shapes_by_push": both(&summary.new_pushes),
            "diverged": summary.lost,
            "new_shape_over_time_mm_degrees": over_time,
        })
    });
    let numbers = found.numbers.iter().map(
        |(name, before, after)| json!({ "name": name, "before": before, "identified": after }),
    );
    let bodies = found.alone.known.iter().chain([&found.alone.unknown]).map(|body| {
        json!({
            "body": body.shape,
            "pushes": body.pushes,
            "stretch_of_points": body.number(STRETCH_X),
            "centre_of_mass_mm": CENTRE_OF_MASS.map(|path| 1e3 * body.number(path)),
            "tip_friction": body.number(TIP_FRICTION),
            "tip_friction_measured_least_median_most": body.measured_friction().map(|(_, of)| of),
            "tip_friction_measured_in_pushes": body.measured_friction().map_or(0, |(pushes, _)| pushes),
        })
    });
    let turns = found.turns.iter().map(|turn| {
        json!({
            "left_out": turn.shape,
            "pushes": turn.pushes,
            "tuned_mm_degrees": turn.tuned,
            "network_mm_degrees": turn.network,
        })
    });
    json!({
        "experiment": "pushing",
        "new_shape_fitted_to_itself_mm_degrees": found.of_itself,
        "new_shape_apart_by_tip_friction_mm_degrees": found.sway,
        "bodies": bodies.collect::<Vec<Value>>(),
        "shapes_left_out": turns.collect::<Vec<Value>>(),
        "pushes": { "learned_from": split.train.len(), "new": split.new.len(), "new_shape": split.test.len() },
        "models": ways.collect::<Vec<Value>>(),
        "numbers": numbers.collect::<Vec<Value>>(),
        "rollout_gradients": found.effort.gradients,
        "rollout_gradients_a_second": found.effort.gradients_a_second(),
    })
}

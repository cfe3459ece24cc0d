//! The results as tables for the terminal, and as JSON.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::Found;
use super::errors::Summary;
use super::gradients::KINDS;
use super::study::{CONTENDERS, Fitted};
use crate::distribution::Distribution;
use crate::effort::Effort;
use gradbody_report::text::{Align, Table};

/// The mean, smallest and largest value of a number over the seeds.
pub(super) fn spread(fitted: &[Fitted], of: impl Fn(&Summary) -> f64) -> [f64; 3] {
    let values = Distribution::of(fitted.iter().map(|f| of(&f.held_out)).collect());
    [values.mean(), values.quantile(0.0), values.quantile(1.0)]
}

/// The total effort of all searches with gradients.
pub(super) fn effort(found: &Found) -> Effort {
    let networks = found.study.fitted[2..].iter().flatten().flatten().map(|f| f.effort);
    let tools = found.tools.iter().map(|tool| tool.effort);
    networks.chain(tools).fold(found.matched.effort, Effort::and)
}

pub(super) fn text(found: &Found) -> String {
    let Found { matched, study, divergence, .. } = found;
    let mut text = String::new();
    let pair = |(position, rotation): (f64, f64)| format!("{position:.1} % and {rotation:.1}°");
    let _ = writeln!(
        text,
        "Hunt-Crossley contact and friction network fitted to simulated throws (LCP) by basin hopping: \
         {} before, {} after, {} on held-out throws\n",
        pair(matched.before.whole),
        pair(matched.after.whole),
        pair(matched.others.whole)
    );
    let _ = writeln!(
        text,
        "{} held-out measured tosses: mean error over whole tosses, mean (least … most of {} draws)",
        found.tosses.held_out.len(),
        study.fitted[0][0].len()
    );
    errors_table(found).write(&mut text);
    let _ = writeln!(
        text,
        "\nby phase: position [% of the side] and rotation [degrees], largest training set, mean of draws"
    );
    phases_table(found).write(&mut text);
    let _ = writeln!(
        text,
        "\nerror of a model against itself, started from a recording with the camera's noise: rigid {}, \
         compliant {}",
        pair(divergence[0].whole),
        pair(divergence[1].whole)
    );
    let _ =
        writeln!(text, "\nkinds of contact gradients: rigid law, Adam, same start and iterations");
    tools_table(found).write(&mut text);
    let effort = effort(found);
    let _ = writeln!(
        text,
        "\n{:.0} rollout gradients in {:.0} s: {:.0} per second",
        effort.gradients,
        effort.seconds,
        effort.gradients_a_second()
    );
    text
}

pub(super) fn errors_table(found: &Found) -> Table {
    let mut table = Table::new(&[
        ("model", Align::Left),
        ("tosses", Align::Right),
        ("position [% of the side]", Align::Right),
        ("rotation [degrees]", Align::Right),
        ("position at the end", Align::Right),
    ]);
    let cell = |[mean, least, most]: [f64; 3]| format!("{mean:.1} ({least:.1} … {most:.1})");
    for (contender, summary) in CONTENDERS.iter().zip(&found.study.published) {
        let name = format!("{}, published numbers", contender.name);
        let (position, rotation) = summary.whole;
        let row = [position, rotation, summary.end.0].map(|x| format!("{x:.1}"));
        table.row([vec![name, "0".into()], row.to_vec()].concat());
    }
    for (contender, by_size) in CONTENDERS.iter().zip(&found.study.fitted) {
        for (size, fitted) in found.study.sizes.iter().zip(by_size) {
            table.row(vec![
                contender.name.into(),
                size.to_string(),
                cell(spread(fitted, |s| s.whole.0)),
                cell(spread(fitted, |s| s.whole.1)),
                cell(spread(fitted, |s| s.end.0)),
            ]);
        }
    }
    table
}

pub(super) fn phases_table(found: &Found) -> Table {
    let heads = ["model", "in flight", "first impact", "after", "at the end"];
    let align = |k: usize| if k == 0 { Align::Left } else { Align::Right };
    let columns: Vec<_> = heads.iter().enumerate().map(|(k, head)| (*head, align(k))).collect();
    let mut table = Table::new(&columns);
    for (contender, by_size) in CONTENDERS.iter().zip(&found.study.fitted) {
        let Some(fitted) = by_size.last() else { continue };
        let cell = |of: fn(&Summary) -> (f64, f64)| {
            let [position, ..] = spread(fitted, |s| of(s).0);
            let [rotation, ..] = spread(fitted, |s| of(s).1);
            format!("{position:.2} {rotation:.2}")
        };
        let cells = [cell(|s| s.flight), cell(|s| s.impact), cell(|s| s.after), cell(|s| s.end)];
        table.row([vec![contender.name.to_owned()], cells.to_vec()].concat());
    }
    table
}

fn tools_table(found: &Found) -> Table {
    let heads = ["gradient", "cosine", "a gradient [s]", "fit [s]", "cost", "position", "rotation"];
    let align = |k: usize| if k == 0 { Align::Left } else { Align::Right };
    let columns: Vec<_> = heads.iter().enumerate().map(|(k, head)| (*head, align(k))).collect();
    let mut table = Table::new(&columns);
    for ((name, _), tool) in KINDS.iter().zip(&found.tools) {
        table.row(vec![
            (*name).into(),
            format!("{:.3}", tool.cosine),
            format!("{:.3}", tool.gradient_seconds),
            format!("{:.1}", tool.effort.seconds),
            format!("{:.0} → {:.0}", tool.costs.0, tool.costs.1),
            format!("{:.1} %", tool.held_out.whole.0),
            format!("{:.1}°", tool.held_out.whole.1),
        ]);
    }
    table
}

pub(super) fn json(found: &Found) -> Value {
    let Found { matched, study, divergence, tools, tosses } = found;
    let contenders: Map<String, Value> = CONTENDERS
        .iter()
        .zip(&study.fitted)
        .map(|(contender, by_size)| {
            let sizes: Vec<Value> =
                study.sizes.iter().zip(by_size).map(|(size, f)| size_json(*size, f)).collect();
            (contender.key.to_owned(), json!(sizes))
        })
        .collect();
    let tools: Map<String, Value> = KINDS
        .iter()
        .zip(tools)
        .map(|((name, _), tool)| ((*name).to_owned(), json!(tool)))
        .collect();
    let effort = effort(found);
    json!({
        "experiment": "cube-throw",
        "units": { "position": "% of the side", "rotation": "degrees" },
        "held_out_tosses": tosses.held_out.len(),
        "simulated": {
            "before": matched.before, "after": matched.after, "not_trained_on": matched.others,
        },
        "published": { "ncp": study.published[0], "hc": study.published[1] },
        "fitted": contenders,
        "divergence": { "ncp": divergence[0], "hc": divergence[1] },
        "contact_gradients": tools,
        "rollout_gradients_a_second": effort.gradients_a_second(),
    })
}

/// The mean, smallest and largest value of each error, and the single fits.
fn size_json(size: usize, fitted: &[Fitted]) -> Value {
    let of = |of: fn(&Summary) -> f64| {
        let [mean, least, most] = spread(fitted, of);
        json!({ "mean": mean, "least": least, "most": most })
    };
    json!({
        "tosses": size,
        "position": of(|s| s.whole.0),
        "rotation": of(|s| s.whole.1),
        "position_first_impact": of(|s| s.impact.0),
        "rotation_first_impact": of(|s| s.impact.1),
        "position_end": of(|s| s.end.0),
        "rotation_end": of(|s| s.end.1),
        "draws": fitted.iter().map(|f| json!(f.held_out)).collect::<Vec<_>>(),
        "found": fitted.iter().map(|f| json!(f.z)).collect::<Vec<_>>(),
    })
}

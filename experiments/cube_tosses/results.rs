//! The errors as a table for the terminal, and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::errors::Measure;
use super::measured::Toss;
use super::simulated::Outcomes;
use super::{FRICTION, GRAVITY, RATE, RESTITUTION, SIDE};
use gradbody_report::text::{Align, Table};

pub(super) fn table(tosses: &[Toss], outcomes: &[Outcomes]) -> String {
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

pub(super) fn json(tosses: &[Toss], outcomes: &[Outcomes]) -> Value {
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

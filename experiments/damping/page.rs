//! The results as tables, JSON and plots.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::comparison::{Compared, HORIZON};
use super::discovery::{Discovery, MOST, inputs};
use super::swings::{DT, HELD_OUT, HELD_OUT_SAMPLES, NOISE, SAMPLES};
use super::{DAMPING, SEED};
use crate::Findings;
use crate::distribution::Distribution;
use crate::double_pendulum::JOINTS;
use gradbody_report::text::{Align, Table, fixed, number, rounded};
use gradbody_report::{Figure, Plot, Section, Series};

pub(super) fn outcome(found: &Discovery, compared: &Compared) -> Findings {
    let mut text = format!(
        "torque of each joint corrected by {} weights, trained on {} transitions\n",
        found.path[0].iter().map(Vec::len).sum::<usize>(),
        found.transitions
    );
    weights_table(found).write(&mut text);
    let left =
        if found.is_damping() { "only q̇_i → τ_i remains" } else { "other inputs remain" };
    let _ = writeln!(text, "{left}, from iteration {} on\n", found.settled);
    let _ = writeln!(
        text,
        "rms angle error [rad] over {} s on {HELD_OUT} held-out swings; training swings of {} steps; model without \
         friction {}",
        fixed(seconds(HELD_OUT_SAMPLES), 1),
        SAMPLES - 1,
        number(rounded(compared.frictionless))
    );
    errors_table(compared).write(&mut text);
    let _ = writeln!(
        text,
        "the corrected model with {} swing{} has an error {:.0} times smaller than the network with {}",
        compared.sizes[0],
        if compared.sizes[0] == 1 { "" } else { "s" },
        advantage(compared),
        compared.sizes[compared.sizes.len() - 1]
    );
    Findings {
        title: "Friction that a model lacks".into(),
        lead: "The lasso finds which inputs a correction depends on, and from how few recordings \
               (NeuralSim, 2021, figure 10)."
            .into(),
        sections: vec![discovery_section(found), comparison_section(compared)],
        text,
        json: json(found, compared),
    }
}

fn seconds(samples: usize) -> f64 {
    (samples - 1) as f64 * DT
}

/// `q̇2` for `joint/elbow/velocity`.
fn symbol(input: &str) -> String {
    let place = JOINTS.iter().position(|joint| input.contains(joint)).unwrap_or(0) + 1;
    match input.ends_with("velocity") {
        true => format!("q̇{place}"),
        false => format!("q{place}"),
    }
}

/// Ratio of mean errors: the network's with the most swings over the corrected model's with the fewest.
fn advantage(compared: &Compared) -> f64 {
    let mean =
        |errors: Option<&Vec<f64>>| Distribution::of(errors.cloned().unwrap_or_default()).mean();
    mean(compared.theirs.last()) / mean(compared.ours.first())
}

fn weights_table(found: &Discovery) -> Table {
    let names: Vec<String> = inputs().iter().map(|input| symbol(input)).collect();
    let mut columns = vec![("torque", Align::Left)];
    columns.extend(names.iter().map(|name| (name.as_str(), Align::Right)));
    columns.extend([("without lasso", Align::Right), ("true", Align::Right)]);
    let mut table = Table::new(&columns);
    let last = &found.path[found.path.len() - 1];
    for (k, (weights, terms)) in last.iter().zip(&found.model.terms).enumerate() {
        let mut row = vec![format!("τ{}", k + 1)];
        row.extend(weights.iter().map(|w| if *w == 0.0 { "0".into() } else { fixed(*w, 4) }));
        let terms =
            terms.iter().map(|(input, slope)| format!("{} {}", fixed(*slope, 6), symbol(input)));
        row.push(terms.collect::<Vec<_>>().join(" "));
        row.push(format!("{} q̇{}", -DAMPING[k], k + 1));
        table.row(row);
    }
    table
}

fn errors_table(compared: &Compared) -> Table {
    let mut table = Table::new(&[
        ("swings", Align::Right),
        ("ours", Align::Right),
        ("least … most", Align::Left),
        ("network", Align::Right),
        ("least … most", Align::Left),
        ("only q̇_i", Align::Right),
    ]);
    let rows = compared.ours.iter().zip(&compared.theirs).zip(&compared.exact);
    for (size, ((ours, theirs), exact)) in compared.sizes.iter().zip(rows) {
        let cells = |errors: &Vec<f64>| {
            let spread = Distribution::of(errors.clone());
            let short = |x: f64| number(rounded(x));
            [
                short(spread.mean()),
                format!("{} … {}", short(spread.quantile(0.0)), short(spread.quantile(1.0))),
            ]
        };
        let mut row = vec![size.to_string()];
        row.extend(cells(ours));
        row.extend(cells(theirs));
        row.push(format!("{exact} of {}", ours.len()));
        table.row(row);
    }
    table
}

fn discovery_section(found: &Discovery) -> Section {
    let plots = JOINTS.iter().enumerate().map(|(k, joint)| {
        let title = format!("Weights of the torque correction at the {joint}");
        let mut plot = Plot::new(title, "iteration", format!("weight in τ{}", k + 1)).whole_x();
        for (i, input) in inputs().iter().enumerate() {
            let path = found.path.iter().enumerate().map(|(n, w)| (n as f64, w[k][i]));
            plot = plot.line(Series::new(symbol(input), path.collect()));
        }
        let last = (found.path.len() - 1) as f64;
        let truth = vec![(0.0, -DAMPING[k]), (last, -DAMPING[k])];
        plot.line(Series::new("true damping", truth).dashed())
    });
    let slope = |k: usize| found.model.terms[k].first().map_or(0.0, |(_, slope)| *slope);
    Section {
        heading: "The missing effect".into(),
        text: vec![format!(
            "The true pendulum has damped joints; the model has no damping. A correction of each joint's torque may \
             read both angles and both velocities. Its weights start at random values and are trained on the one-step \
             errors of {} transitions, recorded with noise of {} rad and {} rad/s, by proximal Adam under an adaptive \
             lasso, which sets useless weights to exactly zero. The remaining inputs are then fitted again without \
             the lasso, which shrinks slopes.",
            found.transitions, NOISE.0, NOISE.1
        )],
        figures: vec![
            Figure::new(
                found.settled.to_string(),
                "iterations",
                "until the set of remaining inputs is final",
            ),
            Figure::new(
                fixed(slope(0), 6),
                "N m s/rad",
                format!("slope at the shoulder, true {}", -DAMPING[0]),
            ),
            Figure::new(
                fixed(slope(1), 6),
                "N m s/rad",
                format!("slope at the elbow, true {}", -DAMPING[1]),
            ),
        ],
        plots: plots.collect(),
        ..Section::default()
    }
}

fn comparison_section(compared: &Compared) -> Section {
    let mean = |all: &[Vec<f64>]| -> Vec<(f64, f64)> {
        let of = |errors: &Vec<f64>| Distribution::of(errors.clone()).mean();
        compared.sizes.iter().zip(all).map(|(size, e)| (*size as f64, of(e))).collect()
    };
    let each = |all: &[Vec<f64>]| -> Vec<(f64, f64)> {
        let of = |(size, errors): (&usize, &Vec<f64>)| {
            let size = *size as f64;
            errors.iter().map(move |e| (size, *e)).collect::<Vec<_>>()
        };
        compared.sizes.iter().zip(all).flat_map(of).collect()
    };
    let (first, last) = (compared.sizes[0] as f64, compared.sizes[compared.sizes.len() - 1] as f64);
    let flat = vec![(first, compared.frictionless), (last, compared.frictionless)];
    let plot = Plot::new("Error on held-out swings", "training swings", "rms angle error [rad]")
        .logarithmic()
        .logarithmic_x()
        .line(Series::new("corrected model", mean(&compared.ours)))
        .line(Series::new("learned network", mean(&compared.theirs)))
        .line(Series::new("each repeat", each(&compared.ours)).dots().paint("c0"))
        .line(Series::new("each repeat", each(&compared.theirs)).dots().paint("c1"))
        .line(Series::new("model without friction", flat).dashed().paint("before"))
        .caption(
            "Lines are means over the repeats; each repeat has its own training swings and initial weights.",
        );
    Section {
        heading: "Number of recordings needed".into(),
        text: vec![format!(
            "A training swing has {} steps of {DT} s and a random start. The corrected model is trained as above, on \
             at most {MOST} swings. The network ({} weights, tanh) learns the change of the whole state in a step and \
             is trained through rollouts of {HORIZON} steps. Both then predict {HELD_OUT} swings of {} s from their \
             first state.",
            SAMPLES - 1,
            compared.weights,
            fixed(seconds(HELD_OUT_SAMPLES), 1)
        )],
        figures: vec![Figure::new(
            format!("{:.0}", advantage(compared)),
            "times",
            format!("smaller error with {} swing(s) than the network with {}", first, last),
        )],
        plots: vec![plot],
        ..Section::default()
    }
}

fn json(found: &Discovery, compared: &Compared) -> Value {
    let joint = |k: usize| {
        let terms = &found.model.terms[k];
        json!({
            "joint": JOINTS[k],
            "true_slope": -DAMPING[k],
            "weights": found.path[found.path.len() - 1][k],
            "left": terms.iter().map(|(input, slope)| json!({ "input": input, "slope": slope })).collect::<Vec<_>>(),
        })
    };
    let size = |k: usize| {
        json!({
            "swings": compared.sizes[k],
            "corrected": compared.ours[k],
            "learned": compared.theirs[k],
            "only_own_velocity": compared.exact[k],
        })
    };
    json!({
        "seed": SEED,
        "discovery": {
            "transitions": found.transitions,
            "inputs": inputs(),
            "only_own_velocity": found.is_damping(),
            "settled_at_iteration": found.settled,
            "joints": (0..found.model.terms.len()).map(joint).collect::<Vec<_>>(),
            "path": found.path,
        },
        "comparison": {
            "error": "rms angle error [rad]",
            "seconds": seconds(HELD_OUT_SAMPLES),
            "noise": { "angle_rad": NOISE.0, "velocity_rad_s": NOISE.1 },
            "steps_of_a_swing": SAMPLES - 1,
            "without_friction": compared.frictionless,
            "network_weights": compared.weights,
            "sizes": (0..compared.sizes.len()).map(size).collect::<Vec<_>>(),
            "advantage": advantage(compared),
        },
    })
}

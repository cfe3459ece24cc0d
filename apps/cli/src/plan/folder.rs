//! The files of a plan.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use gradbody::control::Gains;
use gradbody::model::Model;
use gradbody::model::export;
use gradbody::plan::{Begun, Journal, PlanOutcome, Point, RecedingOutcome, ReplanOutcome};
use gradbody_report::text::csv_cell;

use crate::atomic_file::AtomicFile;
use crate::out_folder::OutFolder;

/// The model as it was planned for, with its ground, servos and objects, and a keyframe where the plan begins.
pub(super) const MODEL: &str = "model.xml";

/// Files with the results of a search.
pub(super) const RESULTS: [&str; 9] = [
    MODEL,
    "task.toml",
    "plan.csv",
    "controls.csv",
    "gains.npy",
    "outcome.json",
    "progress.csv",
    "replans.csv",
    "report.html",
];

/// Writes the outcome as files, and the journal. All are tried, whether or not the ones before failed: on a disk that is
/// nearly full, the results find room before the checkpoint does.
pub(super) fn write_outcome(
    folder: &OutFolder,
    outcome: &PlanOutcome,
    journal: &Journal,
) -> [anyhow::Result<()>; 3] {
    [
        write_plan(folder, outcome),
        folder.write("report.html", &gradbody_report::plan::page(outcome)),
        folder.write_checkpoint(journal),
    ]
}

/// Writes the motion, the controls, the numbers of the outcome, and how the cost fell or what the plans on the way cost.
fn write_plan(folder: &OutFolder, outcome: &PlanOutcome) -> anyhow::Result<()> {
    folder.write("controls.csv", &controls(outcome))?;
    folder.write("plan.csv", &motion(outcome))?;
    match &outcome.receding {
        Some(receding) => folder.write("replans.csv", &replans(receding))?,
        None => folder.write("progress.csv", &progress(&outcome.points))?,
    }
    folder.write("outcome.json", &serde_json::to_string_pretty(outcome)?)
}

/// How the cost fell.
fn progress(points: &[Point]) -> String {
    let mut text = String::from("iteration,seconds,simulations,cost\n");
    for Point { iteration, seconds, simulations, cost } in points {
        let cost = cost.map_or(String::new(), |cost| cost.to_string());
        let _ = writeln!(text, "{iteration},{seconds:.4},{simulations},{cost}");
    }
    text
}

/// When each plan on the way begins and with what, what it cost before it was improved and after, the share of the last step
/// that was taken, the residual of its contacts, and how long it took to make.
fn replans(receding: &RecedingOutcome) -> String {
    let mut text = String::from("t,begun,before,cost,step,residual,microseconds\n");
    let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    for ReplanOutcome { time, begun, before, cost, length, residual, micros } in &receding.replans {
        let begun = match begun {
            Begun::Feedback => "feedback",
            Begun::OpenLoop => "open-loop",
            Begun::FirstActions => "first-actions",
        };
        let (before, cost) = (number(*before), number(*cost));
        let _ = writeln!(text, "{time},{begun},{before},{cost},{length},{residual:e},{micros:.1}");
    }
    text
}

/// The actions of each knot, from the time at which it begins.
fn controls(outcome: &PlanOutcome) -> String {
    let mut text = String::from("t");
    for action in &outcome.actions {
        let _ = write!(text, ",{}", csv_cell(&column(&action.name)));
    }
    text.push('\n');
    for (knot, time) in outcome.times.iter().take(outcome.times.len().saturating_sub(1)).enumerate()
    {
        let _ = write!(text, "{time}");
        for action in &outcome.actions {
            let _ = write!(text, ",{}", action.values[knot]);
        }
        text.push('\n');
    }
    text
}

/// The name of an action in a file of controls, as `gradbody simulate --controls` reads it.
fn column(name: &str) -> String {
    match (name.strip_prefix("control/"), name.strip_prefix("joint/")) {
        (Some(actuator), _) => actuator.to_owned(),
        (_, Some(joint)) => match joint.rsplit_once("/force/") {
            Some((joint, suffix)) => format!("tau:{joint}/{suffix}"),
            None => format!("tau:{}", joint.strip_suffix("/force").unwrap_or(joint)),
        },
        _ => name.to_owned(),
    }
}

/// The states at the start and at the end of each knot, and what acts and touches: in the last row as in the row before.
fn motion(outcome: &PlanOutcome) -> String {
    let mut text = String::from("t");
    for (letter, names) in ["q", "v", "a"].into_iter().zip(&outcome.state_names) {
        for name in names {
            let _ = write!(text, ",{}", csv_cell(&format!("{letter}:{name}")));
        }
    }
    for action in &outcome.actions {
        let _ = write!(text, ",{}", csv_cell(&action.name));
    }
    for track in &outcome.forces {
        for axis in ["x", "y", "z"] {
            let name = format!("link/{}/contact-force/{axis}", track.link);
            let _ = write!(text, ",{}", csv_cell(&name));
        }
    }
    text.push('\n');
    let last = outcome.times.len().saturating_sub(2);
    for (row, (time, state)) in outcome.times.iter().zip(&outcome.states).enumerate() {
        let _ = write!(text, "{time}");
        for number in state.iter().flatten() {
            let _ = write!(text, ",{number}");
        }
        for action in &outcome.actions {
            let _ = write!(text, ",{}", action.values[row.min(last)]);
        }
        // The forces in a knot are those of its last step, so they belong to the row at its end.
        for track in &outcome.forces {
            for number in track.values[row.saturating_sub(1)] {
                let _ = write!(text, ",{number}");
            }
        }
        text.push('\n');
    }
    text
}

/// Writes the feedback gains as a NumPy array (knots, actions, state changes); nothing without gains.
pub(super) fn write_gains(folder: &OutFolder, gains: Option<&[Gains]>) -> anyhow::Result<()> {
    let Some(gains) = gains.filter(|gains| !gains.is_empty()) else { return Ok(()) };
    let actions = gains[0].actions();
    let rows = || gains.iter().flat_map(|of_knot| (0..actions).map(|k| of_knot.by_state(k)));
    let states = rows().next().map_or(0, <[f64]>::len);
    let shape = [gains.len(), actions, states];
    let mut file = AtomicFile::create(&folder.path("gains.npy"))?;
    file.write_all(&npy_header(shape))?;
    for number in rows().flatten() {
        file.write_all(&number.to_le_bytes())?;
    }
    file.finish()
}

/// Writes the model, with notes on stderr about what the format cannot hold. Without a model that it can express, nothing.
pub(super) fn write_model(folder: &OutFolder, model: Option<Model<f64>>) -> anyhow::Result<()> {
    let Some(model) = model else { return Ok(()) };
    match export::mjcf_in(&model, &folder.path("")) {
        Ok(exported) => {
            for note in exported.notes.iter().filter(|note| *note != export::NOT_OF_A_MODEL) {
                let _ = writeln!(io::stderr(), "note: {MODEL}: {note}");
            }
            folder.write(MODEL, &exported.text)
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "note: the model is not written as MJCF: {error}");
            Ok(())
        }
    }
}

/// The header of a NumPy file, format 1.0, of an array of f64 in C order.
fn npy_header([a, b, c]: [usize; 3]) -> Vec<u8> {
    let mut text =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({a}, {b}, {c}), }}");
    // Magic, version and length take 10 bytes; the whole is a multiple of 64.
    while (10 + text.len() + 1) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::{column, npy_header};

    #[test]
    fn columns_of_controls_are_those_that_simulate_reads() {
        assert_eq!(column("control/knee motor"), "knee motor");
        assert_eq!(column("joint/slider/force"), "tau:slider");
        assert_eq!(column("joint/root/force/wz"), "tau:root/wz");
    }

    #[test]
    fn the_header_of_an_array_is_a_multiple_of_64_bytes() {
        let header = npy_header([100, 12, 36]);
        assert_eq!(header.len() % 64, 0);
        assert_eq!(usize::from(header[8]) + 256 * usize::from(header[9]), header.len() - 10);
        let text = String::from_utf8_lossy(&header[10..]).into_owned();
        assert!(text.contains("'shape': (100, 12, 36)") && text.ends_with('\n'), "{text}");
    }
}

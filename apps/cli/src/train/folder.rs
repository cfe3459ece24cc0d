//! The files of a training.

use std::fmt::Write as _;

use gradbody::policy::PolicyFile;
use gradbody::train::{Point, Run, TrainOutcome};

use crate::out_folder::OutFolder;
use crate::plan::shell_word;

/// The best policy.
pub(super) const POLICY: &str = "policy.safetensors";
/// The policy at the end.
const LAST: &str = "last.safetensors";
const CURVE: &str = "curve.csv";

/// Files with the results of a training.
pub(super) const RESULTS: [&str; 6] =
    ["task.toml", POLICY, LAST, CURVE, "outcome.json", "report.html"];

/// Writes what a killed training leaves: the checkpoint, the policies and the curve so far.
pub(super) fn write_progress(folder: &OutFolder, run: &Run) -> anyhow::Result<()> {
    folder.write_binary_checkpoint(|to| run.write_checkpoint(to))?;
    write_policies(folder, run)?;
    folder.write(CURVE, &curve(&run.journal().points))
}

/// Writes all results. All are tried, whether or not the ones before failed: on a disk that is nearly full, the policy
/// finds room before the checkpoint does. A training that broke keeps its last checkpoint.
pub(super) fn write_results(
    folder: &OutFolder,
    run: &Run,
    outcome: &TrainOutcome,
    goes_on: bool,
) -> Vec<anyhow::Result<()>> {
    let place = folder.path("").display().to_string();
    let place = shell_word(place.trim_end_matches('/'));
    vec![
        write_policies(folder, run),
        folder.write(CURVE, &curve(&outcome.points)),
        serde_json::to_string_pretty(outcome)
            .map_err(anyhow::Error::from)
            .and_then(|text| folder.write("outcome.json", &text)),
        folder.write("report.html", &gradbody_report::train::page(outcome, &place)),
        match goes_on {
            true => folder.write_binary_checkpoint(|to| run.write_checkpoint(to)),
            false => Ok(()),
        },
    ]
}

fn write_policies(folder: &OutFolder, run: &Run) -> anyhow::Result<()> {
    let write = |policy: &PolicyFile, name: &str| policy.write(folder.path(name));
    if let Some(best) = run.best() {
        write(&best, POLICY)?;
    }
    let last = run.last();
    if last.actor.is_finite() {
        write(&last, LAST)?;
    }
    Ok(())
}

/// A row for each point of the curve; empty where something is not known.
fn curve(points: &[Point]) -> String {
    let mut text = String::from(
        "seconds,processor_seconds,samples,gradient_samples,updates,return_with_noise,return,standard_deviation,length\n",
    );
    let cell = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    for point in points {
        let Point { seconds, processor_seconds, samples, gradient_samples, updates, .. } = point;
        let processor = processor_seconds.map_or(String::new(), |x| format!("{x:.3}"));
        let evaluated = point.evaluated;
        let _ = writeln!(
            text,
            "{seconds:.3},{processor},{samples},{gradient_samples},{updates},{},{},{},{}",
            cell(point.noisy),
            cell(evaluated.map(|e| e.mean)),
            cell(evaluated.map(|e| e.deviation)),
            cell(evaluated.map(|e| e.length)),
        );
    }
    text
}

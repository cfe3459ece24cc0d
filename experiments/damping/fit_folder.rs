//! The discovered correction as the folder of a fit, which `gradbody predict` runs on other swings.

use std::fmt::Write as _;
use std::path::Path;

use gradbody::learn::Experiment;
use gradbody::learn::data::process::{Named, Split};
use gradbody::model::export;
use gradbody::sim::State;

use super::discovery::Discovery;
use super::swings::{DT, frictionless, held_out};
use crate::double_pendulum::JOINTS;
use crate::found::{self, Found};

/// A swing is predicted from its first measured state.
const EXPERIMENT: &str = r#"
name = "damping"

[model]
file = "pendulum.xml"

[data]
time = "t"

[channels]
shoulder = { is = "joint/shoulder/position", unit = "rad", noise = 0.001 }
elbow = { is = "joint/elbow/position", unit = "rad", noise = 0.001 }
shoulder_rate = { is = "joint/shoulder/velocity", unit = "rad/s", noise = 0.002 }
elbow_rate = { is = "joint/elbow/velocity", unit = "rad/s", noise = 0.002 }

[change]
starts = "measured"

[simulation]
integrator = "euler"
contact = "off"

[objective]
window = 1
estimate = { reach = 0 }

[training]
parameters = false

[prediction]
warm-up = 1
baselines = []
"#;

/// Writes the folder, unless nothing corrects the model.
pub(super) fn write(
    path: &Path,
    seen: &[Vec<State<f64>>],
    found: &Discovery,
) -> anyhow::Result<()> {
    let weights = found.model.weights().to_vec();
    if weights.is_empty() {
        return Ok(());
    }
    let mut experiment = Experiment::from_toml(EXPERIMENT, "damping")?;
    experiment.augmentation = found.model.blueprint().augmentations;
    let (mut files, mut named) = (Vec::new(), Named::default());
    let held_out = held_out()?;
    for (set, names, swings) in
        [("train", &mut named.train, seen), ("test", &mut named.test, &held_out[..])]
    {
        for (k, swing) in swings.iter().enumerate() {
            let name = format!("swings/{set}-{k}");
            files.push((format!("{name}.csv"), table(swing)));
            names.push(name);
        }
    }
    experiment.data.files = files.iter().map(|(name, _)| name.clone()).collect();
    experiment.data.split = Some(Split::Named(named));
    files.push(("pendulum.xml".into(), export::mjcf(&frictionless()?)?.text));
    let ended = "found by `cargo reproduce damping`, by the adaptive lasso, then by least squares";
    found::write(path, Found { experiment, files, ended: ended.into() }, |_| Ok(weights))
}

/// A swing: time, angles and angular velocities.
fn table(swing: &[State<f64>]) -> String {
    let mut text = format!("t,{0},{1},{0}_rate,{1}_rate\n", JOINTS[0], JOINTS[1]);
    for (k, State { q, v, .. }) in swing.iter().enumerate() {
        let _ = writeln!(text, "{:.2},{},{},{},{}", DT * k as f64, q[0], q[1], v[0], v[1]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::discovery::example;
    use super::super::swings::angle_error;
    use super::*;

    /// `predict` errs on the held-out swings as the experiment does, with the correction and without.
    #[test]
    fn the_folder_of_a_fit_predicts_as_the_experiment_does() {
        let (seen, found) = example().expect("a discovery");
        let folder =
            std::env::temp_dir().join(format!("gradbody-damping-fit-{}", std::process::id()));
        write(&folder, &seen, &found).expect("a fit");
        let out = folder.join("judged");
        let args = ["gradbody", "predict"].map(std::ffi::OsString::from);
        let args =
            args.into_iter().chain([folder.clone().into(), "--out".into(), out.clone().into()]);
        gradbody_cli::run(args).unwrap_or_else(|error| panic!("{error:#}"));
        let text = std::fs::read_to_string(out.join("errors.json")).expect("a file");
        let errors: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let rms = |by: usize| {
            let of = |joint: &str| errors["models"][by]["rms"][joint]["all"].as_f64();
            let squares = JOINTS.map(|joint| of(joint).expect("a number").powi(2));
            f64::sqrt(0.5 * (squares[0] + squares[1]))
        };
        let swings = held_out().expect("swings");
        let plain = super::super::discovery::Corrected::not().expect("a model");
        for (by, model) in [&plain, &found.model].into_iter().enumerate() {
            let error = angle_error(&swings, |swing| model.predict(swing)).expect("predictions");
            assert!((rms(by) / error - 1.0).abs() < 1e-6, "{} and {error} rad", rms(by));
        }
        std::fs::remove_dir_all(folder).expect("removed");
    }
}

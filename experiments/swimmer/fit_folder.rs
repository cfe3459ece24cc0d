//! The network of a medium as the folder of a fit, which `gradbody predict` runs on other motions.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use gradbody::learn::Experiment;
use gradbody::learn::data::process::{Named, Split};
use gradbody::learn::experiment::ChannelSpec;
use gradbody_cli::builtin;

use super::corrected::{Corrected, file_text};
use super::networks::Networks;
use super::recorded::{Motion, Recorded, Swimmer};
use super::{DT, STIFFNESS, TEST_STEPS};
use crate::found::{self, Found};

/// Positions that were not recorded are gaps. A motion starts where the first row says, with the velocities there.
const EXPERIMENT: &str = r#"
[model]
file = "swimmer.xml"

[data]
time = "t"
missing = "gap"

[channels]

[change]
starts = "measured"

[simulation]
integrator = "euler"
contact = "off"

[objective]
window = 50
estimate = { reach = 0 }

[training]
parameters = false

[prediction]
warm-up = 1
baselines = []
"#;

/// Standard deviations that errors are compared with: positions and angles [m, rad], velocities [m/s, rad/s].
const NOISE: (f64, f64) = (1e-3, 1e-2);

/// Writes a folder for the networks of a swimmer in a medium, with trained weights.
pub(super) fn write(
    path: &Path,
    recorded: &Recorded,
    networks: &Networks,
    trained: &Corrected,
) -> anyhow::Result<()> {
    let Recorded { swimmer, medium, .. } = *recorded;
    let mut experiment = experiment(swimmer)?;
    experiment.name = format!("{}-{}", swimmer.key, medium.key);
    experiment.augmentation = networks.blueprint.augmentations.clone();
    let (mut files, mut named) = (Vec::new(), Named::default());
    for (set, names, motions) in
        [("train", &mut named.train, &recorded.train), ("test", &mut named.test, &recorded.test)]
    {
        for (k, motion) in motions.iter().enumerate() {
            let name = format!("motions/{set}-{k}");
            files.push((format!("{name}.csv"), table(swimmer, motion)));
            names.push(name);
        }
    }
    experiment.data.files = files.iter().map(|(name, _)| name.clone()).collect();
    experiment.data.split = Some(Split::Named(named));
    let file = builtin::find(swimmer.key)
        .with_context(|| format!("no built-in model \"{}\"", swimmer.key))?;
    files.push(("swimmer.xml".into(), file_text(file.text, swimmer)));
    let ended = "trained by `cargo reproduce swimmer`, by L-BFGS on windows of 10, then 50 steps";
    let weights = trained.bound.weights.clone();
    let found = Found { experiment, files, ended: ended.into() };
    found::write(path, found, |setup| {
        if setup.plan.n_weights() != weights.len() {
            bail!("{} weights were trained, not {}", weights.len(), setup.plan.n_weights());
        }
        Ok(weights)
    })
}

/// The joints in the order of the model's coordinates.
fn joints(swimmer: Swimmer) -> Vec<String> {
    let hinges = (1..=swimmer.hinges).map(|k| format!("joint{k}"));
    ["root_x", "root_y", "root_yaw"].into_iter().map(String::from).chain(hinges).collect()
}

fn experiment(swimmer: Swimmer) -> anyhow::Result<Experiment> {
    let mut experiment = Experiment::from_toml(EXPERIMENT, "swimmer")?;
    experiment.model.set.insert("joint/joint*/stiffness".into(), STIFFNESS);
    experiment.prediction.horizon = Some(TEST_STEPS);
    let mut add = |name: String, is: String, unit: &str, noise| {
        let spec = ChannelSpec { is, unit: unit.into(), noise, ..ChannelSpec::default() };
        experiment.channels.insert(name, spec);
    };
    for (k, joint) in joints(swimmer).into_iter().enumerate() {
        let (length, speed) = if k < 2 { ("m", "m/s") } else { ("rad", "rad/s") };
        add(joint.clone(), format!("joint/{joint}/position"), length, Some(NOISE.0));
        add(format!("{joint}_rate"), format!("joint/{joint}/velocity"), speed, Some(NOISE.1));
        if k > 2 {
            add(format!("{joint}_torque"), format!("joint/{joint}/force"), "Nm", None);
        }
    }
    Ok(experiment)
}

/// A motion: time, positions, velocities and torques, with empty cells where nothing was recorded.
fn table(swimmer: Swimmer, motion: &Motion) -> String {
    let joints = joints(swimmer);
    let mut text = String::from("t");
    for (what, skipped) in [("", 0), ("_rate", 0), ("_torque", 3)] {
        joints.iter().skip(skipped).for_each(|joint| {
            let _ = write!(text, ",{joint}{what}");
        });
    }
    text.push('\n');
    let last = motion.steps.last().copied().unwrap_or(0);
    for step in 0..=last {
        let at = motion.steps.iter().position(|s| *s == step);
        let (positions, velocities) = match (step, at) {
            (0, _) => (Some(&motion.start.q), Some(&motion.start.v)),
            (_, Some(k)) => (motion.positions.get(k), motion.velocities.get(k)),
            (_, None) => (None, None),
        };
        let _ = write!(text, "{:.2}", DT * step as f64);
        for row in [positions, velocities] {
            for k in 0..joints.len() {
                let _ = match row {
                    Some(row) => write!(text, ",{}", row[k]),
                    None => write!(text, ","),
                };
            }
        }
        for torque in motion.torques(step) {
            let _ = write!(text, ",{torque}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::networks::Correction;
    use super::super::recorded::{MEDIA, SWIMMERS, read};
    use super::*;

    /// `predict` moves the model with its network as the experiment does, for 900 steps.
    #[test]
    fn the_folder_of_a_fit_predicts_as_the_experiment_does() {
        let (swimmer, medium) = (SWIMMERS[0], MEDIA[1]);
        let networks = Correction::Wrenches.networks(swimmer, 5.0, 1);
        let initial = Corrected::new(swimmer, &networks).expect("binds");
        // Weights that do something: the last layer begins with zeros.
        let weights = initial.bound.weights.iter().zip(&initial.learned).enumerate();
        let weights = weights.map(|(k, (w, learned))| match learned {
            true => w + 0.02 * (k as f64).sin(),
            false => *w,
        });
        let trained = initial.with_weights(weights.collect()).expect("weights");
        let mut recorded = read(swimmer, medium, &trained.model).expect("recorded");
        recorded.train.truncate(2);
        recorded.test.truncate(2);
        let folder =
            std::env::temp_dir().join(format!("gradbody-swimmer-fit-{}", std::process::id()));
        write(&folder, &recorded, &networks, &trained).expect("a fit");
        let args = ["gradbody", "predict", folder.to_str().expect("UTF-8"), "--out"];
        let out = folder.join("judged");
        let args = args.into_iter().chain([out.to_str().expect("UTF-8")]);
        gradbody_cli::run(args).unwrap_or_else(|error| panic!("{error:#}"));
        let mut reader = csv::Reader::from_path(out.join("predictions.csv")).expect("a file");
        let header = reader.headers().expect("a header").clone();
        let column = |by: &str| header.iter().position(|n| n == format!("joint1:{by}"));
        let [before, after] = ["before", "after"].map(|by| column(by).expect("a column"));
        let mut rows = BTreeMap::<String, Vec<[f64; 2]>>::new();
        for row in reader.records() {
            let row = row.expect("a row");
            let cells = [before, after].map(|k| row[k].parse().expect("a number"));
            rows.entry(row[0].to_owned()).or_default().push(cells);
        }
        let plain = Corrected::new(swimmer, &Correction::None.networks(swimmer, 1.0, 0));
        let plain = plain.expect("binds");
        for (k, motion) in recorded.test.iter().enumerate() {
            let rows = &rows[&format!("motions/test-{k}")];
            assert_eq!(rows.len(), TEST_STEPS);
            for (column, model) in [&plain, &trained].into_iter().enumerate() {
                let path = model.predict(motion, TEST_STEPS);
                let gaps = rows.iter().zip(&path).map(|(row, q)| (row[column] - q[3]).abs());
                let most = gaps.fold(0.0, f64::max);
                assert!(most < 1e-6, "motion {k}, model {column}: {most} rad");
            }
            let apart = rows.iter().map(|row| (row[0] - row[1]).abs()).fold(0.0, f64::max);
            assert!(apart > 1e-3, "the network acts: {apart}");
        }
        std::fs::remove_dir_all(folder).expect("removed");
    }
}

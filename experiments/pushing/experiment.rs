//! The pushes of one body as an experiment for `gradbody fit` and `discover`.

use std::path::Path;

use anyhow::Context as _;
use gradbody::learn::data::{Channel, DataSet, Dimension, Trajectory, Unit};
use gradbody::learn::{Experiment, Setup};
use gradbody::model::import::{ImportReport, Imported};

use super::fits;
use super::measured::{self, PERIOD, Push, Sample};
use super::scene;
use crate::data::DataFolder;

/// Samples before the tip moves.
const REST: usize = 10;

/// Known forces move the tip along its measured path. Its position is a measurement, which gives the start.
const EXPERIMENT: &str = r#"
name = "pushes"

[model]
file = "push"

[data]
files = "pushes"
split = { fractions = { train = 0.6, validation = 0.2, test = 0.2, seed = 1 } }

[channels]
tip_x = { is = "joint/tip_x/position", unit = "m", noise = 0.001 }
tip_y = { is = "joint/tip_y/position", unit = "m", noise = 0.001 }
x = { is = "link/body/position/x", unit = "m", noise = 0.001 }
y = { is = "link/body/position/y", unit = "m", noise = 0.001 }
yaw = { is = "link/body/heading", unit = "rad", noise = 0.0175 }
force_x = { is = "joint/tip_x/force", unit = "N" }
force_y = { is = "joint/tip_y/force", unit = "N" }

[change]
parameters = ["contact/*/friction", "contact/ground-points/static_friction"]
starts = "measured"

[simulation]
integrator = "euler"

[objective]
estimate = { reach = 4 }

[limits]
iterations = 10

[prediction]
warm-up = 2
baselines = []

[discover]
sites = ["link/body/force/x", "link/body/force/y", "link/body/torque/z"]
inputs = ["link/body/velocity/x", "link/body/velocity/y", "link/body/spin/z"]
hidden = 4
iterations = 6
shares = [0.1]
"#;

/// The pushes of a body, and the text of the experiment.
pub(crate) fn setup(data: &DataFolder, shape: &str) -> anyhow::Result<(Setup, String)> {
    let measured = measured::read(data)?;
    let body = measured.bodies.get(shape).with_context(|| format!("no shape \"{shape}\""))?;
    let pushes: Vec<&Push> = measured.train.iter().filter(|push| push.shape == shape).collect();
    let model = scene::model(body)?;
    let mut experiment = Experiment::from_toml(EXPERIMENT, "pushes")?;
    experiment.name = format!("pushes of {shape}");
    // No sensor measures how deep the body sinks into the table.
    let first = pushes.first().with_context(|| format!("no push of \"{shape}\""))?;
    experiment.model.q = Some(scene::start(&model, body, &first.samples[0]).q);
    let shortest = pushes.iter().map(|push| from_rest(push).len()).min().unwrap_or(0);
    experiment.prediction.horizon = Some(shortest.saturating_sub(REST));
    let trajectories = pushes.iter().map(|push| trajectory(push)).collect();
    let text = experiment.to_toml()?;
    let load =
        |_: &Path, _: &_| Ok(Imported { model: model.clone(), report: ImportReport::default() });
    let set = DataSet { trajectories, files: Vec::new() };
    Ok((Setup::with_data(experiment, Path::new(""), &load, set)?, text))
}

/// The recording starts shortly before the tip moves, so that the zero initial velocities are observed.
fn from_rest(push: &Push) -> &[Sample] {
    &push.samples[fits::begin(&push.samples).saturating_sub(REST)..]
}

fn trajectory(push: &Push) -> Trajectory {
    let samples = from_rest(push);
    let tip: Vec<[f64; 2]> = samples.iter().map(|sample| sample.tip).collect();
    let forces = scene::forces(&tip);
    let channel = |name: &str, dimension, values| Channel {
        name: name.into(),
        unit: Unit::si(dimension),
        values,
    };
    let of = |f: &dyn Fn(usize) -> f64| (0..samples.len()).map(f).collect::<Vec<f64>>();
    Trajectory {
        name: push.name.clone(),
        origin: push.name.clone(),
        file: push.name.clone(),
        t: of(&|k| PERIOD * k as f64),
        channels: vec![
            channel("tip_x", Dimension::Length, of(&|k| tip[k][0])),
            channel("tip_y", Dimension::Length, of(&|k| tip[k][1])),
            channel("x", Dimension::Length, of(&|k| samples[k].position[0])),
            channel("y", Dimension::Length, of(&|k| samples[k].position[1])),
            channel("yaw", Dimension::Angle, of(&|k| samples[k].yaw)),
            channel(
                "force_x",
                Dimension::Force,
                of(&|k| forces.get(k).map_or(0.0, |force| force[0])),
            ),
            channel(
                "force_y",
                Dimension::Force,
                of(&|k| forces.get(k).map_or(0.0, |force| force[1])),
            ),
        ],
    }
}

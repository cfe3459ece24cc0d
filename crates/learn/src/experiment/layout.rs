//! Maps the channels of the data to sensors and inputs of the model, and turns trajectories into recordings.

use gradbody_math::Force;
use gradbody_model::Model;
use gradbody_sim::Input;

use super::moved::Steps;
use super::{ChannelLoss, ChannelSpec, Experiment, ExperimentError, hint};
use crate::objective::{NoiseLaw, Recording, Sees, Sensor, columns_of};
use crate::quantity::{Given, Observed, Role, quantities};
use gradbody_data::{Channel, DataSet, Trajectory};

/// Which channels are sensors, and which are inputs.
pub(super) struct Layout {
    pub(super) sensors: Vec<Sensor>,
    /// For each measured number: the channel, the name of its unit, and the unit's size in SI units.
    pub(super) columns: Vec<(String, &'static str, f64)>,
    given: Vec<(String, Given)>,
    signals: usize,
    steps: Steps,
}

impl Layout {
    pub(super) fn new(
        experiment: &Experiment,
        model: &Model<f64>,
        train: &DataSet,
        period: f64,
    ) -> Result<Self, ExperimentError> {
        let all = quantities(model, &experiment.signals);
        let mut layout = Layout {
            sensors: Vec::new(),
            columns: Vec::new(),
            given: Vec::new(),
            signals: experiment.signals.len(),
            steps: Steps::of(experiment, period),
        };
        let mut orientations: Vec<(gradbody_model::FrameId, [Option<String>; 4])> = Vec::new();
        for (name, spec) in &experiment.channels {
            let Some(quantity) = all.iter().find(|q| q.name == spec.is) else {
                let hint = hint::for_quantity(&spec.is, model, &all);
                let (channel, quantity) = (name.clone(), spec.is.clone());
                return Err(ExperimentError::Quantity { channel, quantity, hint });
            };
            for trajectory in &train.trajectories {
                let channel = trajectory.channel(name)?;
                channel.expect(quantity.dimension).map_err(|error| {
                    match spec.unit.trim().is_empty() {
                        true => hint::no_unit(name, quantity),
                        false => error.into(),
                    }
                })?;
            }
            let sees = match quantity.role {
                // A path is given and measured: states are estimated from it too.
                Role::Given(given @ Given::JointMotion(joint)) => {
                    layout.given.push((name.clone(), given));
                    let joint = &model.topology.links[joint.index()].joint;
                    Sees::Position(joint.q_start, joint.v_start)
                }
                Role::Given(given) => {
                    layout.given.push((name.clone(), given));
                    continue;
                }
                Role::Observed(Observed::Orientation { frame, part }) => {
                    let found = match orientations.iter_mut().find(|(f, _)| *f == frame) {
                        Some(found) => found,
                        None => {
                            orientations.push((frame, [None, None, None, None]));
                            let last = orientations.len() - 1;
                            &mut orientations[last]
                        }
                    };
                    found.1[part] = Some(name.clone());
                    continue;
                }
                Role::Observed(Observed::Position { q, v }) => Sees::Position(q, v),
                Role::Observed(Observed::Velocity { v }) => Sees::Velocity(v),
                Role::Observed(Observed::Place { frame, axis }) => Sees::Place(frame, axis),
                Role::Observed(Observed::Heading { frame }) => Sees::Heading(frame),
            };
            layout.add(experiment, train, std::slice::from_ref(name), spec.is.clone(), sees)?;
        }
        for (frame, parts) in orientations {
            let names: Option<Vec<String>> = parts.into_iter().collect();
            let link = &model.topology.frames[frame.index()].name;
            let Some(names) = names else {
                let why =
                    format!("an orientation needs four parts: link/{link}/orientation/{{w,x,y,z}}");
                return Err(ExperimentError::wrong("channels", why));
            };
            let name = format!("link/{link}/orientation");
            layout.add(experiment, train, &names, name, Sees::Orientation(frame))?;
        }
        if layout.sensors.is_empty() {
            return Err(ExperimentError::wrong(
                "channels",
                "none is measured: a position, velocity, orientation or heading is needed",
            ));
        }
        Ok(layout)
    }

    fn add(
        &mut self,
        experiment: &Experiment,
        train: &DataSet,
        channels: &[String],
        name: String,
        sees: Sees,
    ) -> Result<(), ExperimentError> {
        let mut size = 1.0;
        for channel in channels {
            let found: Vec<&Channel> =
                train.trajectories.iter().map(|t| t.channel(channel)).collect::<Result<_, _>>()?;
            let unit = found.first().map(|c| c.unit);
            size = unit.map_or(1.0, |u| u.to_si);
            self.columns.push((channel.clone(), unit.map_or("", |u| u.name), size));
        }
        let given = one_of(experiment, channels, "noise", |spec| spec.noise)?;
        let noise = match given {
            Some(noise) if noise > 0.0 && noise.is_finite() => noise * size,
            Some(noise) => {
                let why = format!("{noise} is no standard deviation");
                return Err(ExperimentError::wrong(format!("channels.{}.noise", channels[0]), why));
            }
            // The noise of an orientation [rad] is twice that of the quaternion's imaginary parts.
            None if channels.len() == 4 => {
                let parts = channels[1..].iter().filter_map(|channel| roughness(train, channel));
                match parts.map(|noise| noise * noise).sum::<f64>() {
                    0.0 => return Err(still(&channels[0])),
                    squares => 2.0 * (squares / 3.0).sqrt(),
                }
            }
            None => roughness(train, &channels[0]).ok_or_else(|| still(&channels[0]))?,
        };
        let law = law_of(experiment, channels)?;
        self.sensors.push(Sensor { name, sees, noise, estimated: given.is_none(), law });
        Ok(())
    }

    pub(super) fn record(
        &self,
        model: &Model<f64>,
        from: &Trajectory,
    ) -> Result<Recording, ExperimentError> {
        let samples = from.t.len();
        let columns: Vec<&Channel> =
            self.columns.iter().map(|(name, ..)| from.channel(name)).collect::<Result<_, _>>()?;
        let mut recording = Recording {
            name: from.name.clone(),
            begin: from.t.first().copied().unwrap_or(0.0),
            measured: Vec::with_capacity(samples * columns_of(&self.sensors)),
            present: Vec::with_capacity(samples * self.sensors.len()),
            inputs: Vec::new(),
            samples,
        };
        for k in 0..samples {
            let mut first = 0;
            for sensor in &self.sensors {
                let values = columns[first..][..sensor.columns()].iter().map(|c| c.values[k]);
                let mut values: Vec<f64> = values.collect();
                let mut there = values.iter().all(|x| x.is_finite());
                if values.len() == 4 {
                    // A tracker that has lost a body writes zeros.
                    let length = values.iter().map(|x| x * x).sum::<f64>().sqrt();
                    there &= length > 0.5;
                    values.iter_mut().for_each(|x| *x /= length);
                }
                recording.present.push(f64::from(u8::from(there)));
                match there {
                    true => recording.measured.extend(values),
                    // The placeholder of a missing orientation must be a unit quaternion.
                    false => recording.measured.extend(
                        (0..values.len())
                            .map(|i| if values.len() == 4 && i == 0 { 1.0 } else { 0.0 }),
                    ),
                }
                first += sensor.columns();
            }
        }
        if !self.given.is_empty() {
            for k in 0..samples {
                recording.inputs.push(self.input(model, from, k)?);
            }
        }
        Ok(recording)
    }

    fn input(
        &self,
        model: &Model<f64>,
        from: &Trajectory,
        k: usize,
    ) -> Result<Input<f64>, ExperimentError> {
        let mut input = Input::none(model);
        input.signals = vec![0.0; self.signals];
        for (name, given) in &self.given {
            let values = &from.channel(name)?.values;
            let value = values[k];
            if !value.is_finite() {
                let why = format!(
                    "\"{}\" has no value at sample {}; what acts on the model must have no gaps: resample",
                    from.name,
                    k + 1
                );
                return Err(ExperimentError::wrong(format!("channels.{name}"), why));
            }
            let links = model.n_links();
            let force = |input: &mut Input<f64>, link: gradbody_model::LinkId| {
                input.external.resize(links, Force::ZERO);
                link.index()
            };
            match *given {
                Given::Control(i) => input.control[i] = value,
                Given::JointForce(v) => input.tau[v] = value,
                Given::JointMotion(joint) => {
                    let path = |k: usize| values[k];
                    let acceleration = self.steps.acceleration(&path, values.len(), k);
                    let v = model.topology.links[joint.index()].joint.v_start;
                    input.tau[v] = model.params.joints[joint.index()].armature * acceleration;
                }
                Given::Signal(i) => input.signals[i] = value,
                Given::LinkForce(link, axis) => {
                    let at = force(&mut input, link);
                    input.external[at].lin[axis] = value;
                }
                Given::LinkTorque(link, axis) => {
                    let at = force(&mut input, link);
                    input.external[at].ang[axis] = value;
                }
            }
        }
        Ok(input)
    }
}

/// How the errors of a sensor count. An error if a number is out of range, or if two of its channels differ.
fn law_of(experiment: &Experiment, channels: &[String]) -> Result<NoiseLaw, ExperimentError> {
    let mut chosen: Option<(&String, ChannelLoss)> = None;
    for channel in channels {
        let spec = &experiment.channels[channel];
        let key = if spec.huber.is_some() { "huber" } else { "loss" };
        let wrong = |why: String| ExperimentError::wrong(format!("channels.{channel}.{key}"), why);
        let loss = spec.chosen_loss().map_err(|why| wrong(why.into()))?;
        let Some(loss) = loss else { continue };
        let (ChannelLoss::Huber(x) | ChannelLoss::Student(x) | ChannelLoss::Tukey(x)) = loss;
        if !(x > 0.0 && x.is_finite()) {
            let what = match loss {
                ChannelLoss::Student(_) => "degrees of freedom",
                _ => "standard deviations",
            };
            return Err(wrong(format!("{x}: a positive number of {what} is needed")));
        }
        match chosen {
            Some((other, before)) if before != loss => {
                let why =
                    format!("it differs from that of {other}, a part of the same orientation");
                return Err(wrong(why));
            }
            _ => chosen = Some((channel, loss)),
        }
    }
    Ok(match chosen.map(|(_, loss)| loss) {
        None => NoiseLaw::Gaussian,
        Some(ChannelLoss::Huber(width)) => NoiseLaw::Huber(width),
        Some(ChannelLoss::Student(freedom)) => NoiseLaw::Student(freedom),
        Some(ChannelLoss::Tukey(width)) => NoiseLaw::Tukey(width),
    })
}

/// The setting that the channels of a sensor share. None if no channel has it, an error if two channels differ.
fn one_of(
    experiment: &Experiment,
    channels: &[String],
    key: &str,
    of: impl Fn(&ChannelSpec) -> Option<f64>,
) -> Result<Option<f64>, ExperimentError> {
    let mut said =
        channels.iter().filter_map(|channel| Some((channel, of(&experiment.channels[channel])?)));
    let Some((_, first)) = said.next() else { return Ok(None) };
    match said.find(|(_, other)| *other != first) {
        None => Ok(Some(first)),
        Some((channel, other)) => {
            let why = format!("{other}, but {first} for another part of the same orientation");
            Err(ExperimentError::wrong(format!("channels.{channel}.{key}"), why))
        }
    }
}

fn still(channel: &str) -> ExperimentError {
    let why = "it never changes in the training data, so its noise cannot be estimated; give its noise, or leave it out";
    ExperimentError::wrong(format!("channels.{channel}"), why)
}

/// The noise of a channel, estimated from third differences, which are small for smooth motion. It is at least a
/// thousandth of the channel's standard deviation. None if the channel never changes.
fn roughness(set: &DataSet, channel: &str) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    let mut all = Vec::new();
    for trajectory in &set.trajectories {
        let Ok(channel) = trajectory.channel(channel) else { continue };
        for x in channel.values.windows(4) {
            let third = x[3] - 3.0 * x[2] + 3.0 * x[1] - x[0];
            if third.is_finite() {
                // The third difference of independent noise has 1 + 9 + 9 + 1 times its variance.
                sum += third * third / 20.0;
                count += 1;
            }
        }
        all.extend(channel.values.iter().filter(|x| x.is_finite()));
    }
    let n = all.len().max(1) as f64;
    let mean = all.iter().sum::<f64>() / n;
    let spread = (all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    let noise = (sum / f64::from(count.max(1))).sqrt();
    Some(noise.max(1e-3 * spread)).filter(|noise| *noise > 0.0)
}

#[cfg(test)]
mod tests {
    use gradbody_math::{Inertia, Sym3, Vec3};
    use gradbody_model::{FrameId, JointSpec, ModelBuilder};

    use super::*;
    use gradbody_data::Unit;

    /// The noise of an orientation is given with one of its four parts.
    #[test]
    fn noise_that_was_given_is_not_estimated() {
        let mut builder = ModelBuilder::new("body");
        let rotational = Sym3::diagonal(Vec3::new(0.02, 0.03, 0.04));
        let inertia = Inertia { mass: 1.5, com: Vec3::ZERO, rotational };
        builder.link("body", FrameId::WORLD, JointSpec::free("root"), inertia).unwrap();
        let model = builder.build().unwrap();
        let channel = |name: &str| Channel {
            name: name.into(),
            unit: Unit::named("1").unwrap(),
            values: vec![0.1, 0.4, 0.2, 0.3, 0.5],
        };
        let trajectory = Trajectory {
            name: "run".into(),
            origin: "run".into(),
            file: "run.csv".into(),
            t: vec![0.0, 0.1, 0.2, 0.3, 0.4],
            channels: ["w", "x", "y", "z"].map(channel).to_vec(),
        };
        let train = DataSet { trajectories: vec![trajectory], files: vec![] };
        for (noise, estimated) in [(", noise = 0.01", false), ("", true)] {
            let part = |name: &str, noise: &str| {
                format!(
                    "{name} = {{ unit = \"1\", is = \"link/body/orientation/{name}\"{noise} }}\n"
                )
            };
            let text = format!(
                "[model]\nfile = \"body.urdf\"\n[data]\nfiles = [\"run.csv\"]\n[channels]\n{}{}{}{}",
                part("w", noise),
                part("x", ""),
                part("y", ""),
                part("z", "")
            );
            let experiment = Experiment::from_toml(&text, "body.toml").unwrap();
            let layout = Layout::new(&experiment, &model, &train, 0.1).unwrap();
            assert_eq!(layout.sensors.len(), 1);
            assert_eq!(layout.sensors[0].estimated, estimated);
        }
    }
}

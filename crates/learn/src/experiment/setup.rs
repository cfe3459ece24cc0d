//! An experiment with everything in place: model, recordings, networks, unknowns.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gradbody_augment::{Plan, bind};
use gradbody_contact::{ContactGradient, Lcp, Ncp, Solver};
use gradbody_math::Force;
use gradbody_model::import::{Base, ImportOptions, Imported};
use gradbody_model::{Material, Model, Selection, pattern_matches};
use gradbody_sim::{GradientOptions, Input, Integrator, State, StepOptions};

use super::{
    BaseOption, ContactLaw, ContactSlope, Experiment, ExperimentError, PublishedSet, Scheme, Starts,
};
use crate::data::process::unwrap_angles;
use crate::data::{
    Channel, ChannelOptions, DataSet, Doubt, ReadOptions, Trajectory, did_you_mean, look_over,
    read, sets,
};
use crate::objective::{
    Fit, FitParts, NoiseLaw, Recording, Sees, Sensor, Unknown, Unknowns, columns_of, cut,
    estimate_states,
};
use crate::optimise::Penalty;
use crate::quantity::{Given, Observed, Role, quantities};

/// Reads a model file.
pub type LoadModel<'a> = &'a dyn Fn(&Path, &ImportOptions) -> Result<Imported, String>;

/// A part of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What is learned from.
    Train,
    /// What is chosen by.
    Validation,
    /// What is judged by.
    Test,
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 3] = [Part::Train, Part::Validation, Part::Test];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Part::Train => "train",
            Part::Validation => "validation",
            Part::Test => "test",
        }
    }
}

/// An experiment with everything in place.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What was asked for.
    pub experiment: Experiment,
    /// The model before, with what the file of the experiment sets.
    pub model: Model<f64>,
    /// What its importer said.
    pub imported: Imported,
    /// What was measured.
    pub sensors: Vec<Sensor>,
    /// The channel of each number that is measured, with its unit's name and size.
    pub columns: Vec<(String, &'static str, f64)>,
    /// The recordings of each part.
    pub recordings: [Vec<Recording>; 3],
    /// The time from sample to sample [s].
    pub period: f64,
    /// The networks.
    pub plan: Arc<Plan>,
    /// How to step.
    pub options: StepOptions<f64>,
    /// The data files as they were.
    pub files: Vec<crate::data::Fingerprint>,
    /// The folder they are in.
    pub folder: PathBuf,
    /// What looks odd in the data.
    pub doubts: Vec<Doubt>,
}

impl Setup {
    /// Reads everything an experiment names, in the folder of its file.
    pub fn new(
        experiment: Experiment,
        folder: &Path,
        load: LoadModel<'_>,
    ) -> Result<Self, ExperimentError> {
        experiment.check()?;
        let (set, in_folder) = match experiment.data.set {
            Some(set) => published(set)?,
            None => (read(folder, &read_options(&experiment)?)?, folder.to_owned()),
        };
        let mut setup = Setup::with_data(experiment, folder, load, set)?;
        setup.folder = in_folder;
        Ok(setup)
    }

    /// The same with data that were read before.
    pub fn with_data(
        experiment: Experiment,
        folder: &Path,
        load: LoadModel<'_>,
        set: DataSet,
    ) -> Result<Self, ExperimentError> {
        let (imported, model) = load_model(&experiment, folder, load)?;
        let doubts = look_over(&set);
        let files = set.files.clone();
        let set = process(&experiment, set)?;
        let period = common_period(&set)?;
        let parts = match &experiment.data.split {
            Some(split) => split.apply(&set)?,
            None => crate::data::process::Parts { train: set, ..Default::default() },
        };
        let layout = Layout::new(&experiment, &model, &parts.train)?;
        let recordings = [&parts.train, &parts.validation, &parts.test].map(|part| {
            part.trajectories
                .iter()
                .map(|t| layout.record(&model, t))
                .collect::<Result<Vec<_>, _>>()
        });
        let [train, validation, test] = recordings;
        let substeps = experiment.simulation.substeps;
        if substeps == 0 {
            return Err(ExperimentError::wrong("simulation.substeps", "at least 1"));
        }
        let options = step_options(&experiment, period / substeps as f64);
        let plan = bind(&experiment.blueprint(), &model, &options.contact)
            .map_err(|error| ExperimentError::Networks(error.to_string()))?;
        Ok(Setup {
            model,
            imported,
            columns: layout.columns,
            sensors: layout.sensors,
            recordings: [train?, validation?, test?],
            period,
            plan: Arc::new(plan),
            options,
            files,
            folder: folder.to_owned(),
            doubts,
            experiment,
        })
    }

    /// The recordings of a part.
    pub fn part(&self, part: Part) -> &[Recording] {
        &self.recordings[part as usize]
    }

    /// A state to begin the search for states with.
    pub fn guess(&self, model: &Model<f64>) -> Result<State<f64>, ExperimentError> {
        let mut state = State::neutral(model);
        if let Some(q) = &self.experiment.model.q {
            if q.len() != model.nq() {
                let why = format!("{} numbers, but the model has {}", q.len(), model.nq());
                return Err(ExperimentError::wrong("model.q", why));
            }
            state.q.clone_from(q);
        }
        state.memory.resize(self.plan.n_memory(), 0.0);
        Ok(state)
    }

    /// The fit of a part's recordings, from the model as it is; with `networks`, their weights change too.
    pub fn fit(&self, part: Part, networks: Option<&[f64]>) -> Result<Fit, ExperimentError> {
        let objective = &self.experiment.objective;
        let recordings = self.part(part).to_vec();
        let longest = recordings.iter().map(|r| r.samples).max().unwrap_or(0);
        let length = objective.window.unwrap_or(longest.saturating_sub(1)).max(1);
        let stride = objective.stride.unwrap_or(length);
        let mut windows = cut(&recordings, length, stride, length.min(2));
        if let Some(most) = objective.windows {
            windows = evenly(windows, most);
        }
        if windows.is_empty() {
            let why = format!("the recordings of the part \"{}\" have no window", part.name());
            return Err(ExperimentError::wrong("objective.window", why));
        }
        let guess = self.guess(&self.model)?;
        let mut starts = Vec::with_capacity(windows.len());
        let mut of = None;
        for window in &windows {
            let states = match &of {
                Some((recording, states)) if *recording == window.recording => states,
                _ => {
                    let recording = &recordings[window.recording];
                    let states = estimate_states(
                        &self.model,
                        &self.sensors,
                        recording,
                        self.period,
                        &guess,
                        &objective.estimate,
                    );
                    &of.insert((window.recording, states)).1
                }
            };
            let mut start: State<f64> = states[window.first].clone();
            start.time = 0.0;
            starts.push(start);
        }
        let mut unknowns = self.unknowns()?;
        let weights = match networks {
            Some(weights) => {
                unknowns.weights = weights.len();
                weights.to_vec()
            }
            None => Vec::new(),
        };
        let plan = match networks {
            Some(_) => self.plan.clone(),
            None => self.without_networks()?,
        };
        if self.experiment.change.starts == Starts::Free {
            unknowns.start = 2 * self.model.nv();
        }
        let mut fit = Fit::new(FitParts {
            model: self.model.clone(),
            plan,
            weights,
            unknowns,
            sensors: self.sensors.clone(),
            recordings,
            windows,
            starts,
            options: self.options,
            substeps: self.experiment.simulation.substeps,
        });
        fit.gradient = GradientOptions { contact: self.slope(), ..GradientOptions::default() };
        fit.jump = objective.jump.map(|jump| (jump.position, jump.velocity));
        if networks.is_some() {
            fit.weight_decay = objective.weight_decay;
            fit.penalties = self.penalties(&fit.unknowns);
            if let Some(windows) = self.experiment.training.windows {
                fit.windows_in_part = windows.max(1);
            }
        }
        if fit.initial().is_empty() {
            let why = "nothing may change: name parameters, or let starts be free";
            return Err(ExperimentError::wrong("change.parameters", why));
        }
        Ok(fit)
    }

    /// A plan without networks. Its states remember nothing.
    pub fn without_networks(&self) -> Result<Arc<Plan>, ExperimentError> {
        let none = gradbody_augment::Blueprint::default();
        bind(&none, &self.model, &self.options.contact)
            .map(Arc::new)
            .map_err(|error| ExperimentError::Networks(error.to_string()))
    }

    fn slope(&self) -> ContactGradient {
        match self.experiment.simulation.gradient {
            ContactSlope::Implicit => ContactGradient::Implicit,
            ContactSlope::Unrolled => ContactGradient::Unrolled,
            ContactSlope::Smoothed(kappa) => ContactGradient::Smoothed { kappa },
        }
    }

    /// What may change, without weights and starts.
    pub fn unknowns(&self) -> Result<Unknowns, ExperimentError> {
        let change = &self.experiment.change;
        let selection = Selection::of(&self.model, &change.parameters)
            .map_err(|error| ExperimentError::wrong("change.parameters", error.to_string()))?;
        let mut unknowns = Unknowns::of(&self.model, selection);
        for (pattern, (lower, upper)) in &change.bounds {
            if lower.partial_cmp(upper).is_none_or(|o| o.is_gt()) {
                let why = format!("{lower} is not below {upper}");
                return Err(ExperimentError::wrong(format!("change.bounds.\"{pattern}\""), why));
            }
            each_of(&mut unknowns.params, "change.bounds", pattern, |u| {
                u.bounds = (*lower, *upper)
            })?;
        }
        for (pattern, prior) in &change.priors {
            if prior.sigma.is_nan() || prior.sigma <= 0.0 || !prior.mean.is_finite() {
                let why = "a finite mean and a positive sigma are needed";
                return Err(ExperimentError::wrong(format!("change.priors.\"{pattern}\""), why));
            }
            each_of(&mut unknowns.params, "change.priors", pattern, |u| u.prior = Some(*prior))?;
        }
        for unknown in &mut unknowns.params {
            let (lower, upper) = unknown.bounds;
            if unknown.initial < lower || unknown.initial > upper {
                let why = format!(
                    "its value in the model, {}, is outside {lower} to {upper}; set another in model.set",
                    unknown.initial
                );
                return Err(ExperimentError::wrong(unknown.name.clone(), why));
            }
        }
        if change.period {
            let name = "period".to_owned();
            let bounds = (0.1, 10.0);
            unknowns.period = Some(Unknown { name, initial: 1.0, scale: 1.0, bounds, prior: None });
        }
        for name in &self.experiment.prediction.profiles {
            if !unknowns.named().any(|unknown| unknown.name == *name) {
                let hint = did_you_mean(name, unknowns.named().map(|u| u.name.as_str()));
                let why = format!("\"{name}\" is no parameter that may change{hint}");
                return Err(ExperimentError::wrong("prediction.profiles", why));
            }
        }
        Ok(unknowns)
    }

    /// L1 over the first layers of networks, by number and by input.
    fn penalties(&self, unknowns: &Unknowns) -> Vec<Penalty> {
        let objective = &self.experiment.objective;
        let first = unknowns.weights_range().start;
        let mut inputs: Vec<Vec<usize>> = Vec::new();
        for (_, network, range) in self.plan.networks() {
            for parameter in
                network.parameters().iter().filter(|p| p.layer == Some(0) && !p.is_bias())
            {
                let columns = network.n_inputs();
                let mut groups = vec![Vec::new(); columns];
                let count = parameter.shape.iter().product::<usize>();
                for i in 0..count {
                    groups[i % columns].push(first + range.start + parameter.index(i));
                }
                inputs.extend(groups);
            }
        }
        let mut penalties = Vec::new();
        if objective.lasso > 0.0 {
            penalties.push(Penalty::lasso(objective.lasso, inputs.iter().flatten().copied()));
        }
        if objective.group_lasso > 0.0 {
            penalties.push(Penalty::group_lasso(objective.group_lasso, inputs));
        }
        penalties
    }
}

/// Changes every unknown that a pattern fits; there must be one.
fn each_of(
    unknowns: &mut [Unknown],
    table: &str,
    pattern: &str,
    mut change: impl FnMut(&mut Unknown),
) -> Result<(), ExperimentError> {
    let mut found = false;
    for unknown in unknowns.iter_mut().filter(|u| pattern_matches(pattern, &u.name)) {
        change(unknown);
        found = true;
    }
    if found {
        return Ok(());
    }
    let hint = did_you_mean(pattern, unknowns.iter().map(|u| u.name.as_str()));
    let what = format!("{table}.\"{pattern}\"");
    Err(ExperimentError::wrong(what, format!("no parameter that may change fits it{hint}")))
}

/// At most so many, evenly chosen; chosen ones do not join.
pub(crate) fn evenly(
    windows: Vec<crate::objective::Window>,
    most: usize,
) -> Vec<crate::objective::Window> {
    let n = windows.len();
    if n <= most || most == 0 {
        return windows;
    }
    let chosen =
        (0..most).map(|k| crate::objective::Window { continues: false, ..windows[k * n / most] });
    chosen.collect()
}

fn load_model(
    experiment: &Experiment,
    folder: &Path,
    load: LoadModel<'_>,
) -> Result<(Imported, Model<f64>), ExperimentError> {
    let options = &experiment.model;
    let import = ImportOptions {
        base: match options.base {
            BaseOption::Auto => Base::Auto,
            BaseOption::Fixed => Base::Fixed,
            BaseOption::Free => Base::Free,
        },
        repair_inertia: options.repair_inertia,
        ..ImportOptions::default()
    };
    let beside = folder.join(&options.file);
    let path = if beside.exists() { &beside } else { Path::new(&options.file) };
    let imported = load(path, &import).map_err(ExperimentError::Model)?;
    let mut model = imported.model.clone();
    if let Some(ground) = options.ground {
        let mut material = Material::with_friction(ground.friction);
        material.restitution = ground.restitution;
        model
            .add_ground(ground.height, material)
            .map_err(|error| ExperimentError::Model(error.to_string()))?;
    }
    for (path, value) in &options.set {
        let id = model
            .topology
            .param_id(path)
            .map_err(|error| ExperimentError::wrong("model.set", error.to_string()))?;
        model.set(id, *value);
    }
    Ok((imported, model))
}

fn step_options(experiment: &Experiment, dt: f64) -> StepOptions<f64> {
    let simulation = &experiment.simulation;
    let integrator = match simulation.integrator {
        Scheme::Euler => Integrator::SemiImplicitEuler,
        Scheme::ImplicitDamping => Integrator::ImplicitDamping,
        Scheme::Rk4 => Integrator::Rk4,
    };
    let solver = match simulation.contact {
        ContactLaw::Ncp => Solver::Ncp(Ncp { warm_start: false, ..Ncp::default() }),
        ContactLaw::Lcp => Solver::Lcp(Lcp::default()),
        ContactLaw::HuntCrossley => Solver::HuntCrossley,
        ContactLaw::Off => Solver::Off,
    };
    StepOptions::new(dt).with(integrator).with_solver(solver)
}

/// The recordings of a published set, and its folder.
fn published(set: PublishedSet) -> Result<(DataSet, PathBuf), ExperimentError> {
    Ok(match set {
        PublishedSet::IbmDoublePendulum => {
            let folder = sets::folder("ibm_double_pendulum");
            let mut all = sets::ibm_double_pendulum::runs(&folder)?;
            for task in sets::ibm_double_pendulum::predictions(&folder)? {
                let mut whole = task.inputs;
                whole.name = whole.name.replace("validation/validation_inputs", "validation");
                whole.origin.clone_from(&whole.name);
                whole.t.extend(task.targets.t);
                for (channel, rest) in whole.channels.iter_mut().zip(task.targets.channels) {
                    channel.values.extend(rest.values);
                }
                all.trajectories.push(whole);
                all.files.extend(task.files);
            }
            (all, folder)
        }
        PublishedSet::MultiarmDoublePendulum => {
            let folder = sets::folder("multiarm_pendulum");
            (sets::multiarm_pendulum::double(&folder)?, folder)
        }
        PublishedSet::ContactnetsCube => {
            let folder = sets::folder("contactnets_cube");
            (sets::contactnets_cube::tosses(&folder)?, folder)
        }
    })
}

pub(super) fn read_options(experiment: &Experiment) -> Result<ReadOptions, ExperimentError> {
    let data = &experiment.data;
    if data.files.is_empty() {
        return Err(ExperimentError::wrong("data.files", "which files are the data?"));
    }
    let channel = |(name, spec): (&String, &super::ChannelSpec)| {
        let options = ChannelOptions {
            column: spec.column.clone(),
            unit: spec.unit.clone(),
            scale: spec.scale,
            of: spec.of.clone(),
        };
        (name.clone(), options)
    };
    Ok(ReadOptions {
        files: data.files.clone(),
        format: data.format,
        delimiter: data.delimiter,
        header: data.header,
        columns: data.columns.clone(),
        time: data.time.clone(),
        rate: data.rate,
        trajectory: data.trajectory.clone(),
        missing: data.missing,
        channels: Some(experiment.channels.iter().map(channel).collect()),
    })
}

/// Angles joined, times even, recordings no longer than asked for.
fn process(experiment: &Experiment, mut set: DataSet) -> Result<DataSet, ExperimentError> {
    for (name, _) in experiment.channels.iter().filter(|(_, spec)| spec.unwrap) {
        for trajectory in &mut set.trajectories {
            unwrap_angles(&mut trajectory.channel_mut(name)?.values);
        }
    }
    if let Some(resample) = &experiment.data.resample {
        set = resample.set(&set)?;
    }
    if let Some(samples) = experiment.data.samples {
        for trajectory in &mut set.trajectories {
            trajectory.t.truncate(samples);
            trajectory.channels.iter_mut().for_each(|c| c.values.truncate(samples));
        }
    }
    Ok(set)
}

/// How much rates of recordings may differ: clocks are written with few digits.
const SAME_RATE: f64 = 1e-3;

/// The time from sample to sample, which all recordings must have in common.
fn common_period(set: &DataSet) -> Result<f64, ExperimentError> {
    let mut period: Option<f64> = None;
    for trajectory in &set.trajectories {
        let Some(rate) = trajectory.uniform_rate() else {
            let why = format!(
                "the samples of \"{}\" are not evenly spaced; add resample = {{ rate = …, longest_gap = … }}",
                trajectory.name
            );
            return Err(ExperimentError::wrong("data", why));
        };
        match period {
            Some(period) if (period * rate - 1.0).abs() > SAME_RATE => {
                let why = format!(
                    "\"{}\" has {rate:.4} samples a second, others {:.4}; add resample",
                    trajectory.name,
                    1.0 / period
                );
                return Err(ExperimentError::wrong("data", why));
            }
            Some(_) => {}
            None => period = Some(1.0 / rate),
        }
    }
    period.ok_or_else(|| ExperimentError::wrong("data.files", "there is no recording in them"))
}

/// Which channel is what.
struct Layout {
    sensors: Vec<Sensor>,
    /// Of each number that is measured: the channel, its unit and that unit's size.
    columns: Vec<(String, &'static str, f64)>,
    given: Vec<(String, Given)>,
    signals: usize,
}

impl Layout {
    fn new(
        experiment: &Experiment,
        model: &Model<f64>,
        train: &DataSet,
    ) -> Result<Self, ExperimentError> {
        let all = quantities(model, &experiment.signals);
        let mut layout = Layout {
            sensors: Vec::new(),
            columns: Vec::new(),
            given: Vec::new(),
            signals: experiment.signals.len(),
        };
        let mut orientations: Vec<(gradbody_model::FrameId, [Option<String>; 4])> = Vec::new();
        for (name, spec) in &experiment.channels {
            let Some(quantity) = all.iter().find(|q| q.name == spec.is) else {
                let hint = did_you_mean(&spec.is, all.iter().map(|q| q.name.as_str()));
                let (channel, quantity) = (name.clone(), spec.is.clone());
                return Err(ExperimentError::Quantity { channel, quantity, hint });
            };
            for trajectory in &train.trajectories {
                trajectory.channel(name)?.expect(quantity.dimension)?;
            }
            let sees = match quantity.role {
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
                    format!("an orientation has four parts: link/{link}/orientation/{{w,x,y,z}}");
                return Err(ExperimentError::wrong("channels", why));
            };
            let name = format!("link/{link}/orientation");
            layout.add(experiment, train, &names, name, Sees::Orientation(frame))?;
        }
        if layout.sensors.is_empty() {
            return Err(ExperimentError::wrong(
                "channels",
                "none is a quantity that follows from the state",
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
        let spec = &experiment.channels[&channels[0]];
        let mut size = 1.0;
        for channel in channels {
            let found: Vec<&Channel> =
                train.trajectories.iter().map(|t| t.channel(channel)).collect::<Result<_, _>>()?;
            let unit = found.first().map(|c| c.unit);
            size = unit.map_or(1.0, |u| u.to_si);
            self.columns.push((channel.clone(), unit.map_or("", |u| u.name), size));
        }
        let noise = match spec.noise {
            Some(noise) if noise > 0.0 && noise.is_finite() => noise * size,
            Some(noise) => {
                let why = format!("{noise} is no standard deviation");
                return Err(ExperimentError::wrong(format!("channels.{}.noise", channels[0]), why));
            }
            None => roughness(train, &channels[0]),
        };
        let law = match spec.huber {
            Some(width) if width > 0.0 => NoiseLaw::Huber(width),
            Some(width) => {
                let why = format!("{width}: a positive number of standard deviations is needed");
                return Err(ExperimentError::wrong(format!("channels.{}.huber", channels[0]), why));
            }
            None => NoiseLaw::Gaussian,
        };
        self.sensors.push(Sensor { name, sees, noise, law });
        Ok(())
    }

    fn record(&self, model: &Model<f64>, from: &Trajectory) -> Result<Recording, ExperimentError> {
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
                let values: Vec<f64> = values.collect();
                let there = values.iter().all(|x| x.is_finite());
                recording.present.push(f64::from(u8::from(there)));
                match there {
                    true => recording.measured.extend(values),
                    // A quaternion that is none must still be one.
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
            let value = from.channel(name)?.values[k];
            if !value.is_finite() {
                let why = format!(
                    "\"{}\" has no value at sample {} and acts on the model; resample to fill gaps",
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

/// The noise of a channel, from its third differences, which smooth motion hardly has; at least a thousandth of how
/// much the channel varies.
fn roughness(set: &DataSet, channel: &str) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    let (mut all, mut mean) = (Vec::new(), 0.0);
    for trajectory in &set.trajectories {
        let Ok(channel) = trajectory.channel(channel) else { continue };
        for x in channel.values.windows(4) {
            let third = x[3] - 3.0 * x[2] + 3.0 * x[1] - x[0];
            if third.is_finite() {
                // Of independent noise: 1 + 9 + 9 + 1 times its variance.
                sum += third * third / 20.0;
                count += 1;
            }
        }
        all.extend(channel.values.iter().filter(|x| x.is_finite()));
    }
    let n = all.len().max(1) as f64;
    mean += all.iter().sum::<f64>() / n;
    let spread = (all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    let noise = (sum / f64::from(count.max(1))).sqrt();
    noise.max(1e-3 * spread).max(1e-12)
}

//! An experiment with its model, recordings, networks and unknowns.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gradbody_augment::{Plan, bind};
use gradbody_contact::ContactGradient;
use gradbody_model::import::Imported;
use gradbody_model::{Model, Selection};
use gradbody_sim::{GradientOptions, State, StepOptions};

use super::hint;
use super::layout::Layout;
use super::moved::{self, Moved};
use crate::objective::{
    Fit, FitParts, Recording, Secants, Sensor, Unknown, Unknowns, Window, coarse, cut,
    estimate_states, possible,
};
use gradbody_data::process::{exclude, unwrap_angles};
use gradbody_data::{DataSet, Doubt, Told, Trajectory, look_over_told, read_and_unused, sets};
use gradbody_experiment::{
    ContactSlope, Experiment, ExperimentError, LoadModel, PublishedSet, Starts,
};
use gradbody_math::names::{self, did_you_mean};
use gradbody_optimise::Penalty;

/// A part of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataPart {
    /// Recordings that models are fitted to.
    Train,
    /// Recordings that choose between weights of networks.
    Validation,
    /// Recordings that only judge the result.
    Test,
}

impl DataPart {
    /// All parts.
    pub const ALL: [DataPart; 3] = [DataPart::Train, DataPart::Validation, DataPart::Test];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            DataPart::Train => "train",
            DataPart::Validation => "validation",
            DataPart::Test => "test",
        }
    }
}

/// An experiment with everything that it names.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The experiment.
    pub experiment: Experiment,
    /// The model before the fit, with the values of `model.set`.
    pub model: Model<f64>,
    /// The model as it was imported, with the import report.
    pub imported: Imported,
    /// The measured quantities.
    pub sensors: Vec<Sensor>,
    /// For each measured number: the channel, the name of its unit, and the unit's size in SI units.
    pub columns: Vec<(String, &'static str, f64)>,
    /// The recordings of each part.
    pub recordings: [Vec<Recording>; 3],
    /// The joints that are moved along measured paths.
    pub(crate) moved: Vec<Moved>,
    /// The time from sample to sample [s].
    pub period: f64,
    /// The networks.
    pub plan: Arc<Plan>,
    /// How the model is stepped.
    pub options: StepOptions<f64>,
    /// Fingerprints of the data files.
    pub files: Vec<gradbody_data::Fingerprint>,
    /// The folder of the data files.
    pub folder: PathBuf,
    /// What looks odd in the data.
    pub doubts: Vec<Doubt>,
    /// Columns of the files that no channel reads.
    pub unused: Vec<String>,
    /// Recordings that the split puts into no part.
    pub left_out: Vec<String>,
}

impl Setup {
    /// Reads everything that an experiment names. Relative paths start from `folder`, the folder of its file.
    pub fn new(
        experiment: Experiment,
        folder: &Path,
        load: LoadModel<'_>,
    ) -> Result<Self, ExperimentError> {
        experiment.check()?;
        let mut unused = Vec::new();
        let (set, in_folder) = match experiment.data.set {
            Some(set) => published(set)?,
            None => {
                let (set, rest) = read_and_unused(folder, &experiment.read_options()?)?;
                unused = rest;
                (set, folder.to_owned())
            }
        };
        let mut setup = Setup::with_data(experiment, folder, load, set)?;
        setup.folder = in_folder;
        setup.unused = unused;
        Ok(setup)
    }

    /// Like [`Setup::new`], with data that were already read.
    pub fn with_data(
        experiment: Experiment,
        folder: &Path,
        load: LoadModel<'_>,
        mut set: DataSet,
    ) -> Result<Self, ExperimentError> {
        let (imported, mut model) = experiment.model.load(folder, load)?;
        moved::make_heavy(&mut model, &experiment)?;
        exclude(&experiment.data.exclude, &mut set)?;
        let unwrapped = experiment.channels.iter().filter(|(_, spec)| spec.unwrap);
        let unwrapped: Vec<&str> = unwrapped.map(|(name, _)| name.as_str()).collect();
        let told = Told { time: experiment.data.time.as_ref(), unwrapped: &unwrapped };
        let doubts = look_over_told(&set, &told);
        let files = set.files.clone();
        let set = process(&experiment, set)?;
        let period = common_period(&set)?;
        let mut parts = match &experiment.data.split {
            Some(split) => split.apply(&set)?,
            None => gradbody_data::process::Parts { train: set, ..Default::default() },
        };
        if let Some(samples) = experiment.data.samples {
            for trajectory in &mut parts.train.trajectories {
                trajectory.t.truncate(samples);
                trajectory.channels.iter_mut().for_each(|c| c.values.truncate(samples));
            }
        }
        let layout = Layout::new(&experiment, &model, &parts.train, period)?;
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
        let options = experiment.simulation.step_options(period / substeps as f64);
        let plan = bind(&experiment.blueprint(), &model, &options.contact)
            .map_err(|error| ExperimentError::Networks(error.to_string()))?;
        let mut setup = Setup {
            model,
            moved: Vec::new(),
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
            unused: Vec::new(),
            left_out: parts.left_out,
            experiment,
        };
        setup.find_moved();
        Ok(setup)
    }

    /// The recordings of a part.
    pub fn part(&self, part: DataPart) -> &[Recording] {
        &self.recordings[part as usize]
    }

    /// The state that estimates of states start from. An error if `model.q` has the wrong length.
    pub fn guess(&self, model: &Model<f64>) -> Result<State<f64>, ExperimentError> {
        let mut state = State::neutral(model);
        if let Some(q) = &self.experiment.model.q {
            if q.len() != model.nq() {
                let why = format!("{} numbers, but q of the model has {}", q.len(), model.nq());
                return Err(ExperimentError::wrong("model.q", why));
            }
            state.q.clone_from(q);
        }
        state.memory.resize(self.plan.n_memory(), 0.0);
        Ok(state)
    }

    /// The windows of a part's recordings. An error if there is none.
    pub(crate) fn windows(&self, part: DataPart) -> Result<Vec<Window>, ExperimentError> {
        let objective = &self.experiment.objective;
        let recordings = self.part(part);
        let longest = recordings.iter().map(|r| r.samples).max().unwrap_or(0);
        let length = objective.window.unwrap_or(longest.saturating_sub(1)).max(1);
        let stride = objective.stride.unwrap_or(length);
        let windows = cut(recordings, length, stride, length.min(2));
        if windows.is_empty() {
            let why = format!("no recording of the part \"{}\" has a window", part.name());
            return Err(ExperimentError::wrong("objective.window", why));
        }
        Ok(match objective.windows {
            Some(most) => evenly(windows, most),
            None => windows,
        })
    }

    /// The fit of a part's recordings. `networks` are initial weights of the networks, which are then unknowns too.
    pub fn fit(&self, part: DataPart, networks: Option<&[f64]>) -> Result<Fit, ExperimentError> {
        let objective = &self.experiment.objective;
        let recordings = self.part(part).to_vec();
        let windows = self.windows(part)?;
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
            self.place_moved(&recordings[window.recording], window.first, &mut start);
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
        if let ContactSlope::Secant(spread) = self.experiment.simulation.slope() {
            fit.secants = Some(Secants::over(&fit, spread, objective.estimate.reach));
            fit.options = coarse(fit.options);
        }
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

    /// The same experiment with other networks.
    pub fn with_networks(
        &self,
        augmentation: Vec<gradbody_augment::Augmentation>,
    ) -> Result<Self, ExperimentError> {
        let mut with = self.clone();
        with.experiment.augmentation = augmentation;
        let plan = bind(&with.experiment.blueprint(), &with.model, &with.options.contact)
            .map_err(|error| ExperimentError::Networks(error.to_string()))?;
        with.plan = Arc::new(plan);
        Ok(with)
    }

    /// A plan without networks. Its states have no memory.
    pub fn without_networks(&self) -> Result<Arc<Plan>, ExperimentError> {
        let none = gradbody_augment::Blueprint::default();
        bind(&none, &self.model, &self.options.contact)
            .map(Arc::new)
            .map_err(|error| ExperimentError::Networks(error.to_string()))
    }

    fn slope(&self) -> ContactGradient {
        match self.experiment.simulation.slope() {
            ContactSlope::Implicit | ContactSlope::Secant(_) => ContactGradient::Implicit,
            ContactSlope::Unrolled => ContactGradient::Unrolled,
            ContactSlope::Smoothed(kappa) => ContactGradient::Smoothed { kappa },
        }
    }

    /// The parameters and the period that may change, without weights and starts.
    pub fn unknowns(&self) -> Result<Unknowns, ExperimentError> {
        let change = &self.experiment.change;
        let mut selection = Selection::of(&self.model, &change.parameters).map_err(|error| {
            let why = error.to_string();
            let more = hint::for_paths(&why, &change.parameters, &self.model);
            ExperimentError::wrong("change.parameters", why + &more)
        })?;
        for tie in &change.ties {
            if tie.len() < 2 && !tie.iter().any(|member| names::is_pattern(member)) {
                return Err(ExperimentError::wrong(
                    "change.ties",
                    "a tie has at least two members",
                ));
            }
            (selection.tie(tie))
                .map_err(|error| ExperimentError::wrong("change.ties", error.to_string()))?;
        }
        self.check_ties(&selection)?;
        self.check_influence()?;
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
                let mut given = change.bounds.keys().rev();
                let of = given.find(|pattern| names::matches(pattern, &unknown.name));
                let place =
                    of.map_or("change.bounds".to_owned(), |of| format!("change.bounds.\"{of}\""));
                let why = format!(
                    "the value of {} in the model, {}, is outside {lower} to {upper}; set another in model.set",
                    unknown.name, unknown.initial
                );
                return Err(ExperimentError::wrong(place, why));
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

    /// An error if numbers that are tied differ before the fit.
    fn check_ties(&self, selection: &Selection) -> Result<(), ExperimentError> {
        let values = selection.values(&self.model);
        let units = gradbody_augment::sites(&self.model, &[]);
        let unit = |name: &str| units.iter().find(|site| site.name == name).map(|site| site.unit);
        for follower in selection.followers() {
            let (leader, of) = (values[follower.follows], &selection.names()[follower.follows]);
            let refused = |why: &str| {
                let why = format!("\"{}\" and \"{of}\": {why}", follower.name);
                Err(ExperimentError::wrong("change.ties", why))
            };
            if unit(&follower.name) != unit(of) {
                return refused("parameters with different units are not one number");
            }
            if follower.factor < 0.0 && possible(&follower.name).0 >= 0.0 {
                return refused("a parameter that cannot be negative has no opposite");
            }
            let topology = &self.model.topology;
            let Ok(id) = topology.param_id(&follower.name) else { continue };
            let (is, should) = (self.model.get(id), follower.factor * leader);
            if (is - should).abs() > 1e-12 * should.abs() + f64::EPSILON * leader.abs().max(1e-12) {
                let why = format!(
                    "\"{}\" is {is} in the model, but its tie to \"{of}\" makes it {should}; set it in model.set",
                    follower.name
                );
                return Err(ExperimentError::wrong("change.ties", why));
            }
        }
        Ok(())
    }

    /// L1 penalties on the first layers of networks: on single weights, and on all weights of an input.
    fn penalties(&self, unknowns: &Unknowns) -> Vec<Penalty> {
        let objective = &self.experiment.objective;
        let inputs = self.first_layers(unknowns);
        let mut penalties = Vec::new();
        if objective.lasso > 0.0 {
            penalties.push(Penalty::lasso(objective.lasso, inputs.iter().flatten().copied()));
        }
        if objective.group_lasso > 0.0 {
            penalties.push(Penalty::group_lasso(objective.group_lasso, inputs));
        }
        penalties
    }

    /// For each input of each network, the indices of its first-layer weights among the unknowns.
    pub(crate) fn first_layers(&self, unknowns: &Unknowns) -> Vec<Vec<usize>> {
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
        inputs
    }
}

/// Changes every unknown that matches a pattern. An error if none does.
fn each_of(
    unknowns: &mut [Unknown],
    table: &str,
    pattern: &str,
    mut change: impl FnMut(&mut Unknown),
) -> Result<(), ExperimentError> {
    let mut found = false;
    for unknown in unknowns.iter_mut().filter(|u| names::matches(pattern, &u.name)) {
        change(unknown);
        found = true;
    }
    if found {
        return Ok(());
    }
    let hint = did_you_mean(pattern, unknowns.iter().map(|u| u.name.as_str()));
    let what = format!("{table}.\"{pattern}\"");
    Err(ExperimentError::wrong(what, format!("no parameter that may change matches it{hint}")))
}

/// Subsamples the windows evenly, to at most `most`. No two of the chosen windows are joined.
pub(crate) fn evenly(windows: Vec<Window>, most: usize) -> Vec<Window> {
    let n = windows.len();
    if n <= most || most == 0 {
        return windows;
    }
    (0..most).map(|k| Window { continues: false, ..windows[k * n / most] }).collect()
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

/// An error if a recording has no time step.
fn two_samples_each(set: &DataSet) -> Result<(), ExperimentError> {
    match set.trajectories.iter().find(|trajectory| trajectory.t.len() < 2) {
        Some(short) => {
            let samples = match short.t.len() {
                1 => "only 1 sample",
                _ => "no samples",
            };
            let why = format!(
                "the recording \"{0}\" has {samples}; a recording needs at least 2, or is left out: exclude = [\"{0}\"]",
                short.name
            );
            Err(ExperimentError::wrong("data", why))
        }
        None => Ok(()),
    }
}

/// Unwraps angles, gives quaternions the sign of the sample before, trims recordings and resamples
/// them, as the experiment asks.
fn process(experiment: &Experiment, mut set: DataSet) -> Result<DataSet, ExperimentError> {
    two_samples_each(&set)?;
    for (name, _) in experiment.channels.iter().filter(|(_, spec)| spec.unwrap) {
        for trajectory in &mut set.trajectories {
            unwrap_angles(&mut trajectory.channel_mut(name)?.values);
        }
    }
    for parts in orientations(experiment) {
        for trajectory in &mut set.trajectories {
            align_signs(trajectory, parts)?;
        }
    }
    for trim in &experiment.data.trim {
        trim.apply(&mut set)?;
    }
    if let Some(resample) = &experiment.data.resample {
        set = resample.set(&set)?;
    }
    Ok(set)
}

/// The channels of each orientation, (w, x, y, z).
fn orientations(experiment: &Experiment) -> Vec<[&str; 4]> {
    let channel = |is: String| {
        let found = experiment.channels.iter().find(|(_, spec)| spec.is == is);
        found.map(|(name, _)| name.as_str())
    };
    let links =
        experiment.channels.values().filter_map(|spec| spec.is.strip_suffix("/orientation/w"));
    links
        .filter_map(|link| {
            let part = |letter: &str| channel(format!("{link}/orientation/{letter}"));
            Some([part("w")?, part("x")?, part("y")?, part("z")?])
        })
        .collect()
}

/// Gives each quaternion the one of its two signs that is nearer to the sample before. A gap keeps the last known one.
fn align_signs(trajectory: &mut Trajectory, parts: [&str; 4]) -> Result<(), ExperimentError> {
    let mut before: Option<[f64; 4]> = None;
    for k in 0..trajectory.t.len() {
        let mut now = [0.0; 4];
        for (x, part) in now.iter_mut().zip(parts) {
            *x = trajectory.channel(part)?.values[k];
        }
        let dot: f64 = before.unwrap_or(now).iter().zip(&now).map(|(a, b)| a * b).sum();
        if dot < 0.0 {
            now = now.map(|x| -x);
            for (x, part) in now.iter().zip(parts) {
                trajectory.channel_mut(part)?.values[k] = *x;
            }
        }
        // A tracker that has lost a body writes zeros.
        if dot.is_finite() && now != [0.0; 4] {
            before = Some(now);
        }
    }
    Ok(())
}

/// Relative difference allowed between the rates of recordings, because times are written with few digits.
const SAME_RATE: f64 = 1e-3;

/// The time from sample to sample [s]. An error unless all recordings share it.
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
    period.ok_or_else(|| ExperimentError::wrong("data.files", "they have no recording"))
}

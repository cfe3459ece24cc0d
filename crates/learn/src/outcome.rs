//! What came of a fit: everything a report shows, as plain data.

use serde::{Deserialize, Serialize};

use crate::objective::Prior;

/// What came of a fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The name of the experiment.
    pub name: String,
    /// The name of the model.
    pub model: String,
    /// Why the search ended, in words.
    pub ended: String,
    /// Seconds it took.
    pub seconds: f64,
    /// Iterations of the optimiser.
    pub iterations: usize,
    /// Rollout gradients (or linearised windows) a second that were reached.
    pub gradients_per_second: f64,
    /// The cost over the iterations.
    pub progress: Vec<ProgressPoint>,
    /// The parameters that could change.
    pub parameters: Vec<FittedParameter>,
    /// What the searches came to, one after the other.
    #[serde(default)]
    pub stages: Vec<StageEnd>,
    /// What is left of the errors of each channel that was measured over the windows that were fitted.
    #[serde(default)]
    pub residuals: Vec<Residual>,
    /// How what is left compares with the noise; none if there are not more measured numbers than unknowns.
    #[serde(default)]
    pub noise: Option<AgainstNoise>,
    /// Directions of the parameters that the data do not tell.
    pub undetermined: Vec<Undetermined>,
    /// Errors of each way to predict, on each part of the data.
    pub errors: Vec<ErrorTable>,
    /// Measured and predicted motion to look at.
    pub motions: Vec<Motion>,
    /// What the networks answer.
    pub responses: Vec<DrawnResponse>,
    /// How the cost grows when a parameter is held elsewhere and the others are fitted again.
    pub profiles: Vec<Profile>,
    /// What a person should know: doubts about the data, bounds that were reached, windows left out.
    pub notes: Vec<String>,
}

/// The cost at an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgressPoint {
    /// Which iteration.
    pub iteration: usize,
    /// Seconds since the beginning.
    pub seconds: f64,
    /// The best cost so far, on the data it is fitted to.
    pub cost: f64,
    /// The cost on the data held out for validation, where it was computed, scaled to the size of the other.
    pub validation: Option<f64>,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageEnd {
    /// What was searched for: "parameters" or "networks".
    pub name: String,
    /// Why it ended, in words.
    pub ended: String,
    /// Its iterations.
    pub iterations: usize,
}

/// What is left of the errors of a channel over the windows that were fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Residual {
    /// The channel.
    pub name: String,
    /// The root mean square.
    pub rms: f64,
    /// Its unit.
    pub unit: String,
    /// The standard deviation of its noise, in this unit; none for a part of an orientation.
    pub noise: Option<f64>,
}

/// How what is left over the windows that were fitted compares with the noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgainstNoise {
    /// How many times the noise it is: the root of χ² per degree of freedom.
    pub times: f64,
    /// The cost that noise alone leaves on average: half the degrees of freedom.
    pub cost: f64,
    /// Whether the noise of a channel was estimated from the data and not given.
    pub estimated: bool,
}

/// A parameter that could change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FittedParameter {
    /// Its path.
    pub name: String,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// Its value before.
    pub initial: f64,
    /// Its value after.
    pub fitted: f64,
    /// Its standard deviation, if the data determine it.
    pub sigma: Option<f64>,
    /// Whether it lies on one of its bounds.
    pub at_bound: bool,
    /// What was known of it beforehand.
    pub prior: Option<Prior>,
}

/// A direction of the parameters that the data do not tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Undetermined {
    /// One standard deviation along it, relative to the size of the parameters.
    pub reach: f64,
    /// The parameters in it with their share, the greatest first.
    pub parameters: Vec<(String, f64)>,
}

/// The errors of one way to predict on one part of the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorTable {
    /// Which way: "before", "after", "without networks", "mlp", "lstm", "hold velocity".
    pub by: String,
    /// How many numbers were trained.
    pub trained: usize,
    /// Which part: "train", "validation", "test".
    pub part: String,
    /// The root mean square error of each channel at each horizon.
    pub channels: Vec<ChannelErrors>,
    /// How many windows diverged and are not counted.
    pub diverged: usize,
    /// How many windows were predicted.
    pub windows: usize,
}

/// The errors of a channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChannelErrors {
    /// The channel.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// The root mean square over all samples of all windows.
    pub rms: f64,
    /// Seconds ahead, and the root mean square there.
    pub by_horizon: Vec<(f64, f64)>,
}

/// A recording, or a window of one, as it was measured and as it was predicted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// Its name.
    pub name: String,
    /// Which part of the data it is of.
    pub part: String,
    /// The time of each sample [s].
    pub t: Vec<f64>,
    /// Each channel.
    pub channels: Vec<MotionChannel>,
    /// To be drawn: places of the links at each sample, measured, before and after; each sample a list of the
    /// points (x, y, z) of a stick figure, whose sticks are in `sticks`.
    pub figures: Figures,
}

/// A channel of a motion. What is missing is null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MotionChannel {
    /// The channel.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// As measured.
    pub measured: Vec<Option<f64>>,
    /// As the model had it before.
    pub before: Vec<Option<f64>>,
    /// As it has it now.
    pub after: Vec<Option<f64>>,
}

/// Stick figures over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Pairs of points that are joined.
    pub sticks: Vec<(usize, usize)>,
    /// As measured (the configuration that the sensors agree with), before and after: for each sample its points.
    pub measured: Vec<Vec<[f64; 3]>>,
    /// As the model had it before.
    pub before: Vec<Vec<[f64; 3]>>,
    /// As it has it now.
    pub after: Vec<Vec<[f64; 3]>>,
}

/// What an output of a network does over one of its inputs, the others at their means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// The network.
    pub network: String,
    /// Its input.
    pub input: String,
    /// Its output.
    pub output: String,
    /// Values of the input, as far to either side as the data go to one.
    pub x: Vec<f64>,
    /// The output at each.
    pub y: Vec<f64>,
}

/// A response with what a drawing of it says besides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrawnResponse {
    /// What is drawn.
    #[serde(flatten)]
    pub response: Response,
    /// The unit of the input; empty if it has none.
    #[serde(default)]
    pub input_unit: String,
    /// The unit of the output; empty if it has none.
    #[serde(default)]
    pub output_unit: String,
    /// The least and the greatest value of the input in the data, if they tell.
    #[serde(default)]
    pub range: Option<(f64, f64)>,
}

/// The least cost with a parameter held at each of some values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The parameter.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
    /// How much greater the cost is than at the best.
    pub rise: Vec<f64>,
}

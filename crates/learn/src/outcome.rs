//! The results of a fit as plain data: everything that a report shows.

use gradbody_draw::{Effects, Scene};
use serde::{Deserialize, Serialize};

use crate::foresight::Foresight;
use gradbody_experiment::Prior;

/// The results of a fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FitOutcome {
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
    /// Rollout gradients (or linearised windows) per second.
    pub gradients_per_second: f64,
    /// The cost over the iterations.
    pub progress: Vec<ProgressPoint>,
    /// The parameters that could change.
    pub parameters: Vec<FittedParameter>,
    /// How each stage ended, in order.
    #[serde(default)]
    pub stages: Vec<StageEnd>,
    /// Residuals over the fitted windows.
    #[serde(default)]
    pub residuals: Vec<Residual>,
    /// How the residuals compare with the noise. None if there are no more measured numbers than unknowns.
    #[serde(default)]
    pub noise: Option<AgainstNoise>,
    /// How the residuals over the fitted windows are distributed. None without measurements.
    #[serde(default)]
    pub calibration: Option<Calibration>,
    /// How standard deviations were found, in words. None if they were not.
    #[serde(default)]
    pub deviations_by: Option<String>,
    /// Why no standard deviations were computed, in words. None if they were: then a parameter without one is one that
    /// the data do not determine.
    #[serde(default)]
    pub no_deviations: Option<String>,
    /// Combinations of parameters that the data do not determine.
    pub undetermined: Vec<Undetermined>,
    /// Errors of each way to predict, on each part of the data.
    pub errors: Vec<ErrorTable>,
    /// How far motions can be predicted, on the part that judges the fit.
    #[serde(default)]
    pub foresight: Option<Foresight>,
    /// What is drawn of the fitted model. It is only for pages.
    #[serde(skip)]
    pub scene: Scene,
    /// Measured and predicted motions to show.
    pub motions: Vec<Motion>,
    /// Outputs of the networks over their inputs.
    pub responses: Vec<DrawnResponse>,
    /// How the cost grows when a parameter is held elsewhere and the others are fitted again.
    pub profiles: Vec<Profile>,
    /// Warnings, a sentence each: oddities in the data, settings that were not followed, results that are missing.
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
    /// The cost on the validation part, scaled by the number of measured values so that it compares with `cost`. None
    /// where it was not computed.
    pub validation: Option<f64>,
}

/// How a stage ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageEnd {
    /// The stage: "parameters" or "networks".
    pub name: String,
    /// Why it ended, in words.
    pub ended: String,
    /// What that means for the result and what to do, a sentence each. Empty if the stage ended well.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// Its iterations.
    pub iterations: usize,
}

/// The residuals of a channel, or of a body's position or orientation, over the fitted windows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Residual {
    /// The channel, `link/L position` or `link/L orientation`.
    pub name: String,
    /// The root mean square.
    pub rms: f64,
    /// Its unit.
    pub unit: String,
    /// The root mean square that noise alone leaves, in this unit: for a channel the standard deviation of its noise.
    pub noise: f64,
}

/// How the residuals over the fitted windows compare with the noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgainstNoise {
    /// The residuals as a multiple of the noise: the root of χ² per degree of freedom.
    pub times: f64,
    /// The cost that noise alone leaves on average: half the degrees of freedom.
    pub cost: f64,
    /// Whether the noise of a channel was estimated from the data and not given.
    pub estimated: bool,
}

/// The distribution of the residuals over the fitted windows, in standard deviations of the noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Quantiles of a standard normal distribution, and of the residuals.
    pub quantiles: Vec<(f64, f64)>,
    /// The shares of residuals within one and within two standard deviations.
    pub within: [f64; 2],
    /// Number of residuals; an orientation has three.
    pub count: usize,
}

/// A parameter that could change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FittedParameter {
    /// Its path.
    pub name: String,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// Its value before the fit.
    pub initial: f64,
    /// Its value after the fit.
    pub fitted: f64,
    /// Its standard deviation. None at a bound, if the data do not determine the parameter, or if none was computed
    /// ([`FitOutcome::no_deviations`]).
    pub sigma: Option<f64>,
    /// Whether it lies on one of its bounds.
    pub at_bound: bool,
    /// The parameter whose number it shares, if it is tied to one.
    #[serde(default)]
    pub tied_to: Option<String>,
    /// Its prior, if it has one.
    pub prior: Option<Prior>,
}

/// A combination of parameters that the data do not determine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Undetermined {
    /// One standard deviation along it, relative to the size of the parameters.
    pub reach: f64,
    /// Its parameters with their coefficients, the largest first.
    pub parameters: Vec<(String, f64)>,
}

/// The errors of one way to predict on one part of the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorTable {
    /// Which way: "before", "after", "without networks", "mlp", "lstm", "hold velocity".
    pub by: String,
    /// Number of fitted parameters and weights.
    pub trained: usize,
    /// Which part: "train", "validation", "test".
    pub part: String,
    /// The errors of each body's position and orientation, and of every other channel.
    pub channels: Vec<ChannelErrors>,
    /// How many windows diverged and are not counted.
    pub diverged: usize,
    /// How many windows were predicted.
    pub windows: usize,
}

/// The errors of a channel, or of several that together are a position or an orientation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChannelErrors {
    /// The channel; `link/L position` for the distance from the measured place, `link/L orientation` for the angle of the
    /// rotation from the measured orientation.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// The root mean square over all samples of all windows.
    pub rms: f64,
    /// Between which values the root mean square lies in 90 % of draws of as many recordings from these. None for fewer
    /// than five recordings.
    #[serde(default)]
    pub interval: Option<(f64, f64)>,
    /// The median over windows of the root mean square within each. Where a few windows have far larger errors than the
    /// rest, it says how large those of the rest are.
    pub median: f64,
    /// Seconds ahead, and the root mean square there.
    pub by_horizon: Vec<(f64, f64)>,
}

/// A recording, or a window of one, as it was measured and as it was predicted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// Its name.
    pub name: String,
    /// The part of the data that it belongs to.
    pub part: String,
    /// The time of each sample [s].
    pub t: Vec<f64>,
    /// Each channel.
    pub channels: Vec<MotionChannel>,
    /// The errors of each measured position and orientation.
    pub errors: Vec<PoseError>,
    /// The bodies at each sample.
    pub figures: Figures,
}

/// A channel of a motion. Missing values are None (null in JSON).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MotionChannel {
    /// The channel.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Measured values.
    pub measured: Vec<Option<f64>>,
    /// Predicted by the model before the fit.
    pub before: Vec<Option<f64>>,
    /// Predicted by the fitted model.
    pub after: Vec<Option<f64>>,
}

/// The error of a body's position or orientation over the time of a motion. Missing values are None.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoseError {
    /// `link/L position` or `link/L orientation`.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Of the model before the fit.
    pub before: Vec<Option<f64>>,
    /// Of the fitted model.
    pub after: Vec<Option<f64>>,
}

/// A motion as it is drawn: the poses of all bodies of [`FitOutcome::scene`], sample by sample. What is shorter than the
/// motion has diverged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// As estimated from the sensors; a body whose whole pose was measured is where it was measured.
    pub measured: Vec<f32>,
    /// Predicted by the model before the fit.
    pub before: Vec<f32>,
    /// Predicted by the fitted model.
    pub after: Vec<f32>,
    /// Where the networks of the fitted model act. None without networks.
    pub effects: Option<Effects>,
}

/// An output of a network as a function of one input. The other inputs are at their means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// The network.
    pub network: String,
    /// Its input.
    pub input: String,
    /// Its output.
    pub output: String,
    /// Values of the input.
    pub x: Vec<f64>,
    /// The output at each of them.
    pub y: Vec<f64>,
}

/// A response with the units and the range that a drawing shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrawnResponse {
    /// The response.
    #[serde(flatten)]
    pub response: Response,
    /// The unit of the input; empty if it has none.
    #[serde(default)]
    pub input_unit: String,
    /// The unit of the output; empty if it has none.
    #[serde(default)]
    pub output_unit: String,
    /// The least and the greatest value of the input in the data. None if the data do not have it.
    #[serde(default)]
    pub range: Option<(f64, f64)>,
}

/// The lowest cost with a parameter held at each of several values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The parameter.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
    /// How much the cost at each value exceeds the lowest one.
    pub rise: Vec<f64>,
}

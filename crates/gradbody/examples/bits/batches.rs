//! Batches of worlds in f64 and f32: the last state and the gradient of each world.

use std::error::Error;
use std::io::Write;

use gradbody::math::Scalar;
use gradbody::model::Model;
use gradbody::sim::{
    BatchLoss, BatchTaps, Ensemble, Failure, Mean, NoTaps, Precision, State, StateCost, World,
    WorldGradient, WorldOutcome,
};

use crate::record::{Found, Record, input_numbers, param_numbers, start_numbers, state_numbers};
use crate::settings::Setting;
use crate::specimen::{Specimen, distance_from};

/// Number of worlds; whether it exceeds the lanes of a group depends on the machine.
const WORLDS: u64 = 5;
/// Steps of a rollout whose gradient is taken.
const STEPS_BACK: usize = 6;
/// Models whose gradients are recorded.
const WITH_GRADIENTS: [&str; 6] = ["ant", "cartpole", "cube", "hopper", "laikago", "mixture"];

pub(crate) fn record(
    specimen: &Specimen,
    record: &mut Record<impl Write>,
) -> Result<(), Box<dyn Error>> {
    let worlds = Worlds::new(specimen, specimen.start.clone());
    for setting in Setting::all() {
        let name = format!("{}/{setting}", specimen.name);
        let ends = worlds.ends::<f64>(&setting, &NoTaps)?;
        record.case(format_args!("{name}/batch-f64/states"), &ends)?;
        let ends = worlds.ends::<f32>(&setting, &NoTaps)?;
        record.case(format_args!("{name}/batch-f32/states"), &ends)?;
    }
    if WITH_GRADIENTS.contains(&specimen.name.as_str()) {
        for setting in Setting::ncp() {
            let name = format!("{}/{setting}", specimen.name);
            let found = worlds.gradients::<f64>(&setting, &NoTaps)?;
            record.case(format_args!("{name}/batch-f64/gradient-implicit"), &found)?;
            let found = worlds.gradients::<f32>(&setting, &NoTaps)?;
            record.case(format_args!("{name}/batch-f32/gradient-implicit"), &found)?;
        }
    }
    Ok(())
}

/// Variants of a specimen.
pub(crate) struct Worlds<'a> {
    specimen: &'a Specimen,
    of: Vec<(Model<f64>, State<f64>)>,
}

impl<'a> Worlds<'a> {
    /// The variants start with the network memory of `start`.
    pub(crate) fn new(specimen: &'a Specimen, start: State<f64>) -> Self {
        let variant = |seed| {
            let (model, varied) = specimen.variant(100 + seed);
            (model, State { memory: start.memory.clone(), ..varied })
        };
        Worlds { specimen, of: (0..WORLDS).map(variant).collect() }
    }

    fn list(&self) -> Vec<World<'_>> {
        let inputs = &self.specimen.inputs;
        self.of.iter().map(|(model, start)| World { model, start, inputs }).collect()
    }

    /// The cost and the last state of every world.
    pub(crate) fn ends<T: Precision>(
        &self,
        setting: &Setting,
        taps: &impl BatchTaps,
    ) -> Result<Found, Box<dyn Error>> {
        let batch = Ensemble::new(self.specimen.inputs.len(), setting.options());
        let found = batch.run_with::<T>(&self.list(), &FromStart(&self.specimen.start), taps)?;
        let numbers = |WorldOutcome { cost, end, .. }: WorldOutcome| {
            [cost].into_iter().chain(state_numbers(&end)).collect()
        };
        Ok(together(found, numbers))
    }

    /// The gradient of every world.
    pub(crate) fn gradients<T: Precision>(
        &self,
        setting: &Setting,
        taps: &impl BatchTaps,
    ) -> Result<Found, Box<dyn Error>> {
        let batch = Ensemble::new(STEPS_BACK, setting.options());
        let found =
            batch.gradients_with::<T>(&self.list(), &FromStart(&self.specimen.start), taps)?;
        Ok(together(found, world_numbers))
    }
}

fn world_numbers(found: WorldGradient) -> Vec<f64> {
    let WorldGradient { cost, start, inputs, params, weights, dt, end, .. } = found;
    let mut numbers = vec![cost, dt];
    numbers.extend(start_numbers(&start).chain(state_numbers(&end)));
    numbers.extend(weights);
    numbers.extend(param_numbers(&params));
    numbers.extend(input_numbers(&inputs));
    numbers
}

/// The numbers of all worlds, or the first failure.
fn together<T>(found: Vec<Result<T, Failure>>, numbers: impl Fn(T) -> Vec<f64>) -> Found {
    let mut all = Vec::new();
    for (world, found) in found.into_iter().enumerate() {
        let found = found.map_err(|failure| format!("world {world}: {failure}"))?;
        all.extend(numbers(found));
    }
    Ok(all)
}

/// The cost of a batch: the distance from one start.
struct FromStart<'a>(&'a State<f64>);

impl BatchLoss for FromStart<'_> {
    type Loss<S: Scalar> = Mean<StateCost<S>>;

    fn for_worlds<S: Scalar>(&self, model: &Model<S>, _: &[usize]) -> Self::Loss<S> {
        distance_from(model, self.0)
    }
}

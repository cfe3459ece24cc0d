//! Networks inside the step of a quadruped: states, gradients, and the gradients of their weights.

use std::error::Error;
use std::io::Write;
use std::sync::Arc;

use gradbody::prelude::*;
use gradbody::sim::{GradientOptions, Rollout, RolloutTrace, Sequence, rollout_vjp};

use crate::batches::Worlds;
use crate::blueprints::blueprints;
use crate::gradients::gradient_numbers;
use crate::record::{Found, Record, state_numbers};
use crate::settings::Setting;
use crate::specimen::{Specimen, distance_from};

const STEPS: usize = 5;

pub(crate) fn record(
    specimen: &Specimen,
    record: &mut Record<impl Write>,
) -> Result<(), Box<dyn Error>> {
    let mut specimen = Specimen {
        name: specimen.name.clone(),
        model: specimen.model.clone(),
        start: specimen.start.clone(),
        inputs: specimen.inputs[..STEPS].to_vec(),
    };
    for (k, input) in specimen.inputs.iter_mut().enumerate() {
        input.signals = vec![0.1 * k as f64 - 0.3];
    }
    for (name, needs_compliance, blueprint) in blueprints()? {
        let mut settings = Setting::compliant();
        if !needs_compliance {
            settings.extend(Setting::ncp());
        }
        for setting in settings {
            let label = format!("networks/{name}/{setting}");
            let options = setting.options::<f64>();
            let plan = Arc::new(bind(&blueprint, &specimen.model, &options.contact)?);
            let bound = Bound::new(plan.clone(), plan.initial_weights())?;
            bound.begin(&mut specimen.start);
            specimen.start.memory.iter_mut().for_each(|m| *m = 0.1);
            let case = Case { specimen: &specimen, options, bound };
            record.case(format_args!("{label}/f64/states"), &case.states())?;
            let (gradient, weights) = case.gradient();
            record.case(format_args!("{label}/f64/gradient-implicit"), &gradient)?;
            record.case(format_args!("{label}/f64/gradient-weights"), &weights)?;
            if name.starts_with("all") {
                let worlds = Worlds::new(&specimen, specimen.start.clone());
                let found = worlds.gradients::<f64>(&setting, &case.bound)?;
                record.case(format_args!("{label}/batch-f64/gradient-implicit"), &found)?;
            }
        }
    }
    Ok(())
}

struct Case<'a> {
    specimen: &'a Specimen,
    options: StepOptions<f64>,
    bound: Bound<f64>,
}

impl Case<'_> {
    /// The states after every step.
    fn states(&self) -> Found {
        let Specimen { model, start, inputs, .. } = self.specimen;
        let mut state = start.clone();
        let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
        let mut bound = self.bound.clone();
        let mut numbers = Vec::new();
        for (k, input) in inputs.iter().enumerate() {
            let report =
                step(model, &mut state, input, &self.options, &mut bound, &mut trace, &mut scratch);
            if let Some(link) = report.diverged {
                return Err(format!("the motion of link {} diverges at step {k}", link.index()));
            }
            numbers.extend(state_numbers(&state));
        }
        Ok(numbers)
    }

    /// The gradient of a rollout, and that of the weights.
    fn gradient(&self) -> (Found, Found) {
        let Specimen { model, start, inputs, .. } = self.specimen;
        let mut bound = self.bound.clone();
        let rollout = Rollout { model, start, steps: STEPS, options: &self.options };
        let mut inputs = Sequence::new(model, inputs.clone());
        let mut loss = distance_from(model, start);
        let (how, work) = (GradientOptions::default(), &mut RolloutTrace::new(model));
        let found = rollout_vjp(&rollout, &mut inputs, &mut loss, &mut bound, &how, work);
        let gradient = gradient_numbers(found, &inputs);
        let weights = gradient.clone().map(|_| bound.weights_bar);
        (gradient, weights)
    }
}

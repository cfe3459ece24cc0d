//! Gradients of rollouts in f64: all models with the default solver, and all settings for models with many contacts.

use std::io::{self, Write};

use gradbody::contact::ContactGradient;
use gradbody::sim::{
    Checkpointing, Gradient, GradientOptions, NoTaps, Rollout, RolloutTrace, Sequence, rollout_vjp,
};

use crate::record::{Found, Record, input_numbers, param_numbers, start_numbers};
use crate::settings::Setting;
use crate::specimen::{Specimen, distance_from};

const STEPS: usize = 5;
/// Models recorded with every setting and every kind of gradient.
const WHOLE: [&str; 2] = ["ant", "laikago"];
/// A model recorded with every setting and one kind of gradient.
const EVERY_SETTING: &str = "mixture";

const CONTACT: [(&str, ContactGradient); 3] = [
    ("gradient-implicit", ContactGradient::Implicit),
    ("gradient-unrolled", ContactGradient::Unrolled),
    ("gradient-smoothed", ContactGradient::Smoothed { kappa: 0.05 }),
];

const CHECKPOINTING: [(&str, Checkpointing); 3] = [
    ("", Checkpointing::EveryStep),
    ("-store-all", Checkpointing::StoreAll),
    ("-revolve", Checkpointing::Revolve { snapshots: 3 }),
];

pub(crate) fn record(specimen: &Specimen, record: &mut Record<impl Write>) -> io::Result<()> {
    let whole = WHOLE.contains(&specimen.name.as_str());
    let every = whole || specimen.name == EVERY_SETTING;
    let settings = if every { Setting::all() } else { Setting::ncp() };
    let kinds = if whole { &CONTACT[..] } else { &CONTACT[..1] };
    let ways = if whole { &CHECKPOINTING[..] } else { &CHECKPOINTING[..1] };
    for setting in settings {
        for (kind, contact) in kinds {
            for (way, checkpointing) in ways {
                let how = GradientOptions { contact: *contact, checkpointing: *checkpointing };
                let name = format!("{}/{setting}/f64/{kind}{way}", specimen.name);
                record.case(name, &gradient(specimen, &setting, &how))?;
            }
        }
    }
    Ok(())
}

fn gradient(specimen: &Specimen, setting: &Setting, how: &GradientOptions) -> Found {
    let Specimen { model, start, .. } = specimen;
    let options = setting.options();
    let rollout = Rollout { model, start, steps: STEPS, options: &options };
    let mut inputs = Sequence::new(model, specimen.inputs[..STEPS].to_vec());
    let mut loss = distance_from(model, start);
    let work = &mut RolloutTrace::new(model);
    let found = rollout_vjp(&rollout, &mut inputs, &mut loss, &mut NoTaps, how, work);
    gradient_numbers(found, &inputs)
}

/// The cost, and its derivatives with respect to the time step, the start, the parameters and the inputs.
pub(crate) fn gradient_numbers(found: Gradient<f64>, inputs: &Sequence<f64>) -> Found {
    let found = found.checked().map_err(|failure| failure.to_string())?;
    let mut numbers = vec![found.cost, found.dt];
    numbers.extend(start_numbers(&found.start));
    numbers.extend(param_numbers(&found.params));
    numbers.extend(input_numbers(&inputs.bars));
    Ok(numbers)
}

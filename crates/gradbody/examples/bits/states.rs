//! States by `step`, in f64 and f32, and the contacts of the last step.

use std::io::{self, Write};

use gradbody::sim::{Input, NoTaps, Simulated, StepScratch, StepTrace, step};

use crate::record::{Found, Record, contact_numbers, state_numbers};
use crate::settings::Setting;
use crate::specimen::Specimen;

pub(crate) fn record(specimen: &Specimen, record: &mut Record<impl Write>) -> io::Result<()> {
    for setting in Setting::all() {
        of_scalar::<f64>(specimen, &setting, "f64", record)?;
        of_scalar::<f32>(specimen, &setting, "f32", record)?;
    }
    Ok(())
}

fn of_scalar<S: Simulated>(
    specimen: &Specimen,
    setting: &Setting,
    scalar: &str,
    record: &mut Record<impl Write>,
) -> io::Result<()> {
    let name = format!("{}/{setting}/{scalar}", specimen.name);
    let (states, contacts) = run::<S>(specimen, setting);
    record.case(format_args!("{name}/states"), &states)?;
    record.case(format_args!("{name}/contacts"), &contacts)
}

/// The states after every step, and the contacts of the last.
fn run<S: Simulated>(specimen: &Specimen, setting: &Setting) -> (Found, Found) {
    let model = specimen.model.cast::<S>();
    let mut state = specimen.start.cast::<S>();
    let options = setting.options();
    let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
    let mut numbers = Vec::new();
    for (k, input) in specimen.inputs.iter().enumerate() {
        let input: Input<S> = input.cast();
        let report =
            step(&model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        if let Some(link) = report.diverged {
            let why = format!("the motion of link {} diverges at step {k}", link.index());
            return (Err(why.clone()), Err(why));
        }
        numbers.extend(state_numbers(&state));
    }
    (Ok(numbers), Ok(contact_numbers(trace.contacts())))
}

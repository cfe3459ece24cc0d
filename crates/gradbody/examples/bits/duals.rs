//! Derivatives by dual numbers: along a direction, second derivatives, Jacobians and sensitivities.

use std::error::Error;
use std::io::Write;

use gradbody::contact::ContactGradient;
use gradbody::model::Selection;
use gradbody::prelude::*;
use gradbody::sim::{
    Change, Direction, GradientOptions, JacobianBy, Rollout, Variables, hessian_vector_product,
    rollout_jvp, sensitivities, step_jacobian,
};

use crate::record::{Found, Record, state_numbers};
use crate::settings::Setting;
use crate::specimen::{Random, Specimen, distance_from};

/// Differentiated steps. Few, because a solver that converges to the last digit takes many sweeps.
const STEPS: usize = 4;
/// Steps before them, after which robots touch the ground.
const BEFORE: usize = 4;
const MODELS: [&str; 4] = ["ant", "cube", "laikago", "mixture"];

pub(crate) fn record(
    specimen: &Specimen,
    record: &mut Record<impl Write>,
) -> Result<(), Box<dyn Error>> {
    if !MODELS.contains(&specimen.name.as_str()) {
        return Ok(());
    }
    let selection = Selection::of(&specimen.model, ["link/*/mass", "shape/*/friction"])?;
    for setting in Setting::converged() {
        let case = Case { specimen, selection: &selection, options: setting.options() };
        let start = case.landed();
        let name = format!("{}/{setting}/dual", specimen.name);
        record.case(format_args!("{name}/jvp"), &case.along_a_direction(&start)?)?;
        record.case(format_args!("{name}/hessian-vector"), &case.hessian(&start))?;
        record.case(format_args!("{name}/sensitivities"), &case.sensitivities(&start))?;
        for (by_name, by) in [("duals", JacobianBy::Duals), ("adjoints", JacobianBy::Adjoints)] {
            let found = case.jacobian(&start, by);
            record.case(format_args!("{name}/step-jacobian-{by_name}"), &found)?;
        }
    }
    Ok(())
}

struct Case<'a> {
    specimen: &'a Specimen,
    selection: &'a Selection,
    options: StepOptions<f64>,
}

impl Case<'_> {
    /// The state after some steps.
    fn landed(&self) -> State<f64> {
        let Specimen { model, start, inputs, .. } = self.specimen;
        let mut state = start.clone();
        let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
        for input in &inputs[..BEFORE] {
            step(model, &mut state, input, &self.options, &mut NoTaps, &mut trace, &mut scratch);
        }
        state
    }

    fn inputs(&self) -> &[Input<f64>] {
        &self.specimen.inputs[BEFORE..BEFORE + STEPS]
    }

    fn rollout<'a>(&'a self, start: &'a State<f64>) -> Rollout<'a, f64> {
        Rollout { model: &self.specimen.model, start, steps: STEPS, options: &self.options }
    }

    fn variables(&self) -> Variables<'_> {
        Variables { state: true, control: true, tau: true, params: Some(self.selection) }
    }

    fn along_a_direction(&self, start: &State<f64>) -> Result<Found, Box<dyn Error>> {
        let model = &self.specimen.model;
        let mut random = Random::new(7);
        let mut change = Change::zero(model, STEPS);
        let n = change.start.iter().count();
        let numbers = random.many(n, 1.0);
        change.start.iter_mut().zip(numbers).for_each(|(to, x)| *to = x);
        for input in &mut change.inputs {
            input.tau = random.many(model.nv(), 1.0);
            input.control = random.many(input.control.len(), 1.0);
        }
        change.set_params(model, self.selection, &random.many(self.selection.len(), 1.0))?;
        change.dt = 0.3;
        let found = rollout_jvp(&self.rollout(start), self.inputs(), &[change]);
        Ok(found
            .map_err(|failure| failure.to_string())
            .map(|(end, [slope])| state_numbers(&end).chain(slope.iter().copied()).collect()))
    }

    fn hessian(&self, start: &State<f64>) -> Found {
        let model = &self.specimen.model;
        let mut direction = Direction::zero(model, self.selection, STEPS);
        let numbers = Random::new(8).many(direction.iter().count(), 1.0);
        direction.iter_mut().zip(numbers).for_each(|(to, x)| *to = x);
        let mut loss = distance_from(&model.cast::<Dual<f64, 1>>(), &self.specimen.start);
        let found = hessian_vector_product(
            &self.rollout(start),
            self.inputs(),
            self.selection,
            &mut loss,
            &GradientOptions::default(),
            &direction,
        );
        let found = found.map_err(|error| error.to_string())?;
        let parts = found.gradient.iter().chain(found.product.iter());
        Ok([&found.cost].into_iter().chain(parts).copied().collect())
    }

    fn sensitivities(&self, start: &State<f64>) -> Found {
        let sampled = [STEPS / 2, STEPS - 1];
        let found = sensitivities(&self.rollout(start), self.inputs(), &self.variables(), &sampled);
        let found = found.map_err(|error| error.to_string())?;
        let states = found.states.iter().flat_map(state_numbers);
        Ok(states.chain(found.matrices.iter().flat_map(|m| m.numbers().iter().copied())).collect())
    }

    fn jacobian(&self, start: &State<f64>, by: JacobianBy) -> Found {
        let found = step_jacobian(
            &self.specimen.model,
            start,
            &self.inputs()[0],
            &self.options,
            ContactGradient::Implicit,
            &self.variables(),
            by,
        );
        let found = found.map_err(|failure| failure.to_string())?;
        Ok(state_numbers(&found.end).chain(found.matrix.numbers().iter().copied()).collect())
    }
}

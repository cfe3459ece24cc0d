//! A model of a swimmer without a medium, with networks that replace it.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use gradbody::augment::{Bound, bind};
use gradbody::contact::Solver;
use gradbody::model::import::{ImportOptions, from_text};
use gradbody::model::{Model, Selection};
use gradbody::sim::{Integrator, StepOptions, StepScratch, StepTrace, step};

use super::networks::{Networks, link_name};
use super::recorded::{Motion, Swimmer};
use super::{DT, STIFFNESS};
use gradbody_cli::builtin;

/// The text of the built-in model with link names for the networks' sites.
pub(super) fn file_text(text: &str, swimmer: Swimmer) -> String {
    let rename = |text: String, k: usize| {
        text.replace(&format!("\"link{k}\""), &format!("\"{}\"", link_name(k)))
    };
    (1..=swimmer.hinges + 1).fold(text.to_owned(), rename)
}

/// The built-in model with the springs of the recordings and link names for the networks' sites.
pub(super) fn model(swimmer: Swimmer) -> anyhow::Result<Model<f64>> {
    let file = builtin::find(swimmer.key)
        .with_context(|| format!("no built-in model \"{}\"", swimmer.key))?;
    let text = file_text(file.text, swimmer);
    let mut model = from_text(&text, Path::new(file.file), &ImportOptions::default())?.model;
    let springs = Selection::of(&model, ["joint/joint*/stiffness"])?;
    springs.apply(&mut model, &vec![STIFFNESS; swimmer.hinges])?;
    Ok(model)
}

/// Step options as in MuJoCo: all forces at the old velocity, then the position from the new one.
pub(super) fn options() -> StepOptions<f64> {
    let options = StepOptions::new(DT).with_solver(Solver::Off);
    StepOptions { integrator: Integrator::SemiImplicitEuler, ..options }
}

/// A swimmer with the networks that replace its medium.
#[derive(Clone, Debug)]
pub(super) struct Corrected {
    pub(super) model: Model<f64>,
    pub(super) bound: Bound<f64>,
    /// For each weight, whether it is learned.
    pub(super) learned: Vec<bool>,
}

impl Corrected {
    /// A swimmer with initial network weights.
    pub(super) fn new(swimmer: Swimmer, networks: &Networks) -> anyhow::Result<Self> {
        let model = model(swimmer)?;
        let plan = Arc::new(bind(&networks.blueprint, &model, &options().contact)?);
        let mut weights = plan.initial_weights();
        let mut learned = vec![true; weights.len()];
        for (name, _, at) in plan.networks() {
            if let Some((_, given)) = networks.given.iter().find(|(given, _)| given == name) {
                weights[at.clone()].copy_from_slice(given);
                learned[at].fill(false);
            }
        }
        Ok(Corrected { bound: Bound::new(plan, weights)?, model, learned })
    }

    /// The same with other weights.
    pub(super) fn with_weights(&self, weights: Vec<f64>) -> anyhow::Result<Self> {
        let bound = Bound::new(self.bound.plan().clone(), weights)?;
        Ok(Corrected { bound, ..self.clone() })
    }

    /// The number of learned weights.
    pub(super) fn n_learned(&self) -> usize {
        self.learned.iter().filter(|learned| **learned).count()
    }

    /// The positions after each step of a motion, up to divergence.
    pub(super) fn predict(&self, motion: &Motion, steps: usize) -> Vec<Vec<f64>> {
        let (mut state, mut networks) = (motion.start.clone(), self.bound.clone());
        let options = options();
        let (mut trace, mut scratch) = (StepTrace::new(&self.model), StepScratch::new(&self.model));
        let after = motion.inputs(&self.model, steps).into_iter().map_while(|input| {
            let report = step(
                &self.model,
                &mut state,
                &input,
                &options,
                &mut networks,
                &mut trace,
                &mut scratch,
            );
            report.diverged.is_none().then(|| state.q.clone())
        });
        after.collect()
    }
}

#[cfg(test)]
mod tests {
    use gradbody::dynamics::{Kinematics, kinetic_energy};
    use gradbody::sim::{Input, NoTaps, State};

    use super::*;
    use crate::swimmer::networks::Correction;
    use crate::swimmer::recorded::{MEDIA, SWIMMERS, read};

    /// A swimmer with random network weights, and a state in which every joint moves.
    fn moving(correction: Correction) -> (Corrected, State<f64>) {
        let swimmer = SWIMMERS[1];
        let start = Corrected::new(swimmer, &correction.networks(swimmer, 10.0, 3)).expect("binds");
        let draw = |(k, (w, learned)): (usize, (&f64, &bool))| match learned {
            true => (1.7 * k as f64).sin(),
            false => *w,
        };
        let weights = start.bound.weights.iter().zip(&start.learned).enumerate().map(draw);
        let corrected = start.with_weights(weights.collect()).expect("as many");
        let mut state = State::neutral(&corrected.model);
        for (k, (q, v)) in state.q.iter_mut().zip(&mut state.v).enumerate() {
            (*q, *v) = ((2.0 * k as f64).sin(), (1.0 + k as f64).cos());
        }
        (corrected, state)
    }

    /// The velocities after a step, with the networks and without.
    fn stepped(corrected: &Corrected, start: &State<f64>) -> (Vec<f64>, Vec<f64>) {
        let model = &corrected.model;
        let (input, options) = (Input::none(model), options());
        let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
        let (mut with, mut without) = (start.clone(), start.clone());
        step(
            model,
            &mut with,
            &input,
            &options,
            &mut corrected.bound.clone(),
            &mut trace,
            &mut scratch,
        );
        step(model, &mut without, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        (with.v, without.v)
    }

    #[test]
    fn the_plain_model_is_exact_in_vacuum() {
        // Half of the last of six decimals, and as much again for rounding in the simulation.
        const DECIMALS: f64 = 1e-6;
        for swimmer in SWIMMERS {
            let plain = Corrected::new(swimmer, &Correction::None.networks(swimmer, 1.0, 0));
            let plain = plain.expect("binds");
            let motion = &read(swimmer, MEDIA[0], &plain.model).expect("recorded").test[0];
            let predicted = plain.predict(motion, 900);
            for (step, recorded) in motion.steps.iter().zip(&motion.positions) {
                for (a, b) in predicted[step - 1].iter().zip(recorded) {
                    assert!((a - b).abs() < DECIMALS, "step {step}: {a} and {b}");
                }
            }
        }
    }

    #[test]
    fn what_acts_in_own_axes_turns_with_the_swimmer() {
        const QUARTER: f64 = std::f64::consts::FRAC_PI_2;
        for correction in [Correction::OwnAxes, Correction::Wrenches] {
            let (corrected, state) = moving(correction);
            let mut turned = state.clone();
            turned.q[2] += QUARTER;
            (turned.v[0], turned.v[1]) = (-state.v[1], state.v[0]);
            let (v, plain) = stepped(&corrected, &state);
            let (v_turned, _) = stepped(&corrected, &turned);
            assert!((v[0] - plain[0]).abs() > 1e-3, "{correction:?} acts");
            let back = [v_turned[1], -v_turned[0]].into_iter().chain(v_turned[2..].iter().copied());
            for (a, b) in v.iter().zip(back) {
                assert!((a - b).abs() < 1e-10, "{correction:?}: {a} and {b}");
            }
        }
    }

    #[test]
    fn dissipative_networks_take_energy_only() {
        let (corrected, state) = moving(Correction::Dissipative);
        let model = &corrected.model;
        let energy = |v: &[f64]| kinetic_energy(model, &Kinematics::at(model, &state.q, v), v);
        let (v, plain) = stepped(&corrected, &state);
        assert!(energy(&v) < energy(&plain), "{} and {}", energy(&v), energy(&plain));
    }
}

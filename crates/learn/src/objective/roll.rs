//! Rolls a window out with other unknowns in each lane, without derivatives.

use gradbody_augment::Bound;
use gradbody_dynamics::{difference, integrate};
use gradbody_model::Model;
use gradbody_sim::{Input, Simulated, State, StepOptions, StepScratch, StepTrace, step};
use nalgebra::DMatrix;

use super::Fit;
use super::sensor::{Observer, rows_of};

/// A model for each lane, with the buffers of a step.
#[derive(Clone)]
pub(super) struct Roll<S> {
    model: Model<S>,
    options: StepOptions<S>,
    taps: Bound<S>,
    trace: StepTrace<S>,
    scratch: StepScratch<S>,
    observer: Observer<S>,
    /// Where the last window that was rolled out ended.
    end: State<S>,
    /// Errors of the last window, in standard deviations.
    errors: Vec<S>,
}

impl<S: Simulated> Roll<S> {
    /// Models with the global unknowns `global`, which has one number a lane for each. None if the model does not take
    /// them.
    pub(super) fn new(fit: &Fit, global: &dyn Fn(usize) -> S) -> Option<Self> {
        let unknowns = &fit.unknowns;
        let mut model: Model<S> = fit.model.cast();
        let of = |(k, scale): (usize, f64)| global(k) * S::from_f64(scale);
        let scales = unknowns.params.iter().map(|unknown| unknown.scale).enumerate();
        unknowns.selection.apply(&mut model, &scales.map(of).collect::<Vec<S>>()).ok()?;
        let period = unknowns
            .period
            .as_ref()
            .map_or(S::ONE, |period| global(unknowns.params.len()) * S::from_f64(period.scale));
        let weights = match unknowns.weights {
            0 => fit.weights.iter().map(|weight| S::from_f64(*weight)).collect(),
            _ => unknowns.weights_range().map(global).collect(),
        };
        Some(Roll {
            options: fit.options.with_dt(S::from_f64(fit.options.dt) * period),
            taps: Bound::new(fit.plan.clone(), weights).ok()?,
            trace: StepTrace::new(&model),
            scratch: StepScratch::new(&model),
            observer: Observer::new(&model, &fit.sensors),
            end: State::neutral(&model),
            errors: Vec::new(),
            model,
        })
    }

    /// The errors of a window before the noise law, with the unknowns of its start `own`, which has one number a lane for
    /// each. `next` is where the next window begins, if a jump to it costs something. A lane that diverges has errors that
    /// are not finite.
    pub(super) fn errors(
        &mut self,
        fit: &Fit,
        window: usize,
        own: &dyn Fn(usize) -> S,
        next: Option<&State<f64>>,
    ) -> &[S] {
        let Roll { model, options, taps, trace, scratch, observer, end: state, errors } = self;
        let of = fit.windows[window];
        let recording = &fit.recordings[of.recording];
        *state = fit.starts[window].cast();
        let nv = state.v.len();
        if fit.unknowns.start > 0 {
            let dq: Vec<S> = (0..nv).map(own).collect();
            integrate(model, &mut state.q, &dq);
            state.v.iter_mut().enumerate().for_each(|(k, v)| *v += own(nv + k));
        }
        errors.clear();
        let cast = |from: &[f64]| -> Vec<S> { from.iter().map(|x| S::from_f64(*x)).collect() };
        let mut look = |k: usize, state: &State<S>, errors: &mut Vec<S>| {
            let (measured, present) = recording.sample(of.first + k, &fit.sensors);
            let (measured, present) = (cast(measured), cast(present));
            errors.extend_from_slice(observer.errors(
                &fit.sensors,
                model,
                state,
                &measured,
                &present,
            ));
        };
        if fit.sees_first(window) {
            look(0, state, errors);
        }
        let none = Input::none(model);
        for k in 0..of.length {
            let input: Option<Input<S>> = recording.inputs.get(of.first + k).map(Input::cast);
            for _ in 0..fit.substeps {
                let input = input.as_ref().unwrap_or(&none);
                step(model, state, input, options, taps.as_taps(), trace, scratch);
            }
            look(k + 1, state, errors);
        }
        if let Some((next, (sigma_q, sigma_v))) = next.zip(fit.jump) {
            let mut dq = vec![S::ZERO; nv];
            difference(model, &cast(&next.q), &state.q, &mut dq);
            errors.extend(dq.iter().map(|dq| *dq * S::from_f64(1.0 / sigma_q)));
            let dv = state.v.iter().zip(&next.v);
            let per_sigma = S::from_f64(1.0 / sigma_v);
            errors.extend(dv.map(|(v, next)| (*v - S::from_f64(*next)) * per_sigma));
        }
        errors
    }

    /// [`Roll::errors`] of as many points as there are columns, as many at a time as there are lanes: `own` has number `k`
    /// of a column's start.
    pub(super) fn columns(
        &mut self,
        fit: &Fit,
        window: usize,
        columns: usize,
        own: &dyn Fn(usize, usize) -> f64,
    ) -> DMatrix<f64> {
        let mut found = DMatrix::zeros(n_errors(fit, window, None), columns);
        for first in (0..columns).step_by(S::LANES) {
            let column = |lane: usize| (first + lane).min(columns - 1);
            let own = |k: usize| S::from_lanes(|lane| own(k, column(lane)));
            let errors = self.errors(fit, window, &own, None);
            put(errors, first, &mut found);
        }
        found
    }

    /// The configuration at the end of the last window, of the first lane.
    pub(super) fn end(&self) -> Vec<f64> {
        self.end.q.iter().map(|q| q.lane(0)).collect()
    }
}

/// Writes the lanes of `errors` into the columns from `first` on.
pub(super) fn put<S: Simulated>(errors: &[S], first: usize, to: &mut DMatrix<f64>) {
    for lane in 0..S::LANES.min(to.ncols() - first) {
        let column = errors.iter().map(|error| error.lane(lane));
        to.column_mut(first + lane).iter_mut().zip(column).for_each(|(to, error)| *to = error);
    }
}

/// Number of errors of a window, those of missing values and of the jump to `next` included.
pub(super) fn n_errors(fit: &Fit, window: usize, next: Option<&State<f64>>) -> usize {
    let samples = fit.samples(window);
    let jump = if next.is_some() { 2 * fit.model.nv() } else { 0 };
    samples * rows_of(&fit.sensors) + jump
}

//! Derivatives of errors over changes as large as the noise, for motion with impacts.
//!
//! An impact a moment sooner or later changes the derivative of all that follows by jumps, and contacts that are nearly
//! wedged may have derivatives of a million beside others of one. Such a derivative is right for changes of a micrometre
//! and says nothing about those of a millimetre. A secant is the mean of the derivative over a change: with changes of the
//! size of the noise it sees what the measurements can tell apart. It costs about as much as dual numbers: each direction
//! is two worlds, in lanes.

use gradbody_augment::Bound;
use gradbody_dynamics::{difference, integrate};
use gradbody_math::Dual;
use gradbody_model::Model;
use gradbody_sim::{
    Input, Kernel, Simulated, State, StepOptions, StepScratch, StepTrace, run_widest, step,
};
use nalgebra::{DMatrix, DVector};

use super::sensor::{Observer, rows_of};
use super::{Candidate, Fit};

/// Change of a parameter, as a share of its scale, for a spread of one.
const PARAMETER: f64 = 0.01;
/// The same of the period of the samples.
const PERIOD: f64 = 1e-4;
/// Change of a weight of a network.
const WEIGHT: f64 = 0.01;

/// How far apart the two ends of secants are.
#[derive(Clone, Debug)]
pub struct Secants {
    /// In standard deviations of the noise.
    spread: f64,
    /// Half the length of a secant along each offset (dq, dv) of a window's start.
    starts: Vec<Vec<f64>>,
}

impl Secants {
    /// Secants over `spread` standard deviations to either side. Velocities are as uncertain as a line through `reach`
    /// samples on either side leaves them.
    pub fn over(fit: &Fit, spread: f64, reach: usize) -> Self {
        let dual: Model<Dual<f64, 1>> = fit.model.cast();
        let mut observer = Observer::new(&dual, &fit.sensors);
        let reach = reach.max(1) as f64;
        // σ/√(Σ t²) of the times of these samples.
        let times = (reach * (reach + 1.0) * (2.0 * reach + 1.0) / 3.0).sqrt();
        let period = fit.options.dt * fit.substeps as f64;
        let of = |start: &State<f64>| {
            let nv = fit.model.nv();
            let mut ends = vec![0.0; 2 * nv];
            for k in 0..nv {
                let seen = seen(fit, &dual, &mut observer, start, k);
                // A coordinate that no sensor sees is changed by a small angle or length.
                ends[k] = if seen > 0.0 { spread / seen } else { spread * 1e-3 };
                ends[nv + k] = ends[k] / (times * period);
            }
            ends
        };
        Secants { spread, starts: fit.starts.iter().map(of).collect() }
    }

    /// The changes of each unknown of a window at both ends of its secant, upwards and downwards: global ones, then those
    /// of its start. No end is outside the bounds of its unknown.
    fn ends(&self, fit: &Fit, x: &[f64], window: usize) -> Vec<[f64; 2]> {
        let unknowns = &fit.unknowns;
        let mut half = vec![PARAMETER * self.spread; unknowns.params.len()];
        half.extend(unknowns.period.iter().map(|_| PERIOD * self.spread));
        half.resize(unknowns.n_global(), WEIGHT * self.spread);
        half.extend_from_slice(&self.starts[window][..unknowns.start]);
        let mut ends: Vec<[f64; 2]> = half.into_iter().map(|half| [half, -half]).collect();
        for ((ends, unknown), x) in ends.iter_mut().zip(unknowns.named()).zip(x) {
            let (lower, upper) =
                (unknown.bounds.0 / unknown.scale, unknown.bounds.1 / unknown.scale);
            *ends = ends.map(|end| (x + end).clamp(lower, upper) - x);
        }
        ends
    }
}

/// How much the sensors see of a change along coordinate `k`, in standard deviations of their noise.
fn seen(
    fit: &Fit,
    model: &Model<Dual<f64, 1>>,
    observer: &mut Observer<Dual<f64, 1>>,
    start: &State<f64>,
    k: usize,
) -> f64 {
    let mut state: State<Dual<f64, 1>> = start.cast();
    let mut measured = Vec::new();
    observer.predict(&fit.sensors, model, &state, &mut measured);
    let mut dq = vec![Dual::constant(0.0); model.nv()];
    dq[k].eps[0] = 1.0;
    integrate(model, &mut state.q, &dq);
    let present = vec![Dual::constant(1.0); fit.sensors.len()];
    let errors = observer.errors(&fit.sensors, model, &state, &measured, &present);
    errors.iter().map(|error| error.eps[0] * error.eps[0]).sum::<f64>().sqrt()
}

/// Replaces the Jacobian of a window's errors by secants. Directions in which a secant diverges keep their derivative.
pub(super) fn replace(
    fit: &Fit,
    candidate: &Candidate,
    x: &[f64],
    window: usize,
    jacobian: &mut DMatrix<f64>,
) {
    let Some(secants) = &fit.secants else { return };
    let ends = secants.ends(fit, x, window);
    run_widest::<f64, _>(Rolls { fit, candidate, x, window, ends: &ends, jacobian });
}

/// Rolls out both ends of all secants of a window.
struct Rolls<'a> {
    fit: &'a Fit,
    candidate: &'a Candidate,
    x: &'a [f64],
    window: usize,
    ends: &'a [[f64; 2]],
    jacobian: &'a mut DMatrix<f64>,
}

impl Kernel for Rolls<'_> {
    type Output = ();

    fn run<S: Simulated>(self) {
        let Rolls { fit, candidate, x, window, ends, jacobian } = self;
        // Lanes 2k and 2k + 1 are the ends of one secant. A single lane does one after the other.
        let pairs = (S::LANES / 2).max(1);
        for first in (0..ends.len()).step_by(pairs) {
            let side = |lane: usize, sign: usize| {
                let direction = first + lane / 2;
                let lanes = if S::LANES == 1 { sign } else { lane % 2 };
                (direction, lanes)
            };
            let roll = |sign: usize| {
                let change = |k: usize| {
                    S::from_lanes(|lane| match side(lane, sign) {
                        (direction, end) if direction == k && k < ends.len() => ends[k][end],
                        _ => 0.0,
                    })
                };
                errors::<S>(fit, candidate, x, window, &change)
            };
            let one = roll(0);
            let other = if S::LANES == 1 { roll(1) } else { None };
            let Some(one) = one else { continue };
            for (k, [up, down]) in ends.iter().enumerate().skip(first).take(pairs) {
                let (lane, length) = (2 * (k - first), up - down);
                if length <= 0.0 {
                    continue;
                }
                let column: DVector<f64> = match &other {
                    Some(other) => DVector::from_fn(one.len(), |row, _| {
                        (one[row].lane(0) - other[row].lane(0)) / length
                    }),
                    None if S::LANES == 1 => continue,
                    None => DVector::from_fn(one.len(), |row, _| {
                        (one[row].lane(lane) - one[row].lane(lane + 1)) / length
                    }),
                };
                if column.iter().all(|x| x.is_finite()) {
                    jacobian.set_column(k, &column);
                }
            }
        }
    }
}

/// The errors of a window whose unknowns are changed, by other numbers in each lane.
fn errors<S: Simulated>(
    fit: &Fit,
    candidate: &Candidate,
    x: &[f64],
    window: usize,
    change: &dyn Fn(usize) -> S,
) -> Option<Vec<S>> {
    let unknowns = &fit.unknowns;
    let of = fit.windows[window];
    let recording = &fit.recordings[of.recording];
    let mut model: Model<S> = fit.model.cast();
    let values: Vec<S> = (unknowns.params.iter().enumerate())
        .map(|(k, u)| (S::from_f64(x[k]) + change(k)) * S::from_f64(u.scale))
        .collect();
    unknowns.selection.apply(&mut model, &values).ok()?;
    let mut dt = S::from_f64(candidate.dt);
    if let Some(period) = &unknowns.period {
        dt += change(unknowns.params.len()) * S::from_f64(period.scale * fit.options.dt);
    }
    let from = unknowns.weights_range().start;
    let trained = unknowns.weights > 0;
    let weight = |(k, w): (usize, &f64)| match trained {
        true => S::from_f64(*w) + change(from + k),
        false => S::from_f64(*w),
    };
    let mut taps =
        Bound::new(fit.plan.clone(), candidate.weights.iter().enumerate().map(weight).collect())
            .ok()?;
    let options: StepOptions<S> = fit.options.with_dt(dt);
    let n = unknowns.n_global();
    let mut state: State<S> = candidate.starts[window].cast();
    let nv = state.v.len();
    if unknowns.start > 0 {
        // The unknown is the whole offset from the estimate, so the change is added to it before it is applied.
        let from = unknowns.start_range(window).start;
        state.q.clone_from(&fit.starts[window].cast::<S>().q);
        let dq: Vec<S> = (0..nv).map(|k| S::from_f64(x[from + k]) + change(n + k)).collect();
        integrate(&model, &mut state.q, &dq);
        state.v.iter_mut().enumerate().for_each(|(k, v)| *v += change(n + nv + k));
    }
    let mut trace = StepTrace::new(&model);
    let mut scratch = StepScratch::new(&model);
    let mut observer = Observer::new(&model, &fit.sensors);
    let mut errors = Vec::with_capacity((of.length + 1) * rows_of(&fit.sensors) + 2 * nv);
    let cast = |from: &[f64]| -> Vec<S> { from.iter().map(|x| S::from_f64(*x)).collect() };
    let mut look = |k: usize, state: &State<S>, errors: &mut Vec<S>| {
        let (measured, present) = recording.sample(of.first + k, &fit.sensors);
        let (measured, present) = (cast(measured), cast(present));
        errors.extend_from_slice(observer.errors(&fit.sensors, &model, state, &measured, &present));
    };
    if fit.sees_first(window) {
        look(0, &state, &mut errors);
    }
    let none = Input::none(&model);
    for k in 0..of.length {
        let input: Option<Input<S>> = recording.inputs.get(of.first + k).map(Input::cast);
        for _ in 0..fit.substeps {
            let input = input.as_ref().unwrap_or(&none);
            // A lane that diverges has errors that are not finite.
            step(&model, &mut state, input, &options, &mut taps, &mut trace, &mut scratch);
        }
        look(k + 1, &state, &mut errors);
    }
    if let Some((next, (sigma_q, sigma_v))) = fit.next_start(candidate, window).zip(fit.jump) {
        let mut dq = vec![S::ZERO; nv];
        difference(&model, &cast(&next.q), &state.q, &mut dq);
        errors.extend(dq.iter().map(|dq| *dq * S::from_f64(1.0 / sigma_q)));
        let dv = state.v.iter().zip(&next.v);
        errors.extend(dv.map(|(v, next)| (*v - S::from_f64(*next)) * S::from_f64(1.0 / sigma_v)));
    }
    Some(errors)
}

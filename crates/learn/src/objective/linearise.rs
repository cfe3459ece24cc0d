//! The Gauss-Newton matrix JᵀWJ: errors and their derivatives, window by window in dual numbers.
//!
//! Errors r are those before the noise law ρ, and W has the weights of the law: the gradient is JᵀWr. Differentiating
//! √(2ρ) instead would lead to steps that are twice too long for outliers.
//!
//! Each lane differentiates by one unknown, and a chunk has as many unknowns as a vector has lanes. All windows share
//! the model, the time step and the weights of a chunk; only starts belong to a window.

use core::ops::Range;

use gradbody_augment::Bound;
use gradbody_dynamics::{difference, difference_vjp, integrate, integrate_vjp};
use gradbody_math::{Dual, Scalar};
use gradbody_model::Model;
use gradbody_sim::{
    DualKernel, Input, Kernel, Simulated, State, StepOptions, StepScratch, StepTrace, run_widest,
    run_widest_duals, step,
};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::noise_law::NoiseLaw;
use super::secants::{AllEnds, Secants};
use super::sensor::{Observer, Sensor, rows_of};
use super::{Candidate, Fit};
use gradbody_experiment::Prior;
use gradbody_optimise::{Arrow, Block, Quadratic};

type D<S> = Dual<S, 1>;

impl Fit {
    /// The cost to second order, or None if a window diverges.
    pub(super) fn linearise(&self, x: &[f64]) -> Option<Quadratic> {
        let candidate = &self.candidate(x);
        let (n, own) = (self.unknowns.n_global(), self.unknowns.start);
        let mut sum = Quadratic {
            cost: self.beliefs(x, None),
            gradient: vec![0.0; x.len()],
            hessian: Arrow::from_dense(DMatrix::zeros(n, n)),
        };
        self.beliefs(x, Some(&mut sum.gradient));
        for (k, unknown) in self.unknowns.named().enumerate() {
            if let Some(Prior { sigma, .. }) = unknown.prior {
                sum.hessian.global[(k, k)] += (unknown.scale / sigma).powi(2);
            }
        }
        for k in self.unknowns.weights_range() {
            sum.hessian.global[(k, k)] += self.weight_decay;
        }
        if own > 0 {
            let empty = Block {
                own: DMatrix::zeros(own, own),
                with_global: DMatrix::zeros(own, n),
                with_next: None,
            };
            sum.hessian.blocks = vec![empty; self.windows.len()];
        }
        // Some windows at a time, to limit the memory for Jacobians.
        for first in (0..self.windows.len()).step_by(AT_ONCE) {
            let windows = first..(first + AT_ONCE).min(self.windows.len());
            let some = ByWindows { fit: self, candidate, x, windows: windows.clone() };
            let found = match &self.secants {
                Some(secants) => run_widest::<f64, _>(BySecants { of: some, secants })?,
                None => run_widest_duals(some)?,
            };
            for (window, errors) in windows.zip(&found) {
                self.add_errors(window, errors, &mut sum);
            }
        }
        if self.counts_wholes() {
            // Windows settle on their starts by themselves, so that only the global unknowns have a gradient.
            let (_, global) = sum.hessian.reduced(&sum.gradient)?;
            sum.gradient.fill(0.0);
            sum.gradient[..n].copy_from_slice(global.as_slice());
        }
        Some(sum)
    }

    /// The information of all windows about the global unknowns while starts are free, without that of jumps, by products of
    /// the slopes over both halves of each secant. It is known as badly as jumps are many, so that eigenvalues may be
    /// negative. Priors are not part of it. None without secants.
    pub fn information_without_jumps(&self, x: &[f64]) -> Option<DMatrix<f64>> {
        let (candidate, n) = (&self.candidate(x), self.unknowns.n_global());
        let of = ByWindows { fit: self, candidate, x, windows: 0..self.windows.len() };
        let found = run_widest::<f64, _>(ByHalves { of, secants: self.secants.as_ref()? })?;
        Some(found.into_iter().fold(DMatrix::zeros(n, n), |sum, each| sum + each))
    }

    fn add_errors(&self, window: usize, found: &Errors, sum: &mut Quadratic) {
        let n = self.unknowns.n_global();
        let by_global = found.jacobian.columns(0, n);
        sum.cost += found.cost;
        sum.hessian.global += by_global.tr_mul(&by_global);
        add(&mut sum.gradient[..n], &by_global.tr_mul(&found.errors));
        let at = self.unknowns.start_range(window);
        if at.is_empty() {
            return;
        }
        let by_start = found.jacobian.columns(n, at.len());
        let block = &mut sum.hessian.blocks[window];
        block.own += by_start.tr_mul(&by_start);
        block.with_global += by_start.tr_mul(&by_global);
        add(&mut sum.gradient[at], &by_start.tr_mul(&found.errors));
        if let Some(by_next) = &found.by_next {
            // The last rows are the jump.
            let first = found.errors.len() - by_next.nrows();
            let (rows, jump) = (by_next.nrows(), found.errors.rows(first, by_next.nrows()));
            let by_global = found.jacobian.view((first, 0), (rows, n));
            let by_start = found.jacobian.view((first, n), (rows, self.unknowns.start));
            block.with_next = Some(by_start.tr_mul(by_next));
            let next = &mut sum.hessian.blocks[window + 1];
            next.own += by_next.tr_mul(by_next);
            next.with_global += by_next.tr_mul(&by_global);
            add(&mut sum.gradient[self.unknowns.start_range(window + 1)], &by_next.tr_mul(&jump));
        }
    }

    /// The derivative of the jump to the next window by that window's start. None without a jump.
    fn jump_by_next(
        &self,
        candidate: &Candidate,
        window: usize,
        x: &[f64],
        end_q: &[f64],
    ) -> Option<DMatrix<f64>> {
        let (next, (sigma_q, sigma_v)) = (self.next_start(candidate, window)?, self.jump?);
        let model = &candidate.model;
        let nv = model.nv();
        let at = self.unknowns.start_range(window + 1);
        let mut by_next = DMatrix::zeros(2 * nv, at.len());
        for row in 0..nv {
            let mut dq_bar = vec![0.0; nv];
            dq_bar[row] = 1.0 / sigma_q;
            let (mut from_bar, mut unused) = (vec![0.0; nv], vec![0.0; nv]);
            difference_vjp(model, &next.q, end_q, &dq_bar, &mut from_bar, &mut unused);
            let mut by_dq = vec![0.0; nv];
            integrate_vjp(model, &x[at.start..][..nv], &mut from_bar, &mut by_dq);
            by_dq.iter().enumerate().for_each(|(k, bar)| by_next[(row, k)] = *bar);
            by_next[(nv + row, nv + row)] = -1.0 / sigma_v;
        }
        Some(by_next)
    }
}

fn add(to: &mut [f64], from: &DVector<f64>) {
    to.iter_mut().zip(from.iter()).for_each(|(to, from)| *to += from);
}

/// The errors of a window and their derivatives by the global unknowns and by its own, both times √w of the noise law.
struct Errors {
    /// The cost of the window: the sum of the noise law, and half the squares of the jump.
    cost: f64,
    errors: DVector<f64>,
    jacobian: DMatrix<f64>,
    /// The derivative of the jump (the last rows) by the start of the next window.
    by_next: Option<DMatrix<f64>>,
}

/// Windows whose Jacobians are in memory at once.
const AT_ONCE: usize = 128;

struct ByWindows<'a> {
    fit: &'a Fit,
    candidate: &'a Candidate,
    x: &'a [f64],
    windows: Range<usize>,
}

impl DualKernel for ByWindows<'_> {
    type Output = Option<Vec<Errors>>;

    fn run<S: Simulated>(self) -> Self::Output
    where
        D<S>: Simulated,
    {
        let ByWindows { fit, candidate, x, windows } = self;
        let directions = fit.unknowns.n_global() + fit.unknowns.start;
        let chunks: Vec<Chunk<S>> = (0..directions.div_ceil(S::LANES).max(1))
            .map(|k| Chunk::new(fit, candidate, x, k * S::LANES))
            .collect::<Option<_>>()?;
        windows
            .into_par_iter()
            .map_init(
                || chunks.clone(),
                |chunks, window| errors_of(fit, candidate, x, window, chunks),
            )
            .collect()
    }
}

/// The same by secants.
struct BySecants<'a> {
    of: ByWindows<'a>,
    secants: &'a Secants,
}

impl Kernel for BySecants<'_> {
    type Output = Option<Vec<Errors>>;

    fn run<S: Simulated>(self) -> Self::Output {
        let BySecants { of: ByWindows { fit, candidate, x, windows }, secants } = self;
        let ends = AllEnds::<S>::new(fit, secants, x)?;
        let one = |ends: &mut AllEnds<S>, window: usize| {
            let (errors, jacobian, end_q) = ends.of_window(fit, candidate, x, window)?;
            let range = fit.unknowns.start_range(window);
            let trust = fit.counts_wholes().then(|| {
                let by_start = jacobian.columns(fit.unknowns.n_global(), range.len()).into_owned();
                ends.trust(fit, secants, window, &x[range], (&errors, &by_start))
            });
            let rolled = Rolled { errors, jacobian, end_q };
            let mut weighed = rolled.weighed(fit, candidate, x, window);
            if let Some(trust) = trust {
                weighed.errors.scale_mut(trust.sqrt());
                weighed.jacobian.scale_mut(trust.sqrt());
            }
            Some(weighed)
        };
        windows.into_par_iter().map_init(|| ends.clone(), one).collect()
    }
}

/// What each window says about the global unknowns, by products of slopes.
struct ByHalves<'a> {
    of: ByWindows<'a>,
    secants: &'a Secants,
}

impl Kernel for ByHalves<'_> {
    type Output = Option<Vec<DMatrix<f64>>>;

    fn run<S: Simulated>(self) -> Self::Output {
        let ByHalves { of: ByWindows { fit, candidate, x, windows }, secants } = self;
        let ends = AllEnds::<S>::new(fit, secants, x)?;
        let one =
            |ends: &mut AllEnds<S>, window: usize| ends.information(fit, candidate, x, window);
        Some(windows.into_par_iter().map_init(|| ends.clone(), one).collect())
    }
}

/// Some unknowns, one in each lane, with the buffers of a step.
#[derive(Clone)]
struct Chunk<S> {
    first: usize,
    model: Model<D<S>>,
    options: StepOptions<D<S>>,
    taps: Bound<D<S>>,
    trace: StepTrace<D<S>>,
    scratch: StepScratch<D<S>>,
    observer: Observer<D<S>>,
}

impl<S: Scalar> Chunk<S> {
    fn new(fit: &Fit, candidate: &Candidate, x: &[f64], first: usize) -> Option<Self> {
        let unknowns = &fit.unknowns;
        // The slope of unknown k, which is zero in the lanes of other unknowns.
        let slope = |k: usize, scale: f64| {
            S::from_lanes(|lane| if first + lane == k { scale } else { 0.0 })
        };
        let mut model: Model<D<S>> = fit.model.cast();
        let values: Vec<D<S>> = unknowns
            .params
            .iter()
            .enumerate()
            .map(|(k, u)| Dual { re: S::from_f64(x[k] * u.scale), eps: [slope(k, u.scale)] })
            .collect();
        unknowns.selection.apply(&mut model, &values).ok()?;
        let dt = unknowns
            .period
            .as_ref()
            .map_or(S::ZERO, |period| slope(unknowns.params.len(), period.scale * fit.options.dt));
        let dt = Dual { re: S::from_f64(candidate.dt), eps: [dt] };
        let from = unknowns.weights_range().start;
        let trained = unknowns.weights > 0;
        let weight = |(k, w): (usize, &f64)| Dual {
            re: S::from_f64(*w),
            eps: [if trained { slope(from + k, 1.0) } else { S::ZERO }],
        };
        let weights = candidate.weights.iter().enumerate().map(weight).collect();
        Some(Chunk {
            first,
            options: fit.options.with_dt(dt),
            taps: Bound::new(fit.plan.clone(), weights).ok()?,
            trace: StepTrace::new(&model),
            scratch: StepScratch::new(&model),
            observer: Observer::new(&model, &fit.sensors),
            model,
        })
    }

    /// The start of a window. Its own unknowns are the directions from `n_global` on.
    fn start(&self, fit: &Fit, candidate: &Candidate, x: &[f64], window: usize) -> State<D<S>> {
        let n = fit.unknowns.n_global();
        let at = fit.unknowns.start_range(window);
        let mut state: State<D<S>> = candidate.starts[window].cast();
        if at.is_empty() {
            return state;
        }
        let slope =
            |k: usize| S::from_lanes(|lane| if self.first + lane == n + k { 1.0 } else { 0.0 });
        let nv = state.v.len();
        let reference: State<D<S>> = fit.starts[window].cast();
        state.q.clone_from(&reference.q);
        let dq: Vec<D<S>> =
            (0..nv).map(|k| Dual { re: S::from_f64(x[at.start + k]), eps: [slope(k)] }).collect();
        integrate(&self.model, &mut state.q, &dq);
        for (k, v) in state.v.iter_mut().enumerate() {
            v.eps = [slope(nv + k)];
        }
        state
    }
}

fn errors_of<S: Scalar>(
    fit: &Fit,
    candidate: &Candidate,
    x: &[f64],
    window: usize,
    chunks: &mut [Chunk<S>],
) -> Option<Errors>
where
    D<S>: Simulated,
{
    let rolled = (Start { fit, candidate, x, window }).roll(chunks)?;
    Some(rolled.weighed(fit, candidate, x, window))
}

/// A window to be rolled out from its start.
struct Start<'a> {
    fit: &'a Fit,
    candidate: &'a Candidate,
    x: &'a [f64],
    window: usize,
}

/// The errors of a window before the noise law, their derivatives, and where it ends.
struct Rolled {
    errors: DVector<f64>,
    jacobian: DMatrix<f64>,
    end_q: Vec<f64>,
}

impl Rolled {
    /// With the weights of the noise law.
    fn weighed(self, fit: &Fit, candidate: &Candidate, x: &[f64], window: usize) -> Errors {
        let Rolled { mut errors, mut jacobian, end_q } = self;
        let by_next = fit.jump_by_next(candidate, window, x, &end_q);
        let cost = weigh(&fit.sensors, fit.samples(window), &mut errors, &mut jacobian);
        let (cost, weight) = fit.whole(window, cost);
        if weight < 1.0 {
            errors.scale_mut(weight.sqrt());
            jacobian.scale_mut(weight.sqrt());
        }
        Errors { cost, errors, jacobian, by_next }
    }
}

impl Start<'_> {
    /// Rolls the window out. None if it diverges.
    fn roll<S: Scalar>(&self, chunks: &mut [Chunk<S>]) -> Option<Rolled>
    where
        D<S>: Simulated,
    {
        let Start { fit, candidate, x, window } = *self;
        let of = fit.windows[window];
        let recording = &fit.recordings[of.recording];
        let free = fit.sees_first(window);
        let jump = fit.next_start(candidate, window).zip(fit.jump);
        let nv = candidate.model.nv();
        let samples = of.length + usize::from(free);
        let rows = samples * rows_of(&fit.sensors) + if jump.is_some() { 2 * nv } else { 0 };
        let columns = fit.unknowns.n_global() + fit.unknowns.start;
        let mut errors = DVector::zeros(rows);
        let mut jacobian = DMatrix::zeros(rows, columns);
        let mut end_q = Vec::new();
        let inputs: Vec<Input<D<S>>> = match recording.inputs.get(of.first..of.first + of.length) {
            Some(inputs) => inputs.iter().map(Input::cast).collect(),
            None => Vec::new(),
        };
        for chunk in chunks {
            let mut state = chunk.start(fit, candidate, x, window);
            let Chunk { first, model, options, taps, trace, scratch, observer } = chunk;
            let none = Input::none(model);
            let lanes = (columns - (*first).min(columns)).min(S::LANES);
            let mut row = 0;
            let mut put = |error: &D<S>| {
                errors[row] = error.re.lane(0);
                for lane in 0..lanes {
                    jacobian[(row, *first + lane)] = error.eps[0].lane(lane);
                }
                row += 1;
            };
            let mut look = |k: usize, state: &State<D<S>>, put: &mut dyn FnMut(&D<S>)| {
                let (measured, present) = recording.sample(of.first + k, &fit.sensors);
                let cast =
                    |from: &[f64]| -> Vec<D<S>> { from.iter().map(|x| D::from_f64(*x)).collect() };
                let (measured, present) = (cast(measured), cast(present));
                observer
                    .errors(&fit.sensors, model, state, &measured, &present)
                    .iter()
                    .for_each(put);
            };
            if free {
                look(0, &state, &mut put);
            }
            for k in 0..of.length {
                let input = inputs.get(k).unwrap_or(&none);
                for _ in 0..fit.substeps {
                    let taps = taps.as_taps();
                    let report = step(model, &mut state, input, options, taps, trace, scratch);
                    if report.diverged.is_some() {
                        return None;
                    }
                }
                look(k + 1, &state, &mut put);
            }
            if let Some((next, (sigma_q, sigma_v))) = jump {
                let from: Vec<D<S>> = next.q.iter().map(|x| D::from_f64(*x)).collect();
                let mut dq = vec![D::from_f64(0.0); nv];
                difference(model, &from, &state.q, &mut dq);
                dq.iter().for_each(|dq| put(&(*dq * D::from_f64(1.0 / sigma_q))));
                for (v, next) in state.v.iter().zip(&next.v) {
                    put(&((*v - D::from_f64(*next)) * D::from_f64(1.0 / sigma_v)));
                }
            }
            if *first == 0 {
                end_q = state.q.iter().map(|q| q.re.lane(0)).collect();
            }
        }
        let finite = errors.iter().chain(jacobian.iter()).all(|x| x.is_finite());
        finite.then_some(Rolled { errors, jacobian, end_q })
    }
}

/// Multiplies the rows of each sensor by √w of its noise law. Returns the cost. The rows after the samples are a jump.
pub(super) fn weigh(
    sensors: &[Sensor],
    samples: usize,
    errors: &mut DVector<f64>,
    jacobian: &mut DMatrix<f64>,
) -> f64 {
    let cost = cost_of(sensors, samples, errors.as_slice());
    let mut row = 0;
    for sensor in (0..samples).flat_map(|_| sensors) {
        let rows = sensor.rows();
        if sensor.law != NoiseLaw::Gaussian {
            let squared = errors.rows(row, rows).norm_squared();
            let root = sensor.law.weight(squared, rows).sqrt();
            errors.rows_mut(row, rows).scale_mut(root);
            jacobian.rows_mut(row, rows).scale_mut(root);
        }
        row += rows;
    }
    cost
}

/// The cost of a window's errors: the sum of the noise law, and half the squares of the jump. Not finite if an error is not.
pub(super) fn cost_of(sensors: &[Sensor], samples: usize, errors: &[f64]) -> f64 {
    let squares = |errors: &[f64]| errors.iter().map(|error| error * error).sum::<f64>();
    let (mut cost, mut rest) = (0.0, errors);
    for sensor in (0..samples).flat_map(|_| sensors) {
        let (own, after) = rest.split_at(sensor.rows());
        cost += sensor.law.cost(squares(own), sensor.rows());
        rest = after;
    }
    cost + 0.5 * squares(rest)
}

//! Derivatives of errors over changes as large as the noise, for motion with impacts.
//!
//! An impact a moment sooner or later changes the derivative of all that follows by jumps, and contacts that are nearly
//! wedged may have derivatives of a million beside others of one. Such a derivative is right for changes of a micrometre
//! and says nothing about those of a millimetre. A secant is the mean of the derivative over a change: with changes of the
//! size of the noise it sees what the measurements can tell apart. It needs no dual numbers: both ends of each secant are
//! worlds of their own, in lanes.

use gradbody_contact::{Ncp, Solver};
use gradbody_dynamics::integrate;
use gradbody_math::Dual;
use gradbody_math::random::Random;
use gradbody_model::Model;
use gradbody_sim::{Simulated, State, StepOptions};
use nalgebra::{Cholesky, DMatrix, DVector};

use super::linearise::weigh;
use super::roll::{Roll, n_errors, put};
use super::sensor::Observer;
use super::{Candidate, Fit, outliers};

/// Change of a parameter, as a share of its scale, for a spread of one. A single window says little about parameters, so
/// that they may change far before it tells.
const PARAMETER: f64 = 0.25;
/// The same of the period of the samples.
const PERIOD: f64 = 1e-4;
/// Change of a weight of a network.
const WEIGHT: f64 = 0.01;

/// Sensors do not see a coordinate that they see by less than this share of the one that they see best.
const UNSEEN: f64 = 1e-6;

/// Random starts that secants are compared with, how far away they are in standard deviations of a sample's noise, and the
/// seed that they are drawn with.
const DRAWS: usize = 8;
const FAR: f64 = 0.4;
const SEED: u64 = 0x7205;
/// A change of the cost by less than this says nothing about secants.
const LEAST_CHANGE: f64 = 2.0;
/// Secants count fully where the cost differs by at most this share of the predicted change, and by half at the second.
const STRAIGHT: f64 = 0.1;
const BENT: f64 = 0.4;

/// By how much contacts may miss their conditions while a fit with secants searches [m/s], and the most rounds of Newton's
/// method for it. A velocity of this size is far below what a camera sees, and worlds in lanes wait for the slowest one.
const RESIDUAL: f64 = 1e-6;
const ROUNDS: u32 = 30;

/// Options of a step as exact as secants need it.
pub(crate) fn coarse(mut options: StepOptions<f64>) -> StepOptions<f64> {
    if let Solver::Ncp(Ncp { tolerance, rounds, .. }) = &mut options.contact.solver {
        *tolerance = tolerance.max(RESIDUAL);
        *rounds = (*rounds).min(ROUNDS);
    }
    options
}

/// How far apart the two ends of secants are.
#[derive(Clone, Debug)]
pub struct Secants {
    /// In standard deviations of the noise.
    spread: f64,
    /// How far a single sample leaves each offset (dq, dv) of a window's start open: one standard deviation.
    pub(super) starts: Vec<Vec<f64>>,
    /// The cost of outliers at each sample of each window, in place of that of noise. No samples without robust losses.
    pub(super) outliers: Vec<Vec<f64>>,
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
            let mut see = |k: usize| seen(fit, &dual, &mut observer, start, k);
            let seen: Vec<f64> = (0..nv).map(&mut see).collect();
            let least = UNSEEN * seen.iter().fold(0.0, |most: f64, seen| most.max(*seen));
            for k in 0..nv {
                // A coordinate that no sensor sees is changed by a small angle or length.
                ends[k] = if seen[k] > least { 1.0 / seen[k] } else { 1e-3 };
                ends[nv + k] = ends[k] / (times * period);
            }
            ends
        };
        Secants {
            spread,
            starts: fit.starts.iter().map(of).collect(),
            outliers: outliers::costs(fit),
        }
    }

    /// Those of some windows.
    pub(crate) fn of_windows(&self, windows: &[usize]) -> Self {
        let of = |all: &[Vec<f64>]| windows.iter().map(|window| all[*window].clone()).collect();
        Secants { spread: self.spread, starts: of(&self.starts), outliers: of(&self.outliers) }
    }

    /// The changes of each global unknown at both ends of its secant, upwards and downwards. No end is outside the bounds
    /// of its unknown.
    fn of_globals(&self, fit: &Fit, x: &[f64]) -> Vec<[f64; 2]> {
        let unknowns = &fit.unknowns;
        let mut half = vec![PARAMETER * self.spread; unknowns.params.len()];
        half.extend(unknowns.period.iter().map(|_| PERIOD * self.spread));
        half.resize(unknowns.n_global(), WEIGHT * self.spread);
        let mut ends: Vec<[f64; 2]> = half.into_iter().map(|half| [half, -half]).collect();
        for ((ends, unknown), x) in ends.iter_mut().zip(unknowns.named()).zip(x) {
            let (lower, upper) =
                (unknown.bounds.0 / unknown.scale, unknown.bounds.1 / unknown.scale);
            *ends = ends.map(|end| (x + end).clamp(lower, upper) - x);
        }
        ends
    }

    /// The same of a window's own unknowns.
    pub(super) fn of_start(&self, fit: &Fit, window: usize) -> Vec<[f64; 2]> {
        let half = self.starts[window][..fit.unknowns.start].iter().map(|one| one * self.spread);
        half.map(|half| [half, -half]).collect()
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

/// The ends of secants as columns: the point itself, then up and down along each direction in turn.
#[derive(Clone, Copy)]
struct Column {
    direction: usize,
    end: usize,
}

impl Column {
    /// None is the point itself.
    fn at(column: usize) -> Option<Self> {
        let before = column.checked_sub(1)?;
        Some(Column { direction: before / 2, end: before % 2 })
    }

    /// The change of unknown `k`.
    fn change(column: usize, k: usize, ends: &[[f64; 2]]) -> f64 {
        match Column::at(column) {
            Some(Column { direction, end }) if direction == k => ends[k][end],
            _ => 0.0,
        }
    }
}

/// The errors and their secants from the errors at all ends. A secant with one end that diverged has the other half; None
/// if a whole secant, or the point itself, diverged.
pub(super) fn slopes(
    found: &DMatrix<f64>,
    ends: &[[f64; 2]],
) -> Option<(DVector<f64>, DMatrix<f64>)> {
    let finite = |column: usize| found.column(column).iter().all(|x| x.is_finite());
    if !finite(0) {
        return None;
    }
    let mut jacobian = DMatrix::zeros(found.nrows(), ends.len());
    for (k, [up, down]) in ends.iter().enumerate() {
        let (above, below) = (1 + 2 * k, 2 + 2 * k);
        let (from, to, length) = match (finite(above), finite(below)) {
            (true, true) => (below, above, up - down),
            (true, false) => (0, above, *up),
            (false, true) => (below, 0, -down),
            (false, false) => return None,
        };
        // A number that its bounds hold has no secant.
        if length > 0.0 {
            let rise = found.column(to) - found.column(from);
            jacobian.set_column(k, &(rise / length));
        }
    }
    Some((found.column(0).into_owned(), jacobian))
}

/// A window at the ends of all secants.
struct Ends {
    /// Its errors, a column an end; the first column is where the secants meet.
    errors: DMatrix<f64>,
    /// How far both ends of each secant are.
    changes: Vec<[f64; 2]>,
    /// The state at the end of the window where the secants meet.
    last: Vec<f64>,
}

/// The slopes of the errors over the upper and over the lower half of each secant. None if an end of one diverged.
pub(super) fn halves(found: &DMatrix<f64>, ends: &[[f64; 2]]) -> Option<[DMatrix<f64>; 2]> {
    if !found.iter().all(|x| x.is_finite()) {
        return None;
    }
    let half = |end: usize| {
        let mut slopes = DMatrix::zeros(found.nrows(), ends.len());
        for (k, change) in ends.iter().map(|ends| ends[end]).enumerate() {
            if change != 0.0 {
                let rise = found.column(1 + 2 * k + end) - found.column(0);
                slopes.set_column(k, &(rise / change));
            }
        }
        slopes
    };
    Some([half(0), half(1)])
}

/// The errors of a window and their secants along its own unknowns, from the point `own`.
pub(super) fn of_start<S: Simulated>(
    fit: &Fit,
    roll: &mut Roll<S>,
    window: usize,
    own: &[f64],
) -> Option<(DVector<f64>, DMatrix<f64>)> {
    let ends = fit.secants.as_ref()?.of_start(fit, window);
    let at = |k: usize, column: usize| own[k] + Column::change(column, k, &ends);
    slopes(&roll.columns(fit, window, 1 + 2 * ends.len(), &at), &ends)
}

/// The models at all ends of all secants: some columns for each vector of lanes.
#[derive(Clone)]
pub(super) struct AllEnds<S> {
    globals: Vec<[f64; 2]>,
    rolls: Vec<Roll<S>>,
    /// The point itself in every lane.
    middle: Roll<S>,
}

impl<S: Simulated> AllEnds<S> {
    /// At the unknowns `x`.
    pub(super) fn new(fit: &Fit, secants: &Secants, x: &[f64]) -> Option<Self> {
        let globals = secants.of_globals(fit, x);
        let columns = 1 + 2 * (globals.len() + fit.unknowns.start);
        let roll = |first: usize| {
            let change = |lane: usize, k: usize| Column::change(first + lane, k, &globals);
            Roll::new(fit, &|k| S::from_lanes(|lane| x[k] + change(lane, k)))
        };
        let rolls = (0..columns).step_by(S::LANES).map(roll).collect::<Option<_>>()?;
        let middle = Roll::new(fit, &|k| S::from_f64(x[k]))?;
        Some(AllEnds { globals, rolls, middle })
    }

    /// How far the errors of a window follow its secants, from 1 to 0: at random starts as far away as the noise allows, the
    /// cost is compared with what the secants predict. `own` is the start that `errors` and `by_start`, the secants along
    /// it, belong to.
    pub(super) fn trust(
        &mut self,
        fit: &Fit,
        secants: &Secants,
        window: usize,
        own: &[f64],
        (errors, by_start): (&DVector<f64>, &DMatrix<f64>),
    ) -> f64 {
        let mut random = Random::derived(SEED, &[fit.windows[window].first as u64]);
        let noise = &secants.starts[window];
        let draw = |_| noise.iter().map(|noise| FAR * noise * random.normal()).collect();
        let draws: Vec<Vec<f64>> = (0..DRAWS).map(draw).collect();
        let found =
            self.middle.columns(fit, window, draws.len(), &|k, column| own[k] + draws[column][k]);
        // The weights of the noise law are those of the point itself, so that outliers do not look like bends.
        let (own_columns, rows) = (by_start.ncols(), errors.len());
        let mut errors = errors.clone();
        let mut all = DMatrix::zeros(rows, own_columns + DRAWS);
        all.columns_mut(0, own_columns).copy_from(by_start);
        all.columns_mut(own_columns, DRAWS).copy_from(&found);
        weigh(&fit.sensors, fit.samples(window), &mut errors, &mut all);
        let half = |v: &DVector<f64>| 0.5 * v.norm_squared();
        let bend = |(k, draw): (usize, &Vec<f64>)| {
            let change = all.columns(0, own_columns) * DVector::from_column_slice(draw);
            let found = 0.5 * all.column(own_columns + k).norm_squared();
            let bend = (found - half(&(&errors + &change))).abs() / (half(&change) + LEAST_CHANGE);
            if bend.is_finite() { bend } else { f64::INFINITY }
        };
        let mut bends: Vec<f64> = draws.iter().enumerate().map(bend).collect();
        bends.sort_by(f64::total_cmp);
        let bend = (bends[DRAWS / 2] - STRAIGHT).max(0.0) / (BENT - STRAIGHT);
        1.0 / (1.0 + bend.powi(4))
    }

    /// The errors of a window, their secants along the global unknowns and its own, and where it ends.
    pub(super) fn of_window(
        &mut self,
        fit: &Fit,
        candidate: &Candidate,
        x: &[f64],
        window: usize,
    ) -> Option<(DVector<f64>, DMatrix<f64>, Vec<f64>)> {
        let ends = self.ends_of(fit, candidate, x, window)?;
        let (errors, jacobian) = slopes(&ends.errors, &ends.changes)?;
        Some((errors, jacobian, ends.last))
    }

    /// Rolls a window out at all ends.
    fn ends_of(
        &mut self,
        fit: &Fit,
        candidate: &Candidate,
        x: &[f64],
        window: usize,
    ) -> Option<Ends> {
        let secants = fit.secants.as_ref()?;
        let next = fit.next_start(candidate, window);
        let (n, own) = (self.globals.len(), &x[fit.unknowns.start_range(window)]);
        let mut ends = self.globals.clone();
        ends.extend(secants.of_start(fit, window));
        let mut found = DMatrix::zeros(n_errors(fit, window, next), 1 + 2 * ends.len());
        let mut end = None;
        for (index, roll) in self.rolls.iter_mut().enumerate() {
            let first = index * S::LANES;
            let change = |lane: usize, k: usize| Column::change(first + lane, n + k, &ends);
            let at = |k: usize| S::from_lanes(|lane| own[k] + change(lane, k));
            put(roll.errors(fit, window, &at, next), first, &mut found);
            end.get_or_insert_with(|| roll.end());
        }
        Some(Ends { errors: found, changes: ends, last: end? })
    }

    /// What a window says about the global unknowns while its start is free, by the product of the slopes over both halves of
    /// each secant. Jumps of the errors look like steep slopes. The two halves see different jumps, so that these add
    /// nothing to the product, where they add to the square of a slope. Zero for a window with an end that diverges.
    pub(super) fn information(
        &mut self,
        fit: &Fit,
        candidate: &Candidate,
        x: &[f64],
        window: usize,
    ) -> DMatrix<f64> {
        let n = self.globals.len();
        let nothing = DMatrix::zeros(n, n);
        let Some(ends) = self.ends_of(fit, candidate, x, window) else { return nothing };
        let Ends { errors: found, changes: ends, .. } = ends;
        let Some(halves) = halves(&found, &ends) else { return nothing };
        let errors: DVector<f64> = found.column(0).into_owned();
        let free = halves.map(|mut slopes| {
            let mut errors = errors.clone();
            let cost = weigh(&fit.sensors, fit.samples(window), &mut errors, &mut slopes);
            (without_start(&slopes, n), fit.whole(window, cost).1)
        });
        let [(Some(up), weight), (Some(down), _)] = free else { return nothing };
        let trust = match (&fit.secants, slopes(&found, &ends)) {
            (Some(secants), Some((_, jacobian))) if fit.counts_wholes() => {
                let by_start = jacobian.columns(n, jacobian.ncols() - n).into_owned();
                let own = &x[fit.unknowns.start_range(window)];
                self.trust(fit, secants, window, own, (&errors, &by_start))
            }
            _ => 1.0,
        };
        let product = up.tr_mul(&down) * (weight * trust);
        (&product + product.transpose()) * 0.5
    }
}

/// The slopes along the first `n` numbers, without what the others can take back.
fn without_start(slopes: &DMatrix<f64>, n: usize) -> Option<DMatrix<f64>> {
    let by_start = slopes.columns(n, slopes.ncols() - n);
    let by_global = slopes.columns(0, n);
    let mut own = by_start.tr_mul(&by_start);
    let least = UNSEEN * own.diagonal().max();
    (0..own.nrows()).for_each(|k| own[(k, k)] += least * UNSEEN);
    let factors = Cholesky::new(own)?;
    Some(by_global - by_start * factors.solve(&by_start.tr_mul(&by_global)))
}

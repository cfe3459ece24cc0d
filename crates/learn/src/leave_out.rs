//! How uncertain parameters are, by how much recordings disagree about them.
//!
//! A model that is a little wrong errs alike in all samples of a recording. A standard deviation that takes every sample
//! for an independent measurement is then far too small. Recordings are independent of each other, so each is left out in
//! turn, and the spread of what the others give is the uncertainty: the jackknife [Quenouille 1956, Tukey 1958]. A fit is
//! not run again for each: one Gauss-Newton step from the solution says where it would end.

use nalgebra::{Cholesky, DMatrix, DVector};

use crate::objective::{Efficiency, Fit, Window};
use gradbody_optimise::{Arrow, Objective};

/// Fewer groups than this say nothing about a spread.
const FEWEST: usize = 5;

/// With fewer recordings than [`FEWEST`], their windows are divided into about this many groups.
const GROUPS: usize = 10;

/// Share of its own information that is added to each number: it holds combinations that nothing determines.
pub(crate) const RIDGE: f64 = 1e-11;

/// Standard deviations that leaving out data in turn gives.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// The standard deviation of each named unknown, in its unit. None for one that is held at its bound.
    pub sigmas: Vec<Option<f64>>,
    /// How many groups of data there are.
    pub groups: usize,
    /// Whether each group is a whole recording. If not, it is a part of one.
    pub whole_recordings: bool,
}

/// The information and the gradient of a group of data for the global unknowns, when starts of windows are free.
pub(crate) struct Share {
    pub(crate) information: DMatrix<f64>,
    pub(crate) gradient: DVector<f64>,
}

/// Leaves out each recording in turn, or parts of recordings if there are few. None with too few windows for that, or if
/// the cost cannot be linearised.
pub fn leave_out(fit: &Fit, x: &[f64]) -> Option<LeftOut> {
    let (groups, whole_recordings) = groups(fit);
    if groups.len() < FEWEST {
        return None;
    }
    let shares: Vec<Share> = groups.iter().map(|of| share(fit, x, of)).collect::<Option<_>>()?;
    let n = fit.unknowns.n_global();
    let mut prior = DVector::zeros(n);
    for (k, unknown) in fit.unknowns.named().enumerate() {
        prior[k] = unknown.prior.map_or(0.0, |p| (unknown.scale / p.sigma).powi(2));
    }
    fit.unknowns.weights_range().for_each(|k| prior[k] = fit.weight_decay);
    let mut all = DMatrix::from_diagonal(&prior);
    shares.iter().for_each(|share| all += &share.information);
    let held = held(fit, x);
    let solve = |matrix: &DMatrix<f64>, rhs: DMatrix<f64>| solve(matrix, &all, &held, rhs);
    let count = shares.len() as f64;
    let mut moved = DMatrix::zeros(n, shares.len());
    for (k, share) in shares.iter().enumerate() {
        // At the solution all gradients sum to zero, so the gradient of the others is minus that of this group.
        let rhs = DMatrix::from_column_slice(n, 1, share.gradient.as_slice());
        moved.set_column(k, &solve(&(&all - &share.information), rhs)?.column(0));
    }
    let mean = moved.column_mean();
    moved.column_iter_mut().for_each(|mut column| column -= &mean);
    let mut variances = DVector::from_fn(n, |k, _| moved.row(k).norm_squared());
    // Steps with the weights of a robust law go a share of the way.
    let slope = Efficiency::of(&fit.sensors).slope;
    variances *= (count - 1.0) / count / (slope * slope);
    // A prior is one more source, which is never left out: its mean has its own variance.
    let mut by_prior = DMatrix::from_diagonal(&prior.map(f64::sqrt));
    by_prior = solve(&all, by_prior)?;
    (0..n).for_each(|k| variances[k] += by_prior.row(k).norm_squared());
    let sigma = |(k, scale): (usize, f64)| (!held[k]).then(|| variances[k].sqrt() * scale);
    let sigmas = fit.unknowns.named().map(|u| u.scale).enumerate().map(sigma).collect();
    Some(LeftOut { sigmas, groups: shares.len(), whole_recordings })
}

/// Windows that are left out together, as indices, and whether these are whole recordings.
pub(crate) fn groups(fit: &Fit) -> (Vec<Vec<usize>>, bool) {
    let mut by_recording: Vec<Vec<usize>> = vec![Vec::new(); fit.recordings.len()];
    for (k, window) in fit.windows.iter().enumerate() {
        by_recording[window.recording].push(k);
    }
    by_recording.retain(|windows| !windows.is_empty());
    if by_recording.len() >= FEWEST {
        return (by_recording, true);
    }
    let length = fit.windows.len().div_ceil(GROUPS).max(1);
    let parts = by_recording.iter().flat_map(|windows| windows.chunks(length));
    (parts.map(<[usize]>::to_vec).collect(), false)
}

/// The part of some windows, all of one recording, in the cost near `x`.
pub(crate) fn share(fit: &Fit, x: &[f64], windows: &[usize]) -> Option<Share> {
    let mut part = fit.clone();
    let recording = fit.windows[*windows.first()?].recording;
    part.recordings = vec![fit.recordings[recording].clone()];
    part.windows = windows.iter().map(|k| Window { recording: 0, ..fit.windows[*k] }).collect();
    if let Some(last) = part.windows.last_mut() {
        last.continues = false;
    }
    part.starts = windows.iter().map(|k| fit.starts[*k].clone()).collect();
    part.secants = fit.secants.as_ref().map(|secants| secants.of_windows(windows));
    part.windows_in_part = windows.len();
    part.unknowns.params.iter_mut().chain(&mut part.unknowns.period).for_each(|u| u.prior = None);
    part.weight_decay = 0.0;
    part.penalties.clear();
    let mut own = x[..fit.unknowns.n_global()].to_vec();
    windows.iter().for_each(|k| own.extend_from_slice(&x[fit.unknowns.start_range(*k)]));
    let quadratic = part.quadratic(&own)?;
    let (information, gradient) = Arrow::reduced(&quadratic.hessian, &quadratic.gradient)?;
    Some(Share { information, gradient })
}

/// Which global unknowns cannot move: those at a bound, and weights that a penalty holds at zero.
pub(crate) fn held(fit: &Fit, x: &[f64]) -> Vec<bool> {
    let mut held = vec![false; fit.unknowns.n_global()];
    for (k, unknown) in fit.unknowns.named().enumerate() {
        let (value, near) = (x[k] * unknown.scale, 1e-9 * unknown.scale);
        held[k] = value <= unknown.bounds.0 + near || value >= unknown.bounds.1 - near;
    }
    for group in fit.penalties.iter().flat_map(|penalty| &penalty.groups) {
        if group.iter().all(|&k| x[k] == 0.0) {
            group.iter().for_each(|&k| held[k] = true);
        }
    }
    held
}

/// Solves for the numbers that are not held, in units of their whole information `all`.
pub(crate) fn solve(
    matrix: &DMatrix<f64>,
    all: &DMatrix<f64>,
    held: &[bool],
    mut rhs: DMatrix<f64>,
) -> Option<DMatrix<f64>> {
    let n = held.len();
    let size = |k: usize| all[(k, k)].max(f64::MIN_POSITIVE).sqrt();
    let scaled = DMatrix::from_fn(n, n, |i, k| match (held[i] || held[k], i == k) {
        (true, true) => 1.0,
        (true, false) => 0.0,
        (false, same) => matrix[(i, k)] / (size(i) * size(k)) + if same { RIDGE } else { 0.0 },
    });
    for (k, mut row) in rhs.row_iter_mut().enumerate() {
        row *= if held[k] { 0.0 } else { 1.0 / size(k) };
    }
    let factors = Cholesky::new(scaled)?;
    factors.solve_mut(&mut rhs);
    for (k, mut row) in rhs.row_iter_mut().enumerate() {
        row /= size(k);
    }
    Some(rhs)
}

//! How uncertain parameters are where motion has impacts.
//!
//! Jumps of the errors look like steep slopes, and so like information about combinations of parameters that the data hardly
//! determine. Their squares add up over thousands of errors. The two halves of a secant see different jumps, so that the
//! product of both slopes is right in the mean, though it scatters. It is used where it is less than the square, down to a
//! small share of it: below that, nothing is known about the share.

use nalgebra::{Cholesky, DMatrix, DVector, SymmetricEigen};

use crate::leave_out::{RIDGE, Share, groups, held, share, solve};
use crate::objective::{Efficiency, Fit};

/// Along any direction at least this share of what secants say counts as information.
const LEAST_SHARE: f64 = 0.01;

/// The standard deviation of each named unknown at the solution `x`, in its unit; None for one that is held at its bound. None
/// for a fit whose windows do not settle on starts of their own, or that has networks.
pub fn deviations_without_jumps(fit: &Fit, x: &[f64]) -> Option<Vec<Option<f64>>> {
    if !fit.counts_wholes() || fit.unknowns.weights > 0 {
        return None;
    }
    let n = fit.unknowns.n_global();
    let shares: Vec<Share> =
        groups(fit).0.iter().map(|of| share(fit, x, of)).collect::<Option<_>>()?;
    let seen = shares.iter().fold(DMatrix::zeros(n, n), |sum, share| sum + &share.information);
    let root = root_of(&seen)?;
    let products = fit.information_without_jumps(x)?;
    let law = Efficiency::of(&fit.sensors);
    let excess = (excess(&root, &shares)? / law.scatter).max(1.0);
    let mut information = between(&root, &products)? * law.information / excess;
    for (k, unknown) in fit.unknowns.named().enumerate() {
        information[(k, k)] += unknown.prior.map_or(0.0, |p| (unknown.scale / p.sigma).powi(2));
    }
    let held = held(fit, x);
    let covariance = solve(&information, &information, &held, DMatrix::identity(n, n))?;
    let sigma = |(k, scale): (usize, f64)| (!held[k]).then(|| covariance[(k, k)].sqrt() * scale);
    Some(fit.unknowns.named().map(|u| u.scale).enumerate().map(sigma).collect())
}

/// L of L Lᵀ.
fn root_of(matrix: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let mut ridged = matrix.clone();
    (0..matrix.nrows()).for_each(|k| ridged[(k, k)] *= 1.0 + RIDGE);
    Some(Cholesky::new(ridged)?.l())
}

/// A matrix in units of another one, L⁻¹ A L⁻ᵀ.
fn in_units(root: &DMatrix<f64>, matrix: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let half = root.solve_lower_triangular(matrix)?;
    root.solve_lower_triangular(&half.transpose())
}

/// The products, at most what secants say and at least a small share of it along any direction.
fn between(root: &DMatrix<f64>, products: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let mut shares = SymmetricEigen::new(in_units(root, products)?);
    shares.eigenvalues.iter_mut().for_each(|share| *share = share.clamp(LEAST_SHARE, 1.0));
    Some(root * shares.recompose() * root.transpose())
}

/// How many times more recordings disagree than the information says, as variances in the mean over all directions.
fn excess(root: &DMatrix<f64>, shares: &[Share]) -> Option<f64> {
    let count = shares.len() as f64;
    let sum = |sum: DVector<f64>, share: &Share| sum + &share.gradient;
    let mean = shares.iter().fold(DVector::zeros(root.nrows()), sum) / count;
    let scatter = shares.iter().fold(DMatrix::zeros(root.nrows(), root.nrows()), |sum, share| {
        let off = &share.gradient - &mean;
        sum + &off * off.transpose()
    });
    let scatter = in_units(root, &scatter)? * (count / (count - 1.0).max(1.0));
    Some(scatter.trace() / root.nrows() as f64)
}

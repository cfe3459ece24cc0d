//! Eigenvalues of a symmetric 3×3 matrix, by Jacobi's method.
//!
//! A Jacobi rotation in the plane of two axes makes one off-diagonal entry zero. Applied to the three entries in turn,
//! the others shrink quadratically; a few rounds give exact zeros. It is slower than the closed form, but keeps all
//! digits where that loses half of them: at equal or nearly equal eigenvalues, as symmetric bodies have.

use gradbody_math::{Mat3, Sym3, Vec3};

/// Quadratic convergence needs about six rounds; more indicate numbers that are not finite.
const MAX_ROUNDS: usize = 32;

/// Principal moments in ascending order, and the rotation whose columns are their axes:
/// `m = rot · diag(moments) · rotᵀ`.
pub fn principal_moments(m: &Sym3<f64>) -> (Vec3<f64>, Mat3<f64>) {
    let mut a = m.to_mat3().to_rows();
    let mut axes = Mat3::IDENTITY.to_rows();
    for _ in 0..MAX_ROUNDS {
        if [a[0][1], a[0][2], a[1][2]] == [0.0; 3] {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut axes, p, q);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
    let column = |i: usize| Vec3::new(axes[0][i], axes[1][i], axes[2][i]);
    let [x, y, z] = order.map(column);
    // The sign of an eigenvector is arbitrary: choose it so that they form a right-handed frame.
    let z = if Mat3::from_cols(x, y, z).determinant() < 0.0 { -z } else { z };
    let [low, middle, high] = order.map(|i| a[i][i]);
    (Vec3::new(low, middle, high), Mat3::from_cols(x, y, z))
}

/// Rotates axes p and q so that entry (p, q) of `a` becomes zero.       [Golub & Van Loan 2013, §8.5]
fn rotate(a: &mut [[f64; 3]; 3], axes: &mut [[f64; 3]; 3], p: usize, q: usize) {
    let a_pq = a[p][q];
    if a_pq == 0.0 {
        return;
    }
    // tan of the smaller of the two possible angles; 0 where θ overflows
    let theta = 0.5 * (a[q][q] - a[p][p]) / a_pq;
    let tan = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let cos = tan.hypot(1.0).recip();
    let sin = tan * cos;
    a[p][p] -= tan * a_pq;
    a[q][q] += tan * a_pq;
    a[p][q] = 0.0;
    a[q][p] = 0.0;
    let r = 3 - p - q;
    let (a_rp, a_rq) = (a[r][p], a[r][q]);
    a[r][p] = cos * a_rp - sin * a_rq;
    a[r][q] = sin * a_rp + cos * a_rq;
    a[p][r] = a[r][p];
    a[q][r] = a[r][q];
    for row in axes {
        let (x_p, x_q) = (row[p], row[q]);
        row[p] = cos * x_p - sin * x_q;
        row[q] = sin * x_p + cos * x_q;
    }
}

//! y = b + W x, and its adjoint.
//!
//! W is stored with a row for each *input*, so that the inner loops run over outputs, which are contiguous. The order
//! of additions depends on the sizes alone: all scalars round in the same way.

use gradbody_math::Scalar;

/// Writes b + W x to `y`; an empty `bias` is zero. `matrix` has `x.len()` rows of `y.len()` numbers.
#[inline(always)]
pub(crate) fn affine<S: Scalar>(matrix: &[S], bias: &[S], x: &[S], y: &mut [S]) {
    let n = y.len();
    debug_assert!(matrix.len() == x.len() * n && (bias.is_empty() || bias.len() == n));
    let mut done = 0;
    // Many parallel sums hide the latency of additions; a vector scalar needs fewer.
    if size_of::<S>() <= 8 {
        while n - done >= 32 {
            done = block::<S, 32>(matrix, bias, x, done, y);
        }
    }
    while n - done >= 8 {
        done = block::<S, 8>(matrix, bias, x, done, y);
    }
    if n - done >= 4 {
        done = block::<S, 4>(matrix, bias, x, done, y);
    }
    if n - done >= 2 {
        done = block::<S, 2>(matrix, bias, x, done, y);
    }
    if n - done >= 1 {
        block::<S, 1>(matrix, bias, x, done, y);
    }
}

/// The outputs from `start` to `start + N`; returns the latter.
#[inline(always)]
fn block<S: Scalar, const N: usize>(
    matrix: &[S],
    bias: &[S],
    x: &[S],
    start: usize,
    y: &mut [S],
) -> usize {
    let end = start + N;
    let mut sum = [S::ZERO; N];
    if !bias.is_empty() {
        sum.copy_from_slice(&bias[start..end]);
    }
    for (x, row) in x.iter().zip(matrix.chunks_exact(y.len())) {
        let row = &row[start..end];
        for k in 0..N {
            sum[k] = x.mul_add(row[k], sum[k]);
        }
    }
    y[start..end].copy_from_slice(&sum);
    end
}

/// The adjoint of [`affine`]: adds to `x_bar` and, unless they are empty, to `matrix_bar` and `bias_bar`.
#[inline(always)]
pub(crate) fn affine_vjp<S: Scalar>(
    matrix: &[S],
    x: &[S],
    y_bar: &[S],
    x_bar: &mut [S],
    matrix_bar: &mut [S],
    bias_bar: &mut [S],
) {
    let n = y_bar.len();
    for (x_bar, row) in x_bar.iter_mut().zip(matrix.chunks_exact(n)) {
        *x_bar += dot(row, y_bar);
    }
    for (x, row_bar) in x.iter().zip(matrix_bar.chunks_exact_mut(n)) {
        add_scaled(*x, y_bar, row_bar);
    }
    for (bias_bar, y_bar) in bias_bar.iter_mut().zip(y_bar) {
        *bias_bar += *y_bar;
    }
}

/// a · b, in eight parallel sums.
#[inline(always)]
fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    let (a8, a) = a.as_chunks::<8>();
    let (b8, b) = b.as_chunks::<8>();
    let mut total = S::ZERO;
    if let ([a0, a8 @ ..], [b0, b8 @ ..]) = (a8, b8) {
        let mut sum: [S; 8] = core::array::from_fn(|k| a0[k] * b0[k]);
        for (a, b) in a8.iter().zip(b8) {
            for k in 0..8 {
                sum[k] = a[k].mul_add(b[k], sum[k]);
            }
        }
        let four: [S; 4] = core::array::from_fn(|k| sum[k] + sum[k + 4]);
        total = (four[0] + four[2]) + (four[1] + four[3]);
    }
    for (a, b) in a.iter().zip(b) {
        total = a.mul_add(*b, total);
    }
    total
}

/// y += a x
#[inline(always)]
fn add_scaled<S: Scalar>(a: S, x: &[S], y: &mut [S]) {
    let (x8, x) = x.as_chunks::<8>();
    let (y8, y) = y.as_chunks_mut::<8>();
    for (x, y) in x8.iter().zip(y8) {
        // Copied first, so that the compiler knows that reads and writes do not overlap.
        let (x, mut block) = (*x, *y);
        for k in 0..8 {
            block[k] = a.mul_add(x[k], block[k]);
        }
        *y = block;
    }
    for (x, y) in x.iter().zip(y) {
        *y = a.mul_add(*x, *y);
    }
}

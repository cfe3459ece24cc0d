//! The natural logarithm.

use super::{constant, is_double, polynomial};
use crate::Scalar;
use crate::simd::{Vector, Wide};

/// ln((1 + s)/(1 − s)) = 2s + s³ P(s²) for |s| ≤ 0.172, to a relative 2⁻⁵⁹.
const LN_F64: [f64; 7] = [
    0.6666666666666734,
    0.39999999999417035,
    0.28571428741896543,
    0.22222198621048017,
    0.18183561944482407,
    0.15314109187249805,
    0.14795383154509784,
];
/// As [`LN_F64`], to a relative 2⁻³⁰.
const LN_F32: [f64; 3] = [6.6666776e-01, 3.9977586e-01, 2.987068e-01];

/// Natural logarithm: −∞ at zero (of either sign), NaN below it.
#[inline(always)]
pub(crate) fn ln<V: Vector>(x: V) -> V {
    let x = Wide(x);
    let (exponent, f) = split(x);
    // With s = f/(2 + f): ln(1 + f) = f − s (f − s² P(s²)), in which the first term is exact.
    let s = f / (f + Wide::from_f64(2.0));
    let square = s * s;
    let tail =
        if is_double::<V>() { polynomial(square, LN_F64) } else { polynomial(square, LN_F32) };
    let bend = s * square.neg_mul_add(tail, f);
    let part1 = constant(core::f64::consts::LN_2, core::f32::consts::LN_2);
    let part2 = constant(2.3190468138462996e-17, -1.904_654_2e-9);
    let regular = exponent.mul_add(part1, f + exponent.mul_add(part2, -bend));

    // Infinity (and NaN) are their own logarithms.
    let regular = x.select_le(largest(), regular, x);
    let at_zero = Wide::from_f64(f64::NEG_INFINITY);
    let below = Wide::ZERO.select_le(x, at_zero, Wide::from_f64(f64::NAN));
    Wide::ZERO.select_lt(x, regular, below).0
}

/// A positive `x = (1 + f) 2ᵉ` with 1 + f between √½ and √2: `(e, f)`. Subnormal numbers too.
#[inline(always)]
pub(super) fn split<V: Vector>(x: Wide<V>) -> (Wide<V>, Wide<V>) {
    let least = constant(f64::MIN_POSITIVE, f32::MIN_POSITIVE);
    let shift = constant(54.0, 25.0);
    let raised = x.select_lt(least, x * constant(18014398509481984.0, 33554432.0), x);
    let lowered = x.select_lt(least, shift, Wide::ZERO);
    let (mantissa, exponent) = raised.split_exponent();
    let root = Wide::from_f64(core::f64::consts::SQRT_2);
    let half = Wide::from_f64(0.5);
    let f = root.select_lt(mantissa, mantissa * half, mantissa) - Wide::ONE;
    let one_more = root.select_lt(mantissa, Wide::ONE, Wide::ZERO);
    (exponent + (one_more - lowered), f)
}

/// The largest finite number.
#[inline(always)]
pub(super) fn largest<V: Vector>() -> Wide<V> {
    constant(f64::MAX, f32::MAX)
}

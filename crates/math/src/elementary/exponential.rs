//! The exponential and the hyperbolic tangent.

use super::{add, constant, is_double, polynomial, quotient, round_product};
use crate::Scalar;
use crate::simd::{Vector, Wide};

/// eʳ = 1 + r + r²/2 + r³ P(r) for |r| ≤ ln(2)/2, to 2⁻⁵⁸ of eʳ − 1. Here are 1/2 and P.
const EXP_F64: [f64; 11] = [
    0.5,
    0.16666666666666674,
    0.04166666666666658,
    0.008333333333322627,
    0.0013888888888942317,
    0.0001984126988388151,
    2.480158719785914e-05,
    2.7557246275627795e-06,
    2.755738809011472e-07,
    2.510836756971314e-08,
    2.087840773890324e-09,
];
/// As [`EXP_F64`], to 2⁻²⁹.
const EXP_F32: [f64; 6] =
    [0.5, 1.6666666e-01, 4.1666485e-02, 8.333419e-03, 1.3933161e-03, 1.9824228e-04];

/// Exponential: infinity above the largest float, and gradual underflow to 0 below the least.
#[inline(always)]
pub(crate) fn exp<V: Vector>(x: V) -> V {
    exp_of_sum(Wide(x), Wide::ZERO).0
}

/// e^(high + low), for a `low` of less than an ulp of `high`.
#[inline(always)]
pub(super) fn exp_of_sum<V: Vector>(high: Wide<V>, low: Wide<V>) -> Wide<V> {
    // Beyond these limits the result is infinite or zero anyway. NaN passes.
    let (least, most) = (constant(-746.0, -104.0), constant(710.0, 89.0));
    let high = high.select_lt(least, least, high);
    let high = most.select_lt(high, most, high);

    // e^x = 2ⁿ (1 + (eʳ − 1)). n goes down to −1076, so 2ⁿ is multiplied in two halves: the first is exact and the
    // second rounds once, possibly to a subnormal number or infinity.
    let (n, r) = reduce(high, low);
    let half = round_product(n, Wide::from_f64(0.5));
    (exp_minus_one(r) + Wide::ONE) * half.exp2_int() * (n - half).exp2_int()
}

/// Hyperbolic tangent.
#[inline(always)]
pub(crate) fn tanh<V: Vector>(x: V) -> V {
    // For x ≥ 0, tanh x = E/(E + 2) with E = e^2x − 1 = 2ⁿ (eʳ − 1) + (2ⁿ − 1); both sums keep their rounding errors.
    // Beyond `most` it rounds to 1.
    let x = Wide(x);
    let most = constant(20.0, 10.0);
    let size = most.select_lt(x.abs(), most, x.abs());
    let (n, r) = reduce(size + size, Wide::ZERO);
    let scale = n.exp2_int();
    let (e, e_low) = add(scale - Wide::ONE, scale * exp_minus_one(r));
    let two = Wide::from_f64(2.0);
    let (sum, sum_low) = add(e.select_lt(two, two, e), e.select_lt(two, e, two));
    let (tanh, low) = quotient((e, e_low), (sum, sum_low + e_low));
    (tanh + low).copysign(x).0
}

/// `high + low = n ln 2 + r` with an integer `n` and |r| at most ln(2)/2: `(n, r)`.
#[inline(always)]
fn reduce<V: Vector>(high: Wide<V>, low: Wide<V>) -> (Wide<V>, Wide<V>) {
    // As for angles, the first step is exact because ln 2's first part has all bits.
    let part1 = constant(core::f64::consts::LN_2, core::f32::consts::LN_2);
    let part2 = constant(2.3190468138462996e-17, -1.904_654_2e-9);
    let n = round_product(high, constant(core::f64::consts::LOG2_E, core::f32::consts::LOG2_E));
    (n, n.neg_mul_add(part1, high) + n.neg_mul_add(part2, low))
}

/// eʳ − 1 for |r| at most ln(2)/2.
#[inline(always)]
fn exp_minus_one<V: Vector>(r: Wide<V>) -> Wide<V> {
    let tail = if is_double::<V>() { polynomial(r, EXP_F64) } else { polynomial(r, EXP_F32) };
    (r * r).mul_add(tail, r)
}

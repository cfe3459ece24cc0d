//! Powers with a real exponent.

use super::exponential::exp_of_sum;
use super::logarithm::{largest, split};
use super::{add, constant, is_double, polynomial, quotient};
use crate::Scalar;
use crate::simd::{Vector, Wide};

/// ln((1 + s)/(1 − s)) = 2s + 2/3 s³ + s⁵ P(s²) for |s| ≤ 0.172, to a relative 2⁻⁷¹.
const LN_F64: [f64; 8] = [
    0.3999999999999998,
    0.28571428571443835,
    0.22222222217792256,
    0.18181818843624378,
    0.15384558455945577,
    0.13336263398597556,
    0.11675803471200333,
    0.11981563040396347,
];
/// As [`LN_F64`], to a relative 2⁻⁴².
const LN_F32: [f64; 4] = [3.9999998e-01, 2.8571972e-01, 2.2179614e-01, 1.9559541e-01];

/// `x` to the power `p`, for positive `x`.
///
/// As C's `pow`, with two differences. A negative base (other than −0, which counts as 0) gives NaN even if the
/// exponent is an integer, unless it is 0. A NaN exponent gives NaN even for base 1. Anything to the power 0 is 1; 0 to
/// a positive power is 0, to a negative power infinity.
#[inline(always)]
pub(crate) fn powf<V: Vector>(x: V, p: V) -> V {
    let (x, p) = (Wide(x), Wide(p));
    // Larger exponents also give 0, 1 or infinity, and the product below must be finite.
    let most = constant(1e290, 1e30);
    let size = most.select_lt(p.abs(), most, p.abs()).copysign(p);
    let (high, low) = ln_in_two_parts(x);
    let product = size * high;
    let rest = size.mul_add(high, -product) + size * low;
    // Where the result is 0 or infinite, `rest` may be larger than e's range.
    let rest = product.abs().select_lt(Wide::from_f64(1000.0), rest, Wide::ZERO);
    let regular = exp_of_sum(product, rest);

    let (zero, infinity) = (Wide::ZERO, Wide::from_f64(f64::INFINITY));
    let is_rising = |yes: Wide<V>, no: Wide<V>| zero.select_lt(p, yes, no);
    let regular = x.select_le(largest(), regular, is_rising(infinity, zero));
    let regular = x.select_le(zero, is_rising(zero, infinity), regular);
    // NaN comes from a negative or NaN base and from a NaN exponent; `p ≤ p` is false for NaN.
    let nan = Wide::from_f64(f64::NAN);
    let regular = zero.select_le(x, p.select_le(p, regular, nan), nan);
    p.abs().select_le(zero, Wide::ONE, regular).0
}

/// The logarithm of a positive number as a sum of two, with about 65 correct bits (37 in f32): its error must stay
/// small when multiplied by an exponent.
#[inline(always)]
fn ln_in_two_parts<V: Vector>(x: Wide<V>) -> (Wide<V>, Wide<V>) {
    let (exponent, f) = split(x);
    // s = f/(2 + f)
    let (s, s_low) = quotient((f, Wide::ZERO), add(Wide::from_f64(2.0), f));
    // s²
    let square = s * s;
    let square_low = s.mul_add(s, -square) + (s + s) * s_low;
    // c = 2/3 + s² P(s²)
    let tail =
        if is_double::<V>() { polynomial(square, LN_F64) } else { polynomial(square, LN_F32) };
    let (c, c_low) = add(constant(0.6666666666666666, 0.666_666_7), square * tail);
    let c_low = c_low + constant(3.700743415417188e-17, -1.986_821_6e-8);
    // ln(1 + f) = 2s + s · s² · c
    let (bend, bend_low) = multiply((square, square_low), (c, c_low));
    let (bend, bend_low) = multiply((s, s_low), (bend, bend_low));
    let (ln, ln_low) = add(s + s, bend);
    let ln_low = ln_low + (bend_low + (s_low + s_low));
    // and e ln 2, where the first part of ln 2 is short, so that its product is exact
    let part1 = constant(0.6931471805598903, 0.693_145_75);
    let part2 = constant(5.497923018708371e-14, 1.428_606_8e-6);
    let (high, low) = add(exponent * part1, ln);
    (high, low + exponent.mul_add(part2, ln_low))
}

/// The product of two numbers, each given as a sum of two.
#[inline(always)]
fn multiply<V: Vector>(a: (Wide<V>, Wide<V>), b: (Wide<V>, Wide<V>)) -> (Wide<V>, Wide<V>) {
    let product = a.0 * b.0;
    (product, a.0.mul_add(b.0, -product) + a.0.mul_add(b.1, a.1 * b.0))
}

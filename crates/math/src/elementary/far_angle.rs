//! Angles too large for a reduction with three parts of π/2: the exact reduction of Payne & Hanek (1983), one lane at a
//! time and in integers.

use crate::Scalar;
use crate::simd::{Vector, Wide};

/// The largest f64 for the short reduction: n·PART₂ in `sine.rs` is exact up to n = 2²⁴.
pub(super) const BEYOND_F64: f64 = 16_777_216.0;
/// The same for f32: n up to 2¹³.
pub(super) const BEYOND_F32: f32 = 10_000.0;

/// The binary digits of 2/π after the point, 64 per word; enough for the largest f64.
const TWO_OVER_PI: [u64; 20] = [
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
];

/// An angle as a number of quarter turns and the remaining angle, in two parts.
type Reduced<V> = (Wide<V>, (Wide<V>, Wide<V>));

/// Replaces the reduction of each far angle in `x`, and keeps the given one for the others.
#[cold]
#[inline(never)]
pub(super) fn reduce<V: Vector>(
    x: Wide<V>,
    turns: Wide<V>,
    (high, low): (Wide<V>, Wide<V>),
) -> Reduced<V> {
    let beyond = if super::is_double::<V>() { BEYOND_F64 } else { f64::from(BEYOND_F32) };
    // The reduction of lane i, if it is far.
    let far = |i| Some(x.lane(i)).filter(|x| x.abs() > beyond).map(reduce_one);
    let turns = Wide::from_lanes(|i| far(i).map_or(turns.lane(i), |far| far.0));
    let new_high = Wide::from_lanes(|i| far(i).map_or(high.lane(i), |far| far.1));
    // What the large part loses by rounding to f32 is added to the small part.
    let rest = |i, (_, angle, rest): (f64, f64, f64)| (angle - new_high.lane(i)) + rest;
    let new_low = Wide::from_lanes(|i| far(i).map_or(low.lane(i), |far| rest(i, far)));
    (turns, (new_high, new_low))
}

/// Quarter turns modulo 4 and the remaining angle, in two parts. For 2¹² < |x|; NaN for infinity.
fn reduce_one(x: f64) -> (f64, f64, f64) {
    if !x.is_finite() {
        return (0.0, f64::NAN, f64::NAN);
    }
    // |x| = mantissa · 2^exponent with a mantissa of 53 bits.
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1075;
    let mantissa = x.to_bits() & ((1 << 52) - 1) | 1 << 52;

    // Digits of 2/π with a weight of 2^(2 − exponent) or more give multiples of 4 turns: skip them, and multiply the
    // next 192 by the mantissa, lowest word first.
    let first = (exponent - 2).max(0) as usize;
    let digits = |i: usize| {
        let (word, bit) = ((first + 64 * i) / 64, first % 64);
        let pair = u128::from(TWO_OVER_PI[word]) << 64 | u128::from(TWO_OVER_PI[word + 1]);
        (pair << bit >> 64) as u64
    };
    let mut product = [0_u64; 4];
    let mut carry = 0_u128;
    for i in 0..3 {
        carry += u128::from(mantissa) * u128::from(digits(2 - i));
        product[i] = carry as u64;
        carry >>= 64;
    }
    product[3] = carry as u64;

    // With the point 190 bits up, the product is x · 2/π modulo 4; if no digits were skipped it must be shifted there.
    let down = (2 - exponent).max(0) as u32;
    let word = |i: usize| {
        let pair = u128::from(product[i + 1]) << 64 | u128::from(product[i]);
        (pair >> down) as u64
    };
    let top = u128::from(word(2)) << 64 | u128::from(word(1));
    let turns = (top >> 126) as u32;
    // The fraction of a quarter turn, −1/2 to 1/2, in units of 2⁻¹²⁸.
    let part = (top << 2 | u128::from(word(0) >> 62)) as i128;
    let turns = turns + u32::from(part < 0);

    // In two floats, then in radians.
    let size = part.unsigned_abs();
    let zeros = size.leading_zeros();
    let aligned = size << zeros;
    let unit = f64::exp2_int(-f64::from(53 + zeros));
    let high = (aligned >> 75) as f64 * unit;
    let low = (aligned << 53 >> 64) as f64 * (unit * f64::exp2_int(-64.0));
    let quarter = [core::f64::consts::FRAC_PI_2, 6.123233995736766e-17];
    let product = high * quarter[0];
    let left = high.mul_add(quarter[0], -product) + high.mul_add(quarter[1], low * quarter[0]);
    let angle = product + left;
    let rest = left - (angle - product);

    // For −x both the turns and the angle are negative.
    let sign = if (part < 0) != (x < 0.0) { -1.0 } else { 1.0 };
    (f64::from(turns).copysign(x), angle * sign, rest * sign)
}

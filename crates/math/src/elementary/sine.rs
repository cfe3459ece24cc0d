//! Sine and cosine.

use super::{constant, far_angle, is_double, polynomial, round_product};
use crate::Scalar;
use crate::simd::{Vector, Wide};

/// sin r = r + r³ P(r²) for |r| ≤ π/4, to a relative 2⁻⁵⁷.
const SINE_F64: [f64; 6] = [
    -0.1666666666666663,
    0.00833333333332184,
    -0.00019841269829358943,
    2.7557313538694377e-06,
    -2.5050734421538564e-08,
    1.5895435341051097e-10,
];
/// cos r = 1 − r²/2 + r⁴ P(r²) for |r| ≤ π/4, to a relative 2⁻⁶³.
const COSINE_F64: [f64; 6] = [
    0.041666666666666595,
    -0.0013888888888873342,
    2.4801587289001944e-05,
    -2.755731421698258e-07,
    2.087570538630424e-09,
    -1.135874864229879e-11,
];
/// As [`SINE_F64`], to a relative 2⁻²⁷.
const SINE_F32: [f64; 3] = [-1.6666655e-01, 8.332189e-03, -1.9518282e-04];
/// As [`COSINE_F64`], to a relative 2⁻³².
const COSINE_F32: [f64; 3] = [4.1666646e-02, -1.388731e-03, 2.4432436e-05];

/// Sine and cosine of an angle [rad]; NaN for infinity.
#[inline(always)]
pub(crate) fn sin_cos<V: Vector>(x: V) -> (V, V) {
    let x = Wide(x);
    let (mut turns, mut angle) = reduce(x);
    let far = constant(far_angle::BEYOND_F64, far_angle::BEYOND_F32);
    if far.any_lt(x.abs()) {
        (turns, angle) = far_angle::reduce(x, turns, angle);
    }
    let (sin, cos) = sin_cos_near_zero(angle);
    let (sin, cos) = turn(turns, sin, cos);
    (sin.0, cos.0)
}

/// `x` as a number of quarter turns and the remaining angle of at most π/4, in two parts (a large and a small one,
/// whose sum far exceeds the working precision).
#[inline(always)]
fn reduce<V: Vector>(x: Wide<V>) -> (Wide<V>, (Wide<V>, Wide<V>)) {
    // π/2 in three parts [Cody & Waite 1980]. The first has all bits of the float type: x and
    // n·PART₁ are multiples of one ulp of 1, and their difference is below 1, so it is exact. The
    // second is short, so that n·PART₂ has no more bits than a float and both steps from `left`
    // to `high` and `low` are exact too.
    let part1 = constant(core::f64::consts::FRAC_PI_2, core::f32::consts::FRAC_PI_2);
    let part2 = constant(6.12323399409214e-17, -4.371_395_3e-8);
    let part3 = constant(1.6446256936324258e-26, 2.563_344e-12);
    let per_radian = constant(core::f64::consts::FRAC_2_PI, core::f32::consts::FRAC_2_PI);

    let turns = round_product(x, per_radian);
    let left = turns.neg_mul_add(part1, x);
    let high = turns.neg_mul_add(part2, left);
    let low = turns.neg_mul_add(part2, left - high);
    (turns, (high, turns.neg_mul_add(part3, low)))
}

/// Sine and cosine of `high + low`, at most π/4 in size.
#[inline(always)]
fn sin_cos_near_zero<V: Vector>((high, low): (Wide<V>, Wide<V>)) -> (Wide<V>, Wide<V>) {
    let square = high * high;
    let (sin_tail, cos_tail) = if is_double::<V>() {
        (polynomial(square, SINE_F64), polynomial(square, COSINE_F64))
    } else {
        (polynomial(square, SINE_F32), polynomial(square, COSINE_F32))
    };
    let sin = high + (high * square).mul_add(sin_tail, low);
    // 1 − high²/2 and its rounding error; then the rest: high⁴ P − high·low.
    let half = high * Wide::from_f64(0.5);
    let lead = half.neg_mul_add(high, Wide::ONE);
    let lost = half.neg_mul_add(high, Wide::ONE - lead);
    let rest = (square * square).mul_add(cos_tail, high.neg_mul_add(low, lost));
    (sin, lead + rest)
}

/// Sine and cosine of an angle that is `turns` quarter turns larger than the one given by `sin` and `cos`.
#[inline(always)]
fn turn<V: Vector>(turns: Wide<V>, sin: Wide<V>, cos: Wide<V>) -> (Wide<V>, Wide<V>) {
    // With q = −turns modulo 4 in −2 … 2, cos(qπ/2) = 1 − |q| and sin(qπ/2) = q (2 − |q|): each
    // −1, 0 or 1, so the addition theorem is exact. The signs are such that −0 stays −0.
    let rounds = round_product(turns, Wide::from_f64(0.25));
    let q = rounds.mul_add(Wide::from_f64(4.0), -turns);
    let cos_turn = Wide::ONE - q.abs();
    let sin_turn = q * (Wide::from_f64(2.0) - q.abs());
    (cos.neg_mul_add(sin_turn, sin * cos_turn), sin.mul_add(sin_turn, cos * cos_turn))
}

//! Sine, exponential and other elementary functions, written once with the exact operations of [`Vector`].
//!
//! Each function is a sequence of correctly rounded operations without tables or branches on values. So a number gets
//! the same bits alone, in every lane of every width and on every machine. NaN gives NaN, but not always the same NaN.
//! Accuracy, speed and reasons: docs/decisions/0003-elementary-functions.md. The polynomials and split constants are
//! printed by `scripts/minimax.py`.

mod arctangent;
mod exponential;
mod far_angle;
mod logarithm;
mod power;
mod sine;

pub(crate) use arctangent::atan2;
pub(crate) use exponential::{exp, tanh};
pub(crate) use logarithm::ln;
pub(crate) use power::powf;
pub(crate) use sine::sin_cos;

use crate::Scalar;
use crate::simd::{Vector, Wide};

/// True if the lanes are f64, false if they are f32; known at compile time.
#[inline(always)]
const fn is_double<V: Vector>() -> bool {
    V::EPSILON < 1e-10
}

/// One of two constants, depending on the float type of the lanes.
#[inline(always)]
fn constant<V: Vector>(double: f64, single: f32) -> Wide<V> {
    Wide::from_f64(if is_double::<V>() { double } else { f64::from(single) })
}

/// c₀ + c₁ x + c₂ x² + …, in groups of four, so that the chain of operations is short [after Estrin 1960].
#[inline(always)]
fn polynomial<V: Vector, const N: usize>(x: Wide<V>, coefficients: [f64; N]) -> Wide<V> {
    let square = x * x;
    let fourth = square * square;
    let mut i = (N - 1) / 4 * 4;
    let mut sum = four_terms(x, square, &coefficients[i..]);
    while i > 0 {
        i -= 4;
        sum = sum.mul_add(fourth, four_terms(x, square, &coefficients[i..i + 4]));
    }
    sum
}

/// c₀ + c₁ x + c₂ x² + c₃ x³, or as many of these as there are coefficients.
#[inline(always)]
fn four_terms<V: Vector>(x: Wide<V>, square: Wide<V>, c: &[f64]) -> Wide<V> {
    match *c {
        [c0] => Wide::from_f64(c0),
        [c0, c1] => two_terms(x, c0, c1),
        [c0, c1, c2] => Wide::from_f64(c2).mul_add(square, two_terms(x, c0, c1)),
        [c0, c1, c2, c3, ..] => two_terms(x, c2, c3).mul_add(square, two_terms(x, c0, c1)),
        [] => Wide::ZERO,
    }
}

#[inline(always)]
fn two_terms<V: Vector>(x: Wide<V>, c0: f64, c1: f64) -> Wide<V> {
    Wide::from_f64(c1).mul_add(x, Wide::from_f64(c0))
}

/// The integer nearest to `x * factor`, for results below 2²² in size.
#[inline(always)]
fn round_product<V: Vector>(x: Wide<V>, factor: Wide<V>) -> Wide<V> {
    // Numbers from 2ᵐ to 2ᵐ⁺¹ are the integers there, so adding 1.5·2ᵐ rounds to an integer.
    let shift = Wide::from_f64(1.5 / V::EPSILON);
    x.mul_add(factor, shift) - shift
}

/// The quotient of two numbers, each of them and the result given as a sum of two.
#[inline(always)]
fn quotient<V: Vector>(
    (above, above_low): (Wide<V>, Wide<V>),
    (below, below_low): (Wide<V>, Wide<V>),
) -> (Wide<V>, Wide<V>) {
    let inverse = below.recip();
    let quotient = above * inverse;
    let left = quotient.neg_mul_add(below, above) + quotient.neg_mul_add(below_low, above_low);
    (quotient, left * inverse)
}

/// a + b and the error of its rounding, where |a| ≥ |b| or a = 0.
#[inline(always)]
fn add<V: Vector>(a: Wide<V>, b: Wide<V>) -> (Wide<V>, Wide<V>) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// Operations of [`Vector`] that [`Scalar`] does not have.
impl<V: Vector> Wide<V> {
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Wide(V::copysign(self.0, sign.0))
    }

    #[inline(always)]
    fn exp2_int(self) -> Self {
        Wide(V::exp2_int(self.0))
    }

    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let (mantissa, exponent) = V::split_exponent(self.0);
        (Wide(mantissa), Wide(exponent))
    }

    #[inline(always)]
    fn any_lt(self, rhs: Self) -> bool {
        V::any_lt(self.0, rhs.0)
    }
}

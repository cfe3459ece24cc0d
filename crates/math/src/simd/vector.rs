//! Operations of a vector register: for floats alone, arrays and hardware vectors.

use super::Isa;
use crate::elementary;

/// Restricts [`Vector`] to the types of this crate, on which the soundness of `simd` relies.
pub trait Sealed {}

impl Sealed for f32 {}
impl Sealed for f64 {}
impl<V: Vector, const K: usize> Sealed for [V; K] {}

/// N floats with lane-wise arithmetic. A float is a vector of one lane.
///
/// The required operations are the *exact* ones (each correctly rounded or a selection of bits), so any two
/// implementations agree in every bit. The provided ones are inexact, but written in terms of the exact ones in
/// `elementary/`, so that they agree too.
pub trait Vector: Sealed + Copy + Send + Sync + 'static {
    /// Number of lanes.
    const LEN: usize;
    /// The instructions the implementation uses.
    const ISA: Isa;
    /// 0 in every lane.
    const ZERO: Self;
    /// 1 in every lane.
    const ONE: Self;
    /// Machine epsilon of the lanes' float type.
    const EPSILON: f64;

    /// `x`, rounded to the lanes' float type, in every lane.
    fn splat(x: f64) -> Self;
    /// Lane `i`.
    fn get(self, i: usize) -> f64;
    /// `f(i)` in lane `i`.
    fn from_fn(f: impl FnMut(usize) -> f64) -> Self;

    /// Sum.
    fn add(a: Self, b: Self) -> Self;
    /// Difference.
    fn sub(a: Self, b: Self) -> Self;
    /// Product.
    fn mul(a: Self, b: Self) -> Self;
    /// Quotient.
    fn div(a: Self, b: Self) -> Self;
    /// Negation (also of zero).
    fn neg(a: Self) -> Self;
    /// `a * b + c`, rounded once.
    fn mul_add(a: Self, b: Self, c: Self) -> Self;
    /// `c - a * b`, rounded once.
    fn neg_mul_add(a: Self, b: Self, c: Self) -> Self;
    /// Absolute value.
    fn abs(a: Self) -> Self;
    /// Square root.
    fn sqrt(a: Self) -> Self;
    /// Nearest integer, ties to even.
    fn round(a: Self) -> Self;
    /// `if_lt` where `a < b`, else `otherwise`.
    fn select_lt(a: Self, b: Self, if_lt: Self, otherwise: Self) -> Self;
    /// `if_le` where `a <= b`, else `otherwise`.
    fn select_le(a: Self, b: Self, if_le: Self, otherwise: Self) -> Self;
    /// True if `a < b` in some lane.
    fn any_lt(a: Self, b: Self) -> bool;
    /// True if `a` and `b` are different in some lane; NaN is different from everything.
    fn any_ne(a: Self, b: Self) -> bool;
    /// The magnitude of `a` with the sign bit of `sign`.
    fn copysign(a: Self, sign: Self) -> Self;
    /// 2ⁿ for an integer-valued `n` within the normal exponent range.
    fn exp2_int(n: Self) -> Self;
    /// For a normal positive `a = m 2ᵉ`: `(m, e)` with `1 <= m < 2` and `e` integer-valued.
    fn split_exponent(a: Self) -> (Self, Self);

    /// Sine and cosine.
    #[inline(always)]
    fn sin_cos(a: Self) -> (Self, Self) {
        elementary::sin_cos(a)
    }
    /// Angle of the point `(x, y)`.
    #[inline(always)]
    fn atan2(y: Self, x: Self) -> Self {
        elementary::atan2(y, x)
    }
    /// Exponential.
    #[inline(always)]
    fn exp(a: Self) -> Self {
        elementary::exp(a)
    }
    /// Natural logarithm.
    #[inline(always)]
    fn ln(a: Self) -> Self {
        elementary::ln(a)
    }
    /// Hyperbolic tangent.
    #[inline(always)]
    fn tanh(a: Self) -> Self {
        elementary::tanh(a)
    }
    /// `a` to the power `p`.
    #[inline(always)]
    fn powf(a: Self, p: Self) -> Self {
        elementary::powf(a, p)
    }
}

macro_rules! float_vector {
    ($real:ident, $mantissa_bits:expr, $bias:expr) => {
        impl Vector for $real {
            const LEN: usize = 1;
            const ISA: Isa = Isa::Float;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: f64 = $real::EPSILON as f64;

            #[inline(always)]
            fn splat(x: f64) -> Self {
                x as $real
            }
            #[inline(always)]
            fn get(self, _: usize) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn from_fn(mut f: impl FnMut(usize) -> f64) -> Self {
                f(0) as $real
            }
            #[inline(always)]
            fn add(a: Self, b: Self) -> Self {
                a + b
            }
            #[inline(always)]
            fn sub(a: Self, b: Self) -> Self {
                a - b
            }
            #[inline(always)]
            fn mul(a: Self, b: Self) -> Self {
                a * b
            }
            #[inline(always)]
            fn div(a: Self, b: Self) -> Self {
                a / b
            }
            #[inline(always)]
            fn neg(a: Self) -> Self {
                -a
            }
            #[inline(always)]
            fn mul_add(a: Self, b: Self, c: Self) -> Self {
                $real::mul_add(a, b, c)
            }
            #[inline(always)]
            fn neg_mul_add(a: Self, b: Self, c: Self) -> Self {
                $real::mul_add(-a, b, c)
            }
            #[inline(always)]
            fn abs(a: Self) -> Self {
                $real::abs(a)
            }
            #[inline(always)]
            fn sqrt(a: Self) -> Self {
                $real::sqrt(a)
            }
            #[inline(always)]
            fn round(a: Self) -> Self {
                $real::round_ties_even(a)
            }
            #[inline(always)]
            fn select_lt(a: Self, b: Self, if_lt: Self, otherwise: Self) -> Self {
                if a < b { if_lt } else { otherwise }
            }
            #[inline(always)]
            fn select_le(a: Self, b: Self, if_le: Self, otherwise: Self) -> Self {
                if a <= b { if_le } else { otherwise }
            }
            #[inline(always)]
            fn any_lt(a: Self, b: Self) -> bool {
                a < b
            }
            #[inline(always)]
            fn any_ne(a: Self, b: Self) -> bool {
                a != b
            }
            #[inline(always)]
            fn copysign(a: Self, sign: Self) -> Self {
                $real::copysign(a, sign)
            }
            #[inline(always)]
            fn exp2_int(n: Self) -> Self {
                // The float n + 1.5·2^m + bias has n + bias in its lowest bits.
                const MAGIC: $real = 1.5 * (1_u64 << $mantissa_bits) as $real + $bias as $real;
                $real::from_bits((n + MAGIC).to_bits() << $mantissa_bits)
            }
            #[inline(always)]
            fn split_exponent(a: Self) -> (Self, Self) {
                // An integer e below 2^m, or-ed into the bits of 2^m, is the float 2^m + e.
                const TWO_M: $real = (1_u64 << $mantissa_bits) as $real;
                let bits = a.to_bits();
                let shifted = $real::from_bits((bits >> $mantissa_bits) | TWO_M.to_bits());
                let exponent = shifted - (TWO_M + $bias as $real);
                let mantissa = (bits & ((1 << $mantissa_bits) - 1)) | (1.0 as $real).to_bits();
                ($real::from_bits(mantissa), exponent)
            }
        }
    };
}
float_vector!(f64, 52, 1023);
float_vector!(f32, 23, 127);

/// Several vectors side by side form a wider vector.
impl<V: Vector, const K: usize> Vector for [V; K] {
    const LEN: usize = V::LEN * K;
    /// One float in an array is a number that is not compiled for wider instructions.
    const ISA: Isa = match V::ISA {
        Isa::Float if K == 1 => Isa::Build,
        of_parts => of_parts,
    };
    const ZERO: Self = [V::ZERO; K];
    const ONE: Self = [V::ONE; K];
    const EPSILON: f64 = V::EPSILON;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        [V::splat(x); K]
    }
    #[inline(always)]
    fn get(self, i: usize) -> f64 {
        self[i / V::LEN].get(i % V::LEN)
    }
    #[inline(always)]
    fn from_fn(mut f: impl FnMut(usize) -> f64) -> Self {
        core::array::from_fn(|k| V::from_fn(|i| f(k * V::LEN + i)))
    }
    #[inline(always)]
    fn add(a: Self, b: Self) -> Self {
        core::array::from_fn(|k| V::add(a[k], b[k]))
    }
    #[inline(always)]
    fn sub(a: Self, b: Self) -> Self {
        core::array::from_fn(|k| V::sub(a[k], b[k]))
    }
    #[inline(always)]
    fn mul(a: Self, b: Self) -> Self {
        core::array::from_fn(|k| V::mul(a[k], b[k]))
    }
    #[inline(always)]
    fn div(a: Self, b: Self) -> Self {
        core::array::from_fn(|k| V::div(a[k], b[k]))
    }
    #[inline(always)]
    fn neg(a: Self) -> Self {
        core::array::from_fn(|k| V::neg(a[k]))
    }
    #[inline(always)]
    fn mul_add(a: Self, b: Self, c: Self) -> Self {
        core::array::from_fn(|k| V::mul_add(a[k], b[k], c[k]))
    }
    #[inline(always)]
    fn neg_mul_add(a: Self, b: Self, c: Self) -> Self {
        core::array::from_fn(|k| V::neg_mul_add(a[k], b[k], c[k]))
    }
    #[inline(always)]
    fn abs(a: Self) -> Self {
        core::array::from_fn(|k| V::abs(a[k]))
    }
    #[inline(always)]
    fn sqrt(a: Self) -> Self {
        core::array::from_fn(|k| V::sqrt(a[k]))
    }
    #[inline(always)]
    fn round(a: Self) -> Self {
        core::array::from_fn(|k| V::round(a[k]))
    }
    #[inline(always)]
    fn select_lt(a: Self, b: Self, if_lt: Self, otherwise: Self) -> Self {
        core::array::from_fn(|k| V::select_lt(a[k], b[k], if_lt[k], otherwise[k]))
    }
    #[inline(always)]
    fn select_le(a: Self, b: Self, if_le: Self, otherwise: Self) -> Self {
        core::array::from_fn(|k| V::select_le(a[k], b[k], if_le[k], otherwise[k]))
    }
    #[inline(always)]
    fn any_lt(a: Self, b: Self) -> bool {
        (0..K).any(|k| V::any_lt(a[k], b[k]))
    }
    #[inline(always)]
    fn any_ne(a: Self, b: Self) -> bool {
        (0..K).any(|k| V::any_ne(a[k], b[k]))
    }
    #[inline(always)]
    fn copysign(a: Self, sign: Self) -> Self {
        core::array::from_fn(|k| V::copysign(a[k], sign[k]))
    }
    #[inline(always)]
    fn exp2_int(n: Self) -> Self {
        core::array::from_fn(|k| V::exp2_int(n[k]))
    }
    #[inline(always)]
    fn split_exponent(a: Self) -> (Self, Self) {
        let split = a.map(V::split_exponent);
        (split.map(|s| s.0), split.map(|s| s.1))
    }

    // One part after another: a single vector already fills the registers.
    #[inline(always)]
    fn sin_cos(a: Self) -> (Self, Self) {
        let both = a.map(V::sin_cos);
        (both.map(|b| b.0), both.map(|b| b.1))
    }
    #[inline(always)]
    fn atan2(y: Self, x: Self) -> Self {
        core::array::from_fn(|k| V::atan2(y[k], x[k]))
    }
    #[inline(always)]
    fn exp(a: Self) -> Self {
        a.map(V::exp)
    }
    #[inline(always)]
    fn ln(a: Self) -> Self {
        a.map(V::ln)
    }
    #[inline(always)]
    fn tanh(a: Self) -> Self {
        a.map(V::tanh)
    }
    #[inline(always)]
    fn powf(a: Self, p: Self) -> Self {
        core::array::from_fn(|k| V::powf(a[k], p[k]))
    }
}

//! The one trait every algorithm is written over.
//!
//! A [`Scalar`] is a real number that may carry more than a value: derivatives ([`crate::Dual`]) or
//! many independent worlds ([`crate::Lanes`]). Hence two rules. There is no `PartialOrd`: a branch
//! on a *value* is a `select`, because lanes may disagree and because a recorder must see both arms.
//! And every function has a derivative everywhere it has a value, so that a gradient is finite where
//! the value is (as long as no number is so large or small that its square leaves the float range):
//!
//! | function | at the singular point | derivative chosen there |
//! |---|---|---|
//! | `sqrt(x)` | x = 0 | 0 |
//! | `abs(x)` | x = 0 | 0 |
//! | `min`, `max` | equal arguments | that of `self` |
//! | `atan2(y, x)` | y = x = 0 | 0 |
//! | `powf(x, p)` | x ≤ 0 | in x: 0 if p < 1, else p·max(x, 0)^(p−1); in p: 0 |
//! | `ln(x)` | x ≤ 0 (where it is −∞ or NaN) | that of the least number with a finite reciprocal |
//!
//! When the arm of a `select` that is not taken could be singular, feed it a safe input:
//!
//! ```
//! use gradbody_math::Scalar;
//! fn sinc<S: Scalar>(x: S) -> S {
//!     let tiny = S::from_f64(1e-4);
//!     let safe = x.abs().select_lt(tiny, S::ONE, x); // the dead arm divides by one
//!     let series = S::ONE - x * x * S::from_f64(1.0 / 6.0);
//!     x.abs().select_lt(tiny, series, safe.sin_cos().0 / safe)
//! }
//! assert_eq!(sinc(0.0_f64), 1.0);
//! ```

use core::fmt::Debug;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A real number the engine can compute with.
pub trait Scalar:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Sum
{
    /// Number of independent worlds one value holds; 1 unless this is a vector of lanes.
    const LANES: usize;
    /// 0, with zero derivatives.
    const ZERO: Self;
    /// 1, with zero derivatives.
    const ONE: Self;
    /// Distance from 1 to the next number of the underlying float type.
    const EPSILON: f64;

    /// A constant: the same in every lane, with zero derivatives.
    fn from_f64(x: f64) -> Self;
    /// The value of world `lane`, without derivatives.
    fn lane(self, lane: usize) -> f64;
    /// A constant whose value in world `i` is `f(i)`.
    fn from_lanes(f: impl FnMut(usize) -> f64) -> Self;
    /// True if every lane and every derivative is finite.
    fn is_finite(self) -> bool;

    /// `self * a + b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `b - self * a`, rounded once.
    fn neg_mul_add(self, a: Self, b: Self) -> Self;

    /// `if_lt` where `self < rhs`, else `otherwise` (also where either is NaN).
    fn select_lt(self, rhs: Self, if_lt: Self, otherwise: Self) -> Self;
    /// `if_le` where `self <= rhs`, else `otherwise` (also where either is NaN).
    fn select_le(self, rhs: Self, if_le: Self, otherwise: Self) -> Self;

    /// Absolute value.
    fn abs(self) -> Self;
    /// Square root; NaN below zero.
    fn sqrt(self) -> Self;
    /// Sine and cosine together [rad]; NaN for infinity.
    fn sin_cos(self) -> (Self, Self);
    /// Angle of the point `(x, self)` from the x axis, in [−π, π] [rad]; signed zeros and infinities
    /// as in C.
    fn atan2(self, x: Self) -> Self;
    /// Exponential; infinity on overflow, 0 (by way of subnormal numbers) on underflow.
    fn exp(self) -> Self;
    /// Natural logarithm; −∞ at zero, NaN below.
    fn ln(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// `self` to the power `exponent`, for `self ≥ 0`; NaN below, also for integers: see
    /// [`powi`](Scalar::powi) for those. The power 0 of anything is 1.
    fn powf(self, exponent: Self) -> Self;

    /// Runs `stage`, compiled with the widest instructions this scalar may use.
    ///
    /// A build for the machine it runs on (the default) calls `stage` directly. A portable build
    /// enters it through a function with the vector instructions found at run time switched on;
    /// for that to reach the arithmetic, `stage` must inline: mark it `#[inline(always)]`.
    fn vectorised<R>(stage: impl FnOnce() -> R) -> R;

    /// `self` to an integer power, by repeated squaring.
    #[inline(always)]
    fn powi(self, exponent: i32) -> Self {
        let mut base = if exponent < 0 { Self::ONE / self } else { self };
        let mut rest = exponent.unsigned_abs();
        let mut result = Self::ONE;
        while rest > 0 {
            if rest & 1 == 1 {
                result *= base;
            }
            base *= base;
            rest >>= 1;
        }
        result
    }

    /// The smaller of two; `self` (and its derivative) where they are equal.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.select_le(other, self, other)
    }

    /// The larger of two; `self` (and its derivative) where they are equal.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        other.select_le(self, self, other)
    }

    /// `self` held between `low` and `high`; NaN stays NaN.
    #[inline(always)]
    fn clamp(self, low: Self, high: Self) -> Self {
        self.select_lt(low, low, high.select_lt(self, high, self))
    }

    /// −1, 0 or 1, with zero derivative.
    #[inline(always)]
    fn signum(self) -> Self {
        let positive = Self::ZERO.select_lt(self, Self::ONE, Self::ZERO);
        self.select_lt(Self::ZERO, -Self::ONE, positive)
    }

    /// Its value, with zero derivative.
    #[inline(always)]
    fn constant(self) -> Self {
        Self::from_lanes(|lane| self.lane(lane))
    }

    /// `self * self`.
    #[inline(always)]
    fn squared(self) -> Self {
        self * self
    }

    /// `1 / self`.
    #[inline(always)]
    fn recip(self) -> Self {
        Self::ONE / self
    }
}

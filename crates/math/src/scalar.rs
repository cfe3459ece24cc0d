//! The one trait every algorithm is written over.
//!
//! A [`Scalar`] is a real number that may carry more than a value: derivatives ([`crate::Dual`]) or many independent
//! worlds ([`crate::Lanes`]). Hence two rules. There is no `PartialOrd`: a branch on a *value* is a `select`, because
//! lanes may disagree and because a recorder must see both arms. And every function has a derivative everywhere it has
//! a value, so that a gradient is finite where the value is (as long as no number is so large or small that its square
//! leaves the float range):
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
//!
//! A stage that must know whether something happens at all calls one of the hooks below. Floats, duals and lanes answer
//! from their values. A *recorder* is a scalar that writes down the operations of a step as straight-line code. It has
//! no values yet: it answers from how a number was made, and includes everything that may happen in the code.
//!
//! | hook | what it is | what a recorder does |
//! |---|---|---|
//! | [`any`](Scalar::any) | may this mask hold in some lane? | answers yes, unless the mask is the constant 0 |
//! | [`is_zero`](Scalar::is_zero) | is this constantly 0, with all derivatives? | answers yes for the constant 0 alone |
//! | [`when`](Scalar::when) | a region that only some lanes need | records a branch around it, joins the carried numbers behind it |
//! | [`repeat`](Scalar::repeat) | a loop until no lane goes on | records one period of rounds as a loop, which each world leaves by itself |
//! | [`constant`](Scalar::constant) | the value alone | keeps the number, stops its derivative |
//!
//! A *mask* is a number that is 0 or 1 in each lane, made by a `select`. Where `any` returns true, lanes whose mask is
//! 0 must get the same result as if it had returned false: true is always a safe answer.
//!
//! [`lane`](Scalar::lane) and [`is_finite`](Scalar::is_finite) look at values too, and have no answer while recording.
//! Stages use them only for reports in plain numbers, and in code that a recorder refuses by name: the sweep of the
//! broad phase, pairs of shapes that search for their features (convex pairs, a mesh on a plane) and the pivots of
//! `Lcp`, all in the contact crate.

use core::fmt::Debug;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::{Carried, Rounds};

/// A real number that the engine can compute with.
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
    /// Order of the derivatives that its numbers carry: 0, 1 for dual numbers, 2 for dual numbers of dual numbers.
    const ORDER: u32 = 0;

    /// A constant: the same in every lane, with zero derivatives.
    fn from_f64(x: f64) -> Self;
    /// The value of world `lane`, without derivatives.
    fn lane(self, lane: usize) -> f64;
    /// A constant whose value in world `i` is `f(i)`.
    fn from_lanes(f: impl FnMut(usize) -> f64) -> Self;
    /// True if every lane and every derivative is finite.
    fn is_finite(self) -> bool;
    /// True if this mask holds in some lane: if its value is not 0 there (NaN is not 0). A recorder returns true,
    /// unless the mask is the constant 0.
    fn any(self) -> bool;
    /// True if this is 0 in every lane, with all its derivatives. A recorder returns true only for the constant 0, so
    /// code that this skips must have no effect for 0.
    fn is_zero(self) -> bool;

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
    /// `self` to the power `exponent`, for `self ≥ 0`; NaN below, even for integer exponents: see
    /// [`powi`](Scalar::powi) for those. The power 0 of anything is 1.
    fn powf(self, exponent: Self) -> Self;

    /// Runs `stage`, compiled with the widest instructions this scalar may use.
    ///
    /// A native build (the default) calls `stage` directly. A portable build calls it through a function that enables
    /// the vector instructions found at run time. These reach the arithmetic only if `stage` is inlined: mark it
    /// `#[inline(always)]`.
    fn vectorised<R>(stage: impl FnOnce() -> R) -> R;

    /// Like [`vectorised`](Scalar::vectorised), but single numbers use registers of 256 bits at most: for dual numbers of
    /// them, whose code is long and seldom runs.
    #[doc(hidden)]
    #[inline(always)]
    fn vectorised_derivatives<R>(stage: impl FnOnce() -> R) -> R {
        Self::vectorised(stage)
    }

    /// Runs `code` that is not hot, compiled with the instructions this scalar needs.
    ///
    /// In a portable build, a number in a vector register is handled by calls, one for each operation, outside of code
    /// compiled for such registers. That is slow and long. A single number needs no more than the build has: unlike in
    /// [`vectorised`](Scalar::vectorised), code is compiled once for it, and not again for each kind of machine. Mark
    /// `code` `#[inline(always)]`.
    #[inline(always)]
    fn in_registers<R>(code: impl FnOnce() -> R) -> R {
        code()
    }

    /// Runs `region` if `mask` holds in some [lane](Scalar::any). The region must leave the numbers of the other lanes
    /// unchanged.
    ///
    /// A recorder records the region as a branch of each world. So `carried` must hold every number that the region
    /// changes; anything else that it writes must not be read afterwards.
    #[inline(always)]
    fn when<C: Carried<Self>>(mask: Self, carried: &mut C, region: impl FnOnce(&mut C)) {
        if mask.any() {
            region(carried);
        }
    }

    /// Runs `round` with 0, 1, … until the mask it returns (of the lanes that continue) holds in no
    /// [lane](Scalar::any), at most [`Rounds::most`] times; returns the number of rounds. A round must leave the
    /// numbers of finished lanes unchanged; with a single lane there are none.
    ///
    /// A recorder records [`Rounds::period`] rounds, as a loop that each world leaves by itself, and returns `most`. So
    /// `carried` must hold every number that passes from one round to another or out of the loop; anything else that a
    /// round writes must not be read outside it.
    ///
    /// ```
    /// use gradbody_math::{Rounds, Scalar};
    /// // √2 by Newton's method, until the square is right to 1e-9.
    /// let mut x = 1.0_f64;
    /// let rounds = f64::repeat(Rounds { most: 20, period: 1 }, &mut x, |_, x| {
    ///     *x = 0.5 * (*x + 2.0 / *x);
    ///     1e-9_f64.select_lt((*x * *x - 2.0).abs(), 1.0, 0.0)
    /// });
    /// assert_eq!(rounds, 4);
    /// ```
    #[inline(always)]
    fn repeat<C: Carried<Self>>(
        rounds: Rounds,
        carried: &mut C,
        mut round: impl FnMut(u32, &mut C) -> Self,
    ) -> u32 {
        for k in 0..rounds.most {
            if !round(k, carried).any() {
                return k + 1;
            }
        }
        rounds.most
    }

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

    /// `self` clamped to `low` and `high`; NaN stays NaN.
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

    /// The value, with zero derivative. A recorder keeps the number and stops its derivative.
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

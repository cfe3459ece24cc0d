//! Forward-mode derivatives: a value and its derivatives in `N` directions at once.
//!
//! A dual number `a + Σ aᵢ εᵢ` with `εᵢ εⱼ = 0` satisfies `f(a + Σ aᵢ εᵢ) = f(a) + f'(a) Σ aᵢ εᵢ`, so running any
//! algorithm on duals gives its exact directional derivatives. The parts are scalars themselves: `Dual<Dual<f64, N>,
//! M>` gives second derivatives, and `Dual<Lanes<f64, 8>, N>` differentiates eight worlds at once.

use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::Scalar;

/// A value with its derivatives in `N` directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<S, const N: usize> {
    /// The value.
    pub re: S,
    /// The derivative in each direction.
    pub eps: [S; N],
}

impl<S: Scalar, const N: usize> Dual<S, N> {
    /// A constant.
    #[inline(always)]
    pub const fn constant(re: S) -> Self {
        Dual { re, eps: [S::ZERO; N] }
    }

    /// A variable: its derivative in direction `i` is one.
    #[inline(always)]
    pub fn variable(re: S, i: usize) -> Self {
        let mut dual = Self::constant(re);
        dual.eps[i] = S::ONE;
        dual
    }

    /// `f(self)` given `f` and `f'` at the value.
    #[inline(always)]
    fn chain(self, value: S, slope: S) -> Self {
        Dual { re: value, eps: self.eps.map(|e| e * slope) }
    }

    /// `f(self, other)` given `f` and its two partial derivatives at the values.
    #[inline(always)]
    fn chain2(self, other: Self, value: S, slope: S, slope_other: S) -> Self {
        Dual { re: value, eps: zip(self.eps, other.eps, |a, b| a.mul_add(slope, b * slope_other)) }
    }
}

#[inline(always)]
fn zip<S: Copy, const N: usize>(a: [S; N], b: [S; N], f: impl Fn(S, S) -> S) -> [S; N] {
    core::array::from_fn(|i| f(a[i], b[i]))
}

impl<S: Scalar, const N: usize> Default for Dual<S, N> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<S: Scalar, const N: usize> Add for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Dual { re: self.re + o.re, eps: zip(self.eps, o.eps, |a, b| a + b) }
    }
}

impl<S: Scalar, const N: usize> Sub for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Dual { re: self.re - o.re, eps: zip(self.eps, o.eps, |a, b| a - b) }
    }
}

impl<S: Scalar, const N: usize> Mul for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        self.chain2(o, self.re * o.re, o.re, self.re)
    }
}

impl<S: Scalar, const N: usize> Div for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        // The value is a true quotient, so that it has the bits of the plain run.
        let value = self.re / o.re;
        let inverse = o.re.recip();
        self.chain2(o, value, inverse, -value * inverse)
    }
}

impl<S: Scalar, const N: usize> Neg for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Dual { re: -self.re, eps: self.eps.map(|e| -e) }
    }
}

impl<S: Scalar, const N: usize> AddAssign for Dual<S, N> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<S: Scalar, const N: usize> SubAssign for Dual<S, N> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<S: Scalar, const N: usize> MulAssign for Dual<S, N> {
    #[inline(always)]
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}

impl<S: Scalar, const N: usize> Sum for Dual<S, N> {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, |a, b| a + b)
    }
}

impl<S: Scalar, const N: usize> Scalar for Dual<S, N> {
    const LANES: usize = S::LANES;
    const ZERO: Self = Self::constant(S::ZERO);
    const ONE: Self = Self::constant(S::ONE);
    const EPSILON: f64 = S::EPSILON;
    const ORDER: u32 = S::ORDER + 1;

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self::constant(S::from_f64(x))
    }

    #[inline(always)]
    fn lane(self, lane: usize) -> f64 {
        self.re.lane(lane)
    }

    #[inline(always)]
    fn from_lanes(f: impl FnMut(usize) -> f64) -> Self {
        Self::constant(S::from_lanes(f))
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        self.re.is_finite() && self.eps.iter().all(|e| e.is_finite())
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.re.any()
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self.re.is_zero() && self.eps.iter().all(|e| e.is_zero())
    }

    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Dual {
            re: self.re.mul_add(a.re, b.re),
            eps: core::array::from_fn(|i| {
                self.eps[i].mul_add(a.re, self.re.mul_add(a.eps[i], b.eps[i]))
            }),
        }
    }

    #[inline(always)]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        Dual {
            re: self.re.neg_mul_add(a.re, b.re),
            eps: core::array::from_fn(|i| {
                self.eps[i].neg_mul_add(a.re, self.re.neg_mul_add(a.eps[i], b.eps[i]))
            }),
        }
    }

    #[inline(always)]
    fn select_lt(self, rhs: Self, if_lt: Self, otherwise: Self) -> Self {
        Dual {
            re: self.re.select_lt(rhs.re, if_lt.re, otherwise.re),
            eps: zip(if_lt.eps, otherwise.eps, |a, b| self.re.select_lt(rhs.re, a, b)),
        }
    }

    #[inline(always)]
    fn select_le(self, rhs: Self, if_le: Self, otherwise: Self) -> Self {
        Dual {
            re: self.re.select_le(rhs.re, if_le.re, otherwise.re),
            eps: zip(if_le.eps, otherwise.eps, |a, b| self.re.select_le(rhs.re, a, b)),
        }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.chain(self.re.abs(), self.re.signum())
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.re.sqrt();
        let safe = S::ZERO.select_lt(root, root, S::ONE);
        let slope = S::ZERO.select_lt(root, S::from_f64(0.5) / safe, S::ZERO);
        self.chain(root, slope)
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.re.sin_cos();
        (self.chain(sin, cos), self.chain(cos, -sin))
    }

    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        // d atan2(y, x) = (x dy − y dx) / (x² + y²), with the point scaled to avoid overflow
        let scale = self.re.abs().max(x.re.abs());
        let least = S::from_f64(least_invertible::<S>());
        let at_origin = |a: S, b: S| least.select_lt(scale, b, a);
        let safe = at_origin(S::ONE, scale);
        let (y1, x1) = (self.re / safe, x.re / safe);
        let norm_sq = at_origin(S::ONE, x1.mul_add(x1, y1 * y1)) * safe;
        self.chain2(x, self.re.atan2(x.re), x1 / norm_sq, -y1 / norm_sq)
    }

    #[inline(always)]
    fn exp(self) -> Self {
        let value = self.re.exp();
        self.chain(value, value)
    }

    #[inline(always)]
    fn ln(self) -> Self {
        let least = S::from_f64(least_invertible::<S>());
        let safe = least.select_lt(self.re, self.re, S::ONE);
        let steepest = S::from_f64(1.0 / least_invertible::<S>());
        let slope = least.select_lt(self.re, safe.recip(), steepest);
        self.chain(self.re.ln(), slope)
    }

    #[inline(always)]
    fn tanh(self) -> Self {
        let value = self.re.tanh();
        self.chain(value, value.neg_mul_add(value, S::ONE))
    }

    #[inline(always)]
    fn powf(self, exponent: Self) -> Self {
        // d x^p = p x^(p−1) dx + x^p ln(x) dp
        let value = self.re.powf(exponent.re);
        let least = S::from_f64(least_invertible::<S>());
        let safe = least.select_lt(self.re, self.re, S::ONE);
        // At zero the first slope is infinite for p < 1, where we choose 0; otherwise it is exact.
        let base = exponent.re.select_lt(S::ONE, safe, self.re.max(S::ZERO));
        let regular = exponent.re * base.powf(exponent.re - S::ONE);
        let at_zero = exponent.re.select_lt(S::ONE, S::ZERO, regular);
        let slope = least.select_lt(self.re, regular, at_zero);
        let slope_exponent = least.select_lt(self.re, value * safe.ln(), S::ZERO);
        self.chain2(exponent, value, slope, slope_exponent)
    }

    #[inline(always)]
    fn vectorised<R>(stage: impl FnOnce() -> R) -> R {
        S::vectorised_derivatives(stage)
    }

    #[inline(always)]
    fn vectorised_derivatives<R>(stage: impl FnOnce() -> R) -> R {
        S::vectorised_derivatives(stage)
    }

    #[inline(always)]
    fn in_registers<R>(code: impl FnOnce() -> R) -> R {
        S::in_registers(code)
    }
}

/// The least number (nearly) whose reciprocal is finite.
#[inline(always)]
fn least_invertible<S: Scalar>() -> f64 {
    if S::EPSILON > 1e-10 { 1e-37 } else { 1e-300 }
}

//! Many worlds in one number: [`Lanes`] is a [`Scalar`] that holds one value of each of N worlds.
//!
//! [`Lanes<f64, 8>`](Lanes) uses the vector registers that the build allows, or plain arrays. Arithmetic is lane by
//! lane; each lane has the same bits as the plain float. A *portable* binary uses [`run_widest`]: it picks the widest
//! vector type at run time and runs a [`Kernel`] on it. Reasons: docs/decisions/0002-lanes.md.

mod dispatch;
mod vector;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

pub use dispatch::{Isa, Kernel, WidestLanes, run_widest};
pub use vector::Vector;

use crate::Scalar;

/// One number of each of `N` worlds.
///
/// It is a vector register only in a native build for a machine that has one (`-C target-cpu=native`, which this
/// workspace sets); otherwise it is an array, and [`run_widest`] is the fast way.
///
/// ```
/// use gradbody_math::{Lanes, Scalar};
/// let angle = Lanes::<f64, 8>::from_lanes(|world| 0.1 * world as f64);
/// let alone = Scalar::sin_cos(0.1 * 3.0_f64);
/// assert_eq!(angle.sin_cos().0.lane(3), alone.0); // the same bits
/// ```
pub type Lanes<T, const N: usize> = Wide<<T as Element<N>>::Vector>;

/// A float type that can be held `N` at a time.
pub trait Element<const N: usize> {
    /// The vector type this build uses for it.
    type Vector: Vector;
}

macro_rules! backing {
    ($($real:ty, $n:literal => $vector:ty;)*) => {
        $(impl Element<$n> for $real { type Vector = $vector; })*
    };
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512dq"))]
backing! {
    f64, 4 => x86::F64x4; f64, 8 => x86::F64x8; f64, 16 => [x86::F64x8; 2];
    f32, 4 => [f32; 4]; f32, 8 => x86::F32x8; f32, 16 => x86::F32x16;
}
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "fma",
    not(all(target_feature = "avx512f", target_feature = "avx512dq"))
))]
backing! {
    f64, 4 => x86::F64x4; f64, 8 => [x86::F64x4; 2]; f64, 16 => [x86::F64x4; 4];
    f32, 4 => [f32; 4]; f32, 8 => x86::F32x8; f32, 16 => [x86::F32x8; 2];
}
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma")))]
backing! {
    f64, 4 => [f64; 4]; f64, 8 => [f64; 8]; f64, 16 => [f64; 16];
    f32, 4 => [f32; 4]; f32, 8 => [f32; 8]; f32, 16 => [f32; 16];
}

/// A vector used as a [`Scalar`]; [`Lanes`] names the one this build prefers for each width.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Wide<V>(pub(crate) V);

impl<V: Vector> core::fmt::Debug for Wide<V> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries((0..V::LEN).map(|i| self.0.get(i))).finish()
    }
}

impl<V: Vector> Default for Wide<V> {
    #[inline(always)]
    fn default() -> Self {
        Wide(V::ZERO)
    }
}

impl<V: Vector> PartialEq for Wide<V> {
    fn eq(&self, other: &Self) -> bool {
        (0..V::LEN).all(|i| self.0.get(i) == other.0.get(i))
    }
}

macro_rules! lane_by_lane {
    ($($op:ident, $method:ident, $assign:ident, $assign_method:ident;)*) => {$(
        impl<V: Vector> $op for Wide<V> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Wide(V::$method(self.0, o.0))
            }
        }
        impl<V: Vector> $assign for Wide<V> {
            #[inline(always)]
            fn $assign_method(&mut self, o: Self) {
                *self = $op::$method(*self, o);
            }
        }
    )*};
}
lane_by_lane! {
    Add, add, AddAssign, add_assign;
    Sub, sub, SubAssign, sub_assign;
    Mul, mul, MulAssign, mul_assign;
}

impl<V: Vector> Div for Wide<V> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        Wide(V::div(self.0, o.0))
    }
}

impl<V: Vector> Neg for Wide<V> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Wide(V::neg(self.0))
    }
}

impl<V: Vector> Sum for Wide<V> {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, |a, b| a + b)
    }
}

/// Implements [`Scalar`] with the operations of [`Vector`], which f32 and f64 have too: a single number and a number in
/// a lane use the same code and so get the same bits.
macro_rules! scalar_by_vector {
    ([$($generic:tt)*] $type:ty, $vector:ty, |$x:ident| $inner:expr, $wrap:expr) => {
        impl<$($generic)*> Scalar for $type {
            const LANES: usize = <$vector as Vector>::LEN;
            const ZERO: Self = $wrap(<$vector as Vector>::ZERO);
            const ONE: Self = $wrap(<$vector as Vector>::ONE);
            const EPSILON: f64 = <$vector as Vector>::EPSILON;

            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                $wrap(<$vector as Vector>::splat(x))
            }
            #[inline(always)]
            fn lane(self, lane: usize) -> f64 {
                let $x = self;
                $inner.get(lane)
            }
            #[inline(always)]
            fn from_lanes(f: impl FnMut(usize) -> f64) -> Self {
                $wrap(<$vector as Vector>::from_fn(f))
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                // x − x is zero, or NaN if x is infinite or NaN.
                let $x = self;
                let difference = <$vector as Vector>::sub($inner, $inner);
                !<$vector as Vector>::any_ne(difference, <$vector as Vector>::ZERO)
            }
            #[inline(always)]
            fn any(self) -> bool {
                let $x = self;
                <$vector as Vector>::any_ne($inner, <$vector as Vector>::ZERO)
            }
            #[inline(always)]
            fn is_zero(self) -> bool {
                !self.any()
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                let f = |$x: Self| $inner;
                $wrap(<$vector as Vector>::mul_add(f(self), f(a), f(b)))
            }
            #[inline(always)]
            fn neg_mul_add(self, a: Self, b: Self) -> Self {
                let f = |$x: Self| $inner;
                $wrap(<$vector as Vector>::neg_mul_add(f(self), f(a), f(b)))
            }
            #[inline(always)]
            fn select_lt(self, rhs: Self, if_lt: Self, otherwise: Self) -> Self {
                let f = |$x: Self| $inner;
                $wrap(<$vector as Vector>::select_lt(f(self), f(rhs), f(if_lt), f(otherwise)))
            }
            #[inline(always)]
            fn select_le(self, rhs: Self, if_le: Self, otherwise: Self) -> Self {
                let f = |$x: Self| $inner;
                $wrap(<$vector as Vector>::select_le(f(self), f(rhs), f(if_le), f(otherwise)))
            }
            #[inline(always)]
            fn abs(self) -> Self {
                let $x = self;
                $wrap(<$vector as Vector>::abs($inner))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                let $x = self;
                $wrap(<$vector as Vector>::sqrt($inner))
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                let $x = self;
                let (sin, cos) = <$vector as Vector>::sin_cos($inner);
                ($wrap(sin), $wrap(cos))
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                let f = |$x: Self| $inner;
                $wrap(<$vector as Vector>::atan2(f(self), f(x)))
            }
            #[inline(always)]
            fn exp(self) -> Self {
                let $x = self;
                $wrap(<$vector as Vector>::exp($inner))
            }
            #[inline(always)]
            fn ln(self) -> Self {
                let $x = self;
                $wrap(<$vector as Vector>::ln($inner))
            }
            #[inline(always)]
            fn tanh(self) -> Self {
                let $x = self;
                $wrap(<$vector as Vector>::tanh($inner))
            }
            #[inline(always)]
            fn powf(self, exponent: Self) -> Self {
                let f = |$x: Self| $inner;
                $wrap(<$vector as Vector>::powf(f(self), f(exponent)))
            }
            #[inline(always)]
            fn vectorised<R>(stage: impl FnOnce() -> R) -> R {
                dispatch::enter::<$vector, R>(stage)
            }
            #[inline(always)]
            fn vectorised_derivatives<R>(stage: impl FnOnce() -> R) -> R {
                dispatch::enter_up_to_avx2::<$vector, R>(stage)
            }
            #[inline(always)]
            fn in_registers<R>(code: impl FnOnce() -> R) -> R {
                dispatch::enter_if_needed::<$vector, R>(code)
            }
        }
    };
}
scalar_by_vector!([] f64, f64, |x| x, core::convert::identity);
scalar_by_vector!([] f32, f32, |x| x, core::convert::identity);
scalar_by_vector!([V: Vector] Wide<V>, V, |x| x.0, Wide);

//! Vectors of three numbers.

use core::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub, SubAssign};

use crate::Scalar;

/// A vector. The variable's name says in which frame: `p_w`, `axis_b`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3<S> {
    /// First component.
    pub x: S,
    /// Second component.
    pub y: S,
    /// Third component.
    pub z: S,
}

impl<S: Scalar> Vec3<S> {
    /// (0, 0, 0).
    pub const ZERO: Self = Vec3 { x: S::ZERO, y: S::ZERO, z: S::ZERO };
    /// (1, 0, 0).
    pub const X: Self = Vec3 { x: S::ONE, y: S::ZERO, z: S::ZERO };
    /// (0, 1, 0).
    pub const Y: Self = Vec3 { x: S::ZERO, y: S::ONE, z: S::ZERO };
    /// (0, 0, 1).
    pub const Z: Self = Vec3 { x: S::ZERO, y: S::ZERO, z: S::ONE };

    /// (x, y, z).
    #[inline(always)]
    pub const fn new(x: S, y: S, z: S) -> Self {
        Vec3 { x, y, z }
    }

    /// A constant vector.
    #[inline(always)]
    pub fn from_f64(v: [f64; 3]) -> Self {
        Vec3::new(S::from_f64(v[0]), S::from_f64(v[1]), S::from_f64(v[2]))
    }

    /// The first three numbers of a slice.
    #[inline(always)]
    pub fn from_slice(v: &[S]) -> Self {
        Vec3::new(v[0], v[1], v[2])
    }

    /// The components in order.
    #[inline(always)]
    pub fn to_array(self) -> [S; 3] {
        [self.x, self.y, self.z]
    }

    /// Applies `f` to each component.
    #[inline(always)]
    pub fn map<T>(self, f: impl Fn(S) -> T) -> Vec3<T> {
        Vec3 { x: f(self.x), y: f(self.y), z: f(self.z) }
    }

    /// `self · o`.
    #[inline(always)]
    pub fn dot(self, o: Self) -> S {
        self.x.mul_add(o.x, self.y.mul_add(o.y, self.z * o.z))
    }

    /// `self × o`.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Vec3 {
            x: self.y.mul_add(o.z, -(self.z * o.y)),
            y: self.z.mul_add(o.x, -(self.x * o.z)),
            z: self.x.mul_add(o.y, -(self.y * o.x)),
        }
    }

    /// `self × o + c`.
    #[inline(always)]
    pub fn cross_add(self, o: Self, c: Self) -> Self {
        Vec3 {
            x: self.y.mul_add(o.z, self.z.neg_mul_add(o.y, c.x)),
            y: self.z.mul_add(o.x, self.x.neg_mul_add(o.z, c.y)),
            z: self.x.mul_add(o.y, self.y.neg_mul_add(o.x, c.z)),
        }
    }

    /// `self * s + c`.
    #[inline(always)]
    pub fn scale_add(self, s: S, c: Self) -> Self {
        Vec3 { x: self.x.mul_add(s, c.x), y: self.y.mul_add(s, c.y), z: self.z.mul_add(s, c.z) }
    }

    /// `c - self * s`.
    #[inline(always)]
    pub fn neg_scale_add(self, s: S, c: Self) -> Self {
        Vec3 {
            x: self.x.neg_mul_add(s, c.x),
            y: self.y.neg_mul_add(s, c.y),
            z: self.z.neg_mul_add(s, c.z),
        }
    }

    /// Squared length.
    #[inline(always)]
    pub fn norm_squared(self) -> S {
        self.dot(self)
    }

    /// Length; its derivative at zero length is zero.
    #[inline(always)]
    pub fn norm(self) -> S {
        self.norm_squared().sqrt()
    }

    /// The unit vector along `self`, or `fallback` (with zero derivative) at zero length.
    #[inline(always)]
    pub fn normalized_or(self, fallback: Self) -> Self {
        let norm_sq = self.norm_squared();
        let tiny: S = smallest_norm_squared();
        // NaN takes the regular branch, so that it stays visible.
        let scale = norm_sq.select_le(tiny, S::ONE, norm_sq).sqrt().recip();
        let unit = self * scale;
        Vec3 {
            x: norm_sq.select_le(tiny, fallback.x, unit.x),
            y: norm_sq.select_le(tiny, fallback.y, unit.y),
            z: norm_sq.select_le(tiny, fallback.z, unit.z),
        }
    }

    /// True if every component [is zero](Scalar::is_zero), in every lane and with all derivatives.
    #[inline(always)]
    pub fn is_zero(self) -> bool {
        self.x.is_zero() && self.y.is_zero() && self.z.is_zero()
    }

    /// True if every component is finite.
    #[inline(always)]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

/// Below this squared length a direction is only noise: the square of its reciprocal must not overflow.
#[inline(always)]
pub(crate) fn smallest_norm_squared<S: Scalar>() -> S {
    S::from_f64(if S::EPSILON > 1e-10 { 1e-24 } else { 1e-100 })
}

impl<S: Scalar> Add for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Vec3::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<S: Scalar> Sub for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Vec3::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<S: Scalar> Neg for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Vec3::new(-self.x, -self.y, -self.z)
    }
}

impl<S: Scalar> Mul<S> for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: S) -> Self {
        Vec3::new(self.x * s, self.y * s, self.z * s)
    }
}

impl<S: Scalar> AddAssign for Vec3<S> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<S: Scalar> SubAssign for Vec3<S> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<S> Index<usize> for Vec3<S> {
    type Output = S;
    #[inline(always)]
    fn index(&self, i: usize) -> &S {
        match i {
            0 => &self.x,
            1 => &self.y,
            2 => &self.z,
            _ => panic!("a Vec3 has components 0 to 2"),
        }
    }
}

impl<S> IndexMut<usize> for Vec3<S> {
    #[inline(always)]
    fn index_mut(&mut self, i: usize) -> &mut S {
        match i {
            0 => &mut self.x,
            1 => &mut self.y,
            2 => &mut self.z,
            _ => panic!("a Vec3 has components 0 to 2"),
        }
    }
}

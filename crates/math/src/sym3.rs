//! Symmetric 3×3 matrices: six numbers instead of nine.

use core::ops::{Add, AddAssign, Mul, Sub};

use crate::{Mat3, Scalar, Vec3};

/// A symmetric matrix, such as a rotational inertia.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sym3<S> {
    /// Entry (0, 0).
    pub xx: S,
    /// Entry (1, 1).
    pub yy: S,
    /// Entry (2, 2).
    pub zz: S,
    /// Entries (0, 1) and (1, 0).
    pub xy: S,
    /// Entries (0, 2) and (2, 0).
    pub xz: S,
    /// Entries (1, 2) and (2, 1).
    pub yz: S,
}

impl<S: Scalar> Sym3<S> {
    /// The zero matrix.
    pub const ZERO: Self = Self::diagonal(Vec3::ZERO);

    /// From the entries, diagonal first.
    #[inline(always)]
    pub const fn new(xx: S, yy: S, zz: S, xy: S, xz: S, yz: S) -> Self {
        Sym3 { xx, yy, zz, xy, xz, yz }
    }

    /// The diagonal matrix.
    #[inline(always)]
    pub const fn diagonal(d: Vec3<S>) -> Self {
        Sym3 { xx: d.x, yy: d.y, zz: d.z, xy: S::ZERO, xz: S::ZERO, yz: S::ZERO }
    }

    /// The symmetric part of a matrix.
    #[inline(always)]
    pub fn symmetric_part(m: Mat3<S>) -> Self {
        let half = S::from_f64(0.5);
        let mean = |i, j| (m.at(i, j) + m.at(j, i)) * half;
        Sym3::new(m.at(0, 0), m.at(1, 1), m.at(2, 2), mean(0, 1), mean(0, 2), mean(1, 2))
    }

    /// As a full matrix.
    #[inline(always)]
    pub fn to_mat3(self) -> Mat3<S> {
        Mat3::from_cols(
            Vec3::new(self.xx, self.xy, self.xz),
            Vec3::new(self.xy, self.yy, self.yz),
            Vec3::new(self.xz, self.yz, self.zz),
        )
    }

    /// `self * v + c`.
    #[inline(always)]
    pub fn mul_add(self, v: Vec3<S>, c: Vec3<S>) -> Vec3<S> {
        Vec3 {
            x: self.xx.mul_add(v.x, self.xy.mul_add(v.y, self.xz.mul_add(v.z, c.x))),
            y: self.xy.mul_add(v.x, self.yy.mul_add(v.y, self.yz.mul_add(v.z, c.y))),
            z: self.xz.mul_add(v.x, self.yz.mul_add(v.y, self.zz.mul_add(v.z, c.z))),
        }
    }

    /// `rot · self · rotᵀ`: the same matrix in another frame.
    #[inline(always)]
    pub fn rotated(self, rot: &Mat3<S>) -> Self {
        // With T = rot · self, entry (i, j) is row i of T times row j of rot.
        let [a, b, c] = rot.cols;
        let t0 = a.scale_add(self.xx, b.scale_add(self.xy, c * self.xz));
        let t1 = a.scale_add(self.xy, b.scale_add(self.yy, c * self.yz));
        let t2 = a.scale_add(self.xz, b.scale_add(self.yz, c * self.zz));
        let entry = |i: usize, j: usize| t0[i].mul_add(a[j], t1[i].mul_add(b[j], t2[i] * c[j]));
        Sym3::new(entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2))
    }

    /// `self + m (|r|² 1 − r rᵀ)`: the parallel-axis theorem.
    #[inline(always)]
    pub fn add_point_mass(self, m: S, r: Vec3<S>) -> Self {
        let mr = r * m;
        let (xx, yy, zz) = (mr.x * r.x, mr.y * r.y, mr.z * r.z);
        Sym3 {
            xx: self.xx + (yy + zz),
            yy: self.yy + (xx + zz),
            zz: self.zz + (xx + yy),
            xy: mr.x.neg_mul_add(r.y, self.xy),
            xz: mr.x.neg_mul_add(r.z, self.xz),
            yz: mr.y.neg_mul_add(r.z, self.yz),
        }
    }

    /// `self - a bᵀ`, where the caller knows the result to be symmetric.
    #[inline(always)]
    pub fn sub_outer(self, a: Vec3<S>, b: Vec3<S>) -> Self {
        Sym3 {
            xx: a.x.neg_mul_add(b.x, self.xx),
            yy: a.y.neg_mul_add(b.y, self.yy),
            zz: a.z.neg_mul_add(b.z, self.zz),
            xy: a.x.neg_mul_add(b.y, self.xy),
            xz: a.x.neg_mul_add(b.z, self.xz),
            yz: a.y.neg_mul_add(b.z, self.yz),
        }
    }

    /// Applies `f` to each entry.
    #[inline(always)]
    pub fn map(self, f: impl Fn(S) -> S) -> Self {
        Sym3::new(f(self.xx), f(self.yy), f(self.zz), f(self.xy), f(self.xz), f(self.yz))
    }

    /// The entries: xx, yy, zz, xy, xz, yz.
    #[inline(always)]
    pub fn to_array(self) -> [S; 6] {
        [self.xx, self.yy, self.zz, self.xy, self.xz, self.yz]
    }

    /// True if every entry is finite.
    pub fn is_finite(self) -> bool {
        self.to_array().iter().all(|x| x.is_finite())
    }
}

impl<S: Scalar> Mul<Vec3<S>> for Sym3<S> {
    type Output = Vec3<S>;
    #[inline(always)]
    fn mul(self, v: Vec3<S>) -> Vec3<S> {
        Vec3 {
            x: self.xx.mul_add(v.x, self.xy.mul_add(v.y, self.xz * v.z)),
            y: self.xy.mul_add(v.x, self.yy.mul_add(v.y, self.yz * v.z)),
            z: self.xz.mul_add(v.x, self.yz.mul_add(v.y, self.zz * v.z)),
        }
    }
}

impl<S: Scalar> Add for Sym3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Sym3 {
            xx: self.xx + o.xx,
            yy: self.yy + o.yy,
            zz: self.zz + o.zz,
            xy: self.xy + o.xy,
            xz: self.xz + o.xz,
            yz: self.yz + o.yz,
        }
    }
}

impl<S: Scalar> Sub for Sym3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Sym3 {
            xx: self.xx - o.xx,
            yy: self.yy - o.yy,
            zz: self.zz - o.zz,
            xy: self.xy - o.xy,
            xz: self.xz - o.xz,
            yz: self.yz - o.yz,
        }
    }
}

impl<S: Scalar> AddAssign for Sym3<S> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

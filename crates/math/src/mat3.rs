//! 3×3 matrices, stored as columns; rotations are matrices whose columns are an orthonormal frame.

use core::ops::{Add, Mul, Neg, Sub};

use crate::{Scalar, Vec3};

/// A 3×3 matrix by its columns. As a rotation `rot_ab`, column i is axis i of frame b seen in a.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mat3<S> {
    /// The columns.
    pub cols: [Vec3<S>; 3],
}

impl<S: Scalar> Mat3<S> {
    /// The zero matrix.
    pub const ZERO: Self = Mat3 { cols: [Vec3::ZERO; 3] };
    /// The identity.
    pub const IDENTITY: Self = Mat3 { cols: [Vec3::X, Vec3::Y, Vec3::Z] };

    /// The matrix with these columns.
    #[inline(always)]
    pub const fn from_cols(x: Vec3<S>, y: Vec3<S>, z: Vec3<S>) -> Self {
        Mat3 { cols: [x, y, z] }
    }

    /// The matrix with these rows.
    #[inline(always)]
    pub fn from_rows(r: [[S; 3]; 3]) -> Self {
        Mat3::from_cols(
            Vec3::new(r[0][0], r[1][0], r[2][0]),
            Vec3::new(r[0][1], r[1][1], r[2][1]),
            Vec3::new(r[0][2], r[1][2], r[2][2]),
        )
    }

    /// The rows, as arrays.
    #[inline(always)]
    pub fn to_rows(self) -> [[S; 3]; 3] {
        let [a, b, c] = self.cols;
        [[a.x, b.x, c.x], [a.y, b.y, c.y], [a.z, b.z, c.z]]
    }

    /// Entry of row `i` and column `j`.
    #[inline(always)]
    pub fn at(&self, i: usize, j: usize) -> S {
        self.cols[j][i]
    }

    /// The matrix of the cross product: `skew(a) * b = a × b`.
    #[inline(always)]
    pub fn skew(a: Vec3<S>) -> Self {
        Mat3::from_cols(
            Vec3::new(S::ZERO, a.z, -a.y),
            Vec3::new(-a.z, S::ZERO, a.x),
            Vec3::new(a.y, -a.x, S::ZERO),
        )
    }

    /// The transpose.
    #[inline(always)]
    pub fn transpose(self) -> Self {
        let [a, b, c] = self.cols;
        Mat3::from_rows([a.to_array(), b.to_array(), c.to_array()])
    }

    /// `selfᵀ * v`.
    #[inline(always)]
    pub fn transpose_mul(&self, v: Vec3<S>) -> Vec3<S> {
        Vec3::new(self.cols[0].dot(v), self.cols[1].dot(v), self.cols[2].dot(v))
    }

    /// `self * v + c`.
    #[inline(always)]
    pub fn mul_add(&self, v: Vec3<S>, c: Vec3<S>) -> Vec3<S> {
        let [a, b, d] = self.cols;
        a.scale_add(v.x, b.scale_add(v.y, d.scale_add(v.z, c)))
    }

    /// Applies `f` to each column.
    #[inline(always)]
    pub fn map_cols(self, f: impl Fn(Vec3<S>) -> Vec3<S>) -> Self {
        // Written out: the arrays' own `map` does not always inline, see `Scalar::vectorised`.
        let [a, b, c] = self.cols;
        Mat3::from_cols(f(a), f(b), f(c))
    }

    /// Determinant.
    #[inline(always)]
    pub fn determinant(self) -> S {
        self.cols[0].dot(self.cols[1].cross(self.cols[2]))
    }

    /// `self · Rx(angle)`, given the angle's sine and cosine.
    #[inline(always)]
    pub fn rotate_x(self, (sin, cos): (S, S)) -> Self {
        let [x, y, z] = self.cols;
        Mat3::from_cols(x, y.scale_add(cos, z * sin), y.neg_scale_add(sin, z * cos))
    }

    /// `self · Ry(angle)`, given the angle's sine and cosine.
    #[inline(always)]
    pub fn rotate_y(self, (sin, cos): (S, S)) -> Self {
        let [x, y, z] = self.cols;
        Mat3::from_cols(z.neg_scale_add(sin, x * cos), y, z.scale_add(cos, x * sin))
    }

    /// `self · Rz(angle)`, given the angle's sine and cosine.
    #[inline(always)]
    pub fn rotate_z(self, (sin, cos): (S, S)) -> Self {
        let [x, y, z] = self.cols;
        Mat3::from_cols(x.scale_add(cos, y * sin), x.neg_scale_add(sin, y * cos), z)
    }

    /// The rotation by an angle about a unit axis, given the angle's sine and cosine.
    #[inline(always)]
    pub fn from_axis_sin_cos(axis: Vec3<S>, (sin, cos): (S, S)) -> Self {
        // R = cos·1 + sin·[a] + (1 − cos)·a aᵀ                                   [Rodrigues]
        let t = axis * (S::ONE - cos);
        let (xy, xz, yz) = (t.x * axis.y, t.x * axis.z, t.y * axis.z);
        Mat3::from_cols(
            Vec3::new(
                t.x.mul_add(axis.x, cos),
                axis.z.mul_add(sin, xy),
                axis.y.neg_mul_add(sin, xz),
            ),
            Vec3::new(
                axis.z.neg_mul_add(sin, xy),
                t.y.mul_add(axis.y, cos),
                axis.x.mul_add(sin, yz),
            ),
            Vec3::new(
                axis.y.mul_add(sin, xz),
                axis.x.neg_mul_add(sin, yz),
                t.z.mul_add(axis.z, cos),
            ),
        )
    }

    /// The rotation Rz(yaw) · Ry(pitch) · Rx(roll) (URDF's `rpy`).
    #[inline(never)]
    pub fn from_rpy(rpy: Vec3<S>) -> Self {
        S::in_registers(
            #[inline(always)]
            || {
                let turned = Mat3::IDENTITY.rotate_z(rpy.z.sin_cos());
                turned.rotate_y(rpy.y.sin_cos()).rotate_x(rpy.x.sin_cos())
            },
        )
    }

    /// Roll, pitch and yaw of a rotation. At pitch = ±90°, where roll and yaw turn about the same axis, the whole turn
    /// is yaw and the derivatives of roll are zero.
    #[inline(never)]
    pub fn to_rpy(self) -> Vec3<S> {
        S::in_registers(
            #[inline(always)]
            || {
                let [x, y, z] = self.cols;
                let cos_pitch = x.x.mul_add(x.x, x.y * x.y).sqrt();
                let pitch = (-x.z).atan2(cos_pitch);
                let gimbal = S::from_f64(8.0 * S::EPSILON);
                let pick = |regular: S, locked: S| cos_pitch.select_le(gimbal, locked, regular);
                let roll = pick(y.z, S::ZERO).atan2(pick(z.z, S::ONE));
                let yaw = pick(x.y, -y.x).atan2(pick(x.x, y.y));
                Vec3::new(roll, pitch, yaw)
            },
        )
    }
}

impl<S: Scalar> Mul<Vec3<S>> for Mat3<S> {
    type Output = Vec3<S>;
    #[inline(always)]
    fn mul(self, v: Vec3<S>) -> Vec3<S> {
        let [a, b, c] = self.cols;
        a.scale_add(v.x, b.scale_add(v.y, c * v.z))
    }
}

impl<S: Scalar> Mul for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let [a, b, c] = o.cols;
        Mat3::from_cols(self * a, self * b, self * c)
    }
}

impl<S: Scalar> Mul<S> for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: S) -> Self {
        let [a, b, c] = self.cols;
        Mat3::from_cols(a * s, b * s, c * s)
    }
}

impl<S: Scalar> Add for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.cols, o.cols);
        Mat3::from_cols(a + d, b + e, c + f)
    }
}

impl<S: Scalar> Sub for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.cols, o.cols);
        Mat3::from_cols(a - d, b - e, c - f)
    }
}

impl<S: Scalar> Neg for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let [a, b, c] = self.cols;
        Mat3::from_cols(-a, -b, -c)
    }
}

//! Unit quaternions, w first: orientations that can be integrated and normalised.

use core::ops::Mul;

use crate::vec3::smallest_norm_squared;
use crate::{Mat3, Scalar, Vec3};

/// A quaternion `w + x i + y j + z k`. As an orientation `quat_ab` it turns vectors of frame b into frame a, like its
/// rotation matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quat<S> {
    /// Real part.
    pub w: S,
    /// First imaginary part.
    pub x: S,
    /// Second imaginary part.
    pub y: S,
    /// Third imaginary part.
    pub z: S,
}

impl<S: Scalar> Quat<S> {
    /// No rotation.
    pub const IDENTITY: Self = Quat { w: S::ONE, x: S::ZERO, y: S::ZERO, z: S::ZERO };

    /// w + x i + y j + z k.
    #[inline(always)]
    pub const fn new(w: S, x: S, y: S, z: S) -> Self {
        Quat { w, x, y, z }
    }

    /// The first four numbers of a slice, w first.
    #[inline(always)]
    pub fn from_slice(q: &[S]) -> Self {
        Quat::new(q[0], q[1], q[2], q[3])
    }

    /// w, x, y, z.
    #[inline(always)]
    pub fn to_array(self) -> [S; 4] {
        [self.w, self.x, self.y, self.z]
    }

    /// The imaginary part.
    #[inline(always)]
    pub fn imaginary(self) -> Vec3<S> {
        Vec3::new(self.x, self.y, self.z)
    }

    /// The inverse rotation (of a unit quaternion).
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        Quat::new(self.w, -self.x, -self.y, -self.z)
    }

    /// Squared length.
    #[inline(always)]
    pub fn norm_squared(self) -> S {
        self.w.mul_add(self.w, self.imaginary().norm_squared())
    }

    /// Scaled to length one. A quaternion of length zero, which is not a rotation, gives the identity with zero
    /// derivatives.
    #[inline(always)]
    pub fn normalized(self) -> Self {
        let norm_sq = self.norm_squared();
        let tiny: S = smallest_norm_squared();
        // NaN takes the regular branch, so that it stays visible.
        let scale = norm_sq.select_le(tiny, S::ONE, norm_sq).sqrt().recip();
        let pick = |regular: S, identity: S| norm_sq.select_le(tiny, identity, regular * scale);
        Quat {
            w: pick(self.w, S::ONE),
            x: pick(self.x, S::ZERO),
            y: pick(self.y, S::ZERO),
            z: pick(self.z, S::ZERO),
        }
    }

    /// The rotation by the angle |v| about v: the exponential map.
    #[inline(always)]
    pub fn exp(v: Vec3<S>) -> Self {
        // exp(v) = (cos(θ/2), sin(θ/2)/θ · v) with θ = |v|. Near zero both are even power series in θ, so values and
        // derivatives are smooth in v; the unused branch computes with θ² = 1.
        let theta_sq = v.norm_squared();
        let small = S::from_f64(SMALL_ANGLE_SQUARED);
        let safe_sq = theta_sq.select_lt(small, S::ONE, theta_sq);
        let theta = safe_sq.sqrt();
        let (sin, cos) = (theta * S::from_f64(0.5)).sin_cos();
        // sin(θ/2)/θ = 1/2 − θ²/48 + θ⁴/3840 − θ⁶/645120,  cos(θ/2) = 1 − θ²/8 + θ⁴/384 − θ⁶/46080
        let s = series(theta_sq, [0.5, -1.0 / 48.0, 1.0 / 3840.0, -1.0 / 645_120.0]);
        let c = series(theta_sq, [1.0, -1.0 / 8.0, 1.0 / 384.0, -1.0 / 46_080.0]);
        let factor = theta_sq.select_lt(small, s, sin / theta);
        let w = theta_sq.select_lt(small, c, cos);
        Quat::new(w, v.x * factor, v.y * factor, v.z * factor)
    }

    /// The rotation vector of a unit quaternion: the inverse of [`Quat::exp`], of length at most π.
    #[inline(always)]
    pub fn log(self) -> Vec3<S> {
        // q and −q are the same rotation: take the one with w ≥ 0, whose angle is at most π.
        let sign = self.w.select_lt(S::ZERO, -S::ONE, S::ONE);
        let (w, v) = (self.w * sign, self.imaginary() * sign);
        let sin_sq = v.norm_squared();
        let small = S::from_f64(SMALL_ANGLE_SQUARED * 0.25);
        let sin = sin_sq.select_lt(small, S::ONE, sin_sq).sqrt();
        let safe_w = sin_sq.select_lt(small, S::ZERO, w);
        let large = sin.atan2(safe_w) * S::from_f64(2.0) / sin;
        // Near s = 0: 2 atan(t)/s with t = s/w, that is 2/w · (1 − t²/3 + t⁴/5 − t⁶/7).
        let inverse_w = w.max(S::from_f64(0.5)).recip();
        let t_sq = sin_sq * inverse_w * inverse_w;
        let near_zero = series(t_sq, [2.0, -2.0 / 3.0, 2.0 / 5.0, -2.0 / 7.0]) * inverse_w;
        v * sin_sq.select_lt(small, near_zero, large)
    }

    /// The rotation matrix of a unit quaternion.
    #[inline(always)]
    pub fn to_mat3(self) -> Mat3<S> {
        let Quat { w, x, y, z } = self;
        let two = S::from_f64(2.0);
        let (x2, y2, z2) = (x * two, y * two, z * two);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        let (xx, xy, xz) = (x * x2, x * y2, x * z2);
        let (yy, yz, zz) = (y * y2, y * z2, z * z2);
        Mat3::from_cols(
            Vec3::new(S::ONE - (yy + zz), xy + wz, xz - wy),
            Vec3::new(xy - wz, S::ONE - (xx + zz), yz + wx),
            Vec3::new(xz + wy, yz - wx, S::ONE - (xx + yy)),
        )
    }

    /// The unit quaternion of a rotation matrix, with w ≥ 0 up to rounding.
    #[inline(always)]
    pub fn from_mat3(r: &Mat3<S>) -> Self {
        // The largest of the four products 4w², 4x², 4y², 4z² (at least 1) is the pivot, so that neither the root nor
        // the divisions come near zero [Shepperd 1978].
        let (rxx, ryy, rzz) = (r.at(0, 0), r.at(1, 1), r.at(2, 2));
        let ww = S::ONE + rxx + ryy + rzz;
        let xx = S::ONE + rxx - ryy - rzz;
        let yy = S::ONE - rxx + ryy - rzz;
        let zz = S::ONE - rxx - ryy + rzz;
        let wx = r.at(2, 1) - r.at(1, 2);
        let wy = r.at(0, 2) - r.at(2, 0);
        let wz = r.at(1, 0) - r.at(0, 1);
        let xy = r.at(0, 1) + r.at(1, 0);
        let xz = r.at(0, 2) + r.at(2, 0);
        let yz = r.at(1, 2) + r.at(2, 1);
        let largest = ww.max(xx).max(yy).max(zz);
        let pick = |by_w: S, by_x: S, by_y: S, by_z: S| {
            let rest = largest.select_le(yy, by_y, by_z);
            let rest = largest.select_le(xx, by_x, rest);
            largest.select_le(ww, by_w, rest)
        };
        let scale = S::from_f64(0.5) / largest.max(S::from_f64(0.5)).sqrt();
        let q = Quat {
            w: pick(ww, wx, wy, wz) * scale,
            x: pick(wx, xx, xy, xz) * scale,
            y: pick(wy, xy, yy, yz) * scale,
            z: pick(wz, xz, yz, zz) * scale,
        };
        let sign = q.w.select_lt(S::ZERO, -S::ONE, S::ONE);
        Quat { w: q.w * sign, x: q.x * sign, y: q.y * sign, z: q.z * sign }
    }

    /// `self` turned by the rotation vector `v` given in the body's own axes, renormalised.
    #[inline(always)]
    pub fn integrate(self, v: Vec3<S>) -> Self {
        (self * Quat::exp(v)).normalized()
    }
}

/// Below this squared angle the power series are exact to rounding: θ⁸ terms are under 1e-21.
const SMALL_ANGLE_SQUARED: f64 = 1e-4;

/// c0 + c1 x + c2 x² + c3 x³.
#[inline(always)]
fn series<S: Scalar>(x: S, [c0, c1, c2, c3]: [f64; 4]) -> S {
    let upper = x.mul_add(S::from_f64(c3), S::from_f64(c2));
    x.mul_add(x.mul_add(upper, S::from_f64(c1)), S::from_f64(c0))
}

impl<S: Scalar> Mul for Quat<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let (a, b) = (self.imaginary(), o.imaginary());
        let v = a.cross_add(b, a.scale_add(o.w, b * self.w));
        Quat::new(self.w.mul_add(o.w, -a.dot(b)), v.x, v.y, v.z)
    }
}

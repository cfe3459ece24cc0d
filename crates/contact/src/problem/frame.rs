//! The frame of a contact: its normal and two tangents.

use gradbody_math::{Mat3, Scalar, Vec3};

/// The normal and two tangents, as columns [Duff et al. 2017, "Building an orthonormal basis,
/// revisited"].
#[inline(always)]
pub fn contact_frame<S: Scalar>(normal: Vec3<S>) -> Mat3<S> {
    let Vec3 { x, y, z } = normal;
    let sign = z.select_lt(S::ZERO, -S::ONE, S::ONE);
    let a = -(sign + z).recip();
    let b = x * y * a;
    let s = Vec3::new((sign * x * x).mul_add(a, S::ONE), sign * b, -(sign * x));
    let t = Vec3::new(b, (y * y).mul_add(a, sign), -y);
    Mat3 { cols: [normal, s, t] }
}

/// The adjoint of [`contact_frame`]: the cotangent of the normal from that of the frame.
#[inline(always)]
pub fn contact_frame_vjp<S: Scalar>(normal: Vec3<S>, frame_bar: &Mat3<S>) -> Vec3<S> {
    let Vec3 { x, y, z } = normal;
    let [n_bar, s_bar, t_bar] = frame_bar.cols;
    let sign = z.select_lt(S::ZERO, -S::ONE, S::ONE);
    let a = -(sign + z).recip();
    let b_bar = sign.mul_add(s_bar.y, t_bar.x);
    let (sxx_bar, tyy_bar) = (sign * s_bar.x, t_bar.y);
    let a_bar = x * x.mul_add(sxx_bar, y * b_bar) + y * y * tyy_bar;
    let two_a = a + a;
    Vec3::new(
        n_bar.x + two_a * x * sxx_bar + a * y * b_bar - sign * s_bar.z,
        n_bar.y + two_a * y * tyy_bar + a * x * b_bar - t_bar.z,
        a_bar.mul_add(a * a, n_bar.z),
    )
}

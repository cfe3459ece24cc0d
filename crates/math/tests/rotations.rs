//! Quaternions, rotation vectors and roll-pitch-yaw: group laws, round trips, and derivatives that
//! stay right (or at least finite) at the places where charts end.

mod support;

use gradbody_math::{Dual, Lanes, Mat3, Quat, Scalar, Vec3};
use proptest::prelude::*;
use support::{Sample, assert_close, assert_finite, check, on_every_scalar, quat, vec3};

fn tolerance<S: Scalar>() -> f64 {
    1000.0 * S::EPSILON
}

on_every_scalar! {
    quaternions_form_a_group: 12;
    quaternions_act_like_their_matrices: 11;
    matrices_give_their_quaternions_back: 4;
    exponentials_turn_about_their_axis: 4;
    logarithms_undo_exponentials: 3;
    exponentials_undo_logarithms: 4;
    small_turns: 3;
    integrating: 7;
    rpy_round_trip: 3;
}

/// q or −q, whichever has the sign of `like`: both are the same rotation.
fn with_sign_of<S: Scalar>(q: Quat<S>, like: Quat<S>) -> Quat<S> {
    let [a, b] = [q.to_array(), like.to_array()];
    let dot: S = (0..4).map(|i| a[i] * b[i]).sum();
    let sign = dot.select_lt(S::ZERO, -S::ONE, S::ONE);
    Quat::new(q.w * sign, q.x * sign, q.y * sign, q.z * sign)
}

mod laws {
    use super::*;

    pub(crate) fn quaternions_form_a_group<S: Sample>(x: &[f64]) {
        let (a, b, c) = (quat::<S>(x), quat::<S>(&x[4..]), quat::<S>(&x[8..]));
        let close = |l, r| assert_close::<Quat<S>>(l, r, tolerance::<S>());
        close((a * b) * c, a * (b * c));
        close(a * Quat::IDENTITY, a);
        close(Quat::IDENTITY * a, a);
        close(a * a.conjugate(), Quat::IDENTITY);
        close(a.conjugate() * a, Quat::IDENTITY);
        close((a * b).conjugate(), b.conjugate() * a.conjugate());
        close(a.normalized(), a);
        close(Quat::from_slice(&a.to_array()), a);
        assert_close((a * b).norm_squared(), S::ONE, tolerance::<S>());
    }

    pub(crate) fn quaternions_act_like_their_matrices<S: Sample>(x: &[f64]) {
        let (a, b, v) = (quat::<S>(x), quat::<S>(&x[4..]), vec3::<S>(&x[8..]));
        let (ra, rb) = (a.to_mat3(), b.to_mat3());
        assert_close((a * b).to_mat3(), ra * rb, tolerance::<S>());
        assert_close(a.conjugate().to_mat3(), ra.transpose(), tolerance::<S>());
        assert_close(ra * ra.transpose(), Mat3::IDENTITY, tolerance::<S>());
        assert_close(ra.determinant(), S::ONE, tolerance::<S>());
        // q v q*
        let turned = a * Quat::new(S::ZERO, v.x, v.y, v.z) * a.conjugate();
        assert_close(turned.imaginary(), ra * v, tolerance::<S>());
    }

    pub(crate) fn matrices_give_their_quaternions_back<S: Sample>(x: &[f64]) {
        // Each of the four as the largest, of both signs.
        for largest in 0..4 {
            for sign in [3.0, -3.0] {
                let mut x = [x[0], x[1], x[2], x[3]];
                x[largest] = sign;
                let q = quat::<S>(&x);
                let back = Quat::from_mat3(&q.to_mat3());
                assert_close(with_sign_of(back, q), q, tolerance::<S>());
                assert!((0..S::LANES).all(|i| back.w.lane(i) >= -tolerance::<S>()));
            }
        }
    }

    pub(crate) fn exponentials_turn_about_their_axis<S: Sample>(x: &[f64]) {
        let axis = vec3::<S>(&[x[0], x[1], x[2] + x[2].signum() * 0.3]).normalized_or(Vec3::X);
        let angle = S::sample(3.0 * x[3]);
        let rot = Quat::exp(axis * angle).to_mat3();
        assert_close(rot, Mat3::from_axis_sin_cos(axis, angle.sin_cos()), tolerance::<S>());
    }

    pub(crate) fn logarithms_undo_exponentials<S: Sample>(x: &[f64]) {
        // |v| below π, also close to it: 2 · 1.15 · 1.15 (the lanes' spread) · 1.1 < π.
        let v = vec3::<S>(x);
        let unit = vec3::<S>(&[x[0], x[1], 0.4]).normalized_or(Vec3::X);
        for v in [v * S::from_f64(0.75), unit * S::from_f64(2.5), unit * S::from_f64(1e-3)] {
            assert_close(Quat::exp(v).log(), v, 10.0 * tolerance::<S>());
        }
    }

    pub(crate) fn exponentials_undo_logarithms<S: Sample>(x: &[f64]) {
        let q = quat::<S>(x);
        assert_close(with_sign_of(Quat::exp(q.log()), q), q, 10.0 * tolerance::<S>());
        let length = q.log().norm();
        assert!((0..S::LANES).all(|i| length.lane(i) <= std::f64::consts::PI + 1e-6));
    }

    pub(crate) fn small_turns<S: Sample>(x: &[f64]) {
        // From nothing to beyond where the series hand over to the functions (|v| = 0.01).
        for size in [0.0, 1e-30, 1e-18, 1e-9, 1e-4, 3e-3, 9.99e-3, 1.001e-2, 3e-2] {
            let v = vec3::<S>(x) * S::from_f64(size);
            let q = Quat::exp(v);
            assert_finite(q);
            assert_close(q.norm_squared(), S::ONE, tolerance::<S>());
            assert_close(q.log(), v, tolerance::<S>());
            // To second order: 1 + v/2 − |v|²/8.
            let half = v * S::from_f64(0.5);
            let error = S::from_f64((4.0 * size).powi(3) + 1e-30);
            assert!(
                (0..S::LANES).all(|i| {
                    (q.imaginary() - half).norm().lane(i) <= error.lane(i) + S::EPSILON
                })
            );
        }
    }

    pub(crate) fn integrating<S: Sample>(x: &[f64]) {
        let (q, v) = (quat::<S>(x), vec3::<S>(&x[4..]));
        let half = v * S::from_f64(0.5);
        assert_close(q.integrate(half).integrate(half), q.integrate(v), tolerance::<S>());
        assert_close(q.integrate(v).integrate(-v), q, tolerance::<S>());
        assert_close(q.integrate(Vec3::ZERO), q, tolerance::<S>());
        assert_close(q.integrate(v).norm_squared(), S::ONE, tolerance::<S>());
        // In the body's own axes: a vector along v does not turn.
        assert_close(q.integrate(v).to_mat3() * v, q.to_mat3() * v, tolerance::<S>());
    }

    pub(crate) fn rpy_round_trip<S: Sample>(x: &[f64]) {
        // Roll and yaw within ±π, pitch within ±90°, with room for the lanes' spread.
        let rpy = vec3::<S>(&[1.3 * x[0], 0.6 * x[1], 1.3 * x[2]]);
        let rot = Mat3::from_rpy(rpy);
        assert_close(rot.to_rpy(), rpy, 100.0 * tolerance::<S>());
        let about = |axis, angle: S| Mat3::from_axis_sin_cos(axis, angle.sin_cos());
        let expected = about(Vec3::Z, rpy.z) * about(Vec3::Y, rpy.y) * about(Vec3::X, rpy.x);
        assert_close(rot, expected, tolerance::<S>());
    }
}

/// A direction with its three angles to the axes, never short.
fn directions() -> impl Strategy<Value = Vec3<f64>> {
    (-1.0..1.0_f64, -1.0..1.0_f64, 0.2..1.0_f64)
        .prop_map(|(x, y, z)| Vec3::new(x, y, z).normalized_or(Vec3::X))
}

#[test]
fn turns_of_nearly_half_a_circle() {
    let pi = std::f64::consts::PI;
    check(100, (directions(), 1e-12..1e-2_f64), |(axis, gap)| {
        for angle in [pi - gap, pi - gap * 1e-3, pi] {
            let moving = |i| Dual::<f64, 3>::variable(axis[i] * angle, i);
            let v = Vec3::new(moving(0), moving(1), moving(2));
            let q = Quat::exp(v);
            let back = q.log();
            assert_finite(back);
            // Beyond π (by rounding) the logarithm is the opposite vector.
            let sign = if back.dot(v).re < 0.0 { -1.0 } else { 1.0 };
            for i in 0..3 {
                assert!((back[i].re * sign - v[i].re).abs() <= 1e-14 * pi);
            }
            if sign > 0.0 {
                assert_close(back, v, 1e-13); // the derivative of a round trip is the identity
            }
            // The quaternion of the matrix, whose w is nearly zero.
            let from_matrix = with_sign_of(Quat::from_mat3(&q.to_mat3()), q);
            assert_close(from_matrix, q, 1e-13);
        }
    });
}

#[test]
fn derivatives_of_the_exponential_at_zero() {
    let moving = |i| Dual::<Dual<f64, 3>, 3>::variable(Dual::variable(0.0, i), i);
    let v = Vec3::new(moving(0), moving(1), moving(2));
    let q = Quat::exp(v);
    // d exp = v/2, d² w = −1/4 of the identity.
    for i in 0..3 {
        assert_eq!(q.w.eps[i].re, 0.0);
        for k in 0..3 {
            assert_eq!(q.imaginary()[i].eps[k].re, if i == k { 0.5 } else { 0.0 });
            assert_eq!(q.w.eps[i].eps[k], if i == k { -0.25 } else { 0.0 });
        }
    }
    assert_close(q.log(), v, 0.0);
}

#[test]
fn half_turns_about_the_axes() {
    // The four pivots at their purest: all others are exactly zero.
    let cases = [
        Quat::new(1.0, 0.0, 0.0, 0.0),
        Quat::new(0.0, 1.0, 0.0, 0.0),
        Quat::new(0.0, 0.0, 1.0, 0.0),
        Quat::new(0.0, 0.0, 0.0, 1.0),
    ];
    for q in cases {
        let back = Quat::from_mat3(&q.to_mat3());
        assert_eq!(back, q);
        // Derivatives: of each entry of the matrix.
        for entry in 0..9 {
            let mut rows = q.to_mat3().to_rows().map(|row| row.map(Dual::<f64, 1>::constant));
            rows[entry / 3][entry % 3].eps = [1.0];
            assert_finite(Quat::from_mat3(&Mat3::from_rows(rows)));
        }
    }
}

/// At pitch = ±90° roll and yaw turn about one axis.
fn gimbal_lock<S: Sample>(roll: f64, yaw: f64) {
    for sign in [1.0, -1.0] {
        let at = |x: f64, i| Dual::<S, 3>::variable(S::from_f64(x), i);
        let pitch = sign * std::f64::consts::FRAC_PI_2;
        let exact = Vec3::new(at(roll, 0), at(pitch, 1), at(yaw, 2));
        let rot = Mat3::from_rpy(exact);
        // And with cos(pitch) exactly zero.
        let (s, z, o) = (at(sign, 1), Dual::<S, 3>::ZERO, Dual::<S, 3>::ONE);
        let pure = Mat3::from_rows([[z, z, s], [z, o, z], [-s, z, z]]);
        for rot in [rot, pure] {
            let rpy = rot.to_rpy();
            assert_finite(rpy);
            for lane in 0..S::LANES {
                assert_eq!(rpy.x.re.lane(lane), 0.0);
                assert!((rpy.y.re.lane(lane) - pitch).abs() <= 1e-6);
            }
            assert!(rpy.x.eps.iter().all(|slope| *slope == S::ZERO));
            // The angles say the same rotation.
            let values =
                |m: Mat3<Dual<S, 3>>| Mat3::from_rows(m.to_rows().map(|r| r.map(|e| e.re)));
            assert_close(values(Mat3::from_rpy(rpy)), values(rot), tolerance::<S>());
        }
    }
}

#[test]
fn rpy_at_gimbal_lock() {
    check(40, (-3.0..3.0_f64, -3.0..3.0_f64), |(roll, yaw)| {
        gimbal_lock::<f64>(roll, yaw);
        gimbal_lock::<f32>(roll, yaw);
        gimbal_lock::<Lanes<f64, 8>>(roll, yaw);
    });
}

#[test]
fn rpy_close_to_gimbal_lock() {
    check(100, (-3.0..3.0_f64, -3.0..3.0_f64, -15.0..-1.0_f64), |(roll, yaw, size)| {
        for sign in [1.0, -1.0] {
            let pitch = sign * (std::f64::consts::FRAC_PI_2 - 10_f64.powf(size));
            let moving = |x, i| Dual::<f64, 3>::variable(x, i);
            let rot = Mat3::from_rpy(Vec3::new(moving(roll, 0), moving(pitch, 1), moving(yaw, 2)));
            let rpy = rot.to_rpy();
            assert_finite(rpy);
            let values =
                |m: Mat3<Dual<f64, 3>>| Mat3::from_rows(m.to_rows().map(|r| r.map(|e| e.re)));
            assert_close(values(Mat3::from_rpy(rpy)), values(rot), 1e-14);
        }
    });
}

#[test]
fn default_quaternion_is_nothing_and_normalises_to_the_identity() {
    assert_eq!(Quat::<f64>::default().normalized(), Quat::IDENTITY);
}

#[test]
fn what_is_not_a_number_stays_visible() {
    let q = Quat::new(f64::NAN, 0.0, 0.0, 1.0);
    assert!(q.normalized().to_array().iter().all(|x| x.is_nan()));
    assert!(q.log().to_array().iter().any(|x| x.is_nan()));
    let v = Vec3::new(0.0, f64::NAN, 0.0);
    assert!(v.normalized_or(Vec3::X).to_array().iter().all(|x| x.is_nan()));
    assert!(Quat::exp(v).to_array().iter().all(|x| x.is_nan()));
    assert!(Mat3::from_rpy(v).to_rpy().to_array().iter().any(|x| x.is_nan()));
}

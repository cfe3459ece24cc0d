//! Rigid transforms: group laws, action on points, motions and forces, against 6×6 matrices.

mod support;

use gradbody_math::{Mat3, Scalar, Transform, Vec3};
use support::{Sample, assert_close, dense, force, motion, on_every_scalar, pose, quat, vec3};

fn tolerance<S: Scalar>() -> f64 {
    1000.0 * S::EPSILON
}

on_every_scalar! {
    poses_form_a_group: 21;
    points_and_vectors: 20;
    motions_and_forces: 26;
    power_is_the_same_in_every_frame: 19;
    building_from_parts: 7;
}

mod laws {
    use super::*;

    pub(crate) fn poses_form_a_group<S: Sample>(x: &[f64]) {
        let (a, b, c) = (pose::<S>(x), pose::<S>(&x[7..]), pose::<S>(&x[14..]));
        let close = |l, r| assert_close::<Transform<S>>(l, r, tolerance::<S>());
        close((a * b) * c, a * (b * c));
        close(a * Transform::IDENTITY, a);
        close(Transform::IDENTITY * a, a);
        close(a * a.inverse(), Transform::IDENTITY);
        close(a.inverse() * a, Transform::IDENTITY);
        close((a * b).inverse(), b.inverse() * a.inverse());
    }

    pub(crate) fn points_and_vectors<S: Sample>(x: &[f64]) {
        let (ab, bc) = (pose::<S>(x), pose::<S>(&x[7..]));
        let (p, q) = (vec3::<S>(&x[14..]), vec3::<S>(&x[17..]));
        let close = |l, r| assert_close::<Vec3<S>>(l, r, tolerance::<S>());
        close((ab * bc).point(p), ab.point(bc.point(p)));
        close((ab * bc).vector(p), ab.vector(bc.vector(p)));
        close(ab.point(p) - ab.point(q), ab.vector(p - q));
        close(ab.point(Vec3::ZERO), ab.pos);
        close(ab.inverse().point(ab.point(p)), p);
        assert_close(ab.vector(p).dot(ab.vector(q)), p.dot(q), tolerance::<S>());
    }

    pub(crate) fn motions_and_forces<S: Sample>(x: &[f64]) {
        let (ab, bc) = (pose::<S>(x), pose::<S>(&x[7..]));
        let (m, f) = (motion::<S>(&x[14..]), force::<S>(&x[20..]));
        let matrix = dense::motion_transform(&ab);
        let expected = dense::to_motion(dense::times(&matrix, dense::from_motion(m)));
        assert_close(ab.motion(m), expected, tolerance::<S>());
        let matrix = dense::force_transform(&ab);
        let expected = dense::to_force(dense::times(&matrix, dense::from_force(f)));
        assert_close(ab.force(f), expected, tolerance::<S>());
        assert_close((ab * bc).motion(m), ab.motion(bc.motion(m)), tolerance::<S>());
        assert_close((ab * bc).force(f), ab.force(bc.force(f)), tolerance::<S>());
        assert_close(ab.inverse().motion(ab.motion(m)), m, tolerance::<S>());
        assert_close(ab.inverse().force(ab.force(f)), f, tolerance::<S>());
    }

    pub(crate) fn power_is_the_same_in_every_frame<S: Sample>(x: &[f64]) {
        let ab = pose::<S>(x);
        let (m, f) = (motion::<S>(&x[7..]), force::<S>(&x[13..]));
        assert_close(ab.motion(m).dot(ab.force(f)), m.dot(f), tolerance::<S>());
        assert_close(f.dot(m), m.dot(f), tolerance::<S>());
    }

    pub(crate) fn building_from_parts<S: Sample>(x: &[f64]) {
        let (q, p) = (quat::<S>(x), vec3::<S>(&x[4..]));
        let built = Transform::from_quat(q, p);
        assert_close(built, Transform::new(q.to_mat3(), p), tolerance::<S>());
        let turn = Transform::new(q.to_mat3(), Vec3::ZERO);
        assert_close(Transform::from_translation(p) * turn, built, tolerance::<S>());
        assert_close(Transform::<S>::default(), Transform::IDENTITY, 0.0);
        assert_close(Transform::<S>::from_translation(p).rot, Mat3::IDENTITY, 0.0);
    }
}

//! Spatial algebra against 6×6 matrices written out, and its laws.

mod support;

use gradbody_math::{
    ArticulatedInertia, Force, Inertia, Mat3, Motion, Scalar, Sym3, Transform, Vec3,
};
use support::{
    Sample, articulated, assert_close, dense, force, inertia, motion, on_every_scalar, quat, vec3,
};

fn tolerance<S: Scalar>() -> f64 {
    1000.0 * S::EPSILON
}

on_every_scalar! {
    vectors_add_and_scale: 13;
    cross_products_are_dual: 24;
    cross_products_are_derivatives: 19;
    moving_the_reference_point: 15;
    momentum: 16;
    kinetic_energy_is_positive_and_frame_free: 20;
    combining_bodies: 26;
    rotating_a_body: 20;
    articulated_force: 26;
    articulated_shift: 29;
    articulated_release: 26;
    articulated_sum: 26;
}

mod laws {
    use super::*;

    pub(crate) fn vectors_add_and_scale<S: Sample>(x: &[f64]) {
        let (a, b, s) = (motion::<S>(x), motion::<S>(&x[6..]), S::sample(x[12]));
        let mut sum = a;
        sum += b * s;
        sum -= a;
        assert_close(sum, b * s, tolerance::<S>());
        assert_close(-a + a, Motion::ZERO, 0.0);
        assert_close(a - b, a + -b, 0.0);
        let (f, g) = (force::<S>(x), force::<S>(&x[6..]));
        let mut sum = f;
        sum += g * s;
        sum -= f;
        assert_close(sum, g * s, tolerance::<S>());
        assert_close(-f + f, Force::ZERO, 0.0);
        assert_close(f - g, f + -g, 0.0);
        assert!(a.is_finite() && f.is_finite());
    }

    pub(crate) fn cross_products_are_dual<S: Sample>(x: &[f64]) {
        let (v, m, n) = (motion::<S>(x), motion::<S>(&x[6..]), motion::<S>(&x[12..]));
        let f = force::<S>(&x[18..]);
        // ⟨v × m, f⟩ = −⟨m, v ×* f⟩
        assert_close(v.cross_motion(m).dot(f), -m.dot(v.cross_force(f)), tolerance::<S>());
        assert_close(v.cross_motion(m), -m.cross_motion(v), tolerance::<S>());
        assert_close(v.cross_motion(v), Motion::ZERO, tolerance::<S>());
        // Jacobi: v × (m × n) + m × (n × v) + n × (v × m) = 0
        let cycle = v.cross_motion(m.cross_motion(n))
            + m.cross_motion(n.cross_motion(v))
            + n.cross_motion(v.cross_motion(m));
        assert_close(cycle, Motion::ZERO, 10.0 * tolerance::<S>());
        // Written out [Featherstone 2008, (2.31) and (2.32)].
        let (w, o) = (Mat3::skew(v.ang), Mat3::skew(v.lin));
        let on_motions = dense::blocks(w, Mat3::ZERO, o, w);
        let expected = dense::to_motion(dense::times(&on_motions, dense::from_motion(m)));
        assert_close(v.cross_motion(m), expected, tolerance::<S>());
        let on_forces = dense::blocks(w, o, Mat3::ZERO, w);
        let expected = dense::to_force(dense::times(&on_forces, dense::from_force(f)));
        assert_close(v.cross_force(f), expected, tolerance::<S>());
    }

    pub(crate) fn cross_products_are_derivatives<S: Sample>(x: &[f64]) {
        // They commute with a change of frame.
        let pose = support::pose::<S>(x);
        let (v, m) = (motion::<S>(&x[7..]), motion::<S>(&x[13..]));
        let f = force::<S>(&x[13..]);
        let (moved, turned) = (pose.motion(v.cross_motion(m)), pose.motion(v));
        assert_close(moved, turned.cross_motion(pose.motion(m)), 10.0 * tolerance::<S>());
        let moved = pose.force(v.cross_force(f));
        assert_close(moved, turned.cross_force(pose.force(f)), 10.0 * tolerance::<S>());
    }

    pub(crate) fn moving_the_reference_point<S: Sample>(x: &[f64]) {
        let (m, f, r) = (motion::<S>(x), force::<S>(&x[6..]), vec3::<S>(&x[12..]));
        // As a transform between parallel frames.
        let shift = Transform::from_translation(r);
        assert_close(shift.motion(m.at(r)), m, tolerance::<S>());
        assert_close(shift.force(f), f.acting_at(r), tolerance::<S>());
        // The power of a force at a point.
        assert_close(m.dot(f.acting_at(r)), m.at(r).dot(f), tolerance::<S>());
        assert_close(m.at(r).at(-r), m, tolerance::<S>());
    }

    pub(crate) fn momentum<S: Sample>(x: &[f64]) {
        let (i, m) = (inertia::<S>(x), motion::<S>(&x[10..]));
        let matrix = dense::inertia(&i);
        let expected = dense::to_force(dense::times(&matrix, dense::from_motion(m)));
        assert_close(i.momentum(m), expected, tolerance::<S>());
        let about_reference =
            dense::blocks(i.about_reference().to_mat3(), Mat3::ZERO, Mat3::ZERO, Mat3::ZERO);
        for row in 0..3 {
            for col in 0..3 {
                assert_close(about_reference[row][col], matrix[row][col], tolerance::<S>());
            }
        }
        assert_close(Inertia::<S>::ZERO.momentum(m), Force::ZERO, 0.0);
    }

    pub(crate) fn kinetic_energy_is_positive_and_frame_free<S: Sample>(x: &[f64]) {
        let (i, m) = (inertia::<S>(x), motion::<S>(&x[10..]));
        let rot = quat::<S>(&x[16..]).to_mat3();
        let energy = m.dot(i.momentum(m));
        assert!((0..S::LANES).all(|lane| energy.lane(lane) >= 0.0));
        let turn = Transform::new(rot, Vec3::ZERO);
        let turned = turn.motion(m);
        assert_close(turned.dot(i.rotated(&rot).momentum(turned)), energy, tolerance::<S>());
    }

    pub(crate) fn combining_bodies<S: Sample>(x: &[f64]) {
        let (a, b) = (inertia::<S>(x), inertia::<S>(&x[10..]));
        let m = motion::<S>(&x[20..]);
        let both = a.combined(&b);
        assert_close(both.momentum(m), a.momentum(m) + b.momentum(m), tolerance::<S>());
        assert_close(b.combined(&a), both, tolerance::<S>());
        assert_close(a.combined(&Inertia::ZERO), a, tolerance::<S>());
        assert_close(Inertia::ZERO.combined(&a), a, tolerance::<S>());
        // Bodies without mass but with rotational inertia, as rotors are modelled.
        let massless = |i: Inertia<S>| Inertia { mass: S::ZERO, ..i };
        let sum = massless(a).combined(&massless(b));
        assert_close(sum.com, a.com, tolerance::<S>());
        assert_close(sum.rotational, a.rotational + b.rotational, tolerance::<S>());
        assert_close(Inertia::<S>::ZERO.combined(&Inertia::ZERO), Inertia::ZERO, 0.0);
    }

    pub(crate) fn rotating_a_body<S: Sample>(x: &[f64]) {
        let (i, m) = (inertia::<S>(x), motion::<S>(&x[10..]));
        let turn = Transform::new(quat::<S>(&x[16..]).to_mat3(), Vec3::ZERO);
        let rotated = i.rotated(&turn.rot);
        assert_close(rotated.momentum(turn.motion(m)), turn.force(i.momentum(m)), tolerance::<S>());
    }

    pub(crate) fn articulated_force<S: Sample>(x: &[f64]) {
        let (i, a) = (articulated::<S>(x), motion::<S>(&x[20..]));
        let matrix = dense::articulated(&i);
        let expected = dense::to_force(dense::times(&matrix, dense::from_motion(a)));
        assert_close(i.force(a), expected, tolerance::<S>());
        let angular = Motion::new(a.ang, Vec3::ZERO);
        assert_close(i.force_from_angular(a.ang), i.force(angular), tolerance::<S>());
        let linear = Motion::new(Vec3::ZERO, a.lin);
        assert_close(i.force_from_linear(a.lin), i.force(linear), tolerance::<S>());
        // Of a rigid body it is the momentum.
        let body = inertia::<S>(x);
        assert_close(ArticulatedInertia::from(body).force(a), body.momentum(a), tolerance::<S>());
        assert_close(ArticulatedInertia::<S>::ZERO.force(a), Force::ZERO, 0.0);
    }

    pub(crate) fn articulated_shift<S: Sample>(x: &[f64]) {
        let (i, r) = (articulated::<S>(x), vec3::<S>(&x[20..]));
        // X* I X⁻¹ between parallel frames.
        let shift = Transform::from_translation(r);
        let (to, from) =
            (dense::force_transform(&shift), dense::motion_transform(&shift.inverse()));
        let expected = dense::product(&dense::product(&to, &dense::articulated(&i)), &from);
        let shifted = i.shifted(r);
        assert_close_mat6(dense::articulated(&shifted), expected);
        // The force for an acceleration, at one point or the other.
        let a = motion::<S>(&x[23..]);
        let at_old = i.force(a.at(r));
        assert_close(shifted.force(a), at_old.acting_at(r), 10.0 * tolerance::<S>());
        assert_close(shifted.shifted(-r), i, 10.0 * tolerance::<S>());
        // A rigid body stays one.
        let body = inertia::<S>(x);
        let moved = Inertia { com: body.com + r, ..body };
        let expected = ArticulatedInertia::from(moved);
        assert_close(ArticulatedInertia::from(body).shifted(r), expected, tolerance::<S>());
    }

    pub(crate) fn articulated_release<S: Sample>(x: &[f64]) {
        let (i, axis) = (articulated::<S>(x), motion::<S>(&x[20..]));
        let f = i.force(axis);
        let d = axis.dot(f);
        let left = i.release(f, d.recip());
        let six = dense::from_force(f);
        let outer = core::array::from_fn(|k| core::array::from_fn(|l| six[k] * six[l] / d));
        let expected = dense::combine(&dense::articulated(&i), &outer, |a, b| a - b);
        assert_close_mat6(dense::articulated(&left), expected);
        // Nothing resists along the freed axis.
        assert_close(left.force(axis), Force::ZERO, 100.0 * tolerance::<S>());
        // Symmetry: the force of one acceleration on another.
        let (a, b) = (motion::<S>(x), motion::<S>(&x[6..]));
        assert_close(left.force(a).dot(b), left.force(b).dot(a), 10.0 * tolerance::<S>());
    }

    pub(crate) fn articulated_sum<S: Sample>(x: &[f64]) {
        let (a, b) = (inertia::<S>(x), inertia::<S>(&x[10..]));
        let mut sum = ArticulatedInertia::from(a);
        sum += ArticulatedInertia::from(b);
        let both = ArticulatedInertia::from(a.combined(&b));
        assert_close(sum, both, tolerance::<S>());
    }

    #[track_caller]
    fn assert_close_mat6<S: Sample>(left: dense::Mat6<S>, right: dense::Mat6<S>) {
        for (l, r) in left.into_iter().zip(right) {
            assert_close(dense::to_force(l), dense::to_force(r), 10.0 * tolerance::<S>());
        }
    }
}

/// A uniform bar of length 2 along x, seen from its end: the textbook's m l²/3.
#[test]
fn a_bar_about_its_end() {
    let mass = 3.0;
    let about_centre = mass * 4.0 / 12.0;
    let bar = Inertia {
        mass,
        com: Vec3::new(1.0, 0.0, 0.0),
        rotational: Sym3::diagonal(Vec3::new(0.0, about_centre, about_centre)),
    };
    let about_end = bar.about_reference();
    assert_eq!(about_end.to_array(), [0.0, 4.0, 4.0, 0.0, 0.0, 0.0]);
    // Turning about z at 1 rad/s, its centre moves along +y.
    let momentum = bar.momentum(Motion::new(Vec3::Z, Vec3::ZERO));
    assert_eq!(momentum.lin, Vec3::new(0.0, 3.0, 0.0));
    assert_eq!(momentum.ang, Vec3::new(0.0, 0.0, 4.0));
}

/// Two halves of the bar are the bar.
#[test]
fn a_bar_from_its_halves() {
    let half = |x: f64| Inertia {
        mass: 1.5,
        com: Vec3::new(x, 0.0, 0.0),
        rotational: Sym3::diagonal(Vec3::new(0.0, 0.125, 0.125)),
    };
    let bar = half(0.5).combined(&half(1.5));
    assert_eq!((bar.mass, bar.com), (3.0, Vec3::new(1.0, 0.0, 0.0)));
    assert_eq!(bar.rotational.to_array(), [0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
}

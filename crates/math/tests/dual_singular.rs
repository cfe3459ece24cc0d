//! The derivatives chosen at singular points (the table in `scalar.rs`): finite wherever the value
//! is, on every scalar, at first and second order.

mod support;

use gradbody_math::{Dual, Lanes, Quat, Scalar, Vec3};
use support::{Parts, Sample, assert_finite};

/// A number that moves in direction 0.
fn moving<S: Scalar>(x: f64) -> Dual<S, 2> {
    Dual::variable(S::from_f64(x), 0)
}

/// The first derivative in every lane.
#[track_caller]
fn assert_slope<S: Scalar>(f: Dual<S, 2>, direction: usize, expected: f64) {
    for lane in 0..S::LANES {
        let slope = f.eps[direction].lane(lane);
        assert!((slope - expected).abs() <= 1e-6 * expected.abs(), "{slope:e}, not {expected:e}");
    }
}

fn the_table<S: Scalar>() {
    let zero = moving::<S>(0.0);
    let minus_zero = moving::<S>(-0.0);
    assert_slope(zero.sqrt(), 0, 0.0);
    assert_slope(minus_zero.sqrt(), 0, 0.0);
    assert_slope(zero.abs(), 0, 0.0);
    assert_slope(minus_zero.abs(), 0, 0.0);

    // Ties take the derivative of `self`.
    let other = Dual::<S, 2>::variable(S::from_f64(1.5), 1);
    for f in [moving::<S>(1.5).min(other), moving::<S>(1.5).max(other)] {
        assert_slope(f, 0, 1.0);
        assert_slope(f, 1, 0.0);
    }

    for y in [zero, minus_zero] {
        for x in [0.0, -0.0] {
            let angle = y.atan2(Dual::variable(S::from_f64(x), 1));
            assert_slope(angle, 0, 0.0);
            assert_slope(angle, 1, 0.0);
        }
    }

    // Powers of zero, in x and in p.
    for (p, slope) in [(0.0, 0.0), (0.3, 0.0), (0.5, 0.0), (1.0, 1.0), (1.5, 0.0), (2.0, 0.0)] {
        let f = zero.powf(Dual::variable(S::from_f64(p), 1));
        assert_slope(f, 0, slope);
        assert_slope(f, 1, 0.0);
        let below = moving::<S>(-1.0).powf(Dual::variable(S::from_f64(p), 1));
        assert!(below.eps.iter().all(|slope| slope.is_finite()));
    }
    // Where the logarithm is −∞ its derivative is large, but finite.
    for x in [zero, minus_zero, moving(-1.0)] {
        let steepest = if S::EPSILON > 1e-10 { 1e37 } else { 1e300 };
        assert_slope(x.ln(), 0, steepest);
    }
}

#[test]
fn derivatives_chosen_at_singular_points() {
    the_table::<f64>();
    the_table::<f32>();
    the_table::<Lanes<f64, 8>>();
    the_table::<Dual<f64, 1>>();
}

/// Everything that has a singular point, at it.
#[inline(never)]
fn singular<S: Scalar>(x: S, y: S) -> [S; 12] {
    let half = S::from_f64(0.5);
    [
        x.sqrt(),
        x.abs(),
        x.min(y),
        x.max(y),
        y.atan2(x),
        x.powf(half),
        x.powf(S::from_f64(1.5)),
        x.powf(S::ONE),
        x.powf(S::from_f64(2.0)),
        x.powf(y + S::from_f64(2.5)),
        Vec3::new(x, y, x).norm(),
        x.signum() + x.clamp(y, y),
    ]
}

#[test]
fn nothing_finite_has_a_derivative_that_is_not() {
    fn law<S: Sample>(zeros: &[S]) {
        for &x in zeros {
            for &y in zeros {
                for f in singular(x, y) {
                    assert_finite(f);
                }
            }
        }
    }
    fn zeros<S: Scalar>() -> [Dual<S, 2>; 3] {
        let at = |x: f64, i| Dual::variable(S::from_f64(x), i);
        [at(0.0, 0), at(-0.0, 1), Dual::ZERO]
    }
    fn nest<S: Scalar>(x: Dual<S, 2>) -> Dual<Dual<S, 2>, 1> {
        Dual { re: x, eps: [Dual::ONE] }
    }
    law(&zeros::<f64>());
    law(&zeros::<f32>());
    law(&zeros::<Lanes<f64, 8>>());
    // Second order.
    law(&zeros::<f64>().map(nest));
    law(&zeros::<f32>().map(nest));
    // The least numbers, whose first derivatives are large but can be represented.
    law(&[Dual::<f64, 2>::variable(5e-324, 0), Dual::variable(-5e-324, 1).abs(), Dual::ZERO]);
    law(&[Dual::<f32, 2>::variable(1e-45, 0), Dual::variable(1e-44, 1), Dual::ZERO]);
}

#[test]
fn powers_of_zero_have_their_second_derivatives() {
    type Second = Dual<Dual<f64, 1>, 1>;
    let zero = Second { re: Dual::variable(0.0, 0), eps: [Dual::ONE] };
    let second = |f: Second| f.eps[0].eps[0];
    assert_eq!(second(zero.powf(Scalar::from_f64(2.0))), 2.0);
    assert_eq!(second(zero.powf(Scalar::from_f64(3.0))), 0.0);
    assert_eq!(second(zero.powi(2)), 2.0);
    assert!(second(zero.powf(Scalar::from_f64(1.5))).is_finite());
}

/// Vectors and quaternions of no length: the fallback, and derivatives of zero.
fn zero_lengths<S: Sample>() {
    for tiny in [0.0, 1e-60, 1e-30] {
        let at = |i: usize| Dual::<S, 3>::variable(S::from_f64(if i == 1 { tiny } else { 0.0 }), i);
        let v = Vec3::new(at(0), at(1), at(2));
        assert_finite(v.norm());
        assert_finite(v.normalized_or(Vec3::Z));
        assert_finite(Quat::exp(v));
        assert_finite(Quat::new(at(0), at(1), at(2), Dual::ZERO).normalized());
        assert_finite(Quat::new(at(0), at(1), at(2), Dual::ZERO).log());
        assert_finite(Quat::IDENTITY.integrate(v));
    }
    let zero = Vec3::<Dual<S, 3>>::ZERO.map(|_| Dual::<S, 3>::variable(S::ZERO, 1));
    assert_eq!(zero.normalized_or(Vec3::Z).parts(), Vec3::<Dual<S, 3>>::Z.parts());
    let zero = Quat::new(zero.x, zero.x, zero.y, zero.z);
    assert_eq!(zero.normalized().parts(), Quat::<Dual<S, 3>>::IDENTITY.parts());
}

#[test]
fn vectors_and_quaternions_of_no_length() {
    zero_lengths::<f64>();
    zero_lengths::<f32>();
    zero_lengths::<Lanes<f32, 16>>();
    zero_lengths::<Dual<f64, 1>>();
    zero_lengths::<Dual<f32, 1>>();
}

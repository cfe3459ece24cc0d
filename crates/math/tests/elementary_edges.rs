//! Zeros, infinities, NaN, overflow and underflow of the elementary functions, in f64 and f32.

mod support;

use gradbody_math::Scalar;
use support::assert_same_bits;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Checks `f` of one argument in both float types; the expected value is rounded to each.
#[track_caller]
fn edge(name: &str, f64_: fn(f64) -> f64, f32_: fn(f32) -> f32, x: f64, expected: f64) {
    assert_same_bits(f64_(x), expected, &format!("{name}({x:e}) in f64"));
    let (got, expected) = (f64::from(f32_(x as f32)), f64::from(expected as f32));
    assert_same_bits(got, expected, &format!("{name}({x:e}) in f32"));
}

#[track_caller]
fn edge2(
    name: &str,
    f64_: fn(f64, f64) -> f64,
    f32_: fn(f32, f32) -> f32,
    (a, b): (f64, f64),
    expected: f64,
) {
    assert_same_bits(f64_(a, b), expected, &format!("{name}({a:e}, {b:e}) in f64"));
    let (got, expected) = (f64::from(f32_(a as f32, b as f32)), f64::from(expected as f32));
    assert_same_bits(got, expected, &format!("{name}({a:e}, {b:e}) in f32"));
}

#[test]
fn sine_and_cosine() {
    let sin = |x, expected| edge("sin", |x| x.sin_cos().0, |x| x.sin_cos().0, x, expected);
    let cos = |x, expected| edge("cos", |x| x.sin_cos().1, |x| x.sin_cos().1, x, expected);
    sin(0.0, 0.0);
    sin(-0.0, -0.0);
    cos(0.0, 1.0);
    cos(-0.0, 1.0);
    sin(1e-30, 1e-30);
    sin(-1e-40, -1e-40); // subnormal in f32
    for x in [INF, -INF, NAN] {
        sin(x, NAN);
        cos(x, NAN);
    }
}

#[test]
fn exponential() {
    let exp = |x, expected| edge("exp", Scalar::exp, Scalar::exp, x, expected);
    exp(0.0, 1.0);
    exp(-0.0, 1.0);
    exp(1e-30, 1.0);
    exp(INF, INF);
    exp(-INF, 0.0);
    exp(NAN, NAN);
    exp(710.0, INF);
    exp(1e300, INF);
    exp(-746.0, 0.0);
    exp(-1e300, 0.0);
    // The ends of the range are reached, and underflow is gradual.
    assert!(Scalar::exp(709.782712893384_f64) > 1.797e308);
    assert!(Scalar::exp(709.782712893384_f64).is_finite());
    assert_eq!(Scalar::exp(709.7827128933841_f64), INF);
    assert_eq!(Scalar::exp(-745.13_f64), f64::from_bits(1));
    assert!(Scalar::exp(88.72283_f32) > 3.4e38);
    assert_eq!(Scalar::exp(88.72284_f32), f32::INFINITY);
    assert_eq!(Scalar::exp(-103.9_f32), f32::from_bits(1));
}

#[test]
fn logarithm() {
    let ln = |x, expected| edge("ln", Scalar::ln, Scalar::ln, x, expected);
    ln(1.0, 0.0);
    ln(0.0, -INF);
    ln(-0.0, -INF);
    ln(-1.0, NAN);
    ln(-1e-40, NAN);
    ln(-INF, NAN);
    ln(NAN, NAN);
    ln(INF, INF);
    let least = Scalar::ln(f64::from_bits(1));
    assert_same_bits(least, f64::from_bits(1).ln(), "ln of the least f64");
    let least = Scalar::ln(f32::from_bits(1));
    assert_same_bits(least.into(), f32::from_bits(1).ln().into(), "ln of the least f32");
}

#[test]
fn hyperbolic_tangent() {
    let tanh = |x, expected| edge("tanh", Scalar::tanh, Scalar::tanh, x, expected);
    for x in [0.0, 1e-42, 1e-38, 1e-30, 1e-20, 1e-10] {
        tanh(x, x);
        tanh(-x, -x);
    }
    for x in [20.0, 25.0, 1e30, 1e300, INF] {
        tanh(x, 1.0);
        tanh(-x, -1.0);
    }
    tanh(NAN, NAN);
    assert_eq!(Scalar::tanh(f64::from_bits(1)), f64::from_bits(1));
}

#[test]
fn arctangent() {
    let atan2 = |y, x, expected: f64| {
        edge2("atan2", Scalar::atan2, Scalar::atan2, (y, x), expected);
        edge2("atan2", Scalar::atan2, Scalar::atan2, (-y, x), -expected);
    };
    let pi = std::f64::consts::PI;
    // C99, annex F.10.1.4
    atan2(0.0, 0.0, 0.0);
    atan2(0.0, -0.0, pi);
    atan2(0.0, 1.0, 0.0);
    atan2(0.0, -1.0, pi);
    atan2(1.0, 0.0, pi / 2.0);
    atan2(1.0, -0.0, pi / 2.0);
    atan2(1.0, INF, 0.0);
    atan2(1.0, -INF, pi);
    atan2(0.0, INF, 0.0);
    atan2(0.0, -INF, pi);
    atan2(INF, 1.0, pi / 2.0);
    atan2(INF, -1.0, pi / 2.0);
    atan2(INF, 0.0, pi / 2.0);
    atan2(INF, INF, pi / 4.0);
    atan2(INF, -INF, 3.0 * pi / 4.0);
    for (y, x) in [(NAN, 1.0), (1.0, NAN), (NAN, NAN), (NAN, INF), (INF, NAN), (NAN, 0.0)] {
        atan2(y, x, NAN);
    }
    // The diagonals, at every size.
    for size in [1e-310, 1e-300, 1e-40, 1e-30, 1.0, 1e30, 1e300, 1.7e308] {
        assert_eq!(Scalar::atan2(size, size), pi / 4.0);
        assert_eq!(Scalar::atan2(size, -size), 3.0 * pi / 4.0);
        assert_eq!(Scalar::atan2(-size, -size), -3.0 * pi / 4.0);
        assert_eq!(Scalar::atan2(-size, size), -pi / 4.0);
    }
    // Quotients that underflow, and the least numbers.
    assert_eq!(Scalar::atan2(1e-300, 1e300), 0.0);
    assert_eq!(Scalar::atan2(f64::from_bits(1), f64::MAX), 0.0);
    assert_eq!(Scalar::atan2(f64::from_bits(3), 1.0), f64::from_bits(3));
    assert_eq!(Scalar::atan2(f64::from_bits(1), -1.0), pi);
}

#[test]
fn power() {
    let powf = |x, p, expected| edge2("powf", Scalar::powf, Scalar::powf, (x, p), expected);
    for x in [0.0, -0.0, 1.0, 2.5, 1e30, INF, -3.0, -INF, NAN] {
        powf(x, 0.0, 1.0);
        powf(x, -0.0, 1.0);
    }
    for p in [1e-20, 0.5, 1.0, 3.0, 1e30, INF] {
        powf(0.0, p, 0.0);
        powf(-0.0, p, 0.0);
        powf(0.0, -p, INF);
        powf(INF, p, INF);
        powf(INF, -p, 0.0);
        powf(1.0, p, 1.0);
        powf(1.0, -p, 1.0);
        powf(-2.0, p, NAN);
        powf(NAN, p, NAN);
    }
    for x in [0.0, 0.5, 1.0, 2.0, INF] {
        powf(x, NAN, NAN);
    }
    powf(2.0, 10.0, 1024.0);
    powf(2.0, -3.0, 0.125);
    powf(9.0, 0.5, 3.0);
    powf(2.0, INF, INF);
    powf(2.0, -INF, 0.0);
    powf(0.5, INF, 0.0);
    powf(0.5, -INF, INF);
    powf(2.0, 1e300, INF);
    powf(10.0, -400.0, 0.0);
    powf(1.0 + 2e-7, 1e12, INF);
    assert_eq!(Scalar::powf(1.0 + f64::EPSILON, 1e300), INF);
    assert_eq!(Scalar::powf(1.0 - f64::EPSILON, 1e300), 0.0);
}

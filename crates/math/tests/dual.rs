//! Dual numbers: every function's derivative against its closed form and against central
//! differences, second derivatives by nesting, and values with the bits of the plain run.

mod support;

use gradbody_math::{Dual, Lanes, Scalar};
use proptest::prelude::*;
use support::{assert_same_bits, check};

/// Step of the central differences, and their tolerance in f64: rounding (1e-16/1e-6) and the
/// third derivative (times 1e-12) of functions of size one.
const STEP: f64 = 1e-6;
const FD_CENTRAL: f64 = 2e-8;

/// A function of two numbers, on every scalar.
trait Function {
    const NAME: &'static str;
    /// Where to draw the arguments from.
    const DOMAIN: [(f64, f64); 2];
    fn apply<S: Scalar>(x: S, y: S) -> S;
    /// Its two partial derivatives.
    fn slopes(x: f64, y: f64) -> [f64; 2];
}

macro_rules! functions {
    ($($name:ident in $domain:expr, |$x:ident, $y:ident| $f:expr, $slopes:expr;)*) => {
        $(
            #[allow(non_camel_case_types)]
            struct $name;
            impl Function for $name {
                const NAME: &'static str = stringify!($name);
                const DOMAIN: [(f64, f64); 2] = $domain;
                fn apply<S: Scalar>($x: S, $y: S) -> S {
                    let _ = $y;
                    $f
                }
                fn slopes($x: f64, $y: f64) -> [f64; 2] {
                    let _ = ($x, $y);
                    $slopes
                }
            }
        )*
        /// Runs a check on each function.
        fn each(run: impl EachFunction) {
            $(run.run::<$name>();)*
        }
    };
}

trait EachFunction {
    fn run<F: Function>(&self);
}

const AROUND_ZERO: [(f64, f64); 2] = [(-3.0, 3.0), (-3.0, 3.0)];
const POSITIVE: [(f64, f64); 2] = [(0.2, 4.0), (0.2, 4.0)];

functions! {
    add in AROUND_ZERO, |x, y| x + y, [1.0, 1.0];
    sub in AROUND_ZERO, |x, y| x - y, [1.0, -1.0];
    mul in AROUND_ZERO, |x, y| x * y, [y, x];
    div in POSITIVE, |x, y| x / y, [1.0 / y, -x / (y * y)];
    neg in AROUND_ZERO, |x, y| -x, [-1.0, 0.0];
    add_assign in AROUND_ZERO, |x, y| { let mut s = x; s += y * x; s -= y; s *= y; s },
        [y + y * y, x + 2.0 * x * y - 2.0 * y];
    sum in AROUND_ZERO, |x, y| [x, y, x * y].into_iter().sum(), [1.0 + y, 1.0 + x];
    mul_add in AROUND_ZERO, |x, y| x.mul_add(y, x), [y + 1.0, x];
    neg_mul_add in AROUND_ZERO, |x, y| x.neg_mul_add(y, y), [-y, 1.0 - x];
    abs in POSITIVE, |x, y| (x * -y).abs(), [y, x];
    sqrt in POSITIVE, |x, y| x.sqrt(), [0.5 / x.sqrt(), 0.0];
    sin in AROUND_ZERO, |x, y| x.sin_cos().0, [x.cos(), 0.0];
    cos in AROUND_ZERO, |x, y| x.sin_cos().1, [-x.sin(), 0.0];
    atan2 in POSITIVE, |x, y| x.atan2(-y), [-y / (x * x + y * y), x / (x * x + y * y)];
    exp in AROUND_ZERO, |x, y| x.exp(), [x.exp(), 0.0];
    ln in POSITIVE, |x, y| x.ln(), [1.0 / x, 0.0];
    tanh in AROUND_ZERO, |x, y| x.tanh(), [1.0 - x.tanh() * x.tanh(), 0.0];
    powf in POSITIVE, |x, y| x.powf(y), [y * x.powf(y - 1.0), x.powf(y) * x.ln()];
    powf_negative in POSITIVE, |x, y| x.powf(-y), [-y * x.powf(-y - 1.0), -x.powf(-y) * x.ln()];
    powi in POSITIVE, |x, y| x.powi(3) + y.powi(-2), [3.0 * x * x, -2.0 / (y * y * y)];
    min in AROUND_ZERO, |x, y| x.min(y), if x <= y { [1.0, 0.0] } else { [0.0, 1.0] };
    max in AROUND_ZERO, |x, y| x.max(y), if x >= y { [1.0, 0.0] } else { [0.0, 1.0] };
    clamp in AROUND_ZERO, |x, y| x.clamp(-S::ONE, S::ONE), [f64::from(x.abs() < 1.0), 0.0];
    signum in AROUND_ZERO, |x, y| x.signum(), [0.0, 0.0];
    squared in AROUND_ZERO, |x, y| x.squared(), [2.0 * x, 0.0];
    recip in POSITIVE, |x, y| x.recip(), [-1.0 / (x * x), 0.0];
    select_lt in AROUND_ZERO, |x, y| x.select_lt(y, x * y, x + y),
        if x < y { [y, x] } else { [1.0, 1.0] };
    select_le in AROUND_ZERO, |x, y| x.select_le(y, x * y, x + y),
        if x <= y { [y, x] } else { [1.0, 1.0] };
}

fn arguments<F: Function>() -> impl Strategy<Value = (f64, f64)> {
    let [(x0, x1), (y0, y1)] = F::DOMAIN;
    (x0..x1, y0..y1)
}

/// Both variables, with a direction of their own.
fn variables<S: Scalar>(x: S, y: S) -> [Dual<S, 2>; 2] {
    [Dual::variable(x, 0), Dual::variable(y, 1)]
}

#[test]
fn closed_forms() {
    struct Law;
    impl EachFunction for Law {
        fn run<F: Function>(&self) {
            check(200, arguments::<F>(), |(a, b)| {
                let [x, y] = variables(a, b);
                let (got, expected) = (F::apply(x, y).eps, F::slopes(a, b));
                for k in 0..2 {
                    let gap = (got[k] - expected[k]).abs() / expected[k].abs().max(1.0);
                    assert!(gap <= 1e-14, "{} {k}: {} is not {}", F::NAME, got[k], expected[k]);
                }
            });
        }
    }
    each(Law);
}

#[test]
fn central_differences() {
    struct Law;
    impl EachFunction for Law {
        fn run<F: Function>(&self) {
            check(60, arguments::<F>(), |(a, b)| {
                // Kinks are where the two arguments cross and at ±1 and 0: stay away from them.
                let kinks = [a - b, a - 1.0, a + 1.0, a];
                if kinks.iter().any(|gap| gap.abs() < 2.0 * STEP) {
                    return;
                }
                let [x, y] = variables(a, b);
                let got = F::apply(x, y).eps;
                let in_x = F::apply(a + STEP, b) - F::apply(a - STEP, b);
                let in_y = F::apply(a, b + STEP) - F::apply(a, b - STEP);
                for (got, difference) in got.into_iter().zip([in_x, in_y]) {
                    let expected = difference / (2.0 * STEP);
                    let gap = (got - expected).abs() / expected.abs().max(1.0);
                    assert!(gap <= FD_CENTRAL, "{}: {got} is not {expected}", F::NAME);
                }
            });
        }
    }
    each(Law);
}

#[test]
fn second_derivatives() {
    // The derivative of the dual derivative, against central differences of the dual derivative.
    struct Law;
    impl EachFunction for Law {
        fn run<F: Function>(&self) {
            check(60, arguments::<F>(), |(a, b)| {
                if [a - b, a - 1.0, a + 1.0, a].iter().any(|gap| gap.abs() < 2.0 * STEP) {
                    return;
                }
                let [x, y] = variables(a, b);
                let [x, y] = [
                    Dual { re: x, eps: [Dual::<f64, 2>::ONE, Dual::ZERO] },
                    Dual { re: y, eps: [Dual::ZERO, Dual::ONE] },
                ];
                let hessian = F::apply(x, y).eps.map(|row| row.eps);
                let slopes = |a, b| {
                    let [x, y] = variables(a, b);
                    F::apply(x, y).eps
                };
                assert_same_bits(F::apply(x, y).eps[0].re, slopes(a, b)[0], F::NAME);
                assert!(
                    (hessian[0][1] - hessian[1][0]).abs() <= 1e-12 * hessian[0][1].abs().max(1.0)
                );
                for k in 0..2 {
                    let in_x = (slopes(a + STEP, b)[k] - slopes(a - STEP, b)[k]) / (2.0 * STEP);
                    let in_y = (slopes(a, b + STEP)[k] - slopes(a, b - STEP)[k]) / (2.0 * STEP);
                    for (got, expected) in [(hessian[k][0], in_x), (hessian[k][1], in_y)] {
                        let gap = (got - expected).abs() / expected.abs().max(1.0);
                        assert!(gap <= 10.0 * FD_CENTRAL, "{}: {got} not {expected}", F::NAME);
                    }
                }
            });
        }
    }
    each(Law);
}

#[test]
fn third_derivative() {
    // x⁴ has the third derivative 24 x.
    type Third = Dual<Dual<Dual<f64, 1>, 1>, 1>;
    let x = Third { re: Dual::variable(Dual::variable(1.5, 0), 0), eps: [Scalar::ONE] };
    assert_eq!(x.powi(4).eps[0].eps[0].eps[0], 36.0);
}

#[test]
fn values_have_the_bits_of_the_plain_run() {
    struct Law;
    impl EachFunction for Law {
        fn run<F: Function>(&self) {
            check(100, arguments::<F>(), |(a, b)| {
                let plain = F::apply(a, b);
                let [x, y] = variables(a, b);
                assert_same_bits(F::apply(x, y).re, plain, F::NAME);
                let nested = F::apply(Dual::<_, 3>::constant(x), Dual::variable(y, 2));
                assert_same_bits(nested.re.re, plain, F::NAME);
                let (a, b) = (a as f32, b as f32);
                let [x, y] = variables(a, b);
                assert_same_bits(F::apply(x, y).re.into(), F::apply(a, b).into(), F::NAME);
            });
        }
    }
    each(Law);
}

#[test]
fn lanes_have_the_bits_of_the_plain_dual() {
    struct Law;
    impl EachFunction for Law {
        fn run<F: Function>(&self) {
            let points = support::draws(8, arguments::<F>());
            let a = Lanes::<f64, 8>::from_lanes(|i| points[i].0);
            let b = Lanes::<f64, 8>::from_lanes(|i| points[i].1);
            let [x, y] = variables(a, b);
            let got = F::apply(x, y);
            for (i, &(a, b)) in points.iter().enumerate() {
                let [x, y] = variables(a, b);
                let alone = F::apply(x, y);
                assert_same_bits(got.re.lane(i), alone.re, F::NAME);
                for k in 0..2 {
                    assert_same_bits(got.eps[k].lane(i), alone.eps[k], F::NAME);
                }
            }
        }
    }
    each(Law);
}

#[test]
fn f32_derivatives() {
    struct Law;
    impl EachFunction for Law {
        fn run<F: Function>(&self) {
            check(60, arguments::<F>(), |(a, b)| {
                let [x, y] = variables(a as f32, b as f32);
                let (got, expected) = (F::apply(x, y).eps, F::slopes(x.re.into(), y.re.into()));
                for k in 0..2 {
                    let gap = (f64::from(got[k]) - expected[k]).abs() / expected[k].abs().max(1.0);
                    assert!(gap <= 1e-5, "{} {k}: {} is not {}", F::NAME, got[k], expected[k]);
                }
            });
        }
    }
    each(Law);
}

#[test]
fn constants_have_no_derivative() {
    let x = Dual::<f64, 3>::from_f64(2.0);
    assert_eq!((x.re, x.eps), (2.0, [0.0; 3]));
    assert_eq!(Dual::<f64, 3>::default(), Dual::ZERO);
    assert_eq!(Dual::<Lanes<f64, 4>, 2>::from_lanes(|i| i as f64).lane(3), 3.0);
    assert_eq!(<Dual<Lanes<f64, 4>, 2> as Scalar>::LANES, 4);
}

#[test]
fn finiteness_covers_derivatives() {
    let bad = Dual::<f64, 2> { re: 1.0, eps: [0.0, f64::NAN] };
    assert!(!bad.is_finite());
    assert!(Dual::<f64, 2>::variable(1.0, 1).is_finite());
    assert!(!Lanes::<f64, 8>::from_lanes(|i| if i == 5 { f64::INFINITY } else { 0.0 }).is_finite());
}

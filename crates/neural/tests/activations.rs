//! Values, slopes and edges of the activations.

mod support;

use gradbody_math::{Dual, Scalar};
use gradbody_neural::Activation;
use support::Random;

/// The textbook formula, by the standard library.
fn formula(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Identity => x,
        Activation::Tanh => x.tanh(),
        Activation::Sin => x.sin(),
        Activation::Relu => x.max(0.0),
        Activation::SoftRelu | Activation::Softplus => x.exp().ln_1p(),
        Activation::Elu => {
            if x > 0.0 {
                x
            } else {
                x.exp_m1()
            }
        }
        Activation::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        Activation::Softsign => x / (1.0 + x.abs()),
        Activation::Silu => x / (1.0 + (-x).exp()),
    }
}

fn arguments() -> Vec<f64> {
    let mut random = Random::new(3);
    let mut all = vec![0.0, -0.0, 1e-300, -1e-300, 1e-9, -1e-9, 0.5, -0.5, 30.0, -30.0];
    all.extend(random.numbers(2000, 20.0));
    all
}

#[test]
fn the_values_are_the_formulas() {
    for activation in Activation::ALL {
        for x in arguments() {
            let (found, expected) = (activation.value(x), formula(activation, x));
            let error = (found - expected).abs();
            assert!(
                error <= 1e-15 * (1.0 + expected.abs()),
                "{activation:?}({x}): off by {error:e}"
            );
        }
    }
}

#[test]
fn the_left_tails_keep_their_digits() {
    for activation in [Activation::Softplus, Activation::Sigmoid] {
        for x in [-30.0, -40.0, -100.0, -700.0_f64] {
            let relative = activation.value(x) / x.exp() - 1.0;
            assert!(relative.abs() < 1e-12, "{activation:?}({x}): {relative:e}");
        }
    }
}

#[test]
fn the_slopes_are_those_of_dual_numbers() {
    for activation in Activation::ALL {
        for x in arguments() {
            let dual = activation.value(Dual::<f64, 1>::variable(x, 0));
            let slope = activation.slope(x, activation.value(x));
            let error = (slope - dual.eps[0]).abs();
            assert!(error <= 1e-15 * 8.0, "{activation:?} at {x}: off by {error:e}");
            assert_eq!(dual.re.to_bits(), activation.value(x).to_bits());

            // The slope of the slope, which a conservative force needs.
            let dual_x = Dual::<f64, 1>::variable(x, 0);
            let second = activation.slope(dual_x, activation.value(dual_x)).eps[0];
            let twice = Dual::<Dual<f64, 1>, 1>::variable(Dual::variable(x, 0), 0);
            let expected = activation.value(twice).eps[0].eps[0];
            let error = (second - expected).abs();
            assert!(error <= 1e-13, "{activation:?} at {x}: second slope off by {error:e}");
        }
    }
}

#[test]
fn the_slopes_are_central_differences() {
    const STEP: f64 = 1e-5;
    for activation in Activation::ALL {
        for x in arguments().into_iter().filter(|x| x.abs() > 1e-4) {
            let slope = activation.slope(x, activation.value(x));
            let rise = activation.value(x + STEP) - activation.value(x - STEP);
            let error = (slope - rise / (2.0 * STEP)).abs();
            assert!(error <= 1e-9, "{activation:?} at {x}: off by {error:e}");
        }
    }
}

fn finite_everywhere<S: Scalar>(largest: f64) {
    let mut random = Random::new(5);
    let mut all: Vec<f64> =
        vec![0.0, 1.0, 80.0, 89.0, 104.0, 700.0, 709.0, 710.0, 745.0, 1e4, 1e30];
    all.extend([largest, f64::MIN_POSITIVE, 5e-324]);
    let any = (0..4000).map(|_| f64::from_bits(random.bits()));
    all.extend(any.filter(|x| x.abs() <= largest));
    for activation in Activation::ALL {
        for x in all.iter().flat_map(|x| [*x, -*x]).filter(|x| x.abs() <= largest) {
            let plain = S::from_f64(x);
            let y = activation.value(plain);
            assert!(y.is_finite(), "{activation:?}({x:e}) = {y:?}");
            let slope = activation.slope(plain, y);
            assert!(slope.is_finite(), "{activation:?} at {x:e}: slope {slope:?}");
            for direction in [1.0, 1e3] {
                let dual = Dual { re: plain, eps: [S::from_f64(direction)] };
                let y = activation.value(dual);
                assert!(y.is_finite(), "{activation:?} at {x:e}: dual {y:?}");
                let slope = activation.slope(dual, y);
                assert!(slope.is_finite(), "{activation:?} at {x:e}: dual slope {slope:?}");
            }
        }
    }
}

#[test]
fn everything_is_finite_for_finite_inputs() {
    finite_everywhere::<f64>(f64::MAX);
    finite_everywhere::<f32>(f64::from(f32::MAX));
}

#[test]
fn not_a_number_stays_so() {
    for activation in Activation::ALL {
        assert!(activation.value(f64::NAN).is_nan(), "{activation:?}");
    }
}

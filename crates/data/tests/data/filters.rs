//! Smoothing and derivatives: exact on polynomials, close on a noisy sine.

use std::f64::consts::TAU;

use gradbody_data::Dimension;
use gradbody_data::process::SavitzkyGolay;

use crate::support::trajectory;
use gradbody_math::random::Random;

const RATE: f64 = 50.0;

#[test]
fn polynomials_are_kept_exactly_up_to_the_ends() {
    for (window, order) in [(1, 0), (3, 1), (3, 2), (5, 2), (7, 3), (11, 4), (51, 5), (25, 8)] {
        let filter = SavitzkyGolay::new(window, order).expect("a filter");
        let coefficient = |k: usize| 1.0 - 0.7 * k as f64;
        // Σ c_k t^k and its derivatives, with t about 1.
        let value = |t: f64, derivative: usize| {
            let term = |k: usize| {
                let falling: f64 = (k + 1 - derivative..=k).map(|f| f as f64).product();
                coefficient(k) * falling * t.powi((k - derivative) as i32)
            };
            (derivative..=order).map(term).sum::<f64>()
        };
        let times: Vec<f64> = (0..60).map(|k| k as f64 / RATE).collect();
        let samples: Vec<f64> = times.iter().map(|t| value(*t, 0)).collect();
        for derivative in 0..=order.min(2) {
            let found = filter.derivative(&samples, derivative, RATE).expect("values");
            let scale = RATE.powi(derivative as i32);
            for (t, found) in times.iter().zip(found) {
                let error = (found - value(*t, derivative)).abs();
                assert!(error < 1e-9 * scale, "{window} {order} {derivative} at {t}: {error}");
            }
        }
    }
}

#[test]
fn weights_are_those_of_the_tables() {
    // Savitzky and Golay's tables I and IV: five points, quadratic.
    let filter = SavitzkyGolay::new(5, 2).expect("a filter");
    let tables =
        [(0, [-3.0, 12.0, 17.0, 12.0, -3.0], 35.0), (1, [-2.0, -1.0, 0.0, 1.0, 2.0], 10.0)];
    for (derivative, weights, norm) in tables {
        for (k, weight) in weights.into_iter().enumerate() {
            let mut pulse = [0.0; 5];
            pulse[k] = 1.0;
            let found = filter.derivative(&pulse, derivative, 1.0).expect("values")[2];
            assert!((found - weight / norm).abs() < 1e-14);
        }
    }
}

#[test]
fn a_noisy_sine() {
    let (rate, n, sigma) = (200.0, 1000, 0.01);
    let mut noise = Random::new(7);
    let clean = |k: usize| (TAU * k as f64 / rate).sin();
    let noisy: Vec<f64> = (0..n).map(|k| clean(k) + sigma * noise.signed()).collect();
    let filter = SavitzkyGolay::new(31, 3).expect("a filter");
    let rms = |found: &[f64], truth: &dyn Fn(usize) -> f64| {
        let sum: f64 = found.iter().enumerate().map(|(k, x)| (x - truth(k)).powi(2)).sum();
        (sum / found.len() as f64).sqrt()
    };
    let smooth = rms(&filter.smooth(&noisy).expect("values"), &clean);
    assert!(smooth < 0.3 * rms(&noisy, &clean), "{smooth}");
    let speed = filter.derivative(&noisy, 1, rate).expect("values");
    let error = rms(&speed, &|k| TAU * (TAU * k as f64 / rate).cos());
    assert!(error < 0.02 * TAU, "{error}");
    let differences: Vec<f64> = noisy.windows(2).map(|p| (p[1] - p[0]) * rate).collect();
    assert!(error < 0.2 * rms(&differences, &|k| TAU * (TAU * k as f64 / rate).cos()));
    let curve = filter.derivative(&noisy, 2, rate).expect("values");
    let error = rms(&curve[15..n - 15], &|k| -TAU * TAU * clean(k + 15));
    assert!(error < 0.05 * TAU * TAU, "{error}");
}

#[test]
fn channels_get_derivatives_with_units() {
    let t: Vec<f64> = (0..20).map(|k| k as f64 * 0.1).collect();
    let mut run = trajectory("run", t.clone(), Dimension::Angle, t.iter().map(|t| t * t).collect());
    let filter = SavitzkyGolay::new(5, 2).expect("a filter");
    run.add_derivative("x", 1, "speed", &filter).expect("a channel");
    run.add_derivative("x", 2, "acceleration", &filter).expect("a channel");
    run.smooth("x", &filter).expect("a smooth channel");
    let speed = run.channel("speed").expect("speed");
    assert_eq!(speed.unit.name, "rad/s");
    assert!(speed.values.iter().zip(&t).all(|(v, t)| (v - 2.0 * t).abs() < 1e-10));
    assert!(run.channel("acceleration").expect("it").values.iter().all(|a| (a - 2.0).abs() < 1e-8));
    let mut fault = |of: &str, n, name: &str| {
        run.add_derivative(of, n, name, &filter).expect_err("a fault").to_string()
    };
    assert_eq!(fault("x", 1, "speed"), "a channel \"speed\" already exists");
    assert_eq!(
        fault("y", 1, "v"),
        "trajectory \"run\": no channel \"y\"; it has x, speed, acceleration"
    );
    let text = "filter: channel \"acceleration\" is an angular acceleration, whose derivative has no unit here";
    assert_eq!(fault("acceleration", 1, "jerk"), text);
}

#[test]
fn faults() {
    let message =
        |window, order| SavitzkyGolay::new(window, order).expect_err("a fault").to_string();
    let text = "filter: a window of 4 samples has no sample in its middle; use an odd number";
    assert_eq!(message(4, 2), text);
    assert_eq!(
        message(3, 3),
        "filter: a polynomial of order 3 needs a window of at least 4 samples, not 3"
    );
    assert_eq!(
        message(99, 20),
        "filter: a polynomial of order 20; orders up to 12 are computed accurately"
    );
    assert_eq!(message(10_003, 2), "filter: a window of 10003 samples; up to 10001 are allowed");
    let filter = SavitzkyGolay::new(5, 2).expect("a filter");
    let fault =
        |samples: &[f64], n| filter.derivative(samples, n, 1.0).expect_err("a fault").to_string();
    assert_eq!(fault(&[0.0; 4], 0), "filter: a window of 5 samples, but there are only 4");
    assert_eq!(
        fault(&[0.0; 9], 3),
        "filter: derivative 3 of a polynomial of order 2 is always zero"
    );
    let gap = [0.0, 0.0, f64::NAN, 0.0, 0.0];
    assert_eq!(fault(&gap, 0), "filter: sample 2 is missing; resample first, which cuts at gaps");
    let mut run = trajectory("run", vec![0.0, 1.0, 3.0, 4.0, 5.0], Dimension::Angle, vec![0.0; 5]);
    let uneven = run.smooth("x", &filter).expect_err("a fault").to_string();
    assert_eq!(uneven, "filter: the samples of \"run\" are not evenly spaced; resample first");
}

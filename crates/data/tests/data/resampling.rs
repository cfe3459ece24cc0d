//! Uniform rates from any times.

use std::f64::consts::TAU;

use gradbody_data::process::{Interpolation, Resample, unwrap_angles};
use gradbody_data::{Channel, Dimension, Trajectory};

use crate::support::trajectory;
use gradbody_math::random::Random;

fn resample(rate: f64, interpolation: Interpolation, longest_gap: f64) -> Resample {
    Resample { rate, interpolation, longest_gap }
}

/// Times with uneven steps.
fn times(seed: u64, n: usize) -> Vec<f64> {
    let mut noise = Random::new(seed);
    let mut t = 3.0;
    (0..n)
        .map(|_| {
            t += 0.01 * (1.0 + 0.6 * noise.signed());
            t
        })
        .collect()
}

#[test]
fn polynomials_of_the_order_are_kept() {
    for seed in 0..20 {
        let t = times(seed, 200);
        for (interpolation, order) in [(Interpolation::Linear, 1), (Interpolation::Cubic, 3)] {
            let value =
                |t: f64| (0..=order).map(|k| (1.0 - k as f64) * (t - 4.0).powi(k)).sum::<f64>();
            let run = trajectory(
                "run",
                t.clone(),
                Dimension::Angle,
                t.iter().map(|t| value(*t)).collect(),
            );
            for rate in [30.0, 100.0, 777.0] {
                let pieces = resample(rate, interpolation, 0.1).trajectory(&run).expect("pieces");
                let [piece] = &pieces[..] else { panic!("one piece") };
                assert_eq!((&piece.name, &piece.origin), (&run.name, &run.name));
                assert!((piece.uniform_rate().expect("uniform") - rate).abs() < 1e-6 * rate);
                assert!(piece.t[0] == run.t[0]);
                let left = run.t[199] - piece.t[piece.t.len() - 1];
                assert!(left > -1e-6 / rate && left < 1.0 / rate, "{left}");
                for (t, x) in piece.t.iter().zip(&piece.channels[0].values) {
                    assert!((x - value(*t)).abs() < 1e-11, "{seed} {rate} {t}");
                }
            }
        }
    }
}

#[test]
fn the_same_rate_changes_nothing() {
    let t: Vec<f64> = (0..1000).map(|k| k as f64 / 250.0).collect();
    let mut noise = Random::new(1);
    let run =
        trajectory("run", t.clone(), Dimension::Length, t.iter().map(|_| noise.signed()).collect());
    for interpolation in [Interpolation::Linear, Interpolation::Cubic] {
        let pieces = resample(250.0, interpolation, 0.01).trajectory(&run).expect("pieces");
        assert_eq!(pieces, std::slice::from_ref(&run));
    }
}

#[test]
fn pieces_end_at_long_gaps_and_never_reach_over_them() {
    for seed in 100..150 {
        let mut noise = Random::new(seed);
        let t: Vec<f64> = (0..300).map(|k| k as f64 * 0.01).collect();
        let mut channel = |name: &str| {
            // A value that tells its time, with holes.
            let mut hole = 0;
            let values = t.iter().map(|t| {
                if noise.signed() > 0.97 {
                    hole = (4.0 + 4.0 * noise.signed()) as usize;
                }
                hole = hole.saturating_sub(1);
                if hole > 0 { f64::NAN } else { *t }
            });
            Channel::si(name, Dimension::Length, values.collect())
        };
        let channels = vec![channel("a"), channel("b")];
        let (name, origin, file) = ("run".to_owned(), "run".to_owned(), "run.csv".to_owned());
        let run = Trajectory { name, origin, file, t: t.clone(), channels };
        let longest = 0.035;
        let pieces =
            resample(250.0, Interpolation::Cubic, longest).trajectory(&run).expect("pieces");
        assert!(pieces.len() > 1);
        for (k, piece) in pieces.iter().enumerate() {
            assert_eq!((&piece.name, &piece.origin), (&format!("run#{k}"), &run.name));
            assert!(piece.missing() == 0 && piece.t.len() > 1);
            for channel in &piece.channels {
                let original = run.channel(&channel.name).expect("a channel");
                for (at, x) in piece.t.iter().zip(&channel.values) {
                    assert!((at - x).abs() < 1e-12, "a straight line stays one");
                    let known = || t.iter().zip(&original.values).filter(|(_, x)| x.is_finite());
                    let before =
                        known().map(|(t, _)| *t).rfind(|t| *t <= at + 1e-9).expect("before");
                    let after = known().map(|(t, _)| *t).find(|t| *t >= at - 1e-9).expect("after");
                    assert!(after - before <= longest + 1e-9, "{before} {at} {after}");
                }
            }
        }
    }
}

#[test]
fn channels_of_different_clocks_come_together() {
    let t: Vec<f64> = (0..100).map(|k| k as f64 * 0.005).collect();
    let every = |n: usize, from: usize| {
        let value = |(k, t): (usize, &f64)| if k % n == from { 2.0 * t } else { f64::NAN };
        t.iter().enumerate().map(value).collect::<Vec<f64>>()
    };
    let mut run = trajectory("run", t.clone(), Dimension::Angle, every(2, 0));
    run.channels.push(Channel::si("y", Dimension::Angle, every(5, 1)));
    let pieces = resample(100.0, Interpolation::Linear, 0.03).trajectory(&run).expect("pieces");
    let [piece] = &pieces[..] else { panic!("one piece") };
    assert_eq!(piece.t[0], 0.005, "from where both are known");
    for channel in &piece.channels {
        assert!(piece.t.iter().zip(&channel.values).all(|(t, x)| (x - 2.0 * t).abs() < 1e-12));
    }
}

#[test]
fn faults() {
    let run = trajectory("run", vec![0.0, 1e9], Dimension::Angle, vec![0.0, 1.0]);
    let fault = |rate, gap| {
        let resample = resample(rate, Interpolation::Linear, gap);
        resample.trajectory(&run).expect_err("a fault").to_string()
    };
    assert_eq!(fault(0.0, 1.0), "resample: a rate of 0 Hz; it must be positive and finite");
    assert_eq!(fault(1.0, -1.0), "resample: the longest gap is -1 s; it must be positive");
    let many = "resample: \"run\" takes 1000000000 s, which is 250000000000 samples at 250 Hz";
    assert_eq!(fault(250.0, 1e10), many);
    let none = resample(1.0, Interpolation::Linear, 1.0).trajectory(&run).expect("no pieces");
    assert!(none.is_empty());
}

#[test]
fn unwrapped_angles_are_the_angles_that_were_wrapped() {
    for seed in 0..20 {
        let mut noise = Random::new(seed);
        let mut angle = 0.0;
        let whole: Vec<f64> = (0..500)
            .map(|_| {
                angle += 3.0 * noise.signed();
                angle
            })
            .collect();
        let mut wrapped: Vec<f64> = whole.iter().map(|a| a - TAU * (a / TAU).round()).collect();
        let turns = TAU * ((whole[0] - wrapped[0]) / TAU).round();
        unwrap_angles(&mut wrapped);
        assert!(whole.iter().zip(&wrapped).all(|(a, b)| (a - turns - b).abs() < 1e-9));
    }
    let mut gap = [3.0, f64::NAN, -3.0, f64::NAN];
    unwrap_angles(&mut gap);
    assert!(gap[1].is_nan() && (gap[2] - (TAU - 3.0)).abs() < 1e-15 && gap[3].is_nan());
    let mut run = trajectory("run", vec![0.0, 1.0], Dimension::Length, vec![0.0, 7.0]);
    let error = run.unwrap_angle("x").expect_err("no angle").to_string();
    assert_eq!(error, "channel \"x\" is an angle, but \"m\" is a unit of a length");
}

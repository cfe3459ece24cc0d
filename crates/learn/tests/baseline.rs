//! Learned baselines: what they learn, and that they do it alike everywhere.

use std::ops::ControlFlow;

use gradbody_learn::baseline::{
    Baseline, BaselineError, Channels, LstmOptions, MlpOptions, Sequence, TrainOptions,
    TrainedBaseline, Training, hidden_for,
};
use gradbody_learn::optimise::{Objective, Search};
use gradbody_math::random::Random;

fn quietly(_: &Search) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn train(baseline: &Baseline, sequences: &[Sequence], options: &TrainOptions) -> TrainedBaseline {
    baseline.train(sequences, options, &mut quietly).unwrap()
}

fn mlp(hidden: usize, history: usize) -> Baseline {
    Baseline::Mlp(MlpOptions { hidden: vec![hidden, hidden], history })
}

fn lstm(hidden: usize) -> Baseline {
    Baseline::Lstm(LstmOptions { hidden })
}

/// Waves of one frequency, with amplitudes and phases by chance.
fn waves(count: usize, samples: usize, seed: u64) -> Vec<Sequence> {
    let mut random = Random::new(seed);
    let wave = |_| {
        let (size, phase) = (random.between(0.5, 1.5), random.between(0.0, 6.0));
        let at = |k: usize| vec![size * (0.25 * k as f64 + phase).sin()];
        Sequence { samples: (0..samples).map(at).collect(), inputs: Vec::new() }
    };
    (0..count).map(wave).collect()
}

/// A damped pendulum that is pushed: its angle, which jumps from π to −π, and its velocity.
fn pendulums(count: usize, samples: usize, seed: u64) -> Vec<Sequence> {
    const DT: f64 = 0.05;
    const SUBSTEPS: usize = 10;
    let mut random = Random::new(seed);
    let pendulum = |_| {
        let (mut q, mut v) = (random.between(-1.5, 1.5) + 3.0, random.between(-1.0, 1.0));
        let (size, pace) = (random.between(0.0, 1.0), random.between(0.5, 2.0));
        let mut sequence = Sequence::default();
        for k in 0..samples {
            let push = size * (pace * DT * k as f64).sin();
            let wrapped = q - std::f64::consts::TAU * (q / std::f64::consts::TAU).round();
            sequence.samples.push(vec![wrapped, v]);
            sequence.inputs.push(vec![push]);
            for _ in 0..SUBSTEPS {
                // The pendulum hangs at π.
                v += DT / SUBSTEPS as f64 * (4.0 * q.sin() - 0.2 * v + push);
                q += DT / SUBSTEPS as f64 * v;
            }
        }
        sequence
    };
    (0..count).map(pendulum).collect()
}

/// The root mean square of the errors over `steps` after `warm` samples, whole turns not counted.
fn error(trained: &TrainedBaseline, sequences: &[Sequence], warm: usize, steps: usize) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for Sequence { samples, inputs } in sequences {
        let predicted = trained.predict(&samples[..warm], inputs, steps).unwrap();
        assert_eq!(predicted.len(), steps);
        for (found, expected) in predicted.iter().zip(&samples[warm..]) {
            for (found, expected) in found.iter().zip(expected) {
                let off = found - expected;
                let off = if off.abs() > 4.0 { off.sin().asin() } else { off };
                sum += off * off;
                count += 1.0;
            }
        }
    }
    f64::sqrt(sum / count)
}

/// The error over that of holding the velocity, on sequences not trained on.
fn compare(
    name: &str,
    baseline: &Baseline,
    make: fn(usize, usize, u64) -> Vec<Sequence>,
    options: &TrainOptions,
) -> f64 {
    let (seen, unseen) = (make(24, 120, 1), make(12, 120, 2));
    let trained = train(baseline, &seen, options);
    let held = train(&Baseline::HoldVelocity, &seen, options);
    let (found, held) = (error(&trained, &unseen, 20, 40), error(&held, &unseen, 20, 40));
    println!("{name}: rms {found:.4} with {} weights, {held:.4} held", trained.n_weights());
    found / held
}

#[test]
fn a_sine_wave_is_learned() {
    let options = TrainOptions {
        horizon: 32,
        epochs: 120,
        batch: 16,
        stride: Some(8),
        learning_rate: 0.01,
        ..TrainOptions::default()
    };
    for (name, baseline) in [("sine, mlp", mlp(12, 2)), ("sine, lstm", lstm(10))] {
        let relative = compare(name, &baseline, waves, &options);
        assert!(relative < 0.1, "{name}: {relative} of the error of holding the velocity");
    }
}

#[test]
fn a_damped_pendulum_is_learned() {
    let angles = vec![true, false];
    let options =
        TrainOptions { epochs: 100, batch: 16, stride: Some(8), angles, ..TrainOptions::default() };
    for (name, baseline) in [("pendulum, mlp", mlp(16, 3)), ("pendulum, lstm", lstm(12))] {
        let relative = compare(name, &baseline, pendulums, &options);
        assert!(relative < 0.2, "{name}: {relative} of the error of holding the velocity");
    }
}

#[test]
fn the_gradient_is_that_of_central_differences() {
    const STEP: f64 = 1e-6;
    let sequences = pendulums(3, 47, 3);
    let angles = vec![true, false];
    // 11 windows: more than the vectors hold, and not a multiple of that.
    let options =
        TrainOptions { horizon: 9, warm_up: 4, batch: 4, angles, ..TrainOptions::default() };
    for baseline in [mlp(4, 3), lstm(3)] {
        let training = Training::new(&baseline, &sequences, &options).unwrap();
        let mut random = Random::new(5);
        let mut x: Vec<f64> = (0..training.len()).map(|_| random.between(-0.5, 0.5)).collect();
        let mut gradient = vec![0.0; x.len()];
        let cost = training.gradient(&x, &mut gradient);
        assert!((training.cost(&x) - cost).abs() <= 1e-14 * cost);
        let size = gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
        for i in 0..x.len() {
            let at = x[i];
            x[i] = at + STEP;
            let above = training.cost(&x);
            x[i] = at - STEP;
            let below = training.cost(&x);
            x[i] = at;
            let error = (gradient[i] - (above - below) / (2.0 * STEP)).abs();
            assert!(error <= 1e-7 * size, "{baseline:?}: weight {i} is off by {error:e}");
        }
        // The cost is the mean of its parts.
        assert!(training.parts() > 1);
        let (mut mean, mut mean_cost) = (vec![0.0; x.len()], 0.0);
        for part in 0..training.parts() {
            let mut of_part = vec![0.0; x.len()];
            mean_cost += training.part_gradient(part, &x, &mut of_part) / training.parts() as f64;
            mean.iter_mut().zip(of_part).for_each(|(m, g)| *m += g / training.parts() as f64);
        }
        assert!((mean_cost - cost).abs() <= 1e-14 * cost);
        assert!(mean.iter().zip(&gradient).all(|(m, g)| (m - g).abs() <= 1e-13 * size));
    }
}

#[test]
fn one_thread_and_four_give_the_same_bits() {
    let sequences = pendulums(8, 100, 4);
    let angles = vec![true, false];
    let options = TrainOptions { epochs: 3, batch: 30, angles, ..TrainOptions::default() };
    for (baseline, horizon) in [(mlp(6, 2), 1), (lstm(5), 16)] {
        let options = TrainOptions { horizon, ..options.clone() };
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| train(&baseline, &sequences, &options))
        };
        let bits = |trained: &TrainedBaseline| -> Vec<u64> {
            trained.weights().iter().map(|w| w.to_bits()).collect()
        };
        let (one, four) = (on(1), on(4));
        assert_eq!(bits(&one), bits(&four));
        let other = train(&baseline, &sequences, &TrainOptions { seed: 1, ..options.clone() });
        assert_ne!(bits(&one), bits(&other));
        // Written and read, it predicts the same.
        let written = serde_json::to_string(&one).unwrap();
        let read: TrainedBaseline = serde_json::from_str(&written).unwrap();
        assert_eq!(read, one);
    }
}

#[test]
fn a_held_velocity_goes_on_without_jumps() {
    let samples: Vec<Vec<f64>> = [3.0, 3.1, -3.083185307179586].map(|x| vec![x]).to_vec();
    let sequences = [Sequence { samples: samples.clone(), inputs: Vec::new() }];
    let options = TrainOptions { angles: vec![true], ..TrainOptions::default() };
    let trained = train(&Baseline::HoldVelocity, &sequences, &options);
    assert_eq!(trained.n_weights(), 0);
    for (found, expected) in trained.predict(&samples, &[], 2).unwrap().iter().zip([-2.983, -2.883])
    {
        assert!((found[0] - expected).abs() < 1e-3, "{found:?} {expected}");
    }
    let still = trained.predict(&samples[..1], &[], 1).unwrap();
    assert_eq!(still, [[3.0]]);
}

#[test]
fn time_is_kept() {
    let options = TrainOptions { epochs: 1_000_000, seconds: Some(0.3), ..TrainOptions::default() };
    let began = std::time::Instant::now();
    let trained = train(&lstm(8), &waves(24, 120, 1), &options);
    let seconds = began.elapsed().as_secs_f64();
    assert!(seconds < 2.0, "{seconds} s");
    assert!(error(&trained, &waves(4, 120, 2), 20, 40).is_finite());
}

#[test]
fn a_network_can_have_about_as_many_weights_as_another_model() {
    let channels = Channels { channels: 4, angles: 2, inputs: 1 };
    for baseline in [mlp(1, 4), lstm(1)] {
        let hidden = hidden_for(&baseline, 2000, &channels);
        let row = |n: usize| vec![vec![0.5; n]; 40];
        let sequences = [Sequence { samples: row(4), inputs: row(1) }];
        let options = TrainOptions {
            epochs: 0,
            angles: vec![true, true, false, false],
            ..TrainOptions::default()
        };
        let trained = train(&baseline.with_hidden(hidden), &sequences, &options);
        println!("{hidden} hidden: {} weights", trained.n_weights());
        assert!(trained.n_weights().abs_diff(2000) < 100);
    }
    assert_eq!(hidden_for(&Baseline::HoldVelocity, 2000, &channels), 0);
    assert_eq!(hidden_for(&lstm(7), 0, &channels), 1);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let fail = |baseline: &Baseline, sequences: &[Sequence], options: &TrainOptions| {
        baseline.train(sequences, options, &mut quietly).unwrap_err()
    };
    let options = TrainOptions { horizon: 10, warm_up: 5, ..TrainOptions::default() };
    let good = waves(2, 15, 1);
    assert_eq!(fail(&lstm(2), &[], &options), BaselineError::NoSequences);
    let short = [good[0].clone(), waves(1, 14, 1).remove(0)];
    let error = fail(&lstm(2), &short, &options);
    assert_eq!(error, BaselineError::TooShort { sequence: 1, given: 14, needed: 15 });
    println!("{error}");
    let empty = [Sequence { samples: vec![vec![]; 20], inputs: Vec::new() }];
    assert_eq!(fail(&lstm(2), &empty, &options), BaselineError::NoChannels);
    assert_eq!(
        fail(&mlp(2, 6), &good, &options),
        BaselineError::Option { option: "warm-up", given: 5, least: 6 }
    );
    for wrong in [
        TrainOptions { horizon: 0, ..options.clone() },
        TrainOptions { warm_up: 1, ..options.clone() },
        TrainOptions { batch: 0, ..options.clone() },
        TrainOptions { stride: Some(0), ..options.clone() },
        TrainOptions { warm_up: usize::MAX, ..options.clone() },
        TrainOptions { seconds: Some(f64::NAN), ..options.clone() },
        TrainOptions { angles: vec![true, false], ..options.clone() },
        TrainOptions { learning_rate: -1.0, ..options.clone() },
    ] {
        println!("{}", fail(&lstm(2), &good, &wrong));
    }
    println!("{}", fail(&lstm(0), &good, &options));
    println!("{}", fail(&mlp(2, 0), &good, &options));
    let mut broken = good.clone();
    broken[1].samples[3][0] = f64::NAN;
    println!("{}", fail(&lstm(2), &broken, &options));
    broken[1].samples[3] = vec![1.0, 2.0];
    println!("{}", fail(&lstm(2), &broken, &options));
    let mut pushed = good.clone();
    pushed[0].inputs = vec![vec![1.0]; 15];
    println!("{}", fail(&lstm(2), &pushed, &options));
    pushed[1].inputs = vec![vec![1.0]; 14];
    let trained = train(&lstm(2), &pushed, &TrainOptions { epochs: 1, ..options });
    let warm = &good[0].samples[..5];
    assert!(trained.predict(warm, &vec![vec![1.0]; 14], 10).is_ok());
    assert!(trained.predict(warm, &vec![vec![1.0]; 4], 0).unwrap().is_empty());
    println!("{}", trained.predict(warm, &vec![vec![1.0]; 13], 10).unwrap_err());
    println!("{}", trained.predict(warm, &[vec![1.0, 2.0]], 10).unwrap_err());
    println!("{}", trained.predict(&warm[..1], &[], 10).unwrap_err());
    println!("{}", trained.predict(&[vec![], vec![]], &[], 10).unwrap_err());
}

//! Learners as a whole: they improve, go on with the same bits, and say what is wrong.

use gradbody_env::{Description, Environment};
use gradbody_policy::{
    AdamOptions, Evaluation, Learner, LearningRate, Mbpo, MbpoOptions, ModelOptions,
    PolicyEnhancement, Ppo, PpoOptions, Sac, SacOptions, SampleEnhancement, Snapshot, TrainError,
};

fn mean_return(learner: &dyn Learner, of: &Description) -> f64 {
    Evaluation::run::<f64>(learner.actor(), of, 5, 99).expect("an evaluation").mean()
}

fn train(learner: &mut dyn Learner, samples: u64) {
    let mut done = 0;
    while done < samples {
        done += learner.advance().expect("an iteration").samples;
    }
}

/// Small networks, which a test has time for.
fn small_sac(seed: u64) -> SacOptions {
    SacOptions {
        seed,
        hidden: vec![32, 32],
        minibatch: 64,
        samples: 200,
        random_samples: 200,
        adam: AdamOptions { learning_rate: 1e-3, ..Default::default() },
        ..Default::default()
    }
}

fn small_ppo(seed: u64) -> PpoOptions {
    PpoOptions {
        seed,
        hidden: vec![32, 32],
        minibatch: 128,
        steps: 64,
        adam: AdamOptions { learning_rate: 1e-3, ..Default::default() },
        ..Default::default()
    }
}

fn small_mbpo(seed: u64) -> MbpoOptions {
    MbpoOptions {
        seed,
        sac: small_sac(0),
        updates_per_sample: 0.2,
        models: ModelOptions {
            members: 3,
            elites: 2,
            hidden: vec![32, 32],
            updates: 20,
            every: 100,
            ..Default::default()
        },
        rollouts: 200,
        ..Default::default()
    }
}

/// The pole falls after some steps at first, of 1000.
#[test]
fn ppo_learns_to_balance_a_pole() {
    let of = Environment::InvertedPendulum.describe();
    let mut ppo = Ppo::<f32>::new(&of, small_ppo(1)).expect("a learner");
    let before = mean_return(&ppo, &of);
    train(&mut ppo, 16_000);
    let after = mean_return(&ppo, &of);
    assert!(after > before + 400.0, "{before} {after}");
}

#[test]
fn sac_learns_to_balance_a_pole() {
    let of = Environment::InvertedPendulum.describe();
    let mut sac = Sac::<f32>::new(&of, small_sac(1)).expect("a learner");
    let before = mean_return(&sac, &of);
    train(&mut sac, 7_000);
    let after = mean_return(&sac, &of);
    assert!(after > before + 400.0, "{before} {after}");
}

/// The learning rate after each of two iterations of 1024 samples.
fn rates(learning_rate: LearningRate) -> Vec<f64> {
    let of = Environment::Reacher.describe();
    let options = PpoOptions { learning_rate, ..small_ppo(0) };
    let mut ppo = Ppo::<f32>::new(&of, options).expect("a learner");
    let rate = |ppo: &mut Ppo<f32>| {
        let details = ppo.advance().expect("an iteration").details;
        details.iter().find(|(name, _)| *name == "learning rate").expect("the rate").1
    };
    (0..2).map(|_| rate(&mut ppo)).collect()
}

#[test]
fn the_learning_rate_stays_falls_or_follows_the_change_of_the_policy() {
    let near = |found: Vec<f64>, expected: [f64; 2]| {
        let close = found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-9);
        assert!(close, "{found:?} {expected:?}");
    };
    near(rates(LearningRate::Constant), [1e-3, 1e-3]);
    near(rates(LearningRate::Falling { samples: 4096 }), [0.75e-3, 0.5e-3]);
    near(rates(LearningRate::Falling { samples: 1500 }), [1e-3 * (1.0 - 1024.0 / 1500.0), 0.0]);
    // The policy changes by more than the one and by less than the other.
    near(rates(LearningRate::Adaptive { kl: 1e-9 }), [1e-3 / 1.5, 1e-3 / 2.25]);
    near(rates(LearningRate::Adaptive { kl: 1e9 }), [1.5e-3, 2.25e-3]);
}

/// The learners of all tests below.
fn learners(of: &Description) -> Vec<(&'static str, Box<dyn Learner>)> {
    let sac = |options| Box::new(Sac::<f32>::new(of, options).expect("SAC")) as Box<dyn Learner>;
    let policy = PolicyEnhancement { samples: 16, longest_gradient: 3.0 };
    vec![
        ("PPO", Box::new(Ppo::<f32>::new(of, small_ppo(2)).expect("PPO"))),
        ("SAC", sac(small_sac(2))),
        ("policy", sac(SacOptions { policy_enhancement: Some(policy), ..small_sac(2) })),
        (
            "sample",
            sac(SacOptions {
                sample_enhancement: Some(SampleEnhancement::default()),
                ..small_sac(2)
            }),
        ),
        ("MBPO", Box::new(Mbpo::<f32>::new(of, small_mbpo(2)).expect("MBPO"))),
    ]
}

/// What a learner remembers after some iterations on so many threads.
fn remembered(threads: usize, of: &Description, index: usize) -> Snapshot {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| {
        let (_, mut learner) = learners(of).swap_remove(index);
        (0..3).for_each(|_| drop(learner.advance().expect("an iteration")));
        learner.snapshot()
    })
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let of = Environment::Hopper.describe();
    for index in 0..5 {
        assert_eq!(remembered(1, &of, index), remembered(3, &of, index), "learner {index}");
    }
}

#[test]
fn a_restored_learner_goes_on_with_the_same_bits() {
    let of = Environment::Hopper.describe();
    for ((name, mut first), (_, mut second)) in learners(&of).into_iter().zip(learners(&of)) {
        (0..2).for_each(|_| drop(first.advance().expect("an iteration")));
        let between = first.snapshot();
        // It has been elsewhere.
        second.advance().expect("an iteration");
        second.restore(&between).expect("a snapshot of its own kind");
        assert_eq!(between, second.snapshot(), "{name}");
        for _ in 0..2 {
            let (one, other) = (first.advance(), second.advance());
            assert_eq!(one.expect("an iteration"), other.expect("an iteration"), "{name}");
        }
        assert_eq!(first.snapshot(), second.snapshot(), "{name}");
    }
}

#[test]
fn a_snapshot_of_another_learner_is_refused_by_name() {
    let of = Environment::Reacher.describe();
    let mut all = learners(&of);
    let ppo = all[0].1.snapshot();
    let refused = all[1].1.restore(&ppo).expect_err("PPO is not SAC").to_string();
    assert!(refused.contains("checkpoint") || refused.contains("snapshot"), "{refused}");
}

/// With a learning rate of ten everything grows beyond bounds: one error says so.
#[test]
fn a_training_that_diverges_ends_with_an_error() {
    let of = Environment::HalfCheetah.describe();
    let adam = AdamOptions { learning_rate: 10.0, ..Default::default() };
    let mut sac = Sac::<f32>::new(&of, SacOptions { adam, ..small_sac(0) }).expect("a learner");
    let failed = (0..20).find_map(|_| sac.advance().err());
    let Some(TrainError::NotFinite { samples, .. }) = failed else { panic!("{failed:?}") };
    assert!(samples > 200, "{samples}");
}

#[test]
fn options_out_of_range_are_refused_by_name() {
    let of = Environment::Reacher.describe();
    let ppo = |options| Ppo::<f32>::new(&of, options).err().map(|e| e.to_string());
    let sac = |options| Sac::<f32>::new(&of, options).err().map(|e| e.to_string());
    let mbpo = |options| Mbpo::<f32>::new(&of, options).err().map(|e| e.to_string());
    let cases = [
        (ppo(PpoOptions { clip: 0.0, ..Default::default() }), "clip"),
        (ppo(PpoOptions { minibatch: 1_000_000, ..Default::default() }), "minibatch"),
        (ppo(PpoOptions { discount: f32::NAN, ..Default::default() }), "discount"),
        (sac(SacOptions { worlds: 0, ..Default::default() }), "worlds"),
        (sac(SacOptions { tracking: 2.0, ..Default::default() }), "tracking"),
        (sac(SacOptions { updates_per_sample: f64::NAN, ..Default::default() }), "updates"),
        (mbpo(MbpoOptions { imagined: 1.5, ..Default::default() }), "imagined"),
    ];
    for (refused, part) in cases {
        let refused = refused.unwrap_or_default();
        assert!(refused.contains(part), "{part}: {refused}");
    }
}

#[test]
fn unknown_options_are_refused() {
    assert!(serde_json::from_str::<SacOptions>(r#"{"miniball": 3}"#).is_err());
    assert!(serde_json::from_str::<PpoOptions>(r#"{"epoch": 3}"#).is_err());
    let text = r#"{"policy-enhancement": {"samples": 32}, "temperature": {"fixed": 0.1}}"#;
    let read: SacOptions = serde_json::from_str(text).expect("options");
    assert_eq!(read.policy_enhancement.map(|by| by.samples), Some(32));
}

//! The page about a training.

use gradbody_model::{FrameId, JointSpec, ModelBuilder};
use gradbody_train::{AgeShown, Ending, Evaluated, Moved, Point, TrainOutcome};

use super::{page, summary};

/// A training of two evaluations, with a motion.
fn outcome() -> TrainOutcome {
    let rod = gradbody_math::Inertia {
        mass: 1.0,
        com: gradbody_math::Vec3::new(0.0, 0.0, -0.5),
        rotational: gradbody_math::Sym3::diagonal(gradbody_math::Vec3::new(0.08, 0.08, 0.001)),
    };
    let mut builder = ModelBuilder::new("pendulum");
    let hinge = JointSpec::revolute("hinge", gradbody_math::Vec3::Y);
    builder.link("rod", FrameId::WORLD, hinge, rod).expect("a link");
    let point = |seconds: f64, mean: f64| Point {
        seconds,
        processor_seconds: Some(2.0 * seconds),
        samples: (1e5 * seconds) as u64,
        gradient_samples: (1e5 * seconds) as u64,
        updates: 3,
        noisy: Some(0.5 * mean),
        evaluated: Some(Evaluated { mean, deviation: 10.0, length: 200.0 }),
    };
    let points = vec![point(0.0, 12.0), point(40.0, 3100.0)];
    let model = builder.build().expect("a model");
    let poses = gradbody_draw::poses(&model, [&[0.1][..], &[0.4]]);
    let moved = Moved { times: vec![0.0, 0.5], poses, reward: 31.0 };
    TrainOutcome {
        name: "swing".into(),
        environment: "Pendulum".into(),
        method: "shac".into(),
        seed: 3,
        sizes: [2, 1],
        seconds_per_action: 0.05,
        time_limit: 200,
        episodes: 20,
        wanted: Some(3000.0),
        ages: points.iter().map(|point| AgeShown { point: *point, moved: moved.clone() }).collect(),
        points,
        best: Some(1),
        ended: Some(Ending::Return),
        options: vec![("shac.horizon".into(), "16".into())],
        ranges: vec![("link/rod/mass".into(), 0.8, 1.2)],
        threads: 2,
        scene: gradbody_draw::Scene::of(&model),
    }
}

#[test]
fn the_page_tells_how_the_return_grew_and_shows_the_policy() {
    let page = page(&outcome(), "out folder");
    for text in [
        "swing: a policy for Pendulum",
        "The mean return grew from 12 to 3100 in 40 s and 4\u{202f}000\u{202f}000 samples by shac: reached the return that was asked for.",
        "A return of 3000 is asked for; it was reached after 40 s and 4\u{202f}000\u{202f}000 samples.",
        "Return over wall-clock time",
        "Return over differentiated samples",
        "After 40 s, 4\u{202f}000\u{202f}000 samples: mean return 3100",
        "shac.horizon",
        "link/rod/mass",
        "gradbody play out folder/policy.safetensors",
    ] {
        assert!(page.contains(text), "no \"{text}\" in the page");
    }
    assert_eq!(page.matches("div class=\"player\"").count(), 2);
}

#[test]
fn the_summary_says_what_was_not_reached() {
    let mut outcome = outcome();
    outcome.points.truncate(1);
    outcome.best = Some(0);
    outcome.ended = None;
    let text = summary(&outcome);
    assert!(
        text.starts_with(
            "swing: No policy was better than the untrained one, which returns 12, in "
        ),
        "{text}"
    );
    assert!(text.contains("it was interrupted"), "{text}");
    assert!(text.contains("A return of 3000 is asked for; it was not reached."), "{text}");
}

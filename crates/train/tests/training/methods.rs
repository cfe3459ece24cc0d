//! Every method trains by its task, in both precisions, and goes on from a checkpoint with the same bits.

use gradbody_train::{Run, Setup, Task};

fn setup(text: &str) -> Setup {
    Setup::new(Task::from_toml(text, "pole.toml").expect("a task")).expect("an environment")
}

fn go(run: &mut Run) {
    while run.advance() {}
    assert_eq!(run.journal().ended, Some(gradbody_train::Ending::Samples));
}

#[test]
fn every_method_goes_on_from_a_checkpoint_with_the_same_bits() {
    let small_sac = "samples = 100, random-samples = 100, minibatch = 16, hidden = [8]";
    for (method, options) in [
        ("shac", "worlds = 8, actor = [8], critic = [8]".to_owned()),
        ("ppo", "steps = 16, epochs = 2, hidden = [8]".to_owned()),
        ("sac", small_sac.to_owned()),
        (
            "mbpo",
            format!(
                "sac = {{ {small_sac} }}, rollouts = 10, models = {{ members = 2, elites = 1, hidden = [8], updates = 5, every = 100 }}"
            ),
        ),
    ] {
        for precision in ["f64", "f32"] {
            if precision == "f32" && !cfg!(feature = "f32") {
                continue;
            }
            let text = format!(
                "environment = \"InvertedPendulum\"\nmethod = \"{method}\"\nprecision = \"{precision}\"\nseed = 3\n\
                 limits = {{ samples = 600 }}\n{method} = {{ {options} }}\nevaluate = {{ episodes = 2, every = \"200 samples\" }}\n\
                 [randomise]\nfactor = {{ \"link/*/mass\" = [0.9, 1.1] }}\ndelay = [0, 1]\n"
            );
            let mut whole = Run::new(setup(&text), &text).expect("a learner");
            go(&mut whole);
            let mut half = Run::new(setup(&text), &text).expect("a learner");
            while half.journal().now.samples < 200 {
                assert!(half.advance());
            }
            let mut bytes = Vec::new();
            half.write_checkpoint(&mut bytes).expect("memory takes it");
            let mut resumed = Run::resume(setup(&text), &text, &bytes).expect("its own");
            go(&mut resumed);
            assert_eq!(resumed.last().actor, whole.last().actor, "{method} in {precision}");
            assert_ne!(half.last().actor, whole.last().actor, "{method} in {precision}");
            let outcome = resumed.outcome();
            assert!(outcome.options.iter().any(|(key, _)| key.starts_with(&format!("{method}."))));
        }
    }
}

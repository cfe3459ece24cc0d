//! Training from its beginning to its end, and after interruptions.

use gradbody_train::{Ending, Run, Setup, Task};

use crate::random_search::RandomSearch;

pub(crate) const POLE: &str = r#"
environment = "InvertedPendulum"
method = "ppo"
seed = 5
limits = { samples = 60000, return = 950 }
[evaluate]
episodes = 5
every = "4000 samples"
"#;

pub(crate) fn setup(text: &str) -> Setup {
    Setup::new(Task::from_toml(text, "pole.toml").expect("a task")).expect("an environment")
}

pub(crate) fn begin(text: &str) -> Run {
    let setup = setup(text);
    let learner = RandomSearch::new(&setup.environment, setup.task.seed);
    Run::with_learner(setup, text, Box::new(learner))
}

fn resume(text: &str, bytes: &[u8]) -> Result<Run, String> {
    let setup = setup(text);
    let learner = RandomSearch::new(&setup.environment, setup.task.seed);
    Run::resume_with(setup, text, bytes, Box::new(learner)).map_err(|error| error.to_string())
}

fn checkpoint(run: &Run) -> Vec<u8> {
    let mut bytes = Vec::new();
    run.write_checkpoint(&mut bytes).expect("memory takes it");
    bytes
}

#[test]
fn training_reaches_the_return_that_is_asked_for() {
    let mut run = begin(POLE);
    while run.advance() {}
    assert_eq!(run.journal().ended, Some(Ending::Return));
    let outcome = run.outcome();
    let first = outcome.points[0].evaluated.expect("the untrained policy is evaluated");
    assert_eq!(outcome.points[0].samples, 0);
    let best = outcome.best_point().and_then(|point| point.evaluated).expect("evaluated");
    assert!(first.mean < 300.0 && best.mean >= 950.0, "{first:?} {best:?}");
    assert_eq!(outcome.reached(), outcome.points.last());
    // The report has the policy at several ages; an old one keeps the pole up longer.
    let lasts = |k: usize| *outcome.ages[k].moved.times.last().expect("a motion");
    assert!(outcome.ages.len() > 1 && lasts(0) < lasts(outcome.ages.len() - 1), "{}", lasts(0));
    let policy = run.best().expect("evaluated");
    let training = policy.about.training.expect("it was trained");
    assert_eq!(training.mean_return, Some(best.mean));
    assert_eq!(training.task, POLE);
}

#[test]
fn training_that_is_resumed_has_the_same_bits() {
    let mut whole = begin(POLE);
    while whole.advance() {}
    let mut run = begin(POLE);
    let mut resumed = 0;
    for iteration in 1.. {
        if !run.advance() {
            break;
        }
        if iteration % 5 == 0 {
            run = resume(POLE, &checkpoint(&run)).expect("its own checkpoint");
            resumed += 1;
        }
    }
    assert!(resumed > 1, "{resumed}");
    assert_eq!(run.last().actor, whole.last().actor);
    assert_eq!(run.best().map(|policy| policy.actor), whole.best().map(|policy| policy.actor));
    let evaluations = |run: &Run| -> Vec<(u64, f64)> {
        let points = run.journal().points.iter();
        points.filter_map(|point| Some((point.samples, point.evaluated?.mean))).collect()
    };
    assert_eq!(evaluations(&run), evaluations(&whole));
    assert_eq!(run.journal().now.samples, whole.journal().now.samples);
}

#[test]
fn threads_change_no_bit() {
    let short = POLE.replace("60000", "3000");
    let trained = |threads| {
        let mut run = begin(&short).with_threads(threads).expect("threads");
        while run.advance() {}
        run.last().actor
    };
    assert_eq!(trained(1), trained(3));
}

#[test]
fn limits_may_change_and_the_rest_may_not() {
    let mut run = begin(&POLE.replace("60000", "2000"));
    while run.advance() {}
    assert_eq!(run.journal().ended, Some(Ending::Samples));
    let samples = run.journal().now.samples;
    let bytes = checkpoint(&run);
    let longer = POLE.replace("60000", "4000").replace("episodes = 5", "episodes = 6");
    let mut run = resume(&longer, &bytes).expect("only its limits changed");
    assert!(run.advance() && run.journal().now.samples > samples);
    let told = |text: &str| resume(text, &bytes).err().expect("refused");
    let changed = "resume: the task has changed since this training began";
    assert_eq!(told(&POLE.replace("\"ppo\"", "\"sac\"")), changed);
    assert_eq!(told(&POLE.replace("seed = 5", "seed = 6")), changed);
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    let told = resume(POLE, &damaged).err().expect("refused");
    assert_eq!(told, "resume: the file is damaged: its checksum does not match its contents");
}

#[test]
fn a_policy_that_is_no_longer_finite_ends_training_and_the_best_is_kept() {
    let setup = setup(POLE);
    let mut learner = RandomSearch::new(&setup.environment, 5);
    learner.breaks_after = Some(4);
    let mut run = Run::with_learner(setup, POLE, Box::new(learner));
    while run.advance() {}
    let Some(Ending::Failed(why)) = &run.journal().ended else {
        panic!("{:?}", run.journal().ended);
    };
    assert!(
        why.starts_with("after ")
            && why.ends_with(
                " samples the policy is no longer finite; a smaller learning rate may help"
            ),
        "{why}"
    );
    assert!(run.best().is_some_and(|policy| policy.actor.is_finite()));
}

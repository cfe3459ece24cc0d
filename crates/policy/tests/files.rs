//! Policies in files: what is written is read, and what does not fit is said.

use gradbody_env::{Description, Environment};
use gradbody_neural::Activation;
use gradbody_policy::{About, Actor, DenseRows, Head, PolicyFile, Spread, Training, onnx};

/// A policy with odd numbers everywhere.
fn policy(environment: Environment, head: Head) -> PolicyFile {
    let of = environment.describe();
    let mut actor = Actor::new(&of, &[6, 5], Activation::Elu, head, 3).expect("an actor");
    let seen: Vec<f64> =
        (0..40 * of.n_observations()).map(|k| (k as f64 * 0.7).sin() + 0.3).collect();
    actor.normaliser.see(&seen);
    actor.normaliser.settle();
    actor.weights.iter_mut().enumerate().for_each(|(k, w)| *w += (k as f32 * 0.37).sin() * 0.4);
    let training = Training { method: "test".into(), samples: 7, ..Training::default() };
    let about = About { training: Some(training), ..About::of(&of) };
    PolicyFile { actor, about }
}

fn shared(n: usize) -> Head {
    Head { spread: Spread::Shared(vec![-0.5; n]), squashed: false }
}

fn acts(policy: &PolicyFile, of: &Description) -> Vec<f64> {
    let mut rows = DenseRows::new(&policy.actor.network, "policy").expect("dense layers");
    let seen: Vec<f64> = (0..9 * of.n_observations()).map(|k| (k as f64).cos()).collect();
    let mut actions = Vec::new();
    policy.actor.act(&mut rows, &seen, &mut actions);
    actions
}

#[test]
fn a_policy_acts_the_same_after_it_was_written_and_read() {
    let folder = tempfile::tempdir().expect("a folder");
    for (environment, head) in [
        (Environment::Hopper, shared(3)),
        (Environment::LaikagoWalk, Head { spread: Spread::OfNetwork, squashed: true }),
    ] {
        let written = policy(environment, head);
        let path = folder.path().join("policy.safetensors");
        written.write(&path).expect("written");
        let bytes = std::fs::read(&path).expect("bytes");
        let read = PolicyFile::read(&path).expect("read");
        assert_eq!(read.about, written.about);
        assert_eq!(read.actor.head, written.actor.head);
        let of = environment.describe();
        read.about.check(&of).expect("the same environment");
        let actions = acts(&written, &of);
        assert!(actions.windows(2).any(|pair| pair[0] != pair[1]));
        assert_eq!(acts(&read, &of), actions);
        read.write(&path).expect("written again");
        assert_eq!(std::fs::read(&path).expect("bytes"), bytes, "the same bytes again");
    }
}

#[test]
fn a_changed_or_missing_byte_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("policy.safetensors");
    policy(Environment::InvertedPendulum, shared(1)).write(&path).expect("written");
    let bytes = std::fs::read(&path).expect("bytes");
    for k in (0..bytes.len()).step_by(5) {
        let mut changed = bytes.clone();
        changed[k] ^= 0x02;
        std::fs::write(&path, &changed).expect("written");
        assert!(PolicyFile::read(&path).is_err(), "byte {k} of {} was changed", bytes.len());
    }
    for length in (0..bytes.len()).step_by(17) {
        std::fs::write(&path, &bytes[..length]).expect("written");
        assert!(PolicyFile::read(&path).is_err(), "{length} bytes of {}", bytes.len());
    }
}

#[test]
fn a_file_that_is_no_policy_is_said_to_be_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = |name: &str| {
        let error = PolicyFile::read(folder.path().join(name)).expect_err("no policy").to_string();
        error.split_once(": ").expect("a file").1.to_owned()
    };
    assert_eq!(told("none"), "no such file");
    assert_eq!(told(""), "this is a folder; name a policy file such as policy.safetensors");
    std::fs::write(folder.path().join("text"), "hello, this is no policy").expect("written");
    assert!(told("text").starts_with("not a safetensors file: "), "{}", told("text"));
    let network =
        gradbody_neural::Network::perceptron(&[2, 2], Activation::Tanh).expect("a network");
    let weights = gradbody_neural::NamedWeights {
        name: "",
        network: &network,
        weights: &vec![0.5; network.n_weights()],
    };
    gradbody_neural::write_weights(folder.path().join("knee"), &[weights], &Default::default())
        .expect("written");
    assert_eq!(
        told("knee"),
        "not a policy: its metadata have no entry \"policy\"; gradbody train writes such files"
    );
}

#[test]
fn another_environment_is_said_with_the_first_difference() {
    let hopper = policy(Environment::Hopper, shared(3));
    let told = |of: Description| hopper.about.check(&of).expect_err("another");
    assert_eq!(
        told(Environment::Ant.describe()),
        "the policy is for Hopper with 11 observations, but Ant has 105"
    );
    let mut other = Environment::Hopper.describe();
    other.frame_skip = 2;
    assert_eq!(
        told(other),
        "the policy is for Hopper, where an action lasts 0.008 s, but in Hopper it lasts 0.004 s"
    );
    let cheetah = policy(Environment::HalfCheetah, shared(6));
    assert_eq!(
        cheetah.about.check(&Environment::Walker2d.describe()).expect_err("another"),
        "the policy is for HalfCheetah, whose observation 3 is \"q/back_thigh\", but in Walker2d it is \"q/right_hip\""
    );
}

/// That its numbers are right is tested by ONNX itself: python/tests/test_policies.py.
#[test]
fn an_onnx_file_names_its_inputs_and_outputs() {
    let policy = policy(Environment::Hopper, shared(3));
    let bytes = onnx(&policy.actor, &policy.about).expect("dense layers");
    let has = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has("observations") && has("actions") && has("Gemm") && has("Elu") && has("Hopper"));
}

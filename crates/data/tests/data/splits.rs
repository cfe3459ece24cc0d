//! Parts of a set: whole recordings, each in one.

use gradbody_data::process::{
    Fractions, Interpolation, Named, Parts, ProcessError, Resample, Split, Trim, exclude,
};
use gradbody_data::{DataSet, Dimension};

use crate::support::trajectory;

/// Recordings with a gap in their middle.
fn set(n: usize) -> DataSet {
    let t: Vec<f64> = (0..20).map(f64::from).collect();
    let x: Vec<f64> = (0..20).map(|k| if k == 10 { f64::NAN } else { 0.0 }).collect();
    let run = |k| trajectory(&format!("runs/{k}"), t.clone(), Dimension::Angle, x.clone());
    DataSet { trajectories: (0..n).map(run).collect(), files: Vec::new() }
}

fn fractions(train: f64, validation: f64, test: f64, seed: u64) -> Split {
    Split::Fractions(Fractions { train, validation, test, seed })
}

fn counts(parts: &Parts) -> [usize; 3] {
    [&parts.train, &parts.validation, &parts.test].map(|part| part.origins().len())
}

#[test]
fn fractions_of_recordings() {
    for n in [10, 40, 101] {
        for seed in 0..20 {
            let parts = fractions(0.7, 0.2, 0.1, seed).apply(&set(n)).expect("parts");
            let [train, validation, test] = counts(&parts);
            assert_eq!(train + validation + test, n);
            let near = |count: usize, f: f64| (count as f64 - f * n as f64).abs() <= 1.0;
            assert!(near(train, 0.7) && near(validation, 0.2) && near(test, 0.1));
            assert!(parts.left_out.is_empty());
            let again = fractions(0.7, 0.2, 0.1, seed).apply(&set(n)).expect("parts");
            assert_eq!(again.train.origins(), parts.train.origins());
            assert_eq!(again.test.origins(), parts.test.origins());
        }
    }
    let by_seed = |seed| fractions(0.5, 0.0, 0.5, seed).apply(&set(40)).expect("parts");
    assert_ne!(by_seed(1).train.origins(), by_seed(2).train.origins());
    assert!(by_seed(1).validation.trajectories.is_empty(), "none was asked for");
}

#[test]
fn fractions_need_not_sum_to_one() {
    let parts = fractions(0.1, 0.05, 0.05, 3).apply(&set(60)).expect("parts");
    assert_eq!(counts(&parts), [6, 3, 3]);
    assert_eq!(parts.left_out.len(), 48);
    let used = [&parts.train, &parts.validation, &parts.test].map(|part| part.origins()).concat();
    assert!(parts.left_out.iter().all(|name| !used.contains(&name.as_str())));
}

#[test]
fn single_recordings_are_left_out_and_trimmed() {
    let mut few = set(12);
    exclude(&["runs/1?".into(), "runs/3".into()], &mut few).expect("left out");
    assert_eq!(few.origins().len(), 9);
    let trim = |recordings: &[&str], from: f64, to: Option<f64>| {
        let recordings = recordings.iter().map(|name| (*name).to_owned()).collect();
        Trim { recordings, from, to }
    };
    trim(&["runs/2"], 3.0, Some(7.0)).apply(&mut few).expect("trimmed");
    let run = |set: &DataSet, name: &str| set.trajectory(name).expect("a run").clone();
    assert_eq!(run(&few, "runs/2").t, [3.0, 4.0, 5.0, 6.0, 7.0]);
    assert_eq!(run(&few, "runs/2").channels[0].values.len(), 5);
    assert_eq!(run(&few, "runs/4").t.len(), 20);
    trim(&[], 1.0, None).apply(&mut few).expect("trimmed");
    assert_eq!((run(&few, "runs/2").t.len(), run(&few, "runs/4").t.len()), (4, 19));
    let fault = |done: Result<(), ProcessError>| done.expect_err("a fault").to_string();
    assert!(fault(exclude(&["run/2".into()], &mut few)).starts_with(
        "exclude: no recording matches \"run/2\"; did you mean \"runs/2\"? There are runs/0"
    ));
    assert!(
        fault(trim(&["b"], 0.0, None).apply(&mut few)).starts_with("trim: no recording matches")
    );
    assert_eq!(
        fault(trim(&[], 0.5, Some(0.9)).apply(&mut few)),
        "trim: \"runs/0\" takes 18.0000 s; of 0.5 s to 0.9 s, 0 of its samples are left, and at least 2 are needed"
    );
    for (from, to) in [(1.0, 0.5), (-1.0, 2.0), (f64::NAN, 2.0), (0.0, f64::NAN)] {
        assert!(
            fault(trim(&[], from, Some(to)).apply(&mut few)).contains("seconds after the first")
        );
    }
}

#[test]
fn pieces_of_a_recording_stay_together() {
    let resample = Resample { rate: 1.0, interpolation: Interpolation::Linear, longest_gap: 1.5 };
    let pieces = resample.set(&set(30)).expect("pieces");
    assert_eq!((pieces.trajectories.len(), pieces.origins().len()), (60, 30));
    for seed in 0..50 {
        let parts = fractions(0.6, 0.2, 0.2, seed).apply(&pieces).expect("parts");
        let [train, validation, test] =
            [&parts.train, &parts.validation, &parts.test].map(|part| part.origins());
        assert_eq!([train.len(), validation.len(), test.len()], [18, 6, 6]);
        assert!(train.iter().all(|o| !validation.contains(o) && !test.contains(o)));
        assert!(validation.iter().all(|o| !test.contains(o)));
        assert_eq!(parts.train.trajectories.len(), 36, "both pieces of each");
    }
}

#[test]
fn named_parts() {
    let split = |train: &[&str], validation: &[&str], test: &[&str]| {
        let list = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
        let (train, validation, test) = (list(train), list(validation), list(test));
        Split::Named(Named { train, validation, test }).apply(&set(12))
    };
    let parts = split(&["runs/?"], &["runs/11"], &[]).expect("parts");
    assert_eq!(counts(&parts), [10, 1, 0]);
    assert_eq!(parts.left_out, ["runs/10"]);
    let fault = |parts: Result<Parts, ProcessError>| parts.expect_err("a fault").to_string();
    assert_eq!(
        fault(split(&["runs/*"], &[], &["runs/3"])),
        "split: \"runs/3\" is in two parts, \"train\" and \"test\""
    );
    assert_eq!(
        fault(split(&["runs/1"], &["run/2"], &[])),
        "split: part \"validation\": no recording matches \"run/2\"; did you mean \"runs/2\"? There are runs/0, runs/1, \
         runs/2, runs/3, runs/4, runs/5, runs/6, runs/7, runs/8, runs/9, runs/10, runs/11"
    );
    assert_eq!(
        fault(split(&[], &[], &["runs/1"])),
        "split: the part \"train\" is empty: there are only 12 recordings"
    );
}

#[test]
fn fractions_that_do_not_work() {
    let fault = |split: Split| split.apply(&set(3)).expect_err("a fault").to_string();
    assert_eq!(
        fault(fractions(0.9, 0.05, 0.05, 0)),
        "split: the part \"validation\" is empty: there are only 3 recordings"
    );
    assert_eq!(
        fault(fractions(0.7, 0.2, 0.2, 0)),
        "split: fractions 0.7, 0.2 and 0.2; they must not be negative, and sum to at most one"
    );
    assert!(fault(fractions(f64::NAN, 0.5, 0.5, 0)).contains("at most one"));
    assert!(fractions(1.0, 0.0, 0.0, 0).apply(&set(0)).is_err(), "nothing to learn from");
}

#[test]
fn splits_are_read_from_options() {
    #[derive(serde::Deserialize)]
    struct Options {
        split: Split,
    }
    let read = |text: &str| toml::from_str::<Options>(text).map(|options| options.split);
    let text = "split = { fractions = { train = 0.7, test = 0.3, seed = 4 } }";
    assert_eq!(read(text), Ok(fractions(0.7, 0.0, 0.3, 4)));
    assert!(read("split = { named = { train = [\"a\"], tset = [\"b\"] } }").is_err());
}

//! What looks wrong, and what does not.

use gradbody_data::{
    Channel, DataSet, Dimension, Doubt, TimeColumn, Told, fold, look_over, look_over_told,
};

use crate::support::trajectory;

fn doubts(dimension: Dimension, x: Vec<f64>) -> Vec<String> {
    let t = (0..x.len()).map(|k| k as f64 * 0.01).collect();
    let set = DataSet { trajectories: vec![trajectory("run", t, dimension, x)], files: Vec::new() };
    look_over(&set).iter().map(ToString::to_string).collect()
}

fn samples(value: impl Fn(f64) -> f64) -> Vec<f64> {
    (0..400).map(|k| value(k as f64 * 0.01)).collect()
}

#[test]
fn degrees_in_place_of_radians() {
    let swing = doubts(Dimension::Angle, samples(|t| 90.0 * (9.0 * t).sin()));
    let text = "run: channel \"x\": it goes from -89.9980 to 90.0000 rad; are these degrees? Then set unit = \"deg\"";
    assert_eq!(swing.len(), 1, "{swing:?}");
    assert_eq!(swing[0].split(" from ").next(), text.split(" from ").next());
    assert!(swing[0].ends_with("rad; are these degrees? Then set unit = \"deg\""));
    let turning = doubts(Dimension::Angle, samples(|t| (400.0 * t) % 360.0));
    assert!(turning.len() == 1 && turning[0].contains("degrees"), "{turning:?}");
    assert!(doubts(Dimension::Angle, samples(|t| 20.0 * t)).is_empty(), "an arm that turns");
    assert!(doubts(Dimension::Angle, samples(|t| 1.5 * (3.0 * t).sin())).is_empty());
}

/// Slow enough that no step exceeds half a turn, which degrees given as radians then pass for.
#[test]
fn slow_degrees_in_place_of_radians() {
    for amplitude in [20.0, 90.0] {
        for speed in [0.5, 3.0] {
            let swing = doubts(
                Dimension::Angle,
                (0..4000).map(|k| amplitude * (speed * k as f64 * 0.01).sin()).collect(),
            );
            assert!(
                swing.len() == 1 && swing[0].contains("are these degrees?"),
                "{amplitude} at {speed}: {swing:?}"
            );
        }
    }
    // A pendulum that overturns a few times each way is in radians.
    let overturns = samples(|t| 7.0 * (2.0 * t).sin() + 2.0 * (5.0 * t).cos());
    assert_eq!(doubts(Dimension::Angle, overturns), [""; 0]);
}

#[test]
fn degrees_per_second_in_place_of_radians() {
    let fast = doubts(Dimension::AngularVelocity, samples(|t| 400.0 * (3.0 * t).sin()));
    assert!(fast.len() == 1 && fast[0].contains("set unit = \"deg/s\""), "{fast:?}");
    assert!(doubts(Dimension::AngularVelocity, samples(|t| 30.0 * (3.0 * t).sin())).is_empty());
}

#[test]
fn milliseconds_in_place_of_seconds() {
    let x = samples(|t| (3.0 * t).sin());
    let of = |step: f64, unit: Option<&str>| {
        let t = (0..x.len()).map(|k| k as f64 * step).collect();
        let run = trajectory("run", t, Dimension::Length, x.clone());
        let set = DataSet { trajectories: vec![run], files: Vec::new() };
        let time = unit.map(|unit| TimeColumn { column: "t".into(), unit: unit.into() });
        let doubts = look_over_told(&set, &Told { time: time.as_ref(), ..Told::default() });
        doubts.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        of(10.0, Some("s")),
        [
            "run: samples are 10 s apart; are its times milliseconds? Then set time = { column = \"t\", unit = \"ms\" }"
        ]
    );
    assert!(of(10e3, Some("s"))[0].ends_with("Then set time = { column = \"t\", unit = \"us\" }"));
    assert!(of(10e6, Some("s"))[0].ends_with("Then set time = { column = \"t\", unit = \"ns\" }"));
    assert_eq!(
        of(1e-8, Some("ns")),
        ["run: samples are 0.00000001 s apart; is \"ns\" the unit of column \"t\"?"]
    );
    assert_eq!(of(2.0, None), ["run: samples are 2 s apart; is the rate right [Hz]?"]);
    assert!(of(0.01, Some("s")).is_empty() && of(0.5, Some("s")).is_empty());
}

#[test]
fn millimetres_in_place_of_metres() {
    let far = doubts(Dimension::Length, samples(|t| 350.0 + 10.0 * t));
    let text = "run: channel \"x\": it goes from 350.0000 to 389.9000 m; are these millimetres? Then set unit = \"mm\"";
    assert_eq!(far, [text]);
    assert!(doubts(Dimension::Length, samples(|t| 0.350 + 0.1 * t)).is_empty());
}

#[test]
fn angles_that_jump() {
    let wrapped = |t: f64| (5.0 * t).sin().atan2((5.0 * t).cos());
    let text = "run: channel \"x\": the angle jumps by a whole turn 3 times; set unwrap = true";
    assert_eq!(doubts(Dimension::Angle, samples(wrapped)), [text]);
    // It is not asked for twice.
    let t = (0..400).map(|k| f64::from(k) * 0.01).collect();
    let run = trajectory("run", t, Dimension::Angle, samples(wrapped));
    let set = DataSet { trajectories: vec![run], files: Vec::new() };
    let told = |unwrapped| Told { unwrapped, ..Told::default() };
    assert_eq!(look_over_told(&set, &told(&["x"])), []);
    assert_eq!(look_over_told(&set, &told(&["y"])).len(), 1);
}

#[test]
fn frozen_sensors() {
    let constant = doubts(Dimension::Force, samples(|_| 0.25));
    assert_eq!(constant, ["run: channel \"x\": its value is always 0.25"]);
    let stuck = doubts(Dimension::Force, samples(|t| t.min(3.0)));
    assert_eq!(stuck[0], "run: channel \"x\": its value does not change for 100 of 400 samples");
    assert_eq!(stuck[1], "run: 99 of 400 samples repeat the previous one in every channel");
}

#[test]
fn quaternions_that_are_not_unit() {
    let t: Vec<f64> = (0..100).map(|k| k as f64 * 0.01).collect();
    let with = |scale: f64| {
        let mut run = trajectory("run", t.clone(), Dimension::Length, t.clone());
        for (name, part) in [("qw", 0.5), ("qx", 0.5), ("qy", -0.5), ("qz", 0.5)] {
            let values = t.iter().map(|t| part * (1.0 + scale * t)).collect();
            run.channels.push(Channel::si(name, Dimension::Number, values));
        }
        let set = DataSet { trajectories: vec![run], files: Vec::new() };
        look_over(&set).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(with(0.1), ["run: the quaternion \"q\" has a norm of 1.0990, not 1"]);
    assert!(with(0.0).iter().all(|doubt| !doubt.contains("norm")));
}

#[test]
fn irregular_times() {
    let mut t: Vec<f64> = (0..100).map(|k| k as f64 * 0.01).collect();
    t.iter_mut().skip(50).for_each(|t| *t += 0.05);
    let run = trajectory("run", t.clone(), Dimension::Length, t);
    let found = look_over(&DataSet { trajectories: vec![run], files: Vec::new() });
    let text = "run: the rate is irregular: samples are 10.0000 to 60.0000 ms apart, mostly 10.0000 ms (1 of 99 are \
                not); resample it";
    assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), [text]);
}

#[test]
fn the_same_doubt_is_said_once() {
    let doubt = |trajectory: &str, channel: &str, what: &str| Doubt {
        trajectory: trajectory.into(),
        channel: (!channel.is_empty()).then(|| channel.into()),
        what: what.into(),
    };
    let still = "its value is always 0";
    let all = [
        doubt("run1", "a", still),
        doubt("run1", "b", still),
        doubt("run1", "c", "it goes from -90.0 to 90.0 rad; are these degrees?"),
        doubt("run2", "a", still),
        doubt("run2", "b", still),
        doubt("run2", "c", "it goes from -81.5 to 12.0 rad; are these degrees?"),
        doubt("run2", "", "the rate is irregular"),
    ];
    assert_eq!(
        fold(&all),
        [
            "in 2 recordings (run1, run2): channels \"a\", \"b\": its value is always 0",
            "in 2 recordings (run1, run2): channel \"c\": it goes from -90.0 to 90.0 rad; are these degrees? (numbers are \
             those of the first)",
            "run2: the rate is irregular",
        ]
    );
    assert_eq!(fold(&all[6..]), ["run2: the rate is irregular"]);
}

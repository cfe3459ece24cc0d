//! Units are what they are.

use std::f64::consts::PI;

use gradbody_data::{Dimension, Unit};

#[test]
fn factors() {
    for (name, dimension, factor) in [
        ("rad", Dimension::Angle, 1.0),
        ("deg", Dimension::Angle, PI / 180.0),
        ("rev", Dimension::Angle, 2.0 * PI),
        ("m", Dimension::Length, 1.0),
        ("cm", Dimension::Length, 0.01),
        ("mm", Dimension::Length, 0.001),
        ("µm", Dimension::Length, 1e-6),
        ("s", Dimension::Time, 1.0),
        ("ms", Dimension::Time, 1e-3),
        ("us", Dimension::Time, 1e-6),
        ("ns", Dimension::Time, 1e-9),
        ("rpm", Dimension::AngularVelocity, PI / 30.0),
        ("deg/s", Dimension::AngularVelocity, PI / 180.0),
        ("mm/s", Dimension::Velocity, 1e-3),
        ("N", Dimension::Force, 1.0),
        ("mN", Dimension::Force, 1e-3),
        ("N m", Dimension::Torque, 1.0),
        ("", Dimension::Number, 1.0),
        ("1", Dimension::Number, 1.0),
    ] {
        let unit = Unit::named(name).expect(name);
        assert_eq!(unit.dimension, dimension, "{name}");
        assert!((unit.to_si - factor).abs() <= 1e-15 * factor, "{name}");
    }
    let count = Unit::count(0.5, Unit::named("deg").expect("deg"));
    assert_eq!((count.dimension, count.to_si), (Dimension::Angle, PI / 360.0));
}

#[test]
fn the_si_unit_of_every_dimension_is_known() {
    let mut dimension = Dimension::Angle;
    for expected in [Dimension::AngularVelocity, Dimension::AngularAcceleration] {
        dimension = dimension.rate().expect("a rate");
        assert_eq!(dimension, expected);
        assert_eq!(Unit::named(Unit::si(dimension).name), Ok(Unit::si(dimension)));
    }
    assert_eq!(dimension.rate(), None);
}

#[test]
fn unknown_and_unfit() {
    let message = |name: &str| Unit::named(name).expect_err("no unit").to_string();
    assert_eq!(message("deg/sec"), "unknown unit \"deg/sec\"; did you mean \"deg/s\"?");
    assert_eq!(message("rad/sec"), "unknown unit \"rad/sec\"; did you mean \"rad/s\"?");
    assert!(message("furlong").starts_with("unknown unit \"furlong\"; known are 1, %, rad, "));
    assert!(message("furlong").ends_with("kNm; use \"1\" for plain numbers"));
    assert!(message("count").contains("a count needs a scale"));
    let deg = Unit::named("deg").expect("deg");
    assert_eq!(deg.expect("joint/knee/position", Dimension::Angle), Ok(()));
    let error = deg.expect("joint/slider/position", Dimension::Length).expect_err("unfit");
    let text = "joint/slider/position is a length, but \"deg\" is a unit of an angle";
    assert_eq!(error.to_string(), text);
}

//! Units of numbers in files, and their conversion to SI.

use std::f64::consts::PI;
use std::fmt;

use super::DataError;
use gradbody_math::names::did_you_mean;

/// The dimension of a quantity, independent of its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// A pure number.
    Number,
    /// An angle [rad].
    Angle,
    /// A length [m].
    Length,
    /// A time [s].
    Time,
    /// An angular velocity [rad/s].
    AngularVelocity,
    /// A velocity [m/s].
    Velocity,
    /// An angular acceleration [rad/s²].
    AngularAcceleration,
    /// An acceleration [m/s²].
    Acceleration,
    /// A force [N].
    Force,
    /// A torque [N m].
    Torque,
}

/// A unit: the numbers of a channel times `to_si` are in SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Its name in options.
    pub name: &'static str,
    /// Its dimension.
    pub dimension: Dimension,
    /// Factor to the SI unit of its dimension.
    pub to_si: f64,
}

const fn unit(name: &'static str, dimension: Dimension, to_si: f64) -> Unit {
    Unit { name, dimension, to_si }
}

/// The known units; the first of each dimension is the SI unit.
const UNITS: [Unit; 38] = {
    use Dimension::*;
    [
        unit("1", Number, 1.0),
        unit("%", Number, 1e-2),
        unit("rad", Angle, 1.0),
        unit("mrad", Angle, 1e-3),
        unit("deg", Angle, PI / 180.0),
        unit("rev", Angle, 2.0 * PI),
        unit("m", Length, 1.0),
        unit("cm", Length, 1e-2),
        unit("mm", Length, 1e-3),
        unit("um", Length, 1e-6),
        unit("in", Length, 0.0254),
        unit("s", Time, 1.0),
        unit("ms", Time, 1e-3),
        unit("us", Time, 1e-6),
        unit("ns", Time, 1e-9),
        unit("rad/s", AngularVelocity, 1.0),
        unit("mrad/s", AngularVelocity, 1e-3),
        unit("deg/s", AngularVelocity, PI / 180.0),
        unit("rev/s", AngularVelocity, 2.0 * PI),
        unit("rpm", AngularVelocity, 2.0 * PI / 60.0),
        unit("m/s", Velocity, 1.0),
        unit("cm/s", Velocity, 1e-2),
        unit("mm/s", Velocity, 1e-3),
        unit("km/h", Velocity, 1.0 / 3.6),
        unit("rad/s^2", AngularAcceleration, 1.0),
        unit("deg/s^2", AngularAcceleration, PI / 180.0),
        unit("m/s^2", Acceleration, 1.0),
        unit("mm/s^2", Acceleration, 1e-3),
        unit("g", Acceleration, 9.80665),
        unit("N", Force, 1.0),
        unit("mN", Force, 1e-3),
        unit("kN", Force, 1e3),
        unit("lbf", Force, 4.448_221_615_260_5),
        unit("Nm", Torque, 1.0),
        unit("mNm", Torque, 1e-3),
        unit("Ncm", Torque, 1e-2),
        unit("Nmm", Torque, 1e-3),
        unit("kNm", Torque, 1e3),
    ]
};

/// Alternative spellings of the names above.
const ALSO: [(&str, &str); 14] = [
    ("", "1"),
    ("-", "1"),
    ("dimensionless", "1"),
    ("°", "deg"),
    ("degrees", "deg"),
    ("radians", "rad"),
    ("µm", "um"),
    ("μm", "um"),
    ("µs", "us"),
    ("μs", "us"),
    ("N m", "Nm"),
    ("N*m", "Nm"),
    ("rad/s²", "rad/s^2"),
    ("m/s²", "m/s^2"),
];

impl Unit {
    /// A pure number.
    pub const ONE: Unit = Unit::si(Dimension::Number);

    /// The SI unit of a dimension.
    pub const fn si(dimension: Dimension) -> Unit {
        unit(dimension.si_name(), dimension, 1.0)
    }

    /// The unit with this name.
    pub fn named(name: &str) -> Result<Unit, DataError> {
        let name = name.trim();
        let usual = ALSO.iter().find(|(also, _)| *also == name).map_or(name, |(_, usual)| usual);
        UNITS.iter().find(|u| u.name == usual).copied().ok_or_else(|| DataError::UnknownUnit {
            name: name.to_owned(),
            hint: match name {
                "count" | "counts" => "; a count needs a scale: { unit = \"count\", scale = \
                                       0.0015, of = \"rad\" }"
                    .to_owned(),
                _ => match did_you_mean(name, UNITS.iter().map(|u| u.name)) {
                    nothing if nothing.is_empty() => {
                        let all: Vec<&str> = UNITS.iter().map(|u| u.name).collect();
                        format!("; known are {}; use \"1\" for plain numbers", all.join(", "))
                    }
                    hint => hint,
                },
            },
        })
    }

    /// The names of the units of a dimension, the SI unit first.
    pub fn names_of(dimension: Dimension) -> impl Iterator<Item = &'static str> {
        UNITS.iter().filter(move |u| u.dimension == dimension).map(|u| u.name)
    }

    /// Counts of an encoder or a converter: one count is `scale` of another unit.
    pub fn count(scale: f64, of: Unit) -> Unit {
        unit("count", of.dimension, scale * of.to_si)
    }

    /// Fails unless this unit has the expected dimension; `what` is the quantity named in the message.
    pub fn expect(&self, what: &str, expected: Dimension) -> Result<(), DataError> {
        match self.dimension == expected {
            true => Ok(()),
            false => {
                Err(DataError::WrongDimension { what: what.to_owned(), unit: *self, expected })
            }
        }
    }
}

impl Dimension {
    /// The dimension of its change per second, if there is one here.
    pub fn rate(self) -> Option<Dimension> {
        match self {
            Dimension::Angle => Some(Dimension::AngularVelocity),
            Dimension::Length => Some(Dimension::Velocity),
            Dimension::AngularVelocity => Some(Dimension::AngularAcceleration),
            Dimension::Velocity => Some(Dimension::Acceleration),
            _ => None,
        }
    }

    const fn si_name(self) -> &'static str {
        match self {
            Dimension::Number => "1",
            Dimension::Angle => "rad",
            Dimension::Length => "m",
            Dimension::Time => "s",
            Dimension::AngularVelocity => "rad/s",
            Dimension::Velocity => "m/s",
            Dimension::AngularAcceleration => "rad/s^2",
            Dimension::Acceleration => "m/s^2",
            Dimension::Force => "N",
            Dimension::Torque => "Nm",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dimension::Number => "a pure number",
            Dimension::Angle => "an angle",
            Dimension::Length => "a length",
            Dimension::Time => "a time",
            Dimension::AngularVelocity => "an angular velocity",
            Dimension::Velocity => "a velocity",
            Dimension::AngularAcceleration => "an angular acceleration",
            Dimension::Acceleration => "an acceleration",
            Dimension::Force => "a force",
            Dimension::Torque => "a torque",
        })
    }
}

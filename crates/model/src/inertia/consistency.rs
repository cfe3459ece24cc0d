//! Whether a body with this inertia exists, and if not, the nearest possible inertia.

use gradbody_math::{Inertia, Sym3, Vec3};

use super::{principal_moments, second_moments};

/// Tolerance for our own rounding, relative to the largest moment: far above what rotating a file's digits into another
/// frame causes.
const FLOAT_ROUNDING: f64 = 1e-9;

/// Tolerance for the rounding of a file's digits, relative to the largest moment. Six significant digits change each
/// moment by at most 5e-6 of itself, so a flat plate (I₁ + I₂ = I₃) violates the triangle inequality by at most 1e-5 of
/// I₃. Files that violate it by more do so by far more: among 77 published robots, the least violation is 2e-3.
const DIGIT_ROUNDING: f64 = 1e-5;

/// A radius of gyration below this [m] counts as zero: moments of `mass · MIN_GYRATION²` are noise around a point mass,
/// as in files that have 1e-20 kg m² for a kilogram.
const MIN_GYRATION: f64 = 1e-6;

/// A repaired second moment is at least this fraction of the largest: large enough to have a logarithm and to survive
/// rounding, small enough not to change the motion.
const MIN_EXTENT: f64 = 1e-6;

/// Mass that a repair gives to a massless body with rotational inertia [kg].
const MIN_MASS: f64 = 1e-9;

/// What is wrong with an inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InertiaFault {
    /// A number is infinite or not a number.
    NotFinite,
    /// Mass below zero [kg].
    NegativeMass(f64),
    /// A principal moment below zero [kg m²]: rotation about its axis would have negative energy.
    NegativeMoment(f64),
    /// Rotational inertia without mass.
    MasslessRotation {
        /// The largest principal moment [kg m²].
        moment: f64,
    },
    /// A principal moment larger than the sum of the other two.
    BrokenTriangle {
        /// The principal moments, ascending [kg m²].
        moments: [f64; 3],
        /// By how much the last exceeds the sum of the others [kg m²].
        excess: f64,
    },
    /// A possible body, but without mass or without extent along an axis; [`LogCholesky`](super::LogCholesky) needs
    /// both. Never returned by [`check_inertia`].
    NoExtent {
        /// Mass [kg].
        mass: f64,
        /// Second moments of the mass along the principal axes [kg m²].
        second_moments: [f64; 3],
    },
}

impl InertiaFault {
    /// True if the motion of such a link cannot be computed, because its kinetic energy is not a positive number. With
    /// the other faults no real body exists, but the equations still hold.
    pub fn is_fatal(&self) -> bool {
        match self {
            InertiaFault::NotFinite
            | InertiaFault::NegativeMass(_)
            | InertiaFault::NegativeMoment(_) => true,
            InertiaFault::MasslessRotation { .. }
            | InertiaFault::BrokenTriangle { .. }
            | InertiaFault::NoExtent { .. } => false,
        }
    }
}

impl std::fmt::Display for InertiaFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            InertiaFault::NotFinite => write!(f, "the inertia has a number that is not finite"),
            InertiaFault::NegativeMass(mass) => {
                write!(f, "the mass, {} kg, is negative", short(mass))
            }
            InertiaFault::NegativeMoment(moment) => {
                write!(f, "a principal moment of inertia, {} kg m², is negative", short(moment))
            }
            InertiaFault::MasslessRotation { moment } => {
                write!(f, "a moment of inertia of {} kg m² without any mass", short(moment))
            }
            InertiaFault::BrokenTriangle { moments: [a, b, c], excess } => write!(
                f,
                "no body has the principal moments of inertia {}, {} and {} kg m²: the last is \
                 above the sum of the others by {}",
                short(a),
                short(b),
                short(c),
                short(excess)
            ),
            InertiaFault::NoExtent { mass, second_moments: [a, b, c] } => write!(
                f,
                "mass {} kg and second moments {}, {} and {} kg m² must all be positive",
                short(mass),
                short(a),
                short(b),
                short(c)
            ),
        }
    }
}

impl std::error::Error for InertiaFault {}

/// A number with four significant digits, as short as it can be written.
fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    let plain = rounded == 0.0 || (1e-4..1e6).contains(&rounded.abs());
    if plain { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// Checks that a body can have this inertia, up to rounding. An inertia of zero is valid: such a link is only a
/// frame.
pub fn check_inertia(inertia: &Inertia<f64>) -> Result<(), InertiaFault> {
    let Inertia { mass, com, rotational } = *inertia;
    if !(mass.is_finite() && com.is_finite() && rotational.is_finite()) {
        return Err(InertiaFault::NotFinite);
    }
    if mass < 0.0 {
        return Err(InertiaFault::NegativeMass(mass));
    }
    let moments = principal_moments(&rotational).0.to_array();
    let [low, middle, high] = moments;
    let noise = mass * MIN_GYRATION * MIN_GYRATION;
    // Rounding may make some moments negative, but not all.
    if high < 0.0 || low < -(FLOAT_ROUNDING * high + noise) {
        return Err(InertiaFault::NegativeMoment(low));
    }
    if mass == 0.0 && high > 0.0 {
        return Err(InertiaFault::MasslessRotation { moment: high });
    }
    let excess = high - middle - low;
    if excess > DIGIT_ROUNDING * high + noise {
        return Err(InertiaFault::BrokenTriangle { moments, excess });
    }
    Ok(())
}

/// The nearest inertia of a body with some extent in every direction: its second moments of mass are the nearest
/// positive ones (in the sum of squares over the matrix). The centre of mass does not change; the mass changes only if
/// it is negative, or zero with a rotational inertia.
///
/// A possible inertia is returned unchanged, except that a flat, thin or pointlike body gets an extent of a millionth
/// of its largest, so that [`LogCholesky`](super::LogCholesky) can represent the result. An inertia that is entirely
/// zero stays so. All numbers must be finite.
pub fn nearest_consistent(inertia: &Inertia<f64>) -> Inertia<f64> {
    let Inertia { mass, com, rotational } = *inertia;
    if mass == 0.0 && rotational == Sym3::ZERO {
        return *inertia;
    }
    let mass = if mass > 0.0 { mass } else { MIN_MASS };
    let (second, axes) = principal_moments(&second_moments(rotational));
    let floor = (MIN_EXTENT * second.z).max(mass * MIN_GYRATION * MIN_GYRATION);
    // A repaired inertia is within rounding of the floor: leave it unchanged.
    if second.x >= floor * (1.0 - 1e-6) {
        return Inertia { mass, com, rotational };
    }
    let Vec3 { x, y, z } = second.map(|s| s.max(floor));
    let moments = Sym3::diagonal(Vec3::new(y + z, x + z, x + y));
    Inertia { mass, com, rotational: moments.rotated(&axes) }
}

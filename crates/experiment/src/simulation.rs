//! `[simulation]`: how the model is stepped.

use serde::{Deserialize, Serialize};

/// How the model is stepped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Simulation {
    /// Time steps from one sample to the next.
    pub substeps: usize,
    /// The integrator.
    pub integrator: Scheme,
    /// How contact forces are computed.
    pub contact: ContactMethod,
    /// Which derivative of rigid contacts to use.
    pub gradient: ContactSlope,
}

impl Default for Simulation {
    fn default() -> Self {
        Simulation {
            substeps: 1,
            integrator: Scheme::ImplicitDamping,
            contact: ContactMethod::Ncp,
            gradient: ContactSlope::Implicit,
        }
    }
}

/// An integrator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Semi-implicit Euler: first the velocity, then the position.
    Euler,
    /// The same, with damping forces taken at the new velocity.
    #[default]
    ImplicitDamping,
    /// Runge-Kutta of fourth order.
    Rk4,
}

/// How contact forces are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContactMethod {
    /// Rigid contacts with Coulomb friction, solved by sweeps.
    #[default]
    Ncp,
    /// Rigid contacts with Coulomb friction, solved by pivoting.
    Lcp,
    /// Springs and dampers.
    HuntCrossley,
    /// Bodies pass through each other.
    Off,
}

/// Which derivative of rigid contacts to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContactSlope {
    /// The derivative of the exact solution.
    #[default]
    Implicit,
    /// The derivative of the sweeps that were made.
    Unrolled,
    /// A smoothed derivative that also sees contacts about to close or open within this velocity [m/s].
    Smoothed(f64),
}

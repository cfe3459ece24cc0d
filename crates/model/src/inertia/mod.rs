//! Physically possible inertias, and coordinates that can only express these.
//!
//! A body is mass spread over space, so the second moments of that mass about its centre,
//! `Σ = ∫ r rᵀ dm`, have no negative eigenvalue. The rotational inertia is `I = tr(Σ) 1 − Σ`: its
//! principal axes are those of Σ, and its principal moments are sums of two second moments,
//! `I₁ = Σ₂ + Σ₃`. Hence `Σ₁ = (I₂ + I₃ − I₁) / 2 ≥ 0`: no moment is larger than the sum of the other two (the triangle
//! inequality), which files often violate.
//!
//! - [`check_inertia`] says what is wrong with an inertia; [`nearest_consistent`] repairs it.
//! - [`LogCholesky`] parameterises the set of possible inertias by ten unconstrained coordinates, for optimisers that
//!   must not leave it.
//! - [`principal_moments`] gives the eigenvalues and axes.

mod consistency;
mod eigen;
mod log_cholesky;

pub use consistency::{InertiaFault, check_inertia, nearest_consistent};
pub use eigen::principal_moments;
pub use log_cholesky::LogCholesky;

use gradbody_math::Sym3;

/// Σ = ½ tr(I) 1 − I: the second moments of the mass about its centre [kg m²].
fn second_moments(rotational: Sym3<f64>) -> Sym3<f64> {
    let Sym3 { xx, yy, zz, xy, xz, yz } = rotational;
    let half = |a: f64, b: f64, c: f64| 0.5 * (a + b - c);
    Sym3::new(half(yy, zz, xx), half(xx, zz, yy), half(xx, yy, zz), -xy, -xz, -yz)
}

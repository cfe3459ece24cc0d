//! Ten coordinates for inertias, without constraints.
//!
//! Combine a body's mass distribution in one 4×4 matrix, the pseudo-inertia: with `c` the centre of mass and Σ the
//! second moments about it,
//!
//! ```text
//!       | Σ + m c cᵀ   m c |
//!   J = |                  |
//!       |   m cᵀ        m  |
//! ```
//! A body with some extent in every direction has these numbers if and only if J is positive definite, that is, if and
//! only if J = `U Uᵀ` with U upper triangular and a positive diagonal. Writing that diagonal as exponentials gives ten
//! numbers `(α, d₁, d₂, d₃, s₁₂, s₂₃, s₁₃, t₁, t₂, t₃)` without constraints: every choice is a possible inertia, and
//! every possible inertia has exactly one:
//!
//! ```text
//!            | e^d₁  s₁₂   s₁₃   t₁ |
//!   U = e^α  |  0    e^d₂  s₂₃   t₂ |       [Rucker & Wensing 2022, "Smooth parameterization of
//!            |  0     0    e^d₃  t₃ |        rigid-body inertia", IEEE RA-L 7(2)]
//!            |  0     0     0    1  |
//! ```
//! Multiplied out, with A the upper left 3×3 of U without its factor e^α:
//!
//! ```text
//!   m = e^2α,   c = t,   Σ = m A Aᵀ,   I = tr(Σ) 1 − Σ
//! ```
//! So e^dᵢ are lengths: radii of gyration of a body whose principal axes are those of the link.

use gradbody_math::{Inertia, Scalar, Sym3, Vec3};

use super::{InertiaFault, check_inertia, principal_moments, second_moments};

/// An inertia as `(α, d₁, d₂, d₃, s₁₂, s₂₃, s₁₃, t₁, t₂, t₃)`: logarithms of lengths and of the
/// root of the mass, shears [m], and the centre of mass [m].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogCholesky<S>(pub [S; 10]);

impl<S: Scalar> LogCholesky<S> {
    /// The inertia of these coordinates, which is always possible.
    pub fn to_inertia(&self) -> Inertia<S> {
        S::in_registers(
            #[inline(always)]
            || self.inertia(),
        )
    }

    #[inline(always)]
    fn inertia(&self) -> Inertia<S> {
        let [alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3] = self.0;
        let mass = (alpha + alpha).exp();
        let (a1, a2, a3) = (d1.exp(), d2.exp(), d3.exp());
        // I = m (tr(A Aᵀ) 1 − A Aᵀ)
        let xx = a1 * a1 + s12 * s12 + s13 * s13;
        let yy = a2 * a2 + s23 * s23;
        let zz = a3 * a3;
        let (xy, xz, yz) = (s12 * a2 + s13 * s23, s13 * a3, s23 * a3);
        let per_mass = Sym3::new(yy + zz, xx + zz, xx + yy, -xy, -xz, -yz);
        Inertia { mass, com: Vec3::new(t1, t2, t3), rotational: per_mass.map(|x| x * mass) }
    }

    /// Derivatives of (mass, centre of mass x y z, rotational inertia xx yy zz xy xz yz) with respect to the
    /// coordinates: entry `[i][k]` is that of number i with respect to coordinate k.
    pub fn jacobian(&self) -> [[S; 10]; 10] {
        S::in_registers(
            #[inline(always)]
            || self.derivatives(),
        )
    }

    /// The cotangents of the coordinates, from those of the ten numbers that [`jacobian`](Self::jacobian) differentiates.
    pub(crate) fn jacobian_transposed_times(&self, bars: &[S; 10]) -> [S; 10] {
        S::in_registers(
            #[inline(always)]
            || {
                // x̄ = Jᵀ ȳ
                let jacobian = self.derivatives();
                core::array::from_fn(|k| {
                    (0..10).fold(S::ZERO, |sum, i| jacobian[i][k].mul_add(bars[i], sum))
                })
            },
        )
    }

    #[inline(always)]
    fn derivatives(&self) -> [[S; 10]; 10] {
        let [_, d1, d2, d3, s12, s23, s13, ..] = self.0;
        let Inertia { mass, rotational, .. } = self.inertia();
        let (a1, a2, a3) = (d1.exp(), d2.exp(), d3.exp());
        let two_m = mass + mass;
        // The columns of the second moments Σ = m A Aᵀ by d₁, d₂, d₃, s₁₂, s₂₃, s₁₃.
        let zero = S::ZERO;
        let by_extent = [
            Sym3::new(two_m * a1 * a1, zero, zero, zero, zero, zero),
            Sym3::new(zero, two_m * a2 * a2, zero, mass * s12 * a2, zero, zero),
            Sym3::new(zero, zero, two_m * a3 * a3, zero, mass * s13 * a3, mass * s23 * a3),
            Sym3::new(two_m * s12, zero, zero, mass * a2, zero, zero),
            Sym3::new(zero, two_m * s23, zero, mass * s13, zero, mass * a3),
            Sym3::new(two_m * s13, zero, zero, mass * s23, mass * a3, zero),
        ];
        let mut jacobian = [[zero; 10]; 10];
        let mut set_rotational = |k: usize, column: Sym3<S>| {
            for (i, x) in column.to_array().into_iter().enumerate() {
                jacobian[4 + i][k] = x;
            }
        };
        // Everything but the centre of mass is proportional to m = e^2α.
        set_rotational(0, rotational.map(|x| x + x));
        for (k, Sym3 { xx, yy, zz, xy, xz, yz }) in by_extent.into_iter().enumerate() {
            // dI = tr(dΣ) 1 − dΣ
            set_rotational(1 + k, Sym3::new(yy + zz, xx + zz, xx + yy, -xy, -xz, -yz));
        }
        jacobian[0][0] = two_m;
        for i in 0..3 {
            jacobian[1 + i][7 + i] = S::ONE;
        }
        jacobian
    }
}

impl LogCholesky<f64> {
    /// The coordinates of an inertia. Fails if it has no mass or no extent in some direction;
    /// [`nearest_consistent`](super::nearest_consistent) repairs that.
    pub fn from_inertia(inertia: &Inertia<f64>) -> Result<Self, InertiaFault> {
        check_inertia(inertia)?;
        let Inertia { mass, com, rotational } = *inertia;
        let second = second_moments(rotational);
        let no_extent = || InertiaFault::NoExtent {
            mass,
            second_moments: principal_moments(&second).0.to_array(),
        };
        let root_of = |square: f64| if square > 0.0 { Ok(square.sqrt()) } else { Err(no_extent()) };
        root_of(mass)?;
        // A Aᵀ = Σ / m, solved from its last row up.
        let Sym3 { xx, yy, zz, xy, xz, yz } = second.map(|x| x / mass);
        let a3 = root_of(zz)?;
        let (s13, s23) = (xz / a3, yz / a3);
        let a2 = root_of(yy - s23 * s23)?;
        let s12 = (xy - s13 * s23) / a2;
        let a1 = root_of(xx - s12 * s12 - s13 * s13)?;
        let Vec3 { x: t1, y: t2, z: t3 } = com;
        Ok(LogCholesky([0.5 * mass.ln(), a1.ln(), a2.ln(), a3.ln(), s12, s23, s13, t1, t2, t3]))
    }
}

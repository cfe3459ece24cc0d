//! A force that never adds energy: f = −D v with D = L Lᵀ, so that f · v = −|Lᵀ v|² ≤ 0.
//!
//! L is a network's output. At L = 0 both the force and its gradient with respect to L are zero, so initialise the
//! network's last layer with small numbers, not with zero.

use gradbody_math::Scalar;
use serde::{Deserialize, Serialize};

use super::HeadError;
use crate::Network;

/// The shape of L.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Damping {
    /// One number: the same damping in every direction.
    Isotropic,
    /// n numbers: each velocity damps itself.
    Diagonal,
    /// n (n + 1)/2 numbers: lower-triangular, column by column.
    Full,
}

/// A head that turns a network's outputs into a dissipative force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dissipative {
    n: usize,
    damping: Damping,
}

impl Dissipative {
    /// A force against `n` velocities.
    pub fn new(n: usize, damping: Damping) -> Self {
        Dissipative { n, damping }
    }

    /// Length of the velocity and of the force.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Number of entries of L.
    pub fn n_outputs(&self) -> usize {
        match self.damping {
            Damping::Isotropic => 1,
            Damping::Diagonal => self.n,
            Damping::Full => self.n * (self.n + 1) / 2,
        }
    }

    /// Checks that a network's outputs can be L.
    pub fn check(&self, network: &Network) -> Result<(), HeadError> {
        let (expected, found) = (self.n_outputs(), network.n_outputs());
        if expected == found {
            Ok(())
        } else {
            Err(HeadError::Outputs { head: "a dissipative force", expected, found })
        }
    }

    /// Writes −L Lᵀ v to `force`.
    ///
    /// # Panics
    /// If a slice has the wrong length for the head.
    pub fn force<S: Scalar>(&self, l: &[S], vel: &[S], force: &mut [S]) {
        let n = self.n;
        assert!(l.len() == self.n_outputs(), "l has n_outputs numbers");
        assert!(vel.len() == n && force.len() == n, "n numbers each");
        S::vectorised(
            #[inline(always)]
            || {
                force.fill(S::ZERO);
                match self.damping {
                    Damping::Isotropic => {
                        for (f, v) in force.iter_mut().zip(vel) {
                            *f = (l[0] * *v).neg_mul_add(l[0], *f);
                        }
                    }
                    Damping::Diagonal => {
                        for ((f, v), l) in force.iter_mut().zip(vel).zip(l) {
                            *f = (*l * *v).neg_mul_add(*l, *f);
                        }
                    }
                    Damping::Full => {
                        for (start, column) in columns(l, n) {
                            let y = dot(column, &vel[start..]);
                            for (f, l) in force[start..].iter_mut().zip(column) {
                                *f = y.neg_mul_add(*l, *f);
                            }
                        }
                    }
                }
            },
        );
    }

    /// The adjoint of [`Dissipative::force`]: adds to the cotangents of L and the velocity.
    ///
    /// # Panics
    /// If a slice has the wrong length for the head.
    pub fn force_vjp<S: Scalar>(
        &self,
        l: &[S],
        vel: &[S],
        force_bar: &[S],
        l_bar: &mut [S],
        vel_bar: &mut [S],
    ) {
        let n = self.n;
        assert!(l.len() == self.n_outputs() && l_bar.len() == l.len(), "n_outputs numbers each");
        assert!(vel.len() == n && force_bar.len() == n && vel_bar.len() == n, "n numbers each");
        S::vectorised(
            #[inline(always)]
            || match self.damping {
                Damping::Isotropic => {
                    for ((f_bar, v), v_bar) in force_bar.iter().zip(vel).zip(vel_bar) {
                        *v_bar = (l[0] * *f_bar).neg_mul_add(l[0], *v_bar);
                        let product = *v * *f_bar;
                        l_bar[0] = (product + product).neg_mul_add(l[0], l_bar[0]);
                    }
                }
                Damping::Diagonal => {
                    for i in 0..n {
                        vel_bar[i] = (l[i] * force_bar[i]).neg_mul_add(l[i], vel_bar[i]);
                        let product = vel[i] * force_bar[i];
                        l_bar[i] = (product + product).neg_mul_add(l[i], l_bar[i]);
                    }
                }
                // With y = Lᵀ v and z = Lᵀ f̄:  v̄ −= L z,  L̄ −= f̄ yᵀ + v zᵀ
                Damping::Full => {
                    let mut first = 0;
                    for (start, column) in columns(l, n) {
                        let y = dot(column, &vel[start..]);
                        let z = dot(column, &force_bar[start..]);
                        let column_bar = &mut l_bar[first..first + column.len()];
                        for (k, (l, l_bar)) in column.iter().zip(column_bar).enumerate() {
                            let i = start + k;
                            vel_bar[i] = z.neg_mul_add(*l, vel_bar[i]);
                            let by_vel = z.neg_mul_add(vel[i], *l_bar);
                            *l_bar = y.neg_mul_add(force_bar[i], by_vel);
                        }
                        first += column.len();
                    }
                }
            },
        );
    }
}

/// Each column of a lower-triangular matrix from its diagonal down, with its first row.
#[inline(always)]
fn columns<S>(l: &[S], n: usize) -> impl Iterator<Item = (usize, &[S])> {
    let mut rest = l;
    (0..n).map(move |start| {
        let (column, after) = rest.split_at(n - start);
        rest = after;
        (start, column)
    })
}

#[inline(always)]
fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(S::ZERO, |sum, (a, b)| a.mul_add(*b, sum))
}

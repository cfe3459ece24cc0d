//! Schemes that carry a state over one time step.

/// How a step integrates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// First the velocity, then the position with the new velocity. Of first order. Where the mass
    /// matrix is constant it is symplectic: the energy of a conservative system errs but does not
    /// drift. Elsewhere the energy drifts, by an amount of first order.
    #[default]
    SemiImplicitEuler,
    /// The same, with joint damping and friction taken at the new velocity: stable however stiff
    /// they are. Solves `(M + dt D) a = τ − h`, at the cost of the explicit step.
    ImplicitDamping,
    /// The classical Runge-Kutta scheme of fourth order, on the manifold. Four evaluations a step.
    Rk4,
}

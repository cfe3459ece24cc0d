//! Schemes that carry a state over one time step.

/// How a step integrates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// First the velocity, then the position with the new velocity. Of first order. Where the mass
    /// matrix is constant it is symplectic: the energy of a conservative system errs but does not
    /// drift. Elsewhere the energy drifts, by an amount of first order. All forces are taken at the
    /// old velocity, so stiff damping needs small steps.
    SemiImplicitEuler,
    /// The same, with joint damping, friction and soft limits taken at the new velocity: stable
    /// however stiff they are, and the same bits where there are none. Solves `(M + dt D) a = τ − h`,
    /// at the cost of the explicit step. The default, as in MuJoCo.
    #[default]
    ImplicitDamping,
    /// The classical Runge-Kutta scheme of fourth order, on the manifold. Four evaluations a step.
    Rk4,
}

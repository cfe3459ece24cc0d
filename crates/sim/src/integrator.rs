//! Integration schemes of a step.

/// The integration scheme of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// First the velocity, then the position with the new velocity; first order. Where the mass matrix is constant it
    /// is symplectic: the energy of a conservative system has an error but does not drift. Elsewhere the energy drifts
    /// at first order. All forces are evaluated at the old velocity, so stiff damping needs small steps.
    SemiImplicitEuler,
    /// The same, with joint damping, friction and soft limits evaluated at the new velocity. This is stable however
    /// stiff they are, and gives the same bits as the explicit scheme where there are none. Solves
    /// `(M + dt D) a = τ − h`, at the cost of the explicit step. The default, as in MuJoCo.
    #[default]
    ImplicitDamping,
    /// The classical Runge-Kutta scheme of fourth order, on the manifold. Four evaluations per step.
    Rk4,
}

//! The adjoint of forward dynamics, through inverse dynamics.
//!
//! Accelerations a satisfy `M a + h = τ + forces`. With ā their cotangent and z = M⁻¹ ā, that of τ is z,
//! and all others are those of the left side times −z: one more solve with the factors
//! [`aba`](crate::aba) has left, and the adjoint of inverse dynamics. What `aba` did inside is never
//! differentiated.

use gradbody_math::{Force, Motion, Scalar};
use gradbody_model::Model;

use crate::{
    AbaWork, DynamicsCotangents, Kinematics, Response, RneaCotangents, RneaVjpWork,
    impulse_response, rnea_vjp, velocity_change,
};

/// Buffers of [`forward_dynamics_vjp`].
#[derive(Clone, Debug)]
pub struct ForwardDynamicsVjpWork<S> {
    response: Response<S>,
    rnea: RneaVjpWork<S>,
    /// Fᵀ ā with M⁻¹ = F Fᵀ, (nv). Written by `solve`.
    u: Vec<S>,
    /// −z, the cotangent passed to inverse dynamics, (nv). Written by `solved_dynamics_vjp`.
    minus_z: Vec<S>,
    /// z, the cotangent of the joint forces, (nv). Written by `solve`.
    pub tau_bar: Vec<S>,
}

impl<S: Scalar> ForwardDynamicsVjpWork<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        let zeros = vec![S::ZERO; model.nv()];
        ForwardDynamicsVjpWork {
            response: Response::new(model),
            rnea: RneaVjpWork::new(model),
            u: zeros.clone(),
            minus_z: zeros.clone(),
            tau_bar: zeros,
        }
    }

    /// Writes M⁻¹ x to `tau_bar`. Reads `kin`, `x`, and the factors that [`aba`](crate::aba) left in `aba`.
    pub fn solve(&mut self, model: &Model<S>, kin: &Kinematics<S>, aba: &AbaWork<S>, x: &[S]) {
        let ForwardDynamicsVjpWork { response, u, tau_bar, .. } = self;
        response.prepare(aba);
        u.fill(S::ZERO);
        impulse_response(model, kin, aba, response, x, u);
        tau_bar.fill(S::ZERO);
        velocity_change(model, kin, aba, response, u, tau_bar);
    }

    /// The cotangent of the external force on a link.
    #[inline(always)]
    pub fn external_bar(&self, link: usize) -> Motion<S> {
        -self.rnea.motion_w(link)
    }
}

/// The adjoint of [`aba`](crate::aba)`(model, kin, tau, external)`, whose results are in `aba`.
///
/// Reads `kin`, `aba`, `external` and the cotangent `qdd_bar` of the accelerations; writes the cotangents of the joint
/// forces (`work.tau_bar`) and of the external forces ([`ForwardDynamicsVjpWork::external_bar`]); adds to `out`. The
/// cotangent of the inertia added to coordinate k is −`work.tau_bar[k] aba.qdd[k]`.
pub fn forward_dynamics_vjp<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    aba: &AbaWork<S>,
    external: &[Force<S>],
    qdd_bar: &[S],
    work: &mut ForwardDynamicsVjpWork<S>,
    out: DynamicsCotangents<'_, S>,
) {
    work.solve(model, kin, aba, qdd_bar);
    solved_dynamics_vjp(model, kin, &aba.qdd, external, work, out);
}

/// The second half of [`forward_dynamics_vjp`], for any accelerations `qdd` and z.
///
/// Reads `kin`, `qdd`, `external` and z in `work.tau_bar`; writes the cotangents of the external forces
/// ([`ForwardDynamicsVjpWork::external_bar`]); adds to `out`.
pub fn solved_dynamics_vjp<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    qdd: &[S],
    external: &[Force<S>],
    work: &mut ForwardDynamicsVjpWork<S>,
    out: DynamicsCotangents<'_, S>,
) {
    let ForwardDynamicsVjpWork { rnea, minus_z, tau_bar, .. } = work;
    minus_z.iter_mut().zip(tau_bar.iter()).for_each(|(to, z)| *to = -*z);
    let bar = RneaCotangents { tau: minus_z, qdd: None, dynamics: out };
    rnea_vjp(model, kin, qdd, external, rnea, bar);
}

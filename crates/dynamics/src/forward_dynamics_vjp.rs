//! The adjoint of forward dynamics, through inverse dynamics.
//!
//! Accelerations a satisfy `M a + h = τ + forces`. With ā their cotangent and z = M⁻¹ ā, that of τ is z,
//! and all others are those of the left side times −z: one more solve with the factors
//! [`aba`](crate::aba) has left, and the adjoint of inverse dynamics. What `aba` did inside is never
//! differentiated.

use gradbody_math::{Force, Motion, Scalar};
use gradbody_model::{Model, Params};

use crate::{
    AbaWork, Kinematics, KinematicsCotangents, Response, RneaVjpWork, impulse_response, rnea_vjp,
    velocity_change,
};

/// Buffers of [`forward_dynamics_vjp`].
#[derive(Clone, Debug)]
pub struct ForwardDynamicsVjpWork<S> {
    response: Response<S>,
    rnea: RneaVjpWork<S>,
    u: Vec<S>,
    minus_z: Vec<S>,
    unused: Vec<S>,
    /// Cotangents of the joint forces, (nv). Written by `forward_dynamics_vjp`.
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
            unused: zeros.clone(),
            tau_bar: zeros,
        }
    }

    /// Writes M⁻¹ x to `tau_bar`, with the factors of the last `aba`.
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

/// Takes the cotangent `qdd_bar` of the accelerations that `aba` found with forces `external` back to
/// the joint forces (`work.tau_bar`), the external forces ([`ForwardDynamicsVjpWork::external_bar`]), the
/// poses and velocities `bar`, and the inertias, armatures and gravity in `params`; adds to the last
/// two. What was added to the inertia of coordinate k has the cotangent −`work.tau_bar[k] aba.qdd[k]`.
#[allow(clippy::too_many_arguments, reason = "one for each argument of the forward stage")]
pub fn forward_dynamics_vjp<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    aba: &AbaWork<S>,
    external: &[Force<S>],
    qdd_bar: &[S],
    work: &mut ForwardDynamicsVjpWork<S>,
    bar: &mut KinematicsCotangents<S>,
    params: &mut Params<S>,
) {
    work.solve(model, kin, aba, qdd_bar);
    solved_dynamics_vjp(model, kin, &aba.qdd, external, work, bar, params);
}

/// The same for accelerations `qdd`, where z is already in `work.tau_bar`.
pub fn solved_dynamics_vjp<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    qdd: &[S],
    external: &[Force<S>],
    work: &mut ForwardDynamicsVjpWork<S>,
    bar: &mut KinematicsCotangents<S>,
    params: &mut Params<S>,
) {
    let ForwardDynamicsVjpWork { rnea, minus_z, unused, tau_bar, .. } = work;
    minus_z.iter_mut().zip(tau_bar.iter()).for_each(|(to, z)| *to = -*z);
    rnea_vjp(model, kin, qdd, external, minus_z, rnea, bar, unused, params);
}

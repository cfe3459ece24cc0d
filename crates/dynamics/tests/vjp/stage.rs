//! What is checked: a stage with its adjoint, what it takes, and what comes back.

use gradbody_dynamics::{CoordinateCotangents, Kinematics, KinematicsCotangents, kinematics_vjp};
use gradbody_math::{Force, Scalar, Vec3};
use gradbody_model::{Model, Params};

/// What a stage may depend on.
#[derive(Clone)]
pub(crate) struct Inputs<S> {
    pub(crate) model: Model<S>,
    pub(crate) q: Vec<S>,
    pub(crate) v: Vec<S>,
    /// Whatever else the stage takes.
    pub(crate) extra: Vec<S>,
}

/// Cotangents of [`Inputs`]; a direction in them has the same shape but for the parameters.
pub(crate) struct Cotangents<S> {
    pub(crate) q: Vec<S>,
    pub(crate) v: Vec<S>,
    pub(crate) extra: Vec<S>,
    pub(crate) params: Params<S>,
}

impl<S: Scalar> Cotangents<S> {
    /// What a stage that reads q and v adds to.
    pub(crate) fn coordinates(&mut self) -> CoordinateCotangents<'_, S> {
        CoordinateCotangents { q: &mut self.q, v: &mut self.v, params: &mut self.params }
    }

    pub(crate) fn zero(x: &Inputs<S>) -> Self {
        let nv = x.model.nv();
        Cotangents {
            q: vec![S::ZERO; nv],
            v: vec![S::ZERO; nv],
            extra: vec![S::ZERO; x.extra.len()],
            params: x.model.params.zeros_like(),
        }
    }
}

/// A stage and its adjoint.
pub(crate) trait Stage {
    fn extra(&self, _model: &Model<f64>) -> usize {
        0
    }
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S>;
    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S>;
}

/// An adjoint that ends in poses and velocities, taken back to the state.
pub(crate) fn through_kinematics<S: Scalar>(
    x: &Inputs<S>,
    stage: impl FnOnce(&Kinematics<S>, &mut KinematicsCotangents<S>, &mut Cotangents<S>),
) -> Cotangents<S> {
    let kin = Kinematics::at(&x.model, &x.q, &x.v);
    let mut bar = KinematicsCotangents::new(&x.model);
    let mut out = Cotangents::zero(x);
    stage(&kin, &mut bar, &mut out);
    kinematics_vjp(&x.model, &x.q, &x.v, &kin, &mut bar, out.coordinates());
    out
}

/// The value alone.
pub(crate) fn constant<S: Scalar>(x: S) -> S {
    S::from_lanes(|lane| x.lane(lane))
}

pub(crate) fn triples<S: Scalar>(y: &[S]) -> impl Iterator<Item = Vec3<S>> {
    y.chunks_exact(3).map(Vec3::from_slice)
}

pub(crate) fn forces<S: Scalar>(y: &[S]) -> Vec<Force<S>> {
    y.chunks_exact(6).map(|y| Force::new(Vec3::from_slice(y), Vec3::from_slice(&y[3..]))).collect()
}

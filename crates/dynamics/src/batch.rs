//! Dynamics of many worlds at once: the same model in many states.
//!
//! These are the entry points that use the machine's vector units: worlds are taken as many at a time
//! as the widest vectors found at run time hold, also in a binary built for any machine. One world
//! gives the same bits wherever it stands in the batch and however wide the vectors are.

use gradbody_math::{Kernel, Scalar, WidestLanes, run_widest};
use gradbody_model::Model;

use crate::{AbaWork, CrbaWork, Kinematics, RneaWork, aba, crba, kinematics, rnea, velocities};

/// Accelerations of many worlds, computing in `T` (f64 or f32). Arrays hold one world after another:
/// `q` of nq numbers each, `v`, `tau` and `qdd` of nv.
pub fn forward_dynamics<T: WidestLanes>(
    model: &Model<f64>,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    qdd: &mut [f64],
) {
    run_widest::<T, _>(ForwardDynamics { model, q, v, tau, qdd });
}

/// Joint forces of many worlds for given accelerations; arrays as in [`forward_dynamics`].
pub fn inverse_dynamics<T: WidestLanes>(
    model: &Model<f64>,
    q: &[f64],
    v: &[f64],
    qdd: &[f64],
    tau: &mut [f64],
) {
    run_widest::<T, _>(InverseDynamics { model, q, v, qdd, tau });
}

/// Mass matrices of many worlds, each nv × nv, row by row.
pub fn mass_matrices<T: WidestLanes>(model: &Model<f64>, q: &[f64], mass: &mut [f64]) {
    run_widest::<T, _>(MassMatrices { model, q, mass });
}

struct ForwardDynamics<'a> {
    model: &'a Model<f64>,
    q: &'a [f64],
    v: &'a [f64],
    tau: &'a [f64],
    qdd: &'a mut [f64],
}

impl Kernel for ForwardDynamics<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scalar>(self) {
        let model: Model<S> = self.model.cast();
        let (nq, nv) = (model.nq(), model.nv());
        let mut kin = Kinematics::new(&model);
        let mut work = AbaWork::new(&model);
        let (mut q, mut v, mut tau) = (zeros(nq), zeros(nv), zeros(nv));
        for first in (0..worlds(self.qdd, nv)).step_by(S::LANES) {
            gather(self.q, first, &mut q);
            gather(self.v, first, &mut v);
            gather(self.tau, first, &mut tau);
            kinematics(&model, &q, &mut kin);
            velocities(&model, &v, &mut kin);
            aba(&model, &kin, &tau, &[], &mut work);
            scatter(&work.qdd, first, self.qdd);
        }
    }
}

struct InverseDynamics<'a> {
    model: &'a Model<f64>,
    q: &'a [f64],
    v: &'a [f64],
    qdd: &'a [f64],
    tau: &'a mut [f64],
}

impl Kernel for InverseDynamics<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scalar>(self) {
        let model: Model<S> = self.model.cast();
        let (nq, nv) = (model.nq(), model.nv());
        let mut kin = Kinematics::new(&model);
        let mut work = RneaWork::new(&model);
        let (mut q, mut v, mut qdd) = (zeros(nq), zeros(nv), zeros(nv));
        for first in (0..worlds(self.tau, nv)).step_by(S::LANES) {
            gather(self.q, first, &mut q);
            gather(self.v, first, &mut v);
            gather(self.qdd, first, &mut qdd);
            kinematics(&model, &q, &mut kin);
            velocities(&model, &v, &mut kin);
            rnea(&model, &kin, &qdd, &[], &mut work);
            scatter(&work.tau, first, self.tau);
        }
    }
}

struct MassMatrices<'a> {
    model: &'a Model<f64>,
    q: &'a [f64],
    mass: &'a mut [f64],
}

impl Kernel for MassMatrices<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scalar>(self) {
        let model: Model<S> = self.model.cast();
        let (nq, nv) = (model.nq(), model.nv());
        let mut kin = Kinematics::new(&model);
        let mut work = CrbaWork::new(&model);
        let (mut q, mut full) = (zeros(nq), zeros(nv * nv));
        for first in (0..worlds(self.mass, nv * nv)).step_by(S::LANES) {
            gather(self.q, first, &mut q);
            kinematics(&model, &q, &mut kin);
            crba(&model, &kin, &mut work);
            for i in 0..nv {
                for j in 0..nv {
                    full[i * nv + j] = work.mass_matrix.at(i, j);
                }
            }
            scatter(&full, first, self.mass);
        }
    }
}

fn zeros<S: Scalar>(n: usize) -> Vec<S> {
    vec![S::ZERO; n]
}

fn worlds(array: &[f64], each: usize) -> usize {
    array.len().checked_div(each).unwrap_or(0)
}

/// Takes worlds `first..first + LANES` into lanes; lanes beyond the last world repeat it.
fn gather<S: Scalar>(from: &[f64], first: usize, to: &mut [S]) {
    let each = to.len();
    let last = worlds(from, each).saturating_sub(1);
    for (k, to) in to.iter_mut().enumerate() {
        *to = S::from_lanes(|lane| from[(first + lane).min(last) * each + k]);
    }
}

/// The inverse of [`gather`].
fn scatter<S: Scalar>(from: &[S], first: usize, to: &mut [f64]) {
    let each = from.len();
    for lane in 0..S::LANES.min(worlds(to, each) - first) {
        for (to, from) in to[(first + lane) * each..].iter_mut().zip(from) {
            *to = from.lane(lane);
        }
    }
}

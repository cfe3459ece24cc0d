//! Dynamics of many worlds at once: the same model in many states.
//!
//! These entry points use the machine's vector units. They process as many worlds at a time as the widest vectors hold;
//! a portable binary finds these at run time. A world's results have the same bits whatever its position in the batch
//! and the width of the vectors.
//!
//! Arrays hold one world after another: `q` has nq numbers per world; `v`, `tau` and `qdd` have nv. `T` (f64 or f32) is
//! the precision of the computation. Each call sets up its buffers and copies the model into lanes, which pays off from
//! a few dozen worlds on.

use gradbody_math::{Kernel, Scalar, WidestLanes, run_widest};
use gradbody_model::Model;

use crate::{AbaWork, CrbaWork, Kinematics, RneaWork, aba, crba, kinematics, rnea, velocities};

/// Accelerations of many worlds.
pub fn forward_dynamics<T: WidestLanes>(
    model: &Model<f64>,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    qdd: &mut [f64],
) {
    let direction = Direction::Forward;
    run_widest::<T, _>(Dynamics { model, q, v, given: tau, direction, wanted: qdd });
}

/// Joint forces of many worlds for given accelerations.
pub fn inverse_dynamics<T: WidestLanes>(
    model: &Model<f64>,
    q: &[f64],
    v: &[f64],
    qdd: &[f64],
    tau: &mut [f64],
) {
    let direction = Direction::Inverse;
    run_widest::<T, _>(Dynamics { model, q, v, given: qdd, direction, wanted: tau });
}

/// Mass matrices of many worlds, each nv × nv, row by row.
pub fn mass_matrices<T: WidestLanes>(model: &Model<f64>, q: &[f64], mass: &mut [f64]) {
    run_widest::<T, _>(MassMatrices { model, q, mass });
}

/// From forces to accelerations, or the reverse.
enum Direction {
    Forward,
    Inverse,
}

struct Dynamics<'a> {
    model: &'a Model<f64>,
    q: &'a [f64],
    v: &'a [f64],
    given: &'a [f64],
    direction: Direction,
    wanted: &'a mut [f64],
}

impl Kernel for Dynamics<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scalar>(self) {
        let model: Model<S> = self.model.cast();
        let (nq, nv) = (model.nq(), model.nv());
        let count = worlds(self.wanted, nv);
        for (array, each) in [(self.q, nq), (self.v, nv), (self.given, nv)] {
            assert_eq!(array.len(), count * each, "all arrays have the same number of worlds");
        }
        let mut kin = Kinematics::new(&model);
        let (mut forward, mut inverse) = (AbaWork::new(&model), RneaWork::new(&model));
        let (mut q, mut v, mut given) = (zeros(nq), zeros(nv), zeros(nv));
        for first in (0..count).step_by(S::LANES) {
            gather(self.q, first, &mut q);
            gather(self.v, first, &mut v);
            gather(self.given, first, &mut given);
            kinematics(&model, &q, &mut kin);
            velocities(&model, &v, &mut kin);
            match self.direction {
                Direction::Forward => {
                    aba(&model, &kin, &given, &[], &mut forward);
                    scatter(&forward.qdd, first, self.wanted);
                }
                Direction::Inverse => {
                    rnea(&model, &kin, &given, &[], &mut inverse);
                    scatter(&inverse.tau, first, self.wanted);
                }
            }
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
        let count = worlds(self.mass, nv * nv);
        assert_eq!(self.q.len(), count * nq, "all arrays have the same number of worlds");
        let mut kin = Kinematics::new(&model);
        let mut work = CrbaWork::new(&model);
        let (mut q, mut full) = (zeros(nq), zeros(nv * nv));
        for first in (0..count).step_by(S::LANES) {
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

/// The number of worlds in an array with `each` numbers per world.
fn worlds(array: &[f64], each: usize) -> usize {
    let count = array.len().checked_div(each).unwrap_or(0);
    assert_eq!(array.len(), count * each, "an array has a whole number of worlds");
    count
}

/// Copies worlds `first..first + LANES` into lanes; lanes beyond the last world repeat it.
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

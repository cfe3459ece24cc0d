//! Time derivatives without finite differences: a state as a dual number in time.

use gradbody::dynamics::integrate;
use gradbody::math::{Dual, Motion, Scalar, Vec3};
use gradbody::model::Model;

/// A value and its rate.
pub(crate) type InTime = Dual<f64, 1>;

/// Constants.
pub(crate) fn constants<S: Scalar>(x: &[f64]) -> Vec<S> {
    x.iter().map(|x| S::from_f64(*x)).collect()
}

/// Values that change at these rates.
pub(crate) fn changing(x: &[f64], rate: &[f64]) -> Vec<InTime> {
    assert_eq!(x.len(), rate.len());
    x.iter().zip(rate).map(|(x, rate)| InTime { re: *x, eps: [*rate] }).collect()
}

/// The configuration `q` moving with `v`.
pub(crate) fn moving(model: &Model<InTime>, q: &[f64], v: &[f64]) -> Vec<InTime> {
    let mut q = constants(q);
    integrate(model, &mut q, &changing(&vec![0.0; v.len()], v));
    q
}

/// The rate of a vector.
pub(crate) fn rate(x: Vec3<InTime>) -> Vec3<f64> {
    x.map(|x| x.eps[0])
}

/// The value of a vector.
pub(crate) fn value(x: Vec3<InTime>) -> Vec3<f64> {
    x.map(|x| x.re)
}

/// Angular, then linear part.
pub(crate) fn six(m: Motion<f64>) -> [f64; 6] {
    [m.ang.x, m.ang.y, m.ang.z, m.lin.x, m.lin.y, m.lin.z]
}

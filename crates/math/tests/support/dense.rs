//! 6×6 matrices written out, to check the spatial algebra against.

use gradbody_math::{ArticulatedInertia, Force, Inertia, Mat3, Motion, Scalar, Transform, Vec3};

/// Six numbers, angular first.
pub(crate) type Vec6<S> = [S; 6];
/// Rows of a 6×6 matrix.
pub(crate) type Mat6<S> = [[S; 6]; 6];

pub(crate) fn from_motion<S: Scalar>(m: Motion<S>) -> Vec6<S> {
    [m.ang.x, m.ang.y, m.ang.z, m.lin.x, m.lin.y, m.lin.z]
}

pub(crate) fn from_force<S: Scalar>(f: Force<S>) -> Vec6<S> {
    [f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z]
}

pub(crate) fn to_force<S: Scalar>(x: Vec6<S>) -> Force<S> {
    Force::new(Vec3::from_slice(&x), Vec3::from_slice(&x[3..]))
}

pub(crate) fn to_motion<S: Scalar>(x: Vec6<S>) -> Motion<S> {
    Motion::new(Vec3::from_slice(&x), Vec3::from_slice(&x[3..]))
}

/// | a b |
/// | c d |
pub(crate) fn blocks<S: Scalar>(a: Mat3<S>, b: Mat3<S>, c: Mat3<S>, d: Mat3<S>) -> Mat6<S> {
    core::array::from_fn(|i| {
        core::array::from_fn(|j| match (i < 3, j < 3) {
            (true, true) => a.at(i, j),
            (true, false) => b.at(i, j - 3),
            (false, true) => c.at(i - 3, j),
            (false, false) => d.at(i - 3, j - 3),
        })
    })
}

pub(crate) fn times<S: Scalar>(m: &Mat6<S>, x: Vec6<S>) -> Vec6<S> {
    core::array::from_fn(|i| (0..6).map(|j| m[i][j] * x[j]).sum())
}

pub(crate) fn product<S: Scalar>(a: &Mat6<S>, b: &Mat6<S>) -> Mat6<S> {
    core::array::from_fn(|i| core::array::from_fn(|j| (0..6).map(|k| a[i][k] * b[k][j]).sum()))
}

pub(crate) fn transpose<S: Scalar>(m: &Mat6<S>) -> Mat6<S> {
    core::array::from_fn(|i| core::array::from_fn(|j| m[j][i]))
}

pub(crate) fn combine<S: Scalar>(a: &Mat6<S>, b: &Mat6<S>, f: impl Fn(S, S) -> S) -> Mat6<S> {
    core::array::from_fn(|i| core::array::from_fn(|j| f(a[i][j], b[i][j])))
}

/// How motions transform [Featherstone 2008, (2.24)], for coordinates in b taken to a.
pub(crate) fn motion_transform<S: Scalar>(pose_ab: &Transform<S>) -> Mat6<S> {
    let r = pose_ab.rot;
    blocks(r, Mat3::ZERO, Mat3::skew(pose_ab.pos) * r, r)
}

/// How forces transform [Featherstone 2008, (2.25)].
pub(crate) fn force_transform<S: Scalar>(pose_ab: &Transform<S>) -> Mat6<S> {
    let r = pose_ab.rot;
    blocks(r, Mat3::skew(pose_ab.pos) * r, Mat3::ZERO, r)
}

/// The inertia of a rigid body [Featherstone 2008, (2.63)].
pub(crate) fn inertia<S: Scalar>(i: &Inertia<S>) -> Mat6<S> {
    let mc = Mat3::skew(i.com) * i.mass;
    let about_reference = i.rotational.to_mat3() - mc * Mat3::skew(i.com);
    blocks(about_reference, mc, -mc, Mat3::IDENTITY * i.mass)
}

pub(crate) fn articulated<S: Scalar>(i: &ArticulatedInertia<S>) -> Mat6<S> {
    blocks(i.ang.to_mat3(), i.cross, i.cross.transpose(), i.lin.to_mat3())
}

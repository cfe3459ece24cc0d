//! Moving on the configuration manifold, and the way from one configuration to another.

use gradbody_math::{Quat, Scalar, Vec3};
use gradbody_model::{JointKind, Model};

/// Moves `q` by `dq` (nv numbers): positions add, orientations turn by `dq` in the link's own axes.
pub fn integrate<S: Scalar>(model: &Model<S>, q: &mut [S], dq: &[S]) {
    assert_eq!(q.len(), model.nq(), "q has nq numbers");
    assert_eq!(dq.len(), model.nv(), "dq has nv numbers");
    S::vectorised(
        #[inline(always)]
        || {
            for link in &model.topology.links {
                let joint = &link.joint;
                let (q, dq) = (&mut q[joint.q_range()], &dq[joint.v_range()]);
                let straight = straight_coordinates(joint.kind);
                for k in 0..straight {
                    q[k] += dq[k];
                }
                if straight < dq.len() {
                    let turned = Quat::from_slice(&q[straight..])
                        .integrate(Vec3::from_slice(&dq[straight..]));
                    q[straight..].copy_from_slice(&turned.to_array());
                }
            }
        },
    );
}

/// The `dq` that moves `from` to `to`: the inverse of [`integrate`].
pub fn difference<S: Scalar>(model: &Model<S>, from: &[S], to: &[S], dq: &mut [S]) {
    S::vectorised(
        #[inline(always)]
        || {
            for link in &model.topology.links {
                let joint = &link.joint;
                let (from, to) = (&from[joint.q_range()], &to[joint.q_range()]);
                let dq = &mut dq[joint.v_range()];
                let straight = straight_coordinates(joint.kind);
                for k in 0..straight {
                    dq[k] = to[k] - from[k];
                }
                if straight < dq.len() {
                    let from = Quat::from_slice(&from[straight..]).normalized();
                    let to = Quat::from_slice(&to[straight..]).normalized();
                    let turn = (from.conjugate() * to).log();
                    dq[straight..].copy_from_slice(&turn.to_array());
                }
            }
        },
    );
}

/// The rate of the local coordinates `at` (a `dq` that [`integrate`] would apply) when the model
/// there moves with `v`. Positions: `v` itself. Rotation vectors θ, with ω in the link's own axes:
/// `ω + ½ θ × ω + (1/12 + θ²/720) θ × (θ × ω)`, the inverse of the right Jacobian to order θ⁴.
pub fn local_rate<S: Scalar>(model: &Model<S>, at: &[S], v: &[S], rate: &mut [S]) {
    S::vectorised(
        #[inline(always)]
        || {
            rate.copy_from_slice(v);
            for link in &model.topology.links {
                let turn = match link.joint.kind {
                    JointKind::Spherical => link.joint.v_start..link.joint.v_start + 3,
                    JointKind::Free => link.joint.v_start + 3..link.joint.v_start + 6,
                    _ => continue,
                };
                let theta = Vec3::from_slice(&at[turn.clone()]);
                let omega = Vec3::from_slice(&v[turn.clone()]);
                let once = theta.cross(omega);
                let twice = theta.cross(once);
                let factor =
                    theta.norm_squared().mul_add(S::from_f64(1.0 / 720.0), S::from_f64(1.0 / 12.0));
                let result = twice.scale_add(factor, once.scale_add(S::from_f64(0.5), omega));
                rate[turn].copy_from_slice(&result.to_array());
            }
        },
    );
}

/// How many of a joint's coordinates, from the first, are plain numbers; the rest is a quaternion.
#[inline(always)]
fn straight_coordinates(kind: JointKind) -> usize {
    match kind {
        JointKind::Spherical => 0,
        JointKind::Free => 3,
        kind => kind.nv(),
    }
}

//! The relative motion of a contact's two links along its rows, and its adjoint.

use gradbody_dynamics::{Kinematics, KinematicsCotangents};
use gradbody_math::{Force, Mat3, Motion, Scalar, Vec3};
use gradbody_model::LinkId;

use crate::problem::ContactRows;
use crate::{Contact, ContactCotangents};

/// The rows of one contact.
#[derive(Clone, Copy)]
pub(super) struct RowsAt<'a, S> {
    pub(super) contact: &'a Contact<S>,
    pub(super) rows: &'a ContactRows<S>,
    pub(super) kin: &'a Kinematics<S>,
}

/// Factors of the motion along the rows of a contact, and about them.
pub(super) struct RowWeights<S> {
    pub(super) along: Vec3<S>,
    pub(super) about: Vec3<S>,
}

/// Cotangents of what the motion along a contact's rows depends on. Added to.
pub(super) struct RowsCotangents<'a, S> {
    pub(super) frame: &'a mut Mat3<S>,
    pub(super) contact: &'a mut ContactCotangents<S>,
    pub(super) kin: &'a mut KinematicsCotangents<S>,
    /// Of the links' motions.
    pub(super) motions: &'a mut [Force<S>],
}

impl<S: Scalar> RowsAt<'_, S> {
    /// The adjoint of the relative motion of the contact's links along its rows, times `weights`: adds to the frame,
    /// the point, the links' positions, and to the cotangents of the links' motions.
    #[inline(always)]
    pub(super) fn motion_vjp(
        &self,
        motions_w: &[Motion<S>],
        weights: RowWeights<S>,
        out: RowsCotangents<'_, S>,
    ) {
        let RowWeights { along, about } = weights;
        let force = self.rows.frame_w * along;
        let torque = self.rows.frame_w * about;
        let sides = [(self.contact.link_b, S::ONE), (self.contact.link_a, -S::ONE)];
        for (link, sign) in sides {
            let Some(link) = link.map(LinkId::index) else { continue };
            let lever = self.contact.point_w - self.kin.bodies[link].pos_w;
            let motion = motions_w[link].at(lever) * sign;
            for c in 0..3 {
                let col = &mut out.frame.cols[c];
                *col = motion.lin.scale_add(along[c], motion.ang.scale_add(about[c], *col));
            }
            let point_bar = force.cross(motion.ang);
            out.contact.point_w += point_bar;
            out.kin.bodies[link].pos_w -= point_bar;
            let (lin, ang) = (force * sign, torque * sign);
            out.motions[link] += Force { ang: lever.cross_add(lin, ang), lin };
        }
    }
}

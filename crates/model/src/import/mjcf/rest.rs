//! The effective inertia at a joint in the pose of the file: the force for unit acceleration while all other joints are
//! free, 1 / (M⁻¹)ₖₖ for degree of freedom k.
//!
//! A spring given by time constant and damping ratio, and a servo given by a damping ratio, need it. It uses the
//! articulated-body algorithm [Featherstone 2008, §7.3], at rest and without gravity: articulated inertias once, then a
//! pass up and down the tree for a unit force at k. All quantities are in the world's axes, at the position of the
//! joint in question.

use gradbody_math::{ArticulatedInertia, Force, Inertia, Motion, Vec3};

use super::body::Body;
use super::joint::{Joint, Kind};

/// The mechanism in the pose of the file.
pub(super) struct AtRest {
    /// Parents first.
    dofs: Vec<Dof>,
    /// The last degree of freedom of each joint of each body.
    of_joint: Vec<Vec<usize>>,
}

struct Dof {
    /// Its parent degree of freedom.
    parent: Option<usize>,
    /// Its position [m].
    point: Vec3<f64>,
    axis: Motion<f64>,
    armature: f64,
    /// Force for a unit acceleration of the links it carries, with the joints further out free.
    force: Force<f64>,
    /// Reciprocal of the generalised force for that; zero if nothing resists.
    inverse: f64,
}

impl AtRest {
    /// The mechanism of these bodies.
    pub(super) fn new(bodies: &[Body<'_>], inertias: &[Inertia<f64>]) -> Self {
        let mut dofs: Vec<Dof> = Vec::new();
        let mut of_joint: Vec<Vec<usize>> = Vec::new();
        let mut articulated: Vec<ArticulatedInertia<f64>> = Vec::new();
        // The degree of freedom that carries each body.
        let mut carrier: Vec<Option<usize>> = Vec::new();
        for (i, (body, inertia)) in bodies.iter().zip(inertias).enumerate() {
            let mut parent = if i == 0 { None } else { carrier[body.parent] };
            let mut last = Vec::new();
            for joint in &body.joints {
                let point = body.pose_wb.point(joint.anchor);
                let armature = joint.spec.params.armature;
                let (force, inverse) = (Force::ZERO, 0.0);
                for axis in axes(body, joint) {
                    dofs.push(Dof { parent, point, axis, armature, force, inverse });
                    articulated.push(ArticulatedInertia::ZERO);
                    parent = Some(dofs.len() - 1);
                }
                last.extend(parent);
            }
            if let Some(dof) = parent {
                let mut seen = inertia.rotated(&body.pose_wb.rot);
                seen.com += body.pose_wb.pos - dofs[dof].point;
                articulated[dof] += seen.into();
            }
            carrier.push(parent);
            of_joint.push(last);
        }
        let mut mechanism = AtRest { dofs, of_joint };
        for k in (0..mechanism.dofs.len()).rev() {
            let dof = &mut mechanism.dofs[k];
            dof.force = articulated[k].force(dof.axis);
            let resistance = dof.axis.dot(dof.force) + dof.armature;
            dof.inverse = if resistance > 0.0 { resistance.recip() } else { 0.0 };
            let released = articulated[k].release(dof.force, dof.inverse);
            if let Some(parent) = dof.parent {
                articulated[parent] += released.shifted(mechanism.offset(k));
            }
        }
        mechanism
    }

    /// The position of a degree of freedom relative to its parent's [m].
    fn offset(&self, k: usize) -> Vec3<f64> {
        let Dof { parent, point, .. } = self.dofs[k];
        parent.map_or(Vec3::ZERO, |p| point - self.dofs[p].point)
    }

    /// The effective inertia at a hinge or slide [kg m² or kg].
    pub(super) fn felt(&self, body: usize, joint: usize) -> f64 {
        let k = self.of_joint[body][joint];
        // Inwards from k: the part of a unit force at k that reaches each degree of freedom.
        let mut way = Vec::new();
        let (mut next, mut bias) = (Some(k), Force::ZERO);
        while let Some(j) = next {
            let dof = &self.dofs[j];
            let unit = if j == k { 1.0 } else { 0.0 };
            let effort = unit - dof.axis.dot(bias);
            bias += dof.force * (effort * dof.inverse);
            bias = bias.acting_at(self.offset(j));
            way.push((j, effort));
            next = dof.parent;
        }
        // Outwards again: the acceleration of each, k last.
        let (mut carried, mut acceleration) = (Motion::ZERO, 0.0);
        for (j, effort) in way.into_iter().rev() {
            let dof = &self.dofs[j];
            carried = carried.at(self.offset(j));
            acceleration = (effort - dof.force.dot(carried)) * dof.inverse;
            carried += dof.axis * acceleration;
        }
        if acceleration > 0.0 { acceleration.recip() } else { 0.0 }
    }
}

/// The velocity axes of a joint, at its position.
fn axes(body: &Body<'_>, joint: &Joint<'_>) -> Vec<Motion<f64>> {
    let pose = &body.pose_wb;
    let slide = |axis: Vec3<f64>| Motion { ang: Vec3::ZERO, lin: axis };
    let turn = |axis: Vec3<f64>| Motion { ang: axis, lin: Vec3::ZERO };
    let all = [Vec3::X, Vec3::Y, Vec3::Z];
    match joint.kind {
        Kind::Slide => vec![slide(pose.vector(joint.axis))],
        Kind::Hinge => vec![turn(pose.vector(joint.axis))],
        Kind::Ball => all.map(turn).to_vec(),
        Kind::Free => all.map(slide).into_iter().chain(all.map(turn)).collect(),
    }
}

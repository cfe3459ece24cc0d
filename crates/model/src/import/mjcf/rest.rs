//! What a joint has to move in the pose of the file: its diagonal entry of the mass matrix.
//!
//! A spring given by time constant and damping ratio, or a servo given by a damping ratio, gets its
//! stiffness and damping from it.

use gradbody_math::Inertia;

use super::body::Body;
use super::joint::{Joint, Kind};

/// The inertia that each joint of one degree of freedom feels [kg m² or kg], armature included,
/// body by body.
pub(super) fn joint_inertias(bodies: &[Body<'_>], inertias: &[Inertia<f64>]) -> Vec<Vec<f64>> {
    // Everything from a body outwards as one, from the world's origin and in its axes.
    let mut outwards: Vec<Inertia<f64>> = Vec::with_capacity(bodies.len());
    for (body, inertia) in bodies.iter().zip(inertias) {
        let mut seen = inertia.rotated(&body.pose_wb.rot);
        seen.com += body.pose_wb.pos;
        outwards.push(seen);
    }
    for i in (1..bodies.len()).rev() {
        let parent = bodies[i].parent;
        outwards[parent] = outwards[parent].combined(&outwards[i]);
    }
    let resistances = |(body, moved): (&Body<'_>, &Inertia<f64>)| {
        body.joints.iter().map(|joint| resistance(body, joint, moved)).collect()
    };
    bodies.iter().zip(&outwards).map(resistances).collect()
}

/// The inertia that a joint feels if it moves `moved`, which is seen from the world.
fn resistance(body: &Body<'_>, joint: &Joint<'_>, moved: &Inertia<f64>) -> f64 {
    let axis = body.pose_wb.vector(joint.axis);
    let arm = moved.com - body.pose_wb.point(joint.anchor);
    let about_anchor = moved.rotational.add_point_mass(moved.mass, arm);
    joint.spec.params.armature
        + match joint.kind {
            Kind::Slide => moved.mass,
            Kind::Hinge => axis.dot(about_anchor * axis),
            Kind::Free | Kind::Ball => 0.0,
        }
}

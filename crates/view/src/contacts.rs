//! Contacts of a step as a frame shows them: the solver's own forces, and whether a contact sticks or slides.

use gradbody_contact::Contact;
use gradbody_math::Vec3;
use gradbody_sim::StepTrace;

use crate::protocol::ContactNumbers;

/// It touches, and carries no force.
const TOUCHES: f32 = 0.0;
/// Friction holds it.
const STICKS: f32 = 1.0;
/// It slides.
const SLIDES: f32 = 2.0;

/// Sliding speed below which a contact sticks [m/s]; a solver leaves errors of this size.
const CREEP: f64 = 1e-3;
/// The share of the largest friction from which a contact is at its limit.
const AT_LIMIT: f64 = 0.99;

/// The contacts of a step that touch or carry a force.
pub(crate) fn numbers(trace: &StepTrace<f64>, world: usize, out: &mut Vec<ContactNumbers>) {
    out.clear();
    let problem = trace.problem();
    let mut rows = problem.contacts.iter().enumerate().peekable();
    for (k, contact) in trace.contacts().iter().enumerate() {
        while rows.next_if(|(_, row)| row.contact < k).is_some() {}
        let row = rows.peek().filter(|(_, row)| row.contact == k);
        if contact.gap > 0.0 && contact.force_w == Vec3::ZERO {
            continue;
        }
        // After the impulses if the solver saw it, else at the start of the step.
        let speed = match row {
            Some((i, _)) => {
                let [_, x, y] = problem.velocity(*i).to_array();
                x.hypot(y)
            }
            None => across(contact.velocity_w, contact.normal_w),
        };
        let [x, y, z] = contact.point_w.to_array();
        let [fx, fy, fz] = on_the_moving_one(contact).to_array();
        let numbers = [x, y, z, fx, fy, fz].map(|x| x as f32);
        let [x, y, z, fx, fy, fz] = numbers;
        let friction = row.map_or(contact.material.friction, |(_, row)| row.friction);
        let state = state(contact, speed, friction, row.is_none());
        out.push([x, y, z, fx, fy, fz, state, world as f32]);
    }
}

/// The force on the body that moves; of two moving bodies on b.
pub(crate) fn on_the_moving_one(contact: &Contact<f64>) -> Vec3<f64> {
    if contact.link_b.is_some() { contact.force_w } else { -contact.force_w }
}

/// The force of bodies that do not move on those that do [N].
pub(crate) fn from_the_fixed(trace: &StepTrace<f64>) -> Vec3<f64> {
    let fixed = |c: &&Contact<f64>| c.link_a.is_none() || c.link_b.is_none();
    trace.contacts().iter().filter(fixed).fold(Vec3::ZERO, |sum, c| sum + on_the_moving_one(c))
}

fn state(contact: &Contact<f64>, speed: f64, friction: f64, compliant: bool) -> f32 {
    if contact.force_w == Vec3::ZERO {
        return TOUCHES;
    }
    let pressure = contact.force_w.dot(contact.normal_w);
    let creep = if compliant { contact.material.slip_velocity } else { CREEP };
    let at_limit =
        compliant || across(contact.force_w, contact.normal_w) >= AT_LIMIT * friction * pressure;
    if speed > creep && at_limit { SLIDES } else { STICKS }
}

/// The size of the part of a vector that is across a unit normal.
fn across(vector: Vec3<f64>, normal: Vec3<f64>) -> f64 {
    (vector - normal * vector.dot(normal)).norm()
}

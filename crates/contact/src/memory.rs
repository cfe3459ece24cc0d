//! Impulses kept from step to step: where a warm start begins.

use gradbody_math::{Scalar, Vec3};
use gradbody_model::Model;

use crate::contact::CONTACTS_PER_SHAPE;
use crate::problem::is_active;
use crate::{Contact, ContactId, Problem};

/// The impulses of the last step, by what they belong to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactMemory<S> {
    contacts: Vec<Remembered<S>>,
    joints: Vec<(u32, S)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Remembered<S> {
    id: ContactId,
    impulse_w: Vec3<S>,
    twist_w: Vec3<S>,
}

impl<S: Scalar> ContactMemory<S> {
    /// Remembers nothing, with room for a model's contacts.
    pub fn new(model: &Model<S>) -> Self {
        ContactMemory {
            contacts: Vec::with_capacity(CONTACTS_PER_SHAPE * model.topology.shapes.len()),
            joints: Vec::with_capacity(3 * model.nv()),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.joints.clear();
    }

    /// Starts the rows of a problem from the impulses they had. Both lists are in order.
    #[inline(always)]
    pub fn recall(&self, contacts: &[Contact<S>], problem: &mut Problem<S>) {
        let mut rest = self.contacts.iter().peekable();
        for i in 0..problem.contacts.len() {
            let rows = &problem.contacts[i];
            let contact = &contacts[rows.contact];
            while rest.next_if(|r| r.id < contact.id).is_some() {}
            if let Some(old) = rest.next_if(|r| r.id == contact.id) {
                let to_rows = rows.frame_w.transpose();
                let active = is_active(contact);
                problem.push(i, to_rows * old.impulse_w * active);
                problem.twist(i, to_rows * old.twist_w * active);
            }
        }
        let mut rest = self.joints.iter().peekable();
        for i in 0..problem.joints.len() {
            let row = &problem.joints[i];
            while rest.next_if(|(key, _)| *key < row.key()).is_some() {}
            if let Some((_, impulse)) = rest.next_if(|(key, _)| *key == row.key()) {
                problem.push_joint(i, impulse.clamp(row.lower, row.upper));
            }
        }
    }

    /// Remembers the impulses of a solved problem, where it was solved.
    #[inline(always)]
    pub fn store(&mut self, contacts: &[Contact<S>], problem: &Problem<S>) {
        self.clear();
        let solved = S::ONE - problem.unsolved;
        self.contacts.extend(problem.contacts.iter().map(|rows| Remembered {
            id: contacts[rows.contact].id,
            impulse_w: rows.frame_w * (rows.impulse * solved),
            twist_w: rows.turning.map_or(Vec3::ZERO, |t| rows.frame_w * (t.impulse * solved)),
        }));
        self.joints.extend(problem.joints.iter().map(|row| (row.key(), row.impulse * solved)));
    }
}

impl ContactMemory<f64> {
    /// The same in another scalar: in every lane, with zero derivatives.
    pub fn cast<T: Scalar>(&self) -> ContactMemory<T> {
        let cast = |r: &Remembered<f64>| Remembered {
            id: r.id,
            impulse_w: r.impulse_w.map(T::from_f64),
            twist_w: r.twist_w.map(T::from_f64),
        };
        ContactMemory {
            contacts: self.contacts.iter().map(cast).collect(),
            joints: self.joints.iter().map(|(k, x)| (*k, T::from_f64(*x))).collect(),
        }
    }
}

//! Cotangents of contacts: how much a result grows with each of their numbers.

use gradbody_math::{Scalar, Vec3};
use gradbody_model::Material;

/// Cotangents of a [`Contact`](crate::Contact).
#[derive(Clone, Copy, Debug)]
pub struct ContactCotangents<S> {
    /// Of the point.
    pub point_w: Vec3<S>,
    /// Of the normal.
    pub normal_w: Vec3<S>,
    /// Of the gap.
    pub gap: S,
    /// Of the relative velocity.
    pub velocity_w: Vec3<S>,
    /// Of the relative angular velocity.
    pub spin_w: Vec3<S>,
    /// Of the surface properties.
    pub material: Material<S>,
    /// Of the force.
    pub force_w: Vec3<S>,
    /// Of the torque.
    pub torque_w: Vec3<S>,
}

impl<S: Scalar> ContactCotangents<S> {
    /// All zero.
    pub fn zero() -> Self {
        ContactCotangents {
            point_w: Vec3::ZERO,
            normal_w: Vec3::ZERO,
            gap: S::ZERO,
            velocity_w: Vec3::ZERO,
            spin_w: Vec3::ZERO,
            material: Material::DEFAULT.map(|_| S::ZERO),
            force_w: Vec3::ZERO,
            torque_w: Vec3::ZERO,
        }
    }
}

/// Cotangents of a [`ContactMemory`](crate::ContactMemory), in the same order; empty if nothing depends on it.
#[derive(Clone, Debug, Default)]
pub struct MemoryCotangents<S> {
    /// Of each contact's impulse and angular impulse, in the world's axes.
    pub contacts: Vec<(Vec3<S>, Vec3<S>)>,
    /// Of each joint's impulse.
    pub joints: Vec<S>,
}

impl<S> MemoryCotangents<S> {
    /// Clears it: nothing depends on the memory.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.joints.clear();
    }

    /// Visits every number.
    pub fn for_each(&mut self, mut visit: impl FnMut(&mut S)) {
        for (impulse, twist) in &mut self.contacts {
            [&mut impulse.x, &mut impulse.y, &mut impulse.z].into_iter().for_each(&mut visit);
            [&mut twist.x, &mut twist.y, &mut twist.z].into_iter().for_each(&mut visit);
        }
        self.joints.iter_mut().for_each(visit);
    }
}

//! Impulses kept from step to step, for warm starts.

use gradbody_math::{Mat3, Scalar, Vec3};
use gradbody_model::Model;

use crate::contact::CONTACTS_PER_SHAPE;
use crate::problem::is_active;
use crate::{Contact, ContactId, MemoryCotangents, Problem, ProblemCotangents};

/// The impulses of the last step, by contact and joint.
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
    /// An empty memory, with room for a model's contacts.
    pub fn new(model: &Model<S>) -> Self {
        ContactMemory {
            contacts: Vec::with_capacity(CONTACTS_PER_SHAPE * model.topology.shapes.len()),
            joints: Vec::with_capacity(3 * model.nv()),
        }
    }

    /// Removes all impulses.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.joints.clear();
    }

    /// Clears the impulses of one world.
    pub fn forget_in(&mut self, lane: usize) {
        let zero = |x: S| S::from_lanes(|l| if l == lane { 0.0 } else { x.lane(l) });
        for r in &mut self.contacts {
            (r.impulse_w, r.twist_w) = (r.impulse_w.map(zero), r.twist_w.map(zero));
        }
        self.joints.iter_mut().for_each(|(_, x)| *x = zero(*x));
    }

    /// Copies another memory into one world. Contacts that only the other worlds have stay, with zero impulse in this
    /// one.
    pub fn set_lane(&mut self, lane: usize, from: &ContactMemory<f64>) {
        self.forget_in(lane);
        let put = |to: &mut S, new: f64| {
            let old = *to;
            *to = S::from_lanes(|l| if l == lane { new } else { old.lane(l) });
        };
        for r in &from.contacts {
            let place = self.contacts.binary_search_by_key(&r.id, |own| own.id);
            let at = place.unwrap_or_else(|at| {
                let none = Remembered { id: r.id, impulse_w: Vec3::ZERO, twist_w: Vec3::ZERO };
                self.contacts.insert(at, none);
                at
            });
            let own = &mut self.contacts[at];
            for k in 0..3 {
                put(&mut own.impulse_w[k], r.impulse_w[k]);
                put(&mut own.twist_w[k], r.twist_w[k]);
            }
        }
        for (key, impulse) in &from.joints {
            let place = self.joints.binary_search_by_key(key, |(own, _)| *own);
            let at = place.unwrap_or_else(|at| {
                self.joints.insert(at, (*key, S::ZERO));
                at
            });
            put(&mut self.joints[at].1, *impulse);
        }
    }

    /// Initialises the rows of a problem with their stored impulses. Both lists are sorted.
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

    /// Stores the impulses of a problem, in the lanes where it was solved.
    #[inline(always)]
    pub fn store(&mut self, contacts: &[Contact<S>], problem: &Problem<S>) {
        self.clear();
        let solved = S::ONE - problem.unsolved;
        // Loops in place of `extend`, whose closures a portable build would not compile for this machine's instructions.
        for rows in &problem.contacts {
            let twist_w = match &rows.turning {
                Some(turning) => rows.frame_w * (turning.impulse * solved),
                None => Vec3::ZERO,
            };
            self.contacts.push(Remembered {
                id: contacts[rows.contact].id,
                impulse_w: rows.frame_w * (rows.impulse * solved),
                twist_w,
            });
        }
        for row in &problem.joints {
            self.joints.push((row.key(), row.impulse * solved));
        }
    }
}

impl<S: Scalar> ContactMemory<S> {
    /// The adjoint of [`recall`](ContactMemory::recall): takes the cotangents of the impulses that `problem` began
    /// with, in `rows_bar`, to those of the memory and of the joints' bounds. Adds those of the contacts' frames to
    /// `frames`, one for each of the problem's contacts.
    #[inline(always)]
    pub fn recall_vjp(
        &self,
        contacts: &[Contact<S>],
        problem: &Problem<S>,
        rows_bar: &mut ProblemCotangents<S>,
        frames: &mut [Mat3<S>],
        bar: &mut MemoryCotangents<S>,
    ) {
        bar.contacts.clear();
        bar.contacts.resize(self.contacts.len(), (Vec3::ZERO, Vec3::ZERO));
        let mut at = 0;
        for (i, rows) in problem.contacts.iter().enumerate() {
            let contact = &contacts[rows.contact];
            while at < self.contacts.len() && self.contacts[at].id < contact.id {
                at += 1;
            }
            let Some(old) = self.contacts.get(at).filter(|r| r.id == contact.id) else { continue };
            let active = is_active(contact);
            let (impulse, twist) =
                (rows_bar.contacts[i].impulse, rows_bar.contacts[i].turning.impulse);
            let (impulse, twist) = (impulse * active, twist * active);
            bar.contacts[at] = (rows.frame_w * impulse, rows.frame_w * twist);
            for c in 0..3 {
                let col = &mut frames[i].cols[c];
                *col = old.impulse_w.scale_add(impulse[c], old.twist_w.scale_add(twist[c], *col));
            }
        }
        bar.joints.clear();
        bar.joints.resize(self.joints.len(), S::ZERO);
        let mut at = 0;
        for (i, row) in problem.joints.iter().enumerate() {
            while at < self.joints.len() && self.joints[at].0 < row.key() {
                at += 1;
            }
            let Some((_, old)) = self.joints.get(at).filter(|(key, _)| *key == row.key()) else {
                continue;
            };
            let impulse_bar = rows_bar.joints[i].impulse;
            let below = old.select_lt(row.lower, impulse_bar, S::ZERO);
            let above = row.upper.select_lt(*old, impulse_bar, S::ZERO);
            rows_bar.joints[i].lower += below;
            rows_bar.joints[i].upper += above;
            bar.joints[at] = impulse_bar - below - above;
        }
    }

    /// The adjoint of [`store`](ContactMemory::store): takes the cotangents of the memory to those of the impulses, in
    /// `rows`, and of the contacts' frames.
    #[inline(always)]
    pub fn store_vjp(
        problem: &Problem<S>,
        bar: &MemoryCotangents<S>,
        rows_bar: &mut ProblemCotangents<S>,
        frames: &mut [Mat3<S>],
    ) {
        let solved = S::ONE - problem.unsolved;
        for (i, (impulse_bar, twist_bar)) in bar.contacts.iter().enumerate() {
            let rows = &problem.contacts[i];
            let (impulse_bar, twist_bar) = (*impulse_bar * solved, *twist_bar * solved);
            rows_bar.contacts[i].impulse += rows.frame_w.transpose_mul(impulse_bar);
            let twist = match &rows.turning {
                Some(turning) => {
                    rows_bar.contacts[i].turning.impulse += rows.frame_w.transpose_mul(twist_bar);
                    turning.impulse
                }
                None => Vec3::ZERO,
            };
            for c in 0..3 {
                let col = &mut frames[i].cols[c];
                *col = impulse_bar.scale_add(rows.impulse[c], twist_bar.scale_add(twist[c], *col));
            }
        }
        for (row, joint_bar) in rows_bar.joints.iter_mut().zip(&bar.joints) {
            row.impulse = joint_bar.mul_add(solved, row.impulse);
        }
    }
}

/// The contacts and joints of a [`ContactMemory`], without its numbers. It does not change while the same bodies touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryLayout {
    /// The contacts, in ascending order.
    pub contacts: Vec<ContactId>,
    /// The keys of the joints' rows, in ascending order.
    pub joints: Vec<u32>,
    /// Whether any contact resists turning.
    pub twists: bool,
}

impl MemoryLayout {
    /// How many numbers a memory of this layout has.
    pub fn n_numbers(&self) -> usize {
        self.contacts.len() * if self.twists { 6 } else { 3 } + self.joints.len()
    }
}

impl<S: Scalar> ContactMemory<S> {
    /// The contacts and joints it has impulses of.
    pub fn layout(&self) -> MemoryLayout {
        MemoryLayout {
            contacts: self.contacts.iter().map(|r| r.id).collect(),
            joints: self.joints.iter().map(|(key, _)| *key).collect(),
            twists: self.twists(),
        }
    }

    /// Whether it has this layout.
    pub fn has_layout(&self, layout: &MemoryLayout) -> bool {
        self.twists() == layout.twists
            && self.contacts.iter().map(|r| r.id).eq(layout.contacts.iter().copied())
            && self.joints.iter().map(|(key, _)| *key).eq(layout.joints.iter().copied())
    }

    fn twists(&self) -> bool {
        self.contacts.iter().any(|r| !r.twist_w.is_zero())
    }

    /// Calls `f` with each of its numbers, in order.
    pub fn for_numbers(&self, mut f: impl FnMut(S)) {
        let twists = self.twists();
        for r in &self.contacts {
            r.impulse_w.to_array().into_iter().for_each(&mut f);
            if twists {
                r.twist_w.to_array().into_iter().for_each(&mut f);
            }
        }
        self.joints.iter().for_each(|(_, impulse)| f(*impulse));
    }

    /// Sets the layout and the numbers.
    pub fn restore(&mut self, layout: &MemoryLayout, mut numbers: impl Iterator<Item = S>) {
        self.clear();
        let mut next = || numbers.next().unwrap_or(S::ZERO);
        for id in &layout.contacts {
            let impulse_w = Vec3::new(next(), next(), next());
            let twist_w =
                if layout.twists { Vec3::new(next(), next(), next()) } else { Vec3::ZERO };
            self.contacts.push(Remembered { id: *id, impulse_w, twist_w });
        }
        self.joints.extend(layout.joints.iter().map(|key| (*key, next())));
    }

    /// Copies another memory, without allocating if there is room.
    pub fn copy_from(&mut self, other: &Self) {
        self.clear();
        self.contacts.extend_from_slice(&other.contacts);
        self.joints.extend_from_slice(&other.joints);
    }
}

impl ContactMemory<f64> {
    /// The same memory in another scalar: equal in every lane, with zero derivatives.
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

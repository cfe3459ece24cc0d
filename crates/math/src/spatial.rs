//! Spatial algebra: six-dimensional velocities and forces, and the inertias between them.
//!
//! A spatial quantity belongs to a reference point and a set of axes; the angular part comes first. Inertias refer to
//! the same point as the motion: a body's inertia is its mass, the offset of its centre of mass from that point, and
//! its rotational inertia about the centre of mass.

use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use crate::{Mat3, Scalar, Sym3, Vec3};

/// A spatial velocity or acceleration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion<S> {
    /// Angular part [rad/s or rad/s²].
    pub ang: Vec3<S>,
    /// Linear part, of the reference point [m/s or m/s²].
    pub lin: Vec3<S>,
}

/// A spatial force or momentum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Force<S> {
    /// Moment about the reference point [N m or N m s].
    pub ang: Vec3<S>,
    /// Force [N or N s].
    pub lin: Vec3<S>,
}

macro_rules! spatial_vector {
    ($name:ident, $dual:ident) => {
        impl<S: Scalar> $name<S> {
            /// Zero.
            pub const ZERO: Self = $name { ang: Vec3::ZERO, lin: Vec3::ZERO };

            /// From the angular and linear part.
            #[inline(always)]
            pub const fn new(ang: Vec3<S>, lin: Vec3<S>) -> Self {
                $name { ang, lin }
            }

            /// The pairing of a motion and a force: power, or a generalised force.
            #[inline(always)]
            pub fn dot(self, o: $dual<S>) -> S {
                self.ang.dot(o.ang) + self.lin.dot(o.lin)
            }

            /// True if every component is finite.
            #[inline(always)]
            pub fn is_finite(self) -> bool {
                self.ang.is_finite() && self.lin.is_finite()
            }
        }

        impl<S: Scalar> Add for $name<S> {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                $name { ang: self.ang + o.ang, lin: self.lin + o.lin }
            }
        }

        impl<S: Scalar> Sub for $name<S> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                $name { ang: self.ang - o.ang, lin: self.lin - o.lin }
            }
        }

        impl<S: Scalar> Neg for $name<S> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                $name { ang: -self.ang, lin: -self.lin }
            }
        }

        impl<S: Scalar> Mul<S> for $name<S> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, s: S) -> Self {
                $name { ang: self.ang * s, lin: self.lin * s }
            }
        }

        impl<S: Scalar> AddAssign for $name<S> {
            #[inline(always)]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }

        impl<S: Scalar> SubAssign for $name<S> {
            #[inline(always)]
            fn sub_assign(&mut self, o: Self) {
                *self = *self - o;
            }
        }
    };
}
spatial_vector!(Motion, Force);
spatial_vector!(Force, Motion);

impl<S: Scalar> Motion<S> {
    /// The velocity of the body's point at offset `r` from the reference point.
    #[inline(always)]
    pub fn at(self, r: Vec3<S>) -> Self {
        Motion { ang: self.ang, lin: self.ang.cross_add(r, self.lin) }
    }

    /// `self ×` on motions: how a motion vector fixed in a body moving with `self` changes.
    #[inline(always)]
    pub fn cross_motion(self, m: Motion<S>) -> Motion<S> {
        Motion { ang: self.ang.cross(m.ang), lin: self.ang.cross_add(m.lin, self.lin.cross(m.ang)) }
    }

    /// `self ×*` on forces: how a force vector fixed in a body moving with `self` changes.
    #[inline(always)]
    pub fn cross_force(self, f: Force<S>) -> Force<S> {
        Force { ang: self.ang.cross_add(f.ang, self.lin.cross(f.lin)), lin: self.ang.cross(f.lin) }
    }
}

impl<S: Scalar> Force<S> {
    /// The same force, with its moment about a point at offset `−r`: a force that acts at `r` from the new reference
    /// point.
    #[inline(always)]
    pub fn acting_at(self, r: Vec3<S>) -> Self {
        Force { ang: r.cross_add(self.lin, self.ang), lin: self.lin }
    }
}

/// The inertia of a rigid body: ten numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inertia<S> {
    /// Mass [kg].
    pub mass: S,
    /// Centre of mass from the reference point [m].
    pub com: Vec3<S>,
    /// Rotational inertia about the centre of mass [kg m²].
    pub rotational: Sym3<S>,
}

impl<S: Scalar> Inertia<S> {
    /// No mass.
    pub const ZERO: Self = Inertia { mass: S::ZERO, com: Vec3::ZERO, rotational: Sym3::ZERO };

    /// The same body with its coordinates rotated by `rot`.
    #[inline(always)]
    pub fn rotated(&self, rot: &Mat3<S>) -> Self {
        Inertia { mass: self.mass, com: *rot * self.com, rotational: self.rotational.rotated(rot) }
    }

    /// Momentum of the body moving with `m`: momentum from velocity, force from acceleration.
    #[inline(always)]
    pub fn momentum(&self, m: Motion<S>) -> Force<S> {
        let lin = m.ang.cross_add(self.com, m.lin) * self.mass;
        Force { ang: self.com.cross_add(lin, self.rotational * m.ang), lin }
    }

    /// Two bodies moving as one. If both are massless, the result has the first one's centre of mass.
    pub fn combined(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        let safe = S::ZERO.select_lt(mass, mass, S::ONE);
        let share = other.mass / safe;
        let between = other.com - self.com;
        // m₁ m₂ / m is the reduced mass that carries the distance between the two centres.
        Inertia {
            mass,
            com: between.scale_add(share, self.com),
            rotational: (self.rotational + other.rotational)
                .add_point_mass(self.mass * share, between),
        }
    }

    /// The rotational inertia about the reference point [kg m²].
    #[inline(always)]
    pub fn about_reference(&self) -> Sym3<S> {
        self.rotational.add_point_mass(self.mass, self.com)
    }
}

/// A symmetric 6×6 inertia between accelerations and forces, not necessarily that of a rigid body: the effective
/// inertia of a body when the joints of the mechanism attached to it are free to move.
///
/// ```text
///   | moment |   | ang    cross |   | angular acceleration |
///   | force  | = | crossᵀ lin   | · | linear acceleration  |
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArticulatedInertia<S> {
    /// Moment from angular acceleration [kg m²].
    pub ang: Sym3<S>,
    /// Moment from linear acceleration [kg m].
    pub cross: Mat3<S>,
    /// Force from linear acceleration [kg].
    pub lin: Sym3<S>,
}

impl<S: Scalar> ArticulatedInertia<S> {
    /// Zero: no resistance.
    pub const ZERO: Self =
        ArticulatedInertia { ang: Sym3::ZERO, cross: Mat3::ZERO, lin: Sym3::ZERO };

    /// Force needed for an acceleration.
    #[inline(always)]
    pub fn force(&self, a: Motion<S>) -> Force<S> {
        Force {
            ang: self.ang.mul_add(a.ang, self.cross * a.lin),
            lin: self.lin.mul_add(a.lin, self.cross.transpose_mul(a.ang)),
        }
    }

    /// Force needed for a purely angular acceleration about `axis`.
    #[inline(always)]
    pub fn force_from_angular(&self, axis: Vec3<S>) -> Force<S> {
        Force { ang: self.ang * axis, lin: self.cross.transpose_mul(axis) }
    }

    /// Force needed for a purely linear acceleration along `axis`.
    #[inline(always)]
    pub fn force_from_linear(&self, axis: Vec3<S>) -> Force<S> {
        Force { ang: self.cross * axis, lin: self.lin * axis }
    }

    /// `self − f fᵀ / d`: the inertia left after releasing the degree of freedom that needs force `f`.
    #[inline(always)]
    pub fn release(&self, f: Force<S>, inverse_d: S) -> Self {
        let (ang, lin) = (f.ang * inverse_d, f.lin * inverse_d);
        ArticulatedInertia {
            ang: self.ang.sub_outer(ang, f.ang),
            cross: Mat3::from_cols(
                f.ang.neg_scale_add(lin.x, self.cross.cols[0]),
                f.ang.neg_scale_add(lin.y, self.cross.cols[1]),
                f.ang.neg_scale_add(lin.z, self.cross.cols[2]),
            ),
            lin: self.lin.sub_outer(lin, f.lin),
        }
    }

    /// The same inertia about a reference point at offset `−r`: `self` refers to a point at `r` from the new one.
    #[inline(always)]
    pub fn shifted(&self, r: Vec3<S>) -> Self {
        // cross' = cross + [r] lin,   ang' = ang + [r] crossᵀ − cross' [r]
        let [lx, ly, lz] = self.lin.to_mat3().cols;
        let [cx, cy, cz] = self.cross.cols;
        let cross = Mat3::from_cols(r.cross_add(lx, cx), r.cross_add(ly, cy), r.cross_add(lz, cz));
        // Entry (i, j) of [r] crossᵀ is (r × row j of cross)ᵢ; of −cross' [r], (r × row i of cross')ⱼ.
        let old = self.cross.transpose().cols;
        let new = cross.transpose().cols;
        let (x, y, z) = (r.x, r.y, r.z);
        let ang = Sym3 {
            xx: cross_x(y, z, new[0], cross_x(y, z, old[0], self.ang.xx)),
            yy: cross_y(x, z, new[1], cross_y(x, z, old[1], self.ang.yy)),
            zz: cross_z(x, y, new[2], cross_z(x, y, old[2], self.ang.zz)),
            xy: cross_y(x, z, new[0], cross_x(y, z, old[1], self.ang.xy)),
            xz: cross_z(x, y, new[0], cross_x(y, z, old[2], self.ang.xz)),
            yz: cross_z(x, y, new[1], cross_y(x, z, old[2], self.ang.yz)),
        };
        ArticulatedInertia { ang, cross, lin: self.lin }
    }
}

/// x component of `r × b`, plus c.
#[inline(always)]
fn cross_x<S: Scalar>(ry: S, rz: S, b: Vec3<S>, c: S) -> S {
    ry.mul_add(b.z, rz.neg_mul_add(b.y, c))
}

/// y component of `r × b`, plus c.
#[inline(always)]
fn cross_y<S: Scalar>(rx: S, rz: S, b: Vec3<S>, c: S) -> S {
    rz.mul_add(b.x, rx.neg_mul_add(b.z, c))
}

/// z component of `r × b`, plus c.
#[inline(always)]
fn cross_z<S: Scalar>(rx: S, ry: S, b: Vec3<S>, c: S) -> S {
    rx.mul_add(b.y, ry.neg_mul_add(b.x, c))
}

impl<S: Scalar> From<Inertia<S>> for ArticulatedInertia<S> {
    #[inline(always)]
    fn from(i: Inertia<S>) -> Self {
        ArticulatedInertia {
            ang: i.about_reference(),
            cross: Mat3::skew(i.com * i.mass),
            lin: Sym3::diagonal(Vec3::new(i.mass, i.mass, i.mass)),
        }
    }
}

impl<S: Scalar> AddAssign for ArticulatedInertia<S> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        self.ang += o.ang;
        self.cross = self.cross + o.cross;
        self.lin += o.lin;
    }
}

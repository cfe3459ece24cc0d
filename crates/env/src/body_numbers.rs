//! Inertias and velocities of bodies about the centre of mass, as Gymnasium's Humanoid observes them.
//!
//! With the vector d from the centre of mass c of everything that moves to that of a body, of mass m and inertia I in
//! the world's axes, the ten numbers of a body's inertia are
//!
//! ```text
//!   I + m (d·d E − d dᵀ)  as xx, yy, zz, xy, xz, yz,   m d,   m
//! ```
//! and the six numbers of its velocity are its angular velocity and the velocity that it would have at c. MuJoCo calls
//! them `cinert` and `cvel`.

use gradbody_dynamics::{BodyKinematics, centre_of_mass, centre_of_mass_vjp};
use gradbody_math::{Inertia, Mat3, Scalar, Sym3, Vec3};

use crate::bodies::{Bodies, Body};
use crate::{Seen, SeenCotangents, SeenWork};

/// Inertia of each body about the centre of mass, (bodies, 10).
pub(crate) fn body_inertias<S: Scalar>(
    bodies: &Bodies,
    at: &Seen<'_, S>,
    work: &SeenWork<S>,
    to: &mut [S],
) {
    let com = centre_of_mass(at.model, &work.kin);
    for (body, to) in bodies.list.iter().zip(to.chunks_mut(10)) {
        let Placed { own_w, mass, away, .. } = place(body, work, com);
        let about_com = own_w.add_point_mass(mass, away);
        to[..6].copy_from_slice(&about_com.to_array());
        to[6..9].copy_from_slice(&(away * mass).to_array());
        to[9] = mass;
    }
}

/// The adjoint of [`body_inertias`]: adds to the poses in `work`.
pub(crate) fn body_inertias_vjp<S: Scalar>(
    bodies: &Bodies,
    at: &Seen<'_, S>,
    bar: &[S],
    work: &mut SeenWork<S>,
    bars: &mut SeenCotangents<'_, S>,
) {
    let com = centre_of_mass(at.model, &work.kin);
    let mut com_bar = Vec3::ZERO;
    let (half, two) = (S::from_f64(0.5), S::from_f64(2.0));
    for (body, bar) in bodies.list.iter().zip(bar.chunks(10)) {
        let Placed { own_w, mass, away, arm_w } = place(body, work, com);
        // An entry beside the diagonal stands for two of the matrix.
        let (xy, xz, yz) = (bar[3] * half, bar[4] * half, bar[5] * half);
        let slopes = Sym3::new(bar[0], bar[1], bar[2], xy, xz, yz);
        let trace = bar[0] + bar[1] + bar[2];
        // tr(B m (d·d E − d dᵀ)) grows with d by 2 m (tr B d − B d).
        let of_moment = away * (trace * two) - slopes.mul_add(away, Vec3::ZERO) * two;
        let away_bar = (of_moment + Vec3::from_slice(&bar[6..9])) * mass;
        // A turn δ changes I by [δ] I − I [δ], and tr(B ([δ] I − I [δ])) = −2 δ · a with [a] = I B − B I.
        let product = own_w.to_mat3() * slopes.to_mat3();
        let twist = |i: usize, j: usize| product.at(i, j) - product.at(j, i);
        let turn_w = Vec3::new(twist(2, 1), twist(0, 2), twist(1, 0)) * -two;
        let of_link = &mut work.kin_bar.bodies[body.link.index()];
        of_link.pos_w += away_bar;
        of_link.turn_w += arm_w.cross_add(away_bar, turn_w);
        com_bar -= away_bar;
    }
    centre_of_mass_vjp(at.model, &work.kin, com_bar, &mut work.kin_bar, bars.params);
}

/// Angular velocity of each body, and its velocity at the centre of mass, (bodies, 6).
pub(crate) fn body_velocities<S: Scalar>(
    bodies: &Bodies,
    at: &Seen<'_, S>,
    work: &SeenWork<S>,
    to: &mut [S],
) {
    let com = centre_of_mass(at.model, &work.kin);
    for (body, to) in bodies.list.iter().zip(to.chunks_mut(6)) {
        let BodyKinematics { pos_w, ang_vel_w, lin_vel_w, .. } = work.kin.bodies[body.link.index()];
        let at_com = ang_vel_w.cross_add(com - pos_w, lin_vel_w);
        to[..3].copy_from_slice(&ang_vel_w.to_array());
        to[3..].copy_from_slice(&at_com.to_array());
    }
}

/// The adjoint of [`body_velocities`]: adds to the poses in `work`.
pub(crate) fn body_velocities_vjp<S: Scalar>(
    bodies: &Bodies,
    at: &Seen<'_, S>,
    bar: &[S],
    work: &mut SeenWork<S>,
    bars: &mut SeenCotangents<'_, S>,
) {
    let com = centre_of_mass(at.model, &work.kin);
    let mut com_bar = Vec3::ZERO;
    for (body, bar) in bodies.list.iter().zip(bar.chunks(6)) {
        let BodyKinematics { pos_w, ang_vel_w, .. } = work.kin.bodies[body.link.index()];
        let (ang_bar, lin_bar) = (Vec3::from_slice(&bar[..3]), Vec3::from_slice(&bar[3..]));
        // v + ω × r with r = c − p.
        let arm_bar = lin_bar.cross(ang_vel_w);
        let of_link = &mut work.kin_bar.bodies[body.link.index()];
        of_link.ang_vel_w += (com - pos_w).cross_add(lin_bar, ang_bar);
        of_link.lin_vel_w += lin_bar;
        of_link.pos_w -= arm_bar;
        com_bar += arm_bar;
    }
    centre_of_mass_vjp(at.model, &work.kin, com_bar, &mut work.kin_bar, bars.params);
}

/// A body in the world.
struct Placed<S> {
    /// Its inertia about its own centre of mass.
    own_w: Sym3<S>,
    mass: S,
    /// From the centre of mass of everything to its own [m].
    away: Vec3<S>,
    /// From the link's origin to its centre of mass [m].
    arm_w: Vec3<S>,
}

fn place<S: Scalar>(body: &Body, work: &SeenWork<S>, com: Vec3<S>) -> Placed<S> {
    let link = &work.kin.bodies[body.link.index()];
    let Inertia { mass, com: com_b, rotational } = body.inertia;
    let rot: Mat3<S> = link.rot_wb;
    let arm_w = rot * com_b.map(S::from_f64);
    let [xx, yy, zz, xy, xz, yz] = rotational.to_array().map(S::from_f64);
    Placed {
        own_w: Sym3::new(xx, yy, zz, xy, xz, yz).rotated(&rot),
        mass: S::from_f64(mass),
        away: link.pos_w + arm_w - com,
        arm_w,
    }
}

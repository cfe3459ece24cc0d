//! Kinematics, frames and motions of links.

use gradbody_dynamics::{
    Kinematics, frame_pose, frame_pose_vjp, frame_velocity, frame_velocity_vjp, link_motions,
    link_motions_vjp,
};
use gradbody_math::{Force, Mat3, Motion, Scalar, Vec3};
use gradbody_model::{FrameId, Model};

use crate::check::check;
use crate::stage::{Cotangents, Inputs, Stage, constant, forces, through_kinematics, triples};

pub(crate) struct Poses;

impl Stage for Poses {
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let kin = Kinematics::at(&x.model, &x.q, &x.v);
        let bodies = kin.bodies.iter().flat_map(|b| {
            let turn = turn_of(&b.rot_wb);
            [turn, b.pos_w, b.offset_w, b.ang_vel_w, b.lin_vel_w, b.bias_ang_w, b.bias_lin_w]
        });
        bodies.chain(kin.axes_w.iter().copied()).flat_map(Vec3::to_array).collect()
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        through_kinematics(x, |kin, bar, _| {
            let mut y = triples(y_bar);
            let mut next = || y.next().unwrap();
            for (body, at) in bar.bodies.iter_mut().zip(&kin.bodies) {
                body.turn_w = turn_of_vjp(&at.rot_wb, next());
                body.pos_w = next();
                body.offset_w = next();
                body.ang_vel_w = next();
                body.lin_vel_w = next();
                body.bias_ang_w = next();
                body.bias_lin_w = next();
            }
            for axis in &mut bar.axes_w {
                *axis = next();
            }
        })
    }
}

#[test]
fn kinematics_back() {
    check("kinematics", &Poses);
}

pub(crate) struct Frames;

impl Stage for Frames {
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let kin = Kinematics::at(&x.model, &x.q, &x.v);
        let frames = (1..x.model.topology.frames.len()).map(FrameId::new);
        frames
            .flat_map(|frame| {
                let pose = frame_pose(&x.model, &kin, frame);
                let Motion { ang, lin } = frame_velocity(&x.model, &kin, frame);
                [turn_of(&pose.rot), pose.pos, ang, lin]
            })
            .flat_map(Vec3::to_array)
            .collect()
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        through_kinematics(x, |kin, bar, out| {
            let params = &mut out.params;
            for (frame, y) in y_bar.chunks_exact(12).enumerate() {
                let frame = FrameId::new(frame + 1);
                let mut y = triples(y);
                let (turn, pos) = (y.next().unwrap(), y.next().unwrap());
                let turn = turn_of_vjp(&frame_pose(&x.model, kin, frame).rot, turn);
                frame_pose_vjp(&x.model, kin, frame, turn, pos, bar, params);
                let velocity_bar = Force::new(y.next().unwrap(), y.next().unwrap());
                frame_velocity_vjp(&x.model, kin, frame, velocity_bar, bar, params);
            }
        })
    }
}

#[test]
fn frames_back() {
    check("frames", &Frames);
}

/// Extra: the velocities at which links move.
pub(crate) struct LinkMotions;

impl Stage for LinkMotions {
    fn extra(&self, model: &Model<f64>) -> usize {
        model.nv()
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let kin = Kinematics::at(&x.model, &x.q, &x.v);
        let mut motions = vec![Motion::ZERO; x.model.n_links()];
        link_motions(&x.model, &kin, &x.extra, &mut motions);
        motions.iter().flat_map(|m| [m.ang, m.lin]).flat_map(Vec3::to_array).collect()
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        through_kinematics(x, |kin, bar, out| {
            let mut motions = vec![Motion::ZERO; x.model.n_links()];
            link_motions(&x.model, kin, &x.extra, &mut motions);
            let mut forces = forces(y_bar);
            let v_bar = Some(&mut out.extra[..]);
            link_motions_vjp(&x.model, kin, &x.extra, &motions, &mut forces, bar, v_bar);
        })
    }
}

#[test]
fn link_motions_back() {
    check("link_motions", &LinkMotions);
}

/// A zero whose derivative is that of a rotation: a turn about the world's axes.
fn turn_of<S: Scalar>(rot: &Mat3<S>) -> Vec3<S> {
    let still = Mat3 { cols: rot.cols.map(|c| c.map(constant)) };
    let change = *rot * still.transpose();
    let half = S::from_f64(0.5);
    Vec3::new(
        change.at(2, 1) - change.at(1, 2),
        change.at(0, 2) - change.at(2, 0),
        change.at(1, 0) - change.at(0, 1),
    ) * half
}

/// Takes the cotangent of [`turn_of`] back to a turn about the world's axes.
fn turn_of_vjp<S: Scalar>(rot: &Mat3<S>, bar: Vec3<S>) -> Vec3<S> {
    let still = Mat3 { cols: rot.cols.map(|c| c.map(constant)) };
    let change = *rot * still.transpose();
    // Qᵀ [ω] + [ω] Q = [(tr Q − Q) ω]
    let trace = change.at(0, 0) + change.at(1, 1) + change.at(2, 2);
    (bar * trace - change.transpose_mul(bar)) * S::from_f64(0.5)
}

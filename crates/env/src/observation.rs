//! Observations, and their adjoint.

use gradbody_dynamics::{frame_pose, frame_pose_vjp};
use gradbody_math::{Quat, Scalar, Vec3};
use gradbody_model::{JointKind, Model};

use crate::body_numbers::{body_inertias, body_inertias_vjp, body_velocities, body_velocities_vjp};
use crate::contact_wrenches::contact_wrenches_vjp;
use crate::{Description, Observed, Seen, SeenCotangents, SeenWork};

/// Writes the observation of a moment, (n_observations). Reads `work` as [`SeenWork::look`] left it.
pub fn observe<S: Scalar>(of: &Description, at: &Seen<'_, S>, work: &SeenWork<S>, to: &mut [S]) {
    S::in_registers(
        #[inline(always)]
        || observe_in_registers(of, at, work, to),
    );
}

#[inline(always)]
fn observe_in_registers<S: Scalar>(
    of: &Description,
    at: &Seen<'_, S>,
    work: &SeenWork<S>,
    to: &mut [S],
) {
    let mut rest = to;
    for part in &of.observation {
        let (to, after) = rest.split_at_mut(of.width(part));
        rest = after;
        match *part {
            Observed::Configuration { from } => to.copy_from_slice(&at.state.q[from..]),
            Observed::Velocity { limit, .. } => copy_clamped(&at.state.v, limit, to),
            Observed::CosSin { count } => {
                for (k, angle) in at.state.q.iter().take(count).enumerate() {
                    (to[count + k], to[k]) = angle.sin_cos();
                }
            }
            Observed::Offset { of, from } => {
                let position = |frame| frame_pose(at.model, &work.kin, frame).pos;
                let offset = position(of) - position(from);
                to.copy_from_slice(&[offset.x, offset.y]);
            }
            Observed::ContactForces { limit } => copy_clamped(&work.wrenches, limit, to),
            Observed::BodyInertias => body_inertias(&of.bodies, at, work, to),
            Observed::BodyVelocities => body_velocities(&of.bodies, at, work, to),
            Observed::ActuatorForces { from } => {
                to.fill(S::ZERO);
                for (k, actuator) in at.model.topology.actuators.iter().enumerate() {
                    let driven = at.model.topology.links[actuator.joint.index()].joint.v_start;
                    if let Some(to) = driven.checked_sub(from).and_then(|at| to.get_mut(at)) {
                        *to += motor_force(of, at, k);
                    }
                }
            }
            Observed::BaseMotion => {
                let base = &work.kin.bodies[0];
                let vectors = [down(), base.lin_vel_w, base.ang_vel_w];
                for (to, vector) in to.chunks_mut(3).zip(vectors) {
                    to.copy_from_slice(&base.rot_wb.transpose_mul(vector).to_array());
                }
            }
        }
    }
}

/// The adjoint of [`observe`]: `bar` is the cotangent of the observation, (n_observations). Adds to `bars`.
pub fn observe_vjp<S: Scalar>(
    of: &Description,
    at: &Seen<'_, S>,
    bar: &[S],
    work: &mut SeenWork<S>,
    bars: &mut SeenCotangents<'_, S>,
) {
    let mut rest = bar;
    let mut through_poses = false;
    for part in &of.observation {
        let (bar, after) = rest.split_at(of.width(part));
        rest = after;
        match *part {
            Observed::Configuration { from } => {
                configuration_vjp(at.model, &at.state.q, from, bar, &mut bars.state.q);
            }
            Observed::Velocity { limit, .. } => {
                let numbers = at.state.v.iter().zip(bar);
                for (to, (v, bar)) in bars.state.v.iter_mut().zip(numbers) {
                    *to += within(*v, limit, *bar);
                }
            }
            Observed::CosSin { count } => {
                let (cos_bar, sin_bar) = bar.split_at(count);
                for (k, angle) in at.state.q.iter().take(count).enumerate() {
                    let (sin, cos) = angle.sin_cos();
                    let angle_bar = cos * sin_bar[k] - sin * cos_bar[k];
                    number_vjp(at.model, k, angle_bar, &mut bars.state.q);
                }
            }
            Observed::Offset { of, from } => {
                let offset_bar = Vec3::new(bar[0], bar[1], S::ZERO);
                offset_vjp(at, of, from, offset_bar, work, bars);
                through_poses = true;
            }
            Observed::ContactForces { limit } => {
                let SeenWork { kin, kin_bar, wrenches, wrenches_bar, .. } = work;
                for (k, to) in wrenches_bar.iter_mut().enumerate() {
                    *to = within(wrenches[k], limit, bar[k]);
                }
                contact_wrenches_vjp(&of.bodies, at, kin, wrenches_bar, kin_bar, bars);
                through_poses = true;
            }
            Observed::BodyInertias => {
                body_inertias_vjp(&of.bodies, at, bar, work, bars);
                through_poses = true;
            }
            Observed::BodyVelocities => {
                body_velocities_vjp(&of.bodies, at, bar, work, bars);
                through_poses = true;
            }
            Observed::ActuatorForces { from } => {
                for (k, actuator) in at.model.topology.actuators.iter().enumerate() {
                    let driven = at.model.topology.links[actuator.joint.index()].joint.v_start;
                    if let Some(bar) = driven.checked_sub(from).and_then(|at| bar.get(at)) {
                        motor_force_vjp(of, at, k, *bar, bars);
                    }
                }
            }
            Observed::BaseMotion => {
                let base = &work.kin.bodies[0];
                let base_bar = &mut work.kin_bar.bodies[0];
                let vectors = [down(), base.lin_vel_w, base.ang_vel_w];
                let mut vector_bars = [Vec3::ZERO; 3];
                for (k, bar) in bar.chunks(3).enumerate() {
                    // u = Rᵀ x: x̄ = R ū, and a turn of the base gives R ū × x.
                    vector_bars[k] = base.rot_wb * Vec3::from_slice(bar);
                    base_bar.turn_w = vector_bars[k].cross_add(vectors[k], base_bar.turn_w);
                }
                base_bar.lin_vel_w += vector_bars[1];
                base_bar.ang_vel_w += vector_bars[2];
                through_poses = true;
            }
        }
    }
    if through_poses {
        work.poses_back(at, bars);
    }
}

/// The joint force of a motor.
#[inline(always)]
fn motor_force<S: Scalar>(of: &Description, at: &Seen<'_, S>, k: usize) -> S {
    let (motor, (control, _)) = (&at.model.params.actuators[k], control(of, at, k));
    let control = control.clamp(motor.control_lower, motor.control_upper);
    (control * motor.gain).clamp(motor.force_lower, motor.force_upper) * motor.gear
}

fn motor_force_vjp<S: Scalar>(
    of: &Description,
    at: &Seen<'_, S>,
    k: usize,
    bar: S,
    bars: &mut SeenCotangents<'_, S>,
) {
    let (motor, (control, scale)) = (&at.model.params.actuators[k], control(of, at, k));
    let force = control.clamp(motor.control_lower, motor.control_upper) * motor.gain;
    let free =
        |x: S, low: S, high: S, bar: S| x.select_lt(low, S::ZERO, high.select_lt(x, S::ZERO, bar));
    let force_bar = free(force, motor.force_lower, motor.force_upper, bar * motor.gear);
    let control_bar =
        free(control, motor.control_lower, motor.control_upper, force_bar * motor.gain);
    bars.action[k] += control_bar * scale;
}

/// The control of an actuator, and how fast it grows with the action.
#[inline(always)]
fn control<S: Scalar>(of: &Description, at: &Seen<'_, S>, k: usize) -> (S, S) {
    let scale = S::from_f64(of.actions.scale[k]);
    (at.action[k].mul_add(scale, S::from_f64(of.actions.centre[k])), scale)
}

/// The adjoint of the vector from one frame's origin to another's: adds to the poses in `work`.
pub(crate) fn offset_vjp<S: Scalar>(
    at: &Seen<'_, S>,
    of: gradbody_model::FrameId,
    from: gradbody_model::FrameId,
    offset_bar: Vec3<S>,
    work: &mut SeenWork<S>,
    bars: &mut SeenCotangents<'_, S>,
) {
    let SeenWork { kin, kin_bar, .. } = work;
    for (frame, bar) in [(of, offset_bar), (from, -offset_bar)] {
        frame_pose_vjp(at.model, kin, frame, Vec3::ZERO, bar, kin_bar, bars.params);
    }
}

/// The adjoint of reading the numbers of a configuration from `from` on: adds to the cotangent of the configuration,
/// which is in local coordinates.
pub(crate) fn configuration_vjp<S: Scalar>(
    model: &Model<S>,
    q: &[S],
    from: usize,
    bar: &[S],
    q_bar: &mut [S],
) {
    let number_bar = |k: usize| if k < from { S::ZERO } else { bar[k - from] };
    for link in &model.topology.links {
        let joint = &link.joint;
        let straight = straight_numbers(joint.kind);
        for k in 0..straight {
            q_bar[joint.v_start + k] += number_bar(joint.q_start + k);
        }
        if straight < joint.kind.nv() {
            // quat exp(δ) = quat + ½ quat (0, δ), so δ̄ is half the vector part of quat* c.
            let at = joint.q_start + straight;
            let quat = Quat::from_slice(&q[at..at + 4]);
            let slopes = Quat::from_slice(&[0, 1, 2, 3].map(|k| number_bar(at + k)));
            let turn = (quat.conjugate() * slopes).imaginary() * S::from_f64(0.5);
            for k in 0..3 {
                q_bar[joint.v_start + straight + k] += turn[k];
            }
        }
    }
}

/// The same for one number, which no quaternion has.
pub(crate) fn number_vjp<S: Scalar>(model: &Model<S>, number: usize, bar: S, q_bar: &mut [S]) {
    for link in &model.topology.links {
        let joint = &link.joint;
        let plain = joint.q_start..joint.q_start + straight_numbers(joint.kind);
        if plain.contains(&number) {
            q_bar[joint.v_start + number - joint.q_start] += bar;
        }
    }
}

/// How many of a joint's coordinates are plain numbers, before its quaternion.
fn straight_numbers(kind: JointKind) -> usize {
    match kind {
        JointKind::Spherical => 0,
        JointKind::Free => 3,
        kind => kind.nv(),
    }
}

#[inline(always)]
fn copy_clamped<S: Scalar>(from: &[S], limit: f64, to: &mut [S]) {
    let limit = S::from_f64(limit);
    to.iter_mut().zip(from).for_each(|(to, x)| *to = x.clamp(-limit, limit));
}

/// `bar` where `x` is not clamped to between −`limit` and `limit`, else zero.
pub(crate) fn within<S: Scalar>(x: S, limit: f64, bar: S) -> S {
    S::from_f64(limit).select_lt(x.abs(), S::ZERO, bar)
}

fn down<S: Scalar>() -> Vec3<S> {
    Vec3::new(S::ZERO, S::ZERO, -S::ONE)
}

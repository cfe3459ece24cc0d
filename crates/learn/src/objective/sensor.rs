//! Predictions minus measurements, in standard deviations of the noise, and their adjoint.

use gradbody_dynamics::{
    CoordinateCotangents, Kinematics, KinematicsCotangents, frame_pose, frame_pose_vjp, kinematics,
    kinematics_vjp, velocities,
};
use gradbody_math::{Quat, Scalar, Vec3};
use gradbody_model::{FrameId, Model, Params};
use gradbody_sim::{State, StateCotangents};

use super::noise_law::NoiseLaw;

/// What a sensor sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sees {
    /// A coordinate of a joint, by its indices in q and v.
    Position(usize, usize),
    /// A velocity of a joint, by its index in v.
    Velocity(usize),
    /// A coordinate of a frame's origin in the world.
    Place(FrameId, usize),
    /// The angle about the world's z axis, from the world's x axis to the frame's x axis.
    Heading(FrameId),
    /// A frame's orientation, measured as a quaternion (w, x, y, z). Its error is the rotation between the two.
    Orientation(FrameId),
}

/// A quantity that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// Its name.
    pub name: String,
    /// What it sees.
    pub sees: Sees,
    /// The standard deviation of its noise, in SI units.
    pub noise: f64,
    /// Whether that was estimated from the data and not given.
    pub estimated: bool,
    /// How errors count.
    pub law: NoiseLaw,
}

impl Sensor {
    /// Number of measured values.
    pub fn columns(&self) -> usize {
        if let Sees::Orientation(_) = self.sees { 4 } else { 1 }
    }

    /// Number of errors.
    pub fn rows(&self) -> usize {
        if let Sees::Orientation(_) = self.sees { 3 } else { 1 }
    }
}

/// Whether the sensors need the poses of links.
fn needs_kinematics(sensors: &[Sensor]) -> bool {
    sensors.iter().any(|s| !matches!(s.sees, Sees::Position(..) | Sees::Velocity(_)))
}

/// Number of errors of a sample.
pub fn rows_of(sensors: &[Sensor]) -> usize {
    sensors.iter().map(Sensor::rows).sum()
}

/// Number of measured values of a sample.
pub fn columns_of(sensors: &[Sensor]) -> usize {
    sensors.iter().map(Sensor::columns).sum()
}

/// Computes predictions and errors from states.
#[derive(Clone, Debug)]
pub struct Observer<S> {
    kin: Option<(Kinematics<S>, KinematicsCotangents<S>)>,
    errors: Vec<S>,
}

impl<S: Scalar> Observer<S> {
    /// Makes the buffers for these sensors on a model.
    pub fn new(model: &Model<S>, sensors: &[Sensor]) -> Self {
        let kin = || (Kinematics::new(model), KinematicsCotangents::new(model));
        Observer {
            kin: needs_kinematics(sensors).then(kin),
            errors: vec![S::ZERO; rows_of(sensors)],
        }
    }

    /// The errors of a sample in standard deviations, before the noise law. `measured` has the values of each sensor;
    /// `present` is 1 where there is one, else 0.
    pub fn errors(
        &mut self,
        sensors: &[Sensor],
        model: &Model<S>,
        state: &State<S>,
        measured: &[S],
        present: &[S],
    ) -> &[S] {
        if let Some((kin, _)) = &mut self.kin {
            kinematics(model, &state.q, kin);
        }
        let (mut row, mut column) = (0, 0);
        for (k, sensor) in sensors.iter().enumerate() {
            let per_noise = present[k] * S::from_f64(1.0 / sensor.noise);
            let seen = self.kin.as_ref().map(|(kin, _)| kin);
            let found = difference(sensor.sees, model, state, seen, &measured[column..]);
            for k in 0..sensor.rows() {
                self.errors[row + k] = found[k] * per_noise;
            }
            row += sensor.rows();
            column += sensor.columns();
        }
        &self.errors
    }

    /// The cost of a sample: the sum of the noise law over its sensors. The law of an orientation acts on the angle of its
    /// error, not on the three components.
    pub fn cost(
        &mut self,
        sensors: &[Sensor],
        model: &Model<S>,
        state: &State<S>,
        measured: &[S],
        present: &[S],
    ) -> S {
        self.errors(sensors, model, state, measured, present);
        let mut rest = self.errors.as_slice();
        let mut cost = S::ZERO;
        for sensor in sensors {
            let (errors, after) = rest.split_at(sensor.rows());
            let squared = errors.iter().fold(S::ZERO, |sum, e| e.mul_add(*e, sum));
            cost += sensor.law.cost(squared, sensor.rows());
            rest = after;
        }
        cost
    }

    /// Appends the predicted values to `out`, in the order of the measured ones (a quaternion for an orientation).
    pub fn predict(
        &mut self,
        sensors: &[Sensor],
        model: &Model<S>,
        state: &State<S>,
        out: &mut Vec<S>,
    ) {
        if let Some((kin, _)) = &mut self.kin {
            kinematics(model, &state.q, kin);
        }
        let nothing = [S::ONE, S::ZERO, S::ZERO, S::ZERO];
        for sensor in sensors {
            match (sensor.sees, &self.kin) {
                (Sees::Orientation(frame), Some((kin, _))) => {
                    let Quat { w, x, y, z } = Quat::from_mat3(&frame_pose(model, kin, frame).rot);
                    out.extend([w, x, y, z]);
                }
                (Sees::Orientation(_), None) => out.extend(nothing),
                (sees, kin) => {
                    let zero = [S::ZERO];
                    out.push(difference(sees, model, state, kin.as_ref().map(|(k, _)| k), &zero).x);
                }
            }
        }
    }

    /// Adds `bar` times the derivative of [`Observer::cost`] to the cotangents.
    pub fn cost_vjp(
        &mut self,
        sensors: &[Sensor],
        model: &Model<S>,
        state: &State<S>,
        sample: (&[S], &[S]),
        bar: S,
        to: (&mut StateCotangents<S>, &mut Params<S>),
    ) {
        let (measured, present) = sample;
        let (state_bar, params_bar) = to;
        if let Some((kin, _)) = &mut self.kin {
            kinematics(model, &state.q, kin);
            velocities(model, &state.v, kin);
        }
        let mut column = 0;
        for (k, sensor) in sensors.iter().enumerate() {
            let per_noise = present[k] * S::from_f64(1.0 / sensor.noise);
            let seen = self.kin.as_ref().map(|(kin, _)| kin);
            let found = difference(sensor.sees, model, state, seen, &measured[column..]);
            // dρ = w r·dr
            let error = found * per_noise;
            let weight = sensor.law.weight(error.norm_squared(), sensor.rows());
            let error_bar = error * (weight * per_noise * bar);
            let of = (sensor.sees, found, error_bar);
            look_back(of, model, &mut self.kin, state_bar, params_bar);
            column += sensor.columns();
        }
        if let Some((kin, bars)) = &mut self.kin {
            let StateCotangents { q, v, .. } = state_bar;
            let out = CoordinateCotangents { q, v, params: params_bar };
            kinematics_vjp(model, &state.q, &state.v, kin, bars, out);
            bars.clear();
        }
    }
}

/// Prediction minus measurement: a rotation vector for an orientation, otherwise one number in x.
#[inline(always)]
fn difference<S: Scalar>(
    sees: Sees,
    model: &Model<S>,
    state: &State<S>,
    kin: Option<&Kinematics<S>>,
    measured: &[S],
) -> Vec3<S> {
    S::in_registers(
        #[inline(always)]
        || difference_in_registers(sees, model, state, kin, measured),
    )
}

#[inline(always)]
fn difference_in_registers<S: Scalar>(
    sees: Sees,
    model: &Model<S>,
    state: &State<S>,
    kin: Option<&Kinematics<S>>,
    measured: &[S],
) -> Vec3<S> {
    let one = |x: S| Vec3::new(x, S::ZERO, S::ZERO);
    let frame = match sees {
        Sees::Position(q, _) => return one(state.q[q] - measured[0]),
        Sees::Velocity(v) => return one(state.v[v] - measured[0]),
        Sees::Place(frame, _) | Sees::Heading(frame) | Sees::Orientation(frame) => frame,
    };
    // Known whenever a sensor sees a frame.
    let Some(kin) = kin else { return Vec3::ZERO };
    let pose = frame_pose(model, kin, frame);
    match sees {
        Sees::Place(_, axis) => one(pose.pos[axis] - measured[0]),
        Sees::Orientation(_) => {
            let seen = Quat { w: measured[0], x: measured[1], y: measured[2], z: measured[3] };
            (Quat::from_mat3(&pose.rot) * seen.conjugate()).log()
        }
        _ => {
            // The angle from the measured heading, so that it does not jump.
            let x = pose.rot.cols[0];
            let (sin, cos) = measured[0].sin_cos();
            one(cos.mul_add(x.y, -(sin * x.x)).atan2(cos.mul_add(x.x, sin * x.y)))
        }
    }
}

/// Adds the cotangents of the state, of link poses and of parameters that follow from that of a [`difference`].
#[inline(always)]
fn look_back<S: Scalar>(
    (sees, error, bar): (Sees, Vec3<S>, Vec3<S>),
    model: &Model<S>,
    kin: &mut Option<(Kinematics<S>, KinematicsCotangents<S>)>,
    state_bar: &mut StateCotangents<S>,
    params_bar: &mut Params<S>,
) {
    let (frame, turn, place) = match sees {
        Sees::Position(_, v) => return state_bar.q[v] += bar.x,
        Sees::Velocity(v) => return state_bar.v[v] += bar.x,
        Sees::Place(frame, axis) => {
            let mut place = Vec3::ZERO;
            place[axis] = bar.x;
            (frame, Vec3::ZERO, place)
        }
        Sees::Heading(frame) => {
            let Some((kin, _)) = kin else { return };
            // d atan2(y, x) of the axis a turned by δ, δ × a.
            let x = frame_pose(model, kin, frame).rot.cols[0];
            let flat = x.x.mul_add(x.x, x.y * x.y).max(S::from_f64(1e-12));
            let turn = Vec3::new(-(x.x * x.z), -(x.y * x.z), flat) * (bar.x / flat);
            (frame, turn, Vec3::ZERO)
        }
        // d log(exp(δ) R) = J_l⁻¹(error) δ
        Sees::Orientation(frame) => (frame, left_inverse_transposed(error, bar), Vec3::ZERO),
    };
    if let Some((kin, bars)) = kin {
        frame_pose_vjp(model, kin, frame, turn, place, bars, params_bar);
    }
}

/// J_l⁻ᵀ(θ) b, where J_l⁻¹(θ) = 1 − ½ [θ] + c [θ]², c = 1/θ² − (1 + cos θ)/(2 θ sin θ).
#[inline(always)]
fn left_inverse_transposed<S: Scalar>(theta: Vec3<S>, b: Vec3<S>) -> Vec3<S> {
    let squared = theta.dot(theta);
    let small = S::from_f64(1e-6);
    let safe = squared.max(small);
    let angle = safe.sqrt();
    let (sin, cos) = angle.sin_cos();
    let exact = safe.recip() - (S::ONE + cos) / (angle * sin * S::from_f64(2.0));
    let series = squared.mul_add(S::from_f64(1.0 / 720.0), S::from_f64(1.0 / 12.0));
    let c = squared.select_lt(small, series, exact);
    let once = theta.cross(b);
    theta.cross(once).scale_add(c, once.scale_add(S::from_f64(0.5), b))
}

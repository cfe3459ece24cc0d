//! The pose of an element: `pos`, and the five ways to give an orientation.

use gradbody_math::{Mat3, Quat, Transform, Vec3};

use super::compiler::Compiler;
use super::defaults::Settings;
use crate::import::ImportError;

/// The ways to give an orientation.
const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];

/// A shorter vector has no direction (as in MuJoCo).
const MIN_LENGTH: f64 = 1e-15;

impl Compiler {
    /// The pose of an element in the frame of the element around it.
    pub(super) fn pose(&self, settings: &Settings<'_>) -> Result<Transform<f64>, ImportError> {
        let pos = settings.array::<3>("pos")?.unwrap_or_default();
        Ok(Transform::new(self.orientation(settings)?, Vec3::from_slice(&pos)))
    }

    /// The orientation of an element in the frame of the element around it.
    pub(super) fn orientation(&self, settings: &Settings<'_>) -> Result<Mat3<f64>, ImportError> {
        // The strongest element that gives an orientation; those of others are not mixed in.
        let Some(element) = settings.holder_of_any(&ORIENTATIONS) else {
            return Ok(Mat3::IDENTITY);
        };
        let given: Vec<&str> =
            ORIENTATIONS.into_iter().filter(|name| element.attr(name).is_some()).collect();
        if let [first, second, ..] = given[..] {
            let problem = format!("{first} and {second} both give an orientation; keep one");
            return Err(element.error(problem));
        }
        let name = given[0];
        let no_direction = || element.attr_error(name, "a vector has no direction");
        match name {
            "quat" => {
                let q = Quat::from_slice(&element.array::<4>(name)?.unwrap_or_default());
                if q.norm_squared().sqrt() < MIN_LENGTH {
                    return Err(element.attr_error(name, "a quaternion cannot be zero"));
                }
                Ok(q.normalized().to_mat3())
            }
            "axisangle" => {
                let [x, y, z, angle] = element.array(name)?.unwrap_or_default();
                let axis = unit(Vec3::new(x, y, z)).ok_or_else(no_direction)?;
                Ok(Mat3::from_axis_sin_cos(axis, (angle * self.angle_unit).sin_cos()))
            }
            "xyaxes" => {
                let v: [f64; 6] = element.array(name)?.unwrap_or_default();
                let x = unit(Vec3::from_slice(&v[..3])).ok_or_else(no_direction)?;
                let y = Vec3::from_slice(&v[3..]);
                let y = unit(x.neg_scale_add(x.dot(y), y)).ok_or_else(|| {
                    element.attr_error(name, "the two axes have the same direction, or one is zero")
                })?;
                Ok(Mat3::from_cols(x, y, x.cross(y)))
            }
            "zaxis" => {
                let z = Vec3::from_slice(&element.array::<3>(name)?.unwrap_or_default());
                Ok(turn_z_onto(unit(z).ok_or_else(no_direction)?))
            }
            _ => {
                let angles: [f64; 3] = element.array(name)?.unwrap_or_default();
                Ok(self.euler_rotation(angles.map(|a| a * self.angle_unit)))
            }
        }
    }

    fn euler_rotation(&self, angles: [f64; 3]) -> Mat3<f64> {
        let mut rot = Mat3::IDENTITY;
        for (turn, angle) in self.euler.iter().zip(angles) {
            let axis = [Vec3::X, Vec3::Y, Vec3::Z][turn.axis];
            let step = Mat3::from_axis_sin_cos(axis, angle.sin_cos());
            rot = if turn.extrinsic { step * rot } else { rot * step };
        }
        rot
    }
}

/// The shortest rotation that turns z onto a unit vector; half a turn about x for −z.
pub(super) fn turn_z_onto(z: Vec3<f64>) -> Mat3<f64> {
    let axis = Vec3::Z.cross(z);
    let sin = axis.norm();
    let axis = if sin < 1e-10 { Vec3::X } else { axis.map(|c| c / sin) };
    Mat3::from_axis_sin_cos(axis, (sin, z.z))
}

/// The unit vector along a vector, if that has a direction.
pub(super) fn unit(v: Vec3<f64>) -> Option<Vec3<f64>> {
    let norm = v.norm();
    // A quotient, unlike a product with the reciprocal, is exactly 1 on a coordinate axis.
    (norm >= MIN_LENGTH && norm.is_finite()).then(|| v.map(|c| c / norm))
}

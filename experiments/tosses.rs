//! Reads the published tosses of a cube.

use anyhow::bail;
use gradbody::math::{Quat, Vec3};

use super::data::{DataFile, DataFolder, number};

/// The file, for messages.
pub(super) const FILE: DataFile = DataFile {
    path: "contactnets_cube/tosses.csv",
    columns: &[
        "toss", "px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz",
    ],
    source: "it contains the tosses of ContactNets (Pfrommer, Halm and Posa 2020), which \
             https://github.com/DAIRLab/contact-nets publishes (data/tosses_processed), all in one, at \
             148 Hz: position [m] and quaternion, velocity in the world [m/s] and spin in the cube's axes \
             [rad/s]",
};

/// Pose of the cube.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pose {
    pub(super) pos: Vec3<f64>,
    pub(super) quat: Quat<f64>,
}

/// A frame: pose, and velocity and spin in the coordinates of a state.
pub(super) type Frame = (Pose, [f64; 6]);

/// The frames of each toss by name. Tosses of fewer than two frames are left out.
pub(super) fn read(data: &DataFolder) -> anyhow::Result<Vec<(String, Vec<Frame>)>> {
    let mut tosses: Vec<(String, Vec<Frame>)> = Vec::new();
    for (i, row) in data.rows(&FILE)?.iter().enumerate() {
        let mut x = [0.0; 13];
        for (k, x) in x.iter_mut().enumerate() {
            *x = number(&FILE, i, k + 1, &row[k + 1])?;
        }
        let quat = Quat::from_slice(&x[3..7]);
        if (quat.norm_squared() - 1.0).abs() > 1e-3 {
            bail!("{}:{}: the quaternion is not of length one", FILE.path, i + 2);
        }
        let pose = Pose { pos: Vec3::new(x[0], x[1], x[2]), quat: quat.normalized() };
        let frame = (pose, std::array::from_fn(|k| x[7 + k]));
        match tosses.last_mut().filter(|(name, _)| *name == row[0]) {
            Some((_, frames)) => frames.push(frame),
            None => tosses.push((row[0].clone(), vec![frame])),
        }
    }
    tosses.retain(|(_, frames)| frames.len() > 1);
    if tosses.is_empty() {
        bail!("{}: no toss", FILE.path);
    }
    Ok(tosses)
}

/// The angle of the rotation from one orientation to the other, 0 to π [rad].
pub(super) fn angle_between(a: Quat<f64>, b: Quat<f64>) -> f64 {
    let turn = a.conjugate() * b;
    2.0 * turn.imaginary().norm().atan2(turn.w.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_between_orientations_do_not_depend_on_signs() {
        let a = Quat::exp(Vec3::new(0.3, -0.2, 0.9));
        let b = a * Quat::exp(Vec3::new(0.0, 0.5, 0.0));
        let negative = Quat { w: -b.w, x: -b.x, y: -b.y, z: -b.z };
        assert!((angle_between(a, b) - 0.5).abs() < 1e-12);
        assert!((angle_between(a, negative) - 0.5).abs() < 1e-12);
    }
}

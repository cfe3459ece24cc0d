//! The measured tosses, as they are published.

use anyhow::bail;
use gradbody::math::{Quat, Vec3};

use crate::reproduce::data::{DataFile, DataFolder, number};

/// Pose of the cube.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pose {
    pub(super) pos: Vec3<f64>,
    pub(super) quat: Quat<f64>,
}

/// A measured toss.
pub(super) struct Toss {
    pub(super) name: String,
    /// Frame by frame.
    pub(super) poses: Vec<Pose>,
    /// Velocity and spin at the start, as the state has them.
    pub(super) v: [f64; 6],
}

/// Reads the tosses.
pub(super) fn read(data: &DataFolder) -> anyhow::Result<Vec<Toss>> {
    let mut tosses: Vec<Toss> = Vec::new();
    for (i, row) in data.rows(&FILE)?.iter().enumerate() {
        let mut x = [0.0; 13];
        for (k, x) in x.iter_mut().enumerate() {
            *x = number(&FILE, i, k + 2, &row[k + 2])?;
        }
        let quat = Quat::from_slice(&x[3..7]);
        if (quat.norm_squared() - 1.0).abs() > 1e-3 {
            bail!("{}:{}: the quaternion is not of length one", FILE.path, i + 2);
        }
        if tosses.last().is_none_or(|toss| toss.name != row[0]) {
            let mut v = [0.0; 6];
            v.copy_from_slice(&x[7..]);
            tosses.push(Toss { name: row[0].clone(), poses: vec![], v });
        }
        let pose = Pose { pos: Vec3::new(x[0], x[1], x[2]), quat: quat.normalized() };
        tosses.last_mut().into_iter().for_each(|toss| toss.poses.push(pose));
    }
    tosses.retain(|toss| toss.poses.len() > 1);
    if tosses.is_empty() {
        bail!("{}: no toss", FILE.path);
    }
    Ok(tosses)
}

const FILE: DataFile = DataFile {
    path: "contactnets_cube/tosses.csv",
    columns: &[
        "toss", "t", "px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz",
    ],
    source: "it has the tosses of ContactNets (Pfrommer, Halm and Posa 2020), which \
             https://github.com/DAIRLab/contact-nets publishes (data/tosses_processed), all in one, at \
             148 Hz: position [m] and quaternion, velocity in the world [m/s] and spin in the cube's axes \
             [rad/s]",
};

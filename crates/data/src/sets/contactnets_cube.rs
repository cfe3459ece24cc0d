//! The position of a cube tossed on a table 400 times, measured at 148 Hz.
//!
//! Pfrommer, Halm, Posa 2020, "ContactNets". Published at <https://github.com/DAIRLab/contact-nets> (BSD-3-Clause) as
//! PyTorch tensors. Expected here: `tosses.csv` with the columns `toss,t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz` and
//! `index.csv` with a row for each toss.
//!
//! Channels are the columns: position of the centre [m] and velocity [m/s] in the world, orientation as a quaternion,
//! angular velocity in the cube's own frame [rad/s]. Lengths are about 2 % short: free fall reads 9.61 m/s², and the
//! cube rests 51.2 mm high where half its side is 52.4 mm.

use std::path::Path;

use super::channels;
use crate::{
    DataError, DataSet, Missing, ReadOptions, TimeColumn, Trajectory, files, read, read_table,
};

/// The side of the cube [m].
pub const SIDE: f64 = 0.1048;
/// Its mass [kg].
pub const MASS: f64 = 0.37;
/// Its moment of inertia about any axis through its centre [kg m²].
pub const INERTIA: f64 = 0.00081;

/// A toss.
#[derive(Clone, Debug, PartialEq)]
pub struct Toss {
    /// What was measured.
    pub trajectory: Trajectory,
    /// The sample at which the cube touches the table for the first time.
    pub first_contact: usize,
    /// The free fall measured before that [m/s²], if it is long enough.
    pub free_fall: Option<f64>,
}

/// All tosses: `tosses/0`, …
pub fn tosses(folder: &Path) -> Result<DataSet, DataError> {
    let options = ReadOptions {
        time: Some(TimeColumn { column: "t".to_owned(), unit: "s".to_owned() }),
        trajectory: vec!["toss".to_owned()],
        channels: channels([
            ("px", "m"),
            ("py", "m"),
            ("pz", "m"),
            ("qw", "1"),
            ("qx", "1"),
            ("qy", "1"),
            ("qz", "1"),
            ("vx", "m/s"),
            ("vy", "m/s"),
            ("vz", "m/s"),
            ("wx", "rad/s"),
            ("wy", "rad/s"),
            ("wz", "rad/s"),
        ]),
        ..ReadOptions::new("tosses.csv")
    };
    read(folder, &options)
}

/// All tosses, with their entries in the index.
pub fn indexed(folder: &Path) -> Result<Vec<Toss>, DataError> {
    let set = tosses(folder)?;
    let (index, _) = read_table(folder, "index.csv", &ReadOptions::new("index.csv"))?;
    let toss = index.column("toss")?;
    let first_contact = index.column("first_contact_index")?;
    let free_fall = index.column("g_fit_free_flight")?;
    let mut found = Vec::new();
    for row in 0..index.rows(&[toss])? {
        let trajectory = set.trajectory(&format!("tosses/{}", index.text(row, toss)))?.clone();
        let at = index.number(row, first_contact, Missing::Error)?;
        if !(at >= 0.0 && at < trajectory.t.len() as f64) {
            return Err(DataError::Malformed {
                file: files::shown(folder, "index.csv"),
                why: format!("toss {} has no sample {at}", index.text(row, toss)),
            });
        }
        let fall = index.number(row, free_fall, Missing::Gap)?;
        found.push(Toss {
            trajectory,
            first_contact: at as usize,
            free_fall: Some(-fall).filter(|fall| fall.is_finite()),
        });
    }
    Ok(found)
}

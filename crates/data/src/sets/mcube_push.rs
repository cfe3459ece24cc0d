//! Flat objects pushed over a table by a robot's fingertip.
//!
//! Yu, Bauza, Fazeli, Rodriguez 2016, "More than a Million Ways to Be Pushed", <https://mcube.mit.edu/push-dataset/>;
//! the selection of 70 pushes on ABS plastic that Heiden et al. 2021 (NeuralSim) used. Published as HDF5 files, which
//! `scripts/pushes_from_hdf5.py` converts to the expected files:
//!
//! - `index.csv`: a row for each push, with `file,split,surface,shape,v_mm_s,ft_valid,object_moved`;
//! - `pushes/FILE`: 250 Hz, columns `t,tip_x,tip_y,obj_x,obj_y,obj_yaw,fx,fy,tau` in SI units and the world's frame;
//!   `fx`, `fy` are the reaction of the object on the fingertip, the yaw is without jumps;
//! - `shapes.json`: the objects' masses, moments of inertia and outlines.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::channels;
use crate::{
    DataError, Fingerprint, Missing, ReadOptions, TimeColumn, Trajectory, files, read, read_table,
};

/// A push.
#[derive(Clone, Debug, PartialEq)]
pub struct Push {
    /// The measurements. If the force sensor did not respond, there are no channels `fx`, `fy` and `tau`.
    pub trajectory: Trajectory,
    /// Fingerprint of the file.
    pub file: Fingerprint,
    /// Its part: `train`, or `test_butter`, whose shape does not occur in training.
    pub split: String,
    /// The surface that the object slides on.
    pub surface: String,
    /// The object, a key of [`Shapes::shapes`].
    pub shape: String,
    /// The commanded speed of the fingertip [m/s].
    pub speed: f64,
    /// Whether the forces were measured.
    pub has_forces: bool,
    /// Whether the object moved; if not, the fingertip missed it.
    pub object_moved: bool,
}

/// The objects and the fingertip.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Shapes {
    /// The radius of the fingertip [m].
    #[serde(rename = "tip_radius_m")]
    pub tip_radius: f64,
    /// The coefficient of friction between fingertip and objects.
    pub tip_object_friction: f64,
    /// The objects, by name.
    pub shapes: BTreeMap<String, Shape>,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Shape {
    /// Its mass [kg].
    #[serde(rename = "mass_kg")]
    pub mass: f64,
    /// Its moment of inertia about the vertical through its centre of mass [kg m²].
    #[serde(rename = "moment_of_inertia_kgm2")]
    pub inertia: f64,
    /// Its centre of mass in the frame whose pose is measured [m].
    #[serde(rename = "centroid_m")]
    pub centre: [f64; 2],
    /// Its height [m].
    #[serde(rename = "thickness_m")]
    pub thickness: f64,
    /// Its outline from above.
    #[serde(flatten)]
    pub outline: Outline,
}

/// The outline of an object from above, in the frame whose pose is measured.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Outline {
    /// A polygon, convex or not.
    Polygon {
        /// Its corners [m], counterclockwise.
        #[serde(rename = "vertices_m")]
        vertices: Vec<[f64; 2]>,
    },
    /// An ellipse around the origin.
    Ellipse {
        /// Half its size along x and y [m].
        #[serde(rename = "semi_axes_m")]
        semi_axes: [f64; 2],
    },
}

/// All pushes, in the order of the index.
pub fn pushes(folder: &Path) -> Result<Vec<Push>, DataError> {
    let (index, _) = read_table(folder, "index.csv", &ReadOptions::new("index.csv"))?;
    let [file, split, surface, shape] =
        ["file", "split", "surface", "shape"].map(|name| index.column(name));
    let [speed, forces, moved] =
        ["v_mm_s", "ft_valid", "object_moved"].map(|name| index.column(name));
    let (file, split, surface, shape) = (file?, split?, surface?, shape?);
    let (speed, forces, moved) = (speed?, forces?, moved?);
    let mut found = Vec::new();
    for row in 0..index.rows(&[file])? {
        let is = |column| Ok(index.number(row, column, Missing::Error)? != 0.0);
        let has_forces = is(forces)?;
        let (trajectory, print) = push(folder, &index.text(row, file), has_forces)?;
        found.push(Push {
            trajectory,
            file: print,
            split: index.text(row, split),
            surface: index.text(row, surface),
            shape: index.text(row, shape),
            speed: index.number(row, speed, Missing::Error)? * 1e-3,
            has_forces,
            object_moved: is(moved)?,
        });
    }
    Ok(found)
}

/// The objects.
pub fn shapes(folder: &Path) -> Result<Shapes, DataError> {
    let (_, text) = files::text(folder, "shapes.json")?;
    serde_json::from_str(&text).map_err(|error| DataError::Malformed {
        file: files::shown(folder, "shapes.json"),
        why: error.to_string(),
    })
}

fn push(
    folder: &Path,
    name: &str,
    has_forces: bool,
) -> Result<(Trajectory, Fingerprint), DataError> {
    let file = format!("pushes/{name}");
    let mut set = read(
        folder,
        &ReadOptions {
            time: Some(TimeColumn { column: "t".to_owned(), unit: "s".to_owned() }),
            channels: channels([
                ("tip_x", "m"),
                ("tip_y", "m"),
                ("obj_x", "m"),
                ("obj_y", "m"),
                ("obj_yaw", "rad"),
                ("fx", "N"),
                ("fy", "N"),
                ("tau", "Nm"),
            ]),
            ..ReadOptions::new(file.clone())
        },
    )?;
    let empty = || DataError::Empty { file: files::shown(folder, &file) };
    let (mut push, print) = set.trajectories.pop().zip(set.files.pop()).ok_or_else(empty)?;
    if !has_forces {
        push.channels.retain(|channel| !["fx", "fy", "tau"].contains(&channel.name.as_str()));
    }
    Ok((push, print))
}

//! Reads the measured pushes and the outlines of the bodies.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail};
use serde::Deserialize;

use crate::data::{DataFile, DataFolder, number};

const SOURCE: &str = "it contains pushes of \"More than a Million Ways to Be Pushed\" (Yu, Bauza, Fazeli and \
     Rodriguez 2016), published at mcube.mit.edu/push-dataset, converted to text: shapes.json (masses, moments of \
     inertia, outlines), index.csv (one push per line), pushes/*.csv (SI units, 250 Hz)";

pub(super) const INDEX: DataFile = DataFile {
    path: "mcube_push/index.csv",
    columns: &["file", "split", "shape", "object_moved", "ft_valid"],
    source: SOURCE,
};

/// The file of the outlines.
const SHAPES: &str = "mcube_push/shapes.json";

/// Sampling period [s].
pub(super) const PERIOD: f64 = 4e-3;

/// A push: the positions of tip and body, every 4 ms.
#[derive(Clone, Debug)]
pub(super) struct Push {
    pub(super) name: String,
    pub(super) shape: String,
    pub(super) samples: Vec<Sample>,
    /// Force of the body on the tip at each sample [N]; empty if the force sensor did not work.
    pub(super) forces: Vec<[f64; 2]>,
}

impl Push {
    /// Mean speed of the tip [m/s].
    pub(super) fn speed(&self) -> f64 {
        let (first, last) = (self.samples[0].tip, self.samples[self.samples.len() - 1].tip);
        let seconds = PERIOD * (self.samples.len() - 1) as f64;
        f64::hypot(last[0] - first[0], last[1] - first[1]) / seconds
    }
}

/// A sample of a push.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Centre of the tip [m].
    pub(super) tip: [f64; 2],
    /// Centre of the body [m].
    pub(super) position: [f64; 2],
    /// Angle of the body [rad], without jumps of 2π.
    pub(super) yaw: f64,
}

/// A pushed body.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) mass: f64,
    /// Moment of inertia about its vertical axis [kg m²].
    pub(super) moment: f64,
    /// Corners [m], counter-clockwise.
    pub(super) outline: Vec<[f64; 2]>,
    pub(super) thickness: f64,
    pub(super) tip_radius: f64,
}

/// All data that are read.
pub(super) struct Measured {
    pub(super) train: Vec<Push>,
    pub(super) test: Vec<Push>,
    pub(super) bodies: BTreeMap<String, Body>,
}

#[derive(Deserialize)]
struct Shapes {
    tip_radius_m: f64,
    shapes: BTreeMap<String, Shape>,
}

#[derive(Deserialize)]
struct Shape {
    mass_kg: f64,
    moment_of_inertia_kgm2: f64,
    thickness_m: f64,
    #[serde(default)]
    vertices_m: Vec<[f64; 2]>,
    semi_axes_m: Option<[f64; 2]>,
}

/// Sides of the polygon that replaces an ellipse; its error is at most 0.03 mm.
const SIDES: usize = 96;
/// Largest error of a simplified outline [m].
const TOLERANCE: f64 = 5e-5;

pub(super) fn read(data: &DataFolder) -> anyhow::Result<Measured> {
    let text = data.text(SHAPES, SOURCE)?;
    let shapes: Shapes = serde_json::from_str(&text).with_context(|| SHAPES.to_owned())?;
    if !(shapes.tip_radius_m > 0.0 && shapes.tip_radius_m.is_finite()) {
        bail!("{SHAPES}: tip_radius_m must be positive");
    }
    for (name, shape) in &shapes.shapes {
        let positive = [shape.mass_kg, shape.moment_of_inertia_kgm2, shape.thickness_m];
        let half_axes = shape.semi_axes_m.iter().flatten();
        if !positive.iter().chain(half_axes).all(|x| *x > 0.0 && x.is_finite()) {
            bail!(
                "{SHAPES}: \"{name}\": mass, moment of inertia, thickness and semi-axes must be positive"
            );
        }
        if shape.semi_axes_m.is_none() && shape.vertices_m.len() < 3 {
            bail!("{SHAPES}: \"{name}\": an outline needs at least three vertices, or semi-axes");
        }
    }
    let body = |shape: &Shape| Body {
        mass: shape.mass_kg,
        moment: shape.moment_of_inertia_kgm2,
        outline: match shape.semi_axes_m {
            Some(half_axes) => ellipse(half_axes),
            None => simplified(&shape.vertices_m),
        },
        thickness: shape.thickness_m,
        tip_radius: shapes.tip_radius_m,
    };
    let bodies = shapes.shapes.iter().map(|(name, shape)| (name.clone(), body(shape))).collect();
    let mut measured = Measured { train: Vec::new(), test: Vec::new(), bodies };
    for row in data.rows(&INDEX)? {
        let [file, split, shape, moved, felt] = &row[..] else { continue };
        if !measured.bodies.contains_key(shape) {
            bail!("{}: \"{file}\": no shape \"{shape}\" in {SHAPES}", INDEX.path);
        }
        let is = |column: &str, text: &str| match text {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => bail!("{}: \"{file}\": {column} must be 0 or 1, not \"{text}\"", INDEX.path),
        };
        // If the tip missed the body, there is nothing to predict.
        if !is("object_moved", moved)? {
            continue;
        }
        let felt = is("ft_valid", felt)?;
        let push = read_push(data, file, shape, felt)?;
        match split.as_str() {
            "train" => measured.train.push(push),
            "test_butter" => measured.test.push(push),
            _ => bail!(
                "{}: \"{file}\": split \"{split}\" is neither train nor test_butter",
                INDEX.path
            ),
        }
    }
    Ok(measured)
}

/// Reads a push, with forces only if the sensor worked.
fn read_push(data: &DataFolder, file: &str, shape: &str, felt: bool) -> anyhow::Result<Push> {
    let path = format!("mcube_push/pushes/{file}");
    let columns = &["tip_x", "tip_y", "obj_x", "obj_y", "obj_yaw", "t", "fx", "fy"];
    let of = DataFile { path: &path, columns, source: SOURCE };
    let (mut samples, mut forces, mut begin) = (Vec::new(), Vec::new(), None);
    for (k, row) in data.rows(&of)?.iter().enumerate() {
        let value = |column: usize| number(&of, k, column, &row[column]);
        let time = value(5)?;
        if (time - *begin.get_or_insert(time) - PERIOD * k as f64).abs() > 0.1 * PERIOD {
            bail!("{path}:{}: column \"t\": samples must be {PERIOD} s apart", k + 2);
        }
        let (tip, position) = ([value(0)?, value(1)?], [value(2)?, value(3)?]);
        samples.push(Sample { tip, position, yaw: value(4)? });
        if felt {
            forces.push([value(6)?, value(7)?]);
        }
    }
    if samples.len() < 2 {
        bail!("{path}: fewer than two samples");
    }
    let name = file.trim_end_matches(".csv").to_owned();
    Ok(Push { name, shape: shape.to_owned(), samples, forces })
}

/// A vector turned by an angle.
pub(super) fn turned([x, y]: [f64; 2], by: f64) -> [f64; 2] {
    let (sin, cos) = by.sin_cos();
    [cos * x - sin * y, sin * x + cos * y]
}

fn ellipse([a, b]: [f64; 2]) -> Vec<[f64; 2]> {
    let corner = |k| {
        let (sin, cos) = f64::sin_cos(std::f64::consts::TAU * k as f64 / SIDES as f64);
        [a * cos, b * sin]
    };
    (0..SIDES).map(corner).collect()
}

/// Removes corners that are close to the line between others [Ramer 1972, Douglas and Peucker 1973].
fn simplified(corners: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if corners.len() < 12 {
        return corners.to_vec();
    }
    // Simplify two halves, which also closes the outline.
    let middle = corners.len() / 2;
    let mut kept = chain(&corners[..=middle]);
    let mut rest = corners[middle..].to_vec();
    rest.push(corners[0]);
    kept.pop();
    kept.extend(chain(&rest));
    kept.pop();
    kept
}

fn chain(corners: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let (first, last) = (corners[0], corners[corners.len() - 1]);
    let far = |k: &usize| distance_to_line(corners[*k], first, last);
    let farthest = (1..corners.len() - 1).max_by(|a, b| far(a).total_cmp(&far(b)));
    match farthest {
        Some(k) if far(&k) > TOLERANCE => {
            let mut kept = chain(&corners[..=k]);
            kept.pop();
            kept.extend(chain(&corners[k..]));
            kept
        }
        _ => vec![first, last],
    }
}

fn distance_to_line(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (along, to) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length = f64::hypot(along[0], along[1]);
    if length == 0.0 {
        return f64::hypot(to[0], to[1]);
    }
    (along[0] * to[1] - along[1] * to[0]).abs() / length
}

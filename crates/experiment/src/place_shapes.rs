//! Puts the shapes and pairs of `[model]` into the model that the file gave.

use std::sync::Arc;

use gradbody_contact::geometry::slots;
use gradbody_math::names::{did_you_mean, list};
use gradbody_math::{Mat3, Transform, Vec3};
use gradbody_model::{
    ContactLaw, ContactPair, FrameId, Material, Model, Outline, OutlineError, ShapeId, ShapeKind,
    ShapeParams,
};

use crate::{ExperimentError, ModelOptions, PairSpec, ShapeSpec};

/// Adds the shapes, in the order of their names.
pub(super) fn add_shapes(
    model: &mut Model<f64>,
    options: &ModelOptions,
) -> Result<(), ExperimentError> {
    for (name, spec) in &options.shapes {
        add_shape(model, name, spec)?;
    }
    Ok(())
}

fn add_shape(model: &mut Model<f64>, name: &str, spec: &ShapeSpec) -> Result<(), ExperimentError> {
    let wrong =
        |key: &str, why: String| ExperimentError::wrong(format!("model.shapes.{name}{key}"), why);
    let frame = frame(model, &spec.link).map_err(|why| wrong(".link", why))?;
    let (kind, size) = kind(spec).map_err(|(key, why)| wrong(key, why))?;
    let material = spec.friction.map_or(Material::DEFAULT, Material::with_friction);
    let rot = match spec.rpy {
        [0.0, 0.0, 0.0] => Mat3::IDENTITY,
        rpy => Mat3::from_rpy(Vec3::from_slice(&rpy)),
    };
    let placement = Transform { rot, pos: Vec3::from_slice(&spec.position) };
    let shape = model
        .add_shape(name, frame, kind, ShapeParams { placement, size, material })
        .map_err(|error| wrong("", error.to_string()))?;
    let shape = &mut model.topology.shapes[shape.index()];
    shape.friction_given = spec.friction.is_some();
    if spec.only_pairs {
        (shape.collision_group, shape.collides_with) = (0, 0);
    }
    Ok(())
}

/// The frame of a link, or why there is none.
fn frame(model: &Model<f64>, link: &str) -> Result<FrameId, String> {
    let frames = &model.topology.frames;
    model.topology.frame(link).ok_or_else(|| {
        let near = did_you_mean(link, frames.iter().map(|frame| frame.name.as_str()));
        let all = list(frames.iter().map(|frame| frame.name.as_str()));
        match near.is_empty() {
            true => format!("the model has no link \"{link}\"; it has {all}"),
            false => format!("the model has no link \"{link}\"{near}"),
        }
    })
}

/// The kind of a shape and its size, or the key that is wrong and why.
fn kind(spec: &ShapeSpec) -> Result<(ShapeKind, Vec3<f64>), (&'static str, String)> {
    if let (Some(corners), Some(half)) = (&spec.outline, spec.half_height) {
        let outline = Outline::new(corners.clone()).map_err(|error| {
            let hint = match error {
                OutlineError::CrossesItself(..) => {
                    " (counted from 0); list the corners in order around the outline, each once"
                }
                OutlineError::TooFewCorners | OutlineError::NoArea => {
                    "; list the corners in order, as [x, y] in m"
                }
                OutlineError::NotFinite => "",
            };
            (".outline", format!("{error}{hint}"))
        })?;
        return Ok((ShapeKind::Extrusion(Arc::new(outline)), Vec3::new(1.0, 1.0, half)));
    }
    let points = spec.points.iter().flatten().map(|point| Vec3::from_slice(point));
    Ok((ShapeKind::Points(points.collect()), Vec3::new(1.0, 1.0, 1.0)))
}

/// Lists the pairs.
pub(super) fn add_pairs(
    model: &mut Model<f64>,
    options: &ModelOptions,
) -> Result<(), ExperimentError> {
    for (k, spec) in options.pairs.iter().enumerate() {
        add_pair(model, spec)
            .map_err(|why| ExperimentError::wrong(format!("model.pairs[{k}].shapes"), why))?;
    }
    Ok(())
}

fn add_pair(model: &mut Model<f64>, spec: &PairSpec) -> Result<(), String> {
    let [a, b] = [shape(model, &spec.shapes[0])?, shape(model, &spec.shapes[1])?];
    let kinds = [a, b].map(|shape| &model.topology.shapes[shape.index()].kind);
    if slots(kinds[0], kinds[1]) == 0 {
        let [a, b] = &spec.shapes;
        return Err(format!(
            "shapes of the kinds of \"{a}\" and \"{b}\" do not touch each other; points touch planes, spheres, \
             capsules, cylinders, boxes and outlines"
        ));
    }
    let law = if spec.compliant { ContactLaw::Compliant } else { ContactLaw::Rigid };
    let pair = ContactPair { a, b, law, resists_turning: spec.resists_turning };
    let added = model.add_contact_pair(pair, Material::with_friction(spec.friction));
    added.map(|_| ()).map_err(|error| error.to_string())
}

/// The shape of a name, or why there is none.
fn shape(model: &Model<f64>, name: &str) -> Result<ShapeId, String> {
    let topology = &model.topology;
    topology.shape(name).ok_or_else(|| {
        let names = || topology.shapes.iter().map(|shape| shape.name.as_str());
        let near = did_you_mean(name, names());
        match (near.is_empty(), topology.shapes.is_empty()) {
            (false, _) => format!("there is no shape \"{name}\"{near}"),
            (true, true) => {
                format!("there is no shape \"{name}\": the model has no shapes; add model.shapes")
            }
            (true, false) => {
                format!("there is no shape \"{name}\"; the shapes are {}", list(names()))
            }
        }
    })
}

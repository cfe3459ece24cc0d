//! The outlines of all shapes of a model.

use gradbody_math::Vec3;
use gradbody_model::{Model, ShapeKind};

use crate::outline::outline;
use crate::scene::is_level;
use crate::{DrawnShape, Round, bodies};

/// The outlines of all shapes, and the height of the highest level ground, which is no shape then.
pub fn shapes(model: &Model<f64>) -> (Vec<DrawnShape>, Option<f64>) {
    let bodies = bodies(model);
    let mut drawn = Vec::new();
    for (shape, params) in model.topology.shapes.iter().zip(&model.params.shapes) {
        let link = model.topology.frames[shape.frame.index()].link;
        let placement = params.placement;
        if shape.kind == ShapeKind::Plane && link.is_none() && is_level(&placement) {
            continue;
        }
        let place = |p: &Vec3<f64>| placement.point(*p).to_array();
        let (mut lines, rounds) = outline(&shape.kind, params.size);
        // A foot at the end of a leg: the leg is drawn too.
        if shape.kind == ShapeKind::Sphere && link.is_some() && placement.pos.norm() > params.size.x
        {
            lines.push(vec![placement.inverse().pos, Vec3::ZERO]);
        }
        if lines.is_empty() && rounds.is_empty() {
            continue;
        }
        drawn.push(DrawnShape {
            body: link.and_then(|link| bodies.iter().position(|body| *body == link)),
            lines: lines.iter().map(|line| line.iter().map(place).collect()).collect(),
            rounds: rounds
                .iter()
                .map(|(ends, radius)| Round { ends: ends.map(|p| place(&p)), radius: *radius })
                .collect(),
        });
    }
    (drawn, level_ground(model))
}

/// The height of the highest level ground.
pub(crate) fn level_ground(model: &Model<f64>) -> Option<f64> {
    let shapes = model.topology.shapes.iter().zip(&model.params.shapes);
    let grounds = shapes.filter(|(shape, params)| {
        let fixed = model.topology.frames[shape.frame.index()].link.is_none();
        shape.kind == ShapeKind::Plane && fixed && is_level(&params.placement)
    });
    grounds.map(|(_, params)| params.placement.pos.z).reduce(f64::max)
}

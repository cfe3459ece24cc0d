//! The outlines of all shapes of a model.

use gradbody_math::Vec3;
use gradbody_model::{Model, ShapeKind};

use crate::outline::outline;
use crate::{DrawnShape, Round, bodies};

/// The outlines of all shapes, and the height of the highest level ground, which is no shape then.
pub fn shapes(model: &Model<f64>) -> (Vec<DrawnShape>, Option<f64>) {
    let bodies = bodies(model);
    let mut ground: Option<f64> = None;
    let mut drawn = Vec::new();
    for (shape, params) in model.topology.shapes.iter().zip(&model.params.shapes) {
        let link = model.topology.frames[shape.frame.index()].link;
        let placement = params.placement;
        let level = (placement.rot.cols[2] - Vec3::Z).norm() < 1e-6;
        if shape.kind == ShapeKind::Plane && link.is_none() && level {
            ground = Some(ground.map_or(placement.pos.z, |z| z.max(placement.pos.z)));
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
    (drawn, ground)
}

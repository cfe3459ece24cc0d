//! Bodies that observations tell apart.
//!
//! A file's bodies that are welded together become one link of a model. Observations of Gymnasium count them apart, so
//! a description lists them, with the shapes and the mass of each.

use gradbody_math::{Inertia, Sym3, Vec3};
use gradbody_model::{LinkId, Model, ShapeId, ShapeKind, ShapeParams};

/// Bodies that observations and costs tell apart. They may be finer than links.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    /// The bodies.
    pub list: Vec<Body>,
    /// The body of each shape of the model; `None` for shapes that no body counts, such as a ground.
    pub of_shape: Vec<Option<usize>>,
}

/// A body that is part of a link, or all of it.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// The link that it belongs to.
    pub link: LinkId,
    /// Its own inertia in the axes of the link.
    pub inertia: Inertia<f64>,
}

impl Bodies {
    /// No bodies.
    pub(crate) fn none(model: &Model<f64>) -> Self {
        Bodies { list: Vec::new(), of_shape: vec![None; model.topology.shapes.len()] }
    }

    /// Bodies of these names. Each has the shapes listed beside it: spheres and capsules of a density [kg/m³], from
    /// which its inertia is computed. Shapes and names that the model lacks are left out.
    pub fn of_solids(model: &Model<f64>, density: f64, names: &[(&str, &[&str])]) -> Self {
        let mut bodies = Bodies::none(model);
        for (name, shapes) in names {
            let of: Vec<ShapeId> =
                shapes.iter().filter_map(|shape| model.topology.shape(shape)).collect();
            let Some(link) = of.first().and_then(|id| link_of(model, *id)) else { continue };
            let mut inertia = Inertia::ZERO;
            for id in &of {
                bodies.of_shape[id.index()] = Some(bodies.list.len());
                let kind = &model.topology.shapes[id.index()].kind;
                let solid = solid(kind, &model.params.shapes[id.index()], density);
                inertia = inertia.combined(&solid);
            }
            bodies.list.push(Body { name: (*name).into(), link, inertia });
        }
        bodies
    }

    /// The body of a shape.
    pub(crate) fn of(&self, shape: ShapeId) -> Option<usize> {
        self.of_shape[shape.index()]
    }
}

fn link_of(model: &Model<f64>, shape: ShapeId) -> Option<LinkId> {
    let frame = model.topology.shapes[shape.index()].frame;
    model.topology.frames[frame.index()].link
}

/// The inertia of a solid sphere or capsule; none for other shapes.
fn solid(kind: &ShapeKind, params: &ShapeParams<f64>, density: f64) -> Inertia<f64> {
    let half_length = match kind {
        ShapeKind::Sphere => 0.0,
        ShapeKind::Capsule => params.size.y,
        _ => return Inertia::ZERO,
    };
    let (r, h, pi) = (params.size.x, half_length, std::f64::consts::PI);
    let rod = density * pi * r * r * 2.0 * h;
    let caps = density * pi * r * r * r * 4.0 / 3.0;
    let along = rod * r * r / 2.0 + caps * 2.0 * r * r / 5.0;
    // A half ball's centre of mass is 3/8 of its radius from its face.
    let across =
        rod * (r * r / 4.0 + h * h / 3.0) + caps * (2.0 * r * r / 5.0 + h * h + 3.0 * h * r / 4.0);
    let own = Sym3::diagonal(Vec3::new(across, across, along));
    Inertia {
        mass: rod + caps,
        com: params.placement.pos,
        rotational: own.rotated(&params.placement.rot),
    }
}

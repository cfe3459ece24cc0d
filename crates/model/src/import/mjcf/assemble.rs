//! From the bodies of the file to links, frames and shapes.
//!
//! A body with several joints becomes a chain of links without mass, `BODY:JOINT`, the last of which is the body
//! itself. A body without joints becomes part of its parent. A site becomes a frame; if a body has the same name, the
//! frame is called `site:NAME`.
//!
//! In the file's pose a joint is at its `ref`, not at zero, so its placement is rotated or moved back by that amount.
//! If it turns about a point other than the body's origin, the joint is placed there and the body's frame away from it.
//! In MuJoCo's kinematics, with anchor r and axis a, frame i−1 of the body moves to frame i by
//!
//! ```text
//!   T(r) R(a, q − ref) T(−r)   hinge, ball        T(a (q − ref))   slide
//! ```

use std::collections::HashMap;

use gradbody_math::{Inertia, Mat3, Quat, Transform};

use super::body::Body;
use super::geom::Geom;
use super::joint::{Joint, Kind};
use super::names::{self, Taken};
use crate::import::ImportError;
use crate::import::finish::{LinkPlaces, Place};
use crate::import::notes::Notes;
use crate::import::xml::Element;
use crate::{
    FrameId, JointId, JointSpec, Material, ModelBuilder, ModelError, ShapeId, ShapeKind,
    ShapeParams,
};

/// What the elements of the file became.
#[derive(Default)]
pub(super) struct Assembled {
    /// The frame of each body.
    pub(super) frames: Vec<FrameId>,
    /// Joints by name.
    pub(super) joints: HashMap<String, JointId>,
    /// Shapes by name; `None` for geoms without a counterpart.
    pub(super) shapes: HashMap<String, Option<ShapeId>>,
    /// The position of each link in the file.
    pub(super) places: Vec<LinkPlaces>,
    /// Coordinates in the pose of the file.
    pub(super) q: Vec<f64>,
}

/// Adds all bodies with their contents.
pub(super) fn bodies(
    builder: &mut ModelBuilder,
    bodies: &[Body<'_>],
    inertias: &[Inertia<f64>],
    materials: &[Vec<Material<f64>>],
    notes: &mut Notes,
) -> Result<Assembled, ImportError> {
    let mut assembled = Assembled { frames: vec![FrameId::WORLD], ..Assembled::default() };
    let mut taken = Taken::default();
    for body in bodies {
        taken.claim(&body.name);
    }
    for (body, inertia) in bodies.iter().zip(inertias).skip(1) {
        let frame = add_body(builder, body, *inertia, &mut assembled, &mut taken)?;
        assembled.frames.push(frame);
    }
    exclude_neighbours(builder, bodies, &assembled.frames);
    // If nothing but the surroundings is to be seen, all shapes are.
    let draws = bodies.iter().skip(1).flat_map(|body| &body.geoms).any(Geom::is_drawn);
    for (i, body) in bodies.iter().enumerate() {
        add_shapes(builder, body, &materials[i], assembled.frames[i], draws, &mut assembled)?;
    }
    let sites = bodies.iter().zip(&assembled.frames);
    for (frame, site) in sites.flat_map(|(b, f)| b.sites.iter().map(move |s| (*f, s))) {
        // Nothing can refer to a site without a name.
        let Some(name) = names::given(site.element) else { continue };
        let mut name = name.to_owned();
        if !taken.claim(&name) {
            name = taken.free(format!("site:{name}"));
            notes.assumed(site.element, format!("its frame is named \"{name}\""));
        }
        builder.frame(name, frame, site.pose).map_err(at(site.element))?;
    }
    Ok(assembled)
}

fn at(element: Element<'_>) -> impl Fn(ModelError) -> ImportError {
    move |e| element.error(e.to_string())
}

fn add_body(
    builder: &mut ModelBuilder,
    body: &Body<'_>,
    inertia: Inertia<f64>,
    assembled: &mut Assembled,
    taken: &mut Taken,
) -> Result<FrameId, ImportError> {
    let mut frame = assembled.frames[body.parent];
    let Some((last, chain)) = body.joints.split_last() else {
        return builder.fixed(&*body.name, frame, body.pose_pb, inertia).map_err(at(body.element));
    };
    let mut placement = body.pose_pb;
    for joint in chain {
        let name = taken.free(format!("{}:{}", body.name, joint.name));
        let spec = placed(joint, &placement);
        frame = builder.link(name, frame, spec, Inertia::ZERO).map_err(at(joint.element))?;
        placement = Transform::IDENTITY;
        assembled.add_joint(body, joint);
    }
    let spec = placed(last, &placement);
    let frame = builder.link(&*body.name, frame, spec, inertia).map_err(at(last.element))?;
    assembled.add_joint(body, last);
    Ok(frame)
}

/// Keeps bodies with several joints from touching their parents, as bodies with one joint are kept by being child and
/// parent in the tree of links. Bodies without joints belong to the one that they are fixed to; the world may be touched.
fn exclude_neighbours(builder: &mut ModelBuilder, bodies: &[Body<'_>], frames: &[FrameId]) {
    let fixed_to = |mut i: usize| {
        while i != 0 && bodies[i].joints.is_empty() {
            i = bodies[i].parent;
        }
        i
    };
    let with_geoms = |of: usize| {
        let belongs = move |i: &usize| !bodies[*i].geoms.is_empty() && fixed_to(*i) == of;
        (1..bodies.len()).filter(belongs)
    };
    for child in (1..bodies.len()).filter(|i| bodies[*i].joints.len() > 1) {
        let parent = fixed_to(bodies[child].parent);
        if parent != 0 {
            for a in with_geoms(parent) {
                for b in with_geoms(child) {
                    builder.contact_exclude(frames[a], frames[b]);
                }
            }
        }
    }
}

impl Assembled {
    fn add_joint(&mut self, body: &Body<'_>, joint: &Joint<'_>) {
        let id = JointId::new(self.places.len());
        self.joints.insert(joint.name.clone(), id);
        self.places.push(LinkPlaces {
            link: Place { element: format!("body \"{}\"", body.name), ..Place::of(body.element) },
            joint: Place::of(joint.element),
        });
        match joint.kind {
            Kind::Hinge | Kind::Slide => self.q.push(joint.reference),
            Kind::Ball => self.q.extend(Quat::<f64>::IDENTITY.to_array()),
            Kind::Free => {
                self.q.extend(body.pose_wb.pos.to_array());
                self.q.extend(Quat::from_mat3(&body.pose_wb.rot).to_array());
            }
        }
    }
}

/// The joint with its placement; `pose_pb` is the body's frame before the joint moves it.
fn placed(joint: &Joint<'_>, pose_pb: &Transform<f64>) -> JointSpec {
    let mut spec = joint.spec.clone();
    spec.name.clone_from(&joint.name);
    let to_anchor = Transform::from_translation(joint.anchor);
    spec.placement = match joint.kind {
        // Its coordinates are those of the world.
        Kind::Free => Transform::IDENTITY,
        _ if joint.reference == 0.0 => *pose_pb * to_anchor,
        Kind::Slide => *pose_pb * Transform::from_translation(joint.axis * -joint.reference),
        Kind::Hinge | Kind::Ball => {
            let back = Mat3::from_axis_sin_cos(joint.axis, (-joint.reference).sin_cos());
            *pose_pb * to_anchor * Transform::new(back, gradbody_math::Vec3::ZERO)
        }
    };
    spec.link_in_joint = Transform::from_translation(-joint.anchor);
    spec
}

fn add_shapes(
    builder: &mut ModelBuilder,
    body: &Body<'_>,
    materials: &[Material<f64>],
    frame: FrameId,
    draws: bool,
    assembled: &mut Assembled,
) -> Result<(), ImportError> {
    for (geom, material) in body.geoms.iter().zip(materials) {
        let shape = match &geom.shape {
            None => None,
            Some(ShapeKind::Plane) if body.moves => {
                return Err(geom.element.error("a plane cannot be part of a body that moves"));
            }
            Some(kind) => {
                let (placement, size) = (geom.pose, geom.size);
                let params = ShapeParams { placement, size, material: *material };
                let id = builder
                    .shape(&*geom.name, frame, kind.clone(), params)
                    .map_err(at(geom.element))?;
                let shape = builder.shape_mut(id);
                shape.collision_group = geom.contype;
                shape.collides_with = geom.conaffinity;
                shape.resists_turning = geom.condim >= 4;
                shape.mesh_file = geom.mesh_file.clone();
                if draws && geom.is_drawn() {
                    builder.draw_shape(id, geom.colour);
                }
                Some(id)
            }
        };
        assembled.shapes.insert(geom.name.clone(), shape);
    }
    Ok(())
}

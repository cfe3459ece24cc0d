//! Which joints go into which body, and where.
//!
//! MuJoCo requires every moving body to have mass, but allows a body several joints. So a link without mass that
//! carries only one other link gives its joint to that link's body; the importer turns such joints back into links. A
//! joint that the format does not have becomes several: a universal joint two hinges, a planar joint two slides and a
//! hinge, a free joint that is not the root's three slides and a ball. Together they have the coordinates of the joint,
//! in order.
//!
//! A body is written in the pose in which every joint has its coordinate of the file's pose. With X_k the place of
//! joint k in the parent's frame and W that of the body, both in that pose, the joint's anchor and axis in the body are
//! W⁻¹ X_k applied to its own.

use std::collections::HashMap;

use gradbody_math::{Inertia, Mat3, Quat, Transform, Vec3};

use crate::builder::unit_or_given;
use crate::import::{FILE_POSE, Kind};
use crate::{JointKind, Keyframe, LinkId, Model};

/// Maximum number of degrees of freedom of a body.
const MOST_FREEDOMS: usize = 6;

/// An axis this close to a coordinate axis is that axis: the difference is rounding.
const SAME_AXIS: f64 = 1e-14;

/// A joint of the format: a joint of the model or a part of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) kind: Kind,
    /// Suffix to the joint's name; empty for a whole joint.
    pub(super) suffix: &'static str,
    /// The link that the joint moves.
    pub(super) link: LinkId,
    /// Its position in the body's frame [m].
    pub(super) anchor: Vec3<f64>,
    /// Unit axis in the body's frame; before placement, in the joint's frame.
    pub(super) axis: Vec3<f64>,
    /// Its coordinate in the file's pose.
    pub(super) reference: f64,
}

/// A moving body of the format.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// The links whose joints it has; the last is the body's own.
    pub(super) links: Vec<LinkId>,
    /// Its child bodies, in order.
    pub(super) children: Vec<usize>,
    /// Pose in the frame of its parent body, or in the world, in the file's pose.
    pub(super) pose_pb: Transform<f64>,
    /// Pose in its last link's frame.
    pub(super) pose_lb: Transform<f64>,
    pub(super) parts: Vec<Part>,
}

impl Body {
    /// The body's own link.
    pub(super) fn link(&self) -> LinkId {
        self.links[self.links.len() - 1]
    }
}

/// All moving bodies.
pub(super) struct Tree {
    pub(super) bodies: Vec<Body>,
    /// The bodies attached to the world.
    pub(super) roots: Vec<usize>,
    /// For each link, the frame with the link's name.
    pub(super) own_frames: Vec<Option<usize>>,
    /// The state with the positions of the file's pose.
    pub(super) reference: Option<Keyframe>,
}

impl Tree {
    /// The bodies of a model.
    pub(super) fn new(model: &Model<f64>) -> Self {
        let reference = reference(model);
        let own_frames = own_frames(model);
        let parts: Vec<Vec<Part>> =
            model.topology.link_ids().map(|l| parts(model, l, reference.as_ref())).collect();
        let gives = giving(model, &own_frames, &parts);
        let mut bodies: Vec<Body> = Vec::new();
        let mut roots = Vec::new();
        // For each link: the links that give it their joints, and its body.
        let mut chains: Vec<Vec<LinkId>> = Vec::new();
        let mut body_of: Vec<usize> = vec![usize::MAX; model.n_links()];
        for (i, link) in model.topology.links.iter().enumerate() {
            let before = link.parent.filter(|p| gives[p.index()]);
            let mut chain = before.map_or(vec![], |p| chains[p.index()].clone());
            chain.push(LinkId::new(i));
            chains.push(chain.clone());
            if gives[i] {
                continue;
            }
            body_of[i] = bodies.len();
            let parent = model.topology.links[chain[0].index()].parent;
            let carrier = parent.map(|p| body_of[p.index()]);
            match carrier {
                Some(carrier) => bodies[carrier].children.push(body_of[i]),
                None => roots.push(body_of[i]),
            }
            let pose_pl = carrier.map_or(Transform::IDENTITY, |c| bodies[c].pose_lb.inverse());
            let own = own_frames[i].map(|f| model.params.frames[f]);
            bodies.push(placed(model, chain, own, pose_pl, &parts, reference.as_ref()));
        }
        // In the order of their first joints, as far as a tree allows it.
        let first: Vec<LinkId> = bodies.iter().map(|body| body.links[0]).collect();
        roots.sort_by_key(|body| first[*body]);
        for body in &mut bodies {
            body.children.sort_by_key(|child| first[*child]);
        }
        Tree { bodies, roots, own_frames, reference }
    }

    /// Visits all bodies in the order of the file, with their depth: parents first, and children directly after their
    /// parent.
    pub(super) fn walk<E>(
        &self,
        mut visit: impl FnMut(Visit<'_>, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut waiting: Vec<(usize, usize, bool)> =
            self.roots.iter().rev().map(|b| (*b, 0, true)).collect();
        while let Some((body, depth, enters)) = waiting.pop() {
            if !enters {
                visit(Visit::Leave, depth)?;
                continue;
            }
            visit(Visit::Enter(&self.bodies[body]), depth)?;
            waiting.push((body, depth, false));
            let children = self.bodies[body].children.iter().rev();
            waiting.extend(children.map(|child| (*child, depth + 1, true)));
        }
        Ok(())
    }

    /// Links in the order in which the file has their joints.
    pub(super) fn order(&self) -> Vec<LinkId> {
        let mut order = Vec::new();
        let _ = self.walk(|visit, _| -> Result<(), std::convert::Infallible> {
            if let Visit::Enter(body) = visit {
                order.extend(&body.links);
            }
            Ok(())
        });
        order
    }
}

/// An event on the way through the tree.
pub(super) enum Visit<'a> {
    /// A body begins.
    Enter(&'a Body),
    /// The innermost open body ends.
    Leave,
}

/// The state with the file's pose, if the model has it from a file.
fn reference(model: &Model<f64>) -> Option<Keyframe> {
    let first = model.topology.keyframes.first()?;
    let fits = first.name == FILE_POSE && first.q.len() == model.nq();
    (fits && first.q.iter().all(|x| x.is_finite())).then(|| first.clone())
}

fn own_frames(model: &Model<f64>) -> Vec<Option<usize>> {
    let frames = &model.topology.frames;
    let by_name: HashMap<&str, usize> =
        frames.iter().enumerate().map(|(i, f)| (&*f.name, i)).collect();
    let own = |(i, link): (usize, &crate::Link)| {
        let frame = by_name.get(&*link.name).copied();
        frame.filter(|f| frames[*f].link == Some(LinkId::new(i)))
    };
    model.topology.links.iter().enumerate().map(own).collect()
}

/// The joints of the format that represent a joint, with axes in the joint's frame.
fn parts(model: &Model<f64>, link: LinkId, reference: Option<&Keyframe>) -> Vec<Part> {
    let joint = &model.topology.links[link.index()].joint;
    let params = &model.params.joints[link.index()];
    let q = reference.map_or(&[][..], |pose| &pose.q[joint.q_range()]);
    let part = |kind, suffix, axis, k: usize| Part {
        kind,
        suffix,
        link,
        anchor: Vec3::ZERO,
        axis: unit_or_given(axis),
        reference: q.get(k).copied().unwrap_or(0.0),
    };
    let (x, y, z) = (Vec3::X, Vec3::Y, Vec3::Z);
    match joint.kind {
        JointKind::Revolute(_) => vec![part(Kind::Hinge, "", params.axis, 0)],
        JointKind::Prismatic(_) => vec![part(Kind::Slide, "", params.axis, 0)],
        JointKind::Spherical => vec![Part { reference: 0.0, ..part(Kind::Ball, "", z, 0) }],
        JointKind::Universal => {
            let second = part(Kind::Hinge, "_2", params.axis2, 1);
            vec![part(Kind::Hinge, "_1", params.axis, 0), second]
        }
        JointKind::Planar => vec![
            part(Kind::Slide, "_x", x, 0),
            part(Kind::Slide, "_y", y, 1),
            part(Kind::Hinge, "_angle", z, 2),
        ],
        JointKind::Free if is_free_of_world(model, link) => {
            vec![Part { reference: 0.0, ..part(Kind::Free, "", z, 0) }]
        }
        JointKind::Free => vec![
            part(Kind::Slide, "_x", x, 0),
            part(Kind::Slide, "_y", y, 1),
            part(Kind::Slide, "_z", z, 2),
            Part { reference: 0.0, ..part(Kind::Ball, "_ball", z, 3) },
        ],
    }
}

/// Whether the format can represent a free joint directly: its coordinates are the world's, and it has no spring.
fn is_free_of_world(model: &Model<f64>, link: LinkId) -> bool {
    let params = &model.params.joints[link.index()];
    model.topology.links[link.index()].parent.is_none()
        && params.placement == Transform::IDENTITY
        && params.stiffness == 0.0
}

/// Which links give their joint to the body of their only child.
fn giving(model: &Model<f64>, own_frames: &[Option<usize>], parts: &[Vec<Part>]) -> Vec<bool> {
    let topology = &model.topology;
    let count = model.n_links();
    let mut children = vec![Vec::new(); count];
    for (i, link) in topology.links.iter().enumerate() {
        if let Some(parent) = link.parent {
            children[parent.index()].push(i);
        }
    }
    // Links that only their joint refers to.
    let mut bare: Vec<bool> = model.params.links.iter().map(weighs_nothing).collect();
    for (i, frame) in topology.frames.iter().enumerate() {
        if let Some(link) = frame.link
            && own_frames[link.index()] != Some(i)
        {
            bare[link.index()] = false;
        }
    }
    let shapes = topology.shapes.iter().map(|s| s.frame);
    let excludes = topology.contact_excludes.iter().flat_map(|(a, b)| [*a, *b]);
    let visuals = topology.visuals.iter().map(|visual| visual.frame(topology));
    for frame in shapes.chain(excludes).chain(visuals) {
        if let Some(link) = topology.frames[frame.index()].link {
            bare[link.index()] = false;
        }
    }
    let mut gives = vec![false; count];
    // The joints that each link's body would have so far.
    let mut so_far: Vec<Vec<Kind>> = vec![Vec::new(); count];
    for i in 0..count {
        so_far[i].extend(parts[i].iter().map(|part| part.kind));
        let [child] = children[i][..] else { continue };
        let next = parts[child].iter().map(|part| part.kind);
        let together: Vec<Kind> = so_far[i].iter().copied().chain(next).collect();
        // A ball's coordinates are in the axes of its body, which would then be the next link's.
        let same_axes = model.params.joints[child].placement.rot == Mat3::IDENTITY;
        let keeps_axes = same_axes || !so_far[i].contains(&Kind::Ball);
        if bare[i] && keeps_axes && can_be_together(&together) {
            gives[i] = true;
            so_far[child] = so_far[i].clone();
        }
    }
    gives
}

/// Whether a body can have these joints, in this order.
fn can_be_together(kinds: &[Kind]) -> bool {
    let freedoms: usize = kinds.iter().map(|kind| kind.freedoms()).sum();
    let after_ball = kinds.iter().skip_while(|kind| **kind != Kind::Ball).skip(1);
    let turns_again = after_ball.into_iter().any(|kind| *kind != Kind::Slide);
    freedoms <= MOST_FREEDOMS && !kinds.contains(&Kind::Free) && !turns_again
}

/// Whether mass and inertia are both zero.
pub(super) fn weighs_nothing(inertia: &Inertia<f64>) -> bool {
    *inertia == Inertia { com: inertia.com, ..Inertia::ZERO }
}

/// A body of these links. `own` is the pose of the frame with its name in its link; `pose_pl` is the pose of the parent
/// link in the parent's body.
fn placed(
    model: &Model<f64>,
    links: Vec<LinkId>,
    own: Option<Transform<f64>>,
    pose_pl: Transform<f64>,
    parts: &[Vec<Part>],
    reference: Option<&Keyframe>,
) -> Body {
    // The position of each joint before it moves, and the axes after rotation.
    let mut places: Vec<(Part, Vec3<f64>, Mat3<f64>)> = Vec::new();
    let mut pose = pose_pl;
    for link in &links {
        pose = pose * model.params.joints[link.index()].placement;
        for part in &parts[link.index()] {
            let at = pose.pos;
            pose = match part.kind {
                Kind::Free => free_pose(model, *link, reference),
                Kind::Slide if part.reference != 0.0 => {
                    pose * Transform::from_translation(part.axis * part.reference)
                }
                Kind::Hinge if part.reference != 0.0 => {
                    let turn = Mat3::from_axis_sin_cos(part.axis, part.reference.sin_cos());
                    pose * Transform::new(turn, Vec3::ZERO)
                }
                _ => pose,
            };
            places.push((*part, at, pose.rot));
        }
    }
    let last = places.last().map(|(part, ..)| part.kind);
    let pose_lb = own.filter(|own| can_be_at(last, own)).unwrap_or(Transform::IDENTITY);
    let pose_pb = pose * pose_lb;
    let pose_bp = pose_pb.inverse();
    let in_body = |(part, at, rot): (Part, Vec3<f64>, Mat3<f64>)| {
        let anchor = match part.kind {
            // Exactly where the frame is.
            Kind::Ball | Kind::Hinge if at == pose.pos => -pose_lb.pos,
            Kind::Ball | Kind::Hinge => nearly_zero(pose_bp.point(at), at),
            Kind::Slide | Kind::Free => Vec3::ZERO,
        };
        let axis = match rot == pose_pb.rot {
            true => part.axis,
            false => along_coordinate(pose_bp.rot * (rot * part.axis)),
        };
        Part { anchor, axis, ..part }
    };
    let parts = places.into_iter().map(in_body).collect();
    Body { links, children: vec![], pose_pb, pose_lb, parts }
}

/// Whether a body's frame can have this pose in its link: the format rotates the link's frame with the body's, and can
/// only move it to the point about which a joint turns.
fn can_be_at(joint: Option<Kind>, own: &Transform<f64>) -> bool {
    let turns = matches!(joint, Some(Kind::Hinge | Kind::Ball));
    own.rot == Mat3::IDENTITY && (turns || own.pos == Vec3::ZERO)
}

fn free_pose(model: &Model<f64>, link: LinkId, reference: Option<&Keyframe>) -> Transform<f64> {
    let range = model.topology.links[link.index()].joint.q_range();
    let Some(q) = reference.map(|pose| &pose.q[range]) else { return Transform::IDENTITY };
    let quat = Quat::from_slice(&q[3..]);
    let turn = if quat.norm_squared() > 1e-20 { quat.normalized() } else { Quat::IDENTITY };
    Transform::from_quat(turn, Vec3::from_slice(&q[..3]))
}

/// Replaces a point by the origin if it differs only by the rounding of numbers as large as those of `size`.
fn nearly_zero(point: Vec3<f64>, size: Vec3<f64>) -> Vec3<f64> {
    if point.norm() <= SAME_AXIS * (1.0 + size.norm()) { Vec3::ZERO } else { point }
}

/// Replaces an axis by a coordinate axis if it differs only by rounding.
fn along_coordinate(axis: Vec3<f64>) -> Vec3<f64> {
    let all = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z];
    all.into_iter().find(|unit| (axis - *unit).norm() < SAME_AXIS).unwrap_or(axis)
}

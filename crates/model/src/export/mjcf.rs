//! MJCF export.
//!
//! | written | how |
//! |---|---|
//! | moving links | a `body` with its whole inertia and its joints (see `tree`), in the file's own pose |
//! | other frames | a `body` if it has shapes or a collision exclusion, else a `site` |
//! | shapes | `geom`; meshes by a path that is valid from the new file's folder, else by the vertices of their hull |
//! | visuals | `rgba`; what never collides as a `geom` of group 2 without contacts, shapes that are not drawn in group 3 |
//! | surfaces | `friction`, `condim`, and `solref` for the position gain |
//! | pairs, excludes, actuators, states | `pair`, `exclude`, `general`, `key` |
//! | gravity, time step | `option` |
//!
//! Numbers are written so that they read back exactly; poses may differ in the last digit.

mod drive;
mod geom;
mod losses;
mod surface;
mod tree;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use gradbody_math::{Inertia, Mat3, Transform};

use self::geom::Geoms;
use self::tree::{Body, Part, Tree, Visit, weighs_nothing};
use super::mesh_path::whole;
use super::xml::{Tag, unused};
use super::{ExportError, Exported};
use crate::import::{Kind, on_one_line};
use crate::{JointParams, LinkId, Model};

/// Represents the open end of a range, where the format requires a number.
const OPEN: f64 = 1e30;

/// Represents an effort limit of zero, which the format would read as no limit.
const LEAST_EFFORT: f64 = 1e-300;

/// Deepest indentation: a chain may have thousands of links.
const DEEPEST_INDENT: usize = 20;

/// Writes a model as MJCF, for MuJoCo and for this program.
///
/// The file may be placed anywhere: meshes have absolute paths.
pub fn mjcf(model: &Model<f64>) -> Result<Exported, ExportError> {
    written(model, None)
}

/// [`mjcf`] for a file in this folder: a mesh keeps its name in the source if it can be found from there; otherwise its
/// path is relative to the folder.
pub fn mjcf_in(model: &Model<f64>, folder: &Path) -> Result<Exported, ExportError> {
    written(model, whole(folder))
}

fn written(model: &Model<f64>, folder: Option<PathBuf>) -> Result<Exported, ExportError> {
    crate::validate::check_model(model)?;
    let mut notes = Vec::new();
    let mut names = Names::default();
    let shapes = &model.topology.shapes;
    let shape_names: Vec<String> =
        shapes.iter().map(|s| names.take("shape", &s.name, &mut notes)).collect();
    let geoms = Geoms::new(model, shape_names, &mut names.0, folder.as_deref())?;
    let tree = Tree::new(model);
    let mut writer = Writer::new(model, &tree, &geoms, notes);
    writer.file()?;
    let mut notes = losses::losses(model, &tree, &geoms);
    notes.append(&mut writer.notes);
    let notes = notes.iter().map(|note| on_one_line(note)).collect();
    Ok(Exported { text: writer.text, notes })
}

/// The names of one kind, unique and not empty.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    /// Takes the name if it is free; otherwise takes a similar one and adds a note.
    fn take(&mut self, kind: &str, name: &str, notes: &mut Vec<String>) -> String {
        let taken = unused(&mut self.0, if name.is_empty() { kind } else { name });
        if taken != name {
            notes.push(format!("the {kind} \"{name}\" is written as \"{taken}\""));
        }
        taken
    }
}

struct Writer<'a> {
    model: &'a Model<f64>,
    tree: &'a Tree,
    geoms: &'a Geoms,
    text: String,
    notes: Vec<String>,
    /// The name of each frame, and all names in use.
    frames: Vec<String>,
    frame_names: Names,
    /// The name of each joint, and all names in use.
    joints: Vec<String>,
    joint_names: Names,
    /// The frames on each link other than its own; the last list is the world's.
    on_link: Vec<Vec<usize>>,
    /// The shapes of each frame.
    shapes: Vec<Vec<usize>>,
    /// Whether each frame is a body.
    is_body: Vec<bool>,
}

impl<'a> Writer<'a> {
    fn new(
        model: &'a Model<f64>,
        tree: &'a Tree,
        geoms: &'a Geoms,
        mut notes: Vec<String>,
    ) -> Self {
        let topology = &model.topology;
        let (mut frame_names, mut joint_names) = (Names::default(), Names::default());
        let frames = topology
            .frames
            .iter()
            .map(|f| frame_names.take("frame", &f.name, &mut notes))
            .collect();
        let links = topology.links.iter();
        let joints = links.map(|l| joint_names.take("joint", &l.joint.name, &mut notes)).collect();
        let mut shapes = vec![vec![]; topology.frames.len()];
        let mut is_body = vec![false; topology.frames.len()];
        for (i, shape) in topology.shapes.iter().enumerate() {
            shapes[shape.frame.index()].push(i);
            is_body[shape.frame.index()] |= geoms.names[i].is_some();
        }
        for (visual, ..) in &geoms.figures {
            is_body[topology.visuals[*visual].frame(topology).index()] = true;
        }
        for frame in topology.contact_excludes.iter().flat_map(|(a, b)| [a, b]) {
            is_body[frame.index()] = true;
        }
        let mut on_link = vec![vec![]; topology.links.len() + 1];
        for (i, frame) in topology.frames.iter().enumerate().skip(1) {
            match frame.link {
                Some(link) if tree.own_frames[link.index()] == Some(i) => is_body[i] = true,
                Some(link) => on_link[link.index()].push(i),
                None => on_link[topology.links.len()].push(i),
            }
        }
        Writer {
            model,
            tree,
            geoms,
            text: String::new(),
            notes,
            frames,
            frame_names,
            joints,
            joint_names,
            on_link,
            shapes,
            is_body,
        }
    }

    fn file(&mut self) -> Result<(), ExportError> {
        let Model { topology, params } = self.model;
        self.line(0, &Tag::new("mujoco").name("model", &topology.name)?.open());
        let compiler = Tag::new("compiler").word("angle", "radian").word("autolimits", "true");
        self.line(1, &compiler.word("inertiafromgeom", "false").alone());
        let mut option = Tag::new("option");
        if let Some(dt) = topology.timestep {
            option = option.numbers("timestep", &[dt]);
        }
        self.line(1, &option.numbers("gravity", &params.gravity.to_array()).alone());
        let geoms = self.geoms;
        self.section("asset", &geoms.assets);
        self.world()?;
        let body = |(name, is_body): (&String, &bool)| is_body.then(|| name.clone());
        let bodies: Vec<_> = self.frames.iter().zip(&self.is_body).map(body).collect();
        let contacts = geoms.contacts(self.model, &bodies, &mut self.notes)?;
        self.section("contact", &contacts);
        let actuators = drive::actuators(self.model, &self.joints, &mut self.notes)?;
        self.section("actuator", &actuators);
        let keyframes = drive::keyframes(self.model, self.tree, &mut self.notes)?;
        self.section("keyframe", &keyframes);
        self.line(0, "</mujoco>");
        Ok(())
    }

    fn section(&mut self, tag: &str, elements: &[String]) {
        if elements.is_empty() {
            return;
        }
        self.line(1, &Tag::new(tag).open());
        for element in elements {
            self.line(2, element);
        }
        self.line(1, &format!("</{tag}>"));
    }

    fn world(&mut self) -> Result<(), ExportError> {
        self.line(1, "<worldbody>");
        self.geoms_of(2, 0, &self.model.params.frames[0])?;
        self.fixed_frames(2, self.model.n_links(), &Transform::IDENTITY)?;
        let tree = self.tree;
        tree.walk(|visit, depth| match visit {
            Visit::Enter(body) => self.body(body, depth + 2),
            Visit::Leave => {
                self.line(depth + 2, "</body>");
                Ok(())
            }
        })?;
        self.line(1, "</worldbody>");
        Ok(())
    }

    /// A moving body, without its children and its end tag.
    fn body(&mut self, body: &Body, depth: usize) -> Result<(), ExportError> {
        let params = &self.model.params;
        let link = body.link().index();
        let name = match self.tree.own_frames[link] {
            Some(frame) => self.frames[frame].clone(),
            None => self.frame_names.take(
                "frame",
                &self.model.topology.links[link].name,
                &mut self.notes,
            ),
        };
        self.line(depth, &Tag::new("body").name("name", &name)?.pose(&body.pose_pb).open());
        self.inertial(depth + 1, &params.links[link], &body.pose_lb);
        for part in &body.parts {
            self.joint(depth + 1, part)?;
        }
        self.note_parts(body, &name);
        if let Some(frame) = self.tree.own_frames[link] {
            self.geoms_of(depth + 1, frame, &body.pose_lb)?;
            self.displaced_frame(depth + 1, frame, &body.pose_lb)?;
        }
        self.fixed_frames(depth + 1, link, &body.pose_lb)
    }

    fn inertial(&mut self, depth: usize, inertia: &Inertia<f64>, pose_lb: &Transform<f64>) {
        let pose_bl = pose_lb.inverse();
        let turned = match pose_bl.rot == Mat3::IDENTITY {
            true => *inertia,
            false => inertia.rotated(&pose_bl.rot),
        };
        let com = turned.com + pose_bl.pos;
        if weighs_nothing(inertia) {
            return;
        }
        let r = turned.rotational;
        let tag = Tag::new("inertial").numbers("pos", &com.to_array());
        let tag = tag.numbers("mass", &[turned.mass]);
        let tag = match [r.xy, r.xz, r.yz] == [0.0; 3] {
            true => tag.numbers("diaginertia", &[r.xx, r.yy, r.zz]),
            false => tag.numbers("fullinertia", &[r.xx, r.yy, r.zz, r.xy, r.xz, r.yz]),
        };
        self.line(depth, &tag.alone());
    }

    fn joint(&mut self, depth: usize, part: &Part) -> Result<(), ExportError> {
        let link = part.link.index();
        let mut name = self.joints[link].clone();
        if !part.suffix.is_empty() {
            name = unused(&mut self.joint_names.0, &(name + part.suffix));
        }
        let tag = Tag::new("joint").name("name", &name)?.word("type", part.kind.word());
        let tag = joint_numbers(tag, part, &self.model.params.joints[link]);
        self.line(depth, &tag.alone());
        Ok(())
    }

    /// Notes for joints and links that the format cannot represent directly.
    fn note_parts(&mut self, body: &Body, name: &str) {
        let links = &self.model.topology.links;
        for LinkId(i) in &body.links {
            let joint = &links[*i as usize].joint;
            let parts = body.parts.iter().filter(|part| part.link == LinkId(*i));
            let kinds: Vec<&str> = parts.map(|part| part.kind.word()).collect();
            if kinds.len() > 1 {
                self.notes.push(format!(
                    "{} joint \"{}\" is written as several, with the same coordinates: {}",
                    joint.kind.name(),
                    joint.name,
                    kinds.join(", ")
                ));
            }
        }
        let Some((_, given)) = body.links.split_last() else { return };
        for link in given.iter().map(|l| &links[l.index()]) {
            if link.name != format!("{name}:{}", link.joint.name) {
                self.notes.push(format!(
                    "link \"{}\" has no mass: its joint \"{}\" is written in the body \"{name}\"",
                    link.name, link.joint.name
                ));
            }
        }
    }

    /// A body whose frame has moved: its old frame gets another name.
    fn displaced_frame(
        &mut self,
        depth: usize,
        frame: usize,
        pose_lb: &Transform<f64>,
    ) -> Result<(), ExportError> {
        let pose_lf = self.model.params.frames[frame];
        if pose_lf == *pose_lb {
            return Ok(());
        }
        let link = &self.frames[frame];
        let name = unused(&mut self.frame_names.0, &format!("{link}_origin"));
        self.notes.push(format!(
            "the frame of link \"{link}\" is written at its joint; its old place is the frame \"{name}\""
        ));
        let pose = pose_lb.inverse() * pose_lf;
        self.line(depth, &Tag::new("site").name("name", &name)?.pose(&pose).alone());
        Ok(())
    }

    /// The frames on a link, or on the world, other than its own.
    fn fixed_frames(
        &mut self,
        depth: usize,
        carrier: usize,
        pose_lb: &Transform<f64>,
    ) -> Result<(), ExportError> {
        let frames = std::mem::take(&mut self.on_link[carrier]);
        // Sites first: they are easier to see next to their body.
        let (bodies, sites): (Vec<usize>, Vec<usize>) =
            frames.into_iter().partition(|frame| self.is_body[*frame]);
        for frame in sites.into_iter().chain(bodies) {
            let pose_lf = self.model.params.frames[frame];
            let word = if self.is_body[frame] { "body" } else { "site" };
            let tag = Tag::new(word).name("name", &self.frames[frame])?;
            let tag = tag.pose(&(pose_lb.inverse() * pose_lf));
            if !self.is_body[frame] {
                self.line(depth, &tag.alone());
                continue;
            }
            self.line(depth, &tag.open());
            self.geoms_of(depth + 1, frame, &pose_lf)?;
            self.line(depth, "</body>");
        }
        Ok(())
    }

    fn geoms_of(
        &mut self,
        depth: usize,
        frame: usize,
        pose_lb: &Transform<f64>,
    ) -> Result<(), ExportError> {
        for shape in std::mem::take(&mut self.shapes[frame]) {
            if let Some(element) = self.geoms.element(self.model, shape, pose_lb)? {
                self.line(depth, &element);
            }
        }
        for element in self.geoms.drawn(self.model, frame, pose_lb)? {
            self.line(depth, &element);
        }
        Ok(())
    }

    fn line(&mut self, depth: usize, line: &str) {
        for _ in 0..depth.min(DEEPEST_INDENT) {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// A joint with its parameters.
fn joint_numbers(tag: Tag, part: &Part, numbers: &JointParams<f64>) -> Tag {
    let mut tag = tag;
    if matches!(part.kind, Kind::Hinge | Kind::Ball) && part.anchor != Default::default() {
        tag = tag.numbers("pos", &part.anchor.to_array());
    }
    if part.kind.is_scalar() {
        tag = tag.numbers("axis", &part.axis.to_array()).number_unless(0.0, "ref", part.reference);
        tag = range(tag, "range", [numbers.limit_lower, numbers.limit_upper]);
    }
    tag = tag
        .number_unless(0.0, "damping", numbers.damping)
        .number_unless(0.0, "frictionloss", numbers.friction)
        .number_unless(0.0, "armature", numbers.armature)
        .number_unless(0.0, "stiffness", numbers.stiffness);
    if part.kind.is_scalar() {
        tag = tag.number_unless(0.0, "springref", numbers.rest);
        let effort = numbers.effort_limit.max(LEAST_EFFORT);
        tag = range(tag, "actuatorfrcrange", [-effort, effort]);
    }
    tag
}

/// Adds a range, if there is one. An open end becomes a large number; a single point, which the format reads as no
/// range, is left out.
fn range(tag: Tag, attribute: &str, [lower, upper]: [f64; 2]) -> Tag {
    let ends = [lower.max(-OPEN), upper.min(OPEN)];
    let is_limited = lower > -OPEN || upper < OPEN;
    if is_limited && ends[0] < ends[1] { tag.numbers(attribute, &ends) } else { tag }
}

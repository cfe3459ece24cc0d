//! URDF export.
//!
//! Every moving link becomes a `<link>` with its current parameters; every other named frame becomes a link without
//! mass on a fixed joint. If anything is fixed to the world, the root link is `world`, or the file's own root link if
//! that coincides with the world. A universal joint becomes two revolute ones. Numbers are written so that they read
//! back exactly. Visuals are written with their colours. A mesh is written with a path that is valid from the new file's folder.

mod carried;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use gradbody_math::{Inertia, Mat3, Transform, Vec3};

use self::carried::Carried;
use super::losses::{is_writable, listed, losses};
use super::mesh_path::whole;
use super::xml::{escaped, spaced, unused};
use super::{ExportError, Exported};
use crate::import::on_one_line;
use crate::{Form, Frame, JointKind, JointParams, Link, LinkId, Model};

/// Represents "no limit", where the format requires a number.
const UNLIMITED: f64 = 1e30;

/// URDF requires a velocity limit with an effort. A model has none, so this is one that no joint reaches [rad/s, m/s].
const NO_SPEED_LIMIT: f64 = 1000.0;

/// Writes a model as URDF.
///
/// A free joint of the only root is left out, as is customary, if reading the file restores it
/// ([`Base::Auto`](crate::import::Base)); any other is a joint of type `floating`. The file may be placed anywhere:
/// meshes have absolute paths.
pub fn urdf(model: &Model<f64>) -> Result<Exported, ExportError> {
    written(model, None)
}

/// [`urdf`] for a file in this folder: a mesh keeps its name in the source if it can be found from there; otherwise its
/// path is relative to the folder.
pub fn urdf_in(model: &Model<f64>, folder: &Path) -> Result<Exported, ExportError> {
    written(model, whole(folder))
}

fn written(model: &Model<f64>, folder: Option<PathBuf>) -> Result<Exported, ExportError> {
    crate::validate::check_model(model)?;
    let mut writer = Writer::new(model, folder);
    writer.robot()?;
    let mut notes = losses(model);
    notes.append(&mut writer.notes);
    for (kind, lost) in [("shape", writer.lost_meshes), ("visual", writer.lost_visuals)] {
        if let Some(names) = listed(kind, lost.into_iter()) {
            let what = "was not found: its path is as in the source";
            notes.push(format!("the mesh file of {names} {what}"));
        }
    }
    let notes = notes.iter().map(|note| on_one_line(note)).collect();
    Ok(Exported { text: writer.text, notes })
}

struct Writer<'a> {
    model: &'a Model<f64>,
    /// The absolute path of the file's folder; `None` if it is not known.
    folder: Option<PathBuf>,
    text: String,
    notes: Vec<String>,
    /// Names of links and of joints in use.
    link_names: HashSet<String>,
    joint_names: HashSet<String>,
    /// Frame by name.
    frames: HashMap<&'a str, usize>,
    /// What is written, by frame.
    carried: Vec<Carried>,
    /// The shapes whose mesh's file is not known.
    lost_meshes: Vec<&'a str>,
    /// The visuals whose mesh's file is not known.
    lost_visuals: Vec<&'a str>,
    /// The colours so far; materials are numbered in their order.
    colours: Vec<[f32; 4]>,
}

impl<'a> Writer<'a> {
    fn new(model: &'a Model<f64>, folder: Option<PathBuf>) -> Self {
        let topology = &model.topology;
        let mut carried = vec![Carried::default(); topology.frames.len()];
        let written = topology.shapes.iter().enumerate().filter(|(_, s)| is_writable(&s.kind));
        for (i, shape) in written {
            carried[shape.frame.index()].shapes.push(i);
        }
        for (i, visual) in topology.visuals.iter().enumerate() {
            let kind = match &visual.form {
                Form::Shape(shape) => &topology.shapes[shape.index()].kind,
                Form::Figure(figure) => &figure.kind,
            };
            if is_writable(kind) {
                carried[visual.frame(topology).index()].visuals.push(i);
            }
        }
        Writer {
            model,
            folder,
            text: String::new(),
            notes: vec![],
            link_names: topology.frames.iter().map(|f| f.name.clone()).collect(),
            joint_names: topology.links.iter().map(|l| l.joint.name.clone()).collect(),
            frames: topology.frames.iter().enumerate().map(|(i, f)| (&*f.name, i)).collect(),
            carried,
            lost_meshes: vec![],
            lost_visuals: vec![],
            colours: vec![],
        }
    }

    fn robot(&mut self) -> Result<(), ExportError> {
        let topology = &self.model.topology;
        let free_root = self.free_root();
        self.line("<?xml version=\"1.0\"?>");
        let name = escaped(&topology.name)?;
        self.line(&format!("<robot name=\"{name}\">"));
        if let Some(root) = free_root {
            let Link { name, joint, .. } = &topology.links[root.index()];
            self.line("  <!-- The root link moves freely: ask for a floating base if needed. -->");
            if joint.name != "root" {
                self.notes.push(format!(
                    "the free joint \"{}\" of the root link \"{name}\" is left out, as is \
                     customary; read back, it is named \"root\"",
                    joint.name
                ));
            }
        } else {
            let root = self.fixed_root();
            let (name, carried) = (&topology.frames[root].name, self.carried[root].clone());
            self.link(name, &Inertia::default(), &carried, Transform::IDENTITY)?;
        }
        for link in topology.link_ids() {
            self.moving_link(link, free_root == Some(link))?;
        }
        for (i, frame) in topology.frames.iter().enumerate().skip(1) {
            self.fixed_frame(i, frame)?;
        }
        self.line("</robot>");
        Ok(())
    }

    /// The root link whose free joint can be left out: it is the only thing in the world, and a reader takes it as
    /// free.
    fn free_root(&self) -> Option<LinkId> {
        let Model { topology, params } = self.model;
        let mut roots = topology.link_ids().filter(|l| topology.links[l.index()].parent.is_none());
        let (root, None) = (roots.next()?, roots.next()) else { return None };
        let joint = &params.joints[root.index()];
        let alone = topology.frames.iter().skip(1).all(|f| f.link.is_some())
            && self.carried[0].is_empty()
            && topology.links[root.index()].joint.kind == JointKind::Free
            && joint.placement == Transform::IDENTITY
            && self.offset(root) == Transform::IDENTITY
            && joint.damping == 0.0
            && joint.friction == 0.0;
        let carried = topology.links.iter().filter(|l| l.parent == Some(root)).count();
        (alone && params.links[root.index()].mass > 0.0 && carried != 1).then_some(root)
    }

    /// The root frame of a file in which something is fixed to the world: the file's own root link if there was one,
    /// otherwise the world.
    fn fixed_root(&self) -> usize {
        let Model { topology, params } = self.model;
        let is_world = topology.frames.get(1).is_some_and(|frame| frame.link.is_none())
            && params.frames[1] == Transform::IDENTITY
            && self.carried[0].is_empty();
        usize::from(is_world)
    }

    /// The name of a link, or of the root.
    fn parent_name(&self, link: Option<LinkId>) -> &'a str {
        let topology = &self.model.topology;
        match link {
            Some(link) => &topology.links[link.index()].name,
            None => &topology.frames[self.fixed_root()].name,
        }
    }

    /// Pose of the frame with the link's own name, in the link.
    fn offset(&self, link: LinkId) -> Transform<f64> {
        let own = self.own_frame(link);
        own.map_or(Transform::IDENTITY, |f| self.model.params.frames[f])
    }

    fn own_frame(&self, link: LinkId) -> Option<usize> {
        let frame = self.frames.get(&*self.model.topology.links[link.index()].name).copied();
        frame.filter(|&f| self.model.topology.frames[f].link == Some(link))
    }

    /// Pose of the written link's frame in the model's: that of the joint, except that a planar joint's normal may have
    /// any direction in a URDF.
    fn pose_lu(&self, link: LinkId) -> Transform<f64> {
        let offset = self.offset(link);
        let planar = self.model.topology.links[link.index()].joint.kind == JointKind::Planar;
        if planar && offset.pos == Vec3::ZERO { offset } else { Transform::IDENTITY }
    }

    fn written_pose(&self, link: Option<LinkId>) -> Transform<f64> {
        link.map_or(Transform::IDENTITY, |l| self.pose_lu(l))
    }

    fn moving_link(&mut self, id: LinkId, is_free_root: bool) -> Result<(), ExportError> {
        let Model { topology, params } = self.model;
        let Link { name, parent, joint } = &topology.links[id.index()];
        let pose_lu = self.pose_lu(id);
        let pose_ul = pose_lu.inverse();
        let mut inertia = params.links[id.index()].rotated(&pose_ul.rot);
        inertia.com += pose_ul.pos;
        let carried = self.own_frame(id).map(|f| self.carried[f].clone()).unwrap_or_default();
        self.link(name, &inertia, &carried, pose_lu)?;
        if is_free_root {
            return Ok(());
        }
        let numbers = &params.joints[id.index()];
        let placement = self.written_pose(*parent).inverse() * numbers.placement * pose_lu;
        let parent = self.parent_name(*parent);
        let axis = pose_ul.vector(numbers.axis);
        let whole = |kind, axis| Written { name: &joint.name, kind, parent, child: name, axis };
        match joint.kind {
            JointKind::Revolute(_) => {
                self.joint(&whole("revolute", Some(axis)), &placement, numbers)
            }
            JointKind::Prismatic(_) => {
                self.joint(&whole("prismatic", Some(axis)), &placement, numbers)
            }
            JointKind::Planar => {
                let normal = pose_ul.vector(Vec3::Z);
                self.joint(&whole("planar", Some(normal)), &placement, numbers)
            }
            JointKind::Free => self.joint(&whole("floating", None), &placement, numbers),
            JointKind::Universal => {
                let between = unused(&mut self.link_names, &format!("{name}_between"));
                let names = ["1", "2"]
                    .map(|i| unused(&mut self.joint_names, &format!("{}_{i}", joint.name)));
                self.notes.push(format!(
                    "universal joint \"{}\" is written as two revolute ones, \"{}\" and \"{}\"",
                    joint.name, names[0], names[1]
                ));
                self.link(&between, &Inertia::default(), &Carried::default(), Transform::IDENTITY)?;
                let [first, second] = &names;
                let first =
                    Written { name: first, child: &between, ..whole("revolute", Some(axis)) };
                self.joint(&first, &placement, numbers)?;
                let axis2 = Some(numbers.axis2);
                let second = Written { name: second, parent: &between, ..whole("revolute", axis2) };
                self.joint(&second, &Transform::IDENTITY, numbers)
            }
            JointKind::Spherical => Err(ExportError::Spherical { joint: joint.name.clone() }),
        }?;
        self.displaced_frame(id, pose_lu)
    }

    /// A link whose frame differs from its joint's: its old frame gets another name.
    fn displaced_frame(&mut self, id: LinkId, pose_lu: Transform<f64>) -> Result<(), ExportError> {
        let offset = self.offset(id);
        if offset == pose_lu {
            return Ok(());
        }
        let link = &self.model.topology.links[id.index()].name;
        let name = unused(&mut self.link_names, &format!("{link}_origin"));
        self.notes.push(format!(
            "the frame of link \"{link}\" is written at its joint; its old place is the frame \"{name}\""
        ));
        let placement = pose_lu.inverse() * offset;
        self.frame_link(&name, link, &placement, &Carried::default(), offset)
    }

    /// A frame other than a link's own.
    fn fixed_frame(&mut self, index: usize, frame: &Frame) -> Result<(), ExportError> {
        let own = frame.link.is_some_and(|link| self.own_frame(link) == Some(index));
        if own || (frame.link.is_none() && self.fixed_root() == index) {
            return Ok(());
        }
        let pose_lf = self.model.params.frames[index];
        let placement = self.written_pose(frame.link).inverse() * pose_lf;
        let parent = self.parent_name(frame.link);
        self.frame_link(&frame.name, parent, &placement, &self.carried[index].clone(), pose_lf)
    }

    fn frame_link(
        &mut self,
        name: &str,
        parent: &str,
        placement: &Transform<f64>,
        carried: &Carried,
        pose_lf: Transform<f64>,
    ) -> Result<(), ExportError> {
        self.link(name, &Inertia::default(), carried, pose_lf)?;
        let joint = unused(&mut self.joint_names, &format!("{name}_fixed"));
        self.joint_head(&Written { name: &joint, kind: "fixed", parent, child: name, axis: None })?;
        self.origin("    ", placement);
        self.line("  </joint>");
        Ok(())
    }

    /// A `<link>` whose frame is at `pose_lu` in the model's link; what it carries is relative to that link.
    fn link(
        &mut self,
        name: &str,
        inertia: &Inertia<f64>,
        carried: &Carried,
        pose_lu: Transform<f64>,
    ) -> Result<(), ExportError> {
        let head = format!("  <link name=\"{}\"", escaped(name)?);
        if *inertia == Inertia::default() && carried.is_empty() {
            self.line(&format!("{head}/>"));
            return Ok(());
        }
        self.line(&format!("{head}>"));
        if *inertia != Inertia::default() {
            let Inertia { mass, com, rotational: r } = inertia;
            self.line("    <inertial>");
            self.origin("      ", &Transform::from_translation(*com));
            self.line(&format!("      <mass value=\"{mass:?}\"/>"));
            self.line(&format!(
                "      <inertia ixx=\"{:?}\" ixy=\"{:?}\" ixz=\"{:?}\" iyy=\"{:?}\" iyz=\"{:?}\" \
                 izz=\"{:?}\"/>",
                r.xx, r.xy, r.xz, r.yy, r.yz, r.zz
            ));
            self.line("    </inertial>");
        }
        let Model { topology, params } = self.model;
        for &i in &carried.visuals {
            self.visual(&topology.visuals[i], &pose_lu)?;
        }
        for &i in &carried.shapes {
            self.collision(&topology.shapes[i], &params.shapes[i], &pose_lu)?;
        }
        self.contact(name, &carried.shapes);
        self.line("  </link>");
        Ok(())
    }

    fn joint(
        &mut self,
        joint: &Written<'_>,
        placement: &Transform<f64>,
        numbers: &JointParams<f64>,
    ) -> Result<(), ExportError> {
        let JointParams { limit_lower, limit_upper, effort_limit, damping, friction, .. } =
            *numbers;
        let unlimited = limit_lower.is_infinite() && limit_upper.is_infinite();
        let kind = match joint.kind {
            "revolute" if unlimited => "continuous",
            kind => kind,
        };
        self.joint_head(&Written { kind, ..*joint })?;
        self.origin("    ", placement);
        if let Some(axis) = joint.axis {
            self.line(&format!("    <axis xyz=\"{}\"/>", spaced(axis)));
        }
        let effort =
            format!("effort=\"{:?}\" velocity=\"{NO_SPEED_LIMIT:?}\"", finite(effort_limit));
        if matches!(kind, "revolute" | "prismatic") {
            let (lower, upper) = (finite(limit_lower), finite(limit_upper));
            self.line(&format!("    <limit lower=\"{lower:?}\" upper=\"{upper:?}\" {effort}/>"));
        } else if effort_limit.is_finite() {
            self.line(&format!("    <limit {effort}/>"));
        }
        if damping != 0.0 || friction != 0.0 {
            let values = format!("damping=\"{damping:?}\" friction=\"{friction:?}\"");
            self.line(&format!("    <dynamics {values}/>"));
        }
        self.line("  </joint>");
        Ok(())
    }

    fn joint_head(&mut self, joint: &Written<'_>) -> Result<(), ExportError> {
        let Written { name, kind, parent, child, .. } = joint;
        self.line(&format!("  <joint name=\"{}\" type=\"{kind}\">", escaped(name)?));
        self.line(&format!("    <parent link=\"{}\"/>", escaped(parent)?));
        self.line(&format!("    <child link=\"{}\"/>", escaped(child)?));
        Ok(())
    }

    fn origin(&mut self, indent: &str, pose: &Transform<f64>) {
        if *pose == Transform::IDENTITY {
            return;
        }
        let turned = if pose.rot == Mat3::IDENTITY {
            String::new()
        } else {
            format!(" rpy=\"{}\"", spaced(roll_pitch_yaw(&pose.rot)))
        };
        self.line(&format!("{indent}<origin xyz=\"{}\"{turned}/>", spaced(pose.pos)));
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// A joint to be written.
#[derive(Clone, Copy)]
struct Written<'n> {
    name: &'n str,
    kind: &'n str,
    parent: &'n str,
    child: &'n str,
    axis: Option<Vec3<f64>>,
}

/// Roll, pitch and yaw that reproduce the rotation to the last digits. Near pitch = ±90° roll and yaw are each
/// inaccurate, so roll and pitch are computed from what is left after the yaw.
fn roll_pitch_yaw(rot: &Mat3<f64>) -> Vec3<f64> {
    let yaw = rot.to_rpy().z;
    let (sin, cos) = yaw.sin_cos();
    let rest = Mat3::IDENTITY.rotate_z((-sin, cos)) * *rot;
    let [x, y, z] = rest.cols;
    Vec3::new((-z.y).atan2(y.y), (-x.z).atan2(x.x), yaw)
}

fn finite(bound: f64) -> f64 {
    bound.clamp(-UNLIMITED, UNLIMITED)
}

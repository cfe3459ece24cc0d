//! URDF import: the tree of links and joints.
//!
//! What a file leaves open, and how it is interpreted:
//! - Whether the root link moves: [`Base`](super::Base). A root link named `world` is the world.
//! - Links and joints are ordered depth first, the joints of a link in the order of the file.
//! - A link on a fixed joint becomes part of its parent; its frame keeps its name.
//! - `<limit>`: if it or both ends are missing, a joint is unlimited. If one end is missing, it is 0, as the format
//!   says. An end beyond ±1e20 is no limit. Without `effort` the torque is unlimited. `velocity`, `<safety_controller>`
//!   and `<calibration>` are assumed to be for a controller, and not used.
//! - Missing off-diagonal inertias are 0.
//! - Surfaces have MuJoCo's coefficients of friction, 1, 0.005 m and 0.0001 m, and resist sliding only, unless
//!   PyBullet's `<contact>` of the link, or a `<gazebo>`, says otherwise.
//! - A `<mesh>` collides as its convex hull. `package://NAME/…` is searched for in the folders around the file, then in
//!   `ROS_PACKAGE_PATH`, then in the `share` of `AMENT_PREFIX_PATH`.
//! - `<visual>` and `<material>` have no physical meaning: they are kept for drawings, and the meshes they name are not
//!   read. What is wrong with them is noted, and never an error.
//!
//! [`known`] adds notes on what is not read; [`elements`] and [`surface`] read single elements; this file builds the
//! tree.

mod elements;
mod known;
pub(crate) mod surface;
mod visual;

use std::collections::{HashMap, HashSet};

use gradbody_math::{Inertia, Transform};

use self::visual::Colours;
use super::finish::{LinkPlaces, Place, finish};
use super::mesh::MeshFiles;
use super::notes::Notes;
use super::xml::{Element, RUN_XACRO, did_you_mean, shown};
use super::{Base, ImportError, ImportOptions, Imported, NoteKind};
use crate::{FrameId, JointSpec, ModelBuilder};

/// Reads a URDF from its `<robot>`.
pub(super) fn import(robot: Element<'_>, options: &ImportOptions) -> Result<Imported, ImportError> {
    refuse_xacro(robot)?;
    let mut notes = Notes::default();
    known::check(robot, &mut notes);
    let links = read_links(robot)?;
    let mut tree = read_joints(robot, links, options, &mut notes)?;
    let root = tree.root(robot)?;
    tree.check_reachable(root)?;
    let base = tree.base(root, options.base, &mut notes);
    let (builder, places) = tree.build(robot, root, base, &mut notes)?;
    finish(builder, robot, &places, notes.finished(), options)
}

/// A `<link>`, and the indices of the joints at it.
struct Link<'a> {
    element: Element<'a>,
    name: &'a str,
    inertia: Inertia<f64>,
    /// The `<gazebo>` elements that refer to it.
    gazebo: Vec<Element<'a>>,
    /// The joint that carries it.
    holder: Option<usize>,
    /// The joints it carries, in the order of the file.
    carried: Vec<usize>,
}

/// A `<joint>` between two links of the list.
struct Joint<'a> {
    element: Element<'a>,
    parent: usize,
    child: usize,
    motion: Motion,
}

/// The motion that a `<joint>` allows.
enum Motion {
    Fixed(Transform<f64>),
    Moving(Box<JointSpec>),
}

struct Tree<'a> {
    links: Vec<Link<'a>>,
    joints: Vec<Joint<'a>>,
}

fn read_links<'a>(robot: Element<'a>) -> Result<Vec<Link<'a>>, ImportError> {
    let mut gazebo: HashMap<&str, Vec<Element<'a>>> = HashMap::new();
    for element in robot.children_named("gazebo") {
        gazebo.entry(element.attr("reference").unwrap_or("")).or_default().push(element);
    }
    let mut lines = HashMap::new();
    let mut links = Vec::new();
    for element in robot.children_named("link") {
        let name = element.required("name")?;
        if let Some(line) = lines.insert(name, element.line()) {
            return Err(element.error(format!("line {line} has a link of the same name")));
        }
        let inertia = elements::inertial(element)?;
        let gazebo = gazebo.remove(name).unwrap_or_default();
        links.push(Link { element, name, inertia, gazebo, holder: None, carried: vec![] });
    }
    if links.is_empty() {
        return Err(robot.error("there is no <link> in it"));
    }
    Ok(links)
}

fn read_joints<'a>(
    robot: Element<'a>,
    mut links: Vec<Link<'a>>,
    options: &ImportOptions,
    notes: &mut Notes,
) -> Result<Tree<'a>, ImportError> {
    let index: HashMap<&str, usize> = links.iter().enumerate().map(|(i, l)| (l.name, i)).collect();
    let mut lines = HashMap::new();
    let mut joints = Vec::<Joint<'a>>::new();
    for element in robot.children_named("joint") {
        let name = element.required("name")?;
        if let Some(line) = lines.insert(name, element.line()) {
            return Err(element.error(format!("line {line} has a joint of the same name")));
        }
        let parent = find_link(element, "parent", &index, &links)?;
        let child = find_link(element, "child", &index, &links)?;
        if parent == child {
            return Err(element.error("its parent and its child are the same link"));
        }
        if let Some(other) = links[child].holder {
            let (child, other) = (shown(links[child].name), joints[other].element.label());
            return Err(element.error(format!(
                "link \"{child}\" is already the child of {other}; a link has one parent"
            )));
        }
        links[child].holder = Some(joints.len());
        links[parent].carried.push(joints.len());
        let motion = elements::joint(element, name, options, notes)?;
        joints.push(Joint { element, parent, child, motion });
    }
    Ok(Tree { links, joints })
}

/// The link that a joint's `<parent>` or `<child>` refers to.
fn find_link<'a>(
    joint: Element<'a>,
    tag: &'static str,
    index: &HashMap<&'a str, usize>,
    links: &[Link<'a>],
) -> Result<usize, ImportError> {
    let element = joint.required_child(tag)?;
    let name = element.required("link")?;
    index.get(name).copied().ok_or_else(|| {
        let hint = did_you_mean(name, links.iter().map(|l| l.name));
        element.error(format!("there is no link \"{}\"{hint}", shown(name)))
    })
}

impl<'a> Tree<'a> {
    /// The only link that no joint carries.
    fn root(&self, robot: Element<'_>) -> Result<usize, ImportError> {
        let roots: Vec<usize> =
            (0..self.links.len()).filter(|&i| self.links[i].holder.is_none()).collect();
        match roots[..] {
            [root] => Ok(root),
            [] => Err(self.cycle_error(0)),
            _ => {
                let names: Vec<&str> = roots.iter().map(|&i| self.links[i].name).collect();
                let all = listed(&names, ", ");
                Err(robot.error(format!(
                    "{} links have no parent: {all}; a robot has one root, so connect them with \
                     joints",
                    roots.len()
                )))
            }
        }
    }

    /// With one root, any link that it does not carry is part of a loop.
    fn check_reachable(&self, root: usize) -> Result<(), ImportError> {
        let mut reached = vec![false; self.links.len()];
        let mut open = vec![root];
        while let Some(link) = open.pop() {
            reached[link] = true;
            open.extend(self.links[link].carried.iter().map(|&j| self.joints[j].child));
        }
        match reached.iter().position(|r| !r) {
            Some(lost) => Err(self.cycle_error(lost)),
            None => Ok(()),
        }
    }

    /// An error about the loop of joints that carries the link `start`.
    fn cycle_error(&self, start: usize) -> ImportError {
        // Going inwards from anywhere leads into the loop.
        let inwards = |link: usize| self.links[link].holder.map_or(link, |j| self.joints[j].parent);
        let mut seen = HashSet::new();
        let mut at = start;
        while seen.insert(at) {
            at = inwards(at);
        }
        let mut circle = vec![self.links[at].name];
        let mut link = inwards(at);
        while link != at {
            circle.push(self.links[link].name);
            link = inwards(link);
        }
        circle.push(self.links[at].name);
        circle.reverse();
        let joint =
            self.links[at].holder.map_or(self.links[at].element, |j| self.joints[j].element);
        joint.error(format!("the joints form a loop: {}", listed(&circle, " → ")))
    }

    /// The name of the root's free joint; `None` if the root is fixed.
    fn base(&self, root: usize, rule: Base, notes: &mut Notes) -> Option<String> {
        if self.links[root].name == "world" {
            if rule == Base::Free {
                let what = "a root link of this name is the world: a free base has no effect";
                notes.push(self.links[root].element.note(NoteKind::Assumed, what));
            }
            return None;
        }
        let mut mass = 0.0;
        let mut moving = 0;
        let mut open = vec![root];
        while let Some(link) = open.pop() {
            mass += self.links[link].inertia.mass;
            for joint in self.links[link].carried.iter().map(|&j| &self.joints[j]) {
                match joint.motion {
                    Motion::Fixed(_) => open.push(joint.child),
                    Motion::Moving(_) => moving += 1,
                }
            }
        }
        let free = match rule {
            Base::Auto => mass > 0.0 && moving != 1,
            Base::Fixed => false,
            Base::Free => true,
        };
        let taken: HashSet<&str> =
            self.joints.iter().filter_map(|j| j.element.attr("name")).collect();
        let name = unused("root", |name| taken.contains(name));
        if rule == Base::Auto {
            let joints = match moving {
                1 => "one moving joint".to_owned(),
                n => format!("{n} moving joints"),
            };
            let what = match free {
                true => {
                    format!("taken as free (joint \"{name}\"): it has mass and carries {joints}")
                }
                false if mass > 0.0 => format!("taken as fixed to the world: it carries {joints}"),
                false => "taken as fixed to the world: it has no mass".to_owned(),
            };
            notes.push(
                self.links[root].element.note(NoteKind::Assumed, format!("root link, {what}")),
            );
        }
        free.then_some(name)
    }

    /// Builds the model, depth first.
    fn build(
        &mut self,
        robot: Element<'a>,
        root: usize,
        base: Option<String>,
        notes: &mut Notes,
    ) -> Result<(ModelBuilder, Vec<LinkPlaces>), ImportError> {
        let mut builder = ModelBuilder::new(robot.attr("name").unwrap_or("robot"));
        let mut places = Vec::new();
        let mut shape_names = ShapeNames::default();
        let mut meshes = MeshFiles::of(robot.file());
        let colours = Colours::of(robot);

        let Link { element, name, inertia, .. } = self.links[root];
        let frame = match base {
            Some(joint) => {
                let link = Place::of(element);
                let place = Place { element: format!("joint \"{joint}\""), ..link.clone() };
                places.push(LinkPlaces { link, joint: place });
                builder.link(name, FrameId::WORLD, JointSpec::free(joint), inertia)
            }
            None if name == "world" => Ok(FrameId::WORLD),
            None => builder.fixed(name, FrameId::WORLD, Transform::IDENTITY, inertia),
        };
        let frame = frame.map_err(|e| element.error(e.to_string()))?;
        let names = &mut shape_names;
        elements::shapes(&self.links[root], frame, &mut builder, names, &mut meshes, notes)?;
        visual::figures(&self.links[root], frame, &mut builder, &colours, &mut meshes, notes);

        let mut open: Vec<(usize, FrameId)> = Vec::new();
        open.extend(self.links[root].carried.iter().rev().map(|&j| (j, frame)));
        while let Some((joint, parent)) = open.pop() {
            let Joint { element: joint_element, child, ref mut motion, .. } = self.joints[joint];
            let Link { element, name, inertia, .. } = self.links[child];
            if name == "world" {
                return Err(element
                    .error("only the root link can have this name, the world's; rename the link"));
            }
            let motion = std::mem::replace(motion, Motion::Fixed(Transform::IDENTITY));
            let frame = match motion {
                Motion::Fixed(placement) => builder.fixed(name, parent, placement, inertia),
                Motion::Moving(spec) => {
                    places.push(LinkPlaces {
                        link: Place::of(element),
                        joint: Place::of(joint_element),
                    });
                    builder.link(name, parent, *spec, inertia)
                }
            };
            let frame = frame.map_err(|e| joint_element.error(e.to_string()))?;
            let names = &mut shape_names;
            elements::shapes(&self.links[child], frame, &mut builder, names, &mut meshes, notes)?;
            visual::figures(&self.links[child], frame, &mut builder, &colours, &mut meshes, notes);
            open.extend(self.links[child].carried.iter().rev().map(|&j| (j, frame)));
        }
        Ok((builder, places))
    }
}

/// Unique names of shapes: those of the file or of the link, numbered if necessary.
#[derive(Default)]
struct ShapeNames {
    taken: HashSet<String>,
    /// How often each name was requested.
    asked: HashMap<String, usize>,
}

impl ShapeNames {
    fn unique(&mut self, name: &str) -> String {
        let count = self.asked.entry(name.to_owned()).or_insert(0);
        loop {
            *count += 1;
            let numbered = if *count == 1 { name.to_owned() } else { format!("{name}_{count}") };
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

/// `name`, with a number if it is taken.
fn unused(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|n| format!("{name}_{n}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|n| !taken(n)).unwrap_or_default()
}

/// The first few names, quoted.
fn listed(names: &[&str], separator: &str) -> String {
    const MOST: usize = 6;
    let quoted: Vec<String> =
        names.iter().take(MOST).map(|name| format!("\"{}\"", shown(name))).collect();
    let more = if names.len() > MOST { format!("{separator}…") } else { String::new() };
    quoted.join(separator) + &more
}

/// Refuses macros, which look like URDF but have another meaning.
fn refuse_xacro(robot: Element<'_>) -> Result<(), ImportError> {
    for element in robot.descendants() {
        if element.namespace().contains("xacro") {
            let label = format!("<{}>", shown(element.tag()));
            let error = element.error(format!("this is a macro; {RUN_XACRO}"));
            return Err(ImportError { element: label, ..error });
        }
    }
    let physics = robot.children().filter(|c| matches!(c.tag(), "link" | "joint"));
    for element in physics.flat_map(Element::descendants) {
        let macros = element.attrs().find(|(_, v)| v.contains("${") || v.contains("$("));
        if let Some((name, _)) = macros {
            return Err(element.attr_error(name, &format!("this is a macro; {RUN_XACRO}")));
        }
    }
    Ok(())
}

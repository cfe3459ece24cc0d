//! The tree of bodies, as a list: each with its joints, geoms and sites, parents first.
//!
//! The order is MuJoCo's: depth first, children in the order of the file, and the contents of a body in the order of
//! the file. A `frame` moves its contents and then disappears.

use gradbody_math::{Inertia, Sym3, Transform, Vec3};

use super::Context;
use super::defaults::{ClassId, Settings};
use super::geom::{Geom, between};
use super::joint::{Joint, Kind};
use crate::import::ImportError;
use crate::import::notes::Notes;
use crate::import::xml::Element;

/// A body of the file. The first of the list is the world.
pub(super) struct Body<'a> {
    /// The element.
    pub(super) element: Element<'a>,
    /// Its name; set once all names are known.
    pub(super) name: String,
    /// Index of its parent; the world's own is 0.
    pub(super) parent: usize,
    /// Pose in the parent's frame, in the pose of the file.
    pub(super) pose_pb: Transform<f64>,
    /// Its `pos`, without the frames around it.
    pub(super) own_pos: Vec3<f64>,
    /// Pose in the world, in the pose of the file.
    pub(super) pose_wb: Transform<f64>,
    /// Whether it or one of its ancestors has a joint.
    pub(super) moves: bool,
    /// Its joints, the innermost first.
    pub(super) joints: Vec<Joint<'a>>,
    /// Its geoms.
    pub(super) geoms: Vec<Geom<'a>>,
    /// Its sites.
    pub(super) sites: Vec<Site<'a>>,
    /// Its inertia in its own frame, if the file gives it.
    pub(super) inertial: Option<Inertia<f64>>,
}

/// A named pose on a body.
pub(super) struct Site<'a> {
    /// The element.
    pub(super) element: Element<'a>,
    /// Pose in the body's frame.
    pub(super) pose: Transform<f64>,
}

/// A body still to be read.
struct Waiting<'a> {
    element: Element<'a>,
    parent: usize,
    /// The frame around it, in its parent's frame.
    pose_pf: Transform<f64>,
    class: ClassId,
}

/// Reads all bodies.
pub(super) fn read<'a>(
    context: &Context<'a>,
    notes: &mut Notes,
) -> Result<Vec<Body<'a>>, ImportError> {
    let root = context.tree.root();
    let mut bodies = vec![Body::new(root, 0, Transform::IDENTITY)];
    // A stack: the next body is the last.
    let mut waiting = Vec::new();
    for section in context.tree.sections("worldbody") {
        waiting.extend(read_inside(context, section, ClassId::MAIN, 0, &mut bodies[0], notes)?);
    }
    waiting.reverse();
    while let Some(Waiting { element, parent, pose_pf, class }) = waiting.pop() {
        let class = context.defaults.named(element, "childclass")?.unwrap_or(class);
        let pose_fb = context.compiler.pose(&Settings::alone(element))?;
        let pose_pb = after(&pose_pf, pose_fb);
        let mut body = Body::new(element, parent, pose_pb);
        body.own_pos = pose_fb.pos;
        body.pose_wb = bodies[parent].pose_wb * pose_pb;
        let inside = read_inside(context, element, class, bodies.len(), &mut body, notes)?;
        check_joints(&body)?;
        body.moves = bodies[parent].moves || !body.joints.is_empty();
        bodies.push(body);
        waiting.extend(inside.into_iter().rev());
    }
    Ok(bodies)
}

/// `pose_ab * pose_bc`, but exactly the second if the first is the identity.
fn after(pose_ab: &Transform<f64>, pose_bc: Transform<f64>) -> Transform<f64> {
    if *pose_ab == Transform::IDENTITY { pose_bc } else { *pose_ab * pose_bc }
}

impl<'a> Body<'a> {
    fn new(element: Element<'a>, parent: usize, pose_pb: Transform<f64>) -> Self {
        Body {
            element,
            name: String::new(),
            parent,
            pose_pb,
            own_pos: pose_pb.pos,
            pose_wb: pose_pb,
            moves: false,
            joints: Vec::new(),
            geoms: Vec::new(),
            sites: Vec::new(),
            inertial: None,
        }
    }
}

/// Reads the contents of body number `index`, and returns the bodies inside it.
fn read_inside<'a>(
    context: &Context<'a>,
    element: Element<'a>,
    class: ClassId,
    index: usize,
    body: &mut Body<'a>,
    notes: &mut Notes,
) -> Result<Vec<Waiting<'a>>, ImportError> {
    let Context { tree, compiler, defaults, meshes, materials, .. } = context;
    let mut inside = Vec::new();
    // A stack of elements to visit, each with its frame in the body's and its class.
    let children = |element: Element<'a>, pose_bf: Transform<f64>, class: ClassId| {
        tree.children(element).into_iter().rev().map(move |child| (child, pose_bf, class))
    };
    let mut waiting: Vec<_> = children(element, Transform::IDENTITY, class).collect();
    while let Some((child, pose_bf, class)) = waiting.pop() {
        let is_world = index == 0;
        match child.tag() {
            "joint" | "freejoint" | "inertial" if is_world => {
                return Err(child.error("the world cannot have one; put it in a body"));
            }
            "body" => {
                inside.push(Waiting { element: child, parent: index, pose_pf: pose_bf, class });
            }
            "frame" => {
                refuse_scale(child)?;
                let class = defaults.named(child, "childclass")?.unwrap_or(class);
                let pose = compiler.pose(&Settings::alone(child))?;
                waiting.extend(children(child, after(&pose_bf, pose), class));
            }
            "joint" => {
                let settings = defaults.settings(child, class)?;
                body.joints.push(compiler.joint(&settings, &pose_bf, notes)?);
            }
            "freejoint" => body.joints.push(Joint::new(child, Kind::Free)),
            "geom" => {
                let settings = defaults.settings(child, class)?;
                let mut geom = compiler.geom(&settings, &pose_bf, meshes, notes)?;
                geom.colour = materials.of_geom(&settings, notes);
                body.geoms.push(geom);
            }
            "site" => {
                let settings = defaults.settings(child, class)?;
                let local = match settings.array("fromto")? {
                    Some(ends) => {
                        let word = settings.attr("type").unwrap_or("sphere");
                        between(&settings, word, ends, Vec3::ZERO)?.0
                    }
                    None => compiler.pose(&settings)?,
                };
                body.sites.push(Site { element: child, pose: after(&pose_bf, local) });
            }
            "inertial" if body.inertial.is_some() => {
                return Err(child.error("the body has an inertial already"));
            }
            "inertial" => body.inertial = Some(read_inertial(context, child, &pose_bf)?),
            "replicate" => {
                let hint = "load the file in MuJoCo and save it again, which writes the copies out";
                return Err(child.error(format!("replicate is not supported; {hint}")));
            }
            _ => {}
        }
    }
    Ok(inside)
}

fn refuse_scale(frame: Element<'_>) -> Result<(), ImportError> {
    for name in ["scale", "massscale", "scaling"] {
        if frame.attr(name).is_some() {
            return Err(frame.attr_error(name, "a frame can move what is inside, not scale it"));
        }
    }
    Ok(())
}

fn read_inertial(
    context: &Context<'_>,
    element: Element<'_>,
    pose_bf: &Transform<f64>,
) -> Result<Inertia<f64>, ImportError> {
    let settings = Settings::alone(element);
    element.required("pos")?;
    element.required("mass")?;
    let mass = settings.magnitude("mass")?.unwrap_or_default();
    let pose = after(pose_bf, context.compiler.pose(&settings)?);
    let diagonal = element.array::<3>("diaginertia")?;
    let full = element.array::<6>("fullinertia")?;
    let rotational = match (diagonal, full) {
        (Some(_), Some(_)) => {
            return Err(
                element.error("diaginertia and fullinertia both give the inertia; keep one")
            );
        }
        (_, Some([xx, yy, zz, xy, xz, yz])) => {
            if settings.holder_of_any(&["quat", "axisangle", "xyaxes", "zaxis", "euler"]).is_some()
            {
                let problem = "fullinertia is in the body's axes and excludes an orientation";
                return Err(element.error(problem));
            }
            Sym3::new(xx, yy, zz, xy, xz, yz)
        }
        (diagonal, None) => Sym3::diagonal(Vec3::from_slice(&diagonal.unwrap_or_default())),
    };
    let unturned = pose.rot == gradbody_math::Mat3::IDENTITY;
    let rotational = if unturned { rotational } else { rotational.rotated(&pose.rot) };
    Ok(Inertia { mass, com: pose.pos, rotational })
}

/// Refuses joints that cannot be together in one body.
fn check_joints(body: &Body<'_>) -> Result<(), ImportError> {
    let mut turned_any_way = false;
    let mut count = 0;
    for joint in &body.joints {
        let element = joint.element;
        count += match joint.kind {
            Kind::Free => 6,
            Kind::Ball => 3,
            Kind::Slide | Kind::Hinge => 1,
        };
        if joint.kind == Kind::Free && body.parent != 0 {
            return Err(element.error("only a body directly in the world can have a free joint"));
        }
        if joint.kind == Kind::Free && body.joints.len() > 1 {
            return Err(element.error("a body with a free joint cannot have another joint"));
        }
        if turned_any_way && joint.kind != Kind::Slide {
            return Err(element.error("a body with a ball joint can have only slides after it"));
        }
        if count > 6 {
            return Err(element.error("a body cannot have more than 6 degrees of freedom"));
        }
        turned_any_way |= joint.kind == Kind::Ball;
    }
    Ok(())
}

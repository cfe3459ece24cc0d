//! MJCF, as MuJoCo 4.0 reads it.
//!
//! | read | how |
//! |---|---|
//! | `compiler` | angle, eulerseq, autolimits, inertiafromgeom, inertiagrouprange, settotalmass, boundmass, boundinertia, balanceinertia, meshdir; coordinate only as "local" |
//! | `option` | timestep, gravity |
//! | `default`, `class`, `childclass` | nested classes, also for actuators |
//! | `include` | each file once, relative to the main file |
//! | `body`, `frame`, `inertial` | any depth; all five orientations |
//! | `joint`, `freejoint` | free, ball, slide, hinge; several per body |
//! | `geom` | primitives with `fromto`, mass from volume or surface; meshes (STL, OBJ, `vertex`) by their convex hull, without mass |
//! | `rgba`, `material`, `group` | colours for drawings; geoms of groups 0 to 2 are drawn, as in MuJoCo's viewer |
//! | `site` | a named frame, if it has a name |
//! | `actuator` | motor, position, velocity, intvelocity, general with fixed gain and affine bias, on a hinge or slide |
//! | `contact` | pair with its own condim, friction and solref; exclude |
//! | `keyframe` | after the file's own pose, which is the first keyframe, `qpos0` |
//!
//! Refused: unknown elements and attributes, `replicate`, scaled frames, mass from meshes. Anything else that would
//! change the motion gets a note in the report, one for each kind of attribute. Other elements that concern only display
//! or memory are skipped (see `unused`).
//!
//! Joints, and so coordinates, are in MuJoCo's order, and coordinates have MuJoCo's values: a state of one is a state
//! of the other, number by number.
//!
//! Names are those of the file. A body or joint without a name is named by its number in MuJoCo, `body3` or `joint5`, a
//! geom `geom7`; an actuator has the name of its joint or, if that is taken, `actuator2`. A body with several joints is
//! a chain of links `BODY:JOINT`, the last of which has the name of the body. A site with the name of a body becomes
//! the frame `site:NAME`.

mod actuator;
mod assemble;
mod asset;
mod body;
mod colour;
mod compiler;
mod contact;
mod defaults;
mod geom;
mod inertia;
mod joint;
mod keyframe;
mod names;
mod option;
mod pose;
mod rest;
mod schema;
mod servo;
mod source;
mod surface;
mod unused;

pub(crate) use self::joint::Kind;
pub(crate) use self::keyframe::FILE_POSE;

use std::path::Path;

use self::asset::Meshes;
use self::body::Body;
use self::colour::Materials;
use self::compiler::Compiler;
use self::defaults::Defaults;
use self::rest::AtRest;
use self::source::{Texts, Tree};
use super::finish::finish;
use super::notes::Notes;
use super::{Base, ImportError, ImportOptions, Imported};
use crate::ModelBuilder;

/// What reading the bodies requires from the rest of the file.
struct Context<'a> {
    tree: &'a Tree<'a>,
    compiler: Compiler,
    defaults: Defaults<'a>,
    meshes: Meshes<'a>,
    materials: Materials<'a>,
    /// Time step [s].
    timestep: f64,
}

/// Reads an MJCF text. `file` is used in messages, and to find included files.
pub(super) fn import(
    text: &str,
    file: &Path,
    options: &ImportOptions,
) -> Result<Imported, ImportError> {
    // The text and those it includes, as one tree without unknown elements.
    let texts = Texts::gather(text, file)?;
    let tree = Tree::parse(&texts)?;
    schema::check(&tree)?;
    let mut notes = Notes::default();
    unused::note(&tree, &mut notes);
    if options.base != Base::Auto {
        let what = "an MJCF says which bodies are free: the choice of a base has no effect";
        notes.assumed(tree.root(), what);
    }

    // What the file contains.
    let compiler = Compiler::read(&tree)?;
    let defaults = Defaults::read(&tree)?;
    let meshes = Meshes::read(&tree, &compiler, &defaults)?;
    let materials = Materials::read(&tree, &defaults, &mut notes)?;
    let physics = option::read(&tree, &mut notes)?;
    let timestep = physics.timestep;
    let context = Context { tree: &tree, compiler, defaults, meshes, materials, timestep };
    let mut bodies = body::read(&context, &mut notes)?;
    names::assign(&mut bodies)?;
    let (drives, columns) = actuator::read(&context, &bodies, &mut notes)?;

    // What follows from it.
    let inertias = inertia::of_bodies(&bodies, &context.compiler)?;
    let materials = surface::of_geoms(&bodies, physics.timestep, &mut notes);
    actuator::reflect_armature(&drives, &mut bodies);
    let at_rest = AtRest::new(&bodies, &inertias);
    set_springs(&mut bodies, &at_rest);
    actuator::reflect_damping(&drives, &mut bodies);

    // The model.
    let root = tree.root();
    let stem = file.file_stem().map(|s| s.to_string_lossy().into_owned());
    let name = root.attr("model").map(str::to_owned).or(stem).unwrap_or_default();
    let mut builder = ModelBuilder::new(name);
    builder.gravity(physics.gravity).timestep(physics.timestep);
    let assembled = assemble::bodies(&mut builder, &bodies, &inertias, &materials, &mut notes)?;
    actuator::add(&mut builder, &drives, &bodies, &assembled, &at_rest)?;
    contact::add(&mut builder, &context, &bodies, &assembled, &mut notes)?;
    keyframe::add(&mut builder, &tree, &assembled, &columns, &mut notes)?;
    // In the order of the file; included files follow the main one.
    let mut notes = notes.finished();
    notes.sort_by_key(|note| (tree.file_order(&note.file), note.line));
    finish(builder, root, &assembled.places, notes, options)
}

/// Converts time constants and damping ratios of joints to stiffness and damping.
fn set_springs(bodies: &mut [Body<'_>], at_rest: &AtRest) {
    for (i, body) in bodies.iter_mut().enumerate() {
        for (j, joint) in body.joints.iter_mut().enumerate() {
            let Some([time, ratio]) = joint.spring_damper else { continue };
            // A mass m with damping d and stiffness k: time = 2 m / d, ratio = d / (2 √(k m)).
            let mass = at_rest.felt(i, j);
            joint.spec.params.damping = 2.0 * mass / time;
            joint.spec.params.stiffness = mass / (time * time * ratio * ratio);
        }
    }
}

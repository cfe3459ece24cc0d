//! Geoms, and the meshes that they use.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use gradbody_math::{Transform, Vec3};

use super::super::ExportError;
use super::super::mesh_path::path_from;
use super::super::xml::{Tag, unused};
use super::surface::Surfaces;
use crate::{
    ContactLaw, ContactPair, Form, FrameId, FrictionKnown, FrictionOf, Material, Mesh, Model,
    ShapeId, ShapeKind,
};

/// Names of meshes, by their file or vertices and the bits of their scale.
type Known = HashMap<(String, [u64; 3]), String>;

/// The shapes that are written, and their meshes.
pub(super) struct Geoms {
    /// The name of each shape; `None` if it is not written.
    pub(super) names: Vec<Option<String>>,
    /// Names of meshes, by shape.
    meshes: HashMap<usize, String>,
    /// The elements of the `asset` section.
    pub(super) assets: Vec<String>,
    surfaces: Surfaces,
    /// The figures that are written: their index among the visuals, their names, and those of their meshes.
    pub(super) figures: Vec<(usize, String, Option<String>)>,
    /// Figures that the format does not have.
    pub(super) lost_figures: Vec<String>,
}

impl Geoms {
    /// The geoms of a model whose file goes into `folder`, an absolute path if it is known.
    pub(super) fn new(
        model: &Model<f64>,
        names: Vec<String>,
        geom_names: &mut HashSet<String>,
        folder: Option<&Path>,
    ) -> Result<Self, ExportError> {
        let mut geoms = Geoms {
            names: Vec::new(),
            meshes: HashMap::new(),
            assets: Vec::new(),
            surfaces: Surfaces::of(model),
            figures: Vec::new(),
            lost_figures: Vec::new(),
        };
        let mut known = Known::new();
        let mut taken = HashSet::new();
        let shapes = model.topology.shapes.iter().zip(&model.params.shapes);
        for (i, ((shape, params), name)) in shapes.zip(names).enumerate() {
            let moves = model.topology.frames[shape.frame.index()].link.is_some();
            let written = match &shape.kind {
                ShapeKind::Mesh(mesh) => match source(shape.mesh_file.as_ref(), mesh, folder) {
                    Some(source) => {
                        let assets = &mut geoms.assets;
                        let known = (&mut known, &mut taken);
                        let mesh = asset(assets, source, params.size, &name, false, known)?;
                        geoms.meshes.insert(i, mesh);
                        true
                    }
                    None => false,
                },
                kind => is_writable(kind, params.size, moves),
            };
            geoms.names.push(written.then_some(name));
        }
        for (i, visual) in model.topology.visuals.iter().enumerate() {
            let Form::Figure(figure) = &visual.form else { continue };
            let name = if figure.name.is_empty() { "visual" } else { &figure.name };
            let moves = model.topology.frames[figure.frame.index()].link.is_some();
            let mesh = match &figure.kind {
                ShapeKind::Mesh(mesh) => {
                    let file = figure.mesh_file.as_ref();
                    match source(file.filter(|file| can_be_drawn(file)), mesh, folder) {
                        Some(source) => {
                            let known = (&mut known, &mut taken);
                            let assets = &mut geoms.assets;
                            Some(asset(assets, source, figure.size, name, true, known)?)
                        }
                        None => None,
                    }
                }
                _ => None,
            };
            match mesh.is_some() || is_writable(&figure.kind, figure.size, moves) {
                true => geoms.figures.push((i, unused(geom_names, name), mesh)),
                false => geoms.lost_figures.push(figure.name.clone()),
            }
        }
        Ok(geoms)
    }

    /// The figures of a frame as elements of a body whose frame is at `pose_lb` in the model's link.
    pub(super) fn drawn(
        &self,
        model: &Model<f64>,
        frame: usize,
        pose_lb: &Transform<f64>,
    ) -> Result<Vec<String>, ExportError> {
        let mut elements = Vec::new();
        for (visual, name, mesh) in &self.figures {
            let visual = &model.topology.visuals[*visual];
            let Form::Figure(figure) = &visual.form else { continue };
            if figure.frame.index() != frame {
                continue;
            }
            let tag = Tag::new("geom").name("name", name)?;
            let Some(tag) = form(tag, &figure.kind, figure.size, mesh.as_deref())? else {
                continue;
            };
            let tag = tag.pose(&(pose_lb.inverse() * figure.placement));
            let tag = tag.word("contype", "0").word("conaffinity", "0").word("group", "2");
            elements.push(coloured(tag, visual.colour).alone());
        }
        Ok(elements)
    }

    /// A shape as an element of a body whose frame is at `pose_lb` in the model's link.
    pub(super) fn element(
        &self,
        model: &Model<f64>,
        shape: usize,
        pose_lb: &Transform<f64>,
    ) -> Result<Option<String>, ExportError> {
        let Some(name) = &self.names[shape] else { return Ok(None) };
        let params = &model.params.shapes[shape];
        let shape_of = &model.topology.shapes[shape];
        let tag = Tag::new("geom").name("name", name)?;
        let mesh = self.meshes.get(&shape).map(String::as_str);
        // Otherwise not written; the notes say so.
        let Some(tag) = form(tag, &shape_of.kind, params.size, mesh)? else { return Ok(None) };
        let tag = tag.pose(&(pose_lb.inverse() * params.placement));
        let tag = group(tag, "contype", shape_of.collision_group);
        let tag = group(tag, "conaffinity", shape_of.collides_with);
        let tag = self.surfaces.of_geom(tag, shape_of.resists_turning, &params.material);
        let visuals = &model.topology.visuals;
        let id = Form::Shape(ShapeId::new(shape));
        let tag = match visuals.iter().find(|visual| visual.form == id) {
            Some(visual) => coloured(tag, visual.colour),
            // A group that MuJoCo's viewer hides at first.
            None if !visuals.is_empty() => tag.word("group", "3"),
            None => tag,
        };
        Ok(Some(tag.alone()))
    }

    /// The elements of the `contact` section; `bodies` has the name of each frame that is a body.
    pub(super) fn contacts(
        &self,
        model: &Model<f64>,
        bodies: &[Option<String>],
        notes: &mut Vec<String>,
    ) -> Result<Vec<String>, ExportError> {
        let topology = &model.topology;
        let mut elements = Vec::new();
        let mut lost = 0;
        let listed = topology.contact_pairs.iter().copied().zip(model.params.pairs.iter().copied());
        for (pair, material) in listed.chain(pairs_with_the_world(model)) {
            let names = [pair.a, pair.b].map(|shape| self.names[shape.index()].as_ref());
            let [Some(first), Some(second)] = names else {
                lost += 1;
                continue;
            };
            let tag = Tag::new("pair").name("geom1", first)?.name("geom2", second)?;
            elements.push(self.surfaces.of_pair(tag, pair.resists_turning, &material).alone());
        }
        if lost > 0 {
            notes.push(format!("contact pairs whose shapes are not written are left out ({lost})"));
        }
        let mut seen = HashSet::new();
        for (a, b) in &topology.contact_excludes {
            let names = [a, b].map(|frame| bodies[frame.index()].as_ref());
            // Shapes of the same body never touch.
            if let [Some(first), Some(second)] = names
                && a != b
                && seen.insert((a.min(b), a.max(b)))
            {
                let tag = Tag::new("exclude").name("body1", first)?.name("body2", second)?;
                elements.push(tag.alone());
            }
        }
        Ok(elements)
    }
}

/// The type and size of a geom; `None` if the format has no such geom.
fn form(
    tag: Tag,
    kind: &ShapeKind,
    size: Vec3<f64>,
    mesh: Option<&str>,
) -> Result<Option<Tag>, ExportError> {
    let Vec3 { x, y, z } = size;
    Ok(Some(match kind {
        ShapeKind::Sphere => tag.word("type", "sphere").numbers("size", &[x]),
        ShapeKind::Capsule => tag.word("type", "capsule").numbers("size", &[x, y]),
        ShapeKind::Cylinder => tag.word("type", "cylinder").numbers("size", &[x, y]),
        ShapeKind::Box => tag.word("type", "box").numbers("size", &[x, y, z]),
        ShapeKind::Ellipsoid => tag.word("type", "ellipsoid").numbers("size", &[x, y, z]),
        ShapeKind::Plane => {
            // For display only: its drawn width, and the spacing of its lines.
            let lines = if z > 0.0 { z } else { 1.0 };
            tag.word("type", "plane").numbers("size", &[x, y, lines])
        }
        ShapeKind::Mesh(_) => tag.word("type", "mesh").name("mesh", mesh.unwrap_or_default())?,
        ShapeKind::Extrusion(_) | ShapeKind::Points(_) => return Ok(None),
    }))
}

fn coloured(tag: Tag, colour: Option<[f32; 4]>) -> Tag {
    match colour {
        Some(rgba) => {
            let digits = rgba.map(|c| format!("{c:?}"));
            tag.word("rgba", &digits.join(" "))
        }
        None => tag,
    }
}

/// The name of an asset, which is added if it is new. MuJoCo reads a mesh without volume only as a shell.
fn asset(
    assets: &mut Vec<String>,
    source: Source,
    scale: Vec3<f64>,
    geom: &str,
    shell: bool,
    (known, taken): (&mut Known, &mut HashSet<String>),
) -> Result<String, ExportError> {
    let (stem, what) = match &source {
        Source::File(path) => {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            (stem.unwrap_or_default(), path.to_string_lossy().into_owned())
        }
        Source::Vertices(vertices) => (geom.to_owned(), format!("{vertices:?}")),
    };
    let key = (what.clone(), scale.to_array().map(f64::to_bits));
    if let Some(name) = known.get(&key) {
        return Ok(name.clone());
    }
    let name = unused(taken, if stem.is_empty() { "mesh" } else { &stem });
    let tag = Tag::new("mesh").name("name", &name)?;
    let tag = match &source {
        Source::File(_) => tag.name("file", &what)?,
        Source::Vertices(vertices) => tag.numbers("vertex", vertices),
    };
    let tag = match scale == Vec3::new(1.0, 1.0, 1.0) {
        true => tag,
        false => tag.numbers("scale", &scale.to_array()),
    };
    let tag = if shell { tag.word("inertia", "shell") } else { tag };
    assets.push(tag.alone());
    known.insert(key, name.clone());
    Ok(name)
}

/// Whether MuJoCo reads a mesh that is only drawn: an OBJ, or a binary STL of at most 200 000 triangles. A drawing must not
/// keep a file from loading.
fn can_be_drawn(file: &Path) -> bool {
    const HEAD: u64 = 84;
    const OF_TRIANGLE: u64 = 50;
    let ending = file.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("obj") => true,
        Some("stl") => std::fs::metadata(file).is_ok_and(|about| {
            let triangles = about.len().saturating_sub(HEAD);
            triangles % OF_TRIANGLE == 0 && (1..=200_000).contains(&(triangles / OF_TRIANGLE))
        }),
        _ => false,
    }
}

/// Pairs where the friction of the world's shape counts, even if that of the robot's is larger. In MuJoCo that needs a
/// pair with its own surface.
fn pairs_with_the_world(model: &Model<f64>) -> Vec<(ContactPair, Material<f64>)> {
    let Model { topology, params } = model;
    let shapes = &topology.shapes;
    let listed = |a: ShapeId, b: ShapeId| {
        topology.contact_pairs.iter().any(|p| (p.a, p.b) == (a, b) || (p.a, p.b) == (b, a))
    };
    let excluded = |a: FrameId, b: FrameId| {
        topology.contact_excludes.iter().any(|pair| *pair == (a, b) || *pair == (b, a))
    };
    let mut pairs = Vec::new();
    for (i, world) in shapes.iter().enumerate() {
        if world.friction_known() != FrictionKnown::OfWorld {
            continue;
        }
        for (j, shape) in shapes.iter().enumerate() {
            let (a, b) = (ShapeId::new(i), ShapeId::new(j));
            let friction = FrictionOf::between(world.friction_known(), shape.friction_known());
            let moves = topology.frames[shape.frame.index()].link.is_some();
            let groups = (world.collision_group & shape.collides_with)
                | (shape.collision_group & world.collides_with);
            if friction == FrictionOf::Larger
                || !moves
                || groups == 0
                || listed(a, b)
                || excluded(world.frame, shape.frame)
            {
                continue;
            }
            let [of_world, own] = [i, j].map(|k| &params.shapes[k].material);
            let resists_turning = world.resists_turning || shape.resists_turning;
            let pair = ContactPair { a, b, law: ContactLaw::Rigid, resists_turning };
            pairs.push((pair, Material::between(of_world, own, friction)));
        }
    }
    pairs
}

/// A collision group; the format has signed numbers.
fn group(tag: Tag, attribute: &str, bits: u32) -> Tag {
    if bits == 1 { tag } else { tag.word(attribute, &(bits as i32).to_string()) }
}

/// Whether the format has this shape with this size: no shape may be flat, and planes cannot move.
fn is_writable(kind: &ShapeKind, size: Vec3<f64>, moves: bool) -> bool {
    let Vec3 { x, y, z } = size;
    match kind {
        ShapeKind::Sphere => x > 0.0,
        ShapeKind::Capsule | ShapeKind::Cylinder => x > 0.0 && y > 0.0,
        ShapeKind::Box | ShapeKind::Ellipsoid => x > 0.0 && y > 0.0 && z > 0.0,
        ShapeKind::Plane => !moves,
        ShapeKind::Mesh(_) | ShapeKind::Extrusion(_) | ShapeKind::Points(_) => false,
    }
}

/// Where a mesh is read from.
enum Source {
    File(PathBuf),
    Vertices(Vec<f64>),
}

/// A mesh's file, as a path that is valid from the new file's folder, or the vertices of its hull. `None` if MuJoCo
/// could read neither; such a shape touches nothing here.
fn source(file: Option<&PathBuf>, mesh: &Mesh, folder: Option<&Path>) -> Option<Source> {
    let readable = |file: &&PathBuf| {
        let ending = file.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        ending.is_some_and(|e| matches!(&*e, "stl" | "obj" | "msh"))
    };
    if let Some(file) = file.filter(readable) {
        return Some(Source::File(match folder {
            Some(folder) => match std::fs::canonicalize(folder.join(&mesh.path)) {
                Ok(found) if found == *file => mesh.path.clone(),
                _ => path_from(folder, file),
            },
            None => file.clone(),
        }));
    }
    let vertices = mesh.hull.as_ref()?.vertices.iter().flat_map(|v| v.to_array());
    Some(Source::Vertices(vertices.collect()))
}

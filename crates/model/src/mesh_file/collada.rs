//! Collada: the geometries of a scene, where its nodes put them.
//!
//! As ROS does, this takes coordinates as they are, whatever `up_axis` says: exporters write it without turning anything.
//! `unit` is applied. Skins are in the pose in which they were bound, and see-through materials are opaque, because
//! exporters do not agree on what `transparency` means.

use std::collections::HashMap;
use std::rc::Rc;

use gradbody_math::{Mat3, Vec3};
use roxmltree::{Document, Node, ParsingOptions};

use super::MeshPart;

/// Nodes inside nodes, at most.
const DEEPEST: usize = 256;
/// Geometries of a scene, at most: nodes that show nodes multiply.
const MOST_INSTANCES: usize = 100_000;

/// Triangles of all geometries of a scene, at most.
const MOST_TRIANGLES: usize = 20_000_000;
/// Indices that a corner has, at most.
const MOST_OFFSET: usize = 1000;

/// The parts of a file in metres, or why there are none.
pub(super) fn parts(bytes: &[u8]) -> Result<Vec<MeshPart>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text")?;
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|e| e.to_string())?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err("it is not a Collada file".to_owned());
    }
    let ids = root.descendants().filter_map(|node| Some((node.attribute("id")?, node)));
    let mut file =
        File { ids: ids.collect(), sources: HashMap::new(), parts: Vec::new(), triangles: 0 };
    let unit = child(root, "asset").and_then(|asset| child(asset, "unit"));
    let metre = unit.and_then(|unit| unit.attribute("meter")?.trim().parse::<f64>().ok());
    let metre = metre.filter(|metre| *metre > 0.0 && metre.is_finite()).unwrap_or(1.0);
    let whole = Affine { axes: Mat3::IDENTITY * metre, origin: Vec3::ZERO };
    let shown = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
    let mut library = root.descendants().filter(|node| node.has_tag_name_of("visual_scene"));
    if let Some(scene) = shown.and_then(|shown| file.target(shown)).or(library.next()) {
        file.scene(scene, whole)?;
    }
    if file.parts.is_empty() {
        // A file without a scene has its geometries where they are.
        for geometry in root.descendants().filter(|node| node.has_tag_name_of("geometry")) {
            file.geometry(geometry, &whole, &HashMap::new())?;
        }
    }
    Ok(file.parts)
}

/// A tag without its namespace.
trait Named {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl Named for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name_of(name))
}

fn child<'a>(node: Node<'a, 'a>, name: &'static str) -> Option<Node<'a, 'a>> {
    children(node, name).next()
}

/// x ↦ `axes` x + `origin`.
#[derive(Clone, Copy)]
struct Affine {
    axes: Mat3<f64>,
    origin: Vec3<f64>,
}

impl Affine {
    fn after(&self, inner: &Affine) -> Affine {
        Affine { axes: self.axes * inner.axes, origin: self.axes * inner.origin + self.origin }
    }

    /// Of 16 numbers, row by row.
    fn of_rows(m: &[f64]) -> Option<Affine> {
        let m: &[f64; 16] = m.try_into().ok()?;
        let column = |k: usize| Vec3::new(m[k], m[4 + k], m[8 + k]);
        Some(Affine { axes: Mat3::from_cols(column(0), column(1), column(2)), origin: column(3) })
    }
}

struct File<'a> {
    ids: HashMap<&'a str, Node<'a, 'a>>,
    /// Points of each source that was read.
    sources: HashMap<&'a str, Rc<Vec<Vec3<f64>>>>,
    parts: Vec<MeshPart>,
    /// How many triangles they have.
    triangles: usize,
}

impl<'a> File<'a> {
    /// What an attribute of the form `#id` refers to.
    fn refers(&self, node: Node<'a, 'a>, attribute: &str) -> Option<Node<'a, 'a>> {
        self.ids.get(node.attribute(attribute)?.strip_prefix('#')?).copied()
    }

    fn target(&self, node: Node<'a, 'a>) -> Option<Node<'a, 'a>> {
        self.refers(node, "url")
    }

    /// Everything that a scene's nodes show.
    fn scene(&mut self, scene: Node<'a, 'a>, whole: Affine) -> Result<(), String> {
        let mut waiting: Vec<_> = children(scene, "node").map(|node| (node, whole, 0)).collect();
        waiting.reverse();
        let mut instances = 0;
        while let Some((node, around, depth)) = waiting.pop() {
            instances += 1;
            if depth > DEEPEST || instances > MOST_INSTANCES {
                return Err("its nodes go too deep, or refer to themselves".to_owned());
            }
            let pose = around.after(&placement(node)?);
            let mut inside = Vec::new();
            for element in node.children() {
                match element.tag_name().name() {
                    "node" => inside.push((element, pose, depth + 1)),
                    "instance_node" => {
                        inside.extend(self.target(element).map(|node| (node, pose, depth + 1)));
                    }
                    "instance_geometry" => {
                        if let Some(geometry) = self.target(element) {
                            self.geometry(geometry, &pose, &self.colours(element))?;
                        }
                    }
                    "instance_controller" => self.skin(element, &pose)?,
                    _ => {}
                }
            }
            waiting.extend(inside.into_iter().rev());
        }
        Ok(())
    }

    /// The mesh under a skin.
    fn skin(&mut self, instance: Node<'a, 'a>, pose: &Affine) -> Result<(), String> {
        let controller = self.target(instance);
        let Some(skin) = controller.and_then(|node| child(node, "skin")) else { return Ok(()) };
        let Some(geometry) = self.refers(skin, "source") else { return Ok(()) };
        let bound = match child(skin, "bind_shape_matrix") {
            Some(matrix) => Affine::of_rows(&numbers(matrix)?),
            None => None,
        };
        let pose = bound.map_or(*pose, |bound| pose.after(&bound));
        self.geometry(geometry, &pose, &self.colours(instance))
    }

    /// The colours that an instance gives to the materials of its geometry.
    fn colours(&self, instance: Node<'a, 'a>) -> HashMap<&'a str, [f32; 4]> {
        let bound = instance.descendants().filter(|node| node.has_tag_name_of("instance_material"));
        let colour = |bound: Node<'a, 'a>| {
            let symbol = bound.attribute("symbol")?;
            let material = self.refers(bound, "target")?;
            let effect = self.target(child(material, "instance_effect")?)?;
            Some((symbol, diffuse(effect)?))
        };
        bound.filter_map(colour).collect()
    }

    /// Adds a geometry, a part for each of its lists of polygons.
    fn geometry(
        &mut self,
        geometry: Node<'a, 'a>,
        pose: &Affine,
        colours: &HashMap<&'a str, [f32; 4]>,
    ) -> Result<(), String> {
        let Some(mesh) = child(geometry, "mesh") else { return Ok(()) };
        for list in mesh.children() {
            let kind = list.tag_name().name();
            if !["triangles", "polylist", "polygons", "tristrips", "trifans"].contains(&kind) {
                continue;
            }
            let Some((points, offset, stride)) = self.corners(list)? else { continue };
            let corner = |indices: &[usize], k: usize| indices.get(k * stride + offset).copied();
            let mut faces = Vec::new();
            let strips = children(list, "p").map(numbers::<usize>);
            for indices in strips {
                let indices = indices?;
                let count = indices.len() / stride;
                let all = (0..count).filter_map(|k| corner(&indices, k)).collect::<Vec<usize>>();
                match kind {
                    "triangles" => faces.extend(all.as_chunks::<3>().0),
                    "polylist" => {
                        let counts = child(list, "vcount").map_or(Ok(vec![]), numbers::<usize>)?;
                        let mut rest = &all[..];
                        for count in counts {
                            let Some((face, after)) = rest.split_at_checked(count) else { break };
                            fan(face, &mut faces);
                            rest = after;
                        }
                    }
                    "tristrips" => {
                        let strip = all.windows(3).enumerate();
                        faces.extend(strip.map(|(k, c)| match k % 2 {
                            0 => [c[0], c[1], c[2]],
                            _ => [c[1], c[0], c[2]],
                        }));
                    }
                    _ => fan(&all, &mut faces),
                }
            }
            let colour = list.attribute("material").and_then(|name| colours.get(name)).copied();
            self.triangles += faces.len();
            if self.triangles > MOST_TRIANGLES {
                return Err(format!("it has more than {MOST_TRIANGLES} triangles"));
            }
            self.parts.push(part(&points, &faces, pose, colour)?);
        }
        Ok(())
    }

    /// The points of a list of polygons, and where the index of one is among how many indices of a corner.
    #[allow(clippy::type_complexity)]
    fn corners(
        &mut self,
        list: Node<'a, 'a>,
    ) -> Result<Option<(Rc<Vec<Vec3<f64>>>, usize, usize)>, String> {
        let offset = |input: &Node<'_, '_>| -> usize {
            input.attribute("offset").and_then(|text| text.trim().parse().ok()).unwrap_or(0)
        };
        let inputs: Vec<_> = children(list, "input").collect();
        let largest = inputs.iter().map(offset).max().unwrap_or(0);
        let is = |semantic: &'static str| {
            move |input: &Node<'_, '_>| input.attribute("semantic") == Some(semantic)
        };
        let Some(vertex) = inputs.into_iter().find(is("VERTEX")) else { return Ok(None) };
        let vertices = self.refers(vertex, "source");
        let position = vertices.and_then(|node| children(node, "input").find(is("POSITION")));
        let Some(source) = position.and_then(|input| self.refers(input, "source")) else {
            return Ok(None);
        };
        if largest > MOST_OFFSET {
            return Err(format!("the offset {largest} is too large"));
        }
        Ok(Some((self.points(source)?, offset(&vertex), largest + 1)))
    }

    /// The points of a source.
    fn points(&mut self, source: Node<'a, 'a>) -> Result<Rc<Vec<Vec3<f64>>>, String> {
        let id = source.attribute("id").unwrap_or("");
        if let Some(known) = self.sources.get(id) {
            return Ok(known.clone());
        }
        let accessor = source.descendants().find(|node| node.has_tag_name_of("accessor"));
        let number = |name: &str, default: usize| -> usize {
            let text = accessor.and_then(|node| node.attribute(name));
            text.and_then(|text| text.trim().parse().ok()).unwrap_or(default)
        };
        let array = child(source, "float_array").ok_or("a source has no numbers")?;
        let all: Vec<f64> = numbers(array)?;
        let after = all.get(number("offset", 0)..).unwrap_or(&[]);
        let points = after.chunks(number("stride", 3).max(3));
        let points = points.filter(|p| p.len() >= 3).map(|p| Vec3::new(p[0], p[1], p[2]));
        let points = Rc::new(points.collect::<Vec<_>>());
        self.sources.insert(id, points.clone());
        Ok(points)
    }
}

/// A face as triangles around its first corner.
fn fan(face: &[usize], triangles: &mut Vec<[usize; 3]>) {
    if let Some((first, rest)) = face.split_first() {
        triangles.extend(rest.windows(2).map(|edge| [*first, edge[0], edge[1]]));
    }
}

/// The corners that triangles use, moved, and the triangles.
fn part(
    points: &[Vec3<f64>],
    faces: &[[usize; 3]],
    pose: &Affine,
    colour: Option<[f32; 4]>,
) -> Result<MeshPart, String> {
    let mut part = MeshPart { colour, ..MeshPart::default() };
    let mut places = vec![u32::MAX; points.len()];
    // A mirror turns triangles inside out.
    let mirrored = pose.axes.cols[0].cross(pose.axes.cols[1]).dot(pose.axes.cols[2]) < 0.0;
    for face in faces {
        let mut triangle = [0; 3];
        for (corner, index) in triangle.iter_mut().zip(face) {
            let place =
                places.get_mut(*index).ok_or("a triangle has a corner that is not there")?;
            if *place == u32::MAX {
                *place = part.vertices.len() as u32;
                part.vertices.push(pose.axes * points[*index] + pose.origin);
            }
            *corner = *place;
        }
        if mirrored {
            triangle.swap(1, 2);
        }
        part.triangles.push(triangle);
    }
    Ok(part)
}

/// Where a node is in the one around it: its transformations in their order, the first outermost.
fn placement(node: Node<'_, '_>) -> Result<Affine, String> {
    let mut pose = Affine { axes: Mat3::IDENTITY, origin: Vec3::ZERO };
    for element in node.children().filter(Node::is_element) {
        let tag = element.tag_name().name();
        if !["matrix", "translate", "rotate", "scale"].contains(&tag) {
            continue;
        }
        let values: Vec<f64> = numbers(element)?;
        let inner = match (tag, &values[..]) {
            ("translate", &[x, y, z]) => {
                Some(Affine { axes: Mat3::IDENTITY, origin: Vec3::new(x, y, z) })
            }
            ("scale", &[x, y, z]) => {
                let axes = Mat3::from_cols(Vec3::X * x, Vec3::Y * y, Vec3::Z * z);
                Some(Affine { axes, origin: Vec3::ZERO })
            }
            ("rotate", &[x, y, z, degrees]) => {
                let axis = Vec3::new(x, y, z);
                let length = axis.norm();
                let axes = match length > 0.0 {
                    true => {
                        let angle = degrees.to_radians().sin_cos();
                        Mat3::from_axis_sin_cos(axis * (1.0 / length), angle)
                    }
                    false => Mat3::IDENTITY,
                };
                Some(Affine { axes, origin: Vec3::ZERO })
            }
            ("matrix", values) => Affine::of_rows(values),
            _ => None,
        };
        let inner = inner.ok_or_else(|| format!("<{tag}> has {} numbers", values.len()))?;
        pose = pose.after(&inner);
    }
    Ok(pose)
}

/// The diffuse colour of an effect; for one without light, the colour that it emits.
fn diffuse(effect: Node<'_, '_>) -> Option<[f32; 4]> {
    let shading = |node: &Node<'_, '_>| {
        ["phong", "blinn", "lambert", "constant"].contains(&node.tag_name().name())
    };
    let shading = effect.descendants().find(shading)?;
    let tag = if shading.has_tag_name_of("constant") { "emission" } else { "diffuse" };
    let colour = shading.children().find(|node| node.has_tag_name_of(tag))?;
    let colour = colour.children().find(|node| node.has_tag_name_of("color"))?;
    match numbers::<f32>(colour).ok()?[..] {
        [r, g, b, ..] if r.is_finite() && g.is_finite() && b.is_finite() => {
            Some([r.clamp(0.0, 1.0), g.clamp(0.0, 1.0), b.clamp(0.0, 1.0), 1.0])
        }
        _ => None,
    }
}

/// The numbers in an element.
fn numbers<T: std::str::FromStr>(element: Node<'_, '_>) -> Result<Vec<T>, String> {
    let texts = element.children().filter(Node::is_text).filter_map(|node| node.text());
    let words = texts.flat_map(str::split_ascii_whitespace);
    words
        .map(|word| {
            word.parse().map_err(|_| {
                let shown: String = word.chars().take(20).collect();
                format!("\"{shown}\" in <{}> is not a number", element.tag_name().name())
            })
        })
        .collect()
}

//! Triangles of mesh files: STL (binary and text), OBJ and Collada.
//!
//! Only drawings and hulls need them, so models do not keep them. Textures are not read, nor are normals.

mod collada;

use std::ffi::OsStr;
use std::path::Path;

use gradbody_math::Vec3;

use crate::import::read_bytes;

/// Part of a mesh, in one colour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshPart {
    /// Corners, in the file's own frame [m].
    pub vertices: Vec<Vec3<f64>>,
    /// Three corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Red, green, blue and opacity, each from 0 to 1; `None` if the file gives no colour.
    pub colour: Option<[f32; 4]>,
}

/// The parts of a mesh file, one for each colour, or the reason why it cannot be read. Materials of an OBJ are in files
/// beside it; without them it has no colours.
pub fn read_mesh(file: &Path) -> Result<Vec<MeshPart>, String> {
    let parts = read(file, true)?;
    let mut merged: Vec<MeshPart> = Vec::new();
    for part in parts {
        match merged.iter_mut().find(|other| other.colour == part.colour) {
            Some(other) => other.append(&part),
            None => merged.push(part),
        }
    }
    merged.retain(|part| !part.triangles.is_empty());
    match merged.is_empty() {
        true => Err("it has no triangles".to_owned()),
        false => Ok(merged),
    }
}

/// All corners in a mesh file.
pub(crate) fn vertices(file: &Path) -> Result<Vec<Vec3<f64>>, String> {
    Ok(read(file, false)?.into_iter().flat_map(|part| part.vertices).collect())
}

fn read(file: &Path, with_colours: bool) -> Result<Vec<MeshPart>, String> {
    let ending = file.extension().and_then(OsStr::to_str).unwrap_or("").to_ascii_lowercase();
    let unparsed = |error: String| format!("the file cannot be parsed: {error}");
    let loader = mesh_loader::Loader::default();
    let scene = match &*ending {
        "dae" => return collada::parts(&read_bytes(file)?).map_err(unparsed),
        "stl" => {
            let mut bytes = read_bytes(file)?;
            if is_binary_stl(&bytes) {
                // The text before the numbers means nothing, but "solid" would make it a text file.
                bytes[..5].fill(b' ');
            }
            loader.load_stl_from_slice(&bytes, file)
        }
        "obj" => {
            let bytes = read_bytes(file)?;
            loader.load_obj_from_slice_with_reader(&bytes, file, |materials| {
                let beside = with_colours && materials.is_file();
                Ok(if beside { read_bytes(materials).unwrap_or_default() } else { Vec::new() })
            })
        }
        "" => return Err("the file name has no extension; use an STL, OBJ or Collada file".into()),
        _ => return Err(format!(".{ending} files are not supported; use STL, OBJ or Collada")),
    };
    let scene = scene.map_err(|error| unparsed(error.to_string()))?;
    let colours = scene.materials.iter().map(|material| {
        let [r, g, b, _] = material.color.diffuse?;
        let colour = [r, g, b, material.opacity.unwrap_or(1.0)];
        colour.iter().all(|c| c.is_finite()).then(|| colour.map(|c| c.clamp(0.0, 1.0)))
    });
    let colours = colours.chain(std::iter::repeat(None));
    let part = |(mesh, colour): (mesh_loader::Mesh, _)| MeshPart {
        vertices: mesh.vertices.iter().map(|v| Vec3::from_f64(v.map(f64::from))).collect(),
        triangles: mesh.faces,
        colour: if with_colours { colour } else { None },
    };
    Ok(scene.meshes.into_iter().zip(colours).map(part).collect())
}

/// Whether an STL file is as long as its count of triangles says, 50 bytes each after a head of 84.
fn is_binary_stl(bytes: &[u8]) -> bool {
    let count = bytes.get(80..84).and_then(|count| count.try_into().ok()).map(u32::from_le_bytes);
    count.is_some_and(|count| bytes.len() as u64 == 84 + 50 * u64::from(count))
}

impl MeshPart {
    fn append(&mut self, other: &MeshPart) {
        let first = self.vertices.len() as u32;
        self.vertices.extend_from_slice(&other.vertices);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|corner| first + corner)));
    }
}

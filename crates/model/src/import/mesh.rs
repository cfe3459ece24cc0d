//! Mesh files: where they are, and their convex hulls.
//!
//! STL (binary and text) and OBJ are read. A mesh that cannot be read is no error: the shape keeps
//! its file's name and touches nothing, and the report says why.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gradbody_math::Vec3;

use super::xml::shown;
use super::{NO_SUCH_FILE, read_bytes, read_text};
use crate::{Hull, Mesh};

/// The meshes of a model, each file read once.
pub(super) struct MeshFiles {
    /// The folder of the model's file; none if there is no such file.
    folder: Option<PathBuf>,
    /// Which folders packages are in, beside those around the model's.
    package_path: Vec<PathBuf>,
    /// By the path as written: the mesh, and why it has no hull.
    read: HashMap<PathBuf, (Arc<Mesh>, Option<String>)>,
}

impl MeshFiles {
    /// The meshes of the model in `file`.
    pub(super) fn of(file: &Path) -> MeshFiles {
        let folder = match file.parent() {
            Some(folder) if folder == Path::new("") => Path::new("."),
            Some(folder) => folder,
            None => Path::new("."),
        };
        // A text that was never a file has no folder, whatever name it goes by.
        let folder = file.is_file().then(|| folder.to_owned());
        let package_path = std::env::var_os("ROS_PACKAGE_PATH").unwrap_or_default();
        let package_path = std::env::split_paths(&package_path).collect();
        MeshFiles { folder, package_path, read: HashMap::new() }
    }

    /// The mesh at a path relative to the model's folder, and why it has no hull.
    pub(super) fn at_path(&mut self, path: &Path) -> (Arc<Mesh>, Option<String>) {
        self.mesh(path, |_, folder| Ok(folder.join(path)))
    }

    /// The mesh that a URDF names: by a path, or by an address of a package or a file.
    pub(super) fn at_address(&mut self, address: &str) -> (Arc<Mesh>, Option<String>) {
        self.mesh(Path::new(address), |files, folder| files.resolved(address, folder))
    }

    fn mesh(
        &mut self,
        path: &Path,
        find: impl FnOnce(&Self, &Path) -> Result<PathBuf, String>,
    ) -> (Arc<Mesh>, Option<String>) {
        if let Some(known) = self.read.get(path) {
            return known.clone();
        }
        let found = match &self.folder {
            Some(folder) => find(self, folder),
            None => Err("the model has no folder to look for it".to_owned()),
        };
        let (hull, why) = match found.and_then(|file| hull_of_file(&file)) {
            Ok(hull) => (Some(hull), None),
            Err(why) if why == NO_SUCH_FILE => {
                (None, Some(format!("{why} \"{}\"", shown(&path.to_string_lossy()))))
            }
            Err(why) => (None, Some(why)),
        };
        let mesh = (Arc::new(Mesh { path: path.to_owned(), hull }), why);
        self.read.insert(path.to_owned(), mesh.clone());
        mesh
    }

    /// The file behind an address.
    fn resolved(&self, address: &str, folder: &Path) -> Result<PathBuf, String> {
        if let Some(path) = address.strip_prefix("file://") {
            return Ok(folder.join(path));
        }
        let Some(rest) = address.strip_prefix("package://") else {
            return match address.split_once("://") {
                Some((scheme, _)) => Err(format!("addresses of {scheme}:// are not known")),
                None => Ok(folder.join(address)),
            };
        };
        let (package, rest) = rest.split_once('/').unwrap_or((rest, ""));
        self.in_package(package, Path::new(rest), folder).ok_or_else(|| {
            "no such file in a package of that name, in the folders around the model or in \
             ROS_PACKAGE_PATH"
                .to_owned()
        })
    }

    /// A file of a package: in the nearest folder around the model that is that package or has it.
    fn in_package(&self, package: &str, rest: &Path, folder: &Path) -> Option<PathBuf> {
        let folder = std::fs::canonicalize(folder).ok()?;
        let around = folder.ancestors().chain(self.package_path.iter().map(PathBuf::as_path));
        for place in around {
            let inside = place.join(package).join(rest);
            if inside.is_file() {
                return Some(inside);
            }
            let here = place.join(rest);
            let named = || {
                place.file_name() == Some(OsStr::new(package))
                    || name_in_manifest(place).is_some_and(|name| name == package)
            };
            if here.is_file() && named() {
                return Some(here);
            }
        }
        None
    }
}

/// The hull of points that stand in the model's own file.
pub(super) fn mesh_of_points(points: &[Vec3<f64>]) -> (Arc<Mesh>, Option<String>) {
    let (hull, why) = match Hull::of_points(points) {
        Ok(hull) => (Some(hull), None),
        Err(error) => (None, Some(error.to_string())),
    };
    (Arc::new(Mesh { path: PathBuf::new(), hull }), why)
}

/// The name that a folder's `package.xml` gives it.
fn name_in_manifest(folder: &Path) -> Option<String> {
    let text = read_text(&folder.join("package.xml")).ok()?;
    let document = roxmltree::Document::parse(&text).ok()?;
    let name = document.root_element().children().find(|c| c.has_tag_name("name"))?;
    Some(name.text()?.trim().to_owned())
}

/// The hull of a mesh file, or why there is none.
fn hull_of_file(file: &Path) -> Result<Hull, String> {
    let ending = file.extension().and_then(OsStr::to_str).unwrap_or("").to_ascii_lowercase();
    if !matches!(&*ending, "stl" | "obj") {
        return Err(match &*ending {
            "" => "the file's name has no ending; STL and OBJ files are read".to_owned(),
            _ => format!("files of .{ending} are not read; use STL or OBJ"),
        });
    }
    let bytes = read_bytes(file)?;
    let loader = mesh_loader::Loader::default();
    let scene = match &*ending {
        "stl" => loader.load_stl_from_slice(&bytes, file),
        // Materials, which may be in other files, are not asked for.
        _ => loader.load_obj_from_slice_with_reader(&bytes, file, |_| Ok(Vec::new())),
    };
    let scene = scene.map_err(|error| format!("the file cannot be understood: {error}"))?;
    let vertices = scene.meshes.iter().flat_map(|mesh| &mesh.vertices);
    let points: Vec<Vec3<f64>> = vertices.map(|v| Vec3::from_f64(v.map(f64::from))).collect();
    Hull::of_points(&points).map_err(|error| error.to_string())
}

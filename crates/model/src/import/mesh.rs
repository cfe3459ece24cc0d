//! Mesh files: finding them, and their convex hulls.
//!
//! [`mesh_file`] reads them. A mesh that cannot be read is not an error: the shape keeps its file's
//! name and touches nothing, and the report says why.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gradbody_math::Vec3;

use super::{on_one_line, read_text};
use crate::{Hull, Mesh, mesh_file};

/// A mesh that a model's file refers to.
#[derive(Clone)]
pub(super) struct Found {
    /// The mesh.
    pub(super) mesh: Arc<Mesh>,
    /// Its file, an absolute path; `None` if there is no such file.
    pub(super) file: Option<PathBuf>,
    /// Why it has no hull, if so.
    pub(super) problem: Option<String>,
}

/// The meshes of a model; each file is read once.
pub(super) struct MeshFiles {
    /// The folder of the model's file; `None` if there is no such file.
    folder: Option<PathBuf>,
    /// Folders to search for packages, besides those around the model's.
    package_path: Vec<PathBuf>,
    /// By the path as written.
    read: HashMap<PathBuf, Found>,
    /// Those that were only looked for, in the same way.
    unread: HashMap<PathBuf, Found>,
}

impl MeshFiles {
    /// The meshes of the model in `file`.
    pub(super) fn of(file: &Path) -> MeshFiles {
        let folder = match file.parent() {
            Some(folder) if folder == Path::new("") => Path::new("."),
            Some(folder) => folder,
            None => Path::new("."),
        };
        // A text that is not from a file has no folder, whatever its name.
        Self::of_folder(file.is_file().then(|| folder.to_owned()))
    }

    /// The meshes of a model in a folder.
    fn of_folder(folder: Option<PathBuf>) -> MeshFiles {
        let listed = |variable: &str| {
            let paths = std::env::var_os(variable).unwrap_or_default();
            let paths: Vec<PathBuf> = std::env::split_paths(&paths).collect();
            paths.into_iter().filter(|path| !path.as_os_str().is_empty())
        };
        let mut package_path: Vec<PathBuf> = listed("ROS_PACKAGE_PATH").collect();
        package_path.extend(listed("AMENT_PREFIX_PATH").map(|prefix| prefix.join("share")));
        MeshFiles { folder, package_path, read: HashMap::new(), unread: HashMap::new() }
    }

    /// The mesh at a path relative to the model's folder.
    pub(super) fn at_path(&mut self, path: &Path) -> Found {
        self.mesh(path, |_, folder| Ok(folder.join(path)))
    }

    /// [`at_path`](Self::at_path) without reading it.
    pub(super) fn unread(&self, path: PathBuf) -> Found {
        let named = !path.as_os_str().is_empty();
        let file = self.folder.as_ref().filter(|_| named).and_then(|f| existing(&f.join(&path)));
        Found { mesh: Arc::new(Mesh { path, hull: None }), file, problem: None }
    }

    /// The mesh that a URDF refers to: by a path, or by the address of a package or a file.
    pub(super) fn at_address(&mut self, address: &str) -> Found {
        self.mesh(Path::new(address), |files, folder| files.resolved(address, folder))
    }

    /// [`at_address`](Self::at_address) without reading it.
    pub(super) fn unread_at_address(&mut self, address: &str) -> Found {
        let path = Path::new(address);
        if let Some(known) = self.read.get(path).or_else(|| self.unread.get(path)) {
            return Found { problem: None, ..known.clone() };
        }
        let place = self.folder.as_ref().and_then(|folder| self.resolved(address, folder).ok());
        let file = place.and_then(|file| existing(&file));
        let mesh = Arc::new(Mesh { path: path.to_owned(), hull: None });
        let found = Found { mesh, file, problem: None };
        self.unread.insert(path.to_owned(), found.clone());
        found
    }

    fn mesh(
        &mut self,
        path: &Path,
        find: impl FnOnce(&Self, &Path) -> Result<PathBuf, String>,
    ) -> Found {
        if let Some(known) = self.read.get(path) {
            return known.clone();
        }
        let place = match &self.folder {
            Some(folder) => find(self, folder),
            None => Err("the model has no folder in which to look for it".to_owned()),
        };
        let file = place.as_ref().ok().and_then(|file| existing(file));
        let (hull, problem) = match place.and_then(|file| hull_of_file(&file)) {
            Ok(hull) => (Some(hull), None),
            Err(why) => (None, Some(why)),
        };
        let found = Found { mesh: Arc::new(Mesh { path: path.to_owned(), hull }), file, problem };
        self.read.insert(path.to_owned(), found.clone());
        found
    }

    /// The file at an address.
    fn resolved(&self, address: &str, folder: &Path) -> Result<PathBuf, String> {
        if let Some(path) = address.strip_prefix("file://") {
            return Ok(folder.join(percent_decoded(path)?));
        }
        let Some(rest) = address.strip_prefix("package://") else {
            return match address.split_once("://") {
                Some((scheme, _)) => Err(format!("{scheme}:// addresses are not supported")),
                None => Ok(folder.join(address)),
            };
        };
        // Some files have one slash too many before the name.
        let trimmed = rest.trim_start_matches('/');
        let unnamed = trimmed.len() < rest.len() || trimmed.is_empty();
        let (package, rest) = trimmed.split_once('/').unwrap_or((trimmed, ""));
        let rest = rest.trim_start_matches('/');
        self.in_package(package, Path::new(rest), folder).ok_or_else(|| {
            if unnamed {
                return "the address names no package; write package://NAME/FILE".to_owned();
            }
            format!(
                "no file \"{}\" in a package \"{}\", in the folders around the model, in \
                 ROS_PACKAGE_PATH or in AMENT_PREFIX_PATH",
                on_one_line(rest),
                on_one_line(package)
            )
        })
    }

    /// A file of a package: in the nearest folder around the model that is the package or contains it.
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

/// The absolute path of the file that a model in `folder` refers to by a path or an address.
pub(crate) fn file_at(address: &str, folder: &Path) -> Option<PathBuf> {
    let files = MeshFiles::of_folder(None);
    files.resolved(address, folder).ok().and_then(|file| existing(&file))
}

/// The absolute path of a file that exists.
fn existing(file: &Path) -> Option<PathBuf> {
    file.is_file().then(|| std::fs::canonicalize(file).ok()).flatten()
}

/// The path in a file address: `%20` is a space, and so on.
fn percent_decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digit = |i: usize| after.get(i).and_then(|c| char::from(*c).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((16 * high + low) as u8);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).map_err(|_| "the address is not UTF-8 text".to_owned())
}

/// The hull of points given in the model's own file.
pub(super) fn mesh_of_points(points: &[Vec3<f64>]) -> Found {
    let (hull, problem) = match Hull::of_points(points) {
        Ok(hull) => (Some(hull), None),
        Err(error) => (None, Some(error.to_string())),
    };
    Found { mesh: Arc::new(Mesh { path: PathBuf::new(), hull }), file: None, problem }
}

/// The name of a package, from its folder's `package.xml`.
fn name_in_manifest(folder: &Path) -> Option<String> {
    let text = read_text(&folder.join("package.xml")).ok()?;
    let document = roxmltree::Document::parse(&text).ok()?;
    let name = document.root_element().children().find(|c| c.has_tag_name("name"))?;
    Some(name.text()?.trim().to_owned())
}

/// The hull of a mesh file, or the reason why there is none.
fn hull_of_file(file: &Path) -> Result<Hull, String> {
    Hull::of_points(&mesh_file::vertices(file)?).map_err(|error| error.to_string())
}

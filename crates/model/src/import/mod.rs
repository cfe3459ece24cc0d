//! Models from files: URDF and MJCF.
//!
//! Whatever a file says that the simulation does not use is listed in the [`ImportReport`], never
//! dropped silently; `strict` turns that into an error. Messages carry file, line and element.

mod finish;
mod mesh;
mod mjcf;
mod notes;
mod urdf;
mod xml;

pub(crate) use finish::undefined_without_armature;
pub(crate) use mesh::mesh_file;
pub(crate) use mjcf::{FILE_POSE, Kind};
pub(crate) use urdf::surface::{BULLET_STEP, DAMPING_DEPTH};
pub(crate) use xml::on_one_line;

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::Model;

/// How to read a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImportOptions {
    /// Whether a URDF's root link moves.
    pub base: Base,
    /// Refuse a file that has anything the simulation does not use.
    pub strict: bool,
    /// Replace impossible inertias by the nearest possible ones, and say so, instead of refusing.
    pub repair_inertia: bool,
    /// Let a joint that mimics another move on its own, and say so, instead of refusing.
    pub free_mimic: bool,
}

/// How a URDF's root link is held; the file format does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// Free if the root (with what is fixed to it) has mass and is not an arm, that is, does not
    /// carry exactly one moving joint; else fixed. What was assumed stands in the report.
    #[default]
    Auto,
    /// Fixed to the world.
    Fixed,
    /// Free, on a joint named `root`.
    Free,
}

/// A model and what its file said beyond it.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The model.
    pub model: Model<f64>,
    /// What was not used, approximated or assumed.
    pub report: ImportReport,
}

/// What became of the parts of a file that are not simply simulated.
#[derive(Clone, Debug, Default)]
pub struct ImportReport {
    /// What kind of file it was.
    pub format: Format,
    /// In the order of the file.
    pub notes: Vec<Note>,
}

/// A kind of model file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// A robot alone; it says neither what it stands on nor which of its bodies collide.
    #[default]
    Urdf,
    /// A whole scene.
    Mjcf,
}

/// One remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What kind of remark.
    pub kind: NoteKind,
    /// File it is about.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// The element, as `joint "knee"`.
    pub element: String,
    /// What was done.
    pub what: String,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// Not simulated. An error under `strict`.
    Ignored,
    /// Simulated by something near it. An error under `strict`.
    Approximated,
    /// The file leaves it open; this was assumed.
    Assumed,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = on_one_line(&self.what);
        write!(f, "{}:{}: {}: {what}", self.file.display(), self.line, self.element)
    }
}

/// Why a file could not be used. Displays as `robot.urdf:41: joint "knee": what is wrong`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The file.
    pub file: PathBuf,
    /// Line, from 1; none if the trouble has no place in the file.
    pub line: Option<u32>,
    /// The element, as `joint "knee"`; empty if none.
    pub element: String,
    /// What is wrong, with a hint where there is one.
    pub message: String,
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.element.is_empty() {
            write!(f, ": {}", self.element)?;
        }
        write!(f, ": {}", on_one_line(&self.message))
    }
}

impl std::error::Error for ImportError {}

/// Reads a URDF or MJCF file, by its root element.
pub fn load(path: impl AsRef<Path>, options: &ImportOptions) -> Result<Imported, ImportError> {
    let path = path.as_ref();
    let problem = |message: String| ImportError {
        file: path.to_owned(),
        line: None,
        element: String::new(),
        message,
    };
    let text = read_text(path).map_err(problem)?;
    from_text(&text, path, options)
}

/// What is said of a file that is not there.
const NO_SUCH_FILE: &str = "no such file";

/// The most that is read of a file [bytes].
const LARGEST_FILE: u64 = 256 << 20;

/// The text of a file, or what is wrong with it.
fn read_text(path: &Path) -> Result<String, String> {
    String::from_utf8(read_bytes(path)?).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        format!("not UTF-8 text (byte {at}); save it as UTF-8")
    })
}

/// What is in a file, or what is wrong with it. Pipes and devices, which may never end, are not
/// read.
fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::NotFound => NO_SUCH_FILE.to_owned(),
        _ => format!("cannot be read: {e}"),
    };
    // Before it is opened: opening a pipe waits for its other end.
    let about = std::fs::metadata(path).map_err(failed)?;
    if about.is_dir() {
        return Err("this is a folder, not a file".into());
    }
    if !about.is_file() {
        return Err("this is a device or a pipe, not a file".into());
    }
    let too_large = || Err(format!("larger than {} MiB, which is no robot", LARGEST_FILE >> 20));
    if about.len() > LARGEST_FILE {
        return too_large();
    }
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    // It may have more than the file system says.
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return too_large();
    }
    Ok(bytes)
}

/// Reads a URDF or MJCF text, by its root element. `file` is used in messages, to find the files
/// that an MJCF includes, and, if there is a file of that name, to find meshes.
pub fn from_text(
    text: &str,
    file: &Path,
    options: &ImportOptions,
) -> Result<Imported, ImportError> {
    let document = xml::Document::parse(text, file)?;
    let root = document.root();
    match root.tag() {
        "robot" => urdf::import(root, options),
        "mujoco" => mjcf::import(text, file, options),
        tag => {
            let known = "use a URDF file (<robot>) or an MJCF file (<mujoco>)";
            let tag = xml::shown(tag);
            let message = format!("a file of <{tag}> cannot be read; {known}");
            Err(ImportError { element: String::new(), ..root.error(message) })
        }
    }
}

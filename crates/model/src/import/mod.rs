//! Reading models from files: URDF and MJCF.
//!
//! The [`ImportReport`] lists everything in a file that the simulation does not use; nothing is dropped silently.
//! `strict` makes that an error. Messages carry file, line and element.

mod finish;
mod mesh;
mod mjcf;
mod notes;
mod urdf;
mod xml;

pub(crate) use finish::undefined_without_armature;
pub(crate) use mesh::file_at;
pub(crate) use mjcf::{FILE_POSE, Kind};
pub(crate) use urdf::surface::{BULLET_STEP, DAMPING_DEPTH};
pub(crate) use xml::on_one_line;

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::Model;

/// Options for reading a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImportOptions {
    /// Whether a URDF's root link moves.
    pub base: Base,
    /// Refuse a file with anything that the simulation does not use.
    pub strict: bool,
    /// Replace impossible inertias by the nearest possible ones, with a note, instead of refusing the file.
    pub repair_inertia: bool,
    /// Let a joint that mimics another move independently, with a note, instead of refusing the file.
    pub free_mimic: bool,
}

/// Whether a URDF's root link is free or fixed; the file format does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// Free if the root (with everything fixed to it) has mass and is not the base of an arm, that is, does not carry
    /// exactly one moving joint; otherwise fixed. The report says what was assumed.
    #[default]
    Auto,
    /// Fixed to the world.
    Fixed,
    /// Free, on a joint named `root`.
    Free,
}

/// A model, and the report of its import.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The model.
    pub model: Model<f64>,
    /// What was not used, approximated or assumed.
    pub report: ImportReport,
}

/// Notes on the parts of a file that are not simulated as they are.
#[derive(Clone, Debug, Default)]
pub struct ImportReport {
    /// The kind of file.
    pub format: Format,
    /// The notes, in the order of the file.
    pub notes: Vec<Note>,
}

/// A kind of model file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// A single robot. The file says neither what it stands on nor which of its bodies collide.
    #[default]
    Urdf,
    /// A whole scene.
    Mjcf,
}

/// A note about one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The kind of note.
    pub kind: NoteKind,
    /// The file.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// The element, as `joint "knee"`.
    pub element: String,
    /// What was done.
    pub what: String,
}

/// The kind of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// Not simulated. An error under `strict`.
    Ignored,
    /// Simulated approximately. An error under `strict`.
    Approximated,
    /// The file does not specify it; this was assumed.
    Assumed,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = on_one_line(&self.what);
        write!(f, "{}:{}: {}: {what}", self.file.display(), self.line, self.element)
    }
}

/// Why a file could not be read. Displays as `robot.urdf:41: joint "knee": what is wrong`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The file.
    pub file: PathBuf,
    /// Line, from 1; `None` if the problem is not at a line.
    pub line: Option<u32>,
    /// The element, as `joint "knee"`; empty if there is none.
    pub element: String,
    /// What is wrong, with a hint if there is one.
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

/// Reads a URDF or MJCF file; the root element decides which.
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

/// The message for a missing file.
const NO_SUCH_FILE: &str = "no such file";

/// Size of the largest file that is read [bytes].
const LARGEST_FILE: u64 = 256 << 20;

/// The text of a file, or why it cannot be read; pipes, devices and files of other than UTF-8 text are refused.
pub fn read_text(path: &Path) -> Result<String, String> {
    String::from_utf8(read_bytes(path)?).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        format!("not UTF-8 text (byte {at}); save it as UTF-8")
    })
}

/// The contents of a file, or why it cannot be read. Pipes and devices, which may never end, are refused.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::NotFound => NO_SUCH_FILE.to_owned(),
        _ => format!("cannot be read: {e}"),
    };
    // Checked before opening: opening a pipe waits for its other end.
    let about = std::fs::metadata(path).map_err(failed)?;
    if about.is_dir() {
        return Err("this is a folder, not a file".into());
    }
    if !about.is_file() {
        return Err("this is a device or a pipe, not a file".into());
    }
    let too_large =
        || Err(format!("larger than {} MiB, too large for a robot file", LARGEST_FILE >> 20));
    if about.len() > LARGEST_FILE {
        return too_large();
    }
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    // The file may be larger than the file system says.
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return too_large();
    }
    Ok(bytes)
}

/// Reads a URDF or MJCF text; the root element decides which. `file` is used in messages, to find the files that an
/// MJCF includes, and, if a file of that name exists, to find meshes.
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
            let message = format!("a file with the root element <{tag}> cannot be read; {known}");
            Err(ImportError { element: String::new(), ..root.error(message) })
        }
    }
}

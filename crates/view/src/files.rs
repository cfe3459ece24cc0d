//! Whether files have changed on disk.

use std::path::PathBuf;
use std::time::SystemTime;

/// Files, and when they were last written.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    files: Vec<(PathBuf, Option<(SystemTime, u64)>)>,
}

impl Files {
    /// As they are now.
    pub(crate) fn new(files: Vec<PathBuf>) -> Self {
        Files { files: files.into_iter().map(|file| (file.clone(), written(&file))).collect() }
    }

    /// Whether one has changed since the last call. A file that is gone may be about to be replaced, and counts once it
    /// is back.
    pub(crate) fn changed(&mut self) -> bool {
        let mut changed = false;
        for (file, known) in &mut self.files {
            let now = written(file);
            if now.is_some() && now != *known {
                *known = now;
                changed = true;
            }
        }
        changed
    }
}

/// When a file was last written, and its length.
fn written(file: &PathBuf) -> Option<(SystemTime, u64)> {
    let about = std::fs::metadata(file).ok()?;
    Some((about.modified().ok()?, about.len()))
}

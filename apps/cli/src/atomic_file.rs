//! Files that appear complete or not at all.
//!
//! What is written goes to a hidden file beside the target, which takes the target's name when all
//! of it is there. If that never happens the hidden file goes away and the target is as it was.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// A file being written.
#[derive(Debug)]
pub(crate) struct AtomicFile {
    writer: BufWriter<File>,
    /// Where it is written, if not in place.
    temporary: Option<PathBuf>,
    target: PathBuf,
}

impl AtomicFile {
    /// Starts a file that will be at `path`. The folder must exist.
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        let problem = || format!("{}: cannot be written", path.display());
        // Through links, so that the link stays one.
        let target = match path.exists() {
            true => fs::canonicalize(path).with_context(problem)?,
            false => path.to_owned(),
        };
        if target.is_dir() {
            bail!("{}: this is a folder; name a file in it", path.display());
        }
        // A device or a pipe cannot be replaced, only written to.
        if target.exists() && !target.is_file() {
            let file = OpenOptions::new().write(true).open(&target).with_context(problem)?;
            return Ok(AtomicFile { writer: BufWriter::new(file), temporary: None, target });
        }
        let Some(name) = target.file_name() else {
            bail!("{}: this names no file", path.display());
        };
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.tmp", std::process::id()));
        let temporary = target.with_file_name(hidden);
        let folder_exists = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.is_dir(),
            _ => true,
        };
        if !folder_exists {
            bail!("{}: its folder does not exist", path.display());
        }
        let file = File::create(&temporary).with_context(problem)?;
        Ok(AtomicFile { writer: BufWriter::new(file), temporary: Some(temporary), target })
    }

    /// Makes it appear under its name.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        let target = self.target.clone();
        let problem = || format!("{}: cannot be written", target.display());
        self.writer.flush().with_context(problem)?;
        if let Some(temporary) = &self.temporary {
            fs::rename(temporary, &self.target).with_context(problem)?;
            self.temporary = None;
        }
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Writes a whole file at once, complete or not at all.
pub(crate) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes())
        .with_context(|| format!("{}: cannot be written", path.display()))?;
    file.finish()
}

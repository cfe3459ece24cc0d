//! Files that appear complete or not at all.
//!
//! What is written goes to a hidden file beside the target, which takes the target's name when all
//! of it is there. If that never happens the hidden file goes away and the target is as it was.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// A file being written.
pub struct AtomicFile {
    writer: BufWriter<Box<dyn Write>>,
    /// Where it is written, if not in place, and the file there.
    temporary: Option<(PathBuf, File)>,
    target: PathBuf,
}

impl AtomicFile {
    /// Starts a file that will be at `path`. The folder must exist.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let problem = || format!("{}: cannot be written", path.display());
        if is_stdout(path) {
            return Ok(Self::in_place(path, Box::new(io::stdout())));
        }
        // A device or a pipe cannot be replaced, only written to. Its name is taken as it is: that
        // of an open pipe leads through a link to what is no path.
        if fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            let file = OpenOptions::new().write(true).open(path).with_context(problem)?;
            return Ok(Self::in_place(path, Box::new(file)));
        }
        // Through links, so that the link stays one.
        let target = match path.exists() {
            true => fs::canonicalize(path).with_context(problem)?,
            false => path.to_owned(),
        };
        if target.is_dir() {
            bail!("{}: this is a folder; name a file in it", path.display());
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
        // Never one that is already being written to.
        let file = File::create_new(&temporary).with_context(problem)?;
        let same = file.try_clone().with_context(problem)?;
        let writer = BufWriter::new(Box::new(same) as Box<dyn Write>);
        Ok(AtomicFile { writer, temporary: Some((temporary, file)), target })
    }

    fn in_place(path: &Path, file: Box<dyn Write>) -> Self {
        AtomicFile { writer: BufWriter::new(file), temporary: None, target: path.to_owned() }
    }

    /// Makes it appear under its name.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let target = self.target.clone();
        let problem = || format!("{}: cannot be written", target.display());
        self.writer.flush().with_context(problem)?;
        if let Some((temporary, file)) = &self.temporary {
            // A name must not be on the disk before what it names.
            file.sync_all().with_context(problem)?;
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
        if let Some((temporary, _)) = &self.temporary {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// True for the names that our own standard output goes by.
fn is_stdout(path: &Path) -> bool {
    let names = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    cfg!(unix) && names.iter().any(|name| path == Path::new(name))
}

/// Where to tell of what was written to `path`: stdout, or stderr if stdout was written to.
pub fn messages(path: &Path) -> Box<dyn Write> {
    match is_stdout(path) {
        true => Box::new(io::stderr()),
        false => Box::new(io::stdout()),
    }
}

/// Makes a folder to write into, and those around it, unless it is there.
pub fn make_folder(path: &Path) -> anyhow::Result<()> {
    if path.exists() && !path.is_dir() {
        bail!("{}: this is a file; name a folder", path.display());
    }
    fs::create_dir_all(path).with_context(|| format!("{}: cannot be made", path.display()))
}

/// Writes a whole file at once, complete or not at all.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes())
        .with_context(|| format!("{}: cannot be written", path.display()))?;
    file.finish()
}

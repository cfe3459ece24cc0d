//! Files that appear complete or not at all.
//!
//! The text goes to a hidden file beside the target, which is renamed to the target once it is complete. If writing
//! fails, the hidden file is removed and the target is unchanged.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use tempfile::NamedTempFile;

/// A file being written.
pub struct AtomicFile {
    writer: BufWriter<Box<dyn Write>>,
    /// The hidden file; none when writing in place. Dropping it deletes the file.
    temporary: Option<NamedTempFile>,
    target: PathBuf,
}

impl AtomicFile {
    /// Starts a file that will be at `path`. The folder must exist.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let problem = || format!("{}: cannot be written", path.display());
        if is_stdout(path) {
            return Ok(Self::in_place(path, Box::new(io::stdout())));
        }
        // A device or a pipe cannot be replaced, only written to. Its name is not resolved: the name of an open pipe
        // links to something that is not a path.
        if fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            let file = OpenOptions::new().write(true).open(path).with_context(problem)?;
            return Ok(Self::in_place(path, Box::new(file)));
        }
        // Follow a link, so that its target is replaced and the link stays.
        let target = match path.exists() {
            true => fs::canonicalize(path).with_context(problem)?,
            false => path.to_owned(),
        };
        if target.is_dir() {
            bail!("{}: this is a folder; name a file in it", path.display());
        }
        let Some(name) = target.file_name() else {
            bail!("{}: this does not name a file", path.display());
        };
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            bail!("{}: its folder does not exist", path.display());
        }
        // The process id in the name tells whether the writer is still running.
        let (prefix, suffix) =
            (format!(".{}.", name.to_string_lossy()), format!(".{}.tmp", std::process::id()));
        let mut hidden = tempfile::Builder::new();
        // Created with an ordinary file's permissions.
        let temporary = hidden
            .prefix(&prefix)
            .suffix(&suffix)
            .make_in(folder, |path| File::create_new(path))
            .with_context(problem)?;
        let same = temporary.as_file().try_clone().with_context(problem)?;
        let writer = BufWriter::new(Box::new(same) as Box<dyn Write>);
        Ok(AtomicFile { writer, temporary: Some(temporary), target })
    }

    fn in_place(path: &Path, file: Box<dyn Write>) -> Self {
        AtomicFile { writer: BufWriter::new(file), temporary: None, target: path.to_owned() }
    }

    /// Completes the file and gives it its name.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let target = self.target;
        let problem = || format!("{}: cannot be written", target.display());
        self.writer.flush().with_context(problem)?;
        if let Some(temporary) = self.temporary {
            // The contents must reach the disk before the name.
            temporary.as_file().sync_all().with_context(problem)?;
            temporary.persist(&target).map_err(|failed| failed.error).with_context(problem)?;
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

/// True for the names of our own standard output.
fn is_stdout(path: &Path) -> bool {
    let names = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    cfg!(unix) && names.iter().any(|name| path == Path::new(name))
}

/// Where to print messages after writing to `path`: stdout, or stderr if `path` is stdout.
pub fn messages(path: &Path) -> Box<dyn Write> {
    match is_stdout(path) {
        true => Box::new(io::stderr()),
        false => Box::new(io::stdout()),
    }
}

/// Creates a folder and its parents, unless they exist.
pub fn make_folder(path: &Path) -> anyhow::Result<()> {
    if path.exists() && !path.is_dir() {
        bail!("{}: this is a file; name a folder", path.display());
    }
    fs::create_dir_all(path).with_context(|| format!("{}: cannot be created", path.display()))
}

/// Writes a whole file at once, complete or not at all.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes())
        .with_context(|| format!("{}: cannot be written", path.display()))?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_and_as_an_ordinary_one_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let (whole, ordinary) = (folder.path().join("whole"), folder.path().join("ordinary"));
        let mut broken_off = AtomicFile::create(&whole).expect("begun");
        broken_off.write_all(b"half").expect("written");
        drop(broken_off);
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
        write(&whole, "first").expect("written");
        write(&whole, "second").expect("written");
        assert_eq!(fs::read_to_string(&whole).expect("a file"), "second");
        fs::write(&ordinary, "").expect("written");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2);
        let permissions = |path| fs::metadata(path).expect("a file").permissions();
        assert_eq!(permissions(&whole), permissions(&ordinary));
    }
}

//! The folder that long work writes to. Each file in it is complete or absent, one process at a time writes, and a
//! checkpoint, which is only read whole, lets the work be resumed.

mod lock;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use gradbody::learn::data::Fingerprint;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::atomic_file::{self, AtomicFile};

pub use lock::Lock;

const CHECKPOINT: &str = "checkpoint.json";
/// A checkpoint that is not text.
const BINARY_CHECKPOINT: &str = "checkpoint.bin";

/// A folder with the results of long work.
#[derive(Clone, Debug)]
pub(crate) struct OutFolder {
    path: PathBuf,
    /// What the work is, such as "fit".
    work: &'static str,
}

impl OutFolder {
    /// Refuses a folder, which need not exist, in which results would replace files of the user: one of `inputs`, or a file
    /// with the name of a result where this program has not worked yet.
    pub(crate) fn refuse_foreign(
        path: &Path,
        results: &[&str],
        inputs: &[PathBuf],
    ) -> anyhow::Result<()> {
        let is_ours = path.join(lock::LOCK).exists() || Self::has_checkpoint(path);
        for file in results.iter().map(|file| path.join(file)) {
            let Ok(whole) = file.canonicalize() else { continue };
            let is_input = |input: &PathBuf| input.canonicalize().is_ok_and(|of| of == whole);
            if inputs.iter().any(is_input) || !is_ours {
                bail!(
                    "{}: this file is not a result, and one would replace it; choose another --out",
                    file.display()
                );
            }
        }
        Ok(())
    }

    /// Refuses to replace the results of earlier `work` whose checkpoint is gone.
    pub(crate) fn refuse_results(path: &Path, results: &[&str], work: &str) -> anyhow::Result<()> {
        if !Self::has_checkpoint(path) && results.iter().any(|file| path.join(file).exists()) {
            bail!(
                "{}: already contains results of a {work}, but not its checkpoint; --restart replaces them, or choose \
                 another --out",
                path.display()
            );
        }
        Ok(())
    }

    /// Creates the folder if needed and locks it. Fails if another process is writing into it.
    pub(crate) fn open(path: &Path, work: &'static str) -> anyhow::Result<(Self, Lock)> {
        atomic_file::make_folder(path)?;
        let lock = Lock::take(path, work)?;
        let folder = OutFolder { path: path.to_owned(), work };
        folder.sweep();
        Ok((folder, lock))
    }

    /// A folder that exists.
    pub(crate) fn existing(path: &Path, work: &'static str) -> anyhow::Result<Self> {
        if !path.exists() {
            bail!("{}: no such folder", path.display());
        }
        if !path.is_dir() {
            bail!("{}: this is a file; name the folder of a {work}", path.display());
        }
        Ok(OutFolder { path: path.to_owned(), work })
    }

    /// Removes unfinished files that a killed process left.
    fn sweep(&self) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(process) = name.to_str().and_then(|name| {
                name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.').map(|(_, id)| id)
            }) else {
                continue;
            };
            // Without /proc the writer is assumed to be running.
            let lives =
                !Path::new("/proc/self").exists() || Path::new("/proc").join(process).exists();
            if process.parse::<u32>().is_ok() && !lives {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Removes earlier results and the checkpoint, so that the files of two works never mix.
    pub(crate) fn clear(&self, results: &[&str]) -> anyhow::Result<()> {
        for file in results.iter().chain([&CHECKPOINT, &BINARY_CHECKPOINT]) {
            let path = self.path(file);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(error)
                        .with_context(|| format!("{}: cannot be removed", path.display()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Path of a file in this folder; of the folder itself for an empty name.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.path.join(file)
    }

    /// Writes a file.
    pub(crate) fn write(&self, file: &str, text: &str) -> anyhow::Result<()> {
        atomic_file::write(&self.path(file), text)
    }

    /// The saved work, if there is some.
    pub(crate) fn checkpoint<T: DeserializeOwned>(&self) -> anyhow::Result<Option<T>> {
        let path = self.path(CHECKPOINT);
        if !path.exists() {
            return Ok(None);
        }
        let problem = || format!("{}: cannot be read", path.display());
        let text = fs::read_to_string(&path).with_context(problem)?;
        let other = || format!("{}: this is not a checkpoint of this version", path.display());
        let (checksum, journal) = opened(&text).with_context(other)?;
        if checksum != checksum_of(journal) {
            bail!(
                "{}: the file is damaged: its checksum does not match its contents. Nothing was changed; {} again with \
                 --restart, or into another folder with --out",
                path.display(),
                self.work
            );
        }
        Ok(Some(serde_json::from_str(journal).with_context(other)?))
    }

    /// True if a folder, which need not exist, contains a checkpoint.
    pub(crate) fn has_checkpoint(path: &Path) -> bool {
        [CHECKPOINT, BINARY_CHECKPOINT].iter().any(|file| path.join(file).exists())
    }

    /// The saved work as bytes, if there is some; they are checked by who wrote them.
    pub(crate) fn binary_checkpoint(&self) -> anyhow::Result<Option<(PathBuf, Vec<u8>)>> {
        let path = self.path(BINARY_CHECKPOINT);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some((path, bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("{}: cannot be read", path.display())),
        }
    }

    /// Saves the work as bytes.
    pub(crate) fn write_binary_checkpoint(
        &self,
        write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let path = self.path(BINARY_CHECKPOINT);
        let mut file = AtomicFile::create(&path)?;
        write(&mut file).with_context(|| format!("{}: cannot be written", path.display()))?;
        file.finish()
    }

    /// Saves the work.
    pub(crate) fn write_checkpoint(&self, journal: &impl Serialize) -> anyhow::Result<()> {
        self.write(CHECKPOINT, &sealed(&serde_json::to_string(journal)?))
    }
}

/// The text of a checkpoint: the journal's JSON after its checksum.
fn sealed(journal: &str) -> String {
    format!("{BEFORE_CHECKSUM}{}{BEFORE_JOURNAL}{journal}{AFTER_JOURNAL}", checksum_of(journal))
}

/// The checksum that a checkpoint states, and the text of its journal. None if the text is not a checkpoint.
fn opened(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix(BEFORE_CHECKSUM)?;
    let (checksum, rest) = rest.split_once(BEFORE_JOURNAL)?;
    Some((checksum, rest.strip_suffix(AFTER_JOURNAL)?))
}

const BEFORE_CHECKSUM: &str = "{\"checksum\":\"";
const BEFORE_JOURNAL: &str = "\",\"journal\":";
const AFTER_JOURNAL: &str = "}\n";

/// Detects a changed or missing byte.
fn checksum_of(journal: &str) -> String {
    let print = Fingerprint::new(CHECKPOINT, journal.as_bytes());
    format!("{:016x}", print.hash)
}

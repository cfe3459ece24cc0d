//! Only one process at a time writes into a folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail};

/// The file that is locked.
pub(super) const LOCK: &str = "lock";

/// While this exists, no other process can write into the folder. The system releases the lock when the process ends,
/// however it ends; the lock file stays and does no harm.
#[derive(Debug)]
pub struct Lock {
    _file: Option<File>,
}

impl Lock {
    /// Fails if another process is writing into this folder. `work` is what it does, such as "fit".
    pub(crate) fn take(folder: &Path, work: &str) -> anyhow::Result<Self> {
        let path = folder.join(LOCK);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .with_context(|| format!("{}: cannot be written", path.display()))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => bail!(
                "{}: another {work} is writing into this folder; wait until it ends, or choose another --out",
                folder.display()
            ),
            // Some network drives have no locks; go on without one.
            Err(TryLockError::Error(error)) => {
                let _ = writeln!(io::stderr(), "note: {}: not locked: {error}", folder.display());
                Ok(Lock { _file: None })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lock;

    #[test]
    fn a_folder_is_ones_until_it_is_let_go() {
        let folder = std::env::temp_dir().join(format!("gradbody-lock-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let first = Lock::take(&folder, "fit").expect("free");
        let error = Lock::take(&folder, "fit").expect_err("taken").to_string();
        assert!(error.contains("another fit is writing into this folder"), "{error}");
        drop(first);
        Lock::take(&folder, "fit").expect("free again");
        std::fs::remove_dir_all(folder).expect("removed");
    }
}

//! Saves each part of a long experiment, so that an interrupted run can resume.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context as _;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use gradbody_cli::atomic_file;

/// The folder that holds the saved parts until the experiment has ended.
pub(super) struct Parts {
    folder: PathBuf,
    /// Identifies program, settings and data; a part saved with another value is computed again.
    what: String,
    /// The number of parts read, and the number rejected because they belong to another run.
    found: AtomicUsize,
    others: AtomicUsize,
}

#[derive(Serialize, Deserialize)]
struct KeptPart<T> {
    of: String,
    found: T,
}

impl Parts {
    /// Parts in `folder`; `what` identifies the program and its settings.
    pub(super) fn of(folder: PathBuf, what: String) -> Self {
        Parts { folder, what, found: AtomicUsize::new(0), others: AtomicUsize::new(0) }
    }

    /// The folder of the experiment's results.
    pub(super) fn results(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }

    /// Reads a saved part, or computes and saves it.
    pub(super) fn get<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        make: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let path = self.folder.join(format!("{name}.json"));
        let kept = fs::read_to_string(&path).ok();
        let is_there = kept.is_some();
        let kept = kept.and_then(|text| serde_json::from_str::<KeptPart<T>>(&text).ok());
        if let Some(part) = kept.filter(|part| part.of == self.what) {
            if self.found.fetch_add(1, Ordering::Relaxed) == 0 {
                let shown = self.folder.display();
                writeln!(io::stderr(), "resuming from {shown}; delete it to start over")?;
            }
            return Ok(part.found);
        }
        if is_there && self.others.fetch_add(1, Ordering::Relaxed) == 0 {
            writeln!(
                io::stderr(),
                "starting over: the parts in {} belong to another program or data folder, or are damaged",
                self.folder.display()
            )?;
        }
        let found = make()?;
        atomic_file::make_folder(&self.folder)?;
        let part = KeptPart { of: self.what.clone(), found };
        atomic_file::write(&path, &serde_json::to_string(&part)?)?;
        Ok(part.found)
    }

    /// Deletes the parts, so that the next run starts from the beginning.
    pub(super) fn clear(&self) -> anyhow::Result<()> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("{}: cannot be deleted", self.folder.display()))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_part_is_made_once_for_each_setting() {
        let folder = std::env::temp_dir().join(format!("gradbody-parts-{}", std::process::id()));
        let made = Cell::new(0);
        let make = || {
            made.set(made.get() + 1);
            Ok(vec![1.5, -2.0])
        };
        let parts = Parts::of(folder.clone(), "quick".into());
        for _ in 0..2 {
            assert_eq!(parts.get("first", make).expect("a part"), [1.5, -2.0]);
        }
        assert_eq!(made.get(), 1, "kept");
        Parts::of(folder.clone(), "whole".into()).get("first", make).expect("a part");
        assert_eq!(made.get(), 2, "not that of another setting");
        parts.clear().expect("deleted");
        parts.clear().expect("nothing to delete");
        parts.get("first", make).expect("a part");
        assert_eq!(made.get(), 3, "nothing is left");
        fs::remove_dir_all(&folder).expect("deleted");
    }
}

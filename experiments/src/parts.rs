//! Parts of a long experiment, kept as they are done: one that was interrupted goes on where it was.

use std::cell::Cell;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use anyhow::Context as _;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use gradbody_cli::atomic_file;

/// The folder that parts are kept in until the experiment has ended.
pub(super) struct Parts {
    folder: PathBuf,
    /// What is run: parts of anything else are done again.
    what: String,
    /// How many were read, and how many were there that were of something else.
    found: Cell<usize>,
    others: Cell<usize>,
}

#[derive(Serialize, Deserialize)]
struct Part<T> {
    of: String,
    found: T,
}

impl Parts {
    /// Of an experiment that keeps its parts in `folder`; `what` says which program and settings it is run with.
    pub(super) fn of(folder: PathBuf, what: String) -> Self {
        Parts { folder, what, found: Cell::new(0), others: Cell::new(0) }
    }

    /// A part: read if it was done before, else made and kept.
    pub(super) fn get<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        make: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let path = self.folder.join(format!("{name}.json"));
        let kept = fs::read_to_string(&path).ok();
        let is_there = kept.is_some();
        let kept = kept.and_then(|text| serde_json::from_str::<Part<T>>(&text).ok());
        if let Some(part) = kept.filter(|part| part.of == self.what) {
            if self.found.replace(self.found.get() + 1) == 0 {
                let shown = self.folder.display();
                writeln!(
                    io::stderr(),
                    "going on with what is in {shown}; delete it to begin anew"
                )?;
            }
            return Ok(part.found);
        }
        if is_there && self.others.replace(self.others.get() + 1) == 0 {
            writeln!(
                io::stderr(),
                "beginning anew: what is in {} is of another program or another data folder, or broken",
                self.folder.display()
            )?;
        }
        let found = make()?;
        atomic_file::make_folder(&self.folder)?;
        let part = Part { of: self.what.clone(), found };
        atomic_file::write(&path, &serde_json::to_string(&part)?)?;
        Ok(part.found)
    }

    /// The experiment has ended: a next one begins anew.
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

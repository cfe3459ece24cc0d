//! Where a fit comes from: saved in its folder, so that the experiment's files can be found again.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, bail};
use gradbody::learn::Setup;
use gradbody::learn::data::Fingerprint;
use serde::{Deserialize, Serialize};

use super::FIT_AGAIN;

/// Where a fit comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Origin {
    /// The experiment's file.
    pub(crate) experiment: PathBuf,
    /// Folder of that file relative to the fit's folder; it stays valid if both are moved together.
    pub(crate) nearby: PathBuf,
    /// Fingerprint of the model's file; none if the model is built in.
    pub(crate) model: Option<Fingerprint>,
}

impl Origin {
    /// The origin of a fit of this experiment in `folder`, which must exist.
    pub(crate) fn new(experiment: &Path, setup: &Setup, folder: &Path) -> anyhow::Result<Self> {
        let whole = |path: &Path| {
            std::fs::canonicalize(path)
                .with_context(|| format!("{}: cannot be found", path.display()))
        };
        let experiment = whole(experiment)?;
        let beside = experiment.parent().unwrap_or(Path::new("/")).to_owned();
        let nearby = from(&whole(folder)?, &beside);
        let file = &setup.experiment.model.file;
        let model =
            std::fs::read(beside.join(file)).ok().map(|content| Fingerprint::new(file, &content));
        Ok(Origin { experiment, nearby, model })
    }

    /// Folder of the experiment's files, for a fit that is now in `folder`.
    pub(crate) fn files(&self, folder: &Path) -> PathBuf {
        let nearby = folder.join(&self.nearby);
        let name = self.experiment.file_name().unwrap_or_default();
        let known = self.experiment.parent().unwrap_or(Path::new("/"));
        match nearby.join(name).is_file() || !known.is_dir() {
            true => nearby,
            false => known.to_owned(),
        }
    }

    /// Fails if the model's file has changed.
    pub(crate) fn check_model(&self, files: &Path) -> anyhow::Result<()> {
        let Some(model) = &self.model else { return Ok(()) };
        let path = files.join(&model.file);
        let Ok(content) = std::fs::read(&path) else {
            bail!("{}: no such file; the fit used this model", path.display());
        };
        if Fingerprint::new(&model.file, &content) != *model {
            bail!("{}: has changed since this fit began; {FIT_AGAIN}", path.display());
        }
        Ok(())
    }
}

/// Relative path from one folder to another; both must be absolute.
fn from(here: &Path, there: &Path) -> PathBuf {
    let same = here.components().zip(there.components()).take_while(|(a, b)| a == b).count();
    let up = here.components().skip(same).map(|_| Component::ParentDir);
    up.chain(there.components().skip(same)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_from_a_folder_to_another() {
        for (here, there, way) in [
            ("/a/fit", "/a", ".."),
            ("/a", "/a", ""),
            ("/a/b/fit", "/a/c", "../../c"),
            ("/tmp/fit", "/home/robot", "../../home/robot"),
        ] {
            assert_eq!(from(Path::new(here), Path::new(there)), Path::new(way));
        }
    }
}

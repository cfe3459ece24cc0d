//! Where a fit comes from: what its folder remembers so that the experiment's files are found again.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, bail};
use gradbody::learn::Setup;
use gradbody::learn::data::Fingerprint;
use serde::{Deserialize, Serialize};

/// Where a fit comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Origin {
    /// The experiment's file.
    pub(crate) experiment: PathBuf,
    /// The folder of that file as the fit's folder sees it: found if both were moved together.
    pub(crate) nearby: PathBuf,
    /// The model's file as it was; none if the model is built in.
    pub(crate) model: Option<Fingerprint>,
}

impl Origin {
    /// That of a fit of this experiment that goes into a folder, which is there.
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

    /// The folder that the experiment's files are in, for a fit that is in this folder now.
    pub(crate) fn files(&self, folder: &Path) -> PathBuf {
        let nearby = folder.join(&self.nearby);
        let name = self.experiment.file_name().unwrap_or_default();
        let known = self.experiment.parent().unwrap_or(Path::new("/"));
        match nearby.join(name).is_file() || !known.is_dir() {
            true => nearby,
            false => known.to_owned(),
        }
    }

    /// Fails if the model's file in this folder is no longer what it was.
    pub(crate) fn check_model(&self, files: &Path) -> anyhow::Result<()> {
        let Some(model) = &self.model else { return Ok(()) };
        let path = files.join(&model.file);
        let Ok(content) = std::fs::read(&path) else {
            bail!("{}: no such file, but the fit is of this model", path.display());
        };
        if Fingerprint::new(&model.file, &content) != *model {
            bail!(
                "{}: has changed since this fit began; begin again with another folder",
                path.display()
            );
        }
        Ok(())
    }
}

/// The way from a folder to another; both from the root on.
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

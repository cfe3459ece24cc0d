//! The output folder of a fit. Each file in it is complete or absent.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use gradbody::learn::judge::Predictor;
use gradbody::learn::outcome::FitOutcome;
use gradbody::learn::run::{Glimpse, Journal};
use gradbody::math::names::list;
use gradbody::model::export::{self, ExportError, Exported};
use gradbody::model::import::{self, Base, Format, ImportOptions};
use gradbody::model::{JointKind, Model};

use super::origin::Origin;
use crate::out_folder::{Lock, OutFolder};

/// What the folder holds.
const WORK: &str = "fit";
const ORIGIN: &str = "origin.json";

/// Files with the results of a fit.
const RESULTS: [&str; 8] = [
    "model.urdf",
    "model.xml",
    "parameters.toml",
    "weights.safetensors",
    "progress.csv",
    "metrics.json",
    "report.html",
    ORIGIN,
];

/// Time between checkpoints.
const OFTEN: Duration = Duration::from_secs(15);

/// The folder of a fit.
#[derive(Clone, Debug)]
pub struct Folder {
    out: OutFolder,
    /// Time between checkpoints.
    often: Duration,
}

impl Folder {
    /// Refuses a folder in which results would replace files of the user.
    pub(crate) fn refuse_foreign(path: &Path, inputs: &[PathBuf]) -> anyhow::Result<()> {
        OutFolder::refuse_foreign(path, &RESULTS, inputs)
    }

    /// Refuses to replace the results of a fit whose checkpoint is gone.
    pub(crate) fn refuse_results(path: &Path) -> anyhow::Result<()> {
        OutFolder::refuse_results(path, &RESULTS, WORK)
    }

    /// Creates the folder if needed and locks it. Fails if another fit is writing into it.
    pub fn open(path: &Path) -> anyhow::Result<(Self, Lock)> {
        let (out, lock) = OutFolder::open(path, WORK)?;
        Ok((Folder { out, often: OFTEN }, lock))
    }

    /// Sets the time between checkpoints [s].
    pub(crate) fn with_checkpoints_every(self, seconds: f64) -> Self {
        Folder { often: Duration::try_from_secs_f64(seconds).unwrap_or(OFTEN), ..self }
    }

    /// Opens a folder that contains a fit.
    pub(crate) fn existing(path: &Path) -> anyhow::Result<(Self, Journal)> {
        let folder = Folder { out: OutFolder::existing(path, WORK)?, often: OFTEN };
        let Some(journal) = folder.checkpoint()? else {
            bail!(
                "{}: this folder contains no fit (no checkpoint.json); `gradbody fit` writes one",
                path.display()
            );
        };
        Ok((folder, journal))
    }

    /// Removes the results of an earlier fit, so that the files of two fits never mix.
    pub(crate) fn clear(&self) -> anyhow::Result<()> {
        self.out.clear(&RESULTS)
    }

    /// Where the fit comes from; none if it was not written by `gradbody fit`.
    pub(crate) fn origin(&self) -> anyhow::Result<Option<Origin>> {
        let path = self.path(ORIGIN);
        match fs::read_to_string(&path) {
            Ok(text) => {
                let problem = || format!("{}: this is not the origin of a fit", path.display());
                Ok(Some(serde_json::from_str(&text).with_context(problem)?))
            }
            Err(_) => Ok(None),
        }
    }

    pub(crate) fn write_origin(&self, origin: &Origin) -> anyhow::Result<()> {
        self.write(ORIGIN, &serde_json::to_string_pretty(origin)?)
    }

    /// Path of a file in this folder.
    pub fn path(&self, file: &str) -> PathBuf {
        self.out.path(file)
    }

    fn write(&self, file: &str, text: &str) -> anyhow::Result<()> {
        self.out.write(file, text)
    }

    /// The saved fit, if there is one.
    pub(crate) fn checkpoint(&self) -> anyhow::Result<Option<Journal>> {
        self.out.checkpoint()
    }

    pub(crate) fn write_checkpoint(&self, journal: &Journal) -> anyhow::Result<()> {
        self.out.write_checkpoint(journal)
    }

    /// Writes the experiment's text.
    pub fn write_experiment(&self, text: &str) -> anyhow::Result<()> {
        self.write("experiment.toml", text)
    }

    /// Writes the fitted parameters as settings, the model in the format it was read from, and the weights of its
    /// networks; the smallest and most valuable file first, in case the disk is nearly full.
    pub(crate) fn write_model(
        &self,
        fitted: &Predictor,
        outcome: &FitOutcome,
        format: Format,
    ) -> anyhow::Result<()> {
        let mut settings = String::from(
            "# The fitted parameters, to be copied into an experiment.\n[model.set]\n",
        );
        for parameter in outcome.parameters.iter().filter(|p| p.name != "period") {
            settings.push_str(&format!("\"{}\" = {:?}\n", parameter.name, parameter.fitted));
        }
        self.write("parameters.toml", &settings)?;
        match format {
            Format::Urdf => {
                let exported = export::urdf_in(&fitted.model, &self.path(""));
                let text = self.write_exported("URDF", "model.urdf", exported)?;
                let lost = lost_in_urdf(text.as_deref(), &fitted.model, outcome, &self.path(""));
                if !lost.is_empty() {
                    let lost = list(lost);
                    let exported = export::mjcf_in(&fitted.model, &self.path(""));
                    if self.write_exported("MJCF", "model.xml", exported)?.is_some() {
                        let _ = writeln!(
                            io::stderr(),
                            "note: a URDF cannot hold the fitted {lost}; model.xml, an MJCF of the same model, is written too"
                        );
                    }
                }
            }
            Format::Mjcf => {
                let exported = export::mjcf_in(&fitted.model, &self.path(""));
                self.write_exported("MJCF", "model.xml", exported)?;
            }
        }
        if !fitted.weights.is_empty() {
            let path = self.path("weights.safetensors");
            fitted
                .plan
                .save(&path, &fitted.weights)
                .with_context(|| format!("{}: cannot be written", path.display()))?;
        }
        Ok(())
    }

    /// Writes a model that was exported as a format, with one note on stderr about what it lacks, and returns its text. If the format cannot
    /// express the model, a note says so: parameters.toml still has the fitted values.
    fn write_exported(
        &self,
        format: &str,
        file: &str,
        exported: Result<Exported, ExportError>,
    ) -> anyhow::Result<Option<String>> {
        let mut err = io::stderr();
        match exported {
            Ok(exported) => {
                self.write(file, &exported.text)?;
                if !exported.notes.is_empty() {
                    let lacks = exported.notes.join("; ");
                    let _ = writeln!(
                        err,
                        "note: {file}: {lacks}. parameters.toml has the fitted values"
                    );
                }
                Ok(Some(exported.text))
            }
            Err(error) => {
                let _ = writeln!(err, "note: the fitted model is not written as {format}: {error}");
                Ok(None)
            }
        }
    }

    /// Writes metrics.json, progress.csv and the page.
    pub(crate) fn write_outcome(&self, outcome: &FitOutcome, page: &str) -> anyhow::Result<()> {
        let mut progress = String::from("iteration,seconds,cost,validation\n");
        for point in &outcome.progress {
            let validation = point.validation.map_or(String::new(), |v| v.to_string());
            progress.push_str(&format!(
                "{},{:.3},{},{validation}\n",
                point.iteration, point.seconds, point.cost
            ));
        }
        self.write("progress.csv", &progress)?;
        // Motions are only for the page.
        let metrics = FitOutcome { motions: Vec::new(), ..outcome.clone() };
        self.write("metrics.json", &serde_json::to_string_pretty(&metrics)?)?;
        self.write("report.html", page)
    }

    /// A writer of checkpoints, for use during the fit.
    pub(crate) fn saver(&self) -> Saver<'_> {
        Saver { folder: self, last: Instant::now(), failed: false }
    }
}

/// Fitted numbers differ in a file by at most this fraction, which angles lose on their way through rotations.
const SAME: f64 = 1e-9;

/// The fitted parameters that a written URDF has lost: it reads back with another number or without the parameter. All
/// if it does not read back.
fn lost_in_urdf<'a>(
    urdf: Option<&str>,
    fitted: &Model<f64>,
    outcome: &'a FitOutcome,
    folder: &Path,
) -> Vec<&'a str> {
    let value = |model: &Model<f64>, path: &str| {
        let id = model.topology.param_id(path).ok()?;
        Some(model.get(id))
    };
    // The root is held as in the fitted model, or a free joint would be missing.
    let base = match fitted.topology.links.first().map(|link| link.joint.kind) {
        Some(JointKind::Free) => Base::Free,
        _ => Base::Fixed,
    };
    let options = ImportOptions { base, free_mimic: true, ..ImportOptions::default() };
    let read = |text| import::from_text(text, &folder.join("model.urdf"), &options).ok();
    let back = urdf.and_then(read).map(|imported| imported.model);
    let names = outcome.parameters.iter().map(|parameter| parameter.name.as_str());
    names
        .filter(|name| {
            // The numbers of an inertia together have no path of their own, and a URDF holds them.
            let Some(now) = value(fitted, name) else { return false };
            let then = back.as_ref().and_then(|back| value(back, name));
            then.is_none_or(|then| (now - then).abs() > SAME * now.abs().max(1.0))
        })
        .collect()
}

/// Writes checkpoints at intervals.
pub(crate) struct Saver<'a> {
    folder: &'a Folder,
    last: Instant,
    failed: bool,
}

impl Saver<'_> {
    /// Writes a checkpoint if one is due. A failure is reported once; the fit continues.
    pub(crate) fn maybe_write(&mut self, glimpse: &Glimpse<'_>) {
        if self.last.elapsed() < self.folder.often && glimpse.search.iteration() > 1 {
            return;
        }
        self.last = Instant::now();
        if let Err(error) = self.folder.write_checkpoint(&glimpse.snapshot())
            && !std::mem::replace(&mut self.failed, true)
        {
            let _ =
                writeln!(io::stderr(), "note: no checkpoint: {error:#}; the fit continues without");
        }
    }
}

//! `gradbody export`: a model as URDF.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use gradbody::model::export;

use crate::atomic_file;
use crate::model_args::{ModelArgs, tell_notes};

/// Options of `gradbody export`.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// The URDF file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(args: &ExportArgs) -> anyhow::Result<()> {
    if same_file(&args.model.path, &args.out) {
        bail!(
            "{} is the file being read, and an export leaves out what is not simulated; \
             choose another name",
            args.out.display()
        );
    }
    let imported = args.model.load()?;
    tell_notes(&imported.report);
    let folder = args.out.parent().unwrap_or(Path::new(""));
    let exported = export::urdf_in(&imported.model, folder)?;
    atomic_file::write(&args.out, &exported.text)?;
    for note in &exported.notes {
        writeln!(io::stderr(), "note: {note}")?;
    }
    writeln!(atomic_file::messages(&args.out), "wrote {}", args.out.display())?;
    Ok(())
}

fn same_file(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

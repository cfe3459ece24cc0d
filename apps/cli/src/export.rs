//! `gradbody export`: a model as URDF.

use std::io::{self, Write as _};
use std::path::PathBuf;

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
    let imported = args.model.load()?;
    tell_notes(&imported.report);
    let exported = export::urdf(&imported.model)?;
    atomic_file::write(&args.out, &exported.text)?;
    for note in &exported.notes {
        writeln!(io::stderr(), "note: {note}")?;
    }
    writeln!(atomic_file::messages(&args.out), "wrote {}", args.out.display())?;
    Ok(())
}

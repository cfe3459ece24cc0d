//! `gradbody export`: writes a model as URDF or MJCF.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Args, ValueEnum};
use gradbody::model::export;

use crate::atomic_file;
use crate::model_args::{ModelArgs, tell_notes};

/// Options of `gradbody export`.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// The file to write: URDF if its name ends in .urdf, MJCF if it ends in .xml or .mjcf.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The format; without it, the file's name decides.
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<FormatArg>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArg {
    /// A robot alone, for ROS.
    Urdf,
    /// A whole scene, for MuJoCo.
    Mjcf,
}

impl FormatArg {
    /// The format that a file's name implies.
    fn of(file: &Path) -> anyhow::Result<Self> {
        let ending = file.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("xml" | "mjcf") => Ok(FormatArg::Mjcf),
            // /dev/stdout and the like.
            Some("urdf") | None => Ok(FormatArg::Urdf),
            Some(_) => bail!(
                "{}: unknown ending; name the file .urdf or .xml, or add --to urdf or --to mjcf",
                file.display()
            ),
        }
    }
}

pub(crate) fn run(args: &ExportArgs) -> anyhow::Result<()> {
    if same_file(&args.model.path, &args.out) {
        bail!(
            "{} is the input file, and an export leaves out what is not simulated; choose another name",
            args.out.display()
        );
    }
    let format = args.to.map_or_else(|| FormatArg::of(&args.out), Ok)?;
    let imported = args.model.load()?;
    tell_notes(&imported.report);
    let folder = args.out.parent().unwrap_or(Path::new(""));
    let exported = match format {
        FormatArg::Urdf => export::urdf_in(&imported.model, folder)?,
        FormatArg::Mjcf => export::mjcf_in(&imported.model, folder)?,
    };
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

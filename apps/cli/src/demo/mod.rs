//! `gradbody demo`: two small experiments and a page about them.

mod pendulum;
mod quadruped;
mod stick_figure;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, anyhow};
use clap::Args;
use gradbody::model::Model;
use gradbody::model::import::{ImportOptions, from_text};

use crate::atomic_file::AtomicFile;
use crate::report::{Page, Section};
use crate::{atomic_file, builtin};

/// Options of `gradbody demo`.
#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// The folder to write report.html to; it is made if need be.
    #[arg(long, value_name = "DIR", default_value = "out/demo")]
    out: PathBuf,
}

/// What an experiment leaves: a chapter of the page, and lines for the terminal.
struct Outcome {
    section: Section,
    lines: Vec<String>,
}

pub(crate) fn run(args: &DemoArgs) -> anyhow::Result<()> {
    let started = Instant::now();
    fs::create_dir_all(&args.out)
        .with_context(|| format!("{}: cannot be made", args.out.display()))?;
    let file = args.out.join("report.html");
    // Only to see that it can be written, before the work.
    drop(AtomicFile::create(&file)?);
    let mut out = io::stdout().lock();
    let mut sections = Vec::new();
    for (name, experiment) in [
        ("double pendulum", pendulum::experiment as fn() -> anyhow::Result<Outcome>),
        ("quadruped", quadruped::experiment),
    ] {
        let Outcome { section, lines } = experiment().context(name)?;
        writeln!(out, "{name}")?;
        for line in lines {
            writeln!(out, "  {line}")?;
        }
        sections.push(section);
    }
    let page = Page {
        title: "Two bodies in motion".into(),
        lead: "Two experiments with gradbody, a differentiable simulator of articulated rigid \
               bodies: a double pendulum, which shows what a simulator can promise about a chaotic \
               motion, and a robot dog in free fall, which shows that it keeps the laws of mechanics."
            .into(),
        sections,
        footer: format!(
            "Made by gradbody {}; run `gradbody demo` to make it again.",
            env!("CARGO_PKG_VERSION")
        ),
    };
    atomic_file::write(&file, &page.html())?;
    let seconds = started.elapsed().as_secs_f64();
    writeln!(out, "wrote {} in {seconds:.1} s; open it in a browser", file.display())?;
    Ok(())
}

fn built_in(name: &str) -> anyhow::Result<Model<f64>> {
    let model = builtin::find(name).ok_or_else(|| anyhow!("no built-in model \"{name}\""))?;
    Ok(from_text(model.text, Path::new(model.file), &ImportOptions::default())?.model)
}

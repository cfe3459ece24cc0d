//! `gradbody demo`: three small experiments and a page about them.

mod landing;
mod pendulum;
mod somersault;
mod stick_figure;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use clap::Args;

use crate::atomic_file::{self, AtomicFile};
use crate::report::{Page, Section};

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
    atomic_file::make_folder(&args.out)?;
    let file = args.out.join("report.html");
    // Only to see that it can be written, before the work.
    drop(AtomicFile::create(&file)?);
    let mut out = io::stdout().lock();
    let mut sections = Vec::new();
    for (name, experiment) in [
        ("double pendulum", pendulum::experiment as fn() -> anyhow::Result<Outcome>),
        ("quadruped in the air", somersault::experiment),
        ("quadruped on the ground", landing::experiment),
    ] {
        let Outcome { section, lines } = experiment().context(name)?;
        writeln!(out, "{name}")?;
        for line in lines {
            writeln!(out, "  {line}")?;
        }
        sections.push(section);
    }
    let page = Page {
        title: "Bodies in motion".into(),
        lead: "Three experiments with gradbody, a differentiable simulator of articulated rigid \
               bodies: a double pendulum, which shows what a simulator can promise about a chaotic \
               motion; a robot dog in the air, which shows that it keeps the laws of mechanics; and \
               the same dog as it lands on its feet."
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

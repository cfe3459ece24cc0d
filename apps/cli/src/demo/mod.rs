//! `gradbody demo`: fits a model to a recording and writes a report; then three small experiments and a page about
//! them.

mod landing;
mod pendulum;
mod somersault;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use clap::Args;

use crate::atomic_file::{self, AtomicFile};
use crate::fit::{self, Folder, Origin};
use gradbody_report::{Page, Section};

/// Options of `gradbody demo`.
#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// The folder to write to; created if needed. Files of an earlier demo are replaced.
    #[arg(long, value_name = "DIR", default_value = "out/demo")]
    out: PathBuf,
}

/// Results of an experiment: a chapter of the page, and lines for the terminal.
struct Shown {
    section: Section,
    lines: Vec<String>,
}

/// Files of the demo's experiment: name and text.
const EXAMPLE: [(&str, &str); 3] = [
    ("experiment.toml", include_str!("assets/experiment.toml")),
    ("arm.urdf", include_str!("assets/arm.urdf")),
    ("recording.csv", include_str!("assets/recording.csv")),
];

pub(crate) fn run(args: &DemoArgs) -> anyhow::Result<()> {
    let started = Instant::now();
    atomic_file::make_folder(&args.out)?;
    let laws = args.out.join("laws.html");
    // Fail before the work if it cannot be written.
    drop(AtomicFile::create(&laws)?);
    fit_example(args)?;
    let mut out = io::stdout().lock();
    let mut sections = Vec::new();
    for (name, experiment) in [
        ("double pendulum", pendulum::experiment as fn() -> anyhow::Result<Shown>),
        ("quadruped in the air", somersault::experiment),
        ("quadruped on the ground", landing::experiment),
    ] {
        let Shown { section, lines } = experiment().context(name)?;
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
    atomic_file::write(&laws, &page.html())?;
    let seconds = started.elapsed().as_secs_f64();
    let report = args.out.join("report.html");
    writeln!(
        out,
        "wrote {} (the fit) and {} (laws of motion) in {seconds:.1} s; open them in a browser",
        report.display(),
        laws.display()
    )?;
    Ok(())
}

/// Fits the example, in a folder of its own that can be changed and fitted again.
fn fit_example(args: &DemoArgs) -> anyhow::Result<()> {
    let example = args.out.join("example");
    atomic_file::make_folder(&example)?;
    for (file, text) in EXAMPLE {
        atomic_file::write(&example.join(file), text)?;
    }
    let path = example.join("experiment.toml");
    let loaded = fit::load(&path, |_| ())?;
    let (folder, _lock) = Folder::open(&args.out)?;
    // So that `gradbody predict` finds the recording.
    folder.write_origin(&Origin::new(&path, &loaded.setup, &args.out)?)?;
    let mut run = gradbody::learn::run::Run::new(loaded.setup, &loaded.text);
    folder.write_experiment(&loaded.text)?;
    let (_, outcome) = fit::go(&mut run, &folder)?;
    writeln!(io::stdout(), "an arm fitted to its recording ({})", path.display())?;
    fit::tell(&outcome)
}

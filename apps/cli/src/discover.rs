//! `gradbody discover`: finds which effect a model lacks, as far as the data show it.

use crate::ExitStatus;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use gradbody::learn::discover::discover;

use crate::atomic_file;
use crate::fit::load;
use crate::interrupt::{self, Interrupt};
use crate::progress;
use gradbody_report::discovery;

/// Options of `gradbody discover`.
#[derive(Args, Debug)]
pub(crate) struct DiscoverArgs {
    /// The experiment, a TOML file; its table [discover] may name sites and inputs to try.
    #[arg(value_name = "EXPERIMENT")]
    experiment: PathBuf,
    /// The folder for discover.html and discover.json. Without it, NAME-discover in the current folder, with the
    /// experiment's name.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &DiscoverArgs) -> anyhow::Result<ExitStatus> {
    let loaded = load(&args.experiment, |_| ())?;
    let name = loaded.setup.experiment.name.clone();
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{name}-discover")));
    atomic_file::make_folder(&out)?;
    let interrupt = Interrupt::listen();
    let bar = progress::bar(1, "fits");
    for note in loaded.setup.notes() {
        writeln!(io::stderr(), "note: {note}")?;
    }
    let options = loaded.setup.experiment.discover.clone();
    let found = discover(&loaded.setup, &loaded.text, &options, &mut |what, done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        bar.set_message(what.to_owned());
        if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    bar.finish_and_clear();
    let Some(found) = found else {
        writeln!(io::stderr(), "interrupted before a site was tried")?;
        return Ok(ExitStatus::from(interrupt::EXIT_STATUS));
    };
    if interrupt.asked() && found.candidates.is_empty() {
        writeln!(io::stderr(), "interrupted before a site was tried")?;
        return Ok(ExitStatus::from(interrupt::EXIT_STATUS));
    }
    if found.candidates.is_empty() {
        bail!(
            "no site was tried; name some in the table [discover], as in sites = [\"joint/*/passive_torque\"]"
        );
    }
    atomic_file::write(&out.join("discover.json"), &serde_json::to_string_pretty(&found)?)?;
    atomic_file::write(&out.join("discover.html"), &discovery::page(&found))?;
    let mut to = io::stdout().lock();
    for line in found.words() {
        writeln!(to, "{line}")?;
    }
    writeln!(
        to,
        "\nreduction of the {} error by a correction at each site, and its inputs:",
        found.part
    )?;
    for candidate in &found.candidates {
        let gain = format!("{:+.1}", candidate.gain);
        writeln!(to, "  {:<34} {gain:>7} %, {}", candidate.site, candidate.depends())?;
    }
    for note in &found.notes {
        writeln!(io::stderr(), "note: {note}")?;
    }
    writeln!(to, "wrote {}", out.join("discover.html").display())?;
    let interrupted = interrupt.asked();
    Ok(if interrupted { ExitStatus::from(interrupt::EXIT_STATUS) } else { ExitStatus::SUCCESS })
}

//! `gradbody view`: a simulation or a recording in the browser.

mod browser;
mod fitted;
mod live;
mod motion_file;
mod recorded;
mod video;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use gradbody_view::{Content, Recording, Server, SessionOptions, page};

use crate::ExitStatus;
use crate::atomic_file;
use crate::interrupt::Interrupt;
use crate::model_args::ReadingArgs;
use crate::simulate::{ContactArgs, parse_time};
use crate::state_args::StateArgs;
use crate::usage::Usage;

const HELP: &str = "\
WHAT is one of these:
  a model              a live simulation: pull it with the mouse, change numbers, rewind
  run.csv              a run from `gradbody simulate --out run.csv`, of the model given by --model
  the folder of a fit  the measured motion, and the model's before and after the fit, in one scene
  the folder of a plan the planned motion, and its contact forces
  a policy             an episode of it (a .safetensors file, or the folder of a training)

The page is served to this machine alone, at an address with a token that nobody else knows. From another
machine, forward the port: run `gradbody view MODEL --headless` there, then here ssh -L 8470:127.0.0.1:8470
HOST, and open the printed address. Ctrl-C ends it.";

/// Options of `gradbody view`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct ViewArgs {
    /// A model file, the name of a built-in model such as ant, a run, a policy, or the folder of a fit, of a plan or of a
    /// training.
    #[arg(value_name = "WHAT")]
    what: PathBuf,
    /// The model of a run.
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Write one page that plays without a server, and show nothing. Of a model, the page has a simulation of --time.
    #[arg(long, value_name = "FILE.html")]
    save: Option<PathBuf>,
    /// Write a video (WebM), and show nothing. Needs an installed Chromium, but no display. Of a model, it is of a
    /// simulation of --time.
    #[arg(long, value_name = "FILE.webm", conflicts_with = "save")]
    video: Option<PathBuf>,
    /// Print the address, and open no browser.
    #[arg(long)]
    headless: bool,
    /// The port; without it the first free one from 8470 on.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Simulate this many side by side, from starts that differ a little.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    worlds: u16,
    /// Begin with time standing still.
    #[arg(long)]
    paused: bool,
    /// Show a simulation of this many seconds as a recording, instead of a live one [default with --save, --video and
    /// --gradient: 10].
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = parse_time)]
    time: Option<f64>,
    /// Draw at each link how a result grows with a push there: of a fit the mean squared distance from the measured
    /// configuration, else the height of the centre of mass at the end.
    #[arg(long)]
    gradient: bool,
    /// Which of a fit's motions to show, from 1.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    motion: u16,
    /// Time step [s]; without it the model file's, else 0.001.
    #[arg(long, value_name = "DT", allow_negative_numbers = true, value_parser = parse_time)]
    dt: Option<f64>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    state: StateArgs,
    #[command(flatten)]
    contact: ContactArgs,
}

/// What there is to see.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Model,
    Run,
    Fit,
    Plan,
    Policy,
}

impl What {
    /// What a path names.
    fn at(path: &Path) -> anyhow::Result<Self> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let refuse = |why: String| Err(Usage(format!("{}: {why}", path.display())).into());
        if path.is_dir() {
            return match () {
                () if path.join("plan.csv").is_file() => Ok(What::Plan),
                () if path.join("policy.safetensors").is_file() => Ok(What::Policy),
                () if path.join("checkpoint.json").is_file() => Ok(What::Fit),
                () => refuse("this folder has no fit, no plan and no policy".into()),
            };
        }
        match extension.as_str() {
            "csv" => Ok(What::Run),
            "safetensors" => Ok(What::Policy),
            "onnx" | "pt" | "pth" | "zip" => refuse(
                "only policies that gradbody wrote are shown: policy.safetensors; simulate another one, and show the run: \
                 `gradbody view run.csv`"
                    .into(),
            ),
            _ => Ok(What::Model),
        }
    }
}

pub(crate) fn run(args: ViewArgs) -> anyhow::Result<ExitStatus> {
    args.contact.check()?;
    let what = What::at(&args.what)?;
    check_fit_together(&args, what)?;
    if args.video.is_some() {
        video::chromium()?;
    }
    let recording = match what {
        What::Model if !is_recorded(&args) => {
            let (headless, port) = (args.headless, args.port);
            let options = SessionOptions { worlds: args.worlds.into(), playing: !args.paused };
            let session = live::session(args, options)?;
            return serve(Content::Live(session), headless, port);
        }
        What::Model => recorded::simulated(&args)?,
        What::Run => recorded::run_file(&args)?,
        What::Plan => recorded::plan(&args)?,
        What::Policy => recorded::policy(&args)?,
        What::Fit => fitted::fit(&args)?,
    };
    match (&args.save, &args.video) {
        (Some(file), _) => save(&recording, file),
        (None, Some(file)) => video::film(&recording, file),
        (None, None) => serve(Content::Saved(page::recorded(&recording)), args.headless, args.port),
    }
}

/// Whether a model is to be shown by a recording of its simulation.
fn is_recorded(args: &ViewArgs) -> bool {
    args.save.is_some() || args.video.is_some() || args.time.is_some() || args.gradient
}

/// Refuses options that mean nothing for what is shown.
fn check_fit_together(args: &ViewArgs, what: What) -> Result<(), Usage> {
    let live = what == What::Model && !is_recorded(args);
    let served = args.save.is_none() && args.video.is_none();
    for (flag, given, useful, needs) in [
        ("--model", args.model.is_some(), what == What::Run, "works with a run (a .csv file)"),
        ("--worlds", args.worlds > 1, live, "works with a live simulation"),
        ("--paused", args.paused, live, "works with a live simulation"),
        (
            "--time",
            args.time.is_some(),
            matches!(what, What::Model | What::Policy),
            "works with a model or a policy",
        ),
        ("--gradient", args.gradient, what != What::Policy, "does not work with a policy"),
        ("--motion", args.motion > 1, what == What::Fit, "works with the folder of a fit"),
        ("--port", args.port.is_some(), served, "does not work with --save and --video"),
        ("--headless", args.headless, served, "does not work with --save and --video"),
    ] {
        if given && !useful {
            return Err(Usage(format!("{flag} {needs}")));
        }
    }
    Ok(())
}

/// Writes the page.
fn save(recording: &Recording, file: &Path) -> anyhow::Result<ExitStatus> {
    let page = page::recorded(recording);
    atomic_file::write(file, &page)?;
    let megabytes = page.len() as f64 / 1e6;
    writeln!(atomic_file::messages(file), "wrote {} ({megabytes:.2} MB)", file.display())?;
    Ok(ExitStatus::SUCCESS)
}

/// Serves until Ctrl-C.
fn serve(content: Content, headless: bool, port: Option<u16>) -> anyhow::Result<ExitStatus> {
    let server = Server::open(content, port).map_err(|error| Usage(error.to_string()))?;
    let address = server.address();
    writeln!(io::stdout(), "{address}")?;
    if !headless {
        browser::open(&address);
    }
    let stop = server.stopper();
    Interrupt::calls(move || stop.stop());
    server.run()?;
    Ok(ExitStatus::SUCCESS)
}

//! `gradbody view`: a simulation or a recording in the browser.

mod browser;
mod live;

use std::io::{self, Write as _};

use clap::Args;
use gradbody_view::{Content, Server, SessionOptions};

use crate::ExitStatus;
use crate::interrupt::Interrupt;
use crate::model_args::ModelArgs;
use crate::simulate::{ContactArgs, parse_time};
use crate::state_args::StateArgs;
use crate::usage::Usage;

const HELP: &str = "\
The page is served to this machine alone, at an address with a token that nobody else knows. From another
machine, forward the port: ssh -L 8470:127.0.0.1:8470 HOST, run `gradbody view MODEL --headless` there, and
open the printed address here. Ctrl-C ends it.";

/// Options of `gradbody view`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    state: StateArgs,
    #[command(flatten)]
    contact: ContactArgs,
    /// Time step [s]; without it the model file's, else 0.001.
    #[arg(long, value_name = "DT", allow_negative_numbers = true, value_parser = parse_time)]
    dt: Option<f64>,
    /// Print the address, and open no browser.
    #[arg(long)]
    headless: bool,
    /// The port; without it the first free one from 8470 on.
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Simulate this many robots side by side, from starts that differ a little.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    worlds: u16,
    /// Wait for a key instead of starting at once.
    #[arg(long)]
    paused: bool,
}

pub(crate) fn run(args: ViewArgs) -> anyhow::Result<ExitStatus> {
    args.contact.check()?;
    let (headless, port) = (args.headless, args.port);
    let options = SessionOptions { worlds: args.worlds.into(), playing: !args.paused };
    let session = live::session(args, options)?;
    serve(Content::Live(session), headless, port)
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

//! `gradbody inspect`: shows a model's parts, and its dynamics at a state.

mod dynamics;
mod json;
mod parts;
mod surfaces;
mod tree;

use std::io::{self, Write as _};

use anyhow::Context as _;
use clap::Args;

use crate::model_args::ModelArgs;
use crate::simulate::GroundArgs;
use crate::state_args::StateArgs;
use dynamics::Dynamics;

const HELP: &str = "\
Without a state, the JSON output gives the dynamics at rest, at the initial pose of an MJCF file
(keyframe qpos0) or else with every joint at zero.
`qdd` is M⁻¹ (tau − bias), of the rigid bodies alone; `qdd_passive` includes the passive joint forces
(springs, damping, friction, limits).";

/// Options of `gradbody inspect`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    ground: GroundArgs,
    #[command(flatten)]
    state: StateArgs,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
    /// List every parameter of the model by its path.
    #[arg(long)]
    params: bool,
}

pub(crate) fn run(args: &InspectArgs) -> anyhow::Result<()> {
    let mut imported = args.model.load()?;
    args.ground.add(&mut imported.model)?;
    let model = &imported.model;
    let mut out = String::new();
    if args.json {
        let start = args.state.start(model)?;
        let dynamics = Dynamics::at(model, &start)?;
        let value = json::object(&imported, &start, &dynamics, args.params);
        out = serde_json::to_string(&value).context("JSON")?;
        out.push('\n');
    } else {
        parts::summary(model, &mut out);
        tree::draw(&model.topology, &mut out);
        parts::links(model, &mut out);
        parts::joints(model, &mut out);
        parts::actuators(model, &mut out);
        surfaces::write(model, &mut out);
        if args.params {
            parts::params(model, &mut out);
        }
        parts::import_report(&imported, &mut out);
        if args.state.given() {
            let start = args.state.start(model)?;
            Dynamics::at(model, &start)?.write(model, &start, &mut out);
        }
    }
    io::stdout().lock().write_all(out.as_bytes())?;
    Ok(())
}

//! `gradbody sites`: every quantity of a step that networks can read and change, by its name.

mod json;
mod listing;
mod pattern;

use std::io::{self, Write as _};

use anyhow::Context as _;
use clap::Args;
use gradbody::augment::{GROUPS, Pair, Signal, Site, Stage, sites};
use gradbody::contact::Candidates;
use gradbody::model::{ContactLaw, Model, ShapeId};

use crate::model_args::ModelArgs;
use crate::simulate::{GroundArgs, SolverArg};
use crate::suggest::did_you_mean;
use crate::usage::Usage;
use pattern::Pattern;

const HELP: &str = "\
A blueprint names sites as listed here, or groups of them:
  joint/*/velocity           every joint's, one at a time
  link/trunk/position        all that begin with this: x, y and z
  link/trunk/wrench          force and torque; local_wrench in the link's axes
  link/trunk/pose, motion    position and orientation; velocity and spin
  contact/*/friction         every contact's; contact/foot-ground/friction that of two shapes
Stages are in the order of a step. A network reads quantities of its own and earlier stages from this step, and those
of later stages from the step before. docs/augmentation.md explains more.";

/// Options of `gradbody sites`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct SitesArgs {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    ground: GroundArgs,
    /// The contact law: networks can change the forces of compliant contacts, and only add to those that a solver finds.
    #[arg(long, value_enum, default_value_t = SolverArg::Ncp, help_heading = "Contact")]
    solver: SolverArg,
    /// Names of the external inputs of a step, as a blueprint's `signals` lists them.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    signals: Vec<String>,
    /// List only sites whose name contains this or, with `*` for anything, matches it (joint/*/velocity), or those of a
    /// group (link/trunk/wrench).
    #[arg(long, value_name = "PATTERN")]
    filter: Option<String>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// A site and its stage in a step.
struct Placed {
    site: Site,
    stage: Stage,
    can_change: bool,
}

pub(crate) fn run(args: &SitesArgs) -> anyhow::Result<()> {
    let signals: Vec<String> = args.signals.iter().map(|name| name.trim().to_owned()).collect();
    check_signals(&signals)?;
    let mut imported = args.model.load()?;
    args.ground.add(&mut imported.model)?;
    let model = &imported.model;
    let mut placed = place(model, sites(model, &signals), args.solver.is_rigid());
    let all = placed.len();
    if let Some(filter) = args.filter.as_deref().map(str::trim) {
        let pattern = Pattern::new(filter);
        let names: Vec<String> = placed.iter().map(|p| p.site.name.clone()).collect();
        placed.retain(|p| pattern.fits(&p.site.name));
        if placed.is_empty() {
            let hint = did_you_mean(filter, known(&names).iter().map(String::as_str));
            let problem = format!("--filter: no site of this model matches \"{filter}\"{hint}");
            return Err(Usage(problem).into());
        }
    }
    let mut out = String::new();
    if args.json {
        out = serde_json::to_string(&json::object(model, &placed)).context("JSON")?;
        out.push('\n');
    } else {
        listing::write(model, &placed, args.filter.as_ref().map(|_| all), &mut out);
    }
    io::stdout().lock().write_all(out.as_bytes())?;
    Ok(())
}

/// Names that a filter may have meant: sites, prefixes of their names, and groups of a link.
fn known(names: &[String]) -> Vec<String> {
    let beginnings = names.iter().filter_map(|name| Some(name.rsplit_once('/')?.0.to_owned()));
    let links = names.iter().filter_map(|name| name.strip_suffix("/force/x"));
    let groups = links.flat_map(|link| GROUPS.map(|(group, _)| format!("{link}{group}")));
    names.iter().cloned().chain(beginnings).chain(groups).collect()
}

fn check_signals(signals: &[String]) -> Result<(), Usage> {
    for (k, name) in signals.iter().enumerate() {
        if name.is_empty() || name.contains(['/', '*']) {
            let problem = format!(
                "--signals: \"{name}\" is not a name; it must not be empty or contain / or *"
            );
            return Err(Usage(problem));
        }
        if signals[..k].contains(name) {
            return Err(Usage(format!("--signals: \"{name}\" is given twice")));
        }
    }
    Ok(())
}

/// Assigns each site to its stage; `solved` if a solver finds the forces of rigid contacts.
fn place(model: &Model<f64>, sites: Vec<Site>, solved: bool) -> Vec<Placed> {
    let candidates = Candidates::new(&model.topology);
    let n = model.topology.shapes.len();
    let rigid = |a: ShapeId, b: ShapeId| {
        candidates.rule(a, b).is_some_and(|rule| rule.law == ContactLaw::Rigid)
    };
    let id = ShapeId::new;
    let some_rigid = n < 2 || (0..n).any(|a| (a + 1..n).any(|b| rigid(id(a), id(b))));
    let is_rigid = |signal| match signal {
        Signal::Contact(Pair(Some((a, b))), _) => rigid(a, b),
        Signal::Contact(Pair(None), _) => some_rigid,
        _ => false,
    };
    let mut placed: Vec<Placed> = sites
        .into_iter()
        .map(|site| {
            let stage = site.signal.stage(solved && is_rigid(site.signal));
            let can_change = site.signal.can_change();
            Placed { site, stage, can_change }
        })
        .collect();
    placed.sort_by_key(|p| p.stage);
    placed
}

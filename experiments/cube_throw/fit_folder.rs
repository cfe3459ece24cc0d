//! The identified numbers of a contact law as the folder of a fit, which `gradbody predict` runs on other tosses.

use std::path::Path;

use anyhow::Context as _;
use gradbody::contact::Surfaces;
use gradbody::learn::Experiment;
use gradbody::learn::data::process::{Named, Split};
use gradbody::learn::experiment::{ContactMethod, Ground};
use gradbody::learn::objective::NoiseLaw;
use gradbody::model::Material;
use gradbody_cli::builtin;

use super::cube::{Law, ROUNDED, scene};
use super::problem::Stretch;
use super::study::Contender;
use super::tosses::{Toss, UNIT};
use crate::found::{self, Found};

/// The poses of the cube. Starts are measured: this fit has no other unknowns than the identified numbers.
const EXPERIMENT: &str = r#"
[model]
file = "cube.urdf"

[data]
set = "contactnets-cube"
# Of other files with the same columns.
time = "t"
trajectory = "toss"

[channels]
px = { unit = "m", is = "link/cube/position/x" }
py = { unit = "m", is = "link/cube/position/y" }
pz = { unit = "m", is = "link/cube/position/z" }
qw = { unit = "1", is = "link/cube/orientation/w" }
qx = { unit = "1", is = "link/cube/orientation/x" }
qy = { unit = "1", is = "link/cube/orientation/y" }
qz = { unit = "1", is = "link/cube/orientation/z" }

[change]
starts = "measured"

[prediction]
baselines = []
"#;

/// Writes the folder `fit-KEY` into `out`: the law with the numbers `z`, identified on the tosses `drawn`.
pub(super) fn write(
    out: &Path,
    contender: &Contender,
    z: &[f64],
    drawn: &[Toss],
    held_out: &[Toss],
) -> anyhow::Result<()> {
    let problem = contender.problem(super::SEED)?;
    let mut experiment = experiment(&problem.law, drawn, held_out)?;
    experiment.name = format!("cube-throw-{}", contender.key);
    // Numbers that this law does not use are not fitted: rigid contacts have no static friction.
    let surfaces = Surfaces::new(&problem.model, &problem.law.options().contact.solver);
    let topology = &problem.model.topology;
    let counts = |name: &str| topology.param_id(name).is_ok_and(|id| surfaces.idle(id).is_none());
    let fit = problem.fit(&[], Stretch::Whole, NoiseLaw::Gaussian)?;
    let mut x = Vec::new();
    for (unknown, found) in fit.unknowns.params.iter().zip(problem.numbers_of(z)?) {
        if counts(&unknown.name) {
            experiment.change.parameters.push(unknown.name.clone());
            x.push(found);
        }
    }
    let cube = builtin::find("cube").context("the model of the cube is missing")?;
    let found = Found {
        experiment,
        files: vec![("cube.urdf".to_owned(), cube.text.to_owned())],
        ended:
            "identified by `cargo reproduce cube-throw`, on whole tosses, by an evolution strategy"
                .into(),
    };
    found::write(&out.join(format!("fit-{}", contender.key)), found, |_| Ok(x))
}

/// The experiment with the published numbers.
fn experiment(law: &Law, drawn: &[Toss], held_out: &[Toss]) -> anyhow::Result<Experiment> {
    let names = |tosses: &[Toss]| -> Vec<String> {
        tosses.iter().map(|toss| format!("tosses/{}", toss.name)).collect()
    };
    let named = Named { train: names(drawn), test: names(held_out), ..Named::default() };
    let mut experiment = Experiment::from_toml(EXPERIMENT, "cube-throw")?;
    experiment.data.split = Some(Split::Named(named));
    experiment.model.ground = Some(Ground { height: ROUNDED, friction: 0.0, restitution: 0.0 });
    for (name, channel) in &mut experiment.channels {
        let is_place = name.starts_with('p');
        channel.noise = is_place.then_some(UNIT.0).or((name == "qw").then_some(UNIT.1));
        channel.huber = (is_place || name == "qw").then_some(5.0);
    }
    experiment.simulation.substeps = law.substeps();
    experiment.simulation.contact = match law {
        Law::Rigid(_) => ContactMethod::Ncp,
        Law::Compliant => ContactMethod::HuntCrossley,
    };
    // Every number of the scene that the file and the ground do not have, and that this law uses.
    let scene = scene()?;
    let surfaces = Surfaces::new(&scene, &law.options().contact.solver);
    let unused = |id| surfaces.idle(id).is_some_and(|idle| idle.always);
    let mut plain = builtin::model("cube")?;
    plain.add_ground(ROUNDED, Material::with_friction(0.0))?;
    for id in scene.topology.param_ids() {
        if scene.get(id) != plain.get(id) && !unused(id) {
            experiment.model.set.insert(scene.topology.param_path(id), scene.get(id));
        }
    }
    Ok(experiment)
}

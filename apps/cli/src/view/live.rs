//! The live simulation of a model.

use std::path::{Path, PathBuf};

use gradbody::model::{Form, FrameId, Model, ShapeKind};
use gradbody::sim::StepOptions;
use gradbody_view::{Load, Loaded, Session, SessionOptions, Subject};

use super::ViewArgs;
use crate::simulate::Duration;
use crate::usage::Usage;

/// Starts a session. A model that cannot be read ends the program.
pub(super) fn session(args: ViewArgs, options: SessionOptions) -> anyhow::Result<Session> {
    // The first reading says its errors with their exit status; later ones are said in the page.
    let what = args.what.clone();
    let mut first = Some(load(&args, &what)?);
    let load: Load = Box::new(move || match first.take() {
        Some(loaded) => Ok(loaded),
        None => load(&args, &what).map_err(|error| format!("{error:#}")),
    });
    Session::start(load, options).map_err(|error| Usage(error).into())
}

/// Reads the model as `gradbody simulate` does.
pub(super) fn load(args: &ViewArgs, path: &Path) -> anyhow::Result<Loaded> {
    let mut imported = args.reading.load(path)?;
    args.contact.prepare(&mut imported.model)?;
    let start = args.state.start(&imported.model)?;
    let format = imported.report.format;
    args.contact.filter_self_collisions(&mut imported.model, format, &start.state.q);
    let model = imported.model;
    let dt = Duration::of_steps(1, args.dt, model.topology.timestep).dt;
    let mut step = StepOptions::new(dt);
    args.contact.apply(&mut step);
    let mut notes: Vec<String> = imported.report.notes.iter().map(ToString::to_string).collect();
    if has_nothing_to_stand_on(&model) {
        notes.push("there is no ground to fall on; --ground adds one".into());
    }
    let files = files(path, &model);
    let subject = Subject {
        start: start.state,
        control: start.control,
        tau: start.tau,
        options: step,
        model,
    };
    Ok(Loaded { subject, files, notes })
}

/// Whether a robot can fall and nothing is below it.
fn has_nothing_to_stand_on(model: &Model<f64>) -> bool {
    let topology = &model.topology;
    let falls = topology.links.iter().any(|link| link.joint.kind.nv() == 6);
    let fixed = topology.shapes.iter().any(|s| s.frame == FrameId::WORLD);
    falls && !topology.shapes.is_empty() && !fixed
}

/// The files that a model came from.
fn files(path: &Path, model: &Model<f64>) -> Vec<PathBuf> {
    let own = Some(path.to_owned()).filter(|path| path.exists());
    let topology = &model.topology;
    let shapes = topology.shapes.iter().filter(|s| matches!(s.kind, ShapeKind::Mesh(_)));
    let meshes = shapes.filter_map(|shape| shape.mesh_file.clone());
    let seen = topology.visuals.iter().filter_map(|visual| match &visual.form {
        Form::Figure(figure) => figure.mesh_file.clone(),
        Form::Shape(_) => None,
    });
    own.into_iter().chain(meshes).chain(seen).collect()
}

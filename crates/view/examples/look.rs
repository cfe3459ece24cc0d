//! Shows a model file from a program of one's own: `cargo run --release -p gradbody-view --example look models/ant.xml`.
//!
//! With a second argument, writes a page with ten seconds of its motion there instead.

use std::error::Error;
use std::path::PathBuf;

use gradbody_model::import::{ImportOptions, load};
use gradbody_sim::{State, StepOptions};
use gradbody_view::{
    Content, Load, Loaded, Server, Session, SessionOptions, Subject, page, record,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let file = arguments.next().ok_or("which model?")?;
    if let Some(saved) = arguments.next() {
        let recording = record::simulated(&subject(&file)?, 10.0, |_| true);
        return Ok(std::fs::write(saved, page::recorded(&recording))?);
    }
    // The file is read again whenever it changes.
    let load: Load = Box::new(move || {
        let subject = subject(&file).map_err(|error| error.to_string())?;
        Ok(Loaded { subject, files: vec![file.clone()], notes: Vec::new() })
    });
    let session = Session::start(load, SessionOptions { worlds: 1, playing: true })?;
    let server = Server::open(Content::Live(session), None)?;
    println!("{}", server.address());
    Ok(server.run()?)
}

/// The model of a file at its own start.
fn subject(file: &std::path::Path) -> Result<Subject, Box<dyn Error>> {
    let model = load(file, &ImportOptions::default())?.model;
    let start = match model.topology.keyframes.first() {
        Some(key) => State::from_keyframe(&model, key),
        None => State::neutral(&model),
    };
    Ok(Subject {
        start,
        control: vec![0.0; model.topology.actuators.len()],
        tau: vec![0.0; model.nv()],
        options: StepOptions::new(model.topology.timestep.unwrap_or(1e-3)),
        model,
    })
}

//! Reads the visuals of robots, with all their meshes, and says what there is and what is missing.
//!
//! ```text
//! cargo run -p gradbody-draw --example visuals -- FILE_OR_FOLDER …
//! ```
//! Folders are searched for URDF files. Scenes go as JSON into the folder that the variable SCENES names, if there is one. The exit status is 1 if a mesh is missing, or if nothing was found.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use gradbody_draw::{Role, Scene};
use gradbody_model::import::{ImportOptions, load};

fn main() -> ExitCode {
    let mut files = Vec::new();
    let scenes = std::env::var_os("SCENES").map(PathBuf::from);
    for place in std::env::args_os().skip(1) {
        models(Path::new(&place), &mut files);
    }
    files.sort();
    println!("| robot | visuals | drawn | meshes | triangles | missing | page [kB] | time [s] |");
    println!("|---|---|---|---|---|---|---|---|");
    let (mut robots, mut refused, mut missing) = (0, 0, 0);
    for file in &files {
        // Joints that mimic others are of no interest here.
        let options =
            ImportOptions { free_mimic: true, repair_inertia: true, ..Default::default() };
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let model = match load(file, &options) {
            Ok(imported) => imported.model,
            Err(why) => {
                println!("| {name} | refused: {why} |");
                refused += 1;
                continue;
            }
        };
        let start = Instant::now();
        let scene = Scene::of(&model);
        let seconds = start.elapsed().as_secs_f64();
        let seen = || scene.geometries.iter().filter(|geometry| geometry.role == Role::Visual);
        let absent = seen().filter(|geometry| geometry.missing).count();
        let triangles: usize = scene.meshes.iter().map(|mesh| mesh.triangles.len() / 3).sum();
        let bytes: usize =
            scene.meshes.iter().map(|mesh| 4 * (mesh.positions.len() + mesh.triangles.len())).sum();
        let (visuals, drawn, meshes) =
            (model.topology.visuals.len(), seen().count(), scene.meshes.len());
        let kilobytes = bytes.div_ceil(1000);
        println!(
            "| {name} | {visuals} | {drawn} | {meshes} | {triangles} | {absent} | {kilobytes} | {seconds:.2} |"
        );
        for note in &scene.notes {
            println!("|   {note} |");
        }
        if let Some(folder) = &scenes {
            let text = serde_json::to_string(&scene).expect("a scene is plain data");
            std::fs::write(folder.join(format!("{name}.json")), text).expect("a file to write");
        }
        robots += 1;
        missing += absent;
    }
    println!("\n{robots} robots, {refused} refused, {missing} meshes missing");
    match robots > 0 && missing == 0 {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// A file, or the URDF files of a folder.
fn models(place: &Path, found: &mut Vec<PathBuf>) {
    let Ok(inside) = std::fs::read_dir(place) else {
        found.push(place.to_owned());
        return;
    };
    for path in inside.flatten().map(|entry| entry.path()) {
        let is_urdf = path.extension().is_some_and(|ending| ending == "urdf");
        if path.is_dir() || is_urdf {
            models(&path, found);
        }
    }
}

//! The bits of batches in Rust, for the test that the Python package has the same ones: all models, both precisions, states
//! and gradients.
//!
//! `cargo run --release -p gradbody --example python_bits`
//!
//! Each line is a case: `MODEL DTYPE PART`, and its numbers as 16 hexadecimal digits each, the bits of an `f64`. Inputs are
//! drawn as `python/tests/test_bits.py` draws them.

use std::error::Error;
use std::ffi::OsStr;
use std::io::{Write, stdout};
use std::path::Path;

use gradbody::contact::exclude_overlaps;
use gradbody::prelude::*;
use gradbody::sim::{BatchCotangents, BatchRecord, Precision};

const WORLDS: usize = 5;
const STEPS: usize = 6;
const ON_THE_GROUND: [&str; 3] = ["ant", "cube", "laikago"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let files = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = files.collect::<Result<Vec<_>, _>>()?;
    files.sort();
    for file in files {
        match file.extension().and_then(OsStr::to_str) {
            Some("urdf" | "xml") => of_model(&file)?,
            _ => continue,
        }
    }
    Ok(())
}

fn of_model(file: &Path) -> Result<(), Box<dyn Error>> {
    let mut model = load(file, &ImportOptions::default())?.model;
    let name = file.file_stem().and_then(OsStr::to_str).ok_or("a model has no name")?;
    if ON_THE_GROUND.contains(&name) {
        model.add_ground(0.0, Material::with_friction(0.8))?;
    }
    if file.extension() == Some(OsStr::new("urdf")) {
        let pose = model.neutral();
        exclude_overlaps(&mut model, &pose);
    }
    of_precision::<f64>(&model, &format!("{name} float64"))?;
    of_precision::<f32>(&model, &format!("{name} float32"))
}

fn of_precision<T: Precision>(model: &Model<f64>, name: &str) -> Result<(), Box<dyn Error>> {
    let (nq, nv) = (model.nq(), model.nv());
    let mut draw = Draw(1);
    let v = draw.numbers(WORLDS * nv, 1.0);
    let forces = draw.numbers(WORLDS * STEPS * nv, 4.0);
    let v_bar = draw.numbers(WORLDS * STEPS * nv, 1.0);
    let options = StepOptions::new(model.topology.timestep.unwrap_or(1e-3));
    let mut batch = Batch::<T>::new(model, WORLDS, options);
    batch.write_states(&model.neutral().repeat(WORLDS), &v)?;
    let forces = Controls::joint_forces(model, WORLDS, &forces)?;
    let (mut q_all, mut v_all) = (vec![0.0; WORLDS * STEPS * nq], vec![0.0; WORLDS * STEPS * nv]);
    let record = BatchRecord { q: &mut q_all, v: &mut v_all };
    batch.forward_into(STEPS, &forces, &NoTaps, Some(record))?;
    let zero = vec![0.0; v_bar.len()];
    let bars = BatchCotangents::new(model, WORLDS, STEPS, &zero, &v_bar)?;
    let masses = Selection::of(model, ["link/*/mass"])?;
    let found = batch.backward(&forces, &NoTaps, &bars, &masses)?;
    let parts = [
        ("q", &q_all),
        ("v", &v_all),
        ("by-q", &found.start_q),
        ("by-v", &found.start_v),
        ("by-forces", &found.inputs),
        ("by-masses", &found.params),
    ];
    let mut out = stdout().lock();
    for (part, numbers) in parts {
        write!(out, "{name} {part} ")?;
        numbers.iter().try_for_each(|x| write!(out, "{:016x}", x.to_bits()))?;
        writeln!(out)?;
    }
    Ok(())
}

/// Numbers that look random and that f32 holds exactly.
struct Draw(u64);

impl Draw {
    /// Between −`size`/2 and `size`/2, a power of two.
    fn numbers(&mut self, count: usize, size: f64) -> Vec<f64> {
        let next = |_| {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((self.0 >> 40) as f64 / f64::from(1 << 24) - 0.5) * size
        };
        (0..count).map(next).collect()
    }
}

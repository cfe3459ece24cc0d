//! Prints the exact bits of states and gradients, to verify that a change of the engine changes no number.
//! `cargo xtask bits REVISION` compares the output of two revisions.
//!
//! `cargo run -p gradbody --example bits > bits.txt`
//!
//! Each line is a case: its name, a tab, and its numbers as 16 hexadecimal digits each (the bits of an `f64`; an `f32`
//! is widened first). A case that fails has the reason instead. Names are
//! `MODEL/SOLVER/INTEGRATOR/SCALAR/KIND`, and `networks/BLUEPRINT/…` where networks act inside the step. The same
//! code prints the same bytes on every run and on any number of threads.

mod batches;
mod blueprints;
mod duals;
mod gradients;
mod mixture;
mod networks;
mod record;
mod settings;
mod specimen;
mod states;

use std::error::Error;
use std::io::{BufWriter, stdout};

use record::Record;

fn main() -> Result<(), Box<dyn Error>> {
    let mut record = Record::new(BufWriter::new(stdout().lock()));
    for specimen in specimen::all()? {
        states::record(&specimen, &mut record)?;
        batches::record(&specimen, &mut record)?;
        gradients::record(&specimen, &mut record)?;
        duals::record(&specimen, &mut record)?;
        if specimen.name == "laikago" {
            networks::record(&specimen, &mut record)?;
        }
    }
    record.finish()?;
    Ok(())
}

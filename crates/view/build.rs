//! Compresses the built page, which is most of what the viewer adds to a program.

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::ZlibEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    for file in ["viewer.js", "viewer.css"] {
        let built = format!("page/dist/{file}");
        println!("cargo::rerun-if-changed={built}");
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&fs::read(built)?)?;
        fs::write(out.join(format!("{file}.z")), encoder.finish()?)?;
    }
    Ok(())
}

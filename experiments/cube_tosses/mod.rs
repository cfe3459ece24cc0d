//! 400 measured tosses of a cube [Pfrommer, Halm and Posa 2020, "ContactNets"], simulated.
//!
//! Each toss is simulated from its first measured state and compared with the measurement, at its end and on average.
//! Nothing is identified: the cube is `models/cube.urdf` (published side, mass and moment of inertia), friction 0.18
//! and restitution 0.125 are the authors' own fits, and a compliant contact has the default surface with that friction.
//!
//! Lengths in these data are about 2 % short: in free flight g is 9.61 m/s², and the resting cube's centre is 51.2 mm
//! above the table instead of 52.4 mm. The data are not corrected, and the simulation uses g = 9.61 m/s². The cube
//! keeps its published size, so a cube at rest always has an error of 1.2 mm, 1.1 % of its side. Errors are given in
//! measured metres and in per cent of the published side. The cube's symmetry is ignored: its faces are distinct.

mod errors;
mod measured;
mod page;
mod results;
mod simulated;

use gradbody_cli::progress;

use super::data::DataFolder;
use super::{Findings, Prepared};
use measured::Toss;
use simulated::{Outcomes, laws, scene};

/// Frame rate of the camera [1/s].
const RATE: f64 = 148.0;
const GRAVITY: f64 = 9.61;
const FRICTION: f64 = 0.18;
const RESTITUTION: f64 = 0.125;
/// Side of the cube [m].
const SIDE: f64 = 0.1048;

/// Reads the tosses.
pub(super) fn prepare(data: &DataFolder) -> anyhow::Result<Prepared> {
    let tosses = measured::read(data)?;
    Ok(Box::new(move |_| experiment(&tosses)))
}

fn experiment(tosses: &[Toss]) -> anyhow::Result<Findings> {
    let model = scene()?;
    let progress = progress::bar((tosses.len() * laws().len()) as u64, "tosses");
    let mut outcomes = Vec::new();
    for law in laws() {
        outcomes.push(Outcomes::simulate(&model, tosses, law, &progress)?);
    }
    progress.finish_and_clear();
    Ok(Findings {
        title: "A tossed cube, measured and simulated".into(),
        lead: format!(
            "{} real tosses of a cube of ten centimetres (ContactNets, 2020), each simulated from its \
             first measured state with published parameters.",
            tosses.len()
        ),
        sections: page::sections(&model, tosses, &outcomes),
        text: results::table(tosses, &outcomes),
        json: results::json(tosses, &outcomes),
    })
}

//! Networks learn the medium of swimmers whose model has none (NeuralSim, figures 8 and 9).

mod corrected;
mod errors;
mod files;
mod fit_folder;
mod networks;
mod page;
mod recorded;
mod recurrent;
mod results;
mod table;
mod training;

use super::Prepared;
use recorded::{MEDIA, Medium};

/// Time step [s].
const DT: f64 = 0.01;
/// Springs in the hinges, which keep them in range without a medium [N m/rad].
const STIFFNESS: f64 = 30.0;
/// Steps of training motions, and of test motions.
const TRAIN_STEPS: usize = 200;
const TEST_STEPS: usize = 900;

/// The extent of a run.
struct Plan {
    /// Number of seeds for each network, by the medium's place in [`MEDIA`]; a medium with zero is skipped.
    seeds: [u64; MEDIA.len()],
    /// The share of the full number of iterations.
    share: f64,
    /// Steps of the LSTM's training.
    recurrent_steps: usize,
}

impl Plan {
    fn of(quick: bool) -> Self {
        match quick {
            true => Plan { seeds: [0, 1, 0, 0], share: 0.15, recurrent_steps: 60 },
            false => Plan { seeds: [1, 3, 2, 2], share: 1.0, recurrent_steps: 300 },
        }
    }

    fn seeds(&self, medium: Medium) -> u64 {
        let place = MEDIA.iter().position(|of| *of == medium);
        place.map_or(0, |place| self.seeds[place])
    }
}

pub(super) fn prepare(quick: bool) -> Prepared {
    Box::new(move |parts| {
        let plan = Plan::of(quick);
        let cases = results::run(&plan, parts)?;
        Ok(page::outcome(&plan, &cases))
    })
}

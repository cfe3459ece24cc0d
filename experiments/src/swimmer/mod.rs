//! Swimmers in a medium that their model does not know of, and networks that learn it (NeuralSim, figures 8
//! and 9).

mod corrected;
mod errors;
mod files;
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
/// Springs in the hinges [N m/rad], so that they stay in range without a medium.
const STIFFNESS: f64 = 30.0;
/// Steps of motions to learn from, and of those to judge by.
const TRAIN_STEPS: usize = 200;
const TEST_STEPS: usize = 900;

/// How much is done.
struct Plan {
    /// How often each network is trained, from other weights, by the medium's place in [`MEDIA`]; not at all
    /// if zero.
    seeds: [u64; MEDIA.len()],
    /// The share of all iterations.
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

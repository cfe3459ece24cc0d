//! What a policy is trained on, as a file, and the training.
//!
//! ```toml
//! environment = "Ant"
//! method = "shac"
//! worlds = 256
//! limits = { seconds = 60, return = 3000 }
//!
//! [randomise]
//! factor = { "link/*/mass" = [0.8, 1.2] }
//! delay = [0, 1]
//!
//! [evaluate]
//! episodes = 20
//! every = "10 s"
//! ```
//!
//! A [`Task`] is such a file, or one that is [built in](builtin). With its environment it is a [`Setup`], and a [`Run`]
//! trains a policy for it: it can be interrupted between any two iterations, written as a checkpoint and resumed with
//! the same bits. A [`TrainOutcome`] is what a report shows, and [`play`] runs episodes of a finished policy.

pub mod builtin;
mod checkpoint;
mod clock;
mod evaluate;
mod journal;
mod learner;
mod limits;
mod method;
mod outcome;
mod play;
mod randomise;
mod run;
mod setup;
mod task;

pub use evaluate::{Evaluate, Every};
pub use journal::{Age, Ending, Evaluated, Journal, Point};
pub use learner::learner;
pub use limits::Limits;
pub use method::Method;
pub use outcome::{AgeShown, Moved, TrainOutcome};
pub use play::{PlayOptions, Played, PlayedMoment, Push, play};
pub use randomise::{RandomPushes, Randomise, Range};
pub use run::Run;
pub use setup::Setup;
pub use task::{Numbers, Task};

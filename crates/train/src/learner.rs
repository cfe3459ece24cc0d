//! The algorithm that a task asks for.

use gradbody_policy::{Learner, TrainError};

use crate::{Method, Setup};

/// The algorithm that a task asks for, with its worlds, before its first iteration.
pub fn learner(setup: &Setup) -> Result<Box<dyn Learner>, TrainError> {
    match setup.task.method {
        Method::Shac | Method::Ppo | Method::Sac | Method::Mbpo => {
            todo!("filled when the algorithms land")
        }
    }
}

//! The algorithm that a task asks for.

use gradbody_policy::{Learner, Mbpo, Ppo, Sac, Shac, TrainError};
use gradbody_sim::Precision;

use crate::{Method, Setup};

/// The algorithm that a task asks for, with its worlds, before its first iteration.
pub fn learner(setup: &Setup) -> Result<Box<dyn Learner>, TrainError> {
    #[cfg(feature = "f32")]
    if setup.task.precision == crate::Numbers::F32 {
        return in_precision::<f32>(setup);
    }
    // Without single precision, a task that asks for it was refused.
    in_precision::<f64>(setup)
}

fn in_precision<T: Precision + Send + 'static>(
    setup: &Setup,
) -> Result<Box<dyn Learner>, TrainError> {
    let Setup { task, varied: of, .. } = setup;
    Ok(match task.method {
        Method::Shac => Box::new(Shac::<T>::new(of, task.shac())?),
        Method::Ppo => Box::new(Ppo::<T>::new(of, task.ppo())?),
        Method::Sac => Box::new(Sac::<T>::new(of, task.sac())?),
        Method::Mbpo => Box::new(Mbpo::<T>::new(of, task.mbpo())?),
    })
}

//! Learning to act: the experiments of Qiao et al. 2021, and how fast robots learn to walk on this machine.

mod ants;
mod page;
mod swing_ups;
mod training;
mod walkers;

pub(super) use ants::prepare as prepare_ants;
pub(super) use swing_ups::prepare as prepare_swing_ups;
pub(super) use walkers::prepare as prepare_walkers;

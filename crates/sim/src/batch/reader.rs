//! Numbers that are read of each world where a rollout ends.

use gradbody_contact::Contact;
use gradbody_model::Model;

use crate::{Simulated, State};

/// The end of a rollout, for a group of worlds: see [`BatchReader`].
#[derive(Clone, Copy, Debug)]
pub struct GroupEnd<'a, S> {
    /// The world in each lane. The last world may fill further lanes.
    pub worlds: &'a [usize],
    /// The model of the group.
    pub model: &'a Model<S>,
    /// The state after the last step.
    pub state: &'a State<S>,
    /// The contacts of the last step, with their forces; none after a rollout of zero steps. In a lane whose world
    /// failed they are meaningless.
    pub contacts: &'a [Contact<S>],
}

/// Reads numbers of each world after a rollout, in lanes: see [`Batch::rollout_reading`].
pub trait BatchReader: Sync {
    /// Buffers for reading groups, one after another.
    type Buffers<S: Simulated>: Send;

    /// How many numbers it reads of a world.
    fn width(&self) -> usize;

    /// Makes the buffers. `model` is the model of one of the groups.
    fn buffers<S: Simulated>(&self, model: &Model<S>) -> Self::Buffers<S>;

    /// Writes the numbers of a group, (width), each in the lanes of its worlds.
    fn read<S: Simulated>(
        &self,
        end: &GroupEnd<'_, S>,
        buffers: &mut Self::Buffers<S>,
        row: &mut [S],
    );
}

//! Reads what a step of the environment gives, in lanes.

use gradbody_model::Model;
use gradbody_sim::{BatchReader, GroupEnd, Simulated};

use crate::situations::commands_in;
use crate::{Description, HeldActions, Seen, SeenWork, healthy, observe, progress, reward_terms};

/// Where the numbers are that a step reads of a world: the observation, then these.
pub(crate) struct Columns {
    pub terms: usize,
    pub healthy: usize,
    pub position: usize,
    pub width: usize,
}

impl Columns {
    pub(crate) fn of(description: &Description) -> Self {
        let terms = description.n_observations();
        let healthy = terms + description.reward.len();
        Columns { terms, healthy, position: healthy + 1, width: healthy + 2 }
    }
}

/// Reads what a step of the environment gives.
pub(crate) struct StepReader<'a> {
    pub of: &'a Description,
    pub held: &'a HeldActions<'a>,
    /// (worlds, n_commands).
    pub commands: &'a [f64],
    /// The rewarded position of each world before the step.
    pub before: &'a [f64],
}

/// Buffers of a [`StepReader`].
pub(crate) struct ReaderBuffers<S> {
    work: SeenWork<S>,
    action: Vec<S>,
    command: Vec<S>,
}

impl BatchReader for StepReader<'_> {
    type Buffers<S: Simulated> = ReaderBuffers<S>;

    fn width(&self) -> usize {
        Columns::of(self.of).width
    }

    fn buffers<S: Simulated>(&self, model: &Model<S>) -> ReaderBuffers<S> {
        let action = vec![S::ZERO; self.of.n_actions()];
        ReaderBuffers { work: SeenWork::new(self.of, model), action, command: Vec::new() }
    }

    fn read<S: Simulated>(
        &self,
        end: &GroupEnd<'_, S>,
        buffers: &mut ReaderBuffers<S>,
        row: &mut [S],
    ) {
        let StepReader { of, held, commands, before } = *self;
        let ReaderBuffers { work, action, command } = buffers;
        let GroupEnd { worlds, model, state, contacts } = *end;
        for (k, action) in action.iter_mut().enumerate() {
            *action = S::from_lanes(|lane| held.action(worlds[lane], 0, k));
        }
        commands_in(of, commands, worlds, command);
        let at = Seen { model, state, action, command, contacts };
        work.look(of, &at);
        let columns = Columns::of(of);
        let (observation, rest) = row.split_at_mut(columns.terms);
        let (terms, rest) = rest.split_at_mut(of.reward.len());
        observe(of, &at, work, observation);
        let before = S::from_lanes(|lane| before[worlds[lane]]);
        reward_terms(of, &at, before, work, terms);
        rest.copy_from_slice(&[healthy(of, &at, work), progress(of, &at, work)]);
    }
}

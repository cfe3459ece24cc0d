//! What worlds carry besides their states: commands, and actions on their way.

use gradbody_math::Scalar;

use crate::error::{check_finite, check_size};
use crate::{Description, EnvError};

/// What worlds carry besides their states, as plain numbers of all worlds. [`EnvBatch`](crate::EnvBatch) has them; a
/// gradient over a horizon takes them as they are at its start, and keeps commands over the horizon.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Situations {
    /// The command of each world, (worlds, n_commands).
    pub commands: Vec<f64>,
    /// By how many steps actions are late, (worlds); empty if the environment has no delay.
    pub delays: Vec<usize>,
    /// The actions of the last steps, the latest last, (worlds, largest delay, actions).
    pub given: Vec<f64>,
}

impl Situations {
    /// Of an environment's worlds: commands, delays and past actions of zero.
    pub fn new(of: &Description, worlds: usize) -> Self {
        let most = of.delay.most;
        Situations {
            commands: vec![0.0; worlds * of.n_commands()],
            delays: if most == 0 { Vec::new() } else { vec![0; worlds] },
            given: vec![0.0; worlds * most * of.n_actions()],
        }
    }

    /// Fails unless they fit so many worlds of an environment.
    pub fn check(&self, of: &Description, worlds: usize) -> Result<(), EnvError> {
        let Situations { commands, delays, given } = self;
        let most = of.delay.most;
        let needed = worlds * of.n_commands();
        check_size("commands", "(worlds, n_commands)", commands.len(), needed)?;
        check_finite("command", commands, worlds)?;
        let needed = if most == 0 { 0 } else { worlds };
        check_size("delays", "(worlds), or none without a delay", delays.len(), needed)?;
        let needed = worlds * most * of.n_actions();
        check_size("past actions", "(worlds, largest delay, actions)", given.len(), needed)?;
        check_finite("the number of a past action with index", given, worlds)?;
        match delays.iter().position(|delay| *delay > most) {
            None => Ok(()),
            Some(world) => {
                let why = format!("the delay of world {world} is {}, above {most}", delays[world]);
                Err(EnvError::Description { name: of.name.clone(), why })
            }
        }
    }

    /// The delay of a world in steps.
    pub(crate) fn delay(&self, world: usize) -> usize {
        self.delays.get(world).copied().unwrap_or(0)
    }

    /// A number of the action that was given `ago` steps before this one, at least one and at most the largest delay.
    pub(crate) fn given(&self, of: &Description, world: usize, ago: usize, k: usize) -> f64 {
        let most = of.delay.most;
        self.given[(world * most + most - ago) * of.n_actions() + k]
    }

    /// Notes the action that a world was given in a step.
    pub(crate) fn note(&mut self, of: &Description, world: usize, action: &[f64]) {
        let row = of.delay.most * action.len();
        if row == 0 {
            return;
        }
        let given = &mut self.given[world * row..(world + 1) * row];
        given.copy_within(action.len().., 0);
        given[row - action.len()..].copy_from_slice(action);
    }

    /// A world's numbers of [`Situations::given`].
    pub(crate) fn given_of(&mut self, of: &Description, world: usize) -> &mut [f64] {
        let row = of.delay.most * of.n_actions();
        &mut self.given[world * row..(world + 1) * row]
    }

    /// The command of a world.
    pub(crate) fn command_of(&mut self, of: &Description, world: usize) -> &mut [f64] {
        let row = of.n_commands();
        &mut self.commands[world * row..(world + 1) * row]
    }
}

/// The commands of a group of worlds in lanes, (n_commands); zero where there are none.
pub(crate) fn commands_in<S: Scalar>(
    of: &Description,
    commands: &[f64],
    worlds: &[usize],
    to: &mut Vec<S>,
) {
    let width = of.n_commands();
    let number = |world: usize, k: usize| commands.get(world * width + k).copied().unwrap_or(0.0);
    to.clear();
    to.extend((0..width).map(|k| S::from_lanes(|lane| number(worlds[lane], k))));
}

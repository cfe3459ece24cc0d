//! Everything that worlds remember, as plain arrays, so that training goes on with the same bits.
//!
//! A world remembers its state with the impulses that warm-start its contacts, its random numbers, where its episode
//! is, its parameters, its command and actions on their way, and what the last step told of it. Two arrays hold all of this: numbers, and counts for
//! everything that is not a number (bits of the random generator, steps, flags, the contacts that impulses belong to).
//!
//! Not in it is what the batch was made with: the description, the precision, the mode of starting anew.

use gradbody_contact::{ContactId, ContactMemory, MemoryLayout};
use gradbody_math::random::Random;
use gradbody_model::ShapeId;
use gradbody_sim::{Precision, State};

use crate::{EnvBatch, EnvError, Situations};

/// Everything that the worlds of an [`EnvBatch`] remember: see [`EnvBatch::snapshot`]. Any file format can hold the two
/// arrays. What is where in them may change with the version of this crate, which `restore` notices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnvSnapshot {
    /// States, impulses, returns, positions, parameters, what the last step told.
    pub numbers: Vec<f64>,
    /// Which environment it is and its sizes; random numbers, steps, flags, contacts.
    pub counts: Vec<u64>,
}

/// The order of the numbers. A change of what is where gets another number.
const FORMAT: u64 = 1;

/// What a world remembers, read and not yet put into place.
struct Remembered {
    state: State<f64>,
    random: Random,
    steps: usize,
    return_so_far: f64,
    position: f64,
    ended: bool,
    told: Told,
    command: Vec<f64>,
    /// Actions of the last steps.
    given: Vec<f64>,
    delay: usize,
}

/// A world's rows of an [`Outcome`](crate::Outcome).
struct Told {
    observation: Vec<f64>,
    terms: Vec<f64>,
    final_observation: Vec<f64>,
    /// Reward, final position, position, return of the episode.
    numbers: [f64; 4],
    length: usize,
    /// Terminated, truncated, was reset, diverged.
    flags: [bool; 4],
}

impl<T: Precision> EnvBatch<T> {
    /// Everything that the worlds remember. Worlds of a batch of the same description, number and precision go on from
    /// it with the same bits, on any number of threads: see [`restore`](EnvBatch::restore).
    pub fn snapshot(&self) -> EnvSnapshot {
        let mut to = EnvSnapshot { numbers: Vec::new(), counts: Vec::new() };
        let name = self.description.name.as_bytes();
        to.counts.extend([FORMAT, name.len() as u64]);
        to.counts.extend(name.iter().map(|byte| u64::from(*byte)));
        to.counts.extend(self.sizes().map(|(_, size)| size));
        for (selection, values) in &self.params {
            to.counts.push(selection.len() as u64);
            to.numbers.extend(values);
        }
        for world in 0..self.len() {
            self.write(world, &mut to);
        }
        to
    }

    /// Puts all worlds where they were when `from` was taken. The batch must have been made with the same description
    /// and number of worlds. If worlds had parameters of their own ([`set_params`](EnvBatch::set_params)), set the
    /// same parameters to any values before; they get those of `from`. If `from` does not fit, returns an error and
    /// changes nothing.
    ///
    /// A world that diverges later returns to where it was restored, until it starts anew.
    pub fn restore(&mut self, from: &EnvSnapshot) -> Result<(), EnvError> {
        let mut reader = Reader { numbers: &from.numbers, counts: &from.counts };
        self.check_made_for(&mut reader)?;
        let mut params = Vec::with_capacity(self.params.len());
        for (selection, values) in &self.params {
            let stored = reader.count()?;
            if stored != selection.len() {
                return refuse(format!(
                    "it has {stored} parameters of each world where this batch has {}",
                    selection.len()
                ));
            }
            params.push((selection.clone(), reader.numbers(values.len())?.to_vec()));
        }
        let worlds: Vec<Remembered> =
            (0..self.len()).map(|_| self.read(&mut reader)).collect::<Result<_, _>>()?;
        if !reader.numbers.is_empty() || !reader.counts.is_empty() {
            return refuse("it is longer than what these worlds remember".into());
        }
        for (selection, values) in &params {
            self.set_params(selection, values)?;
        }
        for (world, remembered) in worlds.into_iter().enumerate() {
            self.put(world, remembered);
        }
        Ok(())
    }

    /// What must agree, with names for messages.
    fn sizes(&self) -> [(&'static str, u64); 10] {
        let of = &self.description;
        [
            ("worlds", self.len()),
            ("numbers of a configuration", of.model.nq()),
            ("velocities", of.model.nv()),
            ("actuator states", of.model.topology.na),
            ("numbers of an action", of.n_actions()),
            ("numbers of an observation", of.n_observations()),
            ("terms of the reward", of.reward.len()),
            ("numbers of a command", of.n_commands()),
            ("steps of the largest delay", of.delay.most),
            ("sets of parameters of worlds", self.params.len()),
        ]
        .map(|(what, size)| (what, size as u64))
    }

    fn check_made_for(&self, reader: &mut Reader<'_>) -> Result<(), EnvError> {
        if reader.count()? as u64 != FORMAT {
            return refuse("another version of this program wrote it".into());
        }
        let length = reader.count()?;
        let name: String =
            reader.counts(length)?.iter().map(|byte| char::from(*byte as u8)).collect();
        if !self.description.name.bytes().map(char::from).eq(name.chars()) {
            return refuse(format!(
                "it is one of \"{name}\", not of \"{}\"",
                self.description.name
            ));
        }
        for (what, needed) in self.sizes() {
            let given = reader.count()? as u64;
            if given != needed {
                return refuse(format!("it has {given} {what}, not {needed}"));
            }
        }
        Ok(())
    }

    fn write(&self, world: usize, to: &mut EnvSnapshot) {
        if let Some(state) = self.batch.state(world) {
            to.numbers.push(state.time);
            to.numbers.extend(state.q.iter().chain(&state.v).chain(&state.activation));
            write_impulses(&state.contact, to);
        }
        let EnvSnapshot { numbers, counts } = to;
        let out = &self.outcome;
        let row = |rows: &'_ [f64]| {
            let width = rows.len() / self.len();
            rows[world * width..(world + 1) * width].to_vec()
        };
        numbers.extend([self.returns[world], self.positions[world]]);
        for rows in [&out.observations, &out.terms, &out.final_observations] {
            numbers.extend(row(rows));
        }
        numbers.extend([
            out.rewards[world],
            out.final_positions[world],
            out.positions[world],
            out.episode_returns[world],
        ]);
        let Situations { commands, given, .. } = &self.situations;
        numbers.extend(row(commands).iter().chain(&row(given)));
        counts.push(self.situations.delay(world) as u64);
        counts.extend(self.random[world].state());
        counts.extend([self.steps[world] as u64, out.episode_lengths[world] as u64]);
        let flags = [
            self.ended[world],
            out.terminated[world],
            out.truncated[world],
            out.was_reset[world],
            out.diverged[world],
        ];
        counts.extend(flags.map(u64::from));
    }

    fn read(&self, reader: &mut Reader<'_>) -> Result<Remembered, EnvError> {
        let of = &self.description;
        let mut state = State::neutral(&of.model);
        state.time = reader.number()?;
        for part in [&mut state.q, &mut state.v, &mut state.activation] {
            let numbers = reader.numbers(part.len())?;
            part.copy_from_slice(numbers);
        }
        state.contact = read_impulses(reader, of.model.topology.shapes.len())?;
        let [return_so_far, position] = [reader.number()?, reader.number()?];
        let mut told = Told {
            observation: reader.numbers(of.n_observations())?.to_vec(),
            terms: reader.numbers(of.reward.len())?.to_vec(),
            final_observation: reader.numbers(of.n_observations())?.to_vec(),
            numbers: [0.0; 4],
            length: 0,
            flags: [false; 4],
        };
        told.numbers.copy_from_slice(reader.numbers(4)?);
        let command = reader.numbers(of.n_commands())?.to_vec();
        let given = reader.numbers(of.delay.most * of.n_actions())?.to_vec();
        let delay = reader.count()?;
        if delay > of.delay.most {
            return refuse(format!("it holds a delay of {delay} steps"));
        }
        let mut bits = [0; 4];
        bits.copy_from_slice(reader.counts(4)?);
        if bits == [0; 4] {
            return refuse("its random numbers are all zero".into());
        }
        let steps = reader.count()?;
        told.length = reader.count()?;
        let ended = reader.flag()?;
        for flag in &mut told.flags {
            *flag = reader.flag()?;
        }
        let random = Random::from_state(bits);
        Ok(Remembered {
            state,
            random,
            steps,
            return_so_far,
            position,
            ended,
            told,
            command,
            given,
            delay,
        })
    }

    fn put(&mut self, world: usize, remembered: Remembered) {
        let Remembered { state, random, steps, return_so_far, position, ended, told, .. } =
            remembered;
        let (of, situations) = (&self.description, &mut self.situations);
        situations.command_of(of, world).copy_from_slice(&remembered.command);
        situations.given_of(of, world).copy_from_slice(&remembered.given);
        if let Some(delay) = situations.delays.get_mut(world) {
            *delay = remembered.delay;
        }
        let placed = self.batch.reset(&[world], &state);
        debug_assert!(placed.is_ok(), "the state has the model's sizes");
        self.random[world] = random;
        (self.steps[world], self.ended[world]) = (steps, ended);
        (self.returns[world], self.positions[world]) = (return_so_far, position);
        let (worlds, out) = (self.steps.len(), &mut self.outcome);
        let put = |to: &mut [f64], row: &[f64]| {
            let width = to.len() / worlds;
            to[world * width..(world + 1) * width].copy_from_slice(row);
        };
        put(&mut out.observations, &told.observation);
        put(&mut out.terms, &told.terms);
        put(&mut out.final_observations, &told.final_observation);
        [
            out.rewards[world],
            out.final_positions[world],
            out.positions[world],
            out.episode_returns[world],
        ] = told.numbers;
        out.episode_lengths[world] = told.length;
        [out.terminated[world], out.truncated[world], out.was_reset[world], out.diverged[world]] =
            told.flags;
    }
}

/// Writes a world's impulses and what they belong to. A batch keeps the contacts of all worlds that share a vector;
/// those that this world does not have are left out.
fn write_impulses(contact: &ContactMemory<f64>, to: &mut EnvSnapshot) {
    let MemoryLayout { contacts, joints, twists } = contact.layout();
    let mut all = Vec::new();
    contact.for_numbers(|x| all.push(x));
    let width = if twists { 6 } else { 3 };
    let (of_contacts, of_joints) = all.split_at(width * contacts.len());
    let has_any = |numbers: &[f64]| numbers.iter().any(|x| x.to_bits() != 0);
    let (mut kept, mut keys) = (Vec::new(), Vec::new());
    for (id, impulse) in contacts.iter().zip(of_contacts.chunks_exact(width)) {
        if has_any(impulse) {
            kept.extend([id.a.index() as u64, id.b.index() as u64, u64::from(id.slot)]);
            to.numbers.extend(impulse);
        }
    }
    for (key, impulse) in joints.iter().zip(of_joints) {
        if has_any(&[*impulse]) {
            keys.push(u64::from(*key));
            to.numbers.push(*impulse);
        }
    }
    to.counts.extend([kept.len() as u64 / 3, keys.len() as u64, u64::from(twists)]);
    to.counts.extend(kept);
    to.counts.extend(keys);
}

fn read_impulses(reader: &mut Reader<'_>, shapes: usize) -> Result<ContactMemory<f64>, EnvError> {
    let [contacts, joints] = [reader.count()?, reader.count()?];
    let twists = reader.flag()?;
    let shape = |index: u64| ShapeId::new(index as usize);
    let ids = reader.counts(contacts.saturating_mul(3))?.chunks_exact(3);
    let ids = ids.map(|id| ContactId { a: shape(id[0]), b: shape(id[1]), slot: id[2] as u32 });
    let contacts: Vec<ContactId> = ids.collect();
    let joints: Vec<u32> = reader.counts(joints)?.iter().map(|key| *key as u32).collect();
    let known = contacts.iter().all(|id| id.a.index() < shapes && id.b.index() < shapes);
    if !known || !contacts.is_sorted() || !joints.is_sorted() {
        return refuse("its contacts are not those of the model, or not in order".into());
    }
    let layout = MemoryLayout { contacts, joints, twists };
    let numbers = reader.numbers(layout.n_numbers())?;
    let mut memory = ContactMemory::default();
    memory.restore(&layout, numbers.iter().copied());
    Ok(memory)
}

fn refuse<R>(why: String) -> Result<R, EnvError> {
    Err(EnvError::Snapshot { why })
}

/// What has not been read yet.
struct Reader<'a> {
    numbers: &'a [f64],
    counts: &'a [u64],
}

impl<'a> Reader<'a> {
    /// The next numbers, which are finite.
    fn numbers(&mut self, n: usize) -> Result<&'a [f64], EnvError> {
        let Some((next, rest)) = self.numbers.split_at_checked(n) else {
            return refuse("it ends early".into());
        };
        if let Some(x) = next.iter().find(|x| !x.is_finite()) {
            return refuse(format!("it holds a number that is {x}"));
        }
        self.numbers = rest;
        Ok(next)
    }

    fn number(&mut self) -> Result<f64, EnvError> {
        Ok(self.numbers(1)?[0])
    }

    fn counts(&mut self, n: usize) -> Result<&'a [u64], EnvError> {
        let Some((next, rest)) = self.counts.split_at_checked(n) else {
            return refuse("it ends early".into());
        };
        self.counts = rest;
        Ok(next)
    }

    fn count(&mut self) -> Result<usize, EnvError> {
        let count = self.counts(1)?[0];
        // No count of steps or of numbers comes near.
        if count >= 1 << 53 {
            return refuse(format!("it holds a count that is {count}"));
        }
        Ok(count as usize)
    }

    fn flag(&mut self) -> Result<bool, EnvError> {
        match self.count()? {
            0 => Ok(false),
            1 => Ok(true),
            other => refuse(format!("it holds a flag that is {other}")),
        }
    }
}

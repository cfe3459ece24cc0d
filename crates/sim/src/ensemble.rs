//! Many worlds in one call, with lanes and threads, and their gradients.
//!
//! Worlds share the structure of their model, the number of steps and the options. Each has its own start, inputs and
//! numbers of the model. A group has one world per lane of the machine's widest vectors, and the groups are spread over
//! threads. A world's results have the same bits whatever its position, its neighbours and the number of threads:
//! docs/decisions/0008-batches.md.

use core::cell::{Cell, RefCell};

use gradbody_contact::{ContactMemory, MemoryCotangents};
use gradbody_math::{Force, Motion, Scalar, Vec3};
use gradbody_model::{Model, ModelError, Params, Shape, Topology};
use rayon::prelude::*;

use crate::threads::{NoThreads, Threads};
use crate::{
    Failure, Gradient, GradientOptions, Input, InputCotangents, Kernel, Loss, LossCotangents,
    Moment, NoTaps, Precision, Rollout, RolloutTrace, Sequence, Simulated, State, StateCotangents,
    StepOptions, TapsVjp, TooFewTargets, rollout, rollout_vjp, run_widest,
};

/// One world of an ensemble.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// Its model. The models of an ensemble may differ only in their numbers.
    pub model: &'a Model<f64>,
    /// Its initial state.
    pub start: &'a State<f64>,
    /// The input of each step; after the last, inputs are zero.
    pub inputs: &'a [Input<f64>],
}

/// A loss for every world of a batch.
pub trait BatchLoss: Sync {
    /// The loss of a group of worlds, one world per lane.
    type Loss<S: Scalar>: Loss<S>;

    /// The loss of a group: world `worlds[lane]` is in each lane. A world may be in several lanes. See [`in_lanes`] for
    /// numbers that differ between worlds.
    fn for_worlds<S: Scalar>(&self, model: &Model<S>, worlds: &[usize]) -> Self::Loss<S>;
}

/// The number that is `f(world)` in each world's lane.
pub fn in_lanes<S: Scalar>(worlds: &[usize], mut f: impl FnMut(usize) -> f64) -> S {
    S::from_lanes(|lane| f(worlds[lane]))
}

/// The loss is zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLoss;

impl<S: Scalar> Loss<S> for NoLoss {
    fn cost(&mut self, _: &Moment<'_, S>) -> S {
        S::ZERO
    }

    fn cost_vjp(&mut self, _: &Moment<'_, S>, _: S, _: &mut LossCotangents<'_, S>) {}
}

impl BatchLoss for NoLoss {
    type Loss<S: Scalar> = NoLoss;

    fn for_worlds<S: Scalar>(&self, _: &Model<S>, _: &[usize]) -> NoLoss {
        NoLoss
    }
}

/// Taps for every world of a batch.
pub trait BatchTaps: Sync {
    /// The taps of a group, one world per lane: world `worlds[lane]` is in each.
    fn for_worlds<S: Simulated>(&self, worlds: &[usize]) -> Box<dyn GroupTaps<S> + '_>;

    /// Size of their memory, [`State::memory`].
    fn n_memory(&self) -> usize {
        0
    }

    /// Number of [`Input::signals`] they read.
    fn n_signals(&self) -> usize {
        0
    }
}

/// The taps of a group of worlds, one world per lane.
pub trait GroupTaps<S: Scalar>: TapsVjp<S> {
    /// Cotangents of the taps' own numbers, such as weights.
    fn weights_bar(&self) -> &[S] {
        &[]
    }
}

impl BatchTaps for NoTaps {
    fn for_worlds<S: Simulated>(&self, _: &[usize]) -> Box<dyn GroupTaps<S> + '_> {
        Box::new(NoTaps)
    }
}

impl<S: Scalar> GroupTaps<S> for NoTaps {}

/// How the rollout of a world ended.
#[derive(Clone, Debug)]
pub struct WorldOutcome {
    /// The loss.
    pub cost: f64,
    /// The last state.
    pub end: State<f64>,
    /// The largest residual of the contact solver in any step [m/s or rad/s].
    pub residual: f64,
}

/// The gradient of a world's loss.
#[derive(Clone, Debug)]
pub struct WorldGradient {
    /// The loss.
    pub cost: f64,
    /// Gradient with respect to the initial state.
    pub start: StateCotangents<f64>,
    /// Gradient with respect to each given input.
    pub inputs: Vec<InputCotangents<f64>>,
    /// Gradient with respect to the parameters.
    pub params: Params<f64>,
    /// Gradient with respect to the numbers of the taps, such as weights.
    pub weights: Vec<f64>,
    /// Gradient with respect to the time step.
    pub dt: f64,
    /// The last state.
    pub end: State<f64>,
    /// The largest residual of the contact solver in any step [m/s or rad/s]. The error of an implicit gradient shrinks
    /// with it.
    pub residual: f64,
}

/// Why a batch or an ensemble refuses a call.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BatchError {
    /// A world's model differs in structure from that of world 0.
    #[error(
        "world {world}: its model differs in structure from that of world 0; the models of a batch may differ only in their numbers"
    )]
    OtherStructure {
        /// Which world.
        world: usize,
    },
    /// A start has the wrong size for its model or its taps.
    #[error("world {world}: {part} of its start has {given} numbers, but needs {needed}")]
    Start {
        /// Which world.
        world: usize,
        /// Which part of the state.
        part: &'static str,
        /// Number of values it has.
        given: usize,
        /// Number of values it needs.
        needed: usize,
    },
    /// The parameters were selected from a model with a different structure.
    #[error(
        "the parameters were selected from a model with a different structure than the batch's"
    )]
    OtherSelection,
    /// A world's parameters are invalid.
    #[error("world {world}: {why}")]
    Params {
        /// Which world.
        world: usize,
        /// What is wrong.
        why: ModelError,
    },
    /// No forward pass has been kept.
    #[error(
        "nothing to differentiate: call `forward` before each `backward`, and change no state or parameter between them"
    )]
    NothingKept,
    /// The index of a world is out of range.
    #[error("there is no world {world} in a batch of {worlds}; the first is world 0")]
    NoSuchWorld {
        /// Which world.
        world: usize,
        /// Number of worlds of the batch.
        worlds: usize,
    },
    /// Controls were made for a different number of worlds.
    #[error("the controls are for {given} worlds, but the batch has {needed}")]
    Worlds {
        /// Number of worlds they were made for.
        given: usize,
        /// Number of worlds of the batch.
        needed: usize,
    },
    /// The length of an array is not a whole number of steps.
    #[error(
        "the array of {part} has {given} numbers, which is not a whole number of steps of {a_step} each"
    )]
    Steps {
        /// What the array holds.
        part: &'static str,
        /// Number of values it has.
        given: usize,
        /// Number of values per step, over all worlds.
        a_step: usize,
    },
    /// The inputs have fewer signals than the taps read. The worlds stay where they were at that moment.
    #[error("networks read {needed} signals, but the inputs have {given}: see Input::signals")]
    Signals {
        /// Number of signals the inputs have.
        given: usize,
        /// Number of signals the taps read.
        needed: usize,
    },
    /// An array has the wrong size.
    #[error("the array of {part} has {given} numbers, but the batch needs {needed}")]
    Array {
        /// What the array holds.
        part: &'static str,
        /// Number of values it has.
        given: usize,
        /// Number of values it needs.
        needed: usize,
    },
    /// An input has the wrong size for its model or its taps.
    #[error("world {world}: {part} of its input {step} has {given} numbers, but needs {needed}")]
    Input {
        /// Which world.
        world: usize,
        /// Which of its inputs, from 0.
        step: usize,
        /// Which part of the input.
        part: &'static str,
        /// Number of values it has.
        given: usize,
        /// Number of values it needs.
        needed: usize,
    },
}

/// Rolls out many worlds, each with its own start, model and inputs. For worlds that keep their state between calls see
/// [`Batch`](crate::Batch).
#[derive(Debug)]
pub struct Ensemble {
    /// Number of steps.
    pub steps: usize,
    /// How to step.
    pub options: StepOptions<f64>,
    /// Options of the gradient.
    pub gradient: GradientOptions,
    threads: Threads,
}

impl Ensemble {
    /// `steps` steps with these options, default gradient options, and all threads of the machine.
    pub fn new(steps: usize, options: StepOptions<f64>) -> Self {
        Ensemble {
            steps,
            options,
            gradient: GradientOptions::default(),
            threads: Threads::default(),
        }
    }

    /// Sets the gradient options.
    pub fn with_gradient(mut self, gradient: GradientOptions) -> Self {
        self.gradient = gradient;
        self
    }

    /// Uses a pool of `threads` threads of its own. Fails if the system cannot start them.
    pub fn with_threads(mut self, threads: usize) -> Result<Self, NoThreads> {
        self.threads = Threads::of_its_own(threads)?;
        Ok(self)
    }

    /// Runs every world and sums its loss, in the precision `T` (f64 or f32).
    pub fn run<T: Precision>(
        &self,
        worlds: &[World<'_>],
        loss: &impl BatchLoss,
    ) -> Result<Vec<Result<WorldOutcome, Failure>>, BatchError> {
        self.run_with::<T>(worlds, loss, &NoTaps)
    }

    /// [`run`](Ensemble::run) with taps.
    pub fn run_with<T: Precision>(
        &self,
        worlds: &[World<'_>],
        loss: &impl BatchLoss,
        taps: &impl BatchTaps,
    ) -> Result<Vec<Result<WorldOutcome, Failure>>, BatchError> {
        check_worlds(worlds, taps)?;
        Ok(self.threads.enter(|| run_widest::<T, _>(Forward { batch: self, worlds, loss, taps })))
    }

    /// Runs every world, sums its loss, and computes its gradient, in the precision `T`.
    pub fn gradients<T: Precision>(
        &self,
        worlds: &[World<'_>],
        loss: &impl BatchLoss,
    ) -> Result<Vec<Result<WorldGradient, Failure>>, BatchError> {
        self.gradients_with::<T>(worlds, loss, &NoTaps)
    }

    /// [`gradients`](Ensemble::gradients) with taps.
    pub fn gradients_with<T: Precision>(
        &self,
        worlds: &[World<'_>],
        loss: &impl BatchLoss,
        taps: &impl BatchTaps,
    ) -> Result<Vec<Result<WorldGradient, Failure>>, BatchError> {
        check_worlds(worlds, taps)?;
        Ok(self.threads.enter(|| run_widest::<T, _>(Backward { batch: self, worlds, loss, taps })))
    }
}

struct Forward<'a, L, T> {
    batch: &'a Ensemble,
    worlds: &'a [World<'a>],
    loss: &'a L,
    taps: &'a T,
}

impl<L: BatchLoss, T: BatchTaps> Kernel for Forward<'_, L, T> {
    type Output = Vec<Result<WorldOutcome, Failure>>;

    fn run<S: Simulated>(self) -> Self::Output {
        let Forward { batch, worlds, loss, taps } = self;
        each_group(batch, worlds, taps.n_signals(), |group: &mut Group<'_, S>, work| {
            let mut loss = loss.for_worlds(&group.model, group.worlds);
            let mut taps = taps.for_worlds(group.worlds);
            let Group { model, start, inputs, options, .. } = group;
            let rolled = Rollout { model, start, steps: batch.steps, options };
            let found = rollout(&rolled, inputs, &mut loss, &mut *taps, work);
            let outcome = |lane: usize| WorldOutcome {
                cost: found.cost.lane(lane),
                end: state_in(&found.end, lane),
                residual: found.residual.lane(lane),
            };
            let result = |(lane, failure): (usize, &Option<Failure>)| match failure {
                Some(failure) => Err(*failure),
                None => Ok(outcome(lane)),
            };
            found.failures.iter().enumerate().map(result).collect()
        })
    }
}

struct Backward<'a, L, T> {
    batch: &'a Ensemble,
    worlds: &'a [World<'a>],
    loss: &'a L,
    taps: &'a T,
}

impl<L: BatchLoss, T: BatchTaps> Kernel for Backward<'_, L, T> {
    type Output = Vec<Result<WorldGradient, Failure>>;

    fn run<S: Simulated>(self) -> Self::Output {
        let Backward { batch, worlds, loss, taps } = self;
        each_group(batch, worlds, taps.n_signals(), |group: &mut Group<'_, S>, work| {
            let loss = loss.for_worlds(&group.model, group.worlds);
            let mut loss = Watched { loss, end: group.start.clone() };
            let mut taps = taps.for_worlds(group.worlds);
            let Group { model, start, inputs, options, .. } = group;
            let rolled = Rollout { model, start, steps: batch.steps, options };
            let how = &batch.gradient;
            let found = rollout_vjp(&rolled, inputs, &mut loss, &mut *taps, how, work);
            let result = |lane: usize| match found.failures[lane] {
                Some(failure) => Err(failure),
                None => {
                    let given = worlds[group.worlds[lane]].inputs.len();
                    let weights = taps.weights_bar();
                    Ok(gradient_in(&found, &inputs.bars, given, weights, &loss.end, lane))
                }
            };
            (0..S::LANES).map(result).collect()
        })
    }
}

/// A loss that also records the last state of the rollout.
struct Watched<S, L> {
    loss: L,
    end: State<S>,
}

impl<S: Scalar, L: Loss<S>> Loss<S> for Watched<S, L> {
    fn check(&self, steps: usize) -> Result<(), TooFewTargets> {
        self.loss.check(steps)
    }

    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        if at.is_last() {
            self.end.copy_from(at.state);
        }
        self.loss.cost(at)
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>) {
        self.loss.cost_vjp(at, cost_bar, bars);
    }
}

/// Checks that the models have the same structure, and that states and inputs have the right sizes.
fn check_worlds(worlds: &[World<'_>], taps: &impl BatchTaps) -> Result<(), BatchError> {
    for (i, world) in worlds.iter().enumerate() {
        if !are_alike(world.model, worlds[0].model) {
            return Err(BatchError::OtherStructure { world: i });
        }
        let topology = &world.model.topology;
        let State { q, v, activation, memory, .. } = world.start;
        let parts = [
            ("q", q.len(), topology.nq),
            ("v", v.len(), topology.nv),
            ("activation", activation.len(), topology.na),
            ("memory", memory.len(), taps.n_memory()),
        ];
        if let Some((part, given, needed)) = parts.into_iter().find(|(_, n, needed)| n != needed) {
            return Err(BatchError::Start { world: i, part, given, needed });
        }
        for (step, input) in world.inputs.iter().enumerate() {
            let parts = [
                ("control", input.control.len(), topology.actuators.len()),
                ("tau", input.tau.len(), topology.nv),
                // Link forces may be empty; surplus signals do no harm.
                (
                    "external",
                    input.external.len(),
                    match input.external.len() {
                        0 => 0,
                        _ => topology.links.len(),
                    },
                ),
                ("signals", input.signals.len(), input.signals.len().max(taps.n_signals())),
            ];
            if let Some((part, given, needed)) =
                parts.into_iter().find(|(_, n, needed)| n != needed)
            {
                return Err(BatchError::Input { world: i, step, part, given, needed });
            }
        }
    }
    Ok(())
}

/// Whether two models differ only in their numbers. Names do not matter.
fn are_alike(a: &Model<f64>, b: &Model<f64>) -> bool {
    let (s, t) = (&a.topology, &b.topology);
    let sizes = |t: &Topology| (t.nq, t.nv, t.na);
    let same_links =
        same(&s.links, &t.links, |s, t| (s.parent, s.joint.kind) == (t.parent, t.joint.kind));
    let same_shapes = same(&s.shapes, &t.shapes, |s, t| {
        let rules = |s: &Shape| {
            let filter = (s.frame, s.collision_group, s.collides_with);
            (filter, s.law, s.resists_turning, s.friction_given)
        };
        s.kind == t.kind && rules(s) == rules(t)
    });
    let same_actuators =
        same(&s.actuators, &t.actuators, |s, t| (s.joint, s.activation) == (t.joint, t.activation));
    core::ptr::eq(a, b)
        || sizes(s) == sizes(t)
            && same_links
            && same(&s.frames, &t.frames, |s, t| s.link == t.link)
            && same_shapes
            && same_actuators
            && s.contact_pairs == t.contact_pairs
            && s.contact_excludes == t.contact_excludes
}

fn same<T>(a: &[T], b: &[T], alike: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
}

// --- worlds into lanes -------------------------------------------------------------------------

/// Worlds side by side.
struct Group<'a, S> {
    /// The world in each lane. If there are too few worlds, the last one fills the remaining lanes.
    worlds: &'a [usize],
    model: Model<S>,
    start: State<S>,
    inputs: Sequence<S>,
    options: StepOptions<S>,
}

/// Runs `run` on groups of worlds, on all threads. Returns the result of each world, in order.
fn each_group<S: Simulated, R: Send + Sync>(
    batch: &Ensemble,
    worlds: &[World<'_>],
    n_signals: usize,
    run: impl Fn(&mut Group<'_, S>, &mut RolloutTrace<S>) -> Vec<Result<R, Failure>> + Sync,
) -> Vec<Result<R, Failure>> {
    let warm = batch.options.contact.solver.starts_warm();
    let groups = group_worlds(worlds, S::LANES, warm);
    let of_groups: Vec<Vec<Result<R, Failure>>> = groups
        .par_iter()
        .map_init(
            || None,
            |work: &mut Option<RolloutTrace<S>>, worlds_in| {
                let mut group = gather(batch, worlds, worlds_in, warm, n_signals);
                let work = work.get_or_insert_with(|| RolloutTrace::new(&group.model));
                run(&mut group, work)
            },
        )
        .collect();
    let mut results: Vec<Option<Result<R, Failure>>> = worlds.iter().map(|_| None).collect();
    for (group, of_group) in groups.iter().zip(of_groups) {
        for (world, result) in group.iter().zip(of_group) {
            results[*world] = Some(result);
        }
    }
    results.into_iter().map(|r| r.expect("group_worlds puts every world in a group")).collect()
}

/// Which worlds share a group. If they start `warm`, all worlds of a group must have impulses of the same contacts.
fn group_worlds(worlds: &[World<'_>], lanes: usize, warm: bool) -> Vec<Vec<usize>> {
    let mut alike: Vec<Vec<usize>> = Vec::new();
    for (i, world) in worlds.iter().enumerate() {
        let together = |others: &&mut Vec<usize>| {
            let other = &worlds[others[0]].start.contact;
            !warm || world.start.contact.has_layout(&other.layout())
        };
        match alike.iter_mut().find(together) {
            Some(others) => others.push(i),
            None => alike.push(vec![i]),
        }
    }
    let fill = |group: &[usize]| {
        let mut group = group.to_vec();
        group.resize(lanes, group[group.len() - 1]);
        group
    };
    alike.iter().flat_map(|worlds| worlds.chunks(lanes)).map(fill).collect()
}

fn gather<'a, S: Scalar>(
    batch: &Ensemble,
    worlds: &[World<'_>],
    group: &'a [usize],
    warm: bool,
    n_signals: usize,
) -> Group<'a, S> {
    let of = |lane: usize| &worlds[group[lane]];
    let model = model_in_lanes(&group.iter().map(|i| worlds[*i].model).collect::<Vec<_>>());
    let mut start = State::neutral(&model);
    start.time = in_lanes(group, |i| worlds[i].start.time);
    let fill = |to: &mut [S], from: &dyn Fn(&State<f64>) -> &[f64]| {
        for (k, to) in to.iter_mut().enumerate() {
            *to = S::from_lanes(|lane| from(of(lane).start)[k]);
        }
    };
    fill(&mut start.q, &|state| &state.q);
    fill(&mut start.v, &|state| &state.v);
    fill(&mut start.activation, &|state| &state.activation);
    start.memory.resize(of(0).start.memory.len(), S::ZERO);
    fill(&mut start.memory, &|state| &state.memory);
    if warm {
        let numbers = |i: &usize| {
            let mut numbers = Vec::new();
            worlds[*i].start.contact.for_numbers(|x| numbers.push(x));
            numbers
        };
        let numbers: Vec<Vec<f64>> = group.iter().map(numbers).collect();
        let count = numbers[0].len();
        let numbers: Vec<S> = (0..count).map(|k| S::from_lanes(|lane| numbers[lane][k])).collect();
        start.contact.restore(&of(0).start.contact.layout(), numbers.into_iter());
    }
    // If taps read signals there is at least one input, of zeros: signals are zero after the last input.
    let least = usize::from(n_signals > 0);
    let longest = group.iter().map(|i| worlds[*i].inputs.len()).max().unwrap_or(0).max(least);
    let at = |step: usize| {
        let given: Vec<_> = group.iter().map(|i| worlds[*i].inputs.get(step)).collect();
        input_in_lanes(&model, &given, n_signals)
    };
    let inputs = Sequence::new(&model, (0..longest.min(batch.steps)).map(at).collect());
    Group { worlds: group, start, inputs, options: batch.options.cast(), model }
}

/// The models of several worlds, one per lane.
fn model_in_lanes<S: Scalar>(models: &[&Model<f64>]) -> Model<S> {
    let first = models[0];
    if models.iter().all(|model| core::ptr::eq(*model, first)) {
        return first.cast();
    }
    let params: Vec<Vec<f64>> = models.iter().map(|model| numbers_of(&model.params)).collect();
    let next = Cell::new(0);
    let params = first.params.map(|_| {
        let k = next.replace(next.get() + 1);
        S::from_lanes(|lane| params[lane][k])
    });
    Model { topology: first.topology.clone(), params }
}

/// All numbers, in the order in which `map` visits them.
pub(crate) fn numbers_of<S: Scalar>(params: &Params<S>) -> Vec<S> {
    let numbers = RefCell::new(Vec::new());
    params.map(|x| {
        numbers.borrow_mut().push(x);
        x
    });
    numbers.into_inner()
}

/// The inputs of several worlds, one per lane; missing ones are zero.
fn input_in_lanes<S: Scalar>(
    model: &Model<S>,
    given: &[Option<&Input<f64>>],
    n_signals: usize,
) -> Input<S> {
    let mut input = Input::none(model);
    let number =
        |from: &dyn Fn(&Input<f64>) -> f64| S::from_lanes(|lane| given[lane].map_or(0.0, from));
    for (k, to) in input.control.iter_mut().enumerate() {
        *to = number(&|input| input.control[k]);
    }
    for (k, to) in input.tau.iter_mut().enumerate() {
        *to = number(&|input| input.tau[k]);
    }
    let signals = given.iter().flatten().map(|input| input.signals.len()).max().unwrap_or(0);
    for k in 0..signals.max(n_signals) {
        input.signals.push(number(&|input| input.signals.get(k).copied().unwrap_or(0.0)));
    }
    if given.iter().flatten().any(|input| !input.external.is_empty()) {
        let part = |link: usize, of: &dyn Fn(&Force<f64>) -> f64| {
            number(&|input| input.external.get(link).map_or(0.0, of))
        };
        let vector = |link: usize, of: &dyn Fn(&Force<f64>) -> Vec3<f64>| {
            Vec3::new(part(link, &|f| of(f).x), part(link, &|f| of(f).y), part(link, &|f| of(f).z))
        };
        let force = |link| Force::new(vector(link, &|f| f.ang), vector(link, &|f| f.lin));
        input.external = (0..model.n_links()).map(force).collect();
    }
    input
}

// --- and out of them ---------------------------------------------------------------------------

fn numbers_in<S: Scalar>(numbers: &[S], lane: usize) -> Vec<f64> {
    numbers.iter().map(|x| x.lane(lane)).collect()
}

/// The state of the world in one lane.
pub(crate) fn state_in<S: Scalar>(state: &State<S>, lane: usize) -> State<f64> {
    let mut impulses = Vec::new();
    state.contact.for_numbers(|x| impulses.push(x.lane(lane)));
    let mut contact = ContactMemory::default();
    contact.restore(&state.contact.layout(), impulses.into_iter());
    State {
        time: state.time.lane(lane),
        q: numbers_in(&state.q, lane),
        v: numbers_in(&state.v, lane),
        activation: numbers_in(&state.activation, lane),
        memory: numbers_in(&state.memory, lane),
        contact,
    }
}

fn gradient_in<S: Scalar>(
    gradient: &Gradient<S>,
    inputs: &[InputCotangents<S>],
    given: usize,
    weights: &[S],
    end: &State<S>,
    lane: usize,
) -> WorldGradient {
    let vector = |x: Vec3<S>| x.map(|x| x.lane(lane));
    let StateCotangents { q, v, activation, memory, contact } = &gradient.start;
    WorldGradient {
        cost: gradient.cost.lane(lane),
        start: StateCotangents {
            q: numbers_in(q, lane),
            v: numbers_in(v, lane),
            activation: numbers_in(activation, lane),
            memory: numbers_in(memory, lane),
            contact: MemoryCotangents {
                contacts: contact.contacts.iter().map(|(a, b)| (vector(*a), vector(*b))).collect(),
                joints: numbers_in(&contact.joints, lane),
            },
        },
        inputs: (inputs.iter().take(given))
            .map(|bar| InputCotangents {
                control: numbers_in(&bar.control, lane),
                tau: numbers_in(&bar.tau, lane),
                external: (bar.external.iter())
                    .map(|m| Motion { ang: vector(m.ang), lin: vector(m.lin) })
                    .collect(),
                signals: numbers_in(&bar.signals, lane),
            })
            .collect(),
        params: gradient.params.map(|x| x.lane(lane)),
        weights: numbers_in(weights, lane),
        dt: gradient.dt.lane(lane),
        end: state_in(end, lane),
        residual: gradient.residual.lane(lane),
    }
}

//! Worlds that stay in lanes: the same bits as each alone, forwards and back, whatever their neighbours do.

use crate::support::random::Random;
use crate::support::scenes::standing_quadruped;
use gradbody::model::Selection;
use gradbody::prelude::*;
use gradbody::sim::{
    BatchCotangents, BatchError, BatchInputs, BatchLoss, BatchRecord, Failure, InputCotangents,
    StateCotangents,
};

/// More than one group of any width, and a last group that is not full.
const WORLDS: usize = 19;
const STEPS: usize = 12;

/// Quadrupeds that come down on the ground, each from its own state, with its own mass of the trunk.
struct Herd {
    model: Model<f64>,
    options: StepOptions<f64>,
    starts: Vec<State<f64>>,
    masses: Selection,
    values: Vec<f64>,
    controls: Vec<f64>,
}

impl Herd {
    fn new() -> Self {
        let world = standing_quadruped();
        let mut random = Random::new(5);
        let model = world.model.clone();
        let masses = Selection::of(&model, ["link/trunk/mass"]).unwrap();
        let start = |i: usize| {
            let mut random = Random::new(100 + i as u64);
            let mut start = world.state.clone();
            start.time = 0.5 * i as f64;
            let dq: Vec<f64> = random.numbers(model.nv()).iter().map(|x| 0.03 * x).collect();
            integrate(&model, &mut start.q, &dq);
            start.v = random.numbers(model.nv()).iter().map(|x| 0.3 * x).collect();
            start
        };
        let trunk = masses.values(&model)[0];
        let values = (0..WORLDS).map(|_| trunk * random.within(0.9, 1.1)).collect();
        let of = world.input.control.len();
        let controls = (0..STEPS * WORLDS * of)
            .map(|k| world.input.control[k % of] + 0.2 * random.unit())
            .collect();
        let starts = (0..WORLDS).map(start).collect();
        Herd { options: world.options, starts, masses, values, controls, model }
    }

    fn batch(&self) -> Batch<f64> {
        let mut batch = Batch::new(&self.model, WORLDS, self.options);
        batch.set_params(&self.masses, &self.values).unwrap();
        for (world, start) in self.starts.iter().enumerate() {
            batch.reset(&[world], start).unwrap();
        }
        batch
    }

    fn model_of(&self, world: usize) -> Model<f64> {
        let mut model = self.model.clone();
        self.masses.apply(&mut model, &[self.values[world]]).unwrap();
        model
    }

    fn inputs_of(&self, world: usize) -> Sequence<f64> {
        let n = self.controls.len() / (STEPS * WORLDS);
        let input = |step: usize| Input {
            control: self.controls[(world * STEPS + step) * n..][..n].to_vec(),
            ..Input::none(&self.model)
        };
        Sequence::new(&self.model, (0..STEPS).map(input).collect())
    }

    fn array(&self) -> Controls<'_> {
        Controls::new(&self.model, WORLDS, &self.controls).unwrap()
    }

    /// Where a world ends by itself.
    fn alone(&self, world: usize, inputs: &mut impl Inputs<f64>) -> State<f64> {
        let (model, start) = (&self.model_of(world), &self.starts[world]);
        let rolled = Rollout { model, start, steps: STEPS, options: &self.options };
        let trace = &mut RolloutTrace::new(model);
        let ended = rollout(&rolled, inputs, &mut gradbody::sim::NoLoss, &mut NoTaps, trace);
        assert_eq!(ended.failures, [None]);
        ended.end
    }
}

fn assert_same(found: &State<f64>, alone: &State<f64>, what: &str) {
    assert_eq!((&found.q, &found.v, found.time), (&alone.q, &alone.v, alone.time), "{what}");
}

#[test]
fn worlds_end_where_each_ends_alone() {
    let herd = Herd::new();
    for threads in [1, 3] {
        let mut together = herd.batch().with_threads(threads).unwrap();
        together.rollout(STEPS, &herd.array()).unwrap();
        let (nq, nv) = (herd.model.nq(), herd.model.nv());
        let (mut q, mut v) = (vec![0.0; WORLDS * nq], vec![0.0; WORLDS * nv]);
        together.read_states(&mut q, &mut v).unwrap();
        for world in 0..WORLDS {
            let alone = herd.alone(world, &mut herd.inputs_of(world));
            assert_same(&together.state(world).unwrap(), &alone, &format!("world {world}"));
            assert_eq!((&q[world * nq..][..nq], &v[world * nv..][..nv]), (&*alone.q, &*alone.v));
        }
    }
}

#[test]
fn steps_one_by_one_are_a_rollout() {
    let herd = Herd::new();
    let (mut one_by_one, mut at_once) = (herd.batch(), herd.batch());
    at_once.rollout(STEPS, &herd.array()).unwrap();
    let of = herd.model.topology.actuators.len();
    for step in 0..STEPS {
        let rows = herd.controls.chunks(STEPS * of);
        let of_step: Vec<f64> = rows.flat_map(|row| &row[step * of..][..of]).copied().collect();
        one_by_one.step(&Controls::new(&herd.model, WORLDS, &of_step).unwrap()).unwrap();
    }
    for world in 0..WORLDS {
        let [a, b] = [&one_by_one, &at_once].map(|batch| batch.state(world).unwrap());
        assert_same(&a, &b, &format!("world {world}"));
    }
}

#[test]
fn states_are_written_as_they_are_read() {
    let herd = Herd::new();
    let mut batch = herd.batch();
    batch.rollout(STEPS, &herd.array()).unwrap();
    let q: Vec<f64> = herd.starts.iter().flat_map(|start| start.q.clone()).collect();
    let v: Vec<f64> = herd.starts.iter().flat_map(|start| start.v.clone()).collect();
    batch.write_states(&q, &v).unwrap();
    let mut reset = herd.batch();
    for (world, start) in herd.starts.iter().enumerate() {
        let mut start = start.clone();
        start.time = 0.0;
        start.contact.clear();
        reset.reset(&[world], &start).unwrap();
    }
    for batch in [&mut batch, &mut reset] {
        batch.rollout(STEPS, &herd.array()).unwrap();
    }
    for world in 0..WORLDS {
        let [a, b] = [&batch, &reset].map(|batch| batch.state(world).unwrap());
        assert_same(&a, &b, &format!("world {world}"));
    }
    assert!(batch.write_states(&q[1..], &v).is_err());
}

#[test]
fn a_reset_world_begins_anew_and_the_others_go_on() {
    let herd = Herd::new();
    let mut batch = herd.batch();
    batch.rollout(STEPS, &herd.array()).unwrap();
    let before: Vec<State<f64>> = (0..WORLDS).map(|w| batch.state(w).unwrap()).collect();
    batch.reset(&[3, 17], &herd.starts[0]).unwrap();
    for (world, before) in before.iter().enumerate() {
        let now = batch.state(world).unwrap();
        let expected = if [3, 17].contains(&world) { &herd.starts[0] } else { before };
        assert_same(&now, expected, &format!("world {world}"));
    }
}

#[test]
fn a_world_that_diverges_is_named_and_the_others_do_not_notice() {
    let herd = Herd::new();
    let mut batch = herd.batch();
    let mut wild = herd.starts[4].clone();
    wild.v.fill(1e200);
    batch.reset(&[4], &wild).unwrap();
    batch.rollout(STEPS, &herd.array()).unwrap();
    for (world, failure) in batch.failures().into_iter().enumerate() {
        if world == 4 {
            assert!(matches!(failure, Some(Failure::Diverged { .. })), "{failure:?}");
        } else {
            assert_eq!(failure, None, "world {world}");
            let alone = herd.alone(world, &mut herd.inputs_of(world));
            assert_same(&batch.state(world).unwrap(), &alone, &format!("world {world}"));
        }
    }
    batch.reset(&[4], &herd.starts[4]).unwrap();
    assert_eq!(batch.failures()[4], None);
}

/// A world that fails on the way there waits where it began, beside others and alone.
#[test]
fn a_world_that_fails_forwards_waits_where_it_began() {
    let herd = Herd::new();
    let mut wild = herd.starts[4].clone();
    wild.v.fill(1e200);
    let (mut beside, mut alone) = (herd.batch(), Batch::<f64>::new(&herd.model, 1, herd.options));
    beside.reset(&[4], &wild).unwrap();
    alone.reset(&[0], &wild).unwrap();
    beside.forward(STEPS, &herd.array(), &NoTaps).unwrap();
    alone.forward(STEPS, &NoInputs, &NoTaps).unwrap();
    assert_same(&beside.state(4).unwrap(), &wild, "beside others");
    assert_same(&alone.state(0).unwrap(), &wild, "alone");
    let loss = FromStart(&herd.starts[0]);
    let found = beside.backward(&herd.array(), &NoTaps, &loss, &herd.masses).unwrap();
    assert!(matches!(found.failures[4], Some(Failure::Diverged { .. })), "{:?}", found.failures);
    assert_eq!(found.params[4], 0.0);
    assert!(found.costs[4].is_nan() && found.costs[5].is_finite());

    // After a world was put somewhere there is nothing to differentiate, in any world.
    beside.forward(STEPS, &herd.array(), &NoTaps).unwrap();
    beside.reset(&[4], &herd.starts[4]).unwrap();
    let refused = beside.backward(&herd.array(), &NoTaps, &loss, &herd.masses).unwrap_err();
    assert_eq!(refused, BatchError::NothingKept);
}

/// How far from where the first world began.
struct FromStart<'a>(&'a State<f64>);

impl BatchLoss for FromStart<'_> {
    type Loss<S: Scalar> = Mean<StateCost<S>>;

    fn for_worlds<S: Scalar>(&self, model: &Model<S>, _: &[usize]) -> Self::Loss<S> {
        let target = StateTarget::from(&self.0.cast());
        Mean(StateCost::new(model, S::ONE, S::from_f64(0.1), Target::Constant(target)))
    }
}

#[test]
fn gradients_are_those_of_each_world_alone() {
    let herd = Herd::new();
    let mut batch = herd.batch();
    let loss = FromStart(&herd.starts[0]);
    batch.forward(STEPS, &herd.array(), &NoTaps).unwrap();
    let found = batch.backward(&herd.array(), &NoTaps, &loss, &herd.masses).unwrap();
    let nv = herd.model.nv();
    let controls = herd.controls.len() / WORLDS;
    for world in 0..WORLDS {
        let model = &herd.model_of(world);
        let start = &herd.starts[world];
        let rolled = Rollout { model, start, steps: STEPS, options: &herd.options };
        let (how, trace) = (GradientOptions::default(), &mut RolloutTrace::new(model));
        let mut inputs = herd.inputs_of(world);
        let mut own = loss.for_worlds(model, &[world]);
        let alone = rollout_vjp(&rolled, &mut inputs, &mut own, &mut NoTaps, &how, trace);
        assert_eq!(found.costs[world], alone.cost);
        assert_eq!(found.start_q[world * nv..][..nv], alone.start.q);
        assert_eq!(found.start_v[world * nv..][..nv], alone.start.v);
        assert_eq!(found.params[world], herd.masses.gradient(model, &alone.params)[0]);
        assert_eq!(found.dt[world], alone.dt);
        assert_eq!(found.residuals[world], alone.residual);
        let by_control: Vec<f64> = inputs.bars.iter().flat_map(|b| b.control.clone()).collect();
        assert_eq!(found.inputs[world * controls..][..controls], by_control);
        assert!(by_control.iter().any(|x| *x != 0.0), "controls matter");
    }
    let again = batch.backward(&herd.array(), &NoTaps, &loss, &herd.masses).unwrap_err();
    assert_eq!(again, BatchError::NothingKept);
    assert_eq!(batch.failures(), vec![None; WORLDS]);

    // After parameters were changed there is nothing to differentiate either.
    batch.forward(STEPS, &herd.array(), &NoTaps).unwrap();
    batch.set_params(&herd.masses, &herd.values).unwrap();
    let changed = batch.backward(&herd.array(), &NoTaps, &loss, &herd.masses).unwrap_err();
    assert_eq!(changed, BatchError::NothingKept);
}

#[test]
fn joint_forces_come_from_an_array_too() {
    let herd = Herd::new();
    let (model, nv) = (&herd.model, herd.model.nv());
    let numbers: Vec<f64> = Random::new(3).numbers(WORLDS * STEPS * nv);
    let forces = Controls::joint_forces(model, WORLDS, &numbers).unwrap();
    let mut batch = herd.batch();
    batch.forward(STEPS, &forces, &NoTaps).unwrap();
    let loss = FromStart(&herd.starts[0]);
    let found = batch.backward(&forces, &NoTaps, &loss, &herd.masses).unwrap();
    for world in [0, WORLDS - 1] {
        let of_world = &numbers[world * STEPS * nv..][..STEPS * nv];
        let tau = of_world.chunks(nv).map(|tau| Input { tau: tau.to_vec(), ..Input::none(model) });
        let mut inputs = Sequence::new(model, tau.collect());
        let alone = herd.alone(world, &mut inputs);
        assert_same(&batch.state(world).unwrap(), &alone, &format!("world {world}"));
        let model = &herd.model_of(world);
        let rolled =
            Rollout { model, start: &herd.starts[world], steps: STEPS, options: &herd.options };
        let (how, trace) = (GradientOptions::default(), &mut RolloutTrace::new(model));
        let mut own = loss.for_worlds(model, &[world]);
        rollout_vjp(&rolled, &mut inputs, &mut own, &mut NoTaps, &how, trace).checked().unwrap();
        let by_force: Vec<f64> = inputs.bars.iter().flat_map(|bar| bar.tau.clone()).collect();
        assert_eq!(found.inputs[world * STEPS * nv..][..STEPS * nv], by_force);
        assert!(by_force.iter().any(|slope| *slope != 0.0), "forces matter");
    }
    let refused = Controls::joint_forces(model, WORLDS, &numbers[1..]).unwrap_err();
    assert!(refused.to_string().contains("not a whole number of steps"), "{refused}");
}

/// Numbers that f32 rounds (a turned frame) are those of the model, not of the lanes.
#[test]
fn parameters_are_checked_in_the_precision_they_are_given_in() {
    let path = crate::support::golden::repository().join("models/arm7.urdf");
    let model = load(path, &ImportOptions::default()).unwrap().model;
    let mass = Selection::of(&model, ["link/*/mass"]).unwrap();
    let mut batch: Batch<f32> = Batch::new(&model, 3, StepOptions::new(1e-3));
    let values = mass.values(&model).repeat(3);
    batch.set_params(&mass, &values).unwrap();
    let range = Selection::of(&model, ["joint/*/limit_lower"]).unwrap();
    let mut lower = range.values(&model).repeat(3);
    lower[1] = 100.0;
    let refused = batch.set_params(&range, &lower).unwrap_err().to_string();
    assert!(refused.starts_with("world 0: "), "{refused}");
}

#[test]
fn every_kind_of_gradient_is_that_of_each_world_alone() {
    let herd = Herd::new();
    let loss = FromStart(&herd.starts[0]);
    let (nv, contact) = (herd.model.nv(), ContactGradient::Smoothed { kappa: 1e-2 });
    for how in [
        GradientOptions { contact, checkpointing: Checkpointing::StoreAll },
        GradientOptions {
            contact: ContactGradient::Unrolled,
            checkpointing: Checkpointing::Revolve { snapshots: 3 },
        },
    ] {
        let mut batch = herd.batch().with_gradient(how);
        batch.forward(STEPS, &herd.array(), &NoTaps).unwrap();
        let found = batch.backward(&herd.array(), &NoTaps, &loss, &herd.masses).unwrap();
        for world in [1, WORLDS - 2] {
            let (model, start) = (&herd.model_of(world), &herd.starts[world]);
            let rolled = Rollout { model, start, steps: STEPS, options: &herd.options };
            let (mut inputs, trace) = (herd.inputs_of(world), &mut RolloutTrace::new(model));
            let mut own = loss.for_worlds(model, &[world]);
            let alone = rollout_vjp(&rolled, &mut inputs, &mut own, &mut NoTaps, &how, trace);
            assert_eq!(found.start_v[world * nv..][..nv], alone.start.v, "{how:?}");
            assert!(alone.start.v.iter().any(|bar| *bar != 0.0), "{how:?}");
        }
    }
}

#[test]
fn a_world_reports_its_own_residual_and_not_its_neighbours() {
    let mut herd = Herd::new();
    herd.options =
        herd.options.with_solver(Solver::Ncp(Ncp { sweeps: 3, rounds: 0, ..Ncp::default() }));
    let mut batch = herd.batch();
    let mut flying = herd.starts[0].clone();
    flying.q[2] = 5.0;
    batch.reset(&[3], &flying).unwrap();
    batch.rollout(STEPS, &herd.array()).unwrap();
    let residuals = batch.residuals();
    assert_eq!(residuals[3], 0.0, "nothing touches");
    assert!(residuals[2] > 1e-8 && residuals[5] > 1e-8, "{residuals:?}");
}

/// Servos whose targets follow the robot's own velocity: something that sees the state.
#[derive(Clone, Copy)]
struct Follow {
    gain: f64,
}

/// The same on lanes.
struct Following<S> {
    gain: S,
    gain_bar: S,
}

impl BatchInputs for Follow {
    type Inputs<S: Simulated> = Following<S>;

    fn make<S: Simulated>(&self, _: &Model<S>) -> Following<S> {
        Following { gain: S::from_f64(self.gain), gain_bar: S::ZERO }
    }

    fn numbers_bar<S: Simulated>(inputs: &Following<S>) -> &[S] {
        std::slice::from_ref(&inputs.gain_bar)
    }
}

impl<S: Scalar> Inputs<S> for Following<S> {
    fn set(&mut self, _: usize, state: &State<S>, input: &mut Input<S>) {
        for (control, v) in input.control.iter_mut().zip(&state.v[6..]) {
            *control = *v * self.gain;
        }
    }

    fn begin_back(&mut self) {
        self.gain_bar = S::ZERO;
    }

    fn set_vjp(
        &mut self,
        _: usize,
        state: &State<S>,
        bar: &InputCotangents<S>,
        state_bar: &mut StateCotangents<S>,
    ) {
        for (k, bar) in bar.control.iter().enumerate() {
            self.gain_bar = bar.mul_add(state.v[6 + k], self.gain_bar);
            state_bar.v[6 + k] = bar.mul_add(self.gain, state_bar.v[6 + k]);
        }
    }
}

#[test]
fn a_policy_that_sees_the_state_acts_in_lanes_as_alone() {
    let herd = Herd::new();
    let mut batch = herd.batch();
    let policy = Follow { gain: 0.05 };
    batch.forward(STEPS, &policy, &NoTaps).unwrap();
    for world in 0..WORLDS {
        let alone = herd.alone(world, &mut policy.make(&herd.model));
        assert_same(&batch.state(world).unwrap(), &alone, &format!("world {world}"));
    }
    let loss = FromStart(&herd.starts[0]);
    let found = batch.backward(&policy, &NoTaps, &loss, &herd.masses).unwrap();
    for world in [0, WORLDS - 1] {
        let (model, start) = (&herd.model_of(world), &herd.starts[world]);
        let rolled = Rollout { model, start, steps: STEPS, options: &herd.options };
        let (how, trace) = (GradientOptions::default(), &mut RolloutTrace::new(model));
        let mut inputs = policy.make(model);
        let mut own = loss.for_worlds(model, &[world]);
        let alone = rollout_vjp(&rolled, &mut inputs, &mut own, &mut NoTaps, &how, trace);
        assert_eq!(found.costs[world], alone.cost);
        assert_eq!(found.inputs[world], inputs.gain_bar);
        assert!(inputs.gain_bar != 0.0, "the gain matters");
    }
}

#[test]
fn arrays_and_worlds_that_do_not_fit_are_refused() {
    let herd = Herd::new();
    let mut batch = herd.batch();
    let wrong = batch.set_params(&herd.masses, &[1.0]);
    assert_eq!(wrong, Err(BatchError::Array { part: "parameters", given: 1, needed: WORLDS }));
    let mut larger = herd.model.clone();
    larger.append(&herd.model, "second").unwrap();
    let of_both = Selection::of(&larger, ["link/*trunk/mass"]).unwrap();
    let wrong = batch.set_params(&of_both, &vec![10.0; 2 * WORLDS]);
    assert_eq!(wrong, Err(BatchError::OtherSelection));
    let mut negative = herd.values.clone();
    negative[7] = -1.0;
    let wrong = batch.set_params(&herd.masses, &negative).unwrap_err().to_string();
    assert!(wrong.starts_with("world 7: ") && wrong.contains("mass"), "{wrong}");
    let wrong = batch.reset(&[WORLDS], &herd.starts[0]);
    assert_eq!(wrong, Err(BatchError::NoSuchWorld { world: WORLDS, worlds: WORLDS }));
    let mut short = herd.starts[0].clone();
    short.v.pop();
    let wrong = batch.reset(&[2], &short).unwrap_err();
    assert_eq!(wrong.to_string(), "world 2: v of its start has 17 numbers, but needs 18");
    assert!(batch.read_states(&mut [], &mut []).is_err());
    assert!(batch.state(WORLDS).is_none());
    assert!(Controls::new(&herd.model, WORLDS, &herd.controls[1..]).is_err());
    let other = Controls::new(&herd.model, 1, &herd.controls).unwrap();
    assert_eq!(batch.step(&other), Err(BatchError::Worlds { given: 1, needed: WORLDS }));
    assert!(Batch::<f32>::new(&herd.model, 0, herd.options).is_empty());
}

#[test]
fn recorded_states_are_those_of_each_step() {
    let herd = Herd::new();
    let (nq, nv) = (herd.model.nq(), herd.model.nv());
    let room = || (vec![0.0; WORLDS * STEPS * nq], vec![0.0; WORLDS * STEPS * nv]);
    let ((mut q, mut v), (mut kept_q, mut kept_v)) = (room(), room());
    let record = Some(BatchRecord { q: &mut q, v: &mut v });
    herd.batch().rollout_into(STEPS, &herd.array(), &NoTaps, record).unwrap();
    let record = Some(BatchRecord { q: &mut kept_q, v: &mut kept_v });
    herd.batch().forward_into(STEPS, &herd.array(), &NoTaps, record).unwrap();
    assert_eq!((&q, &v), (&kept_q, &kept_v));
    for step in [0, 5, STEPS - 1] {
        let mut batch = herd.batch();
        batch.rollout(step + 1, &herd.array()).unwrap();
        for world in 0..WORLDS {
            let there = batch.state(world).unwrap();
            assert_eq!(&q[(world * STEPS + step) * nq..][..nq], &there.q[..]);
            assert_eq!(&v[(world * STEPS + step) * nv..][..nv], &there.v[..]);
        }
    }
    let record = Some(BatchRecord { q: &mut q[1..], v: &mut v });
    let refused = herd.batch().rollout_into(STEPS, &herd.array(), &NoTaps, record);
    assert!(matches!(refused, Err(BatchError::Array { .. })));
}

/// Σ over steps of a · q + b · v, in the coordinates of a quadruped whose first three are plain positions.
struct Weighed<'a> {
    a: &'a [f64],
    b: &'a [f64],
}

impl BatchLoss for Weighed<'_> {
    type Loss<S: Scalar> = WeighedIn<S>;

    fn for_worlds<S: Scalar>(&self, _: &Model<S>, worlds: &[usize]) -> WeighedIn<S> {
        let n = self.a.len() / WORLDS;
        let of = |from: &[f64]| -> Vec<S> {
            (0..n).map(|k| S::from_lanes(|lane| from[worlds[lane] * n + k])).collect()
        };
        WeighedIn { a: of(self.a), b: of(self.b) }
    }
}

struct WeighedIn<S> {
    a: Vec<S>,
    b: Vec<S>,
}

impl<S: Scalar> Loss<S> for WeighedIn<S> {
    fn cost(&mut self, _: &Moment<'_, S>) -> S {
        S::ZERO
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, _: S, bars: &mut LossCotangents<'_, S>) {
        let n = self.a.len() / at.steps;
        let part = at.step * n..(at.step + 1) * n;
        bars.state.q.iter_mut().zip(&self.a[part.clone()]).for_each(|(to, x)| *to += *x);
        bars.state.v.iter_mut().zip(&self.b[part]).for_each(|(to, x)| *to += *x);
    }
}

#[test]
fn cotangents_from_arrays_are_those_of_a_loss() {
    let herd = Herd::new();
    let mut random = Random::new(8);
    let nv = herd.model.nv();
    let (a, b) = (random.numbers(WORLDS * STEPS * nv), random.numbers(WORLDS * STEPS * nv));
    let gradient = |loss: &dyn Fn(&mut Batch<f64>) -> Result<BatchGradient, BatchError>| {
        let mut batch = herd.batch();
        batch.forward(STEPS, &herd.array(), &NoTaps).unwrap();
        loss(&mut batch)
    };
    let by_loss = gradient(&|batch| {
        batch.backward(&herd.array(), &NoTaps, &Weighed { a: &a, b: &b }, &herd.masses)
    });
    let by_array = gradient(&|batch| {
        let bars = BatchCotangents::new(&herd.model, WORLDS, STEPS, &a, &b)?;
        batch.backward(&herd.array(), &NoTaps, &bars, &herd.masses)
    });
    let (by_loss, by_array) = (by_loss.unwrap(), by_array.unwrap());
    assert_eq!(by_array.failures, vec![None; WORLDS]);
    assert!(by_array.start_q.iter().all(|x| *x != 0.0));
    assert_eq!(by_array.start_q, by_loss.start_q);
    assert_eq!(by_array.inputs, by_loss.inputs);
    assert_eq!(by_array.params, by_loss.params);
    let refused = BatchCotangents::new(&herd.model, WORLDS, STEPS, &a[1..], &b);
    assert!(matches!(refused, Err(BatchError::Array { .. })));
    let n = WORLDS * (STEPS - 1) * nv;
    let short = BatchCotangents::new(&herd.model, WORLDS, STEPS - 1, &a[..n], &b[..n]).unwrap();
    let refused = gradient(&|batch| batch.backward(&herd.array(), &NoTaps, &short, &herd.masses));
    assert!(matches!(refused.unwrap().failures[0], Some(Failure::TooFewTargets(_))));
}

#[test]
fn recorded_states_of_a_world_that_fails_are_nan() {
    let herd = Herd::new();
    let (nq, nv) = (herd.model.nq(), herd.model.nv());
    let (mut q, mut v) = (vec![0.0; WORLDS * STEPS * nq], vec![0.0; WORLDS * STEPS * nv]);
    // Once with neighbours in its group that go on, once with none.
    for lost in [vec![3], (0..WORLDS).collect()] {
        let mut batch = herd.batch();
        for &world in &lost {
            let mut start = herd.starts[world].clone();
            start.v.fill(1e200);
            batch.reset(&[world], &start).unwrap();
        }
        let record = Some(BatchRecord { q: &mut q, v: &mut v });
        batch.forward_into(STEPS, &herd.array(), &NoTaps, record).unwrap();
        for world in 0..WORLDS {
            let (q, v) =
                (&q[world * STEPS * nq..][..STEPS * nq], &v[world * STEPS * nv..][..STEPS * nv]);
            let is_lost = lost.contains(&world);
            assert!(q.iter().chain(v).all(|x| x.is_nan() == is_lost), "world {world}");
        }
    }
}

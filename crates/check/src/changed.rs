//! Rollouts with small changes, many at a time: in the lanes of the widest vectors, and on all cores.
//!
//! A world has the same bits alone and in a lane, so this gives the same results as one rollout after the other, only
//! faster. Nearly all of a check's time goes into solving contacts to the last digit.

use std::cell::{Cell, RefCell};
use std::hash::{DefaultHasher, Hasher as _};

use gradbody_contact::ContactMemory;
use gradbody_math::{Force, Scalar, Vec3};
use gradbody_model::Model;
use gradbody_sim::{
    Input, Kernel, NoTaps, Simulated, State, StepOptions, StepScratch, StepTrace, run_widest, step,
};
use rayon::prelude::*;

use crate::case::Case;
use crate::group::Group;
use crate::watch::{Stop, Watch};
use crate::world::{World, between, hash_contact};

/// The groups changed in a world, and by how much.
pub(crate) type Changes<'a> = Vec<(&'a Group, f64)>;

/// Result of a changed rollout.
pub(crate) struct Changed {
    /// Its last state, and which contacts pressed, stuck and slid; nothing if it diverged.
    pub(crate) end: Option<(State<f64>, u64)>,
    /// Difference of its state from the reference after each step, up to the step where it ended.
    pub(crate) ways: Vec<Vec<f64>>,
}

impl Case {
    /// Rolls out changed worlds, and compares them step by step with the states `about`, if there are any.
    pub(crate) fn roll_changed(
        &self,
        worlds: &[Changes<'_>],
        about: &[State<f64>],
        watch: &dyn Watch,
    ) -> Result<Vec<Changed>, Stop> {
        run_widest::<f64, _>(Many { case: self, worlds, about, watch })
    }
}

#[derive(Clone, Copy)]
struct Many<'a> {
    case: &'a Case,
    worlds: &'a [Changes<'a>],
    about: &'a [State<f64>],
    watch: &'a dyn Watch,
}

impl Kernel for Many<'_> {
    type Output = Result<Vec<Changed>, Stop>;

    #[inline(always)]
    fn run<S: Simulated>(self) -> Self::Output {
        let some: Vec<&[Changes<'_>]> = self.worlds.chunks(S::LANES).collect();
        let found: Result<Vec<Vec<Changed>>, Stop> =
            some.into_par_iter().map(|some| self.side_by_side::<S>(some)).collect();
        Ok(found?.into_iter().flatten().collect())
    }
}

impl Many<'_> {
    fn alone(&self, changes: &Changes<'_>) -> Result<Changed, Stop> {
        let mut ways = Vec::new();
        let run = self.case.world(changes).roll(self.watch, |k, state| {
            if let Some(about) = self.about.get(k) {
                ways.push(between(&self.case.model, about, state));
            }
        });
        match run {
            Ok(run) => Ok(Changed { end: Some((run.end, run.pattern)), ways }),
            Err(Stop::Diverged { .. }) => Ok(Changed { end: None, ways }),
            Err(Stop::Interrupted) => Err(Stop::Interrupted),
        }
    }

    fn side_by_side<S: Simulated>(&self, some: &[Changes<'_>]) -> Result<Vec<Changed>, Stop> {
        let alone = || some.iter().map(|changes| self.alone(changes)).collect();
        if S::LANES == 1 {
            return alone();
        }
        let worlds: Vec<World<f64>> = some.iter().map(|changes| self.case.world(changes)).collect();
        let together = Together::<S>::new(&worlds);
        let mut state = together.start();
        let (mut trace, mut scratch) =
            (StepTrace::new(&together.model), StepScratch::new(&together.model));
        let mut patterns = vec![DefaultHasher::new(); some.len()];
        let mut ways = vec![Vec::new(); some.len()];
        let mut input = Input::none(&together.model);
        for k in 0..self.case.steps() {
            if self.watch.asks_to_stop() {
                return Err(Stop::Interrupted);
            }
            together.input(k, &mut input);
            state.time = together.time(k);
            let Together { model, options, .. } = &together;
            let report =
                step(model, &mut state, &input, options, &mut NoTaps, &mut trace, &mut scratch);
            state.time = together.time(k + 1);
            if report.diverged.is_some() {
                // Run each alone to find which one diverged, and how far the others come.
                return alone();
            }
            for contact in trace.contacts() {
                for (lane, pattern) in patterns.iter_mut().enumerate() {
                    hash_contact(k, contact, options, lane, pattern);
                }
            }
            if let Some(about) = self.about.get(k) {
                for (lane, ways) in ways.iter_mut().enumerate() {
                    ways.push(between(&self.case.model, about, &in_lane(&state, lane)));
                }
            }
        }
        self.watch.done(some.len());
        let ends = patterns.into_iter().zip(ways).enumerate();
        Ok(ends
            .map(|(lane, (pattern, ways))| Changed {
                end: Some((in_lane(&state, lane), pattern.finish())),
                ways,
            })
            .collect())
    }
}

/// Worlds side by side; spare lanes repeat the last world.
struct Together<'a, S> {
    worlds: &'a [World<f64>],
    model: Model<S>,
    options: StepOptions<S>,
}

impl<'a, S: Scalar> Together<'a, S> {
    fn new(worlds: &'a [World<f64>]) -> Self {
        let dt = lanes(worlds, |world| world.options.dt);
        let options = worlds[0].options.with_dt(dt);
        Together { worlds, model: model_in_lanes(worlds), options }
    }

    fn start(&self) -> State<S> {
        let mut start: State<S> = self.worlds[0].start.cast();
        start.q = self.all(|world| &world.start.q);
        start.v = self.all(|world| &world.start.v);
        start.activation = self.all(|world| &world.start.activation);
        start
    }

    fn time(&self, k: usize) -> S {
        let start = lanes(self.worlds, |world| world.start.time);
        self.options.dt.mul_add(S::from_f64(k as f64), start)
    }

    fn all(&self, of: impl Fn(&World<f64>) -> &[f64]) -> Vec<S> {
        let numbers = of(&self.worlds[0]).len();
        (0..numbers).map(|k| lanes(self.worlds, |world| of(world)[k])).collect()
    }

    /// The input of a step.
    fn input(&self, k: usize, input: &mut Input<S>) {
        let given: Vec<&Input<f64>> = self.worlds.iter().map(|world| &world.inputs[k]).collect();
        for (i, to) in input.control.iter_mut().enumerate() {
            *to = lanes(&given, |input| input.control[i]);
        }
        for (i, to) in input.tau.iter_mut().enumerate() {
            *to = lanes(&given, |input| input.tau[i]);
        }
        input.external.resize(given[0].external.len(), Force::ZERO);
        for (i, to) in input.external.iter_mut().enumerate() {
            let vector = |of: &dyn Fn(&Input<f64>) -> Vec3<f64>| {
                let part = |of_part: fn(Vec3<f64>) -> f64| lanes(&given, |x| of_part(of(x)));
                Vec3::new(part(|v| v.x), part(|v| v.y), part(|v| v.z))
            };
            to.ang = vector(&|input| input.external[i].ang);
            to.lin = vector(&|input| input.external[i].lin);
        }
    }
}

/// A number of each world.
fn lanes<W, S: Scalar>(worlds: &[W], of: impl Fn(&W) -> f64) -> S {
    S::from_lanes(|lane| of(&worlds[lane.min(worlds.len() - 1)]))
}

fn model_in_lanes<S: Scalar>(worlds: &[World<f64>]) -> Model<S> {
    let numbers = |world: &World<f64>| {
        let numbers = RefCell::new(Vec::new());
        world.model.params.map(|x| {
            numbers.borrow_mut().push(x);
            x
        });
        numbers.into_inner()
    };
    let numbers: Vec<Vec<f64>> = worlds.iter().map(numbers).collect();
    let next = Cell::new(0);
    // In the order in which they were noted.
    let params = worlds[0].model.params.map(|_| {
        let k = next.replace(next.get() + 1);
        lanes(&numbers, |numbers| numbers[k])
    });
    Model { topology: worlds[0].model.topology.clone(), params }
}

/// The state of one world, without the memory of contacts.
fn in_lane<S: Scalar>(state: &State<S>, lane: usize) -> State<f64> {
    let numbers = |of: &[S]| of.iter().map(|x| x.lane(lane)).collect();
    State {
        time: state.time.lane(lane),
        q: numbers(&state.q),
        v: numbers(&state.v),
        activation: numbers(&state.activation),
        memory: Vec::new(),
        contact: ContactMemory::default(),
    }
}

//! Many worlds at once: the same bits as alone, whatever their neighbours do.

use std::time::Instant;

use crate::support::random::Random;
use crate::support::scenes::standing_quadruped;
use gradbody::contact::{ContactGradient, Ncp, Solver};
use gradbody::model::ParamId;
use gradbody::prelude::*;
use gradbody::sim::{
    BatchError, BatchLoss, ControlCost, Ensemble, Failure, GradientOptions, NoLoss, Rollout,
    RolloutTrace, Sequence, StateCost, StateTarget, Target, Terminal, World, WorldGradient,
    in_lanes, rollout, rollout_vjp,
};

/// Worlds with numbers of their own.
struct Worlds {
    models: Vec<Model<f64>>,
    starts: Vec<State<f64>>,
    inputs: Vec<Vec<Input<f64>>>,
    targets: Vec<StateTarget<f64>>,
}

impl Worlds {
    /// Quadrupeds of different weight and grip that come down, one leg first, and are pushed about.
    fn quadrupeds(count: usize, steps: usize) -> Self {
        let mut worlds = Worlds { models: vec![], starts: vec![], inputs: vec![], targets: vec![] };
        let world = standing_quadruped();
        for i in 0..count {
            let mut random = Random::new(i as u64);
            let mut model = world.model.clone();
            for id in model.topology.param_ids() {
                let of_mass = matches!(id, ParamId::Mass(_) | ParamId::ShapeMaterial(..));
                if of_mass && model.get(id).is_finite() {
                    let value = model.get(id) * random.within(0.9, 1.1);
                    model.set(id, value);
                }
            }
            let mut start = world.state.clone();
            start.time = i as f64;
            let dq: Vec<f64> = random.numbers(model.nv()).iter().map(|x| 0.03 * x).collect();
            integrate(&model, &mut start.q, &dq);
            start.q[2] += 0.005 * random.unit();
            start.v = random.numbers(model.nv()).iter().map(|x| 0.3 * x).collect();
            let input = |k: usize| {
                let mut input = world.input.clone();
                input.control.iter_mut().for_each(|x| *x += 0.2 * random.unit());
                input.tau = random.numbers(model.nv());
                if i % 3 == 1 && k.is_multiple_of(2) {
                    input.external = crate::support::models::random_forces(&mut random, &model);
                }
                input
            };
            // Some have fewer inputs than steps.
            worlds.inputs.push((0..steps - i % 3).map(input).collect());
            let mut target = StateTarget::from(&world.state);
            target.q[0] += random.unit();
            worlds.targets.push(target);
            worlds.models.push(model);
            worlds.starts.push(start);
        }
        worlds
    }

    fn list(&self) -> Vec<World<'_>> {
        let world = |i: usize| World {
            model: &self.models[i],
            start: &self.starts[i],
            inputs: &self.inputs[i],
        };
        (0..self.models.len()).map(world).collect()
    }
}

/// Each world has a target of its own.
struct ToTargets<'a>(&'a [StateTarget<f64>]);

impl BatchLoss for ToTargets<'_> {
    type Loss<S: Scalar> = (Terminal<StateCost<S>>, ControlCost<S>);

    fn for_worlds<S: Scalar>(&self, model: &Model<S>, worlds: &[usize]) -> Self::Loss<S> {
        let number = |of: &dyn Fn(&StateTarget<f64>) -> f64| in_lanes(worlds, |i| of(&self.0[i]));
        let target = StateTarget {
            q: (0..model.nq()).map(|k| number(&|t| t.q[k])).collect(),
            v: (0..model.nv()).map(|k| number(&|t| t.v[k])).collect(),
        };
        let cost = StateCost::new(model, S::ONE, S::from_f64(0.1), Target::Constant(target));
        (Terminal(cost), ControlCost { control: S::from_f64(1e-3), tau: S::from_f64(1e-4) })
    }
}

fn options(solver: Solver) -> StepOptions<f64> {
    StepOptions::new(2e-3).with_solver(solver)
}

/// Warm, so that what a world begins with matters.
fn solvers() -> [Solver; 2] {
    [Solver::HuntCrossley, Solver::Ncp(Ncp::default())]
}

/// Every number of a gradient, in order.
fn numbers(gradient: &WorldGradient) -> Vec<f64> {
    let WorldGradient { cost, start, inputs, params, dt, end, .. } = gradient;
    let mut list = vec![*cost, *dt, end.time];
    for part in [&start.q, &start.v, &start.activation, &end.q, &end.v, &end.activation] {
        list.extend(part);
    }
    for bar in inputs {
        list.extend(bar.control.iter().chain(&bar.tau));
        list.extend(
            bar.external.iter().flat_map(|m| [m.ang.to_array(), m.lin.to_array()].concat()),
        );
    }
    let params_list = std::cell::RefCell::new(Vec::new());
    params.map(|x| {
        params_list.borrow_mut().push(x);
        x
    });
    list.extend(params_list.into_inner());
    list
}

/// The same to the bit, the sign of zero aside.
fn assert_same(one: &WorldGradient, other: &WorldGradient, what: &str) {
    let (one, other) = (numbers(one), numbers(other));
    assert_eq!(one.len(), other.len());
    for (k, (a, b)) in one.iter().zip(&other).enumerate() {
        assert!(
            a.to_bits() == b.to_bits() || (*a == 0.0 && *b == 0.0),
            "{what}: number {k}: {a} and {b}"
        );
    }
}

/// A world without the batch.
fn alone(worlds: &Worlds, i: usize, batch: &Ensemble) -> Result<WorldGradient, Failure> {
    let World { model, start, inputs } = worlds.list()[i];
    let rolled = Rollout { model, start, steps: batch.steps, options: &batch.options };
    let mut loss = ToTargets(&worlds.targets).for_worlds::<f64>(model, &[i]);
    let mut inputs = Sequence::new(model, inputs.to_vec());
    let mut trace = RolloutTrace::new(model);
    let end = rollout(&rolled, &mut inputs, &mut loss, &mut NoTaps, &mut trace).end;
    let how = &batch.gradient;
    let found =
        rollout_vjp(&rolled, &mut inputs, &mut loss, &mut NoTaps, how, &mut trace).checked()?;
    let Gradient { cost, start, params, dt, residual, .. } = found;
    let (inputs, weights) = (inputs.bars, Vec::new());
    Ok(WorldGradient { cost, start, inputs, params, weights, dt, end, residual })
}

#[test]
fn a_world_has_the_same_bits_alone_and_in_a_batch() {
    let worlds = Worlds::quadrupeds(11, 12);
    let alone_sweeps = Solver::Ncp(Ncp { rounds: 0, ..Ncp::default() });
    let [compliant, rigid] = solvers();
    for (solver, contact) in [
        (compliant, ContactGradient::Implicit),
        (rigid, ContactGradient::Implicit),
        (alone_sweeps, ContactGradient::Unrolled),
    ] {
        let gradient = GradientOptions { contact, ..GradientOptions::default() };
        let batch =
            Ensemble::new(12, options(solver)).with_threads(2).unwrap().with_gradient(gradient);
        let found = batch.gradients::<f64>(&worlds.list(), &ToTargets(&worlds.targets)).unwrap();
        let forward = batch.run::<f64>(&worlds.list(), &ToTargets(&worlds.targets)).unwrap();
        let mut touched = 0;
        for (i, found) in found.iter().enumerate() {
            let found = found.as_ref().unwrap();
            assert_same(
                &alone(&worlds, i, &batch).unwrap(),
                found,
                &format!("{solver:?}, world {i}"),
            );
            let forward = forward[i].as_ref().unwrap();
            // On the way back costs are summed from the end.
            assert!((forward.cost - found.cost).abs() < 1e-14 * found.cost);
            assert_eq!(forward.end, found.end);
            let free = worlds.starts[i].v[2] - 12.0 * 2e-3 * 9.81;
            touched += usize::from(found.end.v[2] > free + 0.01);
        }
        assert!(touched > 5, "{touched} touch the ground");
    }
}

#[test]
fn neither_threads_nor_places_change_a_bit() {
    let worlds = Worlds::quadrupeds(19, 8);
    let list = worlds.list();
    let loss = &ToTargets(&worlds.targets);
    let batch = |threads| {
        Ensemble::new(8, options(Solver::Ncp(Ncp::default()))).with_threads(threads).unwrap()
    };
    let first = batch(1).gradients::<f64>(&list, loss).unwrap();
    for threads in [2, 5] {
        let other = batch(threads).gradients::<f64>(&list, loss).unwrap();
        for (i, (a, b)) in first.iter().zip(&other).enumerate() {
            assert_same(a.as_ref().unwrap(), b.as_ref().unwrap(), &format!("{threads}: {i}"));
        }
    }
    let backwards: Vec<World<'_>> = list.iter().rev().copied().collect();
    let targets: Vec<_> = worlds.targets.iter().rev().cloned().collect();
    let other = batch(2).gradients::<f64>(&backwards, &ToTargets(&targets)).unwrap();
    for (i, (a, b)) in first.iter().zip(other.iter().rev()).enumerate() {
        assert_same(a.as_ref().unwrap(), b.as_ref().unwrap(), &format!("from behind: {i}"));
    }
}

#[test]
fn a_diverging_world_is_reported_and_its_neighbours_keep_their_bits() {
    for solver in solvers() {
        let mut worlds = Worlds::quadrupeds(9, 8);
        let batch = Ensemble::new(8, options(solver));
        let good = batch.gradients::<f64>(&worlds.list(), &ToTargets(&worlds.targets)).unwrap();
        worlds.inputs[4][4].external[2].lin.x = f64::INFINITY;
        worlds.starts[5].v[8] = 1e200;
        let found = batch.gradients::<f64>(&worlds.list(), &ToTargets(&worlds.targets)).unwrap();
        let forward = batch.run::<f64>(&worlds.list(), &ToTargets(&worlds.targets)).unwrap();
        for (i, found) in found.iter().enumerate() {
            let failure = found.as_ref().err();
            match i {
                4 => assert!(matches!(failure, Some(Failure::Diverged { step: 4, .. }))),
                5 => assert!(matches!(failure, Some(Failure::Diverged { step: 0, .. }))),
                _ => {
                    let what = format!("{solver:?}, world {i}");
                    assert_same(good[i].as_ref().unwrap(), found.as_ref().unwrap(), &what);
                }
            }
            assert_eq!(forward[i].as_ref().err(), found.as_ref().err());
        }
    }
}

#[test]
fn worlds_may_start_from_contact_of_their_own() {
    let mut worlds = Worlds::quadrupeds(10, 10);
    let batch = Ensemble::new(10, options(Solver::Ncp(Ncp::default())));
    let before = batch.run::<f64>(&worlds.list(), &NoLoss).unwrap();
    for (start, before) in worlds.starts.iter_mut().zip(before) {
        *start = before.unwrap().end;
    }
    worlds.starts[4].contact.clear();
    let found = batch.gradients::<f64>(&worlds.list(), &ToTargets(&worlds.targets)).unwrap();
    for (i, found) in found.iter().enumerate() {
        let alone = alone(&worlds, i, &batch).unwrap();
        assert_same(&alone, found.as_ref().unwrap(), &format!("world {i}"));
    }
}

#[test]
fn single_precision_is_close() {
    let worlds = Worlds::quadrupeds(5, 5);
    let batch = Ensemble::new(5, options(Solver::HuntCrossley));
    let loss = &ToTargets(&worlds.targets);
    let fine = batch.gradients::<f64>(&worlds.list(), loss).unwrap();
    let coarse = batch.gradients::<f32>(&worlds.list(), loss).unwrap();
    for (fine, coarse) in fine.iter().zip(&coarse) {
        let (fine, coarse) = (fine.as_ref().unwrap(), coarse.as_ref().unwrap());
        let scale = fine.start.v.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
        for (a, b) in fine.start.v.iter().zip(&coarse.start.v) {
            assert!((a - b).abs() < 2e-3 * scale, "{a} and {b} of {scale}");
        }
    }
}

#[test]
fn no_worlds_and_no_steps_are_fine() {
    let worlds = Worlds::quadrupeds(3, 4);
    let batch =
        Ensemble::new(0, options(Solver::HuntCrossley)).with_gradient(GradientOptions::default());
    assert!(batch.gradients::<f64>(&[], &NoLoss).unwrap().is_empty());
    for (i, found) in
        batch.gradients::<f64>(&worlds.list(), &NoLoss).unwrap().into_iter().enumerate()
    {
        let found = found.unwrap();
        assert_eq!((found.cost, &found.end.q), (0.0, &worlds.starts[i].q));
        assert!(found.inputs.is_empty());
    }
}

#[test]
fn worlds_that_do_not_fit_are_refused() {
    let refused = |worlds: &Worlds| {
        let batch = Ensemble::new(2, options(Solver::HuntCrossley));
        let error = batch.run::<f64>(&worlds.list(), &NoLoss).unwrap_err();
        assert_eq!(batch.gradients::<f64>(&worlds.list(), &NoLoss).unwrap_err(), error);
        error
    };
    let mut worlds = Worlds::quadrupeds(3, 4);
    let nq = worlds.starts[1].q.len();
    worlds.starts[1].q.pop();
    let error = refused(&worlds);
    assert_eq!(error, BatchError::Start { world: 1, part: "q", given: nq - 1, needed: nq });
    assert!(error.to_string().starts_with("world 1: q of its start has"), "{error}");

    let mut worlds = Worlds::quadrupeds(3, 4);
    let nv = worlds.starts[0].v.len();
    worlds.inputs[2][0].tau.push(0.0);
    let (part, given, needed) = ("tau", nv + 1, nv);
    assert_eq!(refused(&worlds), BatchError::Input { world: 2, step: 0, part, given, needed });

    let mut worlds = Worlds::quadrupeds(3, 4);
    let scene = crate::support::scenes::stack(1, 1e-3);
    worlds.models[1] = scene.model;
    assert_eq!(refused(&worlds), BatchError::OtherStructure { world: 1 });

    // As many numbers, but another shape.
    let mut worlds = Worlds::quadrupeds(3, 4);
    worlds.models[2].topology.shapes[0].kind = ShapeKind::Ellipsoid;
    assert_eq!(refused(&worlds), BatchError::OtherStructure { world: 2 });
}

/// `cargo test --release -p gradbody --test batch_gradients -- --ignored --nocapture speed`
#[test]
#[ignore = "a measurement"]
fn speed() {
    let (count, steps) = (64, 100);
    let worlds = Worlds::quadrupeds(count, steps);
    let loss = &ToTargets(&worlds.targets);
    for (name, solver) in [("Ncp", Solver::default()), ("Hunt-Crossley", Solver::HuntCrossley)] {
        let time = |f: &mut dyn FnMut()| {
            let mut best = f64::INFINITY;
            for _ in 0..3 {
                let begin = Instant::now();
                f();
                best = best.min(begin.elapsed().as_secs_f64());
            }
            best / (count * steps) as f64 * 1e6
        };
        for threads in [1, 2] {
            let batch = Ensemble::new(steps, options(solver)).with_threads(threads).unwrap();
            let f64s = time(&mut || drop(batch.gradients::<f64>(&worlds.list(), loss).unwrap()));
            let f32s = time(&mut || drop(batch.gradients::<f32>(&worlds.list(), loss).unwrap()));
            let forward = time(&mut || drop(batch.run::<f64>(&worlds.list(), loss).unwrap()));
            println!(
                "{name}, {threads} threads: gradient {f64s:.2} µs a step and world, in f32 {f32s:.2}; forwards {forward:.2}"
            );
        }
        let batch = Ensemble::new(steps, options(solver));
        let (mut list, mut inputs): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
        for (i, world) in worlds.list().into_iter().enumerate() {
            list.push((world, ToTargets(&worlds.targets).for_worlds::<f64>(world.model, &[i])));
            inputs.push(Sequence::new(world.model, world.inputs.to_vec()));
        }
        let mut trace = RolloutTrace::new(&worlds.models[0]);
        let mut one = |back: bool| {
            time(&mut || {
                for ((world, loss), inputs) in list.iter_mut().zip(&mut inputs) {
                    let World { model, start, .. } = *world;
                    let rolled = Rollout { model, start, steps, options: &batch.options };
                    if back {
                        rollout_vjp(
                            &rolled,
                            inputs,
                            loss,
                            &mut NoTaps,
                            &batch.gradient,
                            &mut trace,
                        );
                    } else {
                        rollout(&rolled, inputs, loss, &mut NoTaps, &mut trace);
                    }
                }
            })
        };
        println!(
            "{name}, one after another: gradient {:.2} µs, forwards {:.2}",
            one(true),
            one(false)
        );
    }
}

//! Episodes that differ: parameters, delays and pushes that are drawn.

use gradbody_env::{
    Autoreset, Delay, Description, EnvBatch, Environment, Outcome, Pushes, Randomised, Range,
};
use gradbody_model::Selection;
use gradbody_sim::Precision;

use crate::support::{action, actions};

fn drawn(pattern: &str, range: Range, together: bool) -> Randomised {
    Randomised { parameters: vec![pattern.into()], range, together }
}

/// Everything at once.
fn rough(environment: Environment) -> Description {
    let mut of = environment.describe();
    of.time_limit = 9;
    of.randomise = vec![
        drawn("link/*/mass", Range::Factor(0.8, 1.2), false),
        drawn("shape/*/friction", Range::Value(0.4, 1.2), true),
    ];
    of.delay = Delay { least: 0, most: 3 };
    of.pushes = Some(Pushes { v: 0, count: 2, size: 0.5, mean_time: 0.1 });
    of
}

fn row(rows: &[f64], worlds: usize, world: usize) -> &[f64] {
    let width = rows.len() / worlds;
    &rows[world * width..(world + 1) * width]
}

#[test]
fn a_late_action_does_what_it_does_without_delay_some_steps_later() {
    const WORLDS: usize = 6;
    let at_once = Environment::HalfCheetah.describe();
    let of = Description { delay: Delay { least: 0, most: 3 }, ..at_once.clone() };
    let mut late: EnvBatch<f64> =
        EnvBatch::with_description(of, WORLDS, 3, Some(1)).expect("a batch");
    let delays = late.situations().delays.clone();
    assert!(delays.contains(&0) && delays.contains(&3) && delays.iter().all(|d| *d <= 3));
    let (q, v) = late.states();
    late.set_states(&q, &v).expect("states");
    let mut prompt: EnvBatch<f64> =
        EnvBatch::with_description(at_once, WORLDS, 3, Some(1)).expect("a batch");
    prompt.set_states(&q, &v).expect("states");
    for step in 0..20 {
        let given = actions(late.description(), WORLDS, step);
        let shifted: Vec<f64> = (0..WORLDS)
            .flat_map(|world| match step.checked_sub(delays[world]) {
                Some(step) => action(late.description(), world, step),
                None => vec![0.0; 6],
            })
            .collect();
        let ours = late.step(&given).expect("a step").clone();
        let theirs = prompt.step(&shifted).expect("a step");
        assert_eq!(ours.observations, theirs.observations, "step {step}");
        assert_eq!(ours.rewards, theirs.rewards, "costs count an action when it acts");
    }
    // The gradient goes on with the actions on their way.
    let horizon = 5;
    let ahead: Vec<f64> = (0..WORLDS)
        .flat_map(|world| (0..horizon).map(move |step| (world, 20 + step)))
        .flat_map(|(world, step)| action(late.description(), world, step))
        .collect();
    let found = late.gradient(&ahead, 1.0).expect("a gradient");
    let mut sums = [0.0; WORLDS];
    for step in 0..horizon {
        let given: Vec<f64> =
            (0..WORLDS).flat_map(|w| action(late.description(), w, 20 + step)).collect();
        let out = late.step(&given).expect("a step");
        sums.iter_mut().zip(&out.rewards).for_each(|(sum, reward)| *sum += reward);
    }
    for (world, delay) in delays.iter().enumerate() {
        let (sum, ours) = (sums[world], found.returns[world]);
        assert!((sum - ours).abs() < 1e-9, "{sum}, {ours}");
        let slopes = row(&found.actions, WORLDS, world);
        let acts = (horizon - delay) * 6;
        assert!(slopes[..acts].iter().all(|x| *x != 0.0));
        assert!(slopes[acts..].iter().all(|x| *x == 0.0), "the last actions never act");
    }
}

#[test]
fn parameters_are_drawn_at_each_start_and_are_those_of_the_world() {
    const WORLDS: usize = 3;
    let mut of = Environment::Hopper.describe();
    // Links between the joints of the root have no mass.
    let names = ["link/torso/mass", "link/thigh/mass", "link/foot/mass"];
    let parameters = names.map(String::from).to_vec();
    of.randomise = vec![Randomised { parameters, range: Range::Factor(0.5, 2.0), together: false }];
    let selection = Selection::of(&of.model, names).expect("masses");
    let own = selection.values(&of.model);
    let mut worlds: EnvBatch<f64> =
        EnvBatch::with_description(of, WORLDS, 3, Some(1)).expect("a batch");
    let mut seen = Vec::new();
    for _ in 0..3 {
        let masses = worlds.params_of(&selection).expect("masses that are drawn").to_vec();
        for (k, mass) in masses.iter().enumerate() {
            let factor = mass / own[k % own.len()];
            assert!((0.5..2.0).contains(&factor) && !seen.contains(&factor), "{factor}");
            seen.push(factor);
        }
        // Each world moves as one whose masses these are.
        let (q, v) = worlds.states();
        let mut same: EnvBatch<f64> =
            EnvBatch::new(Environment::Hopper, WORLDS, 9, Some(1)).expect("a batch");
        same.set_params(&selection, &masses).expect("masses");
        same.set_states(&q, &v).expect("states");
        for step in 0..5 {
            let given = actions(worlds.description(), WORLDS, step);
            let ours = worlds.step(&given).expect("a step").clone();
            assert_eq!(ours.observations, same.step(&given).expect("a step").observations);
        }
        worlds.reset(None);
    }
}

#[test]
fn one_number_may_be_drawn_for_many_parameters() {
    let mut of = Environment::LaikagoWalk.describe();
    of.randomise = vec![
        drawn("link/*/mass", Range::Factor(0.8, 1.2), true),
        drawn("shape/ground/friction", Range::Value(0.4, 1.2), false),
    ];
    let masses = Selection::of(&of.model, ["link/*/mass"]).expect("masses");
    let friction = Selection::of(&of.model, ["shape/ground/friction"]).expect("a friction");
    let own = masses.values(&of.model);
    let worlds: EnvBatch<f64> = EnvBatch::with_description(of, 2, 0, Some(1)).expect("a batch");
    let drawn = worlds.params_of(&masses).expect("masses").chunks_exact(own.len());
    let mut factors = Vec::new();
    for row in drawn {
        let factor = row[0] / own[0];
        assert!(row.iter().zip(&own).all(|(x, own)| (x / own - factor).abs() < 1e-12));
        factors.push(factor);
    }
    assert!(factors[0] != factors[1] && factors.iter().all(|f| (0.8..1.2).contains(f)));
    let frictions = worlds.params_of(&friction).expect("frictions");
    assert!(frictions.iter().all(|x| (0.4..1.2).contains(x)), "{frictions:?}");
}

#[test]
fn pushes_change_velocities_at_random_times() {
    const WORLDS: usize = 8;
    let mut of = Environment::LaikagoWalk.describe();
    of.pushes = Some(Pushes { v: 0, count: 2, size: 0.4, mean_time: 0.2 });
    let mut pushed: EnvBatch<f64> =
        EnvBatch::with_description(of, WORLDS, 3, Some(1)).expect("a batch");
    let mut calm: EnvBatch<f64> =
        EnvBatch::new(Environment::LaikagoWalk, WORLDS, 3, Some(1)).expect("a batch");
    let still = vec![0.0; WORLDS * 12];
    let (mut pushes, steps) = (0, 60);
    for _ in 0..steps {
        let (q, v) = pushed.states();
        calm.set_states(&q, &v).expect("states");
        pushed.step(&still).expect("a step");
        calm.step(&still).expect("a step");
        let ((_, ours), (_, theirs)) = (pushed.states(), calm.states());
        for world in 0..WORLDS {
            let off = |k: usize| row(&ours, WORLDS, world)[k] - row(&theirs, WORLDS, world)[k];
            pushes += usize::from(off(0).abs().max(off(1).abs()) > 0.02);
        }
    }
    // One in ten steps; a push of less than 0.02 m/s, or one that friction takes up, is not seen.
    let expected = 0.1 * (steps * WORLDS) as f64;
    let found = pushes as f64;
    assert!(found < 1.6 * expected && found > 0.5 * expected, "{pushes} of {expected}");
}

fn history<T: Precision>(of: &Description, worlds: usize, threads: usize) -> Vec<u64> {
    let mut batch: EnvBatch<T> =
        EnvBatch::with_description(of.clone(), worlds, 2, Some(threads)).expect("a batch");
    let mut seen = Vec::new();
    let tell = |out: &Outcome, seen: &mut Vec<u64>| {
        for world in [0, 2] {
            seen.extend(row(&out.observations, worlds, world).iter().map(|x| x.to_bits()));
            seen.push(out.rewards[world].to_bits());
        }
    };
    for step in 0..30 {
        let given = actions(batch.description(), worlds, step);
        tell(batch.step(&given).expect("a step"), &mut seen);
    }
    seen
}

#[test]
fn a_world_that_is_disturbed_has_the_same_bits_in_any_batch() {
    for environment in [Environment::HalfCheetah, Environment::LaikagoCommands] {
        let of = rough(environment);
        assert_eq!(history::<f64>(&of, 3, 1), history::<f64>(&of, 21, 2), "{}", of.name);
        assert_eq!(history::<f32>(&of, 3, 1), history::<f32>(&of, 37, 2), "{}", of.name);
    }
}

#[test]
fn disturbed_worlds_go_on_from_a_snapshot_with_the_same_bits() {
    for autoreset in [Autoreset::NextStep, Autoreset::SameStep] {
        let made = |seed: u64| -> EnvBatch<f64> {
            EnvBatch::with_description(rough(Environment::LaikagoCommands), 5, seed, Some(1))
                .expect("a batch")
                .with_autoreset(autoreset)
        };
        let go = |worlds: &mut EnvBatch<f64>, first: usize| -> Vec<Vec<f64>> {
            (first..first + 50)
                .map(|step| {
                    let given = actions(worlds.description(), 5, step);
                    let out = worlds.step(&given).expect("a step");
                    [&out.observations[..], &out.rewards, &out.final_observations].concat()
                })
                .collect()
        };
        let mut worlds = made(1);
        go(&mut worlds, 0);
        let taken = worlds.snapshot();
        let expected = go(&mut worlds, 50);
        let mut others = made(2);
        go(&mut others, 3);
        others.restore(&taken).expect("a snapshot of such worlds");
        assert_eq!(others.snapshot(), taken);
        assert!(go(&mut others, 50) == expected);
    }
}

#[test]
fn disturbances_that_make_no_sense_are_refused() {
    let refused = |change: &dyn Fn(&mut Description)| {
        let mut of = Environment::Hopper.describe();
        change(&mut of);
        EnvBatch::<f64>::with_description(of, 2, 0, Some(1)).expect_err("refused").to_string()
    };
    let masses = |range| vec![drawn("link/*/mass", range, false)];
    let said = refused(&|of| of.randomise = masses(Range::Factor(2.0, 1.0)));
    assert_eq!(
        said,
        "environment Hopper: the range 2 to 1 of \"link/*/mass\" is not one; give finite ends, the lower one first"
    );
    let said = refused(&|of| of.randomise = masses(Range::Value(-1.0, 1.0)));
    assert!(said.contains("at the end -1 of its range") && said.contains("mass"), "{said}");
    let said = refused(&|of| {
        of.randomise = vec![drawn("link/toros/mass", Range::Factor(1.0, 1.0), false)]
    });
    assert!(said.contains("link/toros/mass"), "{said}");
    let said = refused(&|of| of.delay = Delay { least: 3, most: 2 });
    assert_eq!(
        said,
        "environment Hopper: a delay of 3 to 2 steps; give the lower one first, and at most 1000"
    );
    refused(&|of| of.delay = Delay { least: 0, most: usize::MAX });
    let pushes = |v, size| Some(Pushes { v, count: 2, size, mean_time: 1.0 });
    refused(&|of| of.pushes = pushes(5, 1.0));
    refused(&|of| of.pushes = pushes(usize::MAX, 1.0));
    refused(&|of| of.pushes = pushes(0, f64::NAN));
}
